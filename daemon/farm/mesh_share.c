#include "daemon/farm/mesh_share.h"

#include "daemon/base/fifo.h"
#include "daemon/base/thread.h"
#include "daemon/farm/names.h"
#include "daemon/farm/streams.h"
#include "daemon/work/mesh_job.h"

#include "core/base/endian.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_BYTES = 16,
    FORMAT = 1,
    MOST_AT_ONCE = 1024,
    MOST_A_BATCH = 128,
    MOST_KNOWN = 1 << 17,
    MOST_PARTS = 1 << 16,
    GET_MS = 5000
};

// What is known of a mesh in a namespace.
typedef struct entry {
    nd_node node;
    nav_key hash;
    nd_shared_state state;
    char space[];
} entry;

struct nd_mesh_share {
    nd_mesh_share_options o;
    char farm[ND_FARM_NAME_BYTES];
    unsigned refs; // the owner's, and one of each that is under way
    bool closed;
    nd_table entries; // of puts
    unsigned putting;
    ND_FIFO(struct put) small; // puts of small meshes that wait for those in the lane
    bool small_out;            // some are in it
    struct fetch *fetches;
    nd_mesh_share_stats stats;
};

// The parts of a mesh, as numbers.
typedef struct head {
    uint32_t vertices, triangles, parts;
    np_mesh_form form;
    uint64_t bytes;
} head;

typedef struct put {
    nd_bus_task task;
    struct put *next; // of small ones
    nd_mesh_share *share;
    nd_mesh *mesh; // a reference
    nav_key hash;
    char space[ND_SPACE_BYTES];
    head head;
    const uint8_t *bytes; // of the mesh; NULL: in the database
    nd_database *database;
    uint64_t sent;
    nav_status status;
} put;

typedef struct fetch {
    nd_bus_task task;
    struct fetch *next; // of the share's
    nd_mesh_share *share;
    nd_namespace *space;
    char token[ND_SPACE_BYTES];
    nav_key hash;
    size_t most_bytes;
    head head;
    nav_buffer bytes;
    size_t bytes_in;
    nav_status status;
} fetch;

typedef struct index_job {
    nd_mesh_job job; // first: the pool's task
    fetch *fetch;
} index_job;

static void share_unref(nd_mesh_share *s)
{
    if (--s->refs) return;
    nd_table_deinit(&s->entries);
    free(s);
}

static void subject_of(const nd_mesh_share *s, const char *space, nav_key hash, uint32_t part,
                       char out[ND_SUBJECT_BYTES])
{
    char text[NAV_KEY_TEXT_BYTES];
    nav_key_text(hash, text);
    snprintf(out, ND_SUBJECT_BYTES, "%s.%s.meshes.%s.%u", s->farm, space, text, part);
}

static uint32_t parts_of(uint64_t bytes)
{
    if (bytes <= ND_SHARE_SMALL_BYTES) return 0;
    return (uint32_t)((bytes + ND_SHARE_PART_BYTES - 1) / ND_SHARE_PART_BYTES);
}

static size_t part_size(const head *h, uint32_t part)
{
    const uint64_t begin = (uint64_t)(part - 1) * ND_SHARE_PART_BYTES;
    return (size_t)(h->bytes - begin < ND_SHARE_PART_BYTES ? h->bytes - begin : ND_SHARE_PART_BYTES);
}

static void store_head(const head *h, uint8_t out[HEAD_BYTES])
{
    out[0] = 'N';
    out[1] = 'M';
    out[2] = FORMAT;
    out[3] = h->form;
    nav_store_u32(out + 4, h->vertices);
    nav_store_u32(out + 8, h->triangles);
    nav_store_u32(out + 12, h->parts);
}

static nav_status load_head(const uint8_t *in, size_t count, head *out)
{
    if (count < HEAD_BYTES || in[0] != 'N' || in[1] != 'M' || in[2] != FORMAT || !np_mesh_form_is_known(in[3]))
        return NAV_ERR_FORMAT;
    *out = (head){.form = in[3],
                  .vertices = nav_load_u32(in + 4),
                  .triangles = nav_load_u32(in + 8),
                  .parts = nav_load_u32(in + 12)};
    out->bytes = np_mesh_bytes(out->vertices, out->triangles, out->form);
    if (out->bytes > (uint64_t)MOST_PARTS * ND_SHARE_PART_BYTES) return NAV_ERR_LIMIT;
    if (out->parts != parts_of(out->bytes) || count != HEAD_BYTES + (out->parts ? 0 : out->bytes))
        return NAV_ERR_FORMAT;
    return NAV_OK;
}

