// A token over plain TCP: never to another machine, and on this one only to a daemon that requires it, unless the user
// says otherwise.
#include "clients/c/client.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN "navd_0123456789abcdef_secret"

// A daemon played by a thread: takes connections one after the other, answers each hello, and keeps what came. All but
// the last connection it closes once it has let the client in.
typedef struct listener {
    int fd, port, connections;
    bool requires_token;
    pthread_t thread;
    char heard[4][64]; // the token of each hello
    int hellos;
    uint8_t bytes[4096]; // all that came
    size_t count;
} listener;

// True: the client is in.
static bool answer(listener *l, int fd, const np_message *request)
{
    nav_buffer out = {0};
    np_error err = {0};
    np_hello_request hello;
    ck_assert_int_eq(np_decode_hello_request(request, &hello, &err), NAV_OK);
    ck_assert_int_lt(l->hellos, 4);
    snprintf(l->heard[l->hellos++], sizeof l->heard[0], "%.*s", (int)hello.token.size, hello.token.data);
    bool refused = l->requires_token && hello.token.size == 0;
    if (refused) {
        np_error_set_key(&err, NAV_ERR_UNAUTHENTICATED, "token", "a token, please");
        ck_assert_int_eq(np_error_encode(&out, request->id, &err), NAV_OK);
    } else {
        np_hello_response r = {.server = np_str_of("navd 9.9"), .version = NP_PROTOCOL_VERSION};
        ck_assert_int_eq(np_encode_hello_response(&out, request->id, &r), NAV_OK);
    }
    ck_assert_int_eq(send(fd, out.data, out.size, MSG_NOSIGNAL), (ssize_t)out.size);
    nav_buffer_deinit(&out);
    return !refused;
}

static void serve_one(listener *l, bool last)
{
    np_reader reader;
    bool is_in = false;
    int fd = accept(l->fd, NULL, NULL);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(np_reader_init(&reader, NULL), NAV_OK);
    while (last || !is_in) {
        const uint8_t *bytes;
        size_t count;
        ssize_t n = recv(fd, l->bytes + l->count, sizeof l->bytes - l->count, 0);
        if (n <= 0) break;
        ck_assert_int_eq(np_reader_feed(&reader, l->bytes + l->count, (size_t)n), NAV_OK);
        l->count += (size_t)n;
        while (np_reader_next(&reader, &bytes, &count) == NAV_OK) {
            np_message m = {0};
            np_error err;
            ck_assert_int_eq(np_message_read(bytes, count, &m, &err), NAV_OK);
            if (m.kind == NP_REQUEST && np_method_of(&m) == NP_HELLO) is_in = answer(l, fd, &m);
            np_message_deinit(&m);
        }
    }
    np_reader_deinit(&reader);
    close(fd);
}

static void *serve(void *user)
{
    listener *l = user;
    for (int i = 0; i < l->connections; i++) serve_one(l, i + 1 == l->connections);
    return NULL;
}

static void begin(listener *l, struct in_addr at, int connections, bool requires_token)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = at};
    socklen_t bytes = sizeof address;
    *l = (listener){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                    .connections = connections,
                    .requires_token = requires_token};
    ck_assert_int_ge(l->fd, 0);
    ck_assert_int_eq(bind(l->fd, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(l->fd, 1), 0);
    ck_assert_int_eq(getsockname(l->fd, (struct sockaddr *)&address, &bytes), 0);
    l->port = ntohs(address.sin_port);
    ck_assert_int_eq(pthread_create(&l->thread, NULL, serve, l), 0);
}

// After this all that came is in *l.
static void end(listener *l)
{
    ck_assert_int_eq(pthread_join(l->thread, NULL), 0);
    close(l->fd);
}

static navd_status open_client(const char *host, int port, bool insecure, bool keep, navd_client **c, char *why,
                               size_t why_bytes)
{
    char address[128];
    snprintf(address, sizeof address, "%s:%d", host, port);
    ck_assert_int_eq(setenv("NAVD_TOKEN", TOKEN, 1), 0);
    const navd_options o = {
        .address = address, .name = "test", .timeout_ms = 60000, .insecure_token = insecure, .keep_connected = keep};
    navd_status s = navd_connect_with(&o, c, why, why_bytes);
    if (s == NAVD_OK) ck_assert_str_eq(navd_error_text(*c), "");
    return s;
}

static navd_status connect_to(const char *host, int port, bool insecure, char *why, size_t why_bytes)
{
    navd_client *c;
    navd_status s = open_client(host, port, insecure, false, &c, why, why_bytes);
    navd_close(c);
    return s;
}

START_TEST(on_loopback_a_daemon_that_does_not_ask_sees_no_token)
{
    listener l;
    char why[512] = "";
    begin(&l, (struct in_addr){htonl(INADDR_LOOPBACK)}, 1, false);
    ck_assert_msg(connect_to("127.0.0.1", l.port, false, why, sizeof why) == NAVD_OK, "%s", why);
    end(&l);
    ck_assert_int_eq(l.hellos, 1);
    ck_assert_str_eq(l.heard[0], "");
    ck_assert_ptr_null(memmem(l.bytes, l.count, "secret", 6));
}
END_TEST

