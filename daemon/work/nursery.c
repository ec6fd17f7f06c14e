#include "daemon/work/nursery.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Deaths in a row after which a helper is replaced later: 10 ms, 20 ms, ... 1.28 s.
enum { PATIENCE = 4, FIRST_PAUSE_MS = 10, MOST_DOUBLED = 7 };
// The system's out-of-memory killer takes a helper before the daemon: it costs one run.
enum { OOM_SCORE = 500 };

// Shared with the nursery's process.
typedef struct ward {
    atomic_uint_fast64_t deaths[ND_DEATH_SIGNALS + 1];
    atomic_uint_fast64_t dead_us; // time that the processor spent on those that died
} ward;

// Of one helper. The nursery's process writes it, the daemon reads it.
typedef struct cot {
    atomic_uint deaths_in_a_row;
    atomic_uint_fast64_t answers; // when it was made
    atomic_bool unmade;           // the system has no process for it
    pid_t pid;                    // of the nursery's process alone, as the next one; 0: none
    uint64_t due_ns;
} cot;

struct nd_nursery {
    pid_t pid;
    const nd_shared *shared;
    unsigned count, eager;
    size_t arena_budget;
    ward *ward;
    cot *cots;
    nd_helper *helpers[];
};

// --- in the nursery's process, and its helpers ---

static void name_process(const char *name)
{
    (void)prctl(PR_SET_NAME, name);
}

static void die_with(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0); // it was quicker
}

// A terminal or a service manager that stops the daemon tells all its processes; these end when the daemon does.
static void leave_signals_to_daemon(void)
{
    const int its[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof its / sizeof *its; i++) signal(its[i], SIG_IGN);
}

static void close_files(void)
{
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0)) return;
#endif
    struct rlimit most;
    if (getrlimit(RLIMIT_NOFILE, &most)) return;
    for (rlim_t fd = STDERR_FILENO + 1; fd < most.rlim_cur; fd++) close((int)fd);
}

static void offer_to_oom_killer(void)
{
    char text[16];
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    int n = snprintf(text, sizeof text, "%d", OOM_SCORE);
    (void)!write(fd, text, (size_t)n);
    close(fd);
}

static _Noreturn void be_helper(const nd_nursery *n, unsigned at, pid_t nursery)
{
    sigset_t none;
    die_with(nursery);
    name_process("navd-helper");
    signal(SIGCHLD, SIG_DFL);
    signal(SIGALRM, SIG_DFL); // who started the daemon may have had it ignored
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    offer_to_oom_killer();
    if (at >= n->eager) nd_thread_yield_to_all();
    for (unsigned i = 0; i < n->count; i++)
        if (i != at) nd_helper_hide(n->helpers[i]);
    (void)mprotect(n->ward, sizeof *n->ward, PROT_NONE);
    (void)mprotect(n->cots, n->count * sizeof *n->cots, PROT_NONE);
    nd_helper_serve(n->helpers[at], n->arena_budget);
}

static void make_helper(nd_nursery *n, unsigned at)
{
    cot *own = &n->cots[at];
    nd_helper *h = n->helpers[at];
    pid_t self = getpid();
    own->answers = nd_helper_answers(h);
    pid_t pid = fork();
    if (pid == 0) be_helper(n, at, self);
    own->unmade = pid < 0;
    if (pid > 0) {
        own->pid = pid;
        nd_helper_set_process(h, pid);
        return;
    }
    own->due_ns = nd_now_ns() + FIRST_PAUSE_MS * UINT64_C(1000000);
}

// Since it was made.
static bool has_answered(const cot *own, const nd_helper *h)
{
    return nd_helper_answers(h) != own->answers;
}

uint64_t nd_nursery_pause_ms(unsigned deaths_in_a_row)
{
    if (deaths_in_a_row < PATIENCE) return 0;
    unsigned doubled = deaths_in_a_row - PATIENCE;
    return (uint64_t)FIRST_PAUSE_MS << (doubled < MOST_DOUBLED ? doubled : MOST_DOUBLED);
}

static void count_death(nd_nursery *n, cot *own, nd_helper *h, nd_death death)
{
    unsigned number = death.signal < ND_DEATH_SIGNALS ? (unsigned)death.signal : ND_DEATH_SIGNALS;
    atomic_fetch_add(&n->ward->deaths[number], 1);
    own->deaths_in_a_row = has_answered(own, h) ? 1 : own->deaths_in_a_row + 1;
    uint64_t pause_ms = nd_nursery_pause_ms(own->deaths_in_a_row);
    own->due_ns = pause_ms ? nd_now_ns() + UINT64_C(1000000) * pause_ms : 0;
}

static uint64_t microseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void bury_dead(nd_nursery *n)
{
    int status;
    pid_t pid;
    struct rusage use;
    while ((pid = wait4(-1, &status, WNOHANG, &use)) > 0) {
        atomic_fetch_add(&n->ward->dead_us, microseconds(use.ru_utime) + microseconds(use.ru_stime));
        unsigned at = 0;
        while (at < n->count && n->cots[at].pid != pid) at++;
        if (at == n->count) continue;
        nd_death death = {.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                          .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0};
        n->cots[at].pid = 0;
        count_death(n, &n->cots[at], n->helpers[at], death);
        nd_helper_bury(n->helpers[at], death);
    }
}

// Makes those that are due. How long until the next one is: -1 where none is missing.
static int64_t fill_cots(nd_nursery *n)
{
    int64_t wait_ns = -1;
    for (unsigned i = 0; i < n->count; i++) {
        cot *own = &n->cots[i];
        uint64_t now_ns = nd_now_ns();
        if (!own->pid && own->due_ns <= now_ns) make_helper(n, i);
        if (own->pid) continue;
        int64_t left = own->due_ns > now_ns ? (int64_t)(own->due_ns - now_ns) : 0;
        if (wait_ns < 0 || left < wait_ns) wait_ns = left;
    }
    return wait_ns;
}

