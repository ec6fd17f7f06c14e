// Divide and conquer: halves by x are triangulated, then sewn together from below, edge by edge (Guibas and Stolfi,
// "Primitives for the manipulation of general subdivisions and the computation of Voronoi diagrams", 1985).
//
//        \        /        `base` is the last edge sewn. Of the edges at its ends, those that the other half's next
//     ----l------r----     place takes the circle from are taken out; then the left or the right candidate, whichever
//        / `base' \        has the other outside of its circle, makes the next base.
//
// A directed edge is a number, and its other direction the number with the last bit turned. Edges around a place are a
// ring, counter-clockwise.
#include "core/geometry/delaunay.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct edge {
    uint32_t origin, next, previous; // around the origin; an edge that is free: `next` is the next of those
} edge;

enum { NO_EDGE = UINT32_MAX, NO_PLACE = UINT32_MAX };

typedef struct web {
    const nav_delaunay_place *at;
    edge *edges;
    uint32_t count, free;
} web;

static uint32_t origin(const web *w, uint32_t e)
{
    return w->edges[e].origin;
}

static uint32_t end(const web *w, uint32_t e)
{
    return w->edges[e ^ 1].origin;
}

// The edges before and behind it around the face on its left; the one before it around the face on its right.
static uint32_t left_next(const web *w, uint32_t e)
{
    return w->edges[e ^ 1].previous;
}

static uint32_t right_previous(const web *w, uint32_t e)
{
    return w->edges[e ^ 1].next;
}

// Twice the area of the triangle: above 0 where c is on the left of the way from a to b.
static int64_t turn(const web *w, uint32_t a, uint32_t b, uint32_t c)
{
    const nav_delaunay_place *p = &w->at[a], *q = &w->at[b], *r = &w->at[c];
    return ((int64_t)q->x - p->x) * ((int64_t)r->y - p->y) - ((int64_t)q->y - p->y) * ((int64_t)r->x - p->x);
}

// Is d within the circle through a, b and c, which are counter-clockwise? Floating-point numbers decide where they can.
static bool in_circle(const web *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const nav_delaunay_place o = w->at[d];
    const int64_t ax = (int64_t)w->at[a].x - o.x, ay = (int64_t)w->at[a].y - o.y, bx = (int64_t)w->at[b].x - o.x,
                  by = (int64_t)w->at[b].y - o.y, cx = (int64_t)w->at[c].x - o.x, cy = (int64_t)w->at[c].y - o.y;
    const int64_t bc = bx * cy - by * cx, ca = cx * ay - cy * ax, ab = ax * by - ay * bx;
    const int64_t al = ax * ax + ay * ay, bl = bx * bx + by * by, cl = cx * cx + cy * cy;
    const double p = (double)al * (double)bc, q = (double)bl * (double)ca, r = (double)cl * (double)ab, sum = p + q + r;
    const double bound = 1e-15 * ((p < 0 ? -p : p) + (q < 0 ? -q : q) + (r < 0 ? -r : r)); // 8 roundings of 2^-53
    if (sum > bound || sum < -bound) return sum > 0;
    return (__int128)al * bc + (__int128)bl * ca + (__int128)cl * ab > 0;
}

// --- edges ---

static uint32_t make_edge(web *w, uint32_t from, uint32_t to)
{
    uint32_t e = w->free;
    if (e != NO_EDGE)
        w->free = w->edges[e].next;
    else
        e = w->count, w->count += 2;
    w->edges[e] = (edge){from, e, e};
    w->edges[e ^ 1] = (edge){to, e ^ 1, e ^ 1};
    return e;
}

// Joins the rings of two edges at one place, or parts them.
static void splice(web *w, uint32_t a, uint32_t b)
{
    const uint32_t behind_a = w->edges[a].next, behind_b = w->edges[b].next;
    w->edges[a].next = behind_b;
    w->edges[b].next = behind_a;
    w->edges[behind_b].previous = a;
    w->edges[behind_a].previous = b;
}

// From the end of a to the origin of b, with the same face on the left.
static uint32_t connect(web *w, uint32_t a, uint32_t b)
{
    const uint32_t after = left_next(w, a), e = make_edge(w, end(w, a), origin(w, b));
    splice(w, e, after);
    splice(w, e ^ 1, b);
    return e;
}

static void remove_edge(web *w, uint32_t e)
{
    splice(w, e, w->edges[e].previous);
    splice(w, e ^ 1, w->edges[e ^ 1].previous);
    w->edges[e].origin = w->edges[e ^ 1].origin = NO_PLACE;
    w->edges[e & ~1u].next = w->free;
    w->free = e & ~1u;
}

// --- halves ---

