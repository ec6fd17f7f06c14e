// DESIGN. A world: its profiles, its objects, a spatial index over them, and the scheduler of its tiles. Only the
// loop thread sees a world. Edits change it in place; what a job needs is copied out of it when the job is
// dispatched (snapshot.h). A persistent copy of the world per revision would isolate jobs as well, but each edit
// would pay for the path it copies, and each job would keep all of an old revision alive. The few objects that touch
// one tile, with shared meshes, are a few kilobytes, are read at the last moment (so a tile never starts from an
// outdated input), and go with their job.
//
// A world has the tiles that some instance's bounds touch, padding included, and no others; where it has include
// volumes, of those only what such a volume touches as well (includes.h). The cost of an edit is that of the tiles and
// buckets it touches, not of the world. Loop thread only.
#ifndef ND_WORLD_H
#define ND_WORLD_H

#include "core/geometry/spatial_index.h"
#include "core/geometry/tile_source.h"
#include "core/reach/goal.h"
#include "daemon/cache/cache.h"
#include "daemon/schedule/scheduler.h"
#include "daemon/world/box.h"
#include "daemon/world/label.h"
#include "daemon/world/mesh_store.h"
#include "daemon/world/owner.h"
#include "daemon/world/world_sync.h"
#include "protocol/messages.h"

typedef enum nd_kind { ND_INSTANCE, ND_VOLUME, ND_LINK, ND_KIND_COUNT } nd_kind;

