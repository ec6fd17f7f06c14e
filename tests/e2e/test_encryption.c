// TLS with the real binaries: who is let in and who is told why not, certificates and tokens that change while navd
// runs, bytes of one kind at the port of another, and a secret that is nowhere in memory once it was checked.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/daemon/certificates.h"
#include "tests/e2e/daemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TOKEN_BYTES = 128 };

static daemon_process navd;
static authority ours, other;
static char token[TOKEN_BYTES], address[64], tokens[200], token_file[200], ca[200], certificate[200], key[200];

static void keep(char out[200], const char *name)
{
    snprintf(out, 200, "%s", temp_path(name));
}

static void write_private(const char *path, const char *text)
{
    write_text(path, text);
    ck_assert_int_eq(chmod(path, 0600), 0);
}

static void make_token(const char *name, const char *file)
{
    char command[700];
    snprintf(command, sizeof command, "%s token new %s --role editor --file %s", NAVD_PATH, name, file);
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    ck_assert_ptr_nonnull(fgets(token, sizeof token, out));
    ck_assert_int_eq(pclose(out), 0);
    token[strcspn(token, "\n")] = 0;
}

static void issue(const authority *from, long to_s)
{
    wanted_certificate w = {.name = "navd", .alt = "IP:127.0.0.1", .from_s = -7200, .to_s = to_s};
    authority_issue(from, &w, certificate, key);
}

static void make_authorities(void)
{
    authority_init(&ours, "our authority");
    authority_init(&other, "another authority");
}

static void drop_authorities(void)
{
    authority_deinit(&ours);
    authority_deinit(&other);
}

