// Untangling: a simplified contour may cross itself where floor is narrow or a straight arc cuts a corner. The corners
// left out are put back, farthest first, until it does not.
//
//       .---.                   A straight arc a-b cuts off the bay that a hole or another
//      /  o  \     a ------- b  wall stands in: keeping the corner farthest from a-b brings
//     a       b        o        the bay back. Traced contours never cross, so this ends.
//
// Allowed are contours that touch at a corner, and two sides of one wall in the same place (a step inside a region):
// those are in the traced contours, too. Every test is exact.
#include "core/base/sort.h"
#include "core/contour/contour_work.h"

typedef struct tangle {
    contour_work *w;
    int32_t count; // vertices of the group
    bool refined;
} tangle;

static nav_point point(const tangle *t, int32_t v)
{
    return t->w->at[t->w->vert[v]];
}

// Raw position where the edge from vertex v ends; the loop's end where it closes.
static int32_t edge_end(const tangle *t, int32_t v)
{
    const contour_work *w = t->w;
    int32_t next = w->vert_next[v];
    if (next > v) return w->vert[next];
    return contour_next_flag(w, w->vert[v] + 1, CORNER_KEPT);
}

static bool refine(tangle *t, int32_t v, const nav_point *touch)
{
    if (!nav_contour_refine(t->w, t->w->vert[v], edge_end(t, v), touch)) return false;
    return t->refined = true;
}

static double deviation(const tangle *t, int32_t v)
{
    return nav_contour_deviation(t->w, t->w->vert[v], edge_end(t, v));
}

// Refines the edge that is farthest from its corners, of n.
static bool refine_worst(tangle *t, const int32_t *edges, int32_t n)
{
    int32_t worst = -1;
    double most = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double d = deviation(t, edges[i]);
        if (d > most) {
            most = d;
            worst = edges[i];
        }
    }
    return worst >= 0 && refine(t, worst, NULL);
}

// Two corners in the same place: their inner angles must not overlap.
static void check_touching_corners(tangle *t, int32_t i, int32_t j)
{
    const contour_work *w = t->w;
    int32_t pi = w->vert_prev[i], pj = w->vert_prev[j];
    nav_point v = point(t, i), p = point(t, pi), n = point(t, w->vert_next[i]);
    nav_point q = point(t, pj), m = point(t, w->vert_next[j]);
    int q_in = nav_in_corner(p, v, n, q), m_in = nav_in_corner(p, v, n, m);
    bool overlap = q_in > 0 || m_in > 0 || nav_in_corner(q, v, m, p) > 0 || nav_in_corner(q, v, m, n) > 0 ||
                   (q_in == 0 && m_in == 0 && nav_right(v, n, m) == 0 && nav_right(v, p, q) == 0);
    if (overlap) (void)refine_worst(t, (int32_t[4]){pi, i, pj, j}, 4);
}

static void check_pair(tangle *t, int32_t i, int32_t j)
{
    const contour_work *w = t->w;
    nav_point a = point(t, i), b = point(t, w->vert_next[i]), c = point(t, j), d = point(t, w->vert_next[j]);
    if (nav_point_same(a, c)) check_touching_corners(t, i, j);
    int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d);
    if ((ac > 0 && ad > 0) || (ac < 0 && ad < 0)) return;
    int64_t ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    if ((ca > 0 && cb > 0) || (ca < 0 && cb < 0)) return;
    int32_t both[2] = {i, j};
    bool touch = false;
    if (ac == 0 && nav_between(a, b, c)) touch |= refine(t, i, &c);
    if (ad == 0 && nav_between(a, b, d)) touch |= refine(t, i, &d);
    if (ca == 0 && nav_between(c, d, a)) touch |= refine(t, j, &a);
    if (cb == 0 && nav_between(c, d, b)) touch |= refine(t, j, &b);
    if (touch) return;
    bool apart = ac != 0 && ad != 0 && ca != 0 && cb != 0;
    bool same_edge = (nav_point_same(a, d) && nav_point_same(b, c)) || (nav_point_same(a, c) && nav_point_same(b, d));
    if (apart || same_edge) (void)refine_worst(t, both, 2);
}

