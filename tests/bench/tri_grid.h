// Triangles on a grid over x and z, asked what is near a point. A segment is a triangle with two equal corners.
#ifndef BENCH_TRI_GRID_H
#define BENCH_TRI_GRID_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tri_grid {
    float (*tri)[9]; // world space
    uint32_t tri_count, tri_capacity;
    double min_xz[2];
    int32_t count[2];
    uint64_t *cell_first; // per cell, and one more: where its triangles begin in `near`
    uint32_t *near;
    uint32_t *asked; // per triangle: the last question that met it
    uint32_t question;
} tri_grid;

// All of these end the program where memory is short. First every triangle is added, then the grid is finished, then
// questions may come.
void tri_grid_add(tri_grid *g, const float a[3], const float b[3], const float c[3]);
void tri_grid_finish(tri_grid *g);
void tri_grid_deinit(tri_grid *g);

// The highest surface at (x, z) between two heights; false where there is none. For triangles that face up.
bool tri_grid_height(const tri_grid *g, double x, double z, double low, double high, double *out);

// Distance in x and z from a point to the nearest part of a triangle between two heights, clipped exactly; INFINITY
// where it would be more than `limit`.
double tri_grid_distance(tri_grid *g, double x, double z, double low, double high, double limit);

#endif
