// Rays, walls, the nearest ground and what can be reached, judged by the walls alone.
#include "navcore/path_places.h"
#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
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

static void build(const scene *s, int32_t tile_cells, float radius_m)
{
    const nav_settings settings = path_world_settings(tile_cells, radius_m);
    path_world_build(&world, s, &settings);
}

static void build_boxes(float size, int boxes, int32_t tile_cells, float radius_m)
{
    scene s = {0};
    path_world_boxes(&s, &seed, size, boxes, 0);
    build(&s, tile_cells, radius_m);
    scene_free(&s);
}

// A place somewhere on a floor; now and then on whole columns, so on edges, corners and lines of corners.
static void random_place(float size, float y, bool whole, double out[3])
{
    double column = (double)world.settings.cell_size_m;
    for (int k = 0; k < 3; k++) {
        out[k] = k == 1 ? (double)y : (double)scene_random_between(&seed, 0, size);
        if (whole && k != 1) out[k] = round(out[k] / column) * column;
    }
}

static nav_path find(const double from[3], const double to[3])
{
    nav_path_query q = {.near_m = 1};
    nav_path path;
    memcpy(q.from, from, sizeof q.from);
    memcpy(q.to, to, sizeof q.to);
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    return path;
}

static nav_path_ray cast(const double from[3], const double to[3])
{
    nav_path_ray ray;
    ck_assert_int_eq(nav_path_raycast(finder, world.set, from, to, &(nav_place_scope){.near_m = 1}, &ray), NAV_OK);
    return ray;
}

static nav_path_wall wall_of(const double at[3], double limit_m)
{
    nav_path_wall wall;
    ck_assert_int_eq(nav_path_find_wall(finder, world.set, at, &(nav_place_scope){.near_m = 1}, limit_m, &wall),
                     NAV_OK);
    return wall;
}

static double apart(const float a[3], const float b[3])
{
    return hypot((double)a[0] - (double)b[0], (double)a[2] - (double)b[2]);
}

static double from_line(const nav_path_edge *e, const float at[3])
{
    double dx = (double)e->to[0] - (double)e->from[0], dz = (double)e->to[2] - (double)e->from[2];
    return fabs(dx * ((double)at[2] - (double)e->from[2]) - dz * ((double)at[0] - (double)e->from[0])) / hypot(dx, dz);
}

// A ray is open where the judge sees through, and where the path between its ends is the straight line.
static void check_ray(const double from[3], const double to[3], float y, int counts[2])
{
    nav_path p = find(from, to);
    if (!p.point_count) return;
    float a[3], b[3];
    memcpy(a, p.points, sizeof a);
    memcpy(b, &p.points[3 * (p.point_count - 1)], sizeof b);
    if (apart(a, b) < 0.01) return;
    nav_path_ray r = cast((double[]){(double)a[0], (double)a[1], (double)a[2]},
                          (double[]){(double)b[0], (double)b[1], (double)b[2]});
    bool open = r.status == NAV_PLACE_FOUND, straight = p.length_m < apart(a, b) + 1e-5 && p.point_count == 2;
    counts[open]++;
    ck_assert_msg(open == path_world_sees(&world, a, b, y - 1, y + 1), "from %.9g, %.9g to %.9g, %.9g: %d",
                  (double)a[0], (double)a[2], (double)b[0], (double)b[2], (int)r.status);
    ck_assert_msg(open == straight, "from %.9g, %.9g to %.9g, %.9g: %d, but the path is %.9g m", (double)a[0],
                  (double)a[2], (double)b[0], (double)b[2], (int)r.status, p.length_m);
    ck_assert_double_eq_tol(r.length_m, apart(a, r.end.at), 1e-5);
    if (open) {
        ck_assert_double_lt(apart(r.end.at, b), 1e-5);
        return;
    }
    ck_assert_int_eq(r.status, NAV_PLACE_WALL);
    ck_assert_double_lt(from_line(&r.wall, r.end.at), 1e-4);
    double facing = (double)r.wall.normal[0] * ((double)b[0] - (double)a[0]) +
                    (double)r.wall.normal[1] * ((double)b[2] - (double)a[2]);
    ck_assert_double_le(facing, 0);
    if (path_world_wall(&world, a, y - 1, y + 1) < 1e-3) return; // it may look straight into the wall
    ck_assert_double_eq_tol(r.length_m, path_world_open(&world, a, b, y - 1, y + 1), 1e-4);
}

