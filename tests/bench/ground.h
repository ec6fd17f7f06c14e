// The scene's own triangles, asked where one can stand, and where that ends: the truth that contours are held against.
//
//                     |####|
//                     |####| blocks: what is too steep to stand on
//      ===============|####|====== floors: what is not
//      ^ drop: an edge of the floors with no floor beyond, neither a step up nor a step down
#ifndef BENCH_GROUND_H
#define BENCH_GROUND_H

#include "navcore/settings.h"
#include "tests/bench/tri_grid.h"

typedef struct ground {
    tri_grid floors, blocks, drops;
    tri_grid sure_drops; // those that voxels of 0.3 m cannot bridge or step over, however they fall
    double climb_m, level_m;
} ground;

// Ends the program where memory is short.
void ground_init(ground *g, const float *verts, const uint32_t *tris, uint32_t tri_count, const nav_settings *settings);
void ground_deinit(ground *g);

#endif
