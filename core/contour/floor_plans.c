#include "core/contour/floor_plans.h"

#include "core/base/plane.h"

bool nav_floor_plan_notch(const nav_contours *o, int32_t loop, int32_t i)
{
    int32_t first = o->loop_first[loop], end = o->loop_first[loop + 1];
    int32_t p = i > first ? i - 1 : end - 1, q = i + 1 < end ? i + 1 : first;
    nav_point a = {o->x[p], o->z[p]}, b = {o->x[i], o->z[i]}, c = {o->x[q], o->z[q]};
    return nav_right(a, b, c) < 0 || (nav_right(a, b, c) == 0 && !nav_between(a, c, b));
}

static uint32_t loop_notches(const nav_contours *o, int32_t loop)
{
    uint32_t n = 0;
    for (int32_t i = o->loop_first[loop]; i < o->loop_first[loop + 1]; i++) n += nav_floor_plan_notch(o, loop, i);
    return n;
}

nav_floor_plans nav_floor_plans_measure(const nav_contours *o)
{
    nav_floor_plans sum = {0};
    for (int32_t l = 0; l < o->loop_count;) {
        uint32_t notches = loop_notches(o, l), holes = 0;
        for (l++; l < o->loop_count && o->loop_hole[l]; l++, holes++) notches += loop_notches(o, l);
        sum.count++;
        sum.holes += holes;
        sum.notches += notches;
        uint32_t half = (notches + 1) / 2;
        sum.least_cells += half > holes ? half + 1 - holes : 1;
    }
    return sum;
}
