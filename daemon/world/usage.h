// What a namespace uses, counted from the worlds as they are, and held against its quota. The errors name both. Loop
// thread only.
#ifndef ND_USAGE_H
#define ND_USAGE_H

#include "daemon/access/namespace.h"
#include "daemon/world/worlds.h"

typedef struct nd_usage {
    uint64_t worlds, objects, tiles;
} nd_usage;

nd_usage nd_usage_of(const nd_worlds *worlds, const nd_namespace *space);

// May it have one more? NAV_ERR_LIMIT with one sentence in why.
NAV_MUST_USE nav_status nd_usage_check_session(const nd_namespace *space, char *why, size_t why_bytes);
NAV_MUST_USE nav_status nd_usage_check_world(const nd_worlds *worlds, const nd_namespace *space, np_error *err);
// Takes from this second's edits.
NAV_MUST_USE nav_status nd_usage_take_edit(nd_namespace *space, uint64_t now_ns, np_error *err);
// Before an upload of so many bytes begins and before its mesh is kept; meshes that no world has give way.
NAV_MUST_USE nav_status nd_usage_check_mesh(nd_mesh_store *meshes, nd_namespace *space, uint64_t bytes, np_error *err);
// A world's limits, cut to what the other worlds of its namespace leave of the quotas for objects and tiles.
nd_world_limits nd_usage_world_limits(const nd_worlds *worlds, const nd_world *w, const nd_world_limits *limits);

#endif
