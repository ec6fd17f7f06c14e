// Crowded borders: where more edges of a border come near one edge than Detour joins with it, that edge is cut, before
// the tile is written. Internal to the Detour writer.
#ifndef NAV_TILE_DETOUR_SPLIT_H
#define NAV_TILE_DETOUR_SPLIT_H

#include "core/build.h"

// A place where the portal edge that begins in a polygon's corner is to be cut.
typedef struct detour_cut {
    int32_t corner; // index into nav_polygons.vert
    int32_t at;     // cells along the border, strictly between the edge's ends
    int32_t y;      // height there, voxels: the edge's, rounded
} detour_cut;

typedef struct detour_cuts {
    detour_cut *cut; // sorted by corner, then by place; heap
    int32_t count;
} detour_cuts;

// Finds the cuts; none for nearly every tile. Both tiles of a border find the same ones. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_detour_find_cuts(const nav_tile *tile, detour_cuts *out);
void nav_detour_cuts_deinit(detour_cuts *c); // accepts a zeroed one

// A tile whose polygons and detail are copies, with the cuts made; cells are left out.
typedef struct detour_copy {
    nav_tile tile;
    nav_arena arena;
} detour_copy;

// Makes the cuts: new vertices on straight edges, and polygons cut in two there. NAV_ERR_LIMIT where a part's detail
// passes what the format holds, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_detour_make_cuts(const nav_tile *tile, const detour_cuts *cuts, detour_copy *out);
void nav_detour_copy_deinit(detour_copy *c); // accepts a zeroed one

#endif
