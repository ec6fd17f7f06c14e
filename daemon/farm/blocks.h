// Blocks of tiles that may be given away when there is somebody to take them, the one that was noted first in front.
// A block that is noted again stays where it is. It may have nothing for others any more: whoever takes it finds out.
// Loop thread only.
#ifndef ND_BLOCKS_H
#define ND_BLOCKS_H

#include "daemon/base/table.h"

#include <stdbool.h>

enum { ND_MAX_BLOCKS = 1 << 16 }; // more are forgotten: their tiles are made here

typedef struct nd_block_name {
    uint64_t world;
    uint32_t profile;
    int32_t x, z; // in blocks (nd_area_block())
} nd_block_name;

typedef struct nd_noted_block nd_noted_block;
typedef struct nd_blocks {
    nd_table table;
    nd_noted_block *oldest, *newest;
} nd_blocks;

void nd_blocks_deinit(nd_blocks *b); // accepts a zeroed one, which is an empty one
void nd_blocks_note(nd_blocks *b, const nd_block_name *block);
// False: there is none.
bool nd_blocks_take(nd_blocks *b, nd_block_name *out);
static inline size_t nd_blocks_count(const nd_blocks *b)
{
    return b->table.count;
}

#endif
