// Paths from corner to corner of a large city, and goals there that cannot be reached: without landmarks, with them,
// and when a tile has made them worse since. It takes minutes and a gigabyte, so it is measured only where it is asked
// for by name.
#include "navcore/path_landmarks.h"
#include "navcore/path_places.h"
#include "navcore/tile.h"
#include "tests/bench/scenes.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BOXES_A_KM2 = 20000, PLACES = 400, PAIRS = 100, ROUNDS = 3, SEED = 7 };
static const double LONG_US = 1e5;
static const double NEAR_M = 2, CORNER_M = 150; // how far around a corner places are drawn

typedef struct pair {
    double from[3], to[3];
} pair;

typedef struct large {
    double side_m;
    double generate_s, join_s, put_us; // put_us: of one tile that is put again, and the join behind it
    double landmarks_s;                // all of them, by one thread
    uint32_t landmarks;
    size_t landmarks_bytes;
    nav_buffer middle; // a tile
    nav_path_set *set;
    nav_path_finder *finder;
    pair open[PAIRS], apart[PAIRS]; // a way leads there, or none
    uint32_t open_count, apart_count;
    double path_us[PAIRS], partial_us[PAIRS], reach_us[PAIRS], length_m, straight_m;
    uint64_t nodes;
} large;

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

// Sorts them.
static double quantile(double *us, uint32_t count, double q)
{
    qsort(us, count, sizeof *us, by_size);
    return count ? us[(uint32_t)(q * (count - 1))] : 0;
}

static bool put(nav_path_set *set, const generated_tile *t)
{
    char why[200] = "";
    if (!t->bytes || nav_path_set_put(set, t->bytes, t->size, why, sizeof why) == NAV_OK) return true;
    fprintf(stderr, "bench: %s\n", why);
    return false;
}

// Its tiles in a set; what made them is gone again.
static bool fill(large *l)
{
    scene s;
    generate_options options = {.threads = generate_threads(), .encoding = GENERATE_NAVD};
    generated g = {0};
    bench_scene_city(&s, (uint32_t)(BOXES_A_KM2 * l->side_m * l->side_m / 1e6), l->side_m);
    nav_settings_default(&options.settings);
    for (int k = 0; k < 3; k++) options.settings.origin_m[k] = (double)s.min[k];
    bool ok = generate(&s, &options, &g) && nav_path_set_create(&l->set) == NAV_OK;
    double began = now_us();
    for (uint64_t i = 0; ok && i < g.grids.total; i++) ok = put(l->set, &g.tiles[i]);
    ok = ok && nav_path_set_join(l->set) == NAV_OK;
    l->join_s = (now_us() - began) / 1e6;
    began = now_us();
    const generated_tile *middle = &g.tiles[g.grids.total / 2];
    ok = ok && put(l->set, middle) && nav_path_set_join(l->set) == NAV_OK;
    l->put_us = now_us() - began;
    ok = ok && middle->bytes && nav_buffer_append(&l->middle, middle->bytes, middle->size) == NAV_OK;
    l->generate_s = g.generate_s;
    generated_deinit(&g);
    scene_deinit(&s);
    return ok;
}

// Places near a corner of the city, on all floors. False: it failed.
static bool draw(large *l, double x, double z, uint64_t seed, double (*out)[3])
{
    nav_path_random_query q = {.seed = seed, .count = PLACES, .at = {x, 0, z}, .near_m = NEAR_M, .radius_m = CORNER_M};
    nav_path_randoms places;
    if (nav_path_random(l->finder, l->set, &q, &places) != NAV_OK || places.count != PLACES) return false;
    for (uint32_t i = 0; i < PLACES; i++)
        for (int k = 0; k < 3; k++) out[i][k] = (double)places.points[i].at[k];
    return true;
}

// Pairs along one diagonal and the other in turn, until there are enough with a way and without one.
static bool choose(large *l)
{
    static double at[4][PLACES][3];
    for (int c = 0; c < 4; c++)
        if (!draw(l, c & 1 ? l->side_m : 0, c & 2 ? l->side_m : 0, (uint64_t)(SEED + c), at[c])) return false;
    for (uint32_t i = 0; i < 2 * PLACES; i++) {
        const double *from = at[i % 2][i / 2], *to = at[3 - i % 2][i / 2];
        nav_place_status reach;
        if (nav_path_reach(NULL, l->set, from, &(nav_place_scope){.near_m = NEAR_M}, (const double(*)[3])to, 1,
                           &reach) != NAV_OK)
            return false;
        pair p = {{from[0], from[1], from[2]}, {to[0], to[1], to[2]}};
        if (reach == NAV_PLACE_FOUND && l->open_count < PAIRS) l->open[l->open_count++] = p;
        if (reach == NAV_PLACE_NONE && l->apart_count < PAIRS) l->apart[l->apart_count++] = p;
    }
    return true;
}

static bool find(large *l, const pair *p, nav_path *out, double *least_us)
{
    nav_path_query q = {.near_m = NEAR_M};
    memcpy(q.from, p->from, sizeof q.from);
    memcpy(q.to, p->to, sizeof q.to);
    for (int round = 0; round < ROUNDS; round++) {
        double began = now_us();
        if (nav_path_find(l->finder, l->set, &q, out) != NAV_OK) return false;
        double us = now_us() - began;
        if (!round || us < *least_us) *least_us = us;
        if (us > LONG_US) break; // which one round tells
    }
    return true;
}

