#include "daemon/bus/bus_parts.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DONE_A_TURN = 64 };

// Of what a stream answers to a message the library keeps the words alone.
static nav_status status_of_words(void)
{
    static const struct {
        const char *words;
        nav_status status;
    } known[] = {{"wrong last sequence", NAV_ERR_STATE},
                 {"maximum messages exceeded", NAV_ERR_LIMIT},
                 {"maximum bytes exceeded", NAV_ERR_LIMIT},
                 {"maximum messages per subject exceeded", NAV_ERR_LIMIT},
                 {"insufficient", NAV_ERR_LIMIT},
                 {"resource", NAV_ERR_LIMIT},
                 {"message size exceeds maximum", NAV_ERR_LIMIT}};
    natsStatus last = NATS_OK;
    const char *words = nats_GetLastError(&last);
    for (size_t i = 0; words && i < sizeof known / sizeof *known; i++)
        if (strstr(words, known[i].words)) return known[i].status;
    return NAV_ERR_IO;
}

static nav_status status_of_code(jsErrCode code)
{
    switch (code) {
    case JSStreamWrongLastSequenceErr:
        return NAV_ERR_STATE;
    case JSNoMessageFoundErr:
    case JSStreamNotFoundErr:
    case JSConsumerNotFoundErr:
        return NAV_ERR_NOT_FOUND;
    case JSStreamStoreFailedErr:
    case JSInsufficientResourcesErr:
    case JSMemoryResourcesExceededErr:
    case JSStorageResourcesExceededErr:
    case JSStreamMessageExceedsMaximumErr:
        return NAV_ERR_LIMIT;
    default:
        return NAV_ERR_IO;
    }
}

nav_status nd_bus_status(natsStatus s, jsErrCode code)
{
    switch (s) {
    case NATS_OK:
        return NAV_OK;
    case NATS_NOT_FOUND:
        return NAV_ERR_NOT_FOUND;
    case NATS_TIMEOUT:
        return NAV_ERR_TIMEOUT;
    case NATS_NO_MEMORY:
        return NAV_ERR_MEMORY;
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
        return NAV_ERR_ARGUMENT;
    case NATS_MAX_PAYLOAD:
        return NAV_ERR_LIMIT;
    default:
        return code ? status_of_code(code) : status_of_words();
    }
}

void nd_bus_unref(nd_bus *b)
{
    if (atomic_fetch_sub(&b->refs, 1) != 1) return;
    natsOptions_Destroy(b->options);
    for (int l = 0; l < ND_BUS_LANES; l++) pthread_cond_destroy(&b->lanes[l].work);
    pthread_cond_destroy(&b->connected);
    pthread_mutex_destroy(&b->mutex);
    free(b);
}

// --- threads of the bus ---

// The next one, with a reference of the line to run it on.
static nd_bus_task *wait_for_task(nd_bus_thread *self, nd_bus_line **line)
{
    nd_bus *b = self->bus;
    nd_bus_task *t = NULL;
    pthread_mutex_lock(&b->mutex);
    while (!b->closing && !(b->line && self->queue.first))
        pthread_cond_wait(b->line ? &self->work : &b->connected, &b->mutex);
    if (!b->closing) {
        t = self->queue.first;
        ND_FIFO_DROP(&self->queue);
        *line = b->line;
        atomic_fetch_add(&b->line->refs, 1);
    }
    pthread_mutex_unlock(&b->mutex);
    return t;
}

static void *serve_lane(void *lane)
{
    nd_bus_thread *self = lane;
    nd_bus *b = self->bus;
    nd_bus_line *line = NULL;
    for (nd_bus_task *t; (t = wait_for_task(self, &line)) != NULL;) {
        t->run(t, &line->link);
        nd_bus_line_unref(line);
        pthread_mutex_lock(&b->mutex);
        self->waiting--;
        ND_FIFO_PUT(&b->finished, t);
        if (!b->closing) uv_async_send(&b->wake);
        pthread_mutex_unlock(&b->mutex);
    }
    nats_ReleaseThreadMemory();
    return NULL;
}

