// Two navd of which one leads, and the other takes over: after kill -9, with processes that are paused, with clocks
// that jump, with a server that dies. What was answered is never lost, and never do two of them take changes.
//
// NAVD_TAKEOVERS, NAVD_SERVER_KILLS say how often.
#include "daemon/replica/entry.h"
#include "daemon/replica/subjects.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/edited_world.h"
#include "tests/farm/fleet.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, WORLDS = EDITED_WORLDS };
#define FARM "navd"
#define LEADS "role=\"leads\""

static nats_server nats;
static member members[2];
static daemon_process truth;
static edited_world worlds[WORLDS];
static uint64_t chance;

// tag: of all names, as the tests of a suite share a folder.
static void start_all(char tag, const char *const *first, const char *const *second)
{
    char name[16];
    chance = wanted_count("NAVD_SEED", 3);
    nats_server_start(&nats, "nats", NULL);
    daemon_launch(&truth, &(daemon_options){.no_tcp = true, .socket = temp_path("truth.sock")});
    for (int i = 0; i < 2; i++) {
        members[i].environment = i ? second : first;
        snprintf(name, sizeof name, "%s-%c", i ? "second" : "first", tag);
        member_start(&members[i], &nats, name, "standby", false);
        daemon_await(&members[i].navd, i ? "event=replica.live" : LEADS, NULL);
    }
    for (int i = 0; i < WORLDS; i++) {
        edited_begin(&worlds[i], i, SIDE, &members[0].navd, &truth);
        worlds[i].may_refuse = true;
    }
}

static void end_all(void (*end)(member *m))
{
    for (int i = 0; i < WORLDS; i++) edited_end(&worlds[i]);
    for (int i = 0; i < 2; i++) end(&members[i]);
    ck_assert_int_eq(daemon_stop(&truth), 0);
    nats_server_kill(&nats);
}

static void connect_editors(const member *m)
{
    for (int i = 0; i < WORLDS; i++) {
        worlds[i].refused = false;
        ck_assert(peer_connect(&worlds[i].editor, m->socket));
        ck_assert(peer_greeted(&worlds[i].editor));
    }
}

