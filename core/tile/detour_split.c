// Makes the cuts of a crowded border. A cut is a new vertex on a straight edge. Where a polygon then has more corners
// than Detour takes, it is cut along the diagonal that leaves the two halves most alike, and again, until all are small
// enough. The height mesh is cut along the same line: nothing of it is lost.
//
//   o-----x--x--x-----o       x: cuts. Six corners at most to each part, so a diagonal goes from a cut to a corner. A
//    \     \         /        triangle of the height mesh that it crosses becomes up to three; their new corners are
//     \     \       /         extra vertices on the diagonal, or the end of the diagonal where the border is.
//      o-----o-----o
//
// Source: clipping by I. Sutherland and G. Hodgman, Reentrant polygon clipping (1974).

#include "core/tile/detour_split.h"

#include "core/tile/detour.h"

#include <string.h>

// A polygon of the result with its height mesh. Triangle corners below `corners` are its own, those above are extras.
typedef struct part {
    int32_t origin; // polygon of the input
    int32_t corners, extras, tris;
    int32_t *vert, *behind; // behind: polygons of the input, which may be its own origin
    float (*extra)[3];      // x, y, z
    int32_t (*tri)[4];
} part;

typedef struct splitter {
    nav_arena *arena;
    const nav_tile *in;
    nav_polygons polys; // of the result
    part *parts;        // those of the input's polygons in their order, then the ones cut off
    int32_t count, room;
} splitter;

static nav_status take_part(nav_arena *arena, part *p)
{
    p->vert = NAV_TAKE(arena, int32_t, p->corners);
    p->behind = NAV_TAKE(arena, int32_t, p->corners);
    p->extra = nav_arena_take(arena, (size_t)p->extras, sizeof *p->extra);
    p->tri = nav_arena_take(arena, (size_t)p->tris, sizeof *p->tri);
    return p->vert && p->behind && p->extra && p->tri ? NAV_OK : NAV_ERR_MEMORY;
}

static int32_t border_place(const nav_polygons *p, int32_t behind, int32_t vert)
{
    return behind == NAV_EDGE_PORTAL_XMAX || behind == NAV_EDGE_PORTAL_XMIN ? p->z[vert] : p->x[vert];
}

static int32_t add_vertex(splitter *s, int32_t on, int32_t behind, const detour_cut *cut)
{
    nav_polygons *p = &s->polys;
    bool along_z = behind == NAV_EDGE_PORTAL_XMAX || behind == NAV_EDGE_PORTAL_XMIN;
    p->x[p->vert_count] = along_z ? p->x[on] : cut->at;
    p->z[p->vert_count] = along_z ? cut->at : p->z[on];
    p->y[p->vert_count] = cut->y;
    return p->vert_count++;
}

static void copy_detail(const nav_detail *d, int32_t poly, int32_t corners, const int32_t *moved, part *out)
{
    for (int32_t k = 0; k < out->extras; k++) {
        int32_t from = d->vert_first[poly] + k;
        out->extra[k][0] = d->x[from];
        out->extra[k][1] = d->y[from];
        out->extra[k][2] = d->z[from];
    }
    for (int32_t t = 0; t < out->tris; t++) {
        const uint8_t *tri = d->tri[d->tri_first[poly] + t];
        for (int k = 0; k < 3; k++) out->tri[t][k] = tri[k] < corners ? moved[tri[k]] : tri[k] - corners + out->corners;
        out->tri[t][3] = tri[3];
    }
}