typedef struct nd_object {
    nd_node node; // in the world's table of its kind, by id
    uint64_t id;
    nd_kind kind;
    bool has_box; // false: nothing of it is anywhere (a mesh with no triangles); not in the index
    nd_box box;
    nd_owner *owner;                              // a reference; NULL: nobody
    nd_label *label;                              // what it is called; a reference; NULL: nothing
    struct nd_object *owned_before, *owned_after; // instances in the world: the owner's others
    uint64_t listed; // instances: the edit whose list named it last (world_sync.h); 0: none
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

// A profile has a slot, whose number its tiles have here and on disk. profiles.h tells what becomes of slots.
typedef enum nd_profile_state { ND_PROFILE_FREE, ND_PROFILE_COMING, ND_PROFILE_LIVE, ND_PROFILE_GONE } nd_profile_state;

typedef struct nd_profile {
    np_profile wire;                    // name is owned by the world; settings as checked, grid
    nd_profile_state state;             // what follows counts unless it is free
    nav_key key;                        // of the settings
    uint64_t version;                   // no other settings of the world have had it: a run with another is outdated
    uint32_t wanted[ND_WIRE_ENCODINGS]; // subscriptions by encoding
    struct nd_reach *reach;             // reach.h; NULL where the world has no goal
    bool marking;                       // it has got other settings, and not all of its tiles are marked (marking.h)
    uint64_t applied_ns;                // when it has got those that it has
    double complete_m;                  // the padding for which it has all of its tiles; less than what its settings
                                        // say where some are still to be made
} nd_profile;

// What shall be reached, and what becomes of the rest.
typedef struct nd_goal {
    nav_unreachable mode;
    nav_reach_goal goal;
} nd_goal;

// Memory for a tile: its entry, what clients were sent of it, its place in the cache and its bytes there.
enum { ND_TILE_COST = 2048 };

typedef struct nd_world_limits {
    uint64_t max_objects;     // of each kind
    uint64_t max_all_objects; // of all kinds together
    uint64_t max_edit_tiles;  // that one edit may mark, every place of every object counted
    uint64_t max_tiles;       // of one world
    uint64_t max_new_tiles;   // that one edit may add: there is memory for so many
    uint32_t max_profiles;
    uint64_t max_sources;       // of one world
    uint64_t interactive_tiles; // an edit that marks more is background work
} nd_world_limits;

// For what was allowed before: worlds that come back from the disk, edits that are taken back.
extern const nd_world_limits nd_world_no_limits;

struct nd_area_table;
struct nd_subscription;
struct nd_waiter;
struct nd_removed;

// Tiles that are gone, by place and by the revision that removed them (changes.h).
typedef struct nd_changes {
    nd_table table;
    struct nd_removed *newest, *oldest;
    uint64_t horizon;
    uint64_t forgotten; // that the disk may still know
} nd_changes;

typedef struct nd_world nd_world;
typedef struct nd_edit nd_edit;
typedef struct nd_profile_change nd_profile_change; // profile_change.h

// Hears of an edit before it takes effect, and may refuse it: the edit fails with what it returns, and the world is as
// it was.
typedef struct nd_edit_listener nd_edit_listener;
struct nd_edit_listener {
    // An object changes; NULL: it is not there before, or after.
    nav_status (*on_object)(nd_edit_listener *l, const nd_world *w, const nd_object *before, const nd_object *after);
    // The goal, what is built or the table of areas changes; as they will be. NULL where it stays.
    nav_status (*on_head)(nd_edit_listener *l, nd_world *w, const nd_goal *goal, const np_build *build,
                          struct nd_area_table *areas);
    // That was all; the world will have this revision.
    nav_status (*on_end)(nd_edit_listener *l, const nd_world *w, uint64_t revision);
};

struct nd_world {
    nd_node node; // of the registry (worlds.h), by id
    uint64_t id, revision;
    nd_namespace *space; // that it belongs to
    char *name;          // unique in there
    double origin_m[3];
    nd_goal goal;
    struct nd_area_table *areas; // areas.h; NULL: it was never set
    uint64_t areas_version;      // counts the tables; 0: there was none
    np_build build;
    uint32_t watch_only;    // subscriptions that ask for no more than what is watched
    uint64_t reach_steps;   // of searches under goals that are gone
    nd_profile *profiles;   // by slot
    uint32_t profile_count; // of slots
    uint64_t last_version;
    uint32_t gone_count; // of slots whose tiles are being freed
    size_t gone_at;      // in the table of tiles
    nd_table objects[ND_KIND_COUNT];
    nd_table owners;                        // of nd_owner
    nav_spatial_index index[ND_KIND_COUNT]; // of nd_object pointers
    // Boxes around what there is begin empty, and grow with each that comes. A larger one than needed does no harm: the
    // one saves looking where no include volume can be, so that a large object in a small part of a world costs no more
    // than that part; the other bounds how many tiles there may be.
    uint64_t include_count; // volumes that include
    nd_box include_box;     // around them; perhaps larger (includes.h)
    nd_box extent;          // around all instances; perhaps larger
    bool loading;           // it comes from the disk: no tiles are made until all objects are in it
    nd_scheduler scheduler;
    uint64_t edit_serial;
    struct nd_subscription *subscriptions; // subscription.h
    struct nd_waiter *waiters;             // waiters.h
    uint64_t durable; // the revision that would survive a crash; UINT64_MAX where nothing is stored
    nd_changes removed;
    nd_edit *edit;                 // one that is under way; NULL: none
    nd_profile_change *change;     // one that has not taken effect yet; NULL: none. Not beside an edit
    struct nd_marking *marking;    // marking.h; NULL: no profile's tiles are to be marked
    bool applying;                 // an edit has been decided and is not all in the world yet, or settings are about to
                                   // change: no tile is begun
    void (*cancel_run)(void *run); // tells a run of the scheduler's that it is outdated; the builder's
    bool head_due;                 // its name, profiles or goal are not stored yet as they are
    bool unborn;                   // that it was made is not stored yet
    uint32_t unlogged;             // commits that wait for the log of edits, before they go to the disk
    bool damaged;                  // what is stored of it could not all be read: it takes no edits
    bool leaving;                  // it is being deleted
    nd_mesh *awaited;              // one of its meshes that is not in memory yet: no jobs until then; NULL: none
    bool sync_due;                 // some session may have to be told so (sync.h)
    bool progress_shown;           // a progress note was sent that was not the last
    struct nd_world *next_deleted; // worlds.h
};

// name is copied; space outlives the world. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_create(uint64_t id, nd_namespace *space, np_str name, const double origin_m[3],
                                        nd_world **out);
