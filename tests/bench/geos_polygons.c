#include "tests/bench/geos_polygons.h"

#include <stdio.h>

void geos_complain(const char *text, void *user)
{
    (void)user;
    fprintf(stderr, "bench: GEOS: %s\n", text);
}

GEOSGeometry *geos_polygon(GEOSContextHandle_t h, const double (*xz)[2], uint32_t count)
{
    GEOSCoordSequence *ring = GEOSCoordSeq_create_r(h, count + 1, 2);
    for (uint32_t i = 0; ring && i <= count; i++) GEOSCoordSeq_setXY_r(h, ring, i, xz[i % count][0], xz[i % count][1]);
    GEOSGeometry *shell = ring ? GEOSGeom_createLinearRing_r(h, ring) : NULL;
    return shell ? GEOSGeom_createPolygon_r(h, shell, NULL, 0) : NULL;
}

GEOSGeometry *geos_join(GEOSContextHandle_t h, GEOSGeometry **parts, uint32_t count, double grid)
{
    for (uint32_t i = 0; i < count; i++) {
        if (parts[i]) continue;
        for (uint32_t k = 0; k < count; k++) GEOSGeom_destroy_r(h, parts[k]);
        return NULL;
    }
    GEOSGeometry *all = GEOSGeom_createCollection_r(h, GEOS_MULTIPOLYGON, parts, count);
    GEOSGeometry *whole = !all ? NULL : grid > 0 ? GEOSUnaryUnionPrec_r(h, all, grid) : GEOSUnaryUnion_r(h, all);
    GEOSGeom_destroy_r(h, all);
    return whole;
}
