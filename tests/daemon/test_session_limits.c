// What a session may take its time with, how many there may be, and the budget of memory above them all.
#include "tests/check.h"
#include "tests/daemon/fixture.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static daemon_fixture daemon_;
static client a, b;

static void begin(void (*change)(nd_config *c))
{
    fixture_start(&daemon_, change);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
}

static void end(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

// The daemon says why, names the option, and closes.
static void must_be_refused(client *c, const char *option)
{
    np_message m = {0};
    np_error e = {0};
    ck_assert_msg(client_read(c, &m), "closed without a word, expected %s", option);
    ck_assert_int_eq(m.kind, NP_RESPONSE);
    ck_assert_uint_eq(m.id, 0);
    ck_assert_ptr_nonnull(m.error);
    ck_assert_int_ne(np_error_decode(&m, &e), NAV_OK);
    ck_assert_msg(strstr(e.message, option), "%s does not name %s", e.message, option);
    np_message_deinit(&m);
    ck_assert(client_is_closed(c));
}

// One time is short in each: a busy machine needs the others.
static void short_hello(nd_config *c)
{
    c->hello_s = 1;
}

static void short_message(nd_config *c)
{
    c->message_s = 1;
}

static void short_idle(nd_config *c)
{
    c->idle_s = 15;
}

static void short_keepalive(nd_config *c)
{
    c->keepalive_s = 1;
}

START_TEST(a_connection_must_say_hello_in_time)
{
    begin(short_hello);
    client_send_bytes(&a, "\x94\x00", 2); // it begins one; that does not help
    must_be_refused(&a, "--hello-s");
    end();
}
END_TEST

START_TEST(who_has_not_said_hello_sends_no_large_message)
{
    begin(NULL);
    client_send_bytes(&a, "\x94\x00\x05\xa5hello\xc6\x00\x01\x00\x00", 14); // 64 KiB of bytes, and the rest
    must_be_refused(&a, "exceeds the limit of 65536");
    client_close(&a);
    client_connect(&a, &daemon_);
    client_greet(&a);
    static const uint8_t large[1 << 17] = {0x94, 0x00, 0x05, 0xa4, 'p',  'i',  'n',  'g',
                                           0x91, 0x81, 0xa1, 'x',  0xc6, 0x00, 0x01, 0xff};
    client_send_bytes(&a, large, 17 + 0x1ff00); // a key that it does not know, with so many bytes
    np_message m = {0};
    ck_assert(client_read(&a, &m));
    ck_assert_uint_eq(m.id, 5);
    ck_assert_ptr_null(m.error);
    np_message_deinit(&m);
    end();
}
END_TEST

START_TEST(a_message_must_be_complete_in_time)
{
    begin(short_message);
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD); // not idle
    client_settle(&a);
    client_send_bytes(&a, "\x94\x00\x05\xa5sta", 7);
    np_message m = {0};
    while (client_read(&a, &m) && m.kind == NP_NOTIFICATION) np_message_deinit(&m);
    np_error e;
    ck_assert_ptr_nonnull(m.error);
    ck_assert_int_ne(np_error_decode(&m, &e), NAV_OK);
    ck_assert_ptr_nonnull(strstr(e.message, "--message-s"));
    np_message_deinit(&m);
    end();
}
END_TEST

START_TEST(idle_sessions_end_and_those_that_watch_do_not)
{
    begin(short_idle);
    client_connect(&b, &daemon_);
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_greet(&b);
    must_be_refused(&b, "--idle-s");
    ck_assert_uint_eq(client_stat(&a, "sessions"), 1);
    client_close(&b);
    end();
}
END_TEST

