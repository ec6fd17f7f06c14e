#include "daemon/world/usage.h"

#include "daemon/base/thread.h"

#include <inttypes.h>
#include <stdio.h>

nd_usage nd_usage_of(const nd_worlds *worlds, const nd_namespace *space)
{
    ND_ASSERT_LOOP_THREAD();
    nd_usage u = {0};
    for (size_t i = 0; i < worlds->count; i++) {
        const nd_world *w = worlds->list[i];
        if (w->space != space) continue;
        u.worlds++;
        for (int k = 0; k < ND_KIND_COUNT; k++) u.objects += w->objects[k].count;
        u.tiles += w->scheduler.tiles.count;
    }
    return u;
}

static uint64_t max_of(const nd_namespace *space, nd_quota_kind k)
{
    return space->quota.max[k];
}

nav_status nd_usage_check_session(const nd_namespace *space, char *why, size_t why_bytes)
{
    uint64_t max = max_of(space, ND_QUOTA_max_sessions);
    if (space->sessions < max) return NAV_OK;
    snprintf(why, why_bytes, "the namespace %s has %" PRIu64 " sessions; its quota max_sessions is %" PRIu64,
             space->name, space->sessions, max);
    return NAV_ERR_LIMIT;
}

nav_status nd_usage_check_world(const nd_worlds *worlds, const nd_namespace *space, np_error *err)
{
    uint64_t max = max_of(space, ND_QUOTA_max_worlds), have = max == UINT64_MAX ? 0 : nd_usage_of(worlds, space).worlds;
    if (have < max) return NAV_OK;
    return np_error_set(err, NAV_ERR_LIMIT, "the namespace %s has %" PRIu64 " worlds; its quota max_worlds is %" PRIu64,
                        space->name, have, max);
}

nav_status nd_usage_take_edit(nd_namespace *space, uint64_t now_ns, np_error *err)
{
    uint64_t max = max_of(space, ND_QUOTA_max_edits_per_second), second = now_ns / 1000000000;
    if (max == UINT64_MAX) return NAV_OK;
    if (space->edit_second != second) {
        space->edit_second = second;
        space->edits = 0;
    }
    if (space->edits < max) {
        space->edits++;
        return NAV_OK;
    }
    return np_error_set(
        err, NAV_ERR_LIMIT,
        "the namespace %s has used up its edits for this second; its quota max_edits_per_second is %" PRIu64
        "; try again in %" PRIu64 " ms",
        space->name, max, 1000 - now_ns / 1000000 % 1000);
}

nav_status nd_usage_check_mesh(nd_mesh_store *meshes, nd_namespace *space, uint64_t bytes, np_error *err)
{
    uint64_t max = max_of(space, ND_QUOTA_max_mesh_bytes);
    if (max == UINT64_MAX) return NAV_OK;
    if (bytes <= max && space->mesh_bytes > max - bytes) nd_mesh_store_hide_unused(meshes, space, max - bytes);
    if (bytes <= max && space->mesh_bytes <= max - bytes) return NAV_OK;
    return np_error_set(err, NAV_ERR_LIMIT,
                        "the mesh needs %" PRIu64 " bytes, and the namespace %s has %" PRIu64
                        " in use; its quota max_mesh_bytes is %" PRIu64,
                        bytes, space->name, space->mesh_bytes, max);
}

nd_world_limits nd_usage_world_limits(const nd_worlds *worlds, const nd_world *w, const nd_world_limits *limits)
{
    nd_world_limits l = *limits;
    uint64_t objects = max_of(w->space, ND_QUOTA_max_objects), tiles = max_of(w->space, ND_QUOTA_max_tiles);
    if (objects == UINT64_MAX && tiles == UINT64_MAX) return l;
    nd_usage all = nd_usage_of(worlds, w->space);
    uint64_t own = w->objects[ND_INSTANCE].count + w->objects[ND_VOLUME].count + w->objects[ND_LINK].count;
    uint64_t others = all.objects - own, other_tiles = all.tiles - w->scheduler.tiles.count;
    if (objects != UINT64_MAX) l.max_all_objects = objects > others ? objects - others : 0;
    if (tiles != UINT64_MAX) {
        uint64_t left = tiles > other_tiles ? tiles - other_tiles : 0;
        if (left < l.max_tiles) l.max_tiles = left;
    }
    return l;
}
