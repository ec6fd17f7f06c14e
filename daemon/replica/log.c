#include "daemon/replica/log.h"

#include "core/base/endian.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/replica/share.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_MS = 2000, RETRY_MS = 100, PARTS_A_TASK = 8, MERGED_BYTES = 256 * 1024 };

typedef struct write_task {
    nd_bus_task task;
    nd_log_queue *queue; // NULL: it was closed meanwhile
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES], note_subject[ND_SUBJECT_BYTES];
    bool is_note; // the records are the message
    nd_entry head;
    nav_buffer records;
    uint64_t last;     // sequence of the log before it, and then with it
    uint32_t part;     // the next one
    nav_status status; // of the first that failed
} write_task;

struct nd_log_queue {
    nd_log_options o;
    uv_timer_t retry;
    nd_log_item *oldest, *newest;
    size_t count, bytes;
    size_t out_count; // items at the front that the task holds
    write_task *out;
    bool running, closing, telling, refused; // refused: the task ended badly, and waits for the timer or the server
    uint64_t epoch, last, number, written;
};

// --- the bus's thread ---

static nav_status publish(write_task *t, const nd_bus_link *link, const nav_buffer *message)
{
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    jsPubOptions o;
    jsPubOptions_Init(&o);
    o.MaxWait = WAIT_MS;
    o.ExpectLastSeq = t->last;
    o.ExpectNoMessage = !t->last; // the first of all
    natsStatus s = js_Publish(&ack, link->streams, t->subject, message->data, (int)message->size, &o, &code);
    const nav_status status = nd_bus_status(s, code);
    if (s == NATS_OK) t->last = ack->Sequence;
    jsPubAck_Destroy(ack);
    return status;
}

// What stands where the message was to be? NAV_OK: the same. NAV_ERR_STATE: another. NAV_ERR_NOT_FOUND: nothing. Else
// nobody has said so.
static nav_status find_stored(const write_task *t, const nd_bus_link *link, const nav_buffer *message)
{
    natsMsg *m = NULL;
    jsErrCode code = 0;
    natsStatus ns = js_GetMsg(&m, link->streams, t->stream, t->last + 1, NULL, &code);
    const nav_status s = nd_bus_status(ns, code);
    if (s != NAV_OK) return s;
    const bool is_same = (size_t)natsMsg_GetDataLength(m) == message->size &&
                         !memcmp(natsMsg_GetData(m), message->data, message->size) &&
                         !strcmp(natsMsg_GetSubject(m), t->subject);
    natsMsg_Destroy(m);
    return is_same ? NAV_OK : NAV_ERR_STATE;
}

// Nothing stands where the message was to be, and the log is longer. NAV_OK: it was there, and a state has purged it:
// whoever else leads has written a note behind, and has kept or repeated it. NAV_ERR_STATE: there is such a note, or
// none at all. NAV_ERR_TIMEOUT: nobody says so.
static nav_status look_for_note(const write_task *t, const nd_bus_link *link)
{
    natsMsg *m = NULL;
    jsErrCode code = 0;
    const nav_status s = nd_bus_status(js_GetLastMsg(&m, link->streams, t->stream, t->note_subject, NULL, &code), code);
    if (s != NAV_OK) return s == NAV_ERR_NOT_FOUND ? NAV_ERR_STATE : NAV_ERR_TIMEOUT;
    const uint64_t at = natsMsg_GetSequence(m);
    natsMsg_Destroy(m);
    return at <= t->last ? NAV_OK : NAV_ERR_STATE; // this one's own notes are behind it: one task is out at a time
}

