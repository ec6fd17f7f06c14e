#include "daemon/base/thread.h"
#include "daemon/work/workers.h"
#include "tests/check.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TASKS = 2000 };

typedef struct sum_task {
    nd_task task;
    struct counts *counts;
    uint32_t n;
    uint64_t sum; // written by the worker, read by the loop
} sum_task;

typedef struct counts {
    nd_workers *workers;
    int left, ran, not_ran;
    bool wrong;
} counts;

static void add_up(nd_task *task, nd_worker *w)
{
    sum_task *t = (sum_task *)task;
    uint32_t *scratch = NAV_TAKE(&w->arena, uint32_t, 100);
    for (uint32_t i = 0; i < 100; i++) scratch[i] = t->n + i;
    for (uint32_t i = 0; i < 100; i++) t->sum += scratch[i];
    if (nd_thread_is_loop() || w->output.size) t->sum = 0;
    if (nav_buffer_append(&w->output, &t->n, sizeof t->n) != NAV_OK) t->sum = 0;
}

static void sum_done(nd_task *task, bool ran)
{
    sum_task *t = (sum_task *)task;
    counts *c = t->counts;
    c->left--;
    ran ? c->ran++ : c->not_ran++;
    if (!nd_thread_is_loop() || (ran && t->sum != 100 * (uint64_t)t->n + 4950)) c->wrong = true;
    free(t);
    if (!c->left && c->workers) {
        nd_workers_close(c->workers);
        c->workers = NULL;
    }
}

static void push(counts *c, uint32_t n)
{
    sum_task *t = calloc(1, sizeof *t);
    t->task.run = add_up;
    t->task.done = sum_done;
    t->counts = c;
    t->n = n;
    nd_workers_push(c->workers, &t->task);
}

START_TEST(every_task_runs_once_and_comes_back_to_the_loop)
{
    uv_loop_t loop;
    counts c = {.left = TASKS};
    nd_thread_set_loop(true);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 4, 1 << 20, NULL, &c.workers), NAV_OK);
    ck_assert_uint_eq(nd_workers_count(c.workers, true), 4);
    ck_assert_uint_eq(nd_workers_count(c.workers, false), 4);
    for (uint32_t i = 0; i < TASKS; i++) push(&c, i);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    ck_assert_int_eq(c.ran, TASKS);
    ck_assert(!c.wrong);
}
END_TEST

START_TEST(closing_gives_back_the_tasks_that_had_no_turn)
{
    uv_loop_t loop;
    counts c = {.left = TASKS + 1}; // one more than are pushed: the test closes, not the last task
    nd_thread_set_loop(true);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 2, 0, NULL, &c.workers), NAV_OK);
    for (uint32_t i = 0; i < TASKS; i++) push(&c, i);
    nd_workers_close(c.workers);
    c.workers = NULL;
    ck_assert_int_eq(c.ran + c.not_ran, TASKS);
    ck_assert(!c.wrong);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

static sem_t may_go, has_begun;

static void wait_for_go(nd_task *task, nd_worker *w)
{
    (void)task;
    (void)w;
    sem_post(&has_begun);
    sem_wait(&may_go);
}

enum { IN_ORDER = 23 };

typedef struct noted_task {
    nd_task task;
    char *order; // a letter for each that ran; one worker writes
    nd_workers **workers;
} noted_task;

static void note_run(nd_task *task, nd_worker *w)
{
    noted_task *t = (noted_task *)task;
    (void)w;
    t->order[strlen(t->order)] = task->urgent ? 'u' : '.';
}

static int noted_count; // of those that are back

static void noted_done(nd_task *task, bool ran)
{
    noted_task *t = (noted_task *)task;
    noted_count += ran;
    if (noted_count < IN_ORDER) return; // the worker still writes
    nd_workers *workers = *t->workers;
    *t->workers = NULL;
    nd_workers_close(workers);
}

static void nothing(nd_task *task, bool ran)
{
    (void)task;
    (void)ran;
}

static int returned;

static void count_returned(nd_task *task, bool ran)
{
    (void)task;
    returned += ran;
}

static void do_nothing(nd_task *task, nd_worker *w)
{
    (void)task;
    (void)w;
}

