#include "daemon/methods/durable.h"

#include "daemon/delivery/progress.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/profile.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/sync.h"
#include "daemon/store/world_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WAITING_SHARE = 8 }; // of the memory: what may wait for the disk; one change more, however large it is

nav_status nd_durable_check(nd_methods *methods, const char *what, np_error *err)
{
    const char *why;
    nav_status status = methods->log.check ? methods->log.check(methods->log.user, what, err) : NAV_OK;
    if (status != NAV_OK || !methods->store) return status;
    status = nd_world_store_failure(methods->store, &why);
    uint64_t held = nd_writer_held(methods->store->writer), most = methods->memory->limit / WAITING_SHARE;
    if (status == NAV_OK && held > most) {
        methods->memory->refusals++;
        return np_error_set(err, NAV_ERR_LIMIT,
                            "%s cannot be stored now: changes of %" PRIu64 " MiB wait for the disk, at most %" PRIu64
                            " MiB may (an eighth of --max-memory-bytes): try again later, and look at the disk",
                            what, held >> 20, most >> 20);
    }
    if (status == NAV_OK) return status;
    methods->unstored++;
    return np_error_set(err, status, "%s cannot be stored: %s", what, why);
}

void nd_commit_destroy(nd_commit *c)
{
    if (!c) return;
    if (c->mesh) c->mesh->commits--;
    nd_mesh_unref(c->mesh);
    nd_edit_log_deinit(&c->log);
    nd_profile_list_deinit(&c->before);
    nav_buffer_deinit(&c->answer);
    free(c);
}

nav_status nd_commit_add_mesh(nd_commit *c, nd_mesh *m, nd_namespace *shown_in)
{
    ND_ASSERT_LOOP_THREAD();
    const nd_mesh_head head = nd_mesh_head_of(m);
    c->mesh = nd_mesh_ref(m);
    c->mesh->commits++;
    c->shown_in = shown_in;
    if (m->durable) return NAV_OK;
    c->writes_mesh = true;
    c->mesh_hash = m->mesh->hash;
    c->mesh_bytes = (nd_bytes){m->source.data, m->source.size};
    return nd_change_mesh(&c->log.records, c->mesh_hash, &head);
}

static nav_status run_commit(nd_write *w, nd_txn *txn)
{
    nd_commit *c = (nd_commit *)w;
    nav_status s = nd_change_apply(&c->log.records, txn);
    return s == NAV_OK && c->writes_mesh ? nd_write_mesh(txn, c->mesh_hash, c->mesh_bytes) : s;
}

void nd_commit_take_back_edit(nd_commit *c, nd_world *w)
{
    nd_methods *methods = c->methods;
    nd_log(ND_LOG_WARN, "edit.undone", "world=%" PRIu64 " name=%s revision=%" PRIu64, w->id,
           nd_log_quote(w->name, strlen(w->name)).text, c->log.revision);
    if (nd_edit_log_undo(&c->log, w, methods->meshes, nd_now_ns()) != NAV_OK) {
        nd_log(ND_LOG_ERROR, "edit.not_undone", "world=%" PRIu64 " name=%s revision=%" PRIu64 " why=memory", w->id,
               nd_log_quote(w->name, strlen(w->name)).text, c->log.revision);
        w->damaged = true; // what is in memory is not what is stored
    }
    nd_edit_log_settle(&c->log, methods->meshes, false);
    nd_sync_due(methods->delivery, w);
    nd_progress_watch(methods->delivery);
    nd_builder_kick(methods->builder);
}

static void take_back_change(nd_commit *c, nd_world *w)
{
    nd_log(ND_LOG_WARN, "edit.undone", "world=%" PRIu64 " name=%s revision=%" PRIu64, w->id,
           nd_log_quote(w->name, strlen(w->name)).text, c->log.revision);
    if (nd_profiles_put_back(c->methods, w, &c->before) != NAV_OK) {
        nd_log(ND_LOG_ERROR, "edit.not_undone", "world=%" PRIu64 " name=%s revision=%" PRIu64 " why=memory", w->id,
               nd_log_quote(w->name, strlen(w->name)).text, c->log.revision);
        w->damaged = true; // what is in memory is not what is stored
    }
    nd_progress_watch(c->methods->delivery);
    nd_builder_kick(c->methods->builder);
}