static void check_wall(const double at[3], float y)
{
    nav_path_nearest n;
    ck_assert_int_eq(nav_path_find_nearest(world.set, at, &(nav_place_scope){.near_m = 1}, &n), NAV_OK);
    nav_path_wall w = wall_of(at, 100);
    if (n.status != NAV_PLACE_FOUND) {
        ck_assert_int_eq(w.status, NAV_PLACE_NO_START);
        return;
    }
    double best = path_world_wall(&world, n.place.at, y - 1, y + 1);
    ck_assert_int_eq(w.status, NAV_PLACE_FOUND);
    ck_assert_double_eq_tol(w.distance_m, best, 1e-4);
    ck_assert_double_eq_tol(apart(n.place.at, w.place.at), best, 1e-4);
    ck_assert_double_lt(from_line(&w.edge, w.place.at), 1e-4);
    if (best < 0.01) return;
    ck_assert_int_eq(wall_of(at, best * 0.99).status, NAV_PLACE_NONE);
    ck_assert_int_eq(wall_of(at, best * 1.01).status, NAV_PLACE_FOUND);
}

START_TEST(rays_and_walls_are_as_the_judge_says)
{
    static const struct {
        float size;
        int boxes;
        int32_t tile_cells;
        float radius;
    } kinds[] = {{12, 6, 16, 0},     {12, 6, 64, 0},  {18, 14, 24, 0.3f},
                 {24, 20, 16, 0.3f}, {20, 24, 20, 0}, {15, 3, 12, 0.6f}};
    int worlds = 0, counts[2] = {0, 0};
    for (int trial = 0; trial < 6; trial++) {
        seed = (uint32_t)(1000 + 6 * _i + trial);
        build_boxes(kinds[trial].size, kinds[trial].boxes, kinds[trial].tile_cells, kinds[trial].radius);
        bool flat = path_world_can_judge(&world, -1, 1);
        worlds += flat;
        for (int i = 0; flat && i < 60; i++) {
            double from[3], to[3];
            bool whole = i % 2 == 0;
            random_place(kinds[trial].size, 0, whole, from);
            random_place(kinds[trial].size, 0, whole, to);
            if (i % 8 == 0) to[2 * (i / 8 % 2)] = from[2 * (i / 8 % 2)]; // along an axis: along many walls
            check_ray(from, to, 0, counts);
            check_wall(from, 0);
        }
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(worlds, 2);
    ck_assert_int_gt(counts[0], 5 * worlds); // closed
    ck_assert_int_gt(counts[1], 5 * worlds); // open
}
END_TEST

START_TEST(a_ray_passes_where_a_path_may)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 24, 24, 0);
    scene_box(&s, 6, 0, 6, 12, 3, 12, 1, 0);
    scene_box(&s, 12, 0, 12, 18, 3, 18, 1, 0); // they touch with a corner each
    build(&s, 16, 0);
    scene_free(&s);
    static const struct {
        double ax, az, bx, bz;
        bool open;
        double x, z; // where it ends
    } rays[] = {
        {3, 12, 12, 12, true, 12, 12},    // along a wall, to the corner where they touch
        {3, 12, 15, 12, false, 12, 12},   // not on between them
        {12, 15, 12, 3, false, 12, 12},   // nor the other way
        {9, 15, 15, 9, false, 12, 12},    // nor across
        {6, 3, 6, 21, true, 6, 21},       // along a side
        {3, 9, 9, 3, true, 9, 3},         // past a corner that it only touches
        {3, 3, 9, 9, false, 6, 6},        // onto a corner
        {3, 9, 9, 9, false, 6, 9},        // onto a side
        {6, 9, 9, 9, false, 6, 9},        // from the side into it
        {6, 9, 3, 9, true, 3, 9},         // and away from it
        {3, 3, 1e9, 1e9, false, 6, 6},    // however far
        {3, 3, 3, -1e300, false, 3, 0.3}, // to the end of the ground
        {3, 3, 3, 3, true, 3, 3},
    };
    for (size_t i = 0; i < sizeof rays / sizeof *rays; i++) {
        nav_path_ray r = cast((double[]){rays[i].ax, 0, rays[i].az}, (double[]){rays[i].bx, 0, rays[i].bz});
        ck_assert_msg((r.status == NAV_PLACE_FOUND) == rays[i].open, "ray %zu: %d", i, (int)r.status);
        ck_assert_msg(fabs((double)r.end.at[0] - rays[i].x) < 1e-3 && fabs((double)r.end.at[2] - rays[i].z) < 1e-3,
                      "ray %zu ends at %g, %g", i, (double)r.end.at[0], (double)r.end.at[2]);
    }
    nav_path_ray r = cast((double[]){3, 0, 9}, (double[]){9, 0, 9});
    ck_assert_float_eq_tol(r.wall.normal[0], -1, 1e-6f);
    ck_assert_float_eq_tol(r.wall.normal[1], 0, 1e-6f);
}
END_TEST

