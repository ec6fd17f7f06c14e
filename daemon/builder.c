#include "daemon/builder.h"

#include "daemon/batch.h"
#include "daemon/reach.h"
#include "daemon/thread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Two jobs stand ready behind the one at work: a worker that finishes goes on, also where the loop has to wait for a
// processor. More would make urgent tiles wait.
enum { PUMP_NS = 2000000, PUMP_CHECK = 8, JOBS_A_WORKER = 3 };

static void on_again(uv_idle_t *handle)
{
    uv_idle_stop(handle);
    nd_builder_pump(handle->data);
}

nav_status nd_builder_init(nd_builder *b, uv_loop_t *loop)
{
    ND_ASSERT_LOOP_THREAD();
    unsigned threads = nd_workers_count(b->workers);
    b->max_in_flight = JOBS_A_WORKER * threads;
    if (uv_idle_init(loop, &b->again)) return NAV_ERR_IO;
    b->again.data = b;
    return NAV_OK;
}

static void cancel_run(void *user, void *run)
{
    (void)user;
    nd_tile_job_cancel(run);
}

void nd_builder_close(nd_builder *b)
{
    ND_ASSERT_LOOP_THREAD();
    b->closing = true;
    for (size_t i = 0; i < b->world_count; i++) (void)nd_scheduler_cancel(&b->worlds[i]->scheduler, cancel_run, NULL);
    for (nd_batch *batch = b->batches; batch; batch = batch->next) nd_batch_cancel(batch);
    uv_close((uv_handle_t *)&b->again, NULL);
}

void nd_builder_deinit(nd_builder *b)
{
    free(b->worlds);
    nd_view_deinit(&b->view);
}

nav_status nd_builder_add_world(nd_builder *b, nd_world *w)
{
    if (b->world_count == b->world_capacity) {
        size_t capacity = b->world_capacity ? 2 * b->world_capacity : 8;
        nd_world **grown = realloc(b->worlds, capacity * sizeof(nd_world *));
        if (!grown) return NAV_ERR_MEMORY;
        b->worlds = grown;
        b->world_capacity = capacity;
    }
    b->worlds[b->world_count++] = w;
    return NAV_OK;
}

void nd_builder_add_batch(nd_builder *b, nd_batch *batch)
{
    batch->next = b->batches;
    b->batches = batch;
}

void nd_builder_remove_batch(nd_builder *b, nd_batch *batch)
{
    for (nd_batch **at = &b->batches; *at; at = &(*at)->next)
        if (*at == batch) {
            *at = batch->next;
            b->batch_removals++;
            return;
        }
}

uint8_t nd_wanted_encodings(const nd_profile *p)
{
    uint8_t mask = 0;
    for (int e = 0; e < ND_ENCODINGS; e++)
        if (p->wanted[e]) mask |= (uint8_t)(1u << e);
    return mask ? mask : 1u << NP_ENCODING_NAVD;
}

// Copies what the cache has of a source in the wanted encodings. False where one is missing. The blobs are borrowed.
static bool ask_cache(nd_cache *c, nav_key source, uint8_t wanted, nd_cached out[ND_ENCODINGS])
{
    memset(out, 0, ND_ENCODINGS * sizeof *out);
    for (int e = 0; e < ND_ENCODINGS; e++) {
        if (!(wanted >> e & 1)) continue;
        const nd_cached *found = nd_cache_get(c, source, (np_encoding)e);
        if (!found) return false;
        out[e] = *found;
    }
    return true;
}

static const nd_cached *first_wanted(const nd_cached out[ND_ENCODINGS], uint8_t wanted)
{
    int e = 0;
    while (e + 1 < ND_ENCODINGS && !(wanted >> e & 1)) e++;
    return &out[e];
}

static void count_job(nd_builder *b, const nd_tile_job *j)
{
    b->stats.made_us += j->made_us;
    b->stats.compress_us += j->compress_us;
    for (int s = 0; s < NAV_STAGE_COUNT; s++) b->stats.stage_us[s] += j->stage_us[s];
    if (j->arena_peak > b->stats.arena_peak) b->stats.arena_peak = j->arena_peak;
    switch (j->status) {
    case NAV_OK:
        *(j->base_in.blob ? &b->stats.masked : &b->stats.built) += 1;
        break;
    case NAV_ERR_EXISTS:
        b->stats.same_content++;
        break;
    case NAV_ERR_CANCELLED:
        b->stats.cancelled++;
        break;
    default:
        b->stats.failed++;
    }
}

