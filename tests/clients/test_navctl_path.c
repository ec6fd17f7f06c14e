// navctl path over a file: what it finds and prints, and what it refuses.
#include "tests/clients/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *built_yard(void)
{
    const char *tiles = temp_path("yard.navd");
    outcome r = run_navctl("build", yard(), "-o", tiles, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    return tiles;
}

START_TEST(a_path_is_a_line_with_lengths_and_points)
{
    outcome r = run_navctl("path", built_yard(), "--from", "2,0,2", "--to", "38,0,2", NULL);
    double length, surface, at[6];
    char status[16];
    ck_assert_msg(r.code == 0, "%s", r.err);
    int got = sscanf(r.out, "%15s %lf %lf %lf %lf %lf %lf %lf %lf", status, &length, &surface, &at[0], &at[1], &at[2],
                     &at[3], &at[4], &at[5]);
    ck_assert_msg(got == 9, "%s", r.out);
    ck_assert_str_eq(status, "found");
    ck_assert_double_eq_tol(length, 36, 1e-2); // along the edge, where no box is
    ck_assert_double_ge(surface, length - 1e-6);
    ck_assert_double_eq_tol(at[0], 2, 1e-2);
    ck_assert_double_eq_tol(at[3], 38, 1e-2);
}
END_TEST

START_TEST(many_pairs_are_summed_up)
{
    const char *tiles = built_yard(), *pairs = temp_path("pairs.txt"), *answers = temp_path("answers.txt");
    write_text(pairs, "# three pairs\n2 0 2 38 0 2 36.5\n\n2 0 2 38 0 28 1.5\n2 0 2 90 0 2\n");
    outcome r = run_navctl("path", tiles, "--pairs", pairs, "-o", answers, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert(json_value(r.out, "pairs") == 3);
    ck_assert(json_value(r.out, "found") == 2);
    ck_assert(json_value(r.out, "given") == 2);
    ck_assert(json_value(r.out, "longer") == 1); // than 1.5 m
    ck_assert_double_ge(json_value(r.out, "length_m"), 36 + hypot(36, 26) - 0.01);
    size_t bytes;
    char *text = (char *)read_file(answers, &bytes);
    ck_assert(bytes > 10 && !memcmp(text, "found ", 6));
    text[bytes - 1] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "\nno_goal 0 0"));
    free(text);
}
END_TEST

// A square of 10 with a square hole of 4 in it.
static const char ring[] = "mesh\n2\n8 4\n"
                           "0 0 2 0 3\n10 0 2 0 1\n10 10 2 1 2\n0 10 2 2 3\n"
                           "3 3 3 -1 0 3\n7 3 3 -1 0 1\n7 7 3 -1 1 2\n3 7 3 -1 2 3\n"
                           "4 0 1 5 4 3 -1 1 -1\n4 1 2 6 5 0 -1 2 -1\n4 2 3 7 6 1 -1 3 -1\n4 3 0 4 7 2 -1 0 -1\n";

