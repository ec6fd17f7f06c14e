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
