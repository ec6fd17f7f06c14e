#include "daemon/disk/writer.h"

#include "core/base/endian.h"
#include "daemon/base/fifo.h"
#include "daemon/base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What was read of the file is given back each second while it is in use, and looked for now and then where it is not.
enum { REST_MS = 1000, IDLE_REST_MS = 30000 };

typedef ND_FIFO(nd_write) write_list;

// A task that has been, with its outcome.
typedef struct outcome_list {
    write_list good, failed;
} outcome_list;

struct nd_writer {
    uv_async_t wake;
    nd_writer_options options;
    pthread_t thread;
    pthread_mutex_t mutex;     // guards what follows, up to the loop's own
    pthread_cond_t work, told; // told: for a loop that does not run yet
    write_list queue;
    outcome_list finished;
    size_t queued_bytes, queued_count;
    uint64_t window_end_ns; // of the first task in the queue
    uint64_t epoch;         // rises with each failure
    uint64_t loop_epoch;    // of the last failure that the loop knows of
    nav_status status;      // of commits
    nav_status failure;     // of the last one that failed
    char why[ND_DATABASE_WHY_BYTES];
    uint64_t commit_ms;
    bool needed; // the database: it is not put off any more
    uint64_t open_ns, open_most_ns;
    bool is_open, open_told, flush, stopping, writing;
    nav_status open_status;
    nd_database_opening opening;
    nd_writer_stats stats;
    _Atomic(nd_database *) database;

    uint64_t rest_ns; // the thread's: when it gives back what was read

    nav_status loop_status; // the loop's: what it knows of
    size_t pending, held;
    char loop_why[ND_DATABASE_WHY_BYTES];
};

static nd_write *list_take(write_list *l)
{
    nd_write *t = l->first;
    ND_FIFO_INIT(l);
    return t;
}

static void append_all(write_list *l, nd_write *t)
{
    for (nd_write *next; t; t = next) {
        next = t->next;
        ND_FIFO_PUT(l, t);
    }
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void wait_until(nd_writer *w, uint64_t end_ns)
{
    struct timespec t = {(time_t)(end_ns / 1000000000u), (long)(end_ns % 1000000000u)};
    pthread_cond_timedwait(&w->work, &w->mutex, &t); // the condition's clock is the monotonic one
}

// --- the thread; the mutex is held where the name says locked ---

// Something has become of what was asked.
static void tell_loop(nd_writer *w)
{
    pthread_cond_signal(&w->told);
    uv_async_send(&w->wake);
}

static nd_write *take_queue_locked(nd_writer *w)
{
    w->queued_bytes = w->queued_count = 0;
    w->flush = false;
    return list_take(&w->queue);
}

// Everything in the queue and the group before it have failed.
static void fail_locked(nd_writer *w, nd_write *group, nav_status status, const char *why)
{
    snprintf(w->why, sizeof w->why, "%s", why);
    w->status = w->failure = status;
    w->epoch++;
    w->stats.failures++;
    append_all(&w->finished.failed, group);
    append_all(&w->finished.failed, take_queue_locked(w));
}

// Commits; where a step before has failed, with the database's reason if it was the database's.
static nav_status end_write(nd_txn *txn, nav_status so_far, char *why, size_t why_bytes)
{
    if (so_far == NAV_OK || nd_txn_has_failed(txn)) return nd_txn_commit(txn, why, why_bytes);
    nd_txn_abort(txn);
    snprintf(why, why_bytes, "cannot write: %s", nav_status_text(so_far));
    return so_far;
}

static nav_status write_group(nd_writer *w, nd_write *group, char *why, size_t why_bytes)
{
    nd_txn *txn;
    nav_status s = nd_database_begin_write(atomic_load(&w->database), &txn, why, why_bytes);
    if (s != NAV_OK) return s;
    for (nd_write *t = group; t && s == NAV_OK; t = t->next) {
        s = t->run(t, txn);
        if (s == NAV_ERR_NOT_FOUND || s == NAV_ERR_FORMAT) s = NAV_OK;
    }
    return end_write(txn, s, why, why_bytes);
}

static void run_group(nd_writer *w, nd_write *group)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    uint64_t began = now_ns(), tasks = 0, bytes = 0;
    for (const nd_write *t = group; t; t = t->next) {
        tasks++;
        bytes += t->bytes;
    }
    nav_status s = write_group(w, group, why, sizeof why);
    uint64_t took_us = (now_ns() - began) / 1000;
    pthread_mutex_lock(&w->mutex);
    w->writing = false;
    if (s == NAV_OK) {
        append_all(&w->finished.good, group);
        w->stats.commits++;
        w->stats.tasks += tasks;
        w->stats.bytes += bytes;
        nd_histogram_add(&w->stats.commit, took_us);
        if (took_us > w->stats.longest_commit_us) w->stats.longest_commit_us = took_us;
    } else {
        fail_locked(w, group, s, why);
    }
    pthread_mutex_unlock(&w->mutex);
    tell_loop(w);
}

