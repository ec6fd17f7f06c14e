// What the corners of a plan see of each other, as sets of corners: bit k stands for corner k. A plan has at most 48
// corners, so one question about all of them is a few vector instructions, and sets are joined by one. Private to
// core/polygon.
#ifndef NAV_POLYGON_SIGHT_H
#define NAV_POLYGON_SIGHT_H

#include "core/polygon/cells/decompose.h"

typedef uint64_t corner_set;

// Corners to either side of a line, or edges that have a point to either side; the others lie on it.
typedef struct sight_sides {
    corner_set right, left;
} sight_sides;

typedef struct sight {
    const plan *p;
    corner_set all;
    corner_set flat;                // corners of a straight or no angle
    corner_set known;               // corners whose `from` is there already
    sight_sides from[PLAN_CORNERS]; // per corner: the edges it lies to the right and to the left of
    bool wide;                      // places are too far apart for lanes of 32 bits
    // Of each corner: its place, that of the next one as seen from it, and its own as seen from the one before.
    _Alignas(64) union {
        struct {
            int32_t x[PLAN_CORNERS], z[PLAN_CORNERS], out_x[PLAN_CORNERS], out_z[PLAN_CORNERS], in_x[PLAN_CORNERS],
                in_z[PLAN_CORNERS];
        } narrow;
        struct {
            double x[PLAN_CORNERS], z[PLAN_CORNERS], out_x[PLAN_CORNERS], out_z[PLAN_CORNERS], in_x[PLAN_CORNERS],
                in_z[PLAN_CORNERS];
        } wide;
    } places;
} sight;

// The line from a corner to another and on: the corners to its right, those on it on the side of the other (which is
// one), and those on it on this side.
typedef struct sight_line {
    corner_set right, ahead, back;
} sight_line;

// What one corner has around it.
typedef struct sight_view {
    corner_set seen;               // through the inside, with nothing between; not its neighbours
    corner_set wedge;              // those within the prolonged edges of the corner, seen or not
    corner_set wedged;             // those within whose prolonged edges it lies
    corner_set thin;               // those to which a line may leave, or arrive, within 1 : 16 of an edge; no others do
    sight_line line[PLAN_CORNERS]; // to its neighbours and those seen
} sight_view;

void nav_sight_init(sight *s, const plan *p);
// What corner i, a notch, has around it.
void nav_sight_from(sight *s, int32_t i, sight_view *view);
// Is nothing of the plan between corner i and point b, which lies on the edge from corner `on`?
bool nav_sight_is_clear(sight *s, int32_t i, nav_point b, int32_t on);
// The edges that corner i lies to the right of.
corner_set nav_sight_facing(sight *s, int32_t i);

#endif
