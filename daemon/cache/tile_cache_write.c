// Operations gather in a list. A batch that is with the writer takes from the list when it runs; what comes after
// goes into the next. So a fast sequence of puts makes few large transactions, by itself. But not larger ones than
// OPS_A_COMMIT: the pages that a transaction changes, a few for each operation, are memory that LMDB keeps for the
// next.
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/cache/tile_cache_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { MAX_WAITING_BYTES = 64 << 20, EVICT_A_COMMIT = 2000, OPS_A_COMMIT = 1024, TOUCHES_A_COMMIT = 1 << 14 };
enum { REGAIN_LEAST = 1 << 20, REGAIN_MOST_MS = 3600 * 1000 };

static size_t bytes_of(const disk_op *op)
{
    return sizeof *op + (op->blob ? op->blob->size : 0);
}

bool nd_tile_cache_add(nd_tile_cache *c, disk_op *op)
{
    size_t bytes = bytes_of(op);
    pthread_mutex_lock(&c->mutex);
    bool room = c->ops.bytes < MAX_WAITING_BYTES || op->task;
    if (room) {
        ND_FIFO_PUT(&c->ops, op);
        c->ops.bytes += bytes;
        if (op->kind == OP_TOUCH)
            c->ops.touches += op->blob->size / ND_TILE_KEY_BYTES;
        else
            c->ops.count++;
    }
    pthread_mutex_unlock(&c->mutex);
    if (room) return true;
    if (op->kind == OP_PUT) c->dropped++;
    nd_blob_unref(op->blob);
    free(op);
    return false;
}

void nd_tile_cache_remove(nd_tile_cache *c, const uint8_t key[ND_TILE_KEY_BYTES])
{
    disk_op *op = calloc(1, sizeof *op);
    if (!op) return;
    op->kind = OP_REMOVE;
    memcpy(op->key, key, ND_TILE_KEY_BYTES);
    (void)nd_tile_cache_add(c, op);
}

void nd_tile_cache_touch_keys(nd_tile_cache *c, const uint8_t *keys, size_t bytes)
{
    disk_op *op = bytes ? calloc(1, sizeof *op) : NULL;
    if (!op) return;
    op->kind = OP_TOUCH;
    op->blob = nd_blob_create(bytes);
    if (!op->blob) {
        free(op);
        return;
    }
    memcpy(op->blob->data, keys, bytes);
    (void)nd_tile_cache_add(c, op);
}

// The beginning of the list: `most` operations; each use of a tile counts as one.
static op_list take_ops(nd_tile_cache *c, size_t most)
{
    size_t weight = 0;
    pthread_mutex_lock(&c->mutex);
    op_list taken = c->ops, *left = &c->ops;
    disk_op **end = &taken.first;
    for (; *end && weight < most; end = &(*end)->next) {
        const disk_op *op = *end;
        size_t touches = op->kind == OP_TOUCH ? op->blob->size / ND_TILE_KEY_BYTES : 0;
        weight += touches ? touches : 1;
        left->bytes -= bytes_of(op);
        left->touches -= touches;
        left->count -= op->kind != OP_TOUCH;
    }
    left->first = *end;
    if (!left->first) left->end = &left->first;
    *end = NULL;
    pthread_mutex_unlock(&c->mutex);
    return taken;
}

// --- the writer's thread ---

static nav_status put(disk_batch *b, nd_txn *txn, const disk_op *op)
{
    b->record.size = 0;
    nav_status s = nav_buffer_append(&b->record, op->head, ND_TILE_HEAD_BYTES);
    if (s == NAV_OK && op->blob) s = nav_buffer_append(&b->record, op->blob->data, op->blob->size);
    if (s != NAV_OK) return NAV_OK; // no memory: one that is not kept
    b->puts++;
    return nd_tile_table_put(&b->table, txn, op->key, (nd_bytes){b->record.data, b->record.size}, b->cache->max_bytes);
}

