// Subscriptions: from the library's thread to the loop.
#include "daemon/bus/bus_parts.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

// What may wait for the loop; more is lost, as it is where a connection is. MESSAGE_BYTES: of one, beside its own.
enum { HANDED_A_TURN = 64, ARRIVED_BYTES = 64 << 20, MESSAGE_BYTES = 512, FLUSH_MS = 1000 };

void nd_bus_ear_unref(nd_bus_ear *ear)
{
    if (atomic_fetch_sub(&ear->refs, 1) != 1) return;
    nd_bus_unref(ear->bus);
    free(ear->subject);
    free(ear);
}

static void destroy(nd_bus_arrival *a)
{
    natsMsg_Destroy(a->message);
    nd_bus_ear_unref(a->ear);
    free(a);
}

static size_t bytes_of(const nd_bus_arrival *a)
{
    return MESSAGE_BYTES + (size_t)natsMsg_GetDataLength(a->message);
}

static bool put(nd_bus *b, nd_bus_arrival *a)
{
    const size_t bytes = bytes_of(a);
    pthread_mutex_lock(&b->mutex);
    const bool takes = !b->closing && b->arrived_bytes + bytes <= ARRIVED_BYTES;
    if (takes) {
        b->arrived_bytes += bytes;
        ND_FIFO_PUT(&b->arrived, a);
        uv_async_send(&b->wake);
    } else {
        b->lost++;
    }
    pthread_mutex_unlock(&b->mutex);
    return takes;
}

// The library's thread.
static void on_arrival(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *user)
{
    nd_bus_ear *ear = user;
    (void)connection;
    (void)subscription;
    nd_bus_arrival *a = malloc(sizeof *a);
    if (!a) {
        natsMsg_Destroy(message);
        return;
    }
    *a = (nd_bus_arrival){.ear = ear, .message = message};
    atomic_fetch_add(&ear->refs, 1);
    if (!put(ear->bus, a)) destroy(a);
}

static void on_complete(void *ear)
{
    nd_bus_ear_unref(ear);
}

static nd_bus_arrival *take(nd_bus *b)
{
    pthread_mutex_lock(&b->mutex);
    nd_bus_arrival *a = b->arrived.first;
    if (a) {
        ND_FIFO_DROP(&b->arrived);
        b->arrived_bytes -= bytes_of(a);
    }
    pthread_mutex_unlock(&b->mutex);
    return a;
}

bool nd_bus_hand_over(nd_bus *b)
{
    nd_bus_arrival *a = NULL;
    for (int n = 0; n < HANDED_A_TURN && (a = take(b)) != NULL; n++) {
        const char *reply = natsMsg_GetReply(a->message);
        const nd_bus_message m = {.subject = natsMsg_GetSubject(a->message),
                                  .reply = reply ? reply : "",
                                  .bytes = (const uint8_t *)natsMsg_GetData(a->message),
                                  .count = (size_t)natsMsg_GetDataLength(a->message)};
        if (!a->ear->hushed) a->ear->on_message(a->ear->user, &m);
        destroy(a);
    }
    return a != NULL;
}

void nd_bus_drop_arrived(nd_bus *b)
{
    for (nd_bus_arrival *a; (a = take(b)) != NULL;) destroy(a);
}

// --- subscribing and the end of it: what the ear's lane does ---

typedef struct change {
    nd_bus_task task;
    nd_bus_ear *ear; // a reference
} change;

// The library's reader (of 3.4.1) may hold a subscription that it has just found a message for, and does not count that
// as a use: destroyed now, it would be used after it was freed. What answers a flush comes through the same reader,
// behind that message; and where a connection is closed its reader ends. So ended subscriptions are kept until there
// are some of them, and freed after one flush, or with their line.
static void keep(nd_bus_line *line, natsSubscription *subscription)
{
    pthread_mutex_lock(&line->mutex);
    if (line->ended_count == line->ended_room) {
        const size_t room = 2 * line->ended_room + ND_BUS_ENDED_AT_ONCE;
        natsSubscription **grown = realloc(line->ended, room * sizeof *grown);
        if (grown) {
            line->ended = grown;
            line->ended_room = room;
        }
    }
    if (line->ended_count < line->ended_room) line->ended[line->ended_count++] = subscription; // else lost: some bytes
    pthread_mutex_unlock(&line->mutex);
}

void nd_bus_free_ended(nd_bus_line *line)
{
    for (size_t i = 0; i < line->ended_count; i++) natsSubscription_Destroy(line->ended[i]);
    free(line->ended);
    line->ended = NULL;
    line->ended_count = line->ended_room = 0;
}