static void keep_in_cache(nd_builder *b, const nd_tile_job *j)
{
    if (j->status != NAV_OK && j->status != NAV_ERR_EXISTS) return;
    for (int e = 0; e < ND_ENCODINGS; e++)
        if (j->wanted >> e & 1) nd_cache_put(b->cache, j->out_key, (np_encoding)e, &j->out[e]);
    if (j->base.blob) nd_cache_put(b->cache, j->source_key, (np_encoding)ND_ENCODING_BASE, &j->base);
}

// --- tiles of worlds ---

// How a tile came to be.
typedef struct made {
    uint64_t revision, queued_us, made_us;
    uint8_t wanted; // encodings
} made;

static void finish_ok(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const made *m,
                      const nd_cached out[ND_ENCODINGS])
{
    const nd_cached *any = first_wanted(out, m->wanted);
    t->result = (nd_tile_result){.status = any->status,
                                 .revision = m->revision,
                                 .source = source,
                                 .content = any->content_key,
                                 .queued_us = m->queued_us,
                                 .made_us = m->made_us};
    b->on_tile(b->user, w, t, out);
}

static void finish_failed(nd_builder *b, nd_world *w, nd_tile *t, nav_status why, const made *m)
{
    t->result.status = NP_TILE_FAILED; // source and content stay those of the tile that remains valid
    t->result.failure = why;
    t->result.revision = m->revision;
    t->result.queued_us = m->queued_us;
    t->result.made_us = m->made_us;
    b->on_tile(b->user, w, t, NULL);
}

static void finish_removed(nd_builder *b, nd_world *w, nd_tile *t)
{
    nd_reach_remove(w, t);
    nd_scheduler_settle(&w->scheduler, t);
    b->stats.removed++;
    t->result = (nd_tile_result){.status = NP_TILE_REMOVED, .revision = w->revision};
    b->on_tile(b->user, w, t, NULL);
}

static void end_tile(nd_world *w, nd_tile *t)
{
    if (t->state == ND_TILE_RUNNING)
        (void)nd_scheduler_finish(&w->scheduler, t, t->ticket);
    else
        nd_scheduler_settle(&w->scheduler, t);
}

static void start_job(nd_builder *b, nd_world *w, nd_tile *t, nd_tile_job *j, const made *m)
{
    j->timeout_us = b->tile_timeout_us;
    j->dictionary = b->dictionary;
    j->owner = b;
    j->world = w;
    j->profile = t->profile;
    j->tile_x = t->x;
    j->tile_z = t->z;
    j->revision = m->revision;
    j->queued_us = m->queued_us;
    j->asked = m->wanted;
    j->ticket = nd_scheduler_start(&w->scheduler, t, j);
    b->in_flight++;
    nd_workers_push(b->workers, &j->task);
}

static void tile_done(nd_task *task, bool ran);

static nav_status start_mask(nd_builder *b, nd_world *w, nd_tile *t, const nd_verdict *v, const made *m)
{
    const nav_settings *settings = &w->profiles[t->profile].wire.settings;
    nd_tile_job *j =
        nd_tile_job_create_mask(v->base, settings, v->off, v->parts, w->goal.mode, m->wanted, b->zstd_level, tile_done);
    if (!j) return NAV_ERR_MEMORY;
    j->source_key = v->delivered;
    t->masking = true;
    start_job(b, w, t, j, m);
    return NAV_OK;
}

// The base tile of the tile's input is at hand; the tile is queued, or the run of j has just ended.
static nav_status deliver(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const made *m, const nd_tile_job *j)
{
    nd_verdict v = nd_reach_judge(w, t, source);
    nd_cached found[ND_ENCODINGS];
    if (v.hold) {
        nd_scheduler_hold(&w->scheduler, t);
        return NAV_OK;
    }
    bool made_so = j && j->wanted && nav_key_equal(v.delivered, j->out_key);
    if (made_so || ask_cache(b->cache, v.delivered, m->wanted, found)) {
        end_tile(w, t);
        finish_ok(b, w, t, v.delivered, m, made_so ? j->out : found);
        return NAV_OK;
    }
    if (t->state == ND_TILE_RUNNING) {
        nd_scheduler_requeue(&w->scheduler, t);
    } else if (b->in_flight < b->max_in_flight) {
        return start_mask(b, w, t, &v, m);
    } else if (!t->missed) {
        nd_scheduler_miss(&w->scheduler, t);
    }
    return NAV_OK;
}

// A base tile comes from a worker. NAV_OK: the tile has moved on.
static nav_status base_done(nd_builder *b, nd_world *w, nd_tile *t, const nd_tile_job *j, const made *m)
{
    const nd_cached *base = &j->base;
    if (j->status == NAV_ERR_EXISTS) { // as it was; the graph does not change it while the tile runs
        base = nd_reach_base(t);
        nd_cache_put(b->cache, j->source_key, (np_encoding)ND_ENCODING_BASE, base);
    }
    nav_status s = nd_reach_arrive(w, t, j->source_key, base);
    return s == NAV_OK ? deliver(b, w, t, j->source_key, m, j) : s;
}

