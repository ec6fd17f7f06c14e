#include "daemon/work/build_call.h"

#include "daemon/base/thread.h"

#include "core/geometry/tile_source.h"

#include <stdlib.h>
#include <string.h>

static void destroy(void *of)
{
    nd_build_call *c = of;
    nd_mesh_unref(c->mesh);
    free(c->volumes);
    free(c->links);
    free(c);
}

static nav_status view(const nd_batch *batch, uint32_t at, nd_view *v, nav_key *source)
{
    const nd_build_call *c = nd_build_call_of(batch);
    nav_status s = NAV_OK;
    nd_view_begin(v, &c->settings, c->first[0] + (int32_t)(at % c->columns), c->first[1] + (int32_t)(at / c->columns));
    nd_tile_box(&c->settings, v->source.tile_x, v->source.tile_z, &v->box);
    s = nd_view_add_instance(v, c->mesh, &c->instance);
    for (uint32_t i = 0; i < c->volume_count && s == NAV_OK; i++) {
        const nd_box box = nd_box_of_volume(&c->volumes[i]);
        if (nd_box_touch(&box, &v->box)) s = nd_view_add_volume(v, &c->volumes[i]);
    }
    for (uint32_t i = 0; i < c->volume_count; i++) v->source.bounded |= c->volumes[i].include;
    for (uint32_t i = 0; i < c->link_count && s == NAV_OK; i++)
        if (nav_link_in_tile(&c->links[i], &c->settings, v->source.tile_x, v->source.tile_z))
            s = nd_view_add_link(v, &c->links[i]);
    if (s == NAV_OK) *source = nav_tile_source_key(&v->source);
    return s;
}

static nd_build_call *call_create(const np_tiles_build_request *r)
{
    nd_build_call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->settings = r->settings;
    c->encoding = r->encoding;
    c->compression = r->compression;
    memcpy(c->first, r->first, sizeof c->first);
    c->columns = (uint32_t)((int64_t)r->last[0] - r->first[0] + 1);
    c->volumes = malloc((r->volume_count + (size_t)1) * sizeof *c->volumes);
    c->links = malloc((r->link_count + (size_t)1) * sizeof *c->links);
    if (!c->volumes || !c->links) {
        destroy(c);
        return NULL;
    }
    if (r->volume_count) memcpy(c->volumes, r->volumes, r->volume_count * sizeof *c->volumes);
    if (r->link_count) memcpy(c->links, r->links, r->link_count * sizeof *c->links);
    double to_metres[12];
    np_axes_to_metres(&r->axes, to_metres);
    for (int k = 0; k < 12; k++) c->instance.transform[k] = (float)to_metres[k];
    c->instance.area = r->area;
    c->volume_count = r->volume_count;
    c->link_count = r->link_count;
    return c;
}

nd_batch *nd_build_call_create(nd_builder *b, nd_caller *caller, const np_tiles_build_request *request,
                               uint32_t tile_count)
{
    static const nd_batch_calls calls = {.view = view, .destroy = destroy};
    ND_ASSERT_LOOP_THREAD();
    nd_build_call *c = call_create(request);
    if (!c) return NULL;
    nd_batch *batch = nd_batch_create(b, caller, tile_count, (uint8_t)(1u << request->encoding), &calls, c);
    if (!batch) destroy(c);
    return batch;
}

void nd_build_call_start(nd_batch *batch, nd_mesh *mesh)
{
    nd_build_call *c = nd_build_call_of(batch);
    c->mesh = mesh;
    c->instance.mesh = mesh->mesh;
    nd_batch_start(batch);
}
