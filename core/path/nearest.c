// The nearest ground, and whether one can get there: no more than finding places, but where ground is excluded.
#include "core/path/places_work.h"

nav_status nav_path_find_nearest(const nav_path_set *set, const double at[3], const nav_place_scope *scope,
                                 nav_path_nearest *out)
{
    path_place place;
    *out = (nav_path_nearest){.status = NAV_PLACE_NONE};
    if (!path_is_place(at, scope->near_m)) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate_open(set, at, scope->near_m, scope->excluded, &place)) return NAV_OK;
    out->status = NAV_PLACE_FOUND;
    nav_path_tell_place(set, place.tile, place.cell, place.at.x, place.at.z, &out->place);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = at[k] - (double)out->place.at[k];
        sum += d * d;
    }
    out->distance_m = sqrt(sum);
    return NAV_OK;
}

// What all goals have in common. NONE: they are to be looked at one by one.
static nav_status begin(nav_path_finder *f, const nav_path_set *set, const nav_place_scope *scope, const double from[3],
                        path_fence *fence, path_place *start, path_search *flood, nav_place_status *all)
{
    *all = NAV_PLACE_NONE;
    nav_status s = nav_path_fence_make(set, scope->excluded, scope->stop, scope->user, fence);
    if (s != NAV_OK) return s;
    if (!nav_path_locate_open(set, from, scope->near_m, scope->excluded, start)) {
        *all = NAV_PLACE_NO_START;
        return NAV_OK;
    }
    s = fence->rules.closes ? nav_path_flood_fence(fence, f, set, start, flood) : NAV_OK;
    if (s != NAV_ERR_LIMIT) return s;
    *all = NAV_PLACE_LIMIT;
    return NAV_OK;
}

nav_status nav_path_reach(nav_path_finder *f, const nav_path_set *set, const double from[3],
                          const nav_place_scope *scope, const double (*goals)[3], uint32_t count, nav_place_status *out)
{
    path_place start, goal;
    path_fence fence;
    path_search flood;
    nav_place_status all;
    if (!path_is_place(from, scope->near_m)) return NAV_ERR_ARGUMENT;
    for (uint32_t i = 0; i < count; i++)
        if (!path_is_place(goals[i], scope->near_m)) return NAV_ERR_ARGUMENT;
    nav_status s = begin(f, set, scope, from, &fence, &start, &flood, &all);
    if (s != NAV_OK) return s;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = all;
        if (all != NAV_PLACE_NONE) continue;
        if (!nav_path_locate_open(set, goals[i], scope->near_m, scope->excluded, &goal))
            out[i] = NAV_PLACE_NO_GOAL;
        else if (fence.rules.closes ? nav_path_is_flooded(&flood, goal.tile, goal.cell)
                                    : path_label(set, goal.tile, goal.cell) == path_label(set, start.tile, start.cell))
            out[i] = NAV_PLACE_FOUND;
    }
    return NAV_OK;
}
