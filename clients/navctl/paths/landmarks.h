// Landmarks for many searches over one file: when they pay, and how they are made.
#ifndef NAVCTL_LANDMARKS_H
#define NAVCTL_LANDMARKS_H

#include "navcore/path_landmarks.h"

#include <stdint.h>

// What they save is paid for in advance: they are made when searches that made many nodes have made as many as the
// landmarks will take. So they never cost more than what was spent without them.
enum { LANDMARKS = NAV_PATH_MAX_LANDMARKS, LANDMARKS_FEW = 256 }; // FEW: nodes of a search that needs none

static inline uint64_t landmarks_may_save(uint64_t nodes)
{
    return nodes > LANDMARKS_FEW ? nodes - LANDMARKS_FEW : 0;
}

// Makes landmarks on all threads, and gives them to the set. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status landmarks_make(nav_path_set *set, uint32_t count);

#endif
