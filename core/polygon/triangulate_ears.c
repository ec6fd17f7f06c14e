// Triangulation by cutting ears: a corner whose triangle holds nothing else of the outline is cut off, shortest cut
// first, until a triangle is left.
//
//        v                       v is an ear: no corner of the ring is inside p, v, n or on the cut p-n.
//      / | \                     Only corners that are not strictly convex can be in the way. A ring may touch itself:
//     p--+--n   w                a corner w in the place of p, v or n is not in the way, since the inner angles of
//        cut                     corners in one place never overlap.
//
// All tests are exact. Source: G. Meisters, Polygons have ears (1975). The order by length is Recast's.
#include "core/polygon/triangulate.h"

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
    half_new_triangle(m, a, region, area);
    m->cut[m->cut_count++] = m->face[a];
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

bool half_cut_ears(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area)
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
