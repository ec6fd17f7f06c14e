// navctl watch across a restart of the daemon: it waits, comes back, and shows what changed meanwhile and no more. And
// a command that waits for a daemon to start.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct watching {
    pid_t pid;
    FILE *said; // both streams of it, a line at a time
    char line[512];
    unsigned tiles; // lines that were tiles
} watching;

static void watch(watching *w, const daemon_process *d)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    w->pid = fork();
    ck_assert_int_ge(w->pid, 0);
    if (w->pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execl(NAVCTL_PATH, "navctl", "watch", "-w", "yard", "-c", d->socket, NULL);
        _exit(127);
    }
    close(ends[1]);
    w->said = fdopen(ends[0], "r");
    ck_assert_ptr_nonnull(w->said);
}

// Reads on until a line has these words.
static void await(watching *w, const char *words)
{
    do {
        ck_assert_msg(fgets(w->line, sizeof w->line, w->said), "navctl watch ended before it said %s", words);
        w->tiles += !strncmp(w->line, "tile ", 5);
    } while (!strstr(w->line, words));
}

static int end(watching *w)
{
    int status;
    ck_assert_int_eq(kill(w->pid, SIGINT), 0);
    while (fgets(w->line, sizeof w->line, w->said)) {
    }
    fclose(w->said);
    ck_assert_int_eq(waitpid(w->pid, &status, 0), w->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

START_TEST(watch_goes_on_after_the_daemon_was_killed_and_shows_what_changed_since)
{
    daemon_process navd;
    char state[PATH_BYTES];
    const daemon_options options = {.no_tcp = true, .state = path_into(state, "state")};
    daemon_launch(&navd, &options);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    watching w = {0};
    watch(&w, &navd);
    await(&w, "tile 0,0 ok, revision 1");
    daemon_kill(&navd);
    await(&w, "trying again");
    unsigned first = w.tiles;
    ck_assert_uint_ge(first, 1);

    daemon_launch(&navd, &options);
    await(&w, "connected again");
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--move", "crate=1,0,0.5", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    await(&w, "tile 0,0 ok, revision ");
    ck_assert_msg(!strstr(w.line, "revision 1,"), "%s", w.line);
    ck_assert_int_eq(end(&w), 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(watch_ends_with_words_when_its_world_is_gone)
{
    daemon_process navd;
    daemon_start(&navd, NULL); // it keeps nothing
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    watching w = {0};
    watch(&w, &navd);
    await(&w, "tile 0,0 ok");
    daemon_kill(&navd);
    await(&w, "trying again");
    daemon_start(&navd, NULL);
    await(&w, "yard: ");
    ck_assert_int_eq(end(&w), 1);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(watch_ends_when_nobody_reads_what_it_says)
{
    daemon_process navd;
    int status;
    const char *const arguments[] = {"--keepalive-s", "0", NULL}; // nothing comes after the tiles
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    watching w = {0};
    watch(&w, &navd);
    await(&w, "tile 0,0 ok");
    fclose(w.said);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--move", "crate=1,0,0.5", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_int_eq(waitpid(w.pid, &status, 0), w.pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_command_that_may_wait_finds_a_daemon_that_starts_later)
{
    const char *socket = temp_path("navd.sock");
    daemon_process navd;
    int status;
    outcome r = run_navctl("stats", "--wait", "0.1", "-c", socket, NULL);
    ck_assert_msg(r.code == 3 && strstr(r.err, "no navd at"), "%d: %s", r.code, r.err);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        execl(NAVCTL_PATH, "navctl", "stats", "--wait", "100", "--json", "-c", socket, NULL);
        _exit(127);
    }
    daemon_start(&navd, NULL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("watch");
    TCase *t = tcase_create("watch");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, watch_goes_on_after_the_daemon_was_killed_and_shows_what_changed_since);
    tcase_add_test(t, watch_ends_with_words_when_its_world_is_gone);
    tcase_add_test(t, watch_ends_when_nobody_reads_what_it_says);
    tcase_add_test(t, a_command_that_may_wait_finds_a_daemon_that_starts_later);
    return run_suite_in_folder(s);
}
