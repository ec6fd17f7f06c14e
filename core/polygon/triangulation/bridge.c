// Bridges: holes are joined to the outer ring of their group, so that one ring is left that bounds it all.
//
//     +-----------------+      A bridge is a double edge from the hole's lowest corner to the nearest corner in sight.
//     |      +---+      |      Holes come in the order of their lowest corners, so the holes yet to come lie behind it
//     |      |   |      |      and cannot be in the way. A hole that touches the ring in a corner is joined there,
//     |      +---+      |      without an edge.
//     |     /           |
//     +----+            |
//          |            |
//          +------------+
//
// Two structures keep this near n log n: corners in a grid of buckets, searched outwards from the hole; and edges in a
// pyramid of such grids, each edge on the tier where a bucket is at least as wide as the edge, in the bucket of its
// lower corner, so that a line of sight has to be held only against the edges near it.
//
// All tests are exact. Source: D. Eberly, Triangulation by ear clipping (2002), for the order of holes.
#include "core/polygon/half_edges/grid.h"
#include "core/polygon/triangulation/triangulate.h"

#include "core/base/sort.h"

#include <assert.h>

enum { CORNERS_PER_BUCKET = 2, TIERS = 17 };

typedef struct bridges {
    half_edges *m;
    half_grid corners;
    half_grid edges[TIERS]; // each twice as wide as the one before; the last is one bucket
    int32_t tiers;
} bridges;

static void put_edge(bridges *b, int32_t h)
{
    nav_point p = half_at(b->m, h), q = half_at(b->m, b->m->next[h]);
    nav_point low = {p.x < q.x ? p.x : q.x, p.z < q.z ? p.z : q.z};
    int32_t x = p.x + q.x - 2 * low.x, z = p.z + q.z - 2 * low.z, extent = x > z ? x : z, k = 0;
    while (k + 1 < b->tiers && extent > 1 << b->edges[k].shift) k++;
    nav_half_grid_put(&b->edges[k], half_grid_bucket(&b->edges[k], low), h);
}

static void put_corner(bridges *b, int32_t h)
{
    nav_half_grid_put(&b->corners, half_grid_bucket(&b->corners, half_at(b->m, h)), h);
}

static void put_ring(bridges *b, int32_t h)
{
    int32_t e = h;
    do {
        put_corner(b, e);
        put_edge(b, e);
        e = b->m->next[e];
    } while (e != h);
}

static void begin(bridges *b, half_edges *m, int32_t outer, int32_t corners)
{
    // There are six half-edges or more for each corner, and a pyramid is less than three times its lowest tier.
    *b = (bridges){.m = m, .corners = {.head = m->bucket, .next = m->near_next}};
    nav_half_grid_init(&b->corners, m, outer, corners / CORNERS_PER_BUCKET);
    half_grid *g = b->edges;
    *g = b->corners;
    g->head = m->heap;
    g->next = m->watch_next;
    for (b->tiers = 1;; b->tiers++, g++) {
        int32_t buckets = g->columns * g->rows;
        for (int32_t i = 0; i < buckets; i++) g->head[i] = -1;
        if (buckets == 1) break;
        assert(b->tiers < TIERS);
        g[1] = *g;
        g[1].head = g->head + buckets;
        g[1].shift = g->shift + 1;
        g[1].columns = (g->columns + 1) / 2;
        g[1].rows = (g->rows + 1) / 2;
    }
    put_ring(b, outer);
}

static bool is_clear_of(const half_edges *m, nav_point a, nav_point b, int32_t h)
{
    nav_point c = half_at(m, h), d = half_at(m, m->next[h]);
    int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d);
    if (ac == 0 && nav_between(a, b, c)) return false;
    if (!((ac > 0 && ad < 0) || (ac < 0 && ad > 0))) return true;
    int64_t ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    return !((ca > 0 && cb < 0) || (ca < 0 && cb > 0));
}

static bool is_in_sight(const bridges *b, nav_point p, nav_point q)
{
    int32_t x0 = p.x < q.x ? p.x : q.x, x1 = p.x + q.x - x0, z0 = p.z < q.z ? p.z : q.z, z1 = p.z + q.z - z0;
    for (int32_t k = 0; k < b->tiers; k++) {
        const half_grid *g = &b->edges[k];
        // An edge begins at most one bucket before the first that it reaches.
        int32_t c0 = half_grid_column(g, x0 - (1 << g->shift)), c1 = half_grid_column(g, x1);
        int32_t r0 = half_grid_row(g, z0 - (1 << g->shift)), r1 = half_grid_row(g, z1);
        for (int32_t r = r0; r <= r1; r++)
            for (int32_t c = c0; c <= c1; c++)
                for (int32_t h = g->head[r * g->columns + c]; h >= 0; h = g->next[h])
                    if (!is_clear_of(b->m, p, q, h)) return false;
    }
    return true;
}

// Does the edge from corner b to the point q leave b on the inner side?
static bool leaves_inside(const half_edges *m, int32_t b, nav_point q)
{
    return nav_in_corner(half_at(m, m->prev[b]), half_at(m, b), half_at(m, m->next[b]), q) > 0;
}

