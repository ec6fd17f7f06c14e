#include "navcore/path_costs.h"

#include "core/base/status.h"

#include <math.h>
#include <stdio.h>

void nav_path_costs_default(nav_path_costs *c)
{
    c->excluded = 0;
    for (int a = 0; a < NAV_AREA_COUNT; a++) c->cost[a] = 1;
}

void nav_path_costs_of_table(const nav_area_table *t, nav_path_costs *out)
{
    nav_path_costs_default(out);
    for (uint32_t i = 0; t && i < t->count; i++)
        out->cost[t->types[i].id] = fminf(fmaxf(t->types[i].cost, NAV_PATH_LEAST_COST), NAV_PATH_MOST_COST);
}

nav_status nav_path_costs_check(const nav_path_costs *c, char *why, size_t why_bytes)
{
    for (int a = 0; a < NAV_AREA_COUNT; a++) {
        if (c->cost[a] >= NAV_PATH_LEAST_COST && c->cost[a] <= NAV_PATH_MOST_COST) continue;
        if (why_bytes)
            snprintf(why, why_bytes, "area %d costs %g a metre, expected %g to %g", a, (double)c->cost[a],
                     (double)NAV_PATH_LEAST_COST, (double)NAV_PATH_MOST_COST);
        return NAV_ERR_ARGUMENT;
    }
    return NAV_OK;
}
