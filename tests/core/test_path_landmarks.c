// Landmarks: the same paths with and without them, over worlds of boxes that come and go.
#include "navcore/path_costs.h"
#include "navcore/path_landmarks.h"
#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 60, BOXES = 150, WATER = 5 };

static path_world world, other;
static nav_path_set *plain; // the same tiles, never with landmarks
static nav_path_finder *finder, *second;
static uint32_t seed;
static float boxes[BOXES][6]; // x z width depth turn, and whether it is there

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    ck_assert_int_eq(nav_path_finder_create(&second), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&plain), NAV_OK);
    seed = 1;
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    nav_path_finder_destroy(second);
    nav_path_set_destroy(plain);
    path_world_free(&world);
    path_world_free(&other);
    world = other = (path_world){0};
}

static void draw_box(float *b)
{
    b[0] = scene_random_between(&seed, 1, SIZE - 6);
    b[1] = scene_random_between(&seed, 1, SIZE - 6);
    b[2] = scene_random_between(&seed, 0.6f, 5);
    b[3] = scene_random_between(&seed, 0.6f, 5);
    b[4] = scene_random(&seed) % 3 ? 0 : scene_random_between(&seed, 0, 1.5f);
    b[5] = 1;
}

static void build_with(path_world *w, int32_t tile_cells, float radius_m, const nav_tile_source *more)
{
    scene s = {0};
    const nav_settings settings = path_world_settings(tile_cells, radius_m);
    scene_floor(&s, 0, 0, SIZE, SIZE, 0);
    for (int i = 0; i < BOXES; i++) {
        const float *b = boxes[i];
        if (b[5] > 0) scene_box(&s, b[0], 0, b[1], b[0] + b[2], 3, b[1] + b[3], cosf(b[4]), sinf(b[4]));
    }
    path_world_build_with(w, &s, &settings, more);
    scene_free(&s);
}

static void build(path_world *w, int32_t tile_cells, float radius_m)
{
    build_with(w, tile_cells, radius_m, &(nav_tile_source){0});
}

static void put(nav_path_set *set, const nav_buffer *tile)
{
    ck_assert_int_eq(nav_path_set_put(set, tile->data, tile->size, NULL, 0), NAV_OK);
}

static void put_all(nav_path_set *set, const path_world *w)
{
    for (uint32_t i = 0; i < w->count; i++) put(set, &w->tiles[i]);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
}

static nav_path_landmarks *flood(const nav_path_set *set, uint32_t count)
{
    nav_path_landmarks *l;
    ck_assert_int_eq(nav_path_landmarks_create(set, count, &l), NAV_OK);
    ck_assert_uint_gt(nav_path_landmarks_count(l), 0);
    ck_assert_uint_le(nav_path_landmarks_count(l), count);
    for (uint32_t k = 0; k < nav_path_landmarks_count(l); k++)
        ck_assert_int_eq(nav_path_landmarks_flood(l, k, finder, set, NULL, NULL), NAV_OK);
    return l;
}

// Asks both sets the same. nodes: of each is added.
static void compare(const nav_path_set *with, const nav_path_set *without, int queries, const nav_path_costs *costs,
                    uint64_t nodes[2])
{
    for (int i = 0; i < queries; i++) {
        nav_path_query q = {.near_m = 1, .costs = costs};
        nav_path a, b;
        for (int k = 0; k < 3; k += 2) {
            q.from[k] = (double)scene_random_between(&seed, 0, SIZE);
            q.to[k] = (double)scene_random_between(&seed, 0, SIZE);
            if (i % 4) continue;
            q.from[k] = round(q.from[k] / 0.3) * 0.3; // whole columns: more ways of the same length
            q.to[k] = round(q.to[k] / 0.3) * 0.3;
        }
        ck_assert_int_eq(nav_path_find(finder, with, &q, &a), NAV_OK);
        ck_assert_int_eq(nav_path_find(second, without, &q, &b), NAV_OK);
        nodes[0] += a.nodes;
        nodes[1] += b.nodes;
        ck_assert_int_eq(a.status, b.status);
        ck_assert_msg(a.length_m == b.length_m && a.surface_m == b.surface_m,
                      "from %.9g, %.9g to %.9g, %.9g: %.17g m with landmarks, %.17g m without", q.from[0], q.from[2],
                      q.to[0], q.to[2], a.length_m, b.length_m);
        ck_assert_uint_eq(a.point_count, b.point_count);
        ck_assert_uint_eq(a.cell_count, b.cell_count);
        if (!a.point_count) continue;
        ck_assert_mem_eq(a.points, b.points, 3 * sizeof(float) * a.point_count);
        ck_assert_mem_eq(a.cells, b.cells, sizeof *a.cells * a.cell_count);
    }
}

