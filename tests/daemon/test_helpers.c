// Helper processes, with calls of the test's own: how they die, and what their nursery does then.
#include "daemon/work/nursery.h"
#include "tests/check.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 240000, HELPERS = 2 };

static atomic_bool *refuse; // shared: the system has no more processes
static sem_t *refused;      // once for each that it refused
static atomic_bool *hold;   // who makes a process goes on when `let_go` says so
static sem_t *let_go;

pid_t fork(void)
{
    static pid_t (*real)(void);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fork");
    if (!refuse || !atomic_load(refuse)) {
        pid_t pid = real();
        while (pid > 0 && hold && atomic_load(hold) && sem_wait(let_go)) {
        }
        return pid;
    }
    sem_post(refused);
    return -1;
}

static void prepare_refusal(void)
{
    refuse = nd_shared_map(sizeof *refuse);
    refused = nd_shared_map(sizeof *refused);
    hold = nd_shared_map(sizeof *hold);
    let_go = nd_shared_map(sizeof *let_go);
    ck_assert(refuse && refused && hold && let_go);
    ck_assert_int_eq(sem_init(refused, true, 0), 0);
    ck_assert_int_eq(sem_init(let_go, true, 0), 0);
}

static nd_nursery *begin(const nd_shared *shared)
{
    nd_nursery *n;
    ck_assert_int_eq(nd_nursery_create(shared, HELPERS, HELPERS, 0, &n), NAV_OK);
    return n;
}

// Nothing is left of it: no helper, and no process that nobody has waited for.
static void end(nd_nursery *n)
{
    nd_nursery_destroy(n);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

// --- calls ---

typedef struct question {
    int number, answer;
    pid_t pid;
    sem_t begun;
    void *target;
} question;

static void add_one(void *what, nd_worker *own)
{
    question *q = what;
    (void)own;
    q->answer = q->number + 1;
    q->pid = getpid();
}

static void never_return(void *what, nd_worker *own)
{
    question *q = what;
    (void)own;
    sem_post(&q->begun);
    for (;;) pause();
}

static void spin(void *what, nd_worker *own)
{
    (void)own;
    for (volatile int *n = &((question *)what)->answer;;) *n = 1;
}

static void die(void *what, nd_worker *own)
{
    (void)own;
    signal(((question *)what)->number, SIG_DFL);
    raise(((question *)what)->number);
}

static void leave(void *what, nd_worker *own)
{
    (void)own;
    _exit(((question *)what)->number);
}

static void write_there(void *what, nd_worker *own)
{
    (void)own;
    signal(SIGSEGV, SIG_DFL);
    *(volatile char *)((question *)what)->target = 1;
}

static question *ask(nd_helper *h, int number)
{
    nd_helper_empty(h);
    question *q = nd_helper_take(h, sizeof *q);
    ck_assert_ptr_nonnull(q);
    memset(q, 0, sizeof *q);
    q->number = number;
    ck_assert_int_eq(sem_init(&q->begun, true, 0), 0);
    return q;
}

static pid_t ck_answers(nd_helper *h)
{
    nd_death death;
    question *q = ask(h, 41);
    ck_assert(nd_helper_run(h, add_one, q, 0, &death));
    ck_assert_int_eq(q->answer, 42);
    return q->pid;
}

static nd_death ck_dies(nd_helper *h, nd_helper_call *call, question *q, uint64_t alarm_us)
{
    nd_death death;
    ck_assert(!nd_helper_run(h, call, q, alarm_us, &death));
    return death;
}

START_TEST(each_death_is_known_by_its_signal_and_replaced)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL};
    nd_nursery *n = begin(NULL);
    nd_helper *h = nd_nursery_helper(n, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        pid_t before = ck_answers(h);
        ck_assert_int_eq(ck_dies(h, die, ask(h, signals[i]), 0).signal, signals[i]);
        ck_assert_uint_eq(nd_nursery_deaths(n, (unsigned)signals[i]), 1);
        ck_assert_str_ne(nd_death_text(signals[i]), nd_death_text(SIGUSR1)); // "another signal"
        ck_assert_int_ne(ck_answers(h), before);
    }
    nd_death death = ck_dies(h, leave, ask(h, 3), 0);
    ck_assert_int_eq(death.signal, 0);
    ck_assert_int_eq(death.code, 3);
    (void)ck_answers(nd_nursery_helper(n, 1)); // and the other one did not notice
    end(n);
}
END_TEST

