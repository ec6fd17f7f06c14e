#include "daemon/replica/feed.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// UNTAKEN: messages that the server sends before they are taken.
enum { UNTAKEN = 64, BEAT_MS = 1000, SILENT_MS = 4000, TURN_MS = 250, WAIT_MS = 2000 };

typedef enum step { MAKE, ASK } step;

typedef struct feed_task {
    nd_bus_task task;
    nd_feed *feed; // NULL: it was stopped meanwhile
    step step;
    char stream[ND_SUBJECT_BYTES], inbox[ND_SUBJECT_BYTES], consumer[ND_SUBJECT_BYTES];
    uint64_t after;
    // Out:
    nav_status status;
    uint64_t pending, last, delivered;
} feed_task;

struct nd_feed {
    nd_feed_options o;
    uv_timer_t timer;
    nd_bus_ear *ear;
    feed_task *out;
    char inbox[ND_SUBJECT_BYTES], consumer[ND_SUBJECT_BYTES], reply[ND_SUBJECT_BYTES];
    uint64_t serial;
    bool wanted, made, up, closing;
    uint64_t given, taken, acknowledged; // sequences of the log
    uint64_t next;                       // of the consumer's own numbers
    uint64_t pending, heard_ns;
    void (*caught_up)(void *user, uint64_t last);
    void *user;
    bool asked;
    uint64_t ask_last, ask_delivered;
};

// --- the bus's thread ---

static void make(feed_task *t, const nd_bus_link *link)
{
    jsConsumerConfig c;
    jsConsumerInfo *info = NULL;
    jsErrCode code = 0;
    jsOptions o;
    jsOptions_Init(&o);
    jsConsumerConfig_Init(&c);
    o.Wait = WAIT_MS;
    c.DeliverSubject = t->inbox;
    c.DeliverPolicy = t->after ? js_DeliverByStartSequence : js_DeliverAll;
    c.OptStartSeq = t->after ? t->after + 1 : 0;
    c.AckPolicy = js_AckAll;
    c.AckWait = INT64_C(3600) * 1000000000;
    c.MaxAckPending = UNTAKEN;
    c.Heartbeat = INT64_C(1000000) * BEAT_MS;
    natsStatus s = js_AddConsumer(&info, link->streams, t->stream, &c, &o, &code);
    t->status = nd_bus_status(s, code);
    if (s == NATS_OK) {
        t->pending = info->NumPending;
        snprintf(t->consumer, sizeof t->consumer, "%s", info->Name);
    }
    jsConsumerInfo_Destroy(info);
}

static void ask(feed_task *t, const nd_bus_link *link)
{
    jsConsumerInfo *consumer = NULL;
    jsStreamInfo *stream = NULL;
    jsErrCode code = 0;
    jsOptions o;
    jsOptions_Init(&o);
    o.Wait = WAIT_MS;
    natsStatus s = js_GetStreamInfo(&stream, link->streams, t->stream, &o, &code);
    if (s == NATS_OK) t->last = stream->State.LastSeq;
    jsStreamInfo_Destroy(stream);
    if (s == NATS_OK) s = js_GetConsumerInfo(&consumer, link->streams, t->stream, t->consumer, &o, &code);
    if (s == NATS_OK) {
        t->pending = consumer->NumPending;
        t->delivered = consumer->Delivered.Consumer;
    }
    jsConsumerInfo_Destroy(consumer);
    t->status = nd_bus_status(s, code);
}

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    feed_task *t = (feed_task *)task;
    if (t->step == MAKE)
        make(t, link);
    else
        ask(t, link);
}

// --- loop ---

static void done(nd_bus_task *task, bool ran);

static bool push(nd_feed *f, step what)
{
    feed_task *t = calloc(1, sizeof *t);
    if (!t) return false;
    *t = (feed_task){.task = {.run = run, .done = done}, .feed = f, .step = what, .after = f->given};
    nd_log_stream(f->o.farm, t->stream);
    strcpy(t->inbox, f->inbox);
    strcpy(t->consumer, f->consumer);
    f->out = t;
    nd_bus_push(f->o.bus, ND_BUS_RECORDS, &t->task);
    return true;
}

static void drop_consumer(nd_feed *f)
{
    nd_bus_hush(f->o.bus, f->ear); // the server ends a consumer that nobody hears
    f->ear = NULL;
    f->made = false;
    f->reply[0] = 0;
    if (f->out) f->out->feed = NULL;
    f->out = NULL;
}

// Numbers of a message's reply subject: $JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.TIMES.SEQUENCE.NUMBER.TIME.PENDING
static bool read_reply(const char *reply, uint64_t *sequence, uint64_t *number, uint64_t *pending)
{
    const char *tokens[16];
    size_t count = 0;
    for (const char *at = reply; at && count < 16; at = strchr(at, '.'), at = at ? at + 1 : NULL) tokens[count++] = at;
    const size_t first = count == 9 ? 5 : 7;
    if (strncmp(reply, "$JS.ACK.", 8) != 0 || count < 9 || (count != 9 && count < 11)) return false;
    *sequence = strtoull(tokens[first], NULL, 10);
    *number = strtoull(tokens[first + 1], NULL, 10);
    *pending = strtoull(tokens[first + 3], NULL, 10);
    return *sequence > 0;
}

static void look(nd_feed *f);

