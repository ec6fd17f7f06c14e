// The height triangulation of one polygon while it grows: a Delaunay triangulation, into which points are inserted one
// by one, and the height samples that it must follow, in one bucket per triangle.
//
// Coordinates are integers: outline units times a power of two chosen so that they also fit a float exactly (24 bits).
// All decisions about orientation and circles are exact integer arithmetic, so no triangle is ever empty or turned
// over. Owner: one thread; scratch of the detail stage.
#ifndef NAV_DETAIL_PATCH_H
#define NAV_DETAIL_PATCH_H

#include "core/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    NAV_PATCH_VERTS = 255, // what a tile's 8-bit counts hold
    NAV_PATCH_TRIS = 255,
    NAV_PATCH_CORNERS = 6,
    NAV_PATCH_OUTSIDE = -1, // neighbour of an edge on the polygon's boundary
    NAV_PATCH_NO_SAMPLE = -1,
};

typedef struct nav_patch_sample {
    int32_t x, z, y;
    int32_t next; // in the same triangle
} nav_patch_sample;

typedef struct nav_patch_point {
    int32_t x, z, y;
} nav_patch_point;

typedef struct nav_patch {
    int32_t vert_count, tri_count;
    int low_zeros; // bits that are zero in the places of all vertices
    int32_t x[NAV_PATCH_VERTS], z[NAV_PATCH_VERTS], y[NAV_PATCH_VERTS];
    int16_t vert[NAV_PATCH_TRIS][3]; // right-hand normal to +Y
    int16_t near[NAV_PATCH_TRIS][3]; // triangle behind the edge from vert[i] to the next
    int32_t first[NAV_PATCH_TRIS];   // first sample in the triangle
    int32_t worst[NAV_PATCH_TRIS];   // the sample farthest from the triangle, and how far in voxels
    double error[NAV_PATCH_TRIS];
    bool stale[NAV_PATCH_TRIS];      // worst and error are to be worked out again
    int16_t changed[NAV_PATCH_TRIS]; // the stale triangles
    int32_t changed_count;
    int hint; // where the last sample was found
    nav_patch_sample *samples;
    int32_t sample_count, sample_capacity;
} nav_patch;

// Twice the area of the triangle, positive where the right-hand normal points to +Y. Exact for coordinates of 30 bits.
int64_t nav_area2(int64_t ax, int64_t az, int64_t bx, int64_t bz, int64_t cx, int64_t cz);

// Begins with a convex polygon of 3 to 6 corners, collinear corners allowed; its samples are forgotten. False where it
// is not convex or has no area: then the patch is a fan, which must not be grown.
bool nav_patch_begin(nav_patch *p, int32_t corner_count, const int32_t *x, const int32_t *z, const int32_t *y);
// plainly: without the short way for corners that all turn; the result is the same.
bool nav_patch_begin_by(bool plainly, nav_patch *p, int32_t corner_count, const int32_t *x, const int32_t *z,
                        const int32_t *y);

// Inserts points on the boundary edge between two corners, in order from the first; each lies on the edge exactly.
// stride: 1, or -1 where the points are stored backwards. False: the limits are reached, and points are missing.
bool nav_patch_insert_edge(nav_patch *p, int32_t from, int32_t to, const nav_patch_point *points, int32_t count,
                           int32_t stride);

// Adds a sample strictly inside the polygon.
NAV_MUST_USE nav_status nav_patch_add_sample(nav_patch *p, nav_arena *arena, int32_t x, int32_t z, int32_t y);

// Inserts samples, the worst first, until none is farther than max_error voxels away. False: the limits were reached
// before; the patch is whole, but does not follow all samples.
bool nav_patch_refine(nav_patch *p, double max_error);

// Do all triangles lie in one plane y = plane[0] + plane[1] * x + plane[2] * z?
bool nav_patch_is_plane(const nav_patch *p, double plane[3]);

#endif