START_TEST(who_asks_for_it_hears_something_now_and_then)
{
    begin(short_keepalive);
    client_connect(&b, &daemon_);
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .keepalive = true};
    np_hello_response greeting;
    ck_assert_int_eq(client_call(&a, NP_HELLO, &hello, &greeting, NULL), NAV_OK);
    ck_assert_uint_eq(greeting.keepalive_s, 1);
    a.world = 0;
    client_open(&b);
    np_tiles_subscribe_request sub = {.world = b.world, .profile = np_str_of("walker")};
    np_tiles_subscribe_response subscribed;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &subscribed, NULL), NAV_OK); // not idle
    for (int alive = 0; alive < 2;) {
        np_message m = {0};
        ck_assert(client_read(&a, &m));
        alive += m.kind == NP_NOTIFICATION && np_method_of(&m) == NP_ALIVE;
        np_message_deinit(&m);
    }
    np_none none = {0};
    ck_assert_int_eq(client_call(&a, NP_PING, &none, &none, NULL), NAV_OK);
    client_close(&b);
    end();
}
END_TEST

static void short_patience(nd_config *c)
{
    c->stall_s = 1;
    c->max_output_bytes = 65536;
}

START_TEST(who_takes_nothing_of_its_output_is_closed)
{
    begin(short_patience);
    client_connect(&b, &daemon_);
    client_greet(&a);
    client_greet(&b);
    np_none none = {0};
    nav_buffer ask = {0};
    for (int i = 0; i < 1000; i++) ck_assert_int_eq(np_request_encode(&ask, NP_STATS, 1, &none), NAV_OK);
    while (send(b.fd, ask.data, ask.size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
    }
    nav_buffer_deinit(&ask);
    while (client_stat(&a, "sessions") > 1) {
    }
    ck_assert_uint_eq(client_stat(&a, "bytes_queued"), 0);
    client_close(&b);
    end();
}
END_TEST

static void few_sessions(nd_config *c)
{
    c->max_peer_sessions = 3;
}

START_TEST(one_peer_has_so_many_sessions_and_is_told_so)
{
    begin(few_sessions);
    client more[3];
    client_greet(&a);
    for (int i = 0; i < 3; i++) client_connect(&more[i], &daemon_);
    must_be_refused(&more[2], "--max-peer-sessions");
    client_close(&more[2]);
    client_greet(&more[0]);
    client_close(&more[1]);
    while (client_stat(&a, "sessions") > 2) { // until it has seen that one go
    }
    client_connect(&more[1], &daemon_);
    client_greet(&more[1]);
    ck_assert_uint_eq(client_stat(&a, "sessions_refused"), 1);
    for (int i = 0; i < 2; i++) client_close(&more[i]);
    end();
}
END_TEST

static void one_each(nd_config *c)
{
    c->max_peer_sessions = 1;
    strcpy(c->listen, "[::ffff:127.0.0.1]:0"); // a socket of IPv6 that takes IPv4 clients
}

static void connect_from(client *c, uint32_t host)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
    struct sockaddr_in navd = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    navd.sin_port = htons((uint16_t)nd_server_port(daemon_.server));
    client_connect(c, &daemon_);
    close(c->fd);
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(c->fd, (struct sockaddr *)&own, sizeof own), 0);
    ck_assert_int_eq(connect(c->fd, (struct sockaddr *)&navd, sizeof navd), 0);
}

START_TEST(each_address_of_ipv4_is_a_peer_also_where_the_socket_is_of_ipv6)
{
    int six = socket(AF_INET6, SOCK_STREAM, 0);
    if (six < 0) return; // this system has none
    close(six);
    begin(one_each);
    client_close(&a);
    connect_from(&a, INADDR_LOOPBACK);
    client_greet(&a);
    connect_from(&b, INADDR_LOOPBACK + 1);
    client_greet(&b);
    client_close(&b);
    connect_from(&b, INADDR_LOOPBACK);
    must_be_refused(&b, "--max-peer-sessions");
    client_close(&b);
    end();
}
END_TEST

static void few_newcomers(nd_config *c)
{
    c->max_new_sessions = 2;
}