// Another sequence was expected, perhaps as an answer was lost. NAV_OK: the message is there, or was. NAV_ERR_STATE:
// another has written. NAV_ERR_FORMAT: the log has lost its end. Else it is to be tried again.
static nav_status look_why(write_task *t, const nd_bus_link *link, const nav_buffer *message)
{
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    nav_status s = find_stored(t, link, message);
    if (s == NAV_ERR_NOT_FOUND) {
        if (js_GetStreamInfo(&info, link->streams, t->stream, NULL, &code) != NATS_OK) return NAV_ERR_TIMEOUT;
        const uint64_t last = info->State.LastSeq;
        jsStreamInfo_Destroy(info);
        s = last < t->last ? NAV_ERR_FORMAT : last > t->last ? look_for_note(t, link) : NAV_ERR_TIMEOUT;
    }
    t->last += s == NAV_OK;
    return s;
}

static nav_status encode_part(write_task *t, nav_buffer *out)
{
    if (t->is_note) return nav_buffer_append(out, t->records.data, t->records.size);
    nd_entry e = t->head;
    const size_t at = (size_t)t->part * ND_ENTRY_PART_BYTES, left = t->records.size - at;
    e.part = t->part;
    e.bytes = t->records.data + at;
    e.count = left < ND_ENTRY_PART_BYTES ? left : ND_ENTRY_PART_BYTES;
    return nd_entry_write(out, &e);
}

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    write_task *t = (write_task *)task;
    t->status = NAV_OK;
    for (int i = 0; i < PARTS_A_TASK && t->part < t->head.parts && t->status == NAV_OK; i++) {
        nav_buffer message = {0};
        t->status = encode_part(t, &message);
        if (t->status == NAV_OK) t->status = publish(t, link, &message);
        if (t->status == NAV_ERR_STATE) t->status = look_why(t, link, &message);
        t->part += t->status == NAV_OK;
        nav_buffer_deinit(&message);
    }
}

// --- items ---

nd_log_item *nd_log_item_create(uint64_t world, const char *space)
{
    nd_log_item *item = calloc(1, sizeof *item);
    if (!item) return NULL;
    item->world = world;
    strncpy(item->space, space, sizeof item->space - 1);
    return item;
}

void nd_log_item_destroy(nd_log_item *item)
{
    if (!item) return;
    nav_buffer_deinit(&item->records);
    free(item->sum.meshes);
    free(item);
}

static size_t size_of(const nd_log_item *item)
{
    return sizeof *item + item->records.size + item->sum.mesh_count * sizeof *item->sum.meshes;
}

void nd_log_add(nd_log_queue *q, nd_log_item *item)
{
    ND_ASSERT_LOOP_THREAD();
    item->number = ++q->number;
    item->before = q->newest;
    item->next = NULL;
    *(q->newest ? &q->newest->next : &q->oldest) = item;
    q->newest = item;
    q->count++;
    q->bytes += size_of(item);
    nd_log_go_on(q);
}

static void unlink_item(nd_log_queue *q, nd_log_item *item)
{
    *(item->before ? &item->before->next : &q->oldest) = item->next;
    *(item->next ? &item->next->before : &q->newest) = item->before;
    q->count--;
    q->bytes -= size_of(item);
}

void nd_log_drop(nd_log_queue *q, nd_log_item *item)
{
    unlink_item(q, item);
    nd_log_item_destroy(item);
}

nd_log_item *nd_log_newest(const nd_log_queue *q)
{
    return q->newest;
}

// --- writing ---

// False: some are not there yet.
static bool share_meshes(nd_log_queue *q, const nd_log_item *item)
{
    return nd_replica_share_meshes(q->o.share, q->o.meshes, item->space, item->sum.meshes, item->sum.mesh_count);
}

static bool joins(const nd_log_item *first, const nd_log_item *item, size_t bytes)
{
    return item->ready && item->world == first->world && !item->sum.has_head && !item->sum.is_gone &&
           bytes + item->records.size <= MERGED_BYTES;
}

