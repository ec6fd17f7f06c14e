#include "daemon/service/measure.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/service/ready.h"
#include "daemon/session/session.h"
#include "daemon/store/world_store.h"
#include "daemon/world/reach.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>

enum { REUSED_NS = 50000000 };

static uint64_t open_descriptors(void)
{
    uint64_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    if (!d) return 0;
    while (readdir(d)) n++;
    closedir(d);
    return n - 3; // ".", "..", and the folder itself
}

static uint64_t microseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

// With many descriptors it takes milliseconds to count them: not at every call of a client that asks all the time.
static void measure_process(nd_service *s, uint64_t *v)
{
    uint64_t now = nd_now_ns();
    if (!s->measured_ns || now - s->measured_ns > REUSED_NS) {
        s->measured_ns = now;
        s->memory_use = nd_memory_in_use(s->methods->memory);
        s->open_descriptors = open_descriptors();
    }
    struct rusage use;
    struct rlimit files;
    v[ND_METRIC_RSS] = s->memory_use.resident;
    v[ND_METRIC_MEMORY_HELD] = s->memory_use.own;
    v[ND_METRIC_OPEN_FDS] = s->open_descriptors;
    if (!getrusage(RUSAGE_SELF, &use)) v[ND_METRIC_CPU] = microseconds(use.ru_utime) + microseconds(use.ru_stime);
    if (!getrlimit(RLIMIT_NOFILE, &files)) v[ND_METRIC_MAX_FDS] = files.rlim_cur;
}

static void sum_queued(void *user, nd_node *n)
{
    *(uint64_t *)user += ND_HOLDER(n, nd_session, node)->output.bytes;
}

static void measure_server(nd_service *s, uint64_t *v)
{
    nd_table_each(&s->methods->sessions->table, sum_queued, &v[ND_METRIC_BYTES_QUEUED]);
    v[ND_METRIC_UPTIME] = (nd_now_ns() - s->began_ns) / 1000000;
    v[ND_METRIC_DRAINING] = s->methods->sessions->draining;
    v[ND_METRIC_READY] = nd_unready(s) == NULL;
    v[ND_METRIC_THREADS] = nd_workers_count(s->methods->workers, true);
    v[ND_METRIC_SESSIONS] = s->methods->sessions->table.count;
    v[ND_METRIC_SESSIONS_OPENED] = s->methods->sessions->stats.opened;
    v[ND_METRIC_SESSIONS_REFUSED] = s->methods->sessions->stats.refused;
    v[ND_METRIC_REQUESTS] = s->methods->sessions->stats.requests;
    v[ND_METRIC_ERRORS] = s->methods->sessions->stats.errors;
    v[ND_METRIC_AUTH_FAILURES] = s->methods->sessions->access.failed_logins;
    v[ND_METRIC_TLS_FAILURES] = s->methods->sessions->access.failed_handshakes;
    v[ND_METRIC_PROTOCOL_ERRORS] = s->methods->sessions->stats.protocol_errors;
    v[ND_METRIC_BYTES_IN] = s->methods->sessions->stats.bytes_in;
    v[ND_METRIC_BYTES_OUT] = s->methods->sessions->stats.bytes_out;
    v[ND_METRIC_EDITS] = s->methods->edits;
    v[ND_METRIC_EDIT_OPS] = s->methods->edit_ops;
    v[ND_METRIC_TILE_NOTES] = s->methods->delivery->tile_notes;
    v[ND_METRIC_TILE_BYTES] = s->methods->delivery->tile_bytes;
    v[ND_METRIC_PATH_CALLS] = s->methods->paths->calls;
    v[ND_METRIC_PATH_QUERIES] = s->methods->paths->queries;
    v[ND_METRIC_PATH_BYTES] = nd_paths_bytes(s->methods->paths);
    v[ND_METRIC_PATH_LANDMARKS] = nd_paths_landmarks(s->methods->paths);
    v[ND_METRIC_MEMORY_LIMIT] = s->methods->memory->limit;
    v[ND_METRIC_MEMORY_REFUSALS] = s->methods->memory->refusals;
    v[ND_METRIC_INPUT] = s->methods->sessions->inputs.bytes;
    v[ND_METRIC_UPLOAD] = s->methods->sessions->upload_bytes;
}

