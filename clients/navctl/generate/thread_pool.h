// Threads that take the parts of one job after another. The thread that calls takes parts, too. Between jobs the others
// look out for the next one for a moment before they sleep: jobs that follow each other closely start at once.
#ifndef NAVCTL_THREAD_POOL_H
#define NAVCTL_THREAD_POOL_H

#include "core/base/parallel.h"

typedef struct thread_pool thread_pool;

// threads: with the calling one, at least 1. Threads that cannot be had are done without. NULL: no memory.
thread_pool *thread_pool_create(int threads);
void thread_pool_destroy(thread_pool *p); // accepts NULL

// Calls job(state, part) for every part below `parts`, each once, and returns when all have returned. One caller at a
// time.
void thread_pool_run(thread_pool *p, void (*job)(void *state, int part), void *state, int parts);

// How many of its threads sleep at this moment; without jobs, all but the calling one in the end. For tests.
int thread_pool_sleepers(thread_pool *p);

// thread_pool_run() for the core.
nav_parallel thread_pool_parallel(thread_pool *p);

#endif
