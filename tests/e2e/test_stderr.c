// Standard error as others leave it to navd: a pipe that nobody reads, or nothing at all.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char socket_path[PATH_BYTES], state[PATH_BYTES];

// err: its standard error, or -1: all three standard streams are closed.
static pid_t start(int err)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (err >= 0) dup2(err, STDERR_FILENO);
    for (int fd = 0; err < 0 && fd <= STDERR_FILENO; fd++) close(fd);
    execl(NAVD_PATH, "navd", "--socket", socket_path, "--state", state, "--hello-s", "300", (char *)NULL);
    _exit(127);
}

static void dial(peer *p)
{
    double until = clock_ms() + PATIENCE_MS;
    peer_init(p, "town", 2);
    while (!peer_dial(p, socket_path)) {
        ck_assert_msg(clock_ms() < until, "it does not listen");
        sched_yield();
    }
}

static void stop(pid_t pid)
{
    int status;
    kill(pid, SIGTERM);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void greet(peer *p)
{
    np_error err;
    const np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .client = np_str_of("one more line of the log")};
    ck_assert_int_eq(peer_call(p, NP_HELLO, &hello, NULL, &err), NAV_OK);
}

static void sessions_come_and_go(int count)
{
    for (int i = 0; i < count; i++) {
        peer p;
        dial(&p);
        greet(&p);
        peer_deinit(&p);
    }
}

// Until it ends in what was looked for.
static void read_until(int fd, const char *text)
{
    char said[1 << 13];
    size_t n = 0;
    for (said[0] = 0; !strstr(said, text);) {
        if (n > sizeof said / 2) memmove(said, said + n - 200, 201), n = 200;
        ssize_t got = read(fd, said + n, sizeof said - 1 - n);
        ck_assert_int_gt(got, 0);
        n += (size_t)got;
        said[n] = 0;
    }
}

START_TEST(a_log_that_nobody_reads_holds_up_nobody_and_lost_lines_are_counted)
{
    enum { SESSIONS = 200 }; // two lines each: many times what the pipe holds
    int ends[2];
    peer p;
    city town;
    path_into(socket_path, "unread.sock");
    path_into(state, "unread");
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_ge(fcntl(ends[1], F_SETPIPE_SZ, 4096), 4096);
    pid_t pid = start(ends[1]);
    close(ends[1]);
    dial(&p);
    peer_deinit(&p);
    sessions_come_and_go(SESSIONS);
    city_build(&town, "town", 2, socket_path);
    peer_init(&p, "town", 2);
    ck_assert(peer_connect(&p, socket_path));
    peer_settle(&p);
    peer_deinit(&p);
    int flags = fcntl(ends[0], F_GETFL);
    ck_assert_int_eq(fcntl(ends[0], F_SETFL, flags | O_NONBLOCK), 0);
    char bytes[8192];
    bool counted = false;
    for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;) // there is room again: maybe a line comes at once
        counted |= memmem(bytes, (size_t)n, "event=log.lost lines=", 21) != NULL;
    ck_assert_int_eq(fcntl(ends[0], F_SETFL, flags), 0);
    sessions_come_and_go(1);
    if (!counted) read_until(ends[0], "event=log.lost lines=");
    stop(pid);
    close(ends[0]);
}
END_TEST

START_TEST(closed_standard_streams_are_not_taken_for_files)
{
    char name[64], target[64] = "";
    peer p;
    path_into(socket_path, "closed.sock");
    path_into(state, "closed");
    pid_t pid = start(-1);
    dial(&p);
    greet(&p);
    peer_deinit(&p);
    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)pid, fd);
        ssize_t n = readlink(name, target, sizeof target - 1);
        ck_assert_int_gt(n, 0);
        target[n] = 0;
        ck_assert_str_eq(target, "/dev/null");
    }
    stop(pid);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("stderr");
    TCase *t = tcase_create("stderr");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_log_that_nobody_reads_holds_up_nobody_and_lost_lines_are_counted);
    tcase_add_test(t, closed_standard_streams_are_not_taken_for_files);
    temp_path("");
    int failed = run_suite(s);
    remove_temp_folder();
    return failed;
}
