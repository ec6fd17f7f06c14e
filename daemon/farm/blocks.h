// Blocks of tiles that may be given away when there is somebody to take them, the one that was noted first in front.
// A block that is noted again stays where it is. It may have nothing for others any more: whoever takes it finds out.
// Loop thread only.
#ifndef ND_BLOCKS_H
#define ND_BLOCKS_H

#include "daemon/base/fifo.h"
#include "daemon/base/table.h"

#include <stdbool.h>

enum { ND_MAX_BLOCKS = 1 << 16 }; // more are forgotten: their tiles are made here

typedef struct nd_block_name {
    uint64_t world;
    uint32_t profile;
    int32_t x, z; // in blocks (nd_area_block())
} nd_block_name;

static inline bool nd_block_name_equal(const nd_block_name *a, const nd_block_name *b)
{
    return a->world == b->world && a->profile == b->profile && a->x == b->x && a->z == b->z;
}
static inline uint64_t nd_block_name_hash(const nd_block_name *b)
{
    return nd_hash_tile(b->profile, b->x, b->z) ^ nd_hash_u64(b->world);
}

typedef struct nd_noted_block nd_noted_block;
typedef struct nd_blocks {
    nd_table table;
    ND_FIFO(nd_noted_block) list;
} nd_blocks;

void nd_blocks_init(nd_blocks *b);
void nd_blocks_deinit(nd_blocks *b);
void nd_blocks_note(nd_blocks *b, const nd_block_name *block);
// False: there is none.
bool nd_blocks_take(nd_blocks *b, nd_block_name *out);
static inline size_t nd_blocks_count(const nd_blocks *b)
{
    return b->table.count;
}

#endif
