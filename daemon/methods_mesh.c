// mesh.*: uploads. Memory is taken as the bytes arrive, never for what is only announced.
#include "daemon/mesh_job.h"
#include "daemon/methods.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

nav_status nd_method_mesh_have(nd_call *c)
{
    np_mesh_have_request r;
    nav_status s = np_decode_mesh_have_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    nav_key *missing = malloc((r.hash_count + (size_t)1) * sizeof *missing);
    if (!missing) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the answer");
    np_mesh_have_response out = {.missing = missing};
    for (uint32_t i = 0; i < r.hash_count; i++)
        if (!nd_mesh_store_find(&c->server->meshes, &r.hashes[i])) missing[out.missing_count++] = r.hashes[i];
    nd_reply(c->session, c->message->id, NP_MESH_HAVE, &out);
    free(missing);
    return NAV_OK;
}

static void end_upload(nd_session *s)
{
    s->server->upload_bytes -= s->upload.bytes.size;
    nav_buffer_deinit(&s->upload.bytes);
    s->upload.active = false;
}

static bool same_mesh(const np_mesh_put_request *a, const np_mesh_put_request *b)
{
    return nav_key_equal(a->hash, b->hash) && a->vertices == b->vertices && a->triangles == b->triangles;
}

static nav_status check_part(nd_call *c, const np_mesh_put_request *r, uint64_t total)
{
    const nd_config *cfg = &c->server->config;
    nd_upload *u = &c->session->upload;
    uint64_t have = u->active ? u->bytes.size : 0;
    if (total > cfg->max_mesh_bytes)
        return np_error_set(&c->err, NAV_ERR_LIMIT,
                            "the mesh has %" PRIu64 " bytes, at most %" PRIu64 " are allowed "
                            "(--max-mesh-bytes)",
                            total, cfg->max_mesh_bytes);
    if (r->data.size > NP_MESH_PART_BYTES)
        return np_error_set_key(&c->err, NAV_ERR_LIMIT, "data", "data has %u bytes, one part may have %d", r->data.size,
                                NP_MESH_PART_BYTES);
    if (r->offset && (!u->active || !same_mesh(&u->head, r)))
        return np_error_set_key(&c->err, NAV_ERR_STATE, "offset",
                                "offset is %" PRIu64 ", but no upload of this mesh has begun", r->offset);
    if (r->offset && r->offset != have)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "offset", "offset is %" PRIu64 ", the next byte is %" PRIu64,
                                r->offset, have);
    if (r->data.size > total - r->offset)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "data",
                                "data ends at %" PRIu64 ", behind the mesh's %" PRIu64 " bytes",
                                r->offset + r->data.size, total);
    if (!r->data.size && r->offset < total)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "data", "data is empty, and the mesh is not complete");
    return NAV_OK;
}

static void reply_put(nd_session *s, uint32_t request, uint64_t received, const nd_mesh *mesh)
{
    np_mesh_put_response out = {.received = received, .complete = mesh != NULL};
    if (mesh) out.skipped_triangles = mesh->mesh->skipped_count;
    nd_reply(s, request, NP_MESH_PUT, &out);
}

static nav_status file_mesh(nd_server *server, nd_mesh_job *j, nd_mesh **out, np_error *err)
{
    char hash[NAV_KEY_TEXT_BYTES];
    nav_key_text(j->hash, hash);
    if (j->status == NAV_ERR_ARGUMENT)
        return np_error_set_key(err, j->status, "hash", "the bytes do not have the hash %s", hash);
    if (j->status != NAV_OK) return np_error_set(err, j->status, "the mesh: %s", nav_status_text(j->status));
    nav_mesh *mesh = j->mesh;
    j->mesh = NULL;
    nav_status s = nd_mesh_store_add(&server->meshes, mesh, out);
    if (s == NAV_ERR_LIMIT)
        return np_error_set(err, s, "all %zu bytes for meshes are in use (--mesh-store-bytes)",
                            server->meshes.max_bytes);
    return s == NAV_OK ? s : np_error_set(err, s, "no memory for the mesh");
}

static void finish_put(nd_server *server, nd_session *s, nd_mesh_job *j)
{
    np_error err = {0};
    nd_mesh *mesh;
    uint64_t total = 12 * ((uint64_t)j->vertices + j->triangles);
    nav_status status = file_mesh(server, j, &mesh, &err);
    if (!s) return; // the session is gone; the mesh may serve another
    if (status == NAV_OK)
        reply_put(s, j->request, total, mesh);
    else
        nd_reply_error(s, j->request, &err);
}

static void put_done(nd_task *task, bool ran)
{
    nd_mesh_job *j = (nd_mesh_job *)task;
    nd_server *server = j->owner;
    nd_session *s = nd_server_find_session(server, j->session);
    if (ran && !server->stopping) {
        finish_put(server, s, j);
        if (s) nd_session_release(s);
    }
    nd_mesh_job_destroy(j);
}

static nav_status begin_put(nd_call *c)
{
    nd_upload *u = &c->session->upload;
    nd_mesh_job *j = calloc(1, sizeof *j);
    if (!j) {
        end_upload(c->session);
        return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the mesh");
    }
    j->task.run = nd_mesh_job_run_task;
    j->task.done = put_done;
    j->vertices = u->head.vertices;
    j->triangles = u->head.triangles;
    j->has_hash = true;
    j->hash = u->head.hash;
    j->owner = c->server;
    j->session = c->session->id;
    j->request = c->message->id;
    size_t bytes = u->bytes.size;
    c->server->upload_bytes -= bytes;
    j->bytes = u->bytes; // moves
    u->bytes = (nav_buffer){0};
    u->active = false;
    if (bytes > ND_MESH_INLINE_BYTES) {
        nd_session_hold(c->session);
        nd_workers_push(c->server->workers, &j->task);
    } else {
        nd_mesh_job_run(j);
        finish_put(c->server, c->session, j);
        nd_mesh_job_destroy(j);
    }
    return NAV_OK;
}

nav_status nd_method_mesh_put(nd_call *c)
{
    np_mesh_put_request r;
    nd_session *session = c->session;
    nd_upload *u = &session->upload;
    nav_status s = np_decode_mesh_put_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    uint64_t total = 12 * ((uint64_t)r.vertices + r.triangles);
    s = check_part(c, &r, total);
    if (s != NAV_OK) return s;
    nd_mesh *existing = nd_mesh_store_find(&c->server->meshes, &r.hash);
    if (!r.offset) end_upload(session);
    if (existing && !r.offset) {
        reply_put(session, c->message->id, total, existing);
        return NAV_OK;
    }
    if (c->server->upload_bytes + r.data.size > c->server->config.mesh_store_bytes) {
        end_upload(session);
        return np_error_set(&c->err, NAV_ERR_LIMIT,
                            "the uploads of all clients fill the memory for meshes (--mesh-store-bytes)");
    }
    u->active = true;
    u->head = r;
    s = nav_buffer_append(&u->bytes, r.data.data, r.data.size);
    if (s != NAV_OK) {
        end_upload(session);
        return np_error_set(&c->err, s, "no memory for the mesh");
    }
    c->server->upload_bytes += r.data.size;
    if (u->bytes.size == total) return begin_put(c);
    reply_put(session, c->message->id, u->bytes.size, NULL);
    return NAV_OK;
}
