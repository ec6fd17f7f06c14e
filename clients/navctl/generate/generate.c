#include "clients/navctl/generate/generate.h"
#include "clients/navctl/generate/scene_index.h"
#include "clients/navctl/generate/thread_pool.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than any real tile needs; a tile that asks for more fails alone.
static const size_t TILE_MEMORY_BYTES = (size_t)1 << 30;

typedef struct job {
    const generate_options *options;
    generated *out;
    nav_settings settings[NAV_SHEET_COUNT]; // of the tiles of each sheet
    scene_index index;
    uint64_t total;
    uint32_t *order; // places of the tiles, the most expensive first; NULL: as they come
    int threads;
    struct worker *workers;
    _Atomic uint64_t next, done;
    progress bar;
    reachable reach; // of seeds or an islands filter
    bool has_goal, masking;
} job;

typedef struct worker {
    job *job;
    bool draws;
    nav_arena arena;
    nav_buffer encoded;
    scene_near near; // what touches the tile at hand
    uint64_t at;     // place of the tile at hand
    double since_s, stage_s[NAV_STAGE_COUNT];
    nav_counts counts;
} worker;

struct generator {
    thread_pool *pool;
    int threads;
    worker workers[];
};

// A stage begins where the one before it ended, so the clock is read once for each.
static void leave_stage(void *user, nav_stage s)
{
    worker *w = user;
    double now = now_s();
    w->stage_s[s] += now - w->since_s;
    w->since_s = now;
}

// Who looks on takes time that is no stage's.
static nav_status show_stage(void *user, nav_stage s, const nav_made *made, nav_arena *scratch)
{
    worker *w = user;
    const generate_options *options = w->job->options;
    nav_status status = NAV_OK;
    if (options->hashes) status = nav_stage_hashes_made(&w->job->out->hashes[w->at], s, made, scratch);
    if (status == NAV_OK && options->stage) status = options->stage(options->made_user, w->at, s, made, scratch);
    w->since_s = now_s();
    return status;
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
    nav_status s = NAV_OK;
    w->encoded.size = 0;
    free(out->bytes);
    *out = (generated_tile){0};
    if (tile->polygons.count || tile->link_count)
        s = encoding == GENERATE_DETOUR ? nav_detour_encode(tile, &w->encoded) : nav_tile_encode(tile, &w->encoded);
    if (s == NAV_OK && w->encoded.size > 0) {
        out->bytes = w->encoded.size <= UINT32_MAX ? malloc(w->encoded.size) : NULL;
        if (!out->bytes) return NAV_ERR_MEMORY;
        memcpy(out->bytes, w->encoded.data, w->encoded.size);
        out->size = (uint32_t)w->encoded.size;
        out->cells = (uint32_t)tile->polygons.cell_count;
        out->polys = (uint32_t)tile->polygons.count;
        out->doubled_area_cells = doubled_area(&tile->polygons) >> 2 * tile->config.unit_shift;
    }
    leave_stage(w, NAV_STAGE_ENCODE);
    if (s == NAV_OK && w->job->options->hashes)
        s = nav_stage_hashes_encoded(&w->job->out->hashes[w->at], tile, &w->encoded);
    return s;
}

// What a tile is made of.
static nav_status find_near(worker *w, uint64_t at, nav_tile_source *out)
{
    const job *j = w->job;
    int32_t x, z;
    const sheet_grid *grid = sheet_grids_at(&j->out->grids, at, &x, &z);
    return scene_index_find(&j->index, &j->settings[grid->sheet], x, z, &w->near, out);
}

