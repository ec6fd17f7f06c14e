#include "daemon/replica/lease.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WAIT_MS = 1000, FIRST_WRITE = 0 };

typedef enum step { LOOK, WRITE, FREE } step;

typedef struct lease_task {
    nd_bus_task task;
    nd_lease *lease; // NULL: it was closed meanwhile
    step step;
    bool ensures; // that there is a place for it
    const char *farm;
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    nav_buffer bytes;
    uint64_t expected; // WRITE: sequence of the writing before; FIRST_WRITE: there was none
    uint64_t sent_ns;
    // Out:
    nav_status status;
    uint64_t sequence;
    nd_lease_note note;
} lease_task;

struct nd_lease {
    nd_lease_options o;
    uv_timer_t timer;
    lease_task *out; // under way; NULL: none
    bool wants, held, up, closing, frees, ensured;
    uint64_t valid_until_ns, written_ns;
    uint64_t sequence; // of the newest writing that was seen
    uint64_t since_ns; // since when
    char holder[33];   // of it; "" for nobody
    uint64_t changes;
};

static uint64_t boot_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t ms(uint64_t n)
{
    return n * 1000000;
}

// --- the bus's thread ---

static void look(lease_task *t, const nd_bus_link *link)
{
    natsMsg *m = NULL;
    jsErrCode code = 0;
    jsOptions o;
    jsOptions_Init(&o);
    o.Wait = WAIT_MS;
    natsStatus s = js_GetLastMsg(&m, link->streams, t->stream, t->subject, &o, &code);
    t->status = nd_bus_status(s, code);
    if (s != NATS_OK) return;
    t->sequence = natsMsg_GetSequence(m);
    t->status = nd_lease_note_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &t->note);
    natsMsg_Destroy(m);
}

static void write_note(lease_task *t, const nd_bus_link *link)
{
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    jsPubOptions o;
    jsPubOptions_Init(&o);
    o.MaxWait = WAIT_MS;
    o.ExpectLastSubjectSeq = t->expected;
    o.ExpectNoMessage = t->expected == FIRST_WRITE;
    natsStatus s = js_Publish(&ack, link->streams, t->subject, t->bytes.data, (int)t->bytes.size, &o, &code);
    t->status = nd_bus_status(s, code);
    if (s == NATS_OK) t->sequence = ack->Sequence;
    jsPubAck_Destroy(ack);
}

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    lease_task *t = (lease_task *)task;
    char why[200];
    t->status = t->ensures ? nd_replica_ensure_streams(link, t->farm, why, sizeof why) : NAV_OK;
    t->sent_ns = boot_ns();
    if (t->status != NAV_OK) return;
    t->ensures = false;
    if (t->step == LOOK)
        look(t, link);
    else
        write_note(t, link);
}

// --- loop ---

static void done(nd_bus_task *task, bool ran);

static void push(nd_lease *l, step what)
{
    lease_task *t = calloc(1, sizeof *t);
    if (!t) return; // the next turn of the timer
    *t = (lease_task){.task = {.run = run, .done = done}, .lease = l, .step = what, .expected = l->sequence};
    t->ensures = !l->ensured;
    t->farm = l->o.farm; // outlives the bus
    nd_lease_stream(l->o.farm, t->stream);
    nd_lease_subject(l->o.farm, t->subject);
    nd_lease_note note = {.is_free = what == FREE};
    strcpy(note.id, l->o.id);
    strncpy(note.name, l->o.name, sizeof note.name - 1);
    if (what != LOOK && nd_lease_note_write(&t->bytes, &note) != NAV_OK) {
        nav_buffer_deinit(&t->bytes);
        free(t);
        return;
    }
    l->out = t;
    nd_bus_push(l->o.bus, ND_BUS_RECORDS, &t->task);
}

static void note_holder(nd_lease *l, const nd_lease_note *holder)
{
    const char *id = holder && !holder->is_free ? holder->id : "";
    if (!strcmp(id, l->holder)) return;
    strcpy(l->holder, id);
    l->changes++;
    if (strcmp(id, l->o.id) != 0) l->o.on_holder(l->o.user, id[0] ? holder : NULL);
}

static void lose(nd_lease *l)
{
    if (!l->held) return;
    l->held = false;
    l->valid_until_ns = 0;
    l->o.on_lost(l->o.user);
}