START_TEST(connections_without_hello_give_way_to_new_ones_and_no_one_else)
{
    begin(few_newcomers);
    client silent[6];
    client_greet(&a);
    for (int i = 0; i < 6; i++) {
        client_connect(&silent[i], &daemon_);
        for (int k = 0; k < 8; k++) (void)client_stat(&a, "sessions"); // rounds of the loop
    }
    for (int i = 0; i < 4; i++) ck_assert(client_is_closed(&silent[i]));
    client_greet(&silent[5]);
    client_greet(&silent[4]);
    ck_assert_uint_eq(client_stat(&a, "sessions"), 3);
    for (int i = 0; i < 6; i++) client_close(&silent[i]);
    end();
}
END_TEST

static void three_sessions(nd_config *c)
{
    c->max_sessions = 3;
}

START_TEST(a_full_daemon_lets_one_in_for_the_oldest_that_said_nothing)
{
    begin(three_sessions);
    client silent[2];
    client_greet(&a);
    for (int i = 0; i < 2; i++) client_connect(&silent[i], &daemon_);
    for (int k = 0; k < 8; k++) (void)client_stat(&a, "sessions"); // rounds of the loop
    client_connect(&b, &daemon_);
    client_greet(&b);
    ck_assert(client_is_closed(&silent[0]));
    client_greet(&silent[1]);
    client_close(&b);
    for (int i = 0; i < 2; i++) client_close(&silent[i]);
    end();
}
END_TEST

enum { CALL_RATE = 20 };

static void slow_rate(nd_config *c)
{
    c->max_call_rate = CALL_RATE;
}

START_TEST(calls_beyond_the_rate_wait_and_are_answered)
{
    enum { CALLS = 120 }; // for some seconds
    begin(slow_rate);
    client_greet(&a);
    np_none none = {0};
    uint32_t ids[CALLS];
    uint64_t began_ns = uv_hrtime();
    for (int i = 0; i < CALLS; i++) ids[i] = client_send(&a, NP_PING, &none);
    client_connect(&b, &daemon_); // nobody else waits
    client_greet(&b);
    uint64_t served = client_stat(&b, "requests"), halves = (uv_hrtime() - began_ns) / 500000000;
    // A second's calls at once, and half as many and one more each half a second; b's own two, and greetings.
    ck_assert_uint_le(served, CALL_RATE + (CALL_RATE / 2 + 1) * (halves + 1) + 4);
    for (int i = 0; i < CALLS; i++) ck_assert_int_eq(client_wait(&a, NP_PING, ids[i], &none, NULL), NAV_OK);
    client_close(&b);
    end();
}
END_TEST

enum { BALLAST = 16 << 20 }; // that the test's process holds

static void little_memory(nd_config *c)
{
    c->max_memory_bytes = BALLAST / 2;
}

START_TEST(near_the_limit_of_memory_what_adds_is_refused_and_the_rest_goes_on)
{
    volatile char *ballast = malloc(BALLAST);
    ck_assert(ballast != NULL);
    for (size_t i = 0; i < BALLAST; i += 4096) ballast[i] = 1;
    begin(little_memory);
    np_error err;
    client_open(&a);
    np_mesh_put_request put = {.hash = {1, 2}, .vertices = 1, .data = {(const uint8_t[12]){0}, 12}};
    np_mesh_put_response received;
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &received, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-memory-bytes"), "%s", err.message);
    np_op op = op_put(1, (nav_key){1, 2}, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, &err), NAV_ERR_LIMIT);
    op = op_remove(1);
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, &err), NAV_ERR_NOT_FOUND); // it is looked at
    // So is the largest of these.
    np_op *moves = calloc(NP_MAX_EDIT_OPS, sizeof *moves);
    ck_assert_ptr_nonnull(moves);
    for (uint64_t i = 0; i < NP_MAX_EDIT_OPS; i++) moves[i] = op_move(i + (1ull << 60), 0.1f, 0.1f, 0.1f);
    ck_assert_int_eq(client_edit(&a, moves, NP_MAX_EDIT_OPS, NULL, &err), NAV_ERR_NOT_FOUND);
    free(moves);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0);
    client_settle(&a);
    end();
    free((void *)ballast);
}
END_TEST

