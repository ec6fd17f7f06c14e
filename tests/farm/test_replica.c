// Worlds of one navd on another: what is changed on the one that publishes is on those that follow, whatever dies in
// between.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/edits.h"
#include "tests/farm/fleet.h"

#include <nats/nats.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6 };

static nats_server nats;
static member leader, replica;
static city town;
static objects standing;
static uint64_t chance = 5, revision;
static uint32_t unanswered;

static void on_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    (void)p;
    np_error err;
    np_world_edit_response answer;
    if (r->method != NP_WORLD_EDIT && r->method != NP_MESH_PUT) return;
    ck_assert_msg(!error, "%s was refused: %s", np_method_name(r->method), error ? error->message : "");
    if (r->method != NP_WORLD_EDIT) return;
    ck_assert_int_eq(np_decode_world_edit_response(m, &answer, &err), NAV_OK);
    ck_assert(answer.durable);
    revision = answer.revision;
    unanswered--;
}

static void edit_some(peer *editor, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const edit e = edit_draw(&town, &standing, &chance);
        edit_send(editor, &e);
        unanswered++;
    }
    while (unanswered && editor->fd >= 0) peers_run(&editor, 1, PATIENCE_MS);
    ck_assert_uint_eq(unanswered, 0);
}

// The stream of the log, with room for so many messages.
static void limit_log(int64_t messages)
{
    natsConnection *c = NULL;
    jsCtx *streams = NULL;
    jsStreamConfig config;
    const char *subjects[] = {"navd.*.log.*"};
    ck_assert_int_eq(natsConnection_ConnectTo(&c, nats.url), NATS_OK);
    ck_assert_int_eq(natsConnection_JetStream(&streams, c, NULL), NATS_OK);
    ck_assert_int_eq(jsStreamConfig_Init(&config), NATS_OK);
    config.Name = "navd_log";
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.MaxMsgs = messages;
    config.Discard = js_DiscardNew;
    ck_assert_int_eq(js_AddStream(NULL, streams, &config, NULL, NULL), NATS_OK);
    jsCtx_Destroy(streams);
    natsConnection_Destroy(c);
}

// name: of the server's store and of the leader, as the tests of a suite share a folder. log_messages 0: no limit.
static void begin(const char *name, int64_t log_messages, peer *author, peer *editor)
{
    char store[32];
    snprintf(store, sizeof store, "nats-%s", name);
    nats_server_start(&nats, store, NULL);
    if (log_messages) limit_log(log_messages);
    revision = 0;
    member_start(&leader, &nats, name, "publish", false);
    city_build(&town, "town", SIDE, leader.socket);
    objects_of_city(&standing, &town);
    fleet_open(author, &leader, "town", SIDE);
    peer_settle(author);
    peer_init(editor, "town", 0);
    editor->no_tiles = true;
    editor->on_answer = on_answer;
    ck_assert(peer_connect(editor, leader.socket));
    ck_assert(peer_greeted(editor));
}

static void must_agree(peer *author, peer *reader)
{
    fleet_await_synced(author, revision);
    fleet_await_synced(reader, revision);
    // A follower that has taken states in counts more revisions than its leader: it may be there with less.
    peer *const both[] = {author, reader};
    const double until = clock_ms() + PATIENCE_MS;
    for (uint32_t differ; (differ = peer_differences(author, reader)) != 0;) {
        ck_assert_msg(clock_ms() < until && author->fd >= 0 && reader->fd >= 0, "%u tiles differ", differ);
        peers_run(both, 2, 1000);
    }
}

START_TEST(a_replica_has_what_its_leader_has)
{
    peer author, editor, reader;
    if (!nats_server_is_there()) return;
    begin("leader", 0, &author, &editor);
    member_start(&replica, &nats, "replica", "follow", false);
    fleet_open(&reader, &replica, "town", SIDE);
    edit_some(&editor, 50);
    must_agree(&author, &reader);
    fleet_check(&replica);

    np_error err = {0};
    const np_op op = city_move(SIDE, 1, 1, 3);
    const np_world_edit_request r = {.world = reader.world, .op_count = 1, .ops = &op};
    ck_assert_int_eq(peer_call(&reader, NP_WORLD_EDIT, &r, NULL, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, leader.socket) != NULL, "%s", err.message);

    member_kill(&replica);
    peer_deinit(&reader);
    edit_some(&editor, 50);
    member_restart(&replica);
    daemon_await(&replica.navd, "event=replica.live", NULL);
    peer_init(&reader, "town", SIDE);
    ck_assert(peer_connect(&reader, replica.socket));
    ck_assert(peer_greeted(&reader));
    must_agree(&author, &reader);

    ck_assert_int_eq(peer_call(&editor, NP_WORLD_DELETE, &(np_world_delete_request){editor.world}, NULL, &err), NAV_OK);
    daemon_await(&replica.navd, "event=world.deleted", NULL);
    member_kill(&replica);
    member_restart(&replica);
    daemon_await(&replica.navd, "event=replica.live", NULL);
    peer_deinit(&author);
    peer_deinit(&editor);
    peer_deinit(&reader);
    member_stop(&replica);
    member_stop(&leader);
    nats_server_kill(&nats);
}
END_TEST