// A storey over a part of the ground, and a ramp up to it.
static void build_storeys(void)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 20, 20, 0);
    scene_floor(&s, 10, 0, 20, 10, 4);
    scene_triangle(&s, (float[]){2, 0, 0}, (float[]){2, 0, 10}, (float[]){10, 4, 10});
    scene_triangle(&s, (float[]){2, 0, 0}, (float[]){10, 4, 10}, (float[]){10, 4, 0});
    build(&s, 16, 0.3f);
    scene_free(&s);
}

START_TEST(a_ray_stays_on_its_floor)
{
    build_storeys();
    nav_path_ray r = cast((double[]){19, 0, 5}, (double[]){12, 0, 5}); // below
    ck_assert_int_eq(r.status, NAV_PLACE_FOUND);
    ck_assert_float_lt(r.end.at[1], 0.5f);
    r = cast((double[]){19, 4, 5}, (double[]){12, 0, 5}); // above
    ck_assert_int_eq(r.status, NAV_PLACE_FOUND);
    ck_assert_float_gt(r.end.at[1], 3.5f);
    r = cast((double[]){19, 4, 5}, (double[]){19, 0, 15}); // to its edge
    ck_assert_int_eq(r.status, NAV_PLACE_WALL);
    ck_assert_float_gt(r.end.at[1], 3.5f);
    ck_assert_float_lt(r.end.at[2], 10.01f);
    r = cast((double[]){19, 4, 5}, (double[]){3, 0.5, 5}); // down the ramp
    ck_assert_int_eq(r.status, NAV_PLACE_FOUND);
    ck_assert_float_lt(r.end.at[1], 1.5f);
    nav_path p = find((double[]){19, 4, 5}, (double[]){3, 0.5, 5});
    ck_assert_double_eq_tol(p.length_m, r.length_m, 1e-5);
    nav_path_wall w = wall_of((double[]){15, 4, 9}, 100);
    ck_assert_float_gt(w.place.at[1], 3.5f);
    w = wall_of((double[]){15, 0, 9}, 100); // the edge above is no wall below
    ck_assert_float_lt(w.place.at[1], 0.5f);
    ck_assert_double_gt(w.distance_m, 4);
}
END_TEST

START_TEST(the_nearest_ground_is_that_of_the_floor)
{
    build_storeys();
    static const struct {
        double at[3];
        float y;
        double distance;
    } asked[] = {{{15, 0.1, 5}, 0, 0.1}, {{15, 3.9, 5}, 4, 0.1}, {{15, 1.8, 5}, 0, 1.8}, {{22, 4, 5}, 4, 2.3}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        nav_path_nearest n;
        ck_assert_int_eq(nav_path_find_nearest(world.set, asked[i].at, &(nav_place_scope){.near_m = 3}, &n), NAV_OK);
        ck_assert_int_eq(n.status, NAV_PLACE_FOUND);
        ck_assert_float_eq_tol(n.place.at[1], asked[i].y, 0.3f);
        ck_assert_double_eq_tol(n.distance_m, asked[i].distance, 0.4);
        bool named = false; // the cell is one of the tile's
        for (uint32_t t = 0; t < world.count && !named; t++) {
            nav_tile_view v;
            ck_assert_int_eq(nav_tile_open(world.tiles[t].data, world.tiles[t].size, &v, NULL, 0), NAV_OK);
            named =
                v.tile_x == n.place.cell.tile_x && v.tile_z == n.place.cell.tile_z && n.place.cell.cell < v.cell_count;
        }
        ck_assert(named);
    }
    nav_path_nearest n;
    ck_assert_int_eq(nav_path_find_nearest(world.set, (double[]){-5, 0, 5}, &(nav_place_scope){.near_m = 4}, &n),
                     NAV_OK);
    ck_assert_int_eq(n.status, NAV_PLACE_NONE);
    ck_assert_int_eq(nav_path_find_nearest(world.set, (double[]){-5, 0, 5}, &(nav_place_scope){.near_m = 1000}, &n),
                     NAV_OK);
    ck_assert_int_eq(n.status, NAV_PLACE_FOUND);
}
END_TEST

