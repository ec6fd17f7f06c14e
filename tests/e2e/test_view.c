// navctl view: an address for a browser, of a running daemon, or of one that ends with navctl. A build without the page
// says so; then there is no more to see.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/daemon/certificates.h"
#include "tests/e2e/daemon.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char no_page[] = "built without the view";

typedef struct address {
    int port;
    char token[100], rest[100];
} address;

static address read_address(const char *line)
{
    address a = {.port = 0};
    ck_assert_msg(sscanf(line, "http://127.0.0.1:%d/#token=%99[^&\n]%99s", &a.port, a.token, a.rest) >= 2, "%s", line);
    ck_assert_msg(!strncmp(a.token, "navd_", 5) && strlen(a.token) == 86, "%s", a.token);
    return a;
}

static int connect_to(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    if (!connect(fd, (struct sockaddr *)&a, sizeof a)) return fd;
    close(fd);
    return -1;
}

static void must_serve(int port)
{
    static const char request[] =
        "GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n";
    char head[16] = "";
    int fd = connect_to(port);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(send(fd, request, sizeof request - 1, MSG_NOSIGNAL), (int)sizeof request - 1);
    ck_assert_int_gt(recv(fd, head, sizeof head - 1, MSG_WAITALL), 0);
    ck_assert_msg(strstr(head, " 200 "), "%s", head);
    close(fd);
}