START_TEST(a_leader_and_a_server_that_die_are_made_up_for)
{
    peer author, editor, reader;
    if (!nats_server_is_there()) return;
    begin("mortal", 0, &author, &editor);
    member_start(&replica, &nats, "replica", "follow", true);
    fleet_open(&reader, &replica, "town", SIDE);
    edit_some(&editor, 20);
    must_agree(&author, &reader);

    nats_server_kill(&nats);
    edit_some(&editor, 20); // edits do not wait for the farm
    nats_server_restart(&nats);
    must_agree(&author, &reader);

    member_kill(&leader);
    peer_deinit(&author);
    peer_deinit(&editor);
    member_restart(&leader);
    daemon_await(&replica.navd, "event=replica.live", NULL);
    peer_init(&author, "town", SIDE);
    ck_assert(peer_connect(&author, leader.socket));
    peer_settle(&author);
    peer_init(&editor, "town", 0);
    editor.no_tiles = true;
    editor.on_answer = on_answer;
    ck_assert(peer_connect(&editor, leader.socket) && peer_greeted(&editor));
    edit_some(&editor, 20);
    must_agree(&author, &reader);
    fleet_check(&replica);
    peer_deinit(&author);
    peer_deinit(&editor);
    peer_deinit(&reader);
    member_stop(&replica);
    member_stop(&leader);
    nats_server_kill(&nats);
}
END_TEST

static void end(peer *author, peer *editor, peer *reader)
{
    peer_deinit(author);
    peer_deinit(editor);
    peer_deinit(reader);
    member_stop(&replica);
    member_stop(&leader);
    nats_server_kill(&nats);
}

// No world's log is long enough for a state of its own accord, and all of them together are more than there is room
// for.
START_TEST(a_log_that_is_full_goes_on_behind_states)
{
    peer author, editor, reader;
    if (!nats_server_is_there()) return;
    begin("full", 40, &author, &editor);
    member_start(&replica, &nats, "follows-full", "follow", false);
    fleet_open(&reader, &replica, "town", SIDE);
    while (daemon_count(&leader.navd, "event=replica.log_full") < 3) edit_some(&editor, 100);
    must_agree(&author, &reader);
    fleet_check(&replica);
    end(&author, &editor, &reader);
}
END_TEST

START_TEST(what_went_into_a_state_before_it_was_read_is_not_missed)
{
    peer author, editor, reader, late;
    city suburb;
    if (!nats_server_is_there()) return;
    begin("away", 0, &author, &editor);
    member_start(&replica, &nats, "was-away", "follow", false);
    fleet_open(&reader, &replica, "town", SIDE);
    edit_some(&editor, 10);
    must_agree(&author, &reader);
    while (daemon_stat(&leader.navd, "replica_states_out") < 1) edit_some(&editor, 1);
    kill(replica.navd.pid, SIGSTOP);
    const uint64_t until = daemon_stat(&leader.navd, "replica_states_out") + 1;
    city_build(&suburb, "suburb", SIDE, leader.socket);
    while (daemon_stat(&leader.navd, "replica_states_out") < until) peers_run((peer *[]){&author}, 1, 20);
    kill(replica.navd.pid, SIGCONT);
    fleet_open(&late, &replica, "suburb", SIDE);
    fleet_await_same(leader.socket, replica.socket, "suburb", SIDE);
    must_agree(&author, &reader);
    fleet_check(&replica);
    peer_deinit(&late);
    end(&author, &editor, &reader);
}
END_TEST

// What waits for a server that is away has a limit; states make up for what is behind it.
START_TEST(a_leader_without_a_server_does_not_keep_all_that_was_edited)
{
    peer author, editor, reader;
    np_op ops[SIDE * SIDE];
    uint32_t turn = 0;
    if (IS_SANITIZED) return; // its own memory for all that waits is several times as much, and counts, too
    if (!nats_server_is_there()) return;
    leader.more[0] = "--max-memory-bytes";
    leader.more[1] = "128M"; // an eighth of it may wait
    begin("memory", 0, &author, &editor);
    leader.more[0] = NULL;
    member_start(&replica, &nats, "follows-memory", "follow", false);
    fleet_open(&reader, &replica, "town", SIDE);
    edit_some(&editor, 10);
    must_agree(&author, &reader);
    nats_server_kill(&nats);
    while (!daemon_said(&leader.navd, "too much waits for the log")) {
        for (int i = 0; i < SIDE * SIDE; i++) ops[i] = city_put(&town, i % SIDE, i / SIDE, turn % CITY_TURNS);
        for (int k = 0; k < 50; k++, turn++, unanswered++) city_apply(&editor, (const float[3]){0}, ops, SIDE * SIDE);
        edit_some(&editor, 0);
    }
    nats_server_restart(&nats);
    edit_some(&editor, 10);
    must_agree(&author, &reader);
    fleet_check(&replica);
    end(&author, &editor, &reader);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("replica");
    TCase *t = tcase_create("replica");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_replica_has_what_its_leader_has);
    tcase_add_test(t, a_leader_and_a_server_that_die_are_made_up_for);
    tcase_add_test(t, a_log_that_is_full_goes_on_behind_states);
    tcase_add_test(t, what_went_into_a_state_before_it_was_read_is_not_missed);
    tcase_add_test(t, a_leader_without_a_server_does_not_keep_all_that_was_edited);
    return run_suite_in_folder(s);
}