START_TEST(a_call_that_does_not_return_is_killed_by_its_alarm)
{
    nd_nursery *n = begin(NULL);
    nd_helper *h = nd_nursery_helper(n, 0);
    ck_assert_int_eq(ck_dies(h, never_return, ask(h, 0), 1000).signal, SIGALRM);
    ck_assert_int_eq(ck_dies(h, spin, ask(h, 0), 1000).signal, SIGALRM);
    ck_assert_uint_eq(nd_nursery_deaths(n, SIGALRM), 2);
    (void)ck_answers(h);
    end(n);
}
END_TEST

START_TEST(a_helper_writes_nothing_but_its_mailbox)
{
    nd_shared *shared;
    ck_assert_int_eq(nd_shared_create(&shared), NAV_OK);
    char *mesh = nd_shared_take(shared, 64);
    mesh[0] = 7;
    nd_nursery *n = begin(shared);
    nd_helper *h = nd_nursery_helper(n, 0), *other = nd_nursery_helper(n, 1);
    question *q = ask(h, 0);
    q->target = mesh;
    ck_assert_int_eq(ck_dies(h, write_there, q, 0).signal, SIGSEGV);
    ck_assert_int_eq(mesh[0], 7);
    q = ask(h, 0);
    q->target = nd_helper_take(other, 64);
    ck_assert_int_eq(ck_dies(h, write_there, q, 0).signal, SIGSEGV);
    end(n);
    nd_shared_destroy(shared);
}
END_TEST

START_TEST(who_dies_again_and_again_is_in_trouble_until_one_answers)
{
    nd_nursery *n = begin(NULL);
    nd_helper *h = nd_nursery_helper(n, 0);
    for (int i = 0; i < 4; i++) {
        ck_assert_ptr_null(nd_nursery_trouble(n));
        (void)ck_dies(h, die, ask(h, SIGKILL), 0);
    }
    ck_assert_uint_eq(nd_nursery_ailing(n), 1);
    ck_assert_str_eq(nd_nursery_trouble(n), "helper processes of the generator die one after the other");
    (void)ck_answers(h); // it came back all the same
    ck_assert_uint_eq(nd_nursery_ailing(n), 0);
    ck_assert_ptr_null(nd_nursery_trouble(n));
    end(n);
}
END_TEST

typedef struct waiting {
    nd_helper *helper;
    nd_helper_call *call;
    question *question;
    bool answered;
} waiting;

static void *wait_for_answer(void *arg)
{
    waiting *w = arg;
    nd_death death;
    w->answered = nd_helper_run(w->helper, w->call, w->question, 0, &death);
    return NULL;
}

START_TEST(a_stop_frees_who_waits_for_a_call_that_does_not_return)
{
    nd_nursery *n = begin(NULL);
    nd_helper *h = nd_nursery_helper(n, 0);
    waiting w = {h, never_return, ask(h, 0), true};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_answer, &w), 0);
    while (sem_wait(&w.question->begun)) {
    }
    nd_nursery_stop(n);
    pthread_join(thread, NULL);
    ck_assert(!w.answered);
    (void)ck_dies(h, add_one, ask(h, 0), 0); // nor does anybody wait for one that will not come
    end(n);
}
END_TEST

