#include "clients/navctl/generate/shared_threads.h"
#include "clients/navctl/generate/generate.h"
#include "clients/navctl/generate/thread_pool.h"

#include <stdlib.h>

static thread_pool *pool;

static void end_threads(void)
{
    thread_pool_destroy(pool);
    pool = NULL;
}

const nav_parallel *shared_threads(void)
{
    static nav_parallel parallel;
    if (pool) return &parallel;
    int32_t threads = generate_threads();
    if (threads < 2 || !(pool = thread_pool_create(threads))) return NULL;
    atexit(end_threads);
    parallel = thread_pool_parallel(pool);
    return &parallel;
}
