// Bridges: holes are joined to the outer loop of their group, so that one ring is left that bounds it all.
//
//     +-----------------+        a bridge is a double edge from the hole's lowest corner to the nearest corner in
//     sight. |                 |        Holes come in the order of their lowest corners, so the holes yet to come lie
//     to the |     +---+       |        right of it and cannot be in the way. |    /|   |       | |  // +---+       |
//     Where a hole touches the ring in a corner, the two are joined there without an edge.
//     +-----------------+
//
// All tests are exact. Source: D. Eberly, Triangulation by ear clipping (2002).
#include "core/polygon/triangulate.h"

static bool is_in_sight(const half_edges *m, int32_t outer, nav_point a, nav_point b)
{
    int32_t e = outer;
    do {
        nav_point c = half_at(m, e), d = half_at(m, m->next[e]);
        int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d);
        if (ac == 0 && nav_between(a, b, c)) return false;
        int64_t ca = nav_right(c, d, a), cb = nav_right(c, d, b);
        if (((ac > 0 && ad < 0) || (ac < 0 && ad > 0)) && ((ca > 0 && cb < 0) || (ca < 0 && cb > 0))) return false;
        e = m->next[e];
    } while (e != outer);
    return true;
}

// Does the edge from corner b to the point q leave b on the inner side?
static bool leaves_inside(const half_edges *m, int32_t b, nav_point q)
{
    return nav_in_corner(half_at(m, m->prev[b]), half_at(m, b), half_at(m, m->next[b]), q) > 0;
}

// Do the edges of corner b fit into the inner angle of corner a in the same place?
static bool fits_into(const half_edges *m, int32_t a, int32_t b)
{
    nav_point p = half_at(m, m->prev[a]), v = half_at(m, a), n = half_at(m, m->next[a]);
    return nav_in_corner(p, v, n, half_at(m, m->next[b])) >= 0 && nav_in_corner(p, v, n, half_at(m, m->prev[b])) >= 0;
}

// Nearest corner of the outer ring in sight of corner b: -1 where there is none nearer than *shortest. Corners to the
// right of b are left out: other holes, yet to come, may be in the way there. The nearest is tried first, since to see
// whether it is in sight takes a walk around the ring.
static int32_t find_bridge(const half_edges *m, int32_t outer, int32_t b, int64_t *shortest)
{
    nav_point q = half_at(m, b);
    int64_t tried = 0; // all corners up to this distance, and at it up to this place in the ring
    int32_t tried_place = -1;
    for (;;) {
        int32_t best = -1, best_place = 0, e = outer, place = 0;
        int64_t nearest = *shortest;
        do {
            nav_point v = half_at(m, e);
            int64_t d = nav_distance2(v, q);
            if (d < nearest && (d > tried || (d == tried && place > tried_place)) && nav_point_before(v, q) &&
                leaves_inside(m, e, q) && leaves_inside(m, b, v)) {
                best = e;
                best_place = place;
                nearest = d;
            }
            e = m->next[e];
            place++;
        } while (e != outer);
        if (best < 0) return -1;
        if (is_in_sight(m, outer, half_at(m, best), q)) {
            *shortest = nearest;
            return best;
        }
        tried = nearest;
        tried_place = best_place;
    }
}

static int32_t find_touching(const half_edges *m, int32_t outer, int32_t b)
{
    int32_t e = outer;
    do {
        if (nav_point_same(half_at(m, e), half_at(m, b)) && fits_into(m, e, b)) return e;
        e = m->next[e];
    } while (e != outer);
    return -1;
}

int32_t half_bridge(half_edges *m, int32_t outer, int32_t low)
{
    // A hole may pass its lowest corner twice, on both sides of a wall.
    int32_t a = -1, b = low, e = low;
    int64_t shortest = INT64_MAX;
    do {
        int32_t found = nav_point_same(half_at(m, e), half_at(m, low)) ? find_bridge(m, outer, e, &shortest) : -1;
        if (found >= 0) {
            a = found;
            b = e;
        }
        e = m->next[e];
    } while (e != low);
    bool touch = a < 0;
    if (touch) a = find_touching(m, outer, b);
    if (a < 0) return -1;
    int32_t before_a = m->prev[a], before_b = m->prev[b];
    if (touch) {
        half_follow(m, before_a, b);
        half_follow(m, before_b, a);
        return 0;
    }
    int32_t to = half_new(m, m->org[a]), back = half_new(m, m->org[b]);
    m->twin[to] = back;
    m->twin[back] = to;
    half_follow(m, before_a, to);
    half_follow(m, to, b);
    half_follow(m, before_b, back);
    half_follow(m, back, a);
    return 2;
}
