// What the person or the service manager that runs navd sees: configuration, reload, readiness, sockets passed on,
// stopping, pages over TLS; with the real program.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// --- clients ---

static void open_world(const char *address, const char *name)
{
    navd_client *c;
    navd_world w;
    char why[256] = "";
    navd_profile profile = {.name = "walker"};
    navd_settings_default(&profile.settings);
    ck_assert_msg(navd_connect(address, "operations", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_msg(navd_world_open(c, name, true, NULL, &profile, 1, &w) == NAVD_OK, "%s", navd_error_text(c));
    navd_world_free(&w);
    navd_close(c);
}

// A client that has asked for more than the sockets hold, and does not read the answers.
static void start_not_reading(peer *p, const daemon_process *d)
{
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .client = np_str_of("deaf")};
    np_hello_response answer;
    np_stats_request ask = {0};
    peer_init(p, "w", 1);
    ck_assert(peer_dial(p, d->socket));
    ck_assert_int_eq(peer_call(p, NP_HELLO, &hello, &answer, NULL), NAV_OK);
    for (uint64_t i = 0; i < 200; i++) peer_ask(p, NP_STATS, &ask, i);
    peer_flush(p);
    while (!daemon_stat(d, "bytes_queued")) continue;
}

// --- commands ---

static char said[1 << 16]; // standard output and error of the last command

static int run(const char *fmt, ...) NAV_PRINTF(1, 2);

static int run(const char *fmt, ...)
{
    char command[2048];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(command, sizeof command - 8, fmt, args);
    va_end(args);
    strcpy(command + n, " 2>&1");
    FILE *f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    size_t got = fread(said, 1, sizeof said - 1, f);
    said[got] = 0;
    int status = pclose(f);
    ck_assert_msg(WIFEXITED(status), "%s", command);
    return WEXITSTATUS(status);
}

static void expect(const char *words)
{
    ck_assert_msg(strstr(said, words) != NULL, "it does not say \"%s\" but:\n%s", words, said);
}

START_TEST(a_configuration_is_checked_with_words_and_an_exit_code)
{
    const char *good = temp_path("good.conf"), *bad = temp_path("bad.conf");
    write_text(good, "# all is well\nmax_worlds = 7\nlog_level = debug\n");
    write_text(bad, "max_worlds = many\nmax_wurlds = 7\ncache_bytes = 1K\n");
    ck_assert_int_eq(run("%s --check-config --config %s", NAVD_PATH, good), 0);
    expect("valid");
    ck_assert_int_eq(run("%s --check-config --config %s", NAVD_PATH, bad), 1);
    expect("bad.conf:1: max_worlds = many: expected a number from 1 to");
    expect("bad.conf:2: unknown option max_wurlds; did you mean max_worlds?");
    expect("bad.conf:3: cache_bytes = 1K: expected a size from");
    write_text(good, "listen = 0.0.0.0:7447\ntokens = /nonexistent/tokens\nhttp_listen = 1:2:x\ntls_key = k.pem\n");
    ck_assert_int_eq(run("%s --check-config --config %s", NAVD_PATH, good), 1);
    expect("listen = 0.0.0.0:7447: other machines can reach it");
    expect("/nonexistent/tokens");
    expect("http_listen = 1:2:x: expected HOST:PORT");
    expect("tls_key = k.pem: its certificate is missing");
    write_text(good, "socket_group = no.such.group\nstate = /dev/null\n"
                     "output_bytes = 2M\nmax_output_bytes = 1M\nmax_memory_bytes = 1M\n");
    ck_assert_int_eq(run("%s --check-config --config %s", NAVD_PATH, good), 1);
    expect("socket_group = no.such.group: there is no such group");
    expect("state = /dev/null: it is a file");
    expect("output_bytes = 2097152: it is greater than max_output_bytes, which is 1048576");
    expect("max_memory_bytes = 1048576: below 64M");
    write_text(good, "\xef\xbb\xbfmax_worlds = 7\r\n = 3\n");
    ck_assert_int_eq(run("%s --check-config --config %s", NAVD_PATH, good), 1);
    expect("good.conf:2: there is no name before the =");
    ck_assert_ptr_null(strstr(said, "good.conf:1"));
    write_text(good, "max_worlds = 7\n");
    ck_assert_int_eq(run("%s --config %s", NAVD_PATH, bad), 2);
    ck_assert_int_eq(run("%s --config %s.missing", NAVD_PATH, good), 2);
    expect("No such file");
    ck_assert_int_eq(run("%s --no-such-option", NAVD_PATH), 2);
    ck_assert_int_eq(run("%s --socket '' --state ''", NAVD_PATH), 1);
    expect("nothing to listen on");
    ck_assert_int_eq(run("%s --print-config --config %s", NAVD_PATH, good), 0);
    expect("\nmax_worlds = 7\n");
    expect("\n#max_profiles = ");
}
END_TEST

START_TEST(what_cannot_be_printed_is_an_error)
{
    static const char *const printed[] = {"--help",       "--version",    "--print-config", "--check-config --state ''",
                                          "token --help", "token new ann"};
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        ck_assert_msg(run("(%s %s >/dev/full)", NAVD_PATH, printed[i]) == 1, "navd %s", printed[i]);
        expect("standard output");
    }
}
END_TEST

