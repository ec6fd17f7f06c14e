// The free floor of random scenes, against the exact one.
#include "tests/bench/exact_area.h"
#include "tests/bench/free_scene.h"
#include "tests/bench/outlines.h"
#include "tests/bench/scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCENES = 24, QUICK_SCENES = 3, FIRST_SEED = 1500 };
static const double BAR = 0.5; // percent

typedef struct run {
    free_scene scene;
    int crowded, size; // of the scene, and of cells, being measured
    area_report sums[2][OUTLINE_MAKERS][OUTLINE_SIZES];
    double worst[2][OUTLINE_MAKERS][OUTLINE_SIZES]; // percent, of any scene
} run;

static double difference(const area_report *a)
{
    return 100 * (a->missing_m2 + a->extra_m2) / a->exact_m2;
}

static bool look(const subject *s, int maker, const peer_tile *tiles, void *user)
{
    run *r = user;
    flat_mesh m = {0};
    area_report one = {0}, *sum = &r->sums[r->crowded][maker][r->size];
    bool ok = true;
    for (uint32_t i = 0; ok && i < subject_tiles(s); i++) {
        ok = !tiles[i].bytes || flat_mesh_add_tile(&m, &tiles[i], FREE_SCENE_LEVEL_M);
    }
    ok = ok && exact_area_compare(&r->scene.prisms[0], &r->scene.prisms[1], r->scene.block_count,
                                  (double)s->settings.agent_radius_m, &m, &one);
    flat_mesh_deinit(&m);
    if (!ok) return false;
    sum->exact_m2 += one.exact_m2;
    sum->mesh_m2 += one.mesh_m2;
    sum->missing_m2 += one.missing_m2;
    sum->extra_m2 += one.extra_m2;
    double *worst = &r->worst[r->crowded][maker][r->size];
    *worst = fmax(*worst, difference(&one));
    return true;
}

static void add_rows(table *t, table *bars, const run *r, int crowded, int by)
{
    static const char *const kinds[] = {"apart", "crowded"};
    for (int k = 0; k < OUTLINE_SIZES; k++) {
        const area_report *a = &r->sums[crowded][by][k];
        char cells[48];
        if (a->exact_m2 <= 0) continue;
        table_add(t, "%s", kinds[crowded]);
        table_add(t, "%s", OUTLINE_MAKER_NAMES[by]);
        table_add(t, "%.1f", OUTLINE_CELLS_M[k]);
        table_add(t, "%.1f", a->exact_m2);
        table_add(t, "%.1f", a->mesh_m2);
        table_add(t, "%.3f", 100 * a->missing_m2 / a->exact_m2);
        table_add(t, "%.3f", 100 * a->extra_m2 / a->exact_m2);
        table_add(t, "%.3f", difference(a));
        table_add(t, "%.3f", r->worst[crowded][by][k]);
        snprintf(cells, sizeof cells, "cells of %.1f m%s", OUTLINE_CELLS_M[k], crowded ? "; crowded" : "");
        if (!by) table_add_bar(bars, "free floor, difference (percent)", cells, difference(a), false, BAR);
    }
}

static bool report(const bench_options *o, const run *r, table *bars)
{
    table t;
    table_init(&t, "outline_area", "The free floor of random scenes against the exact one, percent of it",
               "scenes,by,cell_m,exact_m2,mesh_m2,missing_pct,extra_pct,difference_pct,worst_pct");
    for (int i = 0; i < 2 * OUTLINE_MAKERS; i++) add_rows(&t, bars, r, i / OUTLINE_MAKERS, i % OUTLINE_MAKERS);
    table_print(&t);
    bool ok = table_write(&t, o->out);
    table_deinit(&t);
    return ok;
}

// All cells of one scene.
static bool measure(run *r, const bench_options *o)
{
    subject s = {.name = "free floor"};
    tri_list tris = {0};
    for (uint32_t i = 0; i < r->scene.count; i++) tri_list_add_prism(&tris, &r->scene.prisms[i]);
    bench_scene_triangles(&s.scene, &tris);
    tri_list_deinit(&tris);
    bool ok = subject_open(&s, o);
    s.settings.region_min_cells = 0; // all floor counts, however small
    for (r->size = 0; ok && r->size < OUTLINE_SIZES; r->size++) {
        ok = subject_set_cell(&s, OUTLINE_CELLS_M[r->size]) && outlines_look(&s, look, r);
    }
    subject_close(&s);
    return ok;
}

bool outlines_area(const bench_options *o, table *bars)
{
    run r = {0};
    bool ok = true;
    if (!exact_area_present()) {
        printf("\nThe free floor is not measured: libgeos-dev is missing.\n");
        return true;
    }
    fprintf(stderr, "bench: free floor\n");
    for (int i = 0; ok && i < 2 * (o->quick ? QUICK_SCENES : SCENES); i++) {
        r.crowded = i % 2;
        free_scene_make((uint64_t)(FIRST_SEED + i / 2), r.crowded, &r.scene);
        ok = measure(&r, o);
    }
    return ok && report(o, &r, bars);
}
