// How many times Recast's speed navd has, by scene and in the mean; two threads against one; what a tile takes from
// the heap once its worker is warm. Rounds of everything compared alternate, so that all meet the same noise; the best
// round of each counts.
#include "tests/bench/heap_count.h"
#include "tests/bench/subject.h"
#include "tests/bench/tile_builder.h"

#include "core/tile/detour.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 10, LEAST_ROUNDS = 3 };
static const double PATIENCE_S = 120; // of a scene: then fewer rounds do, but LEAST_ROUNDS
// A round of a small scene repeats itself: a run of two milliseconds alone would measure how a processor wakes up.
static const double ROUND_S = 0.02;

// The least of all rounds, seconds.
typedef struct least {
    double tiles_s; // from the indexed triangles to the encoded tiles
    double whole_s; // indexing too
    double cpu_s;   // processor time of all threads: navd's indexing too, Recast's tiles alone
} least;

// What is compared; RECAST always takes its watershed.
typedef enum contender { CONVEX, WATERSHED, CONVEX_2, RECAST, RECAST_2, CONTENDERS } contender;

typedef struct run {
    const bench_options *options;
    table speed, memory, *bars;
    mean by_default, by_watershed;
    double worst;
    char worst_name[64];
} run;

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void keep_least(double *to, double figure)
{
    if (*to == 0 || figure < *to) *to = figure;
}

static bool navd_round(generator *by, const subject *s, nav_partition partition, least *l)
{
    generate_options options = {.settings = s->settings, .encoding = GENERATE_DETOUR};
    options.settings.partition = partition;
    for (double end_s = clock_s() + ROUND_S; clock_s() < end_s;) {
        generated g;
        double began_s = bench_cpu_s();
        if (!generator_run(by, &s->scene, &options, &g)) return false;
        keep_least(&l->cpu_s, bench_cpu_s() - began_s);
        keep_least(&l->tiles_s, g.generate_s - g.index_s);
        keep_least(&l->whole_s, g.generate_s);
        generated_deinit(&g);
    }
    return true;
}

static void recast_round(const subject *s, int threads, least *l)
{
    for (double end_s = clock_s() + ROUND_S; s->peer && clock_s() < end_s;) {
        peer_result r;
        double began_s = bench_cpu_s();
        peer_generate(s->peer, threads, &r);
        keep_least(&l->cpu_s, bench_cpu_s() - began_s);
        keep_least(&l->tiles_s, r.generate_s);
        keep_least(&l->whole_s, r.generate_s + r.bin_s);
        peer_result_free(&r, subject_tiles(s));
    }
}

// Rounds of all, until there are enough or patience ends. Recast on two threads only where its time is told beside a
// bar of ours.
static bool rounds(const subject *s, const bench_options *o, bool two, least all[CONTENDERS], int *count)
{
    generator *alone = generator_create(1), *pair = generator_create(2);
    const nav_partition ours = s->settings.partition;
    double began_s = clock_s();
    bool ok = alone && pair;
    for (*count = 0; ok && *count < (o->quick ? LEAST_ROUNDS : ROUNDS); ++*count) {
        if (*count >= LEAST_ROUNDS && clock_s() - began_s > PATIENCE_S) break;
        ok = navd_round(alone, s, ours, &all[CONVEX]) &&
             navd_round(alone, s, NAV_PARTITION_WATERSHED, &all[WATERSHED]) &&
             navd_round(pair, s, ours, &all[CONVEX_2]);
        recast_round(s, 1, &all[RECAST]);
        if (two) recast_round(s, 2, &all[RECAST_2]);
    }
    generator_destroy(alone);
    generator_destroy(pair);
    return ok;
}

static void report_speed(run *r, const subject *s, const least all[CONTENDERS], int count)
{
    table *t = &r->speed;
    const double ours = all[CONVEX].tiles_s, scaling = ours / all[CONVEX_2].tiles_s;
    const double ratio = all[RECAST].tiles_s / ours, watershed = all[RECAST].tiles_s / all[WATERSHED].tiles_s;
    table_add(t, "%s", s->name);
    table_add(t, "%u", subject_tiles(s));
    table_add(t, "%d", count);
    table_add(t, "%.3f", ours * 1e3);
    table_add(t, "%.3f", all[WATERSHED].tiles_s * 1e3);
    subject_add_peer(t, s, 3, all[RECAST].tiles_s * 1e3);
    subject_add_peer(t, s, 2, ratio);
    subject_add_peer(t, s, 2, watershed);
    subject_add_peer(t, s, 2, all[RECAST].whole_s / all[CONVEX].whole_s);
    subject_add_peer(t, s, 2, all[RECAST].cpu_s / all[CONVEX].cpu_s);
    subject_add_peer(t, s, 2, all[RECAST].cpu_s / all[WATERSHED].cpu_s);
    table_add(t, "%.3f", all[CONVEX_2].tiles_s * 1e3);
    table_add(t, "%.2f", scaling);
    table_add(t, "%.1f", all[CONVEX_2].whole_s * 1e3);
    if (all[RECAST_2].whole_s > 0)
        table_add(t, "%.1f", all[RECAST_2].whole_s * 1e3);
    else
        table_add(t, "-");
    if (subject_is(s, "city1km")) table_add_bar(r->bars, "2 threads against 1", s->name, scaling, true, 1.95);
    if (subject_is(s, "dungeon")) table_add_bar(r->bars, "2 threads against 1", s->name, scaling, true, 1.8);
    if (subject_is(s, "terrain2km")) {
        table_add_bar(r->bars, "seconds on 2 threads, index and all tiles", s->name, all[CONVEX_2].whole_s, false, 0.5);
    }
    if (!s->peer) return;
    mean_add(&r->by_default, ratio);
    mean_add(&r->by_watershed, watershed);
    if (r->worst == 0 || ratio < r->worst) {
        r->worst = ratio;
        snprintf(r->worst_name, sizeof r->worst_name, "%s", s->name);
    }
}

