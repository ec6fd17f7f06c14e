// navctl audit over a file: its figures, an audit that is kept and compared with, limits, pictures.
#include "tests/clients/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two rooms of 10 m by 10 m with a door between them, or none.
static const char *built_rooms(const char *name, bool door)
{
    static const char floor[] = "v 0 0 0\nv 20 0 0\nv 20 0 10\nv 0 0 10\nf 1 4 3 2\n";
    // Of the wall across the middle: its begin and end along z.
    const float walls[2][2] = {{0, door ? 4 : 5}, {door ? 7 : 5, 10}};
    char text[4096], path[64];
    int at = snprintf(text, sizeof text, "%s", floor);
    for (int w = 0; w < 2; w++) {
        for (int k = 0; k < 8; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "v %g %d %g\n", k & 1 ? 10.3 : 9.7, k & 2 ? 3 : 0,
                           (double)walls[w][k >> 2]);
        static const int faces[6][4] = {{1, 2, 4, 3}, {5, 7, 8, 6}, {1, 5, 6, 2},
                                        {3, 4, 8, 7}, {1, 3, 7, 5}, {2, 6, 8, 4}};
        for (int f = 0; f < 6; f++)
            at += snprintf(text + at, sizeof text - (size_t)at, "f %d %d %d %d\n", faces[f][0] + 4 + 8 * w,
                           faces[f][1] + 4 + 8 * w, faces[f][2] + 4 + 8 * w, faces[f][3] + 4 + 8 * w);
    }
    snprintf(path, sizeof path, "%s.obj", name);
    write_text(temp_path(path), text);
    const char *scene = temp_path(path);
    snprintf(path, sizeof path, "%s.navd", name);
    const char *tiles = temp_path(path);
    outcome r = run_navctl("build", scene, "-o", tiles, NULL);
    EXPECT_CODE(r, 0);
    return tiles;
}

START_TEST(figures_of_a_ground)
{
    outcome r = run_navctl("audit", built_rooms("open", true), "--pairs", "400", "--seed", "3", "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert(json_value(r.out, "count") == 400);
    ck_assert_double_gt(json_value(r.out, "open"), 100);
    ck_assert(json_value(r.out, "bent") == 0);
    ck_assert_double_ge(json_value(r.out, "worst_ratio"), json_value(r.out, "median_ratio"));
    outcome again = run_navctl("audit", temp_path("open.navd"), "--pairs", "400", "--seed", "3", NULL);
    EXPECT_CODE(again, 0);
    ck_assert_msg(strstr(again.out, "400 pairs, seed 3") != NULL, "%s", again.out);
    ck_assert_msg(strstr(again.out, "\n   10  round") != NULL, "%s", again.out);
}
END_TEST

START_TEST(a_door_that_is_closed_loses_ways)
{
    const char *open = built_rooms("open", true), *closed = built_rooms("closed", false), *kept = temp_path("a.json");
    outcome r = run_navctl("audit", open, "--pairs", "300", "-o", kept, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_ptr_null(strstr(r.out, "changes"));
    r = run_navctl("audit", open, "--against", kept, "--max-lost", "0", "--max-longer", "0", "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert(json_value(r.out, "lost") == 0 && json_value(r.out, "longer") == 0 && json_value(r.out, "gained") == 0);
    r = run_navctl("audit", closed, "--against", kept, "--max-lost", "5", "--json", NULL);
    EXPECT_CODE(r, 10);
    double lost = json_value(r.out, "lost");
    ck_assert_double_gt(lost, 50);
    ck_assert_ptr_nonnull(strstr(r.out, "\"why\": \"lost\""));
    ck_assert_msg(strstr(r.err, "ways are lost, above --max-lost 5") != NULL, "%s", r.err);
    // The other way round, and with the ground itself as what was before.
    r = run_navctl("audit", open, "--against", closed, "--pairs", "300", "--max-lost", "0", "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_double_gt(json_value(r.out, "gained"), 50);
    r = run_navctl("audit", closed, "--pairs", "300", "--max-unreachable", "10", "--json", NULL);
    EXPECT_CODE(r, 10);
}
END_TEST

START_TEST(the_worst_pairs_are_drawn)
{
    const char *picture = temp_path("worst.svg");
    outcome r =
        run_navctl("audit", built_rooms("open", true), "--pairs", "50", "--worst", "3", "--picture", picture, NULL);
    EXPECT_CODE(r, 0);
    size_t bytes;
    char *text = (char *)read_file(picture, &bytes);
    text[bytes - 1] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "<svg"));
    ck_assert_ptr_nonnull(strstr(text, "rgb(82%,10%,32%)")); // a path
    free(text);
}
END_TEST

START_TEST(wrong_usage_and_wrong_files_say_what_to_do)
{
    const char *open = built_rooms("open", true), *bad = temp_path("bad.json");
    outcome r = run_navctl("audit", NULL);
    expect_error(&r, 2, "either FILE or --world");
    r = run_navctl("audit", open, "--max-lost", "1", NULL);
    expect_error(&r, 2, "need --against");
    r = run_navctl("audit", open, "--picture", "worst.gif", NULL);
    expect_error(&r, 2, "worst.gif");
    r = run_navctl("audit", temp_path("none.navd"), NULL);
    expect_error(&r, 4, "none.navd");
    write_text(bad, "{\"near_m\": 2, \"pairs\": [[1, 2, 3, 4, 5, 6, \"found\", 1, 1, 1, true, false], [1, 2]]}");
    r = run_navctl("audit", open, "--against", bad, NULL);
    expect_error(&r, 4, "pair 2: expected six numbers");
    write_text(bad, "{\"near_m\": 2, ");
    r = run_navctl("audit", open, "--against", bad, NULL);
    expect_error(&r, 4, "bad.json:1:");
    write_text(bad, "{}");
    r = run_navctl("audit", open, "--against", bad, NULL);
    expect_error(&r, 4, "no audit");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_audit");
    TCase *t = tcase_create("audit");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, figures_of_a_ground);
    tcase_add_test(t, a_door_that_is_closed_loses_ways);
    tcase_add_test(t, the_worst_pairs_are_drawn);
    tcase_add_test(t, wrong_usage_and_wrong_files_say_what_to_do);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