// Polygon `poly` with the cuts on its edges, which begin at *cut.
static nav_status make_part(splitter *s, int32_t poly, const detour_cut **cut, const detour_cut *end, part *out)
{
    const nav_polygons *p = &s->in->polygons;
    const nav_detail *d = &s->in->detail;
    int32_t first = p->first[poly], corners = p->first[poly + 1] - first, moved[NAV_DETOUR_POLY_VERTS];
    const detour_cut *stop = *cut;
    while (stop < end && stop->corner < first + corners) stop++;
    bool detailed = d->tri_first && d->tri_first[poly + 1] > d->tri_first[poly];
    *out = (part){.origin = poly,
                  .corners = corners + (int32_t)(stop - *cut),
                  .extras = detailed ? d->vert_first[poly + 1] - d->vert_first[poly] : 0,
                  .tris = detailed ? d->tri_first[poly + 1] - d->tri_first[poly] : 0};
    nav_status status = take_part(s->arena, out);
    if (status != NAV_OK) return status;
    for (int32_t k = 0, to = 0; k < corners; k++) {
        int32_t vert = p->vert[first + k], behind = p->behind[first + k];
        moved[k] = to;
        out->vert[to] = vert;
        out->behind[to++] = behind;
        const detour_cut *run = *cut;
        while (*cut < stop && (*cut)->corner == first + k) ++*cut;
        bool forward = run < *cut && border_place(p, behind, vert) < run->at;
        for (int32_t n = (int32_t)(*cut - run), i = 0; i < n; i++) {
            out->vert[to] = add_vertex(s, vert, behind, forward ? run + i : run + n - 1 - i);
            out->behind[to++] = behind;
        }
    }
    copy_detail(d, poly, corners, moved, out);
    return NAV_OK;
}

// --- Cutting a part in two

typedef struct diagonal {
    int32_t from, to; // corners, from < to
} diagonal;

static int64_t cross_of(const nav_polygons *p, int32_t a, int32_t b)
{
    return (int64_t)p->x[a] * p->z[b] - (int64_t)p->x[b] * p->z[a];
}

// A cut that lies on a straight border still.
static bool is_open_cut(const splitter *s, const part *in, int32_t k)
{
    int32_t before = k ? k - 1 : in->corners - 1;
    return in->vert[k] >= s->in->polygons.vert_count && in->behind[k] < 0 && in->behind[k] == in->behind[before];
}

static bool has_open_cut(const splitter *s, const part *in)
{
    for (int32_t k = 0; k < in->corners; k++)
        if (is_open_cut(s, in, k)) return true;
    return false;
}

// The diagonal from an open cut, with area on both sides, that leaves the smallest larger half.
static diagonal choose_diagonal(const splitter *s, const part *in)
{
    const nav_polygons *p = &s->polys;
    diagonal best = {0, 0};
    int32_t n = in->corners, best_size = n;
    int64_t all = 0;
    for (int32_t k = 0; k < n; k++) all += cross_of(p, in->vert[k], in->vert[(k + 1) % n]);
    for (int32_t i = 0; i + 2 < n; i++) {
        int64_t behind = cross_of(p, in->vert[i], in->vert[i + 1]);
        for (int32_t k = i + 2; k < n; k++) {
            behind += cross_of(p, in->vert[k - 1], in->vert[k]);
            int64_t half = behind + cross_of(p, in->vert[k], in->vert[i]);
            int32_t size = k - i + 1 > n - (k - i) + 1 ? k - i + 1 : n - (k - i) + 1;
            if (half == 0 || half == all || size >= best_size) continue;
            if (!is_open_cut(s, in, i) && !is_open_cut(s, in, k)) continue;
            best = (diagonal){i, k};
            best_size = size;
        }
    }
    return best;
}

// A vertex of the mesh while it is cut.
typedef struct point {
    double at[3];     // x, y, z
    double side;      // above 0 in the half with the corners from..to
    int32_t local[2]; // number in each half
} point;

typedef struct crossing {
    int32_t a, b; // points, a < b
    int32_t local[2];
} crossing;

typedef struct cutter {
    const part *in;
    diagonal line;
    point *points; // corners, then extras
    crossing *crossings;
    int32_t crossing_count;
    part half[2];
} cutter;

