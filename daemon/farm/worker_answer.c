#include "daemon/farm/worker_work.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 8 };

static void done_subject(const nd_farm_worker *w, const char *space, const char *daemon, char out[ND_SUBJECT_BYTES])
{
    snprintf(out, ND_SUBJECT_BYTES, "%s.%s.done.%s", w->o.config->farm_name, space, daemon);
}

void nd_job_tell(nd_farm_worker *w, const char *space, const char *daemon, const nd_done *d)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer notice = {0};
    nd_done own = *d;
    snprintf(own.worker, sizeof own.worker, "%s", w->o.id);
    done_subject(w, space, daemon, subject);
    nav_status s = nd_done_write(&notice, &own);
    if (s == NAV_OK) s = nd_bus_tell(w->o.bus, ND_BUS_RECORDS, subject, notice.data, notice.size);
    if (s != NAV_OK) nd_log(ND_LOG_WARN, "farm.not_told", "job=%" PRIu64 " why=memory", d->job);
    nav_buffer_deinit(&notice);
}

void nd_job_refuse(nd_farm_job *j, nd_done_status status, const char *why, const nav_key *meshes, uint32_t mesh_count)
{
    nd_farm_worker *w = j->worker;
    const nd_done d = {
        .job = j->area.head.job, .status = status, .why = np_str_of(why), .meshes = meshes, .mesh_count = mesh_count};
    *(status == ND_DONE_SET_ASIDE ? &w->stats.set_aside : &w->stats.refused) += 1;
    if (status != ND_DONE_SET_ASIDE)
        nd_log(ND_LOG_WARN, "farm.job_refused", "daemon=%s job=%" PRIu64 " why=%s", j->area.head.daemon, d.job,
               nd_log_quote_sentence(why).text);
    nd_job_tell(w, j->space, j->area.head.daemon, &d);
    nd_intake_acknowledge(w, j->reply, "+ACK");
    j->ending = true;
    if (!j->busy) nd_job_destroy(j);
}

// --- the lane's thread ---

static void say(nd_farm_job *j, const nd_bus_link *link)
{
    static const char ack[] = "+ACK";
    char subject[ND_SUBJECT_BYTES];
    done_subject(j->worker, j->space, j->area.head.daemon, subject);
    (void)natsConnection_Publish(link->connection, subject, j->notice.data, (int)j->notice.size);
    (void)natsConnection_Publish(link->connection, j->reply, ack, sizeof ack - 1);
}

static void run_send(nd_bus_task *task, const nd_bus_link *link)
{
    nd_farm_job *j = (nd_farm_job *)task;
    j->status = NAV_OK;
    if (j->tile_count)
        j->status = nd_pack_store(link, &j->place, j->tiles, j->tile_count, j->worker->o.config->tile_memory_bytes);
    if (j->status == NAV_OK) say(j, link);
}

// --- loop thread ---

static void sent(nd_bus_task *task, bool ran)
{
    nd_farm_job *j = (nd_farm_job *)task;
    nd_farm_worker *w = j->worker;
    j->busy = false;
    if (ran && j->status == NAV_OK) {
        w->stats.done++;
    } else if (ran && !w->closed && !j->voided && ++j->tries < MOST_TRIES &&
               (j->status == NAV_ERR_IO || j->status == NAV_ERR_TIMEOUT)) {
        j->send_again = true; // when the clock says so: the server is away
        return;
    } else if (ran && !w->closed && !j->voided) {
        char why[ND_DONE_WHY_BYTES];
        snprintf(why, sizeof why, "its tiles could not be stored in the farm: %s", nav_status_text(j->status));
        nd_job_refuse(j, ND_DONE_FAILED, why, NULL, 0);
        return;
    }
    nd_job_destroy(j);
}

void nd_job_send(nd_farm_job *j)
{
    j->send_again = false;
    j->busy = true;
    j->task = (nd_bus_task){.run = run_send, .done = sent};
    nd_bus_push(j->worker->o.bus, ND_BUS_ORDERS, &j->task);
}

// A failure that the same input would repeat is a tile as well.
static bool is_lasting(const nd_reason *how)
{
    return how->status == NAV_ERR_LIMIT || how->status == NAV_ERR_CRASHED;
}

static void add_tile(nd_farm_job *j, uint32_t tile, uint8_t encoding, const nd_cached *value)
{
    j->tiles[j->tile_count++] =
        (nd_stored_tile){.source = j->area.tiles[tile].source, .encoding = encoding, .value = *value};
}

static void add_built(nd_farm_job *j, uint32_t at, nd_done *d, nd_done_tile failed[])
{
    const uint32_t tile = j->batch_tiles[at];
    const nd_batch_tile *t = &j->batch->tiles[at];
    const nd_cached failure = {.status = NP_TILE_FAILED, .failure = t->how};
    const bool ok = t->how.status == NAV_OK;
    if (!ok && !is_lasting(&t->how)) {
        failed[d->tile_count++] = (nd_done_tile){j->area.tiles[tile].x, j->area.tiles[tile].z, t->how.status};
        return;
    }
    for (unsigned e = 0; e < ND_ENCODINGS; e++)
        if (j->area.head.wanted >> e & 1)
            add_tile(j, tile, (uint8_t)e, ok ? nd_batch_out(j->batch, at, (uint8_t)e) : &failure);
    d->built++;
}

static bool add_found(nd_farm_job *j, uint32_t tile)
{
    nd_cached out[ND_ENCODINGS];
    if (!nd_wanted_get(j->found, tile, out)) return false;
    for (unsigned e = 0; e < ND_ENCODINGS; e++)
        if (j->area.head.wanted >> e & 1) add_tile(j, tile, (uint8_t)e, &out[e]);
    return true;
}

void nd_job_answer(nd_farm_job *j)
{
    nd_farm_worker *w = j->worker;
    nd_done_tile failed[ND_DONE_TILES];
    nd_done d = {.job = j->area.head.job, .status = ND_DONE_BUILT, .tiles = failed};
    snprintf(d.worker, sizeof d.worker, "%s", w->o.id);
    j->tiles = calloc((size_t)j->area.tile_count * ND_ENCODINGS, sizeof *j->tiles);
    if (!j->tiles) {
        nd_job_refuse(j, ND_DONE_FAILED, "the worker has no memory for the job", NULL, 0);
        return;
    }
    for (uint32_t i = 0; j->batch && i < j->batch->tile_count; i++) add_built(j, i, &d, failed);
    for (uint32_t i = 0; i < j->area.tile_count; i++) d.found += add_found(j, i);
    w->stats.tiles += d.built;
    w->stats.found += d.found;
    if (nd_done_write(&j->notice, &d) != NAV_OK) {
        nd_job_refuse(j, ND_DONE_FAILED, "the worker has no memory for the job", NULL, 0);
        return;
    }
    nd_job_send(j);
}