static _Noreturn void be_nursery(nd_nursery *n, pid_t daemon)
{
    sigset_t deaths;
    die_with(daemon);
    (void)setpgid(0, 0); // it and its helpers are one group
    name_process("navd-nursery");
    close_files();
    leave_signals_to_daemon();
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&deaths);
    sigaddset(&deaths, SIGCHLD);
    sigprocmask(SIG_SETMASK, &deaths, NULL); // waited for
    if (n->shared) nd_shared_protect(n->shared);
    for (;;) {
        bury_dead(n);
        int64_t wait_ns = fill_cots(n);
        const struct timespec t = {wait_ns / 1000000000, wait_ns % 1000000000};
        if (wait_ns < 0)
            (void)sigwaitinfo(&deaths, NULL);
        else
            (void)sigtimedwait(&deaths, NULL, &t);
    }
}

// --- in the daemon ---

static nav_status start(nd_nursery *n)
{
    pid_t daemon = getpid();
    memset(n->cots, 0, n->count * sizeof *n->cots);
    n->pid = fork();
    if (n->pid == 0) be_nursery(n, daemon);
    if (n->pid > 0) (void)setpgid(n->pid, n->pid); // it does so, too; whoever is first
    return n->pid > 0 ? NAV_OK : NAV_ERR_IO;
}

nav_status nd_nursery_create(const nd_shared *shared, unsigned count, unsigned eager, size_t arena_budget,
                             nd_nursery **out)
{
    nav_status s = NAV_ERR_MEMORY;
    nd_nursery *n = calloc(1, sizeof *n + count * sizeof(nd_helper *));
    if (!n) return NAV_ERR_MEMORY;
    n->shared = shared;
    n->count = count;
    n->eager = eager;
    n->arena_budget = arena_budget;
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1); // helpers whose nursery was killed come to the daemon, which waits for them
    n->ward = nd_shared_map(sizeof *n->ward);
    n->cots = nd_shared_map(count * sizeof *n->cots);
    if (!n->ward || !n->cots) goto failed;
    for (unsigned i = 0; i < count; i++)
        if (!(n->helpers[i] = nd_helper_create())) goto failed;
    s = start(n);
    if (s != NAV_OK) goto failed;
    *out = n;
    return NAV_OK;
failed:
    nd_nursery_destroy(n);
    return s;
}

// The nursery has ended, and its helpers with it, in this moment or just before: they are children of the daemon now.
static void await_helpers(pid_t group)
{
    while (waitpid(-group, NULL, 0) > 0 || errno == EINTR) {
    }
}

void nd_nursery_stop(nd_nursery *n)
{
    if (n->pid > 0) {
        kill(-n->pid, SIGKILL);
        await_helpers(n->pid);
    }
    n->pid = 0;
    for (unsigned i = 0; i < n->count; i++)
        if (n->helpers[i]) nd_helper_close(n->helpers[i]);
}

void nd_nursery_destroy(nd_nursery *n)
{
    if (!n) return;
    nd_nursery_stop(n);
    for (unsigned i = 0; i < n->count; i++) nd_helper_destroy(n->helpers[i]);
    nd_shared_unmap(n->ward, sizeof *n->ward);
    nd_shared_unmap(n->cots, n->count * sizeof *n->cots);
    free(n);
}

nd_helper *nd_nursery_helper(const nd_nursery *n, unsigned at)
{
    return n->helpers[at];
}

bool nd_nursery_look(nd_nursery *n)
{
    if (n->pid > 0) {
        if (waitpid(n->pid, NULL, WNOHANG) != n->pid) return false;
        await_helpers(n->pid);
        // What they ran has no answer.
        for (unsigned i = 0; i < n->count; i++) nd_helper_bury(n->helpers[i], (nd_death){.signal = SIGKILL});
    }
    if (start(n) == NAV_OK) return true;
    for (unsigned i = 0; i < n->count; i++) { // the next look tries again
        n->cots[i].answers = nd_helper_answers(n->helpers[i]);
        n->cots[i].unmade = true;
    }
    return false;
}

uint64_t nd_nursery_deaths(const nd_nursery *n, unsigned number)
{
    return number <= ND_DEATH_SIGNALS ? n->ward->deaths[number] : 0;
}

unsigned nd_nursery_ailing(const nd_nursery *n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n->count; i++)
        count += n->cots[i].deaths_in_a_row >= PATIENCE && !has_answered(&n->cots[i], n->helpers[i]);
    return count;
}

const char *nd_nursery_trouble(const nd_nursery *n)
{
    for (unsigned i = 0; i < n->count;
         i++) // one that was just made may answer before the nursery notes that it is there
        if (n->cots[i].unmade && !has_answered(&n->cots[i], n->helpers[i]))
            return "the system refuses helper processes of the generator: raise the limit of processes (TasksMax=, "
                   "ulimit -u, the container's pids limit) or lower --threads";
    return nd_nursery_ailing(n) ? "helper processes of the generator die one after the other" : NULL;
}

uint64_t nd_nursery_cpu_us(const nd_nursery *n)
{
    uint64_t sum = n->ward->dead_us, ns;
    for (unsigned i = 0; i < n->count; i++)
        if (nd_helper_cpu_ns(n->helpers[i], &ns)) sum += ns / 1000;
    return sum;
}

uint64_t nd_nursery_bytes(const nd_nursery *n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n->count; i++) sum += nd_helper_bytes(n->helpers[i]);
    return sum;
}
