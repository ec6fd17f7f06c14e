// What one tile is made from, copied out of its world: instances (with references to their meshes), volumes and links
// that touch the tile's padded bounds. A view borrows from the world and costs no memory once warm; it is enough to ask
// the cache. A snapshot owns what it holds, never changes, and goes with its job to a worker.
// Views: loop thread only. A snapshot: whoever owns its job.
#ifndef ND_SNAPSHOT_H
#define ND_SNAPSHOT_H

#include "core/base/buffer.h"
#include "daemon/world/world.h"

// Reused from tile to tile.
typedef struct nd_view {
    nav_settings settings;  // as they were given, or nd_world_settings()
    nav_tile_source source; // points into this and the buffers below
    nd_mesh *const *meshes; // of the instances, borrowed; into mesh_of
    const nav_key *keys;    // of the instances (nav_instance_key()); NULL: nobody has computed them
    nav_buffer instances, mesh_of, volumes, links;
    nd_box box;        // of what is collected
    bool has_ground;   // perhaps: some instance may have ground in the tile
    nav_status status; // of the collecting so far
} nd_view;

void nd_view_deinit(nd_view *v); // accepts a zeroed view

// Replaces the view's contents by what touches the tile; by nothing where the world has include volumes and none does.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_view_collect(nd_view *v, const nd_world *w, uint32_t profile, int32_t x, int32_t z);
// Adds one thing to a view that was begun by nd_view_begin(). NAV_ERR_MEMORY.
void nd_view_begin(nd_view *v, const nav_settings *settings, int32_t x, int32_t z);
NAV_MUST_USE nav_status nd_view_add_instance(nd_view *v, nd_mesh *mesh, const nav_instance *instance);
NAV_MUST_USE nav_status nd_view_add_volume(nd_view *v, const nav_volume *volume);
NAV_MUST_USE nav_status nd_view_add_link(nd_view *v, const nav_link *link);

typedef struct nd_snapshot {
    nav_settings settings;
    nav_tile_source source; // points into this block
    nd_mesh **meshes;       // references, source.instance_count of them
} nd_snapshot;

// A copy of the view in one block. NULL: no memory.
nd_snapshot *nd_snapshot_create(const nd_view *v);
void nd_snapshot_destroy(nd_snapshot *s); // accepts NULL
// Any thread: the same in the caller's memory of nd_snapshot_bytes(), aligned to 16, for a helper process
// (base/shared.h), where its meshes lie that it points to. It holds no references.
size_t nd_snapshot_bytes(const nd_snapshot *s);
nd_snapshot *nd_snapshot_copy(const nd_snapshot *s, void *memory);

#endif
