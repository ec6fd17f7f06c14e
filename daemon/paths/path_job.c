#include "daemon/paths/path_job.h"

#include "core/base/endian.h"
#include "daemon/base/clock.h"
#include "navcore/tile.h"

#include <stdlib.h>
#include <string.h>

nd_path_call *nd_path_call_create(const np_path_find_request *r)
{
    nd_path_call *c = calloc(1, sizeof *c + r->query_count * sizeof *c->queries);
    if (!c) return NULL;
    atomic_init(&c->cancelled, false);
    c->near_m = r->near_m;
    c->count = r->query_count;
    if (c->count) memcpy(c->queries, r->queries, c->count * sizeof *c->queries);
    c->results = calloc((size_t)c->count + 1, sizeof *c->results);
    if (c->results) return c;
    free(c);
    return NULL;
}

void nd_path_call_destroy(nd_path_call *c)
{
    if (!c) return;
    nav_buffer_deinit(&c->points);
    free(c->results);
    free(c);
}

void nd_path_job_destroy(nd_path_job *j)
{
    if (!j) return;
    for (uint32_t i = 0; i < j->change_count; i++) nd_blob_unref(j->changes[i].blob);
    free(j->changes);
    nd_path_call_destroy(j->call);
    free(j);
}

static bool is_made_for(const nd_blob *tile, const nav_settings *s)
{
    nav_tile_view v;
    if (nav_tile_open(tile->data, tile->size, &v, NULL, 0) != NAV_OK) return true; // damaged: the set says so
    return v.tile_cells == s->tile_cells && v.cell_size_m == s->cell_size_m && v.cell_height_m == s->cell_height_m &&
           memcmp(v.origin_m, s->origin_m, sizeof v.origin_m) == 0 && v.agent_height_m == s->agent_height_m &&
           v.agent_radius_m == s->agent_radius_m && v.agent_climb_m == s->agent_climb_m;
}

// The first tile decides which others the set takes.
static nav_status put(nd_path_job *j, const nd_blob *tile)
{
    if (!nav_path_set_tiles(j->set) && !is_made_for(tile, j->settings)) return NAV_ERR_ARGUMENT;
    return nav_path_set_put(j->set, tile->data, tile->size, NULL, 0);
}

static nav_status apply(nd_path_job *j, nd_worker *worker)
{
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < j->change_count && s == NAV_OK; i++) {
        nd_path_change *c = &j->changes[i];
        nd_blob *plain = NULL;
        if (c->blob) s = nd_unpack_blob(&worker->unpacker, NP_ENCODING_NAVD, c->blob, &plain);
        if (plain) s = put(j, plain);
        nd_blob_unref(plain);
        nd_blob_unref(c->blob);
        if (!c->blob || (s != NAV_OK && s != NAV_ERR_MEMORY)) {
            nav_path_set_drop(j->set, c->x, c->z);
            j->damaged += s != NAV_OK && s != NAV_ERR_ARGUMENT; // for other settings
            s = NAV_OK;
        }
        c->blob = NULL;
        if (s == NAV_OK && nav_path_set_bytes(j->set) > j->max_bytes) s = NAV_ERR_LIMIT;
    }
    return s == NAV_OK && j->change_count ? nav_path_set_join(j->set) : s;
}

static bool is_over(void *user)
{
    const nd_path_call *c = user;
    return atomic_load_explicit(&c->cancelled, memory_order_relaxed) || nd_now_ns() > c->most_ns;
}

static nav_status add_points(nd_path_call *c, const nav_path *path, np_path_result *out)
{
    size_t bytes = (size_t)path->point_count * NP_PATH_POINT_BYTES;
    if (c->points.size + bytes > (size_t)NP_PATH_POINTS * NP_PATH_POINT_BYTES) {
        *out = (np_path_result){.status = NAV_PATH_LIMIT};
        return NAV_OK;
    }
    out->points.size = (uint32_t)bytes; // where they begin is known when all are there
    for (uint32_t i = 0; i < path->point_count; i++) {
        float at[3];
        uint8_t wire[NP_PATH_POINT_BYTES];
        memcpy(at, &path->points[3 * (size_t)i], sizeof at);
        np_axes_floats_from_metres(&c->axes, NP_PLACE_POINT, at, 1);
        for (int k = 0; k < 3; k++) nav_store_f32(wire + 4 * k, at[k]);
        nav_status s = nav_buffer_append(&c->points, wire, sizeof wire);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

static nav_status answer(nd_path_job *j)
{
    nd_path_call *c = j->call;
    c->most_ns += nd_now_ns();
    for (uint32_t i = 0; i < c->count; i++) {
        nav_path_query q = {.near_m = c->near_m, .max_nodes = c->max_nodes, .stop = is_over, .user = c};
        np_path_result *out = &c->results[i];
        nav_path path;
        if (is_over(c)) {
            out->status = NAV_PATH_LIMIT;
            continue;
        }
        memcpy(q.from, c->queries[i].from, sizeof q.from);
        memcpy(q.to, c->queries[i].to, sizeof q.to);
        nav_status s = nav_path_find(j->finder, j->set, &q, &path);
        if (s == NAV_ERR_FORMAT) { // damaged tiles
            out->status = NAV_PATH_LIMIT;
            continue;
        }
        if (s != NAV_OK) return s;
        *out = (np_path_result){path.status, path.length_m, path.surface_m, {NULL, 0}};
        s = add_points(c, &path, out);
        if (s != NAV_OK) return s;
    }
    const uint8_t *at = c->points.data;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!c->results[i].points.size) continue;
        c->results[i].points.data = at;
        at += c->results[i].points.size;
    }
    return NAV_OK;
}

void nd_path_job_run(nd_task *task, nd_worker *worker)
{
    nd_path_job *j = (nd_path_job *)task;
    j->status = apply(j, worker);
    if (j->status == NAV_OK) j->status = answer(j);
}
