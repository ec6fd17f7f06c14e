// Paths over triangles that are no tile's: as short as a judge finds them, however the triangles are shared out.
#include "tests/check.h"
#include "tests/core/climb_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static scene shape;
static nav_climb_set *set;
static nav_climb_finder *finder;
static uint32_t seed;

static void setup(void)
{
    seed = 11;
    set = NULL;
    shape = (scene){0};
    ck_assert_int_eq(nav_climb_finder_create(&finder), NAV_OK);
}

static void teardown(void)
{
    nav_climb_finder_destroy(finder);
    nav_climb_set_destroy(set);
    scene_free(&shape);
}

static void on_triangle(double out[3])
{
    uint32_t t = scene_random(&seed) % shape.tri_count;
    double u = (double)scene_random_between(&seed, 0.1f, 0.5f), w = (double)scene_random_between(&seed, 0.1f, 0.4f);
    for (size_t k = 0; k < 3; k++) {
        const float *a = &shape.verts[3 * (size_t)shape.tris[3 * (size_t)t]];
        const float *b = &shape.verts[3 * (size_t)shape.tris[3 * (size_t)t + 1]];
        const float *c = &shape.verts[3 * (size_t)shape.tris[3 * (size_t)t + 2]];
        out[k] = (double)a[k] + u * ((double)b[k] - (double)a[k]) + w * ((double)c[k] - (double)a[k]);
    }
}

START_TEST(over_hills_no_graph_finds_shorter_ways)
{
    climb_world_ball(&shape, 2, 10, 1.5, &seed);
    set = climb_world_soup(&shape, _i ? 5 : 1000);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    ck_assert_uint_eq(nav_climb_set_triangles(set), shape.tri_count);
    for (int i = 0; i < 12; i++) {
        double from[3], to[3];
        on_triangle(from);
        on_triangle(to);
        nav_climb_path path = climb_world_find(finder, set, from, to);
        double bound = climb_world_graph_judge(&shape, 7, from, to);
        ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
        ck_assert_msg(path.length_m <= bound * 1.002, "%g m, a graph finds %g", path.length_m, bound);
        ck_assert_msg(path.length_m >= bound * 0.96, "%g m, a graph finds %g", path.length_m, bound);
    }
}
END_TEST

START_TEST(a_box_of_twelve_triangles_is_enough)
{
    const double size[3] = {10, 6, 8};
    scene_box(&shape, 0, 0, 0, 10, 6, 8, 1, 0);
    set = climb_world_soup(&shape, 1000);
    for (int i = 0; i < 200; i++) {
        double from[3], to[3];
        on_triangle(from);
        on_triangle(to);
        double best = climb_world_box_judge(size, from, to);
        nav_climb_path path = climb_world_find(finder, set, from, to);
        ck_assert_double_ge(path.length_m, best - 1e-6);
        ck_assert_msg(path.length_m <= best * 1.01, "%g m of %g", path.length_m, best);
    }
}
END_TEST

START_TEST(points_lie_on_the_surface_and_steps_on_a_plane)
{
    nav_climb_audit a, again;
    climb_world_ball(&shape, 3, 10, 2, &seed);
    set = climb_world_soup(&shape, 4);
    ck_assert_int_eq(nav_climb_audit_run(finder, set, 3, 200, NULL, NULL, &a), NAV_OK);
    ck_assert_uint_eq(a.found, 200);
    ck_assert_uint_eq(a.wrong_part + a.too_short + a.limited, 0);
    ck_assert_double_le(a.off_surface_m, 1e-4);
    ck_assert_double_le(a.off_plane_m, 1e-4);
    ck_assert_double_gt(a.mean_ratio, 1);
    ck_assert_int_eq(nav_climb_audit_run(finder, set, 3, 200, NULL, NULL, &again), NAV_OK);
    ck_assert(a.length_m == again.length_m && a.worst_ratio == again.worst_ratio);
}
END_TEST

// --- Areas: a floor of 30 by 20 whose middle third is of area 2 ---

