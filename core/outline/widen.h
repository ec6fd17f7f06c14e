// A source widened by the agent's radius: the shape that the agent's centre may not enter.
//
//         .--+----------------+--.      Long edges lie parallel to the source's own, at the radius and 0.75 unit, for
//       +    |                |    +    corners are rounded to integers afterwards: never nearer than the radius. Round
//       |    p================q    |    corners are tangents of the circle, at most 23 degrees apart, from the edges'
//       +    |                |    +    normals inwards: the end of a wall has a tangent square to it.
//         '--+----------------+--'
#ifndef NAV_OUTLINE_WIDEN_H
#define NAV_OUTLINE_WIDEN_H

#include "core/outline/shapes.h"

enum {
    NAV_SOURCE_MAX_CORNERS = 40, // of what is widened
};

// Appends the convex source, widened by the radius (outline units, 0 or more), to the shapes. The shape holds every
// place within the radius of the source, and no corner is farther from it than radius / cos(11.5 degrees) + 2 units.
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_shapes_widen(const nav_point *source, int32_t corners, double radius, nav_arena *arena,
                                         nav_shapes *out);

// The same for all of them. Where sources share a corner each has the others' normals among its own tangents, so that
// one's round corner does not stick out past the other's side.
NAV_MUST_USE nav_status nav_shapes_widen_all(const nav_shapes *sources, double radius, nav_arena *arena,
                                             nav_shapes *out);

#endif