static void measure_memory(const nd_service *s, uint64_t *v)
{
    v[ND_METRIC_MESHES] = s->methods->meshes->table.count;
    v[ND_METRIC_MESH_BYTES] = s->methods->meshes->bytes;
    v[ND_METRIC_MESHES_EVICTED] = s->methods->meshes->evicted_count;
    v[ND_METRIC_CACHE_ENTRIES] = s->methods->cache->table.count;
    v[ND_METRIC_CACHE_BYTES] = s->methods->cache->bytes;
    v[ND_METRIC_CACHE_HITS] = s->methods->cache->hit_count;
    v[ND_METRIC_CACHE_MISSES] = s->methods->cache->miss_count;
    v[ND_METRIC_CACHE_EVICTED] = s->methods->cache->evicted_count;
    if (!s->methods->disk) return;
    nd_tile_cache_stats disk = nd_tile_cache_stats_of(s->methods->disk);
    v[ND_METRIC_DISK_ENTRIES] = disk.entries;
    v[ND_METRIC_DISK_BYTES] = disk.bytes;
    v[ND_METRIC_DISK_HITS] = disk.hits;
    v[ND_METRIC_DISK_MISSES] = disk.misses;
    v[ND_METRIC_DISK_EVICTED] = disk.evicted;
    v[ND_METRIC_DISK_DAMAGED] = disk.damaged;
    v[ND_METRIC_DISK_WRITES] = disk.puts;
    v[ND_METRIC_DISK_DROPPED] = disk.dropped;
    v[ND_METRIC_DISK_ERRORS] = disk.errors;
}

static void measure_store(const nd_service *s, nd_measures *m)
{
    uint64_t *v = m->values;
    v[ND_METRIC_MESHES_LOADING] = s->loader->count - s->loader->next + s->loader->running;
    if (!s->methods->store) return;
    nd_writer_stats writes = nd_writer_statistics(s->methods->store->writer);
    v[ND_METRIC_STORE_FAILING] = nd_world_store_failure(s->methods->store, NULL) != NAV_OK;
    v[ND_METRIC_COMMIT_FAILURES] = writes.failures;
    v[ND_METRIC_COMMIT_BYTES] = nd_writer_held(s->methods->store->writer);
    v[ND_METRIC_COMMITS_PENDING] = nd_writer_pending(s->methods->store->writer);
    v[ND_METRIC_STORE_DAMAGED] = s->methods->store->stats.damaged_pages + s->methods->store->stats.damaged_records;
    m->histograms[ND_HISTOGRAM_COMMIT] = writes.commit;
}

static void measure_world(const nd_world *w, uint64_t *v)
{
    nav_reach_counts reach;
    v[ND_METRIC_WORLDS]++;
    v[ND_METRIC_INSTANCES] += w->objects[ND_INSTANCE].count;
    v[ND_METRIC_TILES] += w->scheduler.tiles.count;
    v[ND_METRIC_TILES_QUEUED] += nd_scheduler_queued(&w->scheduler);
    const size_t *counts = w->scheduler.flows.counts;
    v[ND_METRIC_TILES_INTERACTIVE] += counts[nd_fresh_queue(ND_INTERACTIVE)] + counts[nd_missed_queue(ND_INTERACTIVE)];
    v[ND_METRIC_TILES_BACKGROUND] += counts[nd_fresh_queue(ND_BACKGROUND)] + counts[nd_missed_queue(ND_BACKGROUND)];
    v[ND_METRIC_TILES_RESTING] += w->scheduler.resting.count;
    v[ND_METRIC_TILES_RUNNING] += w->scheduler.running_count;
    v[ND_METRIC_TILES_HELD] += w->scheduler.held.count;
    v[ND_METRIC_TILES_FAILED] += w->scheduler.failures.count;
    for (uint32_t p = 0; p < w->profile_count; p++) {
        if (!nd_reach_count(w, p, &reach)) continue;
        v[ND_METRIC_REACH_PARTS] += reach.parts;
        v[ND_METRIC_REACH_OFF] += reach.parts_off;
        v[ND_METRIC_REACH_LOST] += reach.seeds_lost;
    }
    v[ND_METRIC_REACH_STEPS] += nd_reach_steps(w);
}

