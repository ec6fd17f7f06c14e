#include "daemon/cache/tile_cache_parts.h"

#include "core/reach/packed.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

// Look-ups of one snapshot: so many that it costs nothing, so few that the loop soon has something to send.
enum { TASKS_A_SNAPSHOT = 48, FILTER_ROOM = 1 << 16, KEYS_A_TASK = 4096 };
// The file may be larger than the cap: pages are not always full, and a transaction writes beside what it replaces.
// Addresses cost nothing.
// TURNS: so many fill the cap.
enum { TURNS = 16, MAP_SPARE = 256 << 20, PUT_MS = 100, COMMIT_BYTES = 8 << 20, PROBE_MS = 1000, REGAIN_MS = 60000 };
// The file's check, and the filter behind it, take a core for a while: clients that come back at once go first.
enum { WARM_STEP = 2 << 20, WARM_BYTES = 64 << 20 };
enum { PUT_OFF_MS = 500, PUT_OFF_MOST_MS = 5000 };

static void prepend(disk_list *l, nd_disk_task *t)
{
    t->next = l->first;
    if (!l->first) l->end = &t->next;
    l->first = t;
}

// --- the reader's thread ---

static bool may_run_locked(const nd_tile_cache *c, const disk_list *l)
{
    return l->first && (c->opened || (l->first->early && c->peek));
}

static bool take_first_locked(const nd_tile_cache *c, disk_list *l, disk_list *out)
{
    nd_disk_task *t = l->first;
    if (!may_run_locked(c, l)) return false;
    ND_FIFO_DROP(l);
    ND_FIFO_PUT(out, t);
    return true;
}

// Waits for tasks and takes some, and one of those that read much. *peek: how they read, where the file is not open;
// else NULL. False: the cache closes.
static bool take_tasks(nd_tile_cache *c, disk_list *out, nd_peek **peek)
{
    ND_FIFO_INIT(out);
    pthread_mutex_lock(&c->mutex);
    while (!c->stopping && !may_run_locked(c, &c->tasks) && !may_run_locked(c, &c->bulk))
        pthread_cond_wait(&c->to_read, &c->mutex);
    bool go = !c->stopping;
    *peek = c->opened ? NULL : c->peek;
    c->peeking = go && *peek;
    for (int i = 0; go && i < TASKS_A_SNAPSHOT; i++)
        if (!take_first_locked(c, &c->tasks, out)) break;
    if (go) (void)take_first_locked(c, &c->bulk, out);
    pthread_mutex_unlock(&c->mutex);
    return go;
}

static void give_back(nd_tile_cache *c, disk_list *tasks)
{
    pthread_mutex_lock(&c->mutex);
    ND_FIFO_PUT_ALL(&c->finished, tasks);
    c->peeking = false;
    pthread_cond_signal(&c->peeked);
    pthread_mutex_unlock(&c->mutex);
    uv_async_send(&c->wake);
}

// Until there is something to do. A world that is opened again is read soon.
static void warm_up(nd_tile_cache *c)
{
    for (size_t at = 0; at < WARM_BYTES; at += WARM_STEP) {
        pthread_mutex_lock(&c->mutex);
        bool idle = !c->stopping && !c->tasks.first && !c->bulk.first;
        nd_peek *peek = idle ? c->peek : NULL;
        c->peeking = peek;
        pthread_mutex_unlock(&c->mutex);
        bool more = peek && nd_peek_warm(peek, at, WARM_STEP);
        pthread_mutex_lock(&c->mutex);
        c->peeking = false;
        pthread_cond_signal(&c->peeked);
        pthread_mutex_unlock(&c->mutex);
        if (!more) return;
    }
}

