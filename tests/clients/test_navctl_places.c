// navctl path nearest, raycast, wall, random, reach, within over a file.
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

START_TEST(answers_are_lines_of_words_and_numbers)
{
    const char *tiles = built_yard();
    double d, at[3], normal[3];
    outcome r = run_navctl("path", "nearest", tiles, "--at", "2,0.5,2", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_msg(sscanf(r.out, "found %lf %lf %lf %lf", &d, &at[0], &at[1], &at[2]) == 4, "%s", r.out);
    ck_assert_double_eq_tol(at[0], 2, 1e-2);
    ck_assert_double_le(d, 0.5);
    r = run_navctl("path", "nearest", tiles, "--at", "2,50,2", NULL);
    ck_assert_str_eq(r.out, "none\n");
    r = run_navctl("path", "raycast", tiles, "--from", "2,0,2", "--to", "38,0,2", NULL);
    ck_assert_msg(sscanf(r.out, "found %lf", &d) == 1, "%s", r.out);
    ck_assert_double_eq_tol(d, 36, 1e-2);
    r = run_navctl("path", "raycast", tiles, "--from", "2,0,2", "--to", "1000,0,2", NULL);
    ck_assert_msg(sscanf(r.out, "wall %lf %lf %*f %*f %*d %*d %*d %lf %lf %lf", &d, &at[0], &normal[0], &normal[1],
                         &normal[2]) == 5,
                  "%s", r.out);
    ck_assert_double_eq_tol(at[0], 2 + d, 1e-3);
    ck_assert(normal[0] == -1 && normal[1] == 0 && normal[2] == 0);
    r = run_navctl("path", "wall", tiles, "--at", "2,0,10", NULL);
    ck_assert_msg(sscanf(r.out, "found %lf %lf", &d, &at[0]) == 2, "%s", r.out);
    ck_assert_double_eq_tol(2 - at[0], d, 1e-3);
    r = run_navctl("path", "wall", tiles, "--at", "2,0,10", "--limit", "0.5", NULL);
    ck_assert_str_eq(r.out, "none\n");
    r = run_navctl("path", "reach", tiles, "--from", "2,0,2", "--to", "38,0,28", NULL);
    ck_assert_str_eq(r.out, "found\n");
    r = run_navctl("path", "reach", tiles, "--from", "2,0,2", "--to", "90,0,28", NULL);
    ck_assert_str_eq(r.out, "no_goal\n");
}
END_TEST

START_TEST(random_places_are_those_of_their_seed)
{
    const char *tiles = built_yard();
    outcome r = run_navctl("path", "random", tiles, "-n", "3", "--seed", "7", NULL);
    char first[200];
    ck_assert_msg(r.code == 0, "%s", r.err);
    snprintf(first, sizeof first, "%.199s", r.out);
    double at[9];
    ck_assert_int_eq(sscanf(first, "%lf %lf %lf\n%lf %lf %lf\n%lf %lf %lf", &at[0], &at[1], &at[2], &at[3], &at[4],
                            &at[5], &at[6], &at[7], &at[8]),
                     9);
    r = run_navctl("path", "random", tiles, "-n", "3", "--seed", "7", NULL);
    ck_assert_str_eq(r.out, first);
    r = run_navctl("path", "random", tiles, "--seed", "8", "--at", "2,0,2", "--radius", "1.5", "--reachable", "--json",
                   NULL);
    ck_assert_msg(sscanf(r.out, "{\"status\": \"found\", \"points\": [[%lf, %*f, %lf]]}", &at[0], &at[2]) == 2, "%s",
                  r.out);
    ck_assert_double_le(hypot(at[0] - 2, at[2] - 2), 1.5 + 1e-5);
    r = run_navctl("path", "random", tiles, "--areas", "7", NULL);
    ck_assert_str_eq(r.out, "none\n");
}
END_TEST

START_TEST(json_has_the_place_and_the_wall)
{
    outcome r = run_navctl("path", "raycast", built_yard(), "--from", "2,0,2", "--to", "1000,0,2", "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_gt(json_value(r.out, "distance_m"), 30);
    ck_assert_ptr_nonnull(strstr(r.out, "\"status\": \"wall\""));
    ck_assert_ptr_nonnull(strstr(r.out, "\"normal\": [-1, 0, 0]"));
    ck_assert_ptr_nonnull(strstr(r.out, "\"cell\": "));
}
END_TEST

// Ground of 20 by 20 with mud across it from x = 7 to 13.
static const char muddy[] = "o floor\nv 0 0 0\nv 0 0 20\nv 7 0 20\nv 7 0 0\nf 1 2 3 4\n"
                            "v 13 0 0\nv 13 0 20\nv 20 0 20\nv 20 0 0\nf 5 6 7 8\n"
                            "o mud\nf 4 3 6 5\n";

static const char *built_mud(void)
{
    const char *scene = temp_path("muddy.obj"), *tiles = temp_path("muddy.navd");
    write_text(scene, muddy);
    outcome r = run_navctl("build", scene, "-o", tiles, "--area", "mud=6", "--area-type", "6,name=mud", "--area-type",
                           "7,name=reeds", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    return tiles;
}

START_TEST(areas_are_excluded_by_number_or_name)
{
    const char *tiles = built_mud();
    static const char *const ways[] = {"6", "mud", "reeds,6", "5-6"};
    for (int i = 0; i < 4; i++) {
        double d, x;
        outcome r =
            run_navctl("path", "raycast", tiles, "--from", "3,0,10", "--to", "17,0,10", "--exclude", ways[i], NULL);
        ck_assert_msg(sscanf(r.out, "wall %lf %lf", &d, &x) == 2, "%s%s", r.out, r.err);
        ck_assert_double_eq_tol(x, 7, 0.5);
        r = run_navctl("path", "reach", tiles, "--from", "3,0,10", "--to", "17,0,10", "--exclude", ways[i], NULL);
        ck_assert_str_eq(r.out, "none\n");
        r = run_navctl("path", "nearest", tiles, "--at", "10,0,10", "--near", "1", "--exclude", ways[i], NULL);
        ck_assert_str_eq(r.out, "none\n");
        r = run_navctl("path", "wall", tiles, "--at", "5,0,10", "--exclude", ways[i], NULL);
        ck_assert_msg(sscanf(r.out, "found %lf %lf", &d, &x) == 2 && d < 3, "%s%s", r.out, r.err);
        r = run_navctl("path", tiles, "--from", "3,0,10", "--to", "17,0,10", "--exclude", ways[i], NULL);
        ck_assert_msg(!strncmp(r.out, "partial ", 8), "%s%s", r.out, r.err);
    }
    outcome r = run_navctl("path", "random", tiles, "-n", "5", "--areas", "mud", "--exclude", "mud", NULL);
    ck_assert_str_eq(r.out, "none\n");
    r = run_navctl("path", "reach", tiles, "--from", "3,0,10", "--to", "17,0,10", "--exclude", "63,lava", NULL);
    expect_error(&r, 2, "--exclude 63,lava: no area is called 'lava': there are mud (6), reeds (7)");
    r = run_navctl("path", tiles, "--from", "3,0,10", "--to", "17,0,10", "--exclude", "64", NULL);
    expect_error(&r, 2, "areas are numbers from 0 to 63, and '64' is none");
    r = run_navctl("path", "nearest", built_yard(), "--at", "2,0,2", "--exclude", "lava", NULL);
    expect_error(&r, 2, "none has a name: give numbers from 0 to 63");
    r = run_navctl("path", "nearest", tiles, "--at", "2,0,2", "--exclude", "6,", NULL);
    expect_error(&r, 2, "expected areas with commas between them");
}
END_TEST

START_TEST(what_is_within_a_distance_is_listed_and_drawn)
{
    const char *tiles = built_mud(), *picture = temp_path("within.svg");
    double first, last = 0;
    int x, z;
    unsigned cell;
    char word[8];
    outcome r = run_navctl("path", "within", tiles, "--at", "3,0,10", "--distance", "6", "--picture", picture, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_int_eq(sscanf(r.out, "%lf %d %d %u %7s", &first, &x, &z, &cell, word), 5);
    ck_assert(first == 0);
    for (const char *line = r.out; line && *line; line = strchr(line, '\n') + 1) {
        ck_assert_msg(sscanf(line, "%lf %d %d %u %7s", &first, &x, &z, &cell, word) == 5, "%s", line);
        ck_assert(first >= last && first <= 6);
        ck_assert_msg(!strcmp(word, "whole") || !strcmp(word, "part"), "%s", line);
        last = first;
    }
    size_t bytes;
    char *text = (char *)read_file(picture, &bytes);
    text[bytes - 1] = '\0';
    ck_assert_ptr_nonnull(strstr(text, "rgb(40%,11%,43%)")); // the farthest band
    free(text);
    r = run_navctl("path", "within", tiles, "--at", "3,0,10", "-d", "60", "--exclude", "mud", "--json", "--outlines",
                   NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_msg(strstr(r.out, "\"whole\": true") && !strstr(r.out, "\"whole\": false"), "%s", r.out);
    const char *outlines = strstr(r.out, "\"outlines\": [[[");
    ck_assert_ptr_nonnull(outlines);
    for (const char *at = outlines + strlen("\"outlines\": [["); at; at = strstr(at, "], [")) {
        double corner;
        at += strspn(at, "], [");
        ck_assert_int_eq(sscanf(at, "%lf", &corner), 1);
        ck_assert_double_lt(corner, 7.5); // this side of the mud
    }
    r = run_navctl("path", "within", tiles, "--at", "3,90,10", "-d", "6", NULL);
    ck_assert_str_eq(r.out, "no_start\n");
    r = run_navctl("path", "within", tiles, "--at", "3,0,10", NULL);
    expect_error(&r, 2, "needs --at and --distance");
    r = run_navctl("path", "within", tiles, "--at", "3,0,10", "-d", "6", "--outlines", NULL);
    expect_error(&r, 2, "--outlines needs --json");
    r = run_navctl("path", "within", tiles, "--at", "3,0,10", "-d", "6", "--picture", "x.jpg", NULL);
    expect_error(&r, 2, ".png or .svg");
}
END_TEST

START_TEST(wrong_usage_says_what_to_do)
{
    const char *tiles = built_yard();
    outcome r = run_navctl("path", "nearest", tiles, NULL);
    expect_error(&r, 2, "needs --at");
    r = run_navctl("path", "raycast", tiles, "--from", "1,2,3", NULL);
    expect_error(&r, 2, "needs --from and --to");
    r = run_navctl("path", "wall", "--at", "1,2,3", NULL);
    expect_error(&r, 2, "either FILE or --world");
    r = run_navctl("path", "random", tiles, "--radius", "5", NULL);
    expect_error(&r, 2, "need --at");
    r = run_navctl("path", "random", tiles, "--areas", "x", NULL);
    expect_error(&r, 2, "--areas x");
    r = run_navctl("path", "reach", tiles, "--from", "1,2,3", "--to", "1,2,3", "--profile", "x", NULL);
    expect_error(&r, 2, "profiles are numbers");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_places");
    TCase *t = tcase_create("places");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, answers_are_lines_of_words_and_numbers);
    tcase_add_test(t, random_places_are_those_of_their_seed);
    tcase_add_test(t, json_has_the_place_and_the_wall);
    tcase_add_test(t, areas_are_excluded_by_number_or_name);
    tcase_add_test(t, what_is_within_a_distance_is_listed_and_drawn);
    tcase_add_test(t, wrong_usage_says_what_to_do);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