static nav_status touch(disk_batch *b, nd_txn *txn, const nd_blob *keys)
{
    nav_status s = NAV_OK;
    for (size_t at = 0; at < keys->size && s == NAV_OK; at += ND_TILE_KEY_BYTES)
        s = nd_tile_table_touch(&b->table, txn, keys->data + at);
    return s;
}

static nav_status apply(disk_batch *b, nd_txn *txn, const disk_op *op)
{
    switch (op->kind) {
    case OP_PUT:
        return put(b, txn, op);
    case OP_REMOVE:
        return nd_tile_table_remove(&b->table, txn, op->key);
    case OP_TOUCH:
        return touch(b, txn, op->blob);
    case OP_SHRINK:
        return nd_tile_table_evict(&b->table, txn, op->max_bytes, EVICT_A_COMMIT, &b->more);
    case OP_FLUSH:
        break;
    }
    return NAV_OK;
}

// What was used comes before what is new, which may drop the oldest.
static nav_status apply_all(disk_batch *b, nd_txn *txn)
{
    nav_status s = NAV_OK;
    for (const disk_op *op = b->ops.first; op && s == NAV_OK; op = op->next)
        if (op->kind == OP_TOUCH) s = apply(b, txn, op);
    for (const disk_op *op = b->ops.first; op && s == NAV_OK; op = op->next)
        if (op->kind != OP_TOUCH) s = apply(b, txn, op);
    return s;
}

// An entry that was used in this turn is young enough: a world that is opened again and again costs no writing.
static void begin_turn(nd_tile_cache *c, nd_tile_table *t)
{
    uint64_t turn = 1 + atomic_load_explicit(&c->turn, memory_order_relaxed);
    if (turn != c->young_turn) c->young_tick = t->tick;
    c->young_turn = turn;
    t->young = c->young_tick;
}

static nav_status run(nd_write *w, nd_txn *txn)
{
    disk_batch *b = (disk_batch *)w;
    b->ran = true;
    b->ops = take_ops(b->cache, b == &b->cache->batches[2] ? SIZE_MAX : OPS_A_COMMIT);
    b->puts = 0;
    b->more = false;
    nav_status s = nd_tile_table_begin(&b->table, txn);
    if (s == NAV_OK) begin_turn(b->cache, &b->table);
    if (s == NAV_OK) s = apply_all(b, txn);
    if (s == NAV_OK) s = nd_tile_table_end(&b->table, txn);
    return s == NAV_ERR_NOT_FOUND || s == NAV_ERR_FORMAT ? NAV_ERR_IO : s;
}

// --- the loop ---

static void count(nd_tile_cache *c, const disk_batch *b)
{
    c->puts += b->puts;
    c->evicted += b->table.evicted;
    pthread_mutex_lock(&c->mutex);
    c->entries = b->table.count;
    c->bytes = b->table.bytes;
    c->counted = true;
    pthread_mutex_unlock(&c->mutex);
}

// The disk has no room for as much as is allowed. Half of what is there already leaves pages to write into; a cap that
// there was room for before is enough.
static void lower_cap(nd_tile_cache *c)
{
    bool rose = c->good_bytes && c->good_bytes < c->max_bytes;
    uint64_t bytes = nd_tile_cache_stats_of(c).bytes;
    c->max_bytes = rose ? c->good_bytes : bytes / 2;
    c->good_bytes = 0;
    c->regain_ms = rose && c->regain_ms < REGAIN_MOST_MS ? 2 * c->regain_ms : c->regain_ms;
    c->regain_ns = uv_hrtime() + c->regain_ms * 1000000;
    nd_log(ND_LOG_WARN, "cache.disk_full", "bytes=%" PRIu64 " cap=%" PRIu64 " next_try_ms=%" PRIu64, bytes,
           atomic_load(&c->max_bytes), c->regain_ms);
}