static nav_status fill(nd_log_queue *q, write_task *t, const nd_track *track)
{
    const nd_log_item *first = q->oldest, *last = first;
    nav_status s = nav_buffer_append(&t->records, first->records.data, first->records.size);
    size_t count = 1;
    for (const nd_log_item *i = first->next; i && s == NAV_OK; i = i->next, count++) {
        const bool may = first->world && !first->sum.has_head && !first->sum.is_gone;
        if (!may || !joins(first, i, t->records.size) || !share_meshes(q, i)) break;
        s = nav_buffer_append(&t->records, i->records.data, i->records.size);
        last = i;
    }
    q->out_count = count;
    t->is_note = !first->world;
    t->head = (nd_entry){.epoch = q->epoch,
                         .number = last->number,
                         .world = first->world,
                         .after = track ? track->last : 0,
                         .revision = last->sum.revision,
                         .made_ns = first->made_ns,
                         .parts = 1};
    if (first->world && t->records.size)
        t->head.parts = (uint32_t)((t->records.size + ND_ENTRY_PART_BYTES - 1) / ND_ENTRY_PART_BYTES);
    return s;
}

static void done(nd_bus_task *task, bool ran);
static void on_retry(uv_timer_t *timer);

static void start(nd_log_queue *q)
{
    const nd_log_item *first = q->oldest;
    nd_track *track = first->world ? nd_track_need(q->o.tracks, first->space, first->world) : NULL;
    write_task *t = calloc(1, sizeof *t);
    nav_status s = t && (track || !first->world) ? fill(q, t, track) : NAV_ERR_MEMORY;
    if (s != NAV_OK) {
        if (t) nav_buffer_deinit(&t->records);
        free(t);
        q->refused = true;
        return;
    }
    t->task.run = run;
    t->task.done = done;
    t->queue = q;
    t->last = q->last;
    nd_log_stream(q->o.farm, t->stream);
    nd_leader_subject(q->o.farm, t->note_subject);
    if (first->world)
        nd_log_subject(q->o.farm, first->space, first->world, t->subject);
    else
        nd_leader_subject(q->o.farm, t->subject);
    q->out = t;
    nd_bus_push(q->o.bus, ND_BUS_RECORDS, &t->task);
}

// What a state holds already need not be written.
static bool skip_covered(nd_log_queue *q)
{
    nd_log_item *first = q->oldest;
    const nd_track *t = first->world ? nd_track_find(q->o.tracks, first->world) : NULL;
    if (!t || !first->ready || first->number > t->covered) return false;
    unlink_item(q, first);
    q->telling = true;
    q->o.on_written(q->o.user, first);
    q->telling = false;
    nd_log_item_destroy(first);
    return true;
}

void nd_log_go_on(nd_log_queue *q)
{
    ND_ASSERT_LOOP_THREAD();
    if (!q->running || q->out || q->refused || q->telling || !nd_bus_is_up(q->o.bus)) return;
    while (q->oldest && skip_covered(q)) {
    }
    if (q->oldest && q->oldest->ready && share_meshes(q, q->oldest)) start(q);
    if (q->refused) uv_timer_start(&q->retry, on_retry, RETRY_MS, 0);
}

// Those that follow look at once; they would a moment later.
static void ring(nd_log_queue *q)
{
    char subject[ND_SUBJECT_BYTES];
    uint8_t bytes[8];
    nd_bell_subject(q->o.farm, subject);
    nav_store_u64(bytes, q->last);
    (void)(nd_bus_tell(q->o.bus, ND_BUS_ORDERS, subject, bytes, sizeof bytes) == NAV_OK);
}

static void note_written(nd_log_queue *q, const write_task *t)
{
    nd_track *track = t->head.world ? nd_track_find(q->o.tracks, t->head.world) : NULL;
    q->last = t->last;
    q->written++;
    if (track) {
        if (!track->entries++) track->began_ns = t->head.made_ns;
        track->last = t->last;
        track->bytes += t->records.size;
    }
    size_t left = q->out_count;
    q->out_count = 0;
    q->telling = true; // nothing is begun before all have heard
    for (; left > 0; left--) {
        nd_log_item *item = q->oldest;
        unlink_item(q, item);
        q->o.on_written(q->o.user, item);
        nd_log_item_destroy(item);
    }
    q->telling = false;
    ring(q);
}

