// The shortest paths between random places, beside Detour's on the same tiles. Each pair is asked one after the other
// in every round, so that both meet the same noise; the least time of each counts.
#include "navcore/path_places.h"
#include "tests/bench/heap_count.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 1000, QUICK_PAIRS = 100, WIDE_PAIRS = 100, QUICK_WIDE_PAIRS = 20, ROUNDS = 3, SEED = 7 };
static const double NEAR_M = 2;

typedef struct run {
    const bench_options *options;
    table paths, ends, wide, *bars;
} run;

typedef struct answers {
    double navd_us[PAIRS], peer_us[PAIRS];
    bool reached[PAIRS];
    double navd_m, peer_m; // of the pairs that both have a path for
    uint32_t found, both, longer, open, bends;
    uint64_t heap_calls; // of the last round
} answers;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double quantile(double *us, uint32_t count, double q)
{
    qsort(us, count, sizeof *us, by_size);
    return count ? us[(uint32_t)(q * (count - 1))] : 0;
}

static void copy_point(double to[3], const float from[3])
{
    for (int k = 0; k < 3; k++) to[k] = (double)from[k];
}

// The straight line is open if navd's ray gets to the end of the path, and not to ground above or below it; then the
// path has to be that line.
static bool look_along(nav_path_finder *f, const nav_path_set *set, const nav_path_query *q, const nav_path *path,
                       answers *out)
{
    double length_m = path->length_m, end_y = (double)path->points[3 * path->point_count - 2];
    nav_path_ray ray;
    if (nav_path_raycast(f, set, q->from, q->to, &(nav_place_scope){.near_m = NEAR_M}, &ray) != NAV_OK) return false;
    if (ray.status != NAV_PLACE_FOUND || fabs((double)ray.end.at[1] - end_y) > 0.1) return true;
    out->open++;
    out->bends += length_m > ray.length_m + 1e-3;
    return true;
}

static bool ask(nav_path_finder *f, const nav_path_set *set, peer_ways *ways, const nav_path_place *places, uint32_t i,
                bool first, answers *out)
{
    const float *from = places[2 * i].at, *to = places[2 * i + 1].at;
    nav_path_query q = {.near_m = NEAR_M};
    nav_path path;
    copy_point(q.from, from);
    copy_point(q.to, to);
    double began = now_us(), peer_m = ways ? peer_ways_length(ways, from, to) : -1, middle = now_us();
    uint64_t calls = heap_count_now().calls;
    if (nav_path_find(f, set, &q, &path) != NAV_OK) return false;
    out->heap_calls += heap_count_now().calls - calls;
    out->navd_us[i] = fmin(out->navd_us[i], now_us() - middle);
    out->peer_us[i] = fmin(out->peer_us[i], middle - began);
    out->reached[i] = path.status == NAV_PATH_FOUND;
    if (!first || !out->reached[i]) return true;
    double length_m = path.length_m;
    out->found++;
    if (peer_m >= 0) {
        out->both++;
        out->navd_m += length_m;
        out->peer_m += peer_m;
        out->longer += length_m > peer_m + 2e-3; // Detour's places are floats off the grid
    }
    return look_along(f, set, &q, &path, out);
}

// Puts all tiles into the set; last_us: of one tile that is put again, and the join behind it.
static bool fill(nav_path_set *set, const generated *g, uint32_t count, double *last_us)
{
    char why[200] = "";
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!g->tiles[i].bytes) continue;
        if (nav_path_set_put(set, g->tiles[i].bytes, g->tiles[i].size, why, sizeof why) != NAV_OK) {
            fprintf(stderr, "bench: %s\n", why);
            return false;
        }
        last = i;
    }
    bool ok = nav_path_set_join(set) == NAV_OK && g->tiles[last].bytes;
    double began = now_us();
    ok = ok && nav_path_set_put(set, g->tiles[last].bytes, g->tiles[last].size, NULL, 0) == NAV_OK &&
         nav_path_set_join(set) == NAV_OK;
    *last_us = now_us() - began;
    return ok;
}

