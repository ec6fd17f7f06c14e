// DESIGN. A world: its profiles, what stands in it, a spatial index over that, and the scheduler of its tiles. Only the
// loop thread sees a world. Edits change it in place; what a job needs is copied out of it when the job is dispatched
// (snapshot.h). A persistent copy of the whole world per revision would give every job the same isolation, but each
// edit would pay for the path it copies and each job would hold all of an old revision alive; the few objects that
// touch one tile, with shared meshes, are a few kilobytes, are read at the last moment (so a tile never starts from an
// input that is outdated already), and die with their job.
//
// A world has the tiles that some instance's bounds touch, padding included, and no others. The cost of an edit is that
// of the tiles and buckets it touches, not of the world. Loop thread only.
#ifndef ND_WORLD_H
#define ND_WORLD_H

#include "core/geometry/spatial_index.h"
#include "core/geometry/tile_source.h"
#include "core/reach/goal.h"
#include "daemon/mesh_store.h"
#include "daemon/scheduler.h"
#include "protocol/messages.h"

typedef enum nd_kind { ND_INSTANCE, ND_VOLUME, ND_LINK, ND_KIND_COUNT } nd_kind;

typedef struct nd_object {
    nd_node node; // in the world's table of its kind, by id
    uint64_t id;
    nd_kind kind;
    bool has_box; // false: nothing of it is anywhere (a mesh with no triangles); not in the index
    nav_box_xz box;
} nd_object;

typedef struct nd_placed {
    nd_object object;
    nd_mesh *mesh;         // a reference
    nav_instance instance; // instance.mesh is mesh->mesh
} nd_placed;

typedef struct nd_volume {
    nd_object object;
    nav_volume volume;
} nd_volume;

typedef struct nd_offmesh {
    nd_object object;
    nav_link link;
} nd_offmesh;

typedef struct nd_profile {
    np_profile wire;                         // name is owned by the world; settings as checked
    nav_key key;                             // of the settings
    uint32_t wanted[NP_ENCODING_PACKED + 1]; // subscriptions by encoding
    struct nd_reach *reach;                  // reach.h; NULL where the world has no goal
} nd_profile;

// What shall be reached, and what becomes of the rest.
typedef struct nd_goal {
    nav_unreachable mode;
    nav_reach_goal goal;
} nd_goal;

typedef struct nd_world_limits {
    uint64_t max_objects;    // of each kind
    uint64_t max_edit_tiles; // that one edit may mark, every place of every object counted
    uint64_t max_tiles;      // of one world
    uint32_t max_profiles;
} nd_world_limits;

struct nd_subscription;
struct nd_waiter;

typedef struct nd_world {
    uint64_t id, revision;
    char *name;
    double origin_m[3];
    nd_goal goal;
    nd_profile *profiles;
    uint32_t profile_count;
    nd_table objects[ND_KIND_COUNT];
    nav_spatial_index index[ND_KIND_COUNT]; // of nd_object pointers
    nd_scheduler scheduler;
    uint64_t edit_serial;
    struct nd_subscription *subscriptions; // subscription.h
    struct nd_waiter *waiters;             // waiters.h
    bool progress_shown;                   // a progress note was sent that was not the last
} nd_world;

// name is copied. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_create(uint64_t id, np_str name, const double origin_m[3], nd_world **out);
void nd_world_destroy(nd_world *w); // no run may be out; accepts NULL

// Index of a profile, or UINT32_MAX.
uint32_t nd_world_find_profile(const nd_world *w, np_str name);
// Checks them all, then adds those that are new and marks their tiles; all or none. NAV_ERR_EXISTS (the name has other
// settings), NAV_ERR_ARGUMENT, NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_add_profiles(nd_world *w, const np_profile *profiles, uint32_t count,
                                              const nd_world_limits *limits, uint64_t now_ns, np_error *err);

// Applies all operations, and raises the revision by one, or none. Runs that are outdated by it are cancelled.
NAV_MUST_USE nav_status nd_world_edit(nd_world *w, nd_mesh_store *meshes, const nd_world_limits *limits,
                                      const np_world_edit_request *edit, uint64_t now_ns, uint32_t *dirty_tiles,
                                      np_error *err);

// Private to world*.c.
nd_object *nd_world_find(const nd_world *w, nd_kind kind, uint64_t id);
void nd_object_destroy(nd_object *o); // accepts NULL

// Collecting the tiles that a change touches, so that marking them cannot fail. Private to world*.c.
typedef struct nd_dirty {
    nd_tile **tiles;
    uint8_t *flags; // ND_DIRTY_*
    size_t count, capacity;
    uint64_t marks; // tiles seen, repeats included
} nd_dirty;

enum { ND_DIRTY_FORCED = 1, ND_DIRTY_CREATED = 2 };

// Forgets the tiles that were made for it and not marked since, then frees.
void nd_dirty_deinit(nd_dirty *d, nd_world *w);
// All tiles of a profile whose padded bounds touch the box. create: also those that the world does not have yet.
NAV_MUST_USE nav_status nd_dirty_box(nd_dirty *d, nd_world *w, uint32_t profile, const nav_box_xz *box, bool create,
                                     bool forced, const nd_world_limits *limits);
NAV_MUST_USE nav_status nd_dirty_tile(nd_dirty *d, const nd_world *w, nd_tile *t, uint8_t flags);
// Cannot fail.
void nd_dirty_mark(nd_dirty *d, nd_world *w, uint64_t now_ns);

#endif
