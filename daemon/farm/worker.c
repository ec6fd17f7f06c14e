#include "daemon/farm/worker_work.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "navcore/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Jobs at work: one is built, one comes, one goes; and more where there are many threads.
#define GRACE_NS UINT64_C(500000000)
enum { TICK_MS = 1000, FEWEST_JOBS = 3, THREADS_A_JOB = 4, SIGNS = 3, FLUSH_MS = 1000 };

void nd_farm_worker_unref(nd_farm_worker *w)
{
    if (--w->refs) return;
    nd_caller_unref(w->caller);
    free(w);
}

nd_farm_worker_stats nd_farm_worker_stats_of(const nd_farm_worker *w)
{
    nd_farm_worker_stats out = w->stats;
    out.mesh_bytes = w->share ? nd_mesh_share_stats_of(w->share).bytes_in : 0;
    out.jobs = w->job_count;
    out.ready = w->up && w->ready && !w->draining;
    return out;
}

static void send_beat(nd_farm_worker *w)
{
    char subject[ND_SUBJECT_BYTES], host[65] = "";
    nav_buffer out = {0};
    const nd_bus_stats bus = nd_bus_stats_of(w->o.bus);
    (void)gethostname(host, sizeof host - 1);
    nd_beat b = {.kind = ND_BEAT_WORKER,
                 .name = np_str_of(host),
                 .version = np_str_of(NAVD_VERSION),
                 .generator = NAV_GENERATOR_VERSION,
                 .leaves = w->draining,
                 .threads = nd_workers_count(w->o.builder->workers, false),
                 .jobs = w->job_count,
                 .tiles = w->stats.tiles,
                 .found = w->stats.found,
                 .done = w->stats.done,
                 .set_aside = w->stats.set_aside,
                 .refused = w->stats.refused,
                 .bytes_in = bus.bytes_in,
                 .bytes_out = bus.bytes_out,
                 .uptime_s = (nd_now_ns() - w->began_ns) / 1000000000};
    snprintf(b.id, sizeof b.id, "%s", w->o.id);
    snprintf(subject, sizeof subject, "%s.beat.%s", w->o.config->farm_name, w->o.id);
    nav_status s = nd_beat_write(&out, &b);
    if (s == NAV_OK) s = nd_bus_tell(w->o.bus, ND_BUS_RECORDS, subject, out.data, out.size);
    (void)s; // the next one comes in a second
    nav_buffer_deinit(&out);
}

// Signs of life for jobs, so that they are not given to another.
static void sign(nd_farm_worker *w)
{
    const uint64_t now = nd_now_ns(), every_ns = w->o.config->farm_job_s * 1000000000 / SIGNS;
    for (nd_farm_job *j = w->jobs; j; j = j->next) {
        if (j->ending || j->voided || now - j->signed_ns < every_ns) continue;
        nd_intake_acknowledge(w, j->reply, "+WPI");
        j->signed_ns = now;
    }
}

// What was said last is on its way to the server, or it is away.
typedef struct farewell {
    nd_bus_task task;
    nd_farm_worker *worker; // a reference
} farewell;

static void flush(nd_bus_task *task, const nd_bus_link *link)
{
    (void)task;
    (void)natsConnection_FlushTimeout(link->connection, FLUSH_MS);
}

static void flushed(nd_bus_task *task, bool ran)
{
    nd_farm_worker *w = ((farewell *)task)->worker;
    if (ran && !w->closed) w->o.on_idle(w->o.user);
    nd_farm_worker_unref(w);
    free(task);
}