START_TEST(on_loopback_a_daemon_that_requires_a_token_gets_it)
{
    listener l;
    char why[512] = "";
    begin(&l, (struct in_addr){htonl(INADDR_LOOPBACK)}, 1, true);
    ck_assert_msg(connect_to("127.0.0.1", l.port, false, why, sizeof why) == NAVD_OK, "%s", why);
    end(&l);
    ck_assert_int_eq(l.hellos, 2);
    ck_assert_str_eq(l.heard[0], "");
    ck_assert_str_eq(l.heard[1], TOKEN);
}
END_TEST

static void on_event(void *user, const navd_event *event)
{
    if (event->kind == NAVD_EVENT_RESTORED) *(bool *)user = true;
}

START_TEST(each_new_connection_waits_to_be_asked)
{
    listener l;
    navd_client *c;
    char why[512] = "";
    bool restored = false;
    begin(&l, (struct in_addr){htonl(INADDR_LOOPBACK)}, 2, true);
    ck_assert_msg(open_client("127.0.0.1", l.port, false, true, &c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_on_event(c, on_event, &restored);
    while (!restored) {
        struct pollfd p = {.fd = navd_fd(c), .events = navd_want_write(c) ? POLLIN | POLLOUT : POLLIN};
        ck_assert_int_ge(poll(&p, 1, navd_wait_ms(c)), 0);
        ck_assert_int_eq(navd_process(c), NAVD_OK);
    }
    navd_close(c);
    end(&l);
    ck_assert_int_eq(l.hellos, 4);
    ck_assert_str_eq(l.heard[2], "");
    ck_assert_str_eq(l.heard[3], TOKEN);
}
END_TEST

START_TEST(where_the_user_allows_it_the_token_goes_at_once)
{
    listener l;
    char why[512] = "";
    begin(&l, (struct in_addr){htonl(INADDR_LOOPBACK)}, 1, true);
    ck_assert_msg(connect_to("127.0.0.1", l.port, true, why, sizeof why) == NAVD_OK, "%s", why);
    end(&l);
    ck_assert_int_eq(l.hellos, 1);
    ck_assert_str_eq(l.heard[0], TOKEN);
}
END_TEST

// An address of this machine that is not loopback: to the client it is another machine's. False: there is none.
static bool find_address(struct in_addr *out)
{
    struct ifaddrs *list;
    bool found = false;
    ck_assert_int_eq(getifaddrs(&list), 0);
    for (const struct ifaddrs *i = list; i && !found; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP)) continue;
        found = !navd_client_address_is_local(i->ifa_addr);
        *out = ((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr;
    }
    freeifaddrs(list);
    return found;
}

START_TEST(no_token_goes_to_another_machine_unencrypted)
{
    listener l;
    struct in_addr at;
    char why[512] = "", host[INET_ADDRSTRLEN], address[64];
    if (!find_address(&at)) return; // a machine without a network; the next test has the rule
    ck_assert_ptr_nonnull(inet_ntop(AF_INET, &at, host, sizeof host));
    begin(&l, at, 1, true);
    ck_assert_int_eq(connect_to(host, l.port, false, why, sizeof why), NAVD_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "tls://") && strstr(why, "--insecure-token"), "%s", why);
    end(&l);
    ck_assert_uint_eq(l.count, 0);

    begin(&l, at, 1, true);
    snprintf(address, sizeof address, "%s:%d", host, l.port);
    outcome r = run_navctl("stats", "-c", address, NULL);
    ck_assert_int_eq(r.code, 2);
    ck_assert_msg(strstr(r.err, "unencrypted") != NULL, "%s", r.err);
    end(&l);
    ck_assert_uint_eq(l.count, 0);

    begin(&l, at, 1, true);
    ck_assert_msg(connect_to(host, l.port, true, why, sizeof why) == NAVD_OK, "%s", why);
    end(&l);
    ck_assert_str_eq(l.heard[0], TOKEN);
}
END_TEST

START_TEST(loopback_is_told_from_the_network)
{
    static const struct {
        const char *text;
        bool local;
    } addresses[] = {{"127.0.0.1", true},        {"127.255.0.9", true}, {"10.0.0.1", false}, {"128.0.0.1", false},
                     {"0.0.0.0", false},         {"::1", true},         {"::2", false},      {"::ffff:127.0.0.1", true},
                     {"::ffff:10.0.0.1", false}, {"fe80::1", false},    {"7f00::1", false}};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        bool is_six = strchr(addresses[i].text, ':') != NULL;
        ck_assert_int_eq(inet_pton(is_six ? AF_INET6 : AF_INET, addresses[i].text,
                                   is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr),
                         1);
        bool local = navd_client_address_is_local(is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four);
        ck_assert_msg(local == addresses[i].local, "%s", addresses[i].text);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("token");
    TCase *t = tcase_create("token");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, on_loopback_a_daemon_that_does_not_ask_sees_no_token);
    tcase_add_test(t, on_loopback_a_daemon_that_requires_a_token_gets_it);
    tcase_add_test(t, each_new_connection_waits_to_be_asked);
    tcase_add_test(t, where_the_user_allows_it_the_token_goes_at_once);
    tcase_add_test(t, no_token_goes_to_another_machine_unencrypted);
    tcase_add_test(t, loopback_is_told_from_the_network);
    return run_suite_in_folder(s);
}
