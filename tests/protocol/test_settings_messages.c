// Settings of profiles as peers send them: names, ranges, sheets, outlines, and the world's origin.
#include "tests/protocol/script.h"

// Up to the one setting of the one profile.
static void open_with_setting(script *s)
{
    begin(s, "world.open", 2);
    word(s, "name", "mill");
    text(s, "profiles");
    msgpack_pack_array(&s->p, 1);
    msgpack_pack_map(&s->p, 2);
    word(s, "name", "human");
    text(s, "settings");
    msgpack_pack_map(&s->p, 1);
}

START_TEST(a_misspelt_setting_is_an_error_and_a_range_is_checked)
{
    script s;
    open_with_setting(&s);
    number(&s, "cell_sise_m", 1);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings",
           "profiles[0].settings: \"cell_sise_m\", expected a known key (see the protocol's table)");
    open_with_setting(&s);
    number(&s, "tile_cells", 1);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings",
           "profiles[0].settings: tile_cells is 1, but must be between 4 and 16384");
}
END_TEST

// A world with one profile that says its sheets as a list or, where count is -1, as a word.
static void open_with_sheets(script *s, const char *generator, const char *const *sheets, int count)
{
    begin(s, "world.open", 2);
    word(s, "name", "mill");
    text(s, "profiles");
    msgpack_pack_array(&s->p, 1);
    msgpack_pack_map(&s->p, 2);
    word(s, "name", "spider");
    text(s, "settings");
    msgpack_pack_map(&s->p, generator ? 2 : 1);
    if (count < 0) word(s, "sheets", sheets[0]);
    if (count >= 0) text(s, "sheets");
    if (count >= 0) msgpack_pack_array(&s->p, (size_t)count);
    for (int i = 0; i < count; i++) text(s, sheets[i]);
    if (generator) word(s, "generator", generator);
}

static nav_settings settings_with_sheets(const char *generator, const char *const *sheets, int count)
{
    script s;
    np_world_open_request m;
    np_message in;
    np_error err;
    open_with_sheets(&s, generator, sheets, count);
    ck_assert_int_eq(run(&s, NP_WORLD_OPEN, &m, &in, &err), NAV_OK);
    nav_settings found = m.profiles[0].settings;
    end(&s, &in);
    return found;
}

START_TEST(sheets_are_names_or_all_and_bring_their_generator)
{
    static const char *const all[] = {"all"}, *const walls[] = {"z-", "x+", "x+"}, *const up[] = {"up"},
                             *const wrong[] = {"up", "left"};
    script s;
    nav_settings found = settings_with_sheets(NULL, all, -1);
    ck_assert_uint_eq(found.sheets, NAV_SHEETS_ALL);
    ck_assert_int_eq(found.sheet, NAV_SHEET_UP);
    ck_assert_int_eq(found.generator, NAV_GENERATOR_SURFACE);
    found = settings_with_sheets("surface", walls, 3);
    ck_assert_uint_eq(found.sheets, 1 << NAV_SHEET_XPLUS | 1 << NAV_SHEET_ZMINUS);
    ck_assert_int_eq(found.sheet, NAV_SHEET_XPLUS);
    found = settings_with_sheets(NULL, up, 1);
    ck_assert_uint_eq(found.sheets, NAV_SHEETS_UP);
    ck_assert_int_eq(found.generator, NAV_GENERATOR_VOXEL);
    open_with_sheets(&s, "voxel", all, -1);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings",
           "profiles[0].settings: sheet is up, but sheets other than up need generator surface: voxels have no walls "
           "that two sheets could share");
    open_with_sheets(&s, NULL, wrong, 2);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings.sheets[1]",
           "profiles[0].settings.sheets[1]: \"left\", expected \"up\", \"down\", \"x+\", \"x-\", \"z+\" or \"z-\"");
    open_with_sheets(&s, NULL, up, 0);
    refuse(
        &s, NP_WORLD_OPEN, "profiles[0].settings.sheets",
        "profiles[0].settings.sheets: an array of 0, expected \"all\", or an array of one or more of \"up\", \"down\", "
        "\"x+\", \"x-\", \"z+\", \"z-\"");
    open_with_sheets(&s, NULL, up, -1);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings.sheets",
           "profiles[0].settings.sheets: \"up\", expected \"all\", or an array of one or more of \"up\", \"down\", "
           "\"x+\", \"x-\", \"z+\", \"z-\"");
}
END_TEST

static void must_have_outlines(script *s, nav_outlines wanted)
{
    np_world_open_request m;
    np_message in;
    np_error err;
    ck_assert_int_eq(run(s, NP_WORLD_OPEN, &m, &in, &err), NAV_OK);
    ck_assert_int_eq(m.profiles[0].settings.outlines, wanted);
    end(s, &in);
}

START_TEST(outlines_are_given_by_name_or_as_a_switch)
{
    script s;
    for (int i = NAV_OUTLINES_VOXEL; i <= NAV_OUTLINES_TRUE; i++) {
        open_with_setting(&s);
        word(&s, "outlines", nav_outlines_name((nav_outlines)i));
        must_have_outlines(&s, (nav_outlines)i);
        open_with_setting(&s);
        text(&s, "outlines");
        if (i)
            msgpack_pack_true(&s.p);
        else
            msgpack_pack_false(&s.p);
        must_have_outlines(&s, (nav_outlines)i);
    }
    open_with_setting(&s);
    word(&s, "outlines", "exact");
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings.outlines",
           "profiles[0].settings.outlines: \"exact\", expected \"voxel\" or \"true\"");
    open_with_setting(&s);
    number(&s, "outlines", 1);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings.outlines",
           "profiles[0].settings.outlines: 1, expected \"voxel\" or \"true\"");
    open_with_setting(&s);
    text(&s, "partition"); // not every name may be a switch
    msgpack_pack_true(&s.p);
    refuse(&s, NP_WORLD_OPEN, "profiles[0].settings.partition",
           "profiles[0].settings.partition: true, expected \"watershed\" or \"monotone\" or \"convex\"");
}
END_TEST

START_TEST(the_worlds_origin_reaches_every_profile)
{
    script s;
    begin(&s, "world.open", 3);
    word(&s, "name", "mill");
    text(&s, "profiles");
    msgpack_pack_array(&s.p, 1);
    msgpack_pack_map(&s.p, 1);
    word(&s, "name", "human");
    doubles(&s, "origin_m", 3, (const double[]){1, 2, 3});
    np_world_open_request m;
    np_message in;
    np_error err;
    ck_assert_int_eq(run(&s, NP_WORLD_OPEN, &m, &in, &err), NAV_OK);
    ck_assert_double_eq(m.profiles[0].settings.origin_m[2], 3);
    ck_assert_float_eq(m.profiles[0].settings.cell_size_m, 0.3f);
    end(&s, &in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("settings");
    TCase *t = tcase_create("settings");
    suite_add_tcase(s, t);
    tcase_add_test(t, a_misspelt_setting_is_an_error_and_a_range_is_checked);
    tcase_add_test(t, sheets_are_names_or_all_and_bring_their_generator);
    tcase_add_test(t, outlines_are_given_by_name_or_as_a_switch);
    tcase_add_test(t, the_worlds_origin_reaches_every_profile);
    return run_suite(s);
}
