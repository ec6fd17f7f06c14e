// Ground for procedural worlds: triangles over points with heights, or over a grid with a height function. They are
// for nav_mesh_create(), and best for NAV_GENERATOR_SURFACE, which takes triangles as they are. Any thread.
#ifndef NAVCORE_GROUND_H
#define NAVCORE_GROUND_H

#include "navcore/heights.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NAV_GROUND_MAX_POINTS = 1 << 26 };

// On the heap. Triangles are counter-clockwise seen from above.
typedef struct nav_ground {
    float *verts; // x y z, metres
    uint32_t vert_count;
    uint32_t *tris; // three vertices each
    uint32_t tri_count;
} nav_ground;

void nav_ground_deinit(nav_ground *g); // accepts a zeroed one

// The Delaunay triangulation of `count` points x y z in x and z: no point is within the circle around a triangle, and
// the triangles fill the convex hull. All is decided in whole numbers, of places on a grid whose step is a 2^29th of
// the points' extent or a little more; so the same points give the same triangles everywhere, and in any order but for
// their numbers. verts are the points as given, and tris their numbers.
//
// Points at the same place and height are one: the first. NAV_ERR_ARGUMENT and a sentence with the point's number, from
// 0, and its value: not finite, or beyond 1e7 m; at a place where another has another height; fewer than three
// different places; all on one line. NAV_ERR_LIMIT: more than NAV_GROUND_MAX_POINTS. NAV_ERR_MEMORY. *out is empty on
// failure.
// named: NULL, or takes the numbers of the points that the sentence names; UINT32_MAX where it names none.
NAV_MUST_USE nav_status nav_ground_from_points(const float *points, uint32_t count, nav_ground *out, uint32_t named[2],
                                               char *why, size_t why_bytes);

// A rectangle of columns by rows of cells, each cut into two triangles.
typedef struct nav_ground_grid {
    double min_x, min_z, max_x, max_z; // metres
    uint32_t columns, rows;            // cells along x and along z, at least 1
    nav_diagonal diagonal;
} nav_ground_grid;

// The height of the ground at a place, metres.
typedef float nav_height_function(void *context, double x, double z);

// Vertices are row by row, from the corner (min_x, min_z), and `height` is called once for each, in this order.
// NAV_ERR_ARGUMENT and a sentence: a side that is not finite, empty or beyond 1e7 m, no cells, cells whose corners are
// the same float, a height that is not finite or beyond 1e7 m, with its place. NAV_ERR_LIMIT: more than
// NAV_GROUND_MAX_POINTS corners. NAV_ERR_MEMORY. *out is empty on failure.
NAV_MUST_USE nav_status nav_ground_from_function(const nav_ground_grid *grid, nav_height_function *height,
                                                 void *context, nav_ground *out, char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif

#endif
