// DESIGN. What is delivered of a tile in a world with seeds or a minimum area. Generation knows of neither: it makes
// base tiles, cached under the key of their input as ever. Beside them, a graph per profile (core/reach/reach.h)
// knows which connected parts of which tiles can be reached. A delivered tile is the base tile and a bit for each of
// its parts: a function of both, with a key of both, cached alike. So when a door closes, the tiles behind it are
// masked again but not generated; when it opens, they come from the cache.
//
//     generated ──► parts ──► graph ──► verdict ──┐
//         └──────► base tile, packed ─────────────┴──► masked ──► encoded ──► cache, subscribers
//
// One edit often changes several tiles, and between the first and the last of them the world looks as it never is.
// So a tile whose connections changed is staged, not put into the graph, until all tiles of its revision are
// generated, and a tile with unreachable ground is held until then. New tiles go in at once: they can only open
// ways, so a first build shows what is reached as it goes. A tile that is edited faster than it is built would never
// come to be held together with the others, so each state of it is committed by itself. A world without seeds and
// minimum area has none of this. Loop thread only.
#ifndef ND_REACH_H
#define ND_REACH_H

#include "core/reach/mask.h"
#include "core/reach/reach.h"
#include "daemon/cache/cache.h"
#include "daemon/world/world.h"

typedef struct nd_reach nd_reach;

// Is anything to be masked?
bool nd_goal_is_on(const nd_goal *g);
// What can be reached is known along floors alone. A profile that has other sheets, too, in words: why, and what to do.
void nd_goal_refuse_sheets(np_str profile, char *why, size_t why_bytes);

// From a checked message, and back; seeds has room for NAV_MAX_SEEDS.
nd_goal nd_goal_of_wire(const np_reach *r);
np_reach nd_goal_to_wire(const nd_goal *g, np_seed *seeds);

// Makes ready to give the world another goal: afterwards nd_reach_change() cannot fail. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_reach_prepare(nd_world *w, const nd_goal *goal);
// Takes effect: marks the tiles that may look otherwise now. Returns how many.
size_t nd_reach_change(nd_world *w, const nd_goal *goal, nd_caller *caller, uint64_t now_ns);
// The graph of a profile that is to have these settings, where the world has a goal; else NULL. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_reach_make(nd_world *w, uint32_t profile, const nav_settings *settings, nd_reach **out);
// It takes the place of the profile's graph. The settings are the profile's now, with a version of their own; what is
// known of a tile from before it is forgotten when the tile is looked at next.
void nd_reach_renew(nd_world *w, uint32_t profile, nd_reach *made);
void nd_reach_free(nd_world *w, nd_reach *made); // one that is not in use; accepts NULL
void nd_reach_drop_profile(nd_world *w, uint32_t profile);
void nd_reach_forget(nd_tile *t); // a tile that is about to go with its world
void nd_reach_deinit(nd_world *w);

// Is the base tile of this input at hand?
bool nd_reach_has(const nd_world *w, const nd_tile *t, nav_key source);
// The base tile that the graph knows, or NULL.
const nd_cached *nd_reach_base(const nd_world *w, const nd_tile *t);
// What is likely to be delivered of a base tile that is still to be made (nav_parts_guess()).
typedef struct nd_reach_guess {
    nav_unreachable mode;
    nav_parts *before;  // of the base tile that the graph knows; NULL: none
    const uint8_t *off; // a byte for each part of before
    int64_t min_doubled_area;
} nd_reach_guess;
// out borrows until the next call. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_reach_guess_of(nd_world *w, const nd_tile *t, nd_reach_guess *out);
// A base tile was generated, or found in the cache. Takes references of its own. NAV_ERR_MEMORY, NAV_ERR_LIMIT: the
// tile is as it was.
NAV_MUST_USE nav_status nd_reach_arrive(nd_world *w, nd_tile *t, nav_key source, const nd_cached *base);
// The tile is gone.
void nd_reach_remove(nd_world *w, nd_tile *t);

// How the tile of this input is to be delivered.
typedef struct nd_verdict {
    bool hold;         // not now
    nav_key delivered; // the key of it
    nav_key content;   // of the base tile
    const nd_cached *base;
    const uint8_t *off; // a byte for each part; borrowed until the next call
    uint32_t parts;
} nd_verdict;
nd_verdict nd_reach_judge(nd_world *w, nd_tile *t, nav_key source);

// The tile is not held, though its revision is not complete: what is staged of it goes into the graph by itself.
void nd_reach_commit(nd_world *w, nd_tile *t, uint64_t now_ns);

// Call when a tile that `since` made unclean was finished or held: commits what was staged of that revision and
// releases what was held, if it was the last.
void nd_reach_settle(nd_world *w, uint64_t since, uint64_t now_ns);

// For answers and figures. False where the world has no goal.
bool nd_reach_count(const nd_world *w, uint32_t profile, nav_reach_counts *out);
// Of all searches of the world, also under goals that are gone.
uint64_t nd_reach_steps(const nd_world *w);
bool nd_reach_seed_found(const nd_world *w, uint32_t profile, uint32_t seed);

#endif
