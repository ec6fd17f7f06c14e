// Tiles of worlds, from the queue to finished.
#include "daemon/work/steps.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/work/away.h"
#include "daemon/work/link_job.h"
#include "daemon/world/areas.h"
#include "daemon/world/changes.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"

#include <stdlib.h>
#include <string.h>

static const nd_cached *first_wanted(const nd_cached *out, uint8_t wanted)
{
    int e = 0;
    while (e + 1 < ND_ENCODINGS && !(wanted >> e & 1)) e++;
    return &out[e];
}

static void finish_ok(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nd_made *m,
                      const nd_cached out[ND_WIRE_ENCODINGS])
{
    const nd_cached *any = first_wanted(out, m->wanted);
    nd_tile_result before = t->result;
    t->result = (nd_tile_result){.status = any->status,
                                 .revision = m->revision,
                                 .source = source,
                                 .content = any->content_key,
                                 .queued_us = m->queued_us,
                                 .made_us = m->made_us};
    nd_failures_remove(&w->scheduler.failures, t);
    nd_changes_note(w, t, &before);
    b->on_tile(b->user, w, t, out);
}

static void finish_failed(nd_builder *b, nd_world *w, nd_tile *t, nd_reason why, const nd_made *m)
{
    nd_tile_result before = t->result;
    t->result.status = NP_TILE_FAILED; // source and content stay those of the tile that remains valid
    t->result.failure = why;
    t->result.revision = m->revision;
    t->result.queued_us = m->queued_us;
    t->result.made_us = m->made_us;
    nd_failures_add(&w->scheduler.failures, t, nd_now_ns());
    nd_changes_note(w, t, &before);
    b->on_tile(b->user, w, t, NULL);
}

// What a cache had; the tile is clean.
static void finish_found(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nd_made *m,
                         const nd_cached out[ND_WIRE_ENCODINGS])
{
    const nd_cached *any = first_wanted(out, m->wanted);
    if (any->status == NP_TILE_FAILED)
        finish_failed(b, w, t, any->failure, m);
    else
        finish_ok(b, w, t, source, m, out);
}

// The input is the one of the tile that stands; who lacks its data asks for it by itself (t->asked).
bool nd_step_is_as_it_was(const nd_tile *t, nav_key source)
{
    bool stands = t->result.status == NP_TILE_OK || t->result.status == NP_TILE_EMPTY;
    return stands && !t->forced && !t->asked && nav_key_equal(t->result.source, source);
}

static void finish_as_it_was(nd_builder *b, nd_world *w, nd_tile *t, const nd_made *m)
{
    t->result.revision = m->revision;
    t->result.queued_us = m->queued_us;
    t->result.made_us = 0;
    b->on_tile(b->user, w, t, NULL);
}

static void finish_removed(nd_builder *b, nd_world *w, nd_tile *t)
{
    nd_reach_remove(w, t);
    nd_scheduler_settle(&w->scheduler, t);
    b->stats.removed++;
    nd_tile_result before = t->result;
    t->result = (nd_tile_result){.status = NP_TILE_REMOVED, .revision = w->revision};
    nd_failures_remove(&w->scheduler.failures, t);
    nd_changes_note(w, t, &before);
    b->on_tile(b->user, w, t, NULL);
}

static void end_tile(nd_world *w, nd_tile *t)
{
    if (t->state == ND_TILE_RUNNING)
        (void)nd_scheduler_finish(&w->scheduler, t, t->ticket);
    else
        nd_scheduler_settle(&w->scheduler, t);
}

void nd_step_fail(nd_builder *b, nd_world *w, nd_tile *t, nd_reason why, const nd_made *m)
{
    end_tile(w, t);
    finish_failed(b, w, t, why, m);
}

// Where it is fresh, those that waited before it come first. A world whose meshes are on their way from the disk asks
// the cache only.
static bool may_start(const nd_builder *b, nd_world *w, const nd_tile *t)
{
    return nd_worker_is_free(b, t->class) && nd_world_is_ready(w) &&
           (t->missed || !nd_shares_first(&b->queues[nd_missed_queue(t->class)]));
}

// The caches do not have it: somebody else may. One that was offered and came back at once waits with the others.
static bool goes_away(const nd_builder *b, nd_world *w, nd_tile *t)
{
    if (!b->away || t->class != ND_BACKGROUND || t->away != ND_AWAY_UNKNOWN || t->forced ||
        w->profiles[t->profile].reach)
        return false;
    return b->away->offer(b->away->user, w, t) || t->missed;
}

