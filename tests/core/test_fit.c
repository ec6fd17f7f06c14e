// Fitting by lanes chooses the corners that fitting one corner after the other does. Built once more for each level of
// machine (core/levels.h), with the sources of fitting compiled for it.
#include "core/contour/fit.h"
#include "core/levels.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#ifndef LEVEL
#define LEVEL NAV_LEVEL_BASE
#endif

enum { MOST = 6000 };

static nav_point at[MOST + 1];
static int32_t count; // steps: corners 0..count
static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void go(int32_t dx, int32_t dz)
{
    if (count == MOST) return;
    at[count + 1] = (nav_point){at[count].x + dx, at[count].z + dz};
    count++;
}

// A slanted wall in steps: dx columns and dz rows.
static void go_along(int32_t dx, int32_t dz)
{
    int32_t x = abs(dx), z = abs(dz), error = 0;
    for (int32_t i = 0, k = 0; i < x || k < z;) {
        bool along_x = i < x && (k >= z || error + z * (i + 1) - x * k <= x / 2 + z / 2);
        error = 0;
        if (along_x) {
            go(dx > 0 ? 1 : -1, 0);
            i++;
        } else {
            go(0, dz > 0 ? 1 : -1);
            k++;
        }
    }
}

// Walls at all angles, frayed ones, long straight ones, and edges that lead back where they came from.
static void random_arc(int32_t trial)
{
    count = 0;
    at[0] = (nav_point){(int32_t)below(100), (int32_t)below(100)};
    for (int32_t parts = 1 + (int32_t)below(12); parts > 0; parts--) {
        int32_t reach = trial % 7 == 0 ? 400 : trial % 3 == 0 ? 60 : 14;
        int32_t dx = (int32_t)below((uint32_t)(2 * reach)) - reach, dz = (int32_t)below((uint32_t)(2 * reach)) - reach;
        switch (below(5)) {
        case 0:
            for (int32_t k = (int32_t)below(40); k > 0; k--) go((int32_t)below(3) - 1, 0), go(0, (int32_t)below(3) - 1);
            break;
        case 1:
            go_along(dx, 0);
            break;
        case 2:
            go_along(dx, dz);
            go_along(-dx, -dz);
            break;
        default:
            go_along(dx, dz);
        }
    }
    // Corners that stand still are not traced.
    int32_t n = 0;
    for (int32_t k = 1; k <= count; k++)
        if (!nav_point_same(at[k], at[n])) at[++n] = at[k];
    count = n;
}

static const double errors[] = {1.3, 1.3, 1.0, 0.5, 0.05, 0.0, 2.0, 1.41421354, 5.3, 9.0, 1.2, 3.0};
static uint8_t plain_flags[MOST + 1], flags[MOST + 1];

// Fits the arc, or the loop, plainly and by lanes. How many corners were chosen.
static int32_t compare(int32_t trial, bool loop)
{
    nav_arena arena;
    contour_fit fit;
    bool reversed = below(2), found[2] = {true, true};
    nav_arena_init(&arena, 0);
    ck_assert_int_eq(nav_contour_fit_init(&fit, errors[trial % 12], count, &arena), NAV_OK);
    fit.notch = below(2) ? 0.5 : 0.0;
    fit.offset = below(2) ? 0.65 : 0.0;
    fit.longest = below(3) ? 0 : 5 + (int32_t)below(30);
    memset(flags, 0, sizeof flags);
    memset(plain_flags, 0, sizeof plain_flags);
    for (int plainly = 0; plainly < 2; plainly++) {
        fit.plainly |= plainly;
        uint8_t *out = plainly ? plain_flags : flags;
        if (loop) {
            found[plainly] = nav_contour_fit_loop(&fit, at, 0, count, trial & 1, reversed, out, 1);
        } else {
            nav_contour_fit_arc(&fit, at, 0, count, reversed, out, 1);
        }
    }
    nav_arena_deinit(&arena);
    ck_assert_int_eq(found[0], found[1]);
    int32_t chosen = 0;
    for (int32_t k = 0; k <= count; k++) {
        ck_assert_msg(flags[k] == plain_flags[k], "trial %d, corner %d of %d", trial, k, count);
        chosen += flags[k];
    }
    return chosen;
}

START_TEST(arcs_by_lanes_have_the_plain_corners)
{
    int32_t chosen = 0;
    seed = 5;
    for (int32_t trial = 0; trial < 480; trial++) {
        random_arc(trial);
        if (count > 0) chosen += compare(trial, false);
    }
    ck_assert_int_gt(chosen, 2000);
}
END_TEST

START_TEST(loops_by_lanes_have_the_plain_corners)
{
    int32_t chosen = 0;
    seed = 6;
    for (int32_t trial = 0; trial < 240; trial++) {
        random_arc(trial);
        go_along(at[0].x - at[count].x, at[0].z - at[count].z);
        if (count > 3 && nav_point_same(at[0], at[count])) chosen += compare(trial, true);
    }
    ck_assert_int_gt(chosen, 1000);
}
END_TEST

int main(void)
{
    if (!nav_build_at(LEVEL)) return 77; // this machine is not of that level
    Suite *s = suite_create("fit");
    TCase *t = tcase_create("fit");
    tcase_add_test(t, arcs_by_lanes_have_the_plain_corners);
    tcase_add_test(t, loops_by_lanes_have_the_plain_corners);
    suite_add_tcase(s, t);
    return run_suite(s);
}
