// navctl with walls and ceilings: options, pictures, graphs; what it refuses. Files: test_navctl_sheet_files.c.
#include "core/base/endian.h"
#include "core/tile/tile_format.h"
#include "navcore/tile_file.h"
#include "tests/check.h"
#include "tests/clients/sheets_room.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

START_TEST(figures_are_told_for_each_sheet_and_in_sum)
{
    const outcome r = run_navctl("build", room_path(), "--sheets", "all", "--json", NULL);
    json_t *report = json_report(&r), *sheets = json_object_get(report, "sheets");
    int64_t tiles = 0, cells = 0, polys = 0;
    double area = 0;
    ck_assert_uint_eq(json_object_size(sheets), NAV_SHEET_COUNT);
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        const json_t *sheet = json_object_get(sheets, sheet_names[s]);
        const double m2 = json_number_value(json_object_get(sheet, "area_m2"));
        expect_room_m2(m2, room_face_m2(s));
        tiles += json_count(sheet, "tiles");
        cells += json_count(sheet, "cells");
        polys += json_count(sheet, "polys");
        area += m2;
    }
    ck_assert_int_eq(tiles, json_count(report, "tiles"));
    ck_assert_int_eq(cells, json_count(report, "cells"));
    ck_assert_int_eq(polys, json_count(report, "polys"));
    ck_assert_double_eq_tol(area, json_number_value(json_object_get(report, "area_m2")), 1e-3);
    json_decref(report);
}
END_TEST

