// An area job on its way: its meshes, the job itself, and its end where nobody needs it any more.
#include "daemon/farm/area.h"

#include "daemon/base/clock.h"
#include "daemon/world/areas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEND_MS = 5000, CANCEL_MS = 2000, MOST_TASKS = 8 };

static void listen_for_pack(nd_coordinator *c, nd_area *a);

// --- the job ---

typedef struct sending {
    nd_bus_task task;
    nd_coordinator *c;
    uint64_t area;
    char subject[ND_SUBJECT_BYTES];
    nav_buffer bytes;
    nav_status status;
    uint64_t sequence;
} sending;

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    sending *t = (sending *)task;
    jsPubAck *ack = NULL;
    jsPubOptions o;
    jsErrCode code = 0;
    jsPubOptions_Init(&o);
    o.MaxWait = SEND_MS;
    t->status =
        nd_bus_status(js_Publish(&ack, link->streams, t->subject, t->bytes.data, (int)t->bytes.size, &o, &code), code);
    if (ack) t->sequence = ack->Sequence;
    jsPubAck_Destroy(ack);
}

static void sent(nd_coordinator *c, nd_area *a, const sending *t)
{
    a->sequence = t->sequence;
    if (t->status == NAV_OK) {
        c->stats.jobs++;
        if (a->state != ND_AREA_SENT) return; // a worker was faster than the server: it lacks a mesh
        nd_area_set_state(c, a, ND_AREA_OUT);
        a->deadline_ns = nd_now_ns() + 3 * c->with.config->farm_job_s * UINT64_C(1000000000);
        nd_coordinator_route(c, a); // it may be over
        return;
    }
    c->stats.jobs_failed++;
    nd_coordinator_trouble(c, "job", t->status);
    nd_area_return(c, a, ND_AWAY_NEVER);
}

static void done(nd_bus_task *task, bool ran)
{
    sending *t = (sending *)task;
    nd_coordinator *c = t->c;
    nd_area *a = nd_area_find(c, t->area); // it stays for its tasks
    const bool was_dropped = a->dropped;
    if (!ran) t->status = NAV_ERR_CANCELLED;
    if (was_dropped && t->sequence && !c->closing) { // outdated before it was there
        a->sequence = t->sequence;
        nd_area_cancel(c, a);
    }
    if (nd_area_end_task(c, a)) sent(c, a, t);
    nav_buffer_deinit(&t->bytes);
    free(t);
}

static void send_job(nd_coordinator *c, nd_area *a)
{
    sending *t = calloc(1, sizeof *t);
    listen_for_pack(c, a);
    if (!t || !a->ear || nd_area_writer_finish(&c->job, &t->bytes) != NAV_OK) {
        if (t) nav_buffer_deinit(&t->bytes);
        free(t);
        c->stats.jobs_failed++;
        nd_area_return(c, a, ND_AWAY_NEVER);
        return;
    }
    t->task.run = run;
    t->task.done = done;
    t->c = c;
    t->area = a->number;
    nd_farm_job_subject(c->with.farm, a->space, NAV_GENERATOR_VERSION, c->with.id, t->subject);
    nd_area_set_state(c, a, ND_AREA_SENT);
    a->tasks++;
    nd_bus_push(c->with.bus, ND_BUS_ORDERS, &t->task);
}

// Into c->job, whose meshes are borrowed: those of tiles that somebody still waits for. What does not fit is made here.
// is_open: the builder has just looked at the block.
static bool write_job(nd_coordinator *c, nd_area *a, bool is_open)
{
    const nd_world *w = nd_worlds_find(c->with.builder->worlds, a->block.world);
    nd_area_head head = {.generator = NAV_GENERATOR_VERSION,
                         .job = a->number,
                         .area = a->key,
                         .block_x = a->block.x,
                         .block_z = a->block.z,
                         .wanted = a->form,
                         .zstd_level = (int8_t)c->with.builder->zstd_level};
    if (!w) return false;
    head.revision = w->revision;
    snprintf(head.daemon, sizeof head.daemon, "%s", c->with.id);
    nd_world_settings(w, a->block.profile, &head.settings);
    const int32_t x = a->block.x * ND_AREA_SIDE, z = a->block.z * ND_AREA_SIDE;
    if (!is_open && nd_builder_open_block(c->with.builder, w, a->block.profile, x, z) != NAV_OK) return false;
    if (nd_area_writer_begin(&c->job, &head) != NAV_OK) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->ended[i]) continue;
        const nd_view *v = nd_builder_view(c->with.builder, &a->tiles[i]);
        if (v && nd_area_writer_add(&c->job, v, a->tiles[i].source) == NAV_OK) continue;
        nd_area_return_tile(c, a, i);
    }
    return a->left;
}

