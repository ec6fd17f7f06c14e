// Shapes for the tests of the union, and what a union has to be.
#ifndef NAV_TESTS_CORE_UNION_JUDGE_H
#define NAV_TESTS_CORE_UNION_JUDGE_H

#include "core/outline/union.h"

// The same sequence everywhere.
uint32_t union_random(uint64_t *state);
// From 0 to below `count`.
int32_t union_random_below(uint64_t *state, int32_t count);

// Adds the convex hull of points; false where that has no area. At most 256 points.
bool union_add_hull(nav_shapes *s, nav_arena *arena, const nav_point *points, int32_t count);
// Adds the line from a to b widened by a polygon of `corners` corners around a circle.
bool union_add_capsule(nav_shapes *s, nav_arena *arena, nav_point a, nav_point b, double radius, int32_t corners);
// Adds a box around `middle`, turned, and widened in the same way (0: not).
bool union_add_box(nav_shapes *s, nav_arena *arena, nav_point middle, double length, double width, double turn,
                   double radius, int32_t corners);

// Is (x, z) in one of the shapes?
bool union_covers(const nav_shapes *s, double x, double z);

// What is wrong with these loops by themselves, or NULL. Compares all pairs of edges.
const char *union_loops_fault(const nav_loops *loops);
// What is wrong with these loops as a union of these shapes at `samples` random places and beside the corners of the
// shapes, or NULL. Within a unit of the exact boundary everything may be.
const char *union_state_fault(const nav_shapes *s, const nav_loops *loops, int32_t samples, uint64_t seed);
// Are the loops b those of a, moved? With the same `shape`?
bool union_same_moved(const nav_loops *a, const nav_loops *b, nav_point by, bool shapes_too);
// Twice the area of what the loops have on their left, less what holes take away.
int64_t union_area2(const nav_loops *loops);

#endif
