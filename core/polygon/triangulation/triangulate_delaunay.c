// Constrained Delaunay triangulation: from any triangulation, an edge is turned while the corner beyond it lies in the
// circle of its triangle. Edges of the contour stay. Of all triangulations this has the greatest smallest angle.
//
//        b                 b
//      / | \             /   \        d lies in the circle of a, b, c
//     d  |  c    -->   d ----- c
//      \ | /             \   /
//        a                 a
//
// On a grid, four corners on one circle are common. There the edge goes to the first corner in the order of places, as
// if that one lay a trifle lower on the paraboloid, so the result depends on the contour alone, and the turning ends.
// Edges to turn wait on a stack; after the ears, which are cut shortest first, few are left to turn.
//
// Source: C. Lawson, Software for C1 surface interpolation (1977); D. T. Lee and A. Lin, Generalized Delaunay
// triangulation for planar graphs (1986).
#include "core/polygon/triangulation/triangulate.h"

// Where is d at the circle through a, b, c, which wind to the right? Positive: within. Where places are at most 2^15
// apart in each direction, a product of an area and a square is at most 2^61, and the sum of three fits 64 bits.
static int in_circle(bool wide, nav_point a, nav_point b, nav_point c, nav_point d)
{
    int64_t ab = nav_right(d, a, b), bc = nav_right(d, b, c), ca = nav_right(d, c, a);
    int64_t ad = nav_distance2(a, d), bd = nav_distance2(b, d), cd = nav_distance2(c, d);
    if (wide) {
        __int128 sum = (__int128)bc * ad + (__int128)ca * bd + (__int128)ab * cd;
        return (sum > 0) - (sum < 0);
    }
    int64_t sum = bc * ad + ca * bd + ab * cd;
    return (sum > 0) - (sum < 0);
}

static bool must_turn(const half_edges *m, int32_t h)
{
    int32_t t = m->twin[h];
    nav_point a = half_at(m, h), b = half_at(m, t), c = half_at(m, m->prev[h]), d = half_at(m, m->prev[t]);
    if (nav_right(d, c, a) <= 0 || nav_right(c, d, b) <= 0) return false;
    int within = in_circle(m->wide, a, b, c, d);
    if (within != 0) return within > 0;
    nav_point here = nav_point_before(a, b) ? a : b, there = nav_point_before(c, d) ? c : d;
    return nav_point_before(there, here);
}

static int32_t push(half_edges *m, int32_t depth, int32_t h)
{
    int32_t t = m->twin[h];
    if (t >= 0 && t < h) h = t; // one of the two stands for both
    if ((m->flags[h] & HALF_NOTED) || !nav_half_is_inner(m, h)) return depth;
    m->flags[h] |= HALF_NOTED;
    m->blocker[depth] = h;
    return depth + 1;
}

bool nav_half_cut_delaunay(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area)
{
    bool whole = nav_half_cut_ears(m, h, n, region, area);
    int32_t depth = 0;
    for (int32_t i = 0; i < m->cut_count; i++) {
        int32_t e = m->face_edge[m->cut[i]];
        depth = push(m, depth, e);
        depth = push(m, depth, m->next[e]);
        depth = push(m, depth, m->prev[e]);
    }
    while (depth > 0) {
        int32_t e = m->blocker[--depth], t = m->twin[e];
        m->flags[e] &= (uint8_t)~HALF_NOTED;
        if (!must_turn(m, e)) continue;
        nav_half_flip(m, e);
        depth = push(m, depth, m->next[e]);
        depth = push(m, depth, m->prev[e]);
        depth = push(m, depth, m->next[t]);
        depth = push(m, depth, m->prev[t]);
    }
    return whole;
}
