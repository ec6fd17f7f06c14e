// How well a mesh on floors, walls and ceilings covers what an agent can stand on: judged by the triangles of the scene
// and a capsule of the agent's radius and height that stands on them, its foot on the surface and its axis along the
// normal. The agent stands where the capsule meets no triangle.
//
//   recall     of points of the scene where an agent wider and taller by `tolerance_m` stands: the share that the mesh
//              covers. Points near a rim are left out, as it is a setting whether the agent goes over it.
//   precision  of points of the mesh: the share that has surface below it, where an agent narrower and lower by
//              `tolerance_m` stands
//   twice      of recall's points: the share within two triangles of the mesh that are not in one plane
#ifndef BENCH_STAND_CHECK_H
#define BENCH_STAND_CHECK_H

#include "tests/bench/tri_space.h"

#include <stdio.h>

typedef struct stand_limits {
    double radius_m, height_m, tolerance_m;
    double rim_deg; // edges that turn outwards by more, and open ones, are rims
    uint32_t samples;
    uint64_t seed;
} stand_limits;

typedef struct stand_report {
    uint64_t asked, covered, twice;           // of the scene's points
    uint64_t sampled, right, baseless, stuck; // of the mesh's: baseless over nothing, stuck where nobody stands
    double recall, precision, twice_share;
} stand_report;

// Both are finished. missed: NULL, or where to write a line for each point that counts against the mesh:
// scene,what,x,y,z.
void stand_check(tri_space *scene, tri_space *mesh, const stand_limits *limits, const char *name, FILE *missed,
                 stand_report *out);

#endif
