// Landmarks for many searches over one file: when they pay, and how they are made.
#ifndef NAVCTL_LANDMARKS_H
#define NAVCTL_LANDMARKS_H

#include "navcore/path_landmarks.h"

#include <stdint.h>

// Of as many as are worth it. What they save is paid for in advance (nav_path_landmarks_may_save()).
uint64_t landmarks_price(const nav_path_set *set);

// Makes landmarks on all threads, and gives them to the set. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status landmarks_make(nav_path_set *set, uint32_t count);

#endif
