// Triangulation by cutting ears: a corner whose triangle holds nothing else of the outline is cut off, shortest cut
// first, until a triangle is left. Holes are joined to the outer loop by a double edge beforehand.
//
//        v                       v is an ear: no corner of the ring is inside p, v, n or on the cut p-n.
//      / | \                     Only corners that are not strictly convex can be in the way. A ring may touch itself:
//     p--+--n   w                a corner w in the place of p, v or n is not in the way, since the inner angles of
//        cut                     corners in one place never overlap.
//
// All tests are exact. Source: G. Meisters, Polygons have ears (1975); bridges as in D. Eberly, Triangulation by ear
// clipping. The order by length is Recast's.
#include "core/polygon/half_edges.h"

static bool is_in_the_way(const half_edges *m, nav_point p, nav_point v, nav_point n, int32_t w)
{
    nav_point q = half_at(m, w);
    int64_t a = nav_right(p, v, q), b = nav_right(v, n, q), c = nav_right(n, p, q);
    if (a < 0 || b < 0 || c < 0) return false;
    return !nav_point_same(q, p) && !nav_point_same(q, v) && !nav_point_same(q, n);
}

static bool is_strictly_convex(const half_edges *m, int32_t h)
{
    return nav_right(half_at(m, m->prev[h]), half_at(m, h), half_at(m, m->next[h])) > 0;
}

// Squared length of the cut that takes the origin of h off; -1 where it is no ear.
static int64_t ear_length(const half_edges *m, int32_t h, int32_t blockers)
{
    int32_t before = m->prev[h], after = m->next[h];
    nav_point p = half_at(m, before), v = half_at(m, h), n = half_at(m, after);
    if (nav_right(p, v, n) <= 0) return -1;
    int32_t x0 = p.x < v.x ? p.x : v.x, x1 = p.x > v.x ? p.x : v.x;
    if (n.x < x0) x0 = n.x;
    if (n.x > x1) x1 = n.x;
    for (int32_t i = 0; i < blockers; i++) {
        int32_t w = m->blocker[i];
        nav_point q = half_at(m, w);
        if (q.x < x0 || q.x > x1 || w == before || w == after) continue;
        if (is_in_the_way(m, p, v, n, w)) return -1;
    }
    return nav_distance2(p, n);
}

static void make_triangle(half_edges *m, int32_t a, int32_t region, uint8_t area)
{
    m->face[a] = m->face[m->next[a]] = m->face[m->prev[a]] = half_new_face(m, region, area);
}

static int32_t list_blockers(half_edges *m, int32_t h)
{
    int32_t n = 0, e = h;
    do {
        if (!is_strictly_convex(m, e)) m->blocker[n++] = e;
        e = m->next[e];
    } while (e != h);
    return n;
}

// Keeps the list true after the corner of h, which was listed as `was` or (-1) not at all, has changed.
static int32_t update_blocker(half_edges *m, int32_t count, int32_t was, int32_t h)
{
    bool blocks = !is_strictly_convex(m, h);
    int32_t i = was >= 0 ? 0 : count;
    while (i < count && m->blocker[i] != was) i++;
    if (blocks) {
        m->blocker[i] = h;
        return i == count ? count + 1 : count;
    }
    if (i == count) return count;
    m->blocker[i] = m->blocker[count - 1];
    return count - 1;
}

// Cuts the origin of h off as a triangle; returns the half-edge that stands for the cut in what is left.
static int32_t cut_ear(half_edges *m, int32_t h, int32_t region, uint8_t area)
{
    int32_t p = m->prev[h], n = m->next[h], before = m->prev[p];
    int32_t inner = half_new(m, m->org[n]), outer = half_new(m, m->org[p]);
    m->twin[inner] = outer;
    m->twin[outer] = inner;
    half_follow(m, h, inner);
    half_follow(m, inner, p);
    half_follow(m, before, outer);
    half_follow(m, outer, n);
    make_triangle(m, h, region, area);
    return outer;
}

void half_discard(half_edges *m, int32_t h)
{
    int32_t e = h;
    do {
        int32_t next = m->next[e];
        if (m->twin[e] >= 0) m->twin[m->twin[e]] = NAV_EDGE_WALL;
        half_release(m, e);
        e = next;
    } while (e != h);
}

bool half_triangulate(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area)
{
    int32_t blockers = n > 3 ? list_blockers(m, h) : 0;
    bool fresh = true; // every ear[] is up to date
    for (int32_t i = 0, e = h; n > 3 && i < n; i++, e = m->next[e]) m->ear[e] = ear_length(m, e, blockers);
    while (n > 3) {
        int32_t best = -1, e = h;
        for (int32_t i = 0; i < n; i++, e = m->next[e])
            if (m->ear[e] >= 0 && (best < 0 || m->ear[e] < m->ear[best])) best = e;
        if (best < 0) {
            if (fresh) break;
            blockers = list_blockers(m, h);
            for (int32_t i = 0; i < n; i++, e = m->next[e]) m->ear[e] = ear_length(m, e, blockers);
            fresh = true;
            continue;
        }
        // The cut takes the place of the edge that began in the corner before.
        int32_t after = m->next[best];
        int32_t p_was = is_strictly_convex(m, m->prev[best]) ? -1 : m->prev[best];
        int32_t n_was = is_strictly_convex(m, after) ? -1 : after;
        h = cut_ear(m, best, region, area);
        n--;
        blockers = update_blocker(m, blockers, p_was, h);
        blockers = update_blocker(m, blockers, n_was, after);
        m->ear[h] = ear_length(m, h, blockers);
        m->ear[after] = ear_length(m, after, blockers);
        fresh = false;
    }
    if (n == 3 && is_strictly_convex(m, h)) {
        make_triangle(m, h, region, area);
        return true;
    }
    int64_t left = 0;
    nav_point o = half_at(m, h);
    for (int32_t e = m->next[h]; e != h; e = m->next[e]) left += nav_right(o, half_at(m, e), half_at(m, m->next[e]));
    half_discard(m, h);
    return left == 0;
}

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
