// Cuts are the same whatever side they are made from: on the edge from a to b the cut is found from its lower end, on
// the axis of the cut. Neighbouring pieces therefore meet exactly.
#include "core/base/grow.h"
#include "core/outline/sources_work.h"

#include <string.h>

place nav_place(const nav_sources *s, const float at[3])
{
    const nav_config *c = s->cfg;
    const double grid = 16 * s->unit;
    return (place){(nearest_whole(((double)at[0] - c->origin_m[0]) / c->cell_size_m * grid) - s->first_x) / 16,
                   ((double)at[1] - c->origin_m[1]) / c->cell_height_m,
                   (nearest_whole(((double)at[2] - c->origin_m[2]) / c->cell_size_m * grid) - s->first_z) / 16};
}

void nav_piece_bounds(const piece *p, place *least, place *most)
{
    *least = *most = p->at[0];
    for (int32_t i = 1; i < p->count; i++) {
        least->x = lower(least->x, p->at[i].x);
        least->y = lower(least->y, p->at[i].y);
        least->z = lower(least->z, p->at[i].z);
        most->x = higher(most->x, p->at[i].x);
        most->y = higher(most->y, p->at[i].y);
        most->z = higher(most->z, p->at[i].z);
    }
}

void nav_piece_keep_in_box(const nav_sources *s, piece *p)
{
    place least, most;
    piece cut;
    nav_piece_bounds(p, &least, &most);
    if (least.x < s->box_x0) nav_piece_cut(p, 0, s->box_x0, true, &cut), *p = cut;
    if (most.x > s->box_x1) nav_piece_cut(p, 0, s->box_x1, false, &cut), *p = cut;
    if (least.z < s->box_z0) nav_piece_cut(p, 2, s->box_z0, true, &cut), *p = cut;
    if (most.z > s->box_z1) nav_piece_cut(p, 2, s->box_z1, false, &cut), *p = cut;
}

void nav_piece_of_face(const nav_sources *s, int32_t face, piece *out)
{
    out->count = s->faces.face[face].count;
    for (int32_t k = 0; k < out->count; k++)
        out->at[k] = nav_place(s, nav_face_corner(&s->faces, s->triangles, face, k));
    nav_piece_keep_in_box(s, out);
}

static double along(const place *p, int axis)
{
    return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

static place cut_edge(const place *a, const place *b, int axis, double value)
{
    if (along(a, axis) > along(b, axis)) {
        const place *swap = a;
        a = b;
        b = swap;
    }
    const double t = (value - along(a, axis)) / (along(b, axis) - along(a, axis));
    place p = {a->x + nearest_fine(t * (b->x - a->x)), a->y + t * (b->y - a->y),
               a->z + nearest_fine(t * (b->z - a->z))};
    if (axis == 0) p.x = value;
    if (axis == 1) p.y = value;
    if (axis == 2) p.z = value;
    return p;
}

void nav_piece_cut(const piece *p, int axis, double value, bool above, piece *out)
{
    out->count = 0;
    for (int32_t i = 0; i < p->count && out->count < PIECE_MOST - 1; i++) {
        const place *a = &p->at[i], *b = &p->at[i + 1 < p->count ? i + 1 : 0];
        const double from = above ? along(a, axis) - value : value - along(a, axis);
        const double to = above ? along(b, axis) - value : value - along(b, axis);
        if (from >= 0) out->at[out->count++] = *a;
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) out->at[out->count++] = cut_edge(a, b, axis, value);
    }
}

static int32_t clamp_column(double c, int32_t width)
{
    return c < -1 ? -1 : c > width ? width : floor_of(c);
}

columns nav_piece_columns(const nav_sources *s, place least, place most, double margin)
{
    const int32_t width = s->floors.width;
    const double border = s->cfg->border;
    return (columns){clamp_column((least.x - margin) * s->per_unit + border, width),
                     clamp_column((least.z - margin) * s->per_unit + border, width),
                     clamp_column((most.x + margin) * s->per_unit + border, width),
                     clamp_column((most.z + margin) * s->per_unit + border, width)};
}