static bool make_landmarks(large *l)
{
    nav_path_landmarks *made;
    double began = now_us();
    if (nav_path_landmarks_create(l->set, nav_path_landmarks_worth(l->set), &made) != NAV_OK) return false;
    bool ok = true;
    for (uint32_t k = 0; ok && k < nav_path_landmarks_count(made); k++)
        ok = nav_path_landmarks_flood(made, k, l->finder, l->set, NULL, NULL) == NAV_OK;
    l->landmarks_s = (now_us() - began) / 1e6;
    l->landmarks = nav_path_landmarks_count(made);
    l->landmarks_bytes = nav_path_landmarks_bytes(made);
    nav_path_set_use_landmarks(l->set, made);
    return ok;
}

// A tile goes and comes, so that a way may have opened there.
static bool open_middle(large *l)
{
    nav_tile_view v;
    if (nav_tile_open(l->middle.data, l->middle.size, &v, NULL, 0) != NAV_OK) return false;
    double began = now_us();
    nav_path_set_drop(l->set, v.tile_x, v.tile_z);
    bool ok = nav_path_set_put(l->set, l->middle.data, l->middle.size, NULL, 0) == NAV_OK &&
              nav_path_set_join(l->set) == NAV_OK;
    l->put_us = now_us() - began;
    return ok && nav_path_set_opened(l->set) == 1;
}

static bool ask(large *l)
{
    nav_path p;
    bool ok = true;
    l->length_m = l->straight_m = 0;
    l->nodes = 0;
    for (uint32_t i = 0; ok && i < l->open_count; i++) {
        const pair *at = &l->open[i];
        ok = find(l, at, &p, &l->path_us[i]) && p.status == NAV_PATH_FOUND;
        l->length_m += p.length_m;
        l->straight_m += hypot(at->to[0] - at->from[0], at->to[2] - at->from[2]);
        l->nodes += p.nodes;
    }
    for (uint32_t i = 0; ok && i < l->apart_count; i++) {
        const pair *at = &l->apart[i];
        nav_place_status reach;
        double began = now_us();
        ok = nav_path_reach(NULL, l->set, at->from, &(nav_place_scope){.near_m = NEAR_M}, &at->to, 1, &reach) ==
                 NAV_OK &&
             reach == NAV_PLACE_NONE;
        l->reach_us[i] = now_us() - began;
        ok = ok && find(l, at, &p, &l->partial_us[i]) && p.status == NAV_PATH_PARTIAL;
    }
    return ok;
}

static void report(large *l, const char *name, table *t, table *bars)
{
    double p99 = quantile(l->path_us, l->open_count, 0.99), reach_p99 = quantile(l->reach_us, l->apart_count, 0.99);
    table_add(t, "%s", name);
    table_add(t, "%u", nav_path_set_tiles(l->set));
    table_add(t, "%.1f", l->generate_s);
    table_add(t, "%.2f", l->join_s);
    table_add(t, "%.1f", (double)nav_path_set_bytes(l->set) / 1e6);
    table_add(t, "%.1f", (double)nav_path_finder_bytes(l->finder) / 1e6);
    table_add(t, "%.0f", l->put_us);
    table_add(t, "%u", l->landmarks);
    table_add(t, "%.1f", (double)l->landmarks_bytes / 1e6);
    table_add(t, "%.1f", l->landmarks_s);
    table_add(t, "%u", l->open_count);
    table_add(t, "%.2f", quantile(l->path_us, l->open_count, 0.5) / 1e3);
    table_add(t, "%.2f", p99 / 1e3);
    table_add(t, "%.0f", l->open_count ? (double)l->nodes / l->open_count : 0);
    table_add(t, "%.3f", l->straight_m > 0 ? l->length_m / l->straight_m : 1);
    table_add(t, "%u", l->apart_count);
    table_add(t, "%.1f", quantile(l->reach_us, l->apart_count, 0.5));
    table_add(t, "%.1f", reach_p99);
    table_add(t, "%.2f", quantile(l->partial_us, l->apart_count, 0.99) / 1e3);
    table_add_bar(bars, "corner to corner p99, ms", name, p99 / 1e3, false, 50);
    table_add_bar(bars, "unreachable told p99, us", name, reach_p99, false, 100);
}

bool bench_large(const bench_options *o, table *bars)
{
    large *l = calloc(1, sizeof *l);
    const char *name = o->quick ? "city1km" : "city4km";
    table t;
    table_init(&t, "large", "Paths from corner to corner of a city",
               "scene,tiles,generate_s,join_s,mb,finder_mb,edit_us,landmarks,landmarks_mb,landmarks_s,pairs,p50_ms,p99_"
               "ms,nodes,"
               "length_ratio,apart,"
               "reach_p50_us,reach_p99_us,partial_p99_ms");
    if (l) l->side_m = o->quick ? 1000 : 4000;
    bool ok = l && nav_path_finder_create(&l->finder) == NAV_OK && fill(l) && choose(l) && ask(l);
    if (ok) report(l, name, &t, bars);
    ok = ok && make_landmarks(l) && ask(l);
    if (ok) report(l, o->quick ? "city1km with landmarks" : "city4km with landmarks", &t, bars);
    ok = ok && open_middle(l) && ask(l);
    if (ok)
        report(l, o->quick ? "city1km, a tile opened" : "city4km, a tile opened", &t, bars);
    else
        fprintf(stderr, "bench: %s: no paths from corner to corner\n", name);
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    if (l) nav_path_finder_destroy(l->finder);
    if (l) nav_path_set_destroy(l->set);
    if (l) nav_buffer_deinit(&l->middle);
    free(l);
    return ok;
}
