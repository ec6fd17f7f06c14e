#include "daemon/paths/places.h"

#include "core/base/endian.h"
#include "navcore/path_places.h"

#include <stdlib.h>
#include <string.h>

// A call of any of these methods: its queries and results are arrays of what the method has.
typedef struct place_call {
    nd_path_call call;
    nav_place_scope scope;
    double limit_m;      // of path.wall
    double from[3];      // of path.reach
    uint32_t goals_each; // of path.reach: goals of an item
    uint32_t goal_count;
    nav_path_random_query random; // of path.random, which is one item
    void *queries, *results;      // owned
} place_call;

static void destroy(nd_path_call *call)
{
    place_call *c = (place_call *)call;
    free(c->queries);
    free(c->results);
    free(c);
}

static place_call *create(const nd_path_kind *kind, double near_m, uint64_t exclude, uint32_t count,
                          const void *queries, size_t query_bytes, size_t result_bytes)
{
    place_call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->scope = (nav_place_scope){.near_m = near_m, .excluded = exclude, .stop = nd_path_call_stop, .user = &c->call};
    c->queries = malloc(count * query_bytes + 1);
    c->results = calloc((size_t)count + 1, result_bytes);
    if (!c->queries || !c->results) {
        destroy(&c->call);
        return NULL;
    }
    if (query_bytes && count) memcpy(c->queries, queries, count * query_bytes);
    nd_path_call_init(&c->call, kind, count, sizeof *c + count * (query_bytes + result_bytes));
    return c;
}

// In which axes a response is written.
static const np_axes *axes_of(const nd_path_call *call)
{
    return np_axes_is_plain(&call->axes) ? NULL : &call->axes;
}

static np_ground_place describe_place(const nav_path_place *p)
{
    return (np_ground_place){{p->at[0], p->at[1], p->at[2]}, p->cell.tile_x, p->cell.tile_z, p->cell.cell};
}

// The ends are converted with the message; the normal is a direction, which has no unit.
static np_ground_wall describe_wall(const nav_path_edge *e, const np_axes *axes)
{
    np_ground_wall out = {.normal = {e->normal[0], 0, e->normal[1]}};
    memcpy(out.from, e->from, sizeof out.from);
    memcpy(out.to, e->to, sizeof out.to);
    if (axes->up == NP_UP_Z) {
        out.normal[1] = 0 - e->normal[1];
        out.normal[2] = 0;
    }
    return out;
}

// Damaged tiles are no error of the call.
static nav_status of_call(nav_status s)
{
    return s == NAV_ERR_FORMAT ? NAV_OK : s;
}

// --- path.nearest ---

static nav_status answer_nearest(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    place_call *c = (place_call *)call;
    np_nearest_result *out = (np_nearest_result *)c->results + item;
    nav_path_nearest n = {.status = NAV_PLACE_NONE};
    nav_status s = nav_path_find_nearest(hand->set, ((np_place_query *)c->queries)[item].at, &c->scope, &n);
    *out = (np_nearest_result){.status = n.status, .distance_m = n.distance_m};
    if (s == NAV_OK && n.status == NAV_PLACE_FOUND) {
        out->has_place = true;
        out->place = describe_place(&n.place);
    }
    return s;
}

static void reply_nearest(nd_path_call *call, nd_session *s)
{
    const np_path_nearest_response out = {.revision = call->revision,
                                          .open_tiles = call->open_tiles,
                                          .place_count = call->count,
                                          .places = ((place_call *)call)->results,
                                          .axes = axes_of(call)};
    nd_reply(s, call->request, NP_PATH_NEAREST, &out);
}

static const nd_path_kind nearest = {
    .method = NP_PATH_NEAREST, .answer = answer_nearest, .reply = reply_nearest, .destroy = destroy};

nd_path_call *nd_nearest_call_create(const np_path_nearest_request *r)
{
    place_call *c = create(&nearest, r->near_m, r->exclude, r->query_count, r->queries, sizeof *r->queries,
                           sizeof(np_nearest_result));
    return c ? &c->call : NULL;
}

