#include "clients/navctl/drawing/picture_ground.h"
#include "clients/navctl/drawing/area_colours.h"
#include "clients/navctl/drawing/pixels.h"
#include "core/base/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

// A band of the page with the polygons in the order in which they are drawn.
typedef struct sheet {
    const page *page;
    cairo_t *cr;
    const draw_mesh *mesh;
    const picture_ground *what;
    double border_alpha;
    const pixels *pixels; // of the band; NULL: the page has none
    pixels_lines *lines;  // where there are pixels
} sheet;

// A polygon in its turn.
typedef struct ordered {
    double height;
    double left, top, bottom, size; // pixels
    uint32_t polygon;
} ordered;

const colour PICTURE_SHADOW = {0.90, 0.885, 0.855};

colour picture_height_colour(double t)
{
    static const colour ramp[] = {
        {0.33, 0.62, 0.64}, {0.50, 0.74, 0.60}, {0.76, 0.82, 0.58}, {0.92, 0.80, 0.56}, {0.87, 0.62, 0.46}};
    return page_ramp(ramp, sizeof ramp / sizeof ramp[0], t);
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

static void place_on_page(const sheet *s, const float *at, double out[2])
{
    out[0] = page_x(s->page, (double)at[0]);
    out[1] = page_z(s->page, (double)at[2]);
}

// The loop of points as a path.
static void trace_loop(const sheet *s, const float *points, uint32_t count)
{
    cairo_new_path(s->cr);
    for (uint32_t k = 0; k < count; k++) {
        const float *c = points + 3 * (size_t)k;
        cairo_line_to(s->cr, page_x(s->page, (double)c[0]), page_z(s->page, (double)c[2]));
    }
    cairo_close_path(s->cr);
}

static colour ground_colour(const sheet *s, const float *points, uint32_t count, uint8_t area)
{
    double light = light_on(points, count), height = mean_height(points, count);
    const double *span = s->what->colours;
    colour fill = picture_height_colour(span[1] > span[0] ? (height - span[0]) / (span[1] - span[0]) : 0.4);
    fill = area_colours_ground(s->what->areas, area, fill);
    return light < 1 ? page_mix(fill, PAGE_WALL, fmin((1 - light) * 0.9, 0.8))
                     : page_mix(fill, PAGE_PAPER, fmin((light - 1) * 1.2, 0.5));
}

static void fill_loop(const sheet *s, const float *points, uint32_t count, uint8_t area)
{
    page_colour(s->page, ground_colour(s, points, count, area), 1);
    trace_loop(s, points, count);
    cairo_fill_preserve(s->cr); // and a thin line of the same colour: no gaps between neighbours
    cairo_set_line_width(s->cr, 0.6 * s->page->unit);
    cairo_stroke(s->cr);
}

// Whole pixels leave no gaps, and cost a fraction.
static void fill_loop_roughly(const sheet *s, const float *points, uint32_t count, colour fill)
{
    if (s->pixels && count <= PIXELS_MAX_CORNERS) {
        double corners[PIXELS_MAX_CORNERS][2];
        for (uint32_t k = 0; k < count; k++) place_on_page(s, points + 3 * (size_t)k, corners[k]);
        cairo_surface_flush(cairo_get_target(s->cr));
        pixels_fill(s->pixels, (const double(*)[2])corners, count, pixels_colour(fill));
        cairo_surface_mark_dirty(cairo_get_target(s->cr));
        return;
    }
    cairo_set_antialias(s->cr, CAIRO_ANTIALIAS_NONE);
    page_colour(s->page, fill, 1);
    trace_loop(s, points, count);
    cairo_fill(s->cr);
    cairo_set_antialias(s->cr, CAIRO_ANTIALIAS_DEFAULT);
}

// 0 up to a size of `none` pixels, 1 from `full` on.
static double fade(double size, double none, double full)
{
    return fmin(fmax((size - none) / (full - none), 0), 1);
}

typedef struct line_style {
    draw_edge kind;
    colour line;
    double alpha, metres, least;
} line_style;

static void draw_lines_with_cairo(const sheet *s, const draw_polygon *poly, draw_edge kind, double width)
{
    const draw_mesh *m = s->mesh;
    for (uint32_t k = 0; k < poly->corner_count; k++) {
        if (m->edges[poly->first + k] != kind) continue;
        const float *a = m->corners + 3 * (size_t)(poly->first + k);
        const float *b = m->corners + 3 * (size_t)(poly->first + (k + 1) % poly->corner_count);
        cairo_move_to(s->cr, page_x(s->page, (double)a[0]), page_z(s->page, (double)a[2]));
        cairo_line_to(s->cr, page_x(s->page, (double)b[0]), page_z(s->page, (double)b[2]));
    }
    cairo_set_line_width(s->cr, width);
    cairo_stroke(s->cr);
}

static void draw_lines_as_pixels(const sheet *s, const ordered *o, draw_edge kind, double width, colour c, double alpha)
{
    const draw_mesh *m = s->mesh;
    const draw_polygon *poly = &m->polygons[o->polygon];
    pixels_lines_begin(s->lines, o->left - width, o->top - width);
    for (uint32_t k = 0; k < poly->corner_count; k++) {
        double a[2], b[2];
        if (m->edges[poly->first + k] != kind) continue;
        place_on_page(s, m->corners + 3 * (size_t)(poly->first + k), a);
        place_on_page(s, m->corners + 3 * (size_t)(poly->first + (k + 1) % poly->corner_count), b);
        pixels_lines_add(s->lines, a, b, width);
    }
    cairo_surface_flush(cairo_get_target(s->cr));
    pixels_lines_draw(s->lines, s->pixels, pixels_colour(c), alpha);
    cairo_surface_mark_dirty(cairo_get_target(s->cr));
}

static void draw_edges(const sheet *s, const ordered *o)
{
    static const line_style styles[] = {
        {DRAW_EDGE_INNER, {0.98, 0.98, 0.96}, 0.60, 0.07, 0.30},
        {DRAW_EDGE_PORTAL, {0.16, 0.38, 0.70}, 0.55, 0.08, 0.35},
        {DRAW_EDGE_WALL, {0.12, 0.13, 0.18}, 0.95, 0.15, 0.55},
    };
    // On a page of kilometres there are walls everywhere: they would be all that is seen.
    const double wall_alpha = (0.4 + 0.6 * fade(o->size, 2, 10)) * (0.4 + 0.6 * fade(s->page->scale, 0.5, 3));
    const double shown[] = {fade(o->size, 6, 20), s->border_alpha, wall_alpha};
    double metre = fmin(s->page->scale, 12 * s->page->unit); // lines get thinner where a metre is small
    for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++) {
        const line_style *style = &styles[i];
        double width = fmax(style->metres * metre, style->least * s->page->unit), alpha = style->alpha * shown[i];
        if (shown[i] <= 0.05) continue;
        if (s->pixels && o->size + 2 * width + 2 < PIXELS_MAX_SIDE) {
            draw_lines_as_pixels(s, o, style->kind, width, style->line, alpha);
        } else {
            page_colour(s->page, style->line, alpha);
            draw_lines_with_cairo(s, &s->mesh->polygons[o->polygon], style->kind, width);
        }
    }
}