static void place_points(cutter *c, const nav_polygons *p)
{
    const part *in = c->in;
    for (int32_t k = 0; k < in->corners + in->extras; k++) {
        point *pt = &c->points[k];
        for (int a = 0; a < 3; a++) {
            const int32_t *whole = a == 0 ? p->x : a == 1 ? p->y : p->z;
            pt->at[a] = k < in->corners ? (double)whole[in->vert[k]] : (double)in->extra[k - in->corners][a];
        }
    }
    const double *from = c->points[c->line.from].at, *to = c->points[c->line.to].at;
    for (int32_t k = 0; k < in->corners + in->extras; k++) {
        point *pt = &c->points[k];
        pt->side = (to[0] - from[0]) * (pt->at[2] - from[2]) - (to[2] - from[2]) * (pt->at[0] - from[0]);
        pt->local[0] = pt->local[1] = -1;
    }
}

static int32_t add_extra(part *half, const double at[3])
{
    for (int a = 0; a < 3; a++) half->extra[half->extras][a] = (float)at[a];
    return half->corners + half->extras++;
}

static void share_points(cutter *c)
{
    const part *in = c->in;
    for (int h = 0; h < 2; h++) {
        part *half = &c->half[h];
        int32_t first = h ? c->line.to : c->line.from, last = h ? c->line.from : c->line.to;
        for (int32_t k = first, to = 0;; k = k + 1 == in->corners ? 0 : k + 1, to++) {
            half->vert[to] = in->vert[k];
            half->behind[to] = k == last ? in->origin : in->behind[k]; // the closing edge is the diagonal
            c->points[k].local[h] = to;
            if (k == last) break;
        }
    }
    for (int32_t k = in->corners; k < in->corners + in->extras; k++)
        for (int h = 0; h < 2; h++)
            if (h ? c->points[k].side <= 0 : c->points[k].side >= 0)
                c->points[k].local[h] = add_extra(&c->half[h], c->points[k].at);
}

// Number, in half h, of the point where the edge between a and b crosses the diagonal. On the boundary that is an end
// of the diagonal, inside a new extra vertex that both triangles of the edge share.
static int32_t cross_edge(cutter *c, int32_t a, int32_t b, bool boundary, int h)
{
    if (a > b) {
        int32_t swap = a;
        a = b;
        b = swap;
    }
    const point *pa = &c->points[a], *pb = &c->points[b];
    double t = pa->side / (pa->side - pb->side), at[3];
    for (int k = 0; k < 3; k++) at[k] = pa->at[k] + (pb->at[k] - pa->at[k]) * t;
    if (boundary) {
        double distance[2];
        for (int e = 0; e < 2; e++) {
            const double *end = c->points[e ? c->line.to : c->line.from].at;
            distance[e] = (end[0] - at[0]) * (end[0] - at[0]) + (end[2] - at[2]) * (end[2] - at[2]);
        }
        return c->points[distance[1] < distance[0] ? c->line.to : c->line.from].local[h];
    }
    for (int32_t k = 0; k < c->crossing_count; k++)
        if (c->crossings[k].a == a && c->crossings[k].b == b) return c->crossings[k].local[h];
    crossing *x = &c->crossings[c->crossing_count++];
    *x = (crossing){a, b, {add_extra(&c->half[0], at), add_extra(&c->half[1], at)}};
    return x->local[h];
}

// The piece of a triangle in half h, as a fan.
static void clip_triangle(cutter *c, const int32_t tri[4], int h)
{
    part *half = &c->half[h];
    int32_t local[4], flag[4];
    bool on_line[4], inside = false;
    int n = 0;
    for (int k = 0; k < 3; k++) {
        const point *a = &c->points[tri[k]], *b = &c->points[tri[(k + 1) % 3]];
        double side = h ? -a->side : a->side, next = h ? -b->side : b->side;
        bool boundary = tri[3] >> 2 * k & 1;
        if (side >= 0) {
            local[n] = a->local[h];
            on_line[n] = side == 0;
            flag[n++] = boundary;
            inside = inside || side > 0;
        }
        if ((side > 0 && next < 0) || (side < 0 && next > 0)) {
            local[n] = cross_edge(c, tri[k], tri[(k + 1) % 3], boundary, h);
            on_line[n] = true;
            flag[n++] = boundary;
        }
    }
    if (!inside) return;
    for (int k = 0; k < n; k++)
        if (on_line[k] && on_line[(k + 1) % n]) flag[k] = 1;
    for (int k = 2; k < n; k++) {
        int32_t *out = half->tri[half->tris++];
        out[0] = local[0];
        out[1] = local[k - 1];
        out[2] = local[k];
        out[3] = (k == 2 ? flag[0] : 0) | flag[k - 1] << 2 | (k == n - 1 ? flag[n - 1] << 4 : 0);
    }
}