static void tile_done(nd_task *task, bool ran)
{
    nd_tile_job *j = (nd_tile_job *)task;
    nd_builder *b = j->owner;
    b->in_flight--;
    if (!ran || b->closing) goto done;
    count_job(b, j);
    if (j->wants_base && j->status == NAV_ERR_EXISTS) j->wanted = 0; // nothing was made of it
    keep_in_cache(b, j); // also an outdated result: it is right for its input

    nd_world *w = j->world;
    nd_tile *t = nd_scheduler_find(&w->scheduler, j->profile, j->tile_x, j->tile_z);
    if (!t || !nd_scheduler_is_newest(t, j->ticket)) {
        b->stats.outdated++;
        nd_builder_pump(b);
        goto done;
    }
    made m = {j->revision, j->queued_us, j->made_us, j->asked};
    uint64_t since = t->since;
    bool ok = j->status == NAV_OK || j->status == NAV_ERR_EXISTS;
    nav_status s = ok && j->wants_base ? base_done(b, w, t, j, &m) : j->status;
    if (!ok || (s != NAV_OK && j->wants_base)) {
        end_tile(w, t);
        finish_failed(b, w, t, s, &m);
    } else if (!j->wants_base) {
        end_tile(w, t);
        finish_ok(b, w, t, j->source_key, &m, j->out);
    }
    nd_reach_settle(w, since, nd_now_ns());
    nd_builder_pump(b);
done:
    nd_tile_job_destroy(j);
}

// The tile that stands now, where the cache still has it: should the new input gather the same triangles, the run ends
// there.
static void add_known(nd_builder *b, nd_tile_job *j, const nd_tile *t)
{
    const nd_cached *base = j->wants_base ? nd_reach_base(t) : NULL;
    if (t->forced) return;
    if (j->wants_base) {
        if (!base) return;
        j->has_known = true;
        j->known = base->content_key;
        return;
    }
    nd_cached out[ND_ENCODINGS];
    if (nav_key_is_zero(t->result.content) || !ask_cache(b->cache, t->result.source, j->wanted, out)) return;
    j->has_known = true;
    j->known = t->result.content;
    memcpy(j->out, out, sizeof out);
    for (int e = 0; e < ND_ENCODINGS; e++)
        if (out[e].blob) nd_blob_ref(out[e].blob);
}

static nav_status start_tile(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const made *m)
{
    nd_tile_job *j = nd_tile_job_create(&b->view, m->wanted, b->zstd_level, tile_done);
    if (!j) return NAV_ERR_MEMORY;
    j->source_key = source;
    if (w->profiles[t->profile].reach && nd_reach_equip(w, t, j) != NAV_OK) {
        nd_tile_job_destroy(j);
        return NAV_ERR_MEMORY;
    }
    add_known(b, j, t);
    t->masking = false;
    start_job(b, w, t, j, m);
    return NAV_OK;
}

// In a world with a goal.
static nav_status step_base(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const made *m)
{
    nav_status s = NAV_OK;
    if (t->forced || !nd_reach_has(t, source)) {
        const nd_cached *base = t->forced ? NULL : nd_cache_get(b->cache, source, (np_encoding)ND_ENCODING_BASE);
        if (!base) {
            if (!t->missed) b->cache->miss_count++;
            if (b->in_flight < b->max_in_flight) return start_tile(b, w, t, source, m);
            if (!t->missed) nd_scheduler_miss(&w->scheduler, t);
            return NAV_OK;
        }
        b->cache->hit_count++;
        s = nd_reach_arrive(w, t, source, base);
    }
    return s == NAV_OK ? deliver(b, w, t, source, m, NULL) : s;
}

static nav_status step_whole(nd_builder *b, nd_world *w, nd_tile *t, nav_key source, const made *m)
{
    if (!t->missed) {
        nd_cached out[ND_ENCODINGS];
        if (!t->forced && ask_cache(b->cache, source, m->wanted, out)) {
            b->cache->hit_count++;
            nd_scheduler_settle(&w->scheduler, t);
            finish_ok(b, w, t, source, m, out);
            return NAV_OK;
        }
        b->cache->miss_count++;
        if (b->in_flight >= b->max_in_flight) {
            nd_scheduler_miss(&w->scheduler, t);
            return NAV_OK;
        }
    }
    return start_tile(b, w, t, source, m);
}

