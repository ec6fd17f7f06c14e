// The surface of a sheet over lines of the field, many lines side by side.
#ifndef NAV_VOXEL_HEIGHTS_SIDES_H
#define NAV_VOXEL_HEIGHTS_SIDES_H

#include "core/voxel/raster/heights_sheet.h"

// Over each side of a column, [z][x]: the lowest and the highest of the surface. What is not known of a side is BEYOND
// and -BEYOND.
typedef struct sides {
    size_t stride; // from row to row
    double *low, *high;
} sides;

// Of the sides along x: between their ends, at lines of the grid and at its diagonals. NAV_ERR_LIMIT, NAV_ERR_MEMORY
// from the arena.
NAV_MUST_USE nav_status nav_sides_along_x(const sheet *s, nav_arena *arena, sides *out);
// Of the sides along z: the same, and their ends.
NAV_MUST_USE nav_status nav_sides_along_z(const sheet *s, nav_arena *arena, sides *out);

#endif
