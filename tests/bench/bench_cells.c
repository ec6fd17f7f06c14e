// How few pieces is the floor cut in, and how well are they shaped? In the tiles as they come, and in one tile over the
// whole scene; exact, and with corners up to half a metre deep left in (relaxed). Beside Recast's polygons.
#include "core/tile/detour.h"
#include "tests/bench/plans.h"
#include "tests/bench/shape.h"
#include "tests/bench/subject.h"
#include "tests/bench/tile_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float RELAXATION_M = 0.5f;
// By the group of the scene: the six that Recast and games are measured with, the city, and any others.
enum { SIX, CITY, OTHERS, GROUPS };
static const char *const SIX_NAMES[] = {"am_galmevish", "dungeon", "islandctf", "nav_test", "oa_dm1", "undulating"};
static const double CELLS_BARS[2] = {0.70, 0.45}, WHOLE_BARS[2] = {0.58, 0.32}; // exact, relaxed; voxel outlines
static const double TRUE_CELLS_BARS[GROUPS] = {0.60, 0.65, 0.58}, TRUE_WHOLE_BAR = 0.45; // exact
static const double POLYS_BAR = 0.75, TRUE_POLYS_BAR = 0.65, CONTOUR_BAR = 0.95, LEAST_BAR = 1.12;
static const char small_tiles[] = "48 cells", whole_tiles[] = "whole";
static const char cells_words[] = "cells / Recast's polygons", whole_words[] = "untiled: cells / Recast's",
                  relaxed_words[] = " at 0.5 m", polys_words[] = "Detour polygons / Recast's",
                  contour_words[] = "contour vertices / Recast's", unsplit_words[] = "the same with unsplit edges",
                  least_words[] = "cells / least possible", above_words[] = "floor plans above r + 1 - h",
                  corner_words[] = "traced corner to contour", dent_words[] = "deepest dent of a cell (m)";
static const char *const untiled[] = {"nav_test.obj", "dungeon.obj", "oa_dm1.obj", "islandctf.obj"};

// What one set of tiles has.
typedef struct census {
    uint64_t failed, contour_verts, cells, polys;
    shape_counts cell_shapes, poly_shapes;
    plan_counts plans;
    uint64_t core_least; // what the core says that plans.least is
} census;

typedef struct run {
    const bench_options *options;
    table cells, plans, shapes, contours, *bars;
    mean cells_means[2], whole_means[2]; // exact, and relaxed
    mean groups[GROUPS];                 // exact
    mean polys, contour_verts, contour_verts_unsplit;
    uint64_t sum_cells, sum_least; // of the 48-cell tiles
} run;

static bool is_true(const nav_settings *s)
{
    return s->outlines == NAV_OUTLINES_TRUE;
}

static int group_of(const subject *s)
{
    for (size_t i = 0; i < sizeof SIX_NAMES / sizeof *SIX_NAMES; i++) {
        if (subject_is(s, SIX_NAMES[i])) return SIX;
    }
    return subject_is(s, "city1km") ? CITY : OTHERS;
}

static void judge_cells(const nav_tile *t, shape_counts *out)
{
    const int32_t *first = t->polygons.cell_first, *vert = t->polygons.cell_vert;
    shape s;
    for (int32_t i = 0; i < t->polygons.cell_count; i++) {
        s.count = first[i + 1] - first[i];
        if (s.count > SHAPE_CORNERS) continue; // counted with the cells, not among the shapes
        for (int k = 0; k < s.count; k++) {
            int32_t v = vert[first[i] + k];
            s.xz[k][0] = t->polygons.x[v] * t->config.unit_size_m;
            s.xz[k][1] = t->polygons.z[v] * t->config.unit_size_m;
        }
        shape_judge(&s, out);
    }
}

static bool judge_tile(const peer_tile *tile, shape_counts *out)
{
    nav_detour_view v;
    if (nav_detour_open(tile->bytes, tile->size, &v, NULL, 0) != NAV_OK) return false;
    for (int32_t i = 0; i < v.header.poly_count; i++) {
        nav_detour_poly poly;
        shape s;
        nav_detour_get_poly(&v, (uint32_t)i, &poly);
        for (s.count = 0; s.count < poly.vert_count; s.count++) {
            float at[3];
            nav_detour_get_vert(&v, poly.vert[s.count], at);
            s.xz[s.count][0] = (double)at[0];
            s.xz[s.count][1] = (double)at[2];
        }
        shape_judge(&s, out);
    }
    return true;
}