// The loop has other work, too.
START_TEST(of_many_finished_tasks_some_come_back_in_a_turn_of_the_loop_and_the_rest_in_the_next)
{
    enum { MANY = 1000, AT_MOST = 100 };
    uv_loop_t loop;
    nd_workers *workers;
    nd_task last = {.urgent = true, .run = wait_for_go, .done = count_returned};
    nd_task *tasks = calloc(MANY, sizeof *tasks);
    nd_thread_set_loop(true);
    returned = 0;
    sem_init(&may_go, 0, 0);
    sem_init(&has_begun, 0, 0);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 1, 0, NULL, &workers), NAV_OK);
    for (int i = 0; i < MANY; i++) {
        tasks[i] = (nd_task){.urgent = true, .run = do_nothing, .done = count_returned};
        nd_workers_push(workers, &tasks[i]);
    }
    nd_workers_push(workers, &last);
    sem_wait(&has_begun); // all that were in front of it are finished
    for (int before = 0; returned < MANY; before = returned) {
        uv_run(&loop, UV_RUN_ONCE);
        ck_assert_int_le(returned - before, AT_MOST);
    }
    sem_post(&may_go);
    while (returned == MANY) uv_run(&loop, UV_RUN_ONCE);
    nd_workers_close(workers);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    free(tasks);
}
END_TEST

static sem_t others_may_go;

static void keep_the_others(nd_task *task, nd_worker *w)
{
    (void)task;
    (void)w;
    sem_post(&has_begun);
    sem_wait(&others_may_go);
}

// The others' thread stands still all the time, as where it gets no processor.
START_TEST(urgent_tasks_overtake_and_the_others_keep_an_eighth)
{
    uv_loop_t loop;
    nd_workers *workers;
    noted_task tasks[IN_ORDER] = {0};
    char order[IN_ORDER + 1] = "";
    nd_task in_front[2] = {{.run = keep_the_others, .done = nothing},
                           {.urgent = true, .run = wait_for_go, .done = nothing}};
    noted_count = 0;
    nd_thread_set_loop(true);
    sem_init(&may_go, 0, 0);
    sem_init(&has_begun, 0, 0);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 1, 0, NULL, &workers), NAV_OK);
    sem_init(&others_may_go, 0, 0);
    for (int i = 0; i < 2; i++) {
        nd_workers_push(workers, &in_front[i]);
        sem_wait(&has_begun);
    }
    for (int i = 0; i < IN_ORDER; i++) {
        tasks[i] = (noted_task){{.urgent = i >= 3, .run = note_run, .done = noted_done}, order, &workers};
        nd_workers_push(workers, &tasks[i].task);
    }
    sem_post(&may_go);
    while (noted_count < IN_ORDER - 1) uv_run(&loop, UV_RUN_ONCE); // of the others' last one below
    sem_post(&others_may_go);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_str_eq(order, "uuuuuuu.uuuuuuu.uuuuuu.");
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

static bool stands_is_back;

static void stands_done(nd_task *task, bool ran)
{
    (void)task;
    stands_is_back = ran;
}

static int loop_nice;

static void note_crew(nd_task *task, nd_worker *w)
{
    noted_task *t = (noted_task *)task;
    (void)w;
    t->order[strlen(t->order)] = getpriority(PRIO_PROCESS, 0) > loop_nice ? 'i' : 'n';
}

static void run_noted(uv_loop_t *loop, nd_workers **workers, char *order, bool urgent)
{
    noted_task t = {{.urgent = urgent, .run = note_crew, .done = noted_done}, order, workers};
    noted_count = 0;
    nd_workers_push(*workers, &t.task);
    while (!noted_count) uv_run(loop, UV_RUN_ONCE);
}

// A test that is run as nice as can be cannot tell the crews.
static void check_crews(const char *order, const char *wanted)
{
    char seen[IN_ORDER + 1] = "";
    for (size_t i = 0; wanted[i]; i++) seen[i] = loop_nice < 19 ? wanted[i] : 'n';
    ck_assert_str_eq(order, seen);
}

START_TEST(an_urgent_task_waits_for_none_of_the_others)
{
    uv_loop_t loop;
    nd_workers *workers;
    char order[IN_ORDER + 1] = "";
    nd_task in_front = {.run = keep_the_others, .done = nothing};
    nd_thread_set_loop(true);
    loop_nice = getpriority(PRIO_PROCESS, 0);
    sem_init(&others_may_go, 0, 0);
    sem_init(&has_begun, 0, 0);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 1, 0, NULL, &workers), NAV_OK);
    nd_workers_push(workers, &in_front);
    sem_wait(&has_begun);
    run_noted(&loop, &workers, order, true);
    sem_post(&others_may_go);
    run_noted(&loop, &workers, order, false);
    check_crews(order, "ni");
    nd_workers_close(workers);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

