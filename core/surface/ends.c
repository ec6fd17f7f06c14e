// Ends of the floor: edges that nothing is joined to, with the floor to their right.
//
//        floor         An edge that corners of others have cut is taken whole again, as far as its parts follow each
//     --x-----x--      other; its direction is that of the whole edge always, so that a tile which does not see those
//                      corners has the same line. Without a radius parts stay parts, cut at sides of the world's tiles,
//                      as faces are: their strips lie along the loops of the floor exactly.
#include "core/surface/blockers_work.h"

enum {
    LINES = 64, // sides of tiles that one edge is cut at
    TURNS = 64, // edges without a length, one after the other
};

static int32_t half_before(int32_t half)
{
    return half % 3 == 0 ? half + 2 : half - 1;
}

static nav_point begin_of(const surface_mesh *m, int32_t half)
{
    return surface_at(m, m->vert[half]);
}

static nav_point end_of(const surface_mesh *m, int32_t half)
{
    return surface_at(m, m->vert[surface_next(half)]);
}

static bool has_length(const surface_mesh *m, int32_t half)
{
    return !nav_point_same(begin_of(m, half), end_of(m, half));
}

// The end of the floor that goes on where this one ends, or that this one goes on from; SURFACE_NONE where none with a
// length is found.
static int32_t end_beside(const surface_mesh *m, int32_t half, bool behind)
{
    int32_t h = half;
    for (int turn = 0; turn < TURNS; turn++) {
        h = behind ? surface_next(h) : half_before(h);
        while (m->twin[h] != SURFACE_NONE) h = behind ? surface_next(m->twin[h]) : half_before(m->twin[h]);
        if (h == half) return SURFACE_NONE;
        if (has_length(m, h)) return h;
    }
    return SURFACE_NONE;
}

static nav_direction normal_of(const surface_mesh *m, int32_t half)
{
    int32_t a, b;
    surface_ends(m, half, &a, &b);
    if (nav_point_same(surface_at(m, a), surface_at(m, b))) return nav_normal(begin_of(m, half), end_of(m, half));
    return nav_normal(surface_at(m, a), surface_at(m, b));
}

static bool of_one_edge(const surface_mesh *m, int32_t h, int32_t other)
{
    return other != SURFACE_NONE && m->whole && m->whole[h] >= 0 && m->whole[h] == m->whole[other];
}

static surface_blocker around(const surface_finder *w, nav_point a, nav_point b)
{
    const int32_t reach = (int32_t)ceil(w->m->cfg->reach) + 2;
    return (surface_blocker){{(a.x < b.x ? a.x : b.x) - reach, (a.z < b.z ? a.z : b.z) - reach},
                             {(a.x > b.x ? a.x : b.x) + reach, (a.z > b.z ? a.z : b.z) + reach},
                             w->out->start_count,
                             1,
                             {{0, 0}, {0, 0}}};
}

// Of an agent that climbs: how far it stays away is the edge's own, and counted along the triangle.
static bool are_parted(const surface_mesh *m, int32_t half, int32_t other)
{
    return !of_one_edge(m, half, other) || m->away[half] != m->away[other];
}

static nav_status add_away(surface_finder *w, int32_t half)
{
    const surface_mesh *m = w->m;
    int32_t before = end_beside(m, half, false), last = half, behind = end_beside(m, half, true);
    if (!are_parted(m, half, before)) return NAV_OK; // part of another that has been taken, or will be
    while (!are_parted(m, half, behind) && behind != half) {
        last = behind;
        behind = end_beside(m, last, true);
    }
    nav_point at[2] = {begin_of(m, half), end_of(m, last)};
    if (!surface_is_near(m, at[0], at[1])) return NAV_OK;
    return nav_surface_add_away(w, half / 3, at, 2, (double)m->away[half]);
}

