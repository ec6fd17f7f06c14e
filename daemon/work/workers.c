#include "daemon/work/workers.h"

#include "daemon/base/fifo.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// The part of the others is guaranteed: one task of eight.
enum { URGENT_IN_A_ROW = 7 };
// From this size on something is freed by a thread of the pool.
enum { DISPOSED_BYTES = 4 << 20 };
// A thread that was at work for LOOK_NS at least, and ran for less than that part of it, hardly gets a processor.
enum { STARVED_PART = 32 };
// Tasks that go back to the loop in one of its turns: after them it looks at its sockets again.
enum { RETURNED_A_TURN = 64 };
#define LOOK_NS UINT64_C(100000000)

enum { URGENT, OTHERS, CREWS };

typedef ND_FIFO(nd_task) task_list;

typedef struct thread {
    pthread_t id;
    nd_workers *pool;
    unsigned crew;
    nd_helper *helper; // NULL: none
    bool busy;         // under the mutex, as the next one
    uint64_t waits;    // how often it had nothing to do
    // When it was looked at last; loop thread only.
    uint64_t seen_waits, seen_ns, seen_cpu_ns;
} thread;

typedef struct crew {
    task_list queue; // under the mutex
    pthread_cond_t work;
    unsigned count; // set before the threads begin, as threads
    thread *threads;
} crew;

struct nd_workers {
    uv_async_t wake;
    pthread_mutex_t mutex; // guards all below but threads
    crew crews[CREWS];
    task_list finished;
    unsigned urgent_in_a_row; // while another waited
    bool rests;               // the others' crew, which does not run; the loop changes it under the mutex
    uint64_t rests_until_ns;  // loop thread only
    bool stopping;
    size_t arena_budget;
    nd_nursery *nursery;
    // Loop thread only.
    size_t under_way;    // tasks that were pushed and have not come back
    const char *trouble; // of the nursery, as logged
    thread threads[];    // of both crews
};

static nd_task *list_take_all(task_list *l)
{
    nd_task *t = l->first;
    ND_FIFO_INIT(l);
    return t;
}

static nd_task *list_take(task_list *l)
{
    nd_task *t = l->first;
    ND_FIFO_DROP(l);
    return t;
}

// Does the crew take tasks of this kind? Each its own; the urgent crew those of one that rests.
static bool serves(const nd_workers *w, unsigned c, unsigned kind)
{
    return kind == OTHERS && w->rests ? c == URGENT : c == kind;
}

// NULL: there is nothing for this crew.
static nd_task *take_task(nd_workers *w, unsigned c)
{
    bool urgent = w->crews[URGENT].queue.first, other = w->crews[OTHERS].queue.first;
    bool turn = urgent && other && w->urgent_in_a_row == URGENT_IN_A_ROW; // of another one, whoever takes it
    unsigned kind;
    if (urgent && !turn && serves(w, c, URGENT))
        kind = URGENT;
    else if (other && (serves(w, c, OTHERS) || (turn && c == URGENT)))
        kind = OTHERS;
    else
        return NULL;
    w->urgent_in_a_row = kind == URGENT && other ? w->urgent_in_a_row + 1 : 0;
    return list_take(&w->crews[kind].queue);
}

static nd_task *wait_for_task(thread *self)
{
    nd_workers *w = self->pool;
    nd_task *t = NULL;
    pthread_mutex_lock(&w->mutex);
    while (!w->stopping && !(t = take_task(w, self->crew))) {
        self->waits++;
        pthread_cond_wait(&w->crews[self->crew].work, &w->mutex);
    }
    self->busy = t;
    pthread_mutex_unlock(&w->mutex);
    return t;
}

// The task is the loop's again.
static void give_back(thread *self, nd_task *t)
{
    nd_workers *w = self->pool;
    pthread_mutex_lock(&w->mutex);
    self->busy = false;
    ND_FIFO_PUT(&w->finished, t);
    uv_async_send(&w->wake);
    pthread_mutex_unlock(&w->mutex);
}

