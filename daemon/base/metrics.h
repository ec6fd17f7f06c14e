// DESIGN. What can be counted of the daemon: one table (metrics.c) of counters and gauges with their names, units and
// words, and one of histograms. The method `stats` and the page /metrics (Prometheus text) both read it. Nothing is
// counted here: whoever does something counts it where it happens, and nd_measure() (measure.h) reads it all when
// somebody asks.
//
// To add one: a row in ND_METRIC_LIST or ND_HISTOGRAM_LIST, and the line in measure.c that fills it. Rows of one
// Prometheus name stand together and differ in their labels. Any thread; a histogram belongs to the thread that adds.
#ifndef ND_METRICS_H
#define ND_METRICS_H

#include "core/base/buffer.h"
#include "core/build.h"

// X(ID, name in stats, Prometheus name, labels, type, unit, words)
#define ND_METRIC_LIST(X)                                                                                              \
    X(UPTIME, "uptime_ms", "navd_uptime_seconds", "", GAUGE, MS, "Time since the start.")                              \
    X(RSS, "rss_bytes", "process_resident_memory_bytes", "", GAUGE, ONE, "Resident memory of the process.")            \
    X(CPU, "cpu_us", "process_cpu_seconds_total", "", COUNTER, US, "Processor time, user and system.")                 \
    X(OPEN_FDS, "open_fds", "process_open_fds", "", GAUGE, ONE, "Open file descriptors.")                              \
    X(MAX_FDS, "max_fds", "process_max_fds", "", GAUGE, ONE, "Limit on file descriptors.")                             \
    X(THREADS, "threads", "navd_worker_threads", "", GAUGE, ONE,                                                       \
      "Worker threads for edits; as many do background work.")                                                         \
    X(READY, "ready", "navd_ready", "", GAUGE, ONE, "1 while /readyz answers 200.")                                    \
    X(DRAINING, "draining", "navd_draining", "", GAUGE, ONE, "1 from SIGTERM on.")                                     \
    X(SESSIONS, "sessions", "navd_sessions", "", GAUGE, ONE, "Open sessions.")                                         \
    X(SESSIONS_OPENED, "sessions_opened", "navd_sessions_opened_total", "", COUNTER, ONE, "Sessions opened.")          \
    X(SESSIONS_REFUSED, "sessions_refused", "navd_sessions_refused_total", "", COUNTER, ONE,                           \
      "Connections closed at once.")                                                                                   \
    X(REQUESTS, "requests", "navd_requests_total", "", COUNTER, ONE, "Messages from clients.")                         \
    X(ERRORS, "errors", "navd_request_errors_total", "", COUNTER, ONE, "Calls answered with an error.")                \
    X(AUTH_FAILURES, "auth_failures", "navd_auth_failures_total", "", COUNTER, ONE, "Invalid tokens.")                 \
    X(TLS_FAILURES, "tls_failures", "navd_tls_failures_total", "", COUNTER, ONE, "Failed TLS handshakes.")             \
    X(PROTOCOL_ERRORS, "protocol_errors", "navd_protocol_errors_total", "", COUNTER, ONE,                              \
      "Sessions closed for breaking the protocol.")                                                                    \
    X(BYTES_IN, "bytes_in", "navd_bytes_received_total", "", COUNTER, ONE, "Bytes received from clients.")             \
    X(BYTES_OUT, "bytes_out", "navd_bytes_sent_total", "", COUNTER, ONE, "Bytes sent to clients.")                     \
    X(BYTES_QUEUED, "bytes_queued", "navd_output_queued_bytes", "", GAUGE, ONE,                                        \
      "Output that clients have not read yet.")                                                                        \
    X(MEMORY_HELD, "memory_held_bytes", "navd_memory_held_bytes", "", GAUGE, ONE,                                      \
      "Memory held, without mapped files: what counts against the limit.")                                             \
    X(MEMORY_LIMIT, "memory_limit_bytes", "navd_memory_limit_bytes", "", GAUGE, ONE,                                   \
      "Memory that the process may hold (max_memory_bytes).")                                                          \
    X(MEMORY_REFUSALS, "memory_refusals", "navd_memory_refusals_total", "", COUNTER, ONE,                              \
      "Calls refused for lack of memory.")                                                                             \
    X(INPUT, "input_bytes", "navd_input_bytes", "", GAUGE, ONE, "Received bytes of unfinished messages.")              \
    X(UPLOAD, "upload_bytes", "navd_upload_bytes", "", GAUGE, ONE, "Received bytes of unfinished mesh uploads.")       \
    X(EDITS, "edits", "navd_edits_total", "", COUNTER, ONE, "Edits applied.")                                          \
    X(EDIT_OPS, "edit_ops", "navd_edit_operations_total", "", COUNTER, ONE, "Operations in edits.")                    \
    X(TILE_NOTES, "tile_notes", "navd_tile_notes_total", "", COUNTER, ONE, "Tiles sent to subscribers.")               \
    X(TILE_BYTES, "tile_bytes", "navd_tile_bytes_total", "", COUNTER, ONE, "Bytes of tiles sent to subscribers.")      \
    X(PATH_CALLS, "path_calls", "navd_path_calls_total", "", COUNTER, ONE, "Calls about paths.")                       \
    X(PATH_QUERIES, "path_queries", "navd_path_queries_total", "", COUNTER, ONE, "Paths asked for.")                   \
    X(PATH_BYTES, "path_bytes", "navd_path_bytes", "", GAUGE, ONE, "Memory for paths: tiles, calls and searches.")     \
    X(PATH_LANDMARKS, "path_landmarks", "navd_path_landmarks", "", GAUGE, ONE, "Landmarks that searches use.")         \
    X(WORLDS, "worlds", "navd_worlds", "", GAUGE, ONE, "Worlds.")                                                      \
    X(INSTANCES, "instances", "navd_instances", "", GAUGE, ONE, "Instances in all worlds.")                            \
    X(TILES, "tiles", "navd_tiles", "", GAUGE, ONE, "Tiles in all worlds and profiles.")                               \
    X(TILES_QUEUED, "tiles_queued", "navd_tiles_open", "state=\"queued\"", GAUGE, ONE,                                 \
      "Tiles that are out of date, by state.")                                                                         \
    X(TILES_RUNNING, "tiles_running", "navd_tiles_open", "state=\"running\"", GAUGE, ONE, "")                          \
    X(TILES_HELD, "tiles_held", "navd_tiles_open", "state=\"held\"", GAUGE, ONE, "")                                   \
    X(TILES_INTERACTIVE, "tiles_queued_interactive", "navd_tiles_waiting", "class=\"interactive\"", GAUGE, ONE,        \
      "Queued tiles, by class.")                                                                                       \
    X(TILES_BACKGROUND, "tiles_queued_background", "navd_tiles_waiting", "class=\"background\"", GAUGE, ONE, "")       \
    X(TILES_RESTING, "tiles_resting", "navd_tiles_resting", "", GAUGE, ONE,                                            \
      "Queued tiles that are edited continually and wait for their next run.")                                         \
    X(HELPERS_AILING, "helpers_ailing", "navd_helpers_ailing", "", GAUGE, ONE,                                         \
      "Helper processes that die one after the other.")                                                                \
    X(HELPERS_SEGV, "helpers_died_segv", "navd_helpers_died_total", "signal=\"SEGV\"", COUNTER, ONE,                   \
      "Helper processes that died, by signal. SEGV: also BUS.")                                                        \
    X(HELPERS_ABRT, "helpers_died_abrt", "navd_helpers_died_total", "signal=\"ABRT\"", COUNTER, ONE, "")               \
    X(HELPERS_KILL, "helpers_died_kill", "navd_helpers_died_total", "signal=\"KILL\"", COUNTER, ONE, "")               \
    X(HELPERS_ALRM, "helpers_died_alrm", "navd_helpers_died_total", "signal=\"ALRM\"", COUNTER, ONE, "")               \
    X(HELPERS_OTHER, "helpers_died_other", "navd_helpers_died_total", "signal=\"other\"", COUNTER, ONE, "")            \
    X(REACH_PARTS, "reach_parts", "navd_reach_parts", "", GAUGE, ONE,                                                  \
      "Connected parts of tiles, in worlds with seeds or a minimum area.")                                             \
    X(REACH_OFF, "reach_parts_unreachable", "navd_reach_parts_unreachable", "", GAUGE, ONE,                            \
      "Parts that cannot be reached.")                                                                                 \
    X(REACH_LOST, "reach_seeds_without_ground", "navd_reach_seeds_without_ground", "", GAUGE, ONE,                     \
      "Seeds without ground.")                                                                                         \
    X(REACH_STEPS, "reach_steps", "navd_reach_steps_total", "", COUNTER, ONE, "Search steps for reachability.")        \
    X(MESHES, "meshes", "navd_meshes", "", GAUGE, ONE, "Meshes in memory.")                                            \
    X(MESH_BYTES, "mesh_bytes", "navd_mesh_bytes", "", GAUGE, ONE, "Memory held by meshes.")                           \
    X(MESHES_EVICTED, "meshes_evicted", "navd_meshes_evicted_total", "", COUNTER, ONE, "Meshes evicted from memory.")  \
    X(CACHE_ENTRIES, "cache_entries", "navd_cache_entries", "cache=\"memory\"", GAUGE, ONE, "Tiles in a cache.")       \
    X(DISK_ENTRIES, "disk_cache_entries", "navd_cache_entries", "cache=\"disk\"", GAUGE, ONE, "")                      \
    X(CACHE_BYTES, "cache_bytes", "navd_cache_bytes", "cache=\"memory\"", GAUGE, ONE, "Size of a cache.")              \
    X(DISK_BYTES, "disk_cache_bytes", "navd_cache_bytes", "cache=\"disk\"", GAUGE, ONE, "")                            \
    X(CACHE_HITS, "cache_hits", "navd_cache_hits_total", "cache=\"memory\"", COUNTER, ONE, "Tiles found in a cache.")  \
    X(DISK_HITS, "disk_cache_hits", "navd_cache_hits_total", "cache=\"disk\"", COUNTER, ONE, "")                       \
    X(CACHE_MISSES, "cache_misses", "navd_cache_misses_total", "cache=\"memory\"", COUNTER, ONE,                       \
      "Tiles not found in a cache.")                                                                                   \
    X(DISK_MISSES, "disk_cache_misses", "navd_cache_misses_total", "cache=\"disk\"", COUNTER, ONE, "")                 \
    X(CACHE_EVICTED, "cache_evicted", "navd_cache_evicted_total", "cache=\"memory\"", COUNTER, ONE,                    \
      "Tiles evicted from a cache.")                                                                                   \
    X(DISK_EVICTED, "disk_cache_evicted", "navd_cache_evicted_total", "cache=\"disk\"", COUNTER, ONE, "")              \
    X(DISK_DAMAGED, "disk_cache_damaged", "navd_cache_damaged_total", "", COUNTER, ONE,                                \
      "Damaged tiles dropped from the disk cache; 1 for its whole file.")                                              \
    X(DISK_WRITES, "disk_cache_writes", "navd_cache_writes_total", "", COUNTER, ONE,                                   \
      "Tiles written to the disk cache.")                                                                              \
    X(DISK_DROPPED, "disk_cache_dropped", "navd_cache_dropped_total", "", COUNTER, ONE,                                \
      "Tiles that could not be written to the disk cache.")                                                            \
    X(DISK_ERRORS, "disk_cache_errors", "navd_cache_errors_total", "", COUNTER, ONE,                                   \
      "Failed writes to the disk cache.")                                                                              \
    X(STORE_FAILING, "store_failing", "navd_store_failing", "", GAUGE, ONE,                                            \
      "1 while changes cannot be written and edits are refused.")                                                      \
    X(COMMIT_FAILURES, "commit_failures", "navd_commit_failures_total", "", COUNTER, ONE, "Failed commits.")           \
    X(COMMITS_PENDING, "commits_pending", "navd_commits_pending", "", GAUGE, ONE, "Changes waiting to be written.")    \
    X(COMMIT_BYTES, "commit_bytes_pending", "navd_commit_bytes_pending", "", GAUGE, ONE,                               \
      "Memory held by changes waiting to be written.")                                                                 \
    X(STORE_DAMAGED, "store_damaged", "navd_store_damaged", "", GAUGE, ONE,                                            \
      "Damaged pages and records of worlds at the last start.")                                                        \
    X(MESHES_LOADING, "meshes_loading", "navd_meshes_loading", "", GAUGE, ONE,                                         \
      "Meshes still to be read after the start.")                                                                      \
    X(JOBS_RUNNING, "jobs_running", "navd_jobs_running", "", GAUGE, ONE, "Jobs at the workers.")                       \
    X(JOBS_BUILT, "jobs_built", "navd_jobs_total", "result=\"built\"", COUNTER, ONE, "Finished jobs, by result.")      \
    X(JOBS_MASKED, "jobs_masked", "navd_jobs_total", "result=\"masked\"", COUNTER, ONE, "")                            \
    X(JOBS_LINKED, "jobs_linked", "navd_jobs_total", "result=\"linked\"", COUNTER, ONE, "")                            \
    X(JOBS_SAME, "jobs_same_content", "navd_jobs_total", "result=\"same_content\"", COUNTER, ONE, "")                  \
    X(JOBS_CANCELLED, "jobs_cancelled", "navd_jobs_total", "result=\"cancelled\"", COUNTER, ONE, "")                   \
    X(JOBS_FAILED, "jobs_failed", "navd_jobs_total", "result=\"failed\"", COUNTER, ONE, "")                            \
    X(FAILED_LIMIT, "failed_limit", "navd_tile_failures_total", "reason=\"limit\"", COUNTER, ONE,                      \
      "Failed jobs, by reason.")                                                                                       \
    X(FAILED_MEMORY, "failed_memory", "navd_tile_failures_total", "reason=\"memory\"", COUNTER, ONE, "")               \
    X(FAILED_TIMEOUT, "failed_timeout", "navd_tile_failures_total", "reason=\"timeout\"", COUNTER, ONE, "")            \
    X(FAILED_CRASHED, "failed_crashed", "navd_tile_failures_total", "reason=\"crashed\"", COUNTER, ONE, "")            \
    X(FAILED_OTHER, "failed_other", "navd_tile_failures_total", "reason=\"other\"", COUNTER, ONE, "")                  \
    X(JOBS_OUTDATED, "jobs_outdated", "navd_jobs_outdated_total", "", COUNTER, ONE,                                    \
      "Jobs whose tile changed while they ran.")                                                                       \
    X(JOBS_SAVED, "jobs_saved", "navd_jobs_saved_total", "", COUNTER, ONE,                                             \
      "Jobs whose helper died, and that the next one finished.")                                                       \
    X(COARSE_OUTLINES, "coarse_outlines", "navd_coarse_outlines_total", "", COUNTER, ONE,                              \
      "True outlines that follow voxels, as there was too much in their tile.")                                        \
    X(TILES_RETRIED, "tiles_retried", "navd_tiles_retried_total", "", COUNTER, ONE,                                    \
      "Retries of tiles that failed for lack of time or memory.")                                                      \
    X(TILES_FAILED, "tiles_failed", "navd_tiles_failed", "", GAUGE, ONE, "Tiles whose newest run failed.")             \
    X(BACKLOG, "backlog_growing", "navd_backlog_growing", "", GAUGE, ONE,                                              \
      "1 while the queue of tiles has grown for a minute.")                                                            \
    X(TILES_REMOVED, "tiles_removed", "navd_tiles_removed_total", "", COUNTER, ONE,                                    \
      "Tiles removed because their geometry is gone.")                                                                 \
    X(MADE, "made_us", "navd_job_seconds_total", "", COUNTER, US, "Time spent in jobs.")                               \
    X(COMPRESS, "compress_us", "navd_compress_seconds_total", "", COUNTER, US,                                         \
      "Part of the job time spent on compression.")                                                                    \
    X(FARM_JOINED, "farm_joined", "navd_farm_joined", "", GAUGE, ONE, "1 where this navd is in a farm (--farm).")      \
    X(FARM_UP, "farm_up", "navd_farm_up", "", GAUGE, ONE, "1 while the farm's server and its streams can be used.")    \
    X(FARM_WORKERS, "farm_workers", "navd_farm_workers", "", GAUGE, ONE,                                               \
      "Workers of this generator version on the farm.")                                                                \
    X(FARM_THREADS, "farm_threads", "navd_farm_threads", "", GAUGE, ONE, "Their threads.")                             \
    X(FARM_OUT, "farm_jobs_out", "navd_farm_jobs_out", "", GAUGE, ONE, "Area jobs at the farm.")                       \
    X(FARM_TILES_OUT, "farm_tiles_out", "navd_farm_tiles_out", "", GAUGE, ONE,                                         \
      "Tiles that were given away and have not come back.")                                                            \
    X(FARM_FOUND, "farm_found", "navd_farm_asked_total", "result=\"found\"", COUNTER, ONE,                             \
      "Tiles asked for in the farm's cache.")                                                                          \
    X(FARM_NOT_FOUND, "farm_not_found", "navd_farm_asked_total", "result=\"not_found\"", COUNTER, ONE, "")             \
    X(FARM_ASKS_LATE, "farm_asks_late", "navd_farm_asks_lost_total", "reason=\"late\"", COUNTER, ONE,                  \
      "Areas for which the farm's cache did not answer in time.")                                                      \
    X(FARM_ASKS_FAILED, "farm_asks_failed", "navd_farm_asks_lost_total", "reason=\"failed\"", COUNTER, ONE, "")        \
    X(FARM_JOBS, "farm_jobs", "navd_farm_jobs_total", "result=\"sent\"", COUNTER, ONE, "Area jobs.")                   \
    X(FARM_JOBS_FAILED, "farm_jobs_failed", "navd_farm_jobs_total", "result=\"failed\"", COUNTER, ONE, "")             \
    X(FARM_CANCELLED, "farm_jobs_cancelled", "navd_farm_jobs_total", "result=\"cancelled\"", COUNTER, ONE, "")         \
    X(FARM_OVERDUE, "farm_jobs_overdue", "navd_farm_jobs_total", "result=\"overdue\"", COUNTER, ONE, "")               \
    X(FARM_SLOW, "farm_jobs_slow", "navd_farm_jobs_total", "result=\"slow\"", COUNTER, ONE, "")                        \
    X(FARM_SET_ASIDE, "farm_jobs_set_aside", "navd_farm_jobs_total", "result=\"set_aside\"", COUNTER, ONE, "")         \
    X(FARM_REFUSED, "farm_jobs_refused", "navd_farm_jobs_total", "result=\"refused\"", COUNTER, ONE, "")               \
    X(FARM_MADE, "farm_made", "navd_farm_tiles_total", "result=\"made\"", COUNTER, ONE,                                \
      "Tiles that were sent to workers, by what came of it.")                                                          \
    X(FARM_HOME, "farm_home", "navd_farm_tiles_total", "result=\"home\"", COUNTER, ONE, "")                            \
    X(FARM_LATE, "farm_late", "navd_farm_tiles_total", "result=\"late\"", COUNTER, ONE, "")                            \
    X(FARM_SHARED, "farm_shared", "navd_farm_shared_total", "result=\"kept\"", COUNTER, ONE,                           \
      "Tiles made here, put into the farm's cache.")                                                                   \
    X(FARM_NOT_SHARED, "farm_not_shared", "navd_farm_shared_total", "result=\"dropped\"", COUNTER, ONE, "")            \
    X(FARM_DAMAGED, "farm_damaged", "navd_farm_damaged_total", "", COUNTER, ONE, "Damaged packs of the farm.")         \
    X(FARM_BYTES_IN, "farm_bytes_in", "navd_farm_received_bytes_total", "", COUNTER, ONE,                              \
      "Bytes from the farm's server.")                                                                                 \
    X(FARM_BYTES_OUT, "farm_bytes_out", "navd_farm_sent_bytes_total", "", COUNTER, ONE, "Bytes to the farm's server.") \
    X(FARM_RECONNECTS, "farm_reconnects", "navd_farm_reconnects_total", "", COUNTER, ONE,                              \
      "Connections to the farm's server that were lost and made again.")                                               \
    X(FARM_LOST, "farm_lost", "navd_farm_lost_total", "", COUNTER, ONE,                                                \
      "Messages of the farm that came faster than they could be taken.")                                               \
    X(FARM_AT_WORK, "farm_worker_jobs", "navd_farm_worker_jobs", "", GAUGE, ONE, "Of a worker: area jobs at work.")    \
    X(FARM_DONE, "farm_worker_done", "navd_farm_worker_jobs_total", "result=\"done\"", COUNTER, ONE,                   \
      "Of a worker: area jobs that it got.")                                                                           \
    X(FARM_LEFT, "farm_worker_set_aside", "navd_farm_worker_jobs_total", "result=\"set_aside\"", COUNTER, ONE, "")     \
    X(FARM_REJECTED, "farm_worker_refused", "navd_farm_worker_jobs_total", "result=\"refused\"", COUNTER, ONE, "")     \
    X(FARM_VOIDED, "farm_worker_voided", "navd_farm_worker_jobs_total", "result=\"voided\"", COUNTER, ONE, "")         \
    X(FARM_BUILT, "farm_worker_built", "navd_farm_worker_tiles_total", "result=\"built\"", COUNTER, ONE,               \
      "Of a worker: tiles of area jobs.")                                                                              \
    X(FARM_HAD, "farm_worker_found", "navd_farm_worker_tiles_total", "result=\"found\"", COUNTER, ONE, "")             \
    X(FARM_FETCHED, "farm_worker_mesh_bytes", "navd_farm_worker_mesh_bytes_total", "", COUNTER, ONE,                   \
      "Of a worker: bytes of meshes that it fetched.")                                                                 \
    X(REPLICA_JOINED, "replica_joined", "navd_replica_joined", "", GAUGE, ONE,                                         \
      "1 where worlds are published or followed (--farm-worlds).")                                                     \
    X(REPLICA_LEADS, "replica_leads", "navd_replica_leads", "", GAUGE, ONE, "1 where this navd takes edits.")          \
    X(REPLICA_LIVE, "replica_live", "navd_replica_live", "", GAUGE, ONE,                                               \
      "1 where it leads, or has all that the log had a moment ago.")                                                   \
    X(REPLICA_EPOCH, "replica_epoch", "navd_replica_epoch", "", GAUGE, ONE, "Number of the leader that wrote last.")   \
    X(REPLICA_UNLOGGED, "replica_unlogged", "navd_replica_unlogged", "", GAUGE, ONE,                                   \
      "Changes of a leader that the log does not have yet.")                                                           \
    X(REPLICA_BEHIND, "replica_behind", "navd_replica_behind", "", GAUGE, ONE,                                         \
      "Messages of the log that a follower does not have yet.")                                                        \
    X(REPLICA_ENTRIES_OUT, "replica_entries_out", "navd_replica_entries_total", "direction=\"out\"", COUNTER, ONE,     \
      "Entries of the log.")                                                                                           \
    X(REPLICA_ENTRIES_IN, "replica_entries_in", "navd_replica_entries_total", "direction=\"in\"", COUNTER, ONE, "")    \
    X(REPLICA_STATES_OUT, "replica_states_out", "navd_replica_states_total", "direction=\"out\"", COUNTER, ONE,        \
      "States of whole worlds.")                                                                                       \
    X(REPLICA_STATES_IN, "replica_states_in", "navd_replica_states_total", "direction=\"in\"", COUNTER, ONE, "")       \
    X(REPLICA_GAPS, "replica_gaps", "navd_replica_gaps_total", "", COUNTER, ONE,                                       \
      "Entries before which one was missing: the world's state was taken again.")                                      \
    X(REPLICA_FAILED, "replica_failed", "navd_replica_failed_total", "", COUNTER, ONE,                                 \
      "Entries and states that could not be applied or written.")                                                      \
    X(REPLICA_FENCED, "replica_fenced", "navd_replica_fenced_total", "", COUNTER, ONE,                                 \
      "Times that another leader had written before this one.")                                                        \
    X(REPLICA_LEASES, "replica_lease_changes", "navd_replica_lease_changes_total", "", COUNTER, ONE,                   \
      "Times that this navd got or lost the lease.")                                                                   \
    X(ARENA_PEAK, "arena_peak_bytes", "navd_arena_peak_bytes", "", GAUGE, ONE, "Largest memory use of one job.")

