// Merging: the edge between two convex faces goes where their union is convex. Longest edges first; a union that is not
// convex, or too large, never becomes possible later, so one pass in that order is enough.
//
//     +------+------+        the angles at both ends of the edge must stay at most straight
//      \     |     /
//       \    |    /
//        +---+---+
//
// Source: S. Hertel and K. Mehlhorn, Fast triangulation of simple polygons (1983); longest edge first is Recast's.
#include "core/base/sort.h"
#include "core/polygon/half_edges/half_edges.h"

#include <assert.h>

// Of a key: the squared length of an edge, which is at most the diagonal of a tile of 65535 units, and its number.
enum { EDGE_BITS = 31 };
static const int64_t LENGTH2_MOST = (INT64_C(1) << 33) - 1;

half_seam nav_half_find_seam(const half_edges *m, int32_t h)
{
    int32_t t = m->twin[h];
    half_seam s = {m->prev[h], m->next[t], m->prev[t], m->next[h], 1};
    for (; m->twin[s.in] == s.out; s.edges++) {
        s.in = m->prev[s.in];
        s.out = m->next[s.out];
    }
    for (; m->twin[s.in2] == s.out2; s.edges++) {
        s.in2 = m->prev[s.in2];
        s.out2 = m->next[s.out2];
    }
    return s;
}

// Convex or straight, but not folded back: both sides of a wall may end in one corner.
static bool is_convex(const half_edges *m, int32_t in, int32_t out)
{
    nav_point a = half_at(m, in), b = half_at(m, out), c = half_at(m, m->next[out]);
    int64_t turn = nav_right(a, b, c);
    return turn > 0 || (turn == 0 && nav_between(a, c, b));
}

void nav_half_join(half_edges *m, const half_seam *s, int32_t a, int32_t b)
{
    for (int32_t h = m->next[s->in]; h != s->out2;) {
        int32_t next = m->next[h];
        m->twin[m->twin[h]] = HALF_FREE;
        m->twin[h] = HALF_FREE;
        h = next;
    }
    half_follow(m, s->in, s->out);
    half_follow(m, s->in2, s->out2);
    m->face_root[b] = a;
    m->face_size[a] += m->face_size[b] - 2 * s->edges;
    if (m->face_region[a] != m->face_region[b]) m->face_region[a] = 0;
}

void nav_half_merge(half_edges *m, int32_t max_corners, bool any_region)
{
    int32_t count = 0;
    for (int32_t h = 0; h < m->count; h++) {
        int32_t t = m->twin[h];
        if (t < h) continue;
        int32_t a = half_face(m, h), b = half_face(m, t);
        if (any_region ? m->face_area[a] != m->face_area[b] : m->face_region[a] != m->face_region[b]) continue;
        int64_t length2 = nav_distance2(half_at(m, h), half_at(m, t));
        assert(length2 <= LENGTH2_MOST);
        m->key[count++] = (uint64_t)(LENGTH2_MOST - length2) << EDGE_BITS | (uint32_t)h;
    }
    nav_sort_u64(m->key, count);
    for (int32_t i = 0; i < count; i++) {
        int32_t h = (int32_t)(m->key[i] & INT32_MAX), t = m->twin[h];
        if (t < 0) continue; // went with another edge of its seam
        int32_t a = half_face(m, h), b = half_face(m, t);
        if (a == b) continue;
        half_seam s = nav_half_find_seam(m, h);
        if (m->face_size[a] + m->face_size[b] - 2 * s.edges > max_corners) continue;
        if (is_convex(m, s.in, s.out) && is_convex(m, s.in2, s.out2))
            nav_half_join(m, &s, a < b ? a : b, a < b ? b : a);
    }
}
