// A scene that was pushed is pushed again with some objects moved, some gone and some new: from the scene in memory to
// the daemon's answer that it is applied, over the socket. Then its tiles are compared with those of another daemon
// that never knew anything but the last scene.
#include "clients/navctl/output/progress.h"
#include "clients/navctl/remote/scene_sync.h"
#include "core/base/key.h"
#include "tests/bench/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, CHANGES = 100 }; // CHANGES: of each kind

typedef struct side {
    service daemon;
    session session;
} side;

static bool side_open(side *at, const bench_options *o)
{
    return service_start(&at->daemon, o->navd, false) && service_connect(&at->daemon, &at->session.client) &&
           session_open(&at->session, "city");
}

static void side_close(side *at)
{
    navd_close(at->session.client);
    service_stop(&at->daemon);
    service_remove(&at->daemon);
}

// Some move, and some go while others come in their place in the file.
static void change(scene *s, bench_random *r, uint32_t *next, double side_m)
{
    for (int k = 0; k < 2 * CHANGES; k++) {
        scene_instance *i = &s->instances[1 + (uint32_t)bench_random_in(r, 0, s->instance_count - 1)];
        bench_city_place(r, side_m, i->transform);
        if (k % 2) snprintf(i->name, 16, "n%u", (*next)++);
    }
}

// A mesh for each instance, in its place: as an OBJ has them. False: no memory.
static bool bake(const scene *from, scene *out)
{
    *out = (scene){.meshes = calloc(from->instance_count, sizeof *out->meshes),
                   .instances = calloc(from->instance_count, sizeof *out->instances)};
    bool ok = out->meshes && out->instances;
    for (uint32_t i = 0; ok && i < from->instance_count; i++) {
        const scene_instance *at = &from->instances[i];
        const scene_mesh *m = &from->meshes[at->mesh];
        scene_mesh *to = &out->meshes[i];
        *to = (scene_mesh){.verts = malloc(m->vert_count * 3 * sizeof(float)),
                           .vert_count = m->vert_count,
                           .tris = malloc(m->tri_count * 3 * sizeof(uint32_t)),
                           .tri_count = m->tri_count};
        out->mesh_count = i + 1;
        out->instances[i] = (scene_instance){
            .name = strdup(at->name), .mesh = i, .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .area = at->area};
        out->instance_count = i + 1;
        ok = to->verts && to->tris && out->instances[i].name;
        for (uint32_t v = 0; ok && v < m->vert_count; v++)
            for (uint32_t k = 0; k < 3; k++) {
                const float *t = at->transform + 4 * (size_t)k, *p = m->verts + 3 * (size_t)v;
                to->verts[3 * (size_t)v + k] = t[0] * p[0] + t[1] * p[1] + t[2] * p[2] + t[3];
            }
        if (ok) memcpy(to->tris, m->tris, m->tri_count * 3 * sizeof(uint32_t));
    }
    return ok;
}

static bool sync_scene(side *at, const scene *s, scene_sync *out)
{
    const scene_sync_options how = {.source = "city"};
    const navd_world world = {.id = at->session.world};
    return scene_sync_run(at->session.client, &world, "city", s, &how, out) == 0 &&
           session_did(&at->session, navd_wait(at->session.client, at->session.world, NULL, NULL), "wait");
}

// --- the tiles ---

typedef struct tile_state {
    navd_tile_status status;
    navd_key key;
    nav_key data;
} tile_state;

typedef struct tile_states {
    tile_state *all;
    size_t count;
} tile_states;

static void take_tile(void *user, const navd_tile *t)
{
    tile_states *s = user;
    s->all[s->count++] = (tile_state){t->status, t->key, nav_key_of(t->data, t->size)};
}

static bool read_tiles(side *at, const int32_t (*xz)[2], size_t count, tile_states *out)
{
    *out = (tile_states){.all = calloc(count, sizeof *out->all)};
    return out->all && session_did(&at->session,
                                   navd_tiles_get(at->session.client, at->session.world, "agent", NAVD_ENCODING_NAVD,
                                                  xz, count, take_tile, out),
                                   "tiles");
}

static bool has_tile(const tile_state *t)
{
    return t->status == NAVD_TILE_OK || t->status == NAVD_TILE_EMPTY || t->status == NAVD_TILE_FAILED;
}

