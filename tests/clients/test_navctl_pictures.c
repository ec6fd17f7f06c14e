// The pictures that navctl draws: of meshes, and of how they came about.
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

START_TEST(pictures_are_png_and_svg_of_the_size_asked_for)
{
    static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const char *picture = temp_path("yard.png"), *drawing = temp_path("yard.svg"), *mesh = temp_path("yard.navd");
    outcome r = run_navctl("build", yard(), "-o", mesh, "--picture", picture, "--picture-size", "640", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    size_t count;
    uint8_t *bytes = read_file(picture, &count);
    ck_assert_uint_gt(count, 2000);
    ck_assert_mem_eq(bytes, png, sizeof png);
    uint32_t width = nav_load_u32(bytes + 16), height = nav_load_u32(bytes + 20); // big-endian there
    width = __builtin_bswap32(width), height = __builtin_bswap32(height);
    ck_assert_uint_eq(width > height ? width : height, 640);
    free(bytes);
    r = run_navctl("render", mesh, "-o", drawing, "--title", "The <yard>", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    bytes = read_file(drawing, &count);
    bytes[count] = '\0';
    ck_assert(has((char *)bytes, "<svg") && has((char *)bytes, "</svg>"));
    free(bytes);
}
END_TEST

static void expect_same_file(const char *a, const char *b, bool same)
{
    size_t n, m;
    uint8_t *x = read_file(a, &n), *y = read_file(b, &m);
    bool equal = n == m && memcmp(x, y, n) == 0;
    ck_assert_msg(equal == same, "%s and %s are %s", a, b, equal ? "equal" : "different");
    free(x);
    free(y);
}

START_TEST(every_part_of_a_plan_shows)
{
    static const char *const parts[] = {"layers", "cells",    "portals", "notches",  "polygons",
                                        "spans",  "distance", "regions", "contours", "sides"};
    const char *all = temp_path("all.png"), *again = temp_path("again.png"), *one = temp_path("one.png");
    outcome r = run_navctl("build", yard(), "--picture", all, "--show",
                           "layers,cells,portals,notches,polygons,contours,sides,spans", "--picture-size", "500",
                           "--threads", "1", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("build", yard(), "--picture", again, "--show",
                   "spans,sides,contours,polygons,notches,portals,cells,layers", "--picture-size", "500", "--threads",
                   "3", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    expect_same_file(all, again, true);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        r = run_navctl("build", yard(), "--picture", one, "--show", parts[i], "--picture-size", "500", NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        expect_same_file(i ? again : all, one, false); // again: the part before
        ck_assert_int_eq(rename(one, again), 0);
    }
}
END_TEST

START_TEST(a_plan_shows_what_is_left_of_islands)
{
    static const char *const modes[] = {"keep", "flag", "drop"};
    const char *before = temp_path("before.png"), *picture = temp_path("islands.png");
    for (int i = 0; i < 3; i++) { // no ground is as large as that: all of it is an island
        outcome r = run_navctl("build", yard(), "--island-min-area", "100000", "--unreachable", modes[i], "--picture",
                               picture, "--show", "layers,cells,portals,notches", "--picture-size", "400", NULL);
        ck_assert_msg(r.code == 0, "%s: %s", modes[i], r.err);
        if (i) expect_same_file(before, picture, false);
        ck_assert_int_eq(rename(picture, before), 0);
    }
}
END_TEST

START_TEST(a_stored_mesh_shows_its_cells_and_portals)
{
    const char *mesh = temp_path("plan.navd"), *detour = temp_path("plan.bin"), *picture = temp_path("plan.svg");
    ck_assert_int_eq(run_navctl("build", yard(), "-o", mesh, NULL).code, 0);
    ck_assert_int_eq(run_navctl("build", yard(), "-o", detour, NULL).code, 0);
    outcome r = run_navctl("render", mesh, "-o", picture, "--show", "portals,cells", NULL);
    ck_assert_msg(r.code == 0 && file_exists(picture), "%s", r.err);
    r = run_navctl("render", mesh, "-o", picture, "--show", "layers", NULL);
    expect_error(&r, 2, "can show cells, portals and sides only");
    r = run_navctl("render", detour, "-o", picture, "--show", "cells", NULL);
    expect_error(&r, 4, "Detour tiles have no cells");
    r = run_navctl("render", detour, "-o", picture, "--show", "sides,cells", NULL);
    expect_error(&r, 4, "Detour tiles have no cells");
}
END_TEST

START_TEST(sides_show_in_tiles_of_both_encodings)
{
    static const char *const names[] = {"sides.navd", "sides.bin"};
    const char *all = temp_path("sides.png"), *before = temp_path("sides-before.png"), *cells = temp_path("cells.png");
    for (int i = 0; i < 2; i++) {
        const char *mesh = temp_path(names[i]);
        ck_assert_int_eq(run_navctl("build", yard(), "-o", mesh, NULL).code, 0);
        outcome r = run_navctl("render", mesh, "-o", all, "--show", "sides", "--size", "500", NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        if (i) expect_same_file(all, before, false); // cells of any size against polygons of six corners
        ck_assert_int_eq(rename(all, before), 0);
        r = run_navctl("tile", mesh, "1", "1", "--picture", all, "--picture-size", "500", NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        expect_same_file(all, before, false);
        r = run_navctl("tile", mesh, "1", "1", "--picture", "sides.jpg", NULL);
        expect_error(&r, 2, "must end in .png or .svg");
    }
    outcome r = run_navctl("render", temp_path(names[0]), "-o", temp_path("sides.svg"), "--show", "sides", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("render", temp_path(names[0]), "-o", all, "--show", "sides,cells", "--size", "500", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("render", temp_path(names[0]), "-o", cells, "--show", "cells", "--size", "500", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    expect_same_file(all, cells, false);
}
END_TEST

START_TEST(pictures_show_a_slice_or_storeys)
{
    const char *mesh = temp_path("slice.bin"), *all = temp_path("all.svg"), *low = temp_path("low.svg");
    ck_assert_int_eq(run_navctl("build", yard(), "-o", mesh, NULL).code, 0);
    ck_assert_int_eq(run_navctl("render", mesh, "-o", all, NULL).code, 0);
    ck_assert_int_eq(run_navctl("render", mesh, "-o", low, "--slice", "-1,1", NULL).code, 0);
    expect_same_file(all, low, false);
    ck_assert_int_eq(run_navctl("render", mesh, "-o", low, "--storeys", "2", NULL).code, 0);
    expect_same_file(all, low, false);
    ck_assert_int_eq(run_navctl("render", mesh, "-o", low, "--storeys", "1", NULL).code, 0);
    expect_same_file(all, low, true);
    outcome r = run_navctl("render", mesh, "-o", low, "--slice", "3,1", NULL);
    expect_error(&r, 2, "two heights in metres");
    r = run_navctl("render", mesh, "-o", low, "--storeys", "13", NULL);
    expect_error(&r, 2, "a number from 1 to 12");
    r = run_navctl("build", yard(), "--storeys", "2", NULL);
    expect_error(&r, 2, "--storeys is for a --picture");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_pictures");
    TCase *t = tcase_create("pictures");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, pictures_are_png_and_svg_of_the_size_asked_for);
    tcase_add_test(t, sides_show_in_tiles_of_both_encodings);
    tcase_add_test(t, pictures_show_a_slice_or_storeys);
    tcase_add_test(t, every_part_of_a_plan_shows);
    tcase_add_test(t, a_plan_shows_what_is_left_of_islands);
    tcase_add_test(t, a_stored_mesh_shows_its_cells_and_portals);
    return run_suite_in_folder(s);
}
