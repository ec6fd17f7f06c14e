// The view's listener: which files it serves to whom, and which pages may open a WebSocket.
#include "daemon/service/site_files.h"
#include "tests/check.h"
#include "tests/daemon/web_client.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static daemon_fixture daemon_;
static int port;
static char page[1 << 21];

static void with_view(nd_config *c)
{
    strcpy(c->view, "0");
    strcpy(c->view_host, "maps.example, other.example");
}

static void start(void)
{
    fixture_start(&daemon_, with_view);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    port = nd_server_view_port(daemon_.server);
    ck_assert_int_gt(port, 0);
}

static void stop(void)
{
    fixture_stop(&daemon_);
}

static unsigned ask(const char *method, const char *path, const char *host, const char *more)
{
    char request[1024];
    snprintf(request, sizeof request,
             "%s %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip\r\nConnection: close\r\n%s\r\n", method, path, host,
             more);
    return web_ask(port, request, page, sizeof page);
}

static void must_have(const char *text)
{
    ck_assert_msg(strstr(page, text), "%s is not in: %.1500s", text, page);
}

START_TEST(every_answer_forbids_what_the_page_does_not_need)
{
    static const char *const paths[] = {"/", "/nothing"};
    for (int i = 0; i < 2; i++) {
        ask("GET", paths[i], "localhost", "");
        must_have(
            "content-security-policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
            "connect-src 'self'; img-src 'self' blob: data:;");
        must_have("frame-ancestors 'none'");
        must_have("x-content-type-options: nosniff");
        must_have("referrer-policy: no-referrer");
        must_have("cross-origin-opener-policy: same-origin");
        must_have("cross-origin-resource-policy: same-origin");
        ck_assert_ptr_null(strstr(page, "unsafe-inline"));
        ck_assert_ptr_null(strstr(page, "access-control-allow-origin"));
    }
}
END_TEST