// The next group, or NULL: it is time to probe, to rest, or to stop.
static nd_write *wait_for_group(nd_writer *w)
{
    nd_write *group = NULL;
    pthread_mutex_lock(&w->mutex);
    uint64_t probe_ns = now_ns() + w->options.probe_ms * 1000000;
    for (;;) {
        bool failing = w->status != NAV_OK;
        if (failing || w->epoch != w->loop_epoch) { // what was pushed before the loop knew fails, too
            bool any = w->queue.first != NULL;
            append_all(&w->finished.failed, take_queue_locked(w));
            if (any) tell_loop(w);
            if (w->stopping || (failing && now_ns() >= probe_ns)) break;
            if (failing)
                wait_until(w, probe_ns);
            else
                pthread_cond_wait(&w->work, &w->mutex);
        } else if (!w->queue.first) {
            if (w->stopping || now_ns() >= w->rest_ns) break;
            wait_until(w, w->rest_ns);
        } else if (w->stopping || w->flush || w->queued_bytes >= w->options.commit_bytes ||
                   now_ns() >= w->window_end_ns) {
            group = take_queue_locked(w);
            w->writing = true;
            break;
        } else {
            wait_until(w, w->window_end_ns);
        }
    }
    pthread_mutex_unlock(&w->mutex);
    return group;
}

static nav_status probe(nd_writer *w, char *why, size_t why_bytes)
{
    nd_txn *txn;
    uint8_t now[8];
    nd_bytes key = {"probe", 5}, value = {now, sizeof now};
    nav_store_u64(now, now_ns());
    nav_status s = nd_database_begin_write(atomic_load(&w->database), &txn, why, why_bytes);
    if (s != NAV_OK) return s;
    nav_status put = nd_txn_put(txn, w->options.probe_table, key, value);
    return end_write(txn, put, why, why_bytes);
}

static void try_again(nd_writer *w)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    nav_status s = probe(w, why, sizeof why);
    pthread_mutex_lock(&w->mutex);
    w->status = s;
    if (s != NAV_OK) snprintf(w->why, sizeof w->why, "%s", why);
    pthread_mutex_unlock(&w->mutex);
    tell_loop(w);
}

// Waits until it is time to open the database. False: it is not needed any more.
static bool wait_to_open(nd_writer *w)
{
    if (!w->options.put_off_ms) return true;
    pthread_mutex_lock(&w->mutex);
    while (!w->needed && !w->stopping && now_ns() < w->open_ns) wait_until(w, w->open_ns);
    bool open = w->needed || !w->stopping;
    pthread_mutex_unlock(&w->mutex);
    return open;
}

static bool open_database(nd_writer *w)
{
    char why[ND_DATABASE_WHY_BYTES] = "";
    nd_database *d = NULL;
    nd_database_opening opening;
    nav_status s = nd_database_open(&w->options.database, &d, &opening, why, sizeof why);
    pthread_mutex_lock(&w->mutex);
    atomic_store(&w->database, d);
    w->opening = opening;
    w->open_status = s;
    w->is_open = true;
    if (s != NAV_OK) fail_locked(w, NULL, s, why);
    pthread_mutex_unlock(&w->mutex);
    tell_loop(w);
    return s == NAV_OK;
}

