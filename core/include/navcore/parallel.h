// Work in parts that the caller may spread over threads of its own: the core starts none. The outcome of what takes a
// nav_parallel never depends on the number of its threads.
#ifndef NAVCORE_PARALLEL_H
#define NAVCORE_PARALLEL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nav_parallel {
    void *user;
    int threads; // at least 1
    // Calls job(state, part) once for every part below `parts`, in any order, and returns when all have returned.
    void (*run)(void *user, void (*job)(void *state, int part), void *state, int parts);
} nav_parallel;

#ifdef __cplusplus
}
#endif

#endif