START_TEST(a_token_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was)
{
    char line[1001];
    struct stat st;
    memset(line, '#', 999);
    strcpy(line + 999, "\n");
    const char *file = temp_path("tokens");
    write_text(file, line);
    ck_assert_int_eq(chmod(file, 0600), 0);
    // The file may have 1024 bytes: some of the line fit.
    ck_assert_int_eq(run("(trap '' XFSZ; ulimit -f 2; %s token new ann --file %s)", NAVD_PATH, file), 1);
    expect(file);
    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_int_eq(st.st_size, 1000);
    ck_assert_int_eq(run("%s token new ann --file %s", NAVD_PATH, file), 0);
}
END_TEST

// --- reload ---

static const char *configured_at;

static void launch_configured(daemon_process *d, const char *text)
{
    configured_at = temp_path("navd.conf");
    write_text(configured_at, text);
    const char *const arguments[] = {"--config", configured_at, NULL};
    daemon_launch(d, &(daemon_options){.arguments = arguments});
}

static void reload(daemon_process *d, const char *text)
{
    write_text(configured_at, text);
    kill(d->pid, SIGHUP);
}

START_TEST(a_reload_changes_what_may_change_and_names_what_needs_a_restart)
{
    daemon_process d;
    launch_configured(&d, "max_worlds = 1\nthreads = 1\n");
    open_world(d.socket, "first");
    reload(&d, "max_worlds = 2\nthreads = 2\n");
    daemon_await(&d, "event=config.changed", "option=max_worlds", "value=2", NULL);
    daemon_await(&d, "event=config.reloaded", NULL);
    ck_assert(daemon_said(&d, "event=config.needs_restart option=threads value=2"));
    open_world(d.socket, "second"); // there is room for it now
    ck_assert_uint_eq(daemon_stat(&d, "worlds"), 2);
    reload(&d, "max_worlds = 3\nnonsense\n");
    daemon_await(&d, "event=config.refused", "navd.conf:2", NULL);
    reload(&d, "max_worlds = 2\nthreads = 2\nlog_format = json\n");
    daemon_await(&d, "\"event\":\"config.reloaded\"", NULL);
    ck_assert(!daemon_said(&d, "value=3"));
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

// Before it becomes navd: another process waits until navd reads its configuration, which is a pipe, sends SIGHUP, puts
// a file in the pipe's place, and lets navd go on.
static void hang_up_early(void *user)
{
    const char *next = user;
    pid_t navd = getpid();
    if (fork()) return;
    alarm(120); // where navd never comes so far
    int pipe_end = open(configured_at, O_WRONLY);
    if (pipe_end < 0 || kill(navd, SIGHUP) || rename(next, configured_at)) _exit(1);
    _exit(0);
}

START_TEST(a_hangup_that_comes_while_it_starts_is_a_reload)
{
    daemon_process d;
    const char *next = temp_path("next.conf");
    configured_at = temp_path("navd.conf");
    write_text(next, "max_worlds = 3\n");
    ck_assert_int_eq(mkfifo(configured_at, 0600), 0);
    const char *const arguments[] = {"--config", configured_at, NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments, .prepare = hang_up_early, .user = (void *)next});
    daemon_await(&d, "event=config.changed", "option=max_worlds", "value=3", NULL);
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

// --- the service manager ---

typedef struct manager {
    int fd;
    char address[200], variable[240];
} manager;

static void manager_open(manager *m)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(m->address, sizeof m->address, "%s", temp_path("notify"));
    snprintf(m->variable, sizeof m->variable, "NOTIFY_SOCKET=%s", m->address);
    strcpy(a.sun_path, m->address);
    m->fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    ck_assert_int_eq(bind(m->fd, (struct sockaddr *)&a, sizeof a), 0);
}

