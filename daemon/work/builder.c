#include "daemon/work/steps.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/work/away.h"
#include "daemon/work/batch.h"

#include <stdlib.h>

// Two jobs stand ready behind the one at work: a worker that finishes goes on, also where the loop has to wait for a
// processor. More would make urgent tiles wait.
enum { PUMP_NS = 500000, PUMP_CHECK = 8, JOBS_A_WORKER = 3, FIRST_MEAN_US = 2000, LOOK_AT = 4096 };

static void on_again(uv_idle_t *handle)
{
    uv_idle_stop(handle);
    nd_builder_pump(handle->data);
}

static void on_clock(uv_timer_t *timer)
{
    nd_builder *b = timer->data;
    b->clock_ns = UINT64_MAX; // it may come a little early: then it is set again
    nd_builder_pump(b);
}

// Tiles that have waited for their time go into the queue, and some of those that are watched by now. True: there may
// be more of the latter.
static bool wake_tiles(nd_builder *b)
{
    uint64_t now_ns = nd_now_ns();
    bool more = false;
    for (size_t i = 0; i < b->worlds->count; i++) {
        nd_world *w = b->worlds->list[i];
        nd_scheduler_wake(&w->scheduler, now_ns);
        for (nd_tile *t; (t = nd_failures_first(&w->scheduler.failures)) && t->due_ns <= now_ns;) {
            const nd_mark m = {.revision = w->revision, .now_ns = now_ns, .class = ND_BACKGROUND, .by = ND_BY_RETRY};
            (void)nd_scheduler_mark(&w->scheduler, t, &m); // it does not run
            b->stats.retried++;
        }
        if (!w->scheduler.to_look) continue;
        bool goes_on = nd_scheduler_look(&w->scheduler, LOOK_AT, now_ns);
        if (!goes_on) b->on_left(b->user, w);
        more |= goes_on;
    }
    return more;
}

// One timer for all tiles that wait for a time.
static void set_clock(nd_builder *b)
{
    uint64_t due_ns = UINT64_MAX, now_ns = nd_now_ns();
    for (size_t i = 0; i < b->worlds->count; i++) {
        const nd_scheduler *s = &b->worlds->list[i]->scheduler;
        const nd_tile *failed = nd_failures_first(&s->failures);
        if (nd_scheduler_due(s) < due_ns) due_ns = nd_scheduler_due(s);
        if (failed && failed->due_ns < due_ns) due_ns = failed->due_ns;
    }
    if (nd_workers_need_looks(b->workers) && b->look_ns < due_ns) due_ns = b->look_ns;
    if (b->running && b->sample_ns < due_ns) due_ns = b->sample_ns;
    if (due_ns == b->clock_ns) return;
    b->clock_ns = due_ns;
    if (due_ns == UINT64_MAX)
        uv_timer_stop(&b->clock);
    else
        uv_timer_start(&b->clock, on_clock, due_ns > now_ns ? (due_ns - now_ns) / 1000000 + 1 : 0, 0);
}

nav_status nd_builder_init(nd_builder *b, uv_loop_t *loop)
{
    ND_ASSERT_LOOP_THREAD();
    for (int c = 0; c < ND_CLASSES; c++)
        b->max_in_flight[c] = JOBS_A_WORKER * nd_workers_count(b->workers, c == ND_INTERACTIVE);
    b->mean_us = FIRST_MEAN_US;
    if (uv_idle_init(loop, &b->again)) return NAV_ERR_IO;
    if (uv_timer_init(loop, &b->clock)) return NAV_ERR_IO;
    b->again.data = b->clock.data = b;
    b->clock_ns = UINT64_MAX;
    return NAV_OK;
}

static void cancel_run(void *run)
{
    (void)nd_tile_job_cancel(run);
}

static void cancel_each(void *user, void *run)
{
    (void)user;
    nd_tile_job_cancel(run);
}

void nd_builder_close(nd_builder *b)
{
    ND_ASSERT_LOOP_THREAD();
    b->closing = true;
    for (size_t i = 0; i < b->worlds->count; i++)
        (void)nd_scheduler_cancel(&b->worlds->list[i]->scheduler, NULL, cancel_each, NULL);
    for (nd_batch *batch = b->batches; batch; batch = batch->next) nd_batch_cancel(batch);
    uv_close((uv_handle_t *)&b->again, NULL);
    uv_close((uv_handle_t *)&b->clock, NULL);
}

unsigned nd_builder_jobs(const nd_builder *b)
{
    unsigned n = 0;
    for (int c = 0; c < ND_CLASSES; c++) n += b->in_flight[c];
    return n;
}

void nd_builder_drain(nd_builder *b)
{
    for (int c = 0; c < ND_CLASSES; c++) b->max_in_flight[c] = 0;
}

void nd_builder_deinit(nd_builder *b)
{
    nd_view_deinit(&b->view);
    nd_view_deinit(&b->away_view);
    nd_block_deinit(&b->block);
    nd_stage_log_deinit(&b->stage_log);
}

void nd_builder_add_world(nd_builder *b, nd_world *w)
{
    w->scheduler.pace = &b->pace;
    w->cancel_run = cancel_run;
    nd_flows_share(&w->scheduler.flows, w, nd_quota_weight(&w->space->quota), b->queues);
}

void nd_builder_weigh_worlds(nd_builder *b)
{
    for (size_t i = 0; i < b->worlds->count; i++) {
        nd_world *w = b->worlds->list[i];
        nd_flows_set_weight(&w->scheduler.flows, nd_quota_weight(&w->space->quota));
    }
}

