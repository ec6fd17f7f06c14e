// Surfaces without voxels, beside voxels and Recast on the same terrain: time, cells, Detour's polygons, heights,
// borders, paths. And what surfaces promise alone: that they cover exactly what their triangles cover, once (GEOS is
// the judge), in no more cells than coplanar facets would need.
#include "tests/bench/border_check.h"
#include "tests/bench/exact_area.h"
#include "tests/bench/heights.h"
#include "tests/bench/pairs_audit.h"
#include "tests/bench/scenes.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 5,
    PLACES = 100000,
    PAIRS = 2000,
    SURFACES = 1000,
    QUICK_SURFACES = 50,
    VOXEL = 0,
    SURFACE = 1,
    EXACT = 2,
    MAKERS = 3,
};
static const char *const maker_names[MAKERS] = {"voxel", "surface", "surface, error 0"};
static const double SMALL_BAR_S = 0.015, LARGE_BAR_S = 0.3;

typedef struct outcome {
    double best_s[2]; // 1 thread, 2 threads
    generated made;   // Detour's tiles, of the last round
} outcome;

static nav_settings settings_of(const subject *s, int maker)
{
    nav_settings settings = s->settings;
    settings.generator = maker == VOXEL ? NAV_GENERATOR_VOXEL : NAV_GENERATOR_SURFACE;
    if (maker == EXACT) settings.surface_error_m = 0;
    return settings;
}

// Rounds by turns, so that all meet the same noise.
static bool time_all(const subject *s, int rounds, outcome out[MAKERS])
{
    bool ok = true;
    for (int threads = 1; threads <= 2; threads++) {
        generator *g = generator_create(threads);
        if (!g) return false;
        for (int r = 0; r < rounds && ok; r++)
            for (int maker = 0; maker < MAKERS && ok; maker++) {
                const generate_options options = {.settings = settings_of(s, maker), .encoding = GENERATE_DETOUR};
                generated_deinit(&out[maker].made);
                ok = generator_run(g, &s->scene, &options, &out[maker].made);
                double *best = &out[maker].best_s[threads - 1], taken = out[maker].made.generate_s;
                *best = r == 0 || taken < *best ? taken : *best;
            }
        generator_destroy(g);
    }
    return ok;
}

static void add_bars(table *bars, const subject *s, int maker, const outcome *o, const height_report *h,
                     const border_report *b, uint32_t bent)
{
    char name[64];
    if (maker == VOXEL) return;
    snprintf(name, sizeof name, "%s%s", s->name, maker == EXACT ? "; error 0" : "");
    double error = maker == EXACT ? 0.001 : (double)s->settings.surface_error_m;
    bool large = s->scene.tri_count > 1000000, small = s->scene.tri_count < 100000;
    if (large) table_add_bar(bars, "surface: generation on 2 threads s", name, o[maker].best_s[1], false, LARGE_BAR_S);
    if (small) table_add_bar(bars, "surface: generation on 2 threads s", name, o[maker].best_s[1], false, SMALL_BAR_S);
    table_add_bar(bars, "surface: time / voxels' on 2 threads", name, o[maker].best_s[1] / o[VOXEL].best_s[1], false,
                  0.45);
    table_add_bar(bars, "surface: height error m, most of all places", name, h->most_m, false, error);
    table_add_bar(bars, "surface: border points that differ", name, (double)b->different, false, 0);
    table_add_bar(bars, "surface: open pairs that bend", name, (double)bent, false, 0);
}

