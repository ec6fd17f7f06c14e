#include "daemon/work/helper.h"

#include "daemon/base/shared.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Addresses of a mailbox; memory is only what is used. A tile that does not fit has millions of objects.
#define MAILBOX_BYTES ((size_t)256 << 20)
enum { ALIGN = 64 };

// A mailbox: IDLE ──thread──► ASKED ──helper──► RUNNING ──helper──► ANSWERED
//                                                  └──────nursery──► DIED
enum { IDLE, ASKED, RUNNING, ANSWERED, DIED };

struct nd_helper {
    atomic_uint state; // a futex
    atomic_int pid;
    atomic_uint_fast64_t cancelled, answers;
    atomic_size_t used;
    atomic_bool closed;
    nd_death death;
    uint64_t number, alarm_us;
    nd_helper_call *call;
    void *what;
    nd_worker own; // the helper's: its pointers are to its own memory
    unsigned char room[] __attribute__((aligned(ALIGN)));
};

static void wait_while(atomic_uint *word, unsigned value)
{
    (void)syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

static void wake(atomic_uint *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void set(atomic_uint *word, unsigned value)
{
    atomic_store(word, value);
    wake(word);
}

const char *nd_death_text(int number)
{
    switch (number) {
    case 0:
        return "it ended by itself";
    case SIGSEGV:
        return "segmentation fault";
    case SIGABRT:
        return "abort";
    case SIGBUS:
        return "bus error";
    case SIGFPE:
        return "arithmetic error";
    case SIGILL:
        return "illegal instruction";
    case SIGKILL:
        return "killed";
    case SIGALRM:
        return "it did not return";
    default:
        return "another signal";
    }
}

uint64_t nd_helper_next(nd_helper *h)
{
    return ++h->number;
}

void *nd_helper_take(nd_helper *h, size_t bytes)
{
    size_t used = h->used, most = MAILBOX_BYTES - sizeof *h;
    if (bytes > most || used > most - bytes) return NULL;
    h->used = (used + bytes + ALIGN - 1) / ALIGN * ALIGN;
    return h->room + used;
}

void nd_helper_empty(nd_helper *h)
{
    if (h->used > ND_MOST_KEPT) nd_shared_empty((char *)h + ND_MOST_KEPT, MAILBOX_BYTES - ND_MOST_KEPT);
    h->used = 0;
}

bool nd_helper_holds(const nd_helper *h, const void *what, size_t bytes)
{
    uintptr_t first = (uintptr_t)h->room, end = (uintptr_t)h + MAILBOX_BYTES, at = (uintptr_t)what;
    return at >= first && at <= end && bytes <= end - at && at % _Alignof(max_align_t) == 0;
}

bool nd_helper_run(nd_helper *h, nd_helper_call *call, void *what, uint64_t alarm_us, nd_death *death)
{
    unsigned state;
    h->call = call;
    h->what = what;
    h->alarm_us = alarm_us;
    set(&h->state, ASKED);
    if (atomic_load(&h->closed)) nd_helper_close(h);
    while ((state = atomic_load(&h->state)) == ASKED || state == RUNNING) wait_while(&h->state, state);
    if (state == DIED) *death = atomic_load(&h->closed) ? (nd_death){.signal = SIGKILL} : h->death;
    return state == ANSWERED;
}

bool nd_helper_cpu_ns(const nd_helper *h, uint64_t *out)
{
    clockid_t clock;
    struct timespec t;
    pid_t pid = h->pid;
    if (!pid || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t)) return false;
    *out = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    return true;
}

uint64_t nd_helper_bytes(const nd_helper *h)
{
    return h->own.arena.held_bytes + h->own.output.capacity + h->own.packed.capacity + h->used;
}

void nd_helper_cancel(nd_helper *h, uint64_t number)
{
    atomic_store_explicit(&h->cancelled, number, memory_order_relaxed);
}

bool nd_helper_is_cancelled(const nd_helper *h, uint64_t number)
{
    return atomic_load_explicit(&h->cancelled, memory_order_relaxed) == number;
}

nd_helper *nd_helper_create(void)
{
    return nd_shared_map(MAILBOX_BYTES); // zeroed
}

void nd_helper_destroy(nd_helper *h)
{
    nd_shared_unmap(h, MAILBOX_BYTES);
}

void nd_helper_hide(nd_helper *h)
{
    (void)mprotect(h, MAILBOX_BYTES, PROT_NONE);
}

static void set_alarm(uint64_t us)
{
    const struct itimerval t = {.it_value = {(time_t)(us / 1000000), (suseconds_t)(us % 1000000)}};
    (void)setitimer(ITIMER_REAL, &t, NULL);
}

_Noreturn void nd_helper_serve(nd_helper *h, size_t arena_budget)
{
    nd_worker_init(&h->own, arena_budget);
    for (;;) {
        unsigned state = ASKED;
        if (!atomic_compare_exchange_strong(&h->state, &state, RUNNING)) {
            wait_while(&h->state, state);
            continue;
        }
        if (h->alarm_us) set_alarm(h->alarm_us);
        h->call(h->what, &h->own);
        if (h->alarm_us) set_alarm(0);
        atomic_fetch_add(&h->answers, 1);
        state = RUNNING;
        if (atomic_compare_exchange_strong(&h->state, &state, ANSWERED)) wake(&h->state);
        nd_worker_reset(&h->own);
    }
}

void nd_helper_set_process(nd_helper *h, pid_t pid)
{
    h->pid = pid;
}

pid_t nd_helper_process(const nd_helper *h)
{
    return h->pid;
}

void nd_helper_bury(nd_helper *h, nd_death death)
{
    h->pid = 0;
    if (atomic_load(&h->state) != RUNNING) return; // nobody waits, or not for this one
    h->death = death;
    set(&h->state, DIED);
}

void nd_helper_close(nd_helper *h)
{
    atomic_store(&h->closed, true);
    for (unsigned state = ASKED; state == ASKED || state == RUNNING;) {
        if (!atomic_compare_exchange_strong(&h->state, &state, DIED)) continue;
        wake(&h->state);
        return;
    }
}

uint64_t nd_helper_answers(const nd_helper *h)
{
    return atomic_load(&h->answers);
}
