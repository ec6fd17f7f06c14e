#include "daemon/replica/state.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { WAIT_MS = 5000, TRIES = 5 };

void nd_state_destroy(nd_state *s)
{
    if (!s) return;
    nav_buffer_deinit(&s->records);
    nd_plan_deinit(&s->plan);
    free(s->meshes);
    free(s);
}

// --- from the disk ---

typedef struct state_read {
    nd_write write;
    nd_state *state;
    void (*done)(void *user, nd_state *state);
    void *user;
} state_read;

static nav_status read_table(nd_state *state, nd_txn *txn, unsigned table, nd_bytes prefix)
{
    nd_cursor *c;
    nd_bytes key, value;
    nav_status s = nd_cursor_open(txn, table, &c);
    if (s != NAV_OK) return s;
    s = nd_cursor_seek(c, prefix, &key, &value);
    while (s == NAV_OK && key.size >= prefix.size && !memcmp(key.data, prefix.data, prefix.size)) {
        s = nd_change_put(&state->records, table, key, value);
        if (s == NAV_OK) s = nd_cursor_next(c, &key, &value);
    }
    nd_cursor_close(c);
    return s == NAV_ERR_NOT_FOUND ? NAV_OK : s;
}

// The writer's thread. A failure is the state's own, not that of the group.
static nav_status run_read(nd_write *w, nd_txn *txn)
{
    static const unsigned tables[] = {ND_HEADS, ND_REVISIONS, ND_OBJECTS};
    nd_state *state = ((state_read *)w)->state;
    uint8_t key[8];
    nd_plan_summary sum;
    for (int i = 0; i < 8; i++) key[i] = (uint8_t)(state->world >> (56 - 8 * i));
    nav_buffer_deinit(&state->records); // where the group runs again
    state->status = NAV_OK;
    for (size_t i = 0; i < 3 && state->status == NAV_OK; i++)
        state->status = read_table(state, txn, tables[i], (nd_bytes){key, sizeof key});
    if (state->status == NAV_OK && !state->records.size) state->status = NAV_ERR_NOT_FOUND;
    if (state->status == NAV_OK)
        state->status = nd_plan_sum_up((nd_bytes){state->records.data, state->records.size}, &sum);
    if (state->status != NAV_OK) return NAV_OK;
    free(state->meshes);
    state->meshes = sum.meshes;
    state->mesh_count = sum.mesh_count;
    state->revision = sum.revision;
    state->size = state->records.size;
    return NAV_OK;
}

static void read_done(nd_write *w, nav_status status, const char *why)
{
    state_read *r = (state_read *)w;
    if (status != NAV_OK) {
        r->state->status = status;
        snprintf(r->state->why, sizeof r->state->why, "%s", why);
    } else if (r->state->status != NAV_OK) {
        snprintf(r->state->why, sizeof r->state->why, "%s", nav_status_text(r->state->status));
    }
    r->done(r->user, r->state);
    free(r);
}

nav_status nd_state_read(nd_writer *writer, nd_state *state, void (*done)(void *user, nd_state *state), void *user)
{
    ND_ASSERT_LOOP_THREAD();
    state_read *r = calloc(1, sizeof *r);
    if (!r) return NAV_ERR_MEMORY;
    *r = (state_read){.write = {.run = run_read, .done = read_done}, .state = state, .done = done, .user = user};
    nd_writer_push(writer, &r->write);
    return NAV_OK;
}

// --- the farm ---

typedef struct state_task {
    nd_bus_task task;
    nd_state *state;
    char farm[ND_FARM_NAME_BYTES];
    void (*done)(void *user, nd_state *state);
    void *user;
} state_task;

static nav_status publish(const nd_bus_link *link, const char *subject, const void *bytes, size_t count,
                          const uint64_t *expected)
{
    jsErrCode code = 0;
    jsPubOptions o;
    jsPubOptions_Init(&o);
    o.MaxWait = WAIT_MS;
    if (expected) {
        o.ExpectLastSubjectSeq = *expected;
        o.ExpectNoMessage = !*expected;
    }
    natsStatus s = js_Publish(NULL, link->streams, subject, bytes, (int)count, &o, &code);
    return nd_bus_status(s, code);
}

