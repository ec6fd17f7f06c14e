// cache.*: what an admin does with the cache on disk. The threads of the cache do the work (cache/tile_cache.h), a
// slice at a time, so that look-ups go on in between; an answer goes to its session by id, if that still lives.
#include "daemon/cache/tile_check.h"
#include "daemon/methods/methods.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE_ENTRIES = 256, MAX_PAGE_BYTES = 16 << 20 };

typedef struct cache_call {
    nd_disk_task task;
    nd_methods *methods;
    uint64_t session;
    uint32_t request;
    // verify and export: where it stands
    bool has_key, end;
    uint8_t key[ND_TILE_KEY_BYTES];
    uint32_t slice;
    np_cache_verify_response verified;
    uint64_t evicted_before; // gc
    // export and import: entries, and the bytes that they point to, which is done last as they may move
    np_cache_entry *entries;
    uint32_t entry_count, taken, refused;
    size_t bytes, max_bytes;
    nav_buffer data;
    char why[160];
    nav_status status;
} cache_call;

static void free_call(cache_call *k)
{
    free(k->entries);
    nav_buffer_deinit(&k->data);
    free(k);
}

// The caller, if it is still there. It does not wait any more.
static nd_session *end_wait(const cache_call *k)
{
    nd_session *s = nd_sessions_find(k->methods->sessions, k->session);
    if (s) s->waits--;
    return s;
}

static void reply(cache_call *k, bool ran, np_method method, const void *response)
{
    nd_session *s = end_wait(k);
    np_error e;
    if (!s) return;
    if (ran && k->status == NAV_OK) {
        nd_reply(s, k->request, method, response);
        return;
    }
    nav_status status = ran ? k->status : NAV_ERR_CANCELLED;
    np_error_set(&e, status, "disk cache: %s", ran ? nav_status_text(status) : "the daemon is stopping");
    nd_reply_error(s, k->request, &e);
}

static nav_status begin(nd_call *c, void (*run)(nd_disk_task *, nd_tile_reader *), void (*done)(nd_disk_task *, bool),
                        cache_call **out)
{
    if (!c->methods->disk)
        return np_error_set(&c->err, NAV_ERR_STATE, "there is no disk cache (--state, --cache-disk-bytes)");
    if (c->session->waits >= c->methods->config->max_calls)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls are waiting already (--max-calls)", c->session->waits);
    cache_call *k = calloc(1, sizeof *k);
    if (!k) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the call");
    k->task.run = run;
    k->task.done = done;
    k->methods = c->methods;
    k->session = c->session->id;
    k->request = c->message->id;
    c->session->waits++;
    *out = k;
    return NAV_OK;
}

// --- gc ---

static void gc_done(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    np_cache_gc_response out = {0};
    if (ran) {
        nd_tile_cache_stats stats = nd_tile_cache_stats_of(k->methods->disk);
        out = (np_cache_gc_response){stats.entries, stats.bytes, stats.evicted - k->evicted_before};
    }
    reply(k, ran, NP_CACHE_GC, &out);
    free_call(k);
}

nav_status nd_method_cache_gc(nd_call *c)
{
    np_cache_gc_request r;
    cache_call *k = NULL;
    nav_status s = np_decode_cache_gc_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = begin(c, NULL, gc_done, &k);
    if (s != NAV_OK) return s;
    k->evicted_before = nd_tile_cache_stats_of(c->methods->disk).evicted;
    nd_tile_cache_shrink(c->methods->disk, r.bytes, &k->task);
    return NAV_OK;
}

// --- verify ---

static bool verify_one(void *user, const nd_tile_visit *v)
{
    cache_call *k = user;
    memcpy(k->key, v->key, sizeof k->key);
    k->has_key = true;
    if (v->status == NAV_OK) {
        k->verified.entries++;
        k->verified.bytes += v->record_bytes;
    } else if (v->status == NAV_ERR_VERSION) {
        k->verified.outdated++;
    } else {
        k->verified.damaged++;
    }
    return ++k->slice < SLICE_ENTRIES;
}

