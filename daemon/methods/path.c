// path.find, path.watch, path.unwatch, path.audit, path.cancel
#include "daemon/methods/path.h"

#include "daemon/paths/audit.h"
#include "daemon/paths/find.h"
#include "daemon/paths/watch.h"
#include "daemon/world/areas.h"

#include <inttypes.h>

// Of agents that climb there are paths alone.
static nav_status check_sheets(nd_call *c, const nd_world *w, uint32_t profile)
{
    const np_profile *p = &w->profiles[profile].wire;
    if (p->settings.sheets == NAV_SHEETS_UP) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_STATE, "profile",
                            "profile: \"%.*s\" has sheets other than up, over which navd answers path.find alone; ask "
                            "for a profile with the sheets [\"up\"]",
                            (int)p->name.size, p->name.data);
}

// What of path.find is for floors alone.
static nav_status check_climb(nd_call *c, const nd_world *w, const np_path_find_request *r)
{
    const char *key = r->radius_m > 0 ? "radius_m" : r->links ? "links" : r->has_gap ? "gap" : NULL;
    uint32_t profile;
    nav_status s = key ? nd_call_profile(c, w, r->profile, &profile) : NAV_OK;
    if (!key || s != NAV_OK || w->profiles[profile].wire.settings.sheets == NAV_SHEETS_UP) return s;
    return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, key,
                            "%s: \"%.*s\" has sheets other than up, and over these there is no %s: leave it out", key,
                            (int)r->profile.size, r->profile.data, key);
}

static nav_status ask(nd_call *c, uint64_t world, np_str profile, bool climbs, nd_path_call *call)
{
    nd_paths *paths = c->methods->paths;
    nd_world *w;
    uint32_t index = 0, waiting = nd_paths_waiting(paths, c->session->id);
    nav_status s = call ? NAV_OK : np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the call");
    if (s == NAV_OK) s = nd_call_world(c, world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, profile, &index);
    if (s == NAV_OK && !climbs) s = check_sheets(c, w, index);
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

nav_status nd_call_ask_path(nd_call *c, uint64_t world, np_str profile, nd_path_call *call)
{
    return ask(c, world, profile, false, call);
}

nav_status nd_method_path_find(nd_call *c)
{
    np_path_find_request r;
    nd_world *w;
    nav_status s = np_decode_path_find_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = check_climb(c, w, &r);
    if (s != NAV_OK) return s;
    return ask(c, r.world, r.profile, true, nd_find_call_create(&r, w->areas ? &w->areas->core : NULL));
}

nav_status nd_method_path_watch(nd_call *c)
{
    static const np_axes metres;
    np_path_watch_request r;
    nd_world *w;
    uint32_t profile;
    np_path_watch_response out;
    nav_status s = np_decode_path_watch_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, r.profile, &profile);
    if (s == NAV_OK) s = check_sheets(c, w, profile);
    if (s != NAV_OK) return s;
    out.subscription = c->methods->delivery->next_subscription;
    s = nd_path_watch_create(c->methods->paths, c->session, w, out.subscription, &r,
                             c->message->axes ? c->message->axes : &metres, &c->err);
    if (s != NAV_OK) return s;
    c->methods->delivery->next_subscription++;
    nd_reply(c->session, c->message->id, NP_PATH_WATCH, &out);
    return NAV_OK;
}

nav_status nd_method_path_unwatch(nd_call *c)
{
    np_path_unwatch_request r;
    np_none out = {0};
    nav_status s = np_decode_path_unwatch_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (!nd_path_watch_remove(c->methods->paths, c->session->id, r.subscription))
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "subscription",
                                "the session watches no paths by the number %" PRIu64, r.subscription);
    nd_reply(c->session, c->message->id, NP_PATH_UNWATCH, &out);
    return NAV_OK;
}

nav_status nd_method_path_audit(nd_call *c)
{
    np_path_audit_request r;
    nav_status s = np_decode_path_audit_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_audit_call_create(&r)) : s;
}

nav_status nd_method_path_cancel(nd_call *c)
{
    np_path_cancel_request r;
    nav_status s = np_decode_path_cancel_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    const np_path_cancel_response out = {nd_paths_cancel(c->methods->paths, c->session->id, r.call)};
    nd_reply(c->session, c->message->id, NP_PATH_CANCEL, &out);
    return NAV_OK;
}
