// DESIGN. The profiles of a world, by slot. A tile is known by its slot and its place, here and on disk. A profile has
// a slot for each of its sheets (navcore/sheets.h), with settings that differ in `sheet` alone: so a tile of any sheet
// is marked, made, kept and sent like a floor, and where agents stand on floors there is one slot as ever. The first
// slot stands for the profile: that of the first sheet that it has.
//
//               begun             applied                retired               its tiles are freed
//      FREE ──────────► COMING ──────────────► LIVE ──────────────► GONE ──────────────────────────► FREE
//                         └── given up ──► FREE
//
// Other settings leave a profile in its slots, as its tiles stay where they are. Where its grid changes (the size of
// tiles, the world's origin, or which sheets there are), tile (x, z) means another place: then the profile moves into
// other slots, and what it leaves is GONE, like that of a profile that is removed. Nothing of such a slot is begun, and
// what runs for it is dropped when it comes back. Its tiles are freed some at a time. Loop thread only.
#ifndef ND_PROFILES_H
#define ND_PROFILES_H

#include "daemon/world/world.h"

static inline bool nd_profile_is_live(const nd_world *w, uint32_t slot)
{
    return w->profiles[slot].state == ND_PROFILE_LIVE;
}

// The first slot of a live profile, or UINT32_MAX.
uint32_t nd_world_find_profile(const nd_world *w, np_str name);
// The slot of one of its sheets, or UINT32_MAX.
uint32_t nd_world_find_sheet(const nd_world *w, np_str name, nav_sheet sheet);
// The first of some of its sheets, or UINT32_MAX.
uint32_t nd_world_find_first(const nd_world *w, np_str name, uint32_t sheets);
// Are two slots of one profile?
bool nd_world_same_profile(const nd_world *w, uint32_t a, uint32_t b);
// Does the slot stand for its profile?
static inline bool nd_profile_is_first(const nd_world *w, uint32_t slot)
{
    const nav_settings *s = &w->profiles[slot].wire.settings;
    return s->sheet == nav_sheets_first(s->sheets);
}
// The live ones, each once; out has room for as many as there are slots. Names are borrowed. Returns how many.
uint32_t nd_world_list_profiles(const nd_world *w, np_profile *out);

// Does tile (x, z) of both lie in the same place?
bool nd_profile_same_grid(const nav_settings *a, const nav_settings *b);

// A COMING profile in a slot that is free: `slot`, or any where it is UINT32_MAX. The name is copied. NAV_ERR_MEMORY,
// NAV_ERR_LIMIT (NP_MAX_SLOTS), NAV_ERR_FORMAT (the slot that was asked for is not free).
NAV_MUST_USE nav_status nd_world_take_slot(nd_world *w, uint32_t slot, const np_profile *p, uint32_t *out);
// A COMING one is given up. It has no tiles.
void nd_world_leave_slot(nd_world *w, uint32_t slot);
// A live one is GONE. The caller cancels its runs.
void nd_world_retire_slot(nd_world *w, uint32_t slot);
// Frees tiles of slots that are GONE, in about `steps` steps. False: there are none left.
bool nd_world_free_gone(nd_world *w, size_t steps);
// One of them.
void nd_world_drop_tile(nd_world *w, nd_tile *t);

// What a world's profiles are to be: an entry for each sheet of each.
typedef struct nd_profile_list {
    double origin_m[3]; // also in the settings of each
    uint32_t count;
    np_profile *profiles; // with names of their own
} nd_profile_list;

// As they are. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_profile_list_of(const nd_world *w, nd_profile_list *out);
void nd_profile_list_deinit(nd_profile_list *l); // accepts a zeroed one
// Adds it with all of its sheets, or gives the one of that name these settings, but for the origin. NAV_ERR_MEMORY: it
// may have some of them.
NAV_MUST_USE nav_status nd_profile_list_put(nd_profile_list *l, const np_profile *p);
// Adds one of a profile's sheets, which it has not. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_profile_list_add(nd_profile_list *l, const np_profile *p);
bool nd_profile_list_remove(nd_profile_list *l, np_str name); // false: there is none
void nd_profile_list_move(nd_profile_list *l, const double origin_m[3]);

#endif