static void send_or_wait(nd_coordinator *c, nd_area *a, bool is_open)
{
    uint32_t count = 0;
    bool all = true;
    a->waits_for = (nav_key){0, 0};
    if (!write_job(c, a, is_open)) {
        nd_area_return(c, a, ND_AWAY_NEVER);
        return;
    }
    nd_mesh *const *meshes = nd_area_writer_meshes(&c->job, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (nd_mesh_share_state(c->with.meshes, a->space, meshes[i]->mesh->hash) == ND_SHARE_THERE) continue;
        all = false;
        nav_status s = nd_mesh_share_put(c->with.meshes, a->space, meshes[i]);
        if (s == NAV_ERR_LIMIT) break; // when one of those has ended it goes on
        if (s == NAV_OK) {
            a->waits_for = meshes[i]->mesh->hash;
            continue;
        }
        nd_area_return(c, a, ND_AWAY_NEVER);
        return;
    }
    if (all) send_job(c, a);
}

void nd_area_send(nd_coordinator *c, nd_area *a, bool is_open)
{
    nd_area_set_state(c, a, ND_AREA_MESHES);
    a->deadline_ns = nd_now_ns() + c->with.config->farm_job_s * UINT64_C(1000000000);
    send_or_wait(c, a, is_open);
}

// An area looks again when the last one is there that it has put, or, where there was no room for any, when there is.
// One that cannot be put is put again then, and fails the area.
void nd_area_on_mesh(nd_coordinator *c, const char *space, nav_key hash, nav_status status)
{
    unsigned more = c->in[ND_AREA_MESHES];
    for (nd_area *a = c->oldest, *next; more; a = next) {
        next = a->newer;
        if (a->dropped || a->state != ND_AREA_MESHES) continue;
        more--;
        if (nav_key_is_zero(a->waits_for)) {
            if (nd_mesh_share_is_full(c->with.meshes)) continue;
        } else if (!nav_key_equal(a->waits_for, hash) || strcmp(a->space, space) != 0) {
            continue;
        }
        if (status == NAV_OK || nav_key_is_zero(a->waits_for)) {
            send_or_wait(c, a, false);
        } else {
            c->stats.jobs_failed++;
            nd_area_return(c, a, ND_AWAY_NEVER);
        }
    }
    if (status != NAV_OK && status != NAV_ERR_NOT_FOUND) nd_coordinator_trouble(c, "mesh", status);
}

// --- nobody needs it ---

typedef struct cancelling {
    nd_bus_task task;
    char stream[ND_STREAM_BYTES], subject[ND_SUBJECT_BYTES];
    uint64_t sequence;
    nav_buffer note;
} cancelling;

static void take_out(nd_bus_task *task, const nd_bus_link *link)
{
    cancelling *t = (cancelling *)task;
    jsOptions o;
    jsOptions_Init(&o);
    o.Wait = CANCEL_MS;
    if (t->sequence) (void)js_DeleteMsg(link->streams, t->stream, t->sequence, &o, NULL); // it may be gone already
    (void)natsConnection_Publish(link->connection, t->subject, t->note.data, (int)t->note.size);
}

static void taken_out(nd_bus_task *task, bool ran)
{
    cancelling *t = (cancelling *)task;
    (void)ran;
    nav_buffer_deinit(&t->note);
    free(t);
}

void nd_area_cancel(nd_coordinator *c, nd_area *a)
{
    cancelling *t = calloc(1, sizeof *t);
    if (!t || nd_void_write(&t->note, &a->number, 1) != NAV_OK) {
        free(t);
        return;
    }
    t->task.run = take_out;
    t->task.done = taken_out;
    t->sequence = a->sequence;
    nd_farm_stream(c->with.farm, "jobs", t->stream);
    snprintf(t->subject, sizeof t->subject, "%s.void.%s", c->with.farm, c->with.id);
    c->stats.cancelled++;
    nd_bus_push(c->with.bus, ND_BUS_ORDERS, &t->task);
}

// --- the pack comes ---

static void on_pack(void *area, const nd_bus_message *m)
{
    nd_area *a = area;
    // What it has passed over the cache has.
    nd_wanted *wanted = a->tasks < MOST_TASKS ? nd_area_wanted(a) : NULL;
    if (!wanted) return;
    a->tasks++;
    (void)!nd_wanted_read(wanted, m->bytes, m->count); // it counts what is wrong, and has what is right
    nd_area_arrive(a->of, a, wanted, true);
}

static void listen_for_pack(nd_coordinator *c, nd_area *a)
{
    char subject[ND_SUBJECT_BYTES];
    if (a->ear) return;
    nd_farm_pack_subject(c->with.farm, a->space, a->key, 0, subject);
    if (nd_bus_listen(c->with.bus, ND_BUS_ORDERS, subject, on_pack, a, &a->ear) != NAV_OK) a->ear = NULL;
}
