// An edge moved outwards by the agent's radius, as convex pieces.
//
//       B0 B1             A line from a to b with the free side to its right (below b, in this picture to the left) has
//        .----.           the piece a b B0 A1: as long as the edge, and up to the first place of the corner at its end.
//       /  |   . B2       A corner that sticks out into what is free has the piece b B0 B1 B2 besides. At any other the
//     A1   b--           moved edges cross, and the pieces overlap.
//
// Of a loop that is convex the places of all corners together are one shape.
#include "core/surface/blockers_work.h"

#include <math.h>

enum {
    SHAPES_MOST = 1 << 17, // or NAV_ERR_LIMIT
    WHOLE_MOST = 1 << 17,  // units: what is longer than this is cut
    POINTS = 2 * NAV_SHAPE_MAX_CORNERS,
    CONVEX_MOST = NAV_SHAPE_MAX_CORNERS - 4, // corners: cutting adds up to four
};

// --- cutting what is large

// Keeps what is not below a line, or not above it.
static int32_t keep(const nav_point *in, int32_t count, int axis, int32_t at, bool above, nav_point *out)
{
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++) {
        nav_point p = in[i], q = in[i + 1 < count ? i + 1 : 0];
        int32_t from = axis ? p.z : p.x, to = axis ? q.z : q.x;
        bool p_in = above ? from >= at : from <= at, q_in = above ? to >= at : to <= at;
        if (p_in) out[n++] = p;
        if (p_in == q_in || from == at || to == at) continue;
        int32_t other = nav_edge_passes(p, q, axis, at);
        out[n++] = axis ? (nav_point){other, at} : (nav_point){at, other};
    }
    return n;
}

static nav_status put(surface_finder *w, nav_point *at, int32_t count, const surface_blocker *of)
{
    surface_blockers *b = w->out;
    const int32_t before = b->shapes.count;
    if (before >= SHAPES_MOST) return NAV_ERR_LIMIT;
    nav_status s = nav_grow(w->m->arena, (void **)&b->of, &b->capacity, (int64_t)before + 1, sizeof *b->of);
    if (s == NAV_OK) s = nav_shapes_add_hull(&b->shapes, w->m->arena, at, count);
    if (s == NAV_OK && b->shapes.count > before) b->of[before] = *of;
    return s;
}

// What of it is in one block of tiles.
static nav_status put_block(surface_finder *w, const nav_point *hull, int32_t count, nav_point low, int32_t size,
                            const surface_blocker *of)
{
    nav_point ring[2][POINTS];
    int32_t n = keep(hull, count, 0, low.x, true, ring[0]);
    n = keep(ring[0], n, 0, low.x + size, false, ring[1]);
    n = keep(ring[1], n, 1, low.z, true, ring[0]);
    n = keep(ring[0], n, 1, low.z + size, false, ring[1]);
    return put(w, ring[1], n, of);
}

nav_status nav_surface_add_shape(surface_finder *w, nav_point *at, int32_t count, const surface_blocker *of)
{
    const surface_mesh *m = w->m;
    nav_point low, high, hull[2 * POINTS];
    nav_points_bound(at, count, &low, &high);
    if (high.x < m->low || high.z < m->low || low.x > m->high || low.z > m->high) return NAV_OK;
    if (high.x - low.x <= WHOLE_MOST && high.z - low.z <= WHOLE_MOST) return put(w, at, count, of);
    // Blocks of tiles, counted from the world's origin.
    const int32_t side = m->cfg->tile_units, tiles = (WHOLE_MOST + side - 1) / side;
    const int32_t size = tiles * side, n = nav_convex_hull(at, count, hull);
    const int64_t shift[2] = {(int64_t)m->cfg->tile_x * side, (int64_t)m->cfg->tile_z * side};
    nav_status s = NAV_OK;
    if (n < 3) return NAV_OK;
    low.x = low.x > m->low ? low.x : m->low;
    low.z = low.z > m->low ? low.z : m->low;
    high.x = high.x < m->high ? high.x : m->high;
    high.z = high.z < m->high ? high.z : m->high;
    const int32_t begin_x = (int32_t)(nav_floor_divide(low.x + shift[0], size) * size - shift[0]);
    const int32_t begin_z = (int32_t)(nav_floor_divide(low.z + shift[1], size) * size - shift[1]);
    for (int32_t z = begin_z; z <= high.z && s == NAV_OK; z += size)
        for (int32_t x = begin_x; x <= high.x && s == NAV_OK; x += size)
            s = put_block(w, hull, n, (nav_point){x, z}, size, of);
    return s;
}

// --- edges and corners

static bool turns_left(nav_direction f, nav_direction g)
{
    double cross = nav_direction_cross(f, g);
    return cross > 0 || (cross == 0 && nav_direction_dot(f, g) < 0);
}

nav_status nav_surface_offset_edge(surface_finder *w, const surface_edge *e, const surface_blocker *of)
{
    const double radius = w->m->cfg->radius;
    nav_point corner[NAV_CORNER_MOST + 1], first = nav_moved(e->a, e->own, radius), last;
    int32_t n = 0;
    if (e->is_begun && turns_left(e->before, e->own))
        first = corner[nav_corner_find(&w->style, radius, e->a, e->before, e->own, corner) - 1];
    if (e->is_ended && turns_left(e->own, e->behind))
        n = nav_corner_find(&w->style, radius, e->b, e->own, e->behind, corner);
    last = n > 0 ? corner[0] : nav_moved(e->b, e->own, radius);
    nav_point at[6] = {e->a, e->b, last, first};
    int32_t count = 4;
    if (e->strip > 0) {
        at[count++] = nav_moved(e->a, e->own, -e->strip);
        at[count++] = nav_moved(e->b, e->own, -e->strip);
    }
    nav_status s = nav_surface_add_shape(w, at, count, of);
    if (n < 2 || s != NAV_OK) return s;
    surface_blocker round = *of;
    round.line[1] = round.line[0];
    corner[n] = e->b;
    return nav_surface_add_shape(w, corner, n + 1, &round);
}

nav_status nav_surface_offset_convex(surface_finder *w, const nav_point *at, int32_t count, const surface_blocker *of,
                                     bool *done)
{
    nav_point all[CONVEX_MOST + NAV_CORNER_MOST];
    int32_t n = 0;
    *done = false;
    if (count > CONVEX_MOST) return NAV_OK;
    nav_direction before = nav_normal(at[count - 1], at[0]);
    for (int32_t i = 0; i < count; i++) {
        nav_direction behind = nav_normal(at[i], at[i + 1 < count ? i + 1 : 0]);
        n += nav_corner_find(&w->style, w->m->cfg->radius, at[i], before, behind, all + n);
        if (n > CONVEX_MOST) return NAV_OK;
        before = behind;
    }
    *done = true;
    return nav_surface_add_shape(w, all, n, of);
}
