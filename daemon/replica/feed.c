#include "daemon/replica/feed.h"

#include "core/base/endian.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// READ: sequences, or bytes of messages, that one task reads: the lease waits in the same lane; FARTHEST: sequences
// behind the end from which states are the shorter way; LOOK_MS: without a bell.
enum { READ = 64, READ_BYTES = 8 << 20, FARTHEST = 20000, TURN_MS = 250, LOOK_MS = 1000 };

typedef struct feed_task {
    nd_bus_task task;
    nd_feed *feed; // NULL: it was stopped meanwhile
    char stream[ND_SUBJECT_BYTES];
    uint64_t from;  // the first sequence to be read
    uint64_t known; // the log is as long as this; 0: ask
    bool rung;      // that is what the bell says: nothing is passed over
    // Out:
    nav_status status;
    uint64_t last; // of the log
    uint64_t read; // all up to here was read
    bool purged;   // some of it was there no more
    natsMsg *messages[READ];
    size_t count;
} feed_task;

struct nd_feed {
    nd_feed_options o;
    uv_timer_t timer;
    nd_bus_ear *ear;
    feed_task *out;
    bool wanted, up, closing, giving;
    bool asked;           // the server has said what there is
    uint64_t rung;        // how long the log is by the bell; 0: that was looked at
    uint64_t given, last; // sequences: given: all up to there, or it was purged
    uint64_t owed, taken; // of the newest message that was given, and of the newest that was taken
    uint64_t looked_ns;
    void (*caught_up)(void *user, uint64_t last);
    void *user;
};

// --- the bus's thread ---

static nav_status ask(feed_task *t, const nd_bus_link *link)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus s = js_GetStreamInfo(&info, link->streams, t->stream, NULL, &code);
    if (s == NATS_OK) t->last = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return nd_bus_status(s, code);
}

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    feed_task *t = (feed_task *)task;
    size_t bytes = 0;
    t->last = t->known;
    t->read = t->from - 1;
    t->status = t->known ? NAV_OK : ask(t, link);
    if (t->status != NAV_OK || t->last - t->read > FARTHEST) return;
    while (t->read < t->last && t->read + 1 - t->from < READ && bytes < READ_BYTES) {
        natsMsg *m = NULL;
        jsErrCode code = 0;
        natsStatus ns = js_GetMsg(&m, link->streams, t->stream, t->read + 1, NULL, &code);
        const nav_status s = nd_bus_status(ns, code);
        if (s == NAV_ERR_NOT_FOUND && t->rung) return; // purged, or not so long: the server is asked
        if (s != NAV_OK && s != NAV_ERR_NOT_FOUND) {   // purged: a state has it
            t->status = s;
            return;
        }
        t->read++;
        t->purged |= s != NAV_OK;
        if (s != NAV_OK) continue;
        bytes += (size_t)natsMsg_GetDataLength(m);
        t->messages[t->count++] = m;
    }
}

// --- loop ---

static void done(nd_bus_task *task, bool ran);

static void push(nd_feed *f, bool asks)
{
    const bool by_bell = asks && f->asked && !f->caught_up && f->rung > f->given && f->rung - f->given <= READ;
    feed_task *t = calloc(1, sizeof *t);
    if (!t) return; // with the timer
    t->task.run = run;
    t->task.done = done;
    t->feed = f;
    t->from = f->given + 1;
    t->known = by_bell ? f->rung : asks ? 0 : f->last;
    t->rung = by_bell;
    nd_log_stream(f->o.farm, t->stream);
    f->out = t;
    if (asks && !by_bell) f->looked_ns = nd_now_ns();
    if (asks) f->rung = 0;
    nd_bus_push(f->o.bus, ND_BUS_RECORDS, &t->task);
}

// Does what is due.
static void look(nd_feed *f)
{
    if (!f->wanted || !f->up || f->out || f->giving || f->taken < f->owed) return;
    const bool is_time = nd_now_ns() - f->looked_ns > UINT64_C(1000000) * LOOK_MS;
    if (f->last > f->given)
        push(f, false);
    else if (!f->asked || f->rung || f->caught_up || is_time)
        push(f, true);
}

static void forget_task(nd_feed *f)
{
    if (f->out) f->out->feed = NULL;
    f->out = NULL;
}

