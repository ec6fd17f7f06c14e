// The union of shapes: what no agent's centre may enter, as closed loops.
//
//        +-----+                  +-----+            The loops are the boundary of the exact union, rounded to the grid
//        |  a  |                  |     |            by snap rounding: a place where edges cross becomes the nearest
//        |  +--+---+      ->      |     +---+        grid point, and an edge that comes within half a unit of such a
//        +--+--+ b |              +--+      |        point goes through it. So edges meet at corners only, and nothing
//           +------+                 +------+        moves by more than a unit.
//
// What comes out depends on the set of shapes alone. Shapes in another order give the same loops, but for `shape`;
// shapes moved by whole units give loops moved by as much, in the same order.
//
// Source: J. D. Hobby, Practical segment intersection with finite precision output, Computational Geometry 13 (1999).
#ifndef NAV_OUTLINE_UNION_H
#define NAV_OUTLINE_UNION_H

#include "core/outline/shapes.h"

enum {
    NAV_UNION_MAX_CROSSINGS = 1 << 18, // places where the edge of one shape enters or leaves another one
};

// Every shape has 3 corners or more, |x| and |z| below 2^20. A shape that lies within another one, or repeats an
// earlier one, is passed over. The loops:
// - are simple: none comes to a corner twice. Where several meet at a corner, each turns so that what is free to its
//   right stays in one piece.
// - have an area; an outer boundary runs counterclockwise, what shapes enclose clockwise.
// - begin at their lowest corner (nav_point_before()) and are sorted by it.
// Any thread. NAV_ERR_LIMIT: more crossings than NAV_UNION_MAX_CROSSINGS, or the arena's budget. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_union_build(const nav_shapes *shapes, nav_arena *arena, nav_loops *out);

#endif