// How many differ; below 0: it could not be found out.
static double count_different(side *a, side *b, double side_m)
{
    int32_t n = (int32_t)(side_m / 14.4) + 6;
    size_t count = (size_t)n * (size_t)n;
    int32_t(*xz)[2] = calloc(count, sizeof *xz);
    tile_states x = {0}, y = {0};
    double different = -1;
    for (size_t i = 0; xz && i < count; i++) {
        xz[i][0] = (int32_t)i % n - 3;
        xz[i][1] = (int32_t)i / n - 3;
    }
    if (xz && read_tiles(a, (const int32_t(*)[2])xz, count, &x) && read_tiles(b, (const int32_t(*)[2])xz, count, &y)) {
        different = 0;
        for (size_t i = 0; i < count; i++) {
            const tile_state *p = &x.all[i], *q = &y.all[i];
            bool same = has_tile(p) == has_tile(q) &&
                        (!has_tile(p) || (p->status == q->status && !memcmp(&p->key, &q->key, sizeof p->key) &&
                                          nav_key_equal(p->data, q->data)));
            different += !same;
        }
    }
    free(xz);
    free(x.all);
    free(y.all);
    return different;
}

// --- all ---

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool measure(const bench_options *o, bool baked, table *t, table *bars)
{
    uint32_t boxes = o->quick ? 1250 : 20000, next = 0;
    double side_m = o->quick ? 250 : 1000, ms[ROUNDS], built = 0, dirty = 0, meshes = 0;
    double compared_ms = 0, uploaded_ms = 0;
    const char *what = baked ? "a mesh each" : "one mesh";
    bench_random r = {77};
    scene placed, own = {0};
    side synced = {.session = {0}}, fresh = {.session = {0}};
    scene_sync result = {0};
    bench_scene_city(&placed, boxes, side_m);
    bool ok = side_open(&synced, o) && (!baked || bake(&placed, &own));
    ok = ok && sync_scene(&synced, baked ? &own : &placed, &result);
    double first_ms = result.sync_s * 1e3;
    for (int i = 0; ok && i < ROUNDS; i++) {
        change(&placed, &r, &next, side_m);
        scene_deinit(&own);
        if (baked) ok = bake(&placed, &own);
        double before = (double)session_counter(&synced.session, "jobs_built");
        scene_sync_deinit(&result);
        ok = ok && sync_scene(&synced, baked ? &own : &placed, &result);
        ms[i] = result.sync_s * 1e3;
        built += (double)session_counter(&synced.session, "jobs_built") - before;
        dirty += result.result.dirty_tiles;
        meshes += result.meshes_sent;
        compared_ms += result.compare_s * 1e3;
        uploaded_ms += result.upload_s * 1e3;
    }
    scene_sync_deinit(&result);
    ok = ok && side_open(&fresh, o) && sync_scene(&fresh, baked ? &own : &placed, &result);
    double different = ok ? count_different(&synced, &fresh, side_m) : -1;
    if (ok) {
        qsort(ms, ROUNDS, sizeof *ms, compare_numbers);
        table_add(t, "%s", what);
        table_add(t, "%u", boxes);
        table_add(t, "%.1f", first_ms);
        table_add(t, "%.2f", ms[ROUNDS / 2]);
        table_add(t, "%.2f", ms[ROUNDS - 1]);
        table_add(t, "%.2f", compared_ms / ROUNDS);
        table_add(t, "%.2f", uploaded_ms / ROUNDS);
        table_add(t, "%.0f", meshes / ROUNDS);
        table_add(t, "%.0f", dirty / ROUNDS);
        table_add(t, "%.0f", built / ROUNDS);
        table_add(t, "%.0f", different);
        table_add_bar(bars, "push again, read to sent, p50 ms", what, ms[ROUNDS / 2], false, 50);
        table_add_bar(bars, "push again, read to sent, slowest ms", what, ms[ROUNDS - 1], false, 50);
        table_add_bar(bars, "push again, jobs / tiles touched", what, dirty > 0 ? built / dirty : 0, false, 1);
        table_add_bar(bars, "push again, tiles unlike a fresh world's", what, different, false, 0);
    }
    scene_sync_deinit(&result);
    side_close(&synced);
    side_close(&fresh);
    scene_deinit(&placed);
    scene_deinit(&own);
    return ok && different >= 0;
}

bool bench_sync(const bench_options *o, table *bars)
{
    table t;
    table_init(&t, "sync",
               "A pushed city again: 100 objects moved, 100 gone, 100 new; milliseconds from read to applied",
               "meshes,boxes,first_ms,p50_ms,max_ms,compare_ms,meshes_ms,meshes_sent,tiles_touched,jobs,unlike_fresh");
    bool ok = measure(o, false, &t, bars) && measure(o, true, &t, bars);
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    return ok;
}
