#include "clients/navctl/generate.h"
#include "core/base/buffer.h"
#include "core/geometry/spatial_index.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than any real tile needs; a tile that asks for more fails alone.
static const size_t TILE_MEMORY_BYTES = (size_t)1 << 30;
static const uint64_t MAX_TILES = (uint64_t)1 << 26;

typedef struct job {
    const generate_options *options;
    generated *out;
    nav_mesh **meshes;
    nav_instance *instances;
    nav_spatial_index index; // of instances
    uint64_t total;
    uint32_t block; // tiles claimed at once
    atomic_ullong next, done;
    progress bar;
    reachable reach; // of seeds or an islands filter
    bool has_goal, masking;
} job;

typedef struct worker {
    job *job;
    pthread_t thread;
    bool draws, started;
    nav_arena arena;
    nav_buffer encoded;
    nav_instance *near; // those that touch the tile at hand
    uint32_t near_count, near_capacity;
    bool no_memory;
    double entered_s, stage_s[NAV_STAGE_COUNT];
    nav_counts counts;
} worker;

static void enter_stage(void *user, nav_stage s)
{
    (void)s;
    ((worker *)user)->entered_s = now_s();
}

static void leave_stage(void *user, nav_stage s)
{
    worker *w = user;
    w->stage_s[s] += now_s() - w->entered_s;
}

static bool add_near(void *user, uint64_t id, const nav_box_xz *box)
{
    worker *w = user;
    (void)box;
    if (w->near_count == w->near_capacity) {
        uint32_t capacity = w->near_capacity ? w->near_capacity * 2 : 64;
        nav_instance *near = realloc(w->near, sizeof *near * capacity);
        w->no_memory = !near;
        if (!near) return false;
        w->near = near;
        w->near_capacity = capacity;
    }
    w->near[w->near_count++] = w->job->instances[id];
    return true;
}

static int64_t doubled_area(const nav_polygons *p)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < p->count; i++) {
        for (int32_t k = p->first[i], end = p->first[i + 1]; k < end; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < end ? k + 1 : p->first[i]];
            sum += (int64_t)p->x[b] * p->z[a] - (int64_t)p->x[a] * p->z[b];
        }
    }
    return sum;
}

static nav_status encode(worker *w, const nav_tile *tile, generated_tile *out)
{
    generate_encoding encoding = w->job->options->encoding;
    double started_s = now_s();
    nav_status s = NAV_OK;
    w->encoded.size = 0;
    free(out->bytes);
    *out = (generated_tile){0};
    if (tile->polygons.count)
        s = encoding == GENERATE_DETOUR ? nav_detour_encode(tile, &w->encoded) : nav_tile_encode(tile, &w->encoded);
    if (s == NAV_OK && w->encoded.size > 0) {
        out->bytes = w->encoded.size <= UINT32_MAX ? malloc(w->encoded.size) : NULL;
        if (!out->bytes) return NAV_ERR_MEMORY;
        memcpy(out->bytes, w->encoded.data, w->encoded.size);
        out->size = (uint32_t)w->encoded.size;
        out->cells = (uint32_t)tile->polygons.cell_count;
        out->polys = (uint32_t)tile->polygons.count;
        out->doubled_area_cells = doubled_area(&tile->polygons);
    }
    w->stage_s[NAV_STAGE_ENCODE] += now_s() - started_s;
    return s;
}

static nav_status build_one(worker *w, uint64_t at, generated_tile *out)
{
    int32_t x = w->job->out->first_tile[0] + (int32_t)(at % (uint64_t)w->job->out->tile_count[0]);
    int32_t z = w->job->out->first_tile[1] + (int32_t)(at / (uint64_t)w->job->out->tile_count[0]);
    const generate_options *options = w->job->options;
    const nav_hooks hooks = {.user = w, .enter = enter_stage, .leave = leave_stage};
    nav_box_xz box;
    nav_tile tile = {0};
    nav_tile_padded_bounds(&options->settings, x, z, box.min, box.max);
    w->near_count = 0;
    w->no_memory = false;
    nav_spatial_index_query(&w->job->index, &box, add_near, w);
    if (w->no_memory) return NAV_ERR_MEMORY;
    if (w->near_count == 0) return NAV_OK;

    const nav_tile_source source = {.settings = &options->settings,
                                    .tile_x = x,
                                    .tile_z = z,
                                    .instances = w->near,
                                    .instance_count = w->near_count};
    nav_arena_reset(&w->arena);
    nav_status s = nav_build_tile(&source, NULL, &hooks, &w->arena, &tile);
    if (s != NAV_OK) return s;
    nav_counts_add(&w->counts, &tile.counts);
    s = encode(w, &tile, out);
    if (s == NAV_OK && options->made) s = options->made(options->made_user, at, &tile);
    return s == NAV_OK && w->job->has_goal ? reachable_keep(&w->job->reach, at, &tile, &w->arena) : s;
}

