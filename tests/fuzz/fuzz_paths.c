// Paths over damaged ground: sets of tiles and meshes from any bytes are refused, or every question about them has an
// end and an answer that can be true.
//
// The first byte says what follows: 0 navd's tiles, 1 Detour's, each behind two bytes with its size; 2 the text of a
// mesh. A size above 0x8000 takes the tile out again that is at the place which the next four bytes name. Checksums of
// navd tiles are made right first.
#include "core/base/endian.h"
#include "core/tile/tile_format.h"
#include "navcore/path_places.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { KIND_NAVD, KIND_DETOUR, KIND_MESH, DROP = 0x8000, CHECKSUM_AT = 16, MOST_NODES = 10000, PLACES = 8 };
enum { LOOKS = 1 << 14 }; // at what can be stopped

static void must(bool good)
{
    if (!good) abort();
}

static bool stop(void *user)
{
    return ++*(int *)user > LOOKS;
}

static void put_tile(nav_path_set *set, int kind, const uint8_t *bytes, size_t size)
{
    const nav_detour_params params = {.tile_width_m = 8, .tile_height_m = 8};
    char why[256];
    uint8_t *copy = malloc(size ? size : 1); // exactly sized
    if (!copy) return;
    if (size) memcpy(copy, bytes, size);
    if (kind == KIND_NAVD) {
        if (size >= NAV_TILE_HEADER_BYTES) nav_store_u64(copy + CHECKSUM_AT, nav_tile_checksum(copy, size));
        (void)!nav_path_set_put(set, copy, size, why, sizeof why);
    } else {
        (void)!nav_path_set_put_detour(set, size % 2 ? NULL : &params, copy, size, why, sizeof why);
    }
    free(copy);
}

// False: no memory.
static bool put_tiles(nav_path_set *set, int kind, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + 2 <= count;) {
        size_t size = nav_load_u16(bytes + at), left = count - at - 2;
        at += 2;
        if (size >= DROP) {
            if (left < 4) break;
            nav_path_set_drop_layer(set, (int8_t)bytes[at], (int8_t)bytes[at + 1], (int8_t)bytes[at + 2]);
            if (bytes[at + 3] % 2 && nav_path_set_join(set) != NAV_OK) return false;
            at += 4;
            continue;
        }
        if (size > left) size = left;
        put_tile(set, kind, bytes + at, size);
        at += size;
    }
    return nav_path_set_join(set) == NAV_OK;
}

static bool is_place(const float at[3])
{
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]);
}

static void ask_path(const nav_path_set *set, nav_path_finder *finder, const float from[3], const float to[3])
{
    int looks = 0;
    nav_path_query q = {.near_m = 2, .max_nodes = MOST_NODES, .links = true, .stop = stop, .user = &looks};
    nav_path p;
    for (int k = 0; k < 3; k++) {
        q.from[k] = (double)from[k];
        q.to[k] = (double)to[k];
    }
    if (nav_path_find(finder, set, &q, &p) != NAV_OK) return;
    must(p.length_m >= 0 && p.surface_m >= 0 && isfinite(p.length_m) && isfinite(p.surface_m));
    must(p.point_count != 1 && (p.point_count || p.length_m == 0));
    double sum = 0;
    for (uint32_t i = 0; i < p.point_count; i++) {
        const float *at = &p.points[3 * i];
        must(is_place(at));
        if (i) sum += hypot((double)at[0] - (double)at[-3], (double)at[2] - (double)at[-1]);
    }
    double size = fabs((double)from[0]) + fabs((double)from[2]) + fabs((double)to[0]) + fabs((double)to[2]);
    must(fabs(sum - p.length_m) <= 1e-4 * (1 + sum + size + p.point_count));
}

// A wider agent's points are on its arcs: the lines between them are shorter than the path.
static void check_wide(const nav_path *p, const float from[3], const float to[3])
{
    double sum = 0, size = fabs((double)from[0]) + fabs((double)from[2]) + fabs((double)to[0]) + fabs((double)to[2]);
    for (uint32_t i = 1; i < p->point_count; i++) {
        const float *at = &p->points[3 * i];
        sum += hypot((double)at[0] - (double)at[-3], (double)at[2] - (double)at[-1]);
    }
    must(p->point_count != 1 && sum <= p->length_m + 1e-4 * (1 + sum + size + p->point_count));
    for (uint32_t i = 0; i < p->jump_count; i++) must(p->jumps[i].point + 1 < p->point_count);
}

