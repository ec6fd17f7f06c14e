// The floor that an outline is made for, and its coarse boundary: the sides of columns at which it ends.
#ifndef NAV_OUTLINE_BOUNDARY_H
#define NAV_OUTLINE_BOUNDARY_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/geometry/tile_source.h"
#include "core/outline/sources.h"
#include "core/voxel/spans/compact.h"

enum {
    NAV_BOUNDARY_SLACK = 2, // columns: how far voxels may end a floor before what ends it
};

// The spans of one region, and those of the padding that it goes on into: all s with owner[s] == want.
typedef struct nav_floor_spans {
    const int32_t *owner;
    int32_t want;
    const int32_t *span; // the same spans as a list
    int32_t count;
    nav_column_box known; // floor outside of it is not asked for
    int32_t border;       // 1 + the side of the tile that it is a band of; 0: of none
} nav_floor_spans;

// Column x of row z is bit x & 63 of word z * words + (x >> 6), padding included.
typedef struct nav_boundary {
    const nav_compact_heightfield *field;
    int32_t words;
    uint64_t *has;                  // columns where the floor ends
    uint64_t *near;                 // columns that are few columns from those
    uint64_t *ends;                 // 4 * word + d: columns where it ends on side d (compact.h)...
    uint64_t *cut;                  // ...and where an include volume ends it there
    const nav_tile_source *bounded; // whose include volumes end floors; NULL: it has none
    uint64_t *spare;
    int32_t low_row, end_row; // rows with anything in them
} nav_boundary;

// Once per tile.
NAV_MUST_USE nav_status nav_boundary_init(nav_boundary *b, const nav_compact_heightfield *f,
                                          const nav_tile_source *source, nav_arena *arena);
// Finds where the floor ends, but for the outermost two columns of the padding, where nothing is known of what lies
// beyond; and marks what is `near` columns from there. Replaces what was found before. False: it ends nowhere.
bool nav_boundary_find(nav_boundary *b, const nav_floor_spans *floor, const nav_config *cfg, int32_t near);
// Adds a widened source for each side that no shape from number `first` on comes near to. radius: in outline units. The
// sides that are explained are taken off. Where an include volume ends the floor, nothing is kept away: a thin shape
// along the side closes it.
NAV_MUST_USE nav_status nav_boundary_explain(nav_boundary *b, const nav_config *cfg, double radius, int32_t first,
                                             nav_arena *arena, nav_shapes *shapes);

#endif