bool nav_piece_middle(const nav_sources *s, place least, place most, int *axis, double *middle)
{
    const double x = most.x - least.x, z = most.z - least.z;
    if (x <= s->unit && z <= s->unit) return false;
    *axis = x >= z ? 0 : 2;
    const int32_t first = floor_of((x >= z ? least.x : least.z) * s->per_unit);
    const int32_t last = -floor_of(-(x >= z ? most.x : most.z) * s->per_unit);
    *middle = (first + (last - first) / 2) * s->unit;
    return true;
}

// --- sources ---

nav_status nav_sources_add(nav_sources *s, const nav_point *at, int32_t corners)
{
    nav_shapes *f = &s->found;
    if (f->count >= NAV_SOURCES_MOST) return NAV_ERR_LIMIT;
    nav_status status = nav_shapes_grow(f, s->arena, corners);
    if (status != NAV_OK) return status;
    memcpy(f->at + f->first[f->count], at, (size_t)corners * sizeof *at);
    f->first[f->count + 1] = f->first[f->count] + corners;
    f->count++;
    return NAV_OK;
}

nav_status nav_sources_add_piece(nav_sources *s, const piece *p)
{
    nav_point at[PIECE_MOST], to[2 * PIECE_MOST];
    if (p->count == 0) return NAV_OK;
    for (int32_t i = 0; i < p->count; i++) at[i] = (nav_point){nearest_unit(p->at[i].x), nearest_unit(p->at[i].z)};
    const int32_t corners = nav_convex_hull(at, p->count, to);
    return corners <= NAV_SOURCE_MAX_CORNERS ? nav_sources_add(s, to, corners) : NAV_ERR_LIMIT;
}

// --- lines ---

static uint32_t hash_line(nav_point a, nav_point b)
{
    uint64_t h = ((uint64_t)(uint32_t)a.x << 32 | (uint32_t)a.z) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ ((uint64_t)(uint32_t)b.x << 32 | (uint32_t)b.z)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(h >> 32);
}

static void enter_line(nav_sources *s, int32_t which)
{
    const uint32_t mask = (uint32_t)s->line_slots - 1;
    uint32_t slot = hash_line(s->lines[which].a, s->lines[which].b) & mask;
    while (s->line_table[slot]) slot = (slot + 1) & mask;
    s->line_table[slot] = which + 1;
    s->lines[which].slot = slot;
}

// a before b. NULL: there is none.
static line *known_line(const nav_sources *s, nav_point a, nav_point b)
{
    const uint32_t mask = (uint32_t)s->line_slots - 1;
    if (s->line_slots == 0) return NULL;
    for (uint32_t slot = hash_line(a, b) & mask; s->line_table[slot]; slot = (slot + 1) & mask) {
        line *l = &s->lines[s->line_table[slot] - 1];
        if (nav_point_same(l->a, a) && nav_point_same(l->b, b)) return l;
    }
    return NULL;
}

static nav_status find_line(nav_sources *s, nav_point a, nav_point b, int32_t *out)
{
    const line *known = known_line(s, a, b);
    if (known) {
        *out = (int32_t)(known - s->lines);
        return NAV_OK;
    }
    if (s->line_count >= NAV_SOURCES_MOST) return NAV_ERR_LIMIT;
    nav_status status =
        nav_grow(s->arena, (void **)&s->lines, &s->line_capacity, (int64_t)s->line_count + 1, sizeof *s->lines);
    if (status != NAV_OK) return status;
    if (2 * s->line_count >= s->line_slots) {
        const int32_t slots = s->line_slots > 0 ? 4 * s->line_slots : 1024;
        int32_t *table = NAV_TAKE_ZERO(s->arena, int32_t, slots);
        if (!table) return nav_arena_failure(s->arena);
        s->line_table = table;
        s->line_slots = slots;
        for (int32_t i = 0; i < s->line_count; i++) enter_line(s, i);
    }
    *out = s->line_count++;
    s->lines[*out] = (line){a, b, -1, 0};
    enter_line(s, *out);
    return NAV_OK;
}

