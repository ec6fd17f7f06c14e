// The documentation's clients against a daemon of their own: what they print is what happened, and their exit code says
// whether it did.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <signal.h>
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

#ifdef ENGINE_LOOP_PATH
// A yard that a wall divides; a door is open in it, and far from that a hole. A crate stands aside.
static const char *const DIVIDED_OBJ =
    "o floor\nv 0 0 0\nv 40 0 0\nv 40 0 30\nv 0 0 30\nf 1 4 3 2\n"
    "o south\nv 19 0 0\nv 21 0 0\nv 21 0 13\nv 19 0 13\nv 19 3 0\nv 21 3 0\nv 21 3 13\nv 19 3 13\n"
    "f 5 9 10 6\nf 6 10 11 7\nf 7 11 12 8\nf 8 12 9 5\nf 9 12 11 10\n"
    "o north\nv 19 0 17\nv 21 0 17\nv 21 0 27\nv 19 0 27\nv 19 3 17\nv 21 3 17\nv 21 3 27\nv 19 3 27\n"
    "f 13 17 18 14\nf 14 18 19 15\nf 15 19 20 16\nf 16 20 17 13\nf 17 20 19 18\n"
    "o crate\nv 2 0 2\nv 6 0 2\nv 6 0 6\nv 2 0 6\nv 2 2 2\nv 6 2 2\nv 6 2 6\nv 2 2 6\n"
    "f 21 25 26 22\nf 22 26 27 23\nf 23 27 28 24\nf 24 28 25 21\nf 25 28 27 26\n";

typedef struct plan {
    double way, crow; // m
} plan;

static plan await_plan(program *p)
{
    plan of;
    await(p, "the way is ");
    ck_assert_int_eq(sscanf(p->line, "the way is %lf m long, %lf m as the crow flies", &of.way, &of.crow), 2);
    return of;
}

// The agent plans while it runs, also where the wall is behind it: one of its next plans leads around.
static void await_way_around(program *p)
{
    plan of;
    do of = await_plan(p);
    while (of.way < of.crow + 3);
}

static void await_straight_way(program *p)
{
    plan of;
    do of = await_plan(p);
    while (of.way > of.crow + 0.2 || of.crow < 30);
}

static void start_engine(program *p, daemon_process *navd)
{
    char scene[PATH_BYTES];
    write_text(path_into(scene, "divided.obj"), DIVIDED_OBJ);
    daemon_launch(navd, NULL);
    outcome r = run_navctl("push", scene, "--world", "yard", "--connect", navd->socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    start_program(p, navd->socket, ENGINE_LOOP_PATH, (const char *const[]){"yard", "4,0,15", "36,0,15", NULL});
    await_straight_way(p);
}

static void stop_engine(program *p, daemon_process *navd)
{
    ck_assert_int_eq(kill(p->pid, SIGTERM), 0);
    end(p);
    ck_assert_int_eq(daemon_stop(navd), 0);
}

static void edit_yard(const daemon_process *navd, const char *option, const char *value)
{
    outcome r = run_navctl("edit", "--world", "yard", "--connect", navd->socket, option, value, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}

START_TEST(an_agent_goes_around_when_a_crate_blocks_its_way_and_straight_when_it_is_gone)
{
    daemon_process navd;
    program p;
    start_engine(&p, &navd);
    edit_yard(&navd, "--move", "crate=16,0,11"); // into the door
    await_way_around(&p);
    await(&p, "arrived at ");
    await_way_around(&p);
    edit_yard(&navd, "--volume", "1=0,-1,4,18,-1,20,-1,20,31,18,31"); // no hole either
    await(&p, "no way leads there");
    edit_yard(&navd, "--remove-volume", "1");
    await_way_around(&p);
    edit_yard(&navd, "--move", "crate=0,0,0");
    await_straight_way(&p);
    stop_engine(&p, &navd);
}
END_TEST

static void set_area(const daemon_process *navd, const char *change)
{
    outcome r = run_navctl("world", "areas", "yard", "--connect", navd->socket, "--set", change, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}

START_TEST(an_agents_way_follows_the_costs_of_areas)
{
    daemon_process navd;
    program p;
    start_engine(&p, &navd);
    edit_yard(&navd, "--volume", "1=7,-1,4,17,12,23,12,23,18,17,18"); // mud in the door
    set_area(&navd, "7,name=mud,cost=50");
    await_way_around(&p);
    set_area(&navd, "7,cost=1");
    await_straight_way(&p);
    stop_engine(&p, &navd);
}
END_TEST

START_TEST(the_engine_ends_when_its_world_does)
{
    daemon_process navd;
    program p;
    start_engine(&p, &navd);
    outcome r = run_navctl("world", "delete", "yard", "--yes", "--connect", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    await(&p, "engine_loop: ");
    ck_assert_int_eq(end(&p), 1);
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
#ifdef ENGINE_LOOP_PATH
    tcase_add_test(c, an_agent_goes_around_when_a_crate_blocks_its_way_and_straight_when_it_is_gone);
    tcase_add_test(c, an_agents_way_follows_the_costs_of_areas);
    tcase_add_test(c, the_engine_ends_when_its_world_does);
#endif
    suite_add_tcase(s, c);
    return run_suite_in_folder(s);
}
