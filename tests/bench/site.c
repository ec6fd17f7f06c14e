#include "tests/bench/site.h"

#include "clients/navctl/output/progress.h"
#include "core/tile/tile_format.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096 };

// --- the session ---

static void take_tile(void *user, const navd_tile *t)
{
    session *s = user;
    nav_tile_view view;
    char why[128];
    s->tiles++;
    s->cached += t->made_us == 0;
    s->made_us += t->made_us;
    s->queued_us += t->queued_us;
    s->unpacked_bytes += t->size;
    if (t->size && nav_tile_open(t->data, t->size, &view, why, sizeof why) != NAV_OK) {
        fprintf(stderr, "bench: tile %d,%d: %s\n", t->x, t->z, why);
        s->broken = true;
    }
    if (t->status == NAVD_TILE_FAILED) {
        fprintf(stderr, "bench: tile %d,%d failed: %s\n", t->x, t->z, t->reason);
        s->broken = true;
    }
    s->last_tile_s = now_s();
}

bool session_did(const session *s, navd_status status, const char *doing)
{
    if (status == NAVD_OK) return true;
    fprintf(stderr, "bench: %s: %s: %s\n", doing, navd_status_name(status), navd_error_text(s->client));
    return false;
}

uint64_t session_counter(const session *s, const char *name)
{
    navd_counter *all = NULL;
    size_t count = 0;
    uint64_t value = 0;
    if (session_did(s, navd_stats(s->client, &all, &count), "stats")) {
        for (size_t i = 0; i < count; i++) value = strcmp(all[i].name, name) ? value : all[i].value;
    }
    free(all);
    return value;
}

bool session_send(session *s, const scene *from)
{
    return session_did(s, bench_scene_send(from, s->client, s->world), "scene");
}

bool session_open(session *s, const char *name)
{
    navd_profile profile = {.name = "agent"};
    navd_world world = {0};
    navd_settings_default(&profile.settings);
    if (s->settings) profile.settings = *s->settings;
    if (s->outlines) profile.settings.outlines = strcmp(s->outlines, "true") ? NAVD_OUTLINES_VOXEL : NAVD_OUTLINES_TRUE;
    if (s->edge_error > 0) profile.settings.edge_max_error_cells = s->edge_error;
    navd_set_timeout(s->client, -1);
    if (!session_did(s, navd_world_open(s->client, name, true, NULL, &profile, 1, &world), "world")) return false;
    s->world = world.id;
    navd_world_free(&world);
    return true;
}

static bool set_seeds(session *s)
{
    // A few on the ground, so that one at least stands on no box.
    const float seeds[][3] = {{5, 0, 5}, {105, 0, 5}, {5, 0, 105}, {105, 0, 105}, {55, 0, 55}, {205, 0, 205}};
    navd_edit_result r;
    navd_operation op = {.kind = NAVD_SET_REACH};
    op.u.reach.unreachable = NAVD_UNREACHABLE_DROP;
    op.u.reach.seeds = seeds;
    op.u.reach.seed_count = sizeof seeds / sizeof *seeds;
    return session_did(s, navd_edit(s->client, s->world, NULL, &op, 1, &r), "seeds");
}

// --- the measurement ---

static void edit_done(void *user, navd_status status, const char *text, const navd_edit_result *result)
{
    session *s = user;
    (void)result;
    if (status == NAVD_OK) return;
    fprintf(stderr, "bench: edit: %s\n", text);
    s->broken = true;
}

static void wait_done(void *user, navd_status status, const char *text, uint64_t now)
{
    session *s = user;
    (void)now;
    s->answered = true;
    if (status == NAVD_OK) return;
    fprintf(stderr, "bench: wait: %s\n", text);
    s->broken = true;
}

// Milliseconds; below 0 where the edit changed no tile, or something broke.
static double edit(session *s, const navd_operation *ops, size_t count)
{
    s->answered = false;
    s->last_tile_s = 0;
    double began_s = now_s();
    if (!session_did(s, navd_edit_start(s->client, s->world, NULL, ops, count, edit_done, s), "edit") ||
        !session_did(s, navd_wait_start(s->client, s->world, NULL, wait_done, s), "wait"))
        s->broken = true;
    while (!s->answered && !s->broken) {
        s->broken = !session_did(s, navd_process(s->client), "edit");
        if (s->answered || s->broken) break;
        struct pollfd p = {.fd = navd_fd(s->client), .events = POLLIN};
        if (navd_want_write(s->client)) p.events |= POLLOUT;
        poll(&p, 1, -1);
    }
    return s->last_tile_s > 0 && !s->broken ? (s->last_tile_s - began_s) * 1e3 : -1;
}

void session_take_tiles(session *s)
{
    navd_on_tile(s->client, take_tile, s);
}

bool site_edit(site *at, series *into, const navd_operation *op)
{
    return site_edit_all(at, into, op, 1);
}

bool site_edit_all(site *at, series *into, const navd_operation *ops, size_t count)
{
    session *s = &at->session;
    double cpu_ms = service_cpu_ms(&at->daemon);
    s->tiles = s->cached = s->made_us = s->queued_us = 0;
    double ms = edit(s, ops, count);
    if (ms >= 0) into->ms[into->count++] = ms;
    into->tiles += s->tiles;
    into->cached += s->cached;
    into->made_us += s->made_us;
    into->queued_us += s->queued_us;
    into->cpu_ms += service_cpu_ms(&at->daemon) - cpu_ms;
    return !s->broken;
}

