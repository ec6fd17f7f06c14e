// At a corner of the source the outward normal turns from that of the edge before it, f, to that of the edge behind it,
// g. Tangents of the circle are put in from both ends at once, so that a source and its mirror image have the same
// shape, mirrored:
//
//          f'      g'      f' is f turned by 22.5 degrees to the left, g' is g turned to the right, and so on until
//       f     '..'    g    what is left between them is a step or less. Two tangents with unit normals a and b meet
//         '    |    '      at p + r (a + b) / (1 + a.b).
//           '  p  '
#include "core/outline/widen.h"

#include <assert.h>
#include <math.h>

static const double BIAS = 0.75; // more than rounding may take: sqrt(1/2)
static const double STEP_COS = 0.92387953251128674, STEP_SIN = 0.38268343236508977; // of 22.5 degrees
static const double LAST_COS = 0.9205;  // of 23 degrees: what is left may be a step
static const double SAME_COS = 0.99996; // of half a degree: one tangent does for both

typedef struct direction {
    double x, z;
} direction;

typedef struct ring { // corners of the shape, counterclockwise
    double radius;
    int32_t count;
    nav_point at[NAV_SHAPE_MAX_CORNERS];
} ring;

static double dot(direction a, direction b)
{
    return a.x * b.x + a.z * b.z;
}

static direction turn_left(direction a)
{
    return (direction){a.x * STEP_COS - a.z * STEP_SIN, a.x * STEP_SIN + a.z * STEP_COS};
}

static direction turn_right(direction a)
{
    return (direction){a.x * STEP_COS + a.z * STEP_SIN, a.z * STEP_COS - a.x * STEP_SIN};
}

// Outwards of the edge from a to b.
static direction normal(nav_point a, nav_point b)
{
    double x = (double)b.z - a.z, z = (double)a.x - b.x, length = sqrt(x * x + z * z);
    return (direction){x / length, z / length};
}

static int32_t nearest(double v)
{
    return (int32_t)floor(v + 0.5);
}

// The corner where the tangents with normals a and b of the circle around p meet.
static void put_corner(ring *r, nav_point p, direction a, direction b)
{
    const double scale = r->radius / (1.0 + dot(a, b));
    assert(r->count < NAV_SHAPE_MAX_CORNERS);
    r->at[r->count++] = (nav_point){p.x + nearest(scale * (a.x + b.x)), p.z + nearest(scale * (a.z + b.z))};
}

// The corners around p, where the normal turns to the left from f to g, by half a turn or less.
static void put_corners(ring *r, nav_point p, direction f, direction g)
{
    direction back[8];
    int backs = 0;
    for (bool front = true; dot(f, g) < LAST_COS; front = !front) {
        if (front) {
            direction next = turn_left(f);
            put_corner(r, p, f, next);
            f = next;
        } else {
            back[backs++] = g;
            g = turn_right(g);
        }
    }
    if (dot(f, g) < SAME_COS || backs == 0)
        put_corner(r, p, f, g);
    else
        g = f;
    for (; backs > 0; g = back[backs]) {
        backs--;
        put_corner(r, p, g, back[backs]);
    }
}

// The convex hull. Rounding keeps the order of the corners along x and along z, so one walk around them finds it.
static void make_convex(ring *r)
{
    int32_t first = 0, kept = 0;
    nav_point to[NAV_SHAPE_MAX_CORNERS + 1];
    for (int32_t i = 1; i < r->count; i++)
        if (nav_point_before(r->at[i], r->at[first])) first = i;
    for (int32_t i = 0, k = first; i <= r->count; i++) {
        nav_point p = r->at[k];
        k = k + 1 < r->count ? k + 1 : 0;
        while (kept > 0 && nav_point_same(to[kept - 1], p) && i < r->count) kept--;
        while (kept > 1 && nav_right(to[kept - 2], to[kept - 1], p) >= 0) kept--;
        to[kept++] = p;
    }
    r->count = kept - 1; // the last is the first once more
    for (int32_t i = 0; i < r->count; i++) r->at[i] = to[i];
}

nav_status nav_shapes_widen(const nav_point *source, int32_t corners, double radius, nav_arena *arena, nav_shapes *out)
{
    assert(corners >= 1 && corners <= NAV_SOURCE_MAX_CORNERS && radius >= 0);
    ring r = {.radius = radius + BIAS};
    if (corners == 1) {
        const direction east = {1, 0}, west = {-1, 0};
        put_corners(&r, source[0], east, west);
        put_corners(&r, source[0], west, east);
    } else {
        direction before = normal(source[corners - 1], source[0]);
        for (int32_t i = 0; i < corners; i++) {
            direction behind = normal(source[i], source[i + 1 < corners ? i + 1 : 0]);
            put_corners(&r, source[i], before, behind);
            before = behind;
        }
    }
    make_convex(&r);

    nav_status status = nav_shapes_grow(out, arena, r.count);
    if (status != NAV_OK) return status;
    nav_point *to = out->at + out->first[out->count];
    for (int32_t i = 0; i < r.count; i++) to[i] = r.at[i];
    out->first[out->count + 1] = out->first[out->count] + r.count;
    out->count++;
    return NAV_OK;
}
