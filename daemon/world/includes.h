// DESIGN. Include volumes: where a world has any, ground exists inside of them alone, and it has those tiles only that
// one of them touches. What touches none has no entry, is in no queue and costs nothing.
//
//     put an instance       makes the tiles of its bounds that an include volume touches
//     put an include volume makes the tiles of its bounds that an instance touches
//     remove one            its tiles are marked; those that no other one touches are removed when they are looked at
//     the first, the last   all tiles are marked: their input says that the world is bounded, or no longer
//
// A volume may be as large as the world, or far larger, and its tiles are the world's, within the world's own limit:
// what one edit may touch does not count for them. Where its bounds have more tiles than the world has instances, it
// goes over the instances.
//
// Loop thread only.
#ifndef ND_INCLUDES_H
#define ND_INCLUDES_H

#include "daemon/world/world.h"

// Does an include volume touch the padded bounds of the tile: one of the world's, or one of `coming` (nd_object
// pointers; NULL: none)?
bool nd_includes_touch(const nd_world *w, const nav_spatial_index *coming, const nav_settings *settings, int32_t x,
                       int32_t z);
// May it have ground of an instance?
bool nd_instances_touch(const nd_world *w, const nav_settings *settings, int32_t x, int32_t z);

// Is the object an include volume? NULL is none.
bool nd_object_includes(const nd_object *o);

// The tiles of all instances of a world, of one profile, in parts.
typedef struct nd_ground_sweep {
    uint32_t profile;
    const nd_box *within; // those alone that touch this box; NULL: all. Borrowed
    nd_creates creates;
    nd_sweep sweep; // of an instance
    bool sweeping;
    size_t slot;         // of the next instances
    const nd_node *next; // the next one of this slot
} nd_ground_sweep;
// As nd_sweep_run(), without the limit on what an edit may touch. No instance comes or goes in between.
NAV_MUST_USE nav_status nd_ground_sweep_run(nd_ground_sweep *g, nd_dirty *d, nd_world *w, const nd_world_limits *limits,
                                            size_t *steps);
// The tiles of an include volume's box, as it comes or goes. They do not count for what an edit may touch. False in
// *by_instance: go on with nd_sweep_run(); true: with nd_ground_sweep_run().
NAV_MUST_USE nav_status nd_include_sweep_begin(nd_sweep *s, nd_ground_sweep *g, bool *by_instance, nd_dirty *d,
                                               nd_world *w, uint32_t profile, const nd_box *box, nd_creates creates,
                                               const nd_world_limits *limits);

#endif
