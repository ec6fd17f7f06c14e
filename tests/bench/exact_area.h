// The free floor of a scene of prisms, exactly, and how a mesh differs from it. Computed by GEOS (Debian's
// libgeos-dev): exact_area.c where it is found, else absent_exact_area.c.
#ifndef BENCH_EXACT_AREA_H
#define BENCH_EXACT_AREA_H

#include "tests/bench/flat_mesh.h"
#include "tests/bench/prism.h"

// Is GEOS there? All else below needs it.
bool exact_area_present(void);

typedef struct area_report {
    double exact_m2, mesh_m2;
    double missing_m2, extra_m2; // of the exact area without the mesh; of the mesh outside of the exact area
} area_report;

// Adds to the report. The disc of the radius fits wherever it is on the floor and on no block; both are seen from
// above. Round corners are off by less than 0.1 mm where the radius is 1 m. False with one line on stderr where GEOS
// fails.
bool exact_area_compare(const bench_prism *floor, const bench_prism *blocks, uint32_t block_count, double radius_m,
                        const flat_mesh *mesh, area_report *out);

typedef struct surface_areas {
    double exact_m2; // of the union of the triangles
    double mesh_m2;  // of the union of the mesh's polygons
    double sum_m2;   // of these one by one
} surface_areas;

// Of triangles as seen from above: x y z of three corners each. False with one line on stderr where GEOS fails.
bool exact_area_of_surface(const float (*tris)[9], uint32_t count, const flat_mesh *mesh, surface_areas *out);

#endif
