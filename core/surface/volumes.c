// Volumes that set an area, or include ground, on triangles.
//
//      o---------------o     A triangle that is partly in a volume is cut along it before anything is joined: what they
//       \   x-----x   /      have in common gets the volume's area, what is left keeps its own. So all that follows
//        \  |  v  |  /       sees triangles of several areas.
//         \ x-----x /
//          \       /         Where an edge of a triangle passes a plane of the volume is worked out from the whole
//           \     /          edge, and where two sides of the volume meet is the volume's corner: both are the same
//            \   /           for the triangle behind the edge, and for each tile that sees the volume. What is left is
//             \o/            cut at these corners alone (volumes_pieces.c): no tile makes one that another lacks.
//
// Where volumes overlap the highest area counts, as for voxels: they are taken in this order.
#include "core/surface/volumes_work.h"

#include "core/base/sort.h"

#include <math.h>
#include <string.h>

enum { INCLUDED = 64 }; // with an area: inside of a volume that includes

typedef struct prism {
    int32_t count;
    int64_t x[NAV_VOLUME_MAX_POINTS], z[NAV_VOLUME_MAX_POINTS]; // units from the tile's corner, clockwise from above
    int64_t low, high;                                          // steps
    int64_t min_x, min_z, max_x, max_z;
    const nav_volume *volume;
} prism;

typedef struct cutter {
    surface_mesh *m;
    const prism *p;
    int32_t t;
    int32_t whole[3 + VOLUME_PLANES];
} cutter;

// --- planes

// How far a vertex is inside of a plane; only the sign and ratios count.
static __int128 inside(const cutter *w, int plane, int32_t vert)
{
    const prism *p = w->p;
    const surface_mesh *m = w->m;
    if (plane == p->count) return (__int128)m->y[vert] - p->low;
    if (plane == p->count + 1) return (__int128)p->high - m->y[vert];
    const int next = plane + 1 < p->count ? plane + 1 : 0;
    return (__int128)(p->x[next] - p->x[plane]) * (m->z[vert] - p->z[plane]) -
           (__int128)(p->z[next] - p->z[plane]) * (m->x[vert] - p->x[plane]);
}

// from + step * part / whole, to the nearest; whole > 0.
static int32_t share(int32_t from, int64_t step, __int128 part, __int128 whole)
{
    const __int128 n = 2 * step * part + whole, d = 2 * whole;
    __int128 q = n / d;
    if (q * d > n) q--;
    return (int32_t)(from + q);
}

// The vertex where the edge between two others passes a plane: one of them is inside, one outside.
static int32_t pass(cutter *w, int plane, int32_t a, int32_t b)
{
    surface_mesh *m = w->m;
    if (surface_is_lower(m, b, a)) {
        const int32_t t = a;
        a = b;
        b = t;
    }
    __int128 part = inside(w, plane, a), whole = part - inside(w, plane, b);
    if (whole < 0) {
        part = -part;
        whole = -whole;
    }
    if (whole == 0) return a;
    const int32_t x = share(m->x[a], (int64_t)m->x[b] - m->x[a], part, whole),
                  z = share(m->z[a], (int64_t)m->z[b] - m->z[a], part, whole), *uncut = surface_uncut(m, w->t);
    // What is no edge of the triangle that was cut first is on its plane.
    const int32_t y = surface_is_corner(uncut, a) && surface_is_corner(uncut, b)
                          ? share(m->y[a], (int64_t)m->y[b] - m->y[a], part, whole)
                          : nav_surface_height(m, uncut, x, z);
    return nav_surface_vert(m, x, z, y);
}

// The corner of the volume where two of its sides meet; -1: they are not beside each other.
static int corner_between(const prism *p, int i, int j)
{
    if (i >= p->count || j >= p->count) return -1;
    if ((i + 1) % p->count == j) return j;
    return (j + 1) % p->count == i ? i : -1;
}

// --- what a triangle and a volume have in common

static bool same_place(const surface_mesh *m, int32_t a, int32_t b)
{
    return nav_point_same(surface_at(m, a), surface_at(m, b));
}

static bool is_diagonal(const cutter *w, int32_t edge)
{
    return w->m->whole && w->m->whole[3 * w->t + edge] == SURFACE_DIAGONAL;
}

// Does a corner of the volume lie in the box around two vertices, but for rounding? Where its sides are nearly in line
// what passes both may be far from it.
static bool is_between(const cutter *w, int corner, int32_t a, int32_t b)
{
    enum { ROUNDING = 2 }; // units
    const surface_mesh *m = w->m;
    const int64_t x = w->p->x[corner], z = w->p->z[corner];
    const int64_t low_x = m->x[a] < m->x[b] ? m->x[a] : m->x[b], high_x = m->x[a] < m->x[b] ? m->x[b] : m->x[a];
    const int64_t low_z = m->z[a] < m->z[b] ? m->z[a] : m->z[b], high_z = m->z[a] < m->z[b] ? m->z[b] : m->z[a];
    return x >= low_x - ROUNDING && x <= high_x + ROUNDING && z >= low_z - ROUNDING && z <= high_z + ROUNDING;
}

