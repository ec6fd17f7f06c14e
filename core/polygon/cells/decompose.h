// The fewest convex pieces of one small floor plan, cut along portals between its corners. Private to core/polygon.
#ifndef NAV_POLYGON_DECOMPOSE_H
#define NAV_POLYGON_DECOMPOSE_H

#include "core/base/plane.h"

#include <stdbool.h>

enum {
    PLAN_CORNERS = 48, // the most corners of a plan
    PLAN_NOTCHES = 10, // the most notches that are searched
    PLAN_PORTALS = 12, // the most portals that are found
    PLAN_STOP = -1,    // edge of a corner that was added
};

typedef struct portal {
    int32_t a, b; // corners of the plan
} portal;

// A floor plan: loops of corners, the inside to the right of their edges. Loops neither cross nor touch, and no two
// corners are in one place.
typedef struct plan {
    int32_t count, loops;
    nav_point at[PLAN_CORNERS];
    int32_t next[PLAN_CORNERS], prev[PLAN_CORNERS]; // corners, around each loop
    int32_t edge[PLAN_CORNERS]; // the caller's name of the edge that begins here; PLAN_STOP at corners added
    uint64_t walls;             // bit a corner: nothing but wall is behind the edge from it to the next
    uint64_t stops;             // bit a corner: lies on a wall, and is needed only where a portal ends in it
    uint64_t notches;           // bit a corner: more than 180 degrees
    int32_t notch_count;
    bool wide;       // corners may be 2^15 apart or more
    uint64_t places; // scratch of who adds the corners
} plan;

// At corner v between the directions to `later` and `sooner`, as met when walking around the loop: no notch?
static inline bool plan_straight_or_less(nav_point later, nav_point v, nav_point sooner)
{
    int64_t turn = nav_right(later, v, sooner);
    return turn > 0 || (turn == 0 && nav_between(later, sooner, v));
}

// Marks and counts the notches of the corners given.
void nav_plan_find_notches(plan *p);

// Adds corners on walls for the notches that no single portal to a corner can take away: the nearest grid point of a
// wall in the notch's wedge and sight, where there is one.
void nav_plan_add_stops(plan *p);

// Looks for fewer than `fewer` portals after which no notch is left, none crossing another: then every piece is convex
// and has no hole, and there are portals - loops + 2 of them. Returns the least number of portals there is, and the
// portals; -1 where there are none, or the search gave up (after a fixed number of steps, so that the answer never
// depends on the machine).
int32_t nav_plan_find_portals(const plan *p, int32_t fewer, portal *out);
// nav_plan_add_stops() and nav_plan_find_portals() in one: what the corners see of each other is worked out once.
int32_t nav_plan_find_portals_and_stops(plan *p, int32_t fewer, portal *out);

#endif