// Waits for a message with this line.
static void manager_await(manager *m, const char *wanted)
{
    char text[1024];
    for (;;) {
        struct pollfd p = {.fd = m->fd, .events = POLLIN};
        ck_assert_msg(poll(&p, 1, PATIENCE_MS) == 1, "navd did not say %s", wanted);
        ssize_t n = recv(m->fd, text, sizeof text - 1, 0);
        ck_assert_int_ge(n, 0);
        text[n] = 0;
        const char *at = strstr(text, wanted);
        if (at && (at == text || at[-1] == '\n')) return;
    }
}

START_TEST(the_service_manager_hears_of_every_step)
{
    manager m;
    daemon_process d;
    manager_open(&m);
    const char *const environment[] = {m.variable, "WATCHDOG_USEC=100000", NULL};
    daemon_launch(&d, &(daemon_options){.environment = environment});
    manager_await(&m, "READY=1");
    manager_await(&m, "WATCHDOG=1");
    manager_await(&m, "STATUS=");
    manager_await(&m, "WATCHDOG=1");
    kill(d.pid, SIGHUP);
    manager_await(&m, "RELOADING=1");
    manager_await(&m, "READY=1");
    kill(d.pid, SIGTERM);
    manager_await(&m, "STOPPING=1");
    ck_assert_int_eq(daemon_stop(&d), 0);
    close(m.fd);
}
END_TEST

typedef struct passed_on {
    int fds[3];
    int count;
    char *pid; // "LISTEN_PID=" and room
} passed_on;

// In the child, before it becomes navd.
static void pass_on(void *user)
{
    passed_on *p = user;
    snprintf(p->pid, 40, "LISTEN_PID=%d", (int)getpid());
    int high[3];
    for (int i = 0; i < p->count; i++) high[i] = fcntl(p->fds[i], F_DUPFD, 20);
    for (int i = 0; i < p->count; i++) dup2(high[i], 3 + i);
    for (int i = 0; i < p->count; i++) close(high[i]);
}

static int listen_unix(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(listen(fd, 8), 0);
    return fd;
}

static int listen_tcp(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(listen(fd, 8), 0);
    return fd;
}