typedef struct nearest {
    int64_t distance2;
    int32_t corner;
} nearest;

static bool is_nearer(nearest a, nearest b)
{
    return a.distance2 != b.distance2 ? a.distance2 < b.distance2 : a.corner < b.corner;
}

// Looks through one bucket for the nearest corner that lies before corner h and is farther than `after`.
static void search_bucket(const bridges *b, int32_t bucket, int32_t h, nearest after, nearest *best)
{
    const half_edges *m = b->m;
    nav_point q = half_at(m, h);
    for (int32_t e = b->corners.head[bucket]; e >= 0; e = b->corners.next[e]) {
        nav_point v = half_at(m, e);
        nearest found = {nav_distance2(v, q), e};
        if (!is_nearer(found, *best) || !is_nearer(after, found) || !nav_point_before(v, q)) continue;
        if (leaves_inside(m, e, q) && leaves_inside(m, h, v)) *best = found;
    }
}

// The nearest corner to h that is farther than `after` and nearer than `limit`, in sight or not: `limit` itself where
// there is none. Corners behind h are left out: other holes, yet to come, may be in the way there.
static nearest find_next(const bridges *b, int32_t h, nearest after, nearest limit)
{
    const half_grid *g = &b->corners;
    nav_point q = half_at(b->m, h);
    int32_t column = half_grid_column(g, q.x), row = half_grid_row(g, q.z);
    int64_t width = (int64_t)1 << g->shift, r = 0;
    nearest best = limit;
    while (2 * (r + 1) * (r + 1) * width * width < after.distance2) r++; // all nearer ones have been seen
    for (; r <= g->columns + g->rows; r++) {
        // In a bucket r places away, corners are farther than r - 1 widths.
        if (r > 1 && (r - 1) * (r - 1) * width * width > best.distance2) break;
        int64_t r0 = row - r, r1 = row + r, c0 = column - r;
        if (c0 < 0 && r0 < 0 && r1 >= g->rows) break;
        // The square of buckets r places away, without the columns behind h, where nothing lies before it.
        for (int64_t c = c0 < 0 ? 0 : c0; c <= column; c++) {
            if (r0 >= 0) search_bucket(b, (int32_t)(r0 * g->columns + c), h, after, &best);
            if (r1 < g->rows && r > 0) search_bucket(b, (int32_t)(r1 * g->columns + c), h, after, &best);
        }
        for (int64_t k = r0 + 1 < 0 ? 0 : r0 + 1; c0 >= 0 && r > 0 && k < r1 && k < g->rows; k++)
            search_bucket(b, (int32_t)(k * g->columns + c0), h, after, &best);
    }
    return best;
}

// The nearest corner in sight of corner h, nearer than `limit`, or that.
static nearest find_bridge(const bridges *b, int32_t h, nearest limit)
{
    nearest tried = {0, -1};
    for (;;) {
        nearest found = find_next(b, h, tried, limit);
        if (found.corner == limit.corner || is_in_sight(b, half_at(b->m, found.corner), half_at(b->m, h))) return found;
        tried = found;
    }
}

// Do the edges of corner h lie in the inner angle of corner a in the same place? Strictly: not along its edges.
static bool fits_into(const half_edges *m, int32_t a, int32_t h, bool strictly)
{
    nav_point p = half_at(m, m->prev[a]), v = half_at(m, a), n = half_at(m, m->next[a]);
    int in = nav_in_corner(p, v, n, half_at(m, m->next[h])), out = nav_in_corner(p, v, n, half_at(m, m->prev[h]));
    return in >= 0 && out >= 0 && (!strictly || in > 0 || out > 0);
}

// A corner of the ring that corner h touches, or -1.
static int32_t find_touching(const bridges *b, int32_t h, bool strictly)
{
    nav_point q = half_at(b->m, h);
    for (int32_t e = b->corners.head[half_grid_bucket(&b->corners, q)]; e >= 0; e = b->corners.next[e])
        if (nav_point_same(half_at(b->m, e), q) && fits_into(b->m, e, h, strictly)) return e;
    return -1;
}

static void join_touching(bridges *b, int32_t a, int32_t h)
{
    half_edges *m = b->m;
    int32_t before_a = m->prev[a], before_h = m->prev[h];
    put_ring(b, h);
    half_follow(m, before_a, h);
    half_follow(m, before_h, a);
}

static void join_by_bridge(bridges *b, int32_t a, int32_t h)
{
    half_edges *m = b->m;
    int32_t before_a = m->prev[a], before_h = m->prev[h];
    int32_t to = nav_half_new(m, m->org[a]), back = nav_half_new(m, m->org[h]);
    put_ring(b, h);
    m->twin[to] = back;
    m->twin[back] = to;
    half_follow(m, before_a, to);
    half_follow(m, to, h);
    half_follow(m, before_h, back);
    half_follow(m, back, a);
    put_corner(b, to);
    put_corner(b, back);
    put_edge(b, to);
}

