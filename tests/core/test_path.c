// The shortest paths over tiles, judged by a graph of all corners that see each other.
#include "navcore/tile.h"
#include "tests/bench/heap_count.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static path_world world;
static nav_path_finder *finder;
static uint32_t seed;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    seed = 1;
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    path_world_free(&world);
    world = (path_world){0};
}

static nav_path ask(const double from[3], const double to[3])
{
    nav_path_query q = {.near_m = 1};
    nav_path path;
    memcpy(q.from, from, sizeof q.from);
    memcpy(q.to, to, sizeof q.to);
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    return path;
}

static nav_path ask_xz(double ax, double az, double bx, double bz)
{
    return ask((double[]){ax, 0.2, az}, (double[]){bx, 0.2, bz});
}

static bool touches(const nav_tile_view *v, uint32_t cell, double x, double z)
{
    nav_tile_cell c;
    nav_tile_get_cell(v, cell, &c);
    for (uint32_t k = 0; k < c.corner_count; k++) {
        nav_tile_corner at[2];
        int32_t p[2][3];
        for (uint32_t i = 0; i < 2; i++) {
            nav_tile_get_corner(v, c.first_corner + (k + i) % c.corner_count, &at[i]);
            nav_tile_get_vert(v, at[i].vert, p[i]);
        }
        double dx = p[1][0] - p[0][0], dz = p[1][2] - p[0][2];
        if ((dx * (z - p[0][2]) - dz * (x - p[0][0])) / hypot(dx, dz) > 1e-3) return false;
    }
    return true;
}

static const nav_buffer *tile_at(int32_t x, int32_t z)
{
    for (uint32_t i = 0; i < world.count; i++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(world.tiles[i].data, world.tiles[i].size, &v, NULL, 0), NAV_OK);
        if (v.tile_x == x && v.tile_z == z) return &world.tiles[i];
    }
    return NULL;
}

// Its cells hold all its points, and the middle of each straight piece, in order.
static void check_cells(const nav_path *p)
{
    double column = (double)world.settings.cell_size_m;
    uint32_t at = 0, pieces = 2 * (p->point_count - 1);
    ck_assert_uint_gt(p->cell_count, 0);
    for (uint32_t i = 0; i <= pieces; i++) {
        const float *a = &p->points[3 * (i / 2)], *b = &p->points[3 * ((i + 1) / 2)];
        bool found = false;
        for (; at < p->cell_count && !found; at++) {
            nav_path_cell c = p->cells[at];
            const nav_buffer *tile = tile_at(c.tile_x, c.tile_z);
            nav_tile_view v;
            ck_assert_ptr_nonnull(tile);
            ck_assert_int_eq(nav_tile_open(tile->data, tile->size, &v, NULL, 0), NAV_OK);
            ck_assert_uint_lt(c.cell, v.cell_count);
            found = touches(&v, c.cell, ((double)a[0] + (double)b[0]) / 2 / column - c.tile_x * v.tile_cells,
                            ((double)a[2] + (double)b[2]) / 2 / column - c.tile_z * v.tile_cells);
        }
        ck_assert_msg(found, "no cell holds step %u of %u, among %u cells", i, pieces, p->cell_count);
        at--; // the same cell may hold the next one
    }
    for (uint32_t i = 1; i < p->cell_count; i++)
        ck_assert(memcmp(&p->cells[i], &p->cells[i - 1], sizeof *p->cells) != 0);
}

// A run with NAVD_JUDGE_WORLDS says how much it was: add the numbers up.
static void tell_judged(int count)
{
    if (getenv("NAVD_JUDGE_WORLDS")) printf("judged %d\n", count);
}

