#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/drawing/page.h"
#include "navcore/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The page and what is on it.
typedef struct sheet {
    const page *page;
    cairo_t *cr;
    const draw_mesh *mesh;
    double low, high; // heights that the colours span
} sheet;

colour picture_height_colour(double t)
{
    static const colour ramp[] = {
        {0.33, 0.62, 0.64}, {0.50, 0.74, 0.60}, {0.76, 0.82, 0.58}, {0.92, 0.80, 0.56}, {0.87, 0.62, 0.46}};
    return page_ramp(ramp, sizeof ramp / sizeof ramp[0], t);
}

// Area types other than the default ground get a tint of their own.
static colour area_tint(uint8_t area)
{
    static const colour tints[] = {{0.55, 0.42, 0.75}, {0.25, 0.55, 0.85}, {0.85, 0.45, 0.60},
                                   {0.45, 0.65, 0.25}, {0.80, 0.60, 0.20}, {0.30, 0.70, 0.70}};
    return tints[area % (sizeof tints / sizeof tints[0])];
}

static double mean_height(const float *points, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += (double)points[3 * (size_t)k + 1];
    return sum / count;
}

// How much light from the upper left falls on a loop of points: 1 where it is horizontal (Newell's normal).
static double light_on(const float *points, uint32_t count)
{
    static const double sun[3] = {-0.40, 0.82, -0.41};
    double n[3] = {0};
    for (uint32_t k = 0; k < count; k++) {
        const float *a = points + 3 * (size_t)k, *b = points + 3 * (size_t)((k + 1) % count);
        n[0] += ((double)a[1] - (double)b[1]) * ((double)a[2] + (double)b[2]);
        n[1] += ((double)a[2] - (double)b[2]) * ((double)a[0] + (double)b[0]);
        n[2] += ((double)a[0] - (double)b[0]) * ((double)a[1] + (double)b[1]);
    }
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), flip = n[1] < 0 ? -1 : 1;
    return length > 0 ? flip * (n[0] * sun[0] + n[1] * sun[1] + n[2] * sun[2]) / length / sun[1] : 1;
}

static void trace_loop(const sheet *s, const float *points, uint32_t count)
{
    cairo_new_path(s->cr);
    for (uint32_t k = 0; k < count; k++) {
        const float *c = points + 3 * (size_t)k;
        cairo_line_to(s->cr, page_x(s->page, (double)c[0]), page_z(s->page, (double)c[2]));
    }
    cairo_close_path(s->cr);
}

static void fill_loop(const sheet *s, const float *points, uint32_t count, uint8_t area)
{
    double light = light_on(points, count), height = mean_height(points, count);
    colour fill = picture_height_colour(s->high > s->low ? (height - s->low) / (s->high - s->low) : 0.4);
    if (area != NAV_AREA_DEFAULT) fill = page_mix(fill, area_tint(area), 0.65);
    fill = light < 1 ? page_mix(fill, PAGE_WALL, fmin((1 - light) * 0.9, 0.8))
                     : page_mix(fill, PAGE_PAPER, fmin((light - 1) * 1.2, 0.5));
    trace_loop(s, points, count);
    page_colour(s->page, fill, 1);
    cairo_fill_preserve(s->cr); // and a thin line of the same colour: no gaps between neighbours
    cairo_set_line_width(s->cr, 0.6 * s->page->unit);
    cairo_stroke(s->cr);
}

static void trace_edges(const sheet *s, const draw_polygon *poly, draw_edge kind)
{
    const draw_mesh *m = s->mesh;
    for (uint32_t k = 0; k < poly->corner_count; k++) {
        if (m->edges[poly->first + k] != kind) continue;
        const float *a = m->corners + 3 * (size_t)(poly->first + k);
        const float *b = m->corners + 3 * (size_t)(poly->first + (k + 1) % poly->corner_count);
        cairo_move_to(s->cr, page_x(s->page, (double)a[0]), page_z(s->page, (double)a[2]));
        cairo_line_to(s->cr, page_x(s->page, (double)b[0]), page_z(s->page, (double)b[2]));
    }
}

static void draw_one(const sheet *s, const draw_polygon *poly)
{
    const draw_mesh *m = s->mesh;
    cairo_t *cr = s->cr;
    const float *tris = m->tris + 9 * (size_t)poly->first_tri;
    fill_loop(s, m->corners + 3 * (size_t)poly->first, poly->corner_count, poly->area);
    for (uint32_t i = 0; i < poly->tri_count; i++) fill_loop(s, tris + 9 * (size_t)i, 3, poly->area);

    double metre = fmin(s->page->scale, 12 * s->page->unit); // lines get thinner where a metre is small
    for (uint32_t i = 0; i < poly->tri_count && s->page->scale > 2 * s->page->unit; i++) {
        trace_loop(s, tris + 9 * (size_t)i, 3);
        page_colour(s->page, PAGE_PAPER, 0.18);
        cairo_set_line_width(cr, fmax(0.03 * metre, 0.3 * s->page->unit));
        cairo_stroke(cr);
    }
    static const struct {
        draw_edge kind;
        colour line;
        double alpha, metres, least;
    } styles[] = {
        {DRAW_EDGE_INNER, {0.98, 0.98, 0.96}, 0.60, 0.07, 0.30},
        {DRAW_EDGE_PORTAL, {0.16, 0.38, 0.70}, 0.55, 0.08, 0.35},
        {DRAW_EDGE_WALL, {0.12, 0.13, 0.18}, 0.95, 0.15, 0.55},
    };
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        trace_edges(s, poly, styles[i].kind);
        page_colour(s->page, styles[i].line, styles[i].alpha);
        cairo_set_line_width(cr, fmax(styles[i].metres * metre, styles[i].least * s->page->unit));
        cairo_stroke(cr);
    }
}

