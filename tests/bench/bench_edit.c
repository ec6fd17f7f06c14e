// Latency of edits, as an editor meets it: a daemon in a process of its own, the client library on a Unix socket, a
// city of boxes. A move is timed from the moment before it is sent to the moment its last tile has been unpacked and
// checked here. Then it is undone, timed in the same way.
#include "clients/c/navd.h"
#include "clients/navctl/progress.h"
#include "core/tile/tile_format.h"
#include "tests/bench/bench.h"
#include "tests/bench/scenes.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOVES = 200, BATCH = 4096, CONNECT_TRIES = 1000 };

typedef struct service {
    pid_t pid;
    char folder[32], socket[48];
} service;

typedef struct session {
    navd_client *client;
    uint64_t world;
    bool seeds;
    uint64_t tiles, cached, unpacked_bytes; // since they were reset
    uint64_t made_us, queued_us;
    double last_tile_s;
    bool broken, answered;
} session;

typedef struct city {
    uint32_t boxes;
    double side_m;
    bool seeds; // and what they do not reach, as the roofs, is dropped
} city;

// What a series of edits came to.
typedef struct series {
    double ms[MOVES];
    uint32_t count; // that changed a tile
    uint64_t tiles, cached, made_us, queued_us;
    double cpu_ms; // the daemon's
} series;

// --- the daemon ---

static bool service_start(service *s, const char *navd)
{
    strcpy(s->folder, "/tmp/navd-bench-XXXXXX");
    if (!mkdtemp(s->folder)) return false;
    snprintf(s->socket, sizeof s->socket, "%s/socket", s->folder);
    char *const argv[] = {(char *)navd, (char *)"--socket", s->socket, (char *)"--log-level", (char *)"error", NULL};
    if (posix_spawn(&s->pid, navd, NULL, NULL, argv, environ) == 0) return true;
    fprintf(stderr, "bench: cannot start %s\n", navd);
    s->pid = 0;
    return false;
}

static void service_stop(service *s)
{
    char lock[64];
    if (s->pid > 0) {
        kill(s->pid, SIGTERM);
        waitpid(s->pid, NULL, 0);
    }
    snprintf(lock, sizeof lock, "%s.lock", s->socket);
    unlink(lock);
    unlink(s->socket);
    rmdir(s->folder);
}

// MiB, by a line's name in /proc/PID/status.
static double service_memory(const service *s, const char *key)
{
    char path[64], line[256];
    double kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)s->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, key, strlen(key)) == 0) kib = strtod(line + strlen(key), NULL);
    }
    if (f) fclose(f);
    return kib / 1024;
}

// Processor time of all its threads so far, milliseconds.
static double service_cpu_ms(const service *s)
{
    char path[96];
    double sum_ns = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)s->pid);
    DIR *threads = opendir(path);
    for (struct dirent *e; threads && (e = readdir(threads));) {
        double ns = 0;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/schedstat", (int)s->pid, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (f && fscanf(f, "%lf", &ns) == 1) sum_ns += ns;
        if (f) fclose(f);
    }
    if (threads) closedir(threads);
    return sum_ns * 1e-6;
}

static bool service_connect(const service *s, navd_client **out)
{
    char why[256] = "";
    for (int i = 0; i < CONNECT_TRIES; i++) {
        if (navd_connect(s->socket, "bench", 10000, out, why, sizeof why) == NAVD_OK) return true;
        if (waitpid(s->pid, NULL, WNOHANG) != 0) break; // it has ended
        poll(NULL, 0, 10);
    }
    fprintf(stderr, "bench: %s\n", why);
    return false;
}

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

static bool failed(const session *s, navd_status status, const char *doing)
{
    if (status == NAVD_OK) return false;
    fprintf(stderr, "bench: %s: %s: %s\n", doing, navd_status_name(status), navd_error_text(s->client));
    return true;
}

