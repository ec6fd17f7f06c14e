// The distance from the mesh's edges to walls and drops, in any scene and at each size of cells.
#include "tests/bench/outlines.h"
#include "tests/bench/wall_distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MEAN_BAR = 0.15, P99_BAR = 0.3, TOO_NEAR_M = 0.005, BAR_CELLS_M = 0.3;

typedef struct run {
    const bench_options *options;
    table distances, *bars;
    mean means, p99s; // of the files, beside Recast's
    ground truth;
    wall_report made[OUTLINE_MAKERS];
} run;

static void add_row(run *r, const subject *s, int maker)
{
    wall_report *w = &r->made[maker];
    table *t = &r->distances;
    table_add(t, "%s", s->name);
    table_add(t, "%s", OUTLINE_MAKER_NAMES[maker]);
    table_add(t, "%.1f", (double)s->settings.cell_size_m);
    table_add(t, "%.1f", w->edges_m);
    const distances *which[] = {&w->walls, &w->drops};
    for (int i = 0; i < 2; i++) {
        table_add(t, "%.3f", w->edges_m > 0 ? which[i]->length_m / w->edges_m : 0);
        table_add(t, "%.4f", distances_mean(which[i]));
        table_add(t, "%.3f", distances_quantile(which[i], 0.99));
        table_add(t, "%.3f", which[i]->nearest_m);
    }
    distances_add(&w->walls, &w->drops);
    table_add(t, "%.4f", distances_mean(&w->walls));
    table_add(t, "%.3f", distances_quantile(&w->walls, 0.99));
    table_add(t, "%.3f", w->least.known ? w->least.m : 0);
    table_add(t, "%.1f", w->least.too_near_m);
    table_add(t, "%.2f %.2f %.2f", w->least.at[0], w->least.at[1], w->least.at[2]);
}

static void add_ratio(run *r, const subject *s, const char *what, double navd, double recast, double bar, mean *files)
{
    if (recast <= 0 || navd <= 0) return;
    table_add_bar(r->bars, what, s->name, navd / recast, false, bar);
    if (s->stored) mean_add(files, navd / recast);
}

static void add_bars(run *r, const subject *s)
{
    const distances *navd = &r->made[0].walls, *recast = &r->made[1].walls;
    add_ratio(r, s, "outline distance, mean / Recast's", distances_mean(navd), distances_mean(recast), MEAN_BAR,
              &r->means);
    add_ratio(r, s, "outline distance, p99 / Recast's", distances_quantile(navd, 0.99),
              distances_quantile(recast, 0.99), P99_BAR, &r->p99s);
    const least_distance *least = &r->made[0].least;
    if (!least->known) return;
    table_add_bar(r->bars, "outline's least distance (m)", s->name, least->m, true,
                  (double)s->settings.agent_radius_m - TOO_NEAR_M);
}

static bool look(const subject *s, int maker, const peer_tile *tiles, void *user)
{
    run *r = user;
    return wall_distance_add_tiles(&r->truth, &s->settings, tiles, subject_tiles(s), &r->made[maker]);
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    bool ok = true;
    ground_init(&r->truth, s->verts, s->tris, s->tri_count, &s->settings);
    for (int k = 0; ok && k < OUTLINE_SIZES; k++) {
        memset(r->made, 0, sizeof r->made);
        ok = subject_set_cell(s, OUTLINE_CELLS_M[k]) && outlines_look(s, look, r);
        if (ok && OUTLINE_CELLS_M[k] == BAR_CELLS_M) add_bars(r, s);
        for (int by = 0; ok && by < (s->peer ? 2 : 1); by++) add_row(r, s, by);
    }
    ground_deinit(&r->truth);
    return ok;
}

bool outlines_distances(const bench_options *o, table *bars)
{
    run *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->options = o;
    r->bars = bars;
    table_init(&r->distances, "outline_distances",
               "Distance from the mesh's edge to the nearest wall or drop, less the radius, metres",
               "scene,by,cell_m,edges_m,walls,wall_mean_m,wall_p99_m,wall_nearest_m,drops,drop_mean_m,drop_p99_m,"
               "drop_nearest_m,both_mean_m,both_p99_m,least_m,too_near_m,least_at");
    bool ok = subject_each(o, measure, r);
    table_print(&r->distances);
    ok = table_write(&r->distances, o->out) && ok;
    table_add_mean_bar(bars, "outline distance, mean / Recast's", &r->means, MEAN_BAR);
    table_add_mean_bar(bars, "outline distance, p99 / Recast's", &r->p99s, P99_BAR);
    table_deinit(&r->distances);
    free(r);
    return ok;
}
