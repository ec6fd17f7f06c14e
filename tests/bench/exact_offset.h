// The free floor of a random plan, exactly: what GEOS has of it (exact_offset.c), else nothing (absent_exact_area.c).
#ifndef BENCH_EXACT_OFFSET_H
#define BENCH_EXACT_OFFSET_H

#include "navcore/settings.h"
#include "tests/bench/flat_mesh.h"
#include "tests/bench/random_plan.h"

typedef struct offset_floor {
    double exact_m2; // the floor moved inwards by the radius, without the obstacles moved outwards, each on its own
    double true_m2;  // the same with corners that are true arcs; of round ones, else the same
} offset_floor;

// step_cos: of the angle between the tangents of a round corner. Mitres are GEOS' own; of round corners and bevels each
// edge and each corner is a polygon of its own, with the tangents that docs/plans.md names, and GEOS unites them: its
// own arcs lie inside of the true ones, and what it bevels it simplifies first. False with one line on stderr where
// GEOS fails.
bool exact_offset_floor(const random_plan *p, double radius_m, nav_corners corners, double mitre_limit, double step_cos,
                        offset_floor *out);

typedef struct offset_mesh {
    double mesh_m2; // of the union of the mesh's polygons
    double sum_m2;  // of these one by one
} offset_mesh;

bool exact_offset_mesh(const flat_mesh *mesh, offset_mesh *out); // likewise

#endif