static void take_back(nd_commit *c, nd_world *w)
{
    nd_mesh_store *meshes = c->methods->meshes;
    if (c->mesh) nd_mesh_store_withdraw(meshes, c->mesh, c->shown_in);
    if (!w) nd_edit_log_settle(&c->log, meshes, false);
    if (!w) return;
    if (c->is_creation) { // and the name is free for one whose deletion fails with it
        nd_methods_remove_world(c->methods, w);
        return;
    }
    if (c->is_edit) nd_commit_take_back_edit(c, w);
    if (c->is_change) take_back_change(c, w);
    if (c->log.has_head) w->head_due = true;
    if (c->is_deletion) w->leaving = false;
}

static void now_durable(nd_commit *c, nd_world *w)
{
    if (c->mesh) c->mesh->durable = true;
    nd_edit_log_settle(&c->log, c->methods->meshes, true);
    if (!w) return;
    if (c->is_deletion) {
        nd_methods_remove_world(c->methods, w);
        return;
    }
    if (c->is_creation) w->unborn = false;
    if (w->durable < c->log.revision) w->durable = c->log.revision;
    nd_sync_due(c->methods->delivery, w);
}

static void end(nd_commit *c, nav_status status, const char *why)
{
    nd_methods *methods = c->methods;
    if (status != NAV_OK && !methods->stopping) { // what is under way is the newest
        nd_edits_take_back(methods, status, why);
        nd_profiles_take_back(methods, status, why);
    }
    nd_world *w = c->world && !methods->stopping ? nd_worlds_find(methods->worlds, c->world) : NULL;
    if (status == NAV_OK)
        now_durable(c, w);
    else if (!methods->stopping)
        take_back(c, w);
    nd_session *s = c->session && !methods->stopping ? nd_sessions_find(methods->sessions, c->session) : NULL;
    if (s && status == NAV_OK) {
        nd_session_send(s, c->answer.data, c->answer.size, NULL);
    } else if (s) {
        np_error err;
        methods->unstored++;
        np_error_set(&err, status, "it could not be stored and was undone: %s", why);
        nd_reply_error(s, c->request, &err);
    }
    nd_commit_destroy(c);
}

static void commit_done(nd_write *write, nav_status status, const char *why)
{
    nd_commit *c = (nd_commit *)write;
    const nd_commit_hook *log = &c->methods->log;
    if (log->ended) log->ended(log->user, c, status);
    end(c, status, why);
}

// It waits no longer for the log.
static void leave_log(nd_commit *c)
{
    nd_world *w = c->world ? nd_worlds_find(c->methods->worlds, c->world) : NULL;
    c->methods->unlogged--;
    if (w) w->unlogged--;
}

void nd_commit_store(nd_commit *c)
{
    ND_ASSERT_LOOP_THREAD();
    leave_log(c);
    nd_writer_push(c->methods->store->writer, &c->write);
}

void nd_commit_refuse(nd_commit *c, nav_status status, const char *why)
{
    ND_ASSERT_LOOP_THREAD();
    leave_log(c);
    end(c, status, why);
}

nav_status nd_commit_begin(nd_methods *methods, uint64_t session, uint32_t request, nd_commit **out, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    *out = NULL;
    if (!methods->store) return NAV_OK;
    nd_commit *c = calloc(1, sizeof *c);
    if (!c) return np_error_set(err, NAV_ERR_MEMORY, "no memory to store it");
    c->write.run = run_commit;
    c->write.done = commit_done;
    nd_edit_log_init(&c->log);
    c->methods = methods;
    c->session = session;
    c->request = request;
    *out = c;
    return NAV_OK;
}

void nd_commit_reply(nd_commit *c, nd_methods *methods, uint64_t session, uint32_t request, np_method method,
                     const void *response)
{
    ND_ASSERT_LOOP_THREAD();
    if (!c) {
        nd_session *to = nd_sessions_find(methods->sessions, session);
        if (to) nd_reply(to, request, method, response);
        return;
    }
    nav_status status = np_response_encode(&c->answer, method, request, response);
    if (status != NAV_OK) { // the change is stored all the same
        np_error err;
        np_error_set(&err, status, "the response cannot be encoded: %s", nav_status_text(status));
        nav_buffer_deinit(&c->answer);
        (void)(np_error_encode(&c->answer, request, &err) == NAV_OK);
    }
    c->write.bytes = c->log.records.size + c->mesh_bytes.size;
    c->write.held = sizeof *c + nd_edit_log_size(&c->log) + c->answer.capacity;
    if (!methods->log.take || !methods->log.take(methods->log.user, c)) {
        nd_writer_push(methods->store->writer, &c->write);
        return;
    }
    nd_world *w = c->world ? nd_worlds_find(methods->worlds, c->world) : NULL;
    if (w) w->unlogged++;
    methods->unlogged++;
}