// Makes a tile anew where it has ground that cannot be reached.
static nav_status mask_one(worker *w, uint64_t at, generated_tile *out)
{
    nav_tile tile;
    bool changed;
    if (out->status != NAV_OK) return out->status;
    nav_arena_reset(&w->arena);
    nav_status s = reachable_mask(&w->job->reach, at, &w->arena, &tile, &changed);
    if (s != NAV_OK || !changed) return s;
    const generate_options *options = w->job->options;
    s = encode(w, &tile, out);
    return s == NAV_OK && options->made ? options->made(options->made_user, at, &tile) : s;
}

static void *work(void *user)
{
    worker *w = user;
    job *j = w->job;
    for (;;) {
        uint64_t first = atomic_fetch_add(&j->next, j->block);
        if (first >= j->total) break;
        uint64_t end = first + j->block < j->total ? first + j->block : j->total;
        for (uint64_t i = first; i < end; i++) {
            generated_tile *tile = &j->out->tiles[i];
            nav_status s = j->masking ? mask_one(w, i, tile) : build_one(w, i, tile);
            tile->status = s;
        }
        uint64_t done = atomic_fetch_add(&j->done, end - first) + (end - first);
        if (w->draws) progress_update(&j->bar, done, j->total);
    }
    return NULL;
}

int32_t generate_threads(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

bool generate_grid(const scene *s, const nav_settings *settings, int32_t first[2], int32_t count[2])
{
    static const int axis[2] = {0, 2};
    double tile_m = (double)settings->cell_size_m * settings->tile_cells;
    for (int k = 0; k < 2; k++) {
        double origin = settings->origin_m[axis[k]];
        double low = floor(((double)s->min[axis[k]] - origin) / tile_m);
        double high = ceil(((double)s->max[axis[k]] - origin) / tile_m);
        if (high <= low) high = low + 1;
        if (!(low > -1e9 && high < 1e9 && high - low <= (double)MAX_TILES)) return false;
        first[k] = (int32_t)low;
        count[k] = (int32_t)(high - low);
    }
    return (uint64_t)count[0] * (uint64_t)count[1] <= MAX_TILES;
}

// Meshes with their indices, and an index of the instances.
static nav_status prepare(job *j, const scene *s)
{
    nav_status status = NAV_ERR_MEMORY;
    j->meshes = calloc(s->mesh_count, sizeof *j->meshes);
    j->instances = calloc(s->instance_count, sizeof *j->instances);
    if (!j->meshes || !j->instances) return status;
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        const scene_mesh *m = &s->meshes[i];
        status = nav_mesh_create(m->verts, m->vert_count, m->tris, m->tri_count, &j->meshes[i]);
        if (status != NAV_OK) return status;
        j->out->triangles_skipped += j->meshes[i]->skipped_count;
    }
    const nav_settings *settings = &j->options->settings;
    nav_spatial_index_init(&j->index, (double)settings->cell_size_m * settings->tile_cells);
    status = nav_spatial_index_reserve(&j->index, s->instance_count);
    for (uint32_t i = 0; i < s->instance_count && status == NAV_OK; i++) {
        nav_instance *instance = &j->instances[i];
        float min[3], max[3];
        *instance = (nav_instance){.mesh = j->meshes[s->instances[i].mesh], .area = NAV_AREA_DEFAULT};
        memcpy(instance->transform, s->instances[i].transform, sizeof instance->transform);
        if (!nav_instance_bounds(instance, min, max)) continue;
        nav_box_xz box = {{(double)min[0], (double)min[2]}, {(double)max[0], (double)max[2]}};
        status = nav_spatial_index_insert(&j->index, i, &box);
    }
    return status;
}

static void run_workers(job *j, worker *workers, int threads)
{
    atomic_store(&j->next, 0);
    atomic_store(&j->done, 0);
    for (int i = 1; i < threads; i++) {
        // A thread that cannot be had is one thread less: the others take its tiles.
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    }
    work(&workers[0]);
    for (int i = 1; i < threads; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
    }
}

static nav_status run(job *j, worker *workers, int threads)
{
    nav_status s = NAV_OK;
    progress_begin(&j->bar, "Generating");
    j->bar.shown = j->bar.shown && j->options->progress;
    run_workers(j, workers, threads);
    if (j->has_goal) {
        s = reachable_solve(&j->reach, &workers[0].arena);
        j->masking = true;
        if (s == NAV_OK) run_workers(j, workers, threads);
    }
    progress_end(&j->bar);
    return s;
}

static nav_status begin_goal(job *j)
{
    const generate_options *o = j->options;
    j->has_goal = o->unreachable != NAV_UNREACHABLE_KEEP && nav_reach_goal_is_set(&o->goal);
    if (!j->has_goal) return NAV_OK;
    j->reach = (reachable){.settings = &o->settings, .goal = &o->goal, .mode = o->unreachable};
    memcpy(j->reach.first, j->out->first_tile, sizeof j->reach.first);
    memcpy(j->reach.count, j->out->tile_count, sizeof j->reach.count);
    return reachable_init(&j->reach);
}

