// navctl farm: what a daemon says of the farm that it is in.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
#include "tests/farm/nats_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nats_server nats;

static void start_server(void)
{
    nats_server_start(&nats, "nats", NULL);
}

static void stop_server(void)
{
    nats_server_kill(&nats);
}

static void start_navd(daemon_process *d, const char *socket, const char *kind, const char *value)
{
    char path[PATH_BYTES];
    const char *arguments[] = {"--farm", nats.url, kind, value, NULL};
    const daemon_options o = {.arguments = arguments, .socket = path_into(path, socket), .no_tcp = true};
    daemon_launch(d, &o);
}

START_TEST(members_streams_and_jobs_are_shown)
{
    daemon_process first, second;
    start_navd(&first, "first.sock", "--farm-tiles", "16");
    start_navd(&second, "second.sock", "--farm-tiles", "17");
    daemon_await(&first, "event=farm.up", NULL);
    outcome r = run_navctl("farm", "-c", first.socket, "--json", NULL);
    EXPECT_CODE(r, 0);
    // It hears itself and the other one once a second; until then the list is shorter.
    bool both = false;
    for (double until = clock_ms() + PATIENCE_MS; clock_ms() < until && !both;) {
        r = run_navctl("farm", "-c", first.socket, "--json", NULL);
        EXPECT_CODE(r, 0);
        const char *member = strstr(r.out, "\"daemon\"");
        both = member && strstr(member + 1, "\"daemon\"");
    }
    ck_assert_msg(both, "%s", r.out);
    ck_assert_msg(strstr(r.out, "\"up\": true") && strstr(r.out, "\"worlds\": \"local\""), "%s", r.out);
    ck_assert_int_eq((int)json_value(r.out, "jobs_waiting"), 0);
    ck_assert_msg(strstr(r.out, "\"name\": \"jobs\"") && strstr(r.out, "\"name\": \"tiles\""), "%s", r.out);
    r = run_navctl("farm", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "its server answers") && strstr(r.out, "stream jobs"), "%s", r.out);
    ck_assert_int_eq(daemon_stop(&second), 0);
    ck_assert_int_eq(daemon_stop(&first), 0);
}
END_TEST