static nav_status get_last(const nd_bus_link *link, const char *stream, const char *subject, natsMsg **out)
{
    jsErrCode code = 0;
    natsStatus s = js_GetLastMsg(out, link->streams, stream, subject, NULL, &code);
    return nd_bus_status(s, code);
}

// below 0: all of it.
static void purge(const nd_bus_link *link, const char *stream, const char *subject, uint64_t below)
{
    jsErrCode code = 0;
    jsOptions o;
    if (below == 1) return; // to the server that is all of it, too
    jsOptions_Init(&o);
    o.Stream.Purge.Subject = subject;
    o.Stream.Purge.Sequence = below;
    (void)js_PurgeStream(link->streams, stream, &o, &code); // else it stays until the next one
}

// The head that is there. *sequence 0: there is none.
static nav_status read_head(const nd_bus_link *link, const char *farm, const nd_state *state, nd_state_head *head,
                            uint64_t *sequence)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    natsMsg *m = NULL;
    nd_state_stream(farm, stream);
    nd_state_head_subject(farm, state->space, state->world, subject);
    *sequence = 0;
    nav_status s = get_last(link, stream, subject, &m);
    if (s != NAV_OK) return s;
    *sequence = natsMsg_GetSequence(m);
    s = nd_state_head_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), head);
    natsMsg_Destroy(m);
    return s;
}

static nav_status publish_parts(const nd_bus_link *link, const char *farm, const nd_state *state,
                                const nd_state_head *head)
{
    char subject[ND_SUBJECT_BYTES];
    nav_status s = NAV_OK;
    for (uint32_t i = 0; i < head->parts && s == NAV_OK; i++) {
        const size_t at = (size_t)i * ND_ENTRY_PART_BYTES, left = state->records.size - at;
        nd_state_part_subject(farm, state->space, state->world, head->id, i, subject);
        s = publish(link, subject, state->records.data + at, left < ND_ENTRY_PART_BYTES ? left : ND_ENTRY_PART_BYTES,
                    NULL);
    }
    return s;
}

static void drop_parts(const nd_bus_link *link, const char *farm, const nd_state *state, nav_key id)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    nd_state_stream(farm, stream);
    nd_state_part_subject(farm, state->space, state->world, id, ND_ALL_PARTS, subject);
    purge(link, stream, subject, 0);
}

static nav_status publish_state(const nd_bus_link *link, const char *farm, nd_state *state)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    nav_buffer bytes = {0};
    nd_state_head before = {0};
    nd_state_head head = {.world = state->world,
                          .revision = state->revision,
                          .sequence = state->sequence,
                          .parts = (uint32_t)((state->records.size + ND_ENTRY_PART_BYTES - 1) / ND_ENTRY_PART_BYTES),
                          .size = state->records.size,
                          .sum = nav_key_of(state->records.data, state->records.size)};
    uint64_t expected;
    bool is_out = true; // no head names its parts
    if (getrandom(&head.id, sizeof head.id, 0) != (ssize_t)sizeof head.id) return NAV_ERR_IO;
    nav_status s = read_head(link, farm, state, &before, &expected);
    const bool had = s == NAV_OK;
    if (s != NAV_OK && s != NAV_ERR_NOT_FOUND && !expected) return s;
    if (had && before.sequence > head.sequence && !state->renews) return NAV_OK; // another is ahead
    s = publish_parts(link, farm, state, &head);
    if (s == NAV_OK) s = nd_state_head_write(&bytes, &head);
    nd_state_head_subject(farm, state->space, state->world, subject);
    if (s == NAV_OK) {
        s = publish(link, subject, bytes.data, bytes.size, &expected);
        is_out = s == NAV_ERR_STATE || s == NAV_ERR_LIMIT; // else it may be there all the same
    }
    nav_buffer_deinit(&bytes);
    if (s == NAV_OK && had) drop_parts(link, farm, state, before.id);
    if (s != NAV_OK && is_out) drop_parts(link, farm, state, head.id);
    if (s != NAV_OK || !head.sequence) return s;
    nd_log_stream(farm, stream);
    nd_log_subject(farm, state->space, state->world, subject);
    purge(link, stream, subject, head.sequence + 1);
    return NAV_OK;
}

