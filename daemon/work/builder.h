// DESIGN. Brings tiles from "queued" to "finished": asks the caches, hands jobs to the workers, stores the results.
//
//     worlds (schedulers) ──┐ next   view ──key──► cache ──hit──────────────────────────► finished
//     batches (tiles.build)─┴──────►   └──miss──► disk ──hit───────────────────────────────► finished
//                                                  └──miss──► job ──► workers ──► result ──► finished
//
// The disk is asked without waiting (lookup.h): meanwhile the tile counts as running, but takes no worker's place.
// What is certainly not on disk is not asked for. Whatever workers build goes into both caches, and so do failures
// that the same input would repeat.
//
// Worlds and the callers of tiles.build share the workers fairly (fairness.h), and so do the callers within a world
// (flow.h). Each of the two classes has jobs of its own at the workers, where interactive ones come first. Only a
// few wait there, so a tile that becomes urgent does not wait behind many others. The cache is asked on the loop
// before a worker is, even while all workers are busy. One pump takes a few milliseconds at most; the rest goes on
// in the loop's next turn, after it has looked at its sockets. Loop thread only.
#ifndef ND_BUILDER_H
#define ND_BUILDER_H

#include "daemon/base/metrics.h"
#include "daemon/work/backlog.h"
#include "daemon/work/lookup.h"
#include "daemon/work/run.h"
#include "daemon/work/stage_log.h"
#include "daemon/work/tile_job.h"
#include "daemon/world/block.h"
#include "daemon/world/worlds.h"

struct nd_batch;
struct nd_away;

typedef struct nd_builder_stats {
    uint64_t built, failed, outdated, same_content, removed;
    uint64_t cancelled, masked, linked, retried, saved;
    uint64_t failed_by[NAV_STATUS_COUNT];
    uint64_t coarse_outlines;
    uint64_t compress_us, arena_peak;
    nd_histogram tile, queue_wait, stages[NAV_STAGE_COUNT]; // of jobs
    nd_histogram edit_to_tile;                              // of tiles of worlds, also without a job
} nd_builder_stats;

typedef struct nd_builder {
    nd_workers *workers; // borrowed, as are the worlds and the caches
    nd_worlds *worlds;
    nd_cache *cache;
    nd_tile_cache *disk; // or NULL
    int zstd_level;
    nav_build *build;             // makes the tiles; NULL: nav_build_tile()
    const ZSTD_CDict *dictionary; // of packed tiles
    uint64_t tile_timeout_us;
    uint64_t stuck_us;          // beyond tile_timeout_us: then the helper is killed
    uint64_t interactive_tiles; // more make a batch background
    nd_pace pace;               // of all worlds' schedulers
    const struct nd_away *away; // who else may have or make tiles (away.h); NULL: nobody
    // A tile of a world is finished (t->result is new). out: its data by encoding where it is at hand, else NULL.
    // t may be forgotten by the callee.
    void (*on_tile)(void *user, nd_world *w, nd_tile *t, const nd_cached *out);
    // A tile of a world was left, as nobody watches it, or those that were left have been looked at again
    // (schedule/unwatched.h): what waits for the world's tiles may be done.
    void (*on_left)(void *user, nd_world *w);
    void *user;

    uv_idle_t again;
    uv_timer_t clock; // runs where a tile rests or is to be tried again
    struct nd_batch *batches;
    uint64_t next_batch;            // id
    nd_shares queues[ND_QUEUES];    // of the worlds; and of the callers of batches, which wait for workers only
    struct nd_builder_job *running; // all that are at the workers
    unsigned in_flight[ND_CLASSES], max_in_flight[ND_CLASSES];
    nd_backlog backlog;
    uint64_t sample_ns; // when the next second of it begins
    uint64_t look_ns;   // when the workers are looked at next
    uint64_t mean_us;   // of the newest runs
    uint64_t clock_ns;  // for when it is set; UINT64_MAX: it is not
    unsigned lookups;   // in the cache on disk
    bool worlds_wait;   // for meshes from the disk
    bool closing;
    nd_view view;
    nd_block block; // of tiles that are given away
    nd_view away_view;
    unsigned away_steps; // that have been made beside the one that is counted
    nd_builder_stats stats;
    nd_stage_log stage_log; // of runs for worlds
} nd_builder;

// The caller has set the members up to `user`.
NAV_MUST_USE nav_status nd_builder_init(nd_builder *b, uv_loop_t *loop);
// Cancels all runs; nothing is dispatched after it. Then close the workers, then deinit.
void nd_builder_close(nd_builder *b);
unsigned nd_builder_jobs(const nd_builder *b); // at the workers
// No further job is begun; those at the workers go on.
void nd_builder_drain(nd_builder *b);
void nd_builder_deinit(nd_builder *b);

// One of `worlds` takes part from now on.
void nd_builder_add_world(nd_builder *b, nd_world *w);
// The namespaces' weights have changed.
void nd_builder_weigh_worlds(nd_builder *b);
// Cancels its runs; it takes part no more. Not from inside of a callback of the builder.
void nd_builder_remove_world(nd_builder *b, nd_world *w);
// Tells all runs of a profile to stop. How many of them have ended well already and are on their way back: they show
// what was asked for until now.
unsigned nd_builder_stop_profile(nd_builder *b, const nd_world *w, uint32_t profile);
// Behind those that are there: of one caller's the oldest comes first.
void nd_builder_add_batch(nd_builder *b, struct nd_batch *batch);
// Its tiles may begin.
void nd_builder_start_batch(nd_builder *b, struct nd_batch *batch);
void nd_builder_remove_batch(nd_builder *b, struct nd_batch *batch);

// The caller's session has closed, and its batches are removed.
void nd_builder_leave(nd_builder *b, nd_caller *caller);

// Does what can be done now, for a few milliseconds at most.
void nd_builder_pump(nd_builder *b);
// The same in the loop's next turn: once, however many ask for it in this one. Call after marks and additions.
void nd_builder_kick(nd_builder *b);

// Encodings that a profile's subscribers want, as bits; navd's own where there are none.
uint8_t nd_wanted_encodings(const nd_profile *p);

#endif
