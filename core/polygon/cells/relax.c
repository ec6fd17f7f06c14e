// Relaxation: neighbouring cells become one where that leaves nothing but shallow dents.
//
//        +-----------------+      A dent is what lies between a cell and its convex hull. Its depth is the distance of
//        |                 |      its deepest corner from the lid. Cells are joined, shallowest first, as long as no
//        |      .dent.     |      dent of the union is deeper than the tolerance. The pieces that are convex remain, as
//        +----+'     '+----+      the polygons of the cell.
//              - lid -
//
// Source: R. Oliva and N. Pelechano, NEOGEN (2013), convexity relaxation: notches near the chord need no portal. Here
// the chord is that of the finished cell, so the tolerance holds for every cell whatever was joined before.
#include "core/base/sort.h"
#include "core/polygon/cells/cells.h"

enum { ROUNDS = 8, UNION_CORNERS = 2 * CELL_CORNERS };

typedef struct contour {
    int32_t count;
    nav_point at[UNION_CORNERS];
    int32_t next[UNION_CORNERS];
} contour;

// The contour of the two faces at h, joined. False where they would enclose something, or touch themselves.
static bool take_union(half_edges *m, int32_t h, const half_seam *s, contour *out)
{
    int32_t a = half_face(m, h), b = half_face(m, m->twin[h]);
    if (m->face_size[a] + m->face_size[b] - 2 * s->edges > CELL_CORNERS) return false;
    out->count = 0;
    for (int32_t side = 0; side < 2; side++) {
        int32_t e = side ? s->out2 : s->out, end = m->next[side ? s->in : s->in2];
        for (; e != end; e = m->next[e]) {
            int32_t t = m->twin[e];
            if (t >= 0 && (half_face(m, t) == a || half_face(m, t) == b)) return false;
            nav_point p = half_at(m, e);
            for (int32_t k = 0; k < out->count; k++)
                if (nav_point_same(out->at[k], p)) return false;
            out->at[out->count++] = p;
        }
    }
    for (int32_t k = 0; k < out->count; k++) out->next[k] = (k + 1) % out->count;
    return true;
}

// Squared depth of the deepest dent.
static double deepest_dent(const contour *o)
{
    int32_t n = o->count, first = 0;
    for (int32_t i = 1; i < n; i++)
        if (nav_point_before(o->at[i], o->at[first])) first = i;
    double deepest = 0.0;
    for (int32_t i = first, step = 0; step < n;) {
        // The next corner of the hull: nothing is to the left of the line to it; of several in line, the farthest.
        int32_t best = 1;
        nav_point a = o->at[i];
        for (int32_t k = 2; k <= n - step; k++) {
            nav_point b = o->at[(i + best) % n], c = o->at[(i + k) % n];
            int64_t side = nav_right(a, b, c);
            if (side < 0 || (side == 0 && nav_distance2(a, c) > nav_distance2(a, b))) best = k;
        }
        nav_point b = o->at[(i + best) % n];
        for (int32_t k = 1; k < best; k++) {
            double side = (double)nav_right(a, b, o->at[(i + k) % n]);
            double depth2 = side * side / (double)nav_distance2(a, b);
            if (depth2 > deepest) deepest = depth2;
        }
        step += best;
        i = (i + best) % n;
    }
    return deepest;
}

// Squared depth of the dents that the cells at h would have together. False where they may not be joined.
static bool dent_of_union(half_edges *m, int32_t h, double *depth2)
{
    contour o;
    int32_t t = m->twin[h];
    if (t < 0 || half_face(m, h) == half_face(m, t)) return false;
    if (m->face_area[half_face(m, h)] != m->face_area[half_face(m, t)]) return false;
    half_seam s = nav_half_find_seam(m, h);
    if (!take_union(m, h, &s, &o)) return false;
    *depth2 = deepest_dent(&o);
    // Floor of several layers may lie above itself.
    int32_t a = m->face_region[half_face(m, h)], b = m->face_region[half_face(m, t)];
    return (a == b && a != 0) || nav_cells_is_simple(o.at, o.next, o.count);
}

void nav_cells_relax(half_edges *m, double tolerance, uint8_t *relaxed)
{
    double most2 = tolerance * tolerance, depth2;
    bool joined = true;
    for (int32_t round = 0; joined && round < ROUNDS; round++) {
        int32_t count = 0;
        joined = false;
        for (int32_t h = 0; h < m->count; h++) {
            if (m->twin[h] < h || !dent_of_union(m, h, &depth2) || depth2 > most2) continue;
            double rank = most2 > 0 ? depth2 / most2 * (double)UINT32_MAX : 0.0;
            m->key[count++] = (uint64_t)rank << 32 | (uint32_t)h;
        }
        nav_sort_u64(m->key, count);
        for (int32_t i = 0; i < count; i++) {
            int32_t h = (int32_t)(uint32_t)m->key[i], t = m->twin[h];
            if (!dent_of_union(m, h, &depth2) || depth2 > most2) continue;
            half_seam s = nav_half_find_seam(m, h);
            int32_t a = half_face(m, h), b = half_face(m, t);
            nav_half_join(m, &s, a, b);
            relaxed[a] = depth2 > 0.0;
            joined = true;
        }
    }
}