// Of a part: the edge of its hull counter-clockwise out of the leftmost place, and clockwise out of the rightmost.
typedef struct hull {
    uint32_t left, right;
} hull;

static bool is_above(const web *w, uint32_t e, uint32_t base)
{
    return turn(w, end(w, e), end(w, base), origin(w, base)) > 0;
}

static hull triangulate_three(web *w, uint32_t first)
{
    const uint32_t a = make_edge(w, first, first + 1), b = make_edge(w, first + 1, first + 2);
    splice(w, a ^ 1, b);
    const int64_t side = turn(w, first, first + 1, first + 2);
    if (side == 0) return (hull){a, b ^ 1};
    const uint32_t c = connect(w, b, a);
    return side > 0 ? (hull){a, b ^ 1} : (hull){c ^ 1, c};
}

// What of the left half the base goes to next, once what is not Delaunay is out.
static uint32_t left_candidate(web *w, uint32_t base)
{
    uint32_t e = w->edges[base ^ 1].next;
    while (is_above(w, e, base) && in_circle(w, end(w, base), origin(w, base), end(w, e), end(w, w->edges[e].next))) {
        const uint32_t next = w->edges[e].next;
        remove_edge(w, e);
        e = next;
    }
    return e;
}

static uint32_t right_candidate(web *w, uint32_t base)
{
    uint32_t e = w->edges[base].previous;
    while (is_above(w, e, base) &&
           in_circle(w, end(w, base), origin(w, base), end(w, e), end(w, w->edges[e].previous))) {
        const uint32_t next = w->edges[e].previous;
        remove_edge(w, e);
        e = next;
    }
    return e;
}

// Sews two halves together; `base`: the common tangent from below, from the right one to the left.
static void sew(web *w, uint32_t base)
{
    for (;;) {
        const uint32_t l = left_candidate(w, base), r = right_candidate(w, base);
        const bool left = is_above(w, l, base), right = is_above(w, r, base);
        if (!left && !right) return;
        const bool take_right = !left || (right && in_circle(w, end(w, l), origin(w, l), origin(w, r), end(w, r)));
        base = take_right ? connect(w, r, base ^ 1) : connect(w, base ^ 1, l ^ 1);
    }
}

static hull join_halves(web *w, hull l, hull r)
{
    uint32_t a = l.right, b = r.left;
    for (;;) {
        if (turn(w, origin(w, b), origin(w, a), end(w, a)) > 0)
            a = left_next(w, a);
        else if (turn(w, origin(w, a), end(w, b), origin(w, b)) > 0)
            b = right_previous(w, b);
        else
            break;
    }
    const uint32_t base = connect(w, b ^ 1, a);
    if (origin(w, a) == origin(w, l.left)) l.left = base ^ 1;
    if (origin(w, b) == origin(w, r.right)) r.right = base;
    sew(w, base);
    return (hull){l.left, r.right};
}

// As deep as the logarithm of the count.
static hull triangulate(web *w, uint32_t first, uint32_t count) // NOLINT(misc-no-recursion)
{
    if (count == 2) {
        const uint32_t e = make_edge(w, first, first + 1);
        return (hull){e, e ^ 1};
    }
    if (count == 3) return triangulate_three(w, first);
    const uint32_t half = count / 2;
    const hull l = triangulate(w, first, half), r = triangulate(w, first + half, count - half);
    return join_halves(w, l, r);
}

// The faces on the left of edges that have three corners; each at its edge with the least number.
static uint32_t list_triangles(const web *w, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < w->count; e++) {
        if (origin(w, e) == NO_PLACE) continue;
        const uint32_t f = left_next(w, e), g = left_next(w, f);
        if (left_next(w, g) != e || f < e || g < e) continue;
        if (turn(w, origin(w, e), origin(w, f), origin(w, g)) <= 0) continue; // the outside of a triangle
        uint32_t *t = out + 3 * (size_t)count++;
        t[0] = origin(w, e);
        t[1] = origin(w, f);
        t[2] = origin(w, g);
    }
    return count;
}

nav_status nav_delaunay(const nav_delaunay_place *places, uint32_t count, uint32_t **tris, uint32_t *tri_count)
{
    web w = {.at = places, .free = NO_EDGE};
    w.edges = malloc(6 * (size_t)count * sizeof *w.edges); // a plane graph has less than three edges a place
    *tris = malloc(6 * (size_t)count * sizeof **tris);
    *tri_count = 0;
    nav_status s = w.edges && *tris ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        (void)triangulate(&w, 0, count);
        *tri_count = list_triangles(&w, *tris);
    } else {
        free(*tris);
        *tris = NULL;
    }
    free(w.edges);
    return s;
}
