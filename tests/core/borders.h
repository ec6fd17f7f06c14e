// Do two neighbouring tiles, each built alone, agree on their common border? For tests and the bench.
#ifndef NAV_TESTS_BORDERS_H
#define NAV_TESTS_BORDERS_H

#include "core/build.h"

#include <stdbool.h>

// A point of a tile's open border: where along it (outline units), and how high (voxels); corners and detail vertices
// alike.
typedef struct border_point {
    float along, height;
} border_point;

typedef struct border_line {
    border_point *points; // sorted
    int32_t count;
} border_line;

// Collects the portal edges of one side (NAV_EDGE_PORTAL_*): both ends of every edge and its detail vertices. The
// caller frees it with border_line_free().
border_line border_line_of(const nav_tile *tile, int32_t side);
// Of edges that are at least so long (outline units).
border_line border_line_of_long(const nav_tile *tile, int32_t side, float least);
void border_line_free(border_line *line);

// Number of points that stand on one side only or differ in height.
int32_t border_difference(const border_line *a, const border_line *b);

// The same for the common border of two tiles: `there` is the neighbour of `here` on the side x + 1, or z + 1 where
// along_x. *points: on here's side of it.
int32_t border_difference_of(const nav_tile *here, const nav_tile *there, bool along_x, int32_t *points);

#endif
