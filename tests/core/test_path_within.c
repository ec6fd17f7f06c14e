// All ground within a distance, judged by shortest paths to many places.
#include "navcore/path_places.h"
#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static path_world world;
static nav_path_finder *finder, *other;
static uint32_t seed;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    ck_assert_int_eq(nav_path_finder_create(&other), NAV_OK);
    seed = 1;
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    nav_path_finder_destroy(other);
    path_world_free(&world);
    world = (path_world){0};
}

static void build(const scene *s, int32_t tile_cells, float radius_m)
{
    const nav_settings settings = path_world_settings(tile_cells, radius_m);
    path_world_build(&world, s, &settings);
}

static nav_path_withins within(const double at[3], double distance_m)
{
    nav_path_within_query q = {.near_m = 1, .distance_m = distance_m, .outlines = true};
    nav_path_withins w;
    memcpy(q.at, at, sizeof q.at);
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    return w;
}

// The length of the shortest path; INFINITY: there is none.
static double length_to(const double from[3], const float to[3])
{
    nav_path_query q = {.near_m = 1, .to = {(double)to[0], (double)to[1], (double)to[2]}};
    nav_path p;
    memcpy(q.from, from, sizeof q.from);
    ck_assert_int_eq(nav_path_find(other, world.set, &q, &p), NAV_OK);
    return p.status == NAV_PATH_FOUND ? p.length_m : INFINITY;
}

static bool is_in_outline(const nav_path_withins *w, const float at[3], double off)
{
    for (uint32_t i = 0; i < w->outline_count; i++) {
        bool inside = true;
        for (uint32_t k = w->first[i]; k < w->first[i + 1] && inside; k++) {
            const float *a = &w->points[3 * (size_t)k];
            const float *b = &w->points[3 * (size_t)(k + 1 < w->first[i + 1] ? k + 1 : w->first[i])];
            double dx = (double)b[0] - (double)a[0], dz = (double)b[2] - (double)a[2], length = hypot(dx, dz);
            double out = dx * ((double)at[2] - (double)a[2]) - dz * ((double)at[0] - (double)a[0]);
            inside = out <= off * length && fabs((double)at[1] - (double)a[1]) < 2;
        }
        if (inside) return true;
    }
    return false;
}

static void check_places(const double from[3], double distance_m, const nav_path_withins *w, int counts[2])
{
    nav_path_random_query q = {.seed = seed, .count = 150, .near_m = 1};
    nav_path_randoms r;
    ck_assert_int_eq(nav_path_random(other, world.set, &q, &r), NAV_OK);
    float at[150][3];
    for (uint32_t i = 0; i < r.count; i++) memcpy(at[i], r.points[i].at, sizeof at[i]);
    for (uint32_t i = 0; i < r.count; i++) {
        double length = length_to(from, at[i]);
        bool is_within = length <= distance_m;
        counts[is_within]++;
        if (length < distance_m - 0.021)
            ck_assert_msg(is_in_outline(w, at[i], 1e-4), "%g, %g is %g m away, within %g, but in no outline",
                          (double)at[i][0], (double)at[i][2], length, distance_m);
        if (length > distance_m + 1e-3)
            ck_assert_msg(!is_in_outline(w, at[i], -1e-4), "%g, %g is %g m away, not within %g, but in an outline",
                          (double)at[i][0], (double)at[i][2], length, distance_m);
    }
}

// A point of a cell's outline, moved into the cell by a little: at its corners obstacles may touch, and then what is
// nearest may be the other side.
static void outline_point(const nav_tile_view *v, const nav_tile_cell *cell, uint32_t edge, double part, float out[3])
{
    double at[3] = {0, 0, 0}, middle[3] = {0, 0, 0};
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        nav_tile_corner corner;
        int32_t p[3];
        nav_tile_get_corner(v, cell->first_corner + k, &corner);
        nav_tile_get_vert(v, corner.vert, p);
        for (int a = 0; a < 3; a++) {
            middle[a] += (double)p[a] / cell->corner_count;
            if (k == edge) at[a] += (1 - part) * p[a];
            if (k == (edge + 1) % cell->corner_count) at[a] += part * p[a];
        }
    }
    const double base[3] = {(double)v->tile_x * v->tile_cells, 0, (double)v->tile_z * v->tile_cells};
    for (int a = 0; a < 3; a++)
        out[a] = (float)(v->origin_m[a] + (base[a] + at[a] + 0.002 * (middle[a] - at[a])) *
                                              (double)(a == 1 ? v->cell_height_m : v->cell_size_m));
}

static const nav_path_within_cell *find_cell(const nav_path_withins *w, int32_t x, int32_t z, uint32_t cell)
{
    for (uint32_t i = 0; i < w->cell_count; i++)
        if (w->cells[i].cell.tile_x == x && w->cells[i].cell.tile_z == z && w->cells[i].cell.cell == cell)
            return &w->cells[i];
    return NULL;
}