nd_run nd_step_run(const nd_world *w, const nd_tile *t, const nd_made *m, uint64_t ticket)
{
    return (nd_run){.world = w->id,
                    .ticket = ticket,
                    .revision = m->revision,
                    .queued_us = m->queued_us,
                    .version = w->profiles[t->profile].version,
                    .profile = t->profile,
                    .x = t->x,
                    .z = t->z,
                    .asked = m->wanted};
}

nd_tile *nd_step_tile_of(const nd_builder *b, const nd_run *run, nd_world **w)
{
    *w = nd_worlds_find(b->worlds, run->world);
    nd_tile *t = *w ? nd_scheduler_find(&(*w)->scheduler, run->profile, run->x, run->z) : NULL;
    if (!t || !nd_scheduler_is_newest(t, run->ticket)) return NULL;
    if ((*w)->profiles[run->profile].version == run->version) return t;
    nd_scheduler_requeue(&(*w)->scheduler, t); // it was begun with settings that are gone, and is to be marked still
    return NULL;
}

static void start_job(nd_builder *b, nd_world *w, nd_tile *t, nd_builder_job *j, const nd_made *m)
{
    j->job.timeout_us = b->tile_timeout_us;
    j->job.stuck_us = b->stuck_us;
    j->job.dictionary = b->dictionary;
    // What it took the last time is the best guess of what it will take.
    uint64_t cost = t->result.made_us ? t->result.made_us : b->mean_us;
    nd_flows_charge(&w->scheduler.flows, t, nd_missed_queue(t->class), cost);
    uint64_t ticket = (t->state == ND_TILE_RUNNING ? nd_scheduler_run_on : nd_scheduler_start)(&w->scheduler, t, j);
    j->run = nd_step_run(w, t, m, ticket);
    nd_jobs_push(b, j, t->class);
}

static void tile_done(nd_task *task, bool ran);

static nav_status start_mask(nd_builder *b, nd_world *w, nd_tile *t, const nd_verdict *v, const nd_made *m)
{
    nav_settings settings;
    nd_world_settings(w, t->profile, &settings);
    nd_builder_job *j = calloc(1, sizeof *j);
    nav_status s = j ? nd_tile_job_init_mask(&j->job, v->base, &settings, v->off, v->parts, w->goal.mode, m->wanted,
                                             b->zstd_level, tile_done)
                     : NAV_ERR_MEMORY;
    if (s != NAV_OK) {
        nd_jobs_destroy(j);
        return s;
    }
    j->job.source_key = v->delivered;
    t->masking = true;
    start_job(b, w, t, j, m);
    return NAV_OK;
}

static void found_or_not(nd_disk_task *task, bool ran);

// A queued tile waits for the disk from now on. False: there is no point in asking, or too many wait already.
// bare: source is the tile's without its links.
static bool ask_disk(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, bool bare, uint8_t wanted,
                     const nd_made *m)
{
    if (t->missed || t->forced || b->lookups >= ND_MAX_LOOKUPS || !nd_lookup_may_find(b->disk, source, wanted))
        return false;
    nav_settings settings;
    nd_world_settings(w, t->profile, &settings);
    nd_lookup *l = nd_lookup_create(source, wanted, wanted >> ND_ENCODING_BASE ? &settings : NULL, found_or_not);
    if (!l) return false;
    l->owner = b;
    l->bare = bare;
    l->run = nd_step_run(w, t, m, nd_scheduler_start(&w->scheduler, t, NULL));
    t->masking = false;
    b->lookups++;
    nd_tile_cache_push(b->disk, &l->task);
    return true;
}

// The base tile of the tile's input is at hand; the tile is queued, or the run of j has just ended.
static nav_status deliver(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nd_made *m,
                          const nd_tile_job *j)
{
    nd_verdict v = nd_reach_judge(w, t, source);
    nd_cached found[ND_ENCODINGS];
    bool restless = nd_scheduler_is_restless(t);
    if (v.hold && restless) {
        nd_reach_commit(w, t, nd_now_ns());
        v = nd_reach_judge(w, t, source);
    }
    if (v.hold) {
        nd_scheduler_hold(&w->scheduler, t);
        return NAV_OK;
    }
    bool made_so = j && j->wanted && nav_key_equal(v.delivered, j->out_key);
    if (made_so || nd_jobs_ask_cache(b->cache, v.delivered, m->wanted, found)) {
        end_tile(w, t);
        finish_found(b, w, t, v.delivered, m, made_so ? j->out : found);
        return NAV_OK;
    }
    if (nd_step_is_as_it_was(t, v.delivered)) {
        end_tile(w, t);
        finish_as_it_was(b, w, t, m);
    } else if (t->state == ND_TILE_RUNNING && restless && nd_worker_is_free(b, t->class)) {
        return start_mask(b, w, t, &v, m); // in the queue it would be generated again
    } else if (t->state == ND_TILE_RUNNING) {
        nd_scheduler_requeue(&w->scheduler, t);
    } else if (ask_disk(b, w, t, v.delivered, false, m->wanted, m)) {
        t->masking = true; // the graph may change its verdict meanwhile
    } else if (may_start(b, w, t)) {
        return start_mask(b, w, t, &v, m);
    } else if (!t->missed) {
        nd_scheduler_miss(&w->scheduler, t);
    }
    return NAV_OK;
}

