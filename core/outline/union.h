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
    NAV_UNION_MAX_CROSSINGS = 1 << 18, // places where an edge that may be free enters or leaves another shape
    NAV_UNION_MAX_STEPS = 1 << 25,     // looks at what lies in the same cell of a grid: about a quarter of a second
};

// Every shape has 3 to NAV_SHAPE_MAX_CORNERS corners, |x| and |z| below 2^20. The loops:
// - are simple: none comes to a corner twice. Where several meet at a corner, each turns so that what is free to its
//   right stays in one piece.
// - have an area; an outer boundary runs counterclockwise, what shapes enclose clockwise.
// - begin at their lowest corner (nav_point_before()) and are sorted by it.
// - have a corner wherever a shape has one on the boundary, so some may be on a straight line.
// What is narrower than a unit may be gone. Any thread. NAV_ERR_LIMIT: a crowd, of more crossings or steps than above,
// or the arena's budget. Only close to a limit does the order of shapes decide. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_union_build(const nav_shapes *shapes, nav_arena *arena, nav_loops *out);
// The same, without the loops outside of the box from low to high. Shapes must cover all four sides of the box, and
// two units to either side of them, so that a loop is inside or outside.
NAV_MUST_USE nav_status nav_union_build_inside(const nav_shapes *shapes, nav_point low, nav_point high,
                                               nav_arena *arena, nav_loops *out);

#endif
