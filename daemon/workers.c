#include "daemon/workers.h"

#include "daemon/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

typedef struct task_list {
    nd_task *first, **end;
} task_list;

struct nd_workers {
    uv_async_t wake;
    pthread_mutex_t mutex; // guards queue, finished, stopping
    pthread_cond_t work;
    task_list queue, finished;
    bool stopping;
    unsigned thread_count;
    size_t arena_budget;
    pthread_t threads[];
};

static void list_init(task_list *l)
{
    l->first = NULL;
    l->end = &l->first;
}

static void list_append(task_list *l, nd_task *t)
{
    t->next = NULL;
    *l->end = t;
    l->end = &t->next;
}

static nd_task *list_take_all(task_list *l)
{
    nd_task *t = l->first;
    list_init(l);
    return t;
}

static nd_task *wait_for_task(nd_workers *w)
{
    nd_task *t = NULL;
    pthread_mutex_lock(&w->mutex);
    while (!w->stopping && !w->queue.first) pthread_cond_wait(&w->work, &w->mutex);
    if (!w->stopping) {
        t = w->queue.first;
        w->queue.first = t->next;
        if (!t->next) list_init(&w->queue);
    }
    pthread_mutex_unlock(&w->mutex);
    return t;
}

static void *work(void *arg)
{
    nd_workers *w = arg;
    nd_worker self = {.zstd = ZSTD_createCCtx()};
    nav_arena_init(&self.arena, w->arena_budget);
    for (nd_task *t; (t = wait_for_task(w));) {
        self.output.size = self.packed.size = 0;
        t->run(t, &self);
        nav_arena_reset(&self.arena);
        pthread_mutex_lock(&w->mutex);
        list_append(&w->finished, t);
        pthread_mutex_unlock(&w->mutex);
        uv_async_send(&w->wake);
    }
    nav_arena_deinit(&self.arena);
    nav_buffer_deinit(&self.output);
    nav_buffer_deinit(&self.packed);
    ZSTD_freeCCtx(self.zstd);
    return NULL;
}

static void return_tasks(nd_task *t, bool ran)
{
    for (nd_task *next; t; t = next) {
        next = t->next;
        t->done(t, ran);
    }
}

static nd_task *take_finished(nd_workers *w)
{
    pthread_mutex_lock(&w->mutex);
    nd_task *t = list_take_all(&w->finished);
    pthread_mutex_unlock(&w->mutex);
    return t;
}

static void on_wake(uv_async_t *handle)
{
    return_tasks(take_finished(handle->data), true);
}

static void join_threads(nd_workers *w, unsigned count)
{
    pthread_mutex_lock(&w->mutex);
    w->stopping = true;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->mutex);
    for (unsigned i = 0; i < count; i++) pthread_join(w->threads[i], NULL);
}

static void on_closed(uv_handle_t *handle)
{
    nd_workers *w = handle->data;
    pthread_cond_destroy(&w->work);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

nav_status nd_workers_create(uv_loop_t *loop, unsigned threads, size_t arena_budget, nd_workers **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_workers *w = calloc(1, sizeof *w + threads * sizeof w->threads[0]);
    if (!w) return NAV_ERR_MEMORY;
    if (uv_async_init(loop, &w->wake, on_wake)) {
        free(w);
        return NAV_ERR_IO;
    }
    w->wake.data = w;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->work, NULL);
    list_init(&w->queue);
    list_init(&w->finished);
    w->arena_budget = arena_budget;

    // Signals are the loop thread's.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (w->thread_count < threads && !pthread_create(&w->threads[w->thread_count], NULL, work, w)) w->thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (w->thread_count < threads) {
        nd_workers_close(w);
        return NAV_ERR_IO;
    }
    *out = w;
    return NAV_OK;
}

void nd_workers_push(nd_workers *w, nd_task *task)
{
    ND_ASSERT_LOOP_THREAD();
    pthread_mutex_lock(&w->mutex);
    list_append(&w->queue, task);
    pthread_mutex_unlock(&w->mutex);
    pthread_cond_signal(&w->work); // behind the mutex, which the thread that wakes takes at once
}

unsigned nd_workers_count(const nd_workers *w)
{
    return w->thread_count;
}

void nd_workers_close(nd_workers *w)
{
    if (!w) return;
    ND_ASSERT_LOOP_THREAD();
    join_threads(w, w->thread_count);
    return_tasks(take_finished(w), true);
    return_tasks(list_take_all(&w->queue), false); // the threads are gone: no lock is needed
    uv_close((uv_handle_t *)&w->wake, on_closed);
}