// Asks at random, and lets the judge say what the shortest is. Returns how many had a path.
static int judge_queries(int queries, float size, float y)
{
    int found = 0, judged = 0;
    for (int i = 0; i < queries; i++) {
        double from[3] = {(double)scene_random_between(&seed, 0, size), (double)y,
                          (double)scene_random_between(&seed, 0, size)};
        double to[3] = {(double)scene_random_between(&seed, 0, size), (double)y,
                        (double)scene_random_between(&seed, 0, size)};
        if (i % 4 == 0) // whole columns: ends on edges, corners and lines of corners
            for (int k = 0; k < 3; k += 2) {
                double column = (double)world.settings.cell_size_m;
                from[k] = round(from[k] / column) * column;
                to[k] = round(to[k] / column) * column;
            }
        nav_path p = ask(from, to);
        if (p.status == NAV_PATH_NO_START || p.status == NAV_PATH_NO_GOAL) continue;
        judged++;
        double best = path_world_judge(&world, p.points, &p.points[3 * (p.point_count - 1)], y - 1, y + 1);
        ck_assert_msg(fabs(p.length_m - best) < 1e-4, "from %.9g, %.9g to %.9g, %.9g: %.9g m, the judge has %.9g m",
                      from[0], from[2], to[0], to[2], p.length_m, best);
        ck_assert(p.surface_m >= p.length_m - 1e-6);
        check_cells(&p);
        if (p.status == NAV_PATH_PARTIAL) { // what it could not get to, the judge cannot either
            float goal[3] = {(float)to[0], (float)to[1], (float)to[2]};
            ck_assert(path_world_judge(&world, p.points, goal, y - 1, y + 1) < 0);
        }
        found += p.status == NAV_PATH_FOUND;
    }
    tell_judged(judged);
    return found;
}