// Where the ring's edge from a corner to the next passes a plane.
static volume_corner cross(cutter *w, int plane, const volume_corner *a, const volume_corner *b)
{
    surface_mesh *m = w->m;
    volume_corner c = {.edge = a->edge, .on = WITHIN};
    if (a->edge < ON_PLANE) {
        int32_t from, to;
        const int32_t known = m->vert_count;
        surface_ends(m, 3 * w->t + a->edge, &from, &to);
        const bool passes = (inside(w, plane, from) < 0) != (inside(w, plane, to) < 0);
        c.vert = passes ? pass(w, plane, from, to) : pass(w, plane, a->vert, b->vert);
        c.on = a->edge;
        for (int i = 0; i < 2; i++) { // rounding may put it on a corner
            const int k = (a->edge + i) % 3;
            const int32_t corner = m->vert[3 * w->t + k];
            if (same_place(m, c.vert, corner)) c = (volume_corner){corner, a->edge, ON_CORNER + k};
        }
        if (c.vert >= known && is_diagonal(w, a->edge) && m->loose_count < m->loose_capacity)
            m->loose[m->loose_count++] = c.vert;
        return c;
    }
    const int k = corner_between(w->p, a->edge - ON_PLANE, plane);
    if (k < 0 || !is_between(w, k, a->vert, b->vert)) {
        c.vert = pass(w, plane, a->vert, b->vert);
    } else {
        const int32_t x = (int32_t)w->p->x[k], z = (int32_t)w->p->z[k];
        c.vert = nav_surface_vert(m, x, z, nav_surface_height(m, surface_uncut(m, w->t), x, z));
    }
    return c;
}

static void push(volume_ring *r, const volume_corner *c)
{
    if (r->count < VOLUME_CORNERS) r->corner[r->count++] = *c;
}

// The part of a ring inside of a plane. A corner on the plane is inside, and so is one that rounding puts there.
static void cut(cutter *w, int plane, const volume_ring *in, volume_ring *out)
{
    out->count = 0;
    for (int32_t i = 0; i < in->count; i++) {
        const volume_corner *a = &in->corner[i], *b = &in->corner[i + 1 < in->count ? i + 1 : 0];
        const bool a_in = inside(w, plane, a->vert) >= 0, b_in = inside(w, plane, b->vert) >= 0;
        if (a_in) push(out, a);
        if (a_in == b_in) continue;
        volume_corner c = cross(w, plane, a, b);
        if (a_in) c.edge = ON_PLANE + plane;
        if (a_in && same_place(w->m, c.vert, a->vert))
            out->corner[out->count - 1].edge = c.edge;
        else if (a_in || !same_place(w->m, c.vert, b->vert))
            push(out, &c);
    }
}

// Of two corners at one place the one that is more of the triangle's, with the second one's edge.
static volume_corner merge(const volume_corner *a, const volume_corner *b)
{
    const volume_corner *best = a->on > b->on ? a : b;
    return (volume_corner){best->vert, b->edge, best->on};
}

// Takes edges without length away.
static void tidy(const surface_mesh *m, volume_ring *r)
{
    int32_t n = 0;
    for (int32_t i = 0; i < r->count; i++) {
        if (n > 0 && same_place(m, r->corner[n - 1].vert, r->corner[i].vert))
            r->corner[n - 1] = merge(&r->corner[n - 1], &r->corner[i]);
        else
            r->corner[n++] = r->corner[i];
    }
    for (; n > 1 && same_place(m, r->corner[n - 1].vert, r->corner[0].vert); n--)
        r->corner[0] = merge(&r->corner[n - 1], &r->corner[0]);
    r->count = n;
}

// The line that a plane is on the triangle, from edge to edge of the triangle that it was cut from.
static nav_status note_line(cutter *w, int plane)
{
    surface_mesh *m = w->m;
    const int32_t *v = surface_uncut(m, w->t);
    int32_t ends[4], count = 0;
    for (int k = 0; k < 3; k++) {
        const int32_t a = v[k], b = v[(k + 1) % 3];
        const __int128 da = inside(w, plane, a), db = inside(w, plane, b);
        if (da == 0)
            ends[count++] = a;
        else if ((da < 0) != (db < 0) && db != 0)
            ends[count++] = pass(w, plane, a, b);
    }
    if (count != 2 || same_place(m, ends[0], ends[1])) return NAV_OK;
    nav_status s =
        nav_grow(m->arena, (void **)&m->ends, &m->end_capacity, (int64_t)m->end_count + 1, 2 * sizeof(int32_t));
    if (s != NAV_OK) return s;
    memcpy(m->ends + 2 * (size_t)m->end_count, ends, 2 * sizeof *ends);
    w->whole[ON_PLANE + plane] = m->end_count++;
    return NAV_OK;
}

