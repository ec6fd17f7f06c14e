// Paths over Detour's tiles beside Detour's own: over the tiles as a dtNavMesh holds them, linked, what it finds is
// found, and no path is longer than its.
#include "tests/check.h"
#include "tests/core/detour_judge.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <string.h>

static path_world world;
static nav_path_finder *finder;
static nav_path_set *set;
static judge *detour;
static uint32_t seed;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&set), NAV_OK);
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
    judge_destroy(detour);
    path_world_free(&world);
    world = (path_world){0};
    detour = NULL;
}

static void build(const scene *s, int32_t tile_cells, float radius_m)
{
    nav_settings settings;
    nav_detour_params p;
    char why[256];
    nav_settings_default(&settings);
    settings.tile_cells = tile_cells;
    settings.agent_radius_m = radius_m;
    path_world_build(&world, s, &settings);
    ck_assert_int_eq(nav_detour_params_init(&p, &settings, PATH_WORLD_TILES, 0, why, sizeof why), NAV_OK);
    detour = judge_create(p.origin_m, p.tile_width_m, p.tile_height_m, p.max_tiles, p.max_polys);
    ck_assert_ptr_nonnull(detour);
    for (uint32_t i = 0; i < world.count; i++)
        if (world.detour[i].size) ck_assert_uint_ne(judge_add(detour, world.detour[i].data, world.detour[i].size), 0);
    int taken = 0;
    for (int z = -2; z < 8; z++)
        for (int x = -2; x < 8; x++) {
            size_t bytes;
            const uint8_t *tile = judge_tile(detour, x, z, &bytes); // linked, and links moved onto the ground
            if (!tile) continue;
            nav_status status = nav_path_set_put_detour(set, &p, tile, bytes, why, sizeof why);
            ck_assert_msg(status == NAV_OK, "%s", why);
            taken++;
        }
    ck_assert_int_eq(taken, judge_tile_count(detour));
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
}

// Detour's length from one polygon to another, seen from above. Below 0: it finds no way.
static double detour_length(const float from[3], const float to[3])
{
    uint32_t refs[256];
    float places[3 * 256];
    int count = judge_path(detour, from, to, refs);
    int corners = count ? judge_straight(detour, from, to, refs, count, places) : 0;
    double length = corners ? 0 : -1;
    for (int i = 1; i < corners; i++)
        length += hypot((double)(places[3 * i] - places[3 * i - 3]), (double)(places[3 * i + 2] - places[3 * i - 1]));
    return length;
}

// Pairs of places on the ground at random. Returns how many paths were found.
static int compare(int pairs, float size, float low_y, float high_y)
{
    const float half[3] = {0.5f, 1, 0.5f};
    int found = 0, shorter = 0;
    for (int i = 0; i < pairs; i++) {
        float at[2][3], on[2][3];
        bool ground = true;
        for (int k = 0; k < 2; k++) {
            at[k][0] = scene_random_between(&seed, 0, size);
            at[k][1] = scene_random_between(&seed, low_y, high_y);
            at[k][2] = scene_random_between(&seed, 0, size);
            ground &= judge_nearest(detour, at[k], half, on[k]) != 0;
        }
        if (!ground) continue;
        nav_path_query q = {.near_m = 0.1};
        nav_path p;
        for (int k = 0; k < 3; k++) {
            q.from[k] = (double)on[0][k];
            q.to[k] = (double)on[1][k];
        }
        ck_assert_int_eq(nav_path_find(finder, set, &q, &p), NAV_OK);
        double theirs = detour_length(on[0], on[1]);
        ck_assert_msg((theirs >= 0) == (p.status == NAV_PATH_FOUND),
                      "%.9g, %.9g to %.9g, %.9g: status %d, Detour %.9g m", q.from[0], q.from[2], q.to[0], q.to[2],
                      (int)p.status, theirs);
        if (theirs < 0) continue;
        found++;
        shorter += p.length_m < theirs - 0.01;
        ck_assert_msg(p.length_m <= theirs + 1e-3, "%.9g, %.9g to %.9g, %.9g: %.9g m, Detour %.9g m", q.from[0],
                      q.from[2], q.to[0], q.to[2], p.length_m, theirs);
    }
    ck_assert_int_gt(shorter, 0); // it bends where nothing is in the way
    return found;
}

START_TEST(no_path_is_longer_than_detours)
{
    static const int32_t tile_cells[] = {16, 24, 48, 80};
    scene s = {0};
    seed = (uint32_t)_i + 1;
    scene_floor(&s, 0, 0, 24, 24, 0);
    for (int i = 0; i < 16; i++) {
        float x = scene_random_between(&seed, 1, 20), z = scene_random_between(&seed, 1, 20);
        float turn = scene_random_between(&seed, 0, 1.5f);
        scene_box(&s, x, 0, z, x + scene_random_between(&seed, 0.6f, 4), 3, z + scene_random_between(&seed, 0.6f, 4),
                  cosf(turn), sinf(turn));
    }
    build(&s, tile_cells[_i], 0.3f);
    scene_free(&s);
    ck_assert_int_gt(compare(300, 24, 0, 0.2f), 100);
}
END_TEST

START_TEST(nor_over_hills)
{
    scene s = {0};
    seed = 5;
    scene_hills(&s, 40, 0.6f, 1.5f);
    build(&s, 20, 0.3f);
    scene_free(&s);
    ck_assert_int_gt(compare(300, 24, -1, 2), 100);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_detour");
    TCase *t = tcase_create("path_detour");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, no_path_is_longer_than_detours, 0, 4);
    tcase_add_test(t, nor_over_hills);
    suite_add_tcase(s, t);
    return run_suite(s);
}
