// A floor plan in a daemon: pushed, an obstacle moved, pushed again as it was.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <string.h>

static daemon_process navd;

static void start(void)
{
    daemon_start(&navd, NULL);
}

static void stop(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

static const char *const ROOM = "floor name=room POLYGON((0 0, 12 0, 12 8, 0 8))\n"
                                "obstacle name=screen POLYGON((5 0, 6 0, 6 6, 5 6))\n"
                                "link name=hatch LINESTRING(1 1, 11 1)\n";

static outcome push(const char *path)
{
    outcome r = run_navctl("push", path, "-w", "plan", "-c", navd.socket, "--json", "--generator", "surface",
                           "--edge-error", "0", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    return r;
}

// Metres from one end of the room to the other, around the screen.
static double way_round(void)
{
    double length = -1;
    outcome r = run_navctl("path", "-w", "plan", "-c", navd.socket, "--from", "1,0,-2", "--to", "11,0,-2", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(sscanf(r.out, "found %lf", &length) == 1, "%s", r.out);
    return length;
}

START_TEST(an_obstacle_moves_and_comes_back)
{
    const char *path = temp_path("room.wkt");
    write_text(path, ROOM);
    outcome r = push(path);
    ck_assert_int_eq((int)json_value(r.out, "added"), 2);
    ck_assert_int_eq((int)json_value(r.out, "links_put"), 1);
    const double before = way_round();
    ck_assert_double_gt(before, 13); // over 6.6 m and back

    r = run_navctl("edit", "-w", "plan", "-c", navd.socket, "--move", "screen=0,0,3", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_double_lt(way_round(), before - 2); // it ends at 3 m now

    r = push(path);
    ck_assert_int_eq((int)json_value(r.out, "moved"), 1);
    ck_assert_int_eq((int)json_value(r.out, "links_put"), 0);
    ck_assert_double_eq_tol(way_round(), before, 1e-6);
}
END_TEST

START_TEST(links_that_the_file_no_longer_has_go)
{
    const char *path = temp_path("room.wkt");
    write_text(path, ROOM);
    push(path);
    char text[512];
    snprintf(text, sizeof text, "%s", ROOM);
    *strstr(text, "link") = 0;
    write_text(path, text);
    outcome r = run_navctl("push", path, "-w", "plan", "-c", navd.socket, "--dry-run", NULL);
    ck_assert_msg(r.code == 0 && strstr(r.out, "1 link gone"), "%s%s", r.out, r.err);
    r = push(path);
    ck_assert_int_eq((int)json_value(r.out, "links_removed"), 1);
    r = run_navctl("world", "objects", "plan", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0 && !strstr(r.out, "link"), "%s", r.out);
    ck_assert_ptr_nonnull(strstr(r.out, "screen"));
}
END_TEST

START_TEST(a_link_of_somebody_else_is_not_replaced)
{
    const char *path = temp_path("room.wkt"), *other = temp_path("copy.wkt");
    write_text(path, ROOM);
    write_text(other, ROOM);
    push(path);
    outcome r = run_navctl("push", other, "-w", "plan", "-c", navd.socket, NULL);
    ck_assert_int_ne(r.code, 0);
    ck_assert_msg(strstr(r.err, "of source room.wkt"), "%s", r.err);
}
END_TEST

START_TEST(a_plan_is_built_exactly_and_nothing_else_is_a_plan)
{
    const char *path = temp_path("room.wkt");
    write_text(path, ROOM);
    outcome r = run_navctl("plan", path, "--json", "--agent-radius", "0.5", NULL);
    EXPECT_CODE(r, 0);
    // 11 by 7 without 2 by 6, whose two corners in the room are round: the screen stands on the edge, which is half a
    // metre wide itself. A tile's area is told in whole cells.
    ck_assert_double_eq_tol(json_value(r.out, "area_m2"), 11 * 7 - 2 * 6 + 2 * 0.25 * (1 - 0.785), 0.1);
    r = run_navctl("plan", yard(), NULL);
    expect_error(&r, 2, "must end in .geojson, .wkt or .svg");
}
END_TEST

START_TEST(corners_are_round_mitred_or_bevelled)
{
    const char *path = temp_path("pillar.wkt");
    write_text(path, "floor POLYGON ((0 0, 12 0, 12 12, 0 12))\n"
                     "obstacle to_height=2 POLYGON ((5 5, 7 5, 7 7, 5 7))\n");
    const struct {
        const char *corners;
        double corner; // of each of the four, square radii that are kept free of the agent
    } kinds[] = {{"mitre", 1}, {"bevel", 0.5}, {"round", 0.7956}};
    for (int k = 0; k < 3; k++) {
        outcome r = run_navctl("plan", path, "--json", "--agent-radius", "1", "--corners", kinds[k].corners, NULL);
        EXPECT_CODE(r, 0);
        // A tile's area is told in whole cells of 0.09 square metres.
        ck_assert_double_eq_tol(json_value(r.out, "area_m2"), 100 - 2 * 2 - 4 * 2 - 4 * kinds[k].corner, 0.1);
    }
    outcome r = run_navctl("plan", path, "--corners", "sharp", NULL);
    expect_error(&r, 2, "sharp");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plans");
    TCase *t = tcase_create("plans");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, an_obstacle_moves_and_comes_back);
    tcase_add_test(t, links_that_the_file_no_longer_has_go);
    tcase_add_test(t, a_link_of_somebody_else_is_not_replaced);
    tcase_add_test(t, a_plan_is_built_exactly_and_nothing_else_is_a_plan);
    tcase_add_test(t, corners_are_round_mitred_or_bevelled);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
