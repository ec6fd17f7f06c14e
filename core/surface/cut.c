// Cutting triangles along the tile's sides.
//
//         /\             A face is the part of a triangle inside of the tile. Where an edge passes a side is worked out
//        /  \            from the whole edge (nav_surface_cross()), so its partner has the same corners there, and so
//    ---x====x---        have both triangles in the tile behind. Along the side (=) there is always something behind:
//      /      \          the other part of the triangle.
//     /________\         An edge that lies on a side has what it is joined to behind it, which is in the other tile.
#include "core/surface/surface_work.h"

#include <math.h>
#include <string.h>

// Lower x, then z, then y.
// from + step * part / whole, to the nearest; whole > 0. Differences are below 2^30.
static int32_t share(int32_t from, int64_t step, int64_t part, int64_t whole)
{
    int64_t n = 2 * step * part + whole, d = 2 * whole, q = n / d;
    if (q * d > n) q--;
    return (int32_t)(from + q);
}

int32_t nav_surface_cross(const surface_mesh *m, int32_t a, int32_t b, int axis, int32_t at, int32_t *height)
{
    if (surface_is_lower(m, b, a)) {
        int32_t t = a;
        a = b;
        b = t;
    }
    const int32_t *along = axis ? m->z : m->x, *across = axis ? m->x : m->z;
    int64_t whole = (int64_t)along[b] - along[a], part = (int64_t)at - along[a];
    if (whole < 0) {
        whole = -whole;
        part = -part;
    }
    if (whole == 0) { // along the side, all of it: a corner that was put on the edge lies a rounding off it
        *height = m->y[a];
        return across[a];
    }
    *height = share(m->y[a], (int64_t)m->y[b] - m->y[a], part, whole);
    return share(across[a], (int64_t)across[b] - across[a], part, whole);
}

int32_t nav_surface_height(const surface_mesh *m, const int32_t vert[3], int32_t x, int32_t z)
{
    int32_t v[3] = {vert[0], vert[1], vert[2]};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (surface_is_lower(m, v[k + 1], v[k])) {
                int32_t t = v[k];
                v[k] = v[k + 1];
                v[k + 1] = t;
            }
    int64_t ux = (int64_t)m->x[v[1]] - m->x[v[0]], uz = (int64_t)m->z[v[1]] - m->z[v[0]];
    int64_t wx = (int64_t)m->x[v[2]] - m->x[v[0]], wz = (int64_t)m->z[v[2]] - m->z[v[0]];
    int64_t dx = (int64_t)x - m->x[v[0]], dz = (int64_t)z - m->z[v[0]], whole = ux * wz - uz * wx;
    if (whole == 0) return m->y[v[0]];
    double u = (double)(dx * wz - dz * wx) / (double)whole, w = (double)(ux * dz - uz * dx) / (double)whole;
    double y = m->y[v[0]] + u * ((double)m->y[v[1]] - m->y[v[0]]) + w * ((double)m->y[v[2]] - m->y[v[0]]);
    return y > -NAV_SURFACE_REACH && y < NAV_SURFACE_REACH ? (int32_t)floor(y + 0.5) : m->y[v[0]];
}

enum { WHOLE = 0, OUTSIDE = 16 };

// A face while it is cut: triangle edges have half-edges as labels, sides NAV_EDGE_PORTAL_*.
typedef struct ring {
    int32_t count, vert[8], label[8];
} ring;

static const int32_t side_label[4] = {NAV_EDGE_PORTAL_XMIN, NAV_EDGE_PORTAL_XMAX, NAV_EDGE_PORTAL_ZMIN,
                                      NAV_EDGE_PORTAL_ZMAX};

// How far a vertex is inside of a side of the tile.
static int32_t inside(const surface_mesh *m, int32_t vert, int side)
{
    int32_t at = side < 2 ? m->x[vert] : m->z[vert];
    return side & 1 ? m->cfg->tile_units - at : at;
}

// Where the edge with that label, from one vertex to another, passes a side. One that a volume has cut through a
// triangle is on its plane, and may begin on the side.
static int32_t pass(surface_mesh *m, int32_t label, const int32_t uncut[3], int side, int32_t before, int32_t after)
{
    int32_t at = side & 1 ? m->cfg->tile_units : 0, height, x, z;
    if (label >= 0) {
        int32_t a, b;
        surface_ends(m, label, &a, &b);
        const bool within = !surface_is_corner(uncut, a) || !surface_is_corner(uncut, b);
        if (within && inside(m, before, side) == 0) return before;
        if (within && inside(m, after, side) == 0) return after;
        int32_t other = nav_surface_cross(m, a, b, side >> 1, at, &height);
        x = side < 2 ? at : other;
        z = side < 2 ? other : at;
        if (within) height = nav_surface_height(m, uncut, x, z);
    } else { // along another side: the tile's corner
        x = side < 2 ? at : m->x[before];
        z = side < 2 ? m->z[before] : at;
        height = nav_surface_height(m, uncut, x, z);
    }
    return nav_surface_vert(m, x, z, height);
}

static void cut(surface_mesh *m, const ring *in, const int32_t uncut[3], int side, ring *out)
{
    out->count = 0;
    for (int32_t i = 0; i < in->count; i++) {
        int32_t a = in->vert[i], b = in->vert[i + 1 < in->count ? i + 1 : 0], label = in->label[i];
        bool a_in = inside(m, a, side) >= 0, b_in = inside(m, b, side) >= 0;
        if (a_in) {
            out->vert[out->count] = a;
            out->label[out->count++] = label;
        }
        if (a_in == b_in) continue;
        int32_t p = pass(m, label, uncut, side, a, b);
        out->vert[out->count] = p;
        out->label[out->count++] = a_in ? side_label[side] : label;
    }
}

