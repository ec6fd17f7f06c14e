// What has to change so that a source's instances are those of a list. It looks at the list and at what the source owns
// and at nothing else of the world, once each:
//
//     the list ──► added, changed, moved, the same, or somebody else's
//     what the source owns and the list does not name ──► removed
//     removed and added, of one mesh at one place ──► renamed
//     the same by another name ──► named
//
// The world stays as it is; an edit (nd_edit_begin_sync()) applies the changes. Loop thread only.
#ifndef ND_WORLD_SYNC_H
#define ND_WORLD_SYNC_H

#include "daemon/world/mesh_store.h"
#include "daemon/world/owner.h"
#include "protocol/axes.h"

struct nd_world;

// In columns, as np_world_sync_request has them.
typedef struct nd_sync_list {
    np_str source;
    bool adopt;
    size_t count;
    const uint8_t *ids, *meshes, *transforms, *areas; // areas NULL: NAV_AREA_DEFAULT
    const uint8_t *names;                             // the same, checked; NULL: they keep those that they have
    np_axes axes;                                     // of the transforms as they are in the list
} nd_sync_list;

typedef enum nd_sync_kind {
    ND_SYNC_ADDED,
    ND_SYNC_CHANGED, // another mesh or area, or adopted
    ND_SYNC_MOVED,
    ND_SYNC_RENAMED, // comes under its new id
    ND_SYNC_NAMED,   // nothing but its name is another
    ND_SYNC_REMOVED,
    ND_SYNC_RENAMED_AWAY, // leaves its old id
    ND_SYNC_KINDS
} nd_sync_kind;

typedef struct nd_sync_change {
    nd_sync_kind kind;
    uint32_t twin; // of the two renamed ones: the other's place among the changes
    size_t at;     // in the list; not of what goes
    uint64_t id;
    np_str name;              // borrowed from the list; "" of what goes
    nd_mesh *mesh;            // a reference; NULL where it is missing, and of what goes
    struct nd_object *before; // borrowed from the world; NULL: it is new
} nd_sync_change;

typedef struct nd_sync nd_sync;

// What the list points to outlives it, and until its end nobody else changes the world. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_sync_create(struct nd_world *w, nd_mesh_store *meshes, const nd_sync_list *list,
                                       nd_sync **out);
// NAV_ERR_AGAIN: there is more to do. NAV_ERR_ARGUMENT, NAV_ERR_EXISTS, NAV_ERR_MEMORY with err. A step is an object.
NAV_MUST_USE nav_status nd_sync_run(nd_sync *s, size_t *steps, np_error *err);
void nd_sync_destroy(nd_sync *s); // accepts NULL

// After its end, all borrowed.
const nd_sync_change *nd_sync_changes(const nd_sync *s, size_t *count);
const nd_sync_list *nd_sync_get_list(const nd_sync *s);
uint64_t nd_sync_count(const nd_sync *s, nd_sync_kind kind);
uint64_t nd_sync_unchanged(const nd_sync *s);
// Hashes of meshes that the namespace lacks, each once.
const nav_key *nd_sync_missing(const nd_sync *s, size_t *count);

// In metres, Y up; a number may be infinite there.
void nd_sync_transform(const nd_sync_list *list, size_t at, float out[12]);
uint8_t nd_sync_area(const nd_sync_list *list, size_t at);

#endif
