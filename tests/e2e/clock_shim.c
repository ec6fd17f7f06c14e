// Preloaded into navd: a clock of day and year that jumps at each look, an hour on and two back, while the monotonic
// clocks go as ever. What decides by the time of day goes wrong under it.
//
// CLOCK_SHIM_SECONDS=N: it jumps every N seconds only, and not in the first of them, for what needs a clock that stands
// for a moment (a library's timeouts).
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_uint looks;
static long every_s;
static struct timespec began;

__attribute__((constructor)) static void begin(void)
{
    const char *every = getenv("CLOCK_SHIM_SECONDS");
    every_s = every ? atol(every) : 0;
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &began);
}

static long jump_s(void)
{
    static const long jumps[] = {0, 3600, -7200, 86400 * 400L, -86400 * 400L, 1};
    struct timespec now = {0};
    unsigned at = atomic_fetch_add(&looks, 1);
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    if (every_s) at = (unsigned)((now.tv_sec - began.tv_sec) / every_s);
    return jumps[at % (sizeof jumps / sizeof *jumps)];
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *out)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, out);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += jump_s();
    return failed;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    int failed = (int)syscall(SYS_gettimeofday, out, zone);
    if (!failed) out->tv_sec += jump_s();
    return failed;
}

__attribute__((visibility("default"))) time_t time(time_t *out)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