// Detour gives up where no way leads to the goal, and navd goes to the nearest ground: so the pairs with a way apart.
static void report_ends(run *r, const subject *s, uint32_t pairs, const answers *a, bool beside)
{
    for (int reached = 1; reached >= 0; reached--) {
        double navd_us[PAIRS], peer_us[PAIRS];
        uint32_t n = 0;
        for (uint32_t i = 0; i < pairs; i++) {
            if (a->reached[i] != reached) continue;
            navd_us[n] = a->navd_us[i];
            peer_us[n++] = a->peer_us[i];
        }
        if (!n) continue;
        const char *which = reached ? "with a way" : "without one";
        double p50 = quantile(navd_us, n, 0.5), p99 = quantile(navd_us, n, 0.99);
        double peer_p50 = quantile(peer_us, n, 0.5), peer_p99 = quantile(peer_us, n, 0.99);
        table *t = &r->ends;
        table_add(t, "%s", s->name);
        table_add(t, "%s", which);
        table_add(t, "%u", n);
        table_add(t, "%.1f", p50);
        table_add(t, "%.1f", p99);
        if (beside) {
            table_add(t, "%.1f", peer_p50);
            table_add(t, "%.1f", peer_p99);
            table_add(t, "%.2f", p50 / peer_p50);
            table_add(t, "%.2f", p99 / peer_p99);
        } else {
            for (int i = 0; i < 4; i++) table_add(t, "-");
        }
        if (beside && reached) {
            table_add_bar(r->bars, "path p50 / Detour's, pairs with a way", s->name, p50 / peer_p50, false, 1);
            table_add_bar(r->bars, "path p99 / Detour's, pairs with a way", s->name, p99 / peer_p99, false, 0.5);
        }
    }
}

static void report(run *r, const subject *s, const nav_path_set *set, uint32_t pairs, double edit_us, answers *a,
                   bool beside)
{
    table *t = &r->paths;
    report_ends(r, s, pairs, a, beside); // before quantile() puts them in order
    double p50 = quantile(a->navd_us, pairs, 0.5), p99 = quantile(a->navd_us, pairs, 0.99);
    double peer_p50 = quantile(a->peer_us, pairs, 0.5), peer_p99 = quantile(a->peer_us, pairs, 0.99);
    table_add(t, "%s", s->name);
    table_add(t, "%u", nav_path_set_tiles(set));
    table_add(t, "%.1f", (double)nav_path_set_bytes(set) / 1e6);
    table_add(t, "%u", pairs);
    table_add(t, "%u", a->found);
    table_add(t, "%.1f", p50);
    table_add(t, "%.1f", p99);
    if (beside) {
        table_add(t, "%.1f", peer_p50);
        table_add(t, "%.1f", peer_p99);
        table_add(t, "%.4f", a->peer_m > 0 ? a->navd_m / a->peer_m : 1);
        table_add(t, "%u", a->longer);
    } else {
        for (int i = 0; i < 4; i++) table_add(t, "-");
    }
    table_add(t, "%u", a->open);
    table_add(t, "%u", a->bends);
    table_add(t, "%llu", (unsigned long long)a->heap_calls);
    table_add(t, "%.0f", edit_us);
    table_add_bar(r->bars, "open pairs whose path bends", s->name, a->bends, false, 0);
    table_add_bar(r->bars, "heap calls of warm paths", s->name, (double)a->heap_calls, false, 0);
    if (!beside) return;
    table_add_bar(r->bars, "paths longer than Detour's", s->name, a->longer, false, 0);
    table_add_bar(r->bars, "path p50 / Detour's", s->name, p50 / peer_p50, false, 1);
    table_add_bar(r->bars, "path p99 / Detour's", s->name, p99 / peer_p99, false, 0.5);
}

