#include "daemon/farm/worker_work.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- life ---

void nd_job_destroy(nd_farm_job *j)
{
    nd_farm_worker *w = j->worker;
    nd_farm_job **at = &w->jobs;
    while (*at != j) at = &(*at)->next;
    *at = j->next;
    w->job_count--;
    for (uint32_t i = 0; j->meshes && i < j->area.mesh_count; i++) nd_mesh_unref(j->meshes[i]);
    if (j->batch) {
        nd_builder_remove_batch(w->o.builder, j->batch);
        nd_batch_destroy(j->batch);
    }
    nd_wanted_destroy(j->found);
    nd_area_job_deinit(&j->area);
    nav_buffer_deinit(&j->notice);
    free(j->meshes);
    free(j->batch_tiles);
    free(j->tiles);
    free(j);
    nd_intake_go_on(w);
    nd_farm_worker_unref(w);
}

void nd_job_cancel(nd_farm_job *j)
{
    j->voided = true;
    if (j->busy) return; // it ends when the lane is done with it
    if (j->batch && !nd_batch_is_done(j->batch)) {
        nd_batch_cancel(j->batch);
        if (!nd_batch_is_done(j->batch)) return; // batch_done() comes
    }
    nd_job_destroy(j);
}

static nd_farm_job *job_create(nd_farm_worker *w, const nd_bus_message *m)
{
    nd_farm_job *j = calloc(1, sizeof *j);
    if (!j) return NULL;
    j->worker = nd_farm_worker_ref(w);
    snprintf(j->reply, sizeof j->reply, "%s", m->reply);
    j->signed_ns = nd_now_ns();
    nd_farm_job **at = &w->jobs;
    while (*at) at = &(*at)->next;
    *at = j;
    w->job_count++;
    return j;
}

// --- tiles ---

static nav_status view(const nd_batch *b, uint32_t at, nd_view *v, nav_key *source)
{
    const nd_farm_job *j = b->of;
    *source = j->area.tiles[j->batch_tiles[at]].source;
    return nd_area_job_view(&j->area, j->batch_tiles[at], j->meshes, v);
}

static void leave_batch(void *job)
{
    (void)job; // it outlives its batch
}

static void batch_done(nd_batch *b)
{
    nd_farm_job *j = b->of;
    if (j->voided)
        nd_job_destroy(j);
    else
        nd_job_answer(j);
}

static void build(nd_farm_job *j)
{
    static const nd_batch_calls calls = {.view = view, .destroy = leave_batch};
    nd_builder *builder = j->worker->o.builder;
    const nd_area_head *head = &j->area.head;
    uint32_t count = 0;
    j->batch_tiles = malloc((j->area.tile_count + (size_t)1) * sizeof *j->batch_tiles);
    for (uint32_t i = 0; j->batch_tiles && i < j->area.tile_count; i++)
        if (!nd_wanted_has(j->found, i)) j->batch_tiles[count++] = i;
    if (j->batch_tiles && count) j->batch = nd_batch_create(builder, j->worker->caller, count, head->wanted, &calls, j);
    if (!j->batch_tiles || (count && !j->batch)) {
        nd_job_refuse(j, ND_DONE_FAILED, "the worker has no memory for the job", NULL, 0);
        return;
    }
    if (!count) {
        nd_job_answer(j);
        return;
    }
    j->batch->class = ND_BACKGROUND;
    j->batch->done = batch_done;
    if (head->zstd_level != builder->zstd_level) { // as the job's daemon would compress them
        j->batch->zstd_level = head->zstd_level;
        j->batch->dictionary = NULL;
    }
    nd_builder_add_batch(builder, j->batch);
    nd_batch_start(j->batch);
    nd_builder_kick(builder);
}

static void go_on(nd_farm_job *j)
{
    if (!j->missing && j->looked_up && !j->ending) build(j);
}

// --- what the area's pack has: the lane's thread ---

static void run_look_up(nd_bus_task *task, const nd_bus_link *link)
{
    nd_farm_job *j = (nd_farm_job *)task;
    const nav_status s = nd_pack_look_up(link, &j->place, j->found);
    (void)s; // what cannot be had is built
}

static void looked_up(nd_bus_task *task, bool ran)
{
    nd_farm_job *j = (nd_farm_job *)task;
    j->busy = false;
    if (!ran || j->voided || j->ending) {
        nd_job_destroy(j);
        return;
    }
    j->looked_up = true;
    go_on(j);
}

// A failure is one here as well, where the tile was allowed as much memory as here.
static bool look_up(nd_farm_job *j)
{
    nav_key keys[ND_AREA_TILES];
    for (uint32_t i = 0; i < j->area.tile_count; i++) keys[i] = j->area.tiles[i].source;
    j->found = nd_wanted_create(keys, j->area.tile_count, j->area.head.wanted);
    if (!j->found) return false;
    j->found->takes_failures = true;
    j->found->memory_limit = j->worker->o.config->tile_memory_bytes;
    j->task = (nd_bus_task){.run = run_look_up, .done = looked_up};
    j->busy = true;
    nd_bus_push(j->worker->o.bus, ND_BUS_LOOKUPS, &j->task);
    return true;
}

// --- meshes ---

static nd_mesh *here(const nd_farm_worker *w, const nd_namespace *space, const nav_key *hash)
{
    nd_mesh *m = nd_mesh_store_find_in(w->o.meshes, space, hash);
    return m && m->state == ND_MESH_HERE ? m : NULL;
}

