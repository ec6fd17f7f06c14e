#include "daemon/cache/tile_table.h"

#include "core/base/endian.h"
#include "daemon/disk/database_file.h"

#include <string.h>

enum {
    FORMAT = 1,
    HEAD_BYTES = 32, // format, tick, bytes, count
    USE_BYTES = 16,  // tick, cost
    ORDER_BYTES = 8 + ND_TILE_KEY_BYTES,
    SUM_BYTES = 8, // the database's checksum of a value
    PAGE = 4096,
    PAGE_HEAD = 16,
    NODE_HEAD = 8,
    NODE_MAX = 2036, // of a page of 4096: what is larger gets pages of its own
};

const char *const nd_tile_table_names[ND_TILE_TABLES] = {"tiles", "uses", "order", "head"};
static const nd_bytes head_key = {"head", 4};

static nd_bytes key_of(const uint8_t key[ND_TILE_KEY_BYTES])
{
    return (nd_bytes){key, ND_TILE_KEY_BYTES};
}

// Big-endian: the database compares keys byte by byte.
static void order_key(uint64_t tick, const uint8_t *key, uint8_t out[ORDER_BYTES])
{
    for (int i = 0; i < 8; i++) out[i] = (uint8_t)(tick >> (56 - 8 * i));
    memcpy(out + 8, key, ND_TILE_KEY_BYTES);
}

uint64_t nd_tile_cost(size_t record_bytes)
{
    uint64_t value = SUM_BYTES + (uint64_t)record_bytes, node = NODE_HEAD + ND_TILE_KEY_BYTES + value;
    uint64_t lists = 2 * (NODE_HEAD + SUM_BYTES) + ND_TILE_KEY_BYTES + USE_BYTES + ORDER_BYTES;
    if (node <= NODE_MAX) return (node + lists) * 3 / 2;
    return (value + PAGE_HEAD + PAGE - 1) / PAGE * PAGE + (lists + 32) * 3 / 2;
}

static void load_head(nd_tile_table *t, nd_bytes v)
{
    const uint8_t *p = v.data;
    if (v.size != HEAD_BYTES || nav_load_u64(p) != FORMAT) return;
    t->tick = nav_load_u64(p + 8) + 1;
    t->bytes = nav_load_u64(p + 16);
    t->count = nav_load_u64(p + 24);
    t->young = t->tick;
}

nav_status nd_tile_table_begin(nd_tile_table *t, nd_txn *txn)
{
    nd_bytes v;
    nav_status s = nd_txn_get(txn, ND_TABLE_HEAD, head_key, &v);
    *t = (nd_tile_table){.tick = 1, .young = 1};
    if (s == NAV_ERR_NOT_FOUND || s == NAV_ERR_FORMAT) return NAV_OK;
    if (s == NAV_OK) load_head(t, v);
    return s;
}

void nd_tile_table_peek(const char *folder, uint64_t *count, uint64_t *bytes)
{
    nd_tile_table t = {0};
    nd_peek *peek;
    nd_bytes v;
    if (nd_peek_open(folder, nd_tile_table_names[ND_TABLE_HEAD], &peek) == NAV_OK) {
        if (nd_peek_get(peek, head_key, &v) == NAV_OK) load_head(&t, v);
        nd_peek_close(peek);
    }
    *count = t.count;
    *bytes = t.bytes;
}

nav_status nd_tile_table_end(nd_tile_table *t, nd_txn *txn)
{
    uint8_t bytes[HEAD_BYTES];
    nav_store_u64(bytes, FORMAT);
    nav_store_u64(bytes + 8, t->tick);
    nav_store_u64(bytes + 16, t->bytes);
    nav_store_u64(bytes + 24, t->count);
    return nd_txn_put(txn, ND_TABLE_HEAD, head_key, (nd_bytes){bytes, sizeof bytes});
}

// Tick and cost are 0 where they are not known. NAV_ERR_NOT_FOUND: there is no such entry.
static nav_status get_use(nd_txn *txn, const uint8_t *key, uint64_t *tick, uint64_t *cost)
{
    nd_bytes v;
    *tick = *cost = 0;
    nav_status s = nd_txn_get(txn, ND_TABLE_USES, key_of(key), &v);
    if (s == NAV_ERR_FORMAT || (s == NAV_OK && v.size != USE_BYTES)) return NAV_OK;
    if (s != NAV_OK) return s;
    *tick = nav_load_u64(v.data);
    *cost = nav_load_u64((const uint8_t *)v.data + 8);
    return NAV_OK;
}

