// What a plan knows of the voxel stages, column by column, of a tile that is easily counted.
#include "clients/navctl/drawing/plan.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <string.h>

enum { SIDE = 40 }; // columns of 0.3 m along the tile: 12 m

static plan_columns columns;
static nav_arena arena;

//      x   0        3          6              12
//          ==platform==                           3 m up
//          ------floor------ wall ------floor----
static void setup(void)
{
    scene s = {0};
    nav_settings settings;
    nav_tile tile;
    const nav_hooks hooks = {.user = &columns, .made = plan_columns_take};
    nav_settings_default(&settings);
    settings.tile_cells = SIDE;
    settings.origin_m[1] = -1;
    scene_floor(&s, -3, -3, 15, 15, 0);
    scene_floor(&s, -3, -3, 3, 15, 3);
    scene_box(&s, 6, -0.5f, -3, 6.3f, 3, 15, 1, 0);
    nav_mesh *m = scene_mesh(&s);
    const nav_instance in = {m, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    const nav_tile_source source = {.settings = &settings, .instances = &in, .instance_count = 1};
    nav_arena_init(&arena, 0);
    ck_assert_int_eq(nav_build_tile(&source, NULL, &hooks, &arena, &tile), NAV_OK);
    nav_mesh_destroy(m);
    scene_free(&s);
}

static void teardown(void)
{
    plan_columns_deinit(&columns);
    nav_arena_deinit(&arena);
}

static const plan_column *at(int x, int z)
{
    return &columns.columns[z * SIDE + x];
}

START_TEST(columns_tell_floor_from_what_the_radius_takes_and_from_matter)
{
    int count[4] = {0};
    ck_assert_int_eq(columns.side, SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) count[columns.columns[i].ground]++;
    ck_assert_int_eq(count[PLAN_GROUND_NONE], 0);
    ck_assert_int_eq(count[PLAN_GROUND_SOLID], SIDE);     // the top of the wall is too narrow to stand on
    ck_assert_int_eq(count[PLAN_GROUND_TAKEN], 4 * SIDE); // two columns on each side
    for (int z = 0; z < SIDE; z += 13) {
        ck_assert_int_eq(at(20, z)->ground, PLAN_GROUND_SOLID);
        ck_assert_int_eq(at(18, z)->ground, PLAN_GROUND_TAKEN);
        ck_assert_int_eq(at(22, z)->ground, PLAN_GROUND_TAKEN);
        ck_assert_int_eq(at(17, z)->ground, PLAN_GROUND_FLOOR);
        ck_assert_int_eq(at(23, z)->ground, PLAN_GROUND_FLOOR);
    }
}
END_TEST

START_TEST(the_uppermost_floor_is_shown_and_the_others_are_counted)
{
    ck_assert_int_eq(at(2, 5)->floors, 2);
    ck_assert_int_eq(at(12, 5)->floors, 1);
    ck_assert_int_eq(at(30, 5)->floors, 1);
    ck_assert_int_eq(at(2, 5)->height - at(12, 5)->height, 15); // 3 m in voxels of 0.2 m
    ck_assert_float_eq(columns.origin_y, -1);
}
END_TEST

START_TEST(regions_and_distances_are_those_of_the_floor)
{
    ck_assert_int_gt(at(12, 5)->region, 0);
    ck_assert_int_gt(at(30, 5)->region, 0);
    ck_assert_int_ne(at(12, 5)->region, at(30, 5)->region); // the wall is between them
    ck_assert_int_ne(at(12, 5)->region, at(2, 5)->region);  // the platform
    ck_assert_int_eq(at(20, 5)->region, 0);
    ck_assert_int_eq(columns.regions, 3);
    ck_assert_int_lt(at(23, 20)->distance, at(25, 20)->distance); // away from the wall
    ck_assert_int_lt(at(25, 20)->distance, at(30, 20)->distance);
}
END_TEST

START_TEST(contours_say_what_lies_behind_each_edge)
{
    int kinds[3] = {0};
    for (uint32_t i = 0; i < columns.line_count; i++) {
        kinds[columns.lines[i].kind]++;
        ck_assert(!columns.lines[i].hole);
    }
    ck_assert_int_eq(kinds[PLAN_LINE_WALL], 3);   // one for each side of the wall, one for the platform
    ck_assert_int_eq(kinds[PLAN_LINE_REGION], 0); // nothing is cut
    ck_assert_int_ge(kinds[PLAN_LINE_BORDER], 8);
}
END_TEST

START_TEST(parts_are_read_and_two_that_fill_the_columns_are_refused)
{
    unsigned parts;
    char why[160];
    ck_assert(plan_parse("spans,cells,contours", &parts, why, sizeof why));
    ck_assert_uint_eq(parts, PLAN_SPANS | PLAN_CELLS | PLAN_CONTOURS);
    ck_assert(!plan_parse("spans,regions", &parts, why, sizeof why));
    ck_assert_msg(strstr(why, "choose one") != NULL, "%s", why);
    ck_assert(!plan_parse("span", &parts, why, sizeof why));
    ck_assert_msg(strstr(why, "'span'") && strstr(why, "spans, distance, regions, contours, sides"), "%s", why);
    ck_assert(!plan_parse("", &parts, why, sizeof why));
    ck_assert_msg(strstr(why, "it names none") != NULL, "%s", why);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("plan");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, columns_tell_floor_from_what_the_radius_takes_and_from_matter);
    tcase_add_test(t, the_uppermost_floor_is_shown_and_the_others_are_counted);
    tcase_add_test(t, regions_and_distances_are_those_of_the_floor);
    tcase_add_test(t, contours_say_what_lies_behind_each_edge);
    tcase_add_test(t, parts_are_read_and_two_that_fill_the_columns_are_refused);
    return run_suite(s);
}
