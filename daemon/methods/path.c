// path.find
#include "daemon/methods/path.h"

#include "daemon/paths/find.h"

nav_status nd_call_ask_path(nd_call *c, uint64_t world, np_str profile, nd_path_call *call)
{
    nd_paths *paths = c->methods->paths;
    nd_world *w;
    uint32_t index = 0, waiting = nd_paths_waiting(paths, c->session->id);
    nav_status s = call ? NAV_OK : np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the call");
    if (s == NAV_OK) s = nd_call_world(c, world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, profile, &index);
    if (s == NAV_OK && waiting >= c->methods->config->max_calls)
        s = np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls about paths are waiting already (--max-calls)", waiting);
    if (s == NAV_OK) {
        call->session = c->session->id;
        call->request = c->message->id;
        if (c->message->axes) call->axes = *c->message->axes;
        s = nd_paths_ask(paths, w, index, call, &c->err);
    }
    if (s != NAV_OK) nd_path_call_destroy(call);
    return s;
}

nav_status nd_method_path_find(nd_call *c)
{
    np_path_find_request r;
    nav_status s = np_decode_path_find_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_find_call_create(&r)) : s;
}
