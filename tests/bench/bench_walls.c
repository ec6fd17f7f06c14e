// How truly does the mesh's edge follow what ends the floor? Both meshes are read as the Detour tiles that they end as.
#include "tests/bench/subject.h"
#include "tests/bench/wall_distance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    const bench_options *options;
    table walls, *bars;
    mean ratios; // of the files
} run;

static void add_distances(table *t, const distances *d, double edges_m)
{
    table_add(t, "%.3f", edges_m > 0 ? d->length_m / edges_m : 0);
    table_add(t, "%.4f", distances_mean(d));
    table_add(t, "%.4f", d->length_m > 0 ? d->bias_sum / d->length_m : 0);
    table_add(t, "%.3f", distances_quantile(d, 0.99));
    table_add(t, "%.3f", d->error_max);
    table_add(t, "%.3f", d->nearest_m);
}

static void report(run *r, const subject *s, const wall_report *navd, const wall_report *recast)
{
    for (int by = 0; by < (recast ? 2 : 1); by++) {
        const wall_report *w = by ? recast : navd;
        table_add(&r->walls, "%s", s->name);
        table_add(&r->walls, "%s", by ? "recast" : nav_partition_name(s->settings.partition));
        table_add(&r->walls, "%.1f", w->edges_m);
        add_distances(&r->walls, &w->walls, w->edges_m);
        add_distances(&r->walls, &w->drops, w->edges_m);
        double both_m = w->walls.length_m + w->drops.length_m;
        table_add(&r->walls, "%.4f", both_m > 0 ? (w->walls.error_sum + w->drops.error_sum) / both_m : 0);
        table_add(&r->walls, "%.1f", w->surface_m2);
        table_add(&r->walls, "%.2f", w->baseless_m2);
    }
    if (recast)
        table_add_bar(r->bars, "surface without a floor (m2)", s->name, navd->baseless_m2, false, recast->baseless_m2);
    if (!recast || distances_mean(&recast->walls) <= 0) return;
    double ratio = distances_mean(&navd->walls) / distances_mean(&recast->walls);
    table_add_bar(r->bars, "wall distance, mean / Recast's", s->name, ratio, false, 0.8);
    if (s->stored) mean_add(&r->ratios, ratio);
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    ground truth = {0};
    wall_report *reports = calloc(2, sizeof *reports);
    const generate_options options = {.settings = s->settings, .threads = 2, .encoding = GENERATE_DETOUR};
    generated g = {0};
    peer_result p = {0};
    peer_tile *tiles = NULL;
    bool ok = reports && generate(&s->scene, &options, &g) && (tiles = subject_borrow_tiles(s, &g));
    if (!ok) goto done;
    if (s->peer) peer_generate(s->peer, 2, &p);
    ground_init(&truth, s->verts, s->tris, s->tri_count, &s->settings);
    ok = wall_distance_add_tiles(&truth, &s->settings, tiles, subject_tiles(s), &reports[0]);
    if (s->peer) ok = wall_distance_add_tiles(&truth, &s->settings, p.tiles, subject_tiles(s), &reports[1]) && ok;
    report(r, s, &reports[0], s->peer ? &reports[1] : NULL);
done:
    ground_deinit(&truth);
    peer_result_free(&p, subject_tiles(s));
    generated_deinit(&g);
    free(tiles);
    free(reports);
    return ok;
}

bool bench_walls(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(&r.walls, "walls",
               "Walls: distance from the mesh's edge to the scene's walls and drops, less the radius, metres",
               "scene,by,edges_m,walls,mean_m,bias_m,p99_m,max_m,nearest_m,drops,drop_mean_m,drop_bias_m,drop_p99_m,"
               "drop_max_m,drop_nearest_m,"
               "both_mean_m,surface_m2,baseless_m2");
    bool ok = subject_each(o, measure, &r);
    table_print(&r.walls);
    ok = table_write(&r.walls, o->out) && ok;
    table_add_mean_bar(bars, "wall distance, mean / Recast's", &r.ratios, 0.8);
    table_deinit(&r.walls);
    return ok;
}