// A base tile comes from a worker. NAV_OK: the tile has moved on.
static nav_status base_done(nd_builder *b, nd_world *w, nd_tile *t, const nd_tile_job *j, const nd_made *m)
{
    const nd_cached *base = &j->base;
    if (j->status == NAV_ERR_EXISTS) { // as it was; the graph does not change it while the tile runs
        base = nd_reach_base(w, t);
        nd_cache_put(b->cache, j->source_key, ND_ENCODING_BASE, base);
    }
    nav_status s = nd_reach_arrive(w, t, j->source_key, base);
    return s == NAV_OK ? deliver(b, w, t, j->source_key, m, j) : s;
}

static void tile_done(nd_task *task, bool ran)
{
    nd_builder_job *own = (nd_builder_job *)task;
    nd_tile_job *j = &own->job;
    nd_builder *b = own->builder;
    nd_jobs_unlink(b, own);
    if (!ran || b->closing) goto done;
    nd_jobs_count(b, own);
    nd_stage_log_add(&b->stage_log, &own->run, j->made_us, j->stage_us);
    if (j->wants_base && j->status == NAV_ERR_EXISTS) j->wanted = 0; // nothing was made of it
    nd_jobs_keep(b, j); // also an outdated result: it is right for its input
    if (b->away && own->class == ND_BACKGROUND && j->status == NAV_OK) b->away->made(b->away->user, &own->run, j);

    nd_world *w;
    nd_tile *t = nd_step_tile_of(b, &own->run, &w);
    if (t && j->status == NAV_ERR_CANCELLED) { // for settings that were about to change
        nd_scheduler_requeue(&w->scheduler, t);
        t = NULL;
    }
    if (!t) {
        b->stats.outdated++;
        nd_builder_kick(b);
        goto done;
    }
    nd_made m = nd_made_by(&own->run, j->made_us);
    uint64_t since = t->since;
    bool ok = j->status == NAV_OK || j->status == NAV_ERR_EXISTS;
    nav_status s = ok && j->wants_base ? base_done(b, w, t, j, &m) : j->status;
    if (!ok || (s != NAV_OK && j->wants_base)) {
        nd_step_fail(b, w, t, ok ? nd_reason_of(s) : nd_tile_job_reason(j), &m);
    } else if (!j->wants_base) {
        end_tile(w, t);
        finish_ok(b, w, t, j->source_key, &m, j->out);
    }
    nd_reach_settle(w, since, nd_now_ns());
    nd_builder_kick(b);
done:
    nd_jobs_destroy(own);
}

// The tile that stands now, where the cache still has it: should the new input gather the same triangles, the run ends
// there.
static void add_known(nd_builder *b, const nd_world *w, nd_tile_job *j, const nd_tile *t)
{
    const nd_cached *base = j->wants_base ? nd_reach_base(w, t) : NULL;
    if (t->forced) return;
    if (j->wants_base) {
        if (!base) return;
        j->has_known = true;
        j->known = base->content_key;
        return;
    }
    nd_cached out[ND_ENCODINGS];
    if (nav_key_is_zero(t->result.content) || !nd_jobs_ask_cache(b->cache, t->result.source, j->wanted, out)) return;
    j->has_known = true;
    j->known = t->result.content;
    memcpy(j->out, out, sizeof j->out);
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++)
        if (out[e].blob) nd_blob_ref(out[e].blob);
}

// What is made of a mesh that the disk has lost would be wrong.
static bool has_lost_mesh(const nd_view *v)
{
    for (uint32_t i = 0; i < v->source.instance_count; i++)
        if (v->meshes[i]->state == ND_MESH_LOST) return true;
    return false;
}

