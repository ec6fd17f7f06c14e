// mesh.*: uploads. Memory is taken as the bytes arrive, never for what is only announced.
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/delivery/progress.h"
#include "daemon/methods/durable.h"
#include "daemon/methods/methods.h"
#include "daemon/store/records.h"
#include "daemon/work/mesh_job.h"
#include "daemon/world/usage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Memory for each byte of a mesh: the bytes, twice while it is indexed, the mesh, its index, and what is needed
// between.
enum { UPLOAD_COST = 5 };
// Small meshes that wait while others are indexed: a millisecond of work or so.
enum { MOST_GATHERED = 256 << 10 };

void nd_methods_end_upload(nd_methods *methods, nd_session *s)
{
    nd_upload *u = &s->upload;
    methods->sessions->upload_bytes -= u->bytes.size;
    nd_workers_dispose(methods->workers, u->bytes.size, free, u->bytes.data);
    u->bytes = (nav_buffer){0};
    u->active = false;
}

// Only what both parts name can tell two meshes apart.
static bool is_part_of(const np_mesh_put_request *head, const np_mesh_put_request *part)
{
    bool both = !nav_key_is_zero(head->hash) && !nav_key_is_zero(part->hash);
    return (!both || nav_key_equal(head->hash, part->hash)) && head->vertices == part->vertices &&
           head->triangles == part->triangles && head->areas == part->areas && head->heights == part->heights;
}

static nav_status check_part(nd_call *c, const np_mesh_put_request *r, uint64_t total)
{
    const nd_config *cfg = c->methods->config;
    nd_upload *u = &c->session->upload;
    uint64_t have = u->active ? u->bytes.size : 0;
    if (total > cfg->max_mesh_bytes)
        return np_error_set(&c->err, NAV_ERR_LIMIT,
                            "the mesh has %" PRIu64 " bytes, at most %" PRIu64 " are allowed "
                            "(--max-mesh-bytes)",
                            total, cfg->max_mesh_bytes);
    if (r->data.size > NP_MESH_PART_BYTES)
        return np_error_set_key(&c->err, NAV_ERR_LIMIT, "data", "data has %u bytes, a part may have at most %d",
                                r->data.size, NP_MESH_PART_BYTES);
    if (r->offset && (!u->active || !is_part_of(&u->head, r)))
        return np_error_set_key(&c->err, NAV_ERR_STATE, "offset",
                                "offset is %" PRIu64 ", but no upload of this mesh was started", r->offset);
    if (r->offset && r->offset != have)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "offset", "offset is %" PRIu64 ", the next byte is %" PRIu64,
                                r->offset, have);
    if (r->data.size > total - r->offset)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "data",
                                "data ends at %" PRIu64 ", beyond the mesh's %" PRIu64 " bytes",
                                r->offset + r->data.size, total);
    if (!r->data.size && r->offset < total)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "data", "data is empty, and the mesh is not complete");
    return NAV_OK;
}

// The tiles that failed for want of the mesh are made.
static void retry_tile(void *user, nd_node *n)
{
    nd_world *w = user;
    nd_tile *t = ND_HOLDER(n, nd_tile, node);
    const nd_mark mark = {.revision = w->revision, .now_ns = nd_now_ns(), .class = ND_BACKGROUND, .by = ND_BY_RETRY};
    if (t->state == ND_TILE_CLEAN && t->result.status == NP_TILE_FAILED && t->result.failure.status == NAV_ERR_FORMAT)
        (void)nd_scheduler_mark(&w->scheduler, t, &mark);
}

static void found_again(nd_methods *methods)
{
    for (size_t i = 0; i < methods->worlds->count; i++)
        nd_table_each(&methods->worlds->list[i]->scheduler.tiles, retry_tile, methods->worlds->list[i]);
    nd_progress_watch(methods->delivery);
    nd_builder_kick(methods->builder);
}

static void reply_part(nd_session *s, uint32_t request, uint64_t received)
{
    np_mesh_put_response out = {.received = received};
    nd_reply(s, request, NP_MESH_PUT, &out);
}