static void run_publish(nd_bus_task *task, const nd_bus_link *link)
{
    state_task *t = (state_task *)task;
    t->state->status = publish_state(link, t->farm, t->state);
    nav_buffer_deinit(&t->state->records);
    if (t->state->status != NAV_OK)
        snprintf(t->state->why, sizeof t->state->why, "%s", nav_status_text(t->state->status));
}

static nav_status fetch_parts(const nd_bus_link *link, const char *farm, nd_state *state, const nd_state_head *head)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    nav_status s = NAV_OK;
    nav_buffer_deinit(&state->records);
    nd_state_stream(farm, stream);
    for (uint32_t i = 0; i < head->parts && s == NAV_OK; i++) {
        natsMsg *m = NULL;
        nd_state_part_subject(farm, state->space, state->world, head->id, i, subject);
        s = get_last(link, stream, subject, &m);
        if (s != NAV_OK) return s;
        s = nav_buffer_append(&state->records, natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m));
        natsMsg_Destroy(m);
    }
    if (s == NAV_OK && (state->records.size != head->size ||
                        !nav_key_equal(nav_key_of(state->records.data, state->records.size), head->sum)))
        return NAV_ERR_FORMAT;
    return s;
}

// --- the log behind a state ---

// An entry, its records whole.
typedef struct tail_entry {
    struct tail_entry *later;
    nd_entry head;
    uint64_t sequence;
    bool is_gone; // the world is deleted with it
    nav_buffer records;
} tail_entry;

static void free_tail(tail_entry *t)
{
    for (tail_entry *later; t; t = later) {
        later = t->later;
        nav_buffer_deinit(&t->records);
        free(t);
    }
}

// Also of a message that is the last of its subject (sequence 0).
static nav_status get_message(const nd_bus_link *link, const char *farm, const nd_state *state, uint64_t sequence,
                              natsMsg **out)
{
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    jsErrCode code = 0;
    nd_log_stream(farm, stream);
    nd_log_subject(farm, state->space, state->world, subject);
    if (!sequence) return get_last(link, stream, subject, out);
    natsStatus s = js_GetMsg(out, link->streams, stream, sequence, NULL, &code);
    return nd_bus_status(s, code);
}

// The entry whose last part stands there (0: the world's last). *whole false: its leader did not come to its end.
static nav_status get_entry(const nd_bus_link *link, const char *farm, const nd_state *state, uint64_t sequence,
                            tail_entry *t, bool *whole)
{
    natsMsg *m = NULL;
    nd_entry e;
    nav_status s = get_message(link, farm, state, sequence, &m);
    if (s != NAV_OK) return s;
    t->sequence = natsMsg_GetSequence(m);
    s = nd_entry_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &t->head);
    *whole = s == NAV_OK && t->head.part + 1 == t->head.parts;
    natsMsg_Destroy(m);
    if (s == NAV_OK && (t->head.world != state->world || t->head.parts > t->sequence)) s = NAV_ERR_FORMAT;
    for (uint32_t i = 0; s == NAV_OK && *whole && i < t->head.parts; i++) {
        s = get_message(link, farm, state, t->sequence - t->head.parts + 1 + i, &m);
        if (s != NAV_OK) return s;
        s = nd_entry_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &e);
        if (s == NAV_OK && (e.number != t->head.number || e.part != i)) s = NAV_ERR_FORMAT;
        if (s == NAV_OK) s = nav_buffer_append(&t->records, e.bytes, e.count);
        natsMsg_Destroy(m);
    }
    nd_plan_summary sum = {0};
    if (s == NAV_OK && *whole) s = nd_plan_sum_up((nd_bytes){t->records.data, t->records.size}, &sum);
    t->is_gone = sum.is_gone;
    free(sum.meshes);
    return s;
}

