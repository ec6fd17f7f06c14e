// Tiles in outline units: what is built from voxel contours on a finer grid is the same mesh.
#include "core/levels.h"
#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "core/tile/tile_format.h"
#include "navcore/path.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/tile_walk.h"
#include "tests/golden/worlds.h"

#include <string.h>

enum { WORLDS = 3, PARTITIONS = 3, METHODS = 3, KINDS = WORLDS * PARTITIONS * METHODS, AS_IT_IS = 0 };

static char why[256];
static golden_world world;
static nav_arena arenas[2];

static void setup(void)
{
    for (int k = 0; k < 2; k++) nav_arena_init(&arenas[k], 0);
}

static void teardown(void)
{
    for (int k = 0; k < 2; k++) nav_arena_deinit(&arenas[k]);
}

// A yard, hills or storeys, with a partition and a triangulation.
static void init_world(int kind)
{
    golden_world_init(&world, kind % WORLDS);
    world.settings.partition = (nav_partition)(kind / WORLDS % PARTITIONS);
    world.settings.triangulation = (nav_triangulation)(kind / WORLDS / PARTITIONS);
}

static nav_tile build(int32_t x, int32_t z, int32_t unit, nav_arena *arena)
{
    nav_tile tile;
    nav_tile_source source = golden_world_source(&world, x, z);
    nav_arena_reset(arena);
    ck_assert_int_eq(nav_build_tile(&source, NULL, &(nav_hooks){.unit = unit}, arena, &tile), NAV_OK);
    return tile;
}

// Where the partition adds corners on walls, a finer grid has more places for them: then there may be fewer cells, and
// other corners.
static bool may_have_stops(const nav_tile *t)
{
    return t->settings->partition == NAV_PARTITION_CONVEX;
}

static void check_same_polygons(const nav_tile *a, const nav_tile *b)
{
    const nav_polygons *p = &a->polygons, *q = &b->polygons;
    ck_assert_int_eq(p->vert_count, q->vert_count);
    ck_assert_int_eq(p->count, q->count);
    ck_assert_int_eq(p->cell_count, q->cell_count);
    for (int32_t v = 0; v < p->vert_count; v++) {
        ck_assert_int_eq(p->x[v] * b->config.unit, q->x[v]);
        ck_assert_int_eq(p->z[v] * b->config.unit, q->z[v]);
        ck_assert_int_eq(p->y[v], q->y[v]);
    }
    if (!p->count) return;
    ck_assert_mem_eq(p->first, q->first, ((size_t)p->count + 1) * sizeof *p->first);
    ck_assert_mem_eq(p->vert, q->vert, (size_t)p->first[p->count] * sizeof *p->vert);
    ck_assert_mem_eq(p->behind, q->behind, (size_t)p->first[p->count] * sizeof *p->behind);
    ck_assert_mem_eq(p->cell_first, q->cell_first, ((size_t)p->cell_count + 1) * sizeof *p->cell_first);
    ck_assert_mem_eq(p->cell_vert, q->cell_vert, (size_t)p->cell_first[p->cell_count] * sizeof *p->cell_vert);
}

START_TEST(the_mesh_is_the_same_on_a_finer_grid)
{
    init_world(_i);
    int32_t polygons = 0;
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            nav_tile coarse = build(x, z, 1, &arenas[0]), fine = build(x, z, 128, &arenas[1]);
            ck_assert_int_eq(fine.config.unit, 128);
            ck_assert_int_eq(fine.polygons.failed_loops, 0);
            ck_assert(nav_key_equal(coarse.content_key, fine.content_key));
            if (may_have_stops(&fine))
                ck_assert_int_le(fine.polygons.cell_count, coarse.polygons.cell_count);
            else
                check_same_polygons(&coarse, &fine);
            polygons += fine.polygons.count;
        }
    ck_assert_int_gt(polygons, 20);
    golden_world_deinit(&world);
}
END_TEST

static void check_borders(int32_t x, int32_t z, int32_t beside_x, int32_t beside_z, int32_t side, int32_t back)
{
    nav_tile tile = build(x, z, 128, &arenas[0]), beside = build(beside_x, beside_z, 128, &arenas[1]);
    if (!tile.polygons.count || !beside.polygons.count) return;
    border_line a = border_line_of(&tile, side), b = border_line_of(&beside, back);
    ck_assert_int_eq(border_difference(&a, &b), 0);
    border_line_free(&a);
    border_line_free(&b);
}

START_TEST(both_tiles_of_a_border_have_its_points)
{
    init_world(_i);
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            if (x + 1 < world.tiles_x) check_borders(x, z, x + 1, z, NAV_EDGE_PORTAL_XMAX, NAV_EDGE_PORTAL_XMIN);
            if (z + 1 < world.tiles_z) check_borders(x, z, x, z + 1, NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_ZMIN);
        }
    golden_world_deinit(&world);
}
END_TEST

