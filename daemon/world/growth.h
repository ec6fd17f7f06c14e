// DESIGN. A profile gets the tiles that it lacks: all of a new one, or those that instances touch where tiles gather
// from further off than before. It walks through the world's instances some at a time, and copies their boxes, so they
// may change, come and go between two steps. Loop thread only.
#ifndef ND_GROWTH_H
#define ND_GROWTH_H

#include "daemon/world/world.h"

typedef struct nd_growth {
    uint32_t slot;
    nav_settings settings;
    double origin_m[2], per_m, before, after; // of the frame; the widening, in tiles (growth.c)
    size_t place;                             // in the table of instances
    bool walked;                              // to its end
    nd_box *boxes;                            // that were taken last; those from `next` on are still to be looked at
    size_t count, capacity, next;
    bool no_memory;
    nd_sweep sweep;
    bool sweeping;
} nd_growth;

// What a tile gathers beyond its sides, in metres.
double nd_padding_of(const nav_settings *s);

// For the profile in a slot, with settings that it has or is to have. complete_m: the padding for which it has all of
// its tiles; -INFINITY: it has none. The growth is zeroed, or was begun before.
void nd_growth_begin(nd_growth *g, uint32_t slot, const nav_settings *settings, double complete_m);
// Into d come those that it makes, and some of those that there are. Takes from *steps. NAV_ERR_AGAIN: there is more to
// do. NAV_ERR_LIMIT. NAV_ERR_MEMORY: it may go on when there is some.
NAV_MUST_USE nav_status nd_growth_run(nd_growth *g, nd_world *w, nd_dirty *d, const nd_world_limits *limits,
                                      size_t *steps);
void nd_growth_deinit(nd_growth *g);

// How many tiles that may make at most, without looking at any object, for a profile that has so many.
double nd_growth_most(const nd_world *w, const nav_settings *settings, double complete_m, uint64_t tiles);

#endif