START_TEST(what_can_be_reached_is_what_a_path_leads_to)
{
    scene s = {0};
    path_world_boxes(&s, &seed, 14, 24, 0);
    path_world_boxes(&s, &seed, 14, 14, 5);
    build(&s, 16, 0.3f);
    scene_free(&s);
    double from[3], goals[200][3];
    nav_place_status got[200];
    random_place(14, 0, false, from);
    for (int i = 0; i < 200; i++) random_place(17, i % 3 ? 0 : 5, false, goals[i]);
    ck_assert_int_eq(
        nav_path_reach(NULL, world.set, from, &(nav_place_scope){.near_m = 1}, (const double(*)[3])goals, 200, got),
        NAV_OK);
    int counts[NAV_PLACE_LIMIT + 1] = {0};
    for (int i = 0; i < 200; i++) {
        nav_path p = find(from, goals[i]);
        static const nav_place_status same[] = {NAV_PLACE_FOUND, NAV_PLACE_NONE, NAV_PLACE_NO_START, NAV_PLACE_NO_GOAL};
        ck_assert_int_eq(got[i], same[p.status]);
        counts[got[i]]++;
    }
    ck_assert_int_gt(counts[NAV_PLACE_FOUND], 10);
    ck_assert_int_gt(counts[NAV_PLACE_NONE], 10);
    ck_assert_int_gt(counts[NAV_PLACE_NO_GOAL], 10);
}
END_TEST

enum { DRAWN = 20000 };

static nav_path_randoms draw(const nav_path_random_query *q)
{
    nav_path_randoms r;
    ck_assert_int_eq(nav_path_random(finder, world.set, q, &r), NAV_OK);
    return r;
}

// Are counts as they would be by chance? Within four standard deviations of what chi-square is expected to be.
static void check_chances(const double *counts, const double *chances, int n)
{
    double sum = 0, all = 0, chi = 0;
    for (int i = 0; i < n; i++) {
        sum += counts[i];
        all += chances[i];
    }
    for (int i = 0; i < n; i++) {
        double expected = sum * chances[i] / all;
        ck_assert_double_gt(expected, 5);
        chi += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    ck_assert_double_lt(chi, n - 1 + 4 * sqrt(2.0 * (n - 1)));
}

START_TEST(random_places_are_uniform_over_the_ground)
{
    build_boxes(20, 0, 16, 0);
    nav_path_randoms r = draw(&(nav_path_random_query){.seed = 7, .count = DRAWN});
    ck_assert_uint_eq(r.count, DRAWN);
    double counts[100] = {0}, chances[100];
    double low = 100, high = 0;
    for (uint32_t i = 0; i < r.count; i++) {
        low = fmin(low, (double)r.points[i].at[0]);
        high = fmax(high, (double)r.points[i].at[0]);
    }
    for (uint32_t i = 0; i < r.count; i++) {
        int x = (int)fmin(10 * ((double)r.points[i].at[0] - low) / (high - low), 9);
        int z = (int)fmin(10 * ((double)r.points[i].at[2] - low) / (high - low), 9);
        counts[10 * (z < 0 ? 0 : z) + x]++;
    }
    for (int i = 0; i < 100; i++) chances[i] = 1;
    check_chances(counts, chances, 100);
}
END_TEST

START_TEST(random_places_are_uniform_within_a_circle)
{
    build_boxes(20, 0, 16, 0);
    const nav_path_random_query q = {.seed = 3, .count = DRAWN, .at = {11, 0, 9}, .near_m = 1, .radius_m = 6};
    nav_path_randoms r = draw(&q);
    ck_assert_uint_eq(r.count, DRAWN);
    double counts[80] = {0}, chances[80];
    for (uint32_t i = 0; i < r.count; i++) {
        double x = (double)r.points[i].at[0] - 11, z = (double)r.points[i].at[2] - 9, far = hypot(x, z) / 6;
        ck_assert_double_le(far, 1 + 1e-6);
        int ring = (int)fmin(10 * far * far, 9), slice = (int)((atan2(z, x) / M_PI + 1) * 4) % 8;
        counts[8 * ring + slice]++;
    }
    for (int i = 0; i < 80; i++) chances[i] = 1;
    check_chances(counts, chances, 80);
}
END_TEST

// By cells: each has as many as its area lets one expect, small ones together.
START_TEST(random_places_are_uniform_among_obstacles)
{
    build_boxes(24, 20, 16, 0.3f);
    nav_path_randoms r = draw(&(nav_path_random_query){.seed = 11, .count = DRAWN});
    ck_assert_uint_eq(r.count, DRAWN);
    double counts[64] = {0}, chances[64] = {0};
    int n = 0;
    for (uint32_t t = 0; t < world.count; t++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(world.tiles[t].data, world.tiles[t].size, &v, NULL, 0), NAV_OK);
        double area = 0;
        for (uint32_t c = 0; c < v.cell_count; c++) {
            nav_tile_cell cell;
            int32_t p[64][3];
            nav_tile_get_cell(&v, c, &cell);
            for (uint32_t k = 0; k < cell.corner_count; k++) {
                nav_tile_corner corner;
                nav_tile_get_corner(&v, cell.first_corner + k, &corner);
                nav_tile_get_vert(&v, corner.vert, p[k]);
            }
            for (uint32_t k = 1; k + 1 < cell.corner_count; k++)
                area +=
                    abs((p[k][0] - p[0][0]) * (p[k + 1][2] - p[0][2]) - (p[k][2] - p[0][2]) * (p[k + 1][0] - p[0][0])) /
                    2.0;
        }
        if (area < 20) continue;
        for (uint32_t i = 0; i < r.count; i++)
            counts[n] += r.points[i].cell.tile_x == v.tile_x && r.points[i].cell.tile_z == v.tile_z;
        chances[n++] = area;
    }
    ck_assert_int_gt(n, 9);
    check_chances(counts, chances, n);
    for (uint32_t i = 0; i < r.count; i += 50) {
        const float *at = r.points[i].at;
        nav_path_nearest near;
        ck_assert_int_eq(nav_path_find_nearest(world.set, (double[]){(double)at[0], (double)at[1], (double)at[2]},
                                               &(nav_place_scope){.near_m = 1}, &near),
                         NAV_OK);
        ck_assert_double_lt(near.distance_m, 1e-3);
    }
}
END_TEST

