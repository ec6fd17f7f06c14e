// Floor plans: an outer contour and the holes in it. How many convex cells they need at least.
#ifndef NAV_CONTOUR_FLOOR_PLANS_H
#define NAV_CONTOUR_FLOOR_PLANS_H

#include "core/contour/contours.h"

#include <stdbool.h>

typedef struct nav_floor_plans {
    uint32_t count, holes;
    uint32_t notches;     // corners of more than 180 degrees, seen from the floor
    uint32_t least_cells; // summed over the plans: max(1, ceil(r / 2) + 1 - h), r notches, h holes
} nav_floor_plans;

// Is the contours' corner i, of loop `loop`, a notch?
bool nav_floor_plan_notch(const nav_contours *o, int32_t loop, int32_t i);

// Source of the bound: J. Fernandez, L. Canovas and B. Pelegrin, Algorithms for the decomposition of a polygon into
// convex polygons (2000).
nav_floor_plans nav_floor_plans_measure(const nav_contours *o);

#endif
