// The sides of the tile: where they are blocked, the same for both tiles of a border.
#ifndef NAV_SURFACE_SIDES_H
#define NAV_SURFACE_SIDES_H

#include "core/surface/blockers.h"

enum {
    SURFACE_SIDES = 4, // x = 0, x at its most, z = 0, z at its most
    SURFACE_STRIP = 4, // units: how wide a strip along what closes a region is
};

// A piece of a side that is blocked. Low and high are the same: something only touches the side there.
typedef struct surface_stretch {
    int32_t low, high;
} surface_stretch;

typedef struct surface_sides {
    nav_arena *arena;
    int32_t tile_units;
    surface_stretch *at[SURFACE_SIDES]; // along each side, sorted, apart from each other
    int32_t count[SURFACE_SIDES], capacity[SURFACE_SIDES];
    bool strips;
} surface_sides;

typedef struct surface_side_shapes {
    const nav_shapes *shapes;
    const int32_t *blocker; // per shape: that it is of, or SURFACE_NONE
    const surface_blockers *blockers;
    int32_t first_side; // SURFACE_SIDES shapes from here on are the sides' own
    bool strips;        // do strips along other regions count? Else they end where something touches the side
} surface_side_shapes;

// Finds what is blocked along the sides, by all shapes but those of the sides; what was found before is gone.
NAV_MUST_USE nav_status nav_surface_sides_find(surface_sides *sides, const surface_side_shapes *of);

// Adds a place that something touches the side in; nothing where it is on none, or blocked.
NAV_MUST_USE nav_status nav_surface_sides_add_touch(surface_sides *sides, nav_point p);

// A corner on a side where a blocked stretch ends is there exactly, whatever else has moved it by rounding.
nav_point nav_surface_sides_settle(const surface_sides *sides, nav_point p);
// Is an edge along a side blocked, as what is in the way on the other side of it reaches the side exactly?
bool nav_surface_sides_block(const surface_sides *sides, nav_point a, nav_point b);
// The next place after a on the way to b along a side where something touches the side: both tiles have a corner there,
// though it is in the way in one of them only. False: there is none before b.
bool nav_surface_sides_next_touch(const surface_sides *sides, nav_point a, nav_point b, nav_point *out);
// Does something touch a side in a place on it?
bool nav_surface_sides_touch(const surface_sides *sides, nav_point p);

#endif
