// DESIGN. Brings tiles from "queued" to "finished": asks the cache, hands jobs to the workers, files what comes back.
//
//     worlds (schedulers) ──┐ next   view ──key──► cache ──hit──────────────────────────► finished
//     batches (tiles.build)─┴──────►   └──miss──► job ──► workers ──► result ──► cache ──► finished
//
// Worlds and batches take turns, a tile at a time, so that a large world does not starve a small one. Only two
// jobs wait for each worker: a tile that becomes urgent waits for none of those that stand far behind. The
// cache is asked on the loop before a worker is, also while all workers are busy. One pump takes at most a few
// milliseconds; what is left goes on in the loop's next turn, after it has looked at its sockets. Loop thread only.
#ifndef ND_BUILDER_H
#define ND_BUILDER_H

#include "daemon/tile_job.h"

struct nd_batch;

typedef struct nd_builder_stats {
    uint64_t built, failed, outdated, same_content, removed;
    uint64_t cancelled, masked;
    uint64_t made_us, compress_us, stage_us[NAV_STAGE_COUNT];
    uint64_t arena_peak;
} nd_builder_stats;

typedef struct nd_builder {
    nd_workers *workers; // borrowed, as are the cache and the worlds
    nd_cache *cache;
    int zstd_level;
    const ZSTD_CDict *dictionary; // of packed tiles
    uint64_t tile_timeout_us;
    // A tile of a world is finished (t->result is new). out: its data by encoding where it is at hand, else NULL.
    // t may be forgotten by the callee.
    void (*on_tile)(void *user, nd_world *w, nd_tile *t, const nd_cached *out);
    // All tiles of a batch are finished, or it failed.
    void (*on_batch)(void *user, struct nd_batch *b);
    void *user;

    uv_idle_t again;
    nd_world **worlds;
    size_t world_count, world_capacity, turn;
    struct nd_batch *batches;
    uint64_t batch_removals;
    unsigned in_flight, max_in_flight;
    bool closing;
    nd_view view;
    nd_builder_stats stats;
} nd_builder;

// The caller has set the members up to `user`.
NAV_MUST_USE nav_status nd_builder_init(nd_builder *b, uv_loop_t *loop);
// Cancels all runs; nothing is dispatched after it. Then close the workers, then deinit.
void nd_builder_close(nd_builder *b);
void nd_builder_deinit(nd_builder *b);

NAV_MUST_USE nav_status nd_builder_add_world(nd_builder *b, nd_world *w);
void nd_builder_add_batch(nd_builder *b, struct nd_batch *batch);
void nd_builder_remove_batch(nd_builder *b, struct nd_batch *batch);

// Does what can be done now. Call after marks and additions.
void nd_builder_pump(nd_builder *b);
// The same in the loop's next turn.
void nd_builder_kick(nd_builder *b);

// Encodings that a profile's subscribers want, as bits; navd's own where there are none.
uint8_t nd_wanted_encodings(const nd_profile *p);

#endif
