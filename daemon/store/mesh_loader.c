#include "daemon/store/mesh_loader.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/work/mesh_job.h"

#include <stdlib.h>

enum { AT_ONCE_A_WORKER = 2 };

typedef struct mesh_read {
    nd_mesh_job job; // first: the pool's task
    nd_mesh_loader *loader;
    nd_database *database;
    unsigned table;
    nd_mesh *mesh; // a reference
} mesh_read;

static nav_status read_bytes(mesh_read *r)
{
    uint8_t key[NAV_KEY_BYTES];
    nd_txn *txn;
    nd_bytes value;
    nav_key_store(r->job.hash, key);
    nav_status s = nd_database_begin_read(r->database, &txn);
    if (s != NAV_OK) return s;
    s = nd_txn_get(txn, r->table, (nd_bytes){key, sizeof key}, &value);
    if (s == NAV_OK && value.size != np_mesh_bytes(r->job.vertices, r->job.triangles, r->job.form)) s = NAV_ERR_FORMAT;
    if (s == NAV_OK) s = nav_buffer_append(&r->job.bytes, value.data, value.size);
    nd_txn_end(txn);
    return s;
}

static void run_read(nd_task *task, nd_worker *worker)
{
    mesh_read *r = (mesh_read *)task;
    (void)worker;
    r->job.status = read_bytes(r);
    if (r->job.status == NAV_OK) nd_mesh_job_run(&r->job);
}

static void push_more(nd_mesh_loader *l);

static void take(nd_mesh_loader *l, mesh_read *r)
{
    nd_mesh *m = r->mesh;
    char hash[NAV_KEY_TEXT_BYTES];
    if (m->state != ND_MESH_STORED) return; // sent again meanwhile
    if (r->job.status == NAV_OK) {
        nd_mesh_store_fill(l->meshes, m, r->job.mesh);
        r->job.mesh = NULL;
        // Without it the mesh is as good, but cannot be read back by clients.
        (void)(nd_mesh_store_keep_source(l->meshes, m, &r->job.bytes, r->job.vertices, r->job.triangles, r->job.form) ==
               NAV_OK);
        l->loaded++;
        return;
    }
    nav_key_text(r->job.hash, hash);
    nd_log(ND_LOG_ERROR, "mesh.lost", "mesh=%s why=%s", hash, nav_status_name(r->job.status));
    nd_mesh_store_lose(l->meshes, m);
    l->lost++;
}

static void read_done(nd_task *task, bool ran)
{
    mesh_read *r = (mesh_read *)task;
    nd_mesh_loader *l = r->loader;
    l->running--;
    if (ran && !l->builder->closing) {
        take(l, r);
        push_more(l);
        nd_builder_kick(l->builder);
    }
    nd_mesh_unref(r->mesh);
    nav_buffer_deinit(&r->job.bytes);
    nav_mesh_destroy(r->job.mesh);
    free(r);
}

static void push_more(nd_mesh_loader *l)
{
    while (l->next < l->count && l->running < AT_ONCE_A_WORKER * nd_workers_count(l->workers, false)) {
        nd_mesh *m = l->waiting[l->next++];
        mesh_read *r = m->state == ND_MESH_STORED ? calloc(1, sizeof *r) : NULL;
        if (!r) {
            if (m->state == ND_MESH_STORED) nd_mesh_store_lose(l->meshes, m); // no memory even for this
            nd_mesh_unref(m);
            continue;
        }
        r->job.task.run = run_read;
        r->job.task.done = read_done;
        r->job.vertices = m->vertices;
        r->job.triangles = m->triangles;
        r->job.form = m->form;
        r->job.has_hash = true;
        r->job.memory = l->meshes->memory;
        r->job.hash = m->mesh->hash;
        r->loader = l;
        r->database = nd_writer_database(l->writer);
        r->table = l->table;
        r->mesh = m; // the list's reference moves
        l->running++;
        nd_workers_push(l->workers, &r->job.task);
    }
    if (l->next == l->count && !l->running) nd_mesh_loader_deinit(l);
}

// Does something hold it besides the store?
static bool is_used(const nd_mesh *m)
{
    return atomic_load_explicit(&m->refs, memory_order_relaxed) > 1;
}

static void add_used(void *user, nd_node *n)
{
    nd_mesh_loader *l = user;
    nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
    if (m->state == ND_MESH_STORED && is_used(m)) l->waiting[l->count++] = nd_mesh_ref(m);
}

// Those that were used wait already, and the list holds them.
static void add_unused(void *user, nd_node *n)
{
    nd_mesh_loader *l = user;
    nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
    if (m->state == ND_MESH_STORED && !is_used(m)) l->waiting[l->count++] = nd_mesh_ref(m);
}

nav_status nd_mesh_loader_start(nd_mesh_loader *l)
{
    ND_ASSERT_LOOP_THREAD();
    l->waiting = malloc((l->meshes->table.count + 1) * sizeof(nd_mesh *));
    if (!l->waiting) return NAV_ERR_MEMORY;
    nd_table_each(&l->meshes->table, add_used, l);
    nd_table_each(&l->meshes->table, add_unused, l);
    push_more(l);
    return NAV_OK;
}

void nd_mesh_loader_deinit(nd_mesh_loader *l)
{
    while (l->next < l->count) nd_mesh_unref(l->waiting[l->next++]);
    free(l->waiting);
    l->waiting = NULL;
    l->count = l->next = 0;
}