static bool move(site *at, series *into, uint32_t id, const float transform[12])
{
    navd_operation op = {.kind = NAVD_MOVE_INSTANCE, .id = id};
    memcpy(op.u.instance.transform, transform, sizeof op.u.instance.transform);
    return site_edit(at, into, &op);
}

uint32_t site_next_move(site *at, float to[12])
{
    uint32_t first = at->scene.instance_count - at->city->boxes;
    uint32_t id = first + (uint32_t)bench_random_in(&at->random, 0, at->city->boxes);
    memcpy(to, at->scene.instances[id].transform, 12 * sizeof *to);
    to[3] = at->corner[0] + (float)bench_random_in(&at->random, 0, at->city->side_m);
    to[11] = at->corner[1] + (float)bench_random_in(&at->random, 0, at->city->side_m);
    return id;
}

bool site_move_and_undo(site *at)
{
    float to[12];
    uint32_t id = site_next_move(at, to);
    return move(at, &at->moves, id, to) && move(at, &at->undos, id, at->scene.instances[id].transform);
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void series_sort(series *s)
{
    qsort(s->ms, s->count, sizeof *s->ms, compare_double);
}

double series_percentile(const series *s, uint32_t percent)
{
    return s->count ? s->ms[(s->count * percent + 99) / 100 - 1] : 0;
}

void series_report(table *t, const city *c, const char *what, series *s)
{
    series_sort(s);
    table_add(t, "%s", what);
    table_add(t, "%s", c->name);
    table_add(t, "%u", c->boxes);
    table_add(t, "%.2f", c->side_m * c->side_m * 1e-6);
    table_add(t, "%u", s->count);
    table_add(t, "%.3f", series_percentile(s, 50));
    table_add(t, "%.3f", series_percentile(s, 99));
    table_add(t, "%.3f", series_percentile(s, 100));
    table_add(t, "%.2f", (double)s->tiles / MOVES);
    table_add(t, "%.3f", s->tiles ? (double)s->made_us / 1e3 / (double)s->tiles : 0);
    table_add(t, "%.3f", s->tiles ? (double)s->queued_us / 1e3 / (double)s->tiles : 0);
    table_add(t, "%.3f", s->cpu_ms / MOVES);
    table_add(t, "%llu", (unsigned long long)s->cached);
}

void site_init(site *at, const city *c)
{
    at->city = c;
    at->random.state = 17;
    bench_scene_city(&at->scene, c->boxes, c->side_m);
}

bool site_init_from(site *at, city *c, const char *path, uint32_t boxes)
{
    char why[256];
    const char *slash = strrchr(path, '/');
    if (!scene_read(path, &at->scene, why, sizeof why)) {
        fprintf(stderr, "bench: %s: %s\n", path, why);
        return false;
    }
    double x = (double)at->scene.max[0] - (double)at->scene.min[0];
    double z = (double)at->scene.max[2] - (double)at->scene.min[2];
    *c = (city){slash ? slash + 1 : path, boxes, x < z ? x : z, false};
    at->city = c;
    at->random.state = 17;
    at->corner[0] = at->scene.min[0];
    at->corner[1] = at->scene.min[2];
    bench_scene_add_boxes(&at->scene, boxes, c->side_m);
    return true;
}

bool site_open(site *at, const bench_options *o, table *fill)
{
    session *s = &at->session;
    const city *c = at->city;
    fprintf(stderr, "bench: %s, %u boxes on %g km2%s\n", c->name, c->boxes, c->side_m * c->side_m * 1e-6,
            c->seeds ? ", with seeds" : "");
    s->outlines = o->outlines;
    s->edge_error = o->edge_error;
    if (!service_start(&at->daemon, o->navd, at->durable) || !service_connect(&at->daemon, &s->client) ||
        !session_open(s, "city") || (c->seeds && !set_seeds(s)))
        return false;
    navd_on_tile(s->client, take_tile, s);

    double began_s = now_s();
    if (!session_send(s, &at->scene)) return false;
    double sent_s = now_s();
    if (!session_did(s, navd_wait(s->client, s->world, NULL, NULL), "wait")) return false;
    double built_s = now_s();
    uint64_t made = session_counter(s, "jobs_built"), subscription;
    const navd_subscription_options all = {.profile = "agent", .encoding = NAVD_ENCODING_NAVD};
    if (!session_did(s, navd_subscribe(s->client, s->world, &all, &subscription), "subscribe") ||
        !session_did(s, navd_wait(s->client, s->world, NULL, NULL), "wait"))
        return false;
    double streamed_s = now_s();
    table_add(fill, "%s", c->name);
    table_add(fill, "%u", c->boxes);
    table_add(fill, "%.2f", c->side_m * c->side_m * 1e-6);
    table_add(fill, "%llu", (unsigned long long)s->tiles);
    table_add(fill, "%.2f", sent_s - began_s);
    table_add(fill, "%.2f", built_s - began_s);
    table_add(fill, "%.0f", (double)s->tiles / (built_s - began_s));
    table_add(fill, "%llu", (unsigned long long)made);
    table_add(fill, "%.2f", streamed_s - built_s);
    table_add(fill, "%.1f", (double)s->unpacked_bytes / (1 << 20));
    table_add(fill, "%.1f", (double)session_counter(s, "cache_bytes") / (1 << 20));
    table_add(fill, "%.0f", service_memory(&at->daemon, "VmRSS:"));
    table_add(fill, "%.0f", service_memory(&at->daemon, "VmHWM:"));
    return !s->broken;
}

void site_close(site *at)
{
    navd_close(at->session.client);
    service_stop(&at->daemon);
    service_remove(&at->daemon);
    scene_deinit(&at->scene);
}
