// Preloaded into navd: its helper processes die. Each run of the generator in one begins and ends with a call of
// setitimer(). $NAVD_CRASHES is a file with 64-bit numbers, shared by all: how many faults are left, how many there
// were, which tile is the culprit (x + 1, z in the upper half; 0: none), whether that is stuck instead, how many of the
// next calls die as they begin, and whether the system has no process for a helper. While some are left, a run is hit
// at a random moment, in five ways in turn; never the first one of a helper, which is the second try of the run that
// its predecessor died of. The culprit kills its helper always, when it is compressed.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#define EXPORT __attribute__((visibility("default")))

enum { WAYS = 5, LATEST_NS = 900000 };

// Not raise(), which a thread sanitizer replaces by its own.
static void die_of(int number)
{
    (void)kill(getpid(), number); // the helper has one thread: it is delivered before kill() returns
}
enum { TILE_AT_X = 52, TILE_HEADER_BYTES = 152 }; // docs/formats.md

typedef struct faults {
    _Atomic uint64_t left, done, culprit, stuck, calls, refused;
} faults;

static faults *shared; // NULL: this process is neither a helper nor the nursery
static bool is_helper;
static unsigned runs;
static timer_t timer;

static int overflow(volatile char *above) // as long as there is a stack
{
    volatile char here[65536];
    here[0] = above[0];
    if (!here[0]) return 0;
    return overflow(here) + here[0];
}

static void die(int number)
{
    (void)number;
    if (atomic_fetch_sub(&shared->left, 1) - 1 >= UINT64_MAX / 2) { // another one took the last
        atomic_fetch_add(&shared->left, 1);
        return;
    }
    volatile char top = 1;
    uint64_t way = atomic_fetch_add(&shared->done, 1) % WAYS;
    if (way == 0) die_of(SIGSEGV);
    if (way == 1) abort();
    if (way == 2) die_of(SIGKILL);
    if (way == 3) die_of(SIGFPE);
    _exit(overflow(&top) & 1);
}

static void open_faults(void)
{
    const char *path = getenv("NAVD_CRASHES");
    int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *at = mmap(NULL, sizeof(faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (at != MAP_FAILED) shared = at;
}

static void become_helper(void)
{
    struct sigevent hit = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
    if (!shared || timer_create(CLOCK_MONOTONIC, &hit, &timer)) return;
    signal(SIGRTMIN + 3, die);
    is_helper = true;
}

// One of the calls that are to die?
static bool takes_call(void)
{
    if (atomic_fetch_sub(&shared->calls, 1) - 1 < UINT64_MAX / 2) return true;
    atomic_fetch_add(&shared->calls, 1);
    return false;
}

EXPORT int prctl(int option, ...)
{
    va_list list;
    va_start(list, option);
    unsigned long value = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_NAME && !strcmp((const char *)value, "navd-nursery")) open_faults();
    if (option == PR_SET_NAME && !strcmp((const char *)value, "navd-helper")) become_helper();
    return (int)syscall(SYS_prctl, option, value, 0, 0, 0);
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *value, struct itimerval *old)
{
    bool begins = value->it_value.tv_sec || value->it_value.tv_usec;
    struct timespec now;
    if (is_helper && begins && takes_call()) die_of(SIGSEGV);
    if (is_helper && (!begins || (runs++ && atomic_load(&shared->left)))) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t mixed = ((uint64_t)now.tv_nsec + runs) * UINT64_C(0x9e3779b97f4a7c15);
        const struct itimerspec when = {.it_value.tv_nsec = begins ? 1 + (long)((mixed >> 32) % LATEST_NS) : 0};
        timer_settime(timer, 0, &when, NULL);
    }
    return (int)syscall(SYS_setitimer, which, value, old);
}

// In the nursery, while it is refused; in navctl, where $NAVD_CRASHES_FORKED is set: what it forks crashes at once.
EXPORT pid_t fork(void)
{
    static pid_t (*real)(void);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fork");
    if (shared && atomic_load(&shared->refused)) {
        errno = EAGAIN;
        return -1;
    }
    pid_t pid = real();
    if (!pid && getenv("NAVD_CRASHES_FORKED")) die_of(SIGSEGV);
    return pid;
}

// Is it that tile, in navd's encoding?
static bool is_culprit(const void *in, size_t count)
{
    uint64_t culprit = atomic_load(&shared->culprit);
    uint32_t at[2];
    if (!culprit || count < TILE_HEADER_BYTES) return false;
    memcpy(at, (const char *)in + TILE_AT_X, sizeof at);
    return at[0] + 1 == (uint32_t)culprit && at[1] == culprit >> 32;
}

EXPORT size_t ZSTD_compressCCtx(ZSTD_CCtx *context, void *out, size_t room, const void *in, size_t count, int level)
{
    static size_t (*real)(ZSTD_CCtx *, void *, size_t, const void *, size_t, int);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "ZSTD_compressCCtx");
    if (is_helper && is_culprit(in, count)) {
        if (!atomic_load(&shared->stuck)) die_of(SIGSEGV);
        for (;;) pause(); // until somebody kills it
    }
    return real(context, out, room, in, count, level);
}
