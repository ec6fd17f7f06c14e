// Which ground of a world counts as reached, and what happens to the rest: settings, as a user gives them. Any thread.
#ifndef NAV_REACH_GOAL_H
#define NAV_REACH_GOAL_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What is done with ground that cannot be reached.
typedef enum nav_unreachable {
    NAV_UNREACHABLE_KEEP, // nothing: nobody looks for it
    NAV_UNREACHABLE_FLAG, // marked in navd's tile; in Detour's it has no flags, so that no filter lets anybody on it
    NAV_UNREACHABLE_DROP, // gone: polygons, cells, heights, vertices and links that are only theirs
} nav_unreachable;

// A mode by its name ("keep", "flag", "drop") and back; NAV_ERR_ARGUMENT where there is none of that name.
NAV_MUST_USE nav_status nav_unreachable_parse(const char *name, nav_unreachable *out);
const char *nav_unreachable_name(nav_unreachable m);

enum { NAV_MAX_SEEDS = 256 };

// What shall be reached. seeds: places on or near walkable ground. min_area_m2 counts where there are no seeds only.
typedef struct nav_reach_goal {
    uint32_t seed_count;
    float seeds[NAV_MAX_SEEDS][3];
    double min_area_m2;
} nav_reach_goal;

// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: too many seeds, a number that is not finite or out of range.
NAV_MUST_USE nav_status nav_reach_goal_check(const nav_reach_goal *g, char *why, size_t why_bytes);
// Does it ask for anything? If not, connectivity need not be computed.
bool nav_reach_goal_is_set(const nav_reach_goal *g);
#endif