// --- what is there ---

static uint64_t slot_of(const char *space, nav_key hash)
{
    return hash.low ^ nav_key_of(space, strlen(space)).low;
}

static entry *find_entry(const nd_mesh_share *s, const char *space, nav_key hash)
{
    for (nd_node *n = nd_table_first(&s->entries, slot_of(space, hash)); n; n = nd_table_next(n)) {
        entry *e = ND_HOLDER(n, entry, node);
        if (nav_key_equal(e->hash, hash) && !strcmp(e->space, space)) return e;
    }
    return NULL;
}

static void drop_entry(nd_mesh_share *s, entry *e)
{
    nd_table_remove(&s->entries, &e->node);
    free(e);
}

nd_shared_state nd_mesh_share_state(const nd_mesh_share *s, const char *space, nav_key hash)
{
    const entry *e = find_entry(s, space, hash);
    return e ? e->state : ND_SHARE_UNKNOWN;
}

void nd_mesh_share_forget(nd_mesh_share *s, const char *space, nav_key hash)
{
    entry *e = find_entry(s, space, hash);
    if (e && e->state == ND_SHARE_THERE) drop_entry(s, e);
}

static void forget_one(void *share, nd_node *n)
{
    entry *e = ND_HOLDER(n, entry, node);
    if (e->state == ND_SHARE_THERE) drop_entry(share, e);
}

void nd_mesh_share_forget_all(nd_mesh_share *s)
{
    nd_table_each(&s->entries, forget_one, s);
}

// --- put ---

static nav_status publish(const nd_bus_link *link, put *p, uint32_t part, const void *bytes, size_t count)
{
    char subject[ND_SUBJECT_BYTES];
    jsErrCode code = 0;
    subject_of(p->share, p->space, p->hash, part, subject);
    natsStatus s = js_Publish(NULL, link->streams, subject, bytes, (int)count, NULL, &code);
    if (s == NATS_OK) p->sent += count;
    return nd_bus_status(s, code);
}

static nav_status publish_all(const nd_bus_link *link, put *p, const uint8_t *bytes)
{
    uint8_t first[HEAD_BYTES + ND_SHARE_SMALL_BYTES];
    const size_t inside = p->head.parts ? 0 : (size_t)p->head.bytes;
    nav_status s = NAV_OK;
    for (uint32_t i = p->head.parts; i > 0 && s == NAV_OK; i--)
        s = publish(link, p, i, bytes + (size_t)(i - 1) * ND_SHARE_PART_BYTES, part_size(&p->head, i));
    store_head(&p->head, first);
    if (inside) memcpy(first + HEAD_BYTES, bytes, inside);
    return s == NAV_OK ? publish(link, p, 0, first, HEAD_BYTES + inside) : s;
}

// Copied, since the server may take its time, and the database's writer waits for readers now and then.
static nav_status read_stored(const put *p, nav_buffer *out)
{
    uint8_t key[NAV_KEY_BYTES];
    nd_txn *txn;
    nd_bytes value;
    if (!p->database) return NAV_ERR_NOT_FOUND;
    nav_key_store(p->hash, key);
    nav_status s = nd_database_begin_read(p->database, &txn);
    if (s != NAV_OK) return s;
    s = nd_txn_get(txn, p->share->o.table, (nd_bytes){key, sizeof key}, &value);
    if (s == NAV_OK && value.size != p->head.bytes) s = NAV_ERR_NOT_FOUND;
    if (s == NAV_OK) s = nav_buffer_append(out, value.data, value.size);
    nd_txn_end(txn);
    return s;
}

static nav_status publish_stored(const nd_bus_link *link, put *p)
{
    nav_buffer bytes = {0};
    nav_status s = read_stored(p, &bytes);
    if (s == NAV_OK) s = publish_all(link, p, bytes.data);
    nav_buffer_deinit(&bytes);
    return s;
}