// All entries behind a sequence, the first one first, or those from its deletion on: what was before that is purged.
// NAV_ERR_AGAIN: a newer state has taken the place of some.
static nav_status get_tail(const nd_bus_link *link, const char *farm, const nd_state *state, uint64_t behind,
                           tail_entry **out)
{
    uint64_t at = 0;
    *out = NULL;
    do {
        tail_entry *t = calloc(1, sizeof *t);
        bool whole = false;
        nav_status s = t ? get_entry(link, farm, state, at, t, &whole) : NAV_ERR_MEMORY;
        const bool ends = s == NAV_OK && t->sequence <= behind;
        if (s == NAV_OK && whole && !ends) {
            t->later = *out;
            *out = t;
        }
        // Nothing was written since, or a part has gone meanwhile.
        if (s == NAV_ERR_NOT_FOUND) s = at || (t && t->sequence) ? NAV_ERR_AGAIN : NAV_OK;
        const uint64_t next = t && !t->is_gone ? t->head.after : 0;
        if (!t || *out != t) free_tail(t);
        if (s != NAV_OK || ends) return s;
        at = next;
    } while (at > behind);
    return NAV_OK;
}

// Has the world changed since what is known of it? With its head, where it has_state.
static nav_status look_for_news(const nd_bus_link *link, const char *farm, const nd_state *state,
                                const nd_state_head *head, bool has_state, bool *is_known)
{
    natsMsg *m = NULL;
    nav_status s = get_message(link, farm, state, 0, &m);
    *is_known = (s == NAV_OK || s == NAV_ERR_NOT_FOUND) && (!has_state || head->sequence <= state->known) &&
                (s != NAV_OK || natsMsg_GetSequence(m) <= state->known);
    natsMsg_Destroy(m);
    return s == NAV_ERR_NOT_FOUND ? NAV_OK : s;
}

static nav_status add_tail(nd_state *state, const tail_entry *tail)
{
    nav_status s = NAV_OK;
    for (const tail_entry *t = tail; t && s == NAV_OK; t = t->later) {
        state->revision = t->head.revision;
        state->sequence = t->sequence;
        if (t->is_gone)
            nav_buffer_deinit(&state->records);
        else
            s = nav_buffer_append(&state->records, t->records.data, t->records.size);
    }
    return s;
}

// Where nothing stands behind a head: is it still the newest? Else what was there is in the next state.
static nav_status check_head(const nd_bus_link *link, const char *farm, const nd_state *state, uint64_t sequence)
{
    nd_state_head head;
    uint64_t now;
    const nav_status s = read_head(link, farm, state, &head, &now);
    if (s != NAV_OK && s != NAV_ERR_NOT_FOUND && !now) return s;
    return now == sequence ? NAV_OK : NAV_ERR_AGAIN;
}

static nav_status fetch_once(const nd_bus_link *link, const char *farm, nd_state *state)
{
    nd_state_head head = {0};
    tail_entry *tail = NULL;
    uint64_t sequence;
    nav_buffer_deinit(&state->records);
    nav_status s = read_head(link, farm, state, &head, &sequence);
    const bool has_state = s == NAV_OK;
    if (has_state && head.world != state->world) return NAV_ERR_FORMAT;
    if (state->known && (has_state || s == NAV_ERR_NOT_FOUND)) {
        nav_status looked = look_for_news(link, farm, state, &head, has_state, &state->is_known);
        if (looked == NAV_OK && state->is_known) looked = check_head(link, farm, state, sequence);
        if (looked != NAV_OK) state->is_known = false;
        if (looked != NAV_OK || state->is_known) return looked;
    }
    if (has_state) {
        s = fetch_parts(link, farm, state, &head);
        if (s == NAV_ERR_NOT_FOUND) s = NAV_ERR_AGAIN; // a newer one has come
        state->revision = head.revision;
        state->sequence = head.sequence;
        state->size = head.size;
    } else if (s == NAV_ERR_NOT_FOUND) {
        s = NAV_OK;
        state->revision = state->sequence = state->size = 0;
    }
    if (s == NAV_OK) s = get_tail(link, farm, state, state->sequence, &tail);
    if (s == NAV_OK && !tail) s = check_head(link, farm, state, sequence);
    // Without a state the entries begin with the one that made the world.
    if (s == NAV_OK && !has_state && tail && tail->head.after && !tail->is_gone) s = NAV_ERR_AGAIN;
    const size_t bytes = state->records.size;
    if (s == NAV_OK) s = add_tail(state, tail);
    state->tail = state->records.size > bytes ? state->records.size - bytes : 0;
    free_tail(tail);
    return s == NAV_OK && !state->records.size ? NAV_ERR_NOT_FOUND : s;
}