static bool count_tile(const nav_tile *t, nav_buffer *detour, census *out)
{
    const nav_polygons *p = &t->polygons;
    out->contour_verts += t->counts.contour_vertices;
    out->cells += (uint64_t)p->cell_count;
    if (p->count == 0) return true;
    if (!plan_counts_add(&out->plans, t)) return false;
    out->core_least += t->counts.least_cells;
    judge_cells(t, &out->cell_shapes);
    detour->size = 0;
    if (nav_detour_encode(t, detour) != NAV_OK) return false;
    return judge_tile(&(peer_tile){detour->data, (uint32_t)detour->size}, &out->poly_shapes);
}

static bool count_navd(const scene *s, const nav_settings *settings, census *out)
{
    tile_builder b;
    nav_buffer detour = {0};
    *out = (census){0};
    bool ok = tile_builder_init(&b, s, settings);
    for (int32_t i = 0; ok && i < b.count[0] * b.count[1]; i++) {
        nav_tile t = {0};
        bool built = tile_builder_build(&b, i % b.count[0], i / b.count[0], NULL, &t) == NAV_OK;
        if (!built || !count_tile(&t, &detour, out)) out->failed++;
    }
    out->polys = out->poly_shapes.shapes;
    nav_buffer_deinit(&detour);
    tile_builder_deinit(&b);
    return ok;
}

// Recast's polygons with other settings than the subject's, or untiled.
static bool count_recast(const subject *s, const nav_settings *settings, bool solo, census *out)
{
    *out = (census){0};
    if (!s->peer) return true;
    peer_input in = {.settings = settings,
                     .min_y = s->scene.min[1],
                     .max_y = s->scene.max[1],
                     .verts = s->verts,
                     .vert_count = s->vert_count,
                     .tris = s->tris,
                     .tri_count = s->tri_count,
                     .tile_count = {1, 1},
                     .solo = solo};
    if (!solo) {
        memcpy(in.first_tile, s->first, sizeof in.first_tile);
        memcpy(in.tile_count, s->count, sizeof in.tile_count);
    }
    const uint32_t tiles = (uint32_t)in.tile_count[0] * (uint32_t)in.tile_count[1];
    peer *p = peer_create(&in);
    peer_result r;
    peer_generate(p, 2, &r);
    bool ok = true;
    for (uint32_t i = 0; i < tiles; i++) ok = (!r.tiles[i].bytes || judge_tile(&r.tiles[i], &out->poly_shapes)) && ok;
    if (!ok) fprintf(stderr, "bench: %s: a tile of Recast's cannot be read\n", s->name);
    out->contour_verts = r.contour_verts;
    out->cells = out->polys = r.polys;
    peer_result_free(&r, tiles);
    peer_destroy(p);
    return ok;
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

static void add_ratio(table *t, const subject *s, uint64_t a, uint64_t b)
{
    subject_add_peer(t, s, 3, ratio(a, b));
}

static void report_cells(run *r, const subject *s, const char *tiles, const nav_settings *settings, const census *navd,
                         const census *recast)
{
    table *t = &r->cells;
    table_add(t, "%s", s->name);
    table_add(t, "%s", tiles);
    table_add(t, "%g", (double)settings->relaxation_m);
    table_add(t, "%llu", (unsigned long long)navd->cells);
    table_add(t, "%llu", (unsigned long long)navd->polys);
    subject_add_peer(t, s, 0, (double)recast->polys);
    add_ratio(t, s, navd->cells, recast->polys);
    add_ratio(t, s, navd->polys, recast->polys);
    table_add(t, "%.3f", navd->cell_shapes.dent_m);
    table_add(t, "%.4f", navd->cell_shapes.area_m2 / navd->poly_shapes.area_m2);
    table_add(t, "%llu", (unsigned long long)navd->failed);
}

static void bar_plans(run *r, const subject *s, const char *what, const char *tiles, double figure, double bar)
{
    char words[96];
    snprintf(words, sizeof words, "%s%s", strcmp(tiles, whole_tiles) ? "" : "untiled: ", what);
    table_add_bar(r->bars, words, s->name, figure, false, bar);
}

static void report_plans(run *r, const subject *s, const char *tiles, const census *navd)
{
    const plan_counts *p = &navd->plans;
    table *t = &r->plans;
    table_add(t, "%s", s->name);
    table_add(t, "%s", tiles);
    table_add(t, "%llu", (unsigned long long)p->plans);
    table_add(t, "%llu", (unsigned long long)p->notches);
    table_add(t, "%llu", (unsigned long long)p->holes);
    table_add(t, "%llu", (unsigned long long)p->least);
    table_add(t, "%llu", (unsigned long long)p->paired);
    table_add(t, "%llu", (unsigned long long)navd->cells);
    table_add(t, "%.3f", ratio(navd->cells, p->least));
    table_add(t, "%.3f", ratio(navd->cells, p->paired));
    table_add(t, "%llu", (unsigned long long)p->above);
    table_add(t, "%.2f", p->wall_deviation);
    table_add(t, "%.2f", p->seam_deviation);
    table_add(t, "%llu", (unsigned long long)p->lost);
    if (navd->core_least != p->least) {
        fprintf(stderr, "bench: %s: the core counts %llu cells at the least\n", s->name,
                (unsigned long long)navd->core_least);
    }
    bar_plans(r, s, least_words, tiles, ratio(navd->cells, p->least), LEAST_BAR);
    bar_plans(r, s, above_words, tiles, (double)p->above, 0);
    if (!is_true(&s->settings)) // these do not end at the columns
        bar_plans(r, s, corner_words, tiles, p->wall_deviation, (double)s->settings.edge_max_error_cells);
}

static void add_shapes(table *t, const subject *s, const char *what, const shape_counts *c)
{
    table_add(t, "%s", s->name);
    table_add(t, "%s", what);
    table_add(t, "%llu", (unsigned long long)c->shapes);
    table_add(t, "%llu", (unsigned long long)c->sharp);
    table_add(t, "%llu", (unsigned long long)c->thin);
    table_add(t, "%llu", (unsigned long long)c->ill);
}

static void report_shapes(run *r, const subject *s, const census *navd, const census *recast)
{
    const uint64_t ill = navd->cell_shapes.ill, theirs = recast->poly_shapes.ill;
    add_shapes(&r->shapes, s, "cells", &navd->cell_shapes);
    add_shapes(&r->shapes, s, "polygons", &navd->poly_shapes);
    if (!s->peer) return;
    add_shapes(&r->shapes, s, "recast", &recast->poly_shapes);
    table_add_bar(r->bars, "ill-conditioned cells", s->name, (double)ill, false, theirs ? (double)theirs - 1 : 0);
}

static void bar_ratio(run *r, const subject *s, const char *what, mean *m, uint64_t a, uint64_t b, double bar)
{
    if (!s->peer || !a || !b) return;
    table_add_bar(r->bars, what, s->name, ratio(a, b), false, bar);
    if (s->stored) mean_add(m, ratio(a, b));
}

// Cells of one tiling, exact and relaxed.
static bool measure_cells(run *r, const subject *s, const char *tiles, const char *what, nav_settings settings,
                          const census *recast, mean means[2], const double bars[2], census *exact)
{
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        char words[64];
        census navd;
        settings.relaxation_m = relaxed ? RELAXATION_M : 0;
        if (!count_navd(&s->scene, &settings, &navd)) return false;
        if (!relaxed) {
            *exact = navd;
            report_plans(r, s, tiles, &navd);
        }
        report_cells(r, s, tiles, &settings, &navd, recast);
        snprintf(words, sizeof words, "%s%s", dent_words, relaxed ? relaxed_words : "");
        bar_plans(r, s, words, tiles, round(navd.cell_shapes.dent_m * 1e6) / 1e6, (double)settings.relaxation_m);
        snprintf(words, sizeof words, "%s%s", what, relaxed ? relaxed_words : "");
        bar_ratio(r, s, words, &means[relaxed], navd.cells, recast->cells, bars[relaxed]);
    }
    return true;
}