static int32_t lower(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t upper(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Every pair of edges whose boxes meet, found by sweeping along x.
static void check_crossings(tangle *t)
{
    contour_work *w = t->w;
    for (int32_t i = 0; i < t->count; i++) {
        nav_point a = point(t, i), b = point(t, w->vert_next[i]);
        if (nav_point_same(a, b)) (void)refine(t, i, NULL); // around a wall's end and back
        w->sweep[i] = (uint64_t)(uint32_t)lower(a.x, b.x) << 32 | (uint32_t)i;
    }
    nav_sort_u64(w->sweep, t->count);
    for (int32_t k = 0; k < t->count; k++) {
        int32_t i = (int32_t)(uint32_t)w->sweep[k];
        nav_point a = point(t, i), b = point(t, w->vert_next[i]);
        int32_t x_end = upper(a.x, b.x), z_low = lower(a.z, b.z), z_high = upper(a.z, b.z);
        for (int32_t m = k + 1; m < t->count && (int32_t)(w->sweep[m] >> 32) <= x_end; m++) {
            int32_t j = (int32_t)(uint32_t)w->sweep[m];
            nav_point c = point(t, j), d = point(t, w->vert_next[j]);
            if (upper(c.z, d.z) < z_low || lower(c.z, d.z) > z_high) continue;
            check_pair(t, i, j);
        }
    }
}

// Appends the kept corners of a loop to the group's vertices.
static void gather_loop(tangle *t, const contour_loop *loop)
{
    contour_work *w = t->w;
    int32_t begin = t->count;
    int32_t end = loop->first + loop->count;
    for (int32_t k = loop->first; k < end; k = contour_next_flag(w, k + 1, CORNER_KEPT)) {
        w->vert[t->count] = k;
        w->vert_prev[t->count] = t->count - 1;
        w->vert_next[t->count] = t->count + 1;
        t->count++;
    }
    w->vert_prev[begin] = t->count - 1;
    w->vert_next[t->count - 1] = begin;
}

// A loop that lost its area, or its sense, gets corners back; one that is all wall may go.
static void check_area(tangle *t, contour_loop *loop, int32_t begin)
{
    int64_t area = 0;
    for (int32_t i = begin + 2; i < t->count; i++) area += nav_right(point(t, begin), point(t, i - 1), point(t, i));
    if (loop->hole ? area < 0 : area > 0) return;
    if (area == 0 && loop->all_wall) {
        loop->removed = true;
        t->count = begin;
        return;
    }
    int32_t worst = -1;
    double most = 0.0;
    for (int32_t i = begin; i < t->count; i++) {
        double d = deviation(t, i);
        if (d > most) {
            most = d;
            worst = i;
        }
    }
    if (worst >= 0) (void)refine(t, worst, NULL);
}

// Is the middle of one of the hole's edges outside of the outer loop? Middles on the contour say nothing.
static bool hole_is_outside(const tangle *t, int32_t outer_end, int32_t begin, int32_t end)
{
    const contour_work *w = t->w;
    for (int32_t h = begin; h < end; h++) {
        nav_point a = point(t, h), b = point(t, w->vert_next[h]), m = {a.x + b.x, a.z + b.z};
        bool inside = false, on = false;
        for (int32_t i = 0; i < outer_end && !on; i++) {
            nav_point p = point(t, i), q = point(t, w->vert_next[i]);
            p = (nav_point){2 * p.x, 2 * p.z};
            q = (nav_point){2 * q.x, 2 * q.z};
            int64_t side = nav_right(p, q, m);
            on = nav_point_same(p, m) || (side == 0 && nav_between(p, q, m));
            if ((p.z > m.z) != (q.z > m.z) && (q.z > p.z ? side < 0 : side > 0)) inside = !inside;
        }
        if (!on) return !inside;
    }
    return false;
}

static void check_holes(tangle *t, const int32_t *loop_end, int32_t loop_count)
{
    for (int32_t l = 1; l < loop_count; l++) {
        if (!hole_is_outside(t, loop_end[0], loop_end[l - 1], loop_end[l])) continue;
        int32_t worst = 0;
        double most = 0.0;
        for (int32_t i = 0; i < loop_end[0]; i++) {
            double d = deviation(t, i);
            if (d > most) {
                most = d;
                worst = i;
            }
        }
        (void)refine(t, worst, NULL);
        return;
    }
}

// One pass over a group; true when corners were put back.
static bool untangle_group(contour_work *w, int32_t group)
{
    tangle t = {.w = w};
    int32_t outers = 0, kept = 0;
    for (int32_t o = w->group_first[group]; o < w->group_first[group + 1]; o++) {
        contour_loop *loop = &w->loops[w->order[o]];
        if (loop->removed) continue;
        int32_t begin = t.count;
        gather_loop(&t, loop);
        check_area(&t, loop, begin);
        if (loop->removed) continue;
        outers += !loop->hole;
        w->loop_end[kept++] = t.count;
    }
    check_crossings(&t);
    if (outers == 1 && kept > 1 && !t.refined) check_holes(&t, w->loop_end, kept);
    return t.refined;
}

void nav_contour_untangle(contour_work *w)
{
    for (bool again = true; again;) {
        again = false;
        for (int32_t g = 0; g < w->group_count; g++) {
            if (!w->dirty[g]) continue;
            do {
                w->dirty[g] = 0;
            } while (untangle_group(w, g));
            again = true;
        }
    }
}
