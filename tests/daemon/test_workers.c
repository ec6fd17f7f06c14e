#include "daemon/thread.h"
#include "daemon/workers.h"
#include "tests/check.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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
    ck_assert_int_eq(nd_workers_create(&loop, 4, 1 << 20, &c.workers), NAV_OK);
    ck_assert_uint_eq(nd_workers_count(c.workers), 4);
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
    ck_assert_int_eq(nd_workers_create(&loop, 2, 0, &c.workers), NAV_OK);
    for (uint32_t i = 0; i < TASKS; i++) push(&c, i);
    nd_workers_close(c.workers);
    c.workers = NULL;
    ck_assert_int_eq(c.ran + c.not_ran, TASKS);
    ck_assert(!c.wrong);
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
    ck_assert_int_eq(nd_workers_create(&loop, 2, 1000, &c.workers), NAV_OK);
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
    tcase_set_timeout(t, 120);
    suite_add_tcase(s, t);
    tcase_add_test(t, every_task_runs_once_and_comes_back_to_the_loop);
    tcase_add_test(t, closing_gives_back_the_tasks_that_had_no_turn);
    tcase_add_test(t, each_task_has_the_whole_arena_budget_and_no_more);
    return run_suite(s);
}