START_TEST(a_running_daemon_gives_an_address_and_tells_nobody_else_the_token)
{
    daemon_process navd;
    daemon_start(&navd, NULL);
    outcome r = run_navctl("view", "--world", "a b/&#", "-c", navd.socket, NULL);
    if (strstr(r.err, no_page)) {
        ck_assert_int_eq(r.code, 1);
        ck_assert_int_eq(daemon_stop(&navd), 0);
        return;
    }
    ck_assert_msg(r.code == 0, "%s", r.err);
    address a = read_address(r.out);
    ck_assert_str_eq(a.rest, "&world=a%20b%2F%26%23");
    ck_assert_ptr_null(strstr(r.err, a.token));
    must_serve(a.port);

    char plain[40];
    snprintf(plain, sizeof plain, "127.0.0.1:%d", navd.port);
    write_text(temp_path("token"), a.token);
    ck_assert_int_eq(chmod(temp_path("token"), 0600), 0);
    const char *options[] = {"--token-file", temp_path("token"), "--insecure-token"};
    r = run_navctl("world", "list", "-c", plain, options[0], options[1], options[2], NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("push", yard(), "--world", "w", "-c", plain, options[0], options[1], options[2], NULL);
    ck_assert_msg(r.code == 9 && strstr(r.err, "reader"), "%d: %s", r.code, r.err);
    r = run_navctl("view", "-c", plain, options[0], options[1], options[2], NULL);
    ck_assert_msg(r.code == 9, "%d: %s", r.code, r.err);

    r = run_navctl("view", "--edit", "--json", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0 && strstr(r.out, "\"role\": \"editor\""), "%s%s", r.out, r.err);
    daemon_await(&navd, "view.asked", "role=editor", NULL);
    ck_assert(!daemon_said(&navd, strrchr(a.token, '_')));
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_scene_is_shown_until_ctrl_c_and_leaves_nothing)
{
    int out[2];
    char line[600] = "";
    const char *scene = yard();
    ck_assert_int_eq(pipe(out), 0);
    pid_t child = fork();
    if (!child) {
        dup2(out[1], STDOUT_FILENO);
        close(out[0]);
        execl(NAVCTL_PATH, "navctl", "view", scene, "--navd", NAVD_PATH, NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    int status;
    if (fgets(line, sizeof line, f)) {
        address a = read_address(line);
        ck_assert_str_eq(a.rest, "&world=yard");
        must_serve(a.port);
        ck_assert_int_eq(kill(child, SIGINT), 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
        ck_assert_int_eq(connect_to(a.port), -1);
    } else { // without the page
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(WEXITSTATUS(status), 1);
    }
    fclose(f);
}
END_TEST

// Without a free descriptor it cannot listen; later it can.
START_TEST(a_view_that_could_not_be_opened_is_tried_again)
{
    daemon_process navd;
    navd_client *c = NULL;
    navd_view v;
    char why[256];
    struct rlimit own;
    daemon_start(&navd, NULL);
    ck_assert_msg(navd_connect(navd.socket, "test", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_int_eq(prlimit(navd.pid, RLIMIT_NOFILE, NULL, &own), 0);
    const struct rlimit none = {.rlim_cur = 1, .rlim_max = own.rlim_max};
    ck_assert_int_eq(prlimit(navd.pid, RLIMIT_NOFILE, &none, NULL), 0);
    ck_assert_int_ne(navd_view_open(c, NULL, false, &v), NAVD_OK);
    daemon_await(&navd, "event=view.failed", NULL);
    ck_assert_int_eq(prlimit(navd.pid, RLIMIT_NOFILE, &own, NULL), 0);
    ck_assert_msg(navd_view_open(c, NULL, false, &v) == NAVD_OK, "%s", navd_error_text(c));
    if (v.has_files) must_serve(read_address(v.url).port);
    navd_close(c);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

// --- beyond loopback ---

static SSL *upgrade_over_tls(int port, const char *origin)
{
    char request[600], head[1000] = "";
    int fd = connect_to(port);
    ck_assert_int_ge(fd, 0);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_fd(ssl, fd);
    ck_assert_int_eq(SSL_connect(ssl), 1);
    snprintf(request, sizeof request,
             "GET /socket HTTP/1.1\r\nHost: maps.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Protocol: navd\r\nOrigin: %s\r\n\r\n",
             origin);
    ck_assert_int_gt(SSL_write(ssl, request, (int)strlen(request)), 0);
    for (int n = 0; n + 1 < (int)sizeof head && !strstr(head, "\r\n\r\n"); n++)
        if (SSL_read(ssl, head + n, 1) <= 0) break;
    if (strstr(head, " 101 ")) return ssl;
    ck_assert_msg(strstr(head, " 403 "), "%s", head);
    SSL_free(ssl);
    close(fd);
    return NULL;
}

START_TEST(beyond_loopback_there_is_a_websocket_over_tls_for_those_with_a_token)
{
    daemon_process d;
    authority us;
    char text[2048], certificate[200], key[200], tokens[200], command[800], token[120], frame[400];
    snprintf(certificate, sizeof certificate, "%s", temp_path("cert.pem"));
    snprintf(key, sizeof key, "%s", temp_path("key.pem"));
    snprintf(tokens, sizeof tokens, "%s", temp_path("tokens"));
    const char *const bare[] = {"--socket", "", "--view", "0.0.0.0:0", NULL};
    ck_assert_int_eq(daemon_refused(&(daemon_options){.arguments = bare, .no_tcp = true}, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "not encrypted") != NULL, "%s", text);

    authority_init(&us, "us");
    authority_issue(&us, &(wanted_certificate){.name = "maps.example", VALID_FROM_TO}, certificate, key);
    authority_deinit(&us);
    snprintf(command, sizeof command, "%s token new mia --file %s", NAVD_PATH, tokens);
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%100s", token), 1);
    ck_assert_int_eq(pclose(f), 0);
    const char *const arguments[] = {"--view",    "0.0.0.0:0", "--view-host", "maps.example", "--tls-certificate",
                                     certificate, "--tls-key", key,           "--tokens",     tokens,
                                     NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments, .no_tcp = true});
    int port = atoi(strstr(daemon_await(&d, "event=view.opened", "port=", NULL), "port=") + 5);
    ck_assert_ptr_null(upgrade_over_tls(port, "http://maps.example"));
    ck_assert_ptr_null(upgrade_over_tls(port, "https://evil.example"));
    SSL *ssl = upgrade_over_tls(port, "https://maps.example");
    ck_assert_ptr_nonnull(ssl);
    // [0, 1, "hello", {version: 1, token: ...}], its mask all zeros
    int n = snprintf(frame + 8, sizeof frame - 8, "\x94%c\x01\xa5hello\x82\xa7version\x01\xa5token\xd9%c%s", 0,
                     (int)strlen(token), token);
    memcpy(frame, "\x82\xfe\0\0\0\0\0\0", 8);
    frame[2] = (char)(n >> 8);
    frame[3] = (char)n;
    ck_assert_int_eq(SSL_write(ssl, frame, n + 8), n + 8);
    daemon_await(&d, "event=session.hello", "over=websocket", "principal=mia", NULL);
    ck_assert_int_gt(SSL_read(ssl, text, sizeof text), 4);
    ck_assert_int_eq(text[0], (char)0x82);
    ck_assert_int_eq(kill(d.pid, SIGHUP), 0);
    daemon_await(&d, "event=config.reloaded", NULL);
    ck_assert_int_eq(SSL_write(ssl, "\x89\x80\0\0\0\0", 6), 6); // a ping: sessions go on
    ck_assert_int_eq(SSL_read(ssl, text, sizeof text), 2);
    ck_assert_int_eq(text[0], (char)0x8a);
    close(SSL_get_fd(ssl));
    SSL_free(ssl);
    ck_assert(!daemon_said(&d, token));
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

START_TEST(what_cannot_be_shown_is_said)
{
    outcome r = run_navctl("view", temp_path("none.obj"), "--navd", NAVD_PATH, NULL);
    ck_assert_msg(r.code == 4 && strstr(r.err, "none.obj"), "%d: %s", r.code, r.err);
    r = run_navctl("view", yard(), "--navd", "/nowhere/navd", NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_str_eq(r.err, "navctl: cannot start /nowhere/navd: No such file or directory (--navd FILE)\n");
    r = run_navctl("view", yard(), "-c", "/nowhere/navd.sock", NULL);
    ck_assert_msg(r.code == 2 && strstr(r.err, "navctl push"), "%d: %s", r.code, r.err);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("view");
    TCase *t = tcase_create("view");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_running_daemon_gives_an_address_and_tells_nobody_else_the_token);
    tcase_add_test(t, a_scene_is_shown_until_ctrl_c_and_leaves_nothing);
    tcase_add_test(t, a_view_that_could_not_be_opened_is_tried_again);
    tcase_add_test(t, beyond_loopback_there_is_a_websocket_over_tls_for_those_with_a_token);
    tcase_add_test(t, what_cannot_be_shown_is_said);
    return run_suite_in_folder(s);
}