START_TEST(a_server_that_is_away_delays_nothing)
{
    daemon_process navd;
    start_navd(&navd, "navd.sock", "--farm-tiles", "16");
    daemon_await(&navd, "event=farm.up", NULL);
    nats_server_kill(&nats);
    daemon_await(&navd, "event=farm.down", NULL);
    outcome r = run_navctl("farm", "-c", navd.socket, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"up\": false") && strstr(r.out, "\"streams\": []"), "%s", r.out);
    r = run_navctl("farm", "-c", navd.socket, NULL);
    ck_assert_msg(strstr(r.out, "cannot be reached"), "%s", r.out);
    // One that answers nothing while it was asked: the daemon does.
    nats_server_restart(&nats);
    daemon_await(&navd, "event=farm.up", NULL);
    nats_server_pause(&nats);
    r = run_navctl("farm", "-c", navd.socket, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(!strstr(r.out, "jobs_waiting"), "%s", r.out);
    nats_server_go_on(&nats);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_follower_says_how_far_it_is)
{
    daemon_process leader, follower;
    char path[PATH_BYTES], page[8192];
    char leader_path[PATH_BYTES], leader_state[PATH_BYTES], state[PATH_BYTES];
    const char *leading[] = {"--farm", nats.url, "--farm-worlds", "publish", NULL};
    const daemon_options first = {.arguments = leading,
                                  .socket = path_into(leader_path, "leader.sock"),
                                  .state = path_into(leader_state, "leader"),
                                  .no_tcp = true};
    daemon_launch(&leader, &first);
    const char *arguments[] = {"--farm", nats.url, "--farm-worlds", "follow", "--http-listen", "127.0.0.1:0", NULL};
    const daemon_options o = {.arguments = arguments,
                              .socket = path_into(path, "follower.sock"),
                              .state = path_into(state, "follower"),
                              .no_tcp = true};
    daemon_launch(&follower, &o);
    const int port = atoi(strstr(daemon_await(&follower, "event=http.opened", "port=", NULL), "port=") + 5);
    EXPECT_CODE(run_navctl("push", yard(), "-w", "yard", "-c", leader.socket, NULL), 0);
    outcome r = run_navctl("farm", "-c", leader.socket, "--json", NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"worlds\": \"publish\""), "%s", r.out);
    // It has the edit in the end, is told so, and counts its way.
    bool there = false;
    for (double until = clock_ms() + PATIENCE_MS; clock_ms() < until && !there;) {
        r = run_navctl("farm", "-c", follower.socket, "--json", NULL);
        EXPECT_CODE(r, 0);
        there = strstr(r.out, "\"role\": \"follows\"") && strstr(r.out, "\"live\": true") &&
                strstr(r.out, "\"kind\": \"replica\"") &&
                daemon_stat(&follower, "replica_entries_in") + daemon_stat(&follower, "replica_states_in") > 0;
    }
    ck_assert_msg(there && strstr(r.out, "\"leads\": false"), "%s", r.out);
    ck_assert_uint_eq(daemon_stat(&follower, "replica_live"), 1);
    for (double until = clock_ms() + PATIENCE_MS; clock_ms() < until;) { // tiles may still be made
        r = run_navctl("farm", "-c", follower.socket, "--check", NULL);
        if (r.code == 0) break;
    }
    ck_assert_msg(r.code == 0 && !strncmp(r.out, "same     yard: revision", 23), "%s%s", r.out, r.err);
    ck_assert_uint_eq(daemon_stat(&leader, "replica_leads"), 1);
    daemon_ask_page(port, "/readyz", page, sizeof page);
    ck_assert_msg(strstr(page, " 200 "), "%s", page);
    ck_assert_int_eq(daemon_stop(&follower), 0);
    ck_assert_int_eq(daemon_stop(&leader), 0);
}
END_TEST

// With the exit code of a wrong configuration, so that no service manager tries it again and again.
START_TEST(options_that_make_no_sense_are_refused_at_the_start)
{
    static const struct {
        const char *arguments[6], *words;
    } cases[] = {{{"--worker", NULL}, "there is no farm to work for"},
                 {{"--farm-worlds", "follow", NULL}, "there is no farm"},
                 {{"--farm", "nats://a:1", "--farm-worlds", "standby", NULL}, "set state to a folder"},
                 {{"--farm", "nats://a:1", "--farm-name", "a.b", NULL}, "farm_name"},
                 {{"--farm", "a:1", NULL}, "nats://HOST:PORT"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048] = "";
        ck_assert_int_eq(daemon_refused(&(daemon_options){.arguments = cases[i].arguments}, text, sizeof text), 2);
        ck_assert_msg(strstr(text, cases[i].words) != NULL, "%zu: %s", i, text);
    }
}
END_TEST

START_TEST(a_daemon_in_no_farm_says_so)
{
    daemon_process navd;
    daemon_start(&navd, NULL);
    outcome r = run_navctl("farm", "-c", navd.socket, NULL);
    expect_error(&r, 1, "in no farm: start it with --farm");
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("status");
    TCase *t = tcase_create("none");
    tcase_set_timeout(t, TEST_S);
    tcase_add_test(t, options_that_make_no_sense_are_refused_at_the_start);
    tcase_add_test(t, a_daemon_in_no_farm_says_so);
    suite_add_tcase(s, t);
    if (nats_server_is_there()) {
        t = tcase_create("server");
        tcase_set_timeout(t, TEST_S);
        tcase_add_checked_fixture(t, start_server, stop_server);
        tcase_add_test(t, members_streams_and_jobs_are_shown);
        tcase_add_test(t, a_server_that_is_away_delays_nothing);
        tcase_add_test(t, a_follower_says_how_far_it_is);
        suite_add_tcase(s, t);
    }
    return run_suite_in_folder(s);
}