START_TEST(sockets_that_were_passed_on_are_served_and_stay)
{
    daemon_process d;
    char pid[40] = "LISTEN_PID=", path[200];
    snprintf(path, sizeof path, "%s", temp_path("passed.sock"));
    passed_on p = {{listen_tcp(), listen_unix(path)}, 2, pid};
    const char *const environment[] = {"LISTEN_FDS=2", pid, NULL};
    daemon_options o = {.environment = environment, .prepare = pass_on, .user = &p, .socket = "/nonexistent/navd.sock"};
    for (int round = 0; round < 2; round++) { // a second one takes over what the first left
        daemon_launch(&d, &o);
        open_world(path, "w");
        ck_assert_int_gt(d.port, 0);
        char tcp[64];
        snprintf(tcp, sizeof tcp, "127.0.0.1:%d", d.port);
        open_world(tcp, "w");
        ck_assert_int_eq(daemon_stop(&d), 0);
        ck_assert(file_exists(path));
    }
    close(p.fds[0]);
    close(p.fds[1]);
}
END_TEST

START_TEST(sockets_of_another_kind_are_refused_with_words)
{
    char text[2048], pid[40] = "LISTEN_PID=";
    passed_on p = {{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)}, 1, pid};
    const char *const environment[] = {"LISTEN_FDS=1", pid, NULL};
    daemon_options o = {.environment = environment, .prepare = pass_on, .user = &p};
    ck_assert_int_eq(daemon_refused(&o, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "of another kind") != NULL, "%s", text);
    close(p.fds[0]);
    passed_on two = {{listen_tcp(), listen_tcp()}, 2, pid};
    const char *const environment_two[] = {"LISTEN_FDS=2", pid, NULL};
    o = (daemon_options){.environment = environment_two, .prepare = pass_on, .user = &two};
    ck_assert_int_eq(daemon_refused(&o, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "second one of its kind") != NULL, "%s", text);
    close(two.fds[0]);
    close(two.fds[1]);
}
END_TEST

// In the child: its standard error is what the journal reads.
static void be_the_journal(void *user)
{
    struct stat st;
    fstat(STDERR_FILENO, &st);
    snprintf(user, 80, "JOURNAL_STREAM=%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
}

START_TEST(the_journal_gets_its_own_form)
{
    daemon_process d;
    char stream[80] = "JOURNAL_STREAM=";
    const char *const environment[] = {stream, NULL};
    daemon_launch(&d, &(daemon_options){.environment = environment, .prepare = be_the_journal, .user = stream});
    ck_assert(daemon_said(&d, "<6>event=listener.opened"));
    ck_assert(!daemon_said(&d, " level="));
    ck_assert_int_eq(daemon_stop(&d), 0);
    strcpy(stream, "JOURNAL_STREAM=1:2"); // that of somebody who passed it on
    daemon_launch(&d, &(daemon_options){.environment = environment});
    ck_assert(daemon_said(&d, " level=info event=listener.opened"));
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

// --- stopping ---

START_TEST(a_client_that_does_not_read_holds_up_the_end_for_drain_s_at_most)
{
    daemon_process d;
    const char *const arguments[] = {"--drain-s", "1", NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments});
    peer p;
    start_not_reading(&p, &d);
    kill(d.pid, SIGTERM);
    daemon_await(&d, "event=daemon.draining", NULL);
    daemon_await(&d, "event=daemon.drained", "complete=no", NULL);
    daemon_await(&d, "event=daemon.stopped", NULL);
    ck_assert_int_eq(daemon_stop(&d), 0);
    peer_deinit(&p);
}
END_TEST

START_TEST(a_second_signal_ends_it_at_once)
{
    daemon_process d;
    const char *const arguments[] = {"--drain-s", "3600", NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments});
    peer p;
    start_not_reading(&p, &d);
    kill(d.pid, SIGTERM);
    daemon_await(&d, "event=daemon.draining", NULL);
    kill(d.pid, SIGTERM);
    daemon_await(&d, "event=daemon.stopping", "at_once=yes", NULL);
    daemon_await(&d, "event=daemon.stopped", NULL);
    ck_assert_int_eq(daemon_stop(&d), 0);
    peer_deinit(&p);
}
END_TEST

// --- HTTP beyond loopback ---

static char page[1 << 17];

