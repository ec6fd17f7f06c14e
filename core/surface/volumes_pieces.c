// What is left of a triangle where a volume is cut out of it, in triangles of the corners that there are.
//
//      o----u=====v----o      Each way through the triangle, from its boundary (u) along the volume and back to its
//       \   |     |   /       boundary (v), parts a polygon from it: the triangle's boundary from u on to v, and the
//        \  x-----x  /        way back. A volume within the triangle touches its boundary nowhere: then a bridge leads
//         \         /         from a corner of the triangle to it, and back. Ears are cut off such polygons.
#include "core/surface/volumes_work.h"

#include <string.h>

typedef struct polygon_corner {
    int32_t vert, whole; // whole: of its edge to the next corner
} polygon_corner;

typedef struct polygon {
    int32_t count;
    polygon_corner at[POLYGON_CORNERS];
} polygon;

typedef struct pieces {
    surface_mesh *m;
    int32_t t, corner[3], uncut[3]; // the triangle, which the first piece replaces
    const int32_t *whole;           // as nav_surface_cut_out() has it
    bool placed;                    // there was one
    bool turned_over;               // the triangle is, by rounding
} pieces;

static int64_t right_of(const pieces *w, int32_t a, int32_t b, int32_t c)
{
    const int64_t right = nav_right(surface_at(w->m, a), surface_at(w->m, b), surface_at(w->m, c));
    return w->turned_over ? -right : right;
}

// --- triangles

// Room for them is there.
static void add_triangle(pieces *w, const polygon_corner at[3], uint8_t area)
{
    surface_mesh *m = w->m;
    const int32_t t = w->placed ? m->tri_count++ : w->t;
    if (w->placed) {
        m->piece[t] = m->piece[w->t];
        m->piece[w->t] = t;
    }
    w->placed = true;
    m->area[t] = area;
    for (int k = 0; k < 3; k++) {
        m->vert[3 * t + k] = at[k].vert;
        m->whole[3 * t + k] = at[k].whole;
        m->twin[3 * t + k] = SURFACE_NONE;
        m->uncut[3 * t + k] = w->uncut[k];
    }
}

// May corner k be cut off: does it stick out, with no other corner in it?
static bool is_ear(const pieces *w, const polygon *p, int32_t k)
{
    const int32_t a = p->at[k > 0 ? k - 1 : p->count - 1].vert, b = p->at[k].vert,
                  c = p->at[k + 1 < p->count ? k + 1 : 0].vert;
    if (right_of(w, a, b, c) <= 0) return false;
    for (int32_t i = 0; i < p->count; i++) {
        const int32_t v = p->at[i].vert;
        const nav_point q = surface_at(w->m, v);
        if (nav_point_same(q, surface_at(w->m, a)) || nav_point_same(q, surface_at(w->m, b)) ||
            nav_point_same(q, surface_at(w->m, c)))
            continue;
        if (right_of(w, a, b, v) >= 0 && right_of(w, b, c, v) >= 0 && right_of(w, c, a, v) >= 0) return false;
    }
    return true;
}

// Cuts ears off; where rounding leaves none, whatever comes first.
static void add_polygon(pieces *w, polygon *p, uint8_t area)
{
    while (p->count >= 3) {
        int32_t k = 0;
        while (k < p->count && !is_ear(w, p, k)) k++;
        if (k == p->count) k = 0;
        const int32_t before = k > 0 ? k - 1 : p->count - 1, after = k + 1 < p->count ? k + 1 : 0;
        const polygon_corner ear[3] = {p->at[before], p->at[k], {p->at[after].vert, SURFACE_DIAGONAL}};
        polygon_corner last = ear[2];
        if (p->count == 3) last.whole = p->at[after].whole;
        const polygon_corner at[3] = {ear[0], ear[1], last};
        add_triangle(w, at, area);
        p->at[before].whole = SURFACE_DIAGONAL; // of the edge that is there now
        memmove(p->at + k, p->at + k + 1, (size_t)(p->count - k - 1) * sizeof *p->at);
        p->count--;
    }
}

// --- polygons

static void push(polygon *p, int32_t vert, int32_t whole)
{
    p->at[p->count++] = (polygon_corner){vert, whole};
}

// Where a corner lies along the triangle's boundary: its edge, and how far from where that begins.
static int32_t edge_of(const volume_corner *c)
{
    return c->on >= ON_CORNER ? c->on - ON_CORNER : c->on;
}

