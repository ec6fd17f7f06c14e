#include "clients/navctl/generate/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef void thread_pool_job(void *state, int part);

struct thread_pool {
    // Number of the job and, below it, the next part: a part is claimed by raising this word. While a part is to be
    // had the job goes on, and the members that say what it is stay; NO_PART stands there while they change.
    atomic_uint_fast64_t claim;
    _Atomic(thread_pool_job *) job;
    _Atomic(void *) state;
    atomic_int parts, finished;
    atomic_bool quits;
    pthread_mutex_t mutex; // of those that sleep
    pthread_cond_t wake, done;
    int sleepers;
    int thread_count; // without the calling one
    pthread_t threads[];
};

enum { JOB_SHIFT = 32, NO_PART = INT32_MAX, LOOKS = 5000 };
static const uint64_t PART_MASK = UINT32_MAX;

static void look_again(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void take_parts(thread_pool *p)
{
    uint64_t claim = atomic_load(&p->claim);
    for (;;) {
        int parts = atomic_load(&p->parts), part = (int)(claim & PART_MASK);
        thread_pool_job *job = atomic_load(&p->job);
        void *state = atomic_load(&p->state);
        if (part >= parts) return;
        if (!atomic_compare_exchange_weak(&p->claim, &claim, claim + 1)) continue;
        job(state, part);
        if (atomic_fetch_add(&p->finished, 1) + 1 == parts) {
            pthread_mutex_lock(&p->mutex);
            pthread_cond_signal(&p->done);
            pthread_mutex_unlock(&p->mutex);
        }
        claim = atomic_load(&p->claim);
    }
}

static bool waits(thread_pool *p, uint64_t seen)
{
    return atomic_load(&p->claim) >> JOB_SHIFT == seen && !atomic_load(&p->quits);
}

static void *serve(void *user)
{
    thread_pool *p = user;
    uint64_t seen = 0;
    while (!atomic_load(&p->quits)) {
        for (int i = 0; i < LOOKS && waits(p, seen); i++) look_again();
        pthread_mutex_lock(&p->mutex);
        p->sleepers++;
        while (waits(p, seen)) pthread_cond_wait(&p->wake, &p->mutex);
        p->sleepers--;
        pthread_mutex_unlock(&p->mutex);
        seen = atomic_load(&p->claim) >> JOB_SHIFT;
        take_parts(p);
    }
    return NULL;
}

static void wake_all(thread_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    if (p->sleepers) pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
}

thread_pool *thread_pool_create(int threads)
{
    thread_pool *p = calloc(1, sizeof *p + (size_t)threads * sizeof p->threads[0]);
    if (!p) return NULL;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->thread_count < threads - 1 && pthread_create(&p->threads[p->thread_count], NULL, serve, p) == 0)
        p->thread_count++;
    return p;
}

void thread_pool_destroy(thread_pool *p)
{
    if (!p) return;
    atomic_store(&p->quits, true);
    wake_all(p);
    for (int i = 0; i < p->thread_count; i++) pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    free(p);
}

void thread_pool_run(thread_pool *p, void (*job)(void *state, int part), void *state, int parts)
{
    if (parts <= 1 || p->thread_count == 0) {
        for (int i = 0; i < parts; i++) job(state, i);
        return;
    }
    const uint64_t number = atomic_load(&p->claim) >> JOB_SHIFT;
    atomic_store(&p->claim, number << JOB_SHIFT | NO_PART);
    atomic_store(&p->finished, 0);
    atomic_store(&p->job, job);
    atomic_store(&p->state, state);
    atomic_store(&p->parts, parts);
    atomic_store(&p->claim, (number + 1) << JOB_SHIFT);
    wake_all(p);
    take_parts(p);
    for (int i = 0; i < LOOKS && atomic_load(&p->finished) < parts; i++) look_again();
    pthread_mutex_lock(&p->mutex);
    while (atomic_load(&p->finished) < parts) pthread_cond_wait(&p->done, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

int thread_pool_sleepers(thread_pool *p)
{
    pthread_mutex_lock(&p->mutex);
    int sleepers = p->sleepers;
    pthread_mutex_unlock(&p->mutex);
    return sleepers;
}

static void run_parallel(void *user, void (*job)(void *state, int part), void *state, int parts)
{
    thread_pool_run(user, job, state, parts);
}

nav_parallel thread_pool_parallel(thread_pool *p)
{
    return (nav_parallel){.user = p, .threads = p->thread_count + 1, .run = run_parallel};
}
