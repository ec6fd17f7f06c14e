// Detour judges reachability: in the worlds that the golden test pins, a flood along Detour's own links from a seed's
// polygon meets exactly the polygons that the graph keeps, and a world of dropped tiles has nothing else.
#include "core/reach/mask.h"
#include "core/reach/packed.h"
#include "core/reach/reach.h"
#include "core/tile/detour.h"
#include "tests/check.h"
#include "tests/core/detour_judge.h"
#include "tests/golden/worlds.h"

#include <stdlib.h>
#include <string.h>

enum { TILES = 64, POLYS = 4096 };

typedef struct built {
    int32_t x, z, polys, first; // first: number of its first polygon among all
    nav_buffer packed;
    nav_parts *parts;
} built;

typedef struct place {
    golden_world world;
    nav_arena arena;
    built tile[TILES];
    int32_t tile_count, poly_count;
    nav_reach *reach;
} place;

static int32_t find_part(void *user, int32_t x, int32_t z, const nav_place_query *q, double *distance2)
{
    place *p = user;
    for (int32_t i = 0; i < p->tile_count; i++) {
        if (p->tile[i].x != x || p->tile[i].z != z) continue;
        nav_tile tile;
        int32_t *part;
        uint32_t count;
        nav_arena_reset(&p->arena);
        ck_assert_int_eq(
            nav_tile_unpack(p->tile[i].packed.data, p->tile[i].packed.size, &p->world.settings, &p->arena, &tile),
            NAV_OK);
        ck_assert_int_eq(nav_parts_of_polygons(&tile.polygons, &p->arena, &part, &count), NAV_OK);
        return nav_parts_find(&tile, part, q, distance2);
    }
    return -1;
}

static void place_init(place *p, int k)
{
    memset(p, 0, sizeof *p);
    golden_world_init(&p->world, k);
    nav_arena_init(&p->arena, 0);
    for (int32_t z = 0; z < p->world.tiles_z; z++)
        for (int32_t x = 0; x < p->world.tiles_x; x++) {
            nav_tile tile;
            nav_tile_source source = golden_world_source(&p->world, x, z);
            nav_arena_reset(&p->arena);
            ck_assert_int_eq(nav_build_tile(&source, NULL, &(nav_hooks){.unit = p->world.unit}, &p->arena, &tile),
                             NAV_OK);
            ck_assert_int_lt(p->tile_count, TILES);
            built *b = &p->tile[p->tile_count++];
            *b = (built){.x = x, .z = z, .polys = tile.polygons.count, .first = p->poly_count};
            p->poly_count += b->polys;
            ck_assert_int_eq(nav_tile_pack(&tile, &b->packed), NAV_OK);
            ck_assert_int_eq(nav_parts_create(&tile, &p->arena, &b->parts), NAV_OK);
        }
    ck_assert_int_lt(p->poly_count, POLYS);
}

static void place_deinit(place *p)
{
    for (int32_t i = 0; i < p->tile_count; i++) {
        nav_buffer_deinit(&p->tile[i].packed);
        nav_parts_unref(p->tile[i].parts);
    }
    nav_reach_destroy(p->reach);
    nav_arena_deinit(&p->arena);
    golden_world_deinit(&p->world);
}

// All tiles, masked by the graph where there is one.
static judge *judged(place *p, nav_unreachable mode)
{
    const nav_settings *s = &p->world.settings;
    float side = (float)((double)s->tile_cells * (double)s->cell_size_m);
    const float origin[3] = {(float)s->origin_m[0], (float)s->origin_m[1], (float)s->origin_m[2]};
    judge *j = judge_create(origin, side, side, 1024, 4096);
    nav_buffer bytes = {0};
    for (int32_t i = 0; i < p->tile_count; i++) {
        nav_tile tile, masked;
        uint8_t off[256] = {0};
        const built *b = &p->tile[i];
        ck_assert_uint_lt(b->parts->count, sizeof off);
        nav_arena_reset(&p->arena);
        ck_assert_int_eq(nav_tile_unpack(b->packed.data, b->packed.size, s, &p->arena, &tile), NAV_OK);
        if (mode != NAV_UNREACHABLE_KEEP) (void)nav_reach_mask(p->reach, b->x, b->z, off);
        ck_assert_int_eq(nav_tile_mask(&tile, off, b->parts->count, mode, &p->arena, &masked), NAV_OK);
        bytes.size = 0;
        ck_assert_int_eq(nav_detour_encode(&masked, &bytes), NAV_OK);
        if (bytes.size) ck_assert_uint_ne(judge_add(j, bytes.data, bytes.size), 0);
    }
    nav_buffer_deinit(&bytes);
    return j;
}

