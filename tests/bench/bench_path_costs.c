// Paths over ground of three costs, beside Detour's: the same Detour tiles, each tile of one area, so that most paths
// cross many edges between areas. Detour's filter has the same costs.
#include "core/tile/detour.h"
#include "navcore/path_places.h"
#include "tests/bench/subject.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAIRS = 300, QUICK_PAIRS = 50, SEED = 11, FIRST_AREA = 1, AREAS = 3, POLY_BYTES = 32, AREA_AT = 31 };
static const float PRICES[AREAS] = {1, 2, 5}; // Detour needs at least 1
static const double NEAR_M = 2, GAP = 0.01;

typedef struct run {
    const bench_options *options;
    table costs, *bars;
} run;

typedef struct sums {
    double navd_us[PAIRS], peer_us[PAIRS];
    double navd, bound, peer, best; // costs of the pairs that both have a path for; best: the least share of Detour's
    uint32_t both, optimal, limited, dearer, beyond_gap;
} sums;

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

// All ground of a Detour tile becomes one area.
static bool paint(uint8_t *bytes, uint32_t size)
{
    nav_detour_view v;
    char why[200] = "";
    if (nav_detour_open(bytes, size, &v, why, sizeof why) != NAV_OK) {
        fprintf(stderr, "bench: %s\n", why);
        return false;
    }
    uint32_t mixed = (uint32_t)v.header.x * 0x9E3779B1u ^ (uint32_t)v.header.z * 0x85EBCA77u;
    uint8_t area = (uint8_t)(FIRST_AREA + (mixed >> 16) % AREAS);
    uint8_t *poly = bytes + (v.polys - bytes);
    for (int32_t i = 0; i < v.header.poly_count; i++, poly += POLY_BYTES)
        poly[AREA_AT] = (uint8_t)((poly[AREA_AT] & 0xC0) | area); // the upper bits are the type
    return true;
}

static bool fill(nav_path_set *set, const subject *s, const peer_tile *tiles)
{
    char why[200] = "";
    const float side = (float)s->settings.tile_cells * s->settings.cell_size_m;
    nav_detour_params params = {.tile_width_m = side, .tile_height_m = side};
    for (int k = 0; k < 3; k++) params.origin_m[k] = (float)s->settings.origin_m[k];
    for (uint32_t i = 0; i < subject_tiles(s); i++) {
        if (!tiles[i].bytes) continue;
        if (!paint(tiles[i].bytes, tiles[i].size)) return false;
        if (nav_path_set_put_detour(set, &params, tiles[i].bytes, tiles[i].size, why, sizeof why) == NAV_OK) continue;
        fprintf(stderr, "bench: %s\n", why);
        return false;
    }
    return nav_path_set_join(set) == NAV_OK;
}

static bool ask(nav_path_finder *f, const nav_path_set *set, peer_ways *ways, const nav_path_costs *costs,
                const nav_path_place *ends, uint32_t i, sums *out)
{
    nav_path_query q = {.near_m = NEAR_M, .costs = costs, .gap = GAP};
    nav_path p;
    for (int k = 0; k < 3; k++) {
        q.from[k] = (double)ends[0].at[k];
        q.to[k] = (double)ends[1].at[k];
    }
    double began = now_us(), peer_cost = peer_ways_cost(ways, ends[0].at, ends[1].at), middle = now_us();
    if (nav_path_find(f, set, &q, &p) != NAV_OK) return false;
    out->navd_us[i] = now_us() - middle;
    out->peer_us[i] = middle - began;
    if (p.status != NAV_PATH_FOUND || peer_cost <= 0) return true;
    out->both++;
    out->navd += p.cost;
    out->bound += p.lower_bound;
    out->peer += peer_cost;
    out->best = fmin(out->best, p.cost / peer_cost);
    out->optimal += p.optimal;
    out->limited += p.limit != NAV_PATH_NO_LIMIT;
    out->dearer += p.cost > peer_cost + 2e-3 * (double)PRICES[AREAS - 1]; // Detour's places are floats off the grid
    out->beyond_gap += p.cost * (1 - GAP) > peer_cost + 2e-3 * (double)PRICES[AREAS - 1];
    return true;
}

