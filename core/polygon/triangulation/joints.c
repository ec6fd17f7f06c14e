// Border joints: where two regions meet on an open border, the neighbour tile has no vertex. The triangles around such
// a vertex v are joined, v is taken off the straight border, and the hull is cut again. The border edge is then the
// neighbour's.
//
//     ---o-----v-----o---      ---o-----------o---
//         \   /|\   /              \         /        the border on top; the fan below it
//          \ / | \ /                \       /
//           o--o--o                  o--o--o
#include "core/polygon/triangulation/triangulate.h"

// Takes the edge of h and its twin away, and frees both. The faces are not joined in the books.
static void remove_edge(half_edges *m, int32_t h)
{
    int32_t t = m->twin[h], hp = m->prev[h], hn = m->next[h], tp = m->prev[t], tn = m->next[t];
    half_follow(m, hp, tn);
    half_follow(m, tp, hn);
    nav_half_release(m, h);
    nav_half_release(m, t);
}

// Counts the edges of the fan around the origin of border half-edge `out`, or -1 where it does not reach from border to
// border over one area.
static int32_t fan_edges(const half_edges *m, int32_t out)
{
    int32_t n = 0, o = out;
    for (;;) {
        if (m->face_area[m->face[o]] != m->face_area[m->face[out]]) return -1;
        int32_t in = m->prev[o];
        if (m->twin[in] < 0) return m->twin[in] == m->twin[out] ? n : -1;
        o = m->twin[in];
        if (o == out) return -1;
        n++;
    }
}

static bool remove_joint(half_edges *m, int32_t out)
{
    int32_t spokes = fan_edges(m, out);
    if (spokes < 0) return false;
    uint8_t area = m->face_area[m->face[out]];
    int32_t region = m->face_region[m->face[out]];
    nav_half_release_face(m, m->face[out]);
    for (int32_t i = 0; i < spokes; i++) {
        int32_t in = m->prev[out], f = m->face[m->twin[in]];
        if (m->face_region[f] != region) region = 0;
        nav_half_release_face(m, f);
        remove_edge(m, in);
    }
    // The vertex goes: the border edge before it now ends where the one after it did.
    int32_t border = m->prev[out];
    half_follow(m, border, m->next[out]);
    nav_half_release(m, out);
    int32_t n = 1;
    for (int32_t e = m->next[border]; e != border;) {
        // There and back is an edge that only led into the fan: the vertex at its end is inside now.
        int32_t back = m->next[e];
        if (m->twin[e] != back) {
            n++;
            e = back;
            continue;
        }
        int32_t before = m->prev[e];
        half_follow(m, before, m->next[back]);
        nav_half_release(m, e);
        nav_half_release(m, back);
        e = before;
        n -= before != border;
        if (before == border) e = m->next[border];
    }
    half_group hull = {.outer = border, .corners = n, .region = region, .area = area};
    return nav_half_triangulate(m, &hull);
}

void nav_half_remove_joints(half_edges *m)
{
    for (int32_t h = 0; h < m->count; h++)
        if (nav_edge_is_portal(m->twin[h]) && m->joint[m->org[h]] && !remove_joint(m, h)) m->failed_loops++;
}
