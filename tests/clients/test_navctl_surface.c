// navctl surface: ground from points and from height functions, as OBJ and as tiles; what it says of wrong input.
#include "clients/navctl/scene/height_function.h"
#include "clients/navctl/scene/scene.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

// 21 by 11 points of a slope, a metre apart, in an order that is none.
static const char *slope_points(const char *name, const char *format, bool z_up)
{
    enum { COUNT = 21 * 11 };
    char *text = malloc(COUNT * 64), *at = text;
    at += sprintf(at, "# a slope\n");
    for (int i = 0; i < COUNT; i++) {
        const int k = i * 100 % COUNT;
        const double x = k % 21, z = (double)(k / 21), y = 0.25 * x;
        at += sprintf(at, format, x, z_up ? -z : y, z_up ? y : z);
    }
    const char *path = temp_path(name);
    write_text(path, text);
    free(text);
    return path;
}

START_TEST(points_become_an_obj_that_other_commands_read)
{
    const char *obj = temp_path("slope.obj"), *mesh = temp_path("slope.navd"), *again = temp_path("again.navd");
    const char *points = slope_points("slope.xyz", "%g %g %g\n", false);
    outcome r = run_navctl("surface", points, "-o", obj, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(has(r.out, "231 points, 400 triangles\n") && has(r.out, "size: 20 m x 10 m, from 0 to 5 m high\n"),
                  "%s", r.out);
    r = run_navctl("surface", points, "-o", obj, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_double_eq(json_value(r.out, "triangles"), 400);
    r = run_navctl("surface", points, "-o", mesh, "--json", NULL);
    EXPECT_CODE(r, 0);
    const double area = json_value(r.out, "area_m2");
    ck_assert_double_eq_tol(area, (20 - 1.2) * (10 - 1.2), 0.1);
    r = run_navctl("build", obj, "--generator", "surface", "--edge-error", "0", "-o", again, NULL);
    EXPECT_CODE(r, 0);
    size_t a_count, b_count;
    uint8_t *a = read_file(mesh, &a_count), *b = read_file(again, &b_count);
    ck_assert_uint_eq(a_count, b_count);
    free(a);
    free(b);
}
END_TEST

START_TEST(commas_semicolons_further_columns_and_the_axis_that_is_up)
{
    static const char *const formats[] = {"%g,%g,%g\n", "%g; %g;%g\r\n", "\t%g\t%g %g 17 0.5 # bright\n"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        for (int z_up = 0; z_up < 2; z_up++) {
            const char *points = slope_points("ways.csv", formats[i], z_up);
            outcome r = run_navctl("surface", points, "--up", z_up ? "z" : "y", "-o", temp_path("ways.obj"), NULL);
            EXPECT_CODE(r, 0);
            ck_assert_msg(has(r.out, "400 triangles\n") && has(r.out, "size: 20 m x 10 m, from 0 to 5 m high\n"), "%s",
                          r.out);
        }
    }
    write_text(temp_path("named.csv"), "x,y,z\n0,1,0\n400,1,0\n0,1,300\n");
    outcome r = run_navctl("surface", temp_path("named.csv"), "--scale", "cm", "-o", temp_path("ways.obj"), NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(has(r.out, "size: 4 m x 3 m, from 0.01 to 0.01 m high\n"), "%s", r.out);
}
END_TEST

START_TEST(points_that_are_wrong_are_refused_with_their_line)
{
    static const char *const cases[][2] = {
        {"1 2 3\n4 5\n", "line 2: 2 numbers; expected x, y and z"},
        {"1 2 3\n\n4 5 6 7\n", "line 3: 4 numbers, and the lines before it have 3"},
        {"# c\n1 2 3\n4 x 6\n", "line 3: 'x' is not a number"},
        {"a;b;c\n1,5;2;3\n", "line 2: '1,5' is not a number: decimals have a point, as in 1.5"},
        {"1,,3\n", "line 1: nothing between two commas; expected a number"},
        {"x y z\nu v w\n", "line 2: 'u' is not a number"},
        {"0 0 0\n# c\n1 nan 1\n0 0 2\n", "line 3: point 1: y is nan: not finite, or beyond 1e7 m"},
        {"0 0 0\n1 0 1\n0 0 2\n\n1 5 1\n", "lines 5 and 2: point 3 at x 1, z 1 is 5 high, and point 1 at the same"},
        {"0 0 0\n1 0 1\n", "2 points; three are the least"},
        {"0 0 0\n1 0 1\n2 0 2\n", "all points are on the line from x 0, z 0 to x 2, z 2"},
        {"# nothing\n", "it has no points; expected x, y and z on each line"},
        {"", "the file is empty"},
    };
    const char *path = temp_path("wrong.xyz");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(path, cases[i][0]);
        outcome r = run_navctl("surface", path, "-o", temp_path("wrong.obj"), NULL);
        expect_error(&r, 4, cases[i][1]);
    }
    write_file(path, "1 2 3\n\0", 7);
    outcome r = run_navctl("surface", path, NULL);
    expect_error(&r, 4, "not points as text: it is binary");
    ck_assert(!file_exists(temp_path("wrong.obj")));
}
END_TEST

START_TEST(a_height_function_becomes_ground)
{
    const char *obj = temp_path("waves.obj");
    outcome r = run_navctl("surface", "--height", "2*sin(x/4)+z/10", "--size", "40x20", "--cells", "80x10", "--middle",
                           "100,-5", "-o", obj, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(has(r.out, "891 points, 1600 triangles\n"), "%s", r.out);
    scene s;
    char why[200];
    ck_assert_msg(scene_read(obj, &s, why, sizeof why), "%s", why);
    ck_assert_uint_eq(s.meshes[0].vert_count, 891);
    ck_assert(s.min[0] == 80 && s.max[0] == 120 && s.min[2] == -15 && s.max[2] == 5);
    for (uint32_t v = 0; v < 891; v++) {
        const float *p = s.meshes[0].verts + 3 * (size_t)v;
        ck_assert_double_eq_tol((double)p[1], 2 * sin((double)p[0] / 4) + (double)p[2] / 10, 1e-5);
    }
    scene_deinit(&s);
    r = run_navctl("surface", "--height", "x > 0 ? 3 : 0", "--size", "40", "--json", "--picture",
                   temp_path("cliff.png"), NULL);
    EXPECT_CODE(r, 0);
    // A cliff of 3 m over one metre, between two halves.
    ck_assert_double_eq_tol(json_value(r.out, "area_m2"), (40 - 1.2) * ((20 - 1.2) + (19 - 1.2)), 1);
    ck_assert(file_exists(temp_path("cliff.png")));
}
END_TEST

START_TEST(functions_that_are_wrong_are_refused_with_their_place)
{
    static const struct {
        const char *arguments[8];
        const char *why;
    } cases[] = {
        {{"--height", "y=3", NULL}, "--height y=3: Unexpected token \"y\" found at position 0."},
        {{"--height", "4*sin(x", NULL}, "--height 4*sin(x: Missing parenthesis"},
        {{"--height", "1,2", NULL}, "--height 1,2: it has 2 values, parted by commas; expected one, the height"},
        {{"--height", "", NULL}, "--height : Expression is empty."},
        {{"--height", "sqrt(x)", NULL}, "--height sqrt(x): the height at x -50, z -50 is nan: not finite"},
        {{"--height", "1", "--size", "0", NULL}, "--size 0: expected metres above 0, such as 200x100"},
        {{"--height", "1", "--size", "3y4", NULL}, "--size 3y4: expected metres above 0"},
        {{"--height", "1", "--cells", "0.5", NULL}, "--cells 0.5: expected whole numbers from 1, such as 200x100"},
        {{"--height", "1", "--cells", "60000", NULL}, "60000 by 60000 cells; a grid has 67108864 corners at the most"},
        {{"--height", "1", "--middle", "3", NULL}, "--middle 3: expected X,Z"},
        {{"--height", "1", "--scale", "cm", NULL}, "--scale is for files, and --height is Y up"},
        {{"--height", "1", "-o", "x.txt", NULL}, "-o x.txt: the name must end in .obj (the ground), .navd or .bin"},
        {{"--height", "1", "-o", "x.obj", "--show", "cells", NULL}, "--show is of tiles, and -o x.obj has none"},
        {{"points.xyz", "--cells", "3", NULL}, "--cells: the ground is that of the points of points.xyz"},
        {{"points.wkt", NULL}, "points.wkt: the name of points must end in .xyz or .csv"},
        {{NULL}, "needs POINTS or --height EXPR"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *a = cases[i].arguments;
        outcome r = run_navctl("surface", a[0], a[1], a[2], a[3], a[4], a[5], a[6], NULL);
        expect_error(&r, 2, cases[i].why);
    }
}
END_TEST

START_TEST(noise_is_smooth_within_one_and_zero_at_whole_numbers)
{
    double low = 0, high = 0;
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 200; k++) {
            const double x = i * 0.37 - 31, z = k * 0.41 - 17, step = 1e-4, n = height_noise(x, z);
            ck_assert_double_le(fabs(n), 1);
            ck_assert_double_le(fabs(height_noise(x + step, z) - n), 5 * step);
            ck_assert_double_le(fabs(height_noise(x, z + step) - n), 5 * step);
            low = fmin(low, n);
            high = fmax(high, n);
        }
    ck_assert_double_lt(low, -0.8);
    ck_assert_double_gt(high, 0.8);
    ck_assert(height_noise(3, -4) == 0);
    ck_assert(isnan(height_noise(NAN, 0)) && isnan(height_noise(0, 1e300)));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl surface");
    TCase *t = tcase_create("surface");
    tcase_add_test(t, points_become_an_obj_that_other_commands_read);
    tcase_add_test(t, commas_semicolons_further_columns_and_the_axis_that_is_up);
    tcase_add_test(t, points_that_are_wrong_are_refused_with_their_line);
    tcase_add_test(t, a_height_function_becomes_ground);
    tcase_add_test(t, functions_that_are_wrong_are_refused_with_their_place);
    tcase_add_test(t, noise_is_smooth_within_one_and_zero_at_whole_numbers);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