static void verify_run(nd_disk_task *task, nd_tile_reader *reader)
{
    cache_call *k = (cache_call *)task;
    k->slice = 0;
    k->status = nd_tile_reader_walk(reader, k->has_key, k->key, verify_one, k, &k->end);
}

static void verify_done(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    if (ran && k->status == NAV_OK && !k->end && !k->methods->stopping) {
        nd_tile_cache_push(k->methods->disk, &k->task);
        return;
    }
    reply(k, ran, NP_CACHE_VERIFY, &k->verified);
    free_call(k);
}

// What waits to be written belongs to it.
static void verify_begin(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    k->task.done = verify_done;
    if (ran && k->methods->disk)
        nd_tile_cache_push(k->methods->disk, &k->task);
    else
        verify_done(task, false);
}

nav_status nd_method_cache_verify(nd_call *c)
{
    np_cache_verify_request r;
    cache_call *k = NULL;
    nav_status s = np_decode_cache_verify_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = begin(c, verify_run, verify_begin, &k);
    if (s == NAV_OK) nd_tile_cache_flush(c->methods->disk, &k->task);
    return s;
}

// --- export ---

static bool export_one(void *user, const nd_tile_visit *v)
{
    cache_call *k = user;
    bool base = v->key[NAV_KEY_BYTES] == ND_ENCODING_BASE; // native numbers: they stay on their machine
    k->slice++;
    memcpy(k->key, v->key, sizeof k->key);
    k->has_key = true;
    if (v->status == NAV_OK && !base && v->read.value.status != NP_TILE_FAILED) {
        size_t at = k->data.size;
        nav_status s = nav_buffer_append(&k->data, v->key, ND_TILE_KEY_BYTES);
        if (s == NAV_OK) s = nav_buffer_append(&k->data, v->record, v->record_bytes);
        if (s != NAV_OK) {
            k->status = s;
            return false;
        }
        np_cache_entry *e = &k->entries[k->entry_count++];
        e->sum = nd_tile_sum(v->key, v->record, v->record_bytes);
        e->key.size = ND_TILE_KEY_BYTES;
        e->record.size = (uint32_t)(k->data.size - at - ND_TILE_KEY_BYTES);
    }
    return k->data.size < k->max_bytes && k->entry_count < NP_CACHE_PAGE_ENTRIES && k->slice < NP_CACHE_PAGE_ENTRIES;
}

static void export_run(nd_disk_task *task, nd_tile_reader *reader)
{
    cache_call *k = (cache_call *)task;
    nav_status s = nd_tile_reader_walk(reader, k->has_key, k->key, export_one, k, &k->end);
    if (k->status == NAV_OK) k->status = s;
    const uint8_t *at = k->data.data;
    for (uint32_t i = 0; i < k->entry_count; i++) {
        k->entries[i].key.data = at;
        k->entries[i].record.data = at + ND_TILE_KEY_BYTES;
        at += ND_TILE_KEY_BYTES + k->entries[i].record.size;
    }
}

static void export_done(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    np_cache_export_response out = {k->entry_count, k->entries, k->end};
    reply(k, ran, NP_CACHE_EXPORT, &out);
    free_call(k);
}

static void export_begin(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    k->task.done = export_done;
    if (ran && k->methods->disk)
        nd_tile_cache_push(k->methods->disk, &k->task);
    else
        export_done(task, false);
}

nav_status nd_method_cache_export(nd_call *c)
{
    np_cache_export_request r;
    cache_call *k = NULL;
    nav_status s = np_decode_cache_export_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (r.after.size && r.after.size != ND_TILE_KEY_BYTES)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "after", "after: expected a key of %d bytes, not %u",
                                ND_TILE_KEY_BYTES, r.after.size);
    s = begin(c, export_run, export_begin, &k);
    if (s != NAV_OK) return s;
    k->has_key = r.after.size != 0;
    if (k->has_key) memcpy(k->key, r.after.data, sizeof k->key);
    uint64_t room = c->methods->config->max_message_bytes / 4;
    k->max_bytes = r.bytes < MAX_PAGE_BYTES ? r.bytes : MAX_PAGE_BYTES;
    if (k->max_bytes > room) k->max_bytes = (size_t)room;
    k->entries = calloc(NP_CACHE_PAGE_ENTRIES, sizeof *k->entries);
    if (!k->entries) {
        c->session->waits--;
        free_call(k);
        return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the response");
    }
    if (k->has_key) // the first page has waited already
        export_begin(&k->task, true);
    else
        nd_tile_cache_flush(c->methods->disk, &k->task);
    return NAV_OK;
}

