// path.find
#include "daemon/methods/methods.h"

nav_status nd_method_path_find(nd_call *c)
{
    np_path_find_request r;
    nd_world *w;
    uint32_t profile = 0;
    nav_status s = np_decode_path_find_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, r.profile, &profile);
    if (s != NAV_OK) return s;
    uint32_t waiting = nd_paths_waiting(c->methods->paths, c->session->id);
    if (waiting >= c->methods->config->max_calls)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls of path.find are waiting already (--max-calls)", waiting);
    nd_path_call *call = nd_path_call_create(&r);
    if (!call) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the queries");
    call->session = c->session->id;
    call->request = c->message->id;
    if (c->message->axes) call->axes = *c->message->axes;
    s = nd_paths_ask(c->methods->paths, w, profile, call);
    if (s == NAV_OK) return NAV_OK;
    nd_path_call_destroy(call);
    return np_error_set(&c->err, s, "no memory for the tiles");
}
