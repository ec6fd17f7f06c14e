// Work in parts that the caller may spread over threads of its own: the core starts none. The outcome of what takes a
// nav_parallel never depends on the number of its threads.
#ifndef NAV_BASE_PARALLEL_H
#define NAV_BASE_PARALLEL_H

typedef struct nav_parallel {
    void *user;
    int threads; // at least 1
    // Calls job(state, part) once for every part below `parts`, in any order, and returns when all have returned.
    void (*run)(void *user, void (*job)(void *state, int part), void *state, int parts);
} nav_parallel;

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