// X(ID, name in stats, Prometheus name, labels, words). The stages' rows come from NAV_STAGE_LIST.
#define ND_HISTOGRAM_LIST(X)                                                                                           \
    X(EDIT_TO_TILE, "edit_to_tile", "navd_edit_to_tile_seconds", "",                                                   \
      "From an edit to the tile's new state, ready to be sent.")                                                       \
    X(QUEUE_WAIT, "queue_wait", "navd_queue_wait_seconds", "", "From an edit to the start of the tile's job.")         \
    X(COMMIT, "commit", "navd_commit_seconds", "", "One commit of changes to disk.")                                   \
    X(LOOP_TURN, "loop_turn", "navd_loop_turn_seconds", "", "One turn of the event loop, without waiting for events.") \
    X(FARM_ASK, "farm_ask", "navd_farm_ask_seconds", "", "One answer of the farm's cache.")                            \
    X(FARM_JOB, "farm_job", "navd_farm_job_seconds", "", "One area job, until all of its tiles are back.")             \
    X(REPLICA_LAG, "replica_lag", "navd_replica_lag_seconds", "",                                                      \
      "From a change at the leader, by its clock, until it was applied here.")                                         \
    X(TILE, "tile", "navd_tile_seconds", "", "One job, all stages.")

typedef enum nd_metric {
#define ND_METRIC_ID(ID, ...) ND_METRIC_##ID,
    ND_METRIC_LIST(ND_METRIC_ID)
#undef ND_METRIC_ID
        ND_METRIC_COUNT
} nd_metric;