// Is it there, with all of its parts? The last one may have been pushed out of a full stream.
static nav_status ask(const nd_bus_link *link, const put *p)
{
    const uint32_t parts[] = {0, p->head.parts};
    for (int i = 0; i < (p->head.parts ? 2 : 1); i++) {
        char subject[ND_SUBJECT_BYTES];
        natsMsg *m = NULL;
        subject_of(p->share, p->space, p->hash, parts[i], subject);
        nav_status s = nd_stream_get(link, p->share->farm, ND_STREAM_MESHES, subject, GET_MS, &m);
        natsMsg_Destroy(m);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

static void run_put(nd_bus_task *task, const nd_bus_link *link)
{
    put *p = (put *)task;
    p->status = ask(link, p);
    if (p->status != NAV_ERR_NOT_FOUND) return;
    p->status = p->bytes ? publish_all(link, p, p->bytes) : publish_stored(link, p);
}

static void end_put(put *p, nav_status status, bool ran)
{
    nd_mesh_share *s = p->share;
    s->putting--;
    entry *e = find_entry(s, p->space, p->hash);
    if (e && status == NAV_OK)
        e->state = ND_SHARE_THERE;
    else if (e)
        drop_entry(s, e);
    s->stats.bytes_out += p->sent;
    if (ran && !s->closed && s->o.on_put) s->o.on_put(s->o.user, p->space, p->hash, status);
    nd_mesh_unref(p->mesh);
    free(p);
    share_unref(s);
}

static void put_done(nd_bus_task *task, bool ran)
{
    put *p = (put *)task;
    end_put(p, ran ? p->status : NAV_ERR_CANCELLED, ran);
}

// --- put, small ones ---
//
// One is sent sooner than asked for, and an answer to each costs more than the mesh. So those that gather while others
// are in the lane go together, and only the last one is acknowledged: the server takes them in their order. One that is
// lost all the same a worker misses, and it is put again.

static nav_status say_small(const nd_bus_link *link, put *p)
{
    uint8_t bytes[HEAD_BYTES + ND_SHARE_SMALL_BYTES];
    char subject[ND_SUBJECT_BYTES];
    const size_t count = HEAD_BYTES + (size_t)p->head.bytes;
    if (!p->next) return publish_all(link, p, p->bytes);
    store_head(&p->head, bytes);
    if (p->head.bytes) memcpy(bytes + HEAD_BYTES, p->bytes, (size_t)p->head.bytes);
    subject_of(p->share, p->space, p->hash, 0, subject);
    p->sent += count;
    return nd_bus_status(natsConnection_Publish(link->connection, subject, bytes, (int)count), 0);
}

static void run_small(nd_bus_task *task, const nd_bus_link *link)
{
    put *first = (put *)task;
    nav_status s = NAV_OK;
    for (put *p = first; p && s == NAV_OK; p = p->next) s = say_small(link, p);
    first->status = s;
}

static void small_done(nd_bus_task *task, bool ran);

static void push_small(nd_mesh_share *s)
{
    put *first = s->small.first, *last = first;
    if (!first || s->small_out) return;
    for (int n = 1; n < MOST_A_BATCH && last->next; n++) last = last->next;
    s->small.first = last;
    ND_FIFO_DROP(&s->small);
    last->next = NULL;
    first->task = (nd_bus_task){.run = run_small, .done = small_done};
    s->small_out = true;
    nd_bus_push(s->o.bus, ND_BUS_BULK, &first->task);
}

static void small_done(nd_bus_task *task, bool ran)
{
    put *first = (put *)task;
    nd_mesh_share *s = first->share;
    const nav_status status = ran ? first->status : NAV_ERR_CANCELLED;
    s->refs++;
    s->small_out = false;
    for (put *p = first, *next; p; p = next) {
        next = p->next;
        end_put(p, status, ran);
    }
    while (s->closed && s->small.first) {
        put *p = s->small.first;
        ND_FIFO_DROP(&s->small);
        end_put(p, NAV_ERR_CANCELLED, false);
    }
    push_small(s);
    share_unref(s);
}

static entry *add_entry(nd_mesh_share *s, const char *space, nav_key hash)
{
    const size_t space_bytes = strlen(space) + 1;
    // An editor's strokes may make meshes for months.
    if (s->entries.count >= s->o.most_known) nd_mesh_share_forget_all(s);
    entry *e = malloc(sizeof *e + space_bytes);
    if (!e || nd_table_reserve(&s->entries, 1) != NAV_OK) {
        free(e);
        return NULL;
    }
    e->hash = hash;
    e->state = ND_SHARE_UNDER_WAY;
    memcpy(e->space, space, space_bytes);
    nd_table_insert(&s->entries, &e->node, slot_of(space, hash));
    return e;
}

bool nd_mesh_share_is_full(const nd_mesh_share *s)
{
    return s->putting >= MOST_AT_ONCE;
}

nav_status nd_mesh_share_put(nd_mesh_share *s, const char *space, nd_mesh *mesh)
{
    ND_ASSERT_LOOP_THREAD();
    const nav_key hash = mesh->mesh->hash;
    if (find_entry(s, space, hash)) return NAV_OK;
    if (nd_mesh_share_is_full(s)) return NAV_ERR_LIMIT;
    put *p = calloc(1, sizeof *p);
    entry *e = p ? add_entry(s, space, hash) : NULL;
    if (!e) {
        free(p);
        return NAV_ERR_MEMORY;
    }
    p->task.run = run_put;
    p->task.done = put_done;
    p->share = s;
    p->mesh = nd_mesh_ref(mesh);
    p->hash = hash;
    snprintf(p->space, sizeof p->space, "%s", space);
    p->head = (head){.vertices = mesh->vertices, .triangles = mesh->triangles, .form = mesh->form};
    p->head.bytes = np_mesh_bytes(mesh->vertices, mesh->triangles, mesh->form);
    p->head.parts = parts_of(p->head.bytes);
    // What a mesh has of its source it keeps, so another thread may read it.
    if (mesh->source.size >= p->head.bytes) p->bytes = mesh->source.data;
    if (s->o.writer) p->database = nd_writer_database(s->o.writer);
    s->refs++;
    s->putting++;
    if (p->bytes && !p->head.parts) {
        ND_FIFO_PUT(&s->small, p);
        push_small(s);
    } else {
        nd_bus_push(s->o.bus, ND_BUS_BULK, &p->task);
    }
    return NAV_OK;
}

// --- get ---

static nav_status get_part(const nd_bus_link *link, const fetch *f, uint32_t part, natsMsg **out)
{
    char subject[ND_SUBJECT_BYTES];
    subject_of(f->share, f->token, f->hash, part, subject);
    return nd_stream_get(link, f->share->farm, ND_STREAM_MESHES, subject, GET_MS, out);
}

static nav_status append(fetch *f, const uint8_t *bytes, size_t count)
{
    return nav_buffer_append(&f->bytes, bytes, count);
}

static void run_fetch(nd_bus_task *task, const nd_bus_link *link)
{
    fetch *f = (fetch *)task;
    natsMsg *m = NULL;
    f->status = get_part(link, f, 0, &m);
    if (f->status != NAV_OK) return;
    const uint8_t *bytes = (const uint8_t *)natsMsg_GetData(m);
    size_t count = (size_t)natsMsg_GetDataLength(m);
    f->status = load_head(bytes, count, &f->head);
    if (f->status == NAV_OK && f->head.bytes > f->most_bytes) f->status = NAV_ERR_LIMIT;
    if (f->status == NAV_OK) f->status = nav_buffer_reserve(&f->bytes, (size_t)f->head.bytes + 1);
    if (f->status == NAV_OK) f->status = append(f, bytes + HEAD_BYTES, count - HEAD_BYTES);
    natsMsg_Destroy(m);
    for (uint32_t i = 1; i <= f->head.parts && f->status == NAV_OK; i++) {
        f->status = get_part(link, f, i, &m);
        if (f->status != NAV_OK) return;
        count = (size_t)natsMsg_GetDataLength(m);
        f->status =
            count == part_size(&f->head, i) ? append(f, (const uint8_t *)natsMsg_GetData(m), count) : NAV_ERR_FORMAT;
        natsMsg_Destroy(m);
    }
}

static void end_fetch(fetch *f, nav_status status, nd_mesh *mesh)
{
    nd_mesh_share *s = f->share;
    fetch **at = &s->fetches;
    while (*at != f) at = &(*at)->next;
    *at = f->next;
    s->stats.bytes_in += f->bytes_in ? f->bytes_in : f->bytes.size;
    if (!s->closed) s->o.on_got(s->o.user, f->space, f->hash, status, mesh);
    nav_buffer_deinit(&f->bytes);
    free(f);
    share_unref(s);
}

// An indexed mesh goes into the store.
static nav_status file_mesh(const fetch *f, nd_mesh_job *j, nd_mesh **out)
{
    nd_mesh_store *store = f->share->o.meshes;
    nav_status s = NAV_OK;
    if (j->status == NAV_ERR_ARGUMENT) return NAV_ERR_FORMAT; // another hash
    if (j->status != NAV_OK) return j->status;
    *out = nd_mesh_store_find(store, &f->hash);
    if (!*out || (*out)->state == ND_MESH_LOST) {
        s = nd_mesh_store_add(store, j->mesh, out);
        j->mesh = NULL;
    }
    if (s == NAV_OK && f->share->o.keeps_bytes)
        s = nd_mesh_store_keep_source(store, *out, &j->bytes, j->vertices, j->triangles, j->form);
    return s == NAV_OK ? nd_mesh_show(*out, f->space) : s;
}

static void indexed(nd_task *task, bool ran)
{
    index_job *i = (index_job *)task;
    nd_mesh *mesh = NULL;
    nav_status s = ran && !i->fetch->share->closed ? file_mesh(i->fetch, &i->job, &mesh) : NAV_ERR_CANCELLED;
    nav_buffer_deinit(&i->job.bytes);
    end_fetch(i->fetch, s, s == NAV_OK ? mesh : NULL);
    nav_mesh_destroy(i->job.mesh);
    free(i);
}

static void fetched(nd_bus_task *task, bool ran)
{
    fetch *f = (fetch *)task;
    nd_mesh_share *s = f->share;
    index_job *i = ran && f->status == NAV_OK && !s->closed ? calloc(1, sizeof *i) : NULL;
    if (!i) {
        end_fetch(f, !ran || s->closed ? NAV_ERR_CANCELLED : f->status == NAV_OK ? NAV_ERR_MEMORY : f->status, NULL);
        return;
    }
    i->fetch = f;
    i->job.task.run = nd_mesh_job_run_task;
    i->job.task.done = indexed;
    f->bytes_in = f->bytes.size;
    i->job.bytes = f->bytes; // moves
    f->bytes = (nav_buffer){0};
    i->job.vertices = f->head.vertices;
    i->job.triangles = f->head.triangles;
    i->job.form = f->head.form;
    i->job.has_hash = true;
    i->job.hash = f->hash;
    i->job.memory = s->o.meshes->memory;
    i->job.space = f->space;
    nd_workers_push(s->o.workers, &i->job.task);
}

nav_status nd_mesh_share_get(nd_mesh_share *s, nd_namespace *space, nav_key hash)
{
    ND_ASSERT_LOOP_THREAD();
    for (const fetch *f = s->fetches; f; f = f->next)
        if (f->space == space && nav_key_equal(f->hash, hash)) return NAV_OK;
    fetch *f = calloc(1, sizeof *f);
    if (!f) return NAV_ERR_MEMORY;
    f->task.run = run_fetch;
    f->task.done = fetched;
    f->share = s;
    f->space = space;
    f->hash = hash;
    f->most_bytes = s->o.meshes->max_bytes;
    if (!nd_farm_space_token(space->name, f->token, sizeof f->token)) {
        free(f);
        return NAV_ERR_MEMORY; // a namespace's name is shorter than that
    }
    f->next = s->fetches;
    s->fetches = f;
    s->refs++;
    nd_bus_push(s->o.bus, ND_BUS_BULK, &f->task);
    return NAV_OK;
}

// --- life ---

nav_status nd_mesh_share_create(const nd_mesh_share_options *o, nd_mesh_share **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_mesh_share *s = calloc(1, sizeof *s);
    if (!s) return NAV_ERR_MEMORY;
    s->o = *o;
    if (!s->o.most_known) s->o.most_known = MOST_KNOWN;
    s->refs = 1;
    ND_FIFO_INIT(&s->small);
    snprintf(s->farm, sizeof s->farm, "%s", o->farm);
    *out = s;
    return NAV_OK;
}

static void free_one(void *share, nd_node *n)
{
    drop_entry(share, ND_HOLDER(n, entry, node));
}

void nd_mesh_share_close(nd_mesh_share *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (!s) return;
    s->closed = true;
    nd_table_each(&s->entries, free_one, s);
    share_unref(s);
}

nd_mesh_share_stats nd_mesh_share_stats_of(const nd_mesh_share *s)
{
    return s->stats;
}