static void report(run *r, const subject *s, uint32_t pairs, sums *a)
{
    table *t = &r->costs;
    table_add(t, "%s", s->name);
    table_add(t, "%u", pairs);
    table_add(t, "%u", a->both);
    table_add(t, "%.4f", a->peer > 0 ? a->navd / a->peer : 1);
    table_add(t, "%.4f", a->best);
    table_add(t, "%.4f", a->navd > 0 ? a->bound / a->navd : 1);
    table_add(t, "%u", a->optimal);
    table_add(t, "%u", a->limited);
    table_add(t, "%u", a->dearer);
    table_add(t, "%.1f", quantile(a->navd_us, pairs, 0.5));
    table_add(t, "%.1f", quantile(a->navd_us, pairs, 0.99));
    table_add(t, "%.1f", quantile(a->peer_us, pairs, 0.5));
    table_add(t, "%.1f", quantile(a->peer_us, pairs, 0.99));
    table_add_bar(r->bars, "paths that cost more than Detour's and the gap", s->name, a->beyond_gap, false, 0);
}

static bool measure(subject *s, void *user)
{
    run *r = user;
    if (!peer_present()) return true;
    generate_options options = {.settings = s->settings, .threads = 1, .encoding = GENERATE_DETOUR};
    generated detour = {0};
    nav_path_set *set = NULL;
    nav_path_finder *f = NULL, *chooser = NULL;
    peer_ways *ways = NULL;
    peer_tile *tiles = NULL;
    nav_path_randoms places = {0};
    nav_path_costs costs;
    uint32_t pairs = r->options->quick ? QUICK_PAIRS : PAIRS;
    nav_path_random_query q = {.seed = SEED, .count = 2 * pairs};
    sums *a = calloc(1, sizeof *a);
    bool ok = a && generate(&s->scene, &options, &detour) && (tiles = subject_borrow_tiles(s, &detour)) &&
              nav_path_set_create(&set) == NAV_OK && nav_path_finder_create(&f) == NAV_OK &&
              nav_path_finder_create(&chooser) == NAV_OK && fill(set, s, tiles) &&
              nav_path_random(chooser, set, &q, &places) == NAV_OK &&
              (ways = peer_ways_create(&(audit_input){tiles, subject_tiles(s)}, &s->settings));
    nav_path_costs_default(&costs);
    for (int i = 0; ok && i < AREAS; i++) {
        costs.cost[FIRST_AREA + i] = PRICES[i];
        peer_ways_set_cost(ways, FIRST_AREA + i, PRICES[i]);
    }
    if (ok && places.status != NAV_PLACE_FOUND) pairs = 0;
    if (ok) a->best = 1;
    for (uint32_t i = 0; ok && i < pairs; i++) ok = ask(f, set, ways, &costs, &places.points[2 * (size_t)i], i, a);
    if (ok) report(r, s, pairs, a);
    peer_ways_destroy(ways);
    nav_path_finder_destroy(chooser);
    nav_path_finder_destroy(f);
    nav_path_set_destroy(set);
    generated_deinit(&detour);
    free(tiles);
    free(a);
    return ok;
}

bool bench_path_costs(const bench_options *o, table *bars)
{
    run r = {.options = o, .bars = bars};
    table_init(
        &r.costs, "path_costs", "Paths over ground of costs 1, 2 and 5, microseconds",
        "scene,pairs,both,cost_ratio,least_ratio,bound_ratio,optimal,limited,dearer,p50,p99,detour_p50,detour_p99");
    bool ok = subject_each(o, measure, &r);
    table_print(&r.costs);
    ok = table_write(&r.costs, o->out) && ok;
    table_deinit(&r.costs);
    return ok;
}