// In a world with a goal a base tile is made as well.
static nav_status want_base(nd_world *w, const nd_tile *t, nd_tile_job *j)
{
    nd_reach_guess guess;
    if (!w->profiles[t->profile].reach) return NAV_OK;
    nav_status s = nd_reach_guess_of(w, t, &guess);
    return s == NAV_OK ? nd_tile_job_want_base(j, &guess) : s;
}

// bare: of a tile that has links, and is generated without them; NULL: source is all of it.
static nav_status start_tile(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nav_key *bare,
                             const nd_made *m)
{
    if (has_lost_mesh(&b->view)) return NAV_ERR_FORMAT;
    nd_builder_job *j = calloc(1, sizeof *j);
    nav_status s = j && bare ? nd_link_job_want(&j->job, &b->view, *bare) : j ? NAV_OK : NAV_ERR_MEMORY;
    if (bare) b->view.source.link_count = 0;
    if (s == NAV_OK) s = nd_tile_job_init(&j->job, &b->view, m->wanted, b->zstd_level, tile_done);
    if (s == NAV_OK) s = want_base(w, t, &j->job);
    if (s != NAV_OK) {
        nd_jobs_destroy(j);
        return s;
    }
    j->job.source_key = source;
    j->job.build = b->build;
    if (!bare) add_known(b, w, &j->job, t);
    t->masking = false;
    start_job(b, w, t, j, m);
    return NAV_OK;
}

static nav_status start_links(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, nav_key bare,
                              const nd_cached found[ND_ENCODINGS], const nd_made *m)
{
    nd_builder_job *j = calloc(1, sizeof *j);
    nav_status s =
        j ? nd_link_job_init(&j->job, &b->view, found, bare, m->wanted, b->zstd_level, tile_done) : NAV_ERR_MEMORY;
    if (s == NAV_OK) s = want_base(w, t, &j->job);
    if (s != NAV_OK) {
        nd_jobs_destroy(j);
        return s;
    }
    j->job.source_key = source;
    t->masking = false;
    start_job(b, w, t, j, m);
    return NAV_OK;
}

// The tile has links, and the memory does not have it with them. Where a cache has it without, they are added; the disk
// is asked for that alone, as one look-up is all that a tile waits for.
static nav_status step_links(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, nav_key bare, const nd_made *m)
{
    const uint8_t form = w->profiles[t->profile].reach ? 1u << ND_ENCODING_BASE : m->wanted;
    nd_cached found[ND_ENCODINGS];
    bool has = !t->forced && nd_jobs_ask_cache(b->cache, bare, form, found);
    const nd_cached *any = has ? first_wanted(found, form) : NULL;
    if (any && any->status == NP_TILE_FAILED) {
        nd_step_fail(b, w, t, any->failure, m);
        return NAV_OK;
    }
    if (!has && ask_disk(b, w, t, bare, true, form, m)) return NAV_OK;
    if (!has && !t->missed && goes_away(b, w, t)) return NAV_OK;
    if (!t->missed && !may_start(b, w, t)) {
        nd_scheduler_miss(&w->scheduler, t);
        return NAV_OK;
    }
    return has ? start_links(b, w, t, source, bare, found, m) : start_tile(b, w, t, source, &bare, m);
}

// In a world with a goal.
static nav_status step_base(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nd_made *m)
{
    nav_status s = NAV_OK;
    if (t->forced || !nd_reach_has(w, t, source)) {
        const nd_cached *base = t->forced ? NULL : nd_cache_get(b->cache, source, ND_ENCODING_BASE);
        if (!base) {
            nav_key bare;
            bool linked = nd_links_bare_key(&b->view, &bare);
            if (!linked && ask_disk(b, w, t, source, false, 1u << ND_ENCODING_BASE, m)) return NAV_OK;
            if (!t->missed) b->cache->miss_count++;
            if (linked) return step_links(b, w, t, source, bare, m);
            if (may_start(b, w, t)) return start_tile(b, w, t, source, NULL, m);
            if (!t->missed) nd_scheduler_miss(&w->scheduler, t);
            return NAV_OK;
        }
        b->cache->hit_count++;
        if (base->status == NP_TILE_FAILED) {
            nd_step_fail(b, w, t, base->failure, m);
            return NAV_OK;
        }
        s = nd_reach_arrive(w, t, source, base);
    }
    return s == NAV_OK ? deliver(b, w, t, source, m, NULL) : s;
}