// Cuts part i: one half takes its place, the other goes to the end.
static nav_status cut_part(splitter *s, int32_t i)
{
    cutter c = {.in = &s->parts[i], .line = choose_diagonal(s, &s->parts[i])};
    const part *in = c.in;
    int32_t across = c.line.to - c.line.from;
    if (!across) return NAV_ERR_INTERNAL; // only a polygon without area has no diagonal
    c.points = NAV_TAKE(s->arena, point, in->corners + in->extras);
    c.crossings = NAV_TAKE(s->arena, crossing, 3 * (size_t)in->tris);
    nav_status status = c.points && c.crossings ? NAV_OK : NAV_ERR_MEMORY;
    for (int h = 0; status == NAV_OK && h < 2; h++) {
        c.half[h] = (part){.origin = in->origin,
                           .corners = h ? in->corners - across + 1 : across + 1,
                           .extras = in->extras + 3 * in->tris,
                           .tris = 2 * in->tris};
        status = take_part(s->arena, &c.half[h]);
        c.half[h].extras = c.half[h].tris = 0;
    }
    if (status != NAV_OK) return status;
    place_points(&c, &s->polys);
    share_points(&c);
    for (int32_t t = 0; t < in->tris; t++)
        for (int h = 0; h < 2; h++) clip_triangle(&c, in->tri[t], h);
    s->parts[i] = c.half[0];
    s->parts[s->count++] = c.half[1];
    return NAV_OK;
}

// --- Putting the result together

static int32_t part_with_edge(const splitter *s, int32_t origin, int32_t from, int32_t to)
{
    int32_t i = origin;
    for (;;) {
        const part *p = &s->parts[i];
        for (int32_t k = 0; p->origin == origin && k < p->corners; k++)
            if (p->vert[k] == from && p->vert[k + 1 == p->corners ? 0 : k + 1] == to) return i;
        i = i == origin && i < s->in->polygons.count ? s->in->polygons.count : i + 1;
        if (i >= s->count) return origin;
    }
}

