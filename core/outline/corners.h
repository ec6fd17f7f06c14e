// Corners of what is widened by the agent's radius: what the boundary does where an edge with the outward normal f ends
// in p and one with the normal g goes on, turned to the left.
//
//         round             mitre               bevel          Round: tangents of the circle around p, from both ends
//       f  .--.           f   .                f                inwards, f' being f turned by a step to the left and
//     ____'    '. g     ____.' '. g          ____. .   g        g' being g turned to the right, and so on until what
//         p      |          p     '              p   ' .        is left between them is a step or less. Mitre: where
//                |                 |                   |        the two edges meet, or cut off square.
#ifndef NAV_OUTLINE_CORNERS_H
#define NAV_OUTLINE_CORNERS_H

#include "core/base/plane.h"
#include "core/geometry/config.h"

#include <math.h>

enum { NAV_CORNER_MOST = 60 }; // places of one corner

static const double NAV_ARC_STEP_SIN = 0.38268343236508977; // of the usual step, 22.5 degrees
static const double NAV_ARC_LAST_COS = 0.9205;              // of 23 degrees: what is left may be a step

typedef struct nav_direction {
    double x, z;
} nav_direction;

typedef struct nav_corner_style {
    nav_corners kind;
    double step_cos, step_sin, last_cos; // of a round one's step, and of what may be left
    double mitre_limit;                  // radii
} nav_corner_style;

static inline double nav_direction_dot(nav_direction a, nav_direction b)
{
    return a.x * b.x + a.z * b.z;
}

static inline double nav_direction_cross(nav_direction a, nav_direction b)
{
    return a.x * b.z - a.z * b.x;
}

// Outwards of the edge from a to b, which are not the same: to its right.
static inline nav_direction nav_normal(nav_point a, nav_point b)
{
    double x = (double)b.z - a.z, z = (double)a.x - b.x, length = sqrt(x * x + z * z);
    return (nav_direction){x / length, z / length};
}

// p moved by so far along the normal, on the grid.
static inline nav_point nav_moved(nav_point p, nav_direction normal, double by)
{
    return (nav_point){p.x + (int32_t)floor(by * normal.x + 0.5), p.z + (int32_t)floor(by * normal.z + 0.5)};
}

nav_corner_style nav_corner_style_of(const nav_config *cfg);

// The places of the corner, in order, one or more; the first lies on the edge that ends in p, the last on the one that
// begins there, but for rounding. The normal turns from f to g to the left by half a turn or less. Returns how many.
int32_t nav_corner_find(const nav_corner_style *style, double radius, nav_point p, nav_direction f, nav_direction g,
                        nav_point out[NAV_CORNER_MOST]);

#endif
