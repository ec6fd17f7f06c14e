// Each polygon with its own edges, a little inside of it, so that a shared edge is seen from both of its polygons:
//
//    +-----------+-----------+      An edge is moved inwards by `inset` and cut where the next one, moved likewise,
//    meets | 4-------5 | 5-------7 |      it. Its colour says what the polygon has behind it. The polygon's number
//    stands in its | |   0   | | |   1   | |      middle, those of the vertices in its corners, all as they are in the
//    tile. What does | 2-------3 | 3-------6 |      not fit is smaller, or left out.
//    +-----------+-----------+
#include "clients/navctl/drawing/plan_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const colour PLAN_SIDE_INNER = {0.56, 0.57, 0.60}, PLAN_SIDE_LINK = {0.58, 0.16, 0.66};
const colour PLAN_SIDE_BORDERS[4] = {{0.83, 0.16, 0.14}, {0.14, 0.36, 0.82}, {0.92, 0.55, 0.03}, {0.12, 0.58, 0.26}};

// In pixels.
typedef struct outline {
    const draw_polygon *polygon;
    const plan_sheet *sheet;
    double (*at)[2];
    uint32_t count;
    double turn;      // 1 where the inside is to the left of each edge, as seen on the page, -1: to the right
    double thickness; // twice the area, by the length around: between the radius of the inscribed circle and twice it
    double inset, width;
} outline;

static void corner_of(const outline *o, uint32_t k, double out[2])
{
    const float *c = o->sheet->sides->corners + 3 * (size_t)(o->polygon->first + k);
    out[0] = page_x(o->sheet->page, (double)c[0]);
    out[1] = page_z(o->sheet->page, (double)c[2]);
}

// Direction of the edge from corner k, and its length.
static double direction(const outline *o, uint32_t k, double out[2])
{
    const double *a = o->at[k], *b = o->at[(k + 1) % o->count];
    double x = b[0] - a[0], z = b[1] - a[1], length = sqrt(x * x + z * z);
    out[0] = length > 0 ? x / length : 0;
    out[1] = length > 0 ? z / length : 0;
    return length;
}

static void measure(outline *o)
{
    const double unit = o->sheet->page->unit;
    double doubled = 0, around = 0;
    for (uint32_t k = 0; k < o->count; k++) {
        const double *a = o->at[k], *b = o->at[(k + 1) % o->count];
        double d[2];
        around += direction(o, k, d);
        doubled += b[0] * a[1] - a[0] * b[1];
    }
    o->turn = doubled < 0 ? -1 : 1;
    o->thickness = around > 0 ? fabs(doubled) / around : 0;
    o->inset = fmin(6 * unit, 0.2 * o->thickness);
    o->width = fmin(3.4 * unit, 0.7 * o->inset);
}

// How far along an edge its moved twin begins behind corner k: where it meets that of the edge before, at most `most`.
static double cut_at(const outline *o, uint32_t k, double most)
{
    double in[2], out[2];
    direction(o, (k + o->count - 1) % o->count, in);
    direction(o, k, out);
    // Of the angle by which the outline turns inwards here.
    double cosine = in[0] * out[0] + in[1] * out[1], sine = o->turn * (in[1] * out[0] - in[0] * out[1]);
    double half = 1 + cosine > 1e-9 ? sine / (1 + cosine) : 1e9;
    return fmin(fmax(o->inset * half, -o->inset), most);
}

static colour side_colour(const draw_mesh *m, uint32_t k)
{
    if (m->edges[k] == DRAW_EDGE_WALL) return PAGE_WALL;
    return m->edges[k] == DRAW_EDGE_PORTAL ? PLAN_SIDE_BORDERS[m->places[k].border & 3] : PLAN_SIDE_INNER;
}

static void draw_edges(const outline *o)
{
    const page *p = o->sheet->page;
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    for (uint32_t k = 0; k < o->count; k++) {
        const double *a = o->at[k], *b = o->at[(k + 1) % o->count];
        double d[2], length = direction(o, k, d), gap = 0.3 * o->width;
        double begin = cut_at(o, k, 0.42 * length) + gap, end = cut_at(o, (k + 1) % o->count, 0.42 * length) + gap;
        if (begin + end >= length) begin = end = 0.45 * length; // a short one is a dot
        const double inward[2] = {o->turn * d[1] * o->inset, -o->turn * d[0] * o->inset};
        cairo_move_to(p->cr, a[0] + d[0] * begin + inward[0], a[1] + d[1] * begin + inward[1]);
        cairo_line_to(p->cr, b[0] - d[0] * end + inward[0], b[1] - d[1] * end + inward[1]);
        page_colour(p, side_colour(o->sheet->sides, o->polygon->first + k), 1);
        cairo_set_line_width(p->cr, o->width);
        cairo_stroke(p->cr);
    }
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_ROUND);
}

