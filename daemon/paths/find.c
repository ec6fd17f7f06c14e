#include "daemon/paths/find.h"

#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

typedef struct find_call {
    nd_path_call call;
    nd_path_terms terms;
    atomic_llong room; // points
    np_path_result *results;
    np_path_query queries[];
} find_call;

void nd_path_terms_of(const np_path_find_request *r, const nav_area_table *areas, nd_path_terms *out)
{
    *out = (nd_path_terms){.near_m = r->near_m,
                           .radius_m = r->radius_m,
                           .gap = r->has_gap ? r->gap : 0,
                           .links = r->links,
                           .plain = !r->links && !(r->radius_m > 0) && !r->world_costs && !r->cost_count};
    nav_path_costs_of_table(r->world_costs ? areas : NULL, &out->costs);
    for (uint32_t i = 0; i < r->cost_count; i++) out->costs.cost[r->costs[i].area] = r->costs[i].cost;
    out->costs.excluded = r->exclude;
}

nav_status nd_path_search(const nd_path_terms *t, const np_path_query *query, uint32_t max_nodes,
                          bool (*stop)(void *user), void *user, nd_path_hand *hand, nav_path *out, np_path_limit *limit)
{
    nav_path_query q = {.near_m = t->near_m,
                        .radius_m = t->radius_m,
                        .costs = &t->costs,
                        .links = t->links,
                        .gap = t->gap,
                        .max_nodes = max_nodes,
                        .stop = stop,
                        .user = user};
    memcpy(q.from, query->from, sizeof q.from);
    memcpy(q.to, query->to, sizeof q.to);
    nav_status s = nav_path_find(hand->finder, hand->set, &q, out);
    if (s == NAV_OK && t->plain) hand->spent += nav_path_landmarks_may_save(out->nodes);
    *limit = s == NAV_ERR_LIMIT ? NP_PATH_LIMIT_RADIUS : s == NAV_ERR_FORMAT ? NP_PATH_LIMIT_TILES : NP_PATH_NO_LIMIT;
    if (*limit == NP_PATH_NO_LIMIT) return s;
    *out = (nav_path){.status = NAV_PATH_LIMIT};
    return NAV_OK;
}

nav_status nd_path_describe(const nav_path *path, np_path_limit limit, const np_axes *axes, nav_arena *arena,
                            atomic_llong *room, np_path_result *out)
{
    static const np_path_limit limits[] = {[NAV_PATH_NO_LIMIT] = NP_PATH_NO_LIMIT,
                                           [NAV_PATH_OUT_OF_NODES] = NP_PATH_LIMIT_NODES,
                                           [NAV_PATH_STOPPED] = NP_PATH_LIMIT_TIME};
    *out = (np_path_result){.status = path->status,
                            .length_m = path->length_m,
                            .surface_m = path->surface_m,
                            .cost = path->cost,
                            .lower_bound = path->lower_bound,
                            .optimal = path->optimal,
                            .limit = limit != NP_PATH_NO_LIMIT ? limit : limits[path->limit]};
    if (!path->point_count) return NAV_OK;
    if (atomic_fetch_sub_explicit(room, path->point_count, memory_order_relaxed) < path->point_count) {
        atomic_fetch_add_explicit(room, path->point_count, memory_order_relaxed);
        *out = (np_path_result){.status = NAV_PATH_LIMIT, .limit = NP_PATH_LIMIT_POINTS};
        return NAV_OK;
    }
    np_path_link *links = NAV_TAKE(arena, np_path_link, path->jump_count);
    uint8_t *wire = NAV_TAKE(arena, uint8_t, (size_t)path->point_count * NP_PATH_POINT_BYTES);
    if (!wire || !links) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < path->jump_count; i++) {
        const nav_path_jump *j = &path->jumps[i];
        links[i] = (np_path_link){j->point, j->link, j->area, j->back};
    }
    out->links = links;
    out->link_count = path->jump_count;
    out->points = (np_bin){wire, path->point_count * NP_PATH_POINT_BYTES};
    for (uint32_t i = 0; i < path->point_count; i++, wire += NP_PATH_POINT_BYTES) {
        float at[3];
        memcpy(at, &path->points[3 * (size_t)i], sizeof at);
        np_axes_floats_from_metres(axes, NP_PLACE_POINT, at, 1);
        for (int k = 0; k < 3; k++) nav_store_f32(wire + 4 * k, at[k]);
    }
    return NAV_OK;
}

// --- over walls and ceilings ---