// A polygon of many pixels.
static void draw_large(const sheet *s, const draw_polygon *poly)
{
    const float *tris = s->mesh->tris + 9 * (size_t)poly->first_tri;
    fill_loop(s, s->mesh->corners + 3 * (size_t)poly->first, poly->corner_count, poly->area);
    for (uint32_t i = 0; i < poly->tri_count; i++) fill_loop(s, tris + 9 * (size_t)i, 3, poly->area);
    double metre = fmin(s->page->scale, 12 * s->page->unit);
    for (uint32_t i = 0; i < poly->tri_count && s->page->scale > 2 * s->page->unit; i++) {
        trace_loop(s, tris + 9 * (size_t)i, 3);
        page_colour(s->page, PAGE_PAPER, 0.18);
        cairo_set_line_width(s->cr, fmax(0.03 * metre, 0.3 * s->page->unit));
        cairo_stroke(s->cr);
    }
}

static void draw_small(const sheet *s, const draw_polygon *poly, double size)
{
    enum { HEIGHTS_FROM = 8 }; // pixels
    const float *corners = s->mesh->corners + 3 * (size_t)poly->first;
    const float *tris = s->mesh->tris + 9 * (size_t)poly->first_tri;
    uint32_t tri_count = size < HEIGHTS_FROM ? 0 : poly->tri_count;
    if (tri_count == 0)
        fill_loop_roughly(s, corners, poly->corner_count, ground_colour(s, corners, poly->corner_count, poly->area));
    for (uint32_t i = 0; i < tri_count; i++)
        fill_loop_roughly(s, tris + 9 * (size_t)i, 3, ground_colour(s, tris + 9 * (size_t)i, 3, poly->area));
}