START_TEST(random_places_are_those_of_their_seed_and_where_they_are_asked_for)
{
    scene s = {0};
    path_world_boxes(&s, &seed, 14, 24, 0);
    path_world_boxes(&s, &seed, 14, 14, 5);
    build(&s, 16, 0.3f);
    scene_free(&s);
    nav_path_random_query q = {.seed = 5, .count = 10, .near_m = 1};
    nav_path_place first[10];
    memcpy(first, draw(&q).points, sizeof first);
    q.count = 1000;
    ck_assert_mem_eq(draw(&q).points, first, sizeof first);
    q.seed = 6;
    ck_assert_mem_ne(draw(&q).points, first, sizeof first);
    random_place(14, 0, false, q.at);
    q.reachable = true;
    q.radius_m = 5;
    nav_path_randoms r = draw(&q);
    ck_assert_int_eq(r.status, NAV_PLACE_FOUND);
    ck_assert_uint_eq(r.count, 1000);
    double goals[1000][3];
    nav_place_status got[1000];
    for (uint32_t i = 0; i < r.count; i++)
        for (int k = 0; k < 3; k++) goals[i][k] = (double)r.points[i].at[k];
    ck_assert_int_eq(
        nav_path_reach(NULL, world.set, q.at, &(nav_place_scope){.near_m = 1}, (const double(*)[3])goals, 1000, got),
        NAV_OK);
    for (uint32_t i = 0; i < 1000; i++) {
        ck_assert_int_eq(got[i], NAV_PLACE_FOUND);
        ck_assert_double_le(hypot(goals[i][0] - q.at[0], goals[i][2] - q.at[2]), 5 + 1e-5);
    }
    q.at[0] = 100;
    ck_assert_int_eq(draw(&q).status, NAV_PLACE_NO_START);
    q.reachable = false;
    ck_assert_int_eq(draw(&q).status, NAV_PLACE_NONE);
    q.at[0] = 1e300;
    ck_assert_int_eq(draw(&q).status, NAV_PLACE_NONE);
    q.at[0] = NAN;
    ck_assert_int_eq(nav_path_random(finder, world.set, &q, &r), NAV_ERR_ARGUMENT);
}
END_TEST