static nav_status note_lines(cutter *w, const volume_ring *r)
{
    nav_status s = NAV_OK;
    for (int j = 0; j < VOLUME_PLANES; j++) w->whole[ON_PLANE + j] = SURFACE_NONE;
    for (int k = 0; k < 3 && s == NAV_OK; k++) {
        w->whole[k] = SURFACE_DIAGONAL;
        if (!is_diagonal(w, k)) s = nav_surface_note_whole(w->m, 3 * w->t + k, &w->whole[k]);
    }
    for (int32_t i = 0; i < r->count && s == NAV_OK; i++) {
        const int32_t edge = r->corner[i].edge;
        if (edge >= ON_PLANE && w->whole[edge] == SURFACE_NONE) s = note_line(w, edge - ON_PLANE);
    }
    return s;
}

static bool is_apart(const surface_mesh *m, int32_t t, const prism *p)
{
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (int k = 0; k < 3; k++) {
        const int32_t v = m->vert[3 * t + k], at[3] = {m->x[v], m->y[v], m->z[v]};
        for (int i = 0; i < 3; i++) {
            low[i] = at[i] < low[i] ? at[i] : low[i];
            high[i] = at[i] > high[i] ? at[i] : high[i];
        }
    }
    return high[0] < p->min_x || low[0] > p->max_x || high[2] < p->min_z || low[2] > p->max_z || high[1] < p->low ||
           low[1] > p->high;
}

static bool is_all_inside(const cutter *w)
{
    for (int j = 0; j < w->p->count + 2; j++)
        for (int k = 0; k < 3; k++)
            if (inside(w, j, w->m->vert[3 * w->t + k]) < 0) return false;
    return true;
}

static nav_status apply(cutter *w, uint8_t area)
{
    surface_mesh *m = w->m;
    volume_ring r[2];
    int turn = 0;
    if (is_apart(m, w->t, w->p)) return NAV_OK;
    if (is_all_inside(w)) {
        m->area[w->t] = area;
        return NAV_OK;
    }
    nav_status s = nav_surface_reserve(m, 4 * VOLUME_CORNERS);
    if (s == NAV_OK)
        s = nav_grow(m->arena, (void **)&m->loose, &m->loose_capacity, (int64_t)m->loose_count + VOLUME_CORNERS,
                     sizeof *m->loose);
    if (s != NAV_OK) return s;
    r[0].count = 3;
    for (int k = 0; k < 3; k++) r[0].corner[k] = (volume_corner){m->vert[3 * w->t + k], k, ON_CORNER + k};
    for (int j = 0; j < w->p->count + 2 && r[turn].count > 0; j++, turn = !turn) {
        cut(w, j, &r[turn], &r[!turn]);
        tidy(m, &r[!turn]);
    }
    if (r[turn].count < 3) return NAV_OK;
    s = note_lines(w, &r[turn]);
    return s == NAV_OK ? nav_surface_cut_out(m, w->t, &r[turn], w->whole, area) : s;
}

// --- volumes

// The heights of a volume may be any finite ones: what is far beyond all ground is as far as numbers go here.
static int64_t snap(double at, double origin, double size)
{
    const double most = (double)(INT64_C(1) << 50), to = floor((at - origin) / size + 0.5);
    return (int64_t)(to < -most ? -most : to > most ? most : to);
}

static void bound(prism *p)
{
    p->min_x = p->min_z = INT64_MAX;
    p->max_x = p->max_z = INT64_MIN;
    for (int i = 0; i < p->count; i++) {
        p->min_x = p->x[i] < p->min_x ? p->x[i] : p->min_x;
        p->max_x = p->x[i] > p->max_x ? p->x[i] : p->max_x;
        p->min_z = p->z[i] < p->min_z ? p->z[i] : p->min_z;
        p->max_z = p->z[i] > p->max_z ? p->z[i] : p->max_z;
    }
}