typedef struct ordered {
    double height;
    uint32_t polygon;
} ordered;

static int compare_height(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    return (x->polygon > y->polygon) - (x->polygon < y->polygon);
}

static bool draw_polygons(const sheet *s)
{
    uint32_t count = s->mesh->polygon_count;
    ordered *order = malloc(sizeof *order * ((size_t)count + 1));
    if (!order) return false;
    for (uint32_t i = 0; i < count; i++) {
        const draw_polygon *poly = &s->mesh->polygons[i];
        order[i].polygon = i;
        order[i].height = mean_height(s->mesh->corners + 3 * (size_t)poly->first, poly->corner_count);
    }
    qsort(order, count, sizeof *order, compare_height);
    for (uint32_t i = 0; i < count; i++) draw_one(s, &s->mesh->polygons[order[i].polygon]);
    free(order);
    return true;
}

static void draw_links(const sheet *s)
{
    page_colour(s->page, PAGE_LINK, 0.9);
    cairo_set_line_width(s->cr, 2 * s->page->unit);
    for (uint32_t i = 0; i < s->mesh->link_count; i++) {
        const float *l = s->mesh->links + 6 * (size_t)i;
        double x0 = page_x(s->page, (double)l[0]), y0 = page_z(s->page, (double)l[2]);
        double x1 = page_x(s->page, (double)l[3]), y1 = page_z(s->page, (double)l[5]);
        double bend = 0.18 * hypot(x1 - x0, y1 - y0);
        cairo_move_to(s->cr, x0, y0);
        cairo_curve_to(s->cr, x0, y0 - bend, x1, y1 - bend, x1, y1);
        cairo_stroke(s->cr);
        cairo_arc(s->cr, x1, y1, 3 * s->page->unit, 0, 2 * 3.14159265358979);
        cairo_fill(s->cr);
    }
}

static void draw_legend(const sheet *s)
{
    char text[64];
    double y = s->page->height - 36 * s->page->unit, length = 130 * s->page->unit;
    double x = s->page->width - (36 + 70) * s->page->unit - length;
    cairo_pattern_t *ramp = cairo_pattern_create_linear(x, 0, x + length, 0);
    for (int i = 0; i <= 8; i++) {
        colour c = picture_height_colour(i / 8.0);
        cairo_pattern_add_color_stop_rgb(ramp, i / 8.0, c.r, c.g, c.b);
    }
    cairo_set_source(s->cr, ramp);
    cairo_rectangle(s->cr, x, y - 2 * s->page->unit, length, 9 * s->page->unit);
    cairo_fill(s->cr);
    cairo_pattern_destroy(ramp);
    snprintf(text, sizeof text, "height %.1f m", s->low);
    page_text(s->page, x - 10 * s->page->unit, y + 8 * s->page->unit, 15, PAGE_FAINT, false, 1, text);
    snprintf(text, sizeof text, "%.1f m", s->high);
    page_text(s->page, x + length + 10 * s->page->unit, y + 8 * s->page->unit, 15, PAGE_FAINT, false, 0, text);

    static const struct {
        const char *name;
        colour c;
    } keys[] = {
        {"wall", {0.12, 0.13, 0.18}}, {"tile border", {0.16, 0.38, 0.70}}, {"off-mesh link", {0.85, 0.33, 0.10}}};
    double at = s->page->width / 2 - 60 * s->page->unit;
    for (int i = 0; i < (s->mesh->link_count ? 3 : 2) && s->page->width > 900 * s->page->unit; i++) {
        cairo_move_to(s->cr, at, y + 3 * s->page->unit);
        cairo_line_to(s->cr, at + 26 * s->page->unit, y + 3 * s->page->unit);
        page_colour(s->page, keys[i].c, 1);
        cairo_set_line_width(s->cr, 3 * s->page->unit);
        cairo_stroke(s->cr);
        page_text(s->page, at + 34 * s->page->unit, y + 8 * s->page->unit, 15, PAGE_FAINT, false, 0, keys[i].name);
        at += i == 0 ? 92 * s->page->unit : 142 * s->page->unit;
    }
}

typedef struct picture {
    const draw_mesh *mesh;
    const char *title;
} picture;

static bool paint(const page *p, const void *user)
{
    const picture *what = user;
    const draw_mesh *m = what->mesh;
    sheet s = {.page = p, .cr = p->cr, .mesh = m, .low = (double)m->min[1], .high = (double)m->max[1]};
    char line[160];
    bool ok = draw_polygons(&s);
    draw_links(&s);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    snprintf(line, sizeof line, "%u tiles, %u polygons, %.0f m by %.0f m", m->tile_count, m->polygon_count,
             m->polygon_count ? (double)m->max[0] - (double)m->min[0] : 0,
             m->polygon_count ? (double)m->max[2] - (double)m->min[2] : 0);
    page_headline(p, what->title, line);
    if (m->polygon_count == 0) {
        page_text(p, p->width / 2, p->height / 2, 22, PAGE_FAINT, false, 0.5, "nothing to walk on");
        return ok;
    }
    page_scale_bar(p);
    draw_legend(&s);
    return ok;
}

bool picture_write(const char *path, const draw_mesh *mesh, const char *title, int size)
{
    const picture what = {mesh, title};
    page_drawing d = {.foot = 70, .paint = paint, .user = &what};
    memcpy(d.min, mesh->min, sizeof d.min);
    memcpy(d.max, mesh->max, sizeof d.max);
    return page_write(path, &d, size);
}