static uint64_t counter(const session *s, const char *name)
{
    navd_counter *all = NULL;
    size_t count = 0;
    uint64_t value = 0;
    if (!failed(s, navd_stats(s->client, &all, &count), "stats")) {
        for (size_t i = 0; i < count; i++) value = strcmp(all[i].name, name) ? value : all[i].value;
    }
    free(all);
    return value;
}

static bool send_scene(session *s, const scene *from)
{
    navd_key *keys = calloc(from->mesh_count, sizeof *keys);
    navd_operation *ops = calloc(BATCH, sizeof *ops);
    bool ok = keys && ops;
    for (uint32_t i = 0; ok && i < from->mesh_count; i++) {
        const scene_mesh *m = &from->meshes[i];
        const navd_mesh mesh = {m->verts, m->vert_count, m->tris, m->tri_count};
        keys[i] = navd_mesh_hash(&mesh);
        ok = !failed(s, navd_mesh_put(s->client, &mesh, NULL, NULL, NULL), "mesh");
    }
    uint32_t n = 0;
    for (uint32_t i = 0; ok && i < from->instance_count; i++) {
        navd_operation *op = &ops[n++];
        *op = (navd_operation){.kind = NAVD_PUT_INSTANCE, .id = i};
        op->u.instance.mesh = keys[from->instances[i].mesh];
        op->u.instance.area = NAVD_AREA_DEFAULT;
        memcpy(op->u.instance.transform, from->instances[i].transform, sizeof op->u.instance.transform);
        if (n < BATCH && i + 1 < from->instance_count) continue;
        navd_edit_result r;
        ok = !failed(s, navd_edit(s->client, s->world, NULL, ops, n, &r), "edit");
        n = 0;
    }
    free(keys);
    free(ops);
    return ok;
}