// Polygons that Detour's links lead to from one of them, over all pairs of a tile and the nine around it; off-mesh
// links' polygons count as polygons behind the ground's.
static void flood(const place *p, const judge *j, int32_t start_tile, int32_t start_poly, bool *reached)
{
    static int32_t queue[2 * POLYS][2];
    static bool seen[TILES][POLYS];
    int32_t head = 0, tail = 0;
    memset(seen, 0, sizeof seen);
    seen[start_tile][start_poly] = true;
    queue[tail][0] = start_tile;
    queue[tail++][1] = start_poly;
    while (head < tail) {
        int32_t t = queue[head][0], poly = queue[head++][1];
        const built *from = &p->tile[t];
        uint32_t ref = judge_ref(j, from->x, from->z, poly);
        if (poly < from->polys) reached[from->first + poly] = true;
        for (int32_t n = 0; n < p->tile_count; n++) {
            const built *to = &p->tile[n];
            if (abs(to->x - from->x) > 1 || abs(to->z - from->z) > 1) continue;
            for (int32_t k = 0; k < POLYS; k++) {
                uint32_t other = judge_ref(j, to->x, to->z, k);
                if (!other) break;
                if (seen[n][k] || !judge_linked(j, ref, other)) continue;
                seen[n][k] = true;
                queue[tail][0] = n;
                queue[tail++][1] = k;
            }
        }
    }
}

START_TEST(a_flood_along_detours_links_meets_what_the_graph_keeps)
{
    static place p;
    static bool reached[POLYS];
    int compared = 0, all_off = 0;
    place_init(&p, _i);
    judge *whole = judged(&p, NAV_UNREACHABLE_KEEP);
    for (int32_t t = 0; t < p.tile_count; t += 5) {
        if (!p.tile[t].polys) continue;
        // A seed in the middle of the tile's last polygon.
        nav_tile tile;
        nav_arena_reset(&p.arena);
        ck_assert_int_eq(
            nav_tile_unpack(p.tile[t].packed.data, p.tile[t].packed.size, &p.world.settings, &p.arena, &tile), NAV_OK);
        const nav_polygons *polys = &tile.polygons;
        int32_t poly = polys->count - 1, corners = polys->first[poly + 1] - polys->first[poly];
        double at[3] = {0};
        for (int32_t k = polys->first[poly]; k < polys->first[poly + 1]; k++) {
            at[0] += (double)polys->x[polys->vert[k]] / corners;
            at[1] += (double)polys->y[polys->vert[k]] / corners;
            at[2] += (double)polys->z[polys->vert[k]] / corners;
        }
        const nav_config *c = &tile.config;
        nav_reach_goal goal = {.seed_count = 1};
        goal.seeds[0][0] = (float)(c->origin_m[0] + ((double)c->tile_x * c->tile_units + at[0]) * c->unit_size_m);
        goal.seeds[0][1] = (float)(c->origin_m[1] + at[1] * c->cell_height_m);
        goal.seeds[0][2] = (float)(c->origin_m[2] + ((double)c->tile_z * c->tile_units + at[2]) * c->unit_size_m);
        nav_reach_destroy(p.reach);
        ck_assert_int_eq(nav_reach_create(&p.world.settings, &goal, find_part, &p, &p.reach), NAV_OK);
        for (int32_t i = 0; i < p.tile_count; i++)
            ck_assert_int_eq(nav_reach_put(p.reach, p.tile[i].x, p.tile[i].z, nav_parts_ref(p.tile[i].parts)), NAV_OK);
        ck_assert_int_eq(nav_reach_update(p.reach), NAV_OK);
        if (!nav_reach_seed_found(p.reach, 0)) continue; // on a slope, its middle lies off the floor

        memset(reached, 0, sizeof reached);
        flood(&p, whole, t, poly, reached);
        for (int32_t i = 0; i < p.tile_count; i++) {
            uint8_t off[256] = {0};
            int32_t *part;
            uint32_t count;
            nav_arena_reset(&p.arena);
            ck_assert_int_eq(
                nav_tile_unpack(p.tile[i].packed.data, p.tile[i].packed.size, &p.world.settings, &p.arena, &tile),
                NAV_OK);
            ck_assert_int_eq(nav_parts_of_polygons(&tile.polygons, &p.arena, &part, &count), NAV_OK);
            (void)nav_reach_mask(p.reach, p.tile[i].x, p.tile[i].z, off);
            for (int32_t k = 0; k < p.tile[i].polys; k++, compared++) {
                ck_assert_msg(!off[part[k]] == reached[p.tile[i].first + k],
                              "%s: tile %d,%d polygon %d: the graph says %s, Detour %s", p.world.name, p.tile[i].x,
                              p.tile[i].z, k, off[part[k]] ? "off" : "on",
                              reached[p.tile[i].first + k] ? "reached" : "not");
                all_off += off[part[k]];
            }
        }
        judge *dropped = judged(&p, NAV_UNREACHABLE_DROP), *flagged = judged(&p, NAV_UNREACHABLE_FLAG);
        const float half[3] = {2, 4, 2};
        float near[3];
        ck_assert_uint_ne(judge_nearest(dropped, goal.seeds[0], half, near), 0);
        ck_assert_uint_ne(judge_nearest(flagged, goal.seeds[0], half, near), 0);
        judge_destroy(dropped);
        judge_destroy(flagged);
    }
    ck_assert_int_gt(compared, 100);
    if (_i == 0 || _i == 2) ck_assert_int_gt(all_off, 0); // box tops, storeys
    judge_destroy(whole);
    place_deinit(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detour reach");
    TCase *c = tcase_create("all");
    tcase_add_loop_test(c, a_flood_along_detours_links_meets_what_the_graph_keeps, 0, GOLDEN_BUILD_COUNT);
    suite_add_tcase(s, c);
    return run_suite(s);
}