static void measure_helpers(const nd_nursery *n, uint64_t *v)
{
    if (!n) return;
    uint64_t all = 0;
    for (unsigned i = 0; i <= ND_DEATH_SIGNALS; i++) all += nd_nursery_deaths(n, i);
    v[ND_METRIC_HELPERS_SEGV] = nd_nursery_deaths(n, SIGSEGV) + nd_nursery_deaths(n, SIGBUS);
    v[ND_METRIC_HELPERS_ABRT] = nd_nursery_deaths(n, SIGABRT);
    v[ND_METRIC_HELPERS_KILL] = nd_nursery_deaths(n, SIGKILL);
    v[ND_METRIC_HELPERS_ALRM] = nd_nursery_deaths(n, SIGALRM);
    v[ND_METRIC_HELPERS_OTHER] = all - v[ND_METRIC_HELPERS_SEGV] - v[ND_METRIC_HELPERS_ABRT] -
                                 v[ND_METRIC_HELPERS_KILL] - v[ND_METRIC_HELPERS_ALRM];
    v[ND_METRIC_HELPERS_AILING] = nd_nursery_ailing(n);
    v[ND_METRIC_CPU] += nd_nursery_cpu_us(n);
}

static void measure_work(const nd_builder *b, nd_measures *m)
{
    const nd_builder_stats *s = &b->stats;
    uint64_t *v = m->values;
    v[ND_METRIC_JOBS_RUNNING] = nd_builder_jobs(b);
    v[ND_METRIC_JOBS_BUILT] = s->built;
    v[ND_METRIC_JOBS_MASKED] = s->masked;
    v[ND_METRIC_JOBS_LINKED] = s->linked;
    v[ND_METRIC_JOBS_SAME] = s->same_content;
    v[ND_METRIC_JOBS_CANCELLED] = s->cancelled;
    v[ND_METRIC_BACKLOG] = b->backlog.growing;
    v[ND_METRIC_JOBS_FAILED] = s->failed;
    v[ND_METRIC_FAILED_LIMIT] = s->failed_by[NAV_ERR_LIMIT];
    v[ND_METRIC_FAILED_MEMORY] = s->failed_by[NAV_ERR_MEMORY];
    v[ND_METRIC_FAILED_TIMEOUT] = s->failed_by[NAV_ERR_TIMEOUT];
    v[ND_METRIC_FAILED_OTHER] = s->failed - s->failed_by[NAV_ERR_LIMIT] - s->failed_by[NAV_ERR_MEMORY] -
                                s->failed_by[NAV_ERR_TIMEOUT] - s->failed_by[NAV_ERR_CRASHED];
    v[ND_METRIC_FAILED_CRASHED] = s->failed_by[NAV_ERR_CRASHED];
    v[ND_METRIC_JOBS_SAVED] = s->saved;
    measure_helpers(nd_workers_nursery(b->workers), v);
    v[ND_METRIC_COARSE_OUTLINES] = s->coarse_outlines;
    v[ND_METRIC_TILES_RETRIED] = s->retried;
    v[ND_METRIC_JOBS_OUTDATED] = s->outdated;
    v[ND_METRIC_TILES_REMOVED] = s->removed;
    v[ND_METRIC_MADE] = s->tile.sum_us;
    v[ND_METRIC_COMPRESS] = s->compress_us;
    v[ND_METRIC_ARENA_PEAK] = s->arena_peak;
    m->histograms[ND_HISTOGRAM_EDIT_TO_TILE] = s->edit_to_tile;
    m->histograms[ND_HISTOGRAM_QUEUE_WAIT] = s->queue_wait;
    m->histograms[ND_HISTOGRAM_TILE] = s->tile;
    for (int i = 0; i < NAV_STAGE_COUNT; i++) m->histograms[ND_HISTOGRAM_STAGES + i] = s->stages[i];
}

static void measure_farm(const nd_farm *f, nd_measures *m)
{
    uint64_t *v = m->values;
    if (!f) return;
    const nd_bus_stats bus = nd_bus_stats_of(f->bus);
    v[ND_METRIC_FARM_JOINED] = 1;
    v[ND_METRIC_FARM_UP] = f->up;
    v[ND_METRIC_FARM_WORKERS] = f->peers.workers;
    v[ND_METRIC_FARM_THREADS] = f->peers.threads;
    v[ND_METRIC_FARM_BYTES_IN] = bus.bytes_in;
    v[ND_METRIC_FARM_BYTES_OUT] = bus.bytes_out;
    v[ND_METRIC_FARM_RECONNECTS] = bus.reconnects;
    v[ND_METRIC_FARM_LOST] = bus.lost;
    if (!f->coordinator) return;
    const nd_coordinator_stats *s = nd_coordinator_stats_of(f->coordinator);
    v[ND_METRIC_FARM_OUT] = nd_coordinator_out(f->coordinator, &v[ND_METRIC_FARM_TILES_OUT]);
    v[ND_METRIC_FARM_FOUND] = s->found;
    v[ND_METRIC_FARM_NOT_FOUND] = s->not_found;
    v[ND_METRIC_FARM_ASKS_LATE] = s->asks_late;
    v[ND_METRIC_FARM_ASKS_FAILED] = s->asks_failed;
    v[ND_METRIC_FARM_JOBS] = s->jobs;
    v[ND_METRIC_FARM_JOBS_FAILED] = s->jobs_failed;
    v[ND_METRIC_FARM_CANCELLED] = s->cancelled;
    v[ND_METRIC_FARM_OVERDUE] = s->overdue;
    v[ND_METRIC_FARM_SLOW] = s->slow;
    v[ND_METRIC_FARM_SET_ASIDE] = s->set_aside;
    v[ND_METRIC_FARM_REFUSED] = s->refused;
    v[ND_METRIC_FARM_MADE] = s->made;
    v[ND_METRIC_FARM_HOME] = s->home;
    v[ND_METRIC_FARM_LATE] = s->late;
    v[ND_METRIC_FARM_SHARED] = s->shared;
    v[ND_METRIC_FARM_NOT_SHARED] = s->not_shared;
    v[ND_METRIC_FARM_DAMAGED] = s->damaged;
    m->histograms[ND_HISTOGRAM_FARM_ASK] = s->ask;
    m->histograms[ND_HISTOGRAM_FARM_JOB] = s->job;
}

