// At a corner of the source the outward normal turns from that of the edge before it, f, to that of the edge behind it,
// g. Tangents of the circle are put in from both ends at once, so that a source and its mirror image have the same
// shape, mirrored:
//
//          f'      g'      f' is f turned by 22.5 degrees to the left, g' is g turned to the right, and so on until
//       f     '..'    g    what is left between them is a step or less. Two tangents with unit normals a and b meet
//         '    |    '      at p + r (a + b) / (1 + a.b).
//           '  p  '
//
// Where another source has an edge that ends in p, too, its normal h is a tangent's, and f to h and h to g are each
// done as above. Both sources then have the same tangents between their sides, and the union of the two has no jogs:
//
//        ___________.__
//       |  #########|  '.     Without, the round end of the one wall sticks out past the side of the other, by up to
//       |___________|  # '    2 % of the radius, unless they meet at a multiple of 22.5 degrees.
//                     '  # '
#include "core/outline/widen.h"

#include "core/base/sort.h"
#include "core/outline/corners.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double BIAS = 0.75;        // more than rounding may take: sqrt(1/2)
static const double SAME_SIN = 0.00873; // of half a degree: one tangent does for both

enum {
    SHARED_MOST = 4,    // normals of other sources at a corner
    SHARED_CORNERS = 5, // of a source that has such
    CORNERS = NAV_SHAPE_MAX_CORNERS + NAV_CORNER_MOST,
};

// Corners of the shape, counterclockwise.
typedef struct ring {
    double radius;
    int32_t count;
    nav_point at[CORNERS];
} ring;

static const nav_corner_style usual = {NAV_CORNERS_ROUND, NAV_ARC_STEP_COS, NAV_ARC_STEP_SIN, NAV_ARC_LAST_COS, 1};

// The corners around p, where the normal turns to the left from f to g, by half a turn or less.
static void put_corners(ring *r, nav_point p, nav_direction f, nav_direction g)
{
    assert(r->count + NAV_CORNER_MOST <= CORNERS);
    r->count += nav_corner_find(&usual, r->radius, p, f, g, r->at + r->count);
}

// The convex hull. Rounding keeps the order of the corners along x and along z, so one walk around them finds it; and
// as a rule there is nothing to leave out.
static void make_convex(ring *r)
{
    int32_t first = 0, kept = 0, n = r->count;
    nav_point to[CORNERS + 1];
    bool convex = n > 2;
    for (int32_t i = 0; i < n; i++) {
        const nav_point a = r->at[i], b = r->at[i + 1 < n ? i + 1 : i + 1 - n],
                        c = r->at[i + 2 < n ? i + 2 : i + 2 - n];
        if (nav_point_before(a, r->at[first])) first = i;
        convex = convex && nav_right(a, b, c) < 0;
    }
    if (convex) {
        memcpy(to, r->at, (size_t)first * sizeof *to);
        memmove(r->at, r->at + first, (size_t)(n - first) * sizeof *to);
        memcpy(r->at + n - first, to, (size_t)first * sizeof *to);
        return;
    }
    for (int32_t i = 0, k = first; i <= n; i++) {
        nav_point p = r->at[k];
        k = k + 1 < n ? k + 1 : 0;
        while (kept > 0 && nav_point_same(to[kept - 1], p) && i < n) kept--;
        while (kept > 1 && nav_right(to[kept - 2], to[kept - 1], p) >= 0) kept--;
        to[kept++] = p;
    }
    r->count = kept - 1; // the last is the first once more
    for (int32_t i = 0; i < r->count; i++) r->at[i] = to[i];
}

static nav_status put_out(ring *r, nav_arena *arena, nav_shapes *out)
{
    make_convex(r);
    nav_status status = nav_shapes_grow(out, arena, r->count);
    if (status != NAV_OK) return status;
    nav_point *to = out->at + out->first[out->count];
    for (int32_t i = 0; i < r->count; i++) to[i] = r->at[i];
    out->first[out->count + 1] = out->first[out->count] + r->count;
    out->count++;
    return NAV_OK;
}

static void put_place(ring *r, nav_point p)
{
    const nav_direction east = {1, 0}, west = {-1, 0};
    put_corners(r, p, east, west);
    put_corners(r, p, west, east);
}

nav_status nav_shapes_widen(const nav_point *source, int32_t corners, double radius, nav_arena *arena, nav_shapes *out)
{
    assert(corners >= 1 && corners <= NAV_SOURCE_MAX_CORNERS && radius >= 0);
    ring r = {.radius = radius + BIAS};
    if (corners == 1) {
        put_place(&r, source[0]);
    } else {
        nav_direction before = nav_normal(source[corners - 1], source[0]);
        for (int32_t i = 0; i < corners; i++) {
            nav_direction behind = nav_normal(source[i], source[i + 1 < corners ? i + 1 : 0]);
            put_corners(&r, source[i], before, behind);
            before = behind;
        }
    }
    return put_out(&r, arena, out);
}