static bool is_over(const write_task *t)
{
    return t->part == t->head.parts || t->status == NAV_ERR_STATE || t->status == NAV_ERR_FORMAT;
}

static void end_task(nd_log_queue *q, write_task *t)
{
    if (t->part == t->head.parts) {
        note_written(q, t);
        return;
    }
    q->running = false;
    q->out_count = 0;
    if (t->status == NAV_ERR_STATE)
        q->o.on_fenced(q->o.user);
    else
        q->o.on_lost(q->o.user);
}

static void done(nd_bus_task *task, bool ran)
{
    write_task *t = (write_task *)task;
    nd_log_queue *q = t->queue;
    if (q && ran && !is_over(t)) {
        if (t->status == NAV_OK) {
            nd_bus_push(q->o.bus, ND_BUS_RECORDS, task);
            return;
        }
        q->refused = true; // the same again, as it may be half written
        uv_timer_start(&q->retry, on_retry, RETRY_MS, 0);
        if (t->status == NAV_ERR_LIMIT) q->o.on_full(q->o.user);
        return;
    }
    if (q) q->out = NULL;
    if (q && ran) end_task(q, t);
    nav_buffer_deinit(&t->records);
    free(t);
    if (q && ran) nd_log_go_on(q);
}

static void on_retry(uv_timer_t *timer)
{
    nd_log_queue *q = timer->data;
    q->refused = false;
    if (q->closing) return;
    if (q->out)
        nd_bus_push(q->o.bus, ND_BUS_RECORDS, &q->out->task);
    else
        nd_log_go_on(q);
}

// --- life ---

nav_status nd_log_create(const nd_log_options *o, nd_log_queue **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_log_queue *q = calloc(1, sizeof *q);
    if (!q) return NAV_ERR_MEMORY;
    q->o = *o;
    if (uv_timer_init(o->loop, &q->retry)) abort(); // it cannot: memory only
    q->retry.data = q;
    *out = q;
    return NAV_OK;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void nd_log_close(nd_log_queue *q)
{
    if (!q || q->closing) return;
    ND_ASSERT_LOOP_THREAD();
    nd_log_end(q);
    q->closing = true;
    while (q->oldest) nd_log_drop(q, q->oldest);
    uv_close((uv_handle_t *)&q->retry, on_closed);
}

void nd_log_begin(nd_log_queue *q, nd_log_item *first, uint64_t epoch, uint64_t last)
{
    for (nd_log_item *i = q->oldest, *next; i; i = next) { // notes from before
        next = i->next;
        if (!i->world) nd_log_drop(q, i);
    }
    first->number = ++q->number;
    first->before = NULL;
    first->next = q->oldest;
    *(q->oldest ? &q->oldest->before : &q->newest) = first;
    q->oldest = first;
    q->count++;
    q->bytes += size_of(first);
    q->epoch = epoch;
    q->last = last;
    q->running = true;
    nd_log_go_on(q);
}

void nd_log_end(nd_log_queue *q)
{
    q->running = false;
    q->out_count = 0;
    if (q->out && q->refused) { // it is here, and not at the bus
        nav_buffer_deinit(&q->out->records);
        free(q->out);
    } else if (q->out) {
        q->out->queue = NULL; // whether it was written nobody will know
    }
    q->out = NULL;
    q->refused = false;
    uv_timer_stop(&q->retry);
}

uint64_t nd_log_last(const nd_log_queue *q)
{
    return q->last;
}

bool nd_log_holds(const nd_log_queue *q, uint64_t world)
{
    const nd_log_item *i = q->oldest;
    while (i && i->world != world) i = i->next;
    return i != NULL;
}

size_t nd_log_count(const nd_log_queue *q)
{
    return q->count;
}

size_t nd_log_bytes(const nd_log_queue *q)
{
    return q->bytes;
}

uint64_t nd_log_number(const nd_log_queue *q)
{
    return q->number;
}

uint64_t nd_log_written(const nd_log_queue *q)
{
    return q->written;
}