// All tiles, one after the other.
static bool build_all(const subject *s, tile_builder *b, nav_buffer *encoded)
{
    nav_tile tile;
    for (uint32_t i = 0; i < subject_tiles(s); i++) {
        int32_t x = (int32_t)(i % (uint32_t)s->count[0]), z = (int32_t)(i / (uint32_t)s->count[0]);
        encoded->size = 0;
        nav_status status = tile_builder_build(b, x, z, NULL, &tile);
        if (status == NAV_OK && tile.polygons.count) status = nav_detour_encode(&tile, encoded);
        if (status == NAV_OK) continue;
        fprintf(stderr, "bench: %s: tile %d,%d: %s\n", s->name, x, z, nav_status_text(status));
        return false;
    }
    return true;
}

// The second pass over the scene's tiles finds a worker that has seen the largest of them.
static bool report_memory(run *r, const subject *s)
{
    tile_builder b;
    nav_buffer encoded = {0};
    bool ok = tile_builder_init(&b, &s->scene, &s->settings) && build_all(s, &b, &encoded);
    heap_count before = heap_count_now();
    ok = ok && build_all(s, &b, &encoded);
    heap_count after = heap_count_now();
    const double tiles = subject_tiles(s), bytes = (double)(after.bytes - before.bytes) / tiles;
    const double peak_mib = (double)b.arena.peak_bytes / (1 << 20);
    if (ok) {
        table_add(&r->memory, "%s", s->name);
        table_add(&r->memory, "%.3f", (double)(after.calls - before.calls) / tiles);
        table_add(&r->memory, "%.0f", bytes);
        table_add(&r->memory, "%.2f", peak_mib);
        table_add(&r->memory, "%.2f", (double)b.arena.held_bytes / (1 << 20));
        if (heap_count_works()) table_add_bar(r->bars, "heap bytes a tile when warm", s->name, bytes, false, 0);
        table_add_bar(r->bars, "peak arena of a worker MiB", s->name, peak_mib, false, 8);
    }
    nav_buffer_deinit(&encoded);
    tile_builder_deinit(&b);
    return ok;
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    least all[CONTENDERS] = {0};
    int count = 0;
    bool ok = rounds(s, r->options, subject_is(s, "terrain2km"), all, &count);
    if (ok) report_speed(r, s, all, count);
    return ok && report_memory(r, s);
}

static void finish(table *t, const bench_options *o, bool *ok)
{
    bool filled = t->cell_count > (size_t)t->columns;
    if (filled) table_print(t);
    *ok = (!filled || table_write(t, o->out)) && *ok;
    table_deinit(t);
}

bool bench_speed(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(&r.speed, "speed",
               "Generation beside Recast, ms: indexed triangles to Detour tiles on 1 thread; Recast's time over ours",
               "scene,tiles,rounds,navd,watershed,recast,ratio,watershed_ratio,indexed_ratio,cpu_ratio,"
               "watershed_cpu_ratio,navd_2,scaling,whole_2,"
               "recast_whole_2");
    table_init(&r.memory, "tile_memory", "A worker's memory, once it is warm",
               "scene,calls_a_tile,bytes_a_tile,peak_mib,held_mib");
    bool ok = subject_each(o, measure, &r);
    if (r.by_default.count) {
        char scenes[32];
        snprintf(scenes, sizeof scenes, "(mean of %d)", r.by_default.count);
        table_add_bar(bars, "Recast's time / navd's", scenes, mean_of(&r.by_default), true, 10);
        table_add_bar(bars, "Recast's time / navd's, worst", r.worst_name, r.worst, true, 6);
        table_add_bar(bars, "Recast's time / navd's, watershed", scenes, mean_of(&r.by_watershed), true, 4);
    }
    finish(&r.speed, o, &ok);
    finish(&r.memory, o, &ok);
    return ok;
}