// False: it has no area on the grid.
static bool make_prism(const nav_config *cfg, const nav_volume *v, prism *p)
{
    const int64_t shift_x = (int64_t)cfg->tile_x * cfg->tile_units, shift_z = (int64_t)cfg->tile_z * cfg->tile_units;
    *p = (prism){.volume = v,
                 .low = snap((double)v->min_y, cfg->origin_m[1], cfg->cell_height_m),
                 .high = snap((double)v->max_y, cfg->origin_m[1], cfg->cell_height_m)};
    for (uint32_t i = 0; i < v->point_count; i++) {
        const int n = p->count;
        p->x[n] = snap((double)v->points[2 * i], cfg->origin_m[0], cfg->unit_size_m) - shift_x;
        p->z[n] = snap((double)v->points[2 * i + 1], cfg->origin_m[2], cfg->unit_size_m) - shift_z;
        p->count += n == 0 || p->x[n] != p->x[n - 1] || p->z[n] != p->z[n - 1];
    }
    while (p->count > 1 && p->x[0] == p->x[p->count - 1] && p->z[0] == p->z[p->count - 1]) p->count--;
    __int128 area = 0;
    for (int i = 1; i + 1 < p->count; i++)
        area += (__int128)(p->x[i] - p->x[0]) * (p->z[i + 1] - p->z[0]) -
                (__int128)(p->z[i] - p->z[0]) * (p->x[i + 1] - p->x[0]);
    for (int i = 0; i < p->count / 2 && area < 0; i++) { // so that inside() is above 0 there
        const int k = p->count - 1 - i;
        const int64_t x = p->x[i], z = p->z[i];
        p->x[i] = p->x[k];
        p->z[i] = p->z[k];
        p->x[k] = x;
        p->z[k] = z;
    }
    bound(p);
    return area != 0;
}

static bool is_of_use(const nav_config *cfg, const nav_volume *v)
{
    return v->include || (v->area != NAV_AREA_NONE && cfg->walkable_areas >> v->area & 1);
}

// By area, those that include last; then by anything, so that their order is of no importance.
static int compare(const nav_volume *a, const nav_volume *b)
{
    if (a->include != b->include) return a->include ? 1 : -1;
    if (a->area != b->area && !a->include) return a->area < b->area ? -1 : 1;
    if (a->min_y != b->min_y) return a->min_y < b->min_y ? -1 : 1;
    if (a->max_y != b->max_y) return a->max_y < b->max_y ? -1 : 1;
    if (a->point_count != b->point_count) return a->point_count < b->point_count ? -1 : 1;
    for (uint32_t i = 0; i < 2 * a->point_count; i++)
        if (a->points[i] != b->points[i]) return a->points[i] < b->points[i] ? -1 : 1;
    return 0;
}

static bool is_before(const void *none, const nav_volume *const *a, const nav_volume *const *b)
{
    (void)none;
    return compare(*a, *b) < 0;
}

NAV_DEFINE_SORT(sort_volumes, const nav_volume *, const void *, is_before)

// Those that may touch the tile, in order.
static nav_status find_prisms(const surface_mesh *m, const nav_tile_source *source, prism **out, int32_t *count)
{
    double min[2], max[2];
    const nav_volume **found = NAV_TAKE(m->arena, const nav_volume *, source->volume_count);
    int32_t n = 0;
    *count = 0;
    if (!found) return nav_arena_failure(m->arena);
    nav_tile_padded_bounds(source->settings, source->tile_x, source->tile_z, min, max);
    for (uint32_t i = 0; i < source->volume_count; i++) {
        const nav_volume *v = &source->volumes[i];
        if (is_of_use(m->cfg, v) && nav_volume_touches(v, min, max)) found[n++] = v;
    }
    sort_volumes(found, n, NULL);
    prism *p = *out = NAV_TAKE(m->arena, prism, n);
    if (!p) return nav_arena_failure(m->arena);
    for (int32_t i = 0; i < n; i++) *count += make_prism(m->cfg, found[i], &p[*count]);
    return NAV_OK;
}

nav_status nav_surface_volumes(surface_mesh *m, const nav_tile_source *source)
{
    prism *prisms;
    int32_t count;
    const bool bounded = nav_tile_is_bounded(source);
    if (source->volume_count == 0 && !bounded) return NAV_OK;
    nav_status s = find_prisms(m, source, &prisms, &count);
    if (count > 0) { // what is steep stands where the pieces go
        m->uncut_count = m->tri_count;
        m->single = false;
        m->steep_count = 0;
    }
    for (int32_t i = 0; i < count && s == NAV_OK; i++) {
        cutter w = {.m = m, .p = &prisms[i]};
        const nav_volume *v = prisms[i].volume;
        const int32_t triangles = m->tri_count; // their pieces are inside, or not
        for (w.t = 0; w.t < triangles && s == NAV_OK; w.t++)
            s = apply(&w, v->include ? m->area[w.t] | INCLUDED : v->area);
    }
    for (int32_t t = 0; t < m->tri_count && bounded; t++)
        m->area[t] = m->area[t] & INCLUDED ? m->area[t] & (uint8_t)~INCLUDED : SURFACE_EXCLUDED;
    return s;
}
