#include "daemon/paths/find.h"

#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

typedef struct find_call {
    nd_path_call call;
    double near_m, radius_m;
    bool links;
    nav_path_costs costs;
    atomic_llong room; // points
    np_path_result *results;
    np_path_query queries[];
} find_call;

nav_status nd_path_describe(const nav_path *path, const np_axes *axes, nav_arena *arena, atomic_llong *room,
                            np_path_result *out)
{
    *out = (np_path_result){path->status, path->length_m, path->surface_m, {NULL, 0}};
    if (!path->point_count) return NAV_OK;
    if (atomic_fetch_sub_explicit(room, path->point_count, memory_order_relaxed) < path->point_count) {
        atomic_fetch_add_explicit(room, path->point_count, memory_order_relaxed);
        *out = (np_path_result){.status = NAV_PATH_LIMIT};
        return NAV_OK;
    }
    uint8_t *wire = NAV_TAKE(arena, uint8_t, (size_t)path->point_count * NP_PATH_POINT_BYTES);
    if (!wire) return NAV_ERR_MEMORY;
    out->points = (np_bin){wire, path->point_count * NP_PATH_POINT_BYTES};
    for (uint32_t i = 0; i < path->point_count; i++, wire += NP_PATH_POINT_BYTES) {
        float at[3];
        memcpy(at, &path->points[3 * (size_t)i], sizeof at);
        np_axes_floats_from_metres(axes, NP_PLACE_POINT, at, 1);
        for (int k = 0; k < 3; k++) nav_store_f32(wire + 4 * k, at[k]);
    }
    return NAV_OK;
}

static nav_status answer(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    find_call *c = (find_call *)call;
    np_path_result *out = &c->results[item];
    nav_path_query q = {.near_m = c->near_m,
                        .radius_m = c->radius_m,
                        .costs = &c->costs,
                        .links = c->links,
                        .max_nodes = call->max_nodes,
                        .stop = nd_path_call_stop,
                        .user = call};
    nav_path path;
    *out = (np_path_result){.status = NAV_PATH_LIMIT};
    if (nd_path_call_is_over(call)) return NAV_OK;
    memcpy(q.from, c->queries[item].from, sizeof q.from);
    memcpy(q.to, c->queries[item].to, sizeof q.to);
    nav_status s = nav_path_find(hand->finder, hand->set, &q, &path);
    if (s == NAV_ERR_FORMAT || s == NAV_ERR_LIMIT) return NAV_OK; // damaged tiles, or too wide an agent
    return s == NAV_OK ? nd_path_describe(&path, &call->axes, &hand->arena, &c->room, out) : s;
}

static void reply(nd_path_call *call, nd_session *s)
{
    const find_call *c = (const find_call *)call;
    const np_path_find_response out = {
        .revision = call->revision, .open_tiles = call->open_tiles, .path_count = call->count, .paths = c->results};
    nd_reply(s, call->request, NP_PATH_FIND, &out);
}

static void destroy(nd_path_call *call)
{
    free(((find_call *)call)->results);
    free(call);
}

static const nd_path_kind kind = {.method = NP_PATH_FIND, .answer = answer, .reply = reply, .destroy = destroy};

nd_path_call *nd_find_call_create(const np_path_find_request *r)
{
    size_t bytes = sizeof(find_call) + r->query_count * (sizeof *r->queries + sizeof(np_path_result));
    find_call *c = calloc(1, sizeof *c + r->query_count * sizeof *c->queries);
    np_path_result *results = calloc((size_t)r->query_count + 1, sizeof *results);
    if (!c || !results) {
        free(c);
        free(results);
        return NULL;
    }
    c->near_m = r->near_m;
    c->radius_m = r->radius_m;
    c->links = r->links;
    nav_path_costs_default(&c->costs);
    c->costs.excluded = r->exclude;
    c->results = results;
    atomic_init(&c->room, NP_PATH_POINTS);
    if (r->query_count) memcpy(c->queries, r->queries, r->query_count * sizeof *c->queries);
    nd_path_call_init(&c->call, &kind, r->query_count, bytes);
    return &c->call;
}