static void acknowledge(nd_feed *f)
{
    if (!f->made || !f->reply[0] || f->acknowledged == f->given || f->taken < f->given) return;
    if (nd_bus_tell(f->o.bus, ND_BUS_ORDERS, f->reply, "+ACK", 4) == NAV_OK) f->acknowledged = f->given;
}

static void check_caught_up(nd_feed *f)
{
    if (!f->asked || !f->caught_up || f->next <= f->ask_delivered) return;
    void (*caught_up)(void *user, uint64_t last) = f->caught_up;
    f->asked = false;
    f->caught_up = NULL;
    caught_up(f->user, f->ask_last);
}

static void on_message(void *user, const nd_bus_message *m)
{
    nd_feed *f = user;
    uint64_t sequence, number, pending;
    f->heard_ns = nd_now_ns();
    if (!m->reply[0] || !read_reply(m->reply, &sequence, &number, &pending)) return; // the server is there
    if (number != f->next || !f->made) {                                             // some were lost
        if (f->made || number > f->next) {
            drop_consumer(f);
            look(f);
        }
        return;
    }
    f->next++;
    f->pending = pending;
    f->given = sequence;
    snprintf(f->reply, sizeof f->reply, "%s", m->reply);
    const nd_feed_message out = {m->subject, sequence, pending, m->bytes, m->count};
    f->o.on_message(f->o.user, &out);
    if (!f->made) return;
    if (!pending) f->o.on_empty(f->o.user);
    check_caught_up(f);
}

static void made(nd_feed *f, const feed_task *t)
{
    if (t->status != NAV_OK) { // again with the timer; without the stream there is nothing to be had
        drop_consumer(f);
        return;
    }
    strcpy(f->consumer, t->consumer);
    f->heard_ns = nd_now_ns();
    f->pending = t->pending;
    if (!t->pending) f->o.on_empty(f->o.user);
    if (f->caught_up) look(f);
}

static void asked(nd_feed *f, const feed_task *t)
{
    if (!f->caught_up) return;
    if (t->status != NAV_OK || t->pending) return; // again with the timer
    f->asked = true;
    f->ask_last = t->last;
    f->ask_delivered = t->delivered;
    check_caught_up(f);
}

static void done(nd_bus_task *task, bool ran)
{
    feed_task *t = (feed_task *)task;
    nd_feed *f = t->feed;
    if (f) f->out = NULL;
    if (f && ran && t->step == MAKE) made(f, t);
    if (f && ran && t->step == ASK) asked(f, t);
    free(t);
}

static void begin(nd_feed *f)
{
    snprintf(f->inbox, sizeof f->inbox, "%s.follow.%s.%" PRIu64, f->o.farm, f->o.id, ++f->serial);
    f->next = 1;
    f->heard_ns = nd_now_ns();
    f->acknowledged = f->given;
    f->asked = false;
    if (nd_bus_listen(f->o.bus, ND_BUS_RECORDS, f->inbox, on_message, f, &f->ear) != NAV_OK) return;
    f->made = push(f, MAKE);
    if (!f->made) drop_consumer(f);
}

// Does what is due.
static void look(nd_feed *f)
{
    if (!f->wanted || !f->up || f->out) return;
    if (f->made && nd_now_ns() - f->heard_ns > UINT64_C(1000000) * SILENT_MS) {
        nd_log(ND_LOG_WARN, "replica.feed_broke_off", "after=%" PRIu64, f->given);
        drop_consumer(f);
    }
    if (!f->made)
        begin(f);
    else if (f->caught_up && !f->asked)
        (void)push(f, ASK);
}

static void on_timer(uv_timer_t *timer)
{
    look(timer->data);
}

nav_status nd_feed_create(const nd_feed_options *o, nd_feed **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_feed *f = calloc(1, sizeof *f);
    if (!f) return NAV_ERR_MEMORY;
    f->o = *o;
    if (uv_timer_init(o->loop, &f->timer)) abort(); // it cannot: memory only
    f->timer.data = f;
    *out = f;
    return NAV_OK;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void nd_feed_close(nd_feed *f)
{
    if (!f || f->closing) return;
    nd_feed_stop(f);
    f->closing = true;
    uv_close((uv_handle_t *)&f->timer, on_closed);
}

void nd_feed_start(nd_feed *f, uint64_t after)
{
    ND_ASSERT_LOOP_THREAD();
    drop_consumer(f);
    f->wanted = true;
    f->given = f->taken = after;
    uv_timer_start(&f->timer, on_timer, TURN_MS, TURN_MS);
    look(f);
}

void nd_feed_stop(nd_feed *f)
{
    ND_ASSERT_LOOP_THREAD();
    drop_consumer(f);
    f->wanted = false;
    f->caught_up = NULL;
    uv_timer_stop(&f->timer);
}

void nd_feed_take(nd_feed *f, uint64_t sequence)
{
    if (f->taken < sequence) f->taken = sequence;
    acknowledge(f);
}

void nd_feed_note_server(nd_feed *f, bool up)
{
    ND_ASSERT_LOOP_THREAD();
    f->up = up;
    if (!f->wanted) return;
    drop_consumer(f); // it is perhaps gone with the server, or speaks to the connection that was
    look(f);
}

void nd_feed_catch_up(nd_feed *f, void (*done_)(void *user, uint64_t last), void *user)
{
    f->caught_up = done_;
    f->user = user;
    f->asked = false;
    look(f);
}

uint64_t nd_feed_pending(const nd_feed *f)
{
    return f->pending;
}
