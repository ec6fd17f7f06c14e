// The pool that generates: every part of every job runs once, and run() returns after the last.
#include "clients/navctl/generate/thread_pool.h"
#include "tests/check.h"

#include <sched.h>
#include <stdatomic.h>

enum { MOST_PARTS = 97 };

typedef struct tally {
    atomic_int calls[MOST_PARTS];
    int plain; // one part writes it, the caller reads it: what was written is there when run() returns
} tally;

static void count_part(void *state, int part)
{
    tally *t = state;
    atomic_fetch_add(&t->calls[part], 1);
    if (part == 0) t->plain++;
}

START_TEST(every_part_of_every_job_runs_once)
{
    thread_pool *p = thread_pool_create(_i);
    tally two[2] = {0};
    ck_assert_ptr_nonnull(p);
    for (int job = 0; job < 3000; job++) {
        tally *t = &two[job % 2];
        int parts = job * 31 % (MOST_PARTS + 1);
        *t = (tally){0};
        while (job % 500 == 0 && thread_pool_sleepers(p) < _i - 1) sched_yield(); // the others are to be woken
        thread_pool_run(p, count_part, t, parts);
        for (int i = 0; i < MOST_PARTS; i++) ck_assert_int_eq(atomic_load(&t->calls[i]), i < parts);
        ck_assert_int_eq(t->plain, parts > 0);
    }
    thread_pool_destroy(p);
}
END_TEST

START_TEST(a_pool_that_had_no_job_ends)
{
    thread_pool_destroy(thread_pool_create(4));
    thread_pool_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("thread_pool");
    TCase *t = tcase_create("thread_pool");
    suite_add_tcase(s, t);
    tcase_add_loop_test(t, every_part_of_every_job_runs_once, 1, 5);
    tcase_add_test(t, a_pool_that_had_no_job_ends);
    return run_suite(s);
}