// --- path.raycast ---

static nav_status answer_raycast(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    place_call *c = (place_call *)call;
    const np_path_query *q = (np_path_query *)c->queries + item;
    np_ray_result *out = (np_ray_result *)c->results + item;
    nav_path_ray ray;
    *out = (np_ray_result){.status = NAV_PLACE_LIMIT};
    if (nd_path_call_is_over(call)) return NAV_OK;
    nav_status s = nav_path_raycast(hand->finder, hand->set, q->from, q->to, &c->scope, &ray);
    if (s != NAV_OK) return of_call(s);
    out->status = ray.status;
    out->length_m = ray.length_m;
    out->has_end = ray.status == NAV_PLACE_FOUND || ray.status == NAV_PLACE_WALL;
    if (out->has_end) out->end = describe_place(&ray.end);
    out->has_wall = ray.status == NAV_PLACE_WALL;
    if (out->has_wall) out->wall = describe_wall(&ray.wall, &call->axes);
    return NAV_OK;
}

static void reply_raycast(nd_path_call *call, nd_session *s)
{
    const np_path_raycast_response out = {.revision = call->revision,
                                          .open_tiles = call->open_tiles,
                                          .ray_count = call->count,
                                          .rays = ((place_call *)call)->results,
                                          .axes = axes_of(call)};
    nd_reply(s, call->request, NP_PATH_RAYCAST, &out);
}

static const nd_path_kind raycast = {
    .method = NP_PATH_RAYCAST, .answer = answer_raycast, .reply = reply_raycast, .destroy = destroy};

nd_path_call *nd_raycast_call_create(const np_path_raycast_request *r)
{
    place_call *c =
        create(&raycast, r->near_m, r->exclude, r->query_count, r->queries, sizeof *r->queries, sizeof(np_ray_result));
    return c ? &c->call : NULL;
}

// --- path.wall ---

static nav_status answer_wall(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    place_call *c = (place_call *)call;
    np_wall_result *out = (np_wall_result *)c->results + item;
    nav_path_wall wall;
    *out = (np_wall_result){.status = NAV_PLACE_LIMIT};
    if (nd_path_call_is_over(call)) return NAV_OK;
    nav_status s = nav_path_find_wall(hand->finder, hand->set, ((np_place_query *)c->queries)[item].at, &c->scope,
                                      c->limit_m, &wall);
    if (s != NAV_OK) return of_call(s);
    out->status = wall.status;
    out->distance_m = wall.distance_m;
    out->has_place = out->has_wall = wall.status == NAV_PLACE_FOUND;
    if (!out->has_wall) return NAV_OK;
    out->place = describe_place(&wall.place);
    out->wall = describe_wall(&wall.edge, &call->axes);
    return NAV_OK;
}

static void reply_wall(nd_path_call *call, nd_session *s)
{
    const np_path_wall_response out = {.revision = call->revision,
                                       .open_tiles = call->open_tiles,
                                       .wall_count = call->count,
                                       .walls = ((place_call *)call)->results,
                                       .axes = axes_of(call)};
    nd_reply(s, call->request, NP_PATH_WALL, &out);
}

static const nd_path_kind wall_kind = {
    .method = NP_PATH_WALL, .answer = answer_wall, .reply = reply_wall, .destroy = destroy};

nd_path_call *nd_wall_call_create(const np_path_wall_request *r)
{
    place_call *c = create(&wall_kind, r->near_m, r->exclude, r->query_count, r->queries, sizeof *r->queries,
                           sizeof(np_wall_result));
    if (c) c->limit_m = r->limit_m;
    return c ? &c->call : NULL;
}

// --- path.random ---

