#include "clients/navctl/generate.h"
#include "core/base/buffer.h"
#include "core/geometry/spatial_index.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <math.h>
#include <pthread.h>
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
    uint64_t cells, polys, skipped;
    int64_t doubled_area_cells; // twice the area of the polygons, in cells: whole numbers add up in any order
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

static nav_status encode(const nav_tile *tile, generate_encoding encoding, nav_buffer *out)
{
    if (tile->polygons.count == 0) return NAV_OK;
    return encoding == GENERATE_DETOUR ? nav_detour_encode(tile, out) : nav_tile_encode(tile, out);
}

static nav_status build_one(worker *w, int32_t x, int32_t z, generated_tile *out)
{
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
    w->encoded.size = 0;
    nav_status s = nav_build_tile(&source, NULL, &hooks, &w->arena, &tile);
    if (s != NAV_OK) return s;
    double encode_started_s = now_s();
    s = encode(&tile, options->encoding, &w->encoded);
    if (s == NAV_OK && w->encoded.size > 0) {
        out->bytes = w->encoded.size <= UINT32_MAX ? malloc(w->encoded.size) : NULL;
        if (!out->bytes) return NAV_ERR_MEMORY;
        memcpy(out->bytes, w->encoded.data, w->encoded.size);
        out->size = (uint32_t)w->encoded.size;
        w->cells += (uint64_t)tile.polygons.cell_count;
        w->polys += (uint64_t)tile.polygons.count;
        w->doubled_area_cells += doubled_area(&tile.polygons);
    }
    w->skipped += tile.counts.skipped_triangles;
    w->stage_s[NAV_STAGE_ENCODE] += now_s() - encode_started_s;
    return s;
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
            int32_t x = j->out->first_tile[0] + (int32_t)(i % (uint64_t)j->out->tile_count[0]);
            int32_t z = j->out->first_tile[1] + (int32_t)(i / (uint64_t)j->out->tile_count[0]);
            generated_tile *tile = &j->out->tiles[i];
            tile->status = build_one(w, x, z, tile);
        }
        uint64_t done = atomic_fetch_add(&j->done, end - first) + (end - first);
        if (w->draws) progress_update(&j->bar, done, j->total);
    }
    return NULL;
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

static void run(job *j, worker *workers, int threads)
{
    progress_begin(&j->bar, "Generating");
    j->bar.shown = j->bar.shown && j->options->progress;
    for (int i = 1; i < threads; i++) {
        // A thread that cannot be had is one thread less: the others take its tiles.
        workers[i].started = pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
    }
    work(&workers[0]);
    for (int i = 1; i < threads; i++) {
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
    }
    progress_end(&j->bar);
}

static void add_up(generated *out, const worker *workers, int threads, const nav_settings *settings)
{
    int64_t doubled = 0;
    for (int i = 0; i < threads; i++) {
        out->cells += workers[i].cells;
        out->polys += workers[i].polys;
        out->triangles_skipped += workers[i].skipped;
        doubled += workers[i].doubled_area_cells;
        for (int s = 0; s < NAV_STAGE_COUNT; s++) out->stage_s[s] += workers[i].stage_s[s];
    }
    out->area_m2 = (double)doubled / 2 * (double)settings->cell_size_m * (double)settings->cell_size_m;
    uint64_t total = (uint64_t)out->tile_count[0] * (uint64_t)out->tile_count[1];
    for (uint64_t i = 0; i < total; i++) {
        const generated_tile *t = &out->tiles[i];
        out->filled += t->bytes != NULL;
        out->bytes += t->size;
        out->failed += t->status != NAV_OK;
        if (t->status == NAV_OK) continue;
        fprintf(stderr, "navctl: tile %d,%d failed: %s\n",
                out->first_tile[0] + (int32_t)(i % (uint64_t)out->tile_count[0]),
                out->first_tile[1] + (int32_t)(i / (uint64_t)out->tile_count[0]), nav_status_text(t->status));
    }
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
    if (status == NAV_OK) {
        for (int i = 0; i < threads; i++) {
            workers[i].job = &j;
            workers[i].draws = i == 0;
            nav_arena_init(&workers[i].arena, TILE_MEMORY_BYTES);
        }
        run(&j, workers, threads);
        out->generate_s = now_s() - started_s;
        add_up(out, workers, threads, &options->settings);
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