// A text and the box that it takes, around its middle.
typedef struct label {
    char text[16];
    double at[2], half[2], size; // size: units
} label;

static label label_of(const page *p, uint32_t number, double size)
{
    label l = {.size = size};
    snprintf(l.text, sizeof l.text, "%u", number);
    l.half[0] = page_text_width(p, size, l.text) / 2 + 0.5 * p->unit;
    l.half[1] = 0.38 * size * p->unit;
    return l;
}

// Is its box inside of all moved edges?
static bool fits(const outline *o, const label *l)
{
    const double away = o->inset + 0.5 * o->width + 0.8 * o->sheet->page->unit;
    for (uint32_t k = 0; k < o->count; k++) {
        double d[2];
        if (direction(o, k, d) <= 0) continue;
        const double inward[2] = {o->turn * d[1], -o->turn * d[0]};
        double middle = (l->at[0] - o->at[k][0]) * inward[0] + (l->at[1] - o->at[k][1]) * inward[1];
        if (middle - fabs(inward[0]) * l->half[0] - fabs(inward[1]) * l->half[1] < away) return false;
    }
    return true;
}

static bool apart(const label *a, const label *b)
{
    return fabs(a->at[0] - b->at[0]) > a->half[0] + b->half[0] || fabs(a->at[1] - b->at[1]) > a->half[1] + b->half[1];
}

static void draw_label(const page *p, const label *l, bool bold)
{
    page_text(p, l->at[0], l->at[1] + l->half[1], l->size, bold ? PAGE_INK : PAGE_FAINT, bold, 0.5, l->text);
}

static void centre_of(const outline *o, double out[2])
{
    double sum[3] = {0};
    for (uint32_t k = 0; k < o->count; k++) {
        // From the first corner, so that the figures stay small.
        const double *a = o->at[k], *b = o->at[(k + 1) % o->count], *c = o->at[0];
        double doubled = (a[0] - c[0]) * (b[1] - c[1]) - (b[0] - c[0]) * (a[1] - c[1]);
        for (int i = 0; i < 2; i++) sum[i] += doubled * (a[i] + b[i] + c[i]) / 3;
        sum[2] += doubled;
    }
    for (int i = 0; i < 2; i++) out[i] = fabs(sum[2]) > 0 ? sum[i] / sum[2] : o->at[0][i];
}

// The label of corner k: as near to it as it fits on the way to the centre, and clear of those that are there. False:
// nowhere.
static bool place_in_corner(const outline *o, uint32_t k, const double centre[2], const label *taken, uint32_t count,
                            label *l)
{
    enum { STEPS = 24 };
    for (int i = 1; i <= STEPS; i++) {
        for (int a = 0; a < 2; a++) l->at[a] = o->at[k][a] + (centre[a] - o->at[k][a]) * 0.6 * i / STEPS;
        bool free = fits(o, l);
        for (uint32_t t = 0; free && t < count; t++) free = apart(l, &taken[t]);
        if (free) return true;
    }
    return false;
}

// taken: room for one more than there are corners.
static void draw_numbers(const outline *o, label *taken)
{
    static const double LEAST = 9, SMALLER = 0.85; // units
    const page *p = o->sheet->page;
    const double thick = o->thickness / p->unit;
    double centre[2];
    uint32_t count = 0;
    centre_of(o, centre);
    for (double size = fmin(26, 0.5 * thick); size >= LEAST && !count; size *= SMALLER) {
        taken[0] = label_of(p, o->polygon->number, size);
        for (int a = 0; a < 2; a++) taken[0].at[a] = centre[a];
        count = fits(o, &taken[0]);
    }
    if (count) draw_label(p, &taken[0], true);
    for (uint32_t k = 0; k < o->count; k++) {
        bool placed = false;
        for (double size = fmin(13, 0.35 * thick); size >= LEAST && !placed; size *= SMALLER) {
            taken[count] = label_of(p, o->sheet->sides->places[o->polygon->first + k].vertex, size);
            placed = place_in_corner(o, k, centre, taken, count, &taken[count]);
        }
        if (placed) draw_label(p, &taken[count++], false);
    }
}

