// A tiles.build call: the geometry that came along, and its tiles as they finish. It ends when all tiles are finished
// and nothing of it is at the workers any more. Loop thread only.
#ifndef ND_BATCH_H
#define ND_BATCH_H

#include "daemon/work/builder.h"

typedef struct nd_batch_tile {
    nd_tile_job *job; // at the workers
    nd_reason how;    // it failed
    nd_cached out;
    uint64_t queued_us, made_us;
    bool missed;          // the disk does not have it either
    uint32_t next_missed; // of those that wait for a worker again; counted from 1
} nd_batch_tile;

typedef struct nd_batch {
    struct nd_batch *next;
    nd_builder *builder;
    uint64_t id;
    nd_caller *caller; // a reference
    nd_class class;
    uint64_t session, began_ns;
    uint32_t request;
    nav_settings settings;
    np_encoding encoding;
    np_compression compression; // of the answer
    int32_t first[2];
    uint32_t columns, tile_count, next_tile, done_count, first_missed;
    bool ready, cancelled;
    nd_mesh *mesh; // its own, in no store
    nav_instance instance;
    nav_volume *volumes;
    uint32_t volume_count;
    nav_link *links;
    uint32_t link_count;
    nd_batch_tile tiles[];
} nd_batch;

// Copies settings, volumes and links, and converts from the axes of the geometry; the request has been checked. NULL:
// no memory.
nd_batch *nd_batch_create(nd_builder *b, nd_caller *caller, const np_tiles_build_request *request, uint32_t tile_count);
void nd_batch_destroy(nd_batch *batch); // nothing of it may be at the workers; accepts NULL

// Takes the mesh over (its one reference): tiles may begin.
void nd_batch_start(nd_batch *batch, nd_mesh *mesh);
bool nd_batch_is_ready(const nd_batch *batch);
bool nd_batch_is_done(const nd_batch *batch);
// The tile to begin with next; the batch is ready.
uint32_t nd_batch_next(nd_batch *batch);
// A tile that was begun has to begin again, with a worker.
void nd_batch_miss(nd_batch *batch, uint32_t at);
// Runs end soon, and tiles that wait do not begin.
void nd_batch_cancel(nd_batch *batch);
// What a tile is made from.
NAV_MUST_USE nav_status nd_batch_view(const nd_batch *batch, uint32_t at, nd_view *v);
// Takes its own reference of out->blob.
void nd_batch_finish_tile(nd_batch *batch, uint32_t at, nd_reason how, const nd_cached *out, uint64_t queued_us,
                          uint64_t made_us);

#endif
