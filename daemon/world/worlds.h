// DESIGN. All worlds of the daemon: those that live, by id and by name, and those that were deleted. A deleted world
// may have a million tiles and objects: they are freed in parts, some in each turn of the loop. Loop thread only.
#ifndef ND_WORLDS_H
#define ND_WORLDS_H

#include "daemon/world/world.h"

#include <uv.h>

typedef struct nd_worlds {
    nd_world **list; // those that live, in no order that means something
    size_t count, capacity;
    nd_table by_id;
    uint64_t next_id;    // of the next new one
    nd_world *deleted;   // by next_deleted
    uint64_t gone_steps; // nd_reach_steps() of those that were deleted
    uv_idle_t free_some;
} nd_worlds;

void nd_worlds_init(nd_worlds *all, uv_loop_t *loop);
// Its handle. Nothing is freed in parts any more.
void nd_worlds_close(nd_worlds *all);
// After the loop has ended: destroys all worlds.
void nd_worlds_deinit(nd_worlds *all);

// Takes the world over. NAV_ERR_MEMORY: it is still the caller's.
NAV_MUST_USE nav_status nd_worlds_add(nd_worlds *all, nd_world *w);
// It is not found any more, and is freed from the loop's next turn on. Nobody else may know it.
void nd_worlds_delete(nd_worlds *all, nd_world *w);
// Frees at once what is left of deleted worlds: something else would be refused for it. False: there was nothing.
bool nd_worlds_free_deleted(nd_worlds *all);

// Also one that is being deleted (nd_world.leaving); the others do not see it. NULL where there is none.
nd_world *nd_worlds_find(const nd_worlds *all, uint64_t id);
// NULL also for a world of another namespace: nobody learns that it exists.
nd_world *nd_worlds_find_in(const nd_worlds *all, const nd_namespace *space, uint64_t id);
nd_world *nd_worlds_find_named(const nd_worlds *all, const nd_namespace *space, np_str name);

#endif
