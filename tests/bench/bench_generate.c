// Generation of whole scenes: time, stages, polygons, borders, and likeness to Recast's mesh. Rounds of navd and of
// Recast alternate, so that both meet the same noise; the best round of each counts.
#include "tests/bench/border_check.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 60, SAMPLES = 20000, PAIRS = 500 };
static const double ROUNDS_S = 3; // of Recast on one thread, about

typedef struct tables {
    table time, mesh, stages, quality, *bars;
    mean lengths; // of the ratios of path lengths, over the files
} tables;

// The best round with so many threads.
typedef struct best {
    generated navd;
    peer_result recast;
    double navd_cpu_s,
        recast_cpu_s; // least of all rounds, all threads together: what others on the machine disturb less
    int rounds;
} best;

static void keep_least(double *least, double figure)
{
    if (*least == 0 || figure < *least) *least = figure;
}

static bool round_of(const subject *s, int threads, best *b)
{
    generate_options options = {.settings = s->settings, .threads = threads, .encoding = GENERATE_DETOUR};
    if (s->peer) {
        peer_result r;
        double began_s = bench_cpu_s();
        peer_generate(s->peer, threads, &r);
        keep_least(&b->recast_cpu_s, bench_cpu_s() - began_s);
        if (b->rounds == 0 || r.generate_s < b->recast.generate_s) {
            peer_result old = b->recast;
            b->recast = r;
            r = old;
        }
        peer_result_free(&r, subject_tiles(s));
    }
    generated g;
    double began_s = bench_cpu_s();
    if (!generate(&s->scene, &options, &g)) return false;
    keep_least(&b->navd_cpu_s, bench_cpu_s() - began_s);
    if (b->rounds == 0 || g.generate_s < b->navd.generate_s) {
        generated old = b->navd;
        b->navd = g;
        g = old;
    }
    generated_deinit(&g);
    b->rounds++;
    return true;
}

static void best_deinit(const subject *s, best *b)
{
    generated_deinit(&b->navd);
    peer_result_free(&b->recast, subject_tiles(s));
}

static bool rounds(const subject *s, const bench_options *o, int threads, best *b)
{
    if (!round_of(s, threads, b)) return false;
    double first = fmax(b->navd.generate_s, b->recast.generate_s);
    int wanted = (int)fmin(MOST_ROUNDS, fmax(LEAST_ROUNDS, ROUNDS_S / first));
    while (b->rounds < (o->quick || o->once ? 1 : wanted)) {
        if (!round_of(s, threads, b)) return false;
    }
    return true;
}

static bool is_city(const char *name)
{
    return strncmp(name, "city1km", 7) == 0;
}

static void report_time(tables *t, const subject *s, const best *one, const best *two)
{
    const double navd_s = one->navd.generate_s, recast_s = one->recast.generate_s;
    table_add(&t->time, "%s", s->name);
    table_add(&t->time, "%llu", (unsigned long long)s->scene.tri_count);
    table_add(&t->time, "%u", subject_tiles(s));
    table_add(&t->time, "%d", one->rounds);
    table_add(&t->time, "%.4f", navd_s);
    subject_add_peer(&t->time, s, 4, recast_s);
    subject_add_peer(&t->time, s, 4, one->recast.bin_s);
    subject_add_peer(&t->time, s, 3, navd_s / recast_s);
    subject_add_peer(&t->time, s, 3, one->navd_cpu_s / one->recast_cpu_s);
    table_add(&t->time, "%.4f", two->navd.generate_s);
    table_add(&t->time, "%.2f", navd_s / two->navd.generate_s);
    table_add(&t->time, "%.2f", 2 * one->navd_cpu_s / two->navd_cpu_s);
    subject_add_peer(&t->time, s, 2, recast_s / two->recast.generate_s);
    table_add(&t->time, "%.0f", subject_tiles(s) / navd_s);
    if (s->peer) table_add_bar(t->bars, "generation time / Recast's", s->name, navd_s / recast_s, false, 0.5);
    if (is_city(s->name)) {
        table_add_bar(t->bars, "2 threads / 1 thread", s->name, navd_s / two->navd.generate_s, true, 1.8);
    }
    for (int by = 0; by < (s->peer ? 2 : 1); by++) {
        table_add(&t->stages, "%s", s->name);
        table_add(&t->stages, "%s", by ? "recast" : "navd");
        const double *stage_s = by ? one->recast.stage_s : one->navd.stage_s;
        for (int k = 0; k < NAV_STAGE_COUNT; k++) table_add(&t->stages, "%.4f", stage_s[k]);
    }
}

static bool report_mesh(tables *t, const subject *s, const best *one)
{
    border_report b;
    if (!border_check(&s->scene, &s->settings, &b)) return false;
    table_add(&t->mesh, "%s", s->name);
    table_add(&t->mesh, "%llu", (unsigned long long)one->navd.cells);
    table_add(&t->mesh, "%llu", (unsigned long long)one->navd.polys);
    subject_add_peer(&t->mesh, s, 0, (double)one->recast.polys);
    double ratio = (double)one->navd.polys / (double)one->recast.polys;
    subject_add_peer(&t->mesh, s, 3, ratio);
    table_add(&t->mesh, "%llu", (unsigned long long)one->navd.bytes);
    subject_add_peer(&t->mesh, s, 0, (double)one->recast.bytes);
    table_add(&t->mesh, "%.0f", (double)b.arena_peak_bytes / 1024);
    table_add(&t->mesh, "%llu", (unsigned long long)b.pairs);
    table_add(&t->mesh, "%llu", (unsigned long long)b.points);
    table_add(&t->mesh, "%llu", (unsigned long long)b.different);
    table_add(&t->mesh, "%llu", (unsigned long long)(b.failed_tiles + one->navd.failed));
    table_add_bar(t->bars, "border points that differ", s->name, (double)b.different, false, 0);
    return true;
}

