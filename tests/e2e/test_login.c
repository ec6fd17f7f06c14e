// Somebody guesses tokens: none gets in, nobody who has one waits for it, and no secret is to be seen anywhere.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TOKEN_BYTES = 128 };

static daemon_process navd;
static char token[TOKEN_BYTES];

// `navd token new`: the token as it is printed.
static void make_token(const char *file)
{
    char command[512];
    snprintf(command, sizeof command, "%s token new ann --role editor --file %s", NAVD_PATH, file);
    FILE *out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    ck_assert_ptr_nonnull(fgets(token, sizeof token, out));
    ck_assert_int_eq(pclose(out), 0);
    token[strcspn(token, "\n")] = 0;
    ck_assert_msg(!strncmp(token, "navd_", 5), "%s", token);
}

static void start(void)
{
    static char file[200];
    snprintf(file, sizeof file, "%s", temp_path("tokens"));
    unlink(file);
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_eq(write(fd, "# people", 8), 8); // by hand, and without the line's end
    close(fd);
    make_token(file);
    const char *const arguments[] = {"--tokens", file, "--auth-delay-ms", "100", NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
}

static void stop(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

enum { ANN = 2, STRANGER = 3 }; // their addresses: 127.0.0.2, 127.0.0.3

// A new connection over TCP that has said hello with this token; -1: it was turned away.
static int say_hello(unsigned who, const char *with)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)navd.port)}, from = a;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    from.sin_port = 0;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + who);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    int on = 1; // the port is chosen by connect(): one that waits after its end may serve another connection
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on); // where the kernel has it
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
    ck_assert_msg(connect(fd, (struct sockaddr *)&a, sizeof a) == 0, "%s", strerror(errno));
    nav_buffer hello = {0};
    np_hello_request m = {.version = NP_PROTOCOL_VERSION, .client = np_str_of("guess"), .token = np_str_of(with)};
    ck_assert_int_eq(np_encode_hello_request(&hello, 1, &m), NAV_OK);
    bool sent = send(fd, hello.data, hello.size, MSG_NOSIGNAL) == (ssize_t)hello.size;
    nav_buffer_deinit(&hello);
    if (sent) return fd;
    close(fd);
    return -1;
}

// What is answered to hello: NAV_OK lets in; NAV_ERR_CLOSED: nothing came.
static nav_status answer(int fd, bool wait)
{
    np_reader r;
    ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
    nav_status status = NAV_ERR_CLOSED;
    for (;;) {
        const uint8_t *bytes;
        size_t count;
        if (np_reader_next(&r, &bytes, &count) == NAV_OK) {
            np_message m = {0};
            np_error err = {0};
            np_hello_response hello;
            ck_assert_int_eq(np_message_read(bytes, count, &m, &err), NAV_OK);
            status = np_decode_hello_response(&m, &hello, &err);
            ck_assert(!strstr(err.message, "navd_"));
            np_message_deinit(&m);
            break;
        }
        uint8_t chunk[4096];
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, wait ? PATIENCE_MS : 0) <= 0) break;
        ssize_t n = recv(fd, chunk, sizeof chunk, 0);
        if (n <= 0) break;
        ck_assert_int_eq(np_reader_feed(&r, chunk, (size_t)n), NAV_OK);
    }
    np_reader_deinit(&r);
    return status;
}

// The right form and the right name; the secret is another.
static void guess_token(char out[TOKEN_BYTES], unsigned number)
{
    memcpy(out, token, TOKEN_BYTES);
    size_t length = strlen(out);
    char digits[9];
    snprintf(digits, sizeof digits, "%08x", number * 2654435761U);
    memcpy(out + length - 8, digits, 8);
    if (!strcmp(out, token)) out[length - 9] = out[length - 9] == '0' ? '1' : '0';
}

START_TEST(a_token_guessed_a_thousand_times_lets_nobody_in)
{
    enum { GUESSES = 1000, AT_A_TIME = 8 };
    int open[AT_A_TIME], sent = 0;
    for (int i = 0; i < AT_A_TIME; i++) open[i] = -1;
    for (unsigned i = 0; i < GUESSES; i++) { // without the patience to wait for the answer
        char wrong[TOKEN_BYTES];
        guess_token(wrong, i);
        int *fd = &open[i % AT_A_TIME];
        if (*fd >= 0) {
            ck_assert_int_ne(answer(*fd, false), NAV_OK);
            close(*fd);
        }
        *fd = say_hello(STRANGER, wrong);
        sent += *fd >= 0;
        if (i % 100 == 50) { // whoever has the right one does not wait
            int good = say_hello(ANN, token);
            ck_assert_int_eq(answer(good, true), NAV_OK);
            close(good);
        }
    }
    for (int i = 0; i < AT_A_TIME; i++) {
        if (open[i] < 0) continue;
        ck_assert_int_ne(answer(open[i], false), NAV_OK);
        close(open[i]);
    }
    ck_assert_int_gt(sent, 0);
    daemon_await(&navd, "event=auth.failed", "source=127.0.0.3", NULL);
    daemon_await(&navd, "event=session.refused", "reason=max_unauthenticated", NULL); // it has become slow
    ck_assert(!daemon_said(&navd, "source=127.0.0.2 over=plain failures"));
}
END_TEST

START_TEST(no_secret_is_in_the_log_or_the_process_list)
{
    char wrong[TOKEN_BYTES], path[64], bytes[8192];
    guess_token(wrong, 1);
    int bad = say_hello(STRANGER, wrong), good = say_hello(ANN, token), none = say_hello(STRANGER, "");
    ck_assert_int_eq(answer(good, true), NAV_OK);
    ck_assert_int_ne(answer(bad, true), NAV_OK);
    ck_assert_int_ne(answer(none, true), NAV_OK);
    close(bad);
    close(good);
    close(none);
    daemon_await(&navd, "event=auth.failed", NULL);
    const char *secret = strrchr(token, '_') + 1, *wrong_secret = strrchr(wrong, '_') + 1;
    ck_assert(!daemon_said(&navd, secret) && !daemon_said(&navd, wrong_secret));
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", (int)navd.pid, i ? "environ" : "cmdline");
        FILE *f = fopen(path, "r");
        ck_assert_ptr_nonnull(f);
        size_t n = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        ck_assert_ptr_null(memmem(bytes, n, secret, strlen(secret)));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("login");
    TCase *t = tcase_create("login");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_token_guessed_a_thousand_times_lets_nobody_in);
    tcase_add_test(t, no_secret_is_in_the_log_or_the_process_list);
    return run_suite_in_folder(s);
}