static nav_status describe_climb(const nav_climb_path *path, bool is_over, const np_axes *axes, nav_arena *arena,
                                 atomic_llong *room, np_path_result *out)
{
    static const nav_path_status statuses[] = {[NAV_CLIMB_FOUND] = NAV_PATH_FOUND,
                                               [NAV_CLIMB_PARTIAL] = NAV_PATH_PARTIAL,
                                               [NAV_CLIMB_NO_START] = NAV_PATH_NO_START,
                                               [NAV_CLIMB_NO_GOAL] = NAV_PATH_NO_GOAL,
                                               [NAV_CLIMB_LIMIT] = NAV_PATH_LIMIT};
    const np_axes turn = {.up = axes->up};
    const uint32_t count = path->point_count;
    *out = (np_path_result){
        .status = statuses[path->status], .length_m = path->length_m, .surface_m = path->length_m, .cost = path->cost};
    if (path->status == NAV_CLIMB_LIMIT) out->limit = is_over ? NP_PATH_LIMIT_TIME : NP_PATH_LIMIT_NODES;
    if (!count) return NAV_OK;
    if (atomic_fetch_sub_explicit(room, count, memory_order_relaxed) < count) {
        atomic_fetch_add_explicit(room, count, memory_order_relaxed);
        *out = (np_path_result){.status = NAV_PATH_LIMIT, .limit = NP_PATH_LIMIT_POINTS};
        return NAV_OK;
    }
    uint8_t *points = NAV_TAKE(arena, uint8_t, (size_t)count * (2 * NP_PATH_POINT_BYTES + 1));
    if (!points) return NAV_ERR_MEMORY;
    uint8_t *normals = points + (size_t)count * NP_PATH_POINT_BYTES;
    uint8_t *sheets = normals + (size_t)count * NP_PATH_POINT_BYTES;
    out->points = (np_bin){points, count * NP_PATH_POINT_BYTES};
    out->normals = (np_bin){normals, count * NP_PATH_POINT_BYTES};
    out->sheets = (np_bin){sheets, count};
    for (uint32_t i = 0; i < count; i++) {
        const nav_climb_point *p = &path->points[i];
        float at[3] = {(float)p->at[0], (float)p->at[1], (float)p->at[2]};
        float normal[3] = {p->normal[0], p->normal[1], p->normal[2]};
        np_axes_floats_from_metres(axes, NP_PLACE_POINT, at, 1);
        np_axes_floats_from_metres(&turn, NP_PLACE_POINT, normal, 1);
        for (size_t k = 0; k < 3; k++) {
            nav_store_f32(points + i * (size_t)NP_PATH_POINT_BYTES + 4 * k, at[k]);
            nav_store_f32(normals + i * (size_t)NP_PATH_POINT_BYTES + 4 * k, normal[k]);
        }
        sheets[i] = p->sheet;
    }
    return NAV_OK;
}

static nav_status answer_climb(find_call *c, nd_path_hand *hand, uint32_t item)
{
    nd_path_call *call = &c->call;
    const np_path_query *query = &c->queries[item];
    nav_climb_query q = {.from = {.near_m = c->terms.near_m},
                         .to = {.near_m = c->terms.near_m},
                         .costs = &c->terms.costs,
                         .max_nodes = call->max_nodes,
                         .stop = nd_path_call_stop,
                         .user = call};
    nav_climb_path path;
    memcpy(q.from.at, query->from, sizeof q.from.at);
    memcpy(q.to.at, query->to, sizeof q.to.at);
    nav_status s = hand->climber ? NAV_OK : nav_climb_finder_create(&hand->climber);
    if (s == NAV_OK) s = nav_climb_find(hand->climber, hand->climb, &q, &path);
    if (s != NAV_OK) return s;
    return describe_climb(&path, nd_path_call_is_over(call), &call->axes, &hand->arena, &c->room, &c->results[item]);
}

static nav_status answer(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    find_call *c = (find_call *)call;
    np_path_result *out = &c->results[item];
    nav_path path;
    np_path_limit limit;
    *out = (np_path_result){.status = NAV_PATH_LIMIT, .limit = NP_PATH_LIMIT_TIME};
    if (nd_path_call_is_over(call)) return NAV_OK;
    if (hand->climb) return answer_climb(c, hand, item);
    nav_status s =
        nd_path_search(&c->terms, &c->queries[item], call->max_nodes, nd_path_call_stop, call, hand, &path, &limit);
    return s == NAV_OK ? nd_path_describe(&path, limit, &call->axes, &hand->arena, &c->room, out) : s;
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

nd_path_call *nd_find_call_create(const np_path_find_request *r, const nav_area_table *areas)
{
    size_t bytes = sizeof(find_call) + r->query_count * (sizeof *r->queries + sizeof(np_path_result));
    find_call *c = calloc(1, sizeof *c + r->query_count * sizeof *c->queries);
    np_path_result *results = calloc((size_t)r->query_count + 1, sizeof *results);
    if (!c || !results) {
        free(c);
        free(results);
        return NULL;
    }
    nd_path_terms_of(r, areas, &c->terms);
    c->results = results;
    atomic_init(&c->room, NP_PATH_POINTS);
    if (r->query_count) memcpy(c->queries, r->queries, r->query_count * sizeof *c->queries);
    nd_path_call_init(&c->call, &kind, r->query_count, bytes);
    return &c->call;
}