START_TEST(names_are_text_without_tricks)
{
    static const struct {
        const char *name;
        bool good;
    } names[] = {
        {"harbour", true},
        {"H\xc3\xa4user/2. Stock", true},
        {"\xe6\xb8\xaf\xf0\x9f\x8f\xa0", true},
        {"a..b", true},
        {"...", true},
        {"../etc/passwd", false},
        {"a/../b", false},
        {"a\\..", false},
        {".", false},
        {"a/.", false},
        {"line\nbreak", false},
        {"\x1b[2J", false},
        {"\x7f", false},
        {"\xc2\x85", false},
        {"\xe2\x80\xae", false},   // text from here on from right to left
        {"a\xe2\x80\xa8z", false}, // a line's end
        {"\xe2\x81\xa6", false},
        {"\xe2\x80\xa6", true}, // an ellipsis
        {"\xff\xfe", false},
        {"\xc0\xaf", false},
        {"\xed\xa0\x80", false},
        {"\xf4\x90\x80\x80", false},
        {"\xe2\x82", false},
        {"", false},
    };
    static const struct {
        const char *name, *code;
    } invisible[] = {
        {"a\xc2\xad", "U+00AD"},          // a soft hyphen
        {"a\xe2\x80\x8b", "U+200B"},      // no width at all
        {"a\xe2\x80\x8d", "U+200D"},      // joins
        {"\xe2\x80\x8f", "U+200F"},       // a direction
        {"\xe2\x81\xa0z", "U+2060"},      // joins words
        {"\xef\xbb\xbfz", "U+FEFF"},      // a byte order mark
        {"z\xef\xb8\x8f", "U+FE0F"},      // a variation
        {"\xe3\x85\xa4", "U+3164"},       // a filler
        {"a\xf3\xa0\x80\xa1", "U+E0021"}, // a tag
        {"a\tb", "U+0009"},
    };
    begin(NULL);
    client_greet(&a);
    for (size_t i = 0; i < sizeof invisible / sizeof *invisible; i++)
        for (int of_profile = 0; of_profile < 2; of_profile++) {
            np_profile p = {.name = np_str_of(of_profile ? invisible[i].name : "walker")};
            nav_settings_default(&p.settings);
            np_world_open_request open = {.name = np_str_of(of_profile ? "seen" : invisible[i].name),
                                          .create = true,
                                          .profile_count = 1,
                                          .profiles = &p};
            np_world_open_response opened;
            np_error err = {0};
            ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_ARGUMENT);
            ck_assert_msg(strstr(err.message, invisible[i].code), "%s: %s", invisible[i].code, err.message);
        }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        np_world_open_request open = {.name = np_str_of(names[i].name), .create = true};
        np_world_open_response opened;
        np_error err = {0};
        nav_status s = client_call(&a, NP_WORLD_OPEN, &open, &opened, &err);
        ck_assert_msg(s == (names[i].good ? NAV_OK : NAV_ERR_ARGUMENT), "name %zu: %s %s", i, nav_status_name(s),
                      err.message);
    }
    end();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("session limits");
    TCase *t = tcase_create("limits");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_connection_must_say_hello_in_time);
    tcase_add_test(t, who_has_not_said_hello_sends_no_large_message);
    tcase_add_test(t, a_message_must_be_complete_in_time);
    tcase_add_test(t, idle_sessions_end_and_those_that_watch_do_not);
    tcase_add_test(t, who_asks_for_it_hears_something_now_and_then);
    tcase_add_test(t, who_takes_nothing_of_its_output_is_closed);
    tcase_add_test(t, one_peer_has_so_many_sessions_and_is_told_so);
    tcase_add_test(t, each_address_of_ipv4_is_a_peer_also_where_the_socket_is_of_ipv6);
    tcase_add_test(t, connections_without_hello_give_way_to_new_ones_and_no_one_else);
    tcase_add_test(t, a_full_daemon_lets_one_in_for_the_oldest_that_said_nothing);
    tcase_add_test(t, calls_beyond_the_rate_wait_and_are_answered);
    tcase_add_test(t, near_the_limit_of_memory_what_adds_is_refused_and_the_rest_goes_on);
    tcase_add_test(t, names_are_text_without_tricks);
    return run_suite(s);
}