void nd_world_destroy(nd_world *w); // no run may be out; accepts NULL
// Frees some of its tiles and objects, in about `enough` steps. False: there are none left, and nd_world_destroy() is
// quick. Nothing but these two may follow.
bool nd_world_empty_some(nd_world *w, size_t enough);

// Applies all operations, and raises the revision by one, or none. Runs that are outdated by it are cancelled. caller:
// for whom the tiles are made; NULL: the daemon itself.
NAV_MUST_USE nav_status nd_world_edit(nd_world *w, nd_mesh_store *meshes, const nd_world_limits *limits,
                                      nd_caller *caller, const np_world_edit_request *edit, uint64_t now_ns,
                                      uint32_t *dirty_tiles, np_error *err);

// The same in parts: so that other sessions are served in between, a large edit runs a number of steps at a time.
// The edit's world is w->edit's until nd_edit_destroy(): one at a time, and nobody else changes objects, profiles or
// the goal. What request points to outlives it. NAV_ERR_STATE (base_revision), NAV_ERR_MEMORY: there is none then.
NAV_MUST_USE nav_status nd_edit_begin(nd_world *w, nd_mesh_store *meshes, nd_edit_listener *listener, nd_caller *caller,
                                      const np_world_edit_request *request, uint64_t now_ns, nd_edit **out,
                                      np_error *err);
// The same for what a source owns: what `sync` finds to be different, which is compared first, is the edit.
// only_compare: it ends then and applies nothing, as it does where a mesh is missing. request has no operations. sync
// outlives it.
NAV_MUST_USE nav_status nd_edit_begin_sync(nd_world *w, nd_mesh_store *meshes, nd_edit_listener *listener,
                                           nd_caller *caller, const np_world_edit_request *request, nd_sync *sync,
                                           bool only_compare, uint64_t now_ns, nd_edit **out, np_error *err);
// It was decided elsewhere, with this revision: the world will have it, or a higher one where it is there already.
// Before the first nd_edit_run().
void nd_edit_follow(nd_edit *e, uint64_t revision);
// NAV_ERR_AGAIN: there is more to do. NAV_OK: it is applied. Else it is refused, and the world as it was. limits: as
// they are now. A step is an operation, an object or a tile.
NAV_MUST_USE nav_status nd_edit_run(nd_edit *e, const nd_world_limits *limits, size_t steps, np_error *err);
// Is it certain that it takes effect?
bool nd_edit_is_decided(const nd_edit *e);
// Of one that is decided; the world's may be higher by now.
uint64_t nd_edit_revision(const nd_edit *e);
// Tiles that it has created until now.
uint64_t nd_edit_created_tiles(const nd_edit *e);
// Of one that is applied.
uint32_t nd_edit_dirty_tiles(const nd_edit *e);
// Of one that has ended: was there only a comparison?
bool nd_edit_only_compared(const nd_edit *e);
// One that is decided may only go before its end when its world does. Accepts NULL.
void nd_edit_destroy(nd_edit *e);
// Does an edit or a change of profiles that is under way hold this tile? Then it may not be forgotten.
bool nd_edit_holds(const nd_world *w, const nd_tile *t);

// Does it build only what is watched? Where something is to be reached it never does, as that depends on all of it.
// Call when something of that has changed: build, watch_only, goal.
void nd_world_judge_build(nd_world *w);

// The tiles of a slot that lie in a box in x and z, at any height, grown by a margin; everything where min is NULL.
void nd_world_tiles_of(const nd_world *w, uint32_t profile, const double *min, const double *max, double margin_m,
                       int32_t first[2], int32_t last[2]);

// Marks a tile. A run that is outdated by it is cancelled.
void nd_world_mark(nd_world *w, nd_tile *t, const nd_mark *m);

