// Paths over damaged walls and ceilings: tiles of any bytes are refused, or every question about them has an end and an
// answer that can be true.
//
// Each tile is behind two bytes with its size. A size above 0x8000 takes the tile out again whose sheet, x and z the
// next four bytes name. Checksums are made right first.
#include "core/base/endian.h"
#include "core/tile/tile_format.h"
#include "navcore/climb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { DROP = 0x8000, CHECKSUM_AT = 16, MOST_NODES = 10000, PAIRS = 6 };

static void must(bool good)
{
    if (!good) abort();
}

static void put_tile(nav_climb_set *set, const uint8_t *bytes, size_t size)
{
    char why[256];
    uint8_t *copy = malloc(size ? size : 1); // exactly sized
    if (!copy) return;
    if (size) memcpy(copy, bytes, size);
    if (size >= NAV_TILE_HEADER_BYTES) nav_store_u64(copy + CHECKSUM_AT, nav_tile_checksum(copy, size));
    (void)!nav_climb_set_put(set, copy, size, why, sizeof why);
    free(copy);
}

static bool put_tiles(nav_climb_set *set, const uint8_t *bytes, size_t count)
{
    for (size_t at = 0; at + 2 <= count;) {
        size_t size = nav_load_u16(bytes + at), left = count - at - 2;
        at += 2;
        if (size >= DROP) {
            if (left < 4) break;
            nav_climb_set_drop(set, (nav_sheet)(bytes[at] % NAV_SHEET_COUNT), (int8_t)bytes[at + 1],
                               (int8_t)bytes[at + 2]);
            if (bytes[at + 3] % 2 && nav_climb_set_join(set) != NAV_OK) return false;
            at += 4;
            continue;
        }
        if (size > left) size = left;
        put_tile(set, bytes + at, size);
        at += size;
    }
    return nav_climb_set_join(set) == NAV_OK;
}

static void check_seams(const nav_climb_set *set)
{
    nav_climb_seam *seams;
    uint32_t count = nav_climb_set_seams(set);
    if (nav_climb_set_list_seams(set, &seams) != NAV_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        must(seams[i].sides[0].sheet < seams[i].sides[1].sheet && seams[i].sides[1].sheet < NAV_SHEET_COUNT);
        must(seams[i].length_m >= 0 && fabs(seams[i].turn_deg) <= 180);
    }
    free(seams);
}

static bool is_place(const double at[3])
{
    return isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2]);
}

static void ask(const nav_climb_set *set, nav_climb_finder *finder, const double from[3], const double to[3], int how)
{
    nav_path_costs costs;
    nav_climb_query q = {.from = {.near_m = 1e9}, .to = {.near_m = 1e9}, .costs = &costs, .max_nodes = MOST_NODES};
    nav_climb_path p;
    double sum = 0;
    memcpy(q.from.at, from, sizeof q.from.at);
    memcpy(q.to.at, to, sizeof q.to.at);
    nav_path_costs_default(&costs);
    if (how % 2)
        for (int a = 0; a < NAV_AREA_COUNT; a++) costs.cost[a] = 1 + (float)(a % 3);
    if (how % 3 == 2) costs.excluded = UINT64_C(1) << 63;
    if (nav_climb_find(finder, set, &q, &p) != NAV_OK) return;
    must(p.point_count != 1 && p.length_m >= 0 && p.cost >= 0);
    for (uint32_t i = 0; i < p.point_count; i++) {
        must(is_place(p.points[i].at) && p.points[i].sheet < NAV_SHEET_COUNT);
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = i ? p.points[i].at[k] - p.points[i - 1].at[k] : 0;
        sum += sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    must(fabs(sum - p.length_m) <= 1e-3 * (1 + sum + p.point_count));
    if (p.status == NAV_CLIMB_FOUND) must(p.from.part == p.to.part);
}

static void walk(const nav_climb_set *set, nav_climb_finder *finder, const double from[3], const double along[3])
{
    nav_climb_walk_query q = {.from = {.near_m = 1e9}, .length_m = 50};
    nav_climb_walked w;
    memcpy(q.from.at, from, sizeof q.from.at);
    memcpy(q.direction, along, sizeof q.direction);
    if (nav_climb_walk(finder, set, &q, &w) != NAV_OK || w.status != NAV_CLIMB_FOUND) return;
    must(w.point_count >= 2 && w.length_m >= 0 && w.length_m <= 50 && (w.blocked || w.length_m >= 50));
    must(is_place(w.end.at) && is_place(w.direction));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    nav_climb_set *set;
    nav_climb_finder *finder = NULL;
    if (nav_climb_set_create(NAV_CLIMB_INNER_DEG, &set) != NAV_OK) return 0;
    if (nav_climb_finder_create(&finder) == NAV_OK && put_tiles(set, bytes, count)) {
        check_seams(set);
        must(nav_climb_set_parts(set) <= nav_climb_set_triangles(set));
        for (int i = 0; i < PAIRS; i++) {
            const double from[3] = {3 * i - 4, 2 * i - 3, i}, to[3] = {8 - 3 * i, 5 - i, 4 * i - 9};
            ask(set, finder, from, to, i);
            walk(set, finder, from, to);
        }
    }
    nav_climb_finder_destroy(finder);
    nav_climb_set_destroy(set);
    return 0;
}