typedef enum nd_histogram_id {
#define ND_HISTOGRAM_ID(ID, ...) ND_HISTOGRAM_##ID,
    ND_HISTOGRAM_LIST(ND_HISTOGRAM_ID)
#undef ND_HISTOGRAM_ID
        ND_HISTOGRAM_STAGES,
    ND_HISTOGRAM_COUNT = ND_HISTOGRAM_STAGES + NAV_STAGE_COUNT
} nd_histogram_id;

enum { ND_BUCKETS = 16 };

// Of times. bucket[i]: those up to nd_bucket_us[i] and above the bound before; the last: all above.
typedef struct nd_histogram {
    uint64_t bucket[ND_BUCKETS + 1], count, sum_us;
} nd_histogram;

extern const uint64_t nd_bucket_us[ND_BUCKETS];

void nd_histogram_add(nd_histogram *h, uint64_t us);
// The time that per_mille of the times do not exceed, as near as the buckets tell; 0 where there is none.
uint64_t nd_histogram_quantile_us(const nd_histogram *h, unsigned per_mille);

typedef struct nd_measures {
    uint64_t values[ND_METRIC_COUNT];
    nd_histogram histograms[ND_HISTOGRAM_COUNT];
} nd_measures;

// Prometheus' text format, version 0.0.4, appended. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_metrics_print(const nd_measures *m, nav_buffer *out);

// As flat names and numbers: every metric, and of each histogram NAME_count, NAME_us (the sum), NAME_p50_us,
// NAME_p99_us.
enum { ND_FLAT_COUNT = ND_METRIC_COUNT + 4 * ND_HISTOGRAM_COUNT };
const char *nd_flat_name(unsigned at);
// One namespace's part of it is known; or it only says that the daemon is well.
bool nd_flat_is_of_namespace(unsigned at);
uint64_t nd_flat_value(const nd_measures *m, unsigned at);

#endif