// --- sources that share corners ---

// All corners of all sources, those in the same place in a row.
typedef struct meeting {
    const nav_shapes *sources;
    int32_t *source; // per corner of them
    uint64_t *key;   // of their places, in order, with their numbers below
    int32_t *first;  // per corner: the first in `key` in its place
    int32_t count;
} meeting;

enum { NUMBER_BITS = 20, PLACE_BITS = 22 };

static nav_status find_meetings(meeting *m, nav_arena *arena)
{
    const nav_shapes *s = m->sources;
    const int32_t half = 1 << (PLACE_BITS - 1);
    m->count = s->first[s->count];
    m->source = NAV_TAKE(arena, int32_t, m->count);
    m->key = NAV_TAKE(arena, uint64_t, m->count);
    m->first = NAV_TAKE(arena, int32_t, m->count);
    if (!m->source || !m->key || !m->first) return nav_arena_failure(arena);
    for (int32_t i = 0; i < s->count; i++)
        for (int32_t k = s->first[i]; k < s->first[i + 1]; k++) {
            m->source[k] = i;
            m->key[k] = (uint64_t)(uint32_t)(s->at[k].x + half) << (64 - PLACE_BITS) |
                        (uint64_t)(uint32_t)(s->at[k].z + half) << NUMBER_BITS | (uint64_t)k;
        }
    nav_sort_u64(m->key, m->count);
    for (int32_t i = 0, first = 0; i < m->count; i++) {
        if (m->key[i] >> NUMBER_BITS != m->key[first] >> NUMBER_BITS) first = i;
        m->first[m->key[i] & ((1 << NUMBER_BITS) - 1)] = first;
    }
    return NAV_OK;
}

// Puts a normal among those between f and g, from the right to the left.
static void put_between(nav_direction between[SHARED_MOST], int32_t *count, nav_direction f, nav_direction g,
                        nav_direction n)
{
    int32_t k = *count;
    if (k == SHARED_MOST || nav_direction_cross(f, n) < SAME_SIN || nav_direction_cross(n, g) < SAME_SIN) return;
    for (; k > 0 && nav_direction_cross(between[k - 1], n) < SAME_SIN; k--)
        if (nav_direction_cross(n, between[k - 1]) < SAME_SIN) return;
    memmove(between + k + 1, between + k, (size_t)(*count - k) * sizeof *between);
    between[k] = n;
    ++*count;
}

// The normals of the edges that other sources have at a corner, as far as they lie between f and g.
static int32_t find_between(const meeting *m, int32_t corner, nav_direction f, nav_direction g,
                            nav_direction between[SHARED_MOST])
{
    const nav_shapes *s = m->sources;
    const uint64_t place = m->key[m->first[corner]] >> NUMBER_BITS;
    int32_t count = 0;
    for (int32_t i = m->first[corner]; i < m->count && m->key[i] >> NUMBER_BITS == place; i++) {
        const int32_t k = (int32_t)(m->key[i] & ((1 << NUMBER_BITS) - 1)), other = m->source[k];
        const int32_t first = s->first[other], end = s->first[other + 1];
        if (other == m->source[corner] || end - first < 2) continue;
        put_between(between, &count, f, g, nav_normal(s->at[k > first ? k - 1 : end - 1], s->at[k]));
        put_between(between, &count, f, g, nav_normal(s->at[k], s->at[k + 1 < end ? k + 1 : first]));
    }
    return count;
}

static void put_shared(ring *r, const meeting *m, int32_t source)
{
    const nav_shapes *s = m->sources;
    const int32_t first = s->first[source], end = s->first[source + 1];
    nav_direction before = nav_normal(s->at[end - 1], s->at[first]);
    for (int32_t k = first; k < end; k++) {
        nav_direction behind = nav_normal(s->at[k], s->at[k + 1 < end ? k + 1 : first]), between[SHARED_MOST + 1];
        int32_t count = end - first <= SHARED_CORNERS ? find_between(m, k, before, behind, between) : 0;
        between[count] = behind;
        for (int32_t i = 0; i <= count; i++) {
            put_corners(r, s->at[k], before, between[i]);
            before = between[i];
        }
    }
}

nav_status nav_shapes_widen_all(const nav_shapes *sources, double radius, nav_arena *arena, nav_shapes *out)
{
    meeting m = {.sources = sources};
    if (sources->count == 0) return NAV_OK;
    nav_status status = find_meetings(&m, arena);
    for (int32_t i = 0; i < sources->count && status == NAV_OK; i++) {
        ring r = {.radius = radius + BIAS};
        if (sources->first[i + 1] - sources->first[i] == 1)
            put_place(&r, sources->at[sources->first[i]]);
        else
            put_shared(&r, &m, i);
        status = put_out(&r, arena, out);
    }
    return status;
}
