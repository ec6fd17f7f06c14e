// Cells of small floor plans, and the pieces of large cells.
#include "core/polygon/cells/cells.h"

#include <assert.h>

// Do the edges a-b and c-d, which have no end in common, cross or touch?
static bool edges_cross(nav_point a, nav_point b, nav_point c, nav_point d)
{
    int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d), ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    if ((ac > 0 && ad > 0) || (ac < 0 && ad < 0) || (ca > 0 && cb > 0) || (ca < 0 && cb < 0)) return false;
    if (ac || ad || ca || cb) return true;
    return nav_between(a, b, c) || nav_between(a, b, d) || nav_between(c, d, a) || nav_between(c, d, b);
}

bool nav_cells_is_simple(const nav_point *at, const int32_t *next, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        nav_point a = at[i], b = at[next[i]];
        for (int32_t k = 0; k < i; k++)
            if (next[k] != i && next[i] != k && edges_cross(a, b, at[k], at[next[k]])) return false;
    }
    return true;
}

void nav_plan_begin(plan *p)
{
    p->count = p->loops = 0;
    p->walls = p->stops = p->places = 0;
    p->wide = false;
}

// Looks at all of them, so that it is done in lanes.
bool nav_plan_has_corner(const nav_point *at, int32_t count, nav_point p)
{
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++) found |= (at[i].x == p.x) & (at[i].z == p.z);
    return found;
}

bool nav_plan_add_corner(plan *p, const half_edges *m, int32_t edge, bool first)
{
    if (p->count == PLAN_CORNERS) return false;
    int32_t k = p->count++;
    p->at[k] = half_at(m, edge);
    // Most corners are where none can be: their place is told from the others' by six bits of it.
    uint64_t place = UINT64_C(1) << ((uint32_t)(p->at[k].x * 7 + p->at[k].z * 29) & 63);
    if ((p->places & place) && nav_plan_has_corner(p->at, k, p->at[k])) return false;
    p->places |= place;
    p->edge[k] = edge;
    p->next[k] = p->prev[k] = k;
    p->loops += first;
    if (!first) {
        p->prev[k] = k - 1;
        p->next[k] = p->next[k - 1];
        p->next[k - 1] = p->prev[p->next[k]] = k;
    }
    p->walls |= (uint64_t)(m->twin[edge] == NAV_EDGE_WALL) << k;
    p->wide = m->wide;
    return true;
}

bool nav_plan_finish(plan *p, const half_edges *m, bool may_cross)
{
    for (int32_t i = 0; i < p->count; i++) {
        bool wall = (p->walls >> i & 1) && (p->walls >> p->prev[i] & 1);
        p->stops |= (uint64_t)(wall && half_is_stop(m, m->org[p->edge[i]])) << i;
    }
    nav_plan_find_notches(p);
    return p->notch_count <= PLAN_NOTCHES && (!may_cross || nav_cells_is_simple(p->at, p->next, p->count));
}

// Cuts the face that both half-edges belong to along a portal from the origin of `from` to that of `to`. Returns the
// new half-edge that begins where `from` does.
static int32_t cut_face(half_edges *m, int32_t from, int32_t to)
{
    int32_t there = nav_half_new(m, m->org[from]), back = nav_half_new(m, m->org[to]);
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

// Brings the mesh's corners into line with the plan's: stops that no portal uses go, those used are made.
static void settle_stops(half_edges *m, plan *p, uint64_t used)
{
    for (int32_t k = 0; k < p->count; k++) {
        if (!(p->stops >> k & 1)) continue;
        bool made = p->edge[k] != PLAN_STOP, needed = used >> k & 1;
        if (made == needed) continue;
        if (needed) {
            int32_t before = p->prev[k];
            while (p->edge[before] == PLAN_STOP) before = p->prev[before];
            p->edge[k] = nav_half_add_stop(m, p->edge[before], p->at[k]);
        } else {
            nav_half_remove_stop(m, p->edge[k]);
            p->edge[k] = PLAN_STOP;
        }
    }
}

// Of the half-edges that begin in the corner where `from` does, cut off by portals, the one with q in its inner angle.
static int32_t towards(const half_edges *m, int32_t from, nav_point q)
{
    while (nav_in_corner(half_at(m, m->prev[from]), half_at(m, from), half_at(m, m->next[from]), q) <= 0)
        from = m->twin[m->prev[from]];
    return from;
}

void nav_plan_cut(half_edges *m, plan *p, const portal *portals, int32_t count, const int32_t *face)
{
    int32_t made[PLAN_PORTALS];
    uint64_t used = 0;
    for (int32_t k = 0; k < count; k++) used |= UINT64_C(1) << portals[k].a | UINT64_C(1) << portals[k].b;
    settle_stops(m, p, used);
    for (int32_t k = 0; k < p->count; k++)
        if (p->edge[k] != PLAN_STOP) m->face[p->edge[k]] = -1;
    for (int32_t k = 0; k < count; k++) {
        int32_t a = portals[k].a, b = portals[k].b;
        made[k] = cut_face(m, towards(m, p->edge[a], p->at[b]), towards(m, p->edge[b], p->at[a]));
        m->face[made[k]] = m->face[m->twin[made[k]]] = -1;
    }
    int32_t named = 0;
    for (int32_t k = 0; k < p->count; k++)
        if (p->edge[k] != PLAN_STOP && m->face[p->edge[k]] < 0) name_face(m, p->edge[k], face[named++]);
    for (int32_t k = 0; k < 2 * count; k++) { // pieces between portals only
        int32_t h = k < count ? made[k] : m->twin[made[k - count]];
        if (m->face[h] < 0) name_face(m, h, face[named++]);
    }
    assert(named == count - p->loops + 2);
}

int32_t nav_plan_solve(const half_edges *m, plan *p, int32_t fewer, portal *portals)
{
    bool room = m->vert_count + p->notch_count <= m->vert_capacity;
    return room ? nav_plan_find_portals_and_stops(p, fewer, portals) : nav_plan_find_portals(p, fewer, portals);
}

bool nav_cells_cut_group(half_edges *m, const int32_t *loops, int32_t loop_count, int32_t region, uint8_t area)
{
    plan shape;
    portal portals[PLAN_PORTALS];
    int32_t face[PLAN_PORTALS + 1];
    nav_plan_begin(&shape);
    for (int32_t l = 0; l < loop_count; l++) {
        int32_t e = loops[l];
        do {
            if (m->joint[m->org[e]] || !nav_plan_add_corner(&shape, m, e, e == loops[l])) return false;
            e = m->next[e];
        } while (e != loops[l]);
    }
    if (!nav_plan_finish(&shape, m, false)) return false;
    int32_t count = nav_plan_solve(m, &shape, PLAN_PORTALS + 1, portals);
    if (count < 0) return false;
    for (int32_t k = 0; k < count - loop_count + 2; k++) face[k] = nav_half_new_face(m, region, area);
    nav_plan_cut(m, &shape, portals, count, face);
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

int32_t nav_cells_split(half_edges *m, int32_t max_corners, int32_t *made)
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
            name_face(m, m->twin[cut], nav_half_new_face(m, m->face_region[face], m->face_area[face]));
        }
    }
    return count;
}

void nav_cells_unsplit(half_edges *m, const int32_t *made, int32_t count)
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
