// Places of the ground.
#include "clients/c/client.h"

#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

const char *navd_place_status_name(navd_place_status s)
{
    return np_place_status_name((nav_place_status)s);
}

static navd_places *take(uint64_t revision, uint32_t open_tiles, uint32_t count)
{
    navd_places *p = calloc(1, sizeof *p + count * sizeof *p->places);
    if (!p) return NULL;
    *p = (navd_places){revision, open_tiles, count, (navd_place *)(p + 1)};
    return p;
}

static void set_place(navd_place *to, bool has, const np_ground_place *place)
{
    to->has_place = has;
    if (!has) return;
    memcpy(to->at, place->at, sizeof to->at);
    to->tile_x = place->x;
    to->tile_z = place->z;
    to->cell = place->cell;
}

static void set_wall(navd_place *to, bool has, const np_ground_wall *wall)
{
    to->has_wall = has;
    if (!has) return;
    memcpy(to->wall.from, wall->from, sizeof wall->from);
    memcpy(to->wall.to, wall->to, sizeof wall->to);
    memcpy(to->wall.normal, wall->normal, sizeof wall->normal);
}

// Places as the protocol has them. NULL: no memory.
static np_place_query *wire_of(const double (*at)[3], uint32_t count)
{
    np_place_query *wire = malloc(((size_t)count + 1) * sizeof *wire);
    for (uint32_t i = 0; wire && i < count; i++) memcpy(wire[i].at, at[i], sizeof wire[i].at);
    return wire;
}

static nav_status take_nearest(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_nearest_response r;
    (void)c;
    nav_status s = np_decode_path_nearest_response(in, &r, err);
    if (s != NAV_OK) return s;
    navd_places *p = take(r.revision, r.open_tiles, r.place_count);
    if (!p) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < p->count; i++) {
        p->places[i].status = (navd_place_status)r.places[i].status;
        p->places[i].distance_m = r.places[i].distance_m;
        set_place(&p->places[i], r.places[i].has_place, &r.places[i].place);
    }
    *(navd_places **)out = p;
    return NAV_OK;
}

navd_status navd_find_nearest(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                              const double (*at)[3], uint32_t count, navd_places **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_place_query *wire = wire_of(at, count);
    np_path_nearest_request r = {.world = world,
                                 .profile = np_str_of(profile),
                                 .near_m = options->near_m,
                                 .exclude = options->exclude,
                                 .query_count = count,
                                 .queries = wire};
    s = wire ? np_encode_path_nearest_request(&c->out, navd_client_next_id(c), &r) : NAV_ERR_MEMORY;
    free(wire);
    return navd_client_finish_over_ground(c, s, take_nearest, out);
}

static nav_status take_rays(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_raycast_response r;
    (void)c;
    nav_status s = np_decode_path_raycast_response(in, &r, err);
    if (s != NAV_OK) return s;
    navd_places *p = take(r.revision, r.open_tiles, r.ray_count);
    if (!p) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < p->count; i++) {
        p->places[i].status = (navd_place_status)r.rays[i].status;
        p->places[i].distance_m = r.rays[i].length_m;
        set_place(&p->places[i], r.rays[i].has_end, &r.rays[i].end);
        set_wall(&p->places[i], r.rays[i].has_wall, &r.rays[i].wall);
    }
    *(navd_places **)out = p;
    return NAV_OK;
}

navd_status navd_cast_rays(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                           const navd_path_query *lines, uint32_t count, navd_places **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_path_query *wire = malloc(((size_t)count + 1) * sizeof *wire);
    for (uint32_t i = 0; wire && i < count; i++) {
        memcpy(wire[i].from, lines[i].from, sizeof wire[i].from);
        memcpy(wire[i].to, lines[i].to, sizeof wire[i].to);
    }
    np_path_raycast_request r = {.world = world,
                                 .profile = np_str_of(profile),
                                 .near_m = options->near_m,
                                 .exclude = options->exclude,
                                 .query_count = count,
                                 .queries = wire};
    s = wire ? np_encode_path_raycast_request(&c->out, navd_client_next_id(c), &r) : NAV_ERR_MEMORY;
    free(wire);
    return navd_client_finish_over_ground(c, s, take_rays, out);
}

static nav_status take_walls(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_wall_response r;
    (void)c;
    nav_status s = np_decode_path_wall_response(in, &r, err);
    if (s != NAV_OK) return s;
    navd_places *p = take(r.revision, r.open_tiles, r.wall_count);
    if (!p) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < p->count; i++) {
        p->places[i].status = (navd_place_status)r.walls[i].status;
        p->places[i].distance_m = r.walls[i].distance_m;
        set_place(&p->places[i], r.walls[i].has_place, &r.walls[i].place);
        set_wall(&p->places[i], r.walls[i].has_wall, &r.walls[i].wall);
    }
    *(navd_places **)out = p;
    return NAV_OK;
}

navd_status navd_find_walls(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                            double limit_m, const double (*at)[3], uint32_t count, navd_places **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_place_query *wire = wire_of(at, count);
    np_path_wall_request r = {.world = world,
                              .profile = np_str_of(profile),
                              .near_m = options->near_m,
                              .exclude = options->exclude,
                              .limit_m = limit_m,
                              .query_count = count,
                              .queries = wire};
    s = wire ? np_encode_path_wall_request(&c->out, navd_client_next_id(c), &r) : NAV_ERR_MEMORY;
    free(wire);
    return navd_client_finish_over_ground(c, s, take_walls, out);
}

