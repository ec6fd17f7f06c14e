#include "daemon/replica/state.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/replica/plan.h"

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

static void purge(const nd_bus_link *link, const char *stream, const char *subject, uint64_t below)
{
    jsErrCode code = 0;
    jsOptions o;
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
    if (getrandom(&head.id, sizeof head.id, 0) != (ssize_t)sizeof head.id) return NAV_ERR_IO;
    nav_status s = read_head(link, farm, state, &before, &expected);
    const bool had = s == NAV_OK;
    if (s != NAV_OK && s != NAV_ERR_NOT_FOUND && !expected) return s;
    if (had && before.sequence > head.sequence && !state->renews) return NAV_OK; // another is ahead
    s = publish_parts(link, farm, state, &head);
    if (s == NAV_OK) s = nd_state_head_write(&bytes, &head);
    nd_state_head_subject(farm, state->space, state->world, subject);
    if (s == NAV_OK) s = publish(link, subject, bytes.data, bytes.size, &expected);
    nav_buffer_deinit(&bytes);
    if (s == NAV_OK && had) drop_parts(link, farm, state, before.id);
    if (s != NAV_OK) drop_parts(link, farm, state, head.id);
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

static void run_fetch(nd_bus_task *task, const nd_bus_link *link)
{
    state_task *t = (state_task *)task;
    nd_state *state = t->state;
    nd_state_head head;
    uint64_t sequence;
    state->status = NAV_ERR_AGAIN;
    for (int i = 0; i < TRIES && state->status != NAV_OK; i++) { // a newer one may come while it is read
        state->status = read_head(link, t->farm, state, &head, &sequence);
        if (state->status != NAV_OK) break;
        state->status = fetch_parts(link, t->farm, state, &head);
        if (state->status == NAV_ERR_NOT_FOUND) state->status = NAV_ERR_AGAIN;
    }
    if (state->status == NAV_OK && head.world != state->world) state->status = NAV_ERR_FORMAT;
    state->revision = head.revision;
    state->sequence = head.sequence;
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

void nd_state_forget(nd_bus *bus, const char *farm, const char *space, uint64_t world, uint64_t sequence)
{
    nd_state *state = calloc(1, sizeof *state);
    if (!state) return; // it is found and passed over by those that follow
    state->world = world;
    state->sequence = sequence;
    snprintf(state->space, sizeof state->space, "%s", space);
    if (push(bus, farm, state, run_forget, NULL, NULL) != NAV_OK) nd_state_destroy(state);
}