START_TEST(random_places_are_on_the_areas_that_are_asked_for)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 10, 10, 0);
    scene_floor(&s, 10, 0, 20, 10, 0);
    const uint8_t areas[] = {63, 63, 5, 5};
    nav_settings settings;
    nav_settings_default(&settings);
    path_world_build_mesh(&world, scene_mesh_with_areas(&s, areas), &settings);
    scene_free(&s);
    nav_path_random_query q = {.seed = 5, .count = 500, .areas = 1u << 5};
    nav_path_randoms r = draw(&q);
    ck_assert_uint_eq(r.count, 500);
    for (uint32_t i = 0; i < r.count; i++) ck_assert_float_ge(r.points[i].at[0], 9.9f);
    q.areas |= UINT64_C(1) << 63;
    r = draw(&q);
    uint32_t left = 0;
    for (uint32_t i = 0; i < r.count; i++) left += r.points[i].at[0] < 10;
    ck_assert(left > 200 && left < 300);
    q.areas = 1u << 6;
    ck_assert_int_eq(draw(&q).status, NAV_PLACE_NONE);
}
END_TEST

START_TEST(bad_numbers_are_refused_and_far_places_have_no_ground)
{
    build_boxes(12, 3, 16, 0);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const double good[3] = {3, 0, 3};
    nav_path_ray ray;
    nav_path_wall wall;
    nav_path_nearest near;
    nav_place_status reach;
    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 3; k++) {
            double at[3] = {3, 0, 3};
            at[k] = bad[b];
            ck_assert_int_eq(nav_path_find_nearest(world.set, at, &(nav_place_scope){.near_m = 1}, &near),
                             NAV_ERR_ARGUMENT);
            ck_assert_int_eq(nav_path_raycast(finder, world.set, at, good, &(nav_place_scope){.near_m = 1}, &ray),
                             NAV_ERR_ARGUMENT);
            ck_assert_int_eq(nav_path_raycast(finder, world.set, good, at, &(nav_place_scope){.near_m = 1}, &ray),
                             NAV_ERR_ARGUMENT);
            ck_assert_int_eq(nav_path_find_wall(finder, world.set, at, &(nav_place_scope){.near_m = 1}, 1, &wall),
                             NAV_ERR_ARGUMENT);
            ck_assert_int_eq(nav_path_reach(NULL, world.set, good, &(nav_place_scope){.near_m = 1},
                                            (const double(*)[3])at, 1, &reach),
                             NAV_ERR_ARGUMENT);
        }
    ck_assert_int_eq(nav_path_find_nearest(world.set, good, &(nav_place_scope){.near_m = -1}, &near), NAV_ERR_ARGUMENT);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(nav_path_find_wall(finder, world.set, good, &(nav_place_scope){.near_m = 1}, bad[i], &wall),
                         NAV_ERR_ARGUMENT);
    for (int k = 0; k < 3; k++) {
        double at[3] = {3, 0, 3};
        at[k] = 1e300;
        ck_assert_int_eq(nav_path_find_nearest(world.set, at, &(nav_place_scope){.near_m = 1e6}, &near), NAV_OK);
        ck_assert_int_eq(near.status, NAV_PLACE_NONE);
        ck_assert_int_eq(cast(at, good).status, NAV_PLACE_NO_START);
        ck_assert_int_eq(wall_of(at, 1).status, NAV_PLACE_NO_START);
        nav_path_ray r = cast(good, at);
        ck_assert_int_eq(r.status, k == 1 ? NAV_PLACE_FOUND : NAV_PLACE_WALL);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_places");
    TCase *t = tcase_create("path_places");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_ray_passes_where_a_path_may);
    tcase_add_test(t, a_ray_stays_on_its_floor);
    tcase_add_test(t, the_nearest_ground_is_that_of_the_floor);
    tcase_add_test(t, what_can_be_reached_is_what_a_path_leads_to);
    tcase_add_test(t, bad_numbers_are_refused_and_far_places_have_no_ground);
    tcase_add_test(t, random_places_are_uniform_over_the_ground);
    tcase_add_test(t, random_places_are_uniform_within_a_circle);
    tcase_add_test(t, random_places_are_uniform_among_obstacles);
    tcase_add_test(t, random_places_are_those_of_their_seed_and_where_they_are_asked_for);
    tcase_add_test(t, random_places_are_on_the_areas_that_are_asked_for);
    tcase_add_loop_test(t, rays_and_walls_are_as_the_judge_says, 0, 20);
    suite_add_tcase(s, t);
    return run_suite(s);
}
