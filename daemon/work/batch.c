#include "daemon/work/batch.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

nd_batch *nd_batch_create(nd_builder *b, nd_caller *caller, const np_tiles_build_request *r, uint32_t tile_count)
{
    ND_ASSERT_LOOP_THREAD();
    nd_batch *batch = calloc(1, sizeof *batch + tile_count * sizeof batch->tiles[0]);
    if (!batch) return NULL;
    batch->builder = b;
    batch->caller = nd_caller_ref(caller);
    batch->class = tile_count <= b->interactive_tiles ? ND_INTERACTIVE : ND_BACKGROUND;
    batch->session = caller->session;
    batch->began_ns = nd_now_ns();
    batch->settings = r->settings;
    batch->encoding = r->encoding;
    batch->compression = r->compression;
    memcpy(batch->first, r->first, sizeof batch->first);
    batch->columns = (uint32_t)((int64_t)r->last[0] - r->first[0] + 1);
    batch->tile_count = tile_count;
    batch->volumes = malloc((r->volume_count + (size_t)1) * sizeof *batch->volumes);
    batch->links = malloc((r->link_count + (size_t)1) * sizeof *batch->links);
    if (!batch->volumes || !batch->links) {
        nd_batch_destroy(batch);
        return NULL;
    }
    if (r->volume_count) memcpy(batch->volumes, r->volumes, r->volume_count * sizeof *batch->volumes);
    if (r->link_count) memcpy(batch->links, r->links, r->link_count * sizeof *batch->links);
    double to_metres[12];
    np_axes_to_metres(&r->axes, to_metres);
    for (int k = 0; k < 12; k++) batch->instance.transform[k] = (float)to_metres[k];
    batch->instance.area = r->area;
    batch->volume_count = r->volume_count;
    batch->link_count = r->link_count;
    return batch;
}

void nd_batch_destroy(nd_batch *batch)
{
    if (!batch) return;
    for (uint32_t i = 0; i < batch->tile_count; i++) nd_blob_unref(batch->tiles[i].out.blob);
    nd_mesh_unref(batch->mesh);
    nd_caller_unref(batch->caller);
    free(batch->volumes);
    free(batch->links);
    free(batch);
}

void nd_batch_start(nd_batch *batch, nd_mesh *mesh)
{
    ND_ASSERT_LOOP_THREAD();
    batch->mesh = mesh;
    batch->instance.mesh = mesh->mesh;
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

nav_status nd_batch_view(const nd_batch *batch, uint32_t at, nd_view *v)
{
    nav_status s = NAV_OK;
    nd_view_begin(v, &batch->settings, batch->first[0] + (int32_t)(at % batch->columns),
                  batch->first[1] + (int32_t)(at / batch->columns));
    nd_tile_box(&batch->settings, v->source.tile_x, v->source.tile_z, &v->box);
    s = nd_view_add_instance(v, batch->mesh, &batch->instance);
    for (uint32_t i = 0; i < batch->volume_count && s == NAV_OK; i++) {
        const nd_box box = nd_box_of_volume(&batch->volumes[i]);
        if (nd_box_touch(&box, &v->box)) s = nd_view_add_volume(v, &batch->volumes[i]);
    }
    for (uint32_t i = 0; i < batch->volume_count; i++) v->source.bounded |= batch->volumes[i].include;
    for (uint32_t i = 0; i < batch->link_count && s == NAV_OK; i++)
        if (nav_link_in_tile(&batch->links[i], &batch->settings, v->source.tile_x, v->source.tile_z))
            s = nd_view_add_link(v, &batch->links[i]);
    return s;
}

void nd_batch_finish_tile(nd_batch *batch, uint32_t at, nd_reason how, const nd_cached *out, uint64_t queued_us,
                          uint64_t made_us)
{
    nd_batch_tile *t = &batch->tiles[at];
    t->job = NULL;
    t->how = how;
    t->queued_us = queued_us;
    t->made_us = made_us;
    if (how.status == NAV_OK) {
        t->out = *out;
        if (t->out.blob) nd_blob_ref(t->out.blob);
    }
    batch->done_count++;
}