static void check_readers(const nav_tile *tile, nav_buffer *out)
{
    nav_tile_view v;
    out->size = 0;
    ck_assert_int_eq(nav_tile_encode(tile, out), NAV_OK);
    ck_assert_msg(nav_tile_open(out->data, out->size, &v, why, sizeof why) == NAV_OK, "%s", why);
    ck_assert_int_eq(v.unit, tile->config.unit);
    ck_assert_int_eq(nav_tile_columns(&v), tile->settings->tile_cells);
    ck_assert_float_eq(nav_tile_column_m(&v), tile->settings->cell_size_m);
    walk_tile(&v);
}

// The same places, portals and clearances in metres.
static void check_same_tile(const nav_buffer *a, const nav_buffer *b)
{
    nav_tile_view v, w;
    ck_assert_int_eq(nav_tile_open(a->data, a->size, &v, NULL, 0), NAV_OK);
    ck_assert_int_eq(nav_tile_open(b->data, b->size, &w, NULL, 0), NAV_OK);
    ck_assert_uint_eq(v.vert_count, w.vert_count);
    ck_assert_uint_eq(v.portal_count, w.portal_count);
    for (uint32_t i = 0; i < v.vert_count; i++) {
        float p[3], q[3];
        nav_tile_get_place(&v, i, p);
        nav_tile_get_place(&w, i, q);
        ck_assert_mem_eq(p, q, sizeof p);
    }
    for (uint32_t i = 0; i < v.portal_count; i++) {
        nav_tile_portal p, q;
        nav_tile_get_portal(&v, i, &p);
        nav_tile_get_portal(&w, i, &q);
        ck_assert_float_eq(p.width_m, q.width_m);
        ck_assert_float_eq(p.clearance_m, q.clearance_m);
    }
}

START_TEST(a_tile_reads_the_same_in_metres)
{
    nav_buffer bytes[2] = {{0}, {0}};
    init_world(_i);
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            nav_tile coarse = build(x, z, 1, &arenas[0]), fine = build(x, z, 128, &arenas[1]);
            check_readers(&coarse, &bytes[0]);
            check_readers(&fine, &bytes[1]);
            if (!may_have_stops(&fine)) check_same_tile(&bytes[0], &bytes[1]);
        }
    for (int k = 0; k < 2; k++) nav_buffer_deinit(&bytes[k]);
    golden_world_deinit(&world);
}
END_TEST

// Vertices off the corners of columns, as an outline has them; only what is written of the tile has to make sense.
static void move_vertices(nav_tile *t, uint32_t seed)
{
    nav_polygons *p = &t->polygons;
    for (int32_t v = 0; v < p->vert_count; v++) {
        int32_t *const at[2] = {&p->x[v], &p->z[v]};
        for (int a = 0; a < 2; a++) {
            seed = seed * 1664525u + 1013904223u;
            if (*at[a] > 0 && *at[a] < t->config.tile_units) *at[a] += (int32_t)(seed >> 24) % t->config.unit - 32;
            if (*at[a] < 0 || *at[a] > t->config.tile_units) *at[a] = t->config.tile_units / 2;
        }
    }
}

START_TEST(detours_tile_is_packed_and_comes_back)
{
    nav_buffer tile = {0}, packed = {0}, again = {0};
    init_world(_i);
    world.settings.origin_m[0] += 7013.37; // where floats are coarse
    for (int32_t moved = 0; moved < 2; moved++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            nav_tile t = build(x, 0, 128, &arenas[0]);
            if (moved) move_vertices(&t, (uint32_t)x);
            tile.size = packed.size = again.size = 0;
            ck_assert_int_eq(nav_detour_encode(&t, &tile), NAV_OK);
            if (!tile.size) continue;
            ck_assert_msg(nav_detour_check(tile.data, tile.size, why, sizeof why) == NAV_OK, "%s", why);
            ck_assert_int_eq(nav_detour_pack(tile.data, tile.size, t.settings, &packed), NAV_OK);
            ck_assert_uint_ne(packed.data[0], AS_IT_IS);
            ck_assert_uint_lt(2 * packed.size, tile.size);
            ck_assert_int_eq(nav_detour_unpack(packed.data, packed.size, tile.size, &again), NAV_OK);
            ck_assert_uint_eq(again.size, tile.size);
            ck_assert_mem_eq(again.data, tile.data, tile.size);
        }
    nav_buffer_deinit(&tile);
    nav_buffer_deinit(&packed);
    nav_buffer_deinit(&again);
    golden_world_deinit(&world);
}
END_TEST

