// A daemon and its farm: tiles that others have, or make, are byte for byte what home makes, and trouble of any kind
// costs time alone.
#include "tests/farm/farm_fixture.h"

#include <string.h>

static farm_copy made;
static uint64_t all;

static void begin(void)
{
    farm_start();
    all = farm_fill_cache(&made);
}

// Another daemon with the same scene, and nothing of its own. An ask is not waited for longer than building takes, so
// on a busy machine an answer may come too late: then one more daemon.
static void find_all(void)
{
    enum { MOST_DAEMONS = 20 };
    for (int i = 0;; i++) {
        farm_start_daemon(NULL);
        farm_put_meshes();
        farm_put_objects();
        client_settle(&farm.a);
        if (!farm_stat("farm_asks_late") || i == MOST_DAEMONS) break;
        farm_stop_daemon();
    }
    ck_assert_uint_eq(farm_stat("jobs_built"), 0);
    ck_assert_uint_eq(farm_stat("farm_found"), all);
    ck_assert_uint_eq(farm_stat("farm_not_found"), 0);
    ck_assert_uint_eq(farm_stat("farm_asks_late"), 0);
    farm_check_same(&made);
}

START_TEST(what_one_daemon_has_made_another_one_finds)
{
    begin();
    find_all();
    farm_stop_daemon();
}
END_TEST

START_TEST(so_it_is_in_several_encodings)
{
    farm_start();
    farm.encodings[1] = NP_ENCODING_DETOUR;
    farm.encoding_count = 2;
    all = farm_fill_cache(&made);
    find_all();
    farm_stop_daemon();
}
END_TEST

START_TEST(links_are_added_at_home)
{
    farm_start();
    farm.links = 20;
    all = farm_fill_cache(&made);
    find_all();
    ck_assert_uint_gt(farm_stat("jobs_linked"), 5);
    farm_stop_daemon();
}
END_TEST

START_TEST(a_world_with_a_goal_keeps_its_tiles)
{
    static np_seed seed = {{0, 0.5f, 0}};
    static const np_reach reach = {NAV_UNREACHABLE_DROP, 1, &seed, 0};
    farm_start();
    farm.reach = &reach;
    farm.links = 20;
    farm_start_daemon(NULL);
    fake_worker_start(&farm.worker, farm.server.url, FARM, 1, FAKE_ANSWERS);
    farm_await("farm_workers", 1);
    farm_put_meshes();
    farm_put_objects();
    client_settle(&farm.a);
    ck_assert_uint_gt(farm_stat("jobs_built"), 0);
    ck_assert_uint_eq(farm_stat("farm_jobs") + farm_stat("farm_found") + farm_stat("farm_not_found"), 0);
    ck_assert_uint_eq(farm_stat("farm_shared") + farm_stat("farm_not_shared"), 0);
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
END_TEST

START_TEST(workers_make_what_waits)
{
    begin();
    farm_send_away(FAKE_ANSWERS, &(farm_settings){.no_cache = true});
    while (farm_stat("farm_made") + 12 < all) {
    } // the rest is at the workers here
    ck_assert_uint_eq(farm_stat("jobs_built"), 0);
    farm_finish(&made);
}
END_TEST

// What a worker may do, and what it is counted as.
static const struct {
    fake_mode mode;
    const char *stat;
} ways[] = {{FAKE_SAYS_ONLY, "farm_found"},
            {FAKE_SETS_ASIDE, "farm_jobs_set_aside"},
            {FAKE_LACKS_A_MESH, "farm_home"},
            {FAKE_REFUSES, "farm_jobs_refused"},
            {FAKE_LIES, "farm_damaged"},
            {FAKE_IS_SILENT, "farm_jobs_overdue"},
            {FAKE_IS_SILENT, "farm_jobs_cancelled"}};

START_TEST(whatever_a_worker_does_all_tiles_come)
{
    begin();
    farm_send_away(ways[_i].mode, &(farm_settings){.no_cache = true, .job_s = 1});
    farm_await(ways[_i].stat, 1);
    ck_assert_uint_eq(farm_stat("jobs_built"), 0);
    farm_finish(&made);
}
END_TEST

// A worker that dies has its jobs for as long as the server waits; home, which has nothing else to do, does not.
START_TEST(home_takes_back_what_is_slow)
{
    begin();
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true, .job_s = 3});
    fixture_release_workers(&farm.daemon);
    farm_await("farm_jobs_slow", 1);
    ck_assert_uint_eq(farm_stat("farm_jobs_overdue"), 0);
    client_settle(&farm.a);
    farm_check_same(&made);
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
END_TEST