// There is no database: every task fails.
static void refuse_all(nd_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    for (;;) {
        if (w->queue.first) {
            append_all(&w->finished.failed, take_queue_locked(w));
            tell_loop(w);
        }
        if (w->stopping) break;
        pthread_cond_wait(&w->work, &w->mutex);
    }
    pthread_mutex_unlock(&w->mutex);
}

static void rest_when_due(nd_writer *w)
{
    uint64_t now = now_ns();
    if (now < w->rest_ns) return;
    bool in_use = nd_database_rest(atomic_load(&w->database));
    w->rest_ns = now + (in_use ? REST_MS : IDLE_REST_MS) * UINT64_C(1000000);
}

static bool is_stopping(nd_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    bool stopping = w->stopping && !w->queue.first;
    pthread_mutex_unlock(&w->mutex);
    return stopping;
}

static void *write_all(void *arg)
{
    nd_writer *w = arg;
    if (!wait_to_open(w)) return NULL;
    if (!open_database(w)) {
        refuse_all(w);
        return NULL;
    }
    for (;;) {
        nd_write *group = wait_for_group(w);
        if (group)
            run_group(w, group);
        else if (is_stopping(w))
            break;
        else if (w->status != NAV_OK) // nobody else writes it
            try_again(w);
        rest_when_due(w);
    }
    nd_database_close(atomic_load(&w->database));
    return NULL;
}

// --- the loop ---

static nd_write *reversed(nd_write *t)
{
    nd_write *out = NULL;
    for (nd_write *next; t; t = next) {
        next = t->next;
        t->next = out;
        out = t;
    }
    return out;
}

static void call_done(nd_writer *w, nd_write *t, nav_status status, const char *why)
{
    for (nd_write *next; t; t = next) {
        next = t->next;
        w->pending--;
        w->held -= t->held;
        t->done(t, status, why);
    }
}

static void drain(nd_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    if (w->epoch != w->loop_epoch || w->status != NAV_OK) append_all(&w->finished.failed, take_queue_locked(w));
    nd_write *good = list_take(&w->finished.good), *failed = list_take(&w->finished.failed);
    nav_status before = w->loop_status;
    bool failed_anew = w->epoch != w->loop_epoch, told = w->open_told;
    w->loop_epoch = w->epoch;
    w->loop_status = w->status;
    nav_status failure = w->failure;
    if (failed_anew || w->status != NAV_OK) snprintf(w->loop_why, sizeof w->loop_why, "%s", w->why);
    w->open_told = w->is_open;
    pthread_mutex_unlock(&w->mutex);
    if (failed_anew) pthread_cond_signal(&w->work);

    if (!told && w->open_told && w->options.on_open)
        w->options.on_open(w->options.user, w->open_status, &w->opening, w->loop_why);
    call_done(w, good, NAV_OK, "");
    // It may be well again already.
    if (failed) call_done(w, reversed(failed), failure, w->loop_why);
    if (w->options.on_state && (w->loop_status != before || failed_anew)) {
        if (failed_anew && w->loop_status == NAV_OK) w->options.on_state(w->options.user, failure, w->loop_why);
        w->options.on_state(w->options.user, w->loop_status, w->loop_status == NAV_OK ? "" : w->loop_why);
    }
}

static void on_wake(uv_async_t *handle)
{
    drain(handle->data);
}

static void on_closed(uv_handle_t *handle)
{
    nd_writer *w = handle->data;
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->told);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

// Where it is put off now.
static uint64_t opening_time(const nd_writer *w)
{
    uint64_t at_ns = now_ns() + w->options.put_off_ms * 1000000;
    return at_ns < w->open_most_ns ? at_ns : w->open_most_ns;
}

nav_status nd_writer_create(uv_loop_t *loop, const nd_writer_options *o, nd_writer **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_writer *w = calloc(1, sizeof *w);
    if (!w) return NAV_ERR_MEMORY;
    if (uv_async_init(loop, &w->wake, on_wake)) {
        free(w);
        return NAV_ERR_IO;
    }
    w->wake.data = w;
    w->options = *o;
    w->commit_ms = o->commit_ms;
    w->open_most_ns = now_ns() + o->put_off_most_ms * 1000000;
    w->open_ns = opening_time(w);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->work, &monotonic);
    pthread_cond_init(&w->told, NULL);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&w->mutex, NULL);
    ND_FIFO_INIT(&w->queue);
    ND_FIFO_INIT(&w->finished.good);
    ND_FIFO_INIT(&w->finished.failed);
    if (!nd_thread_start(&w->thread, write_all, w)) {
        uv_close((uv_handle_t *)&w->wake, on_closed);
        return NAV_ERR_IO;
    }
    *out = w;
    return NAV_OK;
}