// Joins the hole to the ring at a corner in which they touch, if there is one.
static bool join_at_corner(bridges *b, int32_t low)
{
    int32_t e = low;
    do {
        int32_t a = find_touching(b, e, true);
        if (a >= 0) {
            join_touching(b, a, e);
            return true;
        }
        e = b->m->next[e];
    } while (e != low);
    return false;
}

// Joins the hole to the ring. Returns the number of corners that this adds to those of both (0 or 2), or -1 where no
// corner is in sight.
static int32_t join_hole(bridges *b, int32_t low)
{
    half_edges *m = b->m;
    if (join_at_corner(b, low)) return 0;
    // A hole may pass its lowest corner twice, on both sides of a wall.
    nearest best = {INT64_MAX, -1};
    int32_t h = low, e = low;
    do {
        if (!nav_point_same(half_at(m, e), half_at(m, low))) continue;
        nearest found = find_bridge(b, e, best);
        if (found.corner == best.corner) continue;
        best = found;
        h = e;
    } while ((e = m->next[e]) != low);
    if (best.corner >= 0) {
        join_by_bridge(b, best.corner, h);
        return 2;
    }
    int32_t a = find_touching(b, low, false);
    if (a < 0) return -1;
    join_touching(b, a, low);
    return 0;
}

// --- holes that touch each other
//
//     +---P-----------+      Two holes and the ring hang together already, at P and Q. A bridge from the right hole to
//     |  / \     Q     |      the ring would cut the floor in two. So the left one is joined first, though its lowest
//     | /   \---/ \    |      corner comes later.
//     | \___/  /___\   |

typedef struct clusters {
    int32_t *parent;  // per hole, and the outer ring behind them: union-find
    int32_t *in_ring; // per root: has one of it been joined?
    int32_t *joined;  // per hole
    bool any;         // is there one of more than one?
} clusters;

static int32_t root_of(const clusters *c, int32_t i)
{
    while (c->parent[i] != i) i = c->parent[i] = c->parent[c->parent[i]];
    return i;
}

// Unites what has a vertex in common. owner: per vertex.
static void unite_ring(const half_edges *m, clusters *c, int32_t ring, int32_t first, int32_t *owner)
{
    int32_t e = first;
    do {
        int32_t *o = &owner[m->org[e]];
        if (*o < 0) *o = ring;
        if (*o != ring) {
            c->parent[root_of(c, *o)] = root_of(c, ring);
            c->any = true;
        }
        e = m->next[e];
    } while (e != first);
}

static void find_clusters(half_edges *m, const half_group *g, clusters *c)
{
    int32_t *owner = m->heap_at, count = g->hole_count + 1;
    *c = (clusters){.parent = m->watch_first, .in_ring = m->watch_prev, .joined = m->near_prev};
    for (int32_t v = 0; v < m->vert_count; v++) owner[v] = -1;
    for (int32_t i = 0; i < count; i++) {
        c->parent[i] = i;
        c->in_ring[i] = c->joined[i] = 0;
    }
    unite_ring(m, c, g->hole_count, g->outer, owner);
    for (int32_t i = 0; i < g->hole_count; i++) unite_ring(m, c, i, g->hole[i].low, owner);
    c->in_ring[root_of(c, g->hole_count)] = 1;
}

// Joins holes of the cluster, which hangs together with the ring, one at another, until hole i is joined.
static void join_cluster(bridges *b, const half_group *g, clusters *c, int32_t i, int32_t *corners)
{
    bool more = true;
    while (more && !c->joined[i]) {
        more = false;
        for (int32_t k = 0; k < g->hole_count; k++) {
            if (c->joined[k] || root_of(c, k) != root_of(c, i) || !join_at_corner(b, g->hole[k].low)) continue;
            c->joined[k] = 1;
            *corners += g->hole[k].corners;
            more = true;
        }
    }
}

bool nav_half_join_holes(half_edges *m, const half_group *g, int32_t *corners)
{
    int32_t count = g->corners;
    *corners = g->corners;
    if (g->hole_count == 0) return true;
    for (int32_t i = 0; i < g->hole_count; i++) {
        nav_point p = half_at(m, g->hole[i].low);
        assert(p.x >= 0 && p.x <= UINT16_MAX && p.z >= 0 && p.z <= UINT16_MAX);
        m->key[i] = (uint64_t)p.x << 48 | (uint64_t)p.z << 32 | (uint32_t)i;
        count += g->hole[i].corners;
    }
    nav_sort_u64(m->key, g->hole_count);
    bridges b;
    clusters c;
    begin(&b, m, g->outer, count);
    find_clusters(m, g, &c);
    bool whole = true;
    for (int32_t k = 0; k < g->hole_count; k++) {
        int32_t i = (int32_t)(uint32_t)m->key[k];
        const half_hole *hole = &g->hole[i];
        if (c.any && c.in_ring[root_of(&c, i)]) join_cluster(&b, g, &c, i, corners);
        if (c.joined[i]) continue;
        c.joined[i] = c.in_ring[root_of(&c, i)] = 1;
        int32_t added = join_hole(&b, hole->low);
        if (added < 0) {
            nav_half_discard(m, hole->low);
            whole = false;
        } else {
            *corners += hole->corners + added;
        }
    }
    return whole;
}
