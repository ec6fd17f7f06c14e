#include "core/path/rules.h"

#include "core/base/status.h"

#include <math.h>

nav_status nav_path_rules_make(const nav_path_set *set, const nav_path_query *q, path_rules *out)
{
    nav_path_costs plain;
    const nav_path_costs *c = q->costs;
    int classes = 0, class_area[NAV_AREA_COUNT];
    *out = (path_rules){.unit = 1, .least = 1};
    if (!c) {
        nav_path_costs_default(&plain);
        c = &plain;
    } else if (nav_path_costs_check(c, NULL, 0) != NAV_OK) {
        return NAV_ERR_ARGUMENT;
    }
    for (int a = 0; a < NAV_AREA_COUNT; a++) {
        int k = 0;
        if (c->excluded >> a & 1) {
            out->class_of[a] = PATH_CLOSED;
            out->closes |= set->areas >> a & 1;
            continue;
        }
        if (!(set->areas >> a & 1)) continue; // whatever it costs
        while (k < classes && c->cost[class_area[k]] != c->cost[a]) k++;
        if (k == classes) class_area[classes++] = a;
        out->class_of[a] = (uint8_t)k;
    }
    out->weighs = classes > 1;
    out->unit = classes == 1 ? (double)c->cost[class_area[0]] : 1;
    for (int k = 0; k < classes; k++) {
        out->weight[k] = (double)c->cost[class_area[k]] / out->unit;
        out->least = k ? fmin(out->least, out->weight[k]) : out->weight[k];
    }
    for (int a = 0; a < NAV_AREA_COUNT; a++) {
        if (!q->links || !(set->link_areas >> a & 1) || c->excluded >> a & 1) continue;
        out->links = true;
        out->link_weight[a] = (double)c->cost[a] / out->unit;
        out->least = fmin(out->least, out->link_weight[a]); // a link is no shorter than the straight line
    }
    return NAV_OK;
}