static nav_climb_set *banded_floor(float gap)
{
    nav_climb_set *out;
    nav_settings settings = climb_world_settings(32, 0);
    climb_world world;
    uint8_t areas[8] = {1, 1, 2, 2, 1, 1, 1, 1};
    scene_floor(&shape, 0, 0, 10, 20, 0);
    scene_floor(&shape, 10, 0, 20, 20 - gap, 0);
    scene_floor(&shape, 20, 0, 30, 20, 0);
    if (gap > 0) scene_floor(&shape, 10, 20 - gap, 20, 20, 0);
    climb_world_build(&world, &shape, areas, &settings);
    out = climb_world_set(&world);
    climb_world_free(&world);
    return out;
}

// Across the band, entering at z = a and leaving at z = b.
static double banded_cost(const double from[3], const double to[3], double a, double b, double cost)
{
    return hypot(10 - from[0], a - from[2]) + cost * hypot(10, b - a) + hypot(to[0] - 20, to[2] - b);
}

static double least_banded_cost(const double from[3], const double to[3], double cost)
{
    double best = INFINITY;
    for (double a = 0; a <= 20; a += 0.05)
        for (double b = 0; b <= 20; b += 0.05) best = fmin(best, banded_cost(from, to, a, b, cost));
    return best;
}

START_TEST(where_areas_cost_more_the_cost_is_least)
{
    nav_path_costs costs;
    nav_path_costs_default(&costs);
    costs.cost[2] = (float)_i;
    set = banded_floor(0);
    ck_assert_uint_eq(nav_climb_set_parts(set), 1);
    for (int i = 0; i < 20; i++) {
        nav_climb_path path;
        nav_climb_query q = {.costs = &costs};
        double from[3] = {(double)scene_random_between(&seed, 1, 9), 0, (double)scene_random_between(&seed, 1, 19)};
        double to[3] = {(double)scene_random_between(&seed, 21, 29), 0, (double)scene_random_between(&seed, 1, 19)};
        memcpy(q.from.at, from, sizeof from);
        memcpy(q.to.at, to, sizeof to);
        q.from.near_m = q.to.near_m = 1;
        ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_OK);
        ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
        double best = least_banded_cost(from, to, _i);
        ck_assert_msg(path.cost <= best * 1.01, "costs %g, %g would do", path.cost, best);
        ck_assert_double_ge(path.cost, best * 0.999);
    }
}
END_TEST

START_TEST(excluded_areas_are_walls)
{
    nav_path_costs costs;
    nav_climb_path path;
    nav_climb_query q = {
        .from = {.at = {5, 0, 2}, .near_m = 1}, .to = {.at = {25, 0, 2}, .near_m = 1}, .costs = &costs};
    nav_path_costs_default(&costs);
    costs.excluded = UINT64_C(1) << 2;
    set = banded_floor(4); // the band's last 4 m are of area 1
    ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_CLIMB_FOUND);
    ck_assert_double_eq_tol(path.length_m, 2 * hypot(5, 14) + 10, 0.01);
    for (uint32_t i = 0; i < path.point_count; i++) ck_assert_int_eq(path.points[i].area, 1);
    nav_climb_set_destroy(set);
    scene_free(&shape);
    set = banded_floor(0);
    ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_CLIMB_PARTIAL);
    ck_assert_double_eq_tol(path.points[path.point_count - 1].at[0], 10, 0.01);
    ck_assert_double_eq_tol(path.length_m, 5, 0.01);
    costs.cost[1] = 0;
    ck_assert_int_eq(nav_climb_find(finder, set, &q, &path), NAV_ERR_ARGUMENT);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("climb_search");
    TCase *c = tcase_create("climb_search");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, over_hills_no_graph_finds_shorter_ways, 0, 2);
    tcase_add_test(c, a_box_of_twelve_triangles_is_enough);
    tcase_add_test(c, points_lie_on_the_surface_and_steps_on_a_plane);
    tcase_add_loop_test(c, where_areas_cost_more_the_cost_is_least, 2, 4);
    tcase_add_test(c, excluded_areas_are_walls);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return run_suite(suite());
}