// Those that have ended by now. What the other lanes end meanwhile is not behind the flush.
static void free_some(nd_bus_line *line)
{
    nd_bus_line some = {0};
    pthread_mutex_lock(&line->mutex);
    if (line->ended_count >= line->ended_due) {
        some.ended = line->ended;
        some.ended_count = line->ended_count;
        line->ended = NULL;
        line->ended_count = line->ended_room = 0;
    }
    pthread_mutex_unlock(&line->mutex);
    if (!some.ended_count) return;
    // Where the server is away: with the next ones, or with the line.
    const bool flushed = natsConnection_FlushTimeout(line->link.connection, FLUSH_MS) == NATS_OK;
    pthread_mutex_lock(&line->mutex);
    line->ended_due = ND_BUS_ENDED_AT_ONCE + (flushed ? 0 : some.ended_count);
    pthread_mutex_unlock(&line->mutex);
    for (; !flushed && some.ended_count; some.ended_count--) keep(line, some.ended[some.ended_count - 1]);
    nd_bus_free_ended(&some);
}

// The library calls on_complete() when it is done with it.
static void end_subscription(nd_bus_ear *ear)
{
    nd_bus_line *line = ear->line;
    if (!ear->subscription) return;
    (void)natsSubscription_Unsubscribe(ear->subscription);
    keep(line, ear->subscription);
    ear->subscription = NULL;
    ear->line = NULL;
    nd_bus_line_unref(line);
}

static void subscribe(nd_bus_task *task, const nd_bus_link *link)
{
    nd_bus_ear *ear = ((change *)task)->ear;
    end_subscription(ear);           // of a line that is closed
    atomic_fetch_add(&ear->refs, 1); // the library's, until on_complete()
    natsStatus s = natsConnection_Subscribe(&ear->subscription, link->connection, ear->subject, on_arrival, ear);
    if (ear->subscription) {
        ear->line = (nd_bus_line *)link;
        atomic_fetch_add(&ear->line->refs, 1);
    }
    if (s == NATS_OK) s = natsSubscription_SetOnCompleteCB(ear->subscription, on_complete, ear);
    if (s == NATS_OK) return;
    nd_log(ND_LOG_WARN, "farm.deaf", "subject=%s why=\"%s\"", ear->subject, natsStatus_GetText(s));
    if (!ear->subscription) nd_bus_ear_unref(ear);
}

static void unsubscribe(nd_bus_task *task, const nd_bus_link *link)
{
    end_subscription(((change *)task)->ear);
    if (link) free_some((nd_bus_line *)link);
}

static void changed(nd_bus_task *task, bool ran)
{
    change *c = (change *)task;
    if (!ran && task->run == unsubscribe) unsubscribe(task, NULL);
    nd_bus_ear_unref(c->ear);
    free(c);
}

static change *change_create(nd_bus_ear *ear, void (*run)(nd_bus_task *task, const nd_bus_link *link))
{
    change *c = malloc(sizeof *c);
    if (c) *c = (change){.task = {.run = run, .done = changed}, .ear = ear};
    return c;
}

nav_status nd_bus_listen(nd_bus *b, nd_bus_lane lane, const char *subject,
                         void (*on_message)(void *user, const nd_bus_message *m), void *user, nd_bus_ear **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_bus_ear *ear = calloc(1, sizeof *ear);
    char *own_subject = ear ? strdup(subject) : NULL;
    change *come = own_subject ? change_create(ear, subscribe) : NULL,
           *go = come ? change_create(ear, unsubscribe) : NULL;
    if (!go) {
        free(come);
        free(own_subject);
        free(ear);
        return NAV_ERR_MEMORY;
    }
    *ear = (nd_bus_ear){.bus = b,
                        .next = b->ears,
                        .lane = lane,
                        .subject = own_subject,
                        .leave = &go->task,
                        .on_message = on_message,
                        .user = user};
    atomic_init(&ear->refs, 3); // the loop's, and one of each change
    atomic_fetch_add(&b->refs, 1);
    b->ears = ear;
    nd_bus_push(b, lane, &come->task);
    *out = ear;
    return NAV_OK;
}

void nd_bus_listen_again(nd_bus *b)
{
    for (nd_bus_ear *ear = b->ears; ear; ear = ear->next) {
        change *come = change_create(ear, subscribe);
        if (!come) continue; // deaf until the next line
        atomic_fetch_add(&ear->refs, 1);
        nd_bus_push(b, ear->lane, &come->task);
    }
}

void nd_bus_hush(nd_bus *b, nd_bus_ear *ear)
{
    ND_ASSERT_LOOP_THREAD();
    if (!ear) return;
    nd_bus_ear **at = &b->ears;
    while (*at != ear) at = &(*at)->next;
    *at = ear->next;
    ear->hushed = true;
    nd_bus_push(b, ear->lane, ear->leave);
    nd_bus_ear_unref(ear);
}