static void give(nd_feed *f, const feed_task *t)
{
    f->giving = true;
    if (t->purged) f->o.on_purged(f->o.user);
    for (size_t i = 0; i < t->count && f->wanted && f->out == NULL; i++) {
        natsMsg *m = t->messages[i];
        const nd_feed_message message = {natsMsg_GetSubject(m), natsMsg_GetSequence(m),
                                         (const uint8_t *)natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m)};
        f->given = f->owed = message.sequence;
        f->o.on_message(f->o.user, &message);
    }
    f->giving = false;
    if (!f->wanted || f->out) return;
    f->given = t->read;
}

static void take(nd_feed *f, const feed_task *t)
{
    const bool asked = !t->known;
    if (t->status != NAV_OK && t->status != NAV_ERR_TIMEOUT && t->status != NAV_ERR_IO)
        nd_log(ND_LOG_WARN, "replica.no_feed", "after=%" PRIu64 " why=%s", f->given, nav_status_name(t->status));
    if (t->status != NAV_OK && !t->count) return; // with the timer
    if (asked && (t->last < f->given || t->last - f->given > FARTHEST)) {
        nd_feed_stop(f);
        f->o.on_gap(f->o.user);
        return;
    }
    if (!t->rung && f->last < t->last) f->last = t->last;
    give(f, t);
    if (!f->wanted) return;
    if (f->last < f->given) f->last = f->given;
    if (t->rung && f->given < t->known) f->looked_ns = 0; // it asks
    f->asked |= asked;
    if (f->given < f->last || !f->asked) return;
    f->o.on_empty(f->o.user);
    if (!asked || !f->caught_up || !f->wanted) return;
    void (*caught_up)(void *user, uint64_t last) = f->caught_up;
    f->caught_up = NULL;
    caught_up(f->user, t->last);
}

static void done(nd_bus_task *task, bool ran)
{
    feed_task *t = (feed_task *)task;
    nd_feed *f = t->feed;
    if (f) f->out = NULL;
    if (f && ran) take(f, t);
    for (size_t i = 0; i < t->count; i++) natsMsg_Destroy(t->messages[i]);
    const bool goes_on = f && ran && t->status == NAV_OK;
    free(t);
    if (goes_on) look(f);
}

static void on_bell(void *user, const nd_bus_message *m)
{
    nd_feed *f = user;
    if (m->count != 8 || !f->wanted) return;
    if (nav_load_u64(m->bytes) <= f->given) return;
    f->rung = nav_load_u64(m->bytes);
    look(f);
}

static void on_timer(uv_timer_t *timer)
{
    look(timer->data);
}

nav_status nd_feed_create(const nd_feed_options *o, nd_feed **out)
{
    ND_ASSERT_LOOP_THREAD();
    char subject[ND_SUBJECT_BYTES];
    nd_feed *f = calloc(1, sizeof *f);
    if (!f) return NAV_ERR_MEMORY;
    f->o = *o;
    nd_bell_subject(o->farm, subject);
    if (nd_bus_listen(o->bus, ND_BUS_RECORDS, subject, on_bell, f, &f->ear) != NAV_OK) {
        free(f);
        return NAV_ERR_MEMORY;
    }
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
    nd_bus_hush(f->o.bus, f->ear);
    uv_close((uv_handle_t *)&f->timer, on_closed);
}

void nd_feed_start(nd_feed *f, uint64_t after)
{
    ND_ASSERT_LOOP_THREAD();
    forget_task(f);
    f->wanted = true;
    f->asked = false;
    f->given = f->owed = f->taken = f->last = after;
    uv_timer_start(&f->timer, on_timer, TURN_MS, TURN_MS);
    look(f);
}

void nd_feed_stop(nd_feed *f)
{
    ND_ASSERT_LOOP_THREAD();
    forget_task(f);
    f->wanted = f->asked = false;
    f->caught_up = NULL;
    uv_timer_stop(&f->timer);
}

void nd_feed_take(nd_feed *f, uint64_t sequence)
{
    if (f->taken < sequence) f->taken = sequence;
    look(f);
}

void nd_feed_note_server(nd_feed *f, bool up)
{
    ND_ASSERT_LOOP_THREAD();
    f->up = up;
    f->asked = false; // it may have lost what it had
    look(f);
}

void nd_feed_catch_up(nd_feed *f, void (*done_)(void *user, uint64_t last), void *user)
{
    f->caught_up = done_;
    f->user = user;
    look(f);
}

bool nd_feed_is_empty(const nd_feed *f)
{
    return f->asked && f->given >= f->last;
}

uint64_t nd_feed_pending(const nd_feed *f)
{
    return f->last > f->given ? f->last - f->given : 0;
}
