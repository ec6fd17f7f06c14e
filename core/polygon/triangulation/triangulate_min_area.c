// Minimum-area triangulation: of all ways to cut a ring into triangles, the one whose surface, with its heights, is the
// smallest. The cheapest way to fill the ring from corner i to corner j is found for all pairs, shorter spans first:
//
//         s
//       /   \                    cost(i, j) = min over s of area(i, s, j) + cost(i, s) + cost(s, j)
//     /       \                  The triangle i, s, j counts where its three sides are edges of the ring or diagonals
//    i---------j                 that stay strictly within it. On level ground all ways have the same area, and the
//     \_______/                  one with the shortest diagonals is taken.
//
// That takes c^3 / 6 steps for a ring of c corners. So a ring of more than PIECE corners is cut by the Delaunay method
// first, neighbouring triangles are gathered into pieces of at most PIECE corners, and each piece is cut again: steps
// then grow with c * PIECE^2. Where holes are joined to the ring is decided by the way a piece is gathered.
//
// All tests in the plane are exact. Costs are whole numbers: 1/1024 of a column's area beyond the area in the plane
// (which is the same for all ways), then 1/256 of a column's length.
//
// Source: G. Klincsek, Minimal triangulations of polygonal domains (1980); G. Barequet and M. Sharir, Filling gaps in
// the boundary of a polyhedron (1995), for areas in space.
#include "core/polygon/triangulation/triangulate.h"

#include <math.h>

enum { PIECE = 48 };

typedef struct fill_cost {
    int64_t area, length;
} fill_cost;

typedef struct piece {
    int32_t corners;
    int32_t ring[PIECE]; // half-edges
    nav_point at[PIECE];
    double y[PIECE]; // outline units
    double unit;     // of them to a column
    int32_t triangles;
    int32_t triangle[PIECE]; // a half-edge each
    int32_t diagonals;
    int32_t diagonal[PIECE];       // inner edges of the piece, one half-edge each
    uint8_t way[PIECE][PIECE];     // i < j: may be a side, and by which corner s it is filled best (0: none)
    fill_cost cost[PIECE][PIECE];  // i < j
    uint8_t is_side[PIECE][PIECE]; // i < j
} piece;

static bool is_less(fill_cost a, fill_cost b)
{
    return a.area != b.area ? a.area < b.area : a.length < b.length;
}

static void note_triangle(half_edges *m, int32_t h, bool note)
{
    for (int k = 0; k < 3; k++, h = m->next[h])
        m->flags[h] = (uint8_t)(note ? m->flags[h] | HALF_NOTED : m->flags[h] & ~HALF_NOTED);
}

// Takes noted triangles around that of h, breadth first, and the edges over which they were reached.
static void gather_piece(half_edges *m, piece *p, int32_t h)
{
    p->triangles = 1;
    p->triangle[0] = h;
    p->diagonals = 0;
    note_triangle(m, h, false);
    for (int32_t i = 0; i < p->triangles; i++) {
        int32_t e = p->triangle[i];
        for (int k = 0; k < 3 && p->triangles < PIECE - 2; k++, e = m->next[e]) {
            int32_t t = m->twin[e];
            if (!nav_half_is_inner(m, e) || !(m->flags[t] & HALF_NOTED)) continue;
            note_triangle(m, t, false);
            p->triangle[p->triangles++] = t;
            p->diagonal[p->diagonals++] = e;
        }
    }
}

// Lists the ring around the piece: the triangles hang together as a tree, so there is one.
static void list_ring(half_edges *m, piece *p)
{
    for (int32_t i = 0; i < p->diagonals; i++) {
        m->flags[p->diagonal[i]] |= HALF_NOTED;
        m->flags[m->twin[p->diagonal[i]]] |= HALF_NOTED;
    }
    int32_t start = p->triangle[p->triangles - 1]; // reached last: it has an edge on the ring
    while (m->flags[start] & HALF_NOTED) start = m->next[start];
    p->corners = 0;
    p->unit = m->unit;
    int32_t e = start;
    do {
        int32_t c = p->corners++;
        p->ring[c] = e;
        p->at[c] = half_at(m, e);
        p->y[c] = (double)m->y[m->org[e]] * m->voxel_aspect;
        e = m->next[e];
        while (m->flags[e] & HALF_NOTED) e = m->next[m->twin[e]];
    } while (e != start);
    for (int32_t i = 0; i < p->diagonals; i++) {
        m->flags[p->diagonal[i]] &= (uint8_t)~HALF_NOTED;
        m->flags[m->twin[p->diagonal[i]]] &= (uint8_t)~HALF_NOTED;
    }
}

// Is the line from corner i to corner j strictly within the ring?
static bool is_diagonal(const piece *p, int32_t i, int32_t j)
{
    int32_t n = p->corners;
    nav_point a = p->at[i], b = p->at[j];
    if (nav_in_corner(p->at[i ? i - 1 : n - 1], a, p->at[i + 1], b) <= 0) return false;
    if (nav_in_corner(p->at[j - 1], b, p->at[j + 1 < n ? j + 1 : 0], a) <= 0) return false;
    nav_point c = p->at[n - 1];
    int64_t ac = nav_right(a, b, c);
    for (int32_t k = 0; k < n; k++) {
        nav_point d = p->at[k];
        int64_t ad = nav_right(a, b, d);
        if (ad == 0 && nav_between(a, b, d)) return false;
        if ((ac > 0 && ad < 0) || (ac < 0 && ad > 0)) {
            int64_t ca = nav_right(c, d, a), cb = nav_right(c, d, b);
            if ((ca > 0 && cb < 0) || (ca < 0 && cb > 0)) return false;
        }
        c = d;
        ac = ad;
    }
    return true;
}

