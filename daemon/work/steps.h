// Private to builder*.c and watchdog.c: how the builder's files call each other.
//
//     builder.c: whose turn it is ──► builder_tile.c    one tile of a world moves on
//                                 ──► builder_batch.c   one tile of a tiles.build moves on
//                                        └──► builder_jobs.c   caches, jobs at the workers, counts
//     watchdog.c: threads that hardly run, a queue that only grows
//
// Loop thread only.
#ifndef ND_STEPS_H
#define ND_STEPS_H

#include "daemon/work/batch.h"

enum { ND_MAX_LOOKUPS = 1024 };

static inline bool nd_worker_is_free(const nd_builder *b, nd_class c)
{
    return b->in_flight[c] < b->max_in_flight[c];
}

// --- builder_tile.c ---

// How a tile came to be.
typedef struct nd_made {
    uint64_t revision, queued_us, made_us;
    uint8_t wanted; // encodings
} nd_made;

static inline nd_made nd_made_by(const nd_run *run, uint64_t made_us)
{
    return (nd_made){run->revision, run->queued_us, made_us, run->asked};
}

// The tile of a run that is back, and its world; NULL where it is gone, has a newer run, or has other settings now.
nd_tile *nd_step_tile_of(const nd_builder *b, const nd_run *run, nd_world **w);
// One queued tile of a world moves on.
void nd_step_tile(nd_builder *b, nd_world *w, nd_tile *t);
// Ends the tile's run, where it has one, and finishes it as failed.
void nd_step_fail(nd_builder *b, nd_world *w, nd_tile *t, nd_reason why, const nd_made *m);

nd_run nd_step_run(const nd_world *w, const nd_tile *t, const nd_made *m, uint64_t ticket);
// The tile of a look-up goes on. NAV_OK: it has.
NAV_MUST_USE nav_status nd_step_found(nd_builder *b, nd_world *w, nd_tile *t, const nd_lookup *l, const nd_made *m);
bool nd_step_is_as_it_was(const nd_tile *t, nav_key source);

// --- builder_batch.c ---

// One tile of a batch moves on; it has one, and a worker is free.
void nd_step_batch(nd_builder *b, nd_batch *batch);
// The caller has no tile of the class that could begin.
void nd_step_rest(nd_builder *b, nd_caller *caller, nd_class c);
nd_batch *nd_step_ready_batch(const nd_builder *b, const nd_caller *caller, nd_class c);

// --- builder_jobs.c ---

// A job and whose tile it makes.
typedef struct nd_builder_job {
    nd_tile_job job; // first: it is the pool's task, and the scheduler's run
    nd_builder *builder;
    struct nd_builder_job *newer, *older; // among those at the workers
    nd_batch *batch;                      // NULL: the tile is a world's
    uint32_t batch_at;
    nd_run run;
    nd_class class;
} nd_builder_job;

void nd_jobs_destroy(nd_builder_job *j); // accepts NULL

// Copies what the cache has of a source in the wanted encodings. False where one is missing. The blobs are borrowed.
bool nd_jobs_ask_cache(nd_cache *c, nav_key source, uint8_t wanted, nd_cached out[ND_ENCODINGS]);
void nd_jobs_keep_one(nd_builder *b, nav_key source, uint8_t encoding, const nd_cached *value); // in both caches
void nd_jobs_keep(nd_builder *b, const nd_tile_job *j);
void nd_jobs_count(nd_builder *b, const nd_builder_job *j);
void nd_jobs_push(nd_builder *b, nd_builder_job *j, nd_class c);
void nd_jobs_unlink(nd_builder *b, nd_builder_job *j);

// --- watchdog.c ---

// Threads that hardly run, and helpers.
void nd_watch_workers(nd_builder *b);
// Once a second while something is made.
void nd_watch_backlog(nd_builder *b);

#endif