START_TEST(workers_of_another_version_get_nothing)
{
    begin();
    farm_start_daemon(&(farm_settings){.no_cache = true});
    fake_worker_start(&farm.worker, farm.server.url, FARM, 1, FAKE_ANSWERS);
    farm_await("farm_workers", 1);
    atomic_store(&farm.worker.generator, NAV_GENERATOR_VERSION + 1);
    farm_await_none("farm_workers");
    farm_put_meshes();
    farm_put_objects();
    client_settle(&farm.a);
    ck_assert_uint_eq(farm_stat("farm_jobs"), 0);
    ck_assert_uint_eq(farm_stat("jobs_built"), all);
    farm_check_same(&made);
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
END_TEST

START_TEST(a_short_queue_stays_at_home)
{
    begin();
    farm_start_daemon(&(farm_settings){.no_cache = true, .tiles = 100000});
    fake_worker_start(&farm.worker, farm.server.url, FARM, 1, FAKE_ANSWERS);
    farm_await("farm_workers", 1);
    farm_put_meshes();
    farm_put_objects();
    client_settle(&farm.a);
    ck_assert_uint_eq(farm_stat("farm_jobs"), 0);
    farm_check_same(&made);
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
END_TEST

START_TEST(an_edit_of_tiles_that_are_away_does_not_wait)
{
    np_world_edit_response r;
    begin();
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true, .job_s = 3600});
    fixture_release_workers(&farm.daemon);
    while (farm_stat("tiles_running") != farm_stat("farm_tiles_out") || farm_stat("tiles_queued")) {
    } // home has made all of the rest
    const uint64_t out = farm_stat("farm_tiles_out");
    ck_assert_uint_gt(out, 0);
    const size_t seen = farm.a.tile_count;
    const np_op move = op_move(2, -47, 1, -47);
    ck_assert_int_eq(client_edit(&farm.a, &move, 1, &r, NULL), NAV_OK);
    while (farm.a.tile_count == seen) { // it comes while the others are away
        ck_assert_uint_eq(farm_stat("farm_jobs_overdue"), 0);
    }
    ck_assert_uint_gt(farm_stat("farm_tiles_out"), 0);
    atomic_store(&farm.worker.mode, FAKE_SAYS_ONLY); // what that edit sends it may come back
    const np_op gone = op_remove(1);                 // nobody needs the rest
    ck_assert_int_eq(client_edit(&farm.a, &gone, 1, &r, NULL), NAV_OK);
    client_settle(&farm.a);
    farm_await_none("farm_tiles_out");
    ck_assert_uint_ge(farm_stat("farm_jobs_cancelled"), 1);
    while (!atomic_load(&farm.worker.voided)) {
    }
    free(made.tiles);
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
END_TEST

START_TEST(a_world_may_go_while_its_tiles_are_away)
{
    np_none none;
    begin();
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true});
    const np_world_delete_request gone = {.world = farm.a.world};
    ck_assert_int_eq(client_call(&farm.a, NP_WORLD_DELETE, &gone, &none, NULL), NAV_OK);
    farm_await_none("farm_tiles_out");
    ck_assert_uint_ge(farm_stat("farm_jobs_cancelled"), 1);
    fixture_release_workers(&farm.daemon);
    free(made.tiles);
    fake_worker_stop(&farm.worker);
    farm_stop_daemon();
}
END_TEST

// Its answer comes; the tiles come later.
static void change_settings(bool are_held)
{
    np_profile other = {.name = np_str_of("walker")};
    nav_settings_default(&other.settings);
    other.settings.tile_cells = 16;
    other.settings.agent_height_m = 1.5;
    const np_world_profile_request change = {
        .world = farm.a.world, .name = np_str_of("walker"), .has_settings = true, .settings = other.settings};
    np_world_profile_response r;
    const uint32_t id = client_send(&farm.a, NP_WORLD_PROFILE, &change);
    if (are_held) fixture_release_workers(&farm.daemon);
    ck_assert_int_eq(client_wait(&farm.a, NP_WORLD_PROFILE, id, &r, NULL), NAV_OK);
}