// May tiles be begun: are all of its meshes in memory, and no edit half in it? Where the awaited one has come it looks
// for the next.
bool nd_world_is_ready(nd_world *w);

// All objects of a world that was `loading` are in it: makes its tiles and marks them. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_end_loading(nd_world *w, uint64_t now_ns);

// Borrowed; NULL where there is none.
nd_object *nd_world_find(const nd_world *w, nd_kind kind, uint64_t id);

// Private to world*.c.
void nd_object_destroy(nd_object *o); // accepts NULL

// Collecting the tiles that a change touches, so that marking them cannot fail. Private to world*.c.
typedef struct nd_dirty_entry {
    nd_tile *tile;
    uint64_t object;
    uint8_t by;    // nd_cause_kind
    uint8_t flags; // ND_DIRTY_*
} nd_dirty_entry;

typedef struct nd_dirty {
    nd_dirty_entry *entries;
    size_t count, capacity;
    uint64_t marks;   // tiles seen, repeats included
    uint64_t created; // tiles that the world did not have; of a box that was refused, as many as it would have made
    // What makes those dirty that are collected next.
    nd_cause_kind by;
    uint64_t object;
} nd_dirty;

enum { ND_DIRTY_FORCED = 1, ND_DIRTY_CREATED = 2, ND_DIRTY_MARKED = 4 };

// Forgets the tiles that were made for it and not marked since, then frees.
void nd_dirty_deinit(nd_dirty *d, nd_world *w);
// NAV_ERR_LIMIT with words: more were created than max_new_tiles. who: "the edit needs".
NAV_MUST_USE nav_status nd_dirty_refuse_new(const nd_dirty *d, const nd_world_limits *limits, const char *who,
                                            np_error *err);
// All tiles of a slot whose padded bounds touch the box, and which of those that the world does not have yet it
// makes.
typedef enum nd_creates {
    ND_CREATES_NONE,
    ND_CREATES_ALL,
    ND_CREATES_INCLUDED, // that an include volume touches, one of the world's or one in `coming`
    ND_CREATES_COVERED,  // that an instance of the world touches
} nd_creates;
typedef struct nd_sweep {
    uint32_t profile;
    const nav_settings *settings;
    int32_t first[2], last[2], x, z;     // x, z: the next one
    int32_t made_first[2], made_last[2]; // of those that it may make
    nd_creates creates;
    bool whole;  // there are fewer tiles in the world than in the box
    size_t slot; // then: of the next ones
    uint8_t flags;
    const nav_spatial_index *coming; // include volumes that the world will have; NULL: none. Borrowed
} nd_sweep;
NAV_MUST_USE nav_status nd_sweep_begin(nd_sweep *s, nd_dirty *d, nd_world *w, uint32_t profile, const nd_box *box,
                                       nd_creates creates, bool forced, const nd_world_limits *limits);
// The same as if the profile had these settings, which outlive the sweep. within: of those tiles, what touches that box
// as well; NULL: all.
NAV_MUST_USE nav_status nd_sweep_begin_with(nd_sweep *s, nd_dirty *d, nd_world *w, uint32_t profile,
                                            const nav_settings *settings, const nd_box *box, const nd_box *within,
                                            nd_creates creates, bool forced, const nd_world_limits *limits);
// Takes from *steps. NAV_ERR_AGAIN: there were too few. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_sweep_run(nd_sweep *s, nd_dirty *d, nd_world *w, const nd_world_limits *limits,
                                     size_t *steps);
NAV_MUST_USE nav_status nd_dirty_tile(nd_dirty *d, const nd_world *w, nd_tile *t, uint8_t flags);
// From entry `at` on, while there are steps; returns how far it came. Cannot fail. caller: was admitted to the world's
// flows, or NULL.
size_t nd_dirty_mark(nd_dirty *d, nd_world *w, nd_caller *caller, nd_class class, uint64_t now_ns, size_t at,
                     size_t *steps);

#endif
