// The shortest paths over tiles, judged by a graph of all corners that see each other.
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

static nav_settings settings_of(int32_t tile_cells, float radius_m)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = tile_cells;
    s.agent_radius_m = radius_m;
    return s;
}

// A floor of `size` metres, with turned boxes on it.
static void random_boxes(scene *s, float size, int boxes, float y)
{
    scene_floor(s, 0, 0, size, size, y);
    for (int i = 0; i < boxes; i++) {
        float x = scene_random_between(&seed, 1, size - 4), z = scene_random_between(&seed, 1, size - 4);
        float turn = scene_random(&seed) % 3 ? 0 : scene_random_between(&seed, 0, 1.5f);
        scene_box(s, x, y, z, x + scene_random_between(&seed, 0.6f, 5), y + 3, z + scene_random_between(&seed, 0.6f, 5),
                  cosf(turn), sinf(turn));
    }
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

// Asks at random, and lets the judge say what the shortest is. Returns how many had a path.
static int judge_queries(int queries, float size, float y)
{
    int found = 0;
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
        double best = path_world_judge(&world, p.points, &p.points[3 * (p.point_count - 1)], y - 1, y + 1);
        ck_assert_msg(fabs(p.length_m - best) < 1e-4, "from %.9g, %.9g to %.9g, %.9g: %.9g m, the judge has %.9g m",
                      from[0], from[2], to[0], to[2], p.length_m, best);
        ck_assert(p.surface_m >= p.length_m - 1e-6);
        if (p.status == NAV_PATH_PARTIAL) { // what it could not get to, the judge cannot either
            float goal[3] = {(float)to[0], (float)to[1], (float)to[2]};
            ck_assert(path_world_judge(&world, p.points, goal, y - 1, y + 1) < 0);
        }
        found += p.status == NAV_PATH_FOUND;
    }
    return found;
}

static void build_boxes(float size, int boxes, int32_t tile_cells, float radius_m)
{
    scene s = {0};
    nav_settings settings = settings_of(tile_cells, radius_m);
    random_boxes(&s, size, boxes, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
}

START_TEST(paths_are_as_short_as_the_judge_s)
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

int main(void)
{
    Suite *s = suite_create("path");
    TCase *t = tcase_create("path");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, where_nothing_is_in_the_way_a_path_is_straight);
    tcase_add_loop_test(t, paths_are_as_short_as_the_judge_s, 0, 20);
    suite_add_tcase(s, t);
    return run_suite(s);
}
