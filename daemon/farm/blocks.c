#include "daemon/farm/blocks.h"

#include <stdlib.h>

struct nd_noted_block {
    nd_node node;
    nd_noted_block *newer;
    nd_block_name block;
};

static uint64_t hash_of(const nd_block_name *b)
{
    return nd_hash_tile(b->profile, b->x, b->z) ^ nd_hash_u64(b->world);
}

static bool is_noted(const nd_blocks *b, const nd_block_name *block)
{
    for (nd_node *n = nd_table_first(&b->table, hash_of(block)); n; n = nd_table_next(n)) {
        const nd_block_name *at = &ND_HOLDER(n, nd_noted_block, node)->block;
        if (at->world == block->world && at->profile == block->profile && at->x == block->x && at->z == block->z)
            return true;
    }
    return false;
}

void nd_blocks_note(nd_blocks *b, const nd_block_name *block)
{
    if (is_noted(b, block) || b->table.count >= ND_MAX_BLOCKS) return;
    nd_noted_block *made = malloc(sizeof *made);
    if (!made || nd_table_reserve(&b->table, 1) != NAV_OK) {
        free(made);
        return;
    }
    *made = (nd_noted_block){.block = *block};
    nd_table_insert(&b->table, &made->node, hash_of(block));
    *(b->newest ? &b->newest->newer : &b->oldest) = made;
    b->newest = made;
}

bool nd_blocks_take(nd_blocks *b, nd_block_name *out)
{
    nd_noted_block *first = b->oldest;
    if (!first) return false;
    *out = first->block;
    b->oldest = first->newer;
    if (!b->oldest) b->newest = NULL;
    nd_table_remove(&b->table, &first->node);
    free(first);
    return true;
}

void nd_blocks_deinit(nd_blocks *b)
{
    nd_block_name block;
    while (nd_blocks_take(b, &block)) {
    }
    nd_table_deinit(&b->table);
}