// --- import ---

static void import_run(nd_disk_task *task, nd_tile_reader *reader)
{
    cache_call *k = (cache_call *)task;
    nd_tile_checker checker = {0};
    (void)reader;
    for (uint32_t i = 0; i < k->entry_count; i++) {
        char why[sizeof k->why];
        np_cache_entry *e = &k->entries[i];
        if (nd_tile_check_entry(&checker, e, why, sizeof why) == NAV_OK) continue;
        if (!k->refused++) memcpy(k->why, why, sizeof why);
        e->record.data = NULL;
    }
    nd_tile_checker_deinit(&checker);
}

static void put_entry(nd_methods *methods, const np_cache_entry *e)
{
    nav_key source;
    uint8_t encoding;
    nd_tile_record record;
    if (nd_tile_key_load(e->key.data, e->key.size, &source, &encoding) != NAV_OK ||
        nd_tile_record_load(e->record.data, e->record.size, &record) != NAV_OK)
        return; // it was checked
    nd_cached value = record.value;
    if (record.data_bytes) {
        value.blob = nd_blob_create(record.data_bytes);
        if (!value.blob) return;
        memcpy(value.blob->data, record.data, record.data_bytes);
    }
    nd_tile_cache_put(methods->disk, source, encoding, &value);
    nd_blob_unref(value.blob);
}

static void import_written(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    np_cache_import_response out = {k->taken, k->refused, np_str_of(k->why)};
    reply(k, ran, NP_CACHE_IMPORT, &out);
    free_call(k);
}

static void import_checked(nd_disk_task *task, bool ran)
{
    cache_call *k = (cache_call *)task;
    k->task.done = import_written;
    if (!ran || !k->methods->disk) {
        import_written(task, false);
        return;
    }
    for (uint32_t i = 0; i < k->entry_count; i++) {
        if (!k->entries[i].record.data) continue;
        put_entry(k->methods, &k->entries[i]);
        k->taken++;
    }
    nd_tile_cache_flush(k->methods->disk, &k->task);
}

// The message goes when the handler returns: its entries are copied.
static nav_status copy_entries(cache_call *k, const np_cache_import_request *r)
{
    k->entries = calloc(r->entry_count + (size_t)1, sizeof *k->entries);
    if (!k->entries) return NAV_ERR_MEMORY;
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < r->entry_count && s == NAV_OK; i++) {
        s = nav_buffer_append(&k->data, r->entries[i].key.data, r->entries[i].key.size);
        if (s == NAV_OK) s = nav_buffer_append(&k->data, r->entries[i].record.data, r->entries[i].record.size);
        k->entries[i] = r->entries[i];
    }
    const uint8_t *at = k->data.data;
    for (uint32_t i = 0; i < r->entry_count && s == NAV_OK; i++) {
        np_cache_entry *e = &k->entries[i];
        e->key.data = at;
        e->record.data = at + e->key.size;
        at += e->key.size + (size_t)e->record.size;
    }
    k->entry_count = r->entry_count;
    return s;
}

nav_status nd_method_cache_import(nd_call *c)
{
    np_cache_import_request r;
    cache_call *k = NULL;
    nav_status s = np_decode_cache_import_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = begin(c, import_run, import_checked, &k);
    if (s != NAV_OK) return s;
    s = copy_entries(k, &r);
    if (s != NAV_OK) {
        c->session->waits--;
        free_call(k);
        return np_error_set(&c->err, s, "no memory for the entries");
    }
    nd_tile_cache_push(c->methods->disk, &k->task);
    return NAV_OK;
}
