// navctl plan with several files: each its own objects, in one mesh.
#include "tests/check.h"
#include "tests/clients/run.h"

#include <string.h>

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

// A hall in metres, with a link up to where the other one is.
static const char *ground(void)
{
    const char *path = temp_path("ground.wkt");
    write_text(path, "floor name=hall POLYGON ((0 0, 20 0, 20 10, 0 10))\n"
                     "obstacle name=table POLYGON ((5 4, 8 4, 8 6, 5 6))\n"
                     "link name=way to_height=3.2 LINESTRING (18 5, 17 5)\n");
    return path;
}

// The same hall in centimetres, drawn on the floor: an SVG, whose y points down.
static const char *first(void)
{
    const char *path = temp_path("first.svg");
    write_text(path, "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect id=\"floor\" width=\"2000\" height=\"1000\" "
                     "y=\"-1000\"/><line id=\"way\" class=\"link\" data-to-height=\"-320\" x1=\"200\" y1=\"-500\" "
                     "x2=\"300\" y2=\"-500\"/></svg>");
    return path;
}

START_TEST(plans_are_built_together_each_with_its_unit_and_height)
{
    const char *mesh = temp_path("house.navd");
    outcome r =
        run_navctl("plan", ground(), first(), "--scale", "m,cm", "--raise", "0,3.2", "-o", mesh, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert(has(r.out, "\"scene\": \"ground.wkt + first.svg\""));
    ck_assert_double_eq(json_value(r.out, "instances"), 3);
    const double hall = (20 - 1.2) * (10 - 1.2), table = 3 * 2 + 2 * (3 + 2) * 0.6 + 3.1416 * 0.36;
    ck_assert_double_eq_tol(json_value(r.out, "area_m2"), 2 * hall - table, 0.1);
    // Up by one link and down by the other, which had the same name.
    r = run_navctl("path", mesh, "--from", "1,0,-1", "--to", "1,3.2,-1", "--links", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(has(r.out, "link"), "%s", r.out);
    r = run_navctl("path", mesh, "--from", "19,3.2,-9", "--to", "1,0,-1", "--links", NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("info", mesh, NULL);
    ck_assert_msg(has(r.out, "links      2 off-mesh"), "%s", r.out);
}
END_TEST

START_TEST(one_value_is_for_all)
{
    outcome r = run_navctl("plan", ground(), ground(), "--scale", "2", "--raise", "-1.5", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(has(r.out, "from 0,-1.5,-20 to 40,-0.5,0"), "%s", r.out);
}
END_TEST

START_TEST(values_that_do_not_fit_the_plans_are_refused)
{
    static const char *const cases[][3] = {
        {"--scale", "m,cm,m", "--scale m,cm,m: it has 3 values for 2 plans; expected one for all, or one for each"},
        {"--raise", "1,2,3", "--raise 1,2,3: it has 3 values for 2 plans"},
        {"--raise", "0,up", "--raise up: expected metres from -1e7 to 1e7"},
        {"--scale", "m,yard", "--scale yard: expected auto, m, cm, mm, inch, foot, or metres from 1e-9 to 1e9"},
        {"--scale", "m,", "--scale : expected auto"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome r = run_navctl("plan", ground(), first(), cases[i][0], cases[i][1], NULL);
        expect_error(&r, 2, cases[i][2]);
    }
    outcome r = run_navctl("plan", ground(), "hall.obj", NULL);
    expect_error(&r, 2, "hall.obj: a plan's name must end in .geojson, .wkt or .svg");
    r = run_navctl("plan", ground(), temp_path("none.svg"), NULL);
    expect_error(&r, 4, "none.svg: No such file");
    r = run_navctl("build", ground(), "--raise", "high", NULL);
    expect_error(&r, 2, "--raise high: expected metres");
}
END_TEST

START_TEST(any_scene_can_be_raised)
{
    outcome r = run_navctl("build", yard(), "--raise", "12.5", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(has(r.out, ",12.5,"), "%s", r.out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl plans");
    TCase *t = tcase_create("plans");
    tcase_add_test(t, plans_are_built_together_each_with_its_unit_and_height);
    tcase_add_test(t, one_value_is_for_all);
    tcase_add_test(t, values_that_do_not_fit_the_plans_are_refused);
    tcase_add_test(t, any_scene_can_be_raised);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