static nav_status build_one(worker *w, uint64_t at, generated_tile *out)
{
    const generate_options *options = w->job->options;
    nav_hooks hooks = {.user = w, .leave = leave_stage, .plain = options->plain};
    if (options->hashes || options->stage) hooks.made = show_stage;
    nav_tile tile = {0};
    nav_tile_source source;
    w->since_s = now_s();
    w->at = at;
    nav_status s = find_near(w, at, &source);
    if (s != NAV_OK || source.instance_count == 0) return s;
    if (nav_tile_is_left_out(&source)) return NAV_OK;
    nav_arena_reset(&w->arena);
    nav_build *build = options->build ? options->build : nav_build_tile;
    s = build(&source, NULL, &hooks, &w->arena, &tile);
    if (s != NAV_OK) return s;
    nav_counts_add(&w->counts, &tile.counts);
    s = encode(w, &tile, out);
    if (s == NAV_OK && options->made) s = options->made(options->made_user, at, &tile);
    return s == NAV_OK && w->job->has_goal ? reachable_keep(&w->job->reach, at, &tile, &w->arena) : s;
}

// Builds a tile again where it has unreachable ground.
static nav_status mask_one(worker *w, uint64_t at, generated_tile *out)
{
    nav_tile tile;
    bool changed;
    if (out->status != NAV_OK) return out->status;
    w->at = at;
    nav_arena_reset(&w->arena);
    nav_status s = reachable_mask(&w->job->reach, at, &w->arena, &tile, &changed);
    if (s != NAV_OK || !changed) return s;
    w->since_s = now_s();
    const generate_options *options = w->job->options;
    s = encode(w, &tile, out);
    return s == NAV_OK && options->made ? options->made(options->made_user, at, &tile) : s;
}

// Several tiles are claimed at once, but few where few are left.
static uint64_t claim(job *j, uint64_t *end)
{
    uint64_t first = atomic_load(&j->next), block;
    do {
        if (first >= j->total) return j->total;
        block = (j->total - first) / ((uint64_t)j->threads * 16);
        block = block < 1 ? 1 : block > 8 ? 8 : block;
        *end = first + block;
    } while (!atomic_compare_exchange_weak(&j->next, &first, first + block));
    return first;
}

static void work(void *user, int part)
{
    job *j = user;
    worker *w = &j->workers[part];
    uint64_t end = 0;
    for (uint64_t first; (first = claim(j, &end)) < j->total;) {
        for (uint64_t i = first; i < end; i++) {
            uint64_t at = j->order ? j->order[i] : i;
            generated_tile *tile = &j->out->tiles[at];
            nav_status s = j->masking ? mask_one(w, at, tile) : build_one(w, at, tile);
            tile->status = s;
        }
        uint64_t done = atomic_fetch_add(&j->done, end - first) + (end - first);
        if (w->draws) progress_update(&j->bar, done, j->total);
    }
}

