#include "daemon/base/thread.h"

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

void nd_thread_yield_to_all(void)
{
    (void)!nice(ND_YIELD_NICE); // of the thread, on Linux
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
