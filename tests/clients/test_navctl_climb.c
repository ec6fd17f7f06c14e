// navctl over files with walls and ceilings: paths and audits.
#include "tests/clients/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A box of 12 by 7 by 9 m, from the outside.
static const char BOX_OBJ[] = "o box\n"
                              "v 0 0 0\nv 12 0 0\nv 12 0 9\nv 0 0 9\nv 0 7 0\nv 12 7 0\nv 12 7 9\nv 0 7 9\n"
                              "f 1 2 3 4\nf 5 8 7 6\nf 1 5 6 2\nf 4 3 7 8\nf 1 4 8 5\nf 2 6 7 3\n";

static const char *built_box(void)
{
    const char *scene = temp_path("box.obj"), *tiles = temp_path("box.navd");
    write_text(scene, BOX_OBJ);
    outcome r = run_navctl("build", scene, "--sheets", "all", "--agent-radius", "0.1", "-o", tiles, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    return tiles;
}

START_TEST(a_path_over_a_rim_names_normals_and_sheets)
{
    outcome r = run_navctl("path", built_box(), "--from", "6,7,4", "--to", "12,3,4", NULL);
    double length, cost, at[6], normal[6];
    char status[16], sheet[2][8];
    EXPECT_CODE(r, 0);
    int got = sscanf(r.out, "%15s %lf %lf %lf %lf %lf %lf %lf %lf %7s %lf %lf %lf %lf %lf %lf %7s", status, &length,
                     &cost, &at[0], &at[1], &at[2], &normal[0], &normal[1], &normal[2], sheet[0], &at[3], &at[4],
                     &at[5], &normal[3], &normal[4], &normal[5], sheet[1]);
    ck_assert_msg(got == 17, "%s", r.out);
    ck_assert_str_eq(status, "found");
    ck_assert_double_eq_tol(length, 6 + 4, 1e-3);
    ck_assert_double_eq_tol(cost, length, 1e-6);
    ck_assert_str_eq(sheet[0], "up");
    ck_assert_str_eq(sheet[1], "x+");
    ck_assert_double_eq_tol(normal[1], 1, 1e-3);
    ck_assert_double_eq_tol(normal[3], 1, 1e-3);
    ck_assert_double_eq_tol(at[3], 12, 1e-3); // the rim
    ck_assert_double_eq_tol(at[4], 7, 1e-3);
}
END_TEST

START_TEST(many_pairs_are_compared_with_what_is_given)
{
    const char *tiles = built_box(), *pairs = temp_path("pairs.txt"), *answers = temp_path("answers.txt");
    write_text(pairs, "6 7 4 12 3 4 10\n6 7 4 12 3 4 8\n6 7 4 60 0 0\n");
    outcome r = run_navctl("path", tiles, "--pairs", pairs, "-o", answers, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert(json_value(r.out, "pairs") == 3);
    ck_assert(json_value(r.out, "found") == 2);
    ck_assert(json_value(r.out, "given") == 2);
    ck_assert(json_value(r.out, "longer") == 1); // than 8 m
    ck_assert(json_value(r.out, "parts") == 1);
    ck_assert_double_ge(json_value(r.out, "seams"), 12);
    ck_assert_double_eq_tol(json_value(r.out, "mean_ratio"), (1 + 1.25) / 2, 1e-3);
    ck_assert_double_eq_tol(json_value(r.out, "worst_ratio"), 1.25, 1e-3);
    size_t bytes;
    char *text = (char *)read_file(answers, &bytes);
    text[bytes - 1] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "\nno_goal 0 0"));
    free(text);
    r = run_navctl("path", tiles, "--pairs", pairs, "-o", answers, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "2 of 3 paths found, 0 more lead part of the way"));
}
END_TEST

START_TEST(an_audit_looks_at_the_whole_surface)
{
    const char *tiles = built_box();
    outcome r = run_navctl("audit", tiles, "--pairs", "200", "--json", "--max-unreachable", "0", NULL);
    EXPECT_CODE(r, 0);
    ck_assert(json_value(r.out, "found") == 200);
    ck_assert(json_value(r.out, "wrong_part") == 0);
    ck_assert(json_value(r.out, "too_short") == 0);
    ck_assert_double_le(json_value(r.out, "off_surface_m"), 0.001);
    r = run_navctl("audit", tiles, "--pairs", "20", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_ptr_nonnull(strstr(r.out, "20 found, 0 without a way"));
}
END_TEST

START_TEST(what_needs_floors_alone_says_so)
{
    const char *tiles = built_box(), *picture = temp_path("box.png");
    outcome r = run_navctl("path", tiles, "--from", "6,7,4", "--to", "12,3,4", "--picture", picture, NULL);
    expect_error(&r, 2, "has walls or ceilings, over which there is no --picture");
    r = run_navctl("path", tiles, "--from", "6,7,4", "--to", "12,3,4", "--radius", "1", NULL);
    expect_error(&r, 2, "there is no --radius");
    r = run_navctl("audit", tiles, "--pairs", "20", "--picture", picture, NULL);
    expect_error(&r, 4, "it has walls or ceilings, over which only path leads");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_climb");
    TCase *t = tcase_create("climb");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, a_path_over_a_rim_names_normals_and_sheets);
    tcase_add_test(t, many_pairs_are_compared_with_what_is_given);
    tcase_add_test(t, an_audit_looks_at_the_whole_surface);
    tcase_add_test(t, what_needs_floors_alone_says_so);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
