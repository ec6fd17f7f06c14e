#include "daemon/farm/blocks.h"

#include <stdlib.h>

struct nd_noted_block {
    nd_node node;
    nd_noted_block *next;
    nd_block_name block;
};

static bool is_noted(const nd_blocks *b, const nd_block_name *block)
{
    for (nd_node *n = nd_table_first(&b->table, nd_block_name_hash(block)); n; n = nd_table_next(n))
        if (nd_block_name_equal(&ND_HOLDER(n, nd_noted_block, node)->block, block)) return true;
    return false;
}

void nd_blocks_init(nd_blocks *b)
{
    *b = (nd_blocks){.table = {0}};
    ND_FIFO_INIT(&b->list);
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
    nd_table_insert(&b->table, &made->node, nd_block_name_hash(block));
    ND_FIFO_PUT(&b->list, made);
}

bool nd_blocks_take(nd_blocks *b, nd_block_name *out)
{
    nd_noted_block *first = b->list.first;
    if (!first) return false;
    *out = first->block;
    ND_FIFO_DROP(&b->list);
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