static void build_boxes(float size, int boxes, int32_t tile_cells, float radius_m)
{
    scene s = {0};
    nav_settings settings = path_world_settings(tile_cells, radius_m);
    path_world_boxes(&s, &seed, size, boxes, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
}

START_TEST(paths_are_as_short_as_the_judges)
{
    static const struct {
        float size;
        int boxes;
        int32_t tile_cells;
        float radius;
    } kinds[] = {{12, 6, 16, 0},     {12, 6, 64, 0},  {18, 14, 24, 0.3f},
                 {24, 20, 16, 0.3f}, {20, 24, 20, 0}, {15, 3, 12, 0.6f}};
    int found = 0, worlds = 0;
    for (int trial = 0; trial < 6; trial++) {
        seed = (uint32_t)(1 + 6 * _i + trial);
        build_boxes(kinds[trial].size, kinds[trial].boxes, kinds[trial].tile_cells, kinds[trial].radius);
        bool flat = path_world_can_judge(&world, -1, 1);
        worlds += flat;
        if (flat) found += judge_queries(20, kinds[trial].size, 0);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(worlds, 2);
    ck_assert_int_gt(found, 7 * worlds);
}
END_TEST

START_TEST(where_nothing_is_in_the_way_a_path_is_straight)
{
    build_boxes(20, 0, 16, 0);
    nav_path p = ask_xz(1.3, 2.1, 18.7, 17.2);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_uint_eq(p.point_count, 2);
    ck_assert_double_eq_tol(p.length_m, hypot(17.4, 15.1), 1e-3);
    ck_assert_float_eq_tol(p.points[0], 1.3f, 1e-3f);
    ck_assert_float_eq_tol(p.points[5], 17.2f, 1e-3f);
    p = ask_xz(3, 3, 3, 3);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_uint_eq(p.point_count, 2);
    ck_assert(p.length_m == 0 && p.surface_m == 0);
}
END_TEST

// Another finder and another set, with the tiles from the last to the first, some twice and some taken out again.
START_TEST(the_order_of_tiles_and_searches_does_not_show)
{
    build_boxes(18, 14, 16, 0.3f);
    nav_path_finder *other;
    nav_path_set *set = world.set, *again;
    ck_assert_int_eq(nav_path_set_create(&again), NAV_OK);
    ck_assert_int_eq(nav_path_finder_create(&other), NAV_OK);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = world.count; i-- > 0;) {
            const nav_buffer *b = &world.tiles[i];
            nav_tile_view v;
            ck_assert_int_eq(nav_tile_open(b->data, b->size, &v, NULL, 0), NAV_OK);
            if (i % 3 == 0) nav_path_set_drop(again, v.tile_x, v.tile_z);
            ck_assert_int_eq(nav_path_set_put(again, b->data, b->size, NULL, 0), NAV_OK);
        }
    ck_assert_int_eq(nav_path_set_join(again), NAV_OK);
    ck_assert_uint_eq(nav_path_set_tiles(again), nav_path_set_tiles(set));
    for (int i = 0; i < 200; i++) {
        double at[4];
        for (int k = 0; k < 4; k++) at[k] = (double)scene_random_between(&seed, 0, 18);
        world.set = set;
        nav_path a = ask_xz(at[0], at[1], at[2], at[3]);
        nav_path_finder *first = finder;
        finder = other;
        world.set = again;
        nav_path b = ask_xz(at[0], at[1], at[2], at[3]);
        finder = first;
        ck_assert_int_eq(a.status, b.status);
        ck_assert(a.length_m == b.length_m && a.surface_m == b.surface_m);
        ck_assert_uint_eq(a.point_count, b.point_count);
        if (a.point_count) ck_assert_mem_eq(a.points, b.points, 12 * a.point_count);
    }
    world.set = set;
    nav_path_set_destroy(again);
    nav_path_finder_destroy(other);
}
END_TEST

static void put(nav_path_set *set, uint32_t tile)
{
    ck_assert_int_eq(nav_path_set_put(set, world.tiles[tile].data, world.tiles[tile].size, NULL, 0), NAV_OK);
}

// Tiles of four blocks come and go one by one, or all of a block at once: always what a new set of the same tiles says.
START_TEST(a_set_that_changes_is_as_good_as_a_new_one)
{
    scene s = {0};
    nav_settings settings = path_world_settings(8, 0);
    settings.origin_m[0] = settings.origin_m[2] = 7.2; // tiles on both sides of 0, where blocks meet
    path_world_boxes(&s, &seed, 15, 32, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
    nav_path_set *all = world.set, *changing;
    bool there[PATH_WORLD_TILES] = {0};
    int apart = 0;
    ck_assert_int_eq(nav_path_set_create(&changing), NAV_OK);
    for (int round = 0; round < 400; round++) {
        uint32_t tile = (uint32_t)(scene_random(&seed) % world.count);
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(world.tiles[tile].data, world.tiles[tile].size, &v, NULL, 0), NAV_OK);
        there[tile] = !there[tile] || scene_random(&seed) % 3 == 0;
        if (there[tile])
            put(changing, tile);
        else
            nav_path_set_drop(changing, v.tile_x, v.tile_z);
        bool west = v.tile_x < 0, north = v.tile_z < 0;
        for (uint32_t i = 0; i < world.count && round % 8 == 7; i++) {
            ck_assert_int_eq(nav_tile_open(world.tiles[i].data, world.tiles[i].size, &v, NULL, 0), NAV_OK);
            if ((v.tile_x < 0) != west || (v.tile_z < 0) != north) continue;
            there[i] = false;
            nav_path_set_drop(changing, v.tile_x, v.tile_z);
        }
        if (scene_random(&seed) % 3 == 0) continue; // several changes at once
        nav_path_set *again;
        ck_assert_int_eq(nav_path_set_create(&again), NAV_OK);
        for (uint32_t i = 0; i < world.count; i++)
            if (there[i]) put(again, i);
        ck_assert_int_eq(nav_path_set_join(again), NAV_OK);
        ck_assert_int_eq(nav_path_set_join(changing), NAV_OK);
        for (int i = 0; i < 40; i++) {
            double at[4];
            for (int k = 0; k < 4; k++) at[k] = (double)scene_random_between(&seed, 0, 18);
            world.set = again;
            nav_path a = ask_xz(at[0], at[1], at[2], at[3]);
            world.set = changing;
            nav_path b = ask_xz(at[0], at[1], at[2], at[3]);
            ck_assert_int_eq(a.status, b.status);
            ck_assert(a.length_m == b.length_m);
            apart += a.status == NAV_PATH_PARTIAL;
        }
        nav_path_set_destroy(again);
    }
    ck_assert_int_gt(apart, 20);
    world.set = all;
    nav_path_set_destroy(changing);
}
END_TEST

// A floor with boxes, and 5 m above it another one with other boxes: each is judged by itself.
START_TEST(floors_above_each_other_do_not_mix)
{
    scene s = {0};
    nav_settings settings = path_world_settings(24, 0.3f);
    path_world_boxes(&s, &seed, 14, 6, 0);
    path_world_boxes(&s, &seed, 14, 6, 5);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
    ck_assert(path_world_can_judge(&world, -1, 1) && path_world_can_judge(&world, 4, 6));
    ck_assert_int_gt(judge_queries(20, 14, 0), 8);
    ck_assert_int_gt(judge_queries(20, 14, 5), 8);
    nav_path p = ask((double[]){2, 0, 2}, (double[]){11, 5, 11}); // nothing leads up
    ck_assert_int_eq(p.status, NAV_PATH_PARTIAL);
    // It does not end under the upper floor's goal, but on the lower floor.
    ck_assert_float_lt(p.points[3 * (p.point_count - 1) + 1], 4);
}
END_TEST

static void add_ramp(scene *s, float x0, float z0, float x1, float z1, float rise)
{
    const float corner[4][3] = {{x0, 0, z0}, {x0, 0, z1}, {x1, rise, z1}, {x1, rise, z0}};
    scene_triangle(s, corner[0], corner[1], corner[2]);
    scene_triangle(s, corner[0], corner[2], corner[3]);
}

// A lower floor, an upper one above a part of it, two ramps between them, and boxes: some stand through both floors.
static void storey_scene(scene *s, float size, int boxes)
{
    scene_floor(s, 0, 0, size, size, 0);
    scene_floor(s, 12, 0, size, size, 3);
    add_ramp(s, 7.2f, 2, 12, 5, 3);
    add_ramp(s, 7.2f, 12, 12, 14.5f, 3);
    for (int i = 0; i < boxes; i++) {
        float x = scene_random_between(&seed, 0.5f, size - 2), z = scene_random_between(&seed, 0.5f, size - 3);
        float wide = scene_random_between(&seed, 0.6f, 3), deep = scene_random_between(&seed, 0.6f, 3);
        float turn = scene_random(&seed) % 3 ? 0 : scene_random_between(&seed, 0, 1.5f);
        bool on_ramps = x + wide + deep > 6 && x - deep < 12.5f;
        scene_box(s, x, i % 2 ? 3 : 0, z, x + wide, 6, z + deep, on_ramps ? 1 : cosf(turn), on_ramps ? 0 : sinf(turn));
    }
}

// Every other query goes from one storey to the other.
static int judge_storeys(const path_storeys *storeys, float size, int queries)
{
    int between = 0, judged = 0;
    for (int i = 0; i < queries; i++) {
        double at[2][3];
        for (int k = 0; k < 2; k++) {
            at[k][1] = (i & (k ? 2 : 1)) ? 3 : 0;
            at[k][0] = (double)scene_random_between(&seed, at[k][1] > 0 ? 12 : 0, size);
            at[k][2] = (double)scene_random_between(&seed, 0, size);
        }
        nav_path p = ask(at[0], at[1]);
        if (p.status == NAV_PATH_NO_START || p.status == NAV_PATH_NO_GOAL) continue;
        const float *end = &p.points[3 * (p.point_count - 1)];
        judged++;
        double best = path_world_judge_storeys(&world, storeys, p.points, end);
        ck_assert_msg(fabs(p.length_m - best) < 1e-4,
                      "from %.9g, %.9g, %.9g to %.9g, %.9g, %.9g: %.9g m, the judge has %.9g m", at[0][0], at[0][1],
                      at[0][2], at[1][0], at[1][1], at[1][2], p.length_m, best);
        check_cells(&p);
        between += p.status == NAV_PATH_FOUND && (p.points[1] < 1.5f) != (end[1] < 1.5f);
    }
    tell_judged(judged);
    return between;
}

// Four worlds, and 24 queries in each that the judge can judge.
static void judge_storey_worlds(int group)
{
    const path_storeys storeys = {.gate_m = 9.6, .low = {-1, 2.1f}, .high = {1.1f, 4.5f}};
    int between = 0, worlds = 0;
    for (int trial = 0; trial < 4; trial++) {
        scene s = {0};
        seed = (uint32_t)(1000 + 4 * group + trial);
        nav_settings settings = path_world_settings(trial % 2 ? 32 : 16, group % 2 ? 0.3f : 0);
        storey_scene(&s, 19, 2 + 4 * trial);
        path_world_build(&world, &s, &settings);
        scene_free(&s);
        bool planes = path_world_can_judge(&world, storeys.low[0], storeys.low[1]) &&
                      path_world_can_judge(&world, storeys.high[0], storeys.high[1]);
        worlds += planes;
        if (planes) between += judge_storeys(&storeys, 19, 24);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(worlds, 1);
    ck_assert_int_ge(between, 3 * worlds);
}

START_TEST(paths_from_storey_to_storey_are_as_short_as_the_judges)
{
    judge_storey_worlds(_i);
}
END_TEST

// Two partial paths that end at a border of tiles across a ramp, and three worlds in which the lower floor and a ramp's
// edge above it are seen from above as a wall without thickness.
START_TEST(walls_without_thickness_and_ends_at_a_gate)
{
    static const int groups[] = {89, 104, 208, 220, 262};
    judge_storey_worlds(groups[_i]);
}
END_TEST

// Worlds in which a wall without thickness lies on the line of another wall, from whose corner the way goes around its
// end and back: what is the shortest there must be so from the other end, too.
START_TEST(the_way_back_is_as_long)
{
    static const uint32_t seeds[] = {1409, 1411, 1481, 1483, 1977, 1979, 2001, 2003, 2009, 2011};
    int found = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        scene s = {0};
        seed = seeds[i];
        nav_settings settings = path_world_settings(32, 0);
        storey_scene(&s, 19, 2 + 4 * (int)(seed % 4));
        path_world_build(&world, &s, &settings);
        scene_free(&s);
        for (int k = 0; k < 200; k++) {
            double at[2][3];
            for (int e = 0; e < 2; e++) {
                at[e][1] = (k & (e ? 2 : 1)) ? 3 : 0;
                at[e][0] = (double)scene_random_between(&seed, at[e][1] > 0 ? 12 : 0, 19);
                at[e][2] = (double)scene_random_between(&seed, 0, 19);
            }
            nav_path p = ask(at[0], at[1]);
            double there = p.length_m;
            if (p.status != NAV_PATH_FOUND) continue;
            found++;
            p = ask(at[1], at[0]);
            ck_assert_msg(p.status == NAV_PATH_FOUND && fabs(p.length_m - there) < 1e-6,
                          "world %u, from %.9g, %.9g, %.9g to %.9g, %.9g, %.9g: %.9g m, and back %.9g m", seeds[i],
                          at[0][0], at[0][1], at[0][2], at[1][0], at[1][1], at[1][2], there, p.length_m);
        }
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_gt(found, 500);
}
END_TEST

// The same ground in tiles of other sizes, and cut into cells another way.
START_TEST(tiles_and_cells_do_not_change_a_length)
{
    static const struct {
        int32_t tile_cells;
        nav_partition partition;
    } kinds[] = {{128, NAV_PARTITION_CONVEX},
                 {12, NAV_PARTITION_CONVEX},
                 {40, NAV_PARTITION_WATERSHED},
                 {128, NAV_PARTITION_MONOTONE}};
    enum { KINDS = sizeof kinds / sizeof *kinds, QUERIES = 60 };
    path_world worlds[KINDS];
    for (int k = 0; k < KINDS; k++) {
        scene s = {0};
        nav_settings settings = path_world_settings(kinds[k].tile_cells, 0);
        settings.partition = kinds[k].partition;
        settings.region_min_cells = 0;
        settings.edge_max_error_cells = 0.1f;
        seed = 77;
        scene_floor(&s, 0, 0, 18, 18, 0);
        for (int i = 0; i < 14; i++) { // on whole columns, so that all outlines are the same
            int x = (int)(scene_random(&seed) % 50), z = (int)(scene_random(&seed) % 50);
            int wide = 3 + (int)(scene_random(&seed) % 10), deep = 3 + (int)(scene_random(&seed) % 10);
            scene_box(&s, 0.3f * (float)x, 0, 0.3f * (float)z, 0.3f * (float)(x + wide), 3, 0.3f * (float)(z + deep), 1,
                      0);
        }
        path_world_build(&worlds[k], &s, &settings);
        scene_free(&s);
    }
    int found = 0;
    for (int i = 0; i < QUERIES; i++) {
        double at[4], length = 0;
        for (int k = 0; k < 4; k++) at[k] = (double)scene_random_between(&seed, 0.1f, 17.9f);
        for (int k = 0; k < KINDS; k++) {
            world.set = worlds[k].set;
            nav_path p = ask_xz(at[0], at[1], at[2], at[3]);
            if (k == 0) length = p.status == NAV_PATH_FOUND ? p.length_m : -1;
            if (length < 0) continue;
            ck_assert_int_eq(p.status, NAV_PATH_FOUND);
            ck_assert_msg(fabs(p.length_m - length) <= 1e-3 * length, "%d: %.9g m, and %.9g m in one tile", k,
                          p.length_m, length);
            found++;
        }
    }
    ck_assert_int_gt(found, KINDS * QUERIES / 3);
    for (int k = 0; k < KINDS; k++) path_world_free(&worlds[k]);
    world = (path_world){0};
}
END_TEST

// Once it has seen the largest of its searches, a finder takes nothing from the heap.
START_TEST(a_warm_finder_takes_nothing_from_the_heap)
{
    build_boxes(18, 14, 16, 0.3f);
    heap_count cold = heap_count_now(), warm = cold;
    for (int round = 0; round < 2; round++) {
        seed = 5;
        warm = heap_count_now();
        for (int i = 0; i < 300; i++) {
            double at[4];
            for (int k = 0; k < 4; k++) at[k] = (double)scene_random_between(&seed, 0, 18);
            (void)ask_xz(at[0], at[1], at[2], at[3]);
        }
    }
    heap_count after = heap_count_now();
    if (!heap_count_works()) return;
    ck_assert_uint_gt(warm.calls, cold.calls);
    ck_assert_uint_eq(after.calls, warm.calls);
}
END_TEST

START_TEST(what_is_no_tile_leaves_the_set_as_it_was)
{
    build_boxes(12, 3, 16, 0);
    nav_path before = ask_xz(1, 1, 11, 11);
    double length = before.length_m;
    const nav_buffer *b = &world.tiles[world.count / 2];
    char why[200];
    for (size_t size = 0; size < b->size; size += 1 + size / 40) {
        uint8_t *part = malloc(size ? size : 1); // exactly sized, so that a read behind the end is seen
        memcpy(part, b->data, size);
        ck_assert_int_ne(nav_path_set_put(world.set, part, size, why, sizeof why), NAV_OK);
        free(part);
    }
    ck_assert_int_eq(nav_path_set_join(world.set), NAV_OK);
    ck_assert(ask_xz(1, 1, 11, 11).length_m == length);
}
END_TEST

// NAVD_JUDGE_WORLDS: how many times as many random worlds the judge takes.
static int judge_rounds(int rounds)
{
    const char *times = getenv("NAVD_JUDGE_WORLDS");
    return rounds * (times ? atoi(times) : 1);
}

int main(void)
{
    Suite *s = suite_create("path");
    TCase *t = tcase_create("path");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, where_nothing_is_in_the_way_a_path_is_straight);
    tcase_add_test(t, the_order_of_tiles_and_searches_does_not_show);
    tcase_add_test(t, a_set_that_changes_is_as_good_as_a_new_one);
    tcase_add_test(t, floors_above_each_other_do_not_mix);
    tcase_add_test(t, what_is_no_tile_leaves_the_set_as_it_was);
    tcase_add_test(t, tiles_and_cells_do_not_change_a_length);
    tcase_add_test(t, the_way_back_is_as_long);
    tcase_add_test(t, a_warm_finder_takes_nothing_from_the_heap);
    tcase_add_loop_test(t, paths_are_as_short_as_the_judges, 0, judge_rounds(20));
    tcase_add_loop_test(t, paths_from_storey_to_storey_are_as_short_as_the_judges, 0, judge_rounds(6));
    tcase_add_loop_test(t, walls_without_thickness_and_ends_at_a_gate, 0, 5);
    suite_add_tcase(s, t);
    return run_suite(s);
}