void nd_builder_remove_world(nd_builder *b, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    if (b->away) b->away->leave(b->away->user, w);
    for (nd_builder_job *j = b->running; j; j = j->older)
        if (j->run.world == w->id) nd_tile_job_cancel(&j->job);
    nd_flows_unshare(&w->scheduler.flows);
}

unsigned nd_builder_stop_profile(nd_builder *b, const nd_world *w, uint32_t profile)
{
    ND_ASSERT_LOOP_THREAD();
    unsigned ended = 0;
    for (nd_builder_job *j = b->running; j; j = j->older)
        if (j->run.world == w->id && j->run.profile == profile) ended += !nd_tile_job_cancel(&j->job);
    return ended;
}

void nd_builder_add_batch(nd_builder *b, nd_batch *batch)
{
    nd_batch **end = &b->batches;
    while (*end) end = &(*end)->next;
    batch->id = ++b->next_batch;
    batch->next = NULL;
    *end = batch;
}

void nd_builder_start_batch(nd_builder *b, nd_batch *batch)
{
    nd_share_activate(&b->queues[nd_missed_queue(batch->class)], &batch->caller->builds[batch->class]);
}

void nd_builder_remove_batch(nd_builder *b, nd_batch *batch)
{
    nd_batch **at = &b->batches;
    while (*at && *at != batch) at = &(*at)->next;
    if (!*at) return;
    *at = batch->next;
    nd_step_rest(b, batch->caller, batch->class);
}

void nd_builder_leave(nd_builder *b, nd_caller *caller)
{
    for (size_t i = 0; i < b->worlds->count; i++) nd_flows_leave(&b->worlds->list[i]->scheduler.flows, caller);
}

uint8_t nd_wanted_encodings(const nd_profile *p)
{
    uint8_t mask = 0;
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++)
        if (p->wanted[e]) mask |= (uint8_t)(1u << e);
    return mask ? mask : 1u << NP_ENCODING_NAVD;
}

// --- whose turn it is ---

// Asks the cache for one tile.
static bool step_fresh(nd_builder *b, nd_class c)
{
    const nd_share *share = nd_shares_first(&b->queues[nd_fresh_queue(c)]);
    if (!share) return false;
    nd_world *w = share->owner;
    if (w->applying) { // its objects are of two revisions
        nd_share_deactivate(&b->queues[nd_fresh_queue(c)], &w->scheduler.flows.up[nd_fresh_queue(c)]);
        b->worlds_wait = true;
        return true;
    }
    nd_tile *t = nd_scheduler_next(&w->scheduler, c, false);
    nd_flows_charge(&w->scheduler.flows, t, nd_fresh_queue(c), 1);
    nd_step_tile(b, w, t);
    return true;
}

// Gives a worker one tile that waits for it.
static bool step_missed(nd_builder *b, nd_class c)
{
    const nd_share *share = nd_worker_is_free(b, c) ? nd_shares_first(&b->queues[nd_missed_queue(c)]) : NULL;
    if (!share) return false;
    if (share->kind == ND_SHARE_BUILDS) {
        nd_batch *batch = nd_step_ready_batch(b, share->owner, c);
        if (batch)
            nd_step_batch(b, batch);
        else
            nd_step_rest(b, share->owner, c); // it was cancelled
    } else {
        nd_world *w = share->owner;
        if (nd_world_is_ready(w)) {
            nd_step_tile(b, w, nd_scheduler_next(&w->scheduler, c, true));
        } else {
            nd_share_deactivate(&b->queues[nd_missed_queue(c)], &w->scheduler.flows.up[nd_missed_queue(c)]);
            b->worlds_wait = true;
        }
    }
    return true;
}

// The cache may know what is urgent; for the rest it is asked while the workers are busy.
static bool step(nd_builder *b)
{
    return step_fresh(b, ND_INTERACTIVE) || step_missed(b, ND_INTERACTIVE) || step_missed(b, ND_BACKGROUND) ||
           (b->away && b->away->step(b->away->user)) ||
           (!(b->away && b->away->is_full(b->away->user)) && step_fresh(b, ND_BACKGROUND));
}

// Worlds whose meshes have come, or whose edit is in them, take part again.
static void wake_worlds(nd_builder *b)
{
    if (!b->worlds_wait) return;
    b->worlds_wait = false;
    for (size_t i = 0; i < b->worlds->count; i++) {
        nd_world *w = b->worlds->list[i];
        bool ready = nd_world_is_ready(w);
        b->worlds_wait |= !ready;
        for (unsigned c = 0; !w->applying && c < ND_CLASSES; c++) {
            unsigned fresh = nd_fresh_queue(c), missed = nd_missed_queue(c);
            if (w->scheduler.flows.counts[fresh]) nd_share_activate(&b->queues[fresh], &w->scheduler.flows.up[fresh]);
            if (ready && w->scheduler.flows.counts[missed])
                nd_share_activate(&b->queues[missed], &w->scheduler.flows.up[missed]);
        }
    }
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
    if (wake_tiles(b)) nd_builder_kick(b);
    wake_worlds(b);
    nd_watch_workers(b);
    nd_watch_backlog(b);
    for (unsigned steps = 0; step(b);) {
        steps += 1 + b->away_steps;
        b->away_steps = 0;
        if (steps < PUMP_CHECK) continue;
        steps = 0;
        if (nd_now_ns() > end) {
            nd_builder_kick(b);
            return;
        }
    }
    set_clock(b);
}
