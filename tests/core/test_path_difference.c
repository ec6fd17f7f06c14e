// What has changed between two states of a tile: paths that do not pass through it are there still, and shorter ones
// pass through what has opened.
#include "core/path/difference.h"

#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <string.h>

enum { WORLDS = 30, QUERIES = 120, SIZE_M = 30 };

typedef struct changes {
    uint32_t count;
    nav_path_difference of[PATH_WORLD_TILES];
} changes;

static nav_path_finder *finder;
static changes all;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    all.count = 0;
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
}

// The same but for one box, which moves. Every third world has an upper floor over a part of it.
static void build(path_world *w, uint32_t seed, float box_x, float box_z, bool box)
{
    scene s = {0};
    nav_settings settings = path_world_settings(24, 0.3f);
    bool storeys = seed % 3 == 0;
    path_world_boxes(&s, &seed, SIZE_M, 14, 0);
    if (storeys) {
        scene_floor(&s, 6, 6, 20, 20, 4);
        scene_box(&s, 12, 4, 12, 14, 6, 15, 1, 0);
    }
    if (box) scene_box(&s, box_x, -0.5f, box_z, box_x + 3, storeys ? 5 : 3, box_z + 2, 1, 0);
    path_world_build(w, &s, &settings);
    scene_free(&s);
}

// Puts the tiles of a world into another one's set.
static void change(path_world *w, const path_world *to)
{
    nav_path_print before = {0}, after = {0};
    for (uint32_t i = 0; i < to->count; i++) {
        nav_tile_view v;
        const nav_buffer *t = &to->tiles[i];
        ck_assert_int_eq(nav_tile_open(t->data, t->size, &v, NULL, 0), NAV_OK);
        ck_assert_int_eq(nav_path_print_take(&before, w->set, v.tile_x, v.tile_z), NAV_OK);
        ck_assert_int_eq(nav_path_set_put(w->set, t->data, t->size, NULL, 0), NAV_OK);
        ck_assert_int_eq(nav_path_print_take(&after, w->set, v.tile_x, v.tile_z), NAV_OK);
        ck_assert_int_eq(nav_path_difference_find(&before, &after, &all.of[all.count++]), NAV_OK);
    }
    ck_assert_int_eq(nav_path_set_join(w->set), NAV_OK);
    nav_path_print_deinit(&before);
    nav_path_print_deinit(&after);
}

static bool is_empty(const nav_path_box *b)
{
    return !(b->min[0] <= b->max[0] && b->min[1] <= b->max[1]);
}

static bool line_meets(const float p[3], const float q[3], const nav_path_box *b, double tile_m)
{
    double from = 0, to = 1, margin = 0.3 / tile_m;
    for (int a = 0; a < 2; a++) {
        double at = (double)p[2 * a] / tile_m, step = (double)q[2 * a] / tile_m - at;
        double low = b->min[a] - margin - at, high = b->max[a] + margin - at;
        if (step == 0 && (low > 0 || high < 0)) return false;
        if (step == 0) continue;
        from = fmax(from, fmin(low / step, high / step));
        to = fmin(to, fmax(low / step, high / step));
    }
    return from <= to;
}

// changed: does the path pass through what has changed? Else: through what has opened?
static bool passes(const float *points, uint32_t count, bool changed, double tile_m)
{
    for (uint32_t i = 0; i < all.count; i++) {
        const nav_path_box *b = changed ? &all.of[i].changed : &all.of[i].opened;
        for (uint32_t k = 0; !is_empty(b) && k + 1 < count; k++)
            if (line_meets(&points[3 * (size_t)k], &points[3 * (size_t)k + 3], b, tile_m)) return true;
    }
    return false;
}

// An end whose ground may be other ground now.
static bool end_changed(const nav_path_query *q, double tile_m)
{
    for (int i = 0; i < 2; i++) {
        const double *at = i ? q->to : q->from;
        const float twice[6] = {(float)at[0], 0, (float)at[2], (float)at[0], 0, (float)at[2]};
        if (passes(twice, 2, true, tile_m)) return true;
    }
    return false;
}

typedef struct kept {
    nav_path path;
    float points[3 * 256];
} kept;

static void find(const path_world *w, const nav_path_query *q, kept *out)
{
    ck_assert_int_eq(nav_path_find(finder, w->set, q, &out->path), NAV_OK);
    ck_assert_uint_le(out->path.point_count, 256);
    if (out->path.point_count) memcpy(out->points, out->path.points, 12 * (size_t)out->path.point_count);
}

static bool is_found(const kept *k)
{
    return k->path.status == NAV_PATH_FOUND;
}

