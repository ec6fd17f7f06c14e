// The shortest paths.
#include "clients/c/client.h"
#include "clients/c/convert.h"
#include "clients/c/path_request.h"

#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

const char *navd_path_status_name(navd_path_status s)
{
    return np_path_status_name((nav_path_status)s);
}

const char *navd_path_limit_name(navd_path_limit l)
{
    return np_path_limit_name((np_path_limit)l);
}

static bool has_sheets(const np_path_result *p)
{
    return p->points.size && p->normals.size == p->points.size &&
           p->sheets.size == p->points.size / NP_PATH_POINT_BYTES;
}

size_t navd_path_floats(const np_path_result *p)
{
    const size_t floats = p->points.size / sizeof(float);
    return has_sheets(p) ? 2 * floats + (p->sheets.size + sizeof(float) - 1) / sizeof(float) : floats;
}

void navd_path_from_wire(const np_path_result *in, navd_path_link **links, float **points, navd_path *out)
{
    *out = (navd_path){.status = (navd_path_status)in->status,
                       .length_m = in->length_m,
                       .surface_m = in->surface_m,
                       .points = *points,
                       .point_count = in->points.size / NP_PATH_POINT_BYTES,
                       .cost = in->cost,
                       .lower_bound = in->lower_bound,
                       .optimal = in->optimal,
                       .limit = (navd_path_limit)in->limit,
                       .link_count = in->link_count,
                       .links = *links};
    for (uint32_t k = 0; k < in->link_count; k++) {
        const np_path_link *l = &in->links[k];
        *(*links)++ = (navd_path_link){l->point, l->link, l->area, l->back};
    }
    for (uint32_t k = 0; k < in->points.size / sizeof(float); k++)
        *(*points)++ = nav_load_f32(in->points.data + 4 * (size_t)k);
    if (!has_sheets(in)) return;
    out->normals = *points;
    for (uint32_t k = 0; k < in->normals.size / sizeof(float); k++)
        *(*points)++ = nav_load_f32(in->normals.data + 4 * (size_t)k);
    out->sheets = memcpy(*points, in->sheets.data, in->sheets.size);
    *points += (in->sheets.size + sizeof(float) - 1) / sizeof(float);
}

// One block: the result, its paths, and all of their links and points.
static nav_status take_paths(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_find_response answer;
    (void)c;
    nav_status s = np_decode_path_find_response(in, &answer, err);
    if (s != NAV_OK) return s;
    size_t floats = 0, links = 0;
    for (uint32_t i = 0; i < answer.path_count; i++) {
        floats += navd_path_floats(&answer.paths[i]);
        links += answer.paths[i].link_count;
    }
    navd_paths *p = calloc(1, sizeof *p + answer.path_count * sizeof *p->paths + links * sizeof(navd_path_link) +
                                  floats * sizeof(float));
    if (!p) return NAV_ERR_MEMORY;
    p->revision = answer.revision;
    p->open_tiles = answer.open_tiles;
    p->count = answer.path_count;
    p->paths = (navd_path *)(p + 1);
    navd_path_link *link = (navd_path_link *)(void *)(p->paths + p->count);
    float *at = (float *)(void *)(link + links);
    for (uint32_t i = 0; i < p->count; i++) {
        navd_path_from_wire(&answer.paths[i], &link, &at, &p->paths[i]);
    }
    *(navd_paths **)out = p;
    return NAV_OK;
}

navd_status navd_find_paths(navd_client *c, uint64_t world, const char *profile, double near_m,
                            const navd_path_query *queries, uint32_t count, navd_paths **out)
{
    return navd_find_paths_with(c, world, profile, &(navd_path_options){.near_m = near_m}, queries, count, out);
}

np_path_find_request *navd_path_request_create(uint64_t world, const char *profile, const navd_path_options *options,
                                               const navd_path_query *queries, uint32_t count)
{
    size_t name = strlen(profile) + 1;
    np_path_find_request *r =
        malloc(sizeof *r + count * sizeof *r->queries + options->cost_count * sizeof *r->costs + name);
    if (!r) return NULL;
    np_path_query *line = (np_path_query *)(r + 1);
    np_area_cost *cost = (np_area_cost *)(line + count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(line[i].from, queries[i].from, sizeof line[i].from);
        memcpy(line[i].to, queries[i].to, sizeof line[i].to);
    }
    for (uint32_t i = 0; i < options->cost_count; i++)
        cost[i] = (np_area_cost){options->costs[i].area, options->costs[i].cost};
    *r = (np_path_find_request){
        .world = world,
        .profile = np_str_of(memcpy(cost + options->cost_count, profile, name)),
        .near_m = options->near_m,
        .radius_m = options->radius_m,
        .exclude = options->exclude,
        .links = options->links,
        .world_costs = options->world_costs,
        .cost_count = options->cost_count,
        .costs = cost,
        .has_gap = options->gap != 0,
        .gap = options->gap,
        .query_count = count,
        .queries = line,
    };
    return r;
}

navd_status navd_find_paths_with(navd_client *c, uint64_t world, const char *profile, const navd_path_options *options,
                                 const navd_path_query *queries, uint32_t count, navd_paths **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_path_find_request *r = navd_path_request_create(world, profile, options, queries, count);
    s = r ? np_encode_path_find_request(&c->out, navd_client_next_id(c), r) : NAV_ERR_MEMORY;
    free(r);
    return navd_client_finish_over_ground(c, s, take_paths, out);
}

// --- Giving up ---

static nav_status take_cancelled(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_cancel_response answer;
    (void)c, (void)out;
    return np_decode_path_cancel_response(in, &answer, err);
}

static void free_call(navd_client *c, call *k)
{
    (void)c;
    free(k);
}

navd_status navd_client_cancel_path(navd_client *c, uint32_t id)
{
    const np_path_cancel_request request = {id};
    call *k = calloc(1, sizeof *k);
    if (k) *k = (call){.take = take_cancelled, .finish = free_call};
    nav_status s = k ? np_encode_path_cancel_request(&c->out, navd_client_next_id(c), &request) : NAV_ERR_MEMORY;
    return navd_client_start(c, s, k);
}

navd_status navd_cancel_paths(navd_client *c)
{
    nav_status s = navd_client_ready(c, false);
    for (const call *k = c->calls; k && s == NAV_OK; k = k->next)
        if (k->over_ground) s = (nav_status)navd_client_cancel_path(c, k->id);
    return (navd_status)s;
}

void navd_paths_free(navd_paths *p)
{
    free(p);
}