static int64_t along(const pieces *w, const volume_corner *c)
{
    return c->on >= ON_CORNER ? 0 : nav_distance2(surface_at(w->m, w->corner[c->on]), surface_at(w->m, c->vert));
}

// The polygon beside the ring's way from corner u to corner v, which both are on the triangle's boundary.
static void add_beside(pieces *w, const volume_ring *r, int32_t u, int32_t v, uint8_t area)
{
    polygon p = {0};
    const volume_corner *from = &r->corner[u], *to = &r->corner[v];
    int32_t edge = edge_of(from);
    const bool straight = edge_of(to) == edge && u != v && along(w, to) > along(w, from);
    push(&p, from->vert, w->whole[edge]);
    if (!straight) do {
            edge = (edge + 1) % 3;
            if (to->on == ON_CORNER + edge) break;
            push(&p, w->corner[edge], w->whole[edge]);
        } while (edge != edge_of(to));
    int32_t i = v;
    do { // back, but for u itself
        const int32_t before = i > 0 ? i - 1 : r->count - 1;
        push(&p, r->corner[i].vert, w->whole[r->corner[before].edge]);
        i = before;
    } while (i != u);
    add_polygon(w, &p, area);
}

// The corner of the ring that is nearest to a corner of the triangle, of those that it sees.
static int32_t find_bridge(const pieces *w, const volume_ring *r)
{
    const nav_point from = surface_at(w->m, w->corner[0]);
    int64_t least = INT64_MAX;
    int32_t best = 0;
    for (int32_t i = 0; i < r->count; i++) {
        const int32_t before = r->corner[i > 0 ? i - 1 : r->count - 1].vert, here = r->corner[i].vert,
                      after = r->corner[i + 1 < r->count ? i + 1 : 0].vert;
        const int64_t apart = nav_distance2(from, surface_at(w->m, here));
        if (apart >= least ||
            (right_of(w, before, here, w->corner[0]) >= 0 && right_of(w, here, after, w->corner[0]) >= 0))
            continue;
        least = apart;
        best = i;
    }
    return best;
}

// All around a ring that touches the triangle's boundary nowhere.
static void add_around(pieces *w, const volume_ring *r, uint8_t area)
{
    polygon p = {0};
    const int32_t bridge = find_bridge(w, r);
    for (int k = 0; k < 3; k++) push(&p, w->corner[k], w->whole[k]);
    push(&p, w->corner[0], SURFACE_DIAGONAL);
    for (int32_t n = 0, i = bridge; n < r->count; n++) {
        const int32_t before = i > 0 ? i - 1 : r->count - 1;
        push(&p, r->corner[i].vert, w->whole[r->corner[before].edge]);
        i = before;
    }
    push(&p, r->corner[bridge].vert, SURFACE_DIAGONAL);
    add_polygon(w, &p, area);
}

static void add_rest(pieces *w, const volume_ring *r, uint8_t area)
{
    int32_t first = 0;
    while (first < r->count && r->corner[first].on == WITHIN) first++;
    if (first == r->count) {
        add_around(w, r, area);
        return;
    }
    for (int32_t n = 0, u = first; n < r->count;) {
        int32_t v = u;
        bool is_way = false; // not along the triangle's boundary
        do {
            is_way |= r->corner[v].edge >= ON_PLANE;
            v = v + 1 < r->count ? v + 1 : 0;
            n++;
        } while (r->corner[v].on == WITHIN);
        if (is_way) add_beside(w, r, u, v, area);
        u = v;
    }
}

nav_status nav_surface_cut_out(surface_mesh *m, int32_t t, const volume_ring *ring,
                               const int32_t whole[3 + VOLUME_PLANES], uint8_t area)
{
    pieces w = {.m = m, .t = t, .whole = whole};
    polygon inner = {0};
    const uint8_t before = m->area[t];
    nav_status s = nav_surface_grow_triangles(m, 4 * POLYGON_CORNERS);
    if (s != NAV_OK) return s;
    memcpy(w.corner, m->vert + 3 * (size_t)t, sizeof w.corner);
    memcpy(w.uncut, m->uncut + 3 * (size_t)t, sizeof w.uncut);
    w.turned_over = nav_right(surface_at(m, w.corner[0]), surface_at(m, w.corner[1]), surface_at(m, w.corner[2])) < 0;
    for (int32_t i = 0; i < ring->count; i++) push(&inner, ring->corner[i].vert, whole[ring->corner[i].edge]);
    add_polygon(&w, &inner, area);
    add_rest(&w, ring, before);
    return NAV_OK;
}