static nav_status step_whole(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nd_made *m)
{
    nav_key bare;
    bool linked = nd_links_bare_key(&b->view, &bare);
    if (!t->missed) {
        nd_cached out[ND_ENCODINGS];
        if (!t->forced && nd_jobs_ask_cache(b->cache, source, m->wanted, out)) {
            b->cache->hit_count++;
            nd_scheduler_settle(&w->scheduler, t);
            finish_found(b, w, t, source, m, out);
            return NAV_OK;
        }
        if (nd_step_is_as_it_was(t, source)) {
            nd_scheduler_settle(&w->scheduler, t);
            finish_as_it_was(b, w, t, m);
            return NAV_OK;
        }
        if (!linked && ask_disk(b, w, t, source, false, m->wanted, m)) return NAV_OK;
        b->cache->miss_count++;
    }
    if (linked) return step_links(b, w, t, source, bare, m);
    if (!t->missed && goes_away(b, w, t)) return NAV_OK;
    if (!t->missed && !may_start(b, w, t)) {
        nd_scheduler_miss(&w->scheduler, t);
        return NAV_OK;
    }
    return start_tile(b, w, t, source, NULL, m);
}

// The tile of a look-up goes on. NAV_OK: it has.
nav_status nd_step_found(nd_builder *b, nd_world *w, nd_tile *t, const nd_lookup *l, const nd_made *m)
{
    if (!l->found || l->bare) { // what was found is in memory now, to have its links added
        nd_scheduler_give_back(&w->scheduler, t);
        if (!l->found && t->missed) (void)goes_away(b, w, t);
        return NAV_OK;
    }
    if (l->wanted >> ND_ENCODING_BASE) {
        const nd_cached *base = &l->out[ND_ENCODING_BASE];
        if (base->status == NP_TILE_FAILED) {
            nd_step_fail(b, w, t, base->failure, m);
            return NAV_OK;
        }
        nav_status s = nd_reach_arrive(w, t, l->source, base);
        return s == NAV_OK ? deliver(b, w, t, l->source, m, NULL) : s;
    }
    end_tile(w, t);
    finish_found(b, w, t, l->source, m, l->out);
    return NAV_OK;
}

static void found_or_not(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    nd_builder *b = l->owner;
    b->lookups--;
    if (!ran || b->closing) goto done;
    nd_lookup_remember(l, b->cache);
    nd_world *w;
    nd_tile *t = nd_step_tile_of(b, &l->run, &w);
    if (t) {
        nd_made m = nd_made_by(&l->run, 0);
        uint64_t since = t->since;
        nav_status s = nd_step_found(b, w, t, l, &m);
        if (s != NAV_OK) nd_step_fail(b, w, t, nd_reason_of(s), &m);
        nd_reach_settle(w, since, nd_now_ns());
    }
    nd_builder_kick(b);
done:
    nd_lookup_destroy(l);
}

// Nobody watches the tile: what its input has not changed is done all the same.
static void leave(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const nd_made *m)
{
    if (nd_step_is_as_it_was(t, source)) {
        nd_scheduler_settle(&w->scheduler, t);
        finish_as_it_was(b, w, t, m);
    } else {
        nd_scheduler_leave(&w->scheduler, t);
        b->on_left(b->user, w);
    }
}

// One queued tile of a world moves on.
void nd_step_tile(nd_builder *b, nd_world *w, nd_tile *t)
{
    if (!nd_profile_is_live(w, t->profile)) {
        nd_world_drop_tile(w, t);
        return;
    }
    uint64_t since = t->since;
    uint8_t wanted = (uint8_t)(nd_wanted_encodings(&w->profiles[t->profile]) | t->asked);
    t->begun_ns = nd_now_ns();
    nd_made m = {w->revision, (t->begun_ns - t->marked_ns) / 1000, 0, wanted};
    nav_status s = nd_view_collect(&b->view, w, t->profile, t->x, t->z);
    if (s == NAV_OK && !b->view.source.instance_count) {
        finish_removed(b, w, t);
    } else {
        nav_key source = s == NAV_OK ? nav_tile_source_key(&b->view.source) : (nav_key){0, 0};
        bool has_goal = w->profiles[t->profile].reach != NULL;
        if (s == NAV_OK && !nd_scheduler_is_watched(&w->scheduler, t)) {
            leave(b, w, t, source, &m);
            return;
        }
        if (s == NAV_OK) s = (has_goal ? step_base : step_whole)(b, w, t, source, &m);
        if (s != NAV_OK) nd_step_fail(b, w, t, nd_reason_of(s), &m);
    }
    nd_reach_settle(w, since, nd_now_ns());
}
