// What holds for a tile whatever it was made from. What does not hold aborts, so that a fuzzer stops there.
#include "tests/fuzz/tile_claims.h"

#include "core/base/plane.h"
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/core/borders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CHECKED_EDGES = 2000 };

void claim_at(bool holds, const char *what, const char *file, int line)
{
    if (holds) return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

static nav_point corner(const nav_contours *o, int32_t v)
{
    return (nav_point){o->x[v], o->z[v]};
}

static int sign(int64_t a)
{
    return (a > 0) - (a < 0);
}

static int64_t doubled_area(const nav_contours *o, int32_t loop)
{
    int64_t sum = 0;
    int32_t first = o->loop_first[loop], end = o->loop_first[loop + 1];
    for (int32_t v = first; v < end; v++) {
        int32_t n = v + 1 < end ? v + 1 : first;
        sum += (int64_t)o->x[n] * o->z[v] - (int64_t)o->x[v] * o->z[n];
    }
    return sum;
}

// Does any edge of a region cross another one?
static void check_crossings(const nav_contours *o, int32_t first, int32_t end)
{
    for (int32_t a = first; a < end; a++) {
        for (int32_t i = o->loop_first[a]; i < o->loop_first[a + 1]; i++) {
            nav_point p = corner(o, i), q = corner(o, i + 1 < o->loop_first[a + 1] ? i + 1 : o->loop_first[a]);
            for (int32_t b = a; b < end; b++) {
                for (int32_t k = b == a ? i + 1 : o->loop_first[b]; k < o->loop_first[b + 1]; k++) {
                    nav_point c = corner(o, k), d = corner(o, k + 1 < o->loop_first[b + 1] ? k + 1 : o->loop_first[b]);
                    claim(!(sign(nav_right(p, q, c)) * sign(nav_right(p, q, d)) < 0 &&
                            sign(nav_right(c, d, p)) * sign(nav_right(c, d, q)) < 0));
                }
            }
        }
    }
}

static void check_contours(const nav_tile *t)
{
    const nav_contours *o = &t->contours;
    for (int32_t l = 0; l < o->loop_count; l++) {
        int64_t area = doubled_area(o, l);
        claim(o->loop_first[l + 1] - o->loop_first[l] >= 3);
        claim(o->loop_hole[l] ? area < 0 : area > 0);
        claim(l == 0 ? !o->loop_hole[l] : !o->loop_hole[l] || o->loop_region[l] == o->loop_region[l - 1]);
        for (int32_t v = o->loop_first[l]; v < o->loop_first[l + 1]; v++) {
            int32_t n = v + 1 < o->loop_first[l + 1] ? v + 1 : o->loop_first[l];
            claim(!nav_point_same(corner(o, v), corner(o, n)));
            claim(o->x[v] >= 0 && o->z[v] >= 0 && o->x[v] <= t->config.tile_units && o->z[v] <= t->config.tile_units);
        }
    }
    for (int32_t l = 0; l < o->loop_count;) {
        int32_t end = l + 1;
        while (end < o->loop_count && o->loop_region[end] == o->loop_region[l]) end++;
        if (o->loop_first[end] - o->loop_first[l] <= MAX_CHECKED_EDGES) check_crossings(o, l, end);
        l = end;
    }
}

// Polygons are what the contours hold, no more and no less.
static void check_area(const nav_tile *t)
{
    const nav_polygons *p = &t->polygons;
    int64_t inside = 0, made = 0;
    if (p->failed_loops) return;
    for (int32_t l = 0; l < t->contours.loop_count; l++) inside += doubled_area(&t->contours, l);
    for (int32_t i = 0; i < p->count; i++) {
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            made += (int64_t)p->x[b] * p->z[a] - (int64_t)p->x[a] * p->z[b];
        }
    }
    claim(inside == made);
}

// Builds at a level and encodes in both ways: bytes[0] navd's, bytes[1] Detour's. False where a limit is in the way.
static bool build_at(nav_level level, const nav_tile_source *src, nav_arena *arena, nav_tile *tile, nav_buffer bytes[2])
{
    char why[200];
    nav_status st = nav_build_at(level)(src, NULL, NULL, arena, tile);
    claim(st == NAV_OK || st == NAV_ERR_LIMIT);
    if (st != NAV_OK) return false;
    check_contours(tile);
    check_area(tile);
    if (nav_tile_encode(tile, &bytes[0]) == NAV_OK) {
        nav_tile_view view;
        claim(nav_tile_open(bytes[0].data, bytes[0].size, &view, why, sizeof why) == NAV_OK);
    }
    if (nav_detour_encode(tile, &bytes[1]) == NAV_OK && bytes[1].size)
        claim(nav_detour_check(bytes[1].data, bytes[1].size, why, sizeof why) == NAV_OK);
    return true;
}

static bool same_bytes(const nav_buffer *a, const nav_buffer *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

bool claim_tile(const nav_tile_source *src, nav_arena *arena, nav_tile *tile)
{
    nav_buffer best[2] = {0}, bytes[2] = {0};
    nav_arena other_arena;
    nav_tile other;
    nav_arena_init(&other_arena, arena->budget_bytes);
    bool built = build_at(nav_level_best(), src, arena, tile, best);
    if (nav_level_best() > 0 && build_at(0, src, &other_arena, &other, bytes) && built)
        claim(same_bytes(&best[0], &bytes[0]) && same_bytes(&best[1], &bytes[1]));
    nav_arena_deinit(&other_arena);
    for (int i = 0; i < 2; i++) {
        nav_buffer_deinit(&best[i]);
        nav_buffer_deinit(&bytes[i]);
    }
    return built;
}

void claim_border(const nav_tile *here, int32_t side, const nav_tile *there, int32_t its_side)
{
    // An opening of a few millimetres may be none on one side.
    float least = here->config.generator == NAV_GENERATOR_SURFACE ? 16 : 0;
    border_line p = border_line_of_long(here, side, least), q = border_line_of_long(there, its_side, least);
    claim(border_difference(&p, &q) == 0);
    border_line_free(&p);
    border_line_free(&q);
}