START_TEST(a_polygon_mesh_is_a_ground)
{
    const char *mesh = temp_path("ring.mesh"), *pairs = temp_path("ring.txt");
    write_text(mesh, ring);
    write_text(pairs, "1 0 5 9 0 5 9.65\n1 0 1 9 0 1 8\n");
    outcome r = run_navctl("path", mesh, "--pairs", pairs, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert(json_value(r.out, "found") == 2);
    ck_assert(json_value(r.out, "open") == 1);
    ck_assert(json_value(r.out, "crooked") == 0);
    ck_assert(json_value(r.out, "worst") == 1);
    ck_assert(json_value(r.out, "longer") == 1); // 9.65 is too short
    ck_assert_double_eq_tol(json_value(r.out, "length_m"), 8 + 4 + 4 * sqrt(2), 1e-6);
    write_text(pairs, "version 1\n0 ring.map 10 10 1 5 9 5 9.66\n");
    r = run_navctl("path", mesh, "--pairs", pairs, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_msg(!strncmp(r.out, "found 9.656", 11), "%s", r.out);
    write_text(pairs, "version 1\n0 ring.map 10 10 1 5 9 x 9.66\n");
    r = run_navctl("path", mesh, "--pairs", pairs, NULL);
    expect_error(&r, 4, "ring.txt:2: expected BUCKET MAP");
    write_text(pairs, "1 0 5 9 0 5\n");
    r = run_navctl("path", mesh, "--pairs", pairs, "--picture", temp_path("ring.svg"), NULL);
    ck_assert_int_eq(r.code, 4);
    ck_assert_msg(strstr(r.err, "a polygon mesh has no tiles to draw"), "%s", r.err);
    write_text(pairs, "version 1\n0 ring.map 10 10 1 5 9 x 9.66\n");
    write_text(mesh, "mesh\n2\n8 x\n");
    r = run_navctl("path", mesh, "--pairs", pairs, NULL);
    expect_error(&r, 4, "ring.txt:2");
    write_text(pairs, "1 0 5 9 0 5\n");
    r = run_navctl("path", mesh, "--pairs", pairs, NULL);
    expect_error(&r, 4, "line 3: the number of vertices is 8, not 3 to");
}
END_TEST

START_TEST(detours_tiles_are_the_same_ground)
{
    const char *tiles = built_yard(), *detour = temp_path("yard.bin"), *pairs = temp_path("yard.txt");
    outcome r = run_navctl("build", yard(), "-o", detour, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    write_text(pairs, "2 0 2 38 0 28\n2 0 28 38 0 2\n20 0 2 20 0 28\n");
    r = run_navctl("path", tiles, "--pairs", pairs, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    double length = json_value(r.out, "length_m"), open = json_value(r.out, "open");
    ck_assert(json_value(r.out, "found") == 3);
    r = run_navctl("path", detour, "--pairs", pairs, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert(json_value(r.out, "found") == 3);
    ck_assert(json_value(r.out, "open") == open);
    ck_assert_double_eq_tol(json_value(r.out, "length_m"), length, 1e-4);
}
END_TEST

START_TEST(paths_are_drawn)
{
    const char *picture = temp_path("path.svg");
    outcome r = run_navctl("path", built_yard(), "--from", "2,0,2", "--to", "38,0,28", "--picture", picture, NULL);
    EXPECT_CODE(r, 0);
    size_t bytes;
    char *text = (char *)read_file(picture, &bytes);
    text[bytes - 1] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "rgb(82%,10%,32%)")); // the path's colour
    free(text);
    r = run_navctl("path", built_yard(), "--from", "2,0,2", "--to", "38,0,28", "--picture", "path.gif", NULL);
    expect_error(&r, 2, "path.gif");
    r = run_navctl("path", built_yard(), "--from", "2,0,2", "--to", "38,0,28", "--detour", NULL);
    expect_error(&r, 2, "needs --picture");
}
END_TEST

// Ground of 20 by 20 with mud across it from x = 7 to 13, but for its end at z = 17.
static const char muddy[] = "o floor\nv 0 0 0\nv 0 0 20\nv 7 0 20\nv 7 0 0\nf 1 2 3 4\n"
                            "v 13 0 0\nv 13 0 20\nv 20 0 20\nv 20 0 0\nf 5 6 7 8\n"
                            "v 7 0 17\nv 13 0 17\nf 9 3 6 10\n"
                            "o mud\nf 4 9 10 5\n";

START_TEST(costs_come_with_their_bound)
{
    const char *scene = temp_path("muddy.obj"), *tiles = temp_path("muddy.navd"), *ends[] = {"3,0,5", "17,0,5"};
    write_text(scene, muddy);
    outcome r = run_navctl("build", scene, "-o", tiles, "--area", "mud=6", "--area-type", "6,cost=4", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("path", tiles, "--from", ends[0], "--to", ends[1], NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(!strncmp(r.out, "found 14.0", 10) && !strchr(r.out, '#'), "%s", r.out);
    const char *const ways[][2] = {{"--cost", "6=4"}, {"--area-costs", NULL}};
    double cost[2], bound[2];
    for (int i = 0; i < 2; i++) {
        r = run_navctl("path", tiles, "--from", ends[0], "--to", ends[1], ways[i][0], ways[i][1], NULL);
        EXPECT_CODE(r, 0);
        const char *line = strstr(r.out, "\n# cost ");
        ck_assert_msg(line && sscanf(line, "\n# cost %lf bound %lf", &cost[i], &bound[i]) == 2, "%s", r.out);
        ck_assert_msg(cost[i] > 20 && cost[i] < 6 + 2 * hypot(4, 12) + 3, "%s", r.out);
        ck_assert_msg(bound[i] <= cost[i] && bound[i] >= 0.99 * cost[i] - 1e-6, "%s", r.out);
    }
    ck_assert(cost[0] == cost[1] && bound[0] == bound[1]);
    r = run_navctl("path", tiles, "--from", ends[0], "--to", ends[1], "--area-costs", "--cost", "6=1", "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_double_eq_tol(json_value(r.out, "cost"), 14, 1e-3);
    ck_assert_double_eq_tol(json_value(r.out, "lower_bound"), 14, 1e-3);
    ck_assert(json_value(r.out, "optimal") == 1);
    r = run_navctl("path", tiles, "--from", ends[0], "--to", ends[1], "--cost", "6=0", NULL);
    expect_error(&r, 2, "area 6 costs 0");
    r = run_navctl("path", tiles, "--from", ends[0], "--to", ends[1], "--area-costs", "--radius", "1", NULL);
    expect_error(&r, 2, "--radius goes with --exclude");
    r = run_navctl("path", tiles, "--from", ends[0], "--to", ends[1], "--radius", "100", NULL);
    expect_error(&r, 2, "--radius 100: more than 128 columns above the radius that the tiles were built for");
}
END_TEST

START_TEST(wrong_usage_says_what_to_do)
{
    const char *tiles = built_yard(), *pairs = temp_path("wrong.txt");
    outcome r = run_navctl("path", tiles, NULL);
    expect_error(&r, 2, "either --from and --to, or --pairs");
    r = run_navctl("path", tiles, "--from", "1,2,3", NULL);
    expect_error(&r, 2, "either --from and --to, or --pairs");
    r = run_navctl("path", "--from", "1,2,3", "--to", "1,2,3", NULL);
    expect_error(&r, 2, "either FILE or --world");
    write_text(pairs, "1 2 3 4 5 6\n1 2 3 4 5\n");
    r = run_navctl("path", tiles, "--pairs", pairs, NULL);
    expect_error(&r, 4, "wrong.txt:2: expected six numbers");
    r = run_navctl("path", tiles, "--pairs", temp_path("none.txt"), NULL);
    expect_error(&r, 4, "cannot be read");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_path");
    TCase *t = tcase_create("path");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, a_path_is_a_line_with_lengths_and_points);
    tcase_add_test(t, many_pairs_are_summed_up);
    tcase_add_test(t, a_polygon_mesh_is_a_ground);
    tcase_add_test(t, detours_tiles_are_the_same_ground);
    tcase_add_test(t, paths_are_drawn);
    tcase_add_test(t, costs_come_with_their_bound);
    tcase_add_test(t, wrong_usage_says_what_to_do);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