static void run_fetch(nd_bus_task *task, const nd_bus_link *link)
{
    state_task *t = (state_task *)task;
    nd_state *state = t->state;
    state->status = NAV_ERR_AGAIN;
    for (int i = 0; i < TRIES && state->status == NAV_ERR_AGAIN; i++) state->status = fetch_once(link, t->farm, state);
    if (state->status == NAV_OK && !state->is_known) state->status = nd_plan_read(&state->plan, &state->records);
    if (state->status != NAV_OK) snprintf(state->why, sizeof state->why, "%s", nav_status_text(state->status));
}

static void run_forget(nd_bus_task *task, const nd_bus_link *link)
{
    state_task *t = (state_task *)task;
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES], pattern[ND_SUBJECT_BYTES];
    nd_state_stream(t->farm, stream);
    snprintf(pattern, sizeof pattern, "%s.%s.states.%" PRIu64 ".>", t->farm, t->state->space, t->state->world);
    purge(link, stream, pattern, 0);
    nd_log_stream(t->farm, stream);
    nd_log_subject(t->farm, t->state->space, t->state->world, subject);
    purge(link, stream, subject, t->state->sequence); // the deletion stays, for those that are behind
}

static void run_forget_notes(nd_bus_task *task, const nd_bus_link *link)
{
    state_task *t = (state_task *)task;
    char stream[ND_SUBJECT_BYTES], subject[ND_SUBJECT_BYTES];
    nd_log_stream(t->farm, stream);
    nd_leader_subject(t->farm, subject);
    purge(link, stream, subject, t->state->sequence);
}

static void task_done(nd_bus_task *task, bool ran)
{
    state_task *t = (state_task *)task;
    if (!ran) t->state->status = NAV_ERR_CANCELLED;
    if (t->done)
        t->done(t->user, t->state);
    else
        nd_state_destroy(t->state);
    free(t);
}

static nav_status push(nd_bus *bus, const char *farm, nd_state *state,
                       void (*run)(nd_bus_task *task, const nd_bus_link *link),
                       void (*done)(void *user, nd_state *state), void *user)
{
    ND_ASSERT_LOOP_THREAD();
    state_task *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    *t = (state_task){.task = {.run = run, .done = task_done}, .state = state, .done = done, .user = user};
    snprintf(t->farm, sizeof t->farm, "%s", farm);
    nd_bus_push(bus, ND_BUS_BULK, &t->task);
    return NAV_OK;
}

nav_status nd_state_publish(nd_bus *bus, const char *farm, nd_state *state, void (*done)(void *user, nd_state *state),
                            void *user)
{
    return push(bus, farm, state, run_publish, done, user);
}

nav_status nd_state_fetch(nd_bus *bus, const char *farm, nd_state *state, void (*done)(void *user, nd_state *state),
                          void *user)
{
    return push(bus, farm, state, run_fetch, done, user);
}

static void forget(nd_bus *bus, const char *farm, const char *space, uint64_t world, uint64_t sequence,
                   void (*run)(nd_bus_task *task, const nd_bus_link *link))
{
    nd_state *state = calloc(1, sizeof *state);
    if (!state) return; // it is found and passed over by those that follow
    state->world = world;
    state->sequence = sequence;
    snprintf(state->space, sizeof state->space, "%s", space);
    if (push(bus, farm, state, run, NULL, NULL) != NAV_OK) nd_state_destroy(state);
}

void nd_state_forget(nd_bus *bus, const char *farm, const char *space, uint64_t world, uint64_t sequence)
{
    forget(bus, farm, space, world, sequence, run_forget);
}

void nd_state_forget_notes(nd_bus *bus, const char *farm, uint64_t sequence)
{
    forget(bus, farm, "", 0, sequence, run_forget_notes);
}
