// Connecting. The library connects again by itself when a connection is lost, but closes it for good where the server
// refuses the login twice; then a new one is made, and so until the server takes it. And it waits by the time of day:
// where that jumps back, it would wait as long as the jump was. So the bus looks, and closes the connection: that ends
// all waits.
#include "daemon/bus/bus_parts.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { AGAIN_MS = 3000, LOOK_MS = 500, JUMP_MS = 1000 };

void nd_bus_line_unref(nd_bus_line *line)
{
    if (!line || atomic_fetch_sub(&line->refs, 1) != 1) return;
    // Whoever closed it has held it until the library's reader had ended.
    natsConnection_Close(line->link.connection);
    nd_bus_free_ended(line);
    jsCtx_Destroy(line->link.streams);
    natsConnection_Destroy(line->link.connection);
    pthread_mutex_destroy(&line->mutex);
    free(line);
}

// --- threads of the library ---

static void note_server(nd_bus *b, bool up, bool given_up)
{
    pthread_mutex_lock(&b->mutex);
    b->server_up = up;
    b->given_up |= given_up;
    if (!b->closing) uv_async_send(&b->wake);
    pthread_mutex_unlock(&b->mutex);
}

static void on_up(natsConnection *connection, void *bus)
{
    (void)connection;
    note_server(bus, true, false);
}

static void on_down(natsConnection *connection, void *bus)
{
    (void)connection;
    note_server(bus, false, false);
}

static void on_closed(natsConnection *connection, void *bus)
{
    (void)connection;
    note_server(bus, false, true);
    nd_bus_unref(bus);
}

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus s, void *bus)
{
    (void)connection;
    (void)subscription;
    (void)bus;
    nd_log(ND_LOG_WARN, "farm.trouble", "at=connection code=%s", natsStatus_GetText(s));
}

bool nd_bus_set_callbacks(nd_bus *b)
{
    natsStatus s = natsOptions_SetRetryOnFailedConnect(b->options, true, on_up, b);
    if (s == NATS_OK) s = natsOptions_SetReconnectedCB(b->options, on_up, b);
    if (s == NATS_OK) s = natsOptions_SetDisconnectedCB(b->options, on_down, b);
    if (s == NATS_OK) s = natsOptions_SetClosedCB(b->options, on_closed, b);
    if (s == NATS_OK) s = natsOptions_SetErrorHandler(b->options, on_error, b);
    return s == NATS_OK;
}

// --- the connector's thread ---

// NULL: there is no connection, not even one that tries again; on_closed() does not come.
static nd_bus_line *create_line(nd_bus *b, bool *up)
{
    nd_bus_line *line = calloc(1, sizeof *line);
    if (!line) return NULL;
    atomic_init(&line->refs, 1);
    pthread_mutex_init(&line->mutex, NULL);
    line->ended_due = ND_BUS_ENDED_AT_ONCE;
    natsStatus s = natsConnection_Connect(&line->link.connection, b->options);
    *up = s == NATS_OK;
    if (s == NATS_OK || s == NATS_NOT_YET_CONNECTED)
        s = natsConnection_JetStream(&line->link.streams, line->link.connection, NULL);
    if (s == NATS_OK) return line;
    nd_log(ND_LOG_ERROR, "farm.failed", "why=\"%s\"", natsStatus_GetText(s));
    if (!line->link.connection) {
        pthread_mutex_destroy(&line->mutex);
        free(line);
        return NULL;
    }
    natsConnection_Close(line->link.connection);
    return line;
}

// The first attempt may take as long as a name look-up does, so it has a thread of its own.
static void *connect_to_server(void *bus)
{
    nd_bus *b = bus;
    bool up = false;
    nd_bus_line *line = create_line(b, &up);
    pthread_mutex_lock(&b->mutex);
    nd_bus_line *before = line ? b->line : NULL;
    if (line) b->line = line;
    b->is_new = before != NULL;
    b->given_up |= !line;
    if (up) b->server_up = true;
    if (!b->closing) uv_async_send(&b->wake);
    pthread_cond_broadcast(&b->connected);
    pthread_mutex_unlock(&b->mutex);
    nd_bus_line_unref(before);
    if (!line) nd_bus_unref(b);
    nats_ReleaseThreadMemory();
    return NULL;
}

// --- loop thread ---

bool nd_bus_connect(nd_bus *b)
{
    ND_ASSERT_LOOP_THREAD();
    atomic_fetch_add(&b->refs, 1); // until on_closed()
    b->connecting = nd_thread_start(&b->connector, connect_to_server, b);
    if (!b->connecting) nd_bus_unref(b);
    return b->connecting;
}

void nd_bus_join_connector(nd_bus *b)
{
    if (b->connecting) pthread_join(b->connector, NULL);
    b->connecting = false;
}

// Of the time of day, against a clock that does not jump.
static int64_t offset_ms(void)
{
    struct timespec day, steady;
    clock_gettime(CLOCK_REALTIME, &day);
    clock_gettime(CLOCK_BOOTTIME, &steady);
    return (day.tv_sec - steady.tv_sec) * INT64_C(1000) + (day.tv_nsec - steady.tv_nsec) / 1000000;
}

static void look_at_clock(uv_timer_t *timer)
{
    nd_bus *b = timer->data;
    const int64_t now_ms = offset_ms(), jump_ms = now_ms - b->offset_ms;
    b->offset_ms = now_ms;
    if (jump_ms > -JUMP_MS) return; // forward: what waits ends early, which is no harm
    pthread_mutex_lock(&b->mutex);
    nd_bus_line *line = b->line;
    if (line) atomic_fetch_add(&line->refs, 1);
    b->jumped = line != NULL;
    pthread_mutex_unlock(&b->mutex);
    if (!line) return;
    nd_log(ND_LOG_WARN, "farm.clock", "jump_ms=%" PRId64, jump_ms);
    natsConnection_Close(line->link.connection); // on_closed() has it made anew
    nd_bus_line_unref(line);
}

void nd_bus_watch_clock(nd_bus *b)
{
    b->offset_ms = offset_ms();
    uv_timer_start(&b->clock, look_at_clock, LOOK_MS, LOOK_MS);
}

static void connect_again(uv_timer_t *timer)
{
    nd_bus *b = timer->data;
    nd_bus_join_connector(b);
    if (!nd_bus_connect(b)) uv_timer_start(timer, connect_again, AGAIN_MS, 0);
}

void nd_bus_look_at_line(nd_bus *b)
{
    pthread_mutex_lock(&b->mutex);
    const bool given_up = b->given_up, is_new = b->is_new, jumped = given_up && b->jumped;
    b->given_up = b->is_new = false;
    if (given_up) b->jumped = false;
    pthread_mutex_unlock(&b->mutex);
    if (is_new) nd_bus_listen_again(b);
    if (!given_up) return;
    if (jumped) {
        connect_again(&b->again);
        return;
    }
    nd_log(ND_LOG_ERROR, "farm.closed",
           "why=\"the server refuses the login, or cannot be used: look at --farm, and at what the server says\" "
           "again_ms=%d",
           AGAIN_MS);
    uv_timer_start(&b->again, connect_again, AGAIN_MS, 0);
}
