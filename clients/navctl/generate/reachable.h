// navctl build with seeds or an islands filter: keeps every generated tile until all are there, finds what can be
// reached, and masks the tiles.
#ifndef NAVCTL_REACHABLE_H
#define NAVCTL_REACHABLE_H

#include "core/base/buffer.h"
#include "core/reach/mask.h"
#include "core/reach/reach.h"

typedef struct reachable_tile {
    nav_buffer packed;
    nav_parts *parts;
} reachable_tile;

typedef struct reachable {
    const nav_settings *settings; // borrowed, as the goal
    const nav_reach_goal *goal;
    nav_unreachable mode;
    int32_t first[2], count[2]; // the grid
    reachable_tile *tiles;
    nav_reach *connectivity;
    nav_arena *arena; // of the thread that solves
} reachable;

// The borrowed members, mode and the grid are set. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status reachable_init(reachable *r);
void reachable_deinit(reachable *r); // accepts a zeroed one

// Takes note of tile i of the grid. Any thread, each tile once.
NAV_MUST_USE nav_status reachable_keep(reachable *r, uint64_t i, const nav_tile *tile, nav_arena *arena);
// Once, when all tiles are noted. The arena is the caller's.
NAV_MUST_USE nav_status reachable_solve(reachable *r, nav_arena *arena);
// Tile i as it is to be delivered, in the arena. *changed is false, and nothing made, where it is as it was generated.
// Any thread.
NAV_MUST_USE nav_status reachable_mask(const reachable *r, uint64_t i, nav_arena *arena, nav_tile *out, bool *changed);

#endif
