// The jobs that are at the workers: handed over, taken back, counted, filed in the caches.
#include "daemon/work/steps.h"

#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies what the cache has of a source in the wanted encodings. False where one is missing. The blobs are borrowed.
bool nd_jobs_ask_cache(nd_cache *c, nav_key source, uint8_t wanted, nd_cached out[ND_ENCODINGS])
{
    memset(out, 0, ND_ENCODINGS * sizeof *out);
    for (int e = 0; e < ND_ENCODINGS; e++) {
        if (!(wanted >> e & 1)) continue;
        const nd_cached *found = nd_cache_get(c, source, (uint8_t)e);
        if (!found) return false;
        out[e] = *found;
    }
    return true;
}

static const char *stage_name(unsigned stage)
{
    return stage < NAV_STAGE_COUNT ? nav_stage_name((nav_stage)stage) : "none";
}

// The last one of a tile that is set aside, with the command that gets the tile's input.
static void log_last_death(const nd_tile_death *d, const nd_run *run, const nd_world *w)
{
    char command[3 * ND_LOG_QUOTE_BYTES];
    const np_str profile = w->profiles[run->profile].wire.name;
    const nav_sheet sheet = w->profiles[run->profile].wire.settings.sheet;
    snprintf(command, sizeof command, "navctl tile dump %s %d %d --profile %s%s%s",
             nd_log_value(w->name, strlen(w->name)).text, run->x, run->z, nd_log_value(profile.data, profile.size).text,
             sheet == NAV_SHEET_UP ? "" : " --sheet ", sheet == NAV_SHEET_UP ? "" : nav_sheet_name(sheet));
    nd_log(ND_LOG_ERROR, "helper.died",
           "world=%" PRIu64 " name=%s profile=%u x=%d z=%d stage=%s signal=%d why=\"%s\" tile=failed input=%s",
           run->world, nd_log_quote(w->name, strlen(w->name)).text, run->profile, run->x, run->z, stage_name(d->stage),
           d->of.signal, nd_death_text(d->of.signal), nd_log_quote_sentence(command).text);
}

static void log_deaths(const nd_builder *b, const nd_builder_job *done)
{
    const nd_tile_job *j = &done->job;
    const nd_run *run = &done->run;
    const nd_world *w = run->world ? nd_worlds_find(b->worlds, run->world) : NULL; // NULL: of a batch, or deleted
    const char *name = w ? w->name : "";
    for (unsigned i = 0; i < j->death_count; i++) {
        const nd_tile_death *d = &j->deaths[i];
        bool last = i + 1 == j->death_count && j->status != NAV_OK && j->status != NAV_ERR_EXISTS;
        if (last && w && nd_profile_is_live(w, run->profile)) {
            log_last_death(d, run, w);
            continue;
        }
        nd_log(ND_LOG_ERROR, "helper.died",
               "world=%" PRIu64 " name=%s profile=%u x=%d z=%d stage=%s signal=%d why=\"%s\" tile=%s", run->world,
               nd_log_quote(name, strlen(name)).text, run->profile, run->x, run->z, stage_name(d->stage), d->of.signal,
               nd_death_text(d->of.signal), last ? "failed" : "tried_again");
    }
}

void nd_jobs_count(nd_builder *b, const nd_builder_job *done)
{
    const nd_tile_job *j = &done->job;
    log_deaths(b, done);
    if (j->status == NAV_OK && j->death_count) b->stats.saved++;
    if (j->made_us && !j->base_in.blob && !j->links_only) b->mean_us = (7 * b->mean_us + j->made_us) / 8;
    nd_histogram_add(&b->stats.tile, j->made_us);
    nd_histogram_add(&b->stats.queue_wait, done->run.queued_us);
    b->stats.compress_us += j->compress_us;
    if (j->status == NAV_OK) b->stats.coarse_outlines += j->coarse_outlines;
    for (int s = 0; s < NAV_STAGE_COUNT; s++)
        if (j->stage_us[s]) nd_histogram_add(&b->stats.stages[s], j->stage_us[s]);
    if (j->arena_peak > b->stats.arena_peak) b->stats.arena_peak = j->arena_peak;
    switch (j->status) {
    case NAV_OK:
        *(j->links_only ? &b->stats.linked : j->base_in.blob ? &b->stats.masked : &b->stats.built) += 1;
        break;
    case NAV_ERR_EXISTS:
        b->stats.same_content++;
        break;
    case NAV_ERR_CANCELLED:
        b->stats.cancelled++;
        break;
    default:
        b->stats.failed++;
        b->stats.failed_by[j->status]++;
    }
}

void nd_jobs_keep_one(nd_builder *b, nav_key source, uint8_t encoding, const nd_cached *value)
{
    nd_cache_put(b->cache, source, encoding, value);
    nd_tile_cache_put(b->disk, source, encoding, value);
}

void nd_jobs_keep(nd_builder *b, const nd_tile_job *j)
{
    if (j->status == NAV_ERR_LIMIT || j->status == NAV_ERR_CRASHED) { // the same input will fail again
        const nav_key key = j->link_count && !j->adding_links ? j->bare_key : j->source_key;
        nd_cached failed = {.status = NP_TILE_FAILED, .failure = nd_tile_job_reason(j)};
        for (int e = 0; e < ND_WIRE_ENCODINGS && !j->wants_base; e++)
            if (j->wanted >> e & 1) nd_jobs_keep_one(b, key, (uint8_t)e, &failed);
        if (j->wants_base) nd_jobs_keep_one(b, key, ND_ENCODING_BASE, &failed);
    }
    if (j->status != NAV_OK && j->status != NAV_ERR_EXISTS) return;
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++)
        if (j->wanted >> e & 1) nd_jobs_keep_one(b, j->out_key, (uint8_t)e, &j->out[e]);
    if (j->base.blob) nd_jobs_keep_one(b, j->source_key, ND_ENCODING_BASE, &j->base);
    if (!j->link_count || j->links_only) return;
    const uint8_t bare = j->wants_base ? 1u << ND_ENCODING_BASE : j->wanted;
    for (int e = 0; e < ND_ENCODINGS; e++)
        if (bare >> e & 1) nd_jobs_keep_one(b, j->bare_key, (uint8_t)e, &j->bare[e]);
}

void nd_jobs_destroy(nd_builder_job *j)
{
    if (j) nd_tile_job_deinit(&j->job);
    free(j);
}

void nd_jobs_push(nd_builder *b, nd_builder_job *j, nd_class c)
{
    j->builder = b;
    j->class = c;
    j->job.task.urgent = c == ND_INTERACTIVE;
    j->newer = NULL;
    j->older = b->running;
    if (b->running) b->running->newer = j;
    b->running = j;
    b->in_flight[c]++;
    nd_workers_push(b->workers, &j->job.task);
}

void nd_jobs_unlink(nd_builder *b, nd_builder_job *j)
{
    *(j->newer ? &j->newer->older : &b->running) = j->older;
    if (j->older) j->older->newer = j->newer;
    b->in_flight[j->class]--;
}