START_TEST(files_come_compressed_and_are_not_sent_twice)
{
    const nd_site_file *f = nd_site_files;
    char more[128];
    if (!f->path) { // this build has none, and says so
        ck_assert_uint_eq(ask("GET", "/", "localhost", ""), 404);
        must_have("without the view");
        return;
    }
    for (; f->path; f++) {
        ck_assert_uint_eq(ask("GET", f->path, "localhost", ""), 200);
        const char *body = strstr(page, "\r\n\r\n") + 4;
        must_have("content-encoding: gzip");
        must_have(f->type);
        ck_assert_int_eq(memcmp(body, f->gzip, (size_t)(f->end - f->gzip)), 0);
        snprintf(more, sizeof more, "If-None-Match: %s\r\n", f->etag);
        ck_assert_uint_eq(ask("GET", f->path, "localhost", more), 304);
        ck_assert_str_eq(strstr(page, "\r\n\r\n"), "\r\n\r\n");
        ck_assert_uint_eq(ask("HEAD", f->path, "localhost", ""), 200);
        ck_assert_str_eq(strstr(page, "\r\n\r\n"), "\r\n\r\n");
    }
    ck_assert_uint_eq(ask("GET", "/", "localhost", ""), 200);
    must_have("text/html");
    ck_assert_uint_eq(
        web_ask(port, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", page, sizeof page), 406);
    must_have("Accept-Encoding");
}
END_TEST

START_TEST(a_name_that_is_not_served_gets_nothing)
{
    char own[64], six[64];
    snprintf(own, sizeof own, "127.0.0.1:%d", port);
    snprintf(six, sizeof six, "[::1]:%d", port);
    const char *const good[] = {own,         six,     "localhost",    "LOCALHOST:80",
                                "127.0.0.1", "[::1]", "maps.example", "other.example:443"};
    const char *const bad[] = {"evil.example",
                               "localhost.evil.example",
                               "127.0.0.1.evil.example",
                               "maps.example.",
                               "xmaps.example",
                               "maps.exampl",
                               "10.0.0.1",
                               "[::2]",
                               "[::1",
                               "",
                               ":80",
                               "localhost:80x",
                               "localhost, evil.example",
                               "evil.example#localhost",
                               "0.0.0.0"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        unsigned status = ask("GET", "/nothing", good[i], "");
        ck_assert_msg(status == 404, "%s: %u", good[i], status);
        client c;
        char origin[80];
        snprintf(origin, sizeof origin, "http://%s", good[i]);
        status = web_open(&c, port, &(web_upgrade){.host = good[i], .origin = origin});
        ck_assert_msg(status == 101, "%s: %u", good[i], status);
        client_close(&c);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned status = ask("GET", "/", bad[i], "");
        ck_assert_msg(status == 421, "%s: %u", bad[i], status);
        client c;
        char origin[80];
        snprintf(origin, sizeof origin, "http://%s", bad[i]);
        status = web_open(&c, port, &(web_upgrade){.host = bad[i], .origin = origin});
        ck_assert_msg(status == 421 || status == 400, "%s: %u", bad[i], status);
        client_close(&c);
    }
    ck_assert_uint_eq(web_ask(port, "GET / HTTP/1.0\r\n\r\n", page, sizeof page), 421); // none at all
    ck_assert_uint_eq(ask("GET", "/", "localhost\r\nHost: evil.example", ""), 421);     // two of them
}
END_TEST

START_TEST(a_page_of_another_origin_opens_no_websocket)
{
    char other_port[64];
    snprintf(other_port, sizeof other_port, "http://127.0.0.1:%d", port + 1);
    const char *const bad[] = {
        "http://evil.example", "null",        "",       "http://localhost", other_port, "file://", "http://127.0.0.1",
        "ftp://127.0.0.1",     "//127.0.0.1", "http://"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        client c;
        unsigned status = web_open(&c, port, &(web_upgrade){.origin = bad[i]});
        ck_assert_msg(status == 403, "%s: %u", bad[i], status);
        client_close(&c);
    }
}
END_TEST

START_TEST(what_is_no_websocket_of_ours_is_refused)
{
    const struct {
        web_upgrade u;
        unsigned status;
    } cases[] = {{{.path = "/"}, 404},
                 {{.path = "/socket/"}, 404},
                 {{.path = "/socket?x"}, 101},
                 {{.protocol = "other"}, 400},
                 {{.protocol = ""}, 400},
                 {{.protocol = "navd2"}, 400},
                 {{.protocol = "other, navd"}, 101},
                 {{.protocol = "navd"}, 101}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        client c;
        unsigned status = web_open(&c, port, &cases[i].u);
        ck_assert_msg(status == cases[i].status, "%zu: %u, not %u", i, status, cases[i].status);
        client_close(&c);
    }
    unsigned status = ask("GET", "/", "localhost",
                          "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
                          "AAMAAABkAAQAAP__\r\n");
    ck_assert_uint_eq(status, 400);
}
END_TEST

START_TEST(other_methods_and_paths_that_climb_get_nothing)
{
    static const char *const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
    static const char *const paths[] = {"/../etc/passwd", "/%2e%2e/etc/passwd",           "/..%2fetc%2fpasswd",
                                        "//etc/passwd",   "/index.html/../../etc/passwd",

                                        "/socket"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        unsigned status = ask(methods[i], "/", "localhost", "Content-Length: 0\r\n");
        ck_assert_msg(status == 405 || status == 0, "%s: %u", methods[i], status);
    }
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ask("GET", paths[i], "localhost", "");
        ck_assert_msg(!strstr(page, "root:"), "%s", paths[i]);
        ck_assert_msg(!strstr(page, " 200 "), "%s: %.300s", paths[i], page);
    }
}
END_TEST

START_TEST(endless_headers_and_half_handshakes_keep_nobody_out)
{
    enum { MANY = 80 };
    int fds[MANY];
    char *long_header = malloc(20001);
    ck_assert_ptr_nonnull(long_header);
    memset(long_header, 'x', 20000);
    long_header[20000] = 0;
    for (int i = 0; i < MANY; i++) {
        static const char half[] = "GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConne";
        fds[i] = web_connect(port);
        send(fds[i], half, sizeof half - 1, MSG_NOSIGNAL);
        ck_assert_uint_eq(ask("GET", "/nothing", "localhost", ""), 404);
    }
    for (int i = 0; i < MANY; i++) close(fds[i]);
    int fd = web_connect(port);
    static const char head[] = "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ";
    send(fd, head, sizeof head - 1, MSG_NOSIGNAL);
    send(fd, long_header, 20000, MSG_NOSIGNAL);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, 240000), 1); // it is closed, or answered; not kept
    close(fd);
    free(long_header);
    ck_assert_uint_eq(ask("GET", "/nothing", "localhost", ""), 404);
}
END_TEST

