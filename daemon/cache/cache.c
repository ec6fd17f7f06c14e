#include "daemon/cache/cache.h"

#include "daemon/base/age_list.h"
#include "daemon/base/thread.h"
#include "daemon/cache/tile_cache.h"

#include <stdlib.h>

struct nd_cache_entry {
    nd_node node;
    nav_key source;
    uint8_t encoding;
    nd_cached value;
    uint64_t turn; // of the disk, when it last heard of the entry
    nd_cache_entry *newer, *older;
};

void nd_cache_init(nd_cache *c, size_t max_bytes)
{
    *c = (nd_cache){.max_bytes = max_bytes};
}

static size_t entry_bytes(const nd_cached *v)
{
    return sizeof(nd_cache_entry) + sizeof(nd_node *) + (v->blob ? sizeof(nd_blob) + v->blob->size : 0) +
           (v->parts ? nav_parts_bytes(v->parts) : 0);
}

static void drop(nd_cache *c, nd_cache_entry *e)
{
    ND_AGE_UNLINK(c, e);
    nd_table_remove(&c->table, &e->node);
    c->bytes -= entry_bytes(&e->value);
    nd_blob_unref(e->value.blob);
    nav_parts_unref(e->value.parts);
    free(e);
}

void nd_cache_resize(nd_cache *c, size_t max_bytes)
{
    ND_ASSERT_LOOP_THREAD();
    c->max_bytes = max_bytes;
    for (; c->bytes > max_bytes; c->evicted_count++) drop(c, c->oldest);
}

void nd_cache_deinit(nd_cache *c)
{
    while (c->oldest) drop(c, c->oldest);
    nd_table_deinit(&c->table);
    *c = (nd_cache){0};
}

static nd_cache_entry *find(nd_cache *c, nav_key source, uint8_t encoding)
{
    for (nd_node *n = nd_table_first(&c->table, source.low + (uint64_t)encoding); n; n = nd_table_next(n)) {
        nd_cache_entry *e = ND_HOLDER(n, nd_cache_entry, node);
        if (nav_key_equal(e->source, source) && e->encoding == encoding) return e;
    }
    return NULL;
}

const nd_cached *nd_cache_get(nd_cache *c, nav_key source, uint8_t encoding)
{
    ND_ASSERT_LOOP_THREAD();
    nd_cache_entry *e = find(c, source, encoding);
    if (!e) return NULL;
    ND_AGE_UNLINK(c, e);
    ND_AGE_LINK_NEWEST(c, e);
    if (e->turn != nd_tile_cache_turn(c->disk)) {
        e->turn = nd_tile_cache_turn(c->disk);
        nd_tile_cache_touch(c->disk, source, (uint8_t)encoding);
    }
    return &e->value;
}

void nd_cache_put(nd_cache *c, nav_key source, uint8_t encoding, const nd_cached *value)
{
    ND_ASSERT_LOOP_THREAD();
    size_t bytes = entry_bytes(value);
    nd_cache_entry *e = find(c, source, encoding);
    if (value->blob) nd_blob_ref(value->blob); // before the old entry goes: it may hold the same
    if (value->parts) nav_parts_ref(value->parts);
    if (e) drop(c, e);
    while (bytes <= c->max_bytes && c->bytes > c->max_bytes - bytes) {
        drop(c, c->oldest);
        c->evicted_count++;
    }
    e = bytes <= c->max_bytes && nd_table_reserve(&c->table, 1) == NAV_OK ? malloc(sizeof *e) : NULL;
    if (!e) {
        nd_blob_unref(value->blob);
        nav_parts_unref(value->parts);
        return;
    }
    *e = (nd_cache_entry){.source = source, .encoding = encoding, .value = *value, .turn = nd_tile_cache_turn(c->disk)};
    nd_table_insert(&c->table, &e->node, source.low + (uint64_t)encoding);
    ND_AGE_LINK_NEWEST(c, e);
    c->bytes += bytes;
}
