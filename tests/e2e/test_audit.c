// navctl audit of a live world: what it finds is what it finds in the same tiles as a file, and an edit shows.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <string.h>

static daemon_process navd;

static void start(void)
{
    daemon_start(&navd, NULL);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    EXPECT_CODE(run_navctl("push", temp_path("yard.obj"), "--world", "yard", "-c", navd.socket, NULL), 0);
}

static void stop(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

START_TEST(a_world_is_audited_as_its_tiles_are)
{
    const char *tiles = temp_path("yard.navd");
    EXPECT_CODE(run_navctl("watch", "--world", "yard", "--once", "-o", tiles, "-c", navd.socket, NULL), 0);
    outcome live = run_navctl("audit", "--world", "yard", "--pairs", "200", "--json", "-c", navd.socket, NULL);
    outcome file = run_navctl("audit", tiles, "--pairs", "200", "--json", NULL);
    EXPECT_CODE(live, 0);
    EXPECT_CODE(file, 0);
    const char *const figures[] = {"found", "open", "bent", "length_m", "surface_m", "worst_ratio"};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        ck_assert_msg(json_value(live.out, figures[i]) == json_value(file.out, figures[i]), "%s: %s%s", figures[i],
                      live.out, file.out);
    ck_assert_double_gt(json_value(live.out, "found"), 0);
}
END_TEST

START_TEST(an_edit_that_is_in_the_way_shows)
{
    const char *before = temp_path("before.json");
    EXPECT_CODE(run_navctl("audit", "--world", "yard", "--pairs", "300", "-o", before, "-c", navd.socket, NULL), 0);
    // A wall across the whole floor.
    EXPECT_CODE(run_navctl("edit", "--world", "yard", "--volume", "1=0,-1,5,20,-1,20.5,-1,20.5,31,20,31", "-c",
                           navd.socket, NULL),
                0);
    outcome r = run_navctl("audit", "--world", "yard", "--against", before, "--max-lost", "0", "--picture",
                           temp_path("worst.png"), "-c", navd.socket, NULL);
    EXPECT_CODE(r, 10);
    ck_assert_msg(strstr(r.out, "    1  lost") != NULL, "%s", r.out);
    ck_assert(file_exists(temp_path("worst.png")));
}
END_TEST

START_TEST(the_daemon_audits_by_itself)
{
    navd_client *c;
    navd_world world;
    navd_audit *a;
    char why[256] = "";
    ck_assert_msg(navd_connect(navd.socket, "audit", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_set_timeout(c, PATIENCE_MS);
    ck_assert_int_eq(navd_world_open(c, "yard", false, NULL, NULL, 0, &world), NAVD_OK);
    navd_audit_options o = {
        .profile = world.profiles[0].name, .near_m = NAVD_PATH_NEAR_M, .seed = 9, .pairs = 700, .worst = 3};
    outcome r = run_navctl("audit", "--world", "yard", "--pairs", "700", "--seed", "9", "--worst", "3", "--json", "-c",
                           navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(navd_audit_paths(c, world.id, &o, &a) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_uint_eq(a->pairs, 700);
    ck_assert_uint_eq(a->limited, 0);
    ck_assert_uint_eq(a->bent, 0);
    ck_assert(a->found == json_value(r.out, "found") && a->open == json_value(r.out, "open"));
    ck_assert(a->unreachable == json_value(r.out, "unreachable"));
    ck_assert_double_eq_tol(a->length_m, json_value(r.out, "length_m"), 1e-3);
    ck_assert_double_eq_tol(a->worst_ratio, json_value(r.out, "worst_ratio"), 1e-6);
    ck_assert_uint_eq(a->worst_count, 3);
    ck_assert_int_eq(a->worst[0].why, NAVD_AUDIT_ROUND);
    ck_assert(a->worst[0].ratio == a->worst_ratio && a->worst[0].ratio >= a->worst[2].ratio);
    navd_audit_free(a);
    o.pairs = 0;
    ck_assert_int_eq(navd_audit_paths(c, world.id, &o, &a), NAVD_OK);
    ck_assert_uint_eq(a->pairs, 0);
    navd_audit_free(a);
    o.pairs = NAVD_AUDIT_PAIRS + 1;
    ck_assert_int_eq(navd_audit_paths(c, world.id, &o, &a), NAVD_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(navd_error_text(c), "pairs: 16385, expected 0 to 16384"));
    navd_world_free(&world);
    navd_close(c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("audit");
    TCase *t = tcase_create("audit");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_world_is_audited_as_its_tiles_are);
    tcase_add_test(t, an_edit_that_is_in_the_way_shows);
    tcase_add_test(t, the_daemon_audits_by_itself);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
