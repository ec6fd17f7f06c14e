// mesh.have: which meshes must be sent. Hashes are looked up at once. Digests may have to be computed first: a worker
// does that, and the session's next call waits. They are stored with what is known of each mesh.
#include "daemon/methods/methods.h"
#include "daemon/work/digest_job.h"

#include <stdlib.h>

static nav_status answer(nd_methods *methods, nd_session *session, uint32_t request, const np_mesh_have_request *r,
                         np_error *err)
{
    nav_key *keys = calloc((size_t)r->hash_count + r->digest_count + 1, sizeof *keys);
    if (!keys) return np_error_set(err, NAV_ERR_MEMORY, "no memory for the response");
    np_mesh_have_response out = {.missing = keys, .key_count = r->digest_count, .keys = keys + r->hash_count};
    for (uint32_t i = 0; i < r->hash_count; i++)
        if (!nd_mesh_store_find_in(methods->meshes, session->space, &r->hashes[i]))
            keys[out.missing_count++] = r->hashes[i];
    for (uint32_t i = 0; i < r->digest_count; i++) {
        const nd_mesh *m = nd_mesh_store_find_digest_in(methods->meshes, session->space, &r->digests[i]);
        if (m) keys[r->hash_count + i] = m->mesh->hash;
    }
    nd_reply(session, request, NP_MESH_HAVE, &out);
    free(keys);
    return NAV_OK;
}

static bool knows_all(nd_methods *methods, const nd_session *session, const np_mesh_have_request *r)
{
    for (uint32_t i = 0; i < r->digest_count; i++)
        if (!nd_mesh_store_find_digest_in(methods->meshes, session->space, &r->digests[i])) return false;
    return true;
}

static void digests_done(nd_task *task, bool ran)
{
    nd_digest_job *j = (nd_digest_job *)task;
    nd_methods *methods = j->owner;
    nd_session *s = ran && !methods->stopping ? nd_sessions_find(methods->sessions, j->session) : NULL;
    np_error err = {0};
    nav_status status = ran ? nd_digest_job_file(j, methods->meshes) : NAV_OK;
    if (status != NAV_OK) np_error_set(&err, status, "no memory for the digests of meshes");
    if (ran && methods->store && !methods->stopping) nd_world_store_note_meshes(methods->store, j->meshes, j->count);
    if (s) {
        if (status == NAV_OK) status = answer(methods, s, j->request, &j->asked, &err);
        if (status != NAV_OK) nd_reply_error(s, j->request, &err);
        nd_session_release(s);
    }
    nd_digest_job_destroy(j);
}

nav_status nd_method_mesh_have(nd_call *c)
{
    np_mesh_have_request r;
    size_t unread;
    nav_status s = np_decode_mesh_have_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (knows_all(c->methods, c->session, &r)) return answer(c->methods, c->session, c->message->id, &r, &c->err);
    nd_digest_job *j = nd_digest_job_create(c->methods->meshes, c->session->space, &r, &unread);
    if (!j) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the digests of meshes");
    if (unread) {
        nd_digest_job_destroy(j);
        return np_error_set(&c->err, NAV_ERR_AGAIN, "%zu meshes are still being read from disk: try again", unread);
    }
    if (!j->count) {
        nd_digest_job_destroy(j);
        return answer(c->methods, c->session, c->message->id, &r, &c->err);
    }
    j->task.done = digests_done;
    j->owner = c->methods;
    j->session = c->session->id;
    j->request = c->message->id;
    nd_session_hold(c->session);
    nd_workers_push(c->methods->workers, &j->task);
    return NAV_OK;
}
