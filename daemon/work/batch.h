// Tiles that are asked for by themselves, outside of a world: by a call of tiles.build (build_call.h), or by an area
// job of the farm. They end when all tiles are finished and nothing of them is at the workers any more. Loop thread
// only.
#ifndef ND_BATCH_H
#define ND_BATCH_H

#include "daemon/work/builder.h"

typedef struct nd_batch nd_batch;

typedef struct nd_batch_calls {
    // What a tile is made from, and its key.
    nav_status (*view)(const nd_batch *b, uint32_t at, nd_view *v, nav_key *source);
    // With the batch.
    void (*destroy)(void *of);
} nd_batch_calls;

typedef struct nd_batch_tile {
    nd_tile_job *job; // at the workers
    nd_reason how;    // it failed
    uint64_t queued_us, made_us;
    bool missed;          // the disk does not have it either
    uint32_t next_missed; // of those that wait for a worker again; counted from 1
} nd_batch_tile;

struct nd_batch {
    nd_batch *next;
    nd_builder *builder;
    const nd_batch_calls *calls;
    void *of; // theirs
    // All is finished: the callee takes it from the builder and destroys it. The owner sets it.
    void (*done)(nd_batch *b);
    uint64_t id;
    nd_caller *caller; // a reference
    nd_class class;
    uint64_t began_ns;
    uint8_t wanted; // bit e: np_encoding e is made
    int zstd_level;
    const ZSTD_CDict *dictionary;
    uint32_t tile_count, next_tile, done_count, first_missed;
    bool ready, cancelled;
    unsigned out_count; // encodings of a tile
    nd_cached *out;     // of all tiles
    nd_batch_tile tiles[];
};

// Takes `of` over where it succeeds. NULL: no memory.
nd_batch *nd_batch_create(nd_builder *b, nd_caller *caller, uint32_t tile_count, uint8_t wanted,
                          const nd_batch_calls *calls, void *of);
void nd_batch_destroy(nd_batch *batch); // nothing of it may be at the workers; accepts NULL

// Tiles may begin.
void nd_batch_start(nd_batch *batch);
bool nd_batch_is_ready(const nd_batch *batch);
bool nd_batch_is_done(const nd_batch *batch);
// The tile to begin with next; the batch is ready.
uint32_t nd_batch_next(nd_batch *batch);
// A tile that was begun has to begin again, with a worker.
void nd_batch_miss(nd_batch *batch, uint32_t at);
// Runs end soon, and tiles that wait do not begin.
void nd_batch_cancel(nd_batch *batch);
// What was made of a tile in an encoding that is wanted.
const nd_cached *nd_batch_out(const nd_batch *batch, uint32_t at, uint8_t encoding);
// out: by encoding; takes its own references of the blobs. NULL where it failed.
void nd_batch_finish_tile(nd_batch *batch, uint32_t at, nd_reason how, const nd_cached out[ND_WIRE_ENCODINGS],
                          uint64_t queued_us, uint64_t made_us);

#endif
