// Sessions over WebSockets: they are sessions like all others, and frames are what no client can harm the daemon with.
#include "tests/check.h"
#include "tests/daemon/web_client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static daemon_fixture daemon_;
static client a; // over the Unix socket, an admin
static int port;
static char token[ND_TOKEN_BYTES];

static void with_view(nd_config *c)
{
    strcpy(c->view, "0");
    c->auth_delay_ms = 1;
    c->max_unauthenticated = 4;
}

static void with_little_output(nd_config *c)
{
    with_view(c);
    c->stall_s = 1;
}

static void make_token(bool edit, char out[ND_TOKEN_BYTES])
{
    np_view_open_request r = {.edit = edit};
    np_view_open_response answer;
    ck_assert_int_eq(client_call(&a, NP_VIEW_OPEN, &r, &answer, NULL), NAV_OK);
    snprintf(out, ND_TOKEN_BYTES, "%.*s", (int)answer.token.size, answer.token.data);
}

static void begin(void (*change)(nd_config *c))
{
    fixture_start(&daemon_, change);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    port = nd_server_view_port(daemon_.server);
    client_connect(&a, &daemon_);
    client_open(&a);
    make_token(false, token);
}

static void start(void)
{
    begin(with_view);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static void put_ground(float half)
{
    np_op put = op_put(1, client_put_box(&a, half, 0.5f, half), 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
}

// The daemon says why with id 0, and ends the WebSocket with its word.
static void must_end(client *c, nav_status status, const char *says, const char *word, unsigned code)
{
    np_message m = {0};
    np_error e = {0};
    ck_assert_msg(client_read(c, &m), "closed without a word, expected %s", says);
    ck_assert_uint_eq(m.id, 0);
    ck_assert_ptr_nonnull(m.error);
    ck_assert_int_eq(np_error_decode(&m, &e), status);
    ck_assert_msg(strstr(e.message, says), "%s", e.message);
    np_message_deinit(&m);
    ck_assert(client_is_closed(c));
    ck_assert_uint_eq(web_state_of(c)->close_code, code);
    ck_assert_str_eq(web_state_of(c)->close_reason, word);
    client_close(c);
}

START_TEST(tiles_over_a_websocket_are_those_over_a_socket)
{
    client w;
    put_ground(20);
    web_enter(&w, port, token);
    w.world = a.world;
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_subscribe(&w, NP_ENCODING_NAVD);
    client_settle(&a);
    client_settle(&w);
    ck_assert_uint_gt(w.tile_count, 10);
    for (size_t i = 0; i < w.tile_count; i++) {
        const seen_tile *mine = &w.tiles[i], *other = client_last_tile(&a, mine->x, mine->z, 0);
        ck_assert(mine->data_good);
        ck_assert_ptr_nonnull(other);
        ck_assert(nav_key_equal(mine->data_key, other->data_key));
    }
    client_close(&w);
}
END_TEST

START_TEST(where_frames_and_fragments_end_means_nothing)
{
    client w;
    nav_buffer hello = {0};
    np_hello_response answer;
    const np_hello_request r = {.version = NP_PROTOCOL_VERSION, .token = np_str_of(token), .keepalive = true};
    ck_assert_uint_eq(web_open(&w, port, NULL), 101);
    ck_assert_int_eq(np_request_encode(&hello, NP_HELLO, w.next_id, &r), NAV_OK);
    // Each byte a fragment, now and then a new message, pings and empty frames between them.
    for (size_t i = 0; i < hello.size; i++) {
        unsigned first = i % 7 ? WEB_CONTINUATION : WEB_BINARY;
        if (i % 7 == 6 || i + 1 == hello.size) first |= WEB_FINAL;
        if (i % 10 == 3) web_send_frame(w.fd, WEB_FINAL | WEB_PING, 2, "hi", 2);
        web_send_frame(w.fd, first, 1, hello.data + i, 1);
        if (first & WEB_FINAL) web_send_frame(w.fd, WEB_FINAL | WEB_BINARY, 0, "", 0);
    }
    ck_assert_int_eq(client_wait(&w, NP_HELLO, w.next_id++, &answer, NULL), NAV_OK);
    ck_assert_int_eq(client_call(&w, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK);
    ck_assert_uint_gt(web_state_of(&w)->pongs, 0);
    nav_buffer_deinit(&hello);
    client_close(&w);
}
END_TEST

START_TEST(text_is_refused)
{
    client w;
    ck_assert_uint_eq(web_open(&w, port, NULL), 101);
    web_send_frame(w.fd, WEB_FINAL | WEB_TEXT, 2, "hi", 2);
    must_end(&w, NAV_ERR_FORMAT, "must be binary", "protocol", 1003);
}
END_TEST

START_TEST(what_is_no_msgpack_and_what_is_too_large_is_refused)
{
    static const uint8_t huge[] = {0x94, 0, 1, 0xdb, 0x40, 0, 0, 0}; // a name of a gigabyte
    client w;
    ck_assert_uint_eq(web_open(&w, port, NULL), 101);
    web_send_frame(w.fd, WEB_FINAL | WEB_BINARY, 3, "\xc1\xc1\xc1", 3);
    must_end(&w, NAV_ERR_FORMAT, "closing the session", "protocol", 1000);
    ck_assert_uint_eq(web_open(&w, port, NULL), 101);
    web_send_frame(w.fd, WEB_FINAL | WEB_BINARY, UINT64_C(1) << 40, huge, sizeof huge); // and a frame of a terabyte
    must_end(&w, NAV_ERR_LIMIT, "closing the session", "protocol", 1000);
}
END_TEST

START_TEST(a_websocket_needs_a_token_where_a_socket_needs_none)
{
    client w;
    const np_hello_request none = {.version = NP_PROTOCOL_VERSION};
    np_hello_request wrong = none;
    np_hello_response answer;
    np_error err = {0};
    char guess[ND_TOKEN_BYTES];
    ck_assert_uint_eq(web_open(&w, port, NULL), 101);
    ck_assert_int_eq(client_call(&w, NP_HELLO, &none, &answer, &err), NAV_ERR_UNAUTHENTICATED);
    np_world_list_response worlds;
    ck_assert_int_ne(client_call(&w, NP_WORLD_LIST, &(np_none){0}, &worlds, &err), NAV_OK);
    strcpy(guess, token);
    guess[ND_TOKEN_BYTES - 2] ^= 1;
    wrong.token = np_str_of(guess);
    ck_assert_int_eq(client_call(&w, NP_HELLO, &wrong, &answer, &err), NAV_ERR_UNAUTHENTICATED);
    ck_assert(client_is_closed(&w));
    ck_assert_str_eq(web_state_of(&w)->close_reason, "auth");
    client_close(&w);
    web_enter(&w, port, token); // a right one never waits
    client_close(&w);
}
END_TEST

START_TEST(a_token_to_look_changes_nothing_and_makes_no_other)
{
    client w;
    np_error err = {0};
    np_view_open_request r = {.edit = false};
    np_view_open_response answer;
    np_op put = op_put(7, client_put_box(&a, 3, 0.5f, 3), 0, 0, 0);
    web_enter(&w, port, token);
    w.world = a.world;
    ck_assert_int_eq(client_edit(&w, &put, 1, NULL, &err), NAV_ERR_FORBIDDEN);
    ck_assert_int_eq(client_call(&w, NP_VIEW_OPEN, &r, &answer, &err), NAV_ERR_FORBIDDEN);
    client_close(&w);

    char editors[ND_TOKEN_BYTES];
    make_token(true, editors);
    web_enter(&w, port, editors);
    w.world = a.world;
    ck_assert_int_eq(client_edit(&w, &put, 1, NULL, &err), NAV_OK);
    r.edit = true;
    ck_assert_int_eq(client_call(&w, NP_VIEW_OPEN, &r, &answer, &err), NAV_ERR_FORBIDDEN);
    client_close(&w);
}
END_TEST

START_TEST(a_page_comes_back_with_its_token)
{
    for (int i = 0; i < 5; i++) {
        client w;
        web_enter(&w, port, token);
        client_close(&w);
    }
}
END_TEST

START_TEST(who_says_nothing_makes_room_for_who_does)
{
    enum { MANY = 30 }; // of one address, more than may be without having logged in
    client silent[MANY], w;
    for (int i = 0; i < MANY; i++) {
        ck_assert_uint_eq(web_open(&silent[i], port, NULL), 101);
        web_enter(&w, port, token);
        client_close(&w);
    }
    ck_assert(client_is_closed(&silent[0]));
    for (int i = 0; i < MANY; i++) client_close(&silent[i]);
}
END_TEST

START_TEST(a_peer_that_closes_is_answered_and_a_peer_that_vanishes_is_forgotten)
{
    client w;
    web_enter(&w, port, token);
    web_send_frame(w.fd, WEB_FINAL | WEB_CLOSE, 2, "\x03\xe8", 2);
    ck_assert(client_is_closed(&w));
    ck_assert_uint_eq(web_state_of(&w)->close_code, 1000);
    client_close(&w);

    put_ground(40);
    for (int i = 0; i < 10; i++) { // while tiles stream
        web_enter(&w, port, token);
        w.world = a.world;
        client_send(&w, NP_TILES_SUBSCRIBE,
                    &(np_tiles_subscribe_request){.world = a.world, .profile = np_str_of("walker")});
        if (i % 2) {
            np_message m = {0};
            ck_assert(client_read(&w, &m));
            np_message_deinit(&m);
        }
        shutdown(w.fd, SHUT_RDWR);
        client_close(&w);
    }
    client_settle(&a);
    ck_assert_int_eq(client_call(&a, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK);
}
END_TEST

START_TEST(who_does_not_read_costs_a_bounded_amount_and_is_closed)
{
    client w;
    begin(with_little_output);
    int little = 4096;
    ck_assert_uint_eq(web_open(&w, port, NULL), 101);
    ck_assert_int_eq(setsockopt(w.fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little), 0);
    const np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .token = np_str_of(token)};
    np_hello_response answer;
    ck_assert_int_eq(client_call(&w, NP_HELLO, &hello, &answer, NULL), NAV_OK);
    // Answers that nobody reads: the dictionary, again and again.
    const np_dictionary_get_request ask = {.id = answer.dictionary};
    for (int i = 0; i < 3000; i++) client_send(&w, NP_DICTIONARY_GET, &ask);
    while (client_stat(&a, "sessions") == 2)
        ck_assert_uint_le(client_stat(&a, "bytes_queued"), daemon_.config.max_output_bytes + (1 << 20));
    client_close(&w);
    stop();
}
END_TEST

START_TEST(a_daemon_that_stops_says_so_to_pages)
{
    client w;
    web_enter(&w, port, token);
    nd_server_stop(daemon_.server);
    daemon_.status = NAV_ERR_CLOSED; // so that it is not stopped twice
    ck_assert(client_is_closed(&w));
    client_close(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("web sockets");
    TCase *t = tcase_create("sessions"), *own = tcase_create("limits");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    suite_add_tcase(s, own);
    tcase_set_timeout(own, 900);
    tcase_add_test(t, tiles_over_a_websocket_are_those_over_a_socket);
    tcase_add_test(t, where_frames_and_fragments_end_means_nothing);
    tcase_add_test(t, text_is_refused);
    tcase_add_test(t, what_is_no_msgpack_and_what_is_too_large_is_refused);
    tcase_add_test(t, a_websocket_needs_a_token_where_a_socket_needs_none);
    tcase_add_test(t, a_token_to_look_changes_nothing_and_makes_no_other);
    tcase_add_test(t, a_page_comes_back_with_its_token);
    tcase_add_test(t, who_says_nothing_makes_room_for_who_does);
    tcase_add_test(t, a_peer_that_closes_is_answered_and_a_peer_that_vanishes_is_forgotten);
    tcase_add_test(t, a_daemon_that_stops_says_so_to_pages);
    tcase_add_test(own, who_does_not_read_costs_a_bounded_amount_and_is_closed);
    return run_suite(s);
}