static void looked(nd_lease *l, const lease_task *t)
{
    const bool is_there = t->status == NAV_OK, is_none = t->status == NAV_ERR_NOT_FOUND;
    if (!is_there && !is_none && t->status != NAV_ERR_FORMAT && t->status != NAV_ERR_VERSION) return; // not reached
    const uint64_t sequence = is_none ? FIRST_WRITE : t->sequence;
    const bool is_mine = is_there && !t->note.is_free && !strcmp(t->note.id, l->o.id);
    const bool is_new = sequence != l->sequence || !l->since_ns;
    if (is_new) {
        l->sequence = sequence;
        l->since_ns = boot_ns();
    }
    note_holder(l, is_there ? &t->note : NULL);
    if (!is_mine) lose(l);
    // The look was sent after the same writing had been here for long enough.
    const bool is_old = !is_new && t->sent_ns > l->since_ns && t->sent_ns - l->since_ns >= ms(ND_LEASE_MS);
    if ((l->wants || l->held) && (is_none || is_mine || (is_there && t->note.is_free) || is_old)) push(l, WRITE);
}

static void wrote(nd_lease *l, const lease_task *t)
{
    if (t->status == NAV_ERR_STATE) {
        push(l, LOOK);
        return;
    }
    if (t->status != NAV_OK) return; // perhaps it was written: then the next one is refused, and looks
    l->sequence = t->sequence;
    l->since_ns = boot_ns();
    if (!l->wants && !l->held) { // it was given back meanwhile
        l->frees = true;
        return;
    }
    l->written_ns = t->sent_ns;
    l->valid_until_ns = t->sent_ns + ms(ND_LEASE_VALID_MS);
    nd_lease_note own = {0};
    strcpy(own.id, l->o.id);
    note_holder(l, &own);
    if (l->held) return;
    l->held = true;
    l->o.on_gained(l->o.user);
}

static void done(nd_bus_task *task, bool ran)
{
    lease_task *t = (lease_task *)task;
    nd_lease *l = t->lease;
    if (l) l->out = NULL;
    if (l && ran && !l->closing) {
        l->ensured = !t->ensures;
        if (t->step == LOOK) looked(l, t);
        if (t->step == WRITE) wrote(l, t);
    }
    nav_buffer_deinit(&t->bytes);
    free(t);
}

static void on_timer(uv_timer_t *timer)
{
    nd_lease *l = timer->data;
    if (l->out || !l->up) return;
    if (l->frees) {
        l->frees = false;
        push(l, FREE);
        return;
    }
    if (!l->held)
        push(l, LOOK);
    else if (boot_ns() - l->written_ns >= ms(ND_LEASE_RENEW_MS))
        push(l, WRITE);
}

nav_status nd_lease_create(const nd_lease_options *o, nd_lease **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_lease *l = calloc(1, sizeof *l);
    if (!l) return NAV_ERR_MEMORY;
    l->o = *o;
    if (uv_timer_init(o->loop, &l->timer)) abort(); // it cannot: memory only
    l->timer.data = l;
    uv_timer_start(&l->timer, on_timer, 0, ND_LEASE_LOOK_MS);
    *out = l;
    return NAV_OK;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void nd_lease_close(nd_lease *l)
{
    if (!l || l->closing) return;
    ND_ASSERT_LOOP_THREAD();
    l->closing = true;
    if (l->out) l->out->lease = NULL;
    uv_close((uv_handle_t *)&l->timer, on_closed);
}

void nd_lease_want(nd_lease *l, bool wants)
{
    l->wants = wants;
}

void nd_lease_note_server(nd_lease *l, bool up)
{
    l->up = up;
    if (up) l->ensured = false; // it may have lost all
}

bool nd_lease_is_held(const nd_lease *l)
{
    return l->held;
}

bool nd_lease_is_valid(const nd_lease *l)
{
    return l->held && boot_ns() < l->valid_until_ns;
}

void nd_lease_release(nd_lease *l)
{
    ND_ASSERT_LOOP_THREAD();
    l->wants = false;
    if (!l->held) return;
    l->held = false;
    l->valid_until_ns = 0;
    l->frees = true;
    uv_timer_start(&l->timer, on_timer, 0, ND_LEASE_LOOK_MS);
}

bool nd_lease_is_settled(const nd_lease *l)
{
    return !l->up || (!l->frees && !(l->out && l->out->step != LOOK));
}

uint64_t nd_lease_changes(const nd_lease *l)
{
    return l->changes;
}