static void count_reach(const job *j, generated *out)
{
    if (!j->has_goal) return;
    const nav_settings *settings = &j->options->settings;
    out->reach = nav_reach_count(j->reach.graph);
    out->unreachable_m2 =
        (double)out->reach.doubled_area_off / 2 * (double)settings->cell_size_m * (double)settings->cell_size_m;
    for (uint32_t i = 0; i < j->options->goal.seed_count; i++) {
        const float *at = j->options->goal.seeds[i];
        if (nav_reach_seed_found(j->reach.graph, i)) continue;
        nav_place_query q = nav_seed_query(settings, at);
        fprintf(stderr,
                "navctl: seed %g,%g,%g found no ground within %g m and %g m up or down: move it onto walkable floor\n",
                (double)at[0], (double)at[1], (double)at[2], (double)q.radius_m, (double)q.height_m);
    }
}

static void add_up(generated *out, const worker *workers, int threads, const nav_settings *settings)
{
    int64_t doubled = 0;
    for (int i = 0; i < threads; i++) {
        nav_counts_add(&out->counts, &workers[i].counts);
        for (int s = 0; s < NAV_STAGE_COUNT; s++) out->stage_s[s] += workers[i].stage_s[s];
    }
    out->triangles_skipped += out->counts.skipped_triangles;
    uint64_t total = (uint64_t)out->tile_count[0] * (uint64_t)out->tile_count[1];
    for (uint64_t i = 0; i < total; i++) {
        const generated_tile *t = &out->tiles[i];
        out->filled += t->bytes != NULL;
        out->bytes += t->size;
        out->cells += t->cells;
        out->polys += t->polys;
        doubled += t->doubled_area_cells;
        out->failed += t->status != NAV_OK;
        if (t->status == NAV_OK) continue;
        fprintf(stderr, "navctl: tile %d,%d failed: %s\n",
                out->first_tile[0] + (int32_t)(i % (uint64_t)out->tile_count[0]),
                out->first_tile[1] + (int32_t)(i / (uint64_t)out->tile_count[0]), nav_status_text(t->status));
    }
    out->area_m2 = (double)doubled / 2 * (double)settings->cell_size_m * (double)settings->cell_size_m;
}

bool generate(const scene *s, const generate_options *options, generated *out)
{
    *out = (generated){0};
    if (!generate_grid(s, &options->settings, out->first_tile, out->tile_count)) {
        fprintf(stderr, "navctl: the scene spans too many tiles: %g m by %g m at %g m a tile\n",
                (double)s->max[0] - (double)s->min[0], (double)s->max[2] - (double)s->min[2],
                (double)options->settings.cell_size_m * options->settings.tile_cells);
        return false;
    }
    int threads = options->threads;
    job j = {.options = options, .out = out};
    j.total = (uint64_t)out->tile_count[0] * (uint64_t)out->tile_count[1];
    uint64_t block = j.total / ((uint64_t)threads * 16);
    j.block = block < 1 ? 1 : block > 8 ? 8 : (uint32_t)block;
    out->tiles = calloc(j.total, sizeof *out->tiles);
    worker *workers = calloc((size_t)threads, sizeof *workers);

    double started_s = now_s();
    nav_status status = out->tiles && workers ? prepare(&j, s) : NAV_ERR_MEMORY;
    out->index_s = now_s() - started_s;
    if (status == NAV_OK) status = begin_goal(&j);
    if (status == NAV_OK) {
        for (int i = 0; i < threads; i++) {
            workers[i].job = &j;
            workers[i].draws = i == 0;
            nav_arena_init(&workers[i].arena, TILE_MEMORY_BYTES);
        }
        status = run(&j, workers, threads);
    }
    if (status == NAV_OK) {
        out->generate_s = now_s() - started_s;
        add_up(out, workers, threads, &options->settings);
        count_reach(&j, out);
    } else {
        fprintf(stderr, "navctl: cannot generate: %s\n", nav_status_text(status));
        generated_deinit(out);
    }
    for (int i = 0; workers && i < threads; i++) {
        nav_arena_deinit(&workers[i].arena);
        nav_buffer_deinit(&workers[i].encoded);
        free(workers[i].near);
    }
    free(workers);
    reachable_deinit(&j.reach);
    nav_spatial_index_deinit(&j.index);
    for (uint32_t i = 0; j.meshes && i < s->mesh_count; i++) nav_mesh_destroy(j.meshes[i]);
    free(j.meshes);
    free(j.instances);
    return status == NAV_OK;
}

void generated_deinit(generated *g)
{
    uint64_t total = g->tiles ? (uint64_t)g->tile_count[0] * (uint64_t)g->tile_count[1] : 0;
    for (uint64_t i = 0; i < total; i++) free(g->tiles[i].bytes);
    free(g->tiles);
    *g = (generated){0};
}
