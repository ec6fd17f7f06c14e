#include "daemon/thread.h"

static _Thread_local bool thread_is_loop;

void nd_thread_set_loop(bool is_loop)
{
    thread_is_loop = is_loop;
}

bool nd_thread_is_loop(void)
{
    return thread_is_loop;
}
