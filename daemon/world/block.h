// DESIGN. What the tiles of a block are made from, for whoever looks at all of them: the objects around the block are
// found once, and their keys computed once, where a view (snapshot.h) asks the index for each tile. What comes out is
// the same, view for view and key for key.
//
//     index ──one query──► objects, a key each ──tiles that they touch──► lists ──► key, view of a tile
//
// Borrows from the world, until it changes. Reused from block to block. Loop thread only.
#ifndef ND_BLOCK_H
#define ND_BLOCK_H

#include "daemon/world/snapshot.h"

enum { ND_BLOCK_SIDE = 16 };

typedef struct nd_block {
    nav_settings settings;
    nav_sheet sheet;
    int32_t x, z; // the first tile
    uint32_t columns, rows;
    bool bounded;                                        // the world has include volumes
    double from[ND_BLOCK_SIDE][2], to[ND_BLOCK_SIDE][2]; // padded bounds in the frame, of column i and of row i
    nd_box boxes[ND_BLOCK_SIDE * ND_BLOCK_SIDE], all;    // of tiles; around them
    nav_buffer found;                                    // nd_object *
    nav_buffer objects;                                  // nd_block_object
    nav_buffer pairs, lists;                             // of a tile and an object; objects by tile
    uint32_t begins[ND_BLOCK_SIDE * ND_BLOCK_SIDE + 1];  // into lists
    nav_buffer keys;                                     // of the view's instances
    nav_key anchor;                                      // the smallest key of an instance
    bool has_anchor;
    nav_status status;
} nd_block;

void nd_block_deinit(nd_block *b); // accepts a zeroed one, which is ready
// columns and rows: at most ND_BLOCK_SIDE. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_block_collect(nd_block *b, const nd_world *w, uint32_t profile, int32_t x, int32_t z,
                                         uint32_t columns, uint32_t rows);

typedef struct nd_block_tile {
    nav_key whole, bare; // nav_tile_source_key(); bare: without links
    bool linked;         // it has some: else both are the same
    bool lost;           // a mesh of it is
} nd_block_tile;
// By its number in the block, row by row. False: there is nothing in it.
bool nd_block_look(const nd_block *b, uint32_t tile, nd_block_tile *out);
// Its view, without links. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_block_view(nd_block *b, uint32_t tile, nd_view *v);

#endif