static bool measure(const subject *s, bool quick, table *t, table *bars)
{
    outcome o[MAKERS] = {0};
    peer_result recast = {0};
    bool ok = time_all(s, quick ? 1 : ROUNDS, o);
    for (int maker = 0; maker < MAKERS && ok; maker++) {
        const generate_options options = {.settings = settings_of(s, maker), .threads = 2, .encoding = GENERATE_NAVD};
        generated g = {0};
        height_report h = {0};
        border_report b = {0};
        uint32_t open, bent;
        ok = generate(&s->scene, &options, &g) && pairs_audit(&g, PAIRS, &open, &bent) &&
             border_check(&s->scene, &options.settings, &b);
        if (ok) heights_compare(s->verts, s->tris, s->tri_count, &g, PLACES, &h);
        generated_deinit(&g);
        if (!ok) break;
        const generated *d = &o[maker].made;
        table_add(t, "%s", s->name);
        table_add(t, "%s", maker_names[maker]);
        for (int i = 0; i < 2; i++) table_add(t, "%.4f", o[maker].best_s[i]);
        table_add(t, "%llu", (unsigned long long)d->cells);
        table_add(t, "%llu", (unsigned long long)d->polys);
        table_add(t, "%llu", (unsigned long long)d->counts.detail_triangles);
        table_add(t, "%.1f", (double)d->bytes / 1024);
        table_add(t, "%.0f", (double)b.arena_peak_bytes / 1024);
        table_add(t, "%.4f", h.mean_m);
        table_add(t, "%.4f", h.most_m);
        table_add(t, "%llu", (unsigned long long)b.different);
        table_add(t, "%u", open);
        table_add(t, "%u", bent);
        add_bars(bars, s, maker, o, &h, &b, bent);
    }
    if (ok && s->peer) {
        peer_generate(s->peer, 1, &recast);
        table_add(t, "%s", s->name);
        table_add(t, "recast");
        table_add(t, "%.4f", recast.generate_s);
        table_add(t, "-");
        table_add(t, "-");
        table_add(t, "%llu", (unsigned long long)recast.polys);
        table_add(t, "-");
        table_add(t, "%.1f", (double)recast.bytes / 1024);
        for (int i = 0; i < 6; i++) table_add(t, "-");
        peer_result_free(&recast, subject_tiles(s));
    }
    for (int maker = 0; maker < MAKERS; maker++) generated_deinit(&o[maker].made);
    return ok;
}

// --- area

// A surface of n by n quads with heights, corners moved about and quads missing, in whole 1024ths of a metre.
static void random_surface(bench_random *r, tri_list *out)
{
    enum { MOST = 12 };
    int n = 8 + (int)bench_random_in(r, 0, MOST - 7.01);
    double step = floor(bench_random_in(r, 6, 12) * 1024) / 1024, p[MOST + 2][MOST + 2][3];
    double left_out = bench_random_in(r, 0, 0.4);
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++) {
            p[i][k][0] = i * step + floor(bench_random_in(r, -0.24, 0.24) * step * 1024) / 1024;
            p[i][k][1] = floor(bench_random_in(r, 0, 0.2) * step * 1024) / 1024;
            p[i][k][2] = k * step + floor(bench_random_in(r, -0.24, 0.24) * step * 1024) / 1024;
        }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            if (bench_random_in(r, 0, 1) >= left_out) tri_list_add(out, p[i][k], p[i][k + 1], p[i + 1][k + 1]);
            if (bench_random_in(r, 0, 1) >= left_out) tri_list_add(out, p[i][k], p[i + 1][k + 1], p[i + 1][k]);
        }
}

static bool compare_area(const tri_list *tris, double *off, double *twice)
{
    scene s;
    generated g = {0};
    flat_mesh m = {0};
    surface_areas a;
    generate_options options = {.threads = 1, .encoding = GENERATE_DETOUR};
    nav_settings_default(&options.settings);
    options.settings.generator = NAV_GENERATOR_SURFACE;
    options.settings.agent_radius_m = 0;
    options.settings.agent_slope_deg = 89;
    options.settings.cell_size_m = 0.25f; // its units are whole parts of a metre
    options.settings.tile_cells = 40;
    bench_scene_triangles(&s, tris);
    bool ok = generate(&s, &options, &g);
    for (uint64_t i = 0; ok && i < g.grids.total; i++) {
        peer_tile tile = {g.tiles[i].bytes, g.tiles[i].size};
        ok = !tile.bytes || flat_mesh_add_tile(&m, &tile, 1e6);
    }
    ok = ok && exact_area_of_surface((const float(*)[9])tris->tri, tris->count, &m, &a);
    if (ok && a.exact_m2 > 0) {
        *off = fmax(*off, fabs(a.mesh_m2 - a.exact_m2) / a.exact_m2);
        *twice = fmax(*twice, fabs(a.sum_m2 - a.mesh_m2) / a.exact_m2);
    }
    flat_mesh_deinit(&m);
    generated_deinit(&g);
    scene_deinit(&s);
    return ok;
}

