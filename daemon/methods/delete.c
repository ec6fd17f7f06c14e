// world.delete
#include "daemon/methods/durable.h"
#include "daemon/store/world_store.h"

nav_status nd_method_world_delete(nd_call *c)
{
    np_world_delete_request r;
    nd_world *w;
    nd_commit *commit = NULL;
    np_none out = {0};
    nd_methods *methods = c->methods;
    nav_status s = np_decode_world_delete_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = nd_durable_check(methods, "the deletion", &c->err);
    if (s == NAV_OK) s = nd_commit_begin(methods, c->session->id, c->message->id, &commit, &c->err);
    if (s != NAV_OK) return s;
    if (!commit) {
        nd_methods_remove_world(methods, w);
        nd_reply(c->session, c->message->id, NP_WORLD_DELETE, &out);
        return NAV_OK;
    }
    s = nd_change_remove_world(&commit->log.records, w->id);
    if (s != NAV_OK) {
        nd_commit_destroy(commit);
        return np_error_set(&c->err, s, "no memory to delete the world");
    }
    nd_world_store_flush(methods->store); // nothing is written of it behind its end
    w->leaving = true;
    commit->world = w->id;
    commit->is_deletion = true;
    nd_commit_reply(commit, methods, c->session->id, c->message->id, NP_WORLD_DELETE, &out);
    return NAV_OK;
}