static nav_status assemble(splitter *s, nav_tile *out)
{
    int32_t corners = 0, extras = 0, tris = 0;
    for (int32_t i = 0; i < s->count; i++) {
        corners += s->parts[i].corners;
        extras += s->parts[i].extras;
        tris += s->parts[i].tris;
    }
    nav_polygons *p = &s->polys;
    nav_detail d = {0};
    p->count = s->count;
    p->first = NAV_TAKE(s->arena, int32_t, s->count + 1);
    p->vert = NAV_TAKE(s->arena, int32_t, corners);
    p->behind = NAV_TAKE(s->arena, int32_t, corners);
    p->area = NAV_TAKE(s->arena, uint8_t, s->count);
    const uint8_t *unreached = s->in->polygons.unreached;
    p->unreached = unreached ? NAV_TAKE(s->arena, uint8_t, s->count) : NULL;
    if (unreached && !p->unreached) return NAV_ERR_MEMORY;
    d.vert_first = NAV_TAKE(s->arena, int32_t, s->count + 1);
    d.tri_first = NAV_TAKE(s->arena, int32_t, s->count + 1);
    d.x = NAV_TAKE(s->arena, float, extras);
    d.y = NAV_TAKE(s->arena, float, extras);
    d.z = NAV_TAKE(s->arena, float, extras);
    d.tri = nav_arena_take(s->arena, (size_t)tris, sizeof *d.tri);
    if (!p->first || !p->vert || !p->behind || !p->area || !d.vert_first || !d.tri_first || !d.x || !d.y || !d.z ||
        !d.tri)
        return NAV_ERR_MEMORY;
    p->first[0] = d.vert_first[0] = d.tri_first[0] = 0;
    for (int32_t i = 0; i < s->count; i++) {
        const part *from = &s->parts[i];
        if (from->corners + from->extras > 255) return NAV_ERR_LIMIT;
        p->area[i] = s->in->polygons.area[from->origin];
        if (unreached) p->unreached[i] = unreached[from->origin];
        p->first[i + 1] = p->first[i] + from->corners;
        for (int32_t k = 0; k < from->corners; k++) {
            int32_t next = from->vert[k + 1 == from->corners ? 0 : k + 1], behind = from->behind[k];
            p->vert[p->first[i] + k] = from->vert[k];
            p->behind[p->first[i] + k] = behind < 0 ? behind : part_with_edge(s, behind, next, from->vert[k]);
        }
        for (int32_t k = 0; k < from->extras; k++) {
            d.x[d.vert_count] = from->extra[k][0];
            d.y[d.vert_count] = from->extra[k][1];
            d.z[d.vert_count++] = from->extra[k][2];
        }
        for (int32_t t = 0; t < from->tris; t++, d.tri_count++)
            for (int k = 0; k < 4; k++) d.tri[d.tri_count][k] = (uint8_t)from->tri[t][k];
        d.vert_first[i + 1] = d.vert_count;
        d.tri_first[i + 1] = d.tri_count;
    }
    *out = *s->in;
    out->polygons = *p;
    out->detail = d;
    return NAV_OK;
}

static nav_status copy_vertices(splitter *s, int32_t more)
{
    const nav_polygons *p = &s->in->polygons;
    size_t room = (size_t)p->vert_count + (size_t)more, bytes = (size_t)p->vert_count * sizeof *p->x;
    s->polys.vert_count = p->vert_count;
    s->polys.x = NAV_TAKE(s->arena, int32_t, room);
    s->polys.y = NAV_TAKE(s->arena, int32_t, room);
    s->polys.z = NAV_TAKE(s->arena, int32_t, room);
    if (!s->polys.x || !s->polys.y || !s->polys.z) return NAV_ERR_MEMORY;
    memcpy(s->polys.x, p->x, bytes);
    memcpy(s->polys.y, p->y, bytes);
    memcpy(s->polys.z, p->z, bytes);
    return NAV_OK;
}

nav_status nav_detour_make_cuts(const nav_tile *tile, const detour_cuts *cuts, detour_copy *out)
{
    *out = (detour_copy){0};
    nav_arena_init(&out->arena, 0);
    splitter s = {.arena = &out->arena, .in = tile, .count = tile->polygons.count};
    // One part more for each cut. No part has more corners than its polygon had: a diagonal takes one at least from
    // each.
    s.room = tile->polygons.count + cuts->count;
    s.parts = NAV_TAKE_ZERO(s.arena, part, s.room);
    nav_status status = s.parts ? copy_vertices(&s, cuts->count) : NAV_ERR_MEMORY;
    const detour_cut *cut = cuts->cut, *end = cuts->cut + cuts->count;
    for (int32_t p = 0; status == NAV_OK && p < tile->polygons.count; p++)
        status = make_part(&s, p, &cut, end, &s.parts[p]);
    for (int32_t i = 0; status == NAV_OK && i < s.count; i++)
        while (status == NAV_OK && has_open_cut(&s, &s.parts[i])) status = cut_part(&s, i);
    if (status == NAV_OK) status = assemble(&s, &out->tile);
    if (status != NAV_OK) nav_detour_copy_deinit(out);
    return status;
}

void nav_detour_copy_deinit(detour_copy *c)
{
    nav_arena_deinit(&c->arena);
    *c = (detour_copy){0};
}