// One tile of a world moves on. False: there is nothing to do, or nothing without a free worker.
static bool step_world(nd_builder *b, nd_world *w)
{
    bool worker_free = b->in_flight < b->max_in_flight;
    nd_tile *t = nd_scheduler_next(&w->scheduler, !worker_free);
    if (!t) return false;
    uint64_t since = t->since;
    uint8_t wanted = (uint8_t)(nd_wanted_encodings(&w->profiles[t->profile]) | t->asked);
    made m = {w->revision, (nd_now_ns() - t->marked_ns) / 1000, 0, wanted};
    nav_status s = nd_view_collect(&b->view, w, t->profile, t->x, t->z);
    if (s == NAV_OK && !b->view.source.instance_count) {
        finish_removed(b, w, t);
    } else {
        nav_key source = s == NAV_OK ? nav_tile_source_key(&b->view.source) : (nav_key){0, 0};
        bool has_goal = w->profiles[t->profile].reach != NULL;
        if (s == NAV_OK) s = (has_goal ? step_base : step_whole)(b, w, t, source, &m);
        if (s != NAV_OK) {
            end_tile(w, t);
            finish_failed(b, w, t, s, &m);
        }
    }
    nd_reach_settle(w, since, nd_now_ns());
    return true;
}

// --- tiles of batches ---

static void batch_tile_done(nd_task *task, bool ran)
{
    nd_tile_job *j = (nd_tile_job *)task;
    nd_builder *b = ((nd_batch *)j->owner)->builder;
    nd_batch *batch = j->owner;
    b->in_flight--;
    if (ran) {
        count_job(b, j);
        if (!b->closing) keep_in_cache(b, j);
    } else {
        j->status = NAV_ERR_CANCELLED;
    }
    nd_batch_finish_tile(batch, j->batch_at, j->status, &j->out[batch->encoding], j->queued_us, j->made_us);
    nd_tile_job_destroy(j);
    if (nd_batch_is_done(batch)) b->on_batch(b->user, batch);
    if (!b->closing) nd_builder_pump(b);
}

// One tile of a batch moves on. False: it has no more to begin, or no worker is free.
static bool step_batch(nd_builder *b, nd_batch *batch)
{
    uint32_t at = batch->next_tile;
    if (!nd_batch_is_ready(batch) || b->in_flight >= b->max_in_flight) return false;
    batch->next_tile++;
    uint64_t queued_us = (nd_now_ns() - batch->began_ns) / 1000;
    nav_status s = nd_batch_view(batch, at, &b->view);
    nd_cached out[ND_ENCODINGS];
    nd_tile_job *j = NULL;
    if (s != NAV_OK) goto failed;
    uint8_t wanted = (uint8_t)(1u << batch->encoding);
    nav_key source = nav_tile_source_key(&b->view.source);
    if (ask_cache(b->cache, source, wanted, out)) {
        b->cache->hit_count++;
        nd_batch_finish_tile(batch, at, NAV_OK, &out[batch->encoding], queued_us, 0);
        goto done;
    }
    b->cache->miss_count++;
    j = nd_tile_job_create(&b->view, wanted, b->zstd_level, batch_tile_done);
    if (!j) {
        s = NAV_ERR_MEMORY;
        goto failed;
    }
    j->timeout_us = b->tile_timeout_us;
    j->dictionary = b->dictionary;
    j->owner = batch;
    j->batch_at = at;
    j->source_key = source;
    j->queued_us = queued_us;
    batch->tiles[at].job = j;
    b->in_flight++;
    nd_workers_push(b->workers, &j->task);
    return true;
failed:
    memset(out, 0, sizeof out);
    nd_batch_finish_tile(batch, at, s, &out[batch->encoding], queued_us, 0);
done:
    if (nd_batch_is_done(batch)) b->on_batch(b->user, batch);
    return true;
}

void nd_builder_kick(nd_builder *b)
{
    if (!b->closing) uv_idle_start(&b->again, on_again);
}

void nd_builder_pump(nd_builder *b)
{
    ND_ASSERT_LOOP_THREAD();
    if (b->closing) return;
    uint64_t end = nd_now_ns() + PUMP_NS;
    unsigned steps = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < b->world_count; i++) {
            b->turn = b->turn + 1 < b->world_count ? b->turn + 1 : 0;
            moved |= step_world(b, b->worlds[b->turn]);
        }
        for (nd_batch *batch = b->batches, *next; batch; batch = next) {
            uint64_t removals = b->batch_removals;
            next = batch->next; // on_batch removes and frees this one, and others too where a session closes
            moved |= step_batch(b, batch);
            if (b->batch_removals > removals + 1) next = b->batches;
        }
        if (moved && ++steps % PUMP_CHECK == 0 && nd_now_ns() > end) {
            nd_builder_kick(b);
            return;
        }
    }
}
