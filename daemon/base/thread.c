#include "daemon/base/thread.h"

#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local bool thread_is_loop;

void nd_thread_set_loop(bool is_loop)
{
    thread_is_loop = is_loop;
}

bool nd_thread_is_loop(void)
{
    return thread_is_loop;
}

bool nd_thread_start(pthread_t *id, void *(*run)(void *of), void *of)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = !pthread_create(id, NULL, run, of);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void nd_thread_yield_to_all(void)
{
    (void)!nice(ND_YIELD_NICE); // of the thread, on Linux
}

// As in <linux/sched/types.h>, which cannot be had beside <sched.h>.
typedef struct turns {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
} turns;

void nd_thread_take_short_turns(void)
{
    turns t = {.size = sizeof t};
    if (syscall(SYS_sched_getattr, 0, &t, sizeof t, 0)) return;
    t.size = sizeof t;
    t.flags = SCHED_FLAG_RESET_ON_FORK;
    t.runtime_ns = ND_SHORT_TURN_US * UINT64_C(1000);
    (void)syscall(SYS_sched_setattr, 0, &t, 0);
}

#ifdef __SANITIZE_THREAD__
// libuv closes descriptors by a bare system call, which the thread sanitizer does not see: the thread that gets the
// number next seems to race with the one that had it. Other accesses are looked at as ever.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race_top:epoll_create1\nrace_top:accept4\nrace_top:eventfd\nrace_top:interceptor_socket\n"
           "race_top:interceptor_open\n";
}
#endif
