// The memory of searches (navcore/path.h): one for each worker that searches, used again and again. Loop thread only.
#ifndef ND_PATHS_FINDERS_H
#define ND_PATHS_FINDERS_H

#include "navcore/path.h"

typedef struct nd_finder_slot {
    nav_path_finder *finder; // NULL: none yet
    size_t bytes;            // when it came back last
    bool busy;
} nd_finder_slot;

typedef struct nd_finders {
    nd_finder_slot *slots;
    uint32_t count;
    uint64_t bytes; // of all
} nd_finders;

// For so many searches at a time. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_finders_init(nd_finders *f, uint32_t count);
void nd_finders_deinit(nd_finders *f);         // none is taken; accepts a zeroed one
bool nd_finders_are_busy(const nd_finders *f); // all are taken
// NULL: all are taken, or no memory.
nav_path_finder *nd_finders_take(nd_finders *f);
void nd_finders_give(nd_finders *f, nav_path_finder *finder);
// Those that are not taken give their memory back.
void nd_finders_trim(nd_finders *f);

#endif