static void launch(const char *hello_s)
{
    const char *const arguments[] = {"--tokens",  tokens,  "--tls-certificate", certificate, "--tls-key", key,
                                     "--hello-s", hello_s, "--auth-delay-ms",   "1",         NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    snprintf(address, sizeof address, "tls://127.0.0.1:%d", navd.port);
}

static void start(void)
{
    keep(tokens, "tokens");
    keep(token_file, "token");
    keep(ca, "ca.pem");
    keep(certificate, "server.pem");
    keep(key, "server.key");
    unlink(tokens);
    make_token("ann", tokens);
    write_private(token_file, token);
    authority_write(&ours, ca);
    issue(&ours, 86400);
    launch("300");
}

static void stop(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

#define REMOTE(to, authority_file, ...)                                                                                \
    run_navctl(__VA_ARGS__, "-c", to, "--ca", authority_file, "--token-file", token_file, NULL)
#define EXPECT_SAYS(o, wanted, text)                                                                                   \
    ck_assert_msg((o).code == (wanted) && strstr((o).err, text), "%d: %s", (o).code, (o).err)

START_TEST(a_scene_goes_up_and_its_tiles_come_down_over_tls)
{
    const char *yard = temp_path("yard.obj");
    write_text(yard, YARD_OBJ);
    outcome o = REMOTE(address, ca, "push", yard, "--world", "yard", "--json");
    ck_assert_msg(o.code == 0, "%s", o.err);
    o = REMOTE(address, ca, "stats", "--json");
    ck_assert_msg(o.code == 0 && strstr(o.out, "\"worlds\": 1"), "%s%s", o.out, o.err);
    daemon_await(&navd, "event=auth.passed", "principal=ann role=editor", NULL);
}
END_TEST

START_TEST(what_is_wrong_is_said_to_the_person_who_can_act)
{
    char foreign[200], bad[200], to[64];
    keep(foreign, "foreign.pem");
    keep(bad, "bad");
    authority_write(&other, foreign);
    outcome o = REMOTE(address, foreign, "stats");
    EXPECT_SAYS(o, 8, "not signed by a trusted authority");
    snprintf(to, sizeof to, "127.0.0.1:%d", navd.port);
    o = REMOTE(to, ca, "stats");
    EXPECT_SAYS(o, 7, "tls://");
    snprintf(to, sizeof to, "tls://localhost:%d", navd.port); // the certificate is for 127.0.0.1
    o = REMOTE(to, ca, "stats");
    EXPECT_SAYS(o, 8, "is not for localhost");
    o = run_navctl("stats", "-c", address, "--ca", ca, NULL);
    EXPECT_SAYS(o, 7, "--token-file");
    token[strlen(token) - 1] ^= 1;
    write_private(bad, token);
    o = run_navctl("stats", "-c", address, "--ca", ca, "--token-file", bad, NULL);
    EXPECT_SAYS(o, 7, "the token is not valid");
    ck_assert(!strstr(o.err, token));
    ck_assert_int_eq(chmod(bad, 0644), 0);
    o = run_navctl("stats", "-c", address, "--ca", ca, "--token-file", bad, NULL);
    EXPECT_SAYS(o, 2, "chmod 0600");
}
END_TEST

START_TEST(tls_at_a_plain_port_is_answered_with_words)
{
    daemon_process plain;
    char to[64];
    daemon_launch(&plain, &(daemon_options){.socket = temp_path("plain.sock")});
    snprintf(to, sizeof to, "tls://127.0.0.1:%d", plain.port);
    outcome o = REMOTE(to, ca, "stats");
    EXPECT_SAYS(o, 3, "does not use TLS; remove tls://");
    ck_assert_int_eq(daemon_stop(&plain), 0);
}
END_TEST

START_TEST(a_new_certificate_counts_for_new_sessions)
{
    issue(&ours, -3600); // one that has expired
    kill(navd.pid, SIGHUP);
    daemon_await(&navd, "event=tls.loaded", NULL);
    outcome o = REMOTE(address, ca, "stats");
    EXPECT_SAYS(o, 8, "has expired");
    write_text(certificate, "nonsense\n"); // this one is not taken
    kill(navd.pid, SIGHUP);
    daemon_await(&navd, "event=tls.refused", certificate, NULL);
    o = REMOTE(address, ca, "stats");
    EXPECT_SAYS(o, 8, "has expired");
    issue(&ours, 86400);
    kill(navd.pid, SIGHUP);
    daemon_await(&navd, "event=tls.loaded", NULL);
    o = REMOTE(address, ca, "stats");
    ck_assert_msg(o.code == 0, "%s", o.err);
}
END_TEST

// Whole: navd does not see a file that is half written.
static void exchange_tokens(const char *text)
{
    char fresh[200];
    keep(fresh, "tokens.new");
    write_private(fresh, text);
    ck_assert_int_eq(rename(fresh, tokens), 0);
}

START_TEST(tokens_change_while_navd_runs)
{
    char first[TOKEN_BYTES];
    strcpy(first, token);
    make_token("bob", tokens);
    daemon_await(&navd, "event=tokens.loaded", "count=2", NULL);
    write_private(token_file, token);
    outcome o = REMOTE(address, ca, "stats");
    ck_assert_msg(o.code == 0, "%s", o.err);
    exchange_tokens("nonsense\n");
    daemon_await(&navd, "event=tokens.refused", "line 1", NULL);
    o = REMOTE(address, ca, "stats");
    ck_assert_msg(o.code == 0, "%s", o.err); // a faulty file changes nothing
    exchange_tokens("# nobody\n");
    daemon_await(&navd, "event=tokens.loaded", "count=0", NULL);
    o = REMOTE(address, ca, "stats");
    EXPECT_SAYS(o, 7, "the token is not valid");
    write_private(token_file, first);
    o = REMOTE(address, ca, "stats");
    EXPECT_SAYS(o, 7, "the token is not valid");
}
END_TEST

static int connect_raw(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)navd.port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

// A client's first flight.
static size_t first_flight(uint8_t *out, size_t room)
{
    SSL_CTX *c = SSL_CTX_new(TLS_client_method());
    SSL *s = SSL_new(c);
    BIO *in = BIO_new(BIO_s_mem()), *written = BIO_new(BIO_s_mem());
    SSL_set_bio(s, in, written);
    ck_assert_int_ne(SSL_connect(s), 1);
    int n = BIO_read(written, out, (int)room);
    ck_assert_int_gt(n, 100);
    SSL_free(s);
    SSL_CTX_free(c);
    return (size_t)n;
}

// A byte now and then does not keep a connection that has not logged in.
START_TEST(a_handshake_of_single_bytes_has_its_time)
{
    uint8_t hello[4096], sink[256];
    size_t count = first_flight(hello, sizeof hello), sent = 0;
    stop();
    launch("10"); // all of them take longer, and a slow machine's own client does not
    int fd = connect_raw();
    double began = clock_ms();
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 100) == 1) { // the pace of the bytes, and a look at the other side
            ssize_t n = recv(fd, sink, sizeof sink, 0);
            if (n <= 0) break;
        }
        if (sent + 1 < count) sent += send(fd, hello + sent, 1, MSG_NOSIGNAL) == 1;
        ck_assert_msg(clock_ms() - began < PATIENCE_MS, "it is still open");
    }
    close(fd);
    ck_assert_uint_lt(sent, count);
    outcome o = REMOTE(address, ca, "stats");
    for (int i = 0; o.code != 0 && i < 20; i++) o = REMOTE(address, ca, "stats"); // a slow machine's was too late
    ck_assert_msg(o.code == 0, "%s", o.err);
}
END_TEST

START_TEST(half_handshakes_and_noise_cost_nobody_else_anything)
{
    uint8_t hello[4096];
    uint64_t state = 1;
    size_t count = first_flight(hello, sizeof hello);
    for (int i = 0; i < 200; i++) {
        int fd = connect_raw();
        for (size_t at = 0; at < count; at += 1 + at % 97) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            if (i % 3) hello[(state >> 33) % count] ^= (uint8_t)(state >> 20);
        }
        (void)!send(fd, hello, 1 + (state >> 40) % count, MSG_NOSIGNAL);
        close(fd);
    }
    outcome o = REMOTE(address, ca, "stats", "--json");
    for (int i = 0; o.code != 0 && i < 200; i++)
        o = REMOTE(address, ca, "stats", "--json"); // those that are still open
    ck_assert_msg(o.code == 0, "%s", o.err);
}
END_TEST