static void draw_one(const sheet *s, const ordered *o)
{
    enum { LARGE = 24 }; // pixels
    const draw_polygon *poly = &s->mesh->polygons[o->polygon];
    if (o->height < s->what->slice[0] || o->height >= s->what->slice[1]) {
        fill_loop_roughly(s, s->mesh->corners + 3 * (size_t)poly->first, poly->corner_count, PICTURE_SHADOW);
        return;
    }
    if (o->size < LARGE)
        draw_small(s, poly, o->size);
    else
        draw_large(s, poly);
    draw_edges(s, o);
}

static int compare_height(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    return (x->polygon > y->polygon) - (x->polygon < y->polygon);
}

static ordered measure(const page *p, const draw_mesh *m, uint32_t polygon)
{
    const draw_polygon *poly = &m->polygons[polygon];
    const float *corners = m->corners + 3 * (size_t)poly->first;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t k = 0; k < poly->corner_count; k++) {
        const double at[2] = {page_x(p, (double)corners[3 * k]), page_z(p, (double)corners[3 * k + 2])};
        for (int i = 0; i < 2; i++) {
            low[i] = fmin(low[i], at[i]);
            high[i] = fmax(high[i], at[i]);
        }
    }
    return (ordered){mean_height(corners, poly->corner_count), low[0], low[1], high[1],
                     fmax(high[0] - low[0], high[1] - low[1]), polygon};
}

// Pixels of a tile's side, if tiles were squares full of ground.
static double tile_pixels(const page *p, const draw_mesh *m)
{
    if (m->tile_count == 0) return 0;
    double x = (double)m->max[0] - (double)m->min[0], z = (double)m->max[2] - (double)m->min[2];
    return sqrt(x * z / m->tile_count) * p->scale;
}

static double border_alpha(const page *p, const draw_mesh *m)
{
    return fade(tile_pixels(p, m), 8, 24);
}

bool picture_ground_has_borders(const page *p, const draw_mesh *m)
{
    return border_alpha(p, m) > 0.05;
}

#ifdef __SANITIZE_THREAD__
// cairo hands its freed objects from thread to thread with atomic operations, which the sanitizer cannot see in a
// library that it has not compiled.
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libcairo.so\nrace:libpixman-1.so\n";
}
#endif

// The page in bands, each drawn by one thread.
typedef struct bands {
    sheet sheet;
    const ordered *order;
    cairo_surface_t *image;
    int count;
    atomic_bool failed;
} bands;

static void draw_all(const sheet *s, const ordered *order, double top, double bottom)
{
    const double line = 4 * s->page->unit; // reaches beyond its polygon
    for (int shown = 0; shown < 2; shown++) {
        for (uint32_t i = 0; i < s->mesh->polygon_count; i++) {
            const ordered *o = &order[i];
            bool is_shown = o->height >= s->what->slice[0] && o->height < s->what->slice[1];
            if (is_shown == (shown == 1) && o->bottom + line >= top && o->top - line <= bottom) draw_one(s, o);
        }
    }
}

