// DESIGN. A world gets other profiles, or another origin. A change says what the profiles shall be, all of them; what
// differs from what they are follows from that, so the opposite of a change is a change as well.
//
//     begin ──► collect ──► prepare ──► apply ──► its tiles are marked, some at a time (marking.h)
//     └─ the world is as it was; may be refused or given up ─┘
//
// Collecting makes the tiles that the profiles will need, some at a time, since a large world has many; so it is known
// that they are not too many. Where tiles stay in their places, and those that wider settings add are surely few
// enough, nothing is collected, and the change takes effect at once. With `apply` all of it does: what is begun from
// then on is made with the new settings, whether its tile has been marked or not, and what runs with older ones is
// outdated. Loop thread only.
#ifndef ND_PROFILE_CHANGE_H
#define ND_PROFILE_CHANGE_H

#include "daemon/world/profiles.h"

// Takes `wanted` over, also where it fails. There is no edit under way and no other change. Those with a slot that are
// new, or get another grid, come into it. caller: for whom the tiles are made; NULL: the daemon itself. max_profiles:
// of a world. *out NULL: nothing differs. NAV_ERR_ARGUMENT (settings), NAV_ERR_LIMIT, NAV_ERR_MEMORY. key: what of the
// request the error names.
NAV_MUST_USE nav_status nd_profile_change_begin(nd_world *w, nd_profile_list *wanted, nd_caller *caller,
                                                uint32_t max_profiles, uint64_t now_ns, const char *key,
                                                nd_profile_change **out, np_error *err);
// NAV_ERR_AGAIN: there is more to do. NAV_OK: prepare is next. NAV_ERR_LIMIT, NAV_ERR_MEMORY: it is refused.
NAV_MUST_USE nav_status nd_profile_change_collect(nd_profile_change *c, const nd_world_limits *limits, size_t steps,
                                                  np_error *err);
// Afterwards nothing can fail. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_profile_change_prepare(nd_profile_change *c, np_error *err);
// What the profiles will be, with their grids and slots, as it is stored; and the revision that the world will have.
const nd_profile_list *nd_profile_change_wanted(const nd_profile_change *c);
uint64_t nd_profile_change_revision(const nd_profile_change *c);
void nd_profile_change_apply(nd_profile_change *c);
// Tiles that the profiles have as it takes effect; those that it adds later are not counted.
uint32_t nd_profile_change_dirty_tiles(const nd_profile_change *c);

// What differs, one profile each.
typedef struct nd_profile_step {
    uint32_t from, to; // slots; UINT32_MAX: there is none before, or after. The same: other settings on the same grid
} nd_profile_step;
uint32_t nd_profile_change_steps(const nd_profile_change *c, const nd_profile_step **out);

// Where it is not applied the world is as it was. Accepts NULL.
void nd_profile_change_destroy(nd_profile_change *c);

// Checks them all, then adds those that are new, in the background and for nobody; all or none. nd_marking_run()
// follows. Those with a slot get it, with their grid. NAV_ERR_EXISTS (the name has other settings), NAV_ERR_ARGUMENT,
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_add_profiles(nd_world *w, const np_profile *profiles, uint32_t count,
                                              const nd_world_limits *limits, uint64_t now_ns, np_error *err);
// The list of nd_world_add_profiles(). NAV_ERR_EXISTS, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_with_profiles(const nd_world *w, const np_profile *profiles, uint32_t count,
                                               nd_profile_list *out, np_error *err);

#endif
