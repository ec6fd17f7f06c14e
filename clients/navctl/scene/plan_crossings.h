// How often do rings cross? What crosses too often would take all memory to cut apart. Any thread.
#ifndef NAVCTL_PLAN_CROSSINGS_H
#define NAVCTL_PLAN_CROSSINGS_H

#include "clients/navctl/scene/plan_features.h"

enum { PLAN_MOST_CROSSINGS = 1 << 18 };

// Of the features' rings. False, said: more often than that, or too many edges above each other, or no memory.
bool plan_crossings_check(plan_features *p, const uint32_t *which, uint32_t count);

#endif