void nd_writer_put_off(nd_writer *w)
{
    uint64_t at_ns = opening_time(w);
    pthread_mutex_lock(&w->mutex);
    w->open_ns = at_ns; // never before the one that the thread waits for
    pthread_mutex_unlock(&w->mutex);
}

void nd_writer_open(nd_writer *w)
{
    ND_ASSERT_LOOP_THREAD();
    pthread_mutex_lock(&w->mutex);
    w->needed = true;
    pthread_mutex_unlock(&w->mutex);
    pthread_cond_signal(&w->work);
}

nav_status nd_writer_wait_open(nd_writer *w, nd_database_opening *opening, char *why, size_t why_bytes)
{
    pthread_mutex_lock(&w->mutex);
    while (!w->is_open) pthread_cond_wait(&w->told, &w->mutex);
    *opening = w->opening;
    nav_status s = w->open_status;
    if (s != NAV_OK) snprintf(why, why_bytes, "%s", w->why);
    pthread_mutex_unlock(&w->mutex);
    return s;
}

void nd_writer_wait_written(nd_writer *w)
{
    nd_writer_flush(w);
    pthread_mutex_lock(&w->mutex);
    while (w->queue.first || w->writing) pthread_cond_wait(&w->told, &w->mutex);
    pthread_mutex_unlock(&w->mutex);
}

void nd_writer_push(nd_writer *w, nd_write *task)
{
    ND_ASSERT_LOOP_THREAD();
    w->pending++;
    w->held += task->held;
    pthread_mutex_lock(&w->mutex);
    if (!w->queue.first) w->window_end_ns = now_ns() + w->commit_ms * 1000000;
    w->needed = true;
    ND_FIFO_PUT(&w->queue, task);
    w->queued_bytes += task->bytes;
    w->queued_count++;
    pthread_mutex_unlock(&w->mutex);
    pthread_cond_signal(&w->work);
}

size_t nd_writer_pending(const nd_writer *w)
{
    ND_ASSERT_LOOP_THREAD();
    return w->pending;
}

size_t nd_writer_held(const nd_writer *w)
{
    ND_ASSERT_LOOP_THREAD();
    return w->held;
}

void nd_writer_flush(nd_writer *w)
{
    ND_ASSERT_LOOP_THREAD();
    pthread_mutex_lock(&w->mutex);
    w->flush = w->queue.first != NULL;
    pthread_mutex_unlock(&w->mutex);
    pthread_cond_signal(&w->work);
}

nav_status nd_writer_failure(const nd_writer *w, const char **why)
{
    ND_ASSERT_LOOP_THREAD();
    if (why) *why = w->loop_why;
    return w->loop_status;
}

nd_database *nd_writer_database(nd_writer *w)
{
    return atomic_load(&w->database);
}

nd_writer_stats nd_writer_statistics(nd_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    nd_writer_stats s = w->stats;
    s.queued = w->queued_count;
    pthread_mutex_unlock(&w->mutex);
    return s;
}

void nd_writer_set_commit_ms(nd_writer *w, uint64_t commit_ms)
{
    pthread_mutex_lock(&w->mutex);
    w->commit_ms = commit_ms;
    pthread_mutex_unlock(&w->mutex);
}

void nd_writer_close(nd_writer *w)
{
    if (!w) return;
    ND_ASSERT_LOOP_THREAD();
    pthread_mutex_lock(&w->mutex);
    w->stopping = true;
    pthread_mutex_unlock(&w->mutex);
    pthread_cond_signal(&w->work);
    pthread_join(w->thread, NULL);
    drain(w);
    uv_close((uv_handle_t *)&w->wake, on_closed);
}
