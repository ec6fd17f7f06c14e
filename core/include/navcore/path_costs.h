// What the areas that a path crosses cost, and which ones it must not cross. Plain data, owned by the caller. Any
// thread.
#ifndef NAVCORE_PATH_COSTS_H
#define NAVCORE_PATH_COSTS_H

#include "navcore/areas.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NAV_PATH_LEAST_COST 1e-3f // of a metre
#define NAV_PATH_MOST_COST 1e3f

typedef struct nav_path_costs {
    float cost[NAV_AREA_COUNT]; // of a metre on each area, NAV_PATH_LEAST_COST to NAV_PATH_MOST_COST
    uint64_t excluded;          // a bit for each area: to a path it is a wall, and no link of that area is taken
} nav_path_costs;

// A metre costs 1 everywhere, and no area is excluded.
void nav_path_costs_default(nav_path_costs *c);
// The costs of a table of areas (NULL: an empty one), each moved into the range of costs. No area is excluded.
void nav_path_costs_of_table(const nav_area_table *t, nav_path_costs *out);
// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: a cost that is out of range.
NAV_MUST_USE nav_status nav_path_costs_check(const nav_path_costs *c, char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif

#endif
