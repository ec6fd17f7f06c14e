// The fewest convex pieces of one small simple polygon, cut along portals between its corners.
// Private to core/polygon.
#ifndef NAV_POLYGON_DECOMPOSE_H
#define NAV_POLYGON_DECOMPOSE_H

#include "core/outline/plane.h"

#include <stdbool.h>

enum {
    RING_CORNERS = 48, // the most corners of a ring
    RING_NOTCHES = 10, // the most notches that are searched
    RING_PORTALS = 12, // the most portals that are found
};

typedef struct portal {
    int32_t a, b; // corners of the ring
} portal;

typedef struct ring {
    int32_t count;
    nav_point at[RING_CORNERS]; // simple, inside to the right, no two corners in one place
    int32_t edge[RING_CORNERS]; // the caller's name of the edge that begins here; RING_STOP at corners added
    uint64_t walls;             // bit a corner: nothing but wall is behind the edge from it to the next
    uint64_t stops;             // bit a corner: lies on a wall, and is needed only where a portal ends in it
    uint64_t notches;           // bit a corner: more than 180 degrees
    int32_t notch_count;
} ring;

enum { RING_STOP = -1 };

// Marks and counts the notches of the corners given.
void ring_find_notches(ring *r);

// Adds corners on walls for the notches that no single portal to a corner can take away: the nearest grid point of a
// wall in the notch's wedge and sight, where there is one.
void ring_add_stops(ring *r);

// Looks for fewer than `fewer` portals after which no notch is left, none crossing another. Returns their number, the
// least there is, and the portals; -1 where there are none, or the search gave up (after a fixed number of steps, so
// that the answer never depends on the machine).
int32_t ring_find_portals(const ring *r, int32_t fewer, portal *out);

#endif