static void measure_farm_worker(const nd_farm_worker *w, uint64_t *v)
{
    if (!w) return;
    const nd_farm_worker_stats s = nd_farm_worker_stats_of(w);
    v[ND_METRIC_FARM_AT_WORK] = s.jobs;
    v[ND_METRIC_FARM_DONE] = s.done;
    v[ND_METRIC_FARM_LEFT] = s.set_aside;
    v[ND_METRIC_FARM_REJECTED] = s.refused;
    v[ND_METRIC_FARM_VOIDED] = s.voided;
    v[ND_METRIC_FARM_BUILT] = s.tiles;
    v[ND_METRIC_FARM_HAD] = s.found;
    v[ND_METRIC_FARM_FETCHED] = s.mesh_bytes;
}

static void measure_replica(const nd_replica *r, nd_measures *m)
{
    nd_replica_stats s;
    uint64_t *v = m->values;
    if (!r) return;
    nd_replica_stats_of(r, &s);
    v[ND_METRIC_REPLICA_JOINED] = 1;
    v[ND_METRIC_REPLICA_LEADS] = s.role == ND_REPLICA_LEADING;
    v[ND_METRIC_REPLICA_LIVE] = s.live;
    v[ND_METRIC_REPLICA_EPOCH] = s.epoch;
    v[ND_METRIC_REPLICA_UNLOGGED] = s.waiting;
    v[ND_METRIC_REPLICA_BEHIND] = s.behind;
    v[ND_METRIC_REPLICA_ENTRIES_OUT] = s.entries_out;
    v[ND_METRIC_REPLICA_ENTRIES_IN] = s.entries_in;
    v[ND_METRIC_REPLICA_STATES_OUT] = s.states_out;
    v[ND_METRIC_REPLICA_STATES_IN] = s.states_in;
    v[ND_METRIC_REPLICA_GAPS] = s.gaps;
    v[ND_METRIC_REPLICA_FAILED] = s.failed;
    v[ND_METRIC_REPLICA_FENCED] = s.fenced;
    v[ND_METRIC_REPLICA_LEASES] = s.lease_changes;
    m->histograms[ND_HISTOGRAM_REPLICA_LAG] = s.lag;
}

void nd_measure(void *service, const nd_namespace *space, nd_measures *out)
{
    nd_service *s = service;
    ND_ASSERT_LOOP_THREAD();
    *out = (nd_measures){0};
    measure_process(s, out->values);
    measure_server(s, out->values);
    out->histograms[ND_HISTOGRAM_LOOP_TURN] = *s->turns;
    measure_memory(s, out->values);
    measure_store(s, out);
    const nd_worlds *worlds = s->methods->worlds;
    if (!space) out->values[ND_METRIC_REACH_STEPS] = worlds->gone_steps; // of worlds that are gone
    for (size_t i = 0; i < worlds->count; i++)
        if (!space || worlds->list[i]->space == space) measure_world(worlds->list[i], out->values);
    if (space) {
        out->values[ND_METRIC_SESSIONS] = space->sessions;
        out->values[ND_METRIC_MESH_BYTES] = space->mesh_bytes;
    }
    measure_work(s->methods->builder, out);
    measure_farm(s->farm, out);
    measure_farm_worker(s->worker, out->values);
    measure_replica(s->replica, out);
}
