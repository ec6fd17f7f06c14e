// Audits: random pairs and their paths, and the figures that are made of them.
#include "navcore/path_audit.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <string.h>

enum { PAIRS = 60 };

static path_world world;
static nav_path_finder *finder;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    path_world_free(&world);
    world = (path_world){0};
}

// Two floors, one above the other, with turned boxes on the lower one.
static void build(uint32_t seed)
{
    nav_settings settings;
    scene s = {0};
    nav_settings_default(&settings);
    settings.tile_cells = 24;
    settings.agent_radius_m = 0.3f;
    scene_floor(&s, 0, 0, 20, 20, 0);
    scene_floor(&s, 2, 2, 12, 12, 5);
    for (int i = 0; i < 12; i++) {
        float x = scene_random_between(&seed, 1, 16), z = scene_random_between(&seed, 1, 16);
        float turn = scene_random_between(&seed, 0, 1.5f);
        scene_box(&s, x, 0, z, x + scene_random_between(&seed, 0.6f, 4), 3, z + scene_random_between(&seed, 0.6f, 4),
                  cosf(turn), sinf(turn));
    }
    path_world_build(&world, &s, &settings);
    scene_free(&s);
}

static void draw(uint64_t seed, uint32_t count, nav_audit_pair *pairs)
{
    uint32_t drawn;
    ck_assert_int_eq(nav_audit_draw(finder, world.set, seed, count, pairs, &drawn), NAV_OK);
    ck_assert_uint_eq(drawn, count);
}

START_TEST(pairs_depend_on_the_seed_alone)
{
    nav_audit_pair many[PAIRS], few[4], other[4];
    build(7);
    draw(5, PAIRS, many);
    draw(5, 4, few);
    draw(6, 4, other);
    for (int i = 0; i < 4; i++) {
        ck_assert_mem_eq(few[i].from, many[i].from, sizeof few[i].from);
        ck_assert_mem_eq(few[i].to, many[i].to, sizeof few[i].to);
    }
    ck_assert_mem_ne(few[0].from, other[0].from, sizeof other[0].from);
    ck_assert_mem_ne(few[0].from, few[0].to, sizeof few[0].to);
}
END_TEST

START_TEST(what_is_open_is_straight)
{
    nav_audit_pair pairs[PAIRS];
    nav_audit_totals t;
    build((uint32_t)_i + 1);
    draw((uint64_t)_i, PAIRS, pairs);
    uint32_t open = 0, between_floors = 0;
    for (int i = 0; i < PAIRS; i++) {
        nav_audit_pair *p = &pairs[i];
        ck_assert_int_eq(nav_audit_answer(finder, world.set, 1, NULL, NULL, p), NAV_OK);
        bool floors = (p->from[1] < 2.5) == (p->to[1] < 2.5);
        between_floors += !floors;
        if (!floors) ck_assert_int_eq(p->status, NAV_PATH_PARTIAL);
        ck_assert_msg(!p->bends, "pair %d: %g m, %g m straight", i, p->length_m, p->straight_m);
        ck_assert_double_ge(p->length_m, p->straight_m - 1e-4);
        ck_assert_double_ge(p->surface_m, p->length_m - 1e-6);
        if (p->open) ck_assert_double_eq_tol(p->length_m, p->straight_m, 1e-4);
        if (p->status == NAV_PATH_FOUND && !p->open)
            ck_assert_msg(p->length_m > p->straight_m, "pair %d is straight and not open", i);
        open += p->open;
    }
    ck_assert_uint_gt(open, 0);
    ck_assert_uint_gt(between_floors, 0);
    ck_assert_int_eq(nav_audit_sum(pairs, PAIRS, &t), NAV_OK);
    ck_assert_uint_eq(t.open, open);
    ck_assert_uint_eq(t.found + t.unreachable, PAIRS);
    ck_assert_uint_ge(t.unreachable, between_floors);
}
END_TEST

START_TEST(where_there_is_no_ground_there_are_no_pairs)
{
    nav_path_set *set;
    nav_audit_pair pair;
    uint32_t drawn = 1;
    ck_assert_int_eq(nav_path_set_create(&set), NAV_OK);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    ck_assert_int_eq(nav_audit_draw(finder, set, 1, 1, &pair, &drawn), NAV_OK);
    ck_assert_uint_eq(drawn, 0);
    nav_path_set_destroy(set);
}
END_TEST

static nav_audit_pair found(double length, double straight)
{
    return (nav_audit_pair){.status = NAV_PATH_FOUND, .length_m = length, .surface_m = length, .straight_m = straight};
}

START_TEST(figures_are_summed_up)
{
    nav_audit_pair pairs[] = {found(10, 10),
                              found(30, 20),
                              found(50, 10),
                              {.status = NAV_PATH_PARTIAL, .length_m = 3},
                              {.status = NAV_PATH_NO_GOAL},
                              {.status = NAV_PATH_LIMIT}};
    nav_audit_totals t;
    pairs[0].open = true;
    pairs[1].open = pairs[1].bends = true;
    ck_assert_int_eq(nav_audit_sum(pairs, 6, &t), NAV_OK);
    ck_assert_uint_eq(t.pairs, 6);
    ck_assert_uint_eq(t.found, 3);
    ck_assert_uint_eq(t.unreachable, 1);
    ck_assert_uint_eq(t.off_ground, 1);
    ck_assert_uint_eq(t.limited, 1);
    ck_assert_uint_eq(t.open, 2);
    ck_assert_uint_eq(t.bent, 1);
    ck_assert(t.length_m == 90 && t.straight_m == 40);
    ck_assert(t.worst_bend == 1.5 && t.median_ratio == 1.5 && t.worst_ratio == 5);
}
END_TEST

START_TEST(changes_are_counted)
{
    const nav_audit_pair lost = {.status = NAV_PATH_PARTIAL};
    const nav_audit_pair before[] = {found(10, 10), found(10, 10), found(10, 5), found(10, 5), found(10, 5), lost};
    const nav_audit_pair now[] = {found(10.0005, 10), found(25, 10), found(5, 5), lost, lost, found(9, 9)};
    nav_audit_changes c;
    nav_audit_compare(before, now, 6, 0.001, &c);
    ck_assert_uint_eq(c.both, 3);
    ck_assert_uint_eq(c.longer, 1);
    ck_assert_uint_eq(c.shorter, 1);
    ck_assert_uint_eq(c.lost, 2);
    ck_assert_uint_eq(c.gained, 1);
    ck_assert(c.before_m == 30 && c.worst_longer == 2.5 && c.best_shorter == 0.5);
    ck_assert_double_eq_tol(c.now_m, 40.0005, 1e-9);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_audit");
    TCase *t = tcase_create("audit");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, pairs_depend_on_the_seed_alone);
    tcase_add_loop_test(t, what_is_open_is_straight, 0, 40);
    tcase_add_test(t, where_there_is_no_ground_there_are_no_pairs);
    tcase_add_test(t, figures_are_summed_up);
    tcase_add_test(t, changes_are_counted);
    suite_add_tcase(s, t);
    return run_suite(s);
}