static nav_path_set *path_set(int32_t unit)
{
    nav_path_set *set;
    nav_buffer bytes = {0};
    ck_assert_int_eq(nav_path_set_create(&set), NAV_OK);
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            nav_tile t = build(x, z, unit, &arenas[0]);
            bytes.size = 0;
            ck_assert_int_eq(nav_tile_encode(&t, &bytes), NAV_OK);
            ck_assert_msg(nav_path_set_put(set, bytes.data, bytes.size, why, sizeof why) == NAV_OK, "%s", why);
        }
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_buffer_deinit(&bytes);
    return set;
}

static nav_path_query random_query(uint32_t *seed)
{
    double side = (double)world.settings.cell_size_m * world.settings.tile_cells;
    nav_path_query q = {.near_m = 5};
    for (int k = 0; k < 4; k++) {
        *seed = *seed * 1664525u + 1013904223u;
        double *end = k < 2 ? q.from : q.to, tiles = k % 2 ? world.tiles_z : world.tiles_x;
        end[k % 2 ? 2 : 0] = world.settings.origin_m[k % 2 ? 2 : 0] + side * tiles * (*seed >> 8) / (1 << 24);
    }
    return q;
}

START_TEST(paths_are_the_same)
{
    enum { QUERIES = 100 };
    init_world(_i);
    nav_path_set *coarse = path_set(1), *fine = path_set(128);
    nav_path_finder *finder;
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    uint32_t seed = 5;
    int found = 0;
    for (int k = 0; k < QUERIES; k++) {
        nav_path_query q = random_query(&seed);
        nav_path a, b;
        ck_assert_int_eq(nav_path_find(finder, coarse, &q, &a), NAV_OK);
        ck_assert_int_eq(nav_path_find(finder, fine, &q, &b), NAV_OK);
        ck_assert_int_eq(a.status, b.status);
        ck_assert_double_eq_tol(a.length_m, b.length_m, 1e-6);
        found += a.status == NAV_PATH_FOUND;
    }
    ck_assert_int_gt(found, QUERIES / 4);
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(coarse);
    nav_path_set_destroy(fine);
    golden_world_deinit(&world);
}
END_TEST

// Large tiles, where a tile's numbers are used up and a floor plan may be wider than 15 bits.
START_TEST(every_level_builds_the_same_large_tile)
{
    nav_buffer bytes[2] = {{0}, {0}};
    init_world(_i);
    world.settings.tile_cells = 511;
    nav_tile_source source = golden_world_source(&world, 0, 0);
    for (int level = 0; level < NAV_LEVEL_COUNT; level++) {
        nav_build *build_at = nav_build_at((nav_level)level);
        nav_tile tile;
        if (!build_at) continue;
        nav_arena_reset(&arenas[0]);
        ck_assert_int_eq(build_at(&source, NULL, &(nav_hooks){.unit = 128}, &arenas[0], &tile), NAV_OK);
        ck_assert_int_eq(tile.config.tile_units, 511 * 128);
        ck_assert_int_gt(tile.polygons.count, 10);
        nav_buffer *out = &bytes[level > 0];
        out->size = 0;
        ck_assert_int_eq(nav_tile_encode(&tile, out), NAV_OK);
        ck_assert_int_eq(nav_detour_encode(&tile, out), NAV_OK);
        if (level == 0) continue;
        ck_assert_uint_eq(bytes[0].size, bytes[1].size);
        ck_assert_mem_eq(bytes[0].data, bytes[1].data, bytes[1].size);
    }
    for (int k = 0; k < 2; k++) nav_buffer_deinit(&bytes[k]);
    golden_world_deinit(&world);
}
END_TEST

START_TEST(no_tile_has_more_units_than_its_numbers_hold)
{
    ck_assert_int_eq(nav_unit_most(48), 128);
    ck_assert_int_eq(nav_unit_most(511), 128);
    ck_assert_int_eq(nav_unit_most(512), 64);
    ck_assert_int_eq(nav_unit_most(16383), 4);
    ck_assert_int_eq(nav_unit_most(16384), 2);
    for (int32_t columns = 4; columns <= 16384; columns++)
        ck_assert_int_le(columns * nav_unit_most(columns), NAV_TILE_UNITS_MOST);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline units");
    TCase *t = tcase_create("worlds");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_mesh_is_the_same_on_a_finer_grid, 0, KINDS);
    tcase_add_loop_test(t, both_tiles_of_a_border_have_its_points, 0, KINDS);
    tcase_add_loop_test(t, a_tile_reads_the_same_in_metres, 0, KINDS);
    tcase_add_loop_test(t, detours_tile_is_packed_and_comes_back, 0, KINDS);
    tcase_add_loop_test(t, paths_are_the_same, 0, WORLDS * PARTITIONS);
    tcase_add_loop_test(t, every_level_builds_the_same_large_tile, 0, KINDS);
    tcase_add_test(t, no_tile_has_more_units_than_its_numbers_hold);
    suite_add_tcase(s, t);
    return run_suite(s);
}