static void *work(void *arg)
{
    thread *self = arg;
    nd_worker own;
    nd_worker_init(&own, self->pool->arena_budget);
    own.helper = self->helper;
    if (self->crew == OTHERS) nd_thread_yield_to_all();
    if (self->helper) nd_thread_take_short_turns(); // it hands over what the helper computes
    for (nd_task *t; (t = wait_for_task(self));) {
        t->run(t, &own);
        nd_worker_reset(&own);
        give_back(self, t);
    }
    nd_worker_deinit(&own);
    return NULL;
}

static bool start_thread(nd_workers *w, unsigned c, thread *t)
{
    *t = (thread){.pool = w, .crew = c, .seen_waits = UINT64_MAX}; // never
    if (w->nursery) t->helper = nd_nursery_helper(w->nursery, (unsigned)(t - w->threads));
    return nd_thread_start(&t->id, work, t);
}

static void return_tasks(nd_workers *w, nd_task *t, bool ran)
{
    for (nd_task *next; t; t = next) {
        next = t->next;
        w->under_way--;
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

// At most RETURNED_A_TURN; where there are more it comes again.
static nd_task *take_some_finished(nd_workers *w)
{
    pthread_mutex_lock(&w->mutex);
    nd_task *first = w->finished.first, *last = first;
    for (int i = 1; i < RETURNED_A_TURN && last; i++) last = last->next;
    if (last && last->next) {
        w->finished.first = last->next;
        last->next = NULL;
        uv_async_send(&w->wake);
    } else {
        ND_FIFO_INIT(&w->finished);
    }
    pthread_mutex_unlock(&w->mutex);
    return first;
}

static void on_wake(uv_async_t *handle)
{
    return_tasks(handle->data, take_some_finished(handle->data), true);
}

static void join_threads(nd_workers *w)
{
    pthread_mutex_lock(&w->mutex);
    w->stopping = true;
    for (int c = 0; c < CREWS; c++) pthread_cond_broadcast(&w->crews[c].work);
    pthread_mutex_unlock(&w->mutex);
    for (int c = 0; c < CREWS; c++)
        for (unsigned i = 0; i < w->crews[c].count; i++) pthread_join(w->crews[c].threads[i].id, NULL);
}

static void on_closed(uv_handle_t *handle)
{
    nd_workers *w = handle->data;
    for (int c = 0; c < CREWS; c++) pthread_cond_destroy(&w->crews[c].work);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

nav_status nd_workers_create(uv_loop_t *loop, unsigned threads, size_t arena_budget, nd_nursery *nursery,
                             nd_workers **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_workers *w = calloc(1, sizeof *w + CREWS * threads * sizeof w->threads[0]);
    if (!w) return NAV_ERR_MEMORY;
    if (uv_async_init(loop, &w->wake, on_wake)) {
        free(w);
        return NAV_ERR_IO;
    }
    w->wake.data = w;
    pthread_mutex_init(&w->mutex, NULL);
    for (unsigned c = 0; c < CREWS; c++) {
        pthread_cond_init(&w->crews[c].work, NULL);
        ND_FIFO_INIT(&w->crews[c].queue);
        w->crews[c].threads = w->threads + c * threads;
    }
    ND_FIFO_INIT(&w->finished);
    w->arena_budget = arena_budget;
    w->nursery = nursery;
    for (unsigned c = 0; c < CREWS; c++)
        while (w->crews[c].count < threads && start_thread(w, c, &w->crews[c].threads[w->crews[c].count]))
            w->crews[c].count++;
    if (w->crews[URGENT].count < threads || w->crews[OTHERS].count < threads) {
        nd_workers_close(w);
        return NAV_ERR_IO;
    }
    *out = w;
    return NAV_OK;
}

void nd_workers_push(nd_workers *w, nd_task *task)
{
    ND_ASSERT_LOOP_THREAD();
    unsigned kind = task->urgent ? URGENT : OTHERS;
    w->under_way++;
    pthread_mutex_lock(&w->mutex);
    ND_FIFO_PUT(&w->crews[kind].queue, task);
    pthread_mutex_unlock(&w->mutex);
    // Behind the mutex, which the thread that wakes takes at once.
    for (unsigned c = 0; c < CREWS; c++)
        if (serves(w, c, kind)) pthread_cond_signal(&w->crews[c].work);
}

typedef struct disposal {
    nd_task task;
    void (*destroy)(void *what);
    void *what;
} disposal;

static void run_disposal(nd_task *task, nd_worker *worker)
{
    disposal *d = (disposal *)task;
    (void)worker;
    d->destroy(d->what);
}

static void disposal_done(nd_task *task, bool ran)
{
    disposal *d = (disposal *)task;
    if (!ran) d->destroy(d->what);
    free(d);
}

void nd_workers_dispose(nd_workers *w, size_t bytes, void (*destroy)(void *what), void *what)
{
    disposal *d = w && bytes >= DISPOSED_BYTES ? malloc(sizeof *d) : NULL;
    if (!d) {
        destroy(what);
        return;
    }
    *d = (disposal){
        .task = {.urgent = true, .run = run_disposal, .done = disposal_done}, .destroy = destroy, .what = what};
    nd_workers_push(w, &d->task);
}

// The thread was at work all the time since it was looked at last, and hardly ran.
static bool is_starved(thread *t, uint64_t now_ns)
{
    struct timespec cpu;
    clockid_t clock;
    uint64_t helper_ns = 0;
    bool busy = t->busy && t->waits == t->seen_waits;
    if ((busy && now_ns < t->seen_ns + LOOK_NS) || pthread_getcpuclockid(t->id, &clock) || clock_gettime(clock, &cpu))
        return false;
    if (t->helper && !nd_helper_cpu_ns(t->helper, &helper_ns)) return false; // it is being replaced
    uint64_t cpu_ns = (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec + helper_ns;
    if (cpu_ns < t->seen_cpu_ns) t->seen_cpu_ns = 0; // another helper
    bool starved = busy && cpu_ns - t->seen_cpu_ns < (now_ns - t->seen_ns) / STARVED_PART;
    t->seen_waits = t->waits;
    t->seen_ns = now_ns;
    t->seen_cpu_ns = cpu_ns;
    return starved;
}

static void look_at_nursery(nd_workers *w)
{
    if (nd_nursery_look(w->nursery)) nd_log(ND_LOG_ERROR, "nursery.died", "%s", "helpers=made_anew");
    const char *trouble = nd_nursery_trouble(w->nursery), *before = w->trouble;
    if (trouble == before) return;
    w->trouble = trouble;
    if (trouble)
        nd_log(ND_LOG_ERROR, "helpers.missing", "why=%s", nd_log_quote_sentence(trouble).text);
    else
        nd_log(ND_LOG_WARN, "helpers.back", "%s", "tiles=made_again");
}

void nd_workers_look(nd_workers *w, uint64_t now_ns)
{
    ND_ASSERT_LOOP_THREAD();
    const crew *others = &w->crews[OTHERS];
    if (w->nursery) look_at_nursery(w);
    pthread_mutex_lock(&w->mutex);
    for (unsigned i = 0; i < others->count; i++)
        if (is_starved(&others->threads[i], now_ns)) w->rests_until_ns = now_ns + ND_CREW_REST_NS;
    bool rests = now_ns < w->rests_until_ns, changed = rests != w->rests;
    w->rests = rests;
    pthread_mutex_unlock(&w->mutex);
    if (changed) pthread_cond_broadcast(&w->crews[rests ? URGENT : OTHERS].work);
}

bool nd_workers_need_looks(const nd_workers *w)
{
    ND_ASSERT_LOOP_THREAD();
    return w->under_way || w->trouble;
}

const nd_nursery *nd_workers_nursery(const nd_workers *w)
{
    return w->nursery;
}

unsigned nd_workers_count(const nd_workers *w, bool urgent)
{
    return w->crews[urgent ? URGENT : OTHERS].count;
}

void nd_workers_close(nd_workers *w)
{
    if (!w) return;
    ND_ASSERT_LOOP_THREAD();
    if (w->nursery) nd_nursery_stop(w->nursery); // a thread may wait for a helper that does not come, or not return
    join_threads(w);
    return_tasks(w, take_finished(w), true);
    for (int c = 0; c < CREWS; c++) return_tasks(w, list_take_all(&w->crews[c].queue), false); // no threads, no lock
    uv_close((uv_handle_t *)&w->wake, on_closed);
}