static double newest_answer(void)
{
    double newest = 0;
    for (int i = 0; i < WORLDS; i++)
        if (worlds[i].acknowledged_ms > newest) newest = worlds[i].acknowledged_ms;
    return newest;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_counts(const char *what, uint64_t rounds)
{
    uint64_t edits = 0, acknowledged = 0, refused = 0;
    for (int i = 0; i < WORLDS; i++) {
        edits += worlds[i].edits;
        acknowledged += worlds[i].acknowledged_edits;
        refused += worlds[i].refused_edits;
    }
    printf("%s: %llu times, %llu edits sent, %llu acknowledged, %llu refused, 0 lost, 0 wrong tiles\n", what,
           (unsigned long long)rounds, (unsigned long long)edits, (unsigned long long)acknowledged,
           (unsigned long long)refused);
}

START_TEST(a_standby_takes_over_with_all_that_was_answered)
{
    const uint64_t rounds = wanted_count("NAVD_TAKEOVERS", FULL_OR_SANITIZED(6, 2));
    double *took_ms = calloc(rounds + 1, sizeof *took_ms);
    if (!nats_server_is_there()) return;
    start_all('a', NULL, NULL);
    for (uint64_t round = 0; round < rounds; round++) {
        member *dies = &members[round % 2], *other = &members[1 - round % 2];
        connect_editors(dies);
        const double began = clock_ms();
        edited_run(worlds, began + 1 + random_below(&chance, 300000) * 0.001, &chance);
        member_kill(dies);
        const double killed = clock_ms();
        for (int i = 0; i < WORLDS; i++) edited_read_to_the_end(&worlds[i]);
        const double newest = newest_answer(), last = newest > began ? newest : killed;
        daemon_await(&other->navd, LEADS, NULL);
        // The standby serves: an edit that it has answered. It goes into a world of its own.
        peer p;
        np_profile walker = {.name = np_str_of("walker")};
        char name[32];
        snprintf(name, sizeof name, "served%llu", (unsigned long long)round);
        nav_settings_default(&walker.settings);
        const np_world_open_request open = {
            .name = np_str_of(name), .create = true, .profile_count = 1, .profiles = &walker};
        peer_init(&p, name, 0);
        np_error err = {0};
        ck_assert(peer_dial(&p, other->socket));
        ck_assert_int_eq(peer_call(&p, NP_HELLO, &(np_hello_request){.version = NP_PROTOCOL_VERSION}, NULL, &err),
                         NAV_OK);
        ck_assert_msg(peer_call(&p, NP_WORLD_OPEN, &open, NULL, &err) == NAV_OK, "%s", err.message);
        took_ms[round] = clock_ms() - last;
        peer_deinit(&p);
        for (int i = 0; i < WORLDS; i++) edited_check(&worlds[i], &other->navd, round);
        member_restart(dies);
        daemon_await(&dies->navd, "event=replica.live", NULL);
        fleet_check(dies);
    }
    print_counts("standby", rounds);
    if (rounds) {
        qsort(took_ms, rounds, sizeof *took_ms, compare_doubles);
        printf("standby: from the last answered edit to the first one that the other answers: median %.0f ms, at most "
               "%.0f ms\n",
               took_ms[rounds / 2], took_ms[rounds - 1]);
    }
    free(took_ms);
    end_all(member_stop);
}
END_TEST

// What its daemon had sent before it was paused.
static void read_what_is_there(edited_world *w)
{
    peer *peers[] = {&w->editor, &w->truth};
    uint32_t before;
    do {
        before = w->pending_count;
        peers_run(peers, 2, 20);
    } while (w->pending_count < before);
}

// While the first is paused the second takes over; then the first goes on, with edits that it had not answered.
static void pause_and_go_on(edited_world *old, edited_world *new)
{
    connect_editors(&members[0]);
    edited_run(worlds, clock_ms() + 100, &chance);
    kill(members[0].navd.pid, SIGSTOP);
    read_what_is_there(old);
    while (old->pending_count < EDITED_IN_FLIGHT) edited_send(old, &chance); // read when it goes on
    peer_flush(&old->editor);
    daemon_await(&members[1].navd, LEADS, NULL);
    peer_close(&new->editor);
    edited_check(new, &members[1].navd, 0);
    ck_assert(peer_connect(&new->editor, members[1].socket) && peer_greeted(&new->editor));
    edited_run(worlds, clock_ms() + 50, &chance); // the other has as many under way as it may
    edited_settle(new);
    ck_assert_uint_eq(new->refused_edits, 0);
    kill(members[0].navd.pid, SIGCONT);
    edited_settle(old); // refused, or in the log from before the pause
}

START_TEST(a_leader_that_was_paused_takes_no_more_edits)
{
    if (!nats_server_is_there()) return;
    start_all('b', NULL, NULL);
    edited_world *old = &worlds[0], *new = &worlds[1];
    pause_and_go_on(old, new);
    daemon_await(&members[0].navd, "event=replica.steps_down", NULL);
    daemon_await(&members[0].navd, "event=replica.live", NULL);
    // It says who leads now.
    np_error err = {0};
    const np_op op = city_move(SIDE, 1, 1, 3);
    const np_world_edit_request r = {.world = old->editor.world, .op_count = 1, .ops = &op};
    ck_assert_int_eq(peer_call(&old->editor, NP_WORLD_EDIT, &r, NULL, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, members[1].socket) != NULL, "%s", err.message);
    for (int i = 0; i < WORLDS; i++) {
        edited_check(&worlds[i], &members[1].navd, 1);
        fleet_await_same(members[0].socket, members[1].socket, worlds[i].name, SIDE);
    }
    print_counts("paused leader", 1);
    end_all(member_stop);
}
END_TEST

START_TEST(a_standby_that_was_paused_does_not_take_over)
{
    if (!nats_server_is_there()) return;
    start_all('c', NULL, NULL);
    connect_editors(&members[0]);
    kill(members[1].navd.pid, SIGSTOP);
    edited_run(worlds, clock_ms() + 2500, &chance); // longer than a lease
    kill(members[1].navd.pid, SIGCONT);
    edited_run(worlds, clock_ms() + 500, &chance);
    for (int i = 0; i < WORLDS; i++) edited_settle(&worlds[i]);
    for (int i = 0; i < WORLDS; i++) fleet_await_same(members[0].socket, members[1].socket, worlds[i].name, SIDE);
    // It goes on by now. It leads only where the other one could not renew its lease in time, and has stepped down.
    ck_assert(!daemon_said(&members[1].navd, LEADS) || daemon_said(&members[0].navd, "event=replica.steps_down"));
    end_all(member_stop);
}
END_TEST

// A jump may cut the library's connection, and then the other takes over as it should.
START_TEST(clocks_that_jump_lose_nothing)
{
    const char *const environment[] = {"LD_PRELOAD=" CLOCK_SHIM_PATH, "CLOCK_SHIM_SECONDS=3",
                                       // libnats waits by that clock, also for the end of its own threads
                                       "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0", NULL};
    if (!nats_server_is_there()) return;
    start_all('d', environment, environment);
    connect_editors(&members[0]);
    edited_run(worlds, clock_ms() + 8000, &chance); // some jumps
    for (int i = 0; i < WORLDS; i++) edited_settle(&worlds[i]);
    for (int i = 0; i < WORLDS; i++) {
        fleet_await_same(members[0].socket, members[1].socket, worlds[i].name, SIDE);
        edited_check(&worlds[i], &members[0].navd, 0);
        edited_check(&worlds[i], &members[1].navd, 1);
    }
    print_counts("clocks that jump", 1);
    // Not told to stop: the library's last wait would end by a clock that only it sees.
    end_all(member_kill);
}
END_TEST

START_TEST(a_leader_that_ends_gives_its_place_away)
{
    if (!nats_server_is_there()) return;
    start_all('e', NULL, NULL);
    connect_editors(&members[0]);
    edited_run(worlds, clock_ms() + 100, &chance);
    for (int i = 0; i < WORLDS; i++) edited_settle(&worlds[i]);
    member_stop(&members[0]);
    const double began = clock_ms();
    daemon_await(&members[1].navd, LEADS, NULL);
    printf("standby: %.0f ms after the leader has ended it leads\n", clock_ms() - began);
    for (int i = 0; i < WORLDS; i++) edited_check(&worlds[i], &members[1].navd, 0);
    member_restart(&members[0]);
    daemon_await(&members[0].navd, "event=replica.live", NULL);
    end_all(member_stop);
}
END_TEST

START_TEST(a_server_that_dies_loses_nothing)
{
    const uint64_t rounds = wanted_count("NAVD_SERVER_KILLS", FULL_OR_SANITIZED(6, 2));
    if (!nats_server_is_there()) return;
    start_all('f', NULL, NULL);
    member *leader = &members[0]; // the other one, where the server was back too late for it
    for (uint64_t round = 0; round < rounds; round++) {
        connect_editors(leader);
        edited_run(worlds, clock_ms() + 50 + random_below(&chance, 100), &chance);
        nats_server_kill(&nats);
        edited_run(worlds, clock_ms() + random_below(&chance, 300), &chance);
        nats_server_restart(&nats);
        for (int i = 0; i < WORLDS; i++) edited_settle(&worlds[i]);
        for (int i = 0; i < WORLDS; i++) peer_close(&worlds[i].editor);
        leader = fleet_await_leader(members, 2);
        for (int i = 0; i < WORLDS; i++) edited_check(&worlds[i], &leader->navd, round);
        for (int i = 0; i < WORLDS; i++) fleet_await_same(members[0].socket, members[1].socket, worlds[i].name, SIDE);
    }
    print_counts("server killed", rounds);
    end_all(member_stop);
}
END_TEST

// What was answered is not all on its disk then.
START_TEST(a_standby_whose_disk_fails_takes_over_when_it_has_followed_again)
{
    char disk[PATH_BYTES], variable[PATH_BYTES + 32];
    const char *const environment[] = {variable, "LD_PRELOAD=" DISK_SHIM_PATH, "ASAN_OPTIONS=verify_asan_link_order=0",
                                       NULL};
    if (!nats_server_is_there()) return;
    write_text(path_into(disk, "disk"), "");
    snprintf(variable, sizeof variable, "NAVD_DISK_SWITCH=%s", disk);
    start_all('g', NULL, environment);
    connect_editors(&members[0]);
    edited_run(worlds, clock_ms() + 50, &chance);
    write_text(disk, "EIO");
    edited_run(worlds, clock_ms() + 100, &chance);
    for (int i = 0; i < WORLDS; i++) edited_settle(&worlds[i]);
    daemon_await(&members[1].navd, "event=edit.undone", NULL);
    member_kill(&members[0]);
    for (int i = 0; i < WORLDS; i++) edited_read_to_the_end(&worlds[i]);
    edited_run(worlds, clock_ms() + 2500, &chance); // longer than a lease
    ck_assert(!daemon_said(&members[1].navd, LEADS));
    write_text(disk, "");
    daemon_await(&members[1].navd, LEADS, NULL);
    for (int i = 0; i < WORLDS; i++) edited_check(&worlds[i], &members[1].navd, 0);
    member_restart(&members[0]);
    daemon_await(&members[0].navd, "event=replica.live", NULL);
    end_all(member_stop);
}
END_TEST

// Another has led meanwhile, and has written its note twice: what stood where the leader's next entry was to be is
// purged.
static void lead_for_a_moment(const char *url)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    const nd_leader_note note = {.epoch = 100, .id = "another", .name = "another"};
    natsConnection *connection = NULL;
    jsCtx *streams = NULL;
    nav_buffer bytes = {0};
    jsErrCode code = 0;
    jsOptions o;
    nd_log_stream(FARM, stream);
    nd_leader_subject(FARM, subject);
    jsOptions_Init(&o);
    o.Stream.Purge.Subject = subject;
    o.Stream.Purge.Keep = 1;
    ck_assert_int_eq(nd_leader_note_write(&bytes, &note), NAV_OK);
    ck_assert_int_eq(natsConnection_ConnectTo(&connection, url), NATS_OK);
    ck_assert_int_eq(natsConnection_JetStream(&streams, connection, NULL), NATS_OK);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(js_Publish(NULL, streams, subject, bytes.data, (int)bytes.size, NULL, &code), NATS_OK);
    ck_assert_int_eq(js_PurgeStream(streams, stream, &o, &code), NATS_OK);
    jsCtx_Destroy(streams);
    natsConnection_Destroy(connection);
    nav_buffer_deinit(&bytes);
}