// Complete, and durable where anything is: the answer waits for what is stored of the mesh now (sent_in: where its
// bytes came; NULL: they were there), or is being stored already. shown: it is visible in there because of that.
static nav_status reply_complete(nd_methods *methods, uint64_t session, uint32_t request, nd_mesh *m,
                                 nd_namespace *sent_in, bool shown, np_error *err)
{
    nd_commit *commit = NULL;
    np_mesh_put_response out = {.received = np_mesh_bytes(m->vertices, m->triangles, m->form),
                                .complete = true,
                                .skipped_triangles = m->mesh->skipped_count,
                                .hash = m->mesh->hash};
    nav_status s = NAV_OK;
    if (sent_in || m->commits) s = nd_commit_begin(methods, session, request, &commit, err);
    if (s == NAV_OK && commit && sent_in) {
        s = nd_commit_add_mesh(commit, m, shown ? sent_in : NULL);
        if (s == NAV_OK) s = nd_change_mesh_space(&commit->log.records, m->mesh->hash, sent_in->name);
        if (s != NAV_OK) np_error_set(err, s, "no memory to store the mesh");
    }
    if (s == NAV_OK)
        nd_commit_reply(commit, methods, session, request, NP_MESH_PUT, &out);
    else
        nd_commit_destroy(commit);
    return s;
}

// Does it count in the namespace already? Also one that the disk has lost, and that is sent again. A hash of zero,
// which is not known yet, does not.
static bool is_counted(nd_methods *methods, const nd_namespace *space, const nav_key *hash)
{
    const nd_mesh *m = nav_key_is_zero(*hash) ? NULL : nd_mesh_store_find(methods->meshes, hash);
    return m && nd_mesh_is_visible(m, space);
}

// Meshes of deleted worlds do not stand in the way of new ones.
static nav_status check_quota(nd_methods *methods, nd_namespace *space, const nav_key *hash, uint64_t bytes,
                              np_error *err)
{
    const nd_mesh_store *all = methods->meshes;
    uint64_t max = space->quota.max[ND_QUOTA_max_mesh_bytes];
    bool counted = is_counted(methods, space, hash);
    if (all->bytes + bytes > all->max_bytes || (!counted && space->mesh_bytes + bytes > max))
        (void)nd_worlds_free_deleted(methods->worlds);
    return counted ? NAV_OK : nd_usage_check_mesh(methods->meshes, space, bytes, err);
}

static void log_crash(const nd_mesh_job *j)
{
    char hash[NAV_KEY_TEXT_BYTES];
    nav_key_text(j->hash, hash);
    nd_log(ND_LOG_ERROR, "mesh.crashed", "session=%" PRIu64 " mesh=%s vertices=%u triangles=%u signal=%d why=\"%s\"",
           j->session, hash, j->vertices, j->triangles, j->signal, nd_death_text(j->signal));
}

// *shown: it was not visible in the job's namespace before.
static nav_status file_mesh(nd_methods *methods, nd_mesh_job *j, nd_mesh **out, bool *shown, np_error *err)
{
    if (j->status == NAV_ERR_CRASHED || j->status == NAV_ERR_TIMEOUT) log_crash(j);
    if (j->status != NAV_OK) return nd_mesh_job_refuse(j, "data", err);
    j->hash = j->mesh->hash;
    nav_status s = nd_durable_check(methods, "the mesh", err);
    // Others of the namespace may have come since it began.
    if (s == NAV_OK)
        s = check_quota(methods, j->space, &j->hash, nd_mesh_cost(j->mesh, j->vertices, j->triangles, j->form), err);
    if (s != NAV_OK) return s;
    bool was_lost = methods->meshes->lost_count > 0;
    *out = nd_mesh_store_find(methods->meshes, &j->hash);
    if (!*out || (*out)->state == ND_MESH_LOST) { // else the job keeps what nobody needs
        nav_mesh *mesh = j->mesh;
        j->mesh = NULL;
        s = nd_mesh_store_add(methods->meshes, mesh, out);
    }
    if (s == NAV_OK && was_lost) found_again(methods);
    if (s == NAV_OK)
        s = nd_mesh_store_keep_source(methods->meshes, *out, &j->bytes, j->vertices, j->triangles, j->form);
    if (s != NAV_OK && *out && methods->store) nd_mesh_store_withdraw(methods->meshes, *out, NULL);
    if (s == NAV_ERR_LIMIT)
        return np_error_set(err, s, "all %zu bytes for meshes are in use (--mesh-store-bytes)",
                            methods->meshes->max_bytes);
    *shown = s == NAV_OK && !nd_mesh_is_visible(*out, j->space);
    if (s == NAV_OK) s = nd_mesh_show(*out, j->space);
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for the mesh");
}