static bool open_world(session *s)
{
    navd_profile profile = {.name = "agent"};
    navd_world world = {0};
    navd_settings_default(&profile.settings);
    navd_set_timeout(s->client, -1);
    if (failed(s, navd_world_open(s->client, "city", true, NULL, &profile, 1, &world), "world")) return false;
    s->world = world.id;
    navd_world_free(&world);
    navd_on_tile(s->client, take_tile, s);
    if (!s->seeds) return true;
    // A few on the ground, so that one at least stands on no box.
    const float seeds[][3] = {{5, 0, 5}, {105, 0, 5}, {5, 0, 105}, {105, 0, 105}, {55, 0, 55}, {205, 0, 205}};
    navd_edit_result r;
    navd_operation op = {.kind = NAVD_SET_REACH};
    op.u.reach.unreachable = NAVD_UNREACHABLE_DROP;
    op.u.reach.seeds = seeds;
    op.u.reach.seed_count = sizeof seeds / sizeof *seeds;
    return !failed(s, navd_edit(s->client, s->world, NULL, &op, 1, &r), "seeds");
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
static double move(session *s, uint32_t id, const float transform[12])
{
    navd_operation op = {.kind = NAVD_MOVE_INSTANCE, .id = id};
    memcpy(op.u.instance.transform, transform, sizeof op.u.instance.transform);
    s->answered = false;
    s->last_tile_s = 0;
    double began_s = now_s();
    if (failed(s, navd_edit_start(s->client, s->world, NULL, &op, 1, edit_done, s), "edit") ||
        failed(s, navd_wait_start(s->client, s->world, NULL, wait_done, s), "wait"))
        s->broken = true;
    while (!s->answered && !s->broken) {
        s->broken = failed(s, navd_process(s->client), "edit");
        if (s->answered || s->broken) break;
        struct pollfd p = {.fd = navd_fd(s->client), .events = POLLIN};
        if (navd_want_write(s->client)) p.events |= POLLOUT;
        poll(&p, 1, -1);
    }
    return s->last_tile_s > 0 && !s->broken ? (s->last_tile_s - began_s) * 1e3 : -1;
}

// A city in a daemon of its own, and what became of its edits.
typedef struct site {
    const city *city;
    service daemon;
    session session;
    scene scene;
    bench_random random;
    series moves, undos;
} site;

static void timed_move(site *at, series *into, uint32_t id, const float transform[12])
{
    session *s = &at->session;
    double cpu_ms = service_cpu_ms(&at->daemon);
    s->tiles = s->cached = s->made_us = s->queued_us = 0;
    double ms = move(s, id, transform);
    if (ms >= 0) into->ms[into->count++] = ms;
    into->tiles += s->tiles;
    into->cached += s->cached;
    into->made_us += s->made_us;
    into->queued_us += s->queued_us;
    into->cpu_ms += service_cpu_ms(&at->daemon) - cpu_ms;
}

// One box to anywhere and back: the tiles of both places come anew.
static bool move_and_undo(site *at)
{
    uint32_t id = 1 + (uint32_t)bench_random_in(&at->random, 0, at->city->boxes);
    const float *from = at->scene.instances[id].transform;
    float to[12];
    memcpy(to, from, sizeof to);
    to[3] = (float)bench_random_in(&at->random, 0, at->city->side_m);
    to[11] = (float)bench_random_in(&at->random, 0, at->city->side_m);
    timed_move(at, &at->moves, id, to);
    timed_move(at, &at->undos, id, from);
    return !at->session.broken;
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const series *s, uint32_t percent)
{
    return s->count ? s->ms[(s->count * percent + 99) / 100 - 1] : 0;
}

static void report(table *t, const city *c, const char *what, series *s)
{
    qsort(s->ms, s->count, sizeof *s->ms, compare_double);
    table_add(t, "%s", what);
    table_add(t, "%u", c->boxes);
    table_add(t, "%.2f", c->side_m * c->side_m * 1e-6);
    table_add(t, "%u", s->count);
    table_add(t, "%.3f", percentile(s, 50));
    table_add(t, "%.3f", percentile(s, 99));
    table_add(t, "%.3f", percentile(s, 100));
    table_add(t, "%.2f", (double)s->tiles / MOVES);
    table_add(t, "%.3f", s->tiles ? (double)s->made_us / 1e3 / (double)s->tiles : 0);
    table_add(t, "%.3f", s->tiles ? (double)s->queued_us / 1e3 / (double)s->tiles : 0);
    table_add(t, "%.3f", s->cpu_ms / MOVES);
    table_add(t, "%llu", (unsigned long long)s->cached);
}

static bool site_open(site *at, const bench_options *o, const city *c, table *fill)
{
    session *s = &at->session;
    at->city = c;
    at->random.state = 17;
    s->seeds = c->seeds;
    fprintf(stderr, "bench: %u boxes on %g km2%s\n", c->boxes, c->side_m * c->side_m * 1e-6,
            c->seeds ? ", with seeds" : "");
    bench_scene_city(&at->scene, c->boxes, c->side_m);
    if (!service_start(&at->daemon, o->navd) || !service_connect(&at->daemon, &s->client) || !open_world(s))
        return false;

    double began_s = now_s();
    if (!send_scene(s, &at->scene)) return false;
    double sent_s = now_s();
    if (failed(s, navd_wait(s->client, s->world, NULL, NULL), "wait")) return false;
    double built_s = now_s();
    uint64_t made = counter(s, "jobs_built"), subscription;
    const navd_subscription_options all = {.profile = "agent", .encoding = NAVD_ENCODING_NAVD};
    if (failed(s, navd_subscribe(s->client, s->world, &all, &subscription), "subscribe") ||
        failed(s, navd_wait(s->client, s->world, NULL, NULL), "wait"))
        return false;
    double streamed_s = now_s();
    table_add(fill, "%u", c->boxes);
    table_add(fill, "%.2f", c->side_m * c->side_m * 1e-6);
    table_add(fill, "%llu", (unsigned long long)s->tiles);
    table_add(fill, "%.2f", sent_s - began_s);
    table_add(fill, "%.2f", built_s - began_s);
    table_add(fill, "%.0f", (double)s->tiles / (built_s - began_s));
    table_add(fill, "%llu", (unsigned long long)made);
    table_add(fill, "%.2f", streamed_s - built_s);
    table_add(fill, "%.1f", (double)s->unpacked_bytes / (1 << 20));
    table_add(fill, "%.1f", (double)counter(s, "cache_bytes") / (1 << 20));
    table_add(fill, "%.0f", service_memory(&at->daemon, "VmRSS:"));
    table_add(fill, "%.0f", service_memory(&at->daemon, "VmHWM:"));
    return !s->broken;
}

static void site_close(site *at)
{
    navd_close(at->session.client);
    service_stop(&at->daemon);
    scene_deinit(&at->scene);
}

static void add_bars(table *bars, const site *small, const site *large, double hits)
{
    char where[2][32];
    snprintf(where[0], sizeof *where, "%u boxes", small->city->boxes);
    snprintf(where[1], sizeof *where, "%u boxes", large->city->boxes);
    double p50 = percentile(&small->moves, 50);
    table_add_bar(bars, "move p50 ms", where[0], p50, false, 2);
    table_add_bar(bars, "move p99 ms", where[0], percentile(&small->moves, 99), false, 8);
    table_add_bar(bars, "move p50 / the smaller world's", where[1], percentile(&large->moves, 50) / p50, false, 1.3);
    table_add_bar(bars, "undo p50 ms", where[0], percentile(&small->undos, 50), false, 1);
    table_add_bar(bars, "undone tiles from the cache", where[0],
                  small->undos.tiles ? (double)small->undos.cached / (double)small->undos.tiles : 0, true, 1);
    table_add_bar(bars, "cache hits / undone tiles", where[0],
                  small->undos.tiles ? hits / (double)small->undos.tiles : 0, true, 1);
}

bool bench_edit(const bench_options *o, table *bars)
{
    const city small = o->quick ? (city){1250, 250, false} : (city){20000, 1000, false};
    const city large = o->quick ? (city){5000, 500, false} : (city){320000, 4000, false};
    const city seeded = {small.boxes, small.side_m, true};
    site *a = calloc(3, sizeof *a), *b = a + 1, *c = a + 2;
    table edits, fill;
    if (!a) return false;
    table_init(
        &edits, "edits", "Edits over the socket: sent to last touched tile decoded, milliseconds",
        "edit,boxes,km2,edits,p50_ms,p99_ms,max_ms,tiles_each,made_ms_each,queued_ms_each,daemon_cpu_ms,from_cache");
    table_init(&fill, "worlds", "Worlds: filled over the socket, then streamed to a subscriber",
               "boxes,km2,tiles,sent_s,built_s,tiles_per_s,jobs,streamed_s,tiles_mib,cache_mib,rss_mib,peak_rss_mib");
    bool ok = site_open(a, o, &small, &fill) && site_open(c, o, &seeded, &fill) && site_open(b, o, &large, &fill);
    // The worlds in turn, so that all meet the same noise.
    uint64_t hits = ok ? counter(&a->session, "cache_hits") : 0;
    for (int i = 0; ok && i < MOVES; i++) ok = move_and_undo(a) && move_and_undo(c) && move_and_undo(b);
    if (ok) {
        hits = counter(&a->session, "cache_hits") - hits;
        for (site *at = a; at <= c; at++) {
            report(&edits, at->city, at->city->seeds ? "move, seeds" : "move", &at->moves);
            report(&edits, at->city, at->city->seeds ? "undo, seeds" : "undo", &at->undos);
        }
        add_bars(bars, a, b, (double)hits);
    }
    for (site *at = a; at <= c; at++) site_close(at);
    table_print(&fill);
    table_print(&edits);
    ok = table_write(&fill, o->out) && table_write(&edits, o->out) && ok;
    table_deinit(&fill);
    table_deinit(&edits);
    free(a);
    return ok;
}