// Takes edges without length away.
static void tidy(const surface_mesh *m, ring *r)
{
    int32_t n = 0;
    for (int32_t i = 0; i < r->count; i++) {
        int32_t b = r->vert[i + 1 < r->count ? i + 1 : 0];
        if (nav_point_same(surface_at(m, r->vert[i]), surface_at(m, b))) continue;
        r->vert[n] = r->vert[i];
        r->label[n++] = r->label[i];
    }
    r->count = n;
}

static void add_face(const surface_mesh *m, surface_faces *f, int32_t *corner_of, const ring *r, int32_t t)
{
    if (r->count < 2) return;
    for (int32_t i = 0; i < r->count; i++) {
        int32_t c = f->corner_count++;
        f->vert[c] = r->vert[i];
        f->label[c] = r->label[i];
        f->face[c] = f->count;
        if (r->label[i] >= 0) corner_of[r->label[i]] = c;
    }
    f->triangle[f->count] = t;
    f->area[f->count++] = m->area[t];
    f->first[f->count] = f->corner_count;
}

// The side that an edge lies on, as a portal; NAV_EDGE_WALL: on none.
static int32_t side_of(const surface_mesh *m, int32_t a, int32_t b)
{
    for (int side = 0; side < 4; side++)
        if (inside(m, a, side) == 0 && inside(m, b, side) == 0) return side_label[side];
    return NAV_EDGE_WALL;
}

static void link_faces(const surface_mesh *m, surface_faces *f, const int32_t *corner_of)
{
    for (int32_t c = 0; c < f->corner_count; c++) {
        int32_t label = f->label[c], twin = label >= 0 ? m->twin[label] : SURFACE_NONE;
        if (label < 0)
            f->behind[c] = label;
        else if (twin < 0 && m->away && m->away[label] < 0)
            f->behind[c] = NAV_EDGE_SEAM;
        else if (twin < 0 || (corner_of[twin] < 0 && m->area[twin / 3] == SURFACE_EXCLUDED))
            f->behind[c] = NAV_EDGE_WALL;
        else if (corner_of[twin] >= 0)
            f->behind[c] = corner_of[twin];
        else
            f->behind[c] = side_of(m, f->vert[c], f->vert[surface_corner_after(f, c)]);
    }
}

// OUTSIDE, WHOLE, or bits of the sides that a triangle passes.
static uint8_t kind_of(const surface_mesh *m, const int32_t *v)
{
    const int32_t side = m->cfg->tile_units;
    nav_point p[3] = {surface_at(m, v[0]), surface_at(m, v[1]), surface_at(m, v[2])}, low, high;
    nav_points_bound(p, 3, &low, &high);
    if (high.x <= 0 || high.z <= 0 || low.x >= side || low.z >= side) return OUTSIDE;
    return (uint8_t)((low.x < 0) | (high.x > side) << 1 | (low.z < 0) << 2 | (high.z > side) << 3);
}

nav_status nav_surface_cut(surface_mesh *m, surface_faces *f)
{
    *f = (surface_faces){0};
    uint8_t *kind = NAV_TAKE(m->arena, uint8_t, m->tri_count);
    if (!kind) return nav_arena_failure(m->arena);
    int32_t crossed = 0, whole = 0;
    for (int32_t t = 0; t < m->tri_count; t++) {
        kind[t] = kind_of(m, m->vert + 3 * (size_t)t);
        whole += kind[t] == WHOLE;
        crossed += kind[t] != WHOLE && kind[t] != OUTSIDE;
    }
    size_t corners = 3 * (size_t)whole + 7 * (size_t)crossed, faces = (size_t)whole + (size_t)crossed;
    int32_t *corner_of = NAV_TAKE(m->arena, int32_t, 3 * (size_t)m->tri_count);
    f->first = NAV_TAKE(m->arena, int32_t, faces + 1);
    f->region = NAV_TAKE(m->arena, int32_t, faces);
    f->triangle = NAV_TAKE(m->arena, int32_t, faces);
    f->area = NAV_TAKE(m->arena, uint8_t, faces);
    f->vert = NAV_TAKE(m->arena, int32_t, corners);
    f->label = NAV_TAKE(m->arena, int32_t, corners);
    f->behind = NAV_TAKE(m->arena, int32_t, corners);
    f->face = NAV_TAKE(m->arena, int32_t, corners);
    if (!corner_of || !f->first || !f->region || !f->triangle || !f->area || !f->vert || !f->label || !f->behind ||
        !f->face)
        return nav_arena_failure(m->arena);
    nav_status s = nav_surface_reserve(m, 8 * (int64_t)crossed);
    if (s != NAV_OK) return s;
    memset(corner_of, 0xff, 3 * (size_t)m->tri_count * sizeof *corner_of);
    f->first[0] = 0;
    for (int32_t t = 0; t < m->tri_count; t++) {
        if (kind[t] == OUTSIDE) continue;
        ring r[2];
        int turn = 0;
        r[0].count = 3;
        for (int k = 0; k < 3; k++) {
            r[0].vert[k] = m->vert[3 * t + k];
            r[0].label[k] = 3 * t + k;
        }
        for (int d = 0; d < 4 && kind[t] != WHOLE; d++) {
            if (!(kind[t] >> d & 1)) continue;
            cut(m, &r[turn], surface_uncut(m, t), d, &r[!turn]);
            turn = !turn;
        }
        if (kind[t] != WHOLE) tidy(m, &r[turn]);
        add_face(m, f, corner_of, &r[turn], t);
    }
    link_faces(m, f, corner_of);
    return NAV_OK;
}