static nav_status leave_order(nd_txn *txn, const uint8_t *key, uint64_t tick)
{
    uint8_t order[ORDER_BYTES];
    if (!tick) return NAV_OK; // the first is 1
    order_key(tick, key, order);
    return nd_txn_delete(txn, ND_TABLE_ORDER, (nd_bytes){order, sizeof order});
}

static nav_status put_use(nd_tile_table *t, nd_txn *txn, const uint8_t *key, uint64_t cost)
{
    uint8_t use[USE_BYTES], order[ORDER_BYTES];
    nav_store_u64(use, t->tick);
    nav_store_u64(use + 8, cost);
    order_key(t->tick, key, order);
    nav_status s = nd_txn_put(txn, ND_TABLE_USES, key_of(key), (nd_bytes){use, sizeof use});
    return s == NAV_OK ? nd_txn_put(txn, ND_TABLE_ORDER, (nd_bytes){order, sizeof order}, (nd_bytes){NULL, 0}) : s;
}

nav_status nd_tile_table_remove(nd_tile_table *t, nd_txn *txn, const uint8_t key[ND_TILE_KEY_BYTES])
{
    uint64_t tick, cost;
    nav_status s = get_use(txn, key, &tick, &cost);
    if (s == NAV_OK) s = leave_order(txn, key, tick);
    if (s == NAV_OK) {
        t->bytes -= cost < t->bytes ? cost : t->bytes;
        t->count -= t->count > 0;
        s = nd_txn_delete(txn, ND_TABLE_USES, key_of(key));
    }
    if (s != NAV_OK && s != NAV_ERR_NOT_FOUND) return s;
    return nd_txn_delete(txn, ND_TABLE_TILES, key_of(key));
}

static nav_status drop_oldest(nd_tile_table *t, nd_txn *txn, nd_cursor *c)
{
    nd_bytes order, none;
    uint8_t key[ND_TILE_KEY_BYTES];
    nav_status s = nd_cursor_seek(c, (nd_bytes){NULL, 0}, &order, &none);
    if (s != NAV_OK && s != NAV_ERR_FORMAT) return s;
    bool named = order.size == ORDER_BYTES;
    if (named) memcpy(key, (const uint8_t *)order.data + 8, sizeof key);
    s = nd_cursor_delete(c); // also where the entry does not know of it
    if (s == NAV_OK && named) s = nd_tile_table_remove(t, txn, key);
    t->evicted++;
    return s;
}

nav_status nd_tile_table_evict(nd_tile_table *t, nd_txn *txn, uint64_t max_bytes, size_t most, bool *more)
{
    nd_cursor *c;
    *more = false;
    if (t->bytes <= max_bytes) return NAV_OK;
    nav_status s = nd_cursor_open(txn, ND_TABLE_ORDER, &c);
    if (s != NAV_OK) return s;
    while (s == NAV_OK && t->bytes > max_bytes && most--) s = drop_oldest(t, txn, c);
    if (s == NAV_ERR_NOT_FOUND) { // nothing is left, whatever the head says
        t->bytes = t->count = 0;
        s = NAV_OK;
    }
    *more = t->bytes > max_bytes;
    nd_cursor_close(c);
    return s;
}

nav_status nd_tile_table_touch(nd_tile_table *t, nd_txn *txn, const uint8_t key[ND_TILE_KEY_BYTES])
{
    uint64_t tick, cost;
    nav_status s = get_use(txn, key, &tick, &cost);
    if (s == NAV_OK && tick >= t->young) return NAV_OK;
    if (s == NAV_OK) s = leave_order(txn, key, tick);
    if (s == NAV_OK) s = put_use(t, txn, key, cost);
    return s == NAV_ERR_NOT_FOUND ? NAV_OK : s;
}

nav_status nd_tile_table_put(nd_tile_table *t, nd_txn *txn, const uint8_t key[ND_TILE_KEY_BYTES], nd_bytes record,
                             uint64_t max_bytes)
{
    bool more;
    uint64_t cost = nd_tile_cost(record.size);
    nav_status s = nd_tile_table_remove(t, txn, key);
    if (s != NAV_OK || cost > max_bytes) return s;
    s = nd_tile_table_evict(t, txn, max_bytes - cost, SIZE_MAX, &more);
    if (s == NAV_OK) s = nd_txn_put(txn, ND_TABLE_TILES, key_of(key), record);
    if (s == NAV_OK) s = put_use(t, txn, key, cost);
    if (s != NAV_OK) return s;
    t->bytes += cost;
    t->count++;
    return NAV_OK;
}
