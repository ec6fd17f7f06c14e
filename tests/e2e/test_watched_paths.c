// navctl path --watch: a path is printed again when an edit changes it, and over a restart of the daemon.
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
    char line[4096];
    char path[4096]; // the last line that was one
    unsigned paths;  // how many there were. More than changes, where tiles take so long that it is told in between
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
        execl(NAVCTL_PATH, "navctl", "path", "-w", "yard", "-c", d->socket, "--watch", "--from", "5,0,11", "--to",
              "20,0,11", NULL);
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
        ck_assert_msg(fgets(w->line, sizeof w->line, w->said), "navctl path ended before it said %s", words);
        if (w->line[0] == '1') {
            w->paths++;
            strcpy(w->path, w->line);
        }
    } while (!strstr(w->line, words));
}

// The last path: no crate stands in its way.
static bool is_straight(const watching *w)
{
    ck_assert_msg(!strncmp(w->path, "1 found ", 8), "%s", w->path);
    return !strncmp(w->path, "1 found 15.0", 12);
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

static void edit(const daemon_process *d, const char *move)
{
    outcome r = run_navctl("edit", "-w", "yard", "-c", d->socket, "--move", move, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}

START_TEST(a_path_is_printed_again_when_it_changes)
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
    await(&w, "true up to revision 1");
    ck_assert_uint_eq(w.paths, 1);
    ck_assert(!is_straight(&w));
    edit(&navd, "crate=0,0,15"); // out of the way
    await(&w, "true up to revision 2");
    ck_assert(is_straight(&w));
    edit(&navd, "crate=0,0,0");
    await(&w, "true up to revision 3");
    ck_assert(!is_straight(&w));

    daemon_kill(&navd);
    await(&w, "trying again");
    w.paths = 0;
    daemon_launch(&navd, &options);
    await(&w, "connected again");
    await(&w, "true up to revision");
    ck_assert_uint_ge(w.paths, 1); // all are told again
    ck_assert(!is_straight(&w));
    edit(&navd, "crate=0,0,15");
    await(&w, "1 found 15.0");
    ck_assert_int_eq(end(&w), 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(a_path_in_a_world_is_told_with_its_cost)
{
    daemon_process navd;
    const daemon_options options = {.no_tcp = true};
    daemon_launch(&navd, &options);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r =
        run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", navd.socket, "--area-type", "63,cost=2", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    double length, cost, bound;
    const char *const ways[] = {"--area-costs", "--cost"};
    for (int i = 0; i < 2; i++) {
        r = run_navctl("path", "-w", "yard", "-c", navd.socket, "--from", "5,0,11", "--to", "20,0,11", ways[i],
                       i ? "63=3" : NULL, NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        const char *line = strchr(r.out, '\n');
        ck_assert_msg(sscanf(r.out, "found %lf", &length) == 1, "%s", r.out);
        ck_assert_msg(line && sscanf(line, "\n# cost %lf bound %lf optimal", &cost, &bound) == 2, "%s", r.out);
        ck_assert_double_eq_tol(cost, (2 + i) * length, 1e-6 * cost);
        ck_assert(bound == cost);
    }
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(watches_and_places_in_a_world_mind_areas_by_name)
{
    daemon_process navd;
    const daemon_options options = {.no_tcp = true};
    daemon_launch(&navd, &options);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    outcome r = run_navctl("push", temp_path("yard.obj"), "-w", "yard", "-c", navd.socket, "--area-type",
                           "63,name=grass", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("path", "-w", "yard", "-c", navd.socket, "--watch", "-n", "1", "--from", "5,0,11", "--to", "20,0,11",
                   "--exclude", "grass", "--links", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_msg(!strncmp(r.out, "1 no_start ", 11), "%s", r.out);
    r = run_navctl("path", "-w", "yard", "-c", navd.socket, "--from", "5,0,11", "--to", "20,0,11", "--exclude", "lava",
                   NULL);
    ck_assert_int_eq(r.code, 2);
    ck_assert_msg(strstr(r.err, "there are grass (63)") != NULL, "%s", r.err);
    r = run_navctl("path", "within", "-w", "yard", "-c", navd.socket, "--at", "5,0,11", "-d", "3", NULL);
    ck_assert_msg(r.code == 0 && !strncmp(r.out, "0  ", 3), "%s%s", r.out, r.err);
    r = run_navctl("path", "within", "-w", "yard", "-c", navd.socket, "--at", "5,0,11", "-d", "3", "--exclude", "grass",
                   "--picture", temp_path("grass.png"), NULL);
    ck_assert_msg(r.code == 0 && !strcmp(r.out, "no_start\n"), "%s%s", r.out, r.err);
    r = run_navctl("path", "nearest", "-w", "yard", "-c", navd.socket, "--at", "5,0,11", "--exclude", "grass", NULL);
    ck_assert_msg(!strcmp(r.out, "none\n"), "%s%s", r.out, r.err);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(wrong_watches_are_refused)
{
    outcome r = run_navctl("path", "x.navd", "--watch", "--from", "0,0,0", "--to", "1,0,0", NULL);
    ck_assert_int_eq(r.code, 2);
    ck_assert_ptr_nonnull(strstr(r.err, "--world"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("watched_paths");
    TCase *t = tcase_create("watched_paths");
    tcase_set_timeout(t, TEST_S);
    tcase_add_test(t, a_path_is_printed_again_when_it_changes);
    tcase_add_test(t, a_path_in_a_world_is_told_with_its_cost);
    tcase_add_test(t, watches_and_places_in_a_world_mind_areas_by_name);
    tcase_add_test(t, wrong_watches_are_refused);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