START_TEST(settings_may_change_while_tiles_are_away)
{
    begin();
    free(made.tiles);
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true});
    change_settings(true);
    fake_worker_stop(&farm.worker); // it answers nothing: home makes all
    client_settle(&farm.a);
    farm_await_none("farm_tiles_out");
    made = farm_keep_tiles();
    farm_stop_daemon();
    farm_start_daemon(&(farm_settings){.url = "nats://127.0.0.1:1"}); // one that has never had any away
    farm_put_meshes();
    farm_put_objects();
    change_settings(false);
    client_settle(&farm.a);
    farm_check_same(&made);
    farm_stop_daemon();
}
END_TEST

START_TEST(a_daemon_may_end_while_its_tiles_are_away)
{
    begin();
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true});
    fixture_release_workers(&farm.daemon);
    free(made.tiles);
    farm_stop_daemon();
    fake_worker_stop(&farm.worker);
}
END_TEST

START_TEST(a_server_that_dies_costs_nothing_but_time)
{
    begin();
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true});
    nats_server_kill(&farm.server);
    farm_await_none("farm_up");
    farm_finish(&made);
}
END_TEST

START_TEST(what_lies_in_the_cache_is_found_when_the_server_is_back)
{
    begin();
    farm_send_away(FAKE_IS_SILENT, &(farm_settings){.no_cache = true});
    farm_await("farm_jobs", 1); // one that is known to be there: others are built at home, or sent later
    nats_server_kill(&farm.server);
    farm_await_none("farm_up");
    nats_server_restart(&farm.server);
    farm_await("farm_up", 1);
    farm_await("farm_found", 1);
    ck_assert_uint_eq(farm_stat("jobs_built"), 0);
    farm_finish(&made);
}
END_TEST

START_TEST(a_server_that_answers_nothing_is_not_waited_for)
{
    begin();
    farm_start_daemon(NULL);
    farm_put_meshes();
    nats_server_pause(&farm.server);
    farm_put_objects();
    client_settle(&farm.a);
    ck_assert_uint_eq(farm_stat("jobs_built"), all);
    ck_assert_uint_ge(farm_stat("farm_asks_late"), 1);
    farm_check_same(&made);
    nats_server_go_on(&farm.server);
    farm_stop_daemon();
}
END_TEST

START_TEST(no_server_at_all)
{
    begin();
    farm_start_daemon(&(farm_settings){.url = "nats://127.0.0.1:1"});
    farm_put_meshes();
    farm_put_objects();
    client_settle(&farm.a);
    ck_assert_uint_eq(farm_stat("jobs_built"), all);
    farm_check_same(&made);
    farm_stop_daemon();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("coordinator");
    TCase *t = tcase_create("tiles"), *trouble = tcase_create("trouble"), *ends = tcase_create("ends");
    if (!nats_server_is_there()) return 0;
    tcase_add_checked_fixture(t, NULL, farm_stop);
    tcase_add_checked_fixture(trouble, NULL, farm_stop);
    tcase_add_checked_fixture(ends, NULL, farm_stop);
    tcase_add_test(t, what_one_daemon_has_made_another_one_finds);
    tcase_add_test(t, so_it_is_in_several_encodings);
    tcase_add_test(t, links_are_added_at_home);
    tcase_add_test(t, a_world_with_a_goal_keeps_its_tiles);
    tcase_add_test(t, workers_make_what_waits);
    tcase_add_test(t, workers_of_another_version_get_nothing);
    tcase_add_test(t, a_short_queue_stays_at_home);
    tcase_add_test(t, an_edit_of_tiles_that_are_away_does_not_wait);
    tcase_add_test(t, a_world_may_go_while_its_tiles_are_away);
    tcase_add_test(t, settings_may_change_while_tiles_are_away);
    tcase_add_test(ends, a_daemon_may_end_while_its_tiles_are_away);
    tcase_add_loop_test(trouble, whatever_a_worker_does_all_tiles_come, 0, sizeof ways / sizeof *ways);
    tcase_add_test(trouble, home_takes_back_what_is_slow);
    tcase_add_test(trouble, a_server_that_dies_costs_nothing_but_time);
    tcase_add_test(trouble, what_lies_in_the_cache_is_found_when_the_server_is_back);
    tcase_add_test(trouble, a_server_that_answers_nothing_is_not_waited_for);
    tcase_add_test(trouble, no_server_at_all);
    suite_add_tcase(s, t);
    suite_add_tcase(s, trouble);
    suite_add_tcase(s, ends);
    return run_suite_in_folder(s);
}