static void draw_band(void *user, int which)
{
    bands *b = user;
    int height = cairo_image_surface_get_height(b->image), stride = cairo_image_surface_get_stride(b->image);
    int top = (int)((int64_t)height * which / b->count), end = (int)((int64_t)height * (which + 1) / b->count);
    cairo_surface_t *part = cairo_image_surface_create_for_data(
        cairo_image_surface_get_data(b->image) + (ptrdiff_t)stride * top, cairo_image_surface_get_format(b->image),
        cairo_image_surface_get_width(b->image), end - top, stride);
    cairo_surface_set_device_offset(part, 0, -top);
    page p = *b->sheet.page;
    p.cr = cairo_create(part);
    page_lines(&p);
    const pixels rows = {cairo_image_surface_get_data(part), stride, cairo_image_surface_get_width(part), top, end};
    pixels_lines lines;
    sheet s = b->sheet;
    s.page = &p;
    s.cr = p.cr;
    s.pixels = &rows;
    s.lines = &lines;
    draw_all(&s, b->order, top, end);
    if (cairo_status(p.cr) != CAIRO_STATUS_SUCCESS) atomic_store(&b->failed, true);
    cairo_destroy(p.cr);
    cairo_surface_destroy(part);
}

static bool paint_on_image(const page *p, const picture_ground *g, const ordered *order)
{
    bands b = {.sheet = {.page = p, .cr = p->cr, .mesh = g->mesh, .what = g, .border_alpha = border_alpha(p, g->mesh)},
               .order = order,
               .image = cairo_get_target(p->cr),
               .count = g->parallel ? 4 * g->parallel->threads : 1};
    cairo_surface_flush(b.image);
    nav_parallel_run(g->parallel, draw_band, &b, b.count);
    cairo_surface_mark_dirty(b.image);
    return !b.failed;
}

static ordered *sort_polygons(const page *p, const draw_mesh *m)
{
    ordered *order = malloc(sizeof *order * ((size_t)m->polygon_count + 1));
    if (!order) return NULL;
    for (uint32_t i = 0; i < m->polygon_count; i++) order[i] = measure(p, m, i);
    qsort(order, m->polygon_count, sizeof *order, compare_height);
    return order;
}

// Pixels within an SVG: as paths so many polygons would make a file that no viewer opens.
static bool paint_as_pixels(const page *p, const picture_ground *g)
{
    enum { FINER = 2 };
    page fine = *p;
    fine.unit *= FINER;
    fine.scale *= FINER;
    fine.left *= FINER;
    fine.top *= FINER;
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)(p->width * FINER), (int)(p->height * FINER));
    fine.cr = cairo_create(image);
    ordered *order = cairo_status(fine.cr) == CAIRO_STATUS_SUCCESS ? sort_polygons(&fine, g->mesh) : NULL;
    bool ok = order && paint_on_image(&fine, g, order);
    free(order);
    cairo_destroy(fine.cr);
    cairo_save(p->cr);
    cairo_scale(p->cr, 1.0 / FINER, 1.0 / FINER);
    cairo_set_source_surface(p->cr, image, 0, 0);
    if (ok) cairo_paint(p->cr);
    cairo_restore(p->cr);
    cairo_surface_destroy(image);
    return ok;
}

bool picture_ground_paint(const page *p, const picture_ground *g)
{
    enum { MANY = 20000 }; // polygons
    bool is_image = cairo_surface_get_type(cairo_get_target(p->cr)) == CAIRO_SURFACE_TYPE_IMAGE;
    if (!is_image && g->mesh->polygon_count > MANY) return paint_as_pixels(p, g);
    ordered *order = sort_polygons(p, g->mesh);
    if (!order) return false;
    bool ok = true;
    if (is_image) {
        ok = paint_on_image(p, g, order);
    } else {
        sheet s = {.page = p, .cr = p->cr, .mesh = g->mesh, .what = g, .border_alpha = border_alpha(p, g->mesh)};
        draw_all(&s, order, 0, p->height);
    }
    free(order);
    return ok;
}
