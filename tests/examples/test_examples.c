// The documentation's clients against a daemon of their own: what they print is what happened, and their exit code says
// whether it did.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 8 };

typedef struct program {
    pid_t pid;
    FILE *says; // both streams
    char line[512];
} program;

// address: the daemon's. Arguments behind the path, ended by NULL.
static void start_program(program *p, const char *address, const char *path, const char *const *arguments)
{
    char *argv[MAX_ARGUMENTS + 2] = {(char *)path};
    for (int i = 0; i < MAX_ARGUMENTS && arguments[i]; i++) argv[i + 1] = (char *)arguments[i];
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    p->pid = fork();
    ck_assert_int_ge(p->pid, 0);
    if (p->pid == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        setenv("NAVD_ADDRESS", address, 1);
        execv(path, argv);
        _exit(127);
    }
    close(ends[1]);
    p->says = fdopen(ends[0], "r");
    ck_assert_ptr_nonnull(p->says);
}

// Reads on until a line has these words; it stays in p->line.
static void await(program *p, const char *words)
{
    do {
        ck_assert_msg(fgets(p->line, sizeof p->line, p->says), "the program ended before it said \"%s\"", words);
    } while (!strstr(p->line, words));
}

static int end(program *p)
{
    int status;
    while (fgets(p->line, sizeof p->line, p->says)) {
    }
    fclose(p->says);
    ck_assert_int_eq(waitpid(p->pid, &status, 0), p->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// A daemon that has the yard as its world.
static void start_yard(daemon_process *navd, const daemon_options *options)
{
    char scene[PATH_BYTES];
    write_text(path_into(scene, "yard.obj"), YARD_OBJ);
    daemon_launch(navd, options);
    outcome r = run_navctl("push", scene, "--world", "yard", "--connect", navd->socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}

START_TEST(follow_moves_an_object_there_and_back_and_sees_the_tiles_of_both_edits)
{
    daemon_process navd;
    program p;
    start_yard(&navd, NULL);
    start_program(&p, navd.socket, FOLLOW_PATH, (const char *const[]){"yard", NULL});
    await(&p, "the edit is revision 2 and touches ");
    await(&p, "all tiles of revision 2 are here");
    await(&p, "all tiles of revision 3 are here");
    ck_assert_int_eq(end(&p), 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

START_TEST(follow_fails_where_its_edit_is_refused)
{
    daemon_process navd;
    program p;
    char address[64];
    start_yard(&navd, &(daemon_options){.arguments = (const char *const[]){"--listen-role", "reader", NULL}});
    snprintf(address, sizeof address, "127.0.0.1:%d", navd.port);
    start_program(&p, address, FOLLOW_PATH, (const char *const[]){"yard", NULL});
    await(&p, "follow: ");
    ck_assert_msg(strstr(p.line, "reader"), "%s", p.line);
    ck_assert_int_eq(end(&p), 1);

    start_program(&p, navd.socket, FOLLOW_PATH, (const char *const[]){"nowhere", NULL});
    await(&p, "\"nowhere\"");
    ck_assert_int_eq(end(&p), 1);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

#ifdef FOLLOW_DETOUR_PATH
static double await_length(program *p)
{
    double length;
    await(p, "the way is ");
    ck_assert_int_eq(sscanf(strstr(p->line, "the way is "), "the way is %lf m long", &length), 1);
    return length;
}

static void edit_yard(const daemon_process *navd, const char *option, const char *value)
{
    outcome r = run_navctl("edit", "--world", "yard", "--connect", navd->socket, option, value, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}

START_TEST(detours_mesh_follows_the_edits_of_a_world)
{
    daemon_process navd;
    program p;
    start_yard(&navd, NULL);
    start_program(&p, navd.socket, FOLLOW_DETOUR_PATH, (const char *const[]){"yard", "4,0,15", "36,0,15", "4", NULL});
    double straight = await_length(&p);
    ck_assert_double_eq_tol(straight, 32, 0.2);
    edit_yard(&navd, "--volume", "1=0,-1,4,18,-1,20,-1,20,26,18,26"); // a wall with a gap at one end
    double around = await_length(&p);
    ck_assert_double_ge(around, straight + 2);
    edit_yard(&navd, "--volume", "1=0,-1,4,18,-1,20,-1,20,31,18,31"); // and without
    await(&p, "no way leads there");
    edit_yard(&navd, "--remove-volume", "1");
    ck_assert_double_eq(await_length(&p), straight);
    ck_assert_int_eq(end(&p), 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

static void set_area(const daemon_process *navd, const char *change)
{
    outcome r = run_navctl("world", "areas", "yard", "--connect", navd->socket, "--set", change, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}

START_TEST(detours_ways_follow_the_costs_of_areas)
{
    daemon_process navd;
    program p;
    start_yard(&navd, NULL);
    start_program(&p, navd.socket, FOLLOW_DETOUR_PATH, (const char *const[]){"yard", "4,0,15", "36,0,15", "4", NULL});
    double straight = await_length(&p);
    edit_yard(&navd, "--volume", "1=7,-1,4,18,-1,20,-1,20,26,18,26"); // mud with a gap at one end
    ck_assert_double_eq_tol(await_length(&p), straight, 0.2);
    set_area(&navd, "7,name=mud,cost=50");
    ck_assert_double_ge(await_length(&p), straight + 2);
    set_area(&navd, "7,cost=1");
    ck_assert_double_eq_tol(await_length(&p), straight, 0.2);
    ck_assert_int_eq(end(&p), 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST
#endif

int main(void)
{
    Suite *s = suite_create("examples");
    TCase *c = tcase_create("clients");
    tcase_set_timeout(c, TEST_S);
    tcase_add_test(c, follow_moves_an_object_there_and_back_and_sees_the_tiles_of_both_edits);
    tcase_add_test(c, follow_fails_where_its_edit_is_refused);
#ifdef FOLLOW_DETOUR_PATH
    tcase_add_test(c, detours_mesh_follows_the_edits_of_a_world);
    tcase_add_test(c, detours_ways_follow_the_costs_of_areas);
#endif
    suite_add_tcase(s, c);
    return run_suite_in_folder(s);
}