// --- loop thread ---

static bool end_tasks(nd_bus *b, int most)
{
    for (int n = 0;; n++) {
        pthread_mutex_lock(&b->mutex);
        nd_bus_task *t = b->finished.first;
        const bool more = t && n >= most;
        if (t && !more) ND_FIFO_DROP(&b->finished);
        pthread_mutex_unlock(&b->mutex);
        if (!t || more) return more;
        t->done(t, true);
    }
}

static void on_wake(uv_async_t *wake)
{
    nd_bus *b = wake->data;
    pthread_mutex_lock(&b->mutex);
    const bool up = b->server_up;
    pthread_mutex_unlock(&b->mutex);
    nd_bus_look_at_line(b);
    if (up != b->up) {
        b->up = up;
        b->on_state(b->user, up);
    }
    bool more = end_tasks(b, DONE_A_TURN);
    more |= nd_bus_hand_over(b);
    if (more) uv_async_send(&b->wake);
}

static bool start_threads(nd_bus *b)
{
    for (int l = 0; l < ND_BUS_LANES; l++) {
        b->lanes[l].started = nd_thread_start(&b->lanes[l].id, serve_lane, &b->lanes[l]);
        if (!b->lanes[l].started) return false;
    }
    return nd_bus_connect(b);
}

static void join_lanes(nd_bus *b)
{
    for (int l = 0; l < ND_BUS_LANES; l++)
        if (b->lanes[l].started) pthread_join(b->lanes[l].id, NULL);
}

static void tell_closing(nd_bus *b)
{
    pthread_mutex_lock(&b->mutex);
    b->closing = true;
    pthread_cond_broadcast(&b->connected);
    for (int l = 0; l < ND_BUS_LANES; l++) pthread_cond_broadcast(&b->lanes[l].work);
    pthread_mutex_unlock(&b->mutex);
}

static void on_handle_closed(uv_handle_t *handle)
{
    nd_bus *b = handle->data;
    if (!--b->handles) nd_bus_unref(b);
}

static void close_handles(nd_bus *b)
{
    uv_close((uv_handle_t *)&b->wake, on_handle_closed);
    uv_close((uv_handle_t *)&b->again, on_handle_closed);
    uv_close((uv_handle_t *)&b->clock, on_handle_closed);
}

static void init(nd_bus *b, const nd_bus_options *o)
{
    atomic_init(&b->refs, 1);
    b->on_state = o->on_state;
    b->user = o->user;
    b->wake.data = b->again.data = b->clock.data = b;
    ND_FIFO_INIT(&b->finished);
    ND_FIFO_INIT(&b->arrived);
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->connected, NULL);
    for (int l = 0; l < ND_BUS_LANES; l++) {
        b->lanes[l].bus = b;
        ND_FIFO_INIT(&b->lanes[l].queue);
        pthread_cond_init(&b->lanes[l].work, NULL);
    }
}

nav_status nd_bus_create(uv_loop_t *loop, const nd_bus_options *o, char *why, size_t why_bytes, nd_bus **out)
{
    ND_ASSERT_LOOP_THREAD();
    snprintf(why, why_bytes, "cannot connect to the farm: no memory or no thread to be had");
    nd_bus *b = calloc(1, sizeof *b);
    if (!b) return NAV_ERR_MEMORY;
    init(b, o);
    nav_status status = nd_bus_options_make(o, &b->options, why, why_bytes);
    if (status == NAV_OK && !nd_bus_set_callbacks(b)) status = NAV_ERR_MEMORY;
    if (status == NAV_OK && uv_async_init(loop, &b->wake, on_wake)) status = NAV_ERR_IO;
    if (status == NAV_OK && (uv_timer_init(loop, &b->again) || uv_timer_init(loop, &b->clock)))
        abort(); // they cannot: memory only
    b->handles = 3;
    if (status != NAV_OK) {
        nd_bus_unref(b);
        return status;
    }
    if (start_threads(b)) {
        nd_bus_watch_clock(b);
        *out = b;
        return NAV_OK;
    }
    tell_closing(b);
    join_lanes(b);
    close_handles(b);
    return NAV_ERR_IO;
}