START_TEST(paths_are_the_same_with_and_without)
{
    static const int32_t tile_cells[] = {32, 34, 48, 100};
    uint64_t nodes[2] = {0, 0};
    seed = (uint32_t)(40 + _i);
    for (int i = 0; i < BOXES; i++) draw_box(boxes[i]);
    build(&world, tile_cells[_i % 4], _i % 3 ? 0.3f : 0);
    put_all(plain, &world);
    size_t before = nav_path_set_bytes(world.set);
    static const uint32_t counts[] = {4, 28, 64, NAV_PATH_MAX_LANDMARKS};
    nav_path_landmarks *l = flood(world.set, counts[_i / 2 % 4]);
    ck_assert_ptr_null(nav_path_set_landmarks(world.set));
    nav_path_set_use_landmarks(world.set, l);
    ck_assert_ptr_eq(nav_path_set_landmarks(world.set), l);
    ck_assert_uint_eq(nav_path_set_bytes(world.set), before + nav_path_landmarks_bytes(l));
    compare(world.set, plain, 300, NULL, nodes);
    ck_assert_uint_lt(nodes[0], nodes[1]); // and they are of use
}
END_TEST

// Where areas cost differently, one answer takes many searches. None of them has landmarks.
START_TEST(a_wider_agents_paths_are_as_long_with_and_without)
{
    enum { QUERIES = 150 };
    uint64_t nodes[2] = {0, 0};
    int found = 0;
    seed = (uint32_t)(70 + _i);
    for (int i = 0; i < BOXES; i++) draw_box(boxes[i]);
    build(&world, _i % 2 ? 34 : 100, 0.3f);
    put_all(plain, &world);
    nav_path_set_use_landmarks(world.set, flood(world.set, 16));
    for (int i = 0; i < QUERIES; i++) {
        nav_path_query q = {.near_m = 1, .radius_m = _i % 3 ? 0.5 : 0.9};
        nav_path a, b;
        for (int k = 0; k < 3; k += 2) {
            q.from[k] = (double)scene_random_between(&seed, 0, SIZE);
            q.to[k] = (double)scene_random_between(&seed, 0, SIZE);
        }
        ck_assert_int_eq(nav_path_find(finder, world.set, &q, &a), NAV_OK);
        ck_assert_int_eq(nav_path_find(second, plain, &q, &b), NAV_OK);
        nodes[0] += a.nodes;
        nodes[1] += b.nodes;
        ck_assert_int_eq(a.status, b.status);
        found += a.status == NAV_PATH_FOUND;
        ck_assert_msg(fabs(a.length_m - b.length_m) < 1e-6,
                      "from %.9g, %.9g to %.9g, %.9g: %.17g m with landmarks, %.17g m without", q.from[0], q.from[2],
                      q.to[0], q.to[2], a.length_m, b.length_m);
    }
    ck_assert_int_gt(found, QUERIES / 4);
    ck_assert_uint_lt(nodes[0], nodes[1]);
}
END_TEST

START_TEST(costs_that_differ_do_without)
{
    nav_path_costs costs;
    nav_path_costs_default(&costs);
    costs.cost[WATER] = 3;
    nav_volume water[6];
    uint64_t nodes[2] = {0, 0};
    seed = (uint32_t)(20 + _i);
    for (int i = 0; i < BOXES; i++) draw_box(boxes[i]);
    for (int i = 0; i < 6; i++) {
        float x = scene_random_between(&seed, 0, SIZE - 12), z = scene_random_between(&seed, 0, SIZE - 12);
        water[i] = (nav_volume){.point_count = 4,
                                .points = {x, z, x + 12, z, x + 12, z + 12, x, z + 12},
                                .min_y = -1,
                                .max_y = 2,
                                .area = WATER};
    }
    build_with(&world, 48, 0.3f, &(nav_tile_source){.volumes = water, .volume_count = 6});
    put_all(plain, &world);
    nav_path_set_use_landmarks(world.set, flood(world.set, 16));
    compare(world.set, plain, 40, &costs, nodes);
    ck_assert_uint_eq(nodes[0], nodes[1]);
}
END_TEST

