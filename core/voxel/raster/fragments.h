// Fragments: what the triangles fill in each column, as lists that are sorted and joined at the end. They take any
// height and any number of area types. If a tile is low enough, bit columns (bit_columns.h) do the same much faster.
#ifndef NAV_VOXEL_FRAGMENTS_H
#define NAV_VOXEL_FRAGMENTS_H

#include "core/voxel/spans/heightfield.h"

// Voxels [bottom, top) of a column with the area type of the top, in one word that sorts by bottom:
// bottom + 2^30 (31 bits), top - bottom (25 bits), area (8 bits).
typedef uint64_t nav_fragment;

typedef struct nav_fragments {
    nav_arena *arena;
    nav_fragment *fragments; // in the order of triangles
    int32_t *columns;        // of each fragment
    int32_t count, capacity;
    int32_t width;
    int32_t *column_count; // fragments over each column
    nav_status status;     // of the last put; after an error the list takes nothing more
} nav_fragments;

// NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_fragments_init(nav_fragments *f, int32_t width, nav_arena *arena);
// A fragment over `count` columns in a row; 0 <= column. A cliff of millions of voxels is put in pieces.
void nav_fragments_put(nav_fragments *f, int32_t column, int32_t count, int32_t bottom, int32_t top, uint32_t area);
// Sorts and joins them; out->width is set, the arrays are taken from the arena.
NAV_MUST_USE nav_status nav_fragments_join(const nav_fragments *f, int32_t climb, nav_heightfield *out);

#endif
