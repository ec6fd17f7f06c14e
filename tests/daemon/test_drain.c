// Stopping without loss: what was begun is finished, and nothing new begins.
#include "tests/check.h"
#include "tests/daemon/fixture.h"
#include "tests/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static daemon_fixture daemon_;
static char state[64];

static void configure(nd_config *c)
{
    strcpy(c->state, state);
    c->commit_ms = 300; // so long that an order comes in between
}

static void start(void)
{
    fixture_start(&daemon_, configure);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
}

static void make_state(void)
{
    strcpy(state, "/tmp/navd-state-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    start();
}

static void remove_state(void)
{
    remove_folder(state);
}

static void drain(void)
{
    nd_server_drain(daemon_.server);
}

// The daemon has ended, or is about to.
static void join(void)
{
    daemon_.status = NAV_ERR_CLOSED; // so that the fixture does not stop it
    fixture_stop(&daemon_);
}

START_TEST(clients_hear_it_and_an_idle_daemon_ends_at_once)
{
    client a, silent;
    client_connect(&a, &daemon_);
    client_connect(&silent, &daemon_);
    client_greet(&a);
    drain();
    np_message m;
    while (client_read(&a, &m)) np_message_deinit(&m);
    ck_assert_uint_eq(a.bye_notes, 1);
    ck_assert(client_is_closed(&silent));
    client_close(&a);
    client_close(&silent);
    join();
}
END_TEST

// The edit is in memory at once, and waits for its group when the order comes.
START_TEST(an_edit_that_was_read_is_made_durable_and_answered)
{
    client c;
    client_connect(&c, &daemon_);
    client_open(&c);
    nav_key box = client_put_box(&c, 1, 1, 1);
    np_op op = op_put(1, box, 0, 0, 0);
    np_world_edit_request edit = {.world = c.world, .op_count = 1, .ops = &op};
    np_stats_request ask = {0};
    uint32_t edit_id = client_send(&c, NP_WORLD_EDIT, &edit), stats_id = client_send(&c, NP_STATS, &ask);
    bool durable = false, read = false;
    np_message m;
    while (!read && client_read(&c, &m)) {
        read = m.kind == NP_RESPONSE && m.id == stats_id;
        durable |= m.kind == NP_RESPONSE && m.id == edit_id;
        np_message_deinit(&m);
    }
    drain();
    np_error err;
    while (client_read(&c, &m)) {
        np_world_edit_response answer;
        if (m.kind == NP_RESPONSE && m.id == edit_id)
            durable = np_response_decode(&m, NP_WORLD_EDIT, &answer, &err) == NAV_OK;
        np_message_deinit(&m);
    }
    ck_assert(durable);
    ck_assert_uint_eq(c.bye_notes, 1);
    client_close(&c);
    join();

    start(); // another one, on the same state
    client_connect(&c, &daemon_);
    client_greet(&c);
    ck_assert_uint_eq(client_stat(&c, "instances"), 1);
    client_close(&c);
    drain();
    join();
}
END_TEST

START_TEST(a_second_order_ends_it_although_a_client_does_not_read)
{
    client c;
    client_connect(&c, &daemon_);
    client_greet(&c);
    int little = 4096;
    setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    np_stats_request ask = {0};
    for (int i = 0; i < 500; i++) client_send(&c, NP_STATS, &ask); // megabytes of answers that nobody reads
    np_message m;
    ck_assert(client_read(&c, &m)); // it is at it
    np_message_deinit(&m);
    drain();
    nd_server_stop(daemon_.server);
    join();
    client_close(&c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("drain");
    TCase *t = tcase_create("drain");
    tcase_add_checked_fixture(t, make_state, remove_state);
    suite_add_tcase(s, t);
    tcase_add_test(t, clients_hear_it_and_an_idle_daemon_ends_at_once);
    tcase_add_test(t, an_edit_that_was_read_is_made_durable_and_answered);
    tcase_add_test(t, a_second_order_ends_it_although_a_client_does_not_read);
    return run_suite(s);
}
