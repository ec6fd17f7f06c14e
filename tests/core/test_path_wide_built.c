// The paths of a wider agent over tiles that were built for a narrow one, beside paths over tiles that were built for
// the wider one; and doors.
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <string.h>

#define COLUMN 0.1
#define NARROW 0.3 // the agent that the tiles are built for
#define WIDE 0.9

// What is built for the wide agent has walls elsewhere: the outlines of both may be off by 1.3 columns
// (edge_max_error_cells), and what is eroded are whole columns.
#define OFF_COLUMNS 4

static path_world narrow, wide;
static nav_path_finder *finder;
static uint32_t seed;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
}

static void forget(void)
{
    path_world_free(&narrow);
    path_world_free(&wide);
    narrow = wide = (path_world){0};
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    forget();
}

static void build_both(scene *s)
{
    nav_settings settings = path_world_settings(64, (float)NARROW);
    settings.cell_size_m = (float)COLUMN;
    path_world_build(&narrow, s, &settings);
    settings.agent_radius_m = (float)WIDE;
    path_world_build(&wide, s, &settings);
    scene_free(s);
}

// Negative: there is none. near_m: how far its ends may be moved.
static double length_of(const path_world *w, const double from[3], const double to[3], double radius_m, double near_m)
{
    nav_path_query q = {.near_m = near_m, .radius_m = radius_m};
    nav_path path;
    memcpy(q.from, from, sizeof q.from);
    memcpy(q.to, to, sizeof q.to);
    ck_assert_int_eq(nav_path_find(finder, w->set, &q, &path), NAV_OK);
    return path.status == NAV_PATH_FOUND ? path.length_m : -1;
}

typedef struct comparison {
    int both, neither, one; // of them have a way
    double sum;             // of the lengths of both: wider to built
} comparison;

// Who is a little wider than the agent has a way only where the agent has one that is not longer, and the agent only
// where who is a little narrower has one.
static void compare(const double from[3], const double to[3], comparison *c)
{
    double off = OFF_COLUMNS * COLUMN, grid = 2 * COLUMN / NAV_PATH_FINE, rounding = 0.01;
    double built = length_of(&wide, from, to, 0, grid), wider = length_of(&narrow, from, to, WIDE, grid),
           low = length_of(&narrow, from, to, WIDE - off, grid), high = length_of(&narrow, from, to, WIDE + off, grid);
    if (high >= 0)
        ck_assert_msg(built >= 0 && built <= high + rounding,
                      "%.9g, %.9g to %.9g, %.9g: built %.9g m, wider still %.9g m", from[0], from[2], to[0], to[2],
                      built, high);
    if (built >= 0)
        ck_assert_msg(low >= 0 && low <= built + rounding, "%.9g, %.9g to %.9g, %.9g: built %.9g m, less wide %.9g m",
                      from[0], from[2], to[0], to[2], built, low);
    if (built < 0 && wider < 0) c->neither++;
    if ((built < 0) != (wider < 0)) c->one++;
    if (built <= 0 || wider <= 0) return;
    c->both++;
    c->sum += wider / built;
}

// A random place with room for who is a little wider than the agent.
static bool find_room(double at[3])
{
    nav_path_query q = {.near_m = 4, .radius_m = WIDE + OFF_COLUMNS * COLUMN};
    nav_path path;
    for (int k = 0; k < 3; k += 2) q.from[k] = q.to[k] = (double)scene_random_between(&seed, 0, 12);
    ck_assert_int_eq(nav_path_find(finder, narrow.set, &q, &path), NAV_OK);
    for (int k = 0; k < 3 && path.point_count; k++) at[k] = (double)path.points[k];
    return path.point_count > 0;
}

START_TEST(a_wider_agents_paths_are_those_of_a_mesh_built_for_it)
{
    comparison c = {0};
    for (int trial = 0; trial < 8; trial++) {
        scene s = {0};
        seed = (uint32_t)(1 + trial);
        path_world_boxes(&s, &seed, 12, 5 + trial % 4, 0);
        build_both(&s);
        for (int i = 0; i < 60; i++) {
            double from[3], to[3];
            if (find_room(from) && find_room(to)) compare(from, to, &c);
        }
        forget();
    }
    ck_assert_int_gt(c.both, 100);
    ck_assert_int_gt(c.neither, 30);
    ck_assert_int_le(20 * c.one, c.both);
    ck_assert_double_eq_tol(c.sum / c.both, 1, 0.005);
}
END_TEST

// A wall through the middle, with a door: somewhere along the wall, and not where columns begin.
static void build_door(double width, double along, double turn)
{
    enum { HALF = 5 };
    scene s = {0};
    float c = (float)cos(turn), n = (float)sin(turn);
    scene_floor(&s, 0, 0, 12, 12, 0);
    for (int side = -1; side <= 1; side += 2) {
        double off = along + side * (width / 2 + HALF), x = 6 + off * cos(turn), z = 6 + off * sin(turn);
        scene_box(&s, (float)(x - HALF), 0, (float)(z - 0.3), (float)(x + HALF), 3, (float)(z + 0.3), c, n);
    }
    build_both(&s);
}

// Columns that a wall touches are no ground, so a door may be narrower by up to two of them.
START_TEST(a_wider_agent_passes_the_doors_that_it_fits_through)
{
    enum { DOORS = 12 };
    for (int step = -6; step <= 6; step++) {
        double width = 2 * WIDE + step * COLUMN / 2;
        for (int door = 0; door < DOORS; door++) {
            seed = (uint32_t)(100 + door);
            double along = (double)scene_random_between(&seed, -1, 1),
                   turn = door % 2 ? (double)scene_random_between(&seed, -0.7f, 0.7f) : 0;
            build_door(width, along, turn);
            double from[3] = {6 + 3 * sin(turn), 0, 6 - 3 * cos(turn)},
                   to[3] = {6 - 3 * sin(turn), 0, 6 + 3 * cos(turn)};
            bool passes = length_of(&narrow, from, to, WIDE, 0.5) >= 0, built = length_of(&wide, from, to, 0, 0.5) >= 0;
            if (step < 0) ck_assert_msg(!passes, "passes a door of %g m", width);
            if (step >= 4) ck_assert_msg(passes, "does not pass a door of %g m", width);
            if (step < 0) ck_assert(!built);
            forget();
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_wide_built");
    TCase *t = tcase_create("path_wide_built");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_wider_agents_paths_are_those_of_a_mesh_built_for_it);
    tcase_add_test(t, a_wider_agent_passes_the_doors_that_it_fits_through);
    suite_add_tcase(s, t);
    return run_suite(s);
}
