// The scene's own triangles, asked where one can stand and where the walls are: the truth that outlines are held
// against. A grid over x and z keeps a whole city's triangles close at hand.
#ifndef BENCH_GROUND_H
#define BENCH_GROUND_H

#include "core/geometry/settings.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ground {
    const float *verts; // borrowed
    const uint32_t *tris;
    uint32_t tri_count;
    bool *walkable; // per triangle: as steep as the agent can walk, or flatter, and facing up
    double min_xz[2];
    int32_t count[2];
    uint64_t *cell_first; // per cell, and one more: where its triangles begin in `near`
    uint32_t *near;
    uint32_t *asked; // per triangle: the last question that met it
    uint32_t question;
} ground;

// Ends the program where memory is short.
void ground_init(ground *g, const float *verts, const uint32_t *tris, uint32_t tri_count, const nav_settings *settings);
void ground_deinit(ground *g);

// The highest walkable surface at (x, z) between two heights; false where there is none.
bool ground_height(ground *g, double x, double z, double low, double high, double *out);

// Distance in x and z from a point to the nearest part of a triangle that is no floor and stands between two heights,
// clipped exactly; more than `limit`: INFINITY.
double ground_wall_distance(ground *g, double x, double z, double low, double high, double limit);

#endif
