// Tiles of batches (tiles.build), from their turn to finished.
#include "daemon/work/steps.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/work/batch.h"
#include "daemon/work/link_job.h"

#include <stdlib.h>

// The first one of a caller that has tiles to begin, or NULL.
nd_batch *nd_step_ready_batch(const nd_builder *b, const nd_caller *caller, nd_class c)
{
    nd_batch *batch = b->batches;
    while (batch && (batch->caller != caller || batch->class != c || !nd_batch_is_ready(batch))) batch = batch->next;
    return batch;
}

void nd_step_rest(nd_builder *b, nd_caller *caller, nd_class c)
{
    if (!nd_step_ready_batch(b, caller, c)) nd_share_deactivate(&b->queues[nd_missed_queue(c)], &caller->builds[c]);
}

static void end_if_done(nd_batch *batch)
{
    if (nd_batch_is_done(batch)) batch->done(batch);
}

static void batch_tile_done(nd_task *task, bool ran)
{
    nd_builder_job *j = (nd_builder_job *)task;
    nd_builder *b = j->builder;
    nd_jobs_unlink(b, j);
    nd_batch *batch = j->batch;
    if (ran) {
        nd_jobs_count(b, j);
        if (!b->closing) nd_jobs_keep(b, &j->job);
    } else {
        j->job.status = NAV_ERR_CANCELLED;
    }
    nd_batch_finish_tile(batch, j->batch_at, nd_tile_job_reason(&j->job), j->job.out, j->run.queued_us, j->job.made_us);
    nd_jobs_destroy(j);
    end_if_done(batch);
    nd_builder_kick(b);
}

static nd_reason found_reason(const nd_batch *batch, const nd_cached found[ND_ENCODINGS])
{
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++)
        if (batch->wanted >> e & 1 && found[e].status == NP_TILE_FAILED) return found[e].failure;
    return nd_reason_of(NAV_OK);
}

static void batch_found_or_not(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    nd_batch *batch = l->owner; // it lives until all of its tiles are finished
    nd_builder *b = batch->builder;
    b->lookups--;
    if (ran) nd_lookup_remember(l, b->cache);
    if (ran && l->found && !l->bare) {
        nd_batch_finish_tile(batch, l->at, found_reason(batch, l->out), l->out, l->run.queued_us, 0);
    } else if (!ran || batch->cancelled) {
        nd_batch_finish_tile(batch, l->at, nd_reason_of(NAV_ERR_CANCELLED), NULL, l->run.queued_us, 0);
    } else {
        nd_batch_miss(batch, l->at); // where it was found without its links it is in memory now, to have them added
        nd_builder_start_batch(b, batch);
    }
    nd_lookup_destroy(l);
    end_if_done(batch);
    nd_builder_kick(b);
}

// bare: source is the tile's without its links.
static bool batch_asks_disk(nd_builder *b, nd_batch *batch, uint32_t at, nav_key source, bool bare, uint64_t queued_us)
{
    if (batch->tiles[at].missed || b->lookups >= ND_MAX_LOOKUPS || !nd_lookup_may_find(b->disk, source, batch->wanted))
        return false;
    nd_lookup *l = nd_lookup_create(source, batch->wanted, NULL, batch_found_or_not);
    if (!l) return false;
    l->owner = batch;
    l->at = at;
    l->bare = bare;
    l->run.queued_us = queued_us;
    b->lookups++;
    nd_tile_cache_push(b->disk, &l->task);
    return true;
}

// The job that makes the tile of the view, or, where it is in `bare` already, adds its links alone.
static nav_status batch_job(nd_builder *b, const nd_batch *batch, const nav_key *bare_key, const nd_cached *bare,
                            nd_builder_job **out)
{
    const uint8_t wanted = batch->wanted;
    nd_builder_job *j = *out = calloc(1, sizeof *j);
    if (!j) return NAV_ERR_MEMORY;
    if (bare) return nd_link_job_init(&j->job, &b->view, bare, *bare_key, wanted, batch->zstd_level, batch_tile_done);
    nav_status s = bare_key ? nd_link_job_want(&j->job, &b->view, *bare_key) : NAV_OK;
    if (bare_key) b->view.source.link_count = 0;
    return s == NAV_OK ? nd_tile_job_init(&j->job, &b->view, wanted, batch->zstd_level, batch_tile_done) : s;
}

// One tile of a batch moves on; it has one, and a worker is free.
void nd_step_batch(nd_builder *b, nd_batch *batch)
{
    uint32_t at = nd_batch_next(batch);
    nd_step_rest(b, batch->caller, batch->class);
    uint64_t queued_us = (nd_now_ns() - batch->began_ns) / 1000;
    nav_key source, bare;
    nav_status s = batch->calls->view(batch, at, &b->view, &source);
    nd_cached out[ND_ENCODINGS];
    nd_builder_job *j = NULL;
    if (s != NAV_OK) goto failed;
    const uint8_t wanted = batch->wanted;
    bool linked = nd_links_bare_key(&b->view, &bare), has = nd_jobs_ask_cache(b->cache, source, wanted, out);
    bool has_bare = !has && linked && nd_jobs_ask_cache(b->cache, bare, wanted, out);
    if (has || (has_bare && found_reason(batch, out).status != NAV_OK)) {
        b->cache->hit_count++;
        nd_batch_finish_tile(batch, at, found_reason(batch, out), out, queued_us, 0);
        goto done;
    }
    if (!has_bare && batch_asks_disk(b, batch, at, linked ? bare : source, linked, queued_us)) return;
    b->cache->miss_count++;
    s = batch_job(b, batch, linked ? &bare : NULL, has_bare ? out : NULL, &j);
    if (s != NAV_OK) goto failed;
    j->job.timeout_us = b->tile_timeout_us;
    j->job.stuck_us = b->stuck_us;
    j->job.dictionary = batch->dictionary;
    j->job.build = b->build;
    j->batch = batch;
    j->batch_at = at;
    j->job.source_key = source;
    j->run = (nd_run){.queued_us = queued_us, .x = b->view.source.tile_x, .z = b->view.source.tile_z};
    batch->tiles[at].job = &j->job;
    nd_share_charge(&b->queues[nd_missed_queue(batch->class)], &batch->caller->builds[batch->class], b->mean_us);
    nd_jobs_push(b, j, batch->class);
    return;
failed:
    nd_jobs_destroy(j);
    nd_batch_finish_tile(batch, at, nd_reason_of(s), NULL, queued_us, 0);
done:
    end_if_done(batch);
}