// The disk was full, and the lower cap is reached: it rises by an eighth where there is far more room than that.
static void raise_cap(nd_tile_cache *c, uint64_t bytes)
{
    struct statvfs st;
    uint64_t cap = c->max_bytes, step = cap / 8 + REGAIN_LEAST;
    if (cap >= c->wanted_bytes || bytes + step < cap || uv_hrtime() < c->regain_ns) return;
    c->regain_ns = uv_hrtime() + c->regain_ms * 1000000;
    if (statvfs(c->folder, &st) || (uint64_t)st.f_bavail * st.f_frsize < 4 * step) return;
    c->good_bytes = cap;
    c->max_bytes = cap + step < c->wanted_bytes ? cap + step : c->wanted_bytes;
    if (c->max_bytes == c->wanted_bytes)
        nd_log(ND_LOG_INFO, "cache.disk_has_room", "cap=%" PRIu64, atomic_load(&c->max_bytes));
}

static void count_lost(nd_tile_cache *c, const disk_batch *b, nav_status s)
{
    c->errors++;
    for (const disk_op *op = b->ops.first; op; op = op->next) c->dropped += op->kind == OP_PUT;
    if (s == NAV_ERR_LIMIT && b->ran && b->table.bytes) lower_cap(c);
}

static void finish_ops(op_list *ops, bool ran)
{
    disk_list waited;
    ND_FIFO_INIT(&waited);
    for (disk_op *op = ops->first, *next; op; op = next) {
        next = op->next;
        if (op->task) ND_FIFO_PUT(&waited, op->task);
        nd_blob_unref(op->blob);
        free(op);
    }
    *ops = (op_list){0};
    for (nd_disk_task *t = waited.first, *next; t; t = next) {
        next = t->next;
        t->done(t, ran);
    }
}

void nd_tile_cache_drop_ops(nd_tile_cache *c)
{
    op_list left = take_ops(c, SIZE_MAX);
    finish_ops(&left, false);
}

// A shrink that is not done goes on in a transaction of its own.
static void go_on(disk_batch *b)
{
    disk_op **at = &b->ops.first;
    while (*at && (*at)->kind != OP_SHRINK) at = &(*at)->next;
    disk_op *op = *at;
    if (!op) return;
    *at = op->next;
    (void)nd_tile_cache_add(b->cache, op);
}

static void written(nd_write *w, nav_status status, const char *why)
{
    disk_batch *b = (disk_batch *)w;
    nd_tile_cache *c = b->cache;
    (void)why; // on_state has been told
    b->out = false;
    if (!b->ran) b->ops = take_ops(c, SIZE_MAX); // it was refused
    if (status == NAV_OK) {
        count(c, b);
        raise_cap(c, b->table.bytes);
        if (b->more) go_on(b);
    } else {
        count_lost(c, b, status);
    }
    finish_ops(&b->ops, true);
    nd_tile_cache_write_out(c, false);
}

static void push(disk_batch *b, size_t bytes)
{
    b->out = true;
    b->ran = false;
    b->write = (nd_write){.bytes = bytes, .run = run, .done = written};
    nd_writer_push(b->cache->writer, &b->write);
}

void nd_tile_cache_write_out(nd_tile_cache *c, bool all)
{
    ND_ASSERT_LOOP_THREAD();
    disk_batch *b = c->batches[0].out ? &c->batches[1] : &c->batches[0];
    pthread_mutex_lock(&c->mutex);
    bool worth = c->ops.count || c->ops.touches > (all ? 0 : TOUCHES_A_COMMIT);
    bool full = c->ops.count + c->ops.touches >= OPS_A_COMMIT;
    size_t bytes = c->ops.bytes;
    pthread_mutex_unlock(&c->mutex);
    if (!worth || b->out || c->closing) return;
    push(b, bytes);
    if (full) nd_writer_flush(c->writer); // waiting would bring no more into the transaction
}

void nd_tile_cache_write_rest(nd_tile_cache *c)
{
    ND_ASSERT_LOOP_THREAD();
    pthread_mutex_lock(&c->mutex);
    bool any = c->ops.first != NULL;
    pthread_mutex_unlock(&c->mutex);
    if (any) push(&c->batches[2], 0);
}