static SSL *begin_over_tls(int port, const char *request)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    SSL_CTX_free(context);
    SSL_set_fd(ssl, fd);
    ck_assert_int_eq(SSL_connect(ssl), 1);
    ck_assert_str_eq(SSL_get_version(ssl), "TLSv1.3");
    ck_assert_int_gt(SSL_write(ssl, request, (int)strlen(request)), 0);
    return ssl;
}

static void end_over_tls(SSL *ssl)
{
    close(SSL_get_fd(ssl));
    SSL_free(ssl);
}

static const char *ask_over_tls(int port, const char *request)
{
    SSL *ssl = begin_over_tls(port, request);
    int n = 0, got;
    while ((got = SSL_read(ssl, page + n, (int)sizeof page - 1 - n)) > 0) n += got;
    page[n] = 0;
    end_over_tls(ssl);
    return page;
}

static void make_certificate(const char *certificate, const char *key, const char *name)
{
    ck_assert_msg(run("umask 077; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
                      "-subj /CN=%s -keyout %s -out %s",
                      name, key, certificate) == 0,
                  "%s", said);
}

START_TEST(beyond_loopback_pages_need_tls_and_metrics_a_token)
{
    daemon_process d;
    char text[2048], certificate[200], key[200], tokens[200], token[120], request[400];
    snprintf(certificate, sizeof certificate, "%s", temp_path("cert.pem"));
    snprintf(key, sizeof key, "%s", temp_path("key.pem"));
    snprintf(tokens, sizeof tokens, "%s", temp_path("tokens"));
    make_certificate(certificate, key, "navd.test");
    const char *const bare[] = {"--socket", "", "--http-listen", "0.0.0.0:0", NULL};
    ck_assert_int_eq(daemon_refused(&(daemon_options){.arguments = bare, .no_tcp = true}, text, sizeof text), 1);
    ck_assert_msg(strstr(text, "not encrypted") != NULL, "%s", text);

    ck_assert_int_eq(run("%s token new prometheus --role reader --file %s", NAVD_PATH, tokens), 0);
    ck_assert_int_eq(sscanf(said, "%100s", token), 1);
    const char *const arguments[] = {
        "--http-listen", "0.0.0.0:0", "--tls-certificate", certificate, "--tls-key", key, "--tokens", tokens, NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments, .no_tcp = true});
    int port = atoi(strstr(daemon_await(&d, "event=http.opened", "port=", NULL), "port=") + 5);

    ask_over_tls(port, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    ck_assert_msg(!strncmp(page, "HTTP/1.1 200", 12), "%s", page);
    ask_over_tls(port, "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    ck_assert_msg(!strncmp(page, "HTTP/1.1 401", 12), "%s", page);
    ask_over_tls(port, "GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer navd_0123456789abcdef_00\r\n"
                       "Connection: close\r\n\r\n");
    ck_assert_msg(!strncmp(page, "HTTP/1.1 401", 12), "%s", page);
    snprintf(request, sizeof request,
             "GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", token);
    ask_over_tls(port, request);
    ck_assert_msg(!strncmp(page, "HTTP/1.1 200", 12), "%s", page);
    ck_assert_ptr_nonnull(strstr(page, "navd_sessions"));
    daemon_ask_page(port, "/healthz", page, sizeof page);
    ck_assert_msg(strstr(page, "200") == NULL, "%s", page);

    make_certificate(certificate, key, "navd.renewed");
    kill(d.pid, SIGHUP);
    daemon_await(&d, "event=config.reloaded", NULL);
    ask_over_tls(port, "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    ck_assert_msg(!strncmp(page, "HTTP/1.1 200", 12), "%s", page);
    ck_assert_int_eq(
        run("openssl s_client -connect 127.0.0.1:%d </dev/null 2>/dev/null | openssl x509 -noout -subject", port), 0);
    expect("navd.renewed");
    ck_assert(!daemon_said(&d, token));
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

START_TEST(a_wrong_token_of_a_page_waits_and_a_right_one_does_not)
{
    daemon_process d;
    char certificate[200], key[200], tokens[200], token[120], request[400];
    static const char wrong[] = "GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer navd_x\r\n\r\n";
    snprintf(certificate, sizeof certificate, "%s", temp_path("cert.pem"));
    snprintf(key, sizeof key, "%s", temp_path("key.pem"));
    snprintf(tokens, sizeof tokens, "%s", temp_path("tokens"));
    make_certificate(certificate, key, "navd.test");
    ck_assert_int_eq(run("%s token new prometheus --role reader --file %s", NAVD_PATH, tokens), 0);
    ck_assert_int_eq(sscanf(said, "%100s", token), 1);
    const char *const arguments[] = {
        "--http-listen",   "0.0.0.0:0", "--tls-certificate",     certificate, "--tls-key", key, "--tokens", tokens,
        "--auth-delay-ms", "10000",     "--max-unauthenticated", "2",         NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments, .no_tcp = true});
    int port = atoi(strstr(daemon_await(&d, "event=http.opened", "port=", NULL), "port=") + 5);

    double began = clock_ms();
    SSL *waiting[2];
    for (int i = 0; i < 2; i++) {
        waiting[i] = begin_over_tls(port, wrong);
        daemon_await(&d, "event=auth.failed", "source=127.0.0.1", "over=http", "delay_ms=10000", NULL);
    }
    snprintf(request, sizeof request,
             "GET /metrics HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", token);
    ask_over_tls(port, request);
    ck_assert_msg(!strncmp(page, "HTTP/1.1 200", 12), "%s", page);
    ask_over_tls(port, "GET /healthz HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer navd_x\r\nConnection: close\r\n\r\n");
    ck_assert_msg(!strncmp(page, "HTTP/1.1 200", 12), "%s", page); // this one takes no token
    SSL *third = begin_over_tls(port, wrong);                      // one too many: it is not looked at
    int n = SSL_read(third, page, sizeof page - 1), more[2];
    for (int i = 0; i < 2; i++) {
        fcntl(SSL_get_fd(waiting[i]), F_SETFL, O_NONBLOCK);
        more[i] = SSL_read(waiting[i], page + 100, sizeof page - 100); // the tickets of TLS are there, and no more
        end_over_tls(waiting[i]);
    }
    if (clock_ms() - began < 10000) { // else they have been answered: a very slow machine
        ck_assert_msg(n > 0 && !strncmp(page, "HTTP/1.1 429", 12), "%d %.*s", n, n > 0 ? n : 0, page);
        for (int i = 0; i < 2; i++) ck_assert_int_eq(more[i], -1);
    }
    end_over_tls(third);
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("operations");
    TCase *t = tcase_create("operations");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_configuration_is_checked_with_words_and_an_exit_code);
    tcase_add_test(t, what_cannot_be_printed_is_an_error);
    tcase_add_test(t, a_token_that_does_not_fit_on_the_disk_leaves_the_file_as_it_was);
    tcase_add_test(t, a_reload_changes_what_may_change_and_names_what_needs_a_restart);
    tcase_add_test(t, a_hangup_that_comes_while_it_starts_is_a_reload);
    tcase_add_test(t, the_service_manager_hears_of_every_step);
    tcase_add_test(t, sockets_that_were_passed_on_are_served_and_stay);
    tcase_add_test(t, sockets_of_another_kind_are_refused_with_words);
    tcase_add_test(t, the_journal_gets_its_own_form);
    tcase_add_test(t, a_client_that_does_not_read_holds_up_the_end_for_drain_s_at_most);
    tcase_add_test(t, a_second_signal_ends_it_at_once);
    tcase_add_test(t, beyond_loopback_pages_need_tls_and_metrics_a_token);
    tcase_add_test(t, a_wrong_token_of_a_page_waits_and_a_right_one_does_not);
    return run_suite(s);
}