START_TEST(some_sheets_are_those_of_all)
{
    const char *all = temp_path("all.navd"), *two = temp_path("two.navd");
    outcome r = run_navctl("build", room_path(), "--sheets", "down,x-", "-o", two, "--json", NULL);
    json_t *report = json_report(&r), *sheets = json_object_get(report, "sheets");
    ck_assert_uint_eq(json_object_size(sheets), 2);
    ck_assert(json_object_get(sheets, "down") && json_object_get(sheets, "x-"));
    expect_room_m2(json_number_value(json_object_get(report, "area_m2")), room_face_m2(1) + room_face_m2(3));
    json_decref(report);
    r = run_navctl("build", room_path(), "--sheets", "all", "-o", all, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("info", all, "--json", NULL);
    report = json_report(&r);
    sheets = json_object_get(report, "sheets");
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        expect_room_m2(json_number_value(json_object_get(json_object_get(sheets, sheet_names[s]), "area_m2")),
                       room_face_m2(s));
    json_decref(report);
}
END_TEST

// --- pictures and graphs

static void expect_same(const char *a, const char *b, bool same)
{
    size_t n, m;
    uint8_t *x = read_file(a, &n), *y = read_file(b, &m);
    ck_assert_msg((n == m && !memcmp(x, y, n)) == same, "%s and %s are %s", a, b, same ? "different" : "equal");
    free(x);
    free(y);
}

START_TEST(pictures_show_walls_in_perspective)
{
    const char *mesh = temp_path("seen.navd"), *one = temp_path("one.png"), *two = temp_path("two.png"),
               *svg = temp_path("seen.svg");
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", mesh, "--picture", one, "--picture-size",
                           "300", "--threads", "1", NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room_path(), "--sheets", "all", "--picture", two, "--picture-size", "300", "--threads", "3",
                   NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, true);
    r = run_navctl("build", room_path(), "--sheets", "all", "-o", temp_path("seen.bin"), "--picture", two,
                   "--picture-size", "300", NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, true);
    r = run_navctl("build", room_path(), "--sheets", "all", "--picture", two, "--picture-size", "300", "--look-from",
                   "-1,0.5,0.2", NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, false);
    r = run_navctl("render", mesh, "-o", two, "--size", "300", NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, false); // no geometry around it
    r = run_navctl("render", mesh, "-o", svg, "--look-from", "0,1,0", NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(svg, &count);
    ck_assert(count > 1000 && !memcmp(bytes, "<?xml", 5));
    free(bytes);
    // Floors may be looked at in perspective, too.
    r = run_navctl("build", yard(), "--picture", two, "--view", "perspective", "--picture-size", "300", NULL);
    EXPECT_CODE(r, 0);
}
END_TEST

START_TEST(the_graph_joins_sheets_by_seams)
{
    const char *mesh = temp_path("graph.navd"), *path = temp_path("graph.json"), *bin = temp_path("graph.bin");
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", mesh, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room_path(), "--sheets", "all", "-o", bin, "--json", NULL);
    json_t *report = json_report(&r);
    r = run_navctl("graph", mesh, "-o", path, NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(path, &count);
    json_t *graph = parse_json((char *)bytes, count), *nodes = json_object_get(graph, "nodes");
    const json_t *edge, *edges = json_object_get(graph, "edges");
    int64_t seams = 0;
    size_t i;
    ck_assert_int_eq((int64_t)json_array_size(nodes), json_count(report, "cells"));
    json_array_foreach(edges, i, edge)
    {
        const json_t *from = json_array_get(nodes, (size_t)json_count(edge, "source"));
        const json_t *to = json_array_get(nodes, (size_t)json_count(edge, "target"));
        const bool is_seam = !strcmp(json_string_value(json_object_get(edge, "kind")), "seam");
        const bool one_sheet =
            !strcmp(json_string_value(json_object_get(from, "sheet")), json_string_value(json_object_get(to, "sheet")));
        ck_assert(is_seam != one_sheet);
        seams += is_seam;
    }
    ck_assert_int_eq(seams, json_count(report, "seams"));
    json_decref(graph);
    json_decref(report);
    free(bytes);
}
END_TEST

// --- options

START_TEST(floors_alone_are_as_without_the_option)
{
    const char *one = temp_path("plain.navd"), *two = temp_path("up.navd");
    outcome r = run_navctl("build", yard(), "-o", one, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", yard(), "--sheets", "up", "--generator", "voxel", "-o", two, NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, true);
}
END_TEST

START_TEST(what_does_not_hold_the_agent_is_a_floor_at_most)
{
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "--grip-areas", "none", "--json", NULL);
    json_t *report = json_report(&r), *sheets = json_object_get(report, "sheets");
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        ck_assert((json_count(json_object_get(sheets, sheet_names[s]), "cells") > 0) == (s == 0));
    json_decref(report);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    static const char *const cases[][8] = {
        {"--sheets sideways: expected all", "--sheets", "sideways"},
        {"--sheets up,: expected all, or some of up,down,x+,x-,z+,z-", "--sheets", "up,"},
        {"--generator voxel makes floors only", "--sheets", "up,x+", "--generator", "voxel"},
        {"--grip-areas 64: expected none, or areas from 1 to 63", "--sheets", "all", "--grip-areas", "64"},
        {"--seam-smooth is 90", "--sheets", "all", "--seam-smooth", "90"},
        {"--seam-inner is 151", "--sheets", "all", "--seam-inner", "151"},
        {"--seam-outer is -1", "--sheets", "all", "--seam-outer", "-1"},
        {"--sheets: seeds and the least area of islands", "--sheets", "all", "--seed", "0,0,0"},
        {"--look-from 0,0,0: is no direction", "--sheets", "all", "--look-from", "0,0,0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *c = cases[i];
        outcome r = run_navctl("build", room_path(), c[1], c[2], c[3], c[4], c[5], c[6], NULL);
        expect_error(&r, 2, c[0]);
    }
    outcome r =
        run_navctl("build", room_path(), "--sheets", "all", "--picture", temp_path("x.png"), "--show", "cells", NULL);
    expect_error(&r, 2, "--show: parts are drawn from above");
    r = run_navctl("build", room_path(), "--sheets", "all", "--picture", temp_path("x.png"), "--view", "top", NULL);
    expect_error(&r, 2, "--view: walls and ceilings are not seen from the top");
    r = run_navctl("build", room_path(), "--sheets", "all", "--picture", temp_path("x.png"), "--slice", "0,3", NULL);
    expect_error(&r, 2, "--slice: is for pictures from the top");
    r = run_navctl("build", room_path(), "--sheets", "all", "-o", temp_path("x.stl"), NULL);
    expect_error(&r, 2, "the name must end in .bin (Detour), .navd, .obj or .glb");
    r = run_navctl("tile", room_path(), "0", "0", "--sheets", "up,x+", "--sheet", "down", NULL);
    expect_error(&r, 1, "the agent does not stand on sheet down");
    ck_assert(!file_exists(temp_path("x.png")));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_sheets");
    TCase *t = tcase_create("sheets");
    tcase_add_test(t, figures_are_told_for_each_sheet_and_in_sum);
    tcase_add_test(t, some_sheets_are_those_of_all);
    tcase_add_test(t, pictures_show_walls_in_perspective);
    tcase_add_test(t, the_graph_joins_sheets_by_seams);
    tcase_add_test(t, floors_alone_are_as_without_the_option);
    tcase_add_test(t, what_does_not_hold_the_agent_is_a_floor_at_most);
    tcase_add_test(t, what_does_not_fit_is_refused);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