static bool measure_tiled(run *r, const subject *s)
{
    census recast, navd;
    const bool is = is_true(&s->settings);
    const double bars[2] = {is ? TRUE_CELLS_BARS[group_of(s)] : CELLS_BARS[0], CELLS_BARS[1]};
    if (!count_recast(s, &s->settings, false, &recast) ||
        !measure_cells(r, s, small_tiles, cells_words, s->settings, &recast, r->cells_means, bars, &navd))
        return false;
    if (recast.polys && navd.cells) mean_add(&r->groups[group_of(s)], ratio(navd.cells, recast.polys));
    report_shapes(r, s, &navd, &recast);
    r->sum_cells += navd.cells;
    r->sum_least += navd.plans.least;
    bar_ratio(r, s, polys_words, &r->polys, navd.polys, recast.polys, is ? TRUE_POLYS_BAR : POLYS_BAR);

    // Contours as they are set, and with no wall edge split for its length.
    nav_settings unsplit = s->settings;
    census navd_unsplit, recast_unsplit;
    unsplit.edge_max_length_m = 0;
    if (!count_navd(&s->scene, &unsplit, &navd_unsplit) || !count_recast(s, &unsplit, false, &recast_unsplit))
        return false;
    table *t = &r->contours;
    table_add(t, "%s", s->name);
    table_add(t, "%llu", (unsigned long long)navd.contour_verts);
    subject_add_peer(t, s, 0, (double)recast.contour_verts);
    add_ratio(t, s, navd.contour_verts, recast.contour_verts);
    table_add(t, "%llu", (unsigned long long)navd_unsplit.contour_verts);
    subject_add_peer(t, s, 0, (double)recast_unsplit.contour_verts);
    add_ratio(t, s, navd_unsplit.contour_verts, recast_unsplit.contour_verts);
    subject_add_peer(t, s, 0, (double)recast_unsplit.polys);
    bar_ratio(r, s, contour_words, &r->contour_verts, navd.contour_verts, recast.contour_verts, CONTOUR_BAR);
    bar_ratio(r, s, unsplit_words, &r->contour_verts_unsplit, navd_unsplit.contour_verts, recast_unsplit.contour_verts,
              CONTOUR_BAR);
    return true;
}

