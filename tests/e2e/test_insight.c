// What navctl tells of a running daemon: why a tile is as it is, what failed, what is being built, and who is there.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

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

static void push_yard(void)
{
    write_text(temp_path("yard.obj"), YARD_OBJ);
    EXPECT_CODE(run_navctl("push", temp_path("yard.obj"), "--world", "yard", "-c", navd.socket, NULL), 0);
}

START_TEST(a_tile_says_why_it_is_as_it_is_and_who_made_it_so)
{
    push_yard();
    EXPECT_CODE(run_navctl("edit", "--world", "yard", "--volume", "5=0,-1,3,1,1,2,1,2,2", "-c", navd.socket, NULL), 0);
    outcome r = run_navctl("why", "yard", "0", "0", "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "tile 0,0: ok at revision") && strstr(r.out, "volume @5") &&
                      strstr(r.out, "(navctl, uid:"),
                  "%s", r.out);
    r = run_navctl("why", "yard", "0", "0", "--json", "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"object\": \"@5\""), "%s", r.out);
    EXPECT_CODE(run_navctl("why", "yard", "900", "-900", "-c", navd.socket, NULL), 1);
    EXPECT_CODE(run_navctl("why", "yard", "one", "0", "-c", navd.socket, NULL), 2);
    r = run_navctl("jobs", "--world", "yard", "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_str_eq(r.out, "nothing to build\n");
    r = run_navctl("jobs", "--json", "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_str_eq(r.out, "{\"edits\": [], \"builds\": []}\n");
    r = run_navctl("cancel", "--world", "yard", "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_str_eq(r.out, "cancelled 0 tiles\n");
    EXPECT_CODE(run_navctl("cancel", "-c", navd.socket, NULL), 2);
    EXPECT_CODE(run_navctl("cancel", "--world", "yard", "--build", "1", "-c", navd.socket, NULL), 2);
    EXPECT_CODE(run_navctl("cancel", "--build", "77", "-c", navd.socket, NULL), 1);
}
END_TEST

START_TEST(tiles_that_failed_are_listed_with_the_reason)
{
    static const char *const short_of_memory[] = {"--tile-memory-bytes", "1M", NULL};
    daemon_process poor;
    daemon_options at = {.socket = temp_path("poor.sock"), .no_tcp = true, .arguments = short_of_memory};
    push_yard();
    outcome r = run_navctl("failed", "yard", "-c", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_str_eq(r.out, "no failed tiles\n");
    daemon_launch(&poor, &at);
    r = run_navctl("push", temp_path("yard.obj"), "--world", "fine", "--cell-size", "0.05", "--tile", "400", "-c",
                   poor.socket, NULL);
    EXPECT_CODE(r, 5);
    r = run_navctl("failed", "fine", "-n", "1", "-c", poor.socket, NULL);
    EXPECT_CODE(r, 5);
    ck_assert_msg(strstr(r.out, "of default: ") && strstr(r.out, "memory") && strstr(r.out, "more"), "%s", r.out);
    r = run_navctl("failed", "fine", "--json", "-c", poor.socket, NULL);
    EXPECT_CODE(r, 5);
    ck_assert_msg(strstr(r.out, "\"code\": ") && strstr(r.out, "\"tries\": "), "%s", r.out);
    ck_assert_int_eq(daemon_stop(&poor), 0);
}
END_TEST

START_TEST(top_and_sessions_show_who_is_there_and_no_escape_of_theirs)
{
    navd_client *c;
    char why[256] = "";
    push_yard();
    ck_assert_msg(navd_connect(navd.socket, "ed\033[31mitor", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    outcome top = run_navctl("top", "--once", "-c", navd.socket, NULL);
    EXPECT_CODE(top, 0);
    ck_assert_msg(strstr(top.out, "yard") && strstr(top.out, "ed?[31mitor"), "%s", top.out);
    ck_assert_msg(!strchr(top.out, '\033'), "%s", top.out);
    outcome list = run_navctl("sessions", "-c", navd.socket, NULL);
    EXPECT_CODE(list, 0);
    ck_assert_msg(strstr(list.out, "ed?[31mitor") && strstr(list.out, "admin of default"), "%s", list.out);
    navd_close(c);
    EXPECT_CODE(run_navctl("top", "-c", temp_path("no.sock"), NULL), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("insight");
    TCase *t = tcase_create("insight");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_tile_says_why_it_is_as_it_is_and_who_made_it_so);
    tcase_add_test(t, tiles_that_failed_are_listed_with_the_reason);
    tcase_add_test(t, top_and_sessions_show_who_is_there_and_no_escape_of_theirs);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