// Lists stay without overlap, in no order: what the new one meets is taken out and joined to it.
nav_status nav_sources_add_part(nav_sources *s, nav_point a, nav_point b, double from, double to)
{
    int32_t at = 0;
    if (nav_point_before(b, a)) {
        const double swap = 1 - from;
        from = 1 - to;
        to = swap;
        const nav_point end = a;
        a = b;
        b = end;
    }
    nav_status status = find_line(s, a, b, &at);
    if (status != NAV_OK) return status;
    const double x = b.x - a.x, z = b.z > a.z ? b.z - a.z : a.z - b.z, join = 1 / higher(x, z); // a unit
    int32_t *link = &s->lines[at].first, spare = -1;
    while (*link >= 0) {
        interval *i = &s->intervals[*link];
        if (i->from > to + join || from > i->to + join) {
            link = &i->next;
            continue;
        }
        from = lower(from, i->from);
        to = higher(to, i->to);
        spare = *link;
        *link = i->next;
    }
    if (spare < 0) {
        if (s->interval_count >= NAV_SOURCES_MOST) return NAV_ERR_LIMIT;
        status = nav_grow(s->arena, (void **)&s->intervals, &s->interval_capacity, (int64_t)s->interval_count + 1,
                          sizeof *s->intervals);
        if (status != NAV_OK) return status;
        spare = s->interval_count++;
    }
    s->intervals[spare] = (interval){from, to, s->lines[at].first};
    s->lines[at].first = spare;
    return NAV_OK;
}

// At a share of the way.
static nav_point on_line(const line *l, double share)
{
    return (nav_point){l->a.x + (int32_t)nearest_whole(share * (double)(l->b.x - l->a.x)),
                       l->a.z + (int32_t)nearest_whole(share * (double)(l->b.z - l->a.z))};
}

// A line along an edge of a piece, as the side of a box below its top, adds nothing but corners: those of its round
// ends lie past the edges beside it.
static void leave_out_edges(nav_sources *s)
{
    const nav_shapes *f = &s->found;
    for (int32_t i = 0; i < f->count && s->line_count > 0; i++) {
        const nav_point *at = f->at + f->first[i];
        const int32_t n = f->first[i + 1] - f->first[i];
        for (int32_t k = 0; k < n && n > 2; k++) {
            const nav_point a = at[k], b = at[k + 1 < n ? k + 1 : 0];
            line *l = nav_point_before(a, b) ? known_line(s, a, b) : known_line(s, b, a);
            if (l) l->first = -1;
        }
    }
}

nav_status nav_sources_add_lines(nav_sources *s)
{
    leave_out_edges(s);
    for (int32_t k = 0; k < s->line_count; k++) {
        const line *l = &s->lines[k];
        for (int32_t i = l->first; i >= 0; i = s->intervals[i].next) {
            nav_point at[2] = {on_line(l, s->intervals[i].from), on_line(l, s->intervals[i].to)};
            nav_status status = nav_sources_add(s, at, nav_point_same(at[0], at[1]) ? 1 : 2);
            if (status != NAV_OK) return status;
        }
    }
    return NAV_OK;
}

stretch nav_sources_stretch(const nav_sources *s, nav_point a, nav_point b)
{
    const double x = (double)b.x - a.x, z = (double)b.z - a.z;
    const bool by_x = (x < 0 ? -x : x) >= (z < 0 ? -z : z);
    stretch w = {.a = a,
                 .b = b,
                 .by_x = by_x,
                 .along = by_x ? x : z,
                 .start = by_x ? a.x : a.z,
                 .side = by_x ? a.z : a.x,
                 .drift = by_x ? z : x};
    w.least = lower(w.start, w.start + w.along);
    w.most = higher(w.start, w.start + w.along);
    const int32_t border = s->cfg->border, width = s->floors.width;
    int32_t first = clamp_column(w.least * s->per_unit + border, width);
    int32_t last = clamp_column(w.most * s->per_unit + border, width);
    if (first < 0) first = 0;
    if (last >= width) last = width - 1;
    w.first = first - border;
    w.count = last - first + 1;
    return w;
}

columns nav_sources_under(const nav_sources *s, const stretch *w, int32_t which)
{
    const double begin = (w->first + which) * s->unit, margin = s->unit / 8;
    const int32_t border = s->cfg->border, width = s->floors.width, c = w->first + which + border;
    double low = w->side + (higher(begin, w->least) - w->start) / w->along * w->drift;
    double high = w->side + (lower(begin + s->unit, w->most) - w->start) / w->along * w->drift;
    const int32_t from = clamp_column((lower(low, high) - margin) * s->per_unit + border, width);
    const int32_t to = clamp_column((higher(low, high) + margin) * s->per_unit + border, width);
    return w->by_x ? (columns){c, from, c, to} : (columns){from, c, to, c};
}
