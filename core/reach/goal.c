#include "core/reach/goal.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"keep", "flag", "drop"};

nav_status nav_unreachable_parse(const char *name, nav_unreachable *out)
{
    for (int m = 0; m < 3; m++) {
        if (strcmp(name, names[m])) continue;
        *out = (nav_unreachable)m;
        return NAV_OK;
    }
    return NAV_ERR_ARGUMENT;
}

const char *nav_unreachable_name(nav_unreachable m)
{
    return (unsigned)m < 3 ? names[m] : "unknown";
}

nav_status nav_reach_goal_check(const nav_reach_goal *g, char *why, size_t why_bytes)
{
    if (g->seed_count > NAV_MAX_SEEDS) {
        if (why_bytes) snprintf(why, why_bytes, "%u seeds, at most %d are allowed", g->seed_count, NAV_MAX_SEEDS);
        return NAV_ERR_LIMIT;
    }
    for (uint32_t i = 0; i < g->seed_count; i++)
        for (int k = 0; k < 3; k++) {
            if (g->seeds[i][k] >= -1e7f && g->seeds[i][k] <= 1e7f) continue;
            if (why_bytes)
                snprintf(why, why_bytes, "seeds[%u][%d] is %g, but must be between -1e+07 and 1e+07", i, k,
                         (double)g->seeds[i][k]);
            return NAV_ERR_ARGUMENT;
        }
    if (g->min_area_m2 >= 0 && g->min_area_m2 <= 1e12) return NAV_OK;
    if (why_bytes)
        snprintf(why, why_bytes, "island_min_area_m2 is %g, but must be between 0 and 1e+12", g->min_area_m2);
    return NAV_ERR_ARGUMENT;
}

bool nav_reach_goal_is_set(const nav_reach_goal *g)
{
    return g->seed_count > 0 || g->min_area_m2 > 0;
}