static nav_status answer_random(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    place_call *c = (place_call *)call;
    np_path_random_response *out = (np_path_random_response *)c->results + item;
    nav_path_randoms r;
    out->status = NAV_PLACE_LIMIT;
    if (nd_path_call_is_over(call)) return NAV_OK;
    c->random.stop = nd_path_call_stop;
    c->random.user = call;
    nav_status s = nav_path_random(hand->finder, hand->set, &c->random, &r);
    if (s != NAV_OK) return of_call(s);
    out->status = r.status;
    if (!r.count) return NAV_OK;
    uint8_t *wire = NAV_TAKE(&hand->arena, uint8_t, (size_t)r.count * NP_PATH_POINT_BYTES);
    if (!wire) return NAV_ERR_MEMORY;
    out->points = (np_bin){wire, r.count * NP_PATH_POINT_BYTES};
    for (uint32_t i = 0; i < r.count; i++, wire += NP_PATH_POINT_BYTES) {
        float at[3];
        memcpy(at, r.points[i].at, sizeof at);
        np_axes_floats_from_metres(&call->axes, NP_PLACE_POINT, at, 1);
        for (int k = 0; k < 3; k++) nav_store_f32(wire + 4 * k, at[k]);
    }
    return NAV_OK;
}

static void reply_random(nd_path_call *call, nd_session *s)
{
    np_path_random_response out = *(np_path_random_response *)((place_call *)call)->results;
    out.revision = call->revision;
    out.open_tiles = call->open_tiles;
    nd_reply(s, call->request, NP_PATH_RANDOM, &out);
}

static const nd_path_kind random_kind = {
    .method = NP_PATH_RANDOM, .answer = answer_random, .reply = reply_random, .destroy = destroy};

nd_path_call *nd_random_call_create(const np_path_random_request *r)
{
    place_call *c = create(&random_kind, r->near_m, r->exclude, 1, NULL, 0, sizeof(np_path_random_response));
    if (!c) return NULL;
    c->random = (nav_path_random_query){.seed = r->seed,
                                        .count = r->count,
                                        .areas = r->areas,
                                        .excluded = r->exclude,
                                        .at = {r->at[0], r->at[1], r->at[2]},
                                        .near_m = r->near_m,
                                        .radius_m = r->radius_m,
                                        .reachable = r->reachable};
    return &c->call;
}

// --- path.reach ---

_Static_assert(sizeof(np_place_query) == sizeof(double[3]) && sizeof(np_reach_result) == sizeof(nav_place_status),
               "arrays of them are arrays of what they hold");

// A goal at a time, which takes no time; where areas are excluded all of them at once, as what one can get to is
// visited for them.
static nav_status answer_reach(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    place_call *c = (place_call *)call;
    uint32_t first = item * c->goals_each;
    const np_place_query *goals = (np_place_query *)c->queries + first;
    return nav_path_reach(hand->finder, hand->set, c->from, &c->scope, (const double(*)[3])goals, c->goals_each,
                          (nav_place_status *)c->results + first);
}

static void reply_reach(nd_path_call *call, nd_session *s)
{
    const np_path_reach_response out = {.revision = call->revision,
                                        .open_tiles = call->open_tiles,
                                        .goal_count = ((place_call *)call)->goal_count,
                                        .goals = ((place_call *)call)->results};
    nd_reply(s, call->request, NP_PATH_REACH, &out);
}

static const nd_path_kind reach = {
    .method = NP_PATH_REACH, .answer = answer_reach, .reply = reply_reach, .destroy = destroy};

nd_path_call *nd_reach_call_create(const np_path_reach_request *r)
{
    place_call *c =
        create(&reach, r->near_m, r->exclude, r->goal_count, r->goals, sizeof *r->goals, sizeof(np_reach_result));
    if (!c) return NULL;
    memcpy(c->from, r->from, sizeof c->from);
    c->goal_count = r->goal_count;
    c->goals_each = r->exclude ? r->goal_count : 1;
    if (r->exclude && r->goal_count) c->call.count = 1;
    return &c->call;
}