// What it has asked for may be on its way: a job that comes then is ended, too. Where none comes there is none.
static void end_if_idle(nd_farm_worker *w)
{
    if (!w->draining || w->told_idle) return;
    if (!w->asked || !w->up || nd_now_ns() - w->drained_ns > GRACE_NS) nd_intake_stop(w);
    // Where it cannot end them, as the server is away, they are another's soon.
    const bool late = nd_now_ns() - w->drained_ns > w->o.config->drain_s * UINT64_C(1000000000);
    if (!late && (w->jobs_ear || w->job_count)) return;
    w->told_idle = true;
    nd_log(w->job_count ? ND_LOG_WARN : ND_LOG_INFO, "daemon.drained", "complete=%s jobs=%u",
           w->job_count ? "no" : "yes", w->job_count);
    farewell *f = w->up ? malloc(sizeof *f) : NULL;
    if (!f) { // nobody would hear it
        w->o.on_idle(w->o.user);
        return;
    }
    *f = (farewell){.task = {.run = flush, .done = flushed}, .worker = nd_farm_worker_ref(w)};
    nd_bus_push(w->o.bus, ND_BUS_RECORDS, &f->task);
}

static void on_tick(uv_timer_t *clock)
{
    nd_farm_worker *w = clock->data;
    if (w->up) {
        send_beat(w);
        sign(w);
        for (nd_farm_job *j = w->jobs; j; j = j->next)
            if (j->send_again) nd_job_send(j);
        nd_intake_go_on(w);
    }
    end_if_idle(w);
}

void nd_farm_worker_note_bus(nd_farm_worker *w, bool up)
{
    ND_ASSERT_LOOP_THREAD();
    if (w->closed) return;
    w->up = up;
    w->ready = false; // the server may have lost what it had
    w->asked = 0;
    if (up) uv_timer_start(&w->clock, on_tick, 0, TICK_MS);
}

void nd_farm_worker_drain(nd_farm_worker *w)
{
    ND_ASSERT_LOOP_THREAD();
    if (w->draining || w->closed) return;
    w->draining = true;
    w->drained_ns = nd_now_ns();
    uv_timer_start(&w->clock, on_tick, 0, TICK_MS / 50); // it says that it leaves, and looks often
}

static void on_clock_closed(uv_handle_t *clock)
{
    nd_farm_worker_unref(clock->data);
}

nav_status nd_farm_worker_create(const nd_farm_worker_options *o, nd_farm_worker **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_farm_worker *w = calloc(1, sizeof *w);
    nd_caller *caller = w ? nd_caller_create(0) : NULL;
    if (!caller) {
        free(w);
        return NAV_ERR_MEMORY;
    }
    w->o = *o;
    w->caller = caller;
    w->began_ns = nd_now_ns();
    w->max_jobs = FEWEST_JOBS + nd_workers_count(o->builder->workers, false) / THREADS_A_JOB;
    if (w->max_jobs > ND_WORKER_JOBS) w->max_jobs = ND_WORKER_JOBS;
    snprintf(w->inbox, sizeof w->inbox, "_INBOX.navd.%s", o->id);
    snprintf(w->consumer, sizeof w->consumer, "v%d", NAV_GENERATOR_VERSION);
    const nd_mesh_share_options share = {.farm = o->config->farm_name,
                                         .bus = o->bus,
                                         .workers = o->builder->workers,
                                         .meshes = o->meshes,
                                         .on_got = nd_job_take_mesh,
                                         .user = w};
    if (nd_mesh_share_create(&share, &w->share) != NAV_OK || uv_timer_init(o->loop, &w->clock)) {
        nd_mesh_share_close(w->share);
        nd_caller_unref(caller);
        free(w);
        return NAV_ERR_MEMORY;
    }
    w->refs = 2; // the clock's, too
    w->clock.data = w;
    *out = w;
    return NAV_OK;
}

void nd_farm_worker_close(nd_farm_worker *w)
{
    ND_ASSERT_LOOP_THREAD();
    if (!w || w->closed) return;
    w->closed = true;
    w->up = false;
    nd_intake_stop(w);
    nd_bus_hush(w->o.bus, w->void_ear);
    w->void_ear = NULL;
    nd_mesh_share_close(w->share);
    w->share = NULL;
    for (nd_farm_job *j = w->jobs, *next; j; j = next) {
        next = j->next;
        nd_job_cancel(j);
    }
    nd_builder_leave(w->o.builder, w->caller);
    uv_close((uv_handle_t *)&w->clock, on_clock_closed);
    nd_farm_worker_unref(w);
}
