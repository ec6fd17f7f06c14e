// Small ones of the bench's scenes of walls and ceilings: what is generated covers what an agent can stand on, once,
// hangs together, and borders agree.
#include "tests/bench/border_check.h"
#include "tests/bench/sheet_cover.h"
#include "tests/bench/sheet_scenes.h"
#include "tests/check.h"

static void make(int which, scene *out)
{
    if (which == 0) sheet_scene_room(out, 14);
    if (which == 1) sheet_scene_pipe(out, 30, 4, 3);
    if (which == 2) sheet_scene_torus(out, 10, 4.5);
    if (which == 3) sheet_scene_asteroid(out, 60, 3, 1);
    if (which == 4) sheet_scene_corridor(out, 16, 3);
    if (which == 5) sheet_scene_boxes(out, 4, 7);
    if (which == 6) sheet_scene_escher(out, 18);
}

static nav_settings climber(void)
{
    nav_settings s;
    nav_settings_default(&s);
    s.generator = NAV_GENERATOR_SURFACE;
    s.sheets = NAV_SHEETS_ALL;
    return s;
}

START_TEST(what_can_be_stood_on_is_covered_once)
{
    const char *name = sheet_scene_names[_i];
    const generate_options options = {.settings = climber(), .threads = 1, .encoding = GENERATE_NAVD};
    const stand_limits limits = sheet_limits(&options.settings, 4000);
    scene s;
    generated g;
    stand_report r;
    make(_i, &s);
    ck_assert(generate(&s, &options, &g));
    ck_assert_uint_eq(g.failed, 0);
    ck_assert(sheet_cover(&s, &g, &limits, name, NULL, &r));
    ck_assert_uint_gt(r.asked, 500);
    ck_assert_msg(r.recall >= 0.98, "%s: recall %.4f", name, r.recall);
    ck_assert_msg(r.precision >= 0.98, "%s: precision %.4f", name, r.precision);
    ck_assert_msg(r.twice_share <= 0.001, "%s: twice %.4f", name, r.twice_share);
    generated_deinit(&g);
    scene_deinit(&s);
}
END_TEST

START_TEST(tiles_of_a_sheet_agree_at_their_borders)
{
    nav_settings settings = climber();
    scene s;
    make(_i, &s);
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        border_report b;
        settings.sheet = (nav_sheet)sheet;
        ck_assert(border_check(&s, &settings, &b));
        ck_assert_uint_eq(b.failed_tiles, 0);
        ck_assert_msg(b.different == 0, "%s, sheet %s: %llu of %llu points differ", sheet_scene_names[_i],
                      nav_sheet_name(settings.sheet), (unsigned long long)b.different, (unsigned long long)b.points);
    }
    scene_deinit(&s);
}
END_TEST

START_TEST(surface_that_hangs_together_is_one_part)
{
    static const int whole[] = {1, 2, 3}; // pipe, torus, asteroid
    const generate_options options = {.settings = climber(), .threads = 1, .encoding = GENERATE_NAVD};
    scene s;
    generated g;
    uint32_t parts, seams;
    make(whole[_i], &s);
    ck_assert(generate(&s, &options, &g));
    ck_assert(sheet_join(&g, (double)options.settings.seam_inner_deg, &parts, &seams));
    ck_assert_msg(parts == 1, "%s: %u parts", sheet_scene_names[whole[_i]], parts);
    ck_assert_uint_gt(seams, 10);
    generated_deinit(&g);
    scene_deinit(&s);
}
END_TEST

// What is made does not depend on how many threads make it.
START_TEST(threads_change_nothing)
{
    generate_options options = {.settings = climber(), .encoding = GENERATE_NAVD};
    scene s;
    generated one, three;
    make(2, &s);
    options.threads = 1;
    ck_assert(generate(&s, &options, &one));
    options.threads = 3;
    ck_assert(generate(&s, &options, &three));
    ck_assert_uint_eq(one.grids.total, three.grids.total);
    for (uint64_t i = 0; i < one.grids.total; i++) {
        ck_assert_uint_eq(one.tiles[i].size, three.tiles[i].size);
        if (one.tiles[i].size) ck_assert_mem_eq(one.tiles[i].bytes, three.tiles[i].bytes, one.tiles[i].size);
    }
    generated_deinit(&one);
    generated_deinit(&three);
    scene_deinit(&s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sheet scenes");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, what_can_be_stood_on_is_covered_once, 0, SHEET_SCENES);
    tcase_add_loop_test(t, tiles_of_a_sheet_agree_at_their_borders, 0, SHEET_SCENES);
    tcase_add_loop_test(t, surface_that_hangs_together_is_one_part, 0, 3);
    tcase_add_test(t, threads_change_nothing);
    suite_add_tcase(s, t);
    return run_suite(s);
}
