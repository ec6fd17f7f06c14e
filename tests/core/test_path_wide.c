// Paths of an agent that is wider than the tiles were built for.
#include "tests/check.h"
#include "tests/core/wide_judge.h"

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

static nav_path ask_near(const double from[3], const double to[3], double radius_m, double near_m)
{
    nav_path_costs costs;
    nav_path_costs_default(&costs);
    costs.excluded = world.excluded;
    nav_path_query q = {.near_m = near_m, .radius_m = radius_m, .costs = world.excluded ? &costs : NULL};
    nav_path path;
    memcpy(q.from, from, sizeof q.from);
    memcpy(q.to, to, sizeof q.to);
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    return path;
}

static nav_path ask(const double from[3], const double to[3], double radius_m)
{
    return ask_near(from, to, radius_m, 1);
}

static void build_boxes(float size, int boxes, int32_t tile_cells, float radius_m)
{
    scene s = {0};
    const nav_settings settings = path_world_settings(tile_cells, radius_m);
    path_world_boxes(&s, &seed, size, boxes, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
}

// The path keeps away from walls, but for the named tolerances: of the points of arcs, and of the grid.
static void check_clearance(const wide_judge *j, const nav_path *p, double more_m)
{
    double grid = (double)world.settings.cell_size_m / NAV_PATH_FINE;
    for (uint32_t i = 0; i + 1 < p->point_count; i++) {
        double d = wide_judge_distance(j, &p->points[3 * i], &p->points[3 * i + 3]);
        ck_assert_msg(d >= more_m - NAV_PATH_ARC_M - 2 * grid, "%.9g m from a wall, not %.9g", d, more_m);
    }
}

static int judge_queries(int queries, float size, double radius_m, double more_m)
{
    int found = 0;
    wide_judge *j = wide_judge_create(&world, more_m, -1, 1);
    for (int i = 0; i < queries; i++) {
        double from[3] = {(double)scene_random_between(&seed, 0, size), 0,
                          (double)scene_random_between(&seed, 0, size)};
        double to[3] = {(double)scene_random_between(&seed, 0, size), 0, (double)scene_random_between(&seed, 0, size)};
        nav_path p = ask(from, to, radius_m);
        if (p.status == NAV_PATH_NO_START || p.status == NAV_PATH_NO_GOAL) continue;
        check_clearance(j, &p, more_m);
        double best = wide_judge_length(j, p.points, &p.points[3 * (p.point_count - 1)]);
        ck_assert_msg(fabs(p.length_m - best) < 1e-3,
                      "from %.9g, %.9g to %.9g, %.9g, %.9g m wider: %.9g m (%s), the judge has %.9g m", from[0],
                      from[2], to[0], to[2], more_m, p.length_m, p.status == NAV_PATH_FOUND ? "found" : "partial",
                      best);
        found += p.status == NAV_PATH_FOUND;
        if (p.status != NAV_PATH_PARTIAL) continue;
        float start[3] = {p.points[0], p.points[1], p.points[2]};
        p = ask(to, to, radius_m); // where the goal is moved to
        ck_assert_int_eq(p.status, NAV_PATH_FOUND);
        ck_assert_double_lt(wide_judge_length(j, start, p.points), 0);
    }
    wide_judge_destroy(j);
    return found;
}

START_TEST(wide_paths_are_as_short_as_the_judges)
{
    static const struct {
        float size;
        int boxes;
        int32_t tile_cells;
        float radius;
        double more;
    } kinds[] = {{12, 6, 16, 0, 0.35},    {12, 6, 64, 0, 0.3},    {18, 12, 24, 0.3f, 0.2},
                 {20, 12, 16, 0.3f, 0.7}, {16, 12, 20, 0, 0.611}, {15, 3, 12, 0.6f, 1.5}};
    int found = 0, worlds = 0;
    for (int trial = 0; trial < 6; trial++) {
        seed = (uint32_t)(1 + 6 * _i + trial);
        build_boxes(kinds[trial].size, kinds[trial].boxes, kinds[trial].tile_cells, kinds[trial].radius);
        bool flat = path_world_can_judge(&world, -1, 1);
        worlds += flat;
        if (flat)
            found += judge_queries(15, kinds[trial].size, (double)kinds[trial].radius + kinds[trial].more,
                                   kinds[trial].more);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(worlds, 2);
    ck_assert_int_gt(found, 2 * worlds);
}
END_TEST

enum { BAD_GROUND = 5, AREAS = 3 };

// Boxes and patches of an area that is excluded.
static void build_with_areas(float size, int boxes, int32_t tile_cells, float radius_m)
{
    scene s = {0};
    const nav_settings settings = path_world_settings(tile_cells, radius_m);
    nav_volume volumes[AREAS];
    path_world_boxes(&s, &seed, size, boxes, 0);
    for (int i = 0; i < AREAS; i++) {
        float x = scene_random_between(&seed, 1, size - 4), z = scene_random_between(&seed, 1, size - 4),
              side = scene_random_between(&seed, 0.6f, 4);
        volumes[i] = (nav_volume){.point_count = 4,
                                  .points = {x, z, x + side, z, x + side, z + side, x, z + side},
                                  .min_y = -1,
                                  .max_y = 2,
                                  .area = BAD_GROUND};
    }
    path_world_build_with(&world, &s, &settings, &(nav_tile_source){.volumes = volumes, .volume_count = AREAS});
    world.excluded = UINT64_C(1) << BAD_GROUND;
    scene_free(&s);
}

// Asks back from where each path ends to where it begins. The number of paths.
static int ask_back(int queries, float size, double radius_m)
{
    int paths = 0;
    for (int i = 0; i < queries; i++) {
        double from[3] = {0}, to[3] = {0};
        for (int k = 0; k < 3; k += 2) { // half of them on whole columns, where the vertices are
            from[k] = (double)scene_random_between(&seed, 0, size);
            to[k] = (double)scene_random_between(&seed, 0, size);
            if (i % 2)
                from[k] = round(from[k] / (double)world.settings.cell_size_m) * (double)world.settings.cell_size_m;
        }
        nav_path there = ask(from, to, radius_m);
        if (!there.point_count) continue;
        double length = there.length_m;
        const float *first = there.points, *last = &there.points[3 * (there.point_count - 1)];
        for (int k = 0; k < 3; k++) {
            from[k] = (double)first[k];
            to[k] = (double)last[k];
        }
        nav_path back = ask_near(to, from, radius_m, 0.05);
        ck_assert_msg(back.status == NAV_PATH_FOUND && fabs(back.length_m - length) < 1e-3,
                      "from %.9g, %.9g to %.9g, %.9g, radius %.9g m: %.9g m, but %.9g m back (%s)", from[0], from[2],
                      to[0], to[2], radius_m, length, back.length_m,
                      back.status == NAV_PATH_FOUND ? "found" : "not found");
        paths++;
    }
    return paths;
}

START_TEST(the_way_back_is_as_long)
{
    static const struct {
        float size;
        int boxes;
        int32_t tile_cells;
        float radius;
        double more;
        bool areas;
    } kinds[] = {{18, 8, 64, 0.3f, 0.2, false}, {14, 6, 64, 0.3f, 0.4, true},  {14, 8, 20, 0.6f, 0.85, false},
                 {18, 8, 64, 0.3f, 0.1, true},  {16, 10, 20, 0, 0.5, true},    {18, 6, 16, 0.3f, 0.2, true},
                 {20, 12, 64, 0, 0.3, false},   {16, 4, 32, 0.6f, 0.75, true}, {14, 6, 20, 0.6f, 0.85, false}};
    int paths = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        seed = (uint32_t)(1000 * (_i + 1)) + (uint32_t)k;
        (kinds[k].areas ? build_with_areas : build_boxes)(kinds[k].size, kinds[k].boxes, kinds[k].tile_cells,
                                                          kinds[k].radius);
        paths += ask_back(80, kinds[k].size, (double)kinds[k].radius + kinds[k].more);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_gt(paths, 150);
}
END_TEST

// A room with a door that is too narrow, in a world of many boxes: that there is no way in is told before all of the
// world is searched.
START_TEST(a_goal_out_of_reach_is_known_early)
{
    enum { MOST_NODES = 2000 };
    scene s = {0};
    const nav_settings settings = path_world_settings(48, 0.3f);
    scene_floor(&s, 0, 0, 40, 40, 0);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++) {
            float x = 2 + 4.5f * (float)i, z = 2 + 4.5f * (float)k;
            if (x < 12 || x > 22 || z < 12 || z > 22) scene_box(&s, x, 0, z, x + 1.3f, 3, z + 1.1f, 1, 0);
        }
    scene_box(&s, 16, 0, 16, 16.5f, 3, 24, 1, 0);
    scene_box(&s, 23.5f, 0, 16, 24, 3, 24, 1, 0);
    scene_box(&s, 16, 0, 23.5f, 24, 3, 24, 1, 0);
    scene_box(&s, 16, 0, 16, 19.5f, 3, 16.5f, 1, 0);
    scene_box(&s, 20.5f, 0, 16, 24, 3, 16.5f, 1, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
    nav_path_query q = {.from = {1.5, 0, 1.5}, .to = {20, 0, 20}, .near_m = 0.5};
    nav_path path;
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_PATH_FOUND);
    q.radius_m = 0.9;
    q.max_nodes = MOST_NODES;
    for (int back = 0; back < 2; back++) {
        ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
        ck_assert_msg(path.status == NAV_PATH_PARTIAL, "status %d after %llu nodes", (int)path.status,
                      (unsigned long long)path.nodes);
        memcpy(q.from, (double[]){20, 0, 20}, sizeof q.from);
        memcpy(q.to, (double[]){1.5, 0, 1.5}, sizeof q.to);
    }
}
END_TEST

// near_m says how far an end may be moved: where the agent fits it is not moved at all.
START_TEST(an_end_where_the_agent_fits_need_not_be_moved)
{
    scene s = {0};
    nav_settings settings;
    nav_settings_default(&settings);
    settings.agent_radius_m = 0.3f;
    scene_floor(&s, 0, 0, 12, 12, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
    static const double near[] = {0, 0.1, 5};
    nav_path_query q = {.from = {4, 0, 4}, .to = {8, 0, 7}, .near_m = near[_i], .radius_m = 1};
    nav_path path;
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(path.length_m, 5, 1e-3);
    q.from[0] = 0.9; // 0.1 m too near to the wall
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    ck_assert_int_eq(path.status, near[_i] > 0.1 ? NAV_PATH_FOUND : NAV_PATH_NO_START);
}
END_TEST

// --- Links ---

enum { LINKS = 6, STOPS = 2 + 2 * LINKS, ROPE = 9 }; // stops: start, goal, and both ends of each link
#define STOP_NEAR 1e-3                               // by which stops may be moved, metres
#define ROOM 0.82                                    // more than the agents of these tests need

static double ground_length(const double from[3], const double to[3], double radius_m)
{
    nav_path p = ask_near(from, to, radius_m, STOP_NEAR);
    return p.status == NAV_PATH_FOUND ? p.length_m : INFINITY;
}

// The least cost from stop 0 to stop 1: over the ground as searches without links find it, and by those links that are
// as wide as the agent, where it fits at both ends.
static double linked_cost(double stops[STOPS][3], const nav_link *links, double radius_m, double rope)
{
    double cost[STOPS][STOPS];
    for (int a = 0; a < STOPS; a++)
        for (int b = 0; b < STOPS; b++) cost[a][b] = ground_length(stops[a], stops[b], radius_m);
    for (int i = 0; i < LINKS; i++) {
        int a = 2 + 2 * i, b = a + 1;
        double length = rope * hypot(stops[a][0] - stops[b][0], stops[a][2] - stops[b][2]);
        if (links[i].radius_m < (float)radius_m || cost[a][a] > 0 || cost[b][b] > 0) continue;
        cost[a][b] = fmin(cost[a][b], length);
        if (links[i].both_ways) cost[b][a] = fmin(cost[b][a], length);
    }
    for (int k = 0; k < STOPS; k++)
        for (int a = 0; a < STOPS; a++)
            for (int b = 0; b < STOPS; b++) cost[a][b] = fmin(cost[a][b], cost[a][k] + cost[k][b]);
    return cost[0][1];
}

static void random_stop(double at[3], float size, double radius_m)
{
    nav_path p = {.point_count = 0};
    while (!p.point_count) {
        for (int k = 0; k < 3; k++) at[k] = k == 1 ? 0 : (double)scene_random_between(&seed, 0, size);
        p = ask(at, at, radius_m);
    }
    for (int k = 0; k < 3; k++) at[k] = (double)p.points[k];
}

static void check_jumps(const nav_path *p, const nav_link *links, double radius_m)
{
    for (uint32_t i = 0; i < p->jump_count; i++) {
        const nav_link *l = &links[p->jumps[i].link];
        ck_assert_float_ge(l->radius_m, (float)radius_m);
        const float *ends[2] = {p->jumps[i].back ? l->end : l->start, p->jumps[i].back ? l->start : l->end};
        for (uint32_t end = 0; end < 2; end++)
            for (int k = 0; k < 3; k += 2)
                ck_assert_float_eq_tol(p->points[3 * (p->jumps[i].point + end) + (uint32_t)k], ends[end][k], 1e-3f);
    }
}

START_TEST(links_are_taken_that_are_wide_enough)
{
    enum { SIZE = 16, QUERIES = 6 };
    static const float ropes[] = {1, 0.25f, 2};
    int taken = 0, without = 0;
    for (int trial = 0; trial < 3; trial++) {
        const nav_settings settings = path_world_settings(trial ? 24 : 64, 0.3f);
        nav_link links[LINKS] = {0};
        double stops[STOPS][3];
        scene s = {0};
        nav_path_costs costs;
        seed = (uint32_t)(1 + 3 * _i + trial);
        path_world_boxes(&s, &seed, SIZE, 9, 0);
        path_world_build(&world, &s, &settings);
        for (uint32_t i = 0; i < LINKS; i++) {
            links[i] = (nav_link){
                .id = i, .radius_m = i % 3 ? 1.5f : 0.5f, .area = ROPE, .both_ways = (uint8_t)(i % 2), .flags = 1};
            for (int end = 0; end < 2; end++) {
                double *at = stops[2 + 2 * i + (uint32_t)end];
                random_stop(at, SIZE, i ? ROOM : 0);
                for (int k = 0; k < 3; k++) (end ? links[i].end : links[i].start)[k] = (float)at[k];
            }
        }
        path_world_free(&world);
        path_world_build_with(&world, &s, &settings, &(nav_tile_source){.links = links, .link_count = LINKS});
        scene_free(&s);
        nav_path_costs_default(&costs);
        costs.cost[ROPE] = ropes[trial];
        for (int i = 0; i < QUERIES; i++) {
            nav_path_query q = {.near_m = STOP_NEAR, .radius_m = i % 2 ? 0.45 : 0.8, .costs = &costs, .links = true};
            nav_path p;
            random_stop(stops[0], SIZE, ROOM);
            random_stop(stops[1], SIZE, ROOM);
            memcpy(q.from, stops[0], sizeof q.from);
            memcpy(q.to, stops[1], sizeof q.to);
            double expected = linked_cost(stops, links, q.radius_m, (double)ropes[trial]);
            ck_assert_int_eq(nav_path_find(finder, world.set, &q, &p), NAV_OK);
            ck_assert_msg((p.status == NAV_PATH_FOUND) == (expected < INFINITY), "status %d, but %g", (int)p.status,
                          expected);
            if (p.status != NAV_PATH_FOUND) continue;
            ck_assert_msg(fabs(p.cost - expected) < 2e-3 && p.lower_bound == p.cost && p.optimal,
                          "cost %.9g (bound %.9g), %u links, expected %.9g", p.cost, p.lower_bound, p.jump_count,
                          expected);
            check_jumps(&p, links, q.radius_m);
            taken += p.jump_count > 0;
            without += !p.jump_count;
        }
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_gt(taken, 1);
    ck_assert_int_gt(without, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_wide");
    TCase *t = tcase_create("path_wide");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_goal_out_of_reach_is_known_early);
    tcase_add_loop_test(t, an_end_where_the_agent_fits_need_not_be_moved, 0, 3);
    tcase_add_loop_test(t, wide_paths_are_as_short_as_the_judges, 0, 4);
    tcase_add_loop_test(t, the_way_back_is_as_long, 0, 6);
    tcase_add_loop_test(t, links_are_taken_that_are_wide_enough, 0, 6);
    suite_add_tcase(s, t);
    return run_suite(s);
}
