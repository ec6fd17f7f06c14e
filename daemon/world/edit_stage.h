// What an edit will change. Each object that it names has one entry with what the world has now (before) and what it
// will have (after); staging changes `after` only, so that the world stays as it is until the entries are swapped in.
//
// The loop's thread alone.
#ifndef DAEMON_WORLD_EDIT_STAGE_H
#define DAEMON_WORLD_EDIT_STAGE_H

#include "daemon/world/world.h"

typedef struct nd_staged {
    nd_node node;
    nd_kind kind;
    uint64_t id;
    nd_object *before; // the world's
    nd_object *after;  // the staging's; NULL: removed
    bool renamed;      // the same comes under another id: no tile can change
} nd_staged;

// Zeroed but for w, meshes and limits, which are borrowed.
typedef struct nd_staging {
    nd_world *w;
    nd_mesh_store *meshes;
    const nd_world_limits *limits;
    nd_table table;
    nd_staged *entries;
    size_t count;
    const np_reach *reach;       // the last one set, borrowed from its operation; NULL: none
    const np_build *build;       // the same
    struct nd_area_table *areas; // the table that it sets, until the world takes it; NULL: none
    nd_mesh **made;              // meshes that it has put into the store (edit_heights.h); references
    size_t made_count;
    bool given_up; // the edit does not take effect: meshes that it made and nobody else has go with it
    size_t weight; // of the operations staged so far beyond a step each: bytes that were copied, in KiB
} nd_staging;

extern const char *const nd_kind_names[ND_KIND_COUNT];

// Room for the entries of `count` operations or changes; once, before the first of them. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_staging_reserve(nd_staging *g, size_t count);
// Frees the entries, and what has not become the world's.
void nd_staging_deinit(nd_staging *g);

// Operation `at` of an edit, which must outlive the staging. NAV_ERR_NOT_FOUND: no such mesh or object.
// NAV_ERR_ARGUMENT. NAV_ERR_LIMIT: too many sources. NAV_ERR_MEMORY. The error names the operation.
NAV_MUST_USE nav_status nd_stage_op(nd_staging *g, const np_op *op, size_t at, np_error *err);
// One difference between a source's list and what it owns; errors as above, naming the object of the list.
NAV_MUST_USE nav_status nd_stage_change(nd_staging *g, const nd_sync_list *list, const nd_sync_change *c,
                                        np_error *err);

// Is there the same where it was? Then no tile can change.
bool nd_staged_same_ground(const nd_staged *s);
// Is the object left as it was, its owner and its name included?
bool nd_staged_is_unchanged(const nd_staged *s);

#endif
