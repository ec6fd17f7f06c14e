// Exact predicates on grid points. Coordinates are columns or outline units, so every product fits 64 bits.
// "Right" is the inner side of a contour's edge: outer loops wind with their region to the right.
#ifndef NAV_BASE_PLANE_H
#define NAV_BASE_PLANE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct nav_point {
    int32_t x, z;
} nav_point;

static inline bool nav_point_same(nav_point a, nav_point b)
{
    return a.x == b.x && a.z == b.z;
}

static inline bool nav_point_before(nav_point a, nav_point b)
{
    return a.x < b.x || (a.x == b.x && a.z < b.z);
}

// Twice the area of a, b, c: positive where c lies to the right of the line from a to b.
static inline int64_t nav_right(nav_point a, nav_point b, nav_point c)
{
    return (int64_t)(c.x - a.x) * (b.z - a.z) - (int64_t)(b.x - a.x) * (c.z - a.z);
}

// Do the segments cross at a place that is an end of neither?
static inline bool nav_cross(nav_point a, nav_point b, nav_point c, nav_point d)
{
    const int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d), ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    return ((ac > 0 && ad < 0) || (ac < 0 && ad > 0)) && ((ca > 0 && cb < 0) || (ca < 0 && cb > 0));
}

static inline int64_t nav_distance2(nav_point a, nav_point b)
{
    int64_t dx = b.x - a.x, dz = b.z - a.z;
    return dx * dx + dz * dz;
}

// Is c, known to be on the line through a and b, between them and neither of them?
static inline bool nav_between(nav_point a, nav_point b, nav_point c)
{
    return (int64_t)(c.x - a.x) * (c.x - b.x) + (int64_t)(c.z - a.z) * (c.z - b.z) < 0;
}

// The whole number that is not above a / b; b > 0.
static inline int64_t nav_floor_divide(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q * b > a ? q - 1 : q;
}

// Where an edge that meets the line x = at (axis 0) or z = at (axis 1), and does not lie on it, passes it: the other
// coordinate, to the nearest. The same for both directions of the edge, and wherever coordinates are counted from.
static inline int32_t nav_edge_passes(nav_point a, nav_point b, int axis, int32_t at)
{
    if (nav_point_before(b, a)) {
        nav_point t = a;
        a = b;
        b = t;
    }
    int64_t from = axis ? a.x : a.z, step = axis ? (int64_t)b.x - a.x : (int64_t)b.z - a.z;
    int64_t part = (int64_t)at - (axis ? a.z : a.x), whole = axis ? (int64_t)b.z - a.z : (int64_t)b.x - a.x;
    if (whole < 0) {
        whole = -whole;
        part = -part;
    }
    return (int32_t)(from + nav_floor_divide(2 * step * part + whole, 2 * whole));
}

// May the box of a and b meet that from low to high?
static inline bool nav_edge_is_near(nav_point a, nav_point b, nav_point low, nav_point high)
{
    return !((a.x < low.x && b.x < low.x) || (a.z < low.z && b.z < low.z) || (a.x > high.x && b.x > high.x) ||
             (a.z > high.z && b.z > high.z));
}

// The lowest and the highest coordinates of n points, at least one.
static inline void nav_points_bound(const nav_point *p, int32_t n, nav_point *low, nav_point *high)
{
    *low = *high = p[0];
    for (int32_t i = 1; i < n; i++) {
        low->x = p[i].x < low->x ? p[i].x : low->x;
        low->z = p[i].z < low->z ? p[i].z : low->z;
        high->x = p[i].x > high->x ? p[i].x : high->x;
        high->z = p[i].z > high->z ? p[i].z : high->z;
    }
}

// Where does the direction v -> q lie at the corner p, v, n of a contour? 1 strictly within its inner angle, -1
// strictly outside of it, 0 along one of the two edges. A fold (p and n in the same direction) has an inner angle of a
// full turn.
static inline int nav_in_corner(nav_point p, nav_point v, nav_point n, nav_point q)
{
    int64_t in = nav_right(p, v, q), out = nav_right(v, n, q), turn = nav_right(p, v, n);
    bool on_in = in == 0 && (int64_t)(q.x - v.x) * (p.x - v.x) + (int64_t)(q.z - v.z) * (p.z - v.z) > 0;
    bool on_out = out == 0 && (int64_t)(q.x - v.x) * (n.x - v.x) + (int64_t)(q.z - v.z) * (n.z - v.z) > 0;
    if (on_in || on_out) return 0;
    if (turn > 0) return in > 0 && out > 0 ? 1 : -1;
    if (turn < 0) return in > 0 || out > 0 ? 1 : -1;
    bool fold = (int64_t)(n.x - v.x) * (p.x - v.x) + (int64_t)(n.z - v.z) * (p.z - v.z) > 0;
    return fold || in > 0 ? 1 : -1;
}

#endif
