// Cells of small floor plans, and the pieces of large cells.
#include "core/polygon/cells.h"

#include <assert.h>

static bool edges_cross(nav_point a, nav_point b, nav_point c, nav_point d)
{
    int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d), ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    if ((ac > 0 && ad > 0) || (ac < 0 && ad < 0) || (ca > 0 && cb > 0) || (ca < 0 && cb < 0)) return false;
    if (ac || ad || ca || cb) return true;
    return nav_between(a, b, c) || nav_between(a, b, d) || nav_between(c, d, a) || nav_between(c, d, b);
}

static bool is_simple(const ring *r)
{
    for (int32_t i = 0; i < r->count; i++) {
        nav_point a = r->at[i], b = r->at[(i + 1) % r->count];
        for (int32_t k = i + 2; k < r->count - (i == 0); k++)
            if (edges_cross(a, b, r->at[k], r->at[(k + 1) % r->count])) return false;
    }
    return true;
}

bool ring_take(ring *r, const half_edges *m, const int32_t *edge, int32_t corners, bool may_cross)
{
    if (corners > RING_CORNERS) return false;
    r->count = corners;
    r->walls = r->stops = 0;
    for (int32_t i = 0; i < corners; i++) {
        r->at[i] = half_at(m, edge[i]);
        for (int32_t k = 0; k < i; k++)
            if (nav_point_same(r->at[i], r->at[k])) return false;
        r->edge[i] = edge[i];
        bool wall = m->twin[edge[i]] == NAV_EDGE_WALL,
             wall_before = m->twin[edge[i > 0 ? i - 1 : corners - 1]] == NAV_EDGE_WALL;
        r->walls |= (uint64_t)wall << i;
        r->stops |= (uint64_t)(wall && wall_before && half_is_stop(m, m->org[edge[i]])) << i;
    }
    ring_find_notches(r);
    return r->notch_count <= RING_NOTCHES && (!may_cross || is_simple(r));
}

// Cuts the face that both half-edges belong to along a portal from the origin of `from` to that of `to`. Returns the
// new half-edge that begins where `from` does.
static int32_t cut_face(half_edges *m, int32_t from, int32_t to)
{
    int32_t there = half_new(m, m->org[from]), back = half_new(m, m->org[to]);
    int32_t before_from = m->prev[from], before_to = m->prev[to];
    m->twin[there] = back;
    m->twin[back] = there;
    half_follow(m, before_from, there);
    half_follow(m, there, to);
    half_follow(m, before_to, back);
    half_follow(m, back, from);
    return there;
}

// Makes the ring of h the face given.
static void name_face(half_edges *m, int32_t h, int32_t face)
{
    int32_t e = h, n = 0;
    do {
        m->face[e] = face;
        n++;
        e = m->next[e];
    } while (e != h);
    m->face_root[face] = face;
    m->face_size[face] = n;
}

// Brings the mesh's corners into line with the ring's: stops that no portal uses go, those used are made.
static void settle_stops(half_edges *m, ring *r, uint64_t used)
{
    for (int32_t k = 0; k < r->count; k++) {
        if (!(r->stops >> k & 1)) continue;
        bool made = r->edge[k] != RING_STOP, needed = used >> k & 1;
        if (made == needed) continue;
        int32_t before = k; // a corner before that has an edge: not all are stops
        do {
            before = before > 0 ? before - 1 : r->count - 1;
        } while (r->edge[before] == RING_STOP);
        if (needed) {
            r->edge[k] = half_add_stop(m, r->edge[before], r->at[k]);
        } else {
            half_remove_stop(m, r->edge[k]);
            r->edge[k] = RING_STOP;
        }
    }
}

void ring_cut(half_edges *m, ring *r, const portal *portals, int32_t count, const int32_t *face)
{
    int32_t made[RING_PORTALS];
    uint64_t used = 0;
    for (int32_t k = 0; k < count; k++) used |= UINT64_C(1) << portals[k].a | UINT64_C(1) << portals[k].b;
    settle_stops(m, r, used);
    for (int32_t k = 0; k < r->count; k++)
        if (r->edge[k] != RING_STOP) m->face[r->edge[k]] = -1;
    for (int32_t k = 0; k < count; k++) {
        // Of the pieces that meet in the one corner, the one that has the other corner, too.
        int32_t from = r->edge[portals[k].a], goal = m->org[r->edge[portals[k].b]], to = m->next[from];
        while (m->org[to] != goal) {
            to = m->next[to];
            if (to != from) continue;
            from = m->twin[m->prev[from]];
            to = m->next[from];
        }
        made[k] = cut_face(m, from, to);
        m->face[made[k]] = m->face[m->twin[made[k]]] = -1;
    }
    int32_t named = 0;
    for (int32_t k = 0; k < r->count; k++)
        if (r->edge[k] != RING_STOP && m->face[r->edge[k]] < 0) name_face(m, r->edge[k], face[named++]);
    for (int32_t k = 0; k < 2 * count; k++) { // pieces between portals only
        int32_t h = k < count ? made[k] : m->twin[made[k - count]];
        if (m->face[h] < 0) name_face(m, h, face[named++]);
    }
    assert(named == count + 1);
}