bool plan_sides_draw(const plan_sheet *s, uint32_t polygon)
{
    const draw_polygon *poly = &s->sides->polygons[polygon];
    outline o = {.polygon = poly, .sheet = s, .count = poly->corner_count};
    o.at = malloc(sizeof *o.at * (o.count + (size_t)1));
    label *taken = malloc(sizeof *taken * (o.count + (size_t)1));
    const bool ok = o.at && taken;
    for (uint32_t k = 0; ok && k < o.count; k++) corner_of(&o, k, o.at[k]);
    if (ok) measure(&o);
    if (ok && o.inset > 0.3 * s->page->unit) {
        draw_edges(&o);
        draw_numbers(&o, taken);
    }
    free(o.at);
    free(taken);
    return ok;
}

static void draw_arrow(const page *p, const double from[2], const double to[2])
{
    double x = to[0] - from[0], z = to[1] - from[1], length = sqrt(x * x + z * z), size = 11 * p->unit;
    if (length <= 0) return;
    x *= size / length;
    z *= size / length;
    cairo_new_path(p->cr);
    cairo_move_to(p->cr, to[0], to[1]);
    cairo_line_to(p->cr, to[0] - x - 0.45 * z, to[1] - z + 0.45 * x);
    cairo_line_to(p->cr, to[0] - x + 0.45 * z, to[1] - z - 0.45 * x);
    cairo_close_path(p->cr);
    cairo_fill(p->cr);
}

static void draw_link_line(const page *p, const draw_link *l)
{
    const double a[2] = {page_x(p, (double)l->ends[0][0]), page_z(p, (double)l->ends[0][2])};
    const double b[2] = {page_x(p, (double)l->ends[1][0]), page_z(p, (double)l->ends[1][2])};
    char text[24];
    page_colour(p, PLAN_SIDE_LINK, 1);
    cairo_new_path(p->cr);
    cairo_move_to(p->cr, a[0], a[1]);
    cairo_line_to(p->cr, b[0], b[1]);
    cairo_set_line_width(p->cr, 2.6 * p->unit);
    cairo_stroke(p->cr);
    draw_arrow(p, a, b);
    if (l->both_ways) {
        draw_arrow(p, b, a);
    } else {
        cairo_arc(p->cr, a[0], a[1], 4 * p->unit, 0, 6.283185307179586);
        cairo_fill(p->cr);
    }
    snprintf(text, sizeof text, "link %u", l->id);
    page_text(p, (a[0] + b[0]) / 2 + 6 * p->unit, (a[1] + b[1]) / 2 - 6 * p->unit, 13, PLAN_SIDE_LINK, true, 0, text);
}

// The places of several tiles, pale and as large as there is room, over all of their ground.
static void draw_tile_name(const plan_sheet *s, uint32_t i)
{
    const draw_mesh *m = s->sides;
    const page *p = s->page;
    uint32_t end = i + 1 < m->listed_count ? m->tiles[i + 1].first_polygon : m->polygon_count;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t k = m->tiles[i].first_polygon; k < end; k++) {
        const draw_polygon *poly = &m->polygons[k];
        for (uint32_t c = poly->first; c < poly->first + poly->corner_count; c++) {
            const float *corner = m->corners + 3 * (size_t)c;
            const double at[2] = {page_x(p, (double)corner[0]), page_z(p, (double)corner[2])};
            for (int a = 0; a < 2; a++) {
                low[a] = fmin(low[a], at[a]);
                high[a] = fmax(high[a], at[a]);
            }
        }
    }
    char text[32];
    double size = 0.3 * fmin(high[0] - low[0], high[1] - low[1]) / p->unit;
    if (!(size > 10)) return;
    snprintf(text, sizeof text, "%d,%d", m->tiles[i].x, m->tiles[i].z);
    size *= fmin(1, 0.6 * (high[0] - low[0]) / (page_text_width(p, size, text) + 1));
    page_pale_text(p, (low[0] + high[0]) / 2, (low[1] + high[1]) / 2 + 0.36 * size * p->unit, size, PLAN_BORDER, 0.11,
                   true, 0.5, text);
}

void plan_sides_draw_rest(const plan_sheet *s)
{
    for (uint32_t i = 0; s->sides->listed_count > 1 && i < s->sides->listed_count; i++) draw_tile_name(s, i);
    for (uint32_t i = 0; i < s->mesh->link_count; i++) draw_link_line(s->page, &s->mesh->links[i]);
}