START_TEST(what_changes_a_path_lies_in_what_has_changed)
{
    static kept before[QUERIES], after;
    uint32_t seed = 77 * (uint32_t)_i + 1, changed = 0, shorter = 0, untouched = 0;
    float at[4];
    path_world w, to;
    nav_path_query q[QUERIES];
    for (int i = 0; i < 4; i++) at[i] = scene_random_between(&seed, 1, SIZE_M - 4);
    build(&w, (uint32_t)_i + 1, at[0], at[1], _i % 4 != 1);
    build(&to, (uint32_t)_i + 1, at[2], at[3], _i % 4 != 2);
    double tile_m = (double)w.settings.tile_cells * (double)w.settings.cell_size_m;
    for (int i = 0; i < QUERIES; i++) {
        double y = i % 4 == 0 ? 4 : 0; // where there is no upper floor: no start
        q[i] = (nav_path_query){.near_m = 0.1};
        for (int a = 0; a < 3; a += 2) {
            q[i].from[a] = (double)scene_random_between(&seed, 0, SIZE_M);
            q[i].to[a] = (double)scene_random_between(&seed, 0, SIZE_M);
        }
        q[i].from[1] = q[i].to[1] = y;
        find(&w, &q[i], &before[i]);
    }
    change(&w, &to);
    for (int i = 0; i < QUERIES; i++) {
        const kept *was = &before[i];
        find(&w, &q[i], &after);
        if (end_changed(&q[i], tile_m)) continue;
        bool broken = passes(was->points, was->path.point_count, true, tile_m);
        bool better = is_found(&after) && (!is_found(was) || after.path.length_m < was->path.length_m - 1e-6);
        bool worse = is_found(was) && (!is_found(&after) || after.path.length_m > was->path.length_m + 1e-6);
        bool same = after.path.surface_m == was->path.surface_m && after.path.length_m == was->path.length_m;
        if (better) ck_assert(passes(after.points, after.path.point_count, false, tile_m));
        if (worse) ck_assert(broken);
        if (is_found(was) && !broken && !better) ck_assert(same);
        changed += worse;
        shorter += better;
        untouched += is_found(was) && !broken && !passes(was->points, was->path.point_count, false, tile_m);
    }
    ck_assert_uint_gt(untouched, changed + shorter); // the boxes are not the whole world
    path_world_free(&w);
    path_world_free(&to);
}
END_TEST

static path_world plain(bool hole, bool box, float x)
{
    path_world w;
    scene s = {0};
    nav_settings settings = path_world_settings(64, 0.3f);
    if (hole) {
        scene_floor(&s, 0, 0, 8, 19, 0);
        scene_floor(&s, 11, 0, 19, 19, 0);
        scene_floor(&s, 8, 0, 11, 5, 0);
    } else {
        scene_floor(&s, 0, 0, 19, 19, 0);
    }
    if (box) scene_box(&s, x, -0.5f, 12, x + 2, 3, 14, 1, 0);
    path_world_build(&w, &s, &settings);
    scene_free(&s);
    return w;
}

// Of the tile that most of the world is in.
static nav_path_difference difference(path_world *w, path_world *to)
{
    nav_path_difference out = {0};
    double most = -1;
    all.count = 0;
    change(w, to);
    for (uint32_t i = 0; i < all.count; i++) {
        double size = all.of[i].changed.max[0] - all.of[i].changed.min[0];
        if (is_empty(&all.of[i].changed) || size <= most) continue;
        most = size;
        out = all.of[i];
    }
    if (most < 0) out = all.of[0];
    path_world_free(w);
    path_world_free(to);
    return out;
}

START_TEST(what_only_closes_opens_nothing)
{
    path_world w = plain(false, false, 0), to = plain(false, true, 9);
    nav_path_difference d = difference(&w, &to);
    ck_assert(!is_empty(&d.changed));
    ck_assert(is_empty(&d.opened));
}
END_TEST

START_TEST(what_opens_is_told)
{
    path_world w = plain(true, false, 0), to = plain(false, false, 0);
    nav_path_difference d = difference(&w, &to);
    double column = 1 / 64.0, cell_m = (double)0.3f;
    ck_assert(!is_empty(&d.opened));
    // The hole, from 8 to 11 and from 5 m on, with what its edge keeps away.
    ck_assert_double_le(d.opened.min[0], (8 - 0.3) / cell_m * column);
    ck_assert_double_ge(d.opened.max[0], (11 + 0.3) / cell_m * column);
    ck_assert_double_le(d.opened.min[1], 5 / cell_m * column);
    ck_assert_double_ge(d.opened.min[1], 3 / cell_m * column);
}
END_TEST

START_TEST(the_same_tile_has_no_difference)
{
    path_world w = plain(true, true, 3), to = plain(true, true, 3);
    nav_path_difference d = difference(&w, &to);
    ck_assert(is_empty(&d.changed));
    ck_assert(is_empty(&d.opened));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_difference");
    TCase *t = tcase_create("tiles");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, what_changes_a_path_lies_in_what_has_changed, 0, WORLDS);
    tcase_add_test(t, what_only_closes_opens_nothing);
    tcase_add_test(t, what_opens_is_told);
    tcase_add_test(t, the_same_tile_has_no_difference);
    suite_add_tcase(s, t);
    return run_suite(s);
}
