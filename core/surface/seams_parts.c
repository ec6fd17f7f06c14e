// Edges of which a part is the edge of a triangle of another sheet.
//
//      floor            The wall's triangles have other corners along the line than the floor's. The floor's edge is
//     ------o------     cut at them, as it is at corners of its own sheet; then each part is asked what is behind it.
//      |  wall |
#include "core/base/sort.h"
#include "core/surface/buckets.h"
#include "core/surface/seams.h"

#include <math.h>
#include <string.h>

enum { NEAR = 3 }; // units and steps: what is no farther is in one place but for rounding

typedef struct corner {
    int32_t x, z, y;
} corner;

// An edge of a gathered triangle that is not of the tile's sheet.
typedef struct strange_edge {
    corner from, to;
    uint32_t triangle;
    int32_t k;
} strange_edge;

struct surface_strangers {
    strange_edge *of;
    int32_t count, capacity;
    surface_buckets buckets;
};

// The box around open edges behind which nothing was found, in units and steps.
typedef struct box {
    corner low, high;
    int32_t count;
} box;

static corner corner_at(const surface_mesh *m, int32_t v)
{
    return (corner){m->x[v], m->z[v], m->y[v]};
}

static void widen(box *b, corner c)
{
    b->low.x = c.x - NEAR < b->low.x ? c.x - NEAR : b->low.x;
    b->low.z = c.z - NEAR < b->low.z ? c.z - NEAR : b->low.z;
    b->low.y = c.y - NEAR < b->low.y ? c.y - NEAR : b->low.y;
    b->high.x = c.x + NEAR > b->high.x ? c.x + NEAR : b->high.x;
    b->high.z = c.z + NEAR > b->high.z ? c.z + NEAR : b->high.z;
    b->high.y = c.y + NEAR > b->high.y ? c.y + NEAR : b->high.y;
}

static bool is_unmet(const surface_mesh *m, int32_t half)
{
    return m->twin[half] == SURFACE_NONE && !m->met[half] &&
           surface_is_near(m, surface_at(m, m->vert[half]), surface_at(m, m->vert[surface_next(half)]));
}

static box box_of_unmet(const surface_mesh *m)
{
    box b = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}, 0};
    for (int32_t h = 0; h < 3 * m->tri_count; h++) {
        if (!is_unmet(m, h)) continue;
        b.count++;
        widen(&b, corner_at(m, m->vert[h]));
        widen(&b, corner_at(m, m->vert[surface_next(h)]));
    }
    return b;
}

static bool meets(const box *b, corner p, corner q)
{
    return !((p.x < b->low.x && q.x < b->low.x) || (p.x > b->high.x && q.x > b->high.x) ||
             (p.z < b->low.z && q.z < b->low.z) || (p.z > b->high.z && q.z > b->high.z) ||
             (p.y < b->low.y && q.y < b->low.y) || (p.y > b->high.y && q.y > b->high.y));
}

static nav_status add_edges(const surface_mesh *m, surface_strangers *s, const box *b, uint32_t triangle)
{
    int32_t at[3][3];
    if (!nav_surface_snap_corners(m, m->sheets->triangles->verts + 9 * (size_t)triangle, at)) return NAV_OK;
    for (int k = 0; k < 3; k++) {
        const int32_t *p = at[k], *q = at[(k + 1) % 3];
        const strange_edge e = {{p[0], p[2], p[1]}, {q[0], q[2], q[1]}, triangle, k};
        if (!meets(b, e.from, e.to)) continue;
        nav_status status = nav_grow(m->arena, (void **)&s->of, &s->capacity, (int64_t)s->count + 1, sizeof *s->of);
        if (status != NAV_OK) return status;
        s->of[s->count++] = e;
    }
    return NAV_OK;
}

// By place: the order that triangles come in is that of an index.
static bool is_before(const void *none, const strange_edge *a, const strange_edge *b)
{
    const int32_t p[6] = {a->from.x, a->from.z, a->from.y, a->to.x, a->to.z, a->to.y};
    const int32_t q[6] = {b->from.x, b->from.z, b->from.y, b->to.x, b->to.z, b->to.y};
    (void)none;
    for (int k = 0; k < 6; k++)
        if (p[k] != q[k]) return p[k] < q[k];
    return false;
}

NAV_DEFINE_SORT(sort_edges, strange_edge, const void *, is_before)

