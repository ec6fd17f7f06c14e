#include "tests/daemon/path_watcher.h"

#include <string.h>

void watcher_connect(path_watcher *w, const daemon_fixture *d, uint64_t world)
{
    memset(w, 0, sizeof *w);
    client_connect(&w->client, d);
    client_greet(&w->client);
    w->client.world = world;
    w->terms = (np_path_watch_request){.world = world, .profile = np_str_of("walker"), .near_m = NP_PATH_NEAR_M};
}

nav_status watcher_try(path_watcher *w, const np_path_query *queries, uint32_t count, uint64_t *id, np_error *err)
{
    np_path_watch_request r = w->terms;
    np_path_watch_response out = {0};
    r.queries = queries;
    r.query_count = count;
    nav_status s = client_call(&w->client, NP_PATH_WATCH, &r, &out, err);
    *id = out.subscription;
    return s;
}

uint64_t watcher_watch(path_watcher *w, const np_path_query *queries, uint32_t count)
{
    uint64_t id;
    np_error err = {0};
    ck_assert_msg(watcher_try(w, queries, count, &id, &err) == NAV_OK, "%s", err.message);
    return id;
}

static bool same(const told_path *p, const told_path *q)
{
    return p->status == q->status && p->length_m == q->length_m && p->surface_m == q->surface_m && p->cost == q->cost &&
           p->lower_bound == q->lower_bound && nav_key_equal(p->points, q->points);
}

static told_path told(const np_path_result *r, uint32_t notes)
{
    return (told_path){r->status, r->length_m,    r->surface_m,
                       r->cost,   r->lower_bound, nav_key_of(r->points.data, r->points.size),
                       notes};
}

// Files a note of the watch. True: it says that all is true now up to the revision, or that the watch has ended.
static bool file(path_watcher *w, const np_message *m, uint64_t id, uint64_t revision)
{
    np_error err;
    np_paths_note p;
    np_synced_note s;
    np_ended_note e;
    switch (np_method_of(m)) {
    case NP_PATHS:
        ck_assert_int_eq(np_decode_paths_note(m, &p, &err), NAV_OK);
        ck_assert_uint_eq(p.world, w->terms.world);
        for (uint32_t i = 0; p.subscription == id && i < p.path_count; i++) {
            told_path *t = &w->paths[p.paths[i].query], before = *t;
            *t = told(&p.paths[i].path, before.notes + 1);
            ck_assert(!before.notes || !same(t, &before));
        }
        return false;
    case NP_SYNCED:
        ck_assert_int_eq(np_decode_synced_note(m, &s, &err), NAV_OK);
        if (s.subscription != id) return false;
        ck_assert(!w->synced || s.revision > w->synced);
        w->synced = s.revision;
        return w->synced >= revision;
    case NP_ENDED:
        ck_assert_int_eq(np_decode_ended_note(m, &e, &err), NAV_OK);
        ck_assert_uint_eq(e.subscription, id);
        snprintf(w->ended, sizeof w->ended, "%.*s", (int)e.reason.size, e.reason.data);
        return true;
    default:
        return false;
    }
}

void watcher_hear(path_watcher *w, uint64_t id, uint64_t revision)
{
    np_message m;
    for (bool last = w->synced >= revision && w->synced; !last;) {
        ck_assert(client_read(&w->client, &m));
        last = m.kind == NP_NOTIFICATION && file(w, &m, id, revision);
        np_message_deinit(&m);
    }
}

#define GAP 0.01 // that a path may be above its bound

static bool agree(const path_watcher *w, const told_path *p, const told_path *q)
{
    if (!w->terms.world_costs && !w->terms.cost_count) return same(p, q);
    return p->status == q->status && p->lower_bound <= q->cost * (1 + 1e-9) && q->lower_bound <= p->cost * (1 + 1e-9) &&
           p->cost * (1 - 2 * GAP) <= q->cost;
}

void watcher_check(const path_watcher *w, client *other, const np_path_query *queries, uint32_t count)
{
    np_path_find_request r = w->terms;
    np_path_find_response out;
    np_error err = {0};
    r.queries = queries;
    r.query_count = count;
    ck_assert_msg(client_call(other, NP_PATH_FIND, &r, &out, &err) == NAV_OK, "%s", err.message);
    for (uint32_t i = 0; i < count; i++) {
        const told_path *was = &w->paths[i], is = told(&out.paths[i], 1);
        ck_assert_uint_ge(was->notes, 1);
        ck_assert_msg(agree(w, was, &is), "path %u was told as %s of %g m for %g (%g), and is %s of %g m for %g (%g)",
                      i, np_path_status_name(was->status), was->length_m, was->cost, was->lower_bound,
                      np_path_status_name(is.status), is.length_m, is.cost, is.lower_bound);
    }
}