static bool measure_areas(const bench_options *o, table *bars)
{
    bench_random r = {9};
    double off = 0, twice = 0;
    bool ok = true;
    int surfaces = o->quick ? QUICK_SURFACES : SURFACES;
    if (!exact_area_present()) {
        printf("\nThe area of surfaces is not measured: libgeos-dev is missing.\n");
        return true;
    }
    fprintf(stderr, "bench: random surfaces\n");
    for (int i = 0; i < surfaces && ok; i++) {
        tri_list tris = {0};
        random_surface(&r, &tris);
        if (tris.count) ok = compare_area(&tris, &off, &twice);
        tri_list_deinit(&tris);
    }
    char name[32];
    snprintf(name, sizeof name, "%d random surfaces", surfaces);
    if (ok) table_add_bar(bars, "surface: area off the exact one, parts of it", name, off, false, 1e-6);
    if (ok) table_add_bar(bars, "surface: area covered twice, parts of it", name, twice, false, 1e-6);
    return ok;
}

// --- cells

// Ground of facets: strips of `width` m that rise and fall by turns, cut into quads of half a metre.
static bool measure_facets(table *bars, const char *name, double rise)
{
    enum { QUADS = 80, STRIP = 16 };
    tri_list tris = {0};
    scene s;
    generated g = {0};
    const double step = 0.5;
    for (int i = 0; i < QUADS; i++)
        for (int k = 0; k < QUADS; k++) {
            double y[2];
            for (int e = 0; e < 2; e++) y[e] = rise * (double)((i + e) % STRIP);
            if (i / STRIP & 1)
                for (int e = 0; e < 2; e++) y[e] = rise * (double)(STRIP - ((i + e) - i / STRIP * STRIP));
            else
                y[1] = rise * (double)(i + 1 - i / STRIP * STRIP);
            const double p[4][3] = {{i * step, y[0], k * step},
                                    {i * step, y[0], (k + 1) * step},
                                    {(i + 1) * step, y[1], (k + 1) * step},
                                    {(i + 1) * step, y[1], k * step}};
            tri_list_add_quad(&tris, p[0], p[1], p[2], p[3]);
        }
    generate_options options = {.threads = 1, .encoding = GENERATE_DETOUR};
    nav_settings_default(&options.settings);
    options.settings.generator = NAV_GENERATOR_SURFACE;
    options.settings.agent_radius_m = 0;
    options.settings.cell_size_m = 0.25f;
    options.settings.tile_cells = 1024;
    bench_scene_triangles(&s, &tris);
    bool ok = generate(&s, &options, &g);
    double fewest = rise > 0 ? (double)QUADS / STRIP : 1;
    if (ok)
        table_add_bar(bars, "surface: cells / facets that lie in one plane", name, (double)g.cells / fewest, false,
                      1.1);
    generated_deinit(&g);
    tri_list_deinit(&tris);
    scene_deinit(&s);
    return ok;
}

bool bench_surface(const bench_options *o, table *bars)
{
    table t;
    table_init(&t, "surface", "The same terrain by voxels and as a surface; seconds from triangles to Detour's tiles",
               "scene,by,s_1_thread,s_2_threads,cells,detour_polys,height_triangles,detour_kib,arena_kib,height_mean_m,"
               "height_most_m,border_points_differ,open_pairs,bent");
    static const uint32_t quads[] = {220, 1000};
    static const char *const names[] = {"terrain440m", "terrain2km"};
    bool ok = true;
    for (int i = 0; i < (o->quick ? 1 : 2) && o->own && ok; i++) {
        subject s = {.name = names[i]};
        bench_scene_terrain(&s.scene, quads[i], 2, 50);
        fprintf(stderr, "bench: %s as a surface\n", s.name);
        ok = subject_open(&s, o);
        s.settings.agent_radius_m = 0;
        ok = ok && measure(&s, o->quick, &t, bars);
        subject_close(&s);
    }
    ok = ok && (!o->own || (measure_areas(o, bars) && measure_facets(bars, "flat", 0) &&
                            measure_facets(bars, "strips that rise and fall", 0.1)));
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    return ok;
}