START_TEST(a_leader_whose_place_in_the_log_is_purged)
{
    if (!nats_server_is_there()) return;
    start_all('h', NULL, NULL);
    connect_editors(&members[0]);
    lead_for_a_moment(nats.url);
    np_error err = {0};
    const np_op op = city_move(SIDE, 1, 1, 3);
    const np_world_edit_request r = {.world = worlds[0].editor.world, .op_count = 1, .ops = &op};
    ck_assert_int_eq(peer_call(&worlds[0].editor, NP_WORLD_EDIT, &r, NULL, &err), NAV_ERR_STATE);
    daemon_await(&members[0].navd, "event=replica.steps_down", NULL);
    end_all(member_stop);
}
END_TEST

// A case each, so that CK_RUN_CASE can name one.
static void add(Suite *s, const char *name, const TTest *test)
{
    TCase *t = tcase_create(name);
    tcase_set_timeout(t, 0);
    suite_add_tcase(s, t);
    tcase_add_test(t, test);
}

int main(void)
{
    Suite *s = suite_create("standby");
    add(s, "takeover", a_standby_takes_over_with_all_that_was_answered);
    add(s, "paused", a_leader_that_was_paused_takes_no_more_edits);
    add(s, "paused_standby", a_standby_that_was_paused_does_not_take_over);
    add(s, "clocks", clocks_that_jump_lose_nothing);
    add(s, "ends", a_leader_that_ends_gives_its_place_away);
    add(s, "server", a_server_that_dies_loses_nothing);
    add(s, "purged", a_leader_whose_place_in_the_log_is_purged);
    add(s, "disk", a_standby_whose_disk_fails_takes_over_when_it_has_followed_again);
    return run_suite_in_folder(s);
}