static nav_status add_wide(surface_finder *w, int32_t half)
{
    const surface_mesh *m = w->m;
    int32_t before = end_beside(m, half, false), last = half, behind = end_beside(m, half, true);
    if (of_one_edge(m, half, before)) return NAV_OK; // part of another that has been taken, or will be
    while (of_one_edge(m, half, behind) && behind != half) {
        last = behind;
        behind = end_beside(m, last, true);
    }
    surface_edge e = {.a = begin_of(m, half), .b = end_of(m, last), .own = normal_of(m, half), .strip = BLOCKER_STRIP};
    if (!surface_is_near(m, e.a, e.b) || nav_point_same(e.a, e.b)) return NAV_OK;
    e.is_begun = before != SURFACE_NONE;
    e.is_ended = behind != SURFACE_NONE;
    if (e.is_begun) e.before = normal_of(m, before);
    if (e.is_ended) e.behind = normal_of(m, behind);
    surface_blocker of = around(w, e.a, e.b);
    int32_t ends[2];
    surface_ends(m, half, &ends[0], &ends[1]);
    for (int k = 0; k < 2; k++) of.line[k] = nav_moved(surface_at(m, ends[k]), e.own, m->cfg->radius);
    nav_status s = nav_surface_add_start(w, half / 3);
    return s == NAV_OK ? nav_surface_offset_edge(w, &e, &of) : s;
}

// --- without a radius

typedef struct stop {
    double part;
    nav_point at;
} stop;

static int32_t add_stops(const surface_mesh *m, int32_t half, int axis, stop *stops, int32_t n)
{
    int32_t a = m->vert[half], b = m->vert[surface_next(half)], whole_a, whole_b;
    surface_ends(m, half, &whole_a, &whole_b);
    const int32_t *along = axis ? m->z : m->x;
    int64_t side = m->cfg->tile_units, from = along[a] < along[b] ? along[a] : along[b];
    int64_t to = along[a] < along[b] ? along[b] : along[a];
    int64_t k = nav_floor_divide(m->low, side), last = -nav_floor_divide(-(int64_t)m->high, side);
    for (; k <= last && n < LINES; k++) {
        int64_t at = k * side;
        if (at <= from || at >= to) continue;
        int32_t height, other = nav_surface_cross(m, whole_a, whole_b, axis, (int32_t)at, &height);
        stops[n].part = (double)(at - along[a]) / (double)((int64_t)along[b] - along[a]);
        stops[n++].at = axis ? (nav_point){other, (int32_t)at} : (nav_point){(int32_t)at, other};
    }
    return n;
}

static nav_status add_strips(surface_finder *w, int32_t half)
{
    const surface_mesh *m = w->m;
    stop stops[LINES + 2];
    int32_t n = 1;
    nav_status s = nav_surface_add_start(w, half / 3);
    stops[0] = (stop){0, begin_of(m, half)};
    n = add_stops(m, half, 0, stops, n);
    n = add_stops(m, half, 1, stops, n);
    for (int32_t i = 2; i < n; i++) {
        stop p = stops[i];
        int32_t k = i;
        for (; k > 1 && stops[k - 1].part > p.part; k--) stops[k] = stops[k - 1];
        stops[k] = p;
    }
    stops[n++] = (stop){1, end_of(m, half)};
    for (int32_t i = 0; i + 1 < n && s == NAV_OK; i++) {
        surface_edge e = {.a = stops[i].at, .b = stops[i + 1].at, .strip = BLOCKER_STRIP};
        surface_blocker of = around(w, e.a, e.b);
        of.start--; // it is in the list already
        if (!surface_is_near(m, e.a, e.b) || nav_point_same(e.a, e.b)) continue;
        e.own = nav_normal(e.a, e.b);
        s = nav_surface_offset_edge(w, &e, &of);
    }
    return s;
}

nav_status nav_surface_find_ends(surface_finder *w)
{
    const surface_mesh *m = w->m;
    nav_status s = NAV_OK;
    for (int32_t h = 0; h < 3 * m->tri_count && s == NAV_OK; h++) {
        if (m->twin[h] != SURFACE_NONE || !has_length(m, h) || (m->away && m->away[h] < 0)) continue;
        if (m->away && m->cfg->radius > 0)
            s = add_away(w, h);
        else if (m->cfg->radius > 0)
            s = add_wide(w, h);
        else if (surface_is_near(m, begin_of(m, h), end_of(m, h)))
            s = add_strips(w, h);
    }
    w->out->ends = w->out->shapes.count;
    return s;
}
