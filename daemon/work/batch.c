#include "daemon/work/batch.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"

#include <stdlib.h>

nd_batch *nd_batch_create(nd_builder *b, nd_caller *caller, uint32_t tile_count, uint8_t wanted,
                          const nd_batch_calls *calls, void *of)
{
    ND_ASSERT_LOOP_THREAD();
    unsigned out_count = 0;
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++) out_count += wanted >> e & 1;
    nd_batch *batch = calloc(1, sizeof *batch + tile_count * sizeof batch->tiles[0]);
    nd_cached *out = calloc((size_t)tile_count * out_count + 1, sizeof *out);
    if (!batch || !out) {
        free(batch);
        free(out);
        return NULL;
    }
    batch->builder = b;
    batch->calls = calls;
    batch->of = of;
    batch->caller = nd_caller_ref(caller);
    batch->class = tile_count <= b->interactive_tiles ? ND_INTERACTIVE : ND_BACKGROUND;
    batch->began_ns = nd_now_ns();
    batch->wanted = wanted;
    batch->zstd_level = b->zstd_level;
    batch->dictionary = b->dictionary;
    batch->tile_count = tile_count;
    batch->out_count = out_count;
    batch->out = out;
    return batch;
}

void nd_batch_destroy(nd_batch *batch)
{
    if (!batch) return;
    for (uint32_t i = 0; i < batch->tile_count * batch->out_count; i++) nd_blob_unref(batch->out[i].blob);
    batch->calls->destroy(batch->of);
    nd_caller_unref(batch->caller);
    free(batch->out);
    free(batch);
}

void nd_batch_start(nd_batch *batch)
{
    ND_ASSERT_LOOP_THREAD();
    batch->ready = true;
    nd_builder_start_batch(batch->builder, batch);
}

bool nd_batch_is_ready(const nd_batch *batch)
{
    return batch->ready && !batch->cancelled && (batch->first_missed || batch->next_tile < batch->tile_count);
}

uint32_t nd_batch_next(nd_batch *batch)
{
    if (!batch->first_missed) return batch->next_tile++;
    uint32_t at = batch->first_missed - 1;
    batch->first_missed = batch->tiles[at].next_missed;
    return at;
}

void nd_batch_miss(nd_batch *batch, uint32_t at)
{
    batch->tiles[at].missed = true;
    batch->tiles[at].next_missed = batch->first_missed;
    batch->first_missed = at + 1;
}

bool nd_batch_is_done(const nd_batch *batch)
{
    return batch->cancelled ? batch->ready && batch->done_count == batch->next_tile
                            : batch->done_count == batch->tile_count;
}

void nd_batch_cancel(nd_batch *batch)
{
    ND_ASSERT_LOOP_THREAD();
    batch->cancelled = true;
    while (batch->first_missed)
        nd_batch_finish_tile(batch, nd_batch_next(batch), nd_reason_of(NAV_ERR_CANCELLED), NULL, 0, 0);
    for (uint32_t i = 0; i < batch->next_tile; i++) nd_tile_job_cancel(batch->tiles[i].job);
}

static nd_cached *out_of(const nd_batch *batch, uint32_t at, uint8_t encoding)
{
    unsigned k = 0;
    for (uint8_t e = 0; e < encoding; e++) k += batch->wanted >> e & 1;
    return &batch->out[at * batch->out_count + k];
}

const nd_cached *nd_batch_out(const nd_batch *batch, uint32_t at, uint8_t encoding)
{
    return out_of(batch, at, encoding);
}

void nd_batch_finish_tile(nd_batch *batch, uint32_t at, nd_reason how, const nd_cached out[ND_WIRE_ENCODINGS],
                          uint64_t queued_us, uint64_t made_us)
{
    nd_batch_tile *t = &batch->tiles[at];
    t->job = NULL;
    t->how = how;
    t->queued_us = queued_us;
    t->made_us = made_us;
    for (unsigned e = 0; e < ND_WIRE_ENCODINGS && how.status == NAV_OK; e++) {
        if (!(batch->wanted >> e & 1)) continue;
        nd_cached *own = out_of(batch, at, (uint8_t)e);
        *own = out[e];
        if (own->blob) nd_blob_ref(own->blob);
    }
    batch->done_count++;
}