static void finish_put(nd_methods *methods, nd_session *s, nd_mesh_job *j)
{
    np_error err = {0};
    nd_mesh *mesh;
    bool shown = false;
    nav_status status = file_mesh(methods, j, &mesh, &shown, &err);
    if (status == NAV_OK) {
        // Where the session is gone the mesh may serve another.
        status = reply_complete(methods, j->session, j->request, mesh, j->space, shown, &err);
        if (status != NAV_OK) nd_mesh_store_withdraw(methods->meshes, mesh, shown ? j->space : NULL);
    }
    if (s && status != NAV_OK) nd_reply_error(s, j->request, &err);
}

// --- meshes at the workers ---

static void put_done(nd_task *task, bool ran);

static void push(nd_methods *methods, nd_session *s, nd_mesh_job *first, bool chain)
{
    first->task.run = nd_mesh_job_run_task;
    first->task.done = put_done;
    first->task.urgent = chain; // it takes a moment
    s->puts.running++;
    s->puts.chain |= chain;
    nd_workers_push(methods->workers, &first->task);
    nd_builder_kick(methods->builder); // it looks at the workers
}

static void push_gathered(nd_methods *methods, nd_session *s)
{
    nd_mesh_job *first = s->puts.first;
    s->puts.first = s->puts.last = NULL;
    s->puts.bytes = 0;
    push(methods, s, first, true);
}

static void gather(nd_session *s, nd_mesh_job *j)
{
    nd_puts *p = &s->puts;
    *(p->last ? &p->last->next : &p->first) = j;
    p->last = j;
    p->bytes += j->bytes.size + sizeof *j;
}

bool nd_methods_await_puts(nd_session *s)
{
    if (!s->puts.running) return false;
    s->puts.all = true;
    nd_session_hold(s);
    return true;
}

void nd_methods_end_puts(nd_session *s)
{
    for (nd_mesh_job *j = s->puts.first, *next; j; j = next) {
        next = j->next;
        nd_mesh_job_destroy(j);
    }
    s->puts = (nd_puts){0};
}

static void end_chain(nd_methods *methods, nd_session *s, bool chain)
{
    nd_puts *p = &s->puts;
    p->running--;
    p->chain &= !chain;
    if (p->first && !p->chain) push_gathered(methods, s);
    if (!s->held || (p->all && p->running)) return;
    p->all = false;
    nd_session_release(s);
}

static void destroy_job(void *job)
{
    nd_mesh_job_destroy(job);
}

static void put_done(nd_task *task, bool ran)
{
    nd_mesh_job *first = (nd_mesh_job *)task;
    nd_methods *methods = first->owner;
    bool is_wanted = ran && !methods->stopping, chain = task->urgent;
    const uint64_t session = first->session;
    for (nd_mesh_job *j = first, *next; j; j = next) {
        next = j->next;
        if (is_wanted) finish_put(methods, nd_sessions_find(methods->sessions, session), j);
        // What is left where it was refused.
        nd_workers_dispose(is_wanted ? methods->workers : NULL, j->bytes.size, destroy_job, j);
    }
    nd_session *s = is_wanted ? nd_sessions_find(methods->sessions, session) : NULL;
    if (s) end_chain(methods, s, chain);
}

static nav_status begin_put(nd_call *c)
{
    nd_session *s = c->session;
    nd_upload *u = &s->upload;
    nd_mesh_job *j = calloc(1, sizeof *j);
    if (!j) {
        nd_methods_end_upload(c->methods, s);
        return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the mesh");
    }
    j->vertices = u->head.vertices;
    j->triangles = u->head.triangles;
    j->form = np_mesh_form_of(u->head.areas, u->head.heights);
    j->has_hash = !nav_key_is_zero(u->head.hash);
    j->memory = c->methods->meshes->memory;
    j->hash = u->head.hash;
    j->owner = c->methods;
    j->session = s->id;
    j->space = s->space;
    j->request = c->message->id;
    size_t bytes = u->bytes.size;
    c->methods->sessions->upload_bytes -= bytes;
    j->bytes = u->bytes; // moves
    u->bytes = (nav_buffer){0};
    u->active = false;
    if (bytes > ND_MESH_SMALL_BYTES) {
        s->puts.all = true;
        nd_session_hold(s);
        push(c->methods, s, j, false);
        return NAV_OK;
    }
    gather(s, j);
    if (!s->puts.chain) push_gathered(c->methods, s);
    if (s->puts.bytes > MOST_GATHERED) nd_session_hold(s);
    return NAV_OK;
}

