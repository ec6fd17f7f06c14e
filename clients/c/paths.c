// The shortest paths.
#include "clients/c/client.h"

#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

const char *navd_path_status_name(navd_path_status s)
{
    return np_path_status_name((nav_path_status)s);
}

// One block: the result, its paths and all of their points.
static nav_status take_paths(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_find_response answer;
    (void)c;
    nav_status s = np_decode_path_find_response(in, &answer, err);
    if (s != NAV_OK) return s;
    size_t floats = 0;
    for (uint32_t i = 0; i < answer.path_count; i++) floats += answer.paths[i].points.size / sizeof(float);
    navd_paths *p = calloc(1, sizeof *p + answer.path_count * sizeof *p->paths + floats * sizeof(float));
    if (!p) return NAV_ERR_MEMORY;
    p->revision = answer.revision;
    p->open_tiles = answer.open_tiles;
    p->count = answer.path_count;
    p->paths = (navd_path *)(p + 1);
    float *at = (float *)(void *)(p->paths + p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        const np_path_result *r = &answer.paths[i];
        p->paths[i] = (navd_path){.status = (navd_path_status)r->status,
                                  .length_m = r->length_m,
                                  .surface_m = r->surface_m,
                                  .points = at,
                                  .point_count = r->points.size / NP_PATH_POINT_BYTES};
        for (uint32_t k = 0; k < r->points.size / sizeof(float); k++)
            *at++ = nav_load_f32(r->points.data + 4 * (size_t)k);
    }
    *(navd_paths **)out = p;
    return NAV_OK;
}

navd_status navd_find_paths(navd_client *c, uint64_t world, const char *profile, double near_m,
                            const navd_path_query *queries, uint32_t count, navd_paths **out)
{
    return navd_find_wide_paths(c, world, profile, near_m, 0, queries, count, out);
}

navd_status navd_find_wide_paths(navd_client *c, uint64_t world, const char *profile, double near_m, double radius_m,
                                 const navd_path_query *queries, uint32_t count, navd_paths **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_path_query *wire = malloc(((size_t)count + 1) * sizeof *wire);
    for (uint32_t i = 0; wire && i < count; i++) {
        memcpy(wire[i].from, queries[i].from, sizeof wire[i].from);
        memcpy(wire[i].to, queries[i].to, sizeof wire[i].to);
    }
    np_path_find_request request = {.world = world,
                                    .profile = np_str_of(profile),
                                    .near_m = near_m,
                                    .radius_m = radius_m,
                                    .query_count = count,
                                    .queries = wire};
    s = wire ? np_encode_path_find_request(&c->out, navd_client_next_id(c), &request) : NAV_ERR_MEMORY;
    free(wire);
    return navd_client_finish(c, s, take_paths, out);
}

void navd_paths_free(navd_paths *p)
{
    free(p);
}
