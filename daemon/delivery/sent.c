#include "daemon/delivery/sent.h"

#include <stdlib.h>

enum { FIRST = 8, MOST = 512 }; // entries of a block: each has as many as there are already, within these

struct nd_sent_block {
    nd_sent_block *older;
    size_t used, room;
    nd_sent entries[];
};

void nd_sent_deinit(nd_sent_table *t)
{
    for (nd_sent_block *b = t->blocks, *older; b; b = older) {
        older = b->older;
        free(b);
    }
    nd_table_deinit(&t->table);
    *t = (nd_sent_table){0};
}

static nav_status add_block(nd_sent_table *t, size_t room)
{
    nd_sent_block *b = malloc(sizeof *b + room * sizeof *b->entries);
    if (!b) return NAV_ERR_MEMORY;
    b->older = t->blocks;
    b->used = 0;
    b->room = room;
    t->blocks = b;
    return NAV_OK;
}

nav_status nd_sent_reserve(nd_sent_table *t, size_t more)
{
    nav_status s = nd_table_reserve(&t->table, more);
    return s == NAV_OK && more && !t->blocks ? add_block(t, more) : s;
}

nd_sent *nd_sent_find(const nd_sent_table *t, int32_t x, int32_t z)
{
    for (nd_node *n = nd_table_first(&t->table, nd_hash_tile(0, x, z)); n; n = nd_table_next(n)) {
        nd_sent *s = ND_HOLDER(n, nd_sent, node);
        if (s->x == x && s->z == z) return s;
    }
    return NULL;
}

static nd_sent *take_entry(nd_sent_table *t)
{
    nd_sent *s = t->unused;
    if (s) {
        t->unused = s->next;
        return s;
    }
    size_t count = t->table.count;
    bool full = !t->blocks || t->blocks->used == t->blocks->room;
    if (full && add_block(t, count < FIRST ? FIRST : count < MOST ? count : MOST) != NAV_OK) return NULL;
    return &t->blocks->entries[t->blocks->used++];
}

nav_status nd_sent_add(nd_sent_table *t, int32_t x, int32_t z, nd_sent **out)
{
    nav_status status = nd_table_reserve(&t->table, 1);
    nd_sent *s = status == NAV_OK ? take_entry(t) : NULL;
    if (!s) return NAV_ERR_MEMORY;
    *s = (nd_sent){.x = x, .z = z, .grid = t->grid};
    nd_table_insert(&t->table, &s->node, nd_hash_tile(0, x, z));
    *out = s;
    return NAV_OK;
}

void nd_sent_remove(nd_sent_table *t, nd_sent *s)
{
    nd_table_remove(&t->table, &s->node);
    s->next = t->unused;
    t->unused = s;
}

bool nd_sent_differs(const nd_sent_table *table, const nd_sent *s, const nd_tile *t)
{
    bool is_old = s->grid != table->grid;
    np_tile_status status = t ? t->result.status : NP_TILE_REMOVED;
    switch (status) {
    case NP_TILE_OK:
    case NP_TILE_EMPTY:
        return is_old || s->failed || !nav_key_equal(s->content, t->result.content);
    case NP_TILE_FAILED:
        return is_old || !s->failed;
    case NP_TILE_REMOVED:
        return s->failed || !nav_key_is_zero(s->content);
    case NP_TILE_PENDING:
        break;
    }
    return false;
}