// With costs, links, excluded areas and a wider agent.
static void ask_otherwise(const nav_path_set *set, nav_path_finder *finder, const float from[3], const float to[3],
                          uint8_t how)
{
    int looks = 0;
    nav_path_costs costs;
    nav_path_query q = {.near_m = 2, .max_nodes = MOST_NODES / 4, .stop = stop, .user = &looks, .costs = &costs};
    nav_path p;
    for (int k = 0; k < 3; k++) {
        q.from[k] = (double)from[k];
        q.to[k] = (double)to[k];
    }
    nav_path_costs_default(&costs);
    if (how % 2)
        for (int a = 0; a < NAV_AREA_COUNT; a++) costs.cost[a] = 1 + (float)(a % 3);
    q.links = how % 4 < 2;
    if (how % 8 > 3) costs.excluded = UINT64_C(1) << how % 64;
    for (int wider = how % 2 ? 0 : 1; wider < 3; wider++) { // several of one finder
        q.radius_m = wider * (0.5 + 0.005 * how);
        if (nav_path_find(finder, set, &q, &p) == NAV_OK) {
            must(isfinite(p.length_m) && isfinite(p.surface_m) && p.length_m >= 0);
            must(p.lower_bound <= p.cost * (1 + 1e-9));
            for (uint32_t i = 0; i < p.point_count; i++) must(is_place(&p.points[3 * i]));
            if (wider) check_wide(&p, from, to);
        }
        if (how % 2) break; // costs that differ are for the agent of the tiles
    }
}

static void ask_within(const nav_path_set *set, nav_path_finder *finder, const float from[3], uint8_t how)
{
    int looks = 0;
    nav_path_within_query q = {.at = {(double)from[0], (double)from[1], (double)from[2]},
                               .near_m = 2,
                               .distance_m = 0.25 * how,
                               .excluded = how % 8 > 5 ? UINT64_C(1) << how % 64 : 0,
                               .max_nodes = MOST_NODES / 4,
                               .max_points = MOST_NODES,
                               .outlines = true,
                               .stop = stop,
                               .user = &looks};
    nav_path_withins w;
    if (nav_path_within(finder, set, &q, &w) != NAV_OK || w.status != NAV_PLACE_FOUND) return;
    for (uint32_t i = 0; i < w.first[w.outline_count]; i++) must(is_place(&w.points[3 * i]));
    for (uint32_t i = 0; i < w.cell_count; i++) must(w.cells[i].distance_m <= q.distance_m + 1e-9);
}

static void ask_others(const nav_path_set *set, nav_path_finder *finder, const float from[3], const float to[3],
                       uint8_t how)
{
    double a[3], b[3];
    int looks = 0;
    const nav_place_scope scope = {
        .near_m = 2, .excluded = how % 8 > 5 ? UINT64_C(1) << how % 64 : 0, .stop = stop, .user = &looks};
    nav_path_nearest nearest;
    nav_path_ray ray;
    nav_path_wall wall;
    nav_place_status reach;
    for (int k = 0; k < 3; k++) {
        a[k] = (double)from[k];
        b[k] = (double)to[k];
    }
    if (nav_path_find_nearest(set, a, &scope, &nearest) == NAV_OK && nearest.status == NAV_PLACE_FOUND)
        must(is_place(nearest.place.at) && nearest.distance_m >= 0);
    if (nav_path_raycast(finder, set, a, b, &scope, &ray) == NAV_OK) must(ray.length_m >= 0);
    if (nav_path_find_wall(finder, set, a, &scope, 20, &wall) == NAV_OK && wall.status == NAV_PLACE_FOUND)
        must(wall.distance_m >= 0);
    (void)!nav_path_reach(finder, set, a, &scope, (const double(*)[3]) & b, 1, &reach);
}

static void ask(const nav_path_set *set, const uint8_t *bytes, size_t count)
{
    nav_path_finder *finder = NULL, *picker = NULL;
    nav_path_random_query q = {.count = PLACES, .seed = count ? bytes[count - 1] : 0};
    nav_path_randoms places;
    if (nav_path_finder_create(&finder) == NAV_OK && nav_path_finder_create(&picker) == NAV_OK &&
        nav_path_random(picker, set, &q, &places) == NAV_OK && places.status == NAV_PLACE_FOUND)
        for (uint32_t i = 0; i + 1 < places.count; i++) {
            const float *from = places.points[i].at, *to = places.points[i + 1].at;
            must(is_place(from));
            ask_path(set, finder, from, to);
            ask_others(set, finder, from, to, (uint8_t)(q.seed + 16 * i));
            ask_otherwise(set, finder, from, to, (uint8_t)(q.seed + i));
            ask_within(set, finder, from, (uint8_t)(q.seed + 16 * i));
        }
    nav_path_finder_destroy(finder);
    nav_path_finder_destroy(picker);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    nav_path_set *set;
    if (count == 0 || nav_path_set_create(&set) != NAV_OK) return 0;
    int kind = bytes[0] % 3;
    bool ready;
    if (kind == KIND_MESH) {
        char why[256];
        char *text = malloc(count > 1 ? count - 1 : 1); // exactly sized
        if (text) memcpy(text, bytes + 1, count - 1);
        ready = text && nav_path_set_put_mesh(set, text, count - 1, why, sizeof why) == NAV_OK &&
                nav_path_set_join(set) == NAV_OK;
        free(text);
    } else {
        ready = put_tiles(set, kind, bytes + 1, count - 1);
    }
    if (ready) ask(set, bytes, count);
    nav_path_set_destroy(set);
    return 0;
}