static bool may_look_at_memory(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int mem = open(path, O_RDONLY | O_CLOEXEC);
    bool may = mem >= 0 || (errno != EACCES && errno != EPERM);
    if (mem >= 0) close(mem);
    if (!may) printf("encryption: not allowed to look at navd's memory: not tested\n");
    return may;
}

// Looks through all memory that navd may write to.
static bool has_in_memory(pid_t pid, const char *text)
{
    char path[64], line[512];
    static char bytes[1 << 20];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *maps = fopen(path, "r");
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    int mem = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_msg(maps && mem >= 0, "%s: %s", path, strerror(errno));
    size_t length = strlen(text);
    bool found = false;
    uint64_t looked = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char rights[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) != 3 || rights[0] != 'r' || rights[1] != 'w') continue;
        if (rights[3] == 's') continue; // addresses for meshes, where a look would make memory of them
        for (unsigned long at = from; at < to && !found;) {
            size_t want = to - at < sizeof bytes ? to - at : sizeof bytes;
            ssize_t n = pread(mem, bytes, want, (off_t)at);
            if (n <= 0) break;
            looked += (uint64_t)n;
            found |= memmem(bytes, (size_t)n, text, length) != NULL;
            at += (size_t)n > length && (size_t)n == sizeof bytes ? (size_t)n - length : (size_t)n;
        }
    }
    fclose(maps);
    close(mem);
    ck_assert_uint_gt(looked, 1 << 18);
    return found;
}

START_TEST(a_secret_is_nowhere_in_memory_once_it_was_checked)
{
    if (IS_SANITIZED || !may_look_at_memory(navd.pid)) return; // its freed memory is kept, and terabytes are mapped
    outcome o = REMOTE(address, ca, "stats");
    ck_assert_msg(o.code == 0, "%s", o.err);
    daemon_await(&navd, "event=session.closed", NULL);
    ck_assert(has_in_memory(navd.pid, navd.socket)); // the search finds what is there
    ck_assert(!has_in_memory(navd.pid, strrchr(token, '_') + 1));
}
END_TEST

START_TEST(navd_does_not_listen_to_other_machines_without_tls_and_tokens)
{
    char says[4096];
    const char *const plain[] = {"--listen", "0.0.0.0:0", "--tokens", tokens, NULL};
    daemon_options o = {.arguments = plain, .no_tcp = true, .socket = ""};
    ck_assert_int_eq(daemon_refused(&o, says, sizeof says), 1);
    ck_assert_msg(strstr(says, "tls_certificate"), "%s", says);
    const char *const open[] = {"--listen", "[::]:0", "--tls-certificate", certificate, "--tls-key", key, NULL};
    o.arguments = open;
    ck_assert_int_eq(daemon_refused(&o, says, sizeof says), 1);
    ck_assert_msg(strstr(says, "set tokens"), "%s", says);
    ck_assert_int_eq(chmod(tokens, 0644), 0);
    const char *const loose[] = {"--tokens", tokens, NULL};
    o.arguments = loose;
    ck_assert_int_eq(daemon_refused(&o, says, sizeof says), 1);
    ck_assert_msg(strstr(says, "chmod"), "%s", says);
}
END_TEST

START_TEST(the_unix_socket_has_the_mode_that_is_configured)
{
    struct stat st;
    daemon_process d;
    char path[200];
    keep(path, "mode.sock");
    ck_assert_int_eq(stat(navd.socket, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    const char *const arguments[] = {"--socket-mode", "0660", NULL};
    daemon_launch(&d, &(daemon_options){.arguments = arguments, .socket = path, .no_tcp = true});
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0660);
    outcome o = run_navctl("stats", "-c", path, NULL);
    ck_assert_msg(o.code == 0, "%s", o.err);
    ck_assert_int_eq(daemon_stop(&d), 0);
    char says[1024];
    const char *const group[] = {"--socket-group", "no-such-group", NULL};
    daemon_options refused = {.arguments = group, .socket = path, .no_tcp = true};
    ck_assert_int_eq(daemon_refused(&refused, says, sizeof says), 1);
    ck_assert_msg(strstr(says, "socket_group"), "%s", says);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("encryption");
    TCase *t = tcase_create("encryption");
    tcase_add_unchecked_fixture(t, make_authorities, drop_authorities);
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_scene_goes_up_and_its_tiles_come_down_over_tls);
    tcase_add_test(t, what_is_wrong_is_said_to_the_person_who_can_act);
    tcase_add_test(t, tls_at_a_plain_port_is_answered_with_words);
    tcase_add_test(t, a_new_certificate_counts_for_new_sessions);
    tcase_add_test(t, tokens_change_while_navd_runs);
    tcase_add_test(t, a_handshake_of_single_bytes_has_its_time);
    tcase_add_test(t, half_handshakes_and_noise_cost_nobody_else_anything);
    tcase_add_test(t, a_secret_is_nowhere_in_memory_once_it_was_checked);
    tcase_add_test(t, navd_does_not_listen_to_other_machines_without_tls_and_tokens);
    tcase_add_test(t, the_unix_socket_has_the_mode_that_is_configured);
    return run_suite_in_folder(s);
}