static void *read_tiles(void *cache)
{
    nd_tile_cache *c = cache;
    nd_tile_reader r = {.cache = c};
    disk_list tasks;
    nav_arena_init(&r.arena, 0);
    warm_up(c);
    while (take_tasks(c, &tasks, &r.peek)) {
        // A snapshot that stays open would keep the writer from using pages again.
        if (r.peek || !c->database || nd_database_begin_read(c->database, &r.txn) != NAV_OK) r.txn = NULL;
        for (nd_disk_task *t = tasks.first; t; t = t->next) t->run(t, &r);
        nd_txn_end(r.txn);
        nd_tile_cache_touch_keys(c, r.used.data, r.used.size);
        r.used.size = 0;
        give_back(c, &tasks);
    }
    nd_tile_reader_deinit(&r);
    return NULL;
}

// The writer's thread: the file is checked, and the reader looks at it as LMDB does from now on.
static void end_peeking(void *user)
{
    nd_tile_cache *c = user;
    pthread_mutex_lock(&c->mutex);
    nd_peek *peek = c->peek;
    c->peek = NULL;
    while (c->peeking) pthread_cond_wait(&c->peeked, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
    nd_peek_close(peek);
}

// --- the loop ---

static void return_tasks(nd_disk_task *t, bool ran)
{
    for (nd_disk_task *next; t; t = next) {
        next = t->next;
        t->done(t, ran);
    }
}

static void on_wake(uv_async_t *handle)
{
    nd_tile_cache *c = handle->data;
    pthread_mutex_lock(&c->mutex);
    nd_disk_task *finished = c->finished.first;
    ND_FIFO_INIT(&c->finished);
    pthread_mutex_unlock(&c->mutex);
    return_tasks(finished, true);
    nd_tile_cache_write_out(c, false); // what readers found to be removed, or used
}

static void push_task(nd_tile_cache *c, disk_list *to, nd_disk_task *task)
{
    ND_ASSERT_LOOP_THREAD();
    if (!c->opened) (task->early ? nd_writer_put_off : nd_writer_open)(c->writer);
    pthread_mutex_lock(&c->mutex);
    ND_FIFO_PUT(to, task);
    pthread_mutex_unlock(&c->mutex);
    pthread_cond_signal(&c->to_read);
}

void nd_tile_cache_push(nd_tile_cache *c, nd_disk_task *task)
{
    push_task(c, &c->tasks, task);
}

void nd_tile_cache_push_bulk(nd_tile_cache *c, nd_disk_task *task)
{
    push_task(c, &c->bulk, task);
}

static void push_op(nd_tile_cache *c, op_kind kind, uint64_t max_bytes, nd_disk_task *task)
{
    ND_ASSERT_LOOP_THREAD();
    disk_op *op = calloc(1, sizeof *op);
    if (!op) { // nothing is done, and whoever waits goes on
        pthread_mutex_lock(&c->mutex);
        ND_FIFO_PUT(&c->finished, task);
        pthread_mutex_unlock(&c->mutex);
        uv_async_send(&c->wake);
        return;
    }
    op->kind = kind;
    op->max_bytes = max_bytes;
    op->task = task;
    (void)nd_tile_cache_add(c, op);
    nd_tile_cache_write_out(c, true);
    nd_writer_flush(c->writer);
}

void nd_tile_cache_flush(nd_tile_cache *c, nd_disk_task *task)
{
    push_op(c, OP_FLUSH, 0, task);
}

void nd_tile_cache_shrink(nd_tile_cache *c, uint64_t max_bytes, nd_disk_task *task)
{
    push_op(c, OP_SHRINK, max_bytes, task);
}

// --- the filter ---

typedef struct filter_task {
    nd_disk_task task;
    nd_tile_cache *cache;
    nd_tile_filter *filter;
    uint8_t from[ND_TILE_KEY_BYTES]; // where it goes on
    size_t from_bytes;               // 0: at the first
    bool more;
} filter_task;

// Some keys at a time: look-ups wait for no more.
static void fill_filter(nd_disk_task *task, nd_tile_reader *r)
{
    filter_task *f = (filter_task *)task;
    nd_cursor *cursor;
    nd_bytes key, value;
    nav_key source;
    uint8_t encoding;
    f->more = false;
    if (!f->filter || !r->txn || nd_cursor_open(r->txn, ND_TABLE_USES, &cursor) != NAV_OK) return;
    nav_status s = nd_cursor_seek(cursor, (nd_bytes){f->from, f->from_bytes}, &key, &value);
    for (int i = 0; s == NAV_OK || s == NAV_ERR_FORMAT; s = nd_cursor_next(cursor, &key, &value)) {
        if (nd_tile_key_load(key.data, key.size, &source, &encoding) != NAV_OK) continue;
        f->more = i++ == KEYS_A_TASK;
        if (f->more) {
            memcpy(f->from, key.data, key.size);
            f->from_bytes = key.size;
            break;
        }
        nd_tile_filter_add(f->filter, source, encoding);
    }
    nd_cursor_close(cursor);
}

static void filter_filled(nd_disk_task *task, bool ran)
{
    filter_task *f = (filter_task *)task;
    nd_tile_cache *c = f->cache;
    if (ran && f->more && !c->closing) {
        nd_tile_cache_push_bulk(c, task);
        return;
    }
    c->filling = false;
    if (ran && f->filter) {
        free(c->filter);
        c->filter = f->filter;
        c->added = 0;
    } else {
        free(f->filter);
    }
    c->next_filter = NULL;
    free(f);
}

static bool is_writing(nd_tile_cache *c)
{
    pthread_mutex_lock(&c->mutex);
    bool waits = c->ops.count;
    pthread_mutex_unlock(&c->mutex);
    return waits || c->batches[0].out || c->batches[1].out;
}

static void collect_keys(nd_disk_task *task, bool ran)
{
    filter_task *f = (filter_task *)task;
    f->task = (nd_disk_task){.run = fill_filter, .done = filter_filled};
    if (ran && !f->cache->closing)
        nd_tile_cache_push(f->cache, task);
    else
        filter_filled(task, false);
}

// What is put from now on goes into both; what is on disk is collected by the reader, behind what is on its way there.
static void renew_filter(nd_tile_cache *c)
{
    uint64_t entries = nd_tile_cache_stats_of(c).entries;
    if (c->filling || c->closing) return;
    filter_task *f = calloc(1, sizeof *f);
    if (!f) return;
    f->task.done = collect_keys;
    f->cache = c;
    f->filter = nd_tile_filter_create(2 * entries > FILTER_ROOM ? 2 * entries : FILTER_ROOM);
    c->next_filter = f->filter;
    c->filling = true;
    if (is_writing(c))
        nd_tile_cache_flush(c, &f->task);
    else
        collect_keys(&f->task, true);
}

bool nd_tile_cache_may_have(const nd_tile_cache *c, nav_key source, uint8_t encoding)
{
    return c && !atomic_load_explicit(&c->dead, memory_order_relaxed) &&
           (!c->filter || nd_tile_filter_has(c->filter, source, encoding));
}

void nd_tile_cache_touch(nd_tile_cache *c, nav_key source, uint8_t encoding)
{
    ND_ASSERT_LOOP_THREAD();
    uint8_t key[ND_TILE_KEY_BYTES];
    if (!c || atomic_load_explicit(&c->dead, memory_order_relaxed)) return;
    nd_tile_key_store(source, encoding, key);
    nd_tile_cache_touch_keys(c, key, sizeof key);
}

uint64_t nd_tile_cache_turn(const nd_tile_cache *c)
{
    return c ? c->turn : 0;
}

static void count_turns(nd_tile_cache *c, size_t record_bytes)
{
    c->turn_bytes += nd_tile_cost(record_bytes);
    if (c->turn_bytes < c->max_bytes / TURNS) return;
    c->turn_bytes = 0;
    c->turn++;
}

void nd_tile_cache_put(nd_tile_cache *c, nav_key source, uint8_t encoding, const nd_cached *value)
{
    ND_ASSERT_LOOP_THREAD();
    if (!c || atomic_load_explicit(&c->dead, memory_order_relaxed)) return;
    disk_op *op = malloc(sizeof *op);
    if (!op) return;
    op->kind = OP_PUT;
    op->task = NULL;
    op->blob = value->blob ? nd_blob_ref(value->blob) : NULL;
    nd_tile_key_store(source, encoding, op->key);
    bool base = encoding == ND_ENCODING_BASE && value->status == NP_TILE_OK;
    nd_tile_head_store(value, base ? nav_tile_pack_layout() : c->memory_limit, op->head);
    size_t bytes = ND_TILE_HEAD_BYTES + (op->blob ? op->blob->size : 0);
    if (!nd_tile_cache_add(c, op)) return;
    count_turns(c, bytes);
    nd_tile_cache_write_out(c, false);
    if (c->filter) nd_tile_filter_add(c->filter, source, encoding);
    if (c->next_filter) nd_tile_filter_add(c->next_filter, source, encoding);
    if (c->filter && ++c->added > c->filter->room / 2) renew_filter(c);
}

nd_tile_cache_stats nd_tile_cache_stats_of(nd_tile_cache *c)
{
    nd_tile_cache_stats s = {c->hits, c->misses, c->damaged, c->puts, c->dropped, c->evicted, 0, 0, c->errors};
    pthread_mutex_lock(&c->mutex);
    s.entries = c->entries;
    s.bytes = c->bytes;
    pthread_mutex_unlock(&c->mutex);
    return s;
}

// --- life ---

static void on_closed(uv_handle_t *handle)
{
    nd_tile_cache *c = handle->data;
    free(c->filter);
    free(c->folder);
    for (int i = 0; i < 3; i++) nav_buffer_deinit(&c->batches[i].record);
    pthread_cond_destroy(&c->to_read);
    pthread_cond_destroy(&c->peeked);
    nd_peek_close(c->peek); // it never came to be open
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

// What is in it is needed for the filter, and for the figures.
static void read_head(nd_disk_task *task, nd_tile_reader *r)
{
    nd_tile_cache *c = ((filter_task *)task)->cache;
    nd_tile_table head;
    if (!r->txn || nd_tile_table_begin(&head, r->txn) != NAV_OK) return;
    pthread_mutex_lock(&c->mutex);
    if (!c->counted) { // else a commit has, later than this snapshot
        c->entries = head.count;
        c->bytes = head.bytes;
    }
    pthread_mutex_unlock(&c->mutex);
}

static void head_read(nd_disk_task *task, bool ran)
{
    filter_task *f = (filter_task *)task;
    if (ran) renew_filter(f->cache);
    free(f);
}

static void on_open(void *user, nav_status status, const nd_database_opening *opening, const char *why)
{
    nd_tile_cache *c = user;
    (void)why; // on_state says it
    if (status != NAV_OK) {
        atomic_store(&c->dead, true);
    } else if (opening->was_set_aside) {
        c->damaged++;
        nd_log(ND_LOG_WARN, "cache.damaged", "file=set_aside reason=%s",
               nd_log_quote(opening->pages.first, strlen(opening->pages.first)).text);
    }
    filter_task *f = calloc(1, sizeof *f);
    if (f) *f = (filter_task){.task = {.run = read_head, .done = head_read}, .cache = c};
    pthread_mutex_lock(&c->mutex);
    c->database = status == NAV_OK ? nd_writer_database(c->writer) : NULL;
    if (!c->database) c->entries = c->bytes = 0;
    c->opened = true;
    if (f) prepend(&c->tasks, &f->task); // what was asked before is answered after it
    pthread_cond_signal(&c->to_read);
    pthread_mutex_unlock(&c->mutex);
}

static void on_state(void *user, nav_status status, const char *why)
{
    (void)user;
    if (status == NAV_OK)
        nd_log(ND_LOG_INFO, "cache.disk_recovered", "%s", "");
    else
        nd_log(ND_LOG_WARN, "cache.disk_failed", "reason=%s note=\"tiles are not kept on disk\"",
               nd_log_quote(why, strlen(why)).text);
}

static nav_status start_reader(nd_tile_cache *c)
{
    return nd_thread_start(&c->reader, read_tiles, c) ? NAV_OK : NAV_ERR_IO;
}

static void stop_reader(nd_tile_cache *c)
{
    pthread_mutex_lock(&c->mutex);
    c->stopping = true;
    pthread_cond_signal(&c->to_read);
    pthread_mutex_unlock(&c->mutex);
    pthread_join(c->reader, NULL);
}

nav_status nd_tile_cache_create(uv_loop_t *loop, const char *folder, uint64_t max_bytes, uint64_t memory_limit,
                                nd_tile_cache **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_tile_cache *c = calloc(1, sizeof *c);
    if (c) c->folder = strdup(folder);
    if (!c || !c->folder || uv_async_init(loop, &c->wake, on_wake)) {
        if (c) free(c->folder);
        free(c);
        return NAV_ERR_MEMORY;
    }
    c->wake.data = c;
    c->max_bytes = c->wanted_bytes = max_bytes;
    c->regain_ms = REGAIN_MS;
    c->memory_limit = memory_limit;
    for (int i = 0; i < 3; i++) c->batches[i].cache = c;
    ND_FIFO_INIT(&c->ops);
    ND_FIFO_INIT(&c->tasks);
    ND_FIFO_INIT(&c->bulk);
    ND_FIFO_INIT(&c->finished);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->to_read, NULL);
    pthread_cond_init(&c->peeked, NULL);
    if (nd_peek_open(c->folder, nd_tile_table_names[ND_TABLE_TILES], &c->peek) != NAV_OK) c->peek = NULL;
    if (c->peek) nd_tile_table_peek(c->folder, &c->entries, &c->bytes);
    nd_writer_options o = {.database = {.folder = c->folder,
                                        .tables = nd_tile_table_names,
                                        .table_count = ND_TILE_TABLES,
                                        .map_bytes = 2 * max_bytes + MAP_SPARE,
                                        .lazy = true,
                                        .set_aside_damaged = true,
                                        .before_writing = end_peeking,
                                        .user = c},
                           .probe_table = ND_TABLE_HEAD,
                           .commit_ms = PUT_MS,
                           .commit_bytes = COMMIT_BYTES,
                           .probe_ms = PROBE_MS,
                           .put_off_ms = c->peek ? PUT_OFF_MS : 0, // else look-ups wait for it
                           .put_off_most_ms = PUT_OFF_MOST_MS,
                           .on_open = on_open,
                           .on_state = on_state,
                           .user = c};
    nav_status s = start_reader(c);
    if (s == NAV_OK) {
        s = nd_writer_create(loop, &o, &c->writer);
        if (s != NAV_OK) stop_reader(c);
    }
    if (s != NAV_OK) {
        uv_close((uv_handle_t *)&c->wake, on_closed);
        return s;
    }
    *out = c;
    return NAV_OK;
}

void nd_tile_cache_close(nd_tile_cache *c)
{
    if (!c) return;
    ND_ASSERT_LOOP_THREAD();
    stop_reader(c);
    nd_tile_cache_write_rest(c);
    c->closing = true;
    nd_writer_close(c->writer);
    nd_tile_cache_drop_ops(c);
    nd_disk_task *finished = c->finished.first, *waiting = c->tasks.first, *bulk = c->bulk.first;
    ND_FIFO_INIT(&c->finished);
    ND_FIFO_INIT(&c->tasks);
    ND_FIFO_INIT(&c->bulk);
    return_tasks(finished, true);
    return_tasks(waiting, false);
    return_tasks(bulk, false);
    nd_tile_cache_drop_ops(c); // what these still put
    uv_close((uv_handle_t *)&c->wake, on_closed);
}
