// What a terminal shows while navctl works, and that nobody else sees it.
#include "clients/navctl/output/elapsed.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct terminal {
    int master, slave;
    char text[1 << 14]; // read so far
    size_t count;
} terminal;

static void terminal_open(terminal *t)
{
    t->count = 0;
    t->master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(t->master, 0);
    ck_assert(grantpt(t->master) == 0 && unlockpt(t->master) == 0);
    t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(t->slave, 0);
}

// Waits for more. False: all other ends are closed.
static bool terminal_read(terminal *t)
{
    ck_assert_uint_lt(t->count + 1, sizeof t->text);
    ssize_t n = read(t->master, t->text + t->count, sizeof t->text - 1 - t->count);
    if (n > 0) t->count += (size_t)n;
    t->text[t->count] = '\0';
    return n > 0;
}

START_TEST(a_terminal_shows_what_goes_on)
{
    terminal t;
    terminal_open(&t);
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, t.slave, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    char *const argv[] = {(char *)"navctl",
                          (char *)"build",
                          (char *)yard(),
                          (char *)"--picture",
                          (char *)temp_path("seen.png"),
                          (char *)"--threads",
                          (char *)"1",
                          NULL};
    ck_assert_int_eq(posix_spawn(&pid, NAVCTL_PATH, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(t.slave);
    while (terminal_read(&t)) continue;
    int status;
    ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
    static const char *const lines[] = {"\r\033[KReading yard.obj", "\r\033[KGenerating [", "\r\033[KDrawing seen.png"};
    const char *at = t.text;
    for (int i = 0; i < 3; i++) {
        at = strstr(at, lines[i]);
        ck_assert_msg(at != NULL, "no \"%s\" in \"%s\"", lines[i] + 4, t.text);
    }
    // The last line is wiped, and nothing before that has ended one. A sanitizer may have the last word.
    const char *wiped = NULL, *line_end = strchr(t.text, '\n');
    for (at++; (at = strstr(at, "\r\033[K")) != NULL; at++) wiped = at;
    ck_assert_ptr_nonnull(wiped);
    ck_assert(line_end ? wiped + 4 < line_end : wiped[4] == '\0');
    close(t.master);
}
END_TEST

START_TEST(nobody_else_sees_it)
{
    outcome r = run_navctl("build", yard(), "--picture", temp_path("unseen.png"), NULL);
    ck_assert_int_eq(r.code, 0);
    ck_assert_ptr_null(strchr(r.err, '\033'));
    ck_assert_ptr_null(strstr(r.err, "Reading"));
}
END_TEST

START_TEST(the_time_goes_on)
{
    terminal t;
    terminal_open(&t);
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    ck_assert_int_ge(dup2(t.slave, STDERR_FILENO), 0);
    elapsed e;
    elapsed_begin(&e, "Reading", "some/town.obj");
    for (int seen = 0; seen < 2;) {
        ck_assert(terminal_read(&t));
        const char *at = t.text;
        for (seen = 0; (at = strstr(at, "Reading town.obj, ")) != NULL; at++) seen++;
    }
    elapsed_end(&e);
    elapsed_end(&e); // no harm
    ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
    close(before);
    close(t.slave);
    while (terminal_read(&t)) continue;
    ck_assert_str_eq(t.text + t.count - 4, "\r\033[K");
    close(t.master);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("progress");
    TCase *t = tcase_create("progress");
    suite_add_tcase(s, t);
    tcase_add_test(t, a_terminal_shows_what_goes_on);
    tcase_add_test(t, nobody_else_sees_it);
    tcase_add_test(t, the_time_goes_on);
    return run_suite_in_folder(s);
}