static bool collect_meshes(nd_farm_job *j)
{
    nd_farm_worker *w = j->worker;
    j->meshes = calloc(j->area.mesh_count + (size_t)1, sizeof(nd_mesh *));
    if (!j->meshes) return false;
    for (uint32_t i = 0; i < j->area.mesh_count; i++) {
        nd_mesh *m = here(w, j->of, &j->area.meshes[i]);
        if (m)
            j->meshes[i] = nd_mesh_ref(m);
        else if (nd_mesh_share_get(w->share, j->of, j->area.meshes[i]) == NAV_OK)
            j->missing++;
        else
            return false;
    }
    return true;
}

static void refuse_for_mesh(nd_farm_job *j, nav_key hash, nav_status status)
{
    char text[NAV_KEY_TEXT_BYTES], why[ND_DONE_WHY_BYTES];
    nav_key_text(hash, text);
    const bool gone = status == NAV_ERR_NOT_FOUND || status == NAV_ERR_FORMAT;
    snprintf(why, sizeof why, "the mesh %s: %s", text,
             status == NAV_ERR_LIMIT ? "the worker's memory for meshes is full (--mesh-store-bytes)"
                                     : nav_status_text(status));
    nd_job_refuse(j, gone ? ND_DONE_NO_MESH : ND_DONE_FAILED, why, &hash, gone);
}

void nd_job_take_mesh(void *worker, nd_namespace *space, nav_key hash, nav_status status, nd_mesh *mesh)
{
    nd_farm_worker *w = worker;
    for (nd_farm_job *j = w->jobs, *next; j; j = next) {
        next = j->next;
        if (j->of != space || j->ending || j->voided || !j->missing) continue;
        uint32_t waits = 0; // more than once, in a job that somebody made up
        for (uint32_t i = 0; i < j->area.mesh_count; i++) {
            if (j->meshes[i] || !nav_key_equal(j->area.meshes[i], hash)) continue;
            if (status == NAV_OK) j->meshes[i] = nd_mesh_ref(mesh);
            waits++;
        }
        if (!waits) continue;
        if (status != NAV_OK) {
            refuse_for_mesh(j, hash, status);
            continue;
        }
        j->missing -= waits;
        go_on(j);
    }
}

// --- begin ---

// One that cannot be read is not tried again by anybody.
static void drop(nd_farm_worker *w, const nd_bus_message *m, const char *why)
{
    char space[ND_SPACE_BYTES];
    nd_done d = {.status = ND_DONE_REFUSED, .why = np_str_of(why)};
    char daemon[ND_FARM_ID_BYTES];
    uint32_t generator;
    w->stats.refused++;
    nd_log(ND_LOG_WARN, "farm.job_refused", "why=%s", nd_log_quote_sentence(why).text);
    if (nd_farm_subject_space(w->o.config->farm_name, m->subject, space) &&
        nd_area_job_peek(m->bytes, m->count, &generator, daemon, &d.job))
        nd_job_tell(w, space, daemon, &d);
    nd_intake_acknowledge(w, m->reply, "+ACK");
}

static void set_aside(nd_farm_job *j, unsigned delivered)
{
    const nd_area_head *h = &j->area.head;
    char why[ND_DONE_WHY_BYTES];
    snprintf(why, sizeof why, "it was begun %u times, and never ended", delivered - 1);
    nd_log(ND_LOG_WARN, "farm.job_set_aside", "daemon=%s job=%" PRIu64 " tiles=%u x=%d z=%d why=%s", h->daemon, h->job,
           j->area.tile_count, j->area.tiles[0].x, j->area.tiles[0].z, nd_log_quote_sentence(why).text);
    nd_job_refuse(j, ND_DONE_SET_ASIDE, why, NULL, 0);
}

static void start(nd_farm_job *j, unsigned delivered)
{
    nd_farm_worker *w = j->worker;
    char name[ND_NAMESPACE_BYTES];
    if (!nd_farm_read_space(j->space, name) || nd_namespaces_need(w->o.spaces, name, &j->of) != NAV_OK) {
        nd_job_refuse(j, ND_DONE_REFUSED, "there can be no such namespace as the job's subject names", NULL, 0);
        return;
    }
    if (delivered > ND_JOB_MOST_BEGUN) {
        set_aside(j, delivered);
        return;
    }
    j->place = (nd_pack_place){.farm = w->o.config->farm_name, .area = j->area.head.area};
    memcpy(j->place.space, j->space, sizeof j->place.space);
    if (!collect_meshes(j) || !look_up(j))
        nd_job_refuse(j, ND_DONE_FAILED, "the worker has no memory for the job", NULL, 0);
}

void nd_job_begin(nd_farm_worker *w, const nd_bus_message *m)
{
    ND_ASSERT_LOOP_THREAD();
    const unsigned delivered = nd_intake_delivered(m->reply);
    char why[ND_DONE_WHY_BYTES];
    if (!delivered || strlen(m->reply) >= ND_JOB_REPLY_BYTES) return; // it is not from the stream
    nd_farm_job *j = job_create(w, m);
    if (!j) return; // it comes again
    nav_status s = nd_area_job_read(m->bytes, m->count, &j->area, why, sizeof why);
    if (s == NAV_OK && nd_farm_subject_space(w->o.config->farm_name, m->subject, j->space)) {
        start(j, delivered);
        return;
    }
    if (s != NAV_ERR_MEMORY) drop(w, m, s == NAV_OK ? "the job's subject has no namespace" : why);
    nd_job_destroy(j);
}