static bool report_quality(tables *t, const subject *s, const best *one)
{
    if (!s->peer) return true;
    uint32_t n = subject_tiles(s);
    peer_tile *ours = subject_borrow_tiles(s, &one->navd);
    audit_report r;
    const audit_input recast = {one->recast.tiles, n}, navd = {ours, n};
    bool ok = ours && audit_run(&recast, &navd, &s->settings, SAMPLES, PAIRS, &r);
    free(ours);
    if (!ok) return false;
    table *q = &t->quality;
    table_add(q, "%s", s->name);
    table_add(q, "%.4f", r.recall);
    table_add(q, "%.4f", r.precision);
    table_add(q, "%.3f", r.height_mean_m);
    table_add(q, "%u", r.components[1]);
    table_add(q, "%u", r.components[0]);
    table_add(q, "%u", r.pairs);
    table_add(q, "%.4f", r.agree);
    table_add(q, "%.4f", r.length_ratio);
    table_add(q, "%.4f", r.length_ratio_p99);
    table_add(q, "%.0f", r.area_m2[1]);
    table_add(q, "%.0f", r.area_m2[0]);
    table_add(q, "%u", r.rejected[1]);
    double off = fabs((double)r.components[1] - (double)r.components[0]);
    const bool is_true = s->settings.outlines == NAV_OUTLINES_TRUE;
    table_add_bar(t->bars, "recall", s->name, r.recall, true, is_true ? 0.995 : 0.99);
    // Doors that Recast shuts wrongly are not its mesh's floor: the exact area judges these.
    if (!is_true) table_add_bar(t->bars, "precision", s->name, r.precision, true, 0.99);
    table_add_bar(t->bars, "agreement on reachability", s->name, r.agree, true, 0.99);
    table_add_bar(t->bars, "mean path length ratio", s->name, r.length_ratio, false, 1.00);
    if (s->stored && r.length_ratio > 0) mean_add(&t->lengths, r.length_ratio);
    table_add_bar(t->bars, "components off by (10 % or 2)", s->name, off, false, fmax(2, 0.1 * r.components[0]));
    table_add_bar(t->bars, "tiles that Detour rejects", s->name, r.rejected[1], false, 0);
    return true;
}

typedef struct run {
    const bench_options *options;
    tables t;
} run;

static bool measure(subject *s, void *user)
{
    run *r = user;
    best one = {0}, two = {0};
    bool ok = rounds(s, r->options, 1, &one) && rounds(s, r->options, 2, &two);
    if (ok) report_time(&r->t, s, &one, &two);
    ok = ok && report_mesh(&r->t, s, &one) && report_quality(&r->t, s, &one);
    best_deinit(s, &one);
    best_deinit(s, &two);
    return ok;
}

bool bench_generate(const bench_options *o, table *bars)
{
    run r = {.options = o, .t.bars = bars};
    tables *t = &r.t;
    char columns[512] = "scene,by";
    for (int k = 0; k < NAV_STAGE_COUNT; k++) {
        strcat(columns, ",");
        strcat(columns, nav_stage_name((nav_stage)k));
    }
    table_init(
        &t->time, "generate",
        "Generation, triangles in memory to Detour tiles, seconds, 1 and 2 threads (cpu: processor time, not "
        "the clock's)",
        "scene,triangles,tiles,rounds,navd_s,recast_s,recast_binning_s,ratio,cpu_ratio,navd_2_s,scaling,cpu_scaling,"
        "recast_scaling,"
        "tiles_per_s");
    table_init(&t->stages, "stages", "Stages on 1 thread, seconds", columns);
    table_init(&t->mesh, "mesh", "Meshes, and borders of neighbours each built alone",
               "scene,cells,polys,recast_polys,ratio,bytes,recast_bytes,arena_peak_kib,pairs,border_points,different,"
               "failed_tiles");
    table_init(&t->quality, "quality", "Likeness to Recast's mesh, Detour being the judge",
               "scene,recall,precision,height_m,components,recast_components,pairs,agree,length_ratio,length_p99,"
               "area_m2,recast_area_m2,rejected");
    bool ok = subject_each(o, measure, &r);
    table_add_mean_bar(bars, "mean path length ratio", &t->lengths, 1.00);
    table *all[] = {&t->time, &t->stages, &t->mesh, &t->quality};
    for (int i = 0; i < 4; i++) {
        bool filled = all[i]->cell_count > (size_t)all[i]->columns;
        if (filled) table_print(all[i]);
        ok = (!filled || table_write(all[i], o->out)) && ok;
        table_deinit(all[i]);
    }
    return ok;
}