enum { SPIN_NS = 50000000 };

static sem_t may_work;

static uint64_t own_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void work_hard(nd_task *task, nd_worker *w)
{
    (void)task;
    (void)w;
    sem_post(&has_begun);
    sem_wait(&may_work);
    for (uint64_t until = own_cpu_ns() + SPIN_NS; own_cpu_ns() < until;) {
    }
    sem_post(&has_begun);
    sem_wait(&others_may_go);
}

START_TEST(others_that_get_no_processor_are_done_by_the_urgent_crew_for_a_while)
{
    uv_loop_t loop;
    nd_workers *workers;
    char order[IN_ORDER + 1] = "";
    nd_task stands = {.run = keep_the_others, .done = stands_done}, works = {.run = work_hard, .done = nothing};
    uint64_t now_ns = 1000000000; // as the pool is told
    stands_is_back = false;
    loop_nice = getpriority(PRIO_PROCESS, 0);
    nd_thread_set_loop(true);
    sem_init(&may_work, 0, 0);
    sem_init(&others_may_go, 0, 0);
    sem_init(&has_begun, 0, 0);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 1, 0, NULL, &workers), NAV_OK);
    nd_workers_push(workers, &stands);
    sem_wait(&has_begun);
    nd_workers_look(workers, now_ns);
    nd_workers_look(workers, now_ns += 1000000000); // and it did not run in this second
    run_noted(&loop, &workers, order, false);
    check_crews(order, "n");
    sem_post(&others_may_go);
    while (!stands_is_back) uv_run(&loop, UV_RUN_ONCE);
    run_noted(&loop, &workers, order, false); // it rests
    check_crews(order, "nn");
    nd_workers_look(workers, now_ns += ND_CREW_REST_NS);
    run_noted(&loop, &workers, order, false);
    check_crews(order, "nni");
    // One that runs is left alone. No time has passed: the thread may not have waited since its last task.
    nd_workers_push(workers, &works);
    sem_wait(&has_begun);
    nd_workers_look(workers, now_ns);
    sem_post(&may_work);
    sem_wait(&has_begun);
    nd_workers_look(workers, now_ns += 4 * SPIN_NS);
    sem_post(&others_may_go);
    run_noted(&loop, &workers, order, false);
    check_crews(order, "nnii");
    nd_workers_close(workers);
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

typedef struct budget_task {
    nd_task task;
    counts *counts;
    bool fits, does_not_fit;
} budget_task;

static void use_budget(nd_task *task, nd_worker *w)
{
    budget_task *t = (budget_task *)task;
    t->fits = nav_arena_take(&w->arena, 1, 900) != NULL;
    t->does_not_fit = nav_arena_take(&w->arena, 1, 900) == NULL;
}

static void budget_done(nd_task *task, bool ran)
{
    budget_task *t = (budget_task *)task;
    if (!ran || !t->fits || !t->does_not_fit) t->counts->wrong = true;
    if (!--t->counts->left) nd_workers_close(t->counts->workers);
}

START_TEST(each_task_has_the_whole_arena_budget_and_no_more)
{
    uv_loop_t loop;
    counts c = {.left = 20};
    budget_task tasks[20];
    memset(tasks, 0, sizeof tasks);
    nd_thread_set_loop(true);
    uv_loop_init(&loop);
    ck_assert_int_eq(nd_workers_create(&loop, 2, 1000, NULL, &c.workers), NAV_OK);
    for (int i = 0; i < 20; i++) {
        tasks[i].task.run = use_budget;
        tasks[i].task.done = budget_done;
        tasks[i].counts = &c;
        nd_workers_push(c.workers, &tasks[i].task);
    }
    uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    ck_assert(!c.wrong);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("workers");
    TCase *t = tcase_create("workers");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, every_task_runs_once_and_comes_back_to_the_loop);
    tcase_add_test(t, closing_gives_back_the_tasks_that_had_no_turn);
    tcase_add_test(t, of_many_finished_tasks_some_come_back_in_a_turn_of_the_loop_and_the_rest_in_the_next);
    tcase_add_test(t, each_task_has_the_whole_arena_budget_and_no_more);
    tcase_add_test(t, urgent_tasks_overtake_and_the_others_keep_an_eighth);
    tcase_add_test(t, an_urgent_task_waits_for_none_of_the_others);
    tcase_add_test(t, others_that_get_no_processor_are_done_by_the_urgent_crew_for_a_while);
    return run_suite(s);
}
