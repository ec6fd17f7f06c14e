// What the contours of a tile allow: the fewest convex cells that its floor plans can be cut in, and how far the
// contours are from the cells that they were traced from. Computed here from the tile's stages, by none of the core's
// own counts.
#ifndef BENCH_PLANS_H
#define BENCH_PLANS_H

#include "core/build.h"

// A floor plan is an outer loop with its holes. With r notches (corners that turn inwards) and h holes it takes at
// least ceil(r / 2) + 1 - h convex cells, and one portal at each notch makes it r + 1 - h. Source: J. Fernandez, B.
// Toth, L. Canovas and B. Pelegrin, A practical algorithm for decomposing polygonal domains into convex polygons by
// diagonals (2008).
typedef struct plan_counts {
    uint64_t plans, notches, holes;
    uint64_t least;   // sum of max(1, ceil(r / 2) + 1 - h)
    uint64_t paired;  // sum of max(1, r + 1 - h - p), p the pairs of notches that can share a portal
    uint64_t regions; // with contours
    uint64_t above;   // regions with more cells than the sum of their plans' r + 1 - h
    // Most that a traced corner is away from its region's contour, in cells: beside a wall, where the error bound
    // holds, and on seams between regions and tiles, which are straight from one end to the other. Of voxel outlines.
    double wall_deviation, seam_deviation;
    uint64_t lost; // traced corners of regions and holes without a contour
} plan_counts;

// False when memory is short.
bool plan_counts_add(plan_counts *c, const nav_tile *t);

#endif
