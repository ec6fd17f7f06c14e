#include "daemon/world/snapshot.h"

#include "daemon/base/thread.h"
#include "daemon/world/areas.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void nd_view_deinit(nd_view *v)
{
    nav_buffer_deinit(&v->instances);
    nav_buffer_deinit(&v->mesh_of);
    nav_buffer_deinit(&v->volumes);
    nav_buffer_deinit(&v->links);
    *v = (nd_view){0};
}

void nd_view_begin(nd_view *v, const nav_settings *settings, int32_t x, int32_t z)
{
    v->instances.size = v->mesh_of.size = v->volumes.size = v->links.size = 0;
    v->settings = *settings;
    v->has_ground = settings->sheets == NAV_SHEETS_UP;
    v->source = (nav_tile_source){.settings = &v->settings, .tile_x = x, .tile_z = z};
    v->status = NAV_OK;
    v->keys = NULL;
}

nav_status nd_view_add_instance(nd_view *v, nd_mesh *mesh, const nav_instance *instance)
{
    nav_status s = nav_buffer_append(&v->instances, instance, sizeof *instance);
    if (s == NAV_OK) s = nav_buffer_append(&v->mesh_of, &mesh, sizeof(nd_mesh *));
    if (s != NAV_OK) return s;
    v->source.instances = (const nav_instance *)(const void *)v->instances.data;
    v->meshes = (nd_mesh *const *)(const void *)v->mesh_of.data;
    v->source.instance_count++;
    return NAV_OK;
}

nav_status nd_view_add_volume(nd_view *v, const nav_volume *volume)
{
    nav_status s = nav_buffer_append(&v->volumes, volume, sizeof *volume);
    if (s != NAV_OK) return s;
    v->source.volumes = (const nav_volume *)(const void *)v->volumes.data;
    v->source.volume_count++;
    return NAV_OK;
}

nav_status nd_view_add_link(nd_view *v, const nav_link *link)
{
    nav_status s = nav_buffer_append(&v->links, link, sizeof *link);
    if (s != NAV_OK) return s;
    v->source.links = (const nav_link *)(const void *)v->links.data;
    v->source.link_count++;
    return NAV_OK;
}

static bool add_object(void *user, uint64_t id, const nav_box_xz *box)
{
    nd_view *v = user;
    const nd_object *o = (const nd_object *)(uintptr_t)id; // the index holds addresses
    (void)box;
    if (!nd_box_touch(&o->box, &v->box)) return true;
    switch (o->kind) {
    case ND_INSTANCE:
        if (!v->has_ground)
            v->has_ground = nd_tile_may_have_ground(&v->settings, &o->box, v->source.tile_x, v->source.tile_z);
        v->status = nd_view_add_instance(v, ((const nd_placed *)o)->mesh, &((const nd_placed *)o)->instance);
        break;
    case ND_VOLUME:
        v->status = nd_view_add_volume(v, &((const nd_volume *)o)->volume);
        break;
    case ND_LINK:
        v->status = nd_view_add_link(v, &((const nd_offmesh *)o)->link);
        break;
    case ND_KIND_COUNT:
        break;
    }
    return v->status == NAV_OK;
}

nav_status nd_view_collect(nd_view *v, const nd_world *w, uint32_t profile, int32_t x, int32_t z)
{
    ND_ASSERT_LOOP_THREAD();
    nav_settings settings;
    nd_world_settings(w, profile, &settings);
    nd_view_begin(v, &settings, x, z);
    nd_tile_box(&settings, x, z, &v->box);
    v->source.bounded = w->include_count > 0;
    for (int k = 0; k < ND_KIND_COUNT && v->status == NAV_OK; k++) {
        nd_box box = v->box;
        if (k == ND_LINK && settings.sheet != NAV_SHEET_UP) break; // links are between floors
        if (k == ND_INSTANCE) nd_box_clip_xz(&box, &w->extent);
        nav_spatial_index_query(&w->index[k], &box.xz, add_object, v);
    }
    if (v->status == NAV_OK && (!v->has_ground || nav_tile_is_left_out(&v->source)))
        v->source.instance_count = v->source.volume_count = v->source.link_count = 0;
    return v->status;
}

static size_t padded(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

typedef struct layout {
    size_t instances, meshes, volumes, links, bytes; // where they begin
} layout;

static layout layout_of(const nav_tile_source *in)
{
    layout l = {.instances = padded(sizeof(nd_snapshot))};
    l.meshes = l.instances + padded(in->instance_count * sizeof *in->instances);
    l.volumes = l.meshes + padded(in->instance_count * sizeof(void *));
    l.links = l.volumes + padded(in->volume_count * sizeof *in->volumes);
    l.bytes = l.links + padded(in->link_count * sizeof *in->links);
    return l;
}

static nd_snapshot *write_at(void *memory, const nav_tile_source *in)
{
    nd_snapshot *s = memory;
    char *at = memory;
    const layout l = layout_of(in);
    s->settings = *in->settings;
    s->source = *in;
    s->source.settings = &s->settings;
    s->source.instances = (nav_instance *)(void *)(at + l.instances);
    s->meshes = (nd_mesh **)(void *)(at + l.meshes);
    s->source.volumes = (nav_volume *)(void *)(at + l.volumes);
    s->source.links = (nav_link *)(void *)(at + l.links);
    if (in->instance_count) memcpy(at + l.instances, in->instances, in->instance_count * sizeof *in->instances);
    if (in->volume_count) memcpy(at + l.volumes, in->volumes, in->volume_count * sizeof *in->volumes);
    if (in->link_count) memcpy(at + l.links, in->links, in->link_count * sizeof *in->links);
    return s;
}

nd_snapshot *nd_snapshot_create(const nd_view *v)
{
    ND_ASSERT_LOOP_THREAD();
    void *memory = malloc(layout_of(&v->source).bytes);
    if (!memory) return NULL;
    nd_snapshot *s = write_at(memory, &v->source);
    for (uint32_t i = 0; i < v->source.instance_count; i++) s->meshes[i] = nd_mesh_ref(v->meshes[i]);
    return s;
}

size_t nd_snapshot_bytes(const nd_snapshot *s)
{
    return layout_of(&s->source).bytes;
}

nd_snapshot *nd_snapshot_copy(const nd_snapshot *s, void *memory)
{
    nd_snapshot *copy = write_at(memory, &s->source);
    nav_instance *instances = (nav_instance *)copy->source.instances;
    for (uint32_t i = 0; i < s->source.instance_count; i++) {
        assert(s->meshes[i]->owned && s->meshes[i]->owned->memory); // the heap is not the helper's
        instances[i].mesh = s->meshes[i]->owned;
        copy->meshes[i] = NULL;
    }
    return copy;
}

void nd_snapshot_destroy(nd_snapshot *s)
{
    if (!s) return;
    for (uint32_t i = 0; i < s->source.instance_count; i++) nd_mesh_unref(s->meshes[i]);
    free(s);
}
