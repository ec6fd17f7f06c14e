// Landmarks: places from which the distance to all ground is known. With them a search knows better than by the
// straight line how far its goal is at least, so it makes a fraction of the nodes where the way leads round many
// obstacles. The paths are the same with and without, byte for byte; a wider agent's are as long, but where two ways
// are the shortest it may be the other one.
//
//   nav_path_landmarks_create()     chooses the places
//   nav_path_landmarks_flood()      finds the distances from one of them: a search of all of its ground
//   nav_path_set_use_landmarks()    gives them to a set; from then on every search over it uses them
//
// Tiles may come and go after that. A way that closes makes others longer only, so what is known stays true. Where
// ground may have opened, a rectangle is kept, and a way that could lead through it counts as straight. So edits make
// landmarks worse, but never wrong; nav_path_set_opened() tells when to make them again. Any change of a set of
// Detour's tiles drops them. A search that takes links or minds costs that differ does without.
//
// Starts no threads, reads no clock.
#ifndef NAVCORE_PATH_LANDMARKS_H
#define NAVCORE_PATH_LANDMARKS_H

#include "navcore/path.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NAV_PATH_MAX_LANDMARKS = 128, NAV_PATH_FEW_NODES = 256 }; // FEW: of a search that needs none

typedef struct nav_path_landmarks nav_path_landmarks;

// Chooses at most `count` places (up to NAV_PATH_MAX_LANDMARKS), all around the largest pieces of ground. The set has
// been joined, and has tiles. NAV_ERR_ARGUMENT: it has no cell. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_landmarks_create(const nav_path_set *set, uint32_t count, nav_path_landmarks **out);
void nav_path_landmarks_destroy(nav_path_landmarks *l); // accepts NULL
uint32_t nav_path_landmarks_count(const nav_path_landmarks *l);
uint32_t nav_path_landmarks_leaders(const nav_path_landmarks *l); // the first ones, by which the others are kept
size_t nav_path_landmarks_bytes(const nav_path_landmarks *l);     // of memory
// That so many over this set would take, about.
size_t nav_path_landmarks_need(const nav_path_set *set, uint32_t count);

// Finds the distances from landmark k: of the first before all others, of the leaders before those that are none, and
// else in any order, also by several threads at once, each with its own finder. The set is as it was when the landmarks
// were chosen. stop() is called now and then: true gives it up; it may be NULL. NAV_ERR_LIMIT: stopped. NAV_ERR_MEMORY.
// After an error the landmark counts for nothing, until it is flooded again.
NAV_MUST_USE nav_status nav_path_landmarks_flood(nav_path_landmarks *l, uint32_t k, nav_path_finder *finder,
                                                 const nav_path_set *set, bool (*stop)(void *user), void *user);

// How many are worth their making, by the size of the set.
uint32_t nav_path_landmarks_worth(const nav_path_set *set);
// About how many nodes of a search it takes to make so many landmarks: to be weighed against what searches cost.
uint64_t nav_path_landmarks_cost(const nav_path_set *set, uint32_t count);
// The part of a search's nodes that counts for that. Who makes landmarks when the sum is above their cost never spends
// more on them than was spent without.
static inline uint64_t nav_path_landmarks_may_save(uint64_t nodes)
{
    return nodes > NAV_PATH_FEW_NODES ? nodes - NAV_PATH_FEW_NODES : 0;
}

// The set owns them from now on, in place of those that it had; NULL: none. A change of the set, which needs no join.
// The set's tiles may have changed since the landmarks were chosen (Detour's: then they are dropped).
void nav_path_set_use_landmarks(nav_path_set *set, nav_path_landmarks *l);
// Those that it uses; borrowed. NULL: none.
const nav_path_landmarks *nav_path_set_landmarks(const nav_path_set *set);
// Takes them from it, for the caller to destroy. A change of the set, which needs no join. NULL: it had none.
nav_path_landmarks *nav_path_set_take_landmarks(nav_path_set *set);
// How many tiles came since its landmarks were chosen that may have opened a way.
uint64_t nav_path_set_opened(const nav_path_set *set);

#ifdef __cplusplus
}
#endif

#endif