// Agents wider than the tiles were built for, each pair in turn with one of the tiles' own: the least time of each.
static bool measure_wide(run *r, const subject *s, nav_path_finder *f, const nav_path_set *set,
                         const nav_path_place *places)
{
    static const double times[] = {1, 1.5, 3};
    double us[3][WIDE_PAIRS], means[3] = {0};
    uint32_t pairs = r->options->quick ? QUICK_WIDE_PAIRS : WIDE_PAIRS, found[3] = {0};
    uint64_t heap_calls[3];
    for (int round = 0; round < ROUNDS; round++) {
        memset(heap_calls, 0, sizeof heap_calls);
        for (uint32_t i = 0; i < pairs; i++)
            for (int k = 0; k < 3; k++) {
                nav_path_query q = {.near_m = NEAR_M, .radius_m = times[k] * (double)s->settings.agent_radius_m};
                nav_path path;
                copy_point(q.from, places[2 * i].at);
                copy_point(q.to, places[2 * i + 1].at);
                uint64_t calls = heap_count_now().calls;
                double began = now_us();
                if (nav_path_find(f, set, &q, &path) != NAV_OK) return false;
                double took = now_us() - began;
                heap_calls[k] += heap_count_now().calls - calls;
                us[k][i] = round ? fmin(us[k][i], took) : took;
                found[k] += !round && path.status == NAV_PATH_FOUND;
            }
    }
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < pairs; i++) means[k] += us[k][i] / pairs;
    double narrow_p50 = quantile(us[0], pairs, 0.5), narrow_p99 = quantile(us[0], pairs, 0.99);
    for (int k = 1; k < 3; k++) {
        table *t = &r->wide;
        double p50 = quantile(us[k], pairs, 0.5), p99 = quantile(us[k], pairs, 0.99);
        table_add(t, "%s", s->name);
        table_add(t, "%.2f", times[k] * (double)s->settings.agent_radius_m);
        table_add(t, "%u", pairs);
        table_add(t, "%u", found[k]);
        table_add(t, "%.1f", p50);
        table_add(t, "%.1f", p99);
        table_add(t, "%.1f", p50 / narrow_p50);
        table_add(t, "%.1f", p99 / narrow_p99);
        table_add(t, "%.1f", means[k] / means[0]);
        table_add(t, "%llu", (unsigned long long)heap_calls[k]);
        table_add_bar(r->bars, "heap calls of warm wider paths", s->name, (double)heap_calls[k], false, 0);
    }
    return true;
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    generate_options options = {.settings = s->settings, .threads = 1, .encoding = GENERATE_NAVD};
    generated navd = {0}, detour = {0};
    nav_path_set *set = NULL;
    nav_path_finder *f = NULL, *chooser = NULL;
    peer_ways *ways = NULL;
    answers *a = calloc(1, sizeof *a);
    peer_tile *tiles = NULL;
    uint32_t pairs = r->options->quick ? QUICK_PAIRS : PAIRS;
    double edit_us = 0;
    nav_path_randoms places = {0};
    nav_path_random_query q = {.seed = SEED, .count = 2 * pairs};
    bool ok = a && generate(&s->scene, &options, &navd) && nav_path_set_create(&set) == NAV_OK &&
              nav_path_finder_create(&f) == NAV_OK && nav_path_finder_create(&chooser) == NAV_OK &&
              fill(set, &navd, subject_tiles(s), &edit_us) && nav_path_random(chooser, set, &q, &places) == NAV_OK;
    if (ok && peer_present()) {
        options.encoding = GENERATE_DETOUR;
        ok = generate(&s->scene, &options, &detour) && (tiles = subject_borrow_tiles(s, &detour));
        if (ok) ways = peer_ways_create(&(audit_input){tiles, subject_tiles(s)}, &s->settings);
        ok = ok && ways;
    }
    if (ok && places.status != NAV_PLACE_FOUND) pairs = 0;
    for (uint32_t i = 0; ok && i < pairs; i++) a->navd_us[i] = a->peer_us[i] = INFINITY;
    for (int round = 0; ok && round < ROUNDS; round++) {
        a->heap_calls = 0;
        for (uint32_t i = 0; ok && i < pairs; i++) ok = ask(f, set, ways, places.points, i, !round, a);
    }
    if (ok) report(r, s, set, pairs, edit_us, a, ways);
    if (ok && pairs) ok = measure_wide(r, s, f, set, places.points);
    peer_ways_destroy(ways);
    nav_path_finder_destroy(chooser);
    nav_path_finder_destroy(f);
    nav_path_set_destroy(set);
    generated_deinit(&navd);
    generated_deinit(&detour);
    free(tiles);
    free(a);
    return ok;
}

bool bench_paths(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(&r.paths, "paths", "The shortest paths between random places, microseconds",
               "scene,tiles,mb,pairs,found,p50,p99,detour_p50,detour_p99,length_ratio,longer,open,bends,heap_calls,"
               "edit_us");
    table_init(&r.ends, "path_ends", "The same pairs by whether a way leads to the goal, microseconds",
               "scene,goal,pairs,p50,p99,detour_p50,detour_p99,p50_ratio,p99_ratio");
    table_init(&r.wide, "path_wide", "Agents wider than the tiles were built for, microseconds, beside the tiles' own",
               "scene,radius_m,pairs,found,p50,p99,p50_ratio,p99_ratio,mean_ratio,heap_calls");
    bool ok = subject_each(o, measure, &r);
    table_print(&r.paths);
    table_print(&r.ends);
    table_print(&r.wide);
    ok = table_write(&r.paths, o->out) && ok;
    ok = table_write(&r.ends, o->out) && ok;
    ok = table_write(&r.wide, o->out) && ok;
    table_deinit(&r.paths);
    table_deinit(&r.ends);
    table_deinit(&r.wide);
    return ok;
}
