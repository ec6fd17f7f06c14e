// How core runs work in parts: on the threads of a public nav_parallel, or on the calling thread alone.
#ifndef NAV_BASE_PARALLEL_H
#define NAV_BASE_PARALLEL_H

#include "navcore/parallel.h"

// p: NULL for the calling thread alone.
static inline void nav_parallel_run(const nav_parallel *p, void (*job)(void *state, int part), void *state, int parts)
{
    if (p) {
        p->run(p->user, job, state, parts);
        return;
    }
    for (int i = 0; i < parts; i++) job(state, i);
}

#endif