static void give_up(nd_bus *b)
{
    for (int l = 0; l < ND_BUS_LANES; l++) {
        for (nd_bus_task *t; (t = b->lanes[l].queue.first) != NULL;) {
            ND_FIFO_DROP(&b->lanes[l].queue);
            t->done(t, false);
        }
    }
}

void nd_bus_close(nd_bus *b)
{
    ND_ASSERT_LOOP_THREAD();
    if (!b) return;
    tell_closing(b);
    nd_bus_join_connector(b);
    while (b->ears) nd_bus_hush(b, b->ears);
    if (b->line) natsConnection_Close(b->line->link.connection); // ends what waits for the server
    join_lanes(b);
    (void)end_tasks(b, INT32_MAX);
    give_up(b);
    nd_bus_drop_arrived(b);
    nd_bus_line_unref(b->line);
    b->line = NULL;
    close_handles(b);
}

bool nd_bus_is_up(const nd_bus *b)
{
    return b->up;
}

size_t nd_bus_waiting(const nd_bus *b, nd_bus_lane lane)
{
    nd_bus *own = (nd_bus *)b; // for the mutex
    pthread_mutex_lock(&own->mutex);
    const size_t waiting = b->lanes[lane].waiting;
    pthread_mutex_unlock(&own->mutex);
    return waiting;
}

void nd_bus_push(nd_bus *b, nd_bus_lane lane, nd_bus_task *task)
{
    ND_ASSERT_LOOP_THREAD();
    nd_bus_thread *t = &b->lanes[lane];
    pthread_mutex_lock(&b->mutex);
    ND_FIFO_PUT(&t->queue, task);
    t->waiting++;
    pthread_cond_signal(&t->work);
    pthread_mutex_unlock(&b->mutex);
}

typedef struct news {
    nd_bus_task task;
    const char *subject;
    size_t count;
    char bytes[]; // what is told, then the subject
} news;

static void tell(nd_bus_task *task, const nd_bus_link *link)
{
    const news *n = (const news *)task;
    (void)natsConnection_Publish(link->connection, n->subject, n->bytes, (int)n->count);
}

static void told(nd_bus_task *task, bool ran)
{
    (void)ran;
    free(task);
}

nav_status nd_bus_tell(nd_bus *b, nd_bus_lane lane, const char *subject, const void *bytes, size_t count)
{
    const size_t subject_bytes = strlen(subject) + 1;
    news *n = malloc(sizeof *n + count + subject_bytes);
    if (!n) return NAV_ERR_MEMORY;
    *n = (news){.task = {.run = tell, .done = told}, .subject = n->bytes + count, .count = count};
    if (count) memcpy(n->bytes, bytes, count);
    memcpy(n->bytes + count, subject, subject_bytes);
    nd_bus_push(b, lane, &n->task);
    return NAV_OK;
}

nd_bus_stats nd_bus_stats_of(const nd_bus *b)
{
    ND_ASSERT_LOOP_THREAD();
    nd_bus_stats out = {0};
    nd_bus *own = (nd_bus *)b;
    pthread_mutex_lock(&own->mutex);
    nd_bus_line *line = own->line;
    if (line) atomic_fetch_add(&line->refs, 1); // a new one may come meanwhile
    out.lost = own->lost;
    pthread_mutex_unlock(&own->mutex);
    natsStatistics *all = NULL;
    if (line && natsStatistics_Create(&all) == NATS_OK &&
        natsConnection_GetStats(line->link.connection, all) == NATS_OK)
        (void)natsStatistics_GetCounts(all, &out.messages_in, &out.bytes_in, &out.messages_out, &out.bytes_out,
                                       &out.reconnects);
    natsStatistics_Destroy(all);
    nd_bus_line_unref(line);
    return out;
}