int32_t ring_solve(const half_edges *m, ring *r, int32_t fewer, portal *portals)
{
    if (2 * (fewer - 1) < r->notch_count) return -1;
    if (m->vert_count + r->notch_count <= m->vert_capacity) ring_add_stops(r);
    return ring_find_portals(r, fewer, portals);
}

bool cells_cut_loop(half_edges *m, int32_t h, int32_t corners, int32_t region, uint8_t area)
{
    ring shape;
    portal portals[RING_PORTALS];
    int32_t edge[RING_CORNERS], face[RING_PORTALS + 1], n = 0, e = h;
    if (corners > RING_CORNERS) return false;
    do {
        if (m->joint[m->org[e]]) return false;
        edge[n++] = e;
        e = m->next[e];
    } while (e != h);
    if (!ring_take(&shape, m, edge, corners, false)) return false;
    int32_t count = ring_solve(m, &shape, shape.notch_count + 3, portals);
    if (count < 0) return false;
    for (int32_t k = 0; k <= count; k++) face[k] = half_new_face(m, region, area);
    ring_cut(m, &shape, portals, count, face);
    return true;
}

// Where to cut a convex face of n corners in two, without needing more pieces than the fewest in the end. The fattest
// pieces win: those of the most area for the length of the cut. False where every cut runs along an edge.
static bool find_cut(const half_edges *m, const int32_t *edge, int32_t n, int32_t max_corners, int32_t *from,
                     int32_t *to)
{
    int32_t room = max_corners - 2, most = (n - 2 + room - 1) / room; // in triangles
    int64_t whole = 0;
    for (int32_t k = 2; k < n; k++)
        whole += nav_right(half_at(m, edge[0]), half_at(m, edge[k - 1]), half_at(m, edge[k]));
    double best = 0.0;
    for (int32_t i = 0; i < n; i++) {
        nav_point a = half_at(m, edge[i]);
        int64_t area = 0; // twice, of the corners from i to k
        for (int32_t k = i + 2; k < n && k - i < n - 1; k++) {
            area += nav_right(a, half_at(m, edge[k - 1]), half_at(m, edge[k]));
            int32_t mine = k - i - 1, others = n - 2 - mine;
            if ((mine + room - 1) / room + (others + room - 1) / room > most) continue;
            int64_t least = area < whole - area ? area : whole - area;
            double fat = (double)least / (double)nav_distance2(a, half_at(m, edge[k]));
            if (fat <= best) continue;
            best = fat;
            *from = edge[i];
            *to = edge[k];
        }
    }
    return best > 0.0;
}

int32_t cells_split(half_edges *m, int32_t max_corners, int32_t *made)
{
    int32_t edge[CELL_CORNERS], count = 0;
    for (int32_t h = 0; h < m->count; h++) {
        while (m->twin[h] != HALF_FREE && m->face_size[half_face(m, h)] > max_corners) {
            int32_t n = 0, e = h, from = h, to = h, face = half_face(m, h);
            do {
                edge[n++] = e;
                e = m->next[e];
            } while (e != h);
            if (!find_cut(m, edge, n, max_corners, &from, &to)) break;
            int32_t cut = cut_face(m, from, to);
            made[count++] = cut;
            name_face(m, cut, face);
            name_face(m, m->twin[cut], half_new_face(m, m->face_region[face], m->face_area[face]));
        }
    }
    return count;
}

void cells_unsplit(half_edges *m, const int32_t *made, int32_t count)
{
    for (int32_t k = count - 1; k >= 0; k--) {
        int32_t h = made[k], t = m->twin[h], a = half_face(m, h), b = half_face(m, t);
        int32_t before = m->prev[h], after = m->next[h];
        half_follow(m, m->prev[t], after);
        half_follow(m, before, m->next[t]);
        m->twin[h] = m->twin[t] = HALF_FREE;
        m->face_root[b] = a;
        m->face_size[a] += m->face_size[b] - 2;
    }
}
