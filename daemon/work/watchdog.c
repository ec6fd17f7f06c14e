// What nobody reports: workers that do not come back, a queue that only grows.
#include "daemon/work/steps.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/work/batch.h"
#include "daemon/world/reach.h"

#include <inttypes.h>

#define SECOND_NS UINT64_C(1000000000)

enum { LOOK_US = 500000 };

static void fail_tile(nd_builder *b, nd_builder_job *j, uint64_t made_us)
{
    nd_world *w;
    nd_tile *t = nd_step_tile_of(b, &j->run, &w);
    if (!t) return;
    nd_made m = nd_made_by(&j->run, made_us);
    uint64_t since = t->since;
    nd_step_fail(b, w, t, NAV_ERR_TIMEOUT, j->job.stage, &m);
    nd_reach_settle(w, since, nd_now_ns());
}

static void fail_batch_tile(nd_builder *b, nd_builder_job *j, uint64_t made_us)
{
    nd_batch *batch = j->batch;
    const nd_cached none = {0};
    batch->tiles[j->batch_at].stage = (uint8_t)j->job.stage;
    nd_batch_finish_tile(batch, j->batch_at, NAV_ERR_TIMEOUT, &none, j->run.queued_us, made_us);
    if (nd_batch_is_done(batch)) b->on_batch(b->user, batch);
}

static void give_up(nd_builder *b, nd_builder_job *j, uint64_t made_us)
{
    unsigned stage = j->job.stage;
    if (!nd_workers_give_up(b->workers, &j->job.task)) return; // it has come back this moment
    nd_jobs_unlink(b, j);
    j->given_up = true;
    b->stuck++;
    b->stats.given_up++;
    b->stats.failed++;
    b->stats.failed_by[NAV_ERR_TIMEOUT]++;
    nd_log(ND_LOG_ERROR, "worker.given_up", "x=%d z=%d stage=%s ms=%" PRIu64 " stuck=%u", j->run.x, j->run.z,
           stage < NAV_STAGE_COUNT ? nav_stage_name((nav_stage)stage) : "none", made_us / 1000, b->stuck);
    if (j->batch)
        fail_batch_tile(b, j, made_us);
    else
        fail_tile(b, j, made_us);
}

// Runs end by themselves at their time, between two steps of a stage. One that does not come to that is given up.
void nd_watch_workers(nd_builder *b)
{
    uint64_t now_ns = nd_now_ns(), max_us = b->tile_timeout_us + b->stuck_us;
    if (now_ns < b->look_ns) return;
    b->look_ns = now_ns + (b->stuck_us < LOOK_US ? b->stuck_us : LOOK_US) * 1000;
    nd_workers_look(b->workers, now_ns);
    for (nd_builder_job *j = b->running; j;) {
        uint64_t began_us = j->job.began_us;
        if (began_us && began_us + max_us < now_ns / 1000) {
            give_up(b, j, now_ns / 1000 - began_us);
            if (j->given_up) { // others may have ended with it
                j = b->running;
                continue;
            }
        }
        j = j->older;
    }
}

// Sampled while something is made: else the queue is empty, and the minute starts again.
void nd_watch_backlog(nd_builder *b)
{
    uint64_t now_ns = nd_now_ns();
    size_t depth = 0;
    bool was = b->backlog.growing;
    if (!b->running) {
        b->backlog = (nd_backlog){.count = 0};
        b->sample_ns = 0;
    } else if (now_ns >= b->sample_ns) {
        b->sample_ns = now_ns + SECOND_NS;
        for (size_t i = 0; i < b->worlds->count; i++) depth += nd_scheduler_queued(&b->worlds->list[i]->scheduler);
        (void)nd_backlog_sample(&b->backlog, depth);
    }
    if (b->backlog.growing == was) return;
    nd_log(was ? ND_LOG_INFO : ND_LOG_WARN, was ? "backlog.over" : "backlog.growing", "tiles=%zu", depth);
}
