// In which axes and units a session talks about its worlds: those that its last world.open of each named. Worlds of
// which it talks in metres with Y up have no entry. Loop thread only.
#ifndef ND_AXES_H
#define ND_AXES_H

#include "protocol/axes.h"

typedef struct nd_axes_entry {
    uint64_t world;
    np_axes axes;
} nd_axes_entry;

// Zeroed: of no world.
typedef struct nd_axes_list {
    nd_axes_entry *entries;
    size_t count, capacity;
} nd_axes_list;

void nd_axes_deinit(nd_axes_list *l);
// NULL: metres, Y up.
const np_axes *nd_axes_find(const nd_axes_list *l, uint64_t world);
// Room for one world more. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_axes_reserve(nd_axes_list *l);
// There is room.
void nd_axes_set(nd_axes_list *l, uint64_t world, const np_axes *axes);
void nd_axes_forget(nd_axes_list *l, uint64_t world);

#endif