// What the triangle has beyond its area in the plane, twice: with normal (x, y, z), |normal| - y.
static int64_t extra_area(const piece *p, int32_t i, int32_t s, int32_t j, int64_t in_plane)
{
    double ax = p->at[s].x - p->at[i].x, az = p->at[s].z - p->at[i].z, ay = p->y[s] - p->y[i];
    double bx = p->at[j].x - p->at[i].x, bz = p->at[j].z - p->at[i].z, by = p->y[j] - p->y[i];
    double x = ay * bz - az * by, z = ax * by - ay * bx, y = (double)in_plane;
    double rise2 = x * x + z * z;
    double extra = rise2 / (sqrt(rise2 + y * y) + y) * (1024.0 / (p->unit * p->unit));
    return extra < 1e15 ? (int64_t)extra : (int64_t)1e15;
}

static int64_t side_length(const piece *p, int32_t i, int32_t j)
{
    return (int64_t)(sqrt((double)nav_distance2(p->at[i], p->at[j])) * (256.0 / p->unit));
}

// Fills cost and way. False where the ring cannot be cut: then the triangles stay as they are.
static bool find_ways(piece *p)
{
    int32_t n = p->corners;
    for (int32_t i = 0; i + 1 < n; i++) {
        p->is_side[i][i + 1] = 1;
        p->cost[i][i + 1] = (fill_cost){0};
        for (int32_t j = i + 2; j < n; j++) p->is_side[i][j] = (i == 0 && j == n - 1) || is_diagonal(p, i, j);
    }
    for (int32_t span = 2; span < n; span++) {
        for (int32_t i = 0; i + span < n; i++) {
            int32_t j = i + span;
            if (!p->is_side[i][j]) continue;
            int32_t best = 0;
            fill_cost least = {0};
            for (int32_t s = i + 1; s < j; s++) {
                if (!p->is_side[i][s] || !p->is_side[s][j]) continue;
                int64_t in_plane = nav_right(p->at[i], p->at[s], p->at[j]);
                if (in_plane <= 0) continue;
                fill_cost c = {p->cost[i][s].area + p->cost[s][j].area, p->cost[i][s].length + p->cost[s][j].length};
                if (best && c.area > least.area) continue;
                c.area += extra_area(p, i, s, j, in_plane);
                if (best && !is_less(c, least)) continue;
                best = s;
                least = c;
            }
            if (!best) {
                p->is_side[i][j] = 0;
                continue;
            }
            p->way[i][j] = (uint8_t)best;
            if (span < n - 1) least.length += side_length(p, i, j);
            p->cost[i][j] = least;
        }
    }
    return p->is_side[0][n - 1];
}

// Takes the diagonals and faces of the piece away; its ring is one face then.
static void clear_piece(half_edges *m, const piece *p)
{
    for (int32_t i = 0; i < p->triangles; i++) nav_half_release_face(m, m->face[p->triangle[i]]);
    for (int32_t i = 0; i < p->diagonals; i++) {
        int32_t h = p->diagonal[i], t = m->twin[h];
        nav_half_release(m, h);
        nav_half_release(m, t);
    }
}

// The half-edge from corner i to corner j of a triangle: one of the ring, or of a new diagonal, of which the other side
// is put off.
static int32_t make_side(half_edges *m, const piece *p, int32_t i, int32_t j)
{
    if (j == i + 1) return p->ring[i];
    int32_t h = nav_half_new(m, m->org[p->ring[i]]), t = nav_half_new(m, m->org[p->ring[j]]);
    m->twin[h] = t;
    m->twin[t] = h;
    return h;
}

static void fill_piece(half_edges *m, const piece *p, int32_t region, uint8_t area)
{
    struct {
        int32_t i, j, base;
    } todo[PIECE] = {{0, p->corners - 1, p->ring[p->corners - 1]}};
    for (int32_t depth = 1; depth > 0;) {
        depth--;
        int32_t i = todo[depth].i, j = todo[depth].j, base = todo[depth].base, s = p->way[i][j];
        int32_t left = make_side(m, p, i, s), right = make_side(m, p, s, j);
        half_follow(m, base, left);
        half_follow(m, left, right);
        half_follow(m, right, base);
        nav_half_new_triangle(m, base, region, area);
        if (s > i + 1) {
            todo[depth].i = i;
            todo[depth].j = s;
            todo[depth++].base = m->twin[left];
        }
        if (j > s + 1) {
            todo[depth].i = s;
            todo[depth].j = j;
            todo[depth++].base = m->twin[right];
        }
    }
}

bool nav_half_cut_min_area(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area)
{
    bool whole = nav_half_cut_delaunay(m, h, n, region, area);
    piece p;
    for (int32_t i = 0; i < m->cut_count; i++) note_triangle(m, m->face_edge[m->cut[i]], true);
    for (int32_t i = 0; i < m->cut_count; i++) {
        int32_t e = m->face_edge[m->cut[i]];
        if (!(m->flags[e] & HALF_NOTED)) continue; // in an earlier piece, or made for it
        gather_piece(m, &p, e);
        if (p.triangles == 1) continue;
        list_ring(m, &p);
        if (!find_ways(&p)) continue;
        clear_piece(m, &p);
        fill_piece(m, &p, region, area);
    }
    return whole;
}