// Every cell of the tiles: how far its nearest point is, by paths to points around its outline.
static void check_cells(const double from[3], double distance_m, const nav_path_withins *w)
{
    for (uint32_t i = 1; i < w->cell_count; i++)
        ck_assert_double_le(w->cells[i - 1].distance_m, w->cells[i].distance_m + 1e-9);
    for (uint32_t t = 0; t < world.count; t++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(world.tiles[t].data, world.tiles[t].size, &v, NULL, 0), NAV_OK);
        for (uint32_t c = 0; c < v.cell_count; c++) {
            nav_tile_cell cell;
            nav_tile_get_cell(&v, c, &cell);
            double nearest = INFINITY, farthest = 0;
            for (uint32_t k = 0; k < 8 * cell.corner_count; k++) {
                float at[3];
                outline_point(&v, &cell, k / 8, k % 8 / 8.0, at);
                double length = length_to(from, at);
                nearest = fmin(nearest, length);
                farthest = fmax(farthest, length);
            }
            const nav_path_within_cell *found = find_cell(w, v.tile_x, v.tile_z, c);
            if (!found) {
                ck_assert_double_gt(nearest, distance_m - 1e-6);
                continue;
            }
            ck_assert_double_le(found->distance_m, distance_m);
            ck_assert_double_le(found->distance_m, nearest + 1e-4);
            if (nearest < INFINITY) // an eighth of an edge apart
                ck_assert_double_gt(found->distance_m, nearest - 1.5);
            if (found->whole) ck_assert_double_le(farthest, distance_m + 1e-4);
        }
    }
}

START_TEST(outlines_are_where_paths_are_no_longer)
{
    static const struct {
        float size;
        int boxes;
        int32_t tile_cells;
        float radius;
    } kinds[] = {{12, 6, 16, 0}, {12, 6, 64, 0}, {18, 14, 24, 0.3f}, {24, 20, 16, 0.3f}, {20, 24, 20, 0}};
    int counts[2] = {0, 0};
    for (int trial = 0; trial < 5; trial++) {
        scene s = {0};
        seed = (uint32_t)(500 + 5 * _i + trial);
        path_world_boxes(&s, &seed, kinds[trial].size, kinds[trial].boxes, 0);
        build(&s, kinds[trial].tile_cells, kinds[trial].radius);
        scene_free(&s);
        for (int i = 0; i < 2 && path_world_can_judge(&world, -1, 1); i++) {
            double from[3] = {(double)scene_random_between(&seed, 0, kinds[trial].size), 0,
                              (double)scene_random_between(&seed, 0, kinds[trial].size)};
            double distance = (double)scene_random_between(&seed, 1, kinds[trial].size);
            nav_path_withins w = within(from, distance);
            if (w.status == NAV_PLACE_NO_START) continue;
            ck_assert_int_eq(w.status, NAV_PLACE_FOUND);
            check_places(from, distance, &w, counts);
            if (i == 0) check_cells(from, distance, &w);
        }
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_gt(counts[0], 40);
    ck_assert_int_gt(counts[1], 40);
}
END_TEST

START_TEST(on_open_ground_it_is_a_circle)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 30, 30, 0);
    build(&s, 16, 0);
    scene_free(&s);
    nav_path_withins w = within((double[]){15, 0, 15}, 8);
    double area = 0;
    for (uint32_t i = 0; i < w.outline_count; i++)
        for (uint32_t k = w.first[i] + 1; k + 1 < w.first[i + 1]; k++) {
            const float *a = &w.points[3 * (size_t)w.first[i]], *b = &w.points[3 * (size_t)k], *c = b + 3;
            area += fabs(((double)b[0] - (double)a[0]) * ((double)c[2] - (double)a[2]) -
                         ((double)b[2] - (double)a[2]) * ((double)c[0] - (double)a[0])) /
                    2;
        }
    ck_assert_double_le(area, M_PI * 64); // pieces of one turn do not overlap, chords are inside
    ck_assert_double_gt(area, M_PI * 64 - 2 * M_PI * 8 * 0.02);
}
END_TEST

START_TEST(floors_and_limits_and_bad_numbers)
{
    scene s = {0};
    path_world_boxes(&s, &seed, 14, 6, 0);
    path_world_boxes(&s, &seed, 14, 6, 5);
    build(&s, 24, 0.3f);
    scene_free(&s);
    nav_path_withins w = within((double[]){7, 5, 0.7}, 10);
    ck_assert_int_eq(w.status, NAV_PLACE_FOUND);
    ck_assert_uint_gt(w.outline_count, 0);
    for (uint32_t k = 0; k < w.first[w.outline_count]; k++) ck_assert_float_gt(w.points[3 * (size_t)k + 1], 4);
    nav_path_within_query q = {.at = {7, 5, 0.7}, .near_m = 1, .distance_m = 10, .outlines = true, .max_points = 20};
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    ck_assert_int_eq(w.status, NAV_PLACE_LIMIT);
    ck_assert_uint_eq(w.cell_count, 0);
    q.max_points = 0;
    q.max_nodes = 5;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    ck_assert_int_eq(w.status, NAV_PLACE_LIMIT);
    q.max_nodes = 0;
    q.outlines = false;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    ck_assert_uint_gt(w.cell_count, 0);
    ck_assert_uint_eq(w.outline_count, 0);
    q.distance_m = 0;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    ck_assert_uint_ge(w.cell_count, 1);
    q.distance_m = NAN;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_ERR_ARGUMENT);
    q.distance_m = INFINITY;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_ERR_ARGUMENT);
    q.distance_m = 3;
    q.at[0] = 1e300;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    ck_assert_int_eq(w.status, NAV_PLACE_NO_START);
    q.at[0] = INFINITY;
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_within");
    TCase *t = tcase_create("path_within");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, on_open_ground_it_is_a_circle);
    tcase_add_test(t, floors_and_limits_and_bad_numbers);
    tcase_add_loop_test(t, outlines_are_where_paths_are_no_longer, 0, 8);
    suite_add_tcase(s, t);
    return run_suite(s);
}
