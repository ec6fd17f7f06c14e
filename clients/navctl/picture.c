#include "clients/navctl/picture.h"
#include "clients/navctl/output.h"
#include "core/geometry/settings.h"

#include <cairo/cairo-svg.h>
#include <cairo/cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct colour {
    double r, g, b;
} colour;

// Page geometry, in pixels of a picture 1600 wide; everything scales with the picture's size.
static const double MARGIN = 36, HEADER = 76, FOOTER = 70;
static const colour PAPER = {0.965, 0.957, 0.937}, INK = {0.13, 0.15, 0.19}, FAINT = {0.45, 0.47, 0.50},
                    WALL = {0.12, 0.13, 0.18}, LINK = {0.85, 0.33, 0.10};

typedef struct page {
    cairo_t *cr;
    const draw_mesh *mesh;
    double unit;          // 1 at a picture 1600 wide
    double width, height; // pixels
    double scale;         // pixels a metre
    double left, top;     // pixels, where min x and min z fall
    double low, high;     // heights that the colours span
} page;

static void set_colour(cairo_t *cr, colour c, double alpha)
{
    cairo_set_source_rgba(cr, c.r, c.g, c.b, alpha);
}

static colour mix(colour a, colour b, double t)
{
    return (colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

// Height from 0 to 1: sea green, grass, sand, clay.
static colour height_colour(double t)
{
    static const colour ramp[] = {
        {0.33, 0.62, 0.64}, {0.50, 0.74, 0.60}, {0.76, 0.82, 0.58}, {0.92, 0.80, 0.56}, {0.87, 0.62, 0.46}};
    enum { LAST = sizeof ramp / sizeof ramp[0] - 1 };
    double at = (t < 0 ? 0 : t > 1 ? 1 : t) * LAST;
    int step = at >= LAST ? LAST - 1 : (int)at;
    return mix(ramp[step], ramp[step + 1], at - step);
}

// Area types other than the default ground get a tint of their own.
static colour area_tint(uint8_t area)
{
    static const colour tints[] = {{0.55, 0.42, 0.75}, {0.25, 0.55, 0.85}, {0.85, 0.45, 0.60},
                                   {0.45, 0.65, 0.25}, {0.80, 0.60, 0.20}, {0.30, 0.70, 0.70}};
    return tints[area % (sizeof tints / sizeof tints[0])];
}

static double map_x(const page *p, double x)
{
    return p->left + (x - (double)p->mesh->min[0]) * p->scale;
}

static double map_z(const page *p, double z)
{
    return p->top + (z - (double)p->mesh->min[2]) * p->scale;
}

static double mean_height(const float *points, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) sum += (double)points[3 * (size_t)k + 1];
    return sum / count;
}

// How much light from the upper left falls on a loop of points: 1 where it is level (Newell's normal).
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

static void trace_loop(const page *p, const float *points, uint32_t count)
{
    cairo_new_path(p->cr);
    for (uint32_t k = 0; k < count; k++) {
        const float *c = points + 3 * (size_t)k;
        cairo_line_to(p->cr, map_x(p, (double)c[0]), map_z(p, (double)c[2]));
    }
    cairo_close_path(p->cr);
}

static void fill_loop(const page *p, const float *points, uint32_t count, uint8_t area)
{
    double light = light_on(points, count), height = mean_height(points, count);
    colour fill = height_colour(p->high > p->low ? (height - p->low) / (p->high - p->low) : 0.4);
    if (area != NAV_AREA_DEFAULT) fill = mix(fill, area_tint(area), 0.65);
    fill = light < 1 ? mix(fill, WALL, fmin((1 - light) * 0.9, 0.8)) : mix(fill, PAPER, fmin((light - 1) * 1.2, 0.5));
    trace_loop(p, points, count);
    set_colour(p->cr, fill, 1);
    cairo_fill_preserve(p->cr); // and a thin line of the same colour: no gaps between neighbours
    cairo_set_line_width(p->cr, 0.6 * p->unit);
    cairo_stroke(p->cr);
}

static void trace_edges(const page *p, const draw_polygon *poly, draw_edge kind)
{
    const draw_mesh *m = p->mesh;
    for (uint32_t k = 0; k < poly->corner_count; k++) {
        if (m->edges[poly->first + k] != kind) continue;
        const float *a = m->corners + 3 * (size_t)(poly->first + k);
        const float *b = m->corners + 3 * (size_t)(poly->first + (k + 1) % poly->corner_count);
        cairo_move_to(p->cr, map_x(p, (double)a[0]), map_z(p, (double)a[2]));
        cairo_line_to(p->cr, map_x(p, (double)b[0]), map_z(p, (double)b[2]));
    }
}

static void draw_one(const page *p, const draw_polygon *poly)
{
    const draw_mesh *m = p->mesh;
    cairo_t *cr = p->cr;
    const float *tris = m->tris + 9 * (size_t)poly->first_tri;
    fill_loop(p, m->corners + 3 * (size_t)poly->first, poly->corner_count, poly->area);
    for (uint32_t i = 0; i < poly->tri_count; i++) fill_loop(p, tris + 9 * (size_t)i, 3, poly->area);

    double metre = fmin(p->scale, 12 * p->unit); // lines get thinner where a metre is small
    for (uint32_t i = 0; i < poly->tri_count && p->scale > 2 * p->unit; i++) {
        trace_loop(p, tris + 9 * (size_t)i, 3);
        set_colour(cr, PAPER, 0.18);
        cairo_set_line_width(cr, fmax(0.03 * metre, 0.3 * p->unit));
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
        trace_edges(p, poly, styles[i].kind);
        set_colour(cr, styles[i].line, styles[i].alpha);
        cairo_set_line_width(cr, fmax(styles[i].metres * metre, styles[i].least * p->unit));
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

static bool draw_polygons(const page *p)
{
    uint32_t count = p->mesh->polygon_count;
    ordered *order = malloc(sizeof *order * ((size_t)count + 1));
    if (!order) return false;
    for (uint32_t i = 0; i < count; i++) {
        const draw_polygon *poly = &p->mesh->polygons[i];
        order[i].polygon = i;
        order[i].height = mean_height(p->mesh->corners + 3 * (size_t)poly->first, poly->corner_count);
    }
    qsort(order, count, sizeof *order, compare_height);
    for (uint32_t i = 0; i < count; i++) draw_one(p, &p->mesh->polygons[order[i].polygon]);
    free(order);
    return true;
}

static void draw_links(const page *p)
{
    set_colour(p->cr, LINK, 0.9);
    cairo_set_line_width(p->cr, 2 * p->unit);
    for (uint32_t i = 0; i < p->mesh->link_count; i++) {
        const float *l = p->mesh->links + 6 * (size_t)i;
        double x0 = map_x(p, (double)l[0]), y0 = map_z(p, (double)l[2]);
        double x1 = map_x(p, (double)l[3]), y1 = map_z(p, (double)l[5]);
        double bend = 0.18 * hypot(x1 - x0, y1 - y0);
        cairo_move_to(p->cr, x0, y0);
        cairo_curve_to(p->cr, x0, y0 - bend, x1, y1 - bend, x1, y1);
        cairo_stroke(p->cr);
        cairo_arc(p->cr, x1, y1, 3 * p->unit, 0, 2 * 3.14159265358979);
        cairo_fill(p->cr);
    }
}

static void write_text(const page *p, double x, double y, double size, colour c, bool bold, double align,
                       const char *text)
{
    cairo_text_extents_t box;
    cairo_select_font_face(p->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, size * p->unit);
    cairo_text_extents(p->cr, text, &box);
    set_colour(p->cr, c, 1);
    cairo_move_to(p->cr, x - align * box.x_advance, y);
    cairo_show_text(p->cr, text);
}

// The longest of 1, 2, 5 times a power of ten metres that fits.
static double bar_length_m(double room_m)
{
    static const double steps[] = {5, 2, 1};
    double power = pow(10, floor(log10(room_m)));
    for (int i = 0; i < 3; i++) {
        if (steps[i] * power <= room_m) return steps[i] * power;
    }
    return power;
}

static void draw_scale_bar(const page *p)
{
    double metres = bar_length_m(0.25 * p->width / p->scale), pixels = metres * p->scale;
    double x = MARGIN * p->unit, y = p->height - 36 * p->unit, thick = 5 * p->unit;
    char text[48];
    for (int i = 0; i < 4; i++) {
        cairo_rectangle(p->cr, x + pixels * i / 4, y, pixels / 4, thick);
        set_colour(p->cr, i % 2 ? PAPER : INK, 1);
        cairo_fill(p->cr);
    }
    cairo_rectangle(p->cr, x, y, pixels, thick);
    set_colour(p->cr, INK, 1);
    cairo_set_line_width(p->cr, p->unit);
    cairo_stroke(p->cr);
    snprintf(text, sizeof text, metres >= 1000 ? "%g km" : "%g m", metres >= 1000 ? metres / 1000 : metres);
    write_text(p, x + pixels + 10 * p->unit, y + 8 * p->unit, 17, INK, false, 0, text);
}

static void draw_legend(const page *p)
{
    char text[64];
    double y = p->height - 36 * p->unit, length = 130 * p->unit;
    double x = p->width - (MARGIN + 70) * p->unit - length;
    cairo_pattern_t *ramp = cairo_pattern_create_linear(x, 0, x + length, 0);
    for (int i = 0; i <= 8; i++) {
        colour c = height_colour(i / 8.0);
        cairo_pattern_add_color_stop_rgb(ramp, i / 8.0, c.r, c.g, c.b);
    }
    cairo_set_source(p->cr, ramp);
    cairo_rectangle(p->cr, x, y - 2 * p->unit, length, 9 * p->unit);
    cairo_fill(p->cr);
    cairo_pattern_destroy(ramp);
    snprintf(text, sizeof text, "height %.1f m", p->low);
    write_text(p, x - 10 * p->unit, y + 8 * p->unit, 15, FAINT, false, 1, text);
    snprintf(text, sizeof text, "%.1f m", p->high);
    write_text(p, x + length + 10 * p->unit, y + 8 * p->unit, 15, FAINT, false, 0, text);

    static const struct {
        const char *name;
        colour c;
    } keys[] = {
        {"wall", {0.12, 0.13, 0.18}}, {"tile border", {0.16, 0.38, 0.70}}, {"off-mesh link", {0.85, 0.33, 0.10}}};
    double at = p->width / 2 - 60 * p->unit;
    for (int i = 0; i < (p->mesh->link_count ? 3 : 2) && p->width > 900 * p->unit; i++) {
        cairo_move_to(p->cr, at, y + 3 * p->unit);
        cairo_line_to(p->cr, at + 26 * p->unit, y + 3 * p->unit);
        set_colour(p->cr, keys[i].c, 1);
        cairo_set_line_width(p->cr, 3 * p->unit);
        cairo_stroke(p->cr);
        write_text(p, at + 34 * p->unit, y + 8 * p->unit, 15, FAINT, false, 0, keys[i].name);
        at += i == 0 ? 92 * p->unit : 142 * p->unit;
    }
}

static void draw_page(const page *p, const char *title, bool *ok)
{
    const draw_mesh *m = p->mesh;
    char line[160];
    set_colour(p->cr, PAPER, 1);
    cairo_paint(p->cr);
    cairo_set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_ROUND);
    *ok = draw_polygons(p);
    draw_links(p);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    write_text(p, MARGIN * p->unit, 42 * p->unit, 26, INK, true, 0, title);
    snprintf(line, sizeof line, "%u tiles, %u polygons, %.0f m by %.0f m", m->tile_count, m->polygon_count,
             m->polygon_count ? (double)m->max[0] - (double)m->min[0] : 0,
             m->polygon_count ? (double)m->max[2] - (double)m->min[2] : 0);
    write_text(p, MARGIN * p->unit, 65 * p->unit, 16, FAINT, false, 0, line);
    if (m->polygon_count == 0) {
        write_text(p, p->width / 2, p->height / 2, 22, FAINT, false, 0.5, "nothing to walk on");
        return;
    }
    draw_scale_bar(p);
    draw_legend(p);
}

// Picture size and scale: the longer side is `size`, header and footer included; never narrower than they need.
static void lay_out(page *p, int size)
{
    const draw_mesh *m = p->mesh;
    double extent_x = m->polygon_count ? fmax((double)m->max[0] - (double)m->min[0], 0.1) : 16;
    double extent_z = m->polygon_count ? fmax((double)m->max[2] - (double)m->min[2], 0.1) : 9;
    p->unit = size / 1600.0;
    double side = 2 * MARGIN * p->unit, extra = (HEADER + FOOTER) * p->unit;
    p->scale = fmin((size - side) / extent_x, (size - extra) / extent_z);
    p->width = fmax(ceil(extent_x * p->scale + side), 0.5 * size);
    p->height = fmax(ceil(extent_z * p->scale + extra), 0.3 * size);
    p->left = (p->width - extent_x * p->scale) / 2;
    p->top = HEADER * p->unit + (p->height - extra - extent_z * p->scale) / 2;
    p->low = (double)m->min[1];
    p->high = (double)m->max[1];
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned count)
{
    return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static bool is_named(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcasecmp(dot, ending);
}

bool picture_name_ok(const char *path)
{
    return is_named(path, ".png") || is_named(path, ".svg");
}

bool picture_write(const char *path, const draw_mesh *mesh, const char *title, int size)
{
    bool ok = true, is_svg = is_named(path, ".svg");
    page p = {.mesh = mesh};
    output o;
    lay_out(&p, size);
    if (!output_open(&o, path)) return false;
    cairo_surface_t *surface = is_svg ? cairo_svg_surface_create_for_stream(write_bytes, o.file, p.width, p.height)
                                      : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p.width, (int)p.height);
    p.cr = cairo_create(surface);
    draw_page(&p, title, &ok);
    cairo_status_t status = cairo_status(p.cr);
    cairo_destroy(p.cr);
    if (status == CAIRO_STATUS_SUCCESS && !is_svg) {
        status = cairo_surface_write_to_png_stream(surface, write_bytes, o.file);
    }
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (ok && status == CAIRO_STATUS_SUCCESS) return output_commit(&o);
    fprintf(stderr, "navctl: cannot draw %s: %s\n", path, ok ? cairo_status_to_string(status) : "no memory left");
    output_discard(&o);
    return false;
}
