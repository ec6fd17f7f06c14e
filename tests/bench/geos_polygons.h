// What the bench asks GEOS for in several places.
#ifndef BENCH_GEOS_POLYGONS_H
#define BENCH_GEOS_POLYGONS_H

#include <geos_c.h>
#include <stdint.h>

// One line on stderr.
void geos_complain(const char *text, void *user);
// NULL where GEOS fails, as below.
GEOSGeometry *geos_polygon(GEOSContextHandle_t h, const double (*xz)[2], uint32_t count);
// The union of polygons, which it takes. grid: what places are rounded to, so that it never fails; 0: none are.
GEOSGeometry *geos_join(GEOSContextHandle_t h, GEOSGeometry **parts, uint32_t count, double grid);

#endif