int32_t generate_threads(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

bool generate_tiles(const scene *s, const generate_options *options, sheet_grids *out)
{
    if (!options->only_tile) return sheet_grids_of(s, &options->settings, out);
    sheet_grids_of_tile(&options->settings, options->tile, out);
    return true;
}

typedef struct tile_cost {
    uint64_t triangles; // in the leaves that it meets
    uint32_t at;
} tile_cost;

static int dearer_first(const void *a, const void *b)
{
    const tile_cost *x = a, *y = b;
    if (x->triangles != y->triangles) return x->triangles > y->triangles ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

// With few tiles for each thread it matters which come last.
static nav_status order_tiles(job *j)
{
    enum { MANY = 64 };
    if (j->threads == 1 || j->total > (uint64_t)MANY * (uint64_t)j->threads) return NAV_OK;
    nav_status s = NAV_OK;
    tile_cost *costs = calloc(j->total, sizeof *costs);
    j->order = calloc(j->total, sizeof *j->order);
    if (!costs || !j->order) s = NAV_ERR_MEMORY;
    for (uint64_t i = 0; i < j->total && s == NAV_OK; i++) {
        nav_tile_source source;
        costs[i].at = (uint32_t)i;
        s = find_near(&j->workers[0], i, &source);
        if (s == NAV_OK) costs[i].triangles = scene_index_cost(&source);
    }
    if (s == NAV_OK) qsort(costs, j->total, sizeof *costs, dearer_first);
    for (uint64_t i = 0; i < j->total && s == NAV_OK; i++) j->order[i] = costs[i].at;
    free(costs);
    return s;
}

// The settings of each sheet's tiles, meshes with their indices, and indices of what is in the world.
static nav_status prepare(job *j, const generator *g, const scene *s)
{
    const nav_parallel parallel = thread_pool_parallel(g->pool);
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        j->settings[sheet] = j->options->settings;
        j->settings[sheet].sheet = (nav_sheet)sheet;
    }
    nav_status status = scene_index_init(&j->index, s, &j->options->settings, &parallel);
    j->out->triangles_skipped = j->index.skipped;
    return status == NAV_OK ? order_tiles(j) : status;
}

static void run_workers(job *j, generator *g)
{
    atomic_store(&j->next, 0);
    atomic_store(&j->done, 0);
    thread_pool_run(g->pool, work, j, j->threads);
}

static nav_status run(job *j, generator *g)
{
    nav_status s = NAV_OK;
    progress_begin(&j->bar, "Generating");
    j->bar.shown = j->bar.shown && j->options->progress;
    run_workers(j, g);
    if (j->has_goal) {
        s = reachable_solve(&j->reach, &j->workers[0].arena);
        j->masking = true;
        if (s == NAV_OK) run_workers(j, g);
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
    memcpy(j->reach.first, j->out->grids.grids[0].first, sizeof j->reach.first);
    memcpy(j->reach.count, j->out->grids.grids[0].count, sizeof j->reach.count);
    return reachable_init(&j->reach);
}

static void count_reach(const job *j, generated *out)
{
    if (!j->has_goal) return;
    const nav_settings *settings = &j->options->settings;
    out->reach = nav_reach_count(j->reach.connectivity);
    out->unreachable_m2 =
        (double)out->reach.doubled_area_off / 2 * (double)settings->cell_size_m * (double)settings->cell_size_m;
    for (uint32_t i = 0; i < j->options->goal.seed_count; i++) {
        const float *at = j->options->goal.seeds[i];
        if (nav_reach_seed_found(j->reach.connectivity, i)) continue;
        nav_place_query q = nav_seed_query(settings, at);
        fprintf(
            stderr,
            "navctl: seed %g,%g,%g found no ground within %g m, and %g m up or down: move it onto walkable ground\n",
            (double)at[0], (double)at[1], (double)at[2], (double)q.radius_m, (double)q.height_m);
    }
}

static void say_failed(const sheet_grid *grid, int32_t x, int32_t z, nav_status status)
{
    fprintf(stderr, "navctl: tile %d,%d", x, z);
    if (grid->sheet != NAV_SHEET_UP) fprintf(stderr, " of sheet %s", nav_sheet_name(grid->sheet));
    fprintf(stderr, " failed: %s\n", nav_status_text(status));
}

static void add_up(generated *out, const worker *workers, int threads, const nav_settings *settings)
{
    const double cell_m2 = (double)settings->cell_size_m * (double)settings->cell_size_m;
    int64_t doubled[NAV_SHEET_COUNT] = {0}, sum = 0;
    for (int i = 0; i < threads; i++) {
        nav_counts_add(&out->counts, &workers[i].counts);
        for (int s = 0; s < NAV_STAGE_COUNT; s++) out->stage_s[s] += workers[i].stage_s[s];
    }
    out->triangles_skipped += out->counts.skipped_triangles;
    for (uint64_t i = 0; i < out->grids.total; i++) {
        const generated_tile *t = &out->tiles[i];
        int32_t x, z;
        const sheet_grid *grid = sheet_grids_at(&out->grids, i, &x, &z);
        generated_sheet *sheet = &out->sheets[grid->sheet];
        sheet->filled += t->bytes != NULL;
        sheet->cells += t->cells;
        sheet->polys += t->polys;
        doubled[grid->sheet] += t->doubled_area_cells;
        out->bytes += t->size;
        out->failed += t->status != NAV_OK;
        if (t->status != NAV_OK) say_failed(grid, x, z, t->status);
    }
    for (int i = 0; i < NAV_SHEET_COUNT; i++) {
        generated_sheet *sheet = &out->sheets[i];
        sheet->area_m2 = (double)doubled[i] / 2 * cell_m2;
        out->filled += sheet->filled;
        out->cells += sheet->cells;
        out->polys += sheet->polys;
        sum += doubled[i];
    }
    out->area_m2 = (double)sum / 2 * cell_m2;
}

generator *generator_create(int threads)
{
    generator *g = calloc(1, sizeof *g + (size_t)threads * sizeof g->workers[0]);
    if (g) g->pool = thread_pool_create(threads);
    if (!g || !g->pool) {
        fprintf(stderr, "navctl: no memory left\n");
        free(g);
        return NULL;
    }
    g->threads = threads;
    for (int i = 0; i < threads; i++) nav_arena_init(&g->workers[i].arena, TILE_MEMORY_BYTES);
    return g;
}

void generator_destroy(generator *g)
{
    if (!g) return;
    thread_pool_destroy(g->pool);
    for (int i = 0; i < g->threads; i++) {
        nav_arena_deinit(&g->workers[i].arena);
        nav_buffer_deinit(&g->workers[i].encoded);
        scene_near_deinit(&g->workers[i].near);
    }
    free(g);
}

nav_parallel generator_parallel(generator *g)
{
    return thread_pool_parallel(g->pool);
}

// The memory stays, what the last job left in it goes.
static void make_ready(generator *g, job *j)
{
    for (int i = 0; i < g->threads; i++) {
        worker *w = &g->workers[i];
        *w = (worker){.job = j, .draws = i == 0, .arena = w->arena, .encoded = w->encoded, .near = w->near};
    }
}

// As the daemon has it for instances, volumes and links: beyond that a float is coarser than a cell.
static bool check_extent(const scene *s)
{
    const float farthest = 1e7f;
    for (int k = 0; k < 3; k++) {
        float value = s->max[k] > -s->min[k] ? s->max[k] : s->min[k];
        if (fabsf(value) <= farthest) continue;
        fprintf(stderr, "navctl: the scene reaches to %c = %g m, but must lie between -1e7 and 1e7 m\n", "XYZ"[k],
                (double)value);
        return false;
    }
    return true;
}

bool generator_run(generator *g, const scene *s, const generate_options *options, generated *out)
{
    *out = (generated){0};
    if (s->tri_count > 0 && !check_extent(s)) return false;
    if (!generate_tiles(s, options, &out->grids)) {
        fprintf(stderr, "navctl: the scene spans too many tiles: %g m by %g m by %g m at %g m a tile\n",
                (double)s->max[0] - (double)s->min[0], (double)s->max[1] - (double)s->min[1],
                (double)s->max[2] - (double)s->min[2],
                (double)options->settings.cell_size_m * options->settings.tile_cells);
        return false;
    }
    job j = {.options = options, .out = out, .threads = g->threads, .workers = g->workers};
    j.total = out->grids.total;
    out->tiles = calloc(j.total, sizeof *out->tiles);
    if (options->hashes) out->hashes = calloc(j.total, sizeof *out->hashes);
    make_ready(g, &j);

    double started_s = now_s();
    nav_status status = out->tiles && (out->hashes || !options->hashes) ? prepare(&j, g, s) : NAV_ERR_MEMORY;
    out->index_s = now_s() - started_s;
    if (status == NAV_OK) status = begin_goal(&j);
    if (status == NAV_OK) status = run(&j, g);
    if (status == NAV_OK) {
        out->generate_s = now_s() - started_s;
        add_up(out, g->workers, g->threads, &options->settings);
        count_reach(&j, out);
    } else {
        fprintf(stderr, "navctl: cannot generate: %s\n", nav_status_text(status));
        generated_deinit(out);
    }
    reachable_deinit(&j.reach);
    scene_index_deinit(&j.index);
    free(j.order);
    return status == NAV_OK;
}

bool generate(const scene *s, const generate_options *options, generated *out)
{
    generator *g = generator_create(options->threads);
    bool ok = g && generator_run(g, s, options, out);
    if (!g) *out = (generated){0};
    generator_destroy(g);
    return ok;
}

void generated_deinit(generated *g)
{
    for (uint64_t i = 0; g->tiles && i < g->grids.total; i++) free(g->tiles[i].bytes);
    free(g->tiles);
    free(g->hashes);
    *g = (generated){0};
}
