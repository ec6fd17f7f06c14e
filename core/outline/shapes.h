// Shapes: what an agent's centre may not enter, as convex polygons on the outline grid.
//
//        +---------+  shape            The outline grid is the world's grid of columns, each cut into `unit` by `unit`
//       /  ######   \                  squares. Places are counted from the tile's own lower corner, so the tile itself
//      +   ######    +  source         is 0..tile_columns * unit, and what lies in the padding is below or above that.
//       \  ######   /
//        +---------+                   A source (#) is a convex piece of a wall, a drop or a volume as seen from above.
//                                      Its shape is the source widened by the agent's radius.
//
// Sources and shapes have 1 or 2 corners (a place, a line), or 3 and more, counterclockwise as seen with z upwards: the
// inside lies to the left of every edge, nav_right(a, b, inside) < 0, so what is free lies to the right. No corner is
// repeated and none is collinear with those beside it.
#ifndef NAV_OUTLINE_SHAPES_H
#define NAV_OUTLINE_SHAPES_H

#include "core/base/arena.h"
#include "core/base/plane.h"

enum {
    NAV_SHAPE_MAX_CORNERS = 64, // of one shape
};

typedef struct nav_shapes {
    int32_t count;
    int32_t *first; // count + 1: where the corners of each begin
    nav_point *at;  // corners
    int32_t capacity, corner_capacity;
} nav_shapes;

// Closed loops of edges with what is free to their right.
typedef struct nav_loops {
    int32_t count;
    int32_t *first; // count + 1: first corner of each loop
    nav_point *at;  // corners of all loops
    int32_t *shape; // per corner: the shape that bounds what is free along the edge from it to the next; the lowest
                    // where there are several
} nav_loops;

// Twice the area of a loop, positive where it has its inside to the right.
int64_t nav_loop_area2(const nav_point *at, int32_t corners);

// Room for one more shape of so many corners. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_shapes_grow(nav_shapes *s, nav_arena *arena, int32_t corners);

// Appends a shape of corners that are in order already.
NAV_MUST_USE nav_status nav_shapes_add(nav_shapes *s, nav_arena *arena, const nav_point *at, int32_t corners);
// The convex hull of the points, which are sorted in place: 1 or 2 corners where it has no area. `to` has room for
// twice as many. Returns the number of its corners; 0: there are no points.
int32_t nav_convex_hull(nav_point *at, int32_t count, nav_point *to);
// Appends the convex hull of the points, which are sorted in place; nothing, where it has no area. At most
// 2 * NAV_SHAPE_MAX_CORNERS points.
NAV_MUST_USE nav_status nav_shapes_add_hull(nav_shapes *s, nav_arena *arena, nav_point *at, int32_t count);

#endif