// --- view.open ---

static void without_view(nd_config *c)
{
    c->view[0] = 0;
}

static void forbidding_view(nd_config *c)
{
    strcpy(c->view, ND_NO_VIEW);
}

START_TEST(the_first_who_asks_opens_the_view_on_the_loopback_address)
{
    client c;
    np_view_open_request r = {.edit = false};
    np_view_open_response first, again;
    char url[256];
    fixture_start(&daemon_, without_view);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    ck_assert_int_eq(nd_server_view_port(daemon_.server), 0);
    client_connect(&c, &daemon_);
    client_greet(&c);
    ck_assert_int_eq(client_call(&c, NP_VIEW_OPEN, &r, &first, NULL), NAV_OK);
    snprintf(url, sizeof url, "%.*s", (int)first.url.size, first.url.data);
    ck_assert_int_eq(sscanf(url, "http://127.0.0.1:%d/", &port), 1);
    ck_assert(first.no_files == !nd_site_files[0].path);
    ck_assert(np_str_equal(first.role, "reader") && np_str_equal(first.space, "default"));
    ck_assert_uint_eq(ask("GET", "/nothing", "localhost", ""), 404);
    ck_assert_int_eq(client_call(&c, NP_VIEW_OPEN, &r, &again, NULL), NAV_OK);
    ck_assert(np_str_equal(again.url, url)); // the same listener
    client_close(&c);
    fixture_stop(&daemon_);
}
END_TEST

START_TEST(a_daemon_that_is_told_so_serves_no_view)
{
    client c;
    np_view_open_request r = {.edit = false};
    np_view_open_response answer;
    np_error err = {0};
    fixture_start(&daemon_, forbidding_view);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&c, &daemon_);
    client_greet(&c);
    ck_assert_int_eq(client_call(&c, NP_VIEW_OPEN, &r, &answer, &err), NAV_ERR_FORBIDDEN);
    ck_assert_msg(strstr(err.message, "--view none"), "%s", err.message);
    client_close(&c);
    fixture_stop(&daemon_);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("site");
    TCase *t = tcase_create("with --view"), *own = tcase_create("without");
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    suite_add_tcase(s, own);
    tcase_add_test(t, every_answer_forbids_what_the_page_does_not_need);
    tcase_add_test(t, files_come_compressed_and_are_not_sent_twice);
    tcase_add_test(t, a_name_that_is_not_served_gets_nothing);
    tcase_add_test(t, a_page_of_another_origin_opens_no_websocket);
    tcase_add_test(t, what_is_no_websocket_of_ours_is_refused);
    tcase_add_test(t, other_methods_and_paths_that_climb_get_nothing);
    tcase_add_test(t, endless_headers_and_half_handshakes_keep_nobody_out);
    tcase_add_test(own, the_first_who_asks_opens_the_view_on_the_loopback_address);
    tcase_add_test(own, a_daemon_that_is_told_so_serves_no_view);
    return run_suite(s);
}
