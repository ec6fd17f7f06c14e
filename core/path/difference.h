// Which part of a tile has changed, and where a way may have opened. A path that does not pass through what has changed
// is still there, and a shorter one passes through what has opened.
//
//     nav_path_print_take(&before, set, x, z);   // as it is
//     nav_path_set_put(set, ...);                // or dropped
//     nav_path_print_take(&after, set, x, z);
//     nav_path_difference_find(&before, &after, &difference);
//
// Links are not compared with it: nav_path_set_link_ways() is for them.
#ifndef NAV_PATH_DIFFERENCE_H
#define NAV_PATH_DIFFERENCE_H

#include "navcore/path.h"

#include <stdbool.h>

typedef struct path_print_cell path_print_cell;
typedef struct path_print_corner path_print_corner;

// The cells of a tile, to be compared with what they are later. Valid when zeroed: no tile.
typedef struct nav_path_print {
    int32_t x, z;
    double columns;         // along a side of the tile
    double same_floor;      // voxels: floors above each other are more than that apart
    path_print_cell *cells; // a heap block, as is the next
    path_print_corner *corners;
    uint32_t cell_count, corner_count, cell_room, corner_room;
} nav_path_print;

// In tiles: tile x reaches from x to x + 1.
typedef struct nav_path_box {
    double min[2], max[2]; // x z; min above max: empty
} nav_path_box;

static inline bool nav_path_box_is_empty(const nav_path_box *b)
{
    return !(b->min[0] <= b->max[0]);
}

typedef struct nav_path_difference {
    nav_path_box changed; // all cells and edges that only one of both has, and their heights
    nav_path_box opened;  // every way that only the later one has leads through it; within `changed`
} nav_path_difference;

// The tile as it is in the set, joined or not; what the print had before is gone. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_print_take(nav_path_print *p, const nav_path_set *set, int32_t tile_x, int32_t tile_z);
void nav_path_print_deinit(nav_path_print *p);
// Of two prints of one place. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_difference_find(nav_path_print *before, nav_path_print *after,
                                                 nav_path_difference *out);

// A number for the links that can be taken, and from where to where. The set is joined.
uint64_t nav_path_set_link_ways(const nav_path_set *set);

#endif