// One tile over the scene.
static bool measure_whole(run *r, const subject *s)
{
    bool wanted = false;
    for (size_t i = 0; i < sizeof untiled / sizeof *untiled; i++) wanted = wanted || !strcmp(s->name, untiled[i]);
    if (!wanted) return true;
    nav_settings settings = s->settings;
    settings.tile_cells *= s->count[0] > s->count[1] ? s->count[0] : s->count[1];
    census navd, recast;
    return count_recast(s, &settings, true, &recast) &&
           measure_cells(r, s, whole_tiles, whole_words, settings, &recast, r->whole_means, WHOLE_BARS, &navd);
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    return measure_tiled(r, s) && measure_whole(r, s);
}

static void add_means(run *r, bool outlines_are_true)
{
    for (int relaxed = 0; relaxed < 2; relaxed++) {
        char words[64];
        snprintf(words, sizeof words, "%s%s", cells_words, relaxed ? relaxed_words : "");
        if (relaxed || !outlines_are_true)
            table_add_mean_bar(r->bars, words, &r->cells_means[relaxed], CELLS_BARS[relaxed]);
        snprintf(words, sizeof words, "%s%s", whole_words, relaxed ? relaxed_words : "");
        double bar = !relaxed && outlines_are_true ? TRUE_WHOLE_BAR : WHOLE_BARS[relaxed];
        table_add_mean_bar(r->bars, words, &r->whole_means[relaxed], bar);
    }
    for (int g = 0; g < GROUPS && outlines_are_true; g++) {
        static const char *const names[GROUPS] = {"the six scenes", "the cities", "other scenes"};
        char words[64];
        snprintf(words, sizeof words, "%s; %s", cells_words, names[g]);
        table_add_mean_bar(r->bars, words, &r->groups[g], TRUE_CELLS_BARS[g]);
    }
}

bool bench_cells(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(&r.cells, "cells", "Pieces of the floor",
               "scene,tiles,relaxed_m,cells,polys,recast_polys,cells_ratio,polys_ratio,dent_m,area_ratio,failed");
    table_init(
        &r.plans, "plans",
        "Floor plans: cells beside the fewest possible; farthest traced corner from its contour, in cells",
        "scene,tiles,plans,notches,holes,least,paired,cells,ratio,paired_ratio,above,wall_away,seam_away,lost_corners");
    table_init(&r.shapes, "shapes", "Their shapes: sharp under 2 degrees, thin under 0.02 m of area per metre around",
               "scene,what,count,sharp,thin,ill");
    table_init(&r.contours, "contours", "Contour vertices, and without the splitting of long wall edges",
               "scene,verts,recast_verts,ratio,unsplit,recast_unsplit,unsplit_ratio,recast_unsplit_polys");
    bool ok = subject_each(o, measure, &r);
    add_means(&r, subject_outlines_are_true(o));
    if (r.sum_least) table_add_bar(bars, least_words, "(all)", ratio(r.sum_cells, r.sum_least), false, LEAST_BAR);
    table_add_mean_bar(bars, polys_words, &r.polys, subject_outlines_are_true(o) ? TRUE_POLYS_BAR : POLYS_BAR);
    table_add_mean_bar(bars, contour_words, &r.contour_verts, CONTOUR_BAR);
    table_add_mean_bar(bars, unsplit_words, &r.contour_verts_unsplit, CONTOUR_BAR);
    table *all[] = {&r.cells, &r.plans, &r.shapes, &r.contours};
    for (int i = 0; i < 4; i++) {
        table_print(all[i]);
        ok = table_write(all[i], o->out) && ok;
        table_deinit(all[i]);
    }
    return ok;
}