nav_status nav_surface_find_strangers(surface_mesh *m)
{
    const box b = box_of_unmet(m);
    m->strangers = NULL;
    if (b.count == 0) return NAV_OK;
    surface_strangers *s = NAV_TAKE(m->arena, surface_strangers, 1);
    if (!s) return nav_arena_failure(m->arena);
    memset(s, 0, sizeof *s);
    nav_status status = NAV_OK;
    for (uint32_t t = 0; t < m->sheets->triangles->count && status == NAV_OK; t++)
        if (!m->sheets->mine[t]) status = add_edges(m, s, &b, t);
    if (status != NAV_OK || s->count == 0) return status;
    sort_edges(s->of, s->count, NULL);
    nav_point *from = NAV_TAKE(m->arena, nav_point, s->count), *to = NAV_TAKE(m->arena, nav_point, s->count);
    if (!from || !to) return nav_arena_failure(m->arena);
    for (int32_t i = 0; i < s->count; i++) {
        from[i] = (nav_point){s->of[i].from.x, s->of[i].from.z};
        to[i] = (nav_point){s->of[i].to.x, s->of[i].to.z};
    }
    status = nav_buckets_build(from, to, s->count, m->low, m->high, m->arena, &s->buckets);
    if (status == NAV_OK) m->strangers = s;
    return status;
}

nav_status nav_surface_add_strange_corners(surface_mesh *m, int32_t **verts, int32_t *count)
{
    const surface_strangers *s = m->strangers;
    *count = 0;
    if (!s) return NAV_OK;
    *verts = NAV_TAKE(m->arena, int32_t, s->count);
    nav_status status = *verts ? nav_surface_reserve(m, s->count) : nav_arena_failure(m->arena);
    for (int32_t i = 0; i < s->count && status == NAV_OK; i++) {
        const corner c = s->of[i].from; // each corner is the first of an edge
        (*verts)[(*count)++] = nav_surface_vert(m, c.x, c.z, c.y);
    }
    return status;
}

// Is a place within the edge, but for rounding?
static bool lies_on(const strange_edge *e, corner c, double scale)
{
    const double d[3] = {(double)e->to.x - e->from.x, ((double)e->to.y - e->from.y) * scale,
                         (double)e->to.z - e->from.z};
    const double p[3] = {(double)c.x - e->from.x, ((double)c.y - e->from.y) * scale, (double)c.z - e->from.z};
    const double whole = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double t = whole > 0 ? (p[0] * d[0] + p[1] * d[1] + p[2] * d[2]) / whole : 0, off = 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int a = 0; a < 3; a++) off += (p[a] - t * d[a]) * (p[a] - t * d[a]);
    return off <= NEAR * NEAR * (1 + scale * scale);
}

// The other way along it?
static bool runs_back(const strange_edge *e, corner a, corner b)
{
    return ((double)e->to.x - e->from.x) * ((double)b.x - a.x) + ((double)e->to.z - e->from.z) * ((double)b.z - a.z) <
           0;
}

static void meet(surface_mesh *m, int32_t half, double scale)
{
    const surface_strangers *s = m->strangers;
    const corner a = corner_at(m, m->vert[half]), b = corner_at(m, m->vert[surface_next(half)]);
    const nav_point p = {a.x, a.z}, q = {b.x, b.z};
    int32_t row, last, from, to;
    nav_buckets_rows(&s->buckets, p, q, &row, &last);
    for (; row <= last; row++) {
        if (!nav_buckets_row(&s->buckets, p, q, row, &from, &to)) continue;
        const int32_t *first = s->buckets.first + (size_t)row * (size_t)s->buckets.side;
        for (int32_t i = first[from]; i < first[to + 1]; i++) {
            const strange_edge *e = &s->of[s->buckets.item[i]];
            if (!runs_back(e, a, b) || !lies_on(e, a, scale) || !lies_on(e, b, scale)) continue;
            const float *shared = m->sheets->triangles->verts + 9 * (size_t)e->triangle + 3 * e->k;
            const float away = nav_surface_away(m, (uint32_t)m->source[half / 3], e->triangle, shared);
            if (!m->met[half] || away < m->away[half]) m->away[half] = away;
            m->met[half] = 1;
        }
    }
}

void nav_surface_meet_strangers(surface_mesh *m, const int32_t *open, int32_t count)
{
    const double scale = m->cfg->cell_height_m / m->cfg->unit_size_m;
    for (int32_t i = 0; i < count && m->strangers; i++)
        if (is_unmet(m, open[i])) meet(m, open[i], scale);
}
