#include "clients/navctl/output/elapsed.h"
#include "clients/navctl/output/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100000000 };

static void *draw_until_end(void *user)
{
    elapsed *e = user;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    pthread_mutex_lock(&e->mutex);
    while (!e->ends) {
        next.tv_nsec += TICK_NS;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        pthread_cond_timedwait(&e->end, &e->mutex, &next);
        if (!e->ends) fprintf(stderr, "\r\033[K%s %s, %.1f s", e->doing, e->what, now_s() - e->started_s);
    }
    pthread_mutex_unlock(&e->mutex);
    return NULL;
}

void elapsed_begin(elapsed *e, const char *doing, const char *path)
{
    const char *slash = strrchr(path, '/');
    *e = (elapsed){.doing = doing, .what = slash ? slash + 1 : path, .started_s = now_s()};
    if (isatty(STDERR_FILENO) != 1) return;
    fprintf(stderr, "\r\033[K%s %s", e->doing, e->what);
    pthread_condattr_t monotonic;
    pthread_mutex_init(&e->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&e->end, &monotonic);
    pthread_condattr_destroy(&monotonic);
    e->shown = pthread_create(&e->thread, NULL, draw_until_end, e) == 0;
    if (e->shown) return;
    pthread_cond_destroy(&e->end);
    pthread_mutex_destroy(&e->mutex);
    fprintf(stderr, "\r\033[K");
}

void elapsed_end(elapsed *e)
{
    if (!e->shown) return;
    e->shown = false;
    pthread_mutex_lock(&e->mutex);
    e->ends = true;
    pthread_cond_signal(&e->end);
    pthread_mutex_unlock(&e->mutex);
    pthread_join(e->thread, NULL);
    pthread_cond_destroy(&e->end);
    pthread_mutex_destroy(&e->mutex);
    fprintf(stderr, "\r\033[K");
}