nav_status nd_method_mesh_put(nd_call *c)
{
    np_mesh_put_request r;
    nd_session *session = c->session;
    nd_upload *u = &session->upload;
    nav_status s = np_decode_mesh_put_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    uint64_t total = np_mesh_bytes(r.vertices, r.triangles, np_mesh_form_of(r.areas, r.heights));
    s = check_part(c, &r, total);
    if (s != NAV_OK) return s;
    bool named = !nav_key_is_zero(r.hash);
    nd_mesh *existing = named ? nd_mesh_store_find_in(c->methods->meshes, c->session->space, &r.hash) : NULL;
    if (!r.offset) nd_methods_end_upload(c->methods, session);
    if (!existing) s = check_quota(c->methods, session->space, &r.hash, total, &c->err);
    if (s != NAV_OK) return s;
    if (existing && !r.offset)
        return reply_complete(c->methods, session->id, c->message->id, existing, NULL, false, &c->err);
    s = nd_durable_check(c->methods, "the mesh", &c->err);
    if (s == NAV_OK) s = nd_memory_check(c->methods->memory, UPLOAD_COST * (uint64_t)r.data.size, &c->err);
    if (s != NAV_OK) {
        nd_methods_end_upload(c->methods, session);
        return s;
    }
    if (c->methods->sessions->upload_bytes + r.data.size > c->methods->config->mesh_store_bytes) {
        nd_methods_end_upload(c->methods, session);
        return np_error_set(&c->err, NAV_ERR_LIMIT,
                            "uploads in progress fill the memory for meshes (--mesh-store-bytes)");
    }
    const nav_key hash = named ? r.hash : u->active ? u->head.hash : r.hash;
    u->active = true;
    u->head = r;
    u->head.hash = hash;
    s = nav_buffer_append(&u->bytes, r.data.data, r.data.size);
    if (s != NAV_OK) {
        nd_methods_end_upload(c->methods, session);
        return np_error_set(&c->err, s, "no memory for the mesh");
    }
    c->methods->sessions->upload_bytes += r.data.size;
    if (u->bytes.size == total) return begin_put(c);
    reply_part(session, c->message->id, u->bytes.size);
    return NAV_OK;
}

nav_status nd_method_mesh_get(nd_call *c)
{
    np_mesh_get_request r;
    char hash[NAV_KEY_TEXT_BYTES];
    nav_status s = np_decode_mesh_get_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    nd_mesh *mesh = nd_mesh_store_find_in(c->methods->meshes, c->session->space, &r.hash);
    if (!mesh) {
        nav_key_text(r.hash, hash);
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "hash", "there is no mesh with the hash %s", hash);
    }
    if (mesh->state == ND_MESH_STORED)
        return np_error_set(&c->err, NAV_ERR_AGAIN, "the mesh is still being read from disk: try again");
    uint64_t total = np_mesh_bytes(mesh->vertices, mesh->triangles, mesh->form);
    if (mesh->source.size < total)
        return np_error_set(&c->err, NAV_ERR_LIMIT,
                            "the mesh's original bytes were not kept for lack of room, only its index "
                            "(--mesh-store-bytes)");
    if (r.offset > total)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "offset",
                                "offset is %" PRIu64 ", the mesh has %" PRIu64 " bytes", r.offset, total);
    uint64_t left = total - r.offset;
    np_mesh_get_response out = {
        .vertices = mesh->vertices,
        .triangles = mesh->triangles,
        .areas = mesh->form & NP_MESH_AREAS,
        .heights = np_mesh_height_bits(mesh->form),
        .data = {mesh->source.data + r.offset, (uint32_t)(left < NP_MESH_PART_BYTES ? left : NP_MESH_PART_BYTES)}};
    nd_reply(c->session, c->message->id, NP_MESH_GET, &out);
    return NAV_OK;
}
