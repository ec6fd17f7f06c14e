// All that true outlines promise, in one part; and what they cost. Rounds of all contenders alternate, so that all meet
// the same noise; the best round of each counts.
#include "tests/bench/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 8, LEAST_ROUNDS = 3, COARSE = 5, CONTENDERS = 1 + COARSE };
static const double PATIENCE_S = 60, ROUND_S = 0.02; // of a scene; of a round, which is repeated so long
static const double VOXEL_CELL_M = 0.3, CELLS_M[COARSE] = {0.2, 0.3, 0.4, 0.5, 0.6};
// Cells of half a metre have walls as true as those of 0.3 m.
static const double EQUAL_CELL_M = 0.5, TIME_BAR = 1.5, EQUAL_BAR = 0.6;

typedef struct run {
    const bench_options *options;
    table times, *bars;
    mean ratios[COARSE]; // true ones at each size of cells over voxel ones at 0.3 m
} run;

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Seconds from the indexed triangles to the encoded tiles, on one thread. 0: nothing could be made.
static double round_of(generator *by, const subject *s, nav_outlines outlines, double cell_m)
{
    generate_options options = {.settings = s->settings, .encoding = GENERATE_DETOUR};
    double least = 0;
    options.settings.outlines = outlines;
    options.settings.cell_size_m = (float)cell_m;
    for (double end_s = clock_s() + ROUND_S; clock_s() < end_s;) {
        generated g;
        if (!generator_run(by, &s->scene, &options, &g)) return 0;
        double took = g.generate_s - g.index_s;
        bool ok = g.failed == 0;
        generated_deinit(&g);
        if (!ok) return 0;
        if (least == 0 || took < least) least = took;
    }
    return least;
}

static bool rounds(const subject *s, const bench_options *o, double best[CONTENDERS])
{
    generator *alone = generator_create(1);
    double began_s = clock_s();
    bool ok = alone;
    for (int i = 0; ok && i < (o->quick ? 1 : ROUNDS); i++) {
        if (i >= LEAST_ROUNDS && clock_s() - began_s > PATIENCE_S) break;
        for (int c = 0; ok && c < CONTENDERS; c++) {
            double took = c ? round_of(alone, s, NAV_OUTLINES_TRUE, CELLS_M[c - 1])
                            : round_of(alone, s, NAV_OUTLINES_VOXEL, VOXEL_CELL_M);
            ok = took > 0;
            if (best[c] == 0 || took < best[c]) best[c] = took;
        }
    }
    generator_destroy(alone);
    return ok;
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    double best[CONTENDERS] = {0};
    if (!rounds(s, r->options, best)) return false;
    table_add(&r->times, "%s", s->name);
    table_add(&r->times, "%.3f", best[0] * 1e3);
    for (int k = 0; k < COARSE; k++) table_add(&r->times, "%.3f", best[1 + k] * 1e3);
    for (int k = 0; k < COARSE; k++) {
        double ratio = best[1 + k] / best[0];
        table_add(&r->times, "%.2f", ratio);
        mean_add(&r->ratios[k], ratio);
        if (CELLS_M[k] == VOXEL_CELL_M)
            table_add_bar(r->bars, "time of true outlines / voxel", s->name, ratio, false, TIME_BAR);
        if (CELLS_M[k] == EQUAL_CELL_M)
            table_add_bar(r->bars, "time, true at 0.5 m / voxel at 0.3 m", s->name, ratio, false, EQUAL_BAR);
    }
    return true;
}

bool bench_outline_times(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(
        &r.times, "outline_times",
        "What true outlines cost, ms: indexed triangles to Detour tiles on 1 thread; against voxel ones at 0.3 m",
        "scene,voxel_0.3,true_0.2,true_0.3,true_0.4,true_0.5,true_0.6,ratio_0.2,ratio_0.3,ratio_0.4,ratio_0.5,"
        "ratio_0.6");
    bool ok = subject_each(o, measure, &r);
    for (int k = 0; k < COARSE; k++) {
        if (CELLS_M[k] == VOXEL_CELL_M)
            table_add_mean_bar(bars, "time of true outlines / voxel", &r.ratios[k], TIME_BAR);
        if (CELLS_M[k] == EQUAL_CELL_M)
            table_add_mean_bar(bars, "time, true at 0.5 m / voxel at 0.3 m", &r.ratios[k], EQUAL_BAR);
    }
    if (r.times.cell_count > (size_t)r.times.columns) table_print(&r.times);
    ok = table_write(&r.times, o->out) && ok;
    table_deinit(&r.times);
    return ok;
}

// Only time is measured where a scene is too large for its edges to be followed in seconds.
static bool is_huge(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, "terrain2km", strlen("terrain2km"));
}

bool bench_true_outlines(const bench_options *o, table *bars)
{
    bench_options judged = *o, timed = *o;
    judged.scenes = calloc((size_t)o->scene_count + 1, sizeof *judged.scenes);
    judged.scene_count = 0;
    if (!judged.scenes) abort();
    for (int i = 0; i < o->scene_count; i++) {
        if (!is_huge(o->scenes[i])) judged.scenes[judged.scene_count++] = o->scenes[i];
    }
    if (!judged.outlines) judged.outlines = nav_outlines_name(NAV_OUTLINES_TRUE);
    judged.once = true;
    timed.own = o->own && o->scene_count == 0;
    bool ok = bench_outlines(&judged, bars);
    ok = bench_cells(&judged, bars) && ok;
    ok = bench_generate(&judged, bars) && ok;
    ok = (subject_outlines_are_true(&judged) ? bench_outline_times(&timed, bars) : true) && ok;
    ok = (!o->own || bench_edit(&judged, bars)) && ok;
    free(judged.scenes);
    return ok;
}