static nav_status take_reached(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_reach_response r;
    (void)c;
    nav_status s = np_decode_path_reach_response(in, &r, err);
    if (s != NAV_OK) return s;
    navd_places *p = take(r.revision, r.open_tiles, r.goal_count);
    if (!p) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < p->count; i++) p->places[i].status = (navd_place_status)r.goals[i].status;
    *(navd_places **)out = p;
    return NAV_OK;
}

navd_status navd_reach_goals(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                             const double from[3], const double (*goals)[3], uint32_t count, navd_places **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_place_query *wire = wire_of(goals, count);
    np_path_reach_request r = {.world = world,
                               .profile = np_str_of(profile),
                               .near_m = options->near_m,
                               .exclude = options->exclude,
                               .from = {from[0], from[1], from[2]},
                               .goal_count = count,
                               .goals = wire};
    s = wire ? np_encode_path_reach_request(&c->out, navd_client_next_id(c), &r) : NAV_ERR_MEMORY;
    free(wire);
    return navd_client_finish_over_ground(c, s, take_reached, out);
}

void navd_places_free(navd_places *p)
{
    free(p);
}

static nav_status take_random(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_random_response r;
    (void)c;
    nav_status s = np_decode_path_random_response(in, &r, err);
    if (s != NAV_OK) return s;
    navd_random_places *p = calloc(1, sizeof *p + r.points.size);
    if (!p) return NAV_ERR_MEMORY;
    *p = (navd_random_places){r.revision, r.open_tiles, (navd_place_status)r.status,
                              r.points.size / NP_PATH_POINT_BYTES, (float *)(void *)(p + 1)};
    for (uint32_t k = 0; k < 3 * p->count; k++) p->points[k] = nav_load_f32(r.points.data + 4 * (size_t)k);
    *(navd_random_places **)out = p;
    return NAV_OK;
}

navd_status navd_draw_places(navd_client *c, uint64_t world, const char *profile, const navd_random_query *query,
                             navd_random_places **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_path_random_request r = {.world = world,
                                .profile = np_str_of(profile),
                                .near_m = query->near_m,
                                .seed = query->seed,
                                .count = query->count,
                                .areas = query->areas,
                                .exclude = query->exclude,
                                .has_at = query->has_at,
                                .at = {query->at[0], query->at[1], query->at[2]},
                                .radius_m = query->radius_m,
                                .reachable = query->reachable};
    s = np_encode_path_random_request(&c->out, navd_client_next_id(c), &r);
    return navd_client_finish_over_ground(c, s, take_random, out);
}

void navd_random_places_free(navd_random_places *p)
{
    free(p);
}

static nav_status take_within(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_within_response r;
    (void)c;
    nav_status s = np_decode_path_within_response(in, &r, err);
    if (s != NAV_OK) return s;
    uint32_t cells = r.cells.size / NP_WITHIN_CELL_BYTES, outlines = r.outlines.size / 4, points = 0;
    uint32_t left = r.points.size / NP_PATH_POINT_BYTES;
    for (uint32_t i = 0; i < outlines; i++) {
        uint32_t count = nav_load_u32(r.outlines.data + 4 * (size_t)i);
        if (count > left) return np_error_set(err, NAV_ERR_FORMAT, "the daemon sent outlines with too few points");
        left -= count;
    }
    navd_within *w = calloc(1, sizeof *w + cells * sizeof *w->cells + r.points.size + r.outlines.size + 4);
    if (!w) return NAV_ERR_MEMORY;
    navd_within_cell *cell = (navd_within_cell *)(w + 1);
    float *point = (float *)(void *)(cell + cells);
    uint32_t *first = (uint32_t *)(void *)(point + 3 * (size_t)(r.points.size / NP_PATH_POINT_BYTES));
    for (uint32_t i = 0; i < cells; i++) {
        const uint8_t *at = r.cells.data + (size_t)i * NP_WITHIN_CELL_BYTES;
        cell[i] = (navd_within_cell){nav_load_i32(at), nav_load_i32(at + 4), nav_load_u32(at + 8),
                                     nav_load_f32(at + 12), nav_load_u32(at + 16) != 0};
    }
    for (uint32_t i = 0; i < outlines; i++) {
        points += nav_load_u32(r.outlines.data + 4 * (size_t)i);
        first[i + 1] = points;
    }
    for (uint32_t k = 0; k < 3 * points; k++) point[k] = nav_load_f32(r.points.data + 4 * (size_t)k);
    *w = (navd_within){r.revision, r.open_tiles, (navd_place_status)r.status, cell, cells, point, first, outlines};
    *(navd_within **)out = w;
    return NAV_OK;
}

navd_status navd_find_within(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                             const double at[3], double distance_m, bool outlines, navd_within **out)
{
    *out = NULL;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_path_within_request r = {.world = world,
                                .profile = np_str_of(profile),
                                .near_m = options->near_m,
                                .exclude = options->exclude,
                                .at = {at[0], at[1], at[2]},
                                .distance_m = distance_m,
                                .outlines = outlines};
    s = np_encode_path_within_request(&c->out, navd_client_next_id(c), &r);
    return navd_client_finish_over_ground(c, s, take_within, out);
}

void navd_within_free(navd_within *w)
{
    free(w);
}
