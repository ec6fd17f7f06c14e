// The pages, over a socket of our own: what is answered, and what becomes of clients that misbehave.
#include "daemon/service/http.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"
#include "tests/daemon/prometheus.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static daemon_fixture daemon_;
static int port;

static void with_http(nd_config *c)
{
    strcpy(c->http_listen, "0");
}

static void start(void)
{
    fixture_start(&daemon_, with_http);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    port = nd_server_http_port(daemon_.server);
    ck_assert_int_gt(port, 0);
}

static void stop(void)
{
    fixture_stop(&daemon_);
}

static int connect_http(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static char page[1 << 18];

// Until the other side closes. Its length.
static size_t read_all(int fd)
{
    size_t n = 0;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ck_assert_msg(poll(&p, 1, 240000) == 1, "nothing came, nor the end; so far: %.*s", (int)n, page);
        ssize_t got = recv(fd, page + n, sizeof page - 1 - n, 0);
        if (got <= 0) break;
        n += (size_t)got;
    }
    page[n] = 0;
    return n;
}

// What a request is answered; the text behind the head.
static const char *ask(const char *request)
{
    int fd = connect_http();
    send(fd, request, strlen(request), MSG_NOSIGNAL);
    read_all(fd);
    close(fd);
    const char *body = strstr(page, "\r\n\r\n");
    return body ? body + 4 : page;
}

#define GET(path) ask("GET " path " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

static void expect_status(const char *status)
{
    ck_assert_msg(!strncmp(page, "HTTP/1.1 ", 9) && !strncmp(page + 9, status, 3), "not %s: %s", status, page);
}

START_TEST(a_daemon_that_lives_is_healthy_and_ready)
{
    ck_assert_str_eq(GET("/healthz"), "ok\n");
    expect_status("200");
    ck_assert_str_eq(GET("/readyz"), "ok\n");
    expect_status("200");
}
END_TEST

START_TEST(a_page_is_no_websocket)
{
    const char *const upgrades[] = {"websocket", "WebSocket", "h2c"};
    for (size_t i = 0; i < sizeof upgrades / sizeof *upgrades; i++) {
        char request[300];
        snprintf(request, sizeof request,
                 "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: %s\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                 upgrades[i]);
        ask(request);
        ck_assert_msg(strstr(page, " 400 ") != NULL, "%s: %s", upgrades[i], page);
    }
    ck_assert_str_eq(GET("/healthz"), "ok\n");
}
END_TEST

START_TEST(the_metrics_are_what_prometheus_reads_and_count)
{
    char why[1200];
    client c;
    client_connect(&c, &daemon_);
    client_open(&c);
    const char *text = GET("/metrics");
    expect_status("200");
    ck_assert_ptr_nonnull(strstr(page, "text/plain; version=0.0.4"));
    ck_assert_msg(prometheus_check(text, why, sizeof why), "%s", why);
    ck_assert_double_eq(prometheus_value(text, "navd_sessions"), 1);
    ck_assert_double_eq(prometheus_value(text, "navd_worlds"), 1);
    ck_assert_double_eq(prometheus_value(text, "navd_ready"), 1);
    ck_assert_double_ge(prometheus_value(text, "navd_requests_total"), 2);
    ck_assert_double_gt(prometheus_value(text, "process_resident_memory_bytes"), 1 << 20);
    ck_assert_double_gt(prometheus_value(text, "process_open_fds"), 5);
    client_close(&c);
}
END_TEST

START_TEST(head_has_no_body_and_other_methods_and_pages_are_refused)
{
    ck_assert_str_eq(ask("HEAD /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"), "");
    expect_status("200");
    (void)GET("/etc/passwd");
    expect_status("404");
    (void)GET("/../../etc/passwd");
    ck_assert_ptr_null(strstr(page, "root:"));
    ask("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nx=1");
    expect_status("405");
    ask("DELETE /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
    ck_assert_ptr_null(strstr(page, " 200 "));
}
END_TEST

START_TEST(one_connection_may_ask_again)
{
    static const char twice[] = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
                                "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    ask(twice);
    const char *second = strstr(page + 1, "HTTP/1.1 200");
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_nonnull(strstr(second, "\r\n\r\nok\n"));
}
END_TEST

START_TEST(nonsense_is_closed_and_harms_nobody)
{
    static const char *const nonsense[] = {
        "\r\n\r\n\r\n",
        "GET\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /%zz%00 HTTP/1.1\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        int fd = connect_http();
        send(fd, nonsense[i], strlen(nonsense[i]), MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
        read_all(fd);
        close(fd);
        ck_assert_ptr_null(strstr(page, " 200 "));
    }
    // A head without an end: refused long before it is as large as we could make it. What stands in the sockets before
    // the daemon has its turn is megabytes.
    enum { LINES = 1 << 20 };
    int fd = connect_http();
    char line[1024];
    memset(line, 'x', sizeof line);
    memcpy(line, "A: ", 3);
    memcpy(line + sizeof line - 2, "\r\n", 2);
    send(fd, "GET / HTTP/1.1\r\n", 16, MSG_NOSIGNAL);
    int sent = 0;
    while (sent < LINES && send(fd, line, sizeof line, MSG_NOSIGNAL) > 0) sent++;
    close(fd);
    ck_assert_int_lt(sent, LINES);
    ck_assert_str_eq(GET("/healthz"), "ok\n");
}
END_TEST

START_TEST(who_holds_connections_keeps_nobody_out_the_oldest_give_way)
{
    enum { MANY = 200 };
    int fds[MANY];
    for (int i = 0; i < MANY; i++) {
        fds[i] = connect_http();
        if (i % 20 == 19) ck_assert_str_eq(GET("/healthz"), "ok\n");
    }
    static const char get[] = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    send(fds[MANY - 5], get, sizeof get - 1, MSG_NOSIGNAL);
    read_all(fds[MANY - 5]);
    expect_status("200");
    ck_assert_uint_eq(read_all(fds[0]), 0);
    struct pollfd young = {.fd = fds[MANY - 1], .events = POLLIN};
    ck_assert_int_eq(poll(&young, 1, 0), 0); // it may take its time
    for (int i = 0; i < MANY; i++) close(fds[i]);
    client c; // sessions never wait for it
    client_connect(&c, &daemon_);
    client_greet(&c);
    client_close(&c);
}
END_TEST

START_TEST(connections_that_are_open_do_not_keep_the_daemon_from_stopping)
{
    int idle = connect_http(), half = connect_http();
    send(half, "GET /hea", 8, MSG_NOSIGNAL);
    ck_assert_str_eq(GET("/healthz"), "ok\n");
    nd_server_stop(daemon_.server);
    daemon_.status = NAV_ERR_CLOSED; // so that it is not stopped twice
    ck_assert_uint_eq(read_all(idle), 0);
    ck_assert_uint_eq(read_all(half), 0);
    close(idle);
    close(half);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("http");
    TCase *t = tcase_create("http");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_page_is_no_websocket);
    tcase_add_test(t, a_daemon_that_lives_is_healthy_and_ready);
    tcase_add_test(t, the_metrics_are_what_prometheus_reads_and_count);
    tcase_add_test(t, head_has_no_body_and_other_methods_and_pages_are_refused);
    tcase_add_test(t, one_connection_may_ask_again);
    tcase_add_test(t, nonsense_is_closed_and_harms_nobody);
    tcase_add_test(t, who_holds_connections_keeps_nobody_out_the_oldest_give_way);
    tcase_add_test(t, connections_that_are_open_do_not_keep_the_daemon_from_stopping);
    return run_suite(s);
}