START_TEST(where_the_system_has_no_process_it_says_so_and_a_stop_frees_who_waits)
{
    prepare_refusal();
    nd_nursery *n = begin(NULL);
    nd_helper *h = nd_nursery_helper(n, 0);
    for (unsigned i = 0; i < HELPERS; i++)
        (void)ck_answers(nd_nursery_helper(n, i)); // all are made: the first is missed
    atomic_store(refuse, true);
    (void)ck_dies(h, die, ask(h, SIGKILL), 0);
    while (sem_wait(refused)) { // the first; it is told at the second at the latest
    }
    while (sem_wait(refused)) {
    }
    ck_assert_ptr_nonnull(nd_nursery_trouble(n));
    ck_assert_ptr_nonnull(strstr(nd_nursery_trouble(n), "limit of processes"));
    waiting w = {h, add_one, ask(h, 1), true};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_answer, &w), 0);
    atomic_store(hold, true); // the helper answers before the nursery has noted that there is one
    atomic_store(refuse, false);
    pthread_join(thread, NULL);
    ck_assert(w.answered);
    ck_assert_ptr_null(nd_nursery_trouble(n));
    atomic_store(hold, false);
    sem_post(let_go);

    atomic_store(refuse, true);
    (void)ck_dies(h, die, ask(h, SIGKILL), 0);
    w = (waiting){h, add_one, ask(h, 1), true};
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_answer, &w), 0);
    nd_nursery_stop(n);
    pthread_join(thread, NULL);
    ck_assert(!w.answered);
    end(n);
}
END_TEST

START_TEST(a_killed_nursery_leaves_nothing_and_is_made_anew)
{
    nd_nursery *n = begin(NULL);
    nd_helper *h = nd_nursery_helper(n, 0);
    pid_t helper = ck_answers(h), nursery = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)helper);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%*d (%*[^)]) %*c %d", &nursery), 1);
    fclose(f);
    ck_assert(!nd_nursery_look(n));
    ck_assert_int_eq(kill(nursery, SIGKILL), 0);
    siginfo_t gone;
    ck_assert_int_eq(waitid(P_PID, (id_t)nursery, &gone, WEXITED | WNOWAIT), 0);
    ck_assert(nd_nursery_look(n));
    ck_assert_int_ne(kill(helper, 0), 0); // waited for, too
    ck_assert_int_ne(ck_answers(h), helper);
    end(n);
}
END_TEST

START_TEST(no_helper_survives_the_daemon)
{
    int line[2];
    pid_t helper;
    ck_assert_int_eq(pipe(line), 0);
    pid_t daemon = fork();
    if (daemon == 0) {
        nd_nursery *n = begin(NULL);
        helper = ck_answers(nd_nursery_helper(n, 0));
        if (write(line[1], &helper, sizeof helper) != (ssize_t)sizeof helper) _exit(1);
        for (;;) pause();
    }
    ck_assert_int_eq((int)read(line[0], &helper, sizeof helper), (int)sizeof helper);
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, helper, 0), .events = POLLIN};
    ck_assert_int_ge(end.fd, 0);
    ck_assert_int_eq(kill(daemon, SIGKILL), 0);
    ck_assert_int_eq(poll(&end, 1, PATIENCE_MS), 1);
    ck_assert_int_eq(waitpid(daemon, NULL, 0), daemon);
}
END_TEST

START_TEST(a_helper_that_dies_again_and_again_is_replaced_later_each_time)
{
    static const uint64_t pauses_ms[] = {0, 0, 0, 0, 10, 20, 40, 80, 160, 320, 640, 1280, 1280, 1280};
    for (unsigned i = 0; i < sizeof pauses_ms / sizeof *pauses_ms; i++)
        ck_assert_uint_eq(nd_nursery_pause_ms(i), pauses_ms[i]);
    ck_assert_uint_eq(nd_nursery_pause_ms(UINT32_MAX), 1280);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("helpers");
    TCase *t = tcase_create("helpers");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_helper_that_dies_again_and_again_is_replaced_later_each_time);
    tcase_add_test(t, each_death_is_known_by_its_signal_and_replaced);
    tcase_add_test(t, a_call_that_does_not_return_is_killed_by_its_alarm);
    tcase_add_test(t, a_helper_writes_nothing_but_its_mailbox);
    tcase_add_test(t, who_dies_again_and_again_is_in_trouble_until_one_answers);
    tcase_add_test(t, a_stop_frees_who_waits_for_a_call_that_does_not_return);
    tcase_add_test(t, where_the_system_has_no_process_it_says_so_and_a_stop_frees_who_waits);
    tcase_add_test(t, a_killed_nursery_leaves_nothing_and_is_made_anew);
    tcase_add_test(t, no_helper_survives_the_daemon);
    return run_suite(s);
}
