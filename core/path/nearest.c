// The nearest ground, and whether one can get there: no more than finding places.
#include "core/path/places_work.h"

nav_status nav_path_find_nearest(const nav_path_set *set, const double at[3], double near_m, nav_path_nearest *out)
{
    path_place place;
    *out = (nav_path_nearest){.status = NAV_PLACE_NONE};
    if (!path_is_place(at, near_m)) return NAV_ERR_ARGUMENT;
    if (!nav_path_locate(set, at, near_m, &place)) return NAV_OK;
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

nav_status nav_path_reach(const nav_path_set *set, const double from[3], double near_m, const double (*goals)[3],
                          uint32_t count, nav_place_status *out)
{
    path_place start, goal;
    if (!path_is_place(from, near_m)) return NAV_ERR_ARGUMENT;
    for (uint32_t i = 0; i < count; i++)
        if (!path_is_place(goals[i], near_m)) return NAV_ERR_ARGUMENT;
    bool starts = nav_path_locate(set, from, near_m, &start);
    uint32_t label = starts ? path_label(set, start.tile, start.cell) : PATH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!starts)
            out[i] = NAV_PLACE_NO_START;
        else if (!nav_path_locate(set, goals[i], near_m, &goal))
            out[i] = NAV_PLACE_NO_GOAL;
        else
            out[i] = path_label(set, goal.tile, goal.cell) == label ? NAV_PLACE_FOUND : NAV_PLACE_NONE;
    }
    return NAV_OK;
}
