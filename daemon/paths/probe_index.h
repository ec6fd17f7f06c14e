// DESIGN. Which probes may look otherwise after a tile has changed? Each has a shape on the plane that a change has to
// meet: an ellipse around both ends of its path, as no way through a place outside of it is as short, and discs around
// its ends, where the ground nearest to them is looked for. The index is a grid of cells for each size of shapes, so
// that a shape lies in a few cells however large it is, and a tile is in one cell of each grid:
//
//     grid 0:  a cell is 1 tile      short paths
//     grid 3:  a cell is 8 x 8       paths across about 64 tiles
//     ...
//
// What is asked for a tile so depends on the probes around it, not on how many there are elsewhere. A shape may be
// said to meet a tile that it does not, never the other way round. Lengths and places are in tiles. Loop thread only.
#ifndef ND_PATHS_PROBE_INDEX_H
#define ND_PATHS_PROBE_INDEX_H

#include "core/path/difference.h"
#include "daemon/base/table.h"

#include <stdbool.h>

enum { ND_PROBE_GRIDS = 31 };

typedef struct nd_probe_shape {
    double focus[2][2]; // x z: of the ellipse
    double sum;         // of the distances to them; below 0: no ellipse
    double disc[2][2], radius[2];
} nd_probe_shape;

typedef struct nd_probe_entry nd_probe_entry;

// A member of whoever is looked for.
typedef struct nd_probe_place {
    nd_probe_shape shape;
    nd_probe_entry *entries; // a heap block; NULL: not in the index
    uint32_t entry_count;
} nd_probe_place;

typedef struct nd_probe_index {
    nd_table cells;
    uint32_t in_grid[ND_PROBE_GRIDS]; // cells of each
    size_t bytes;
} nd_probe_index;

// Accepts a zeroed index, which is a valid empty one. No place is in it.
void nd_probe_index_deinit(nd_probe_index *x);
// place->shape is set; a place that is in the index moves. NAV_ERR_MEMORY: it is in the index no longer.
NAV_MUST_USE nav_status nd_probe_index_put(nd_probe_index *x, nd_probe_place *place);
void nd_probe_index_remove(nd_probe_index *x, nd_probe_place *place);
// The share of the ellipse's sum that a way through the box saves at most; below 0: it does not meet it.
double nd_probe_ellipse_saves(const nd_probe_shape *s, const nav_path_box *b);
// A box that is empty meets nothing.
bool nd_probe_ellipse_meets(const nd_probe_shape *s, const nav_path_box *b);
bool nd_probe_discs_meet(const nd_probe_shape *s, const nav_path_box *b);
// Calls visit for each place that the tile meets, more than once never.
void nd_probe_index_each(const nd_probe_index *x, int32_t tile_x, int32_t tile_z,
                         void (*visit)(void *user, nd_probe_place *place), void *user);

#endif