// Boxes come, go and move; the tiles that changed are put, and some that did not.
START_TEST(edits_that_open_and_close_change_nothing_of_that)
{
    uint64_t nodes[2] = {0, 0};
    seed = (uint32_t)(80 + _i);
    for (int i = 0; i < BOXES; i++) {
        draw_box(boxes[i]);
        boxes[i][5] = scene_random(&seed) % 5 != 0;
    }
    build(&world, _i % 2 ? 36 : 32, _i % 3 ? 0.3f : 0);
    put_all(plain, &world);
    nav_path_landmarks *late = flood(world.set, _i % 4 ? 100 : 12);
    if (_i % 2) nav_path_set_use_landmarks(world.set, late);
    for (int round = 0; round < 6; round++) {
        if (round == 3 && !(_i % 2)) nav_path_set_use_landmarks(world.set, late); // of how it was three edits ago
        for (int k = 0; k < 1 + (round + _i) % 4; k++) {
            float *b = boxes[scene_random(&seed) % BOXES];
            if (scene_random(&seed) % 3)
                b[5] = 1 - b[5];
            else
                draw_box(b);
        }
        build(&other, world.settings.tile_cells, world.settings.agent_radius_m);
        for (uint32_t i = 0; i < other.count; i++) {
            const nav_buffer *now = &other.tiles[i], *was = &world.tiles[i];
            put(plain, now);
            bool same = i < world.count && now->size == was->size && memcmp(now->data, was->data, now->size) == 0;
            if (!same || scene_random(&seed) % 8 == 0) put(world.set, now);
        }
        nav_tile_view v;
        const nav_buffer *gone = &other.tiles[scene_random(&seed) % other.count];
        ck_assert_int_eq(nav_tile_open(gone->data, gone->size, &v, NULL, 0), NAV_OK);
        nav_path_set_drop(plain, v.tile_x, v.tile_z);
        nav_path_set_drop(world.set, v.tile_x, v.tile_z);
        ck_assert_int_eq(nav_path_set_join(plain), NAV_OK);
        ck_assert_int_eq(nav_path_set_join(world.set), NAV_OK);
        compare(world.set, plain, 120, NULL, nodes);
        put(plain, gone);
        put(world.set, gone);
        nav_path_set *keep = world.set;
        nav_path_set_destroy(other.set);
        other.set = keep;
        world.set = NULL;
        path_world_free(&world);
        world = other;
        other = (path_world){0};
        ck_assert_int_eq(nav_path_set_join(plain), NAV_OK);
        ck_assert_int_eq(nav_path_set_join(world.set), NAV_OK);
    }
    ck_assert_uint_le(nodes[0], nodes[1]);
}
END_TEST

START_TEST(only_tiles_that_may_open_a_way_count)
{
    nav_tile_view v = {.cell_count = 0};
    uint32_t tile = 0;
    seed = 7;
    for (int i = 0; i < BOXES; i++) draw_box(boxes[i]);
    build(&world, 48, 0.3f);
    while (!v.cell_count) {
        const nav_buffer *b = &world.tiles[tile++];
        ck_assert_int_eq(nav_tile_open(b->data, b->size, &v, NULL, 0), NAV_OK);
    }
    nav_path_set_use_landmarks(world.set, flood(world.set, 8));
    put(world.set, &world.tiles[tile - 1]); // as it is
    ck_assert_uint_eq(nav_path_set_opened(world.set), 0);
    nav_path_set_drop(world.set, v.tile_x, v.tile_z);
    ck_assert_uint_eq(nav_path_set_opened(world.set), 0);
    put(world.set, &world.tiles[tile - 1]);
    ck_assert_uint_eq(nav_path_set_opened(world.set), 1);
    nav_path_set_use_landmarks(world.set, NULL);
    ck_assert_uint_eq(nav_path_set_opened(world.set), 0);
}
END_TEST

static bool at_once(void *user)
{
    (void)user;
    return true;
}

START_TEST(a_landmark_that_was_given_up_counts_for_nothing)
{
    uint64_t nodes[2] = {0, 0};
    nav_path_landmarks *l;
    seed = 9;
    for (int i = 0; i < BOXES; i++) draw_box(boxes[i]);
    build(&world, 32, 0.3f);
    put_all(plain, &world);
    ck_assert_int_eq(nav_path_landmarks_create(world.set, 4, &l), NAV_OK);
    ck_assert_int_eq(nav_path_landmarks_flood(l, 0, finder, world.set, NULL, NULL), NAV_OK);
    for (uint32_t k = 0; k < nav_path_landmarks_count(l); k++)
        ck_assert_int_eq(nav_path_landmarks_flood(l, k, finder, world.set, at_once, NULL), NAV_ERR_LIMIT);
    nav_path_set_use_landmarks(world.set, l);
    compare(world.set, plain, 50, NULL, nodes);
    ck_assert_uint_eq(nodes[0], nodes[1]);
}
END_TEST

START_TEST(without_ground_there_are_none)
{
    nav_path_landmarks *l;
    ck_assert_int_eq(nav_path_landmarks_create(plain, 4, &l), NAV_ERR_ARGUMENT);
    ck_assert_ptr_null(l);
    nav_path_set_use_landmarks(plain, NULL);
}
END_TEST

// NAVD_JUDGE_WORLDS: how many times as many random worlds are taken.
static int rounds(int count)
{
    const char *times = getenv("NAVD_JUDGE_WORLDS");
    return count * (times ? atoi(times) : 1);
}

int main(void)
{
    Suite *s = suite_create("path_landmarks");
    TCase *t = tcase_create("path_landmarks");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, paths_are_the_same_with_and_without, 0, rounds(8));
    tcase_add_loop_test(t, a_wider_agents_paths_are_as_long_with_and_without, 0, rounds(4));
    tcase_add_loop_test(t, costs_that_differ_do_without, 0, rounds(3));
    tcase_add_loop_test(t, edits_that_open_and_close_change_nothing_of_that, 0, rounds(8));
    tcase_add_test(t, only_tiles_that_may_open_a_way_count);
    tcase_add_test(t, a_landmark_that_was_given_up_counts_for_nothing);
    tcase_add_test(t, without_ground_there_are_none);
    suite_add_tcase(s, t);
    return run_suite(s);
}
