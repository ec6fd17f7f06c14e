// Fewer corners: closed loops of an exact offset become loops with as few corners as an error allows.
//
//       x___________________m        A round corner (o) becomes a mitre (m), where the lines of the edges beside it
//       |               o . |        meet. A row of notches becomes one edge along its tips. The boundary moves away
//       |  wall        o .  |        from the wall, into what is free.
//       |             o     |
//
// Owner: the caller's arena. Any thread.
#ifndef NAV_OUTLINE_FEWER_H
#define NAV_OUTLINE_FEWER_H

#include "core/outline/shapes.h"

enum {
    NAV_FEWER_CORNER = 1, // this corner stays: a seam's end
    NAV_FEWER_SEAM = 2,   // the edge from this corner to the next stays as it is, and both of its ends
};

typedef struct nav_fewer {
    double max_error;   // units: how far the new boundary may be from the old one, and the old one from the new
    double max_inward;  // units: how far the new boundary may lie on the wall's side of the old one
    double long_edge;   // units: an edge this long or longer is a wall that is straight, and what stands for it...
    double long_error;  // ...is no farther from it than this, but for rounding: a unit as a rule, never two
    double corner_area; // square units: what a corner is worth. One that would cost more floor than this stays
} nav_fewer;

// What serves an agent of that radius, in units: a right angle is mitred, a sharper one is cut off by two corners or
// more. `part` scales the error, 1 as a rule; column: units to one, which counts for agents without a radius only.
nav_fewer nav_fewer_for(double radius, double column, double part);

// The loops of one region, with fewer corners. in: closed loops of at least 3 corners, right or left, that may touch at
// corners but not cross; coordinates below 2^20. fixed: flags per corner, or NULL.
//
// The result is in the arena; `shape` is that of the longest edge that an edge stands for (NULL where in->shape is).
// *from, unless `from` is NULL: per corner its index in `in`, or -1 for a mitre. What is promised:
//
// - Every place on the old boundary is within max_error of the new one, and every place on the new one within max_error
//   of the old one. No ground farther than max_inward from the old boundary's free side is uncovered.
// - Corners and edges that are fixed are in the result.
// - Edges meet at their ends only, no loop crosses or touches itself or another where the old ones did not, none goes
//   past another, and each keeps its sense. So what was connected still is, however narrow.
// - Loops keep their order. One whose area is less than a square of 2 units is dropped, unless something of it is
//   fixed; every other one keeps at least 3 corners.
//
// Edges run along the lines of old edges and through pairs of old corners. Of all such ways that of the least loss is
// taken, but for the limits of the search (fewer_chain.c): the area between old and new, and corner_area for each
// corner. A wall of several pieces has jogs of a unit where these are rounded: max_inward of 1 and long_error of 2 let
// one edge stand for it. With a max_error below 2 nothing changes. NAV_ERR_MEMORY, NAV_ERR_LIMIT.
NAV_MUST_USE nav_status nav_loops_simplify(const nav_loops *in, const uint8_t *fixed, const nav_fewer *how,
                                           nav_arena *arena, nav_loops *out, int32_t **from);

#endif
