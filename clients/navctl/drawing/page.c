#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/png_file.h"
#include "clients/navctl/output/elapsed.h"
#include "clients/navctl/output/output.h"

#include <cairo/cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const double MARGIN = 36, HEADER = 76;
const colour PAGE_PAPER = {0.965, 0.957, 0.937}, PAGE_INK = {0.13, 0.15, 0.19}, PAGE_FAINT = {0.45, 0.47, 0.50},
             PAGE_WALL = {0.12, 0.13, 0.18}, PAGE_LINK = {0.85, 0.33, 0.10};

void page_lines(const page *p)
{
    cairo_set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_ROUND);
}

void page_colour(const page *p, colour c, double alpha)
{
    cairo_set_source_rgba(p->cr, c.r, c.g, c.b, alpha);
}

colour page_mix(colour a, colour b, double t)
{
    return (colour){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

colour page_ramp(const colour *ramp, size_t count, double t)
{
    size_t last = count - 1;
    double at = (t < 0 ? 0 : t > 1 ? 1 : t) * (double)last;
    size_t step = at >= (double)last ? last - 1 : (size_t)at;
    return page_mix(ramp[step], ramp[step + 1], at - (double)step);
}

double page_x(const page *p, double x)
{
    return p->left + (x - p->min[0]) * p->scale;
}

double page_z(const page *p, double z)
{
    return p->top + (z - p->min[1]) * p->scale;
}

void page_pale_text(const page *p, double x, double y, double size, colour c, double alpha, bool bold, double align,
                    const char *text)
{
    cairo_text_extents_t box;
    cairo_select_font_face(p->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, size * p->unit);
    cairo_text_extents(p->cr, text, &box);
    page_colour(p, c, alpha);
    cairo_move_to(p->cr, x - align * box.x_advance, y);
    cairo_show_text(p->cr, text);
}

void page_text(const page *p, double x, double y, double size, colour c, bool bold, double align, const char *text)
{
    page_pale_text(p, x, y, size, c, 1, bold, align, text);
}

double page_text_width(const page *p, double size, const char *text)
{
    cairo_text_extents_t box;
    cairo_select_font_face(p->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(p->cr, size * p->unit);
    cairo_text_extents(p->cr, text, &box);
    return box.x_advance;
}

void page_headline(const page *p, const char *title, const char *line)
{
    page_text(p, p->margin, 42 * p->unit, 26, PAGE_INK, true, 0, title);
    page_text(p, p->margin, 65 * p->unit, 16, PAGE_FAINT, false, 0, line);
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

void page_scale_bar(const page *p)
{
    double metres = bar_length_m(0.25 * p->width / p->scale), pixels = metres * p->scale;
    double x = p->margin, y = p->height - 36 * p->unit, thick = 5 * p->unit;
    char text[48];
    for (int i = 0; i < 4; i++) {
        cairo_rectangle(p->cr, x + pixels * i / 4, y, pixels / 4, thick);
        page_colour(p, i % 2 ? PAGE_PAPER : PAGE_INK, 1);
        cairo_fill(p->cr);
    }
    cairo_rectangle(p->cr, x, y, pixels, thick);
    page_colour(p, PAGE_INK, 1);
    cairo_set_line_width(p->cr, p->unit);
    cairo_stroke(p->cr);
    snprintf(text, sizeof text, metres >= 1000 ? "%g km" : "%g m", metres >= 1000 ? metres / 1000 : metres);
    page_text(p, x + pixels + 10 * p->unit, y + 8 * p->unit, 17, PAGE_INK, false, 0, text);
}

// Picture size and scale: the longer side is `size`, header and foot included; never narrower than they need.
static void lay_out(page *p, const page_drawing *d, int size)
{
    bool some = d->min[0] <= d->max[0];
    double extent_x = some ? fmax((double)d->max[0] - (double)d->min[0], 0.1) : 16;
    double extent_z = some ? fmax((double)d->max[2] - (double)d->min[2], 0.1) : 9;
    p->unit = size / 1600.0;
    p->margin = MARGIN * p->unit;
    p->foot = d->foot * p->unit;
    double side = 2 * p->margin, extra = HEADER * p->unit + p->foot;
    p->scale = fmin((size - side) / extent_x, (size - extra) / extent_z);
    p->width = fmax(ceil(extent_x * p->scale + side), 0.5 * size);
    p->height = fmax(ceil(extent_z * p->scale + extra), 0.3 * size);
    p->left = (p->width - extent_x * p->scale) / 2;
    p->top = HEADER * p->unit + (p->height - extra - extent_z * p->scale) / 2;
    p->min[0] = some ? (double)d->min[0] : 0;
    p->min[1] = some ? (double)d->min[2] : 0;
}

double page_width(const page_drawing *d)
{
    page p = {0};
    lay_out(&p, d, 1600);
    return p.width;
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

bool page_name_ok(const char *path)
{
    return is_named(path, ".png") || is_named(path, ".svg");
}

static cairo_status_t write_png(cairo_surface_t *surface, const nav_parallel *parallel, FILE *out)
{
    cairo_surface_flush(surface);
    const png_image image = {cairo_image_surface_get_data(surface), cairo_image_surface_get_stride(surface),
                             cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface)};
    if (png_file_write(&image, parallel, out)) return CAIRO_STATUS_SUCCESS;
    return errno == ENOMEM ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_WRITE_ERROR;
}

bool page_write(const char *path, const page_drawing *d, int size)
{
    bool is_svg = is_named(path, ".svg");
    page p = {0};
    output o;
    lay_out(&p, d, size);
    if (!output_open(&o, path)) return false;
    cairo_surface_t *surface = is_svg ? cairo_svg_surface_create_for_stream(write_bytes, o.file, p.width, p.height)
                                      : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p.width, (int)p.height);
    p.cr = cairo_create(surface);
    page_colour(&p, PAGE_PAPER, 1);
    cairo_paint(p.cr);
    page_lines(&p);
    elapsed line;
    elapsed_begin(&line, "Drawing", path);
    bool ok = d->paint(&p, d->user);
    cairo_status_t status = cairo_status(p.cr);
    cairo_destroy(p.cr);
    if (ok && status == CAIRO_STATUS_SUCCESS && !is_svg) status = write_png(surface, d->parallel, o.file);
    elapsed_end(&line);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (ok && status == CAIRO_STATUS_SUCCESS) return output_commit(&o);
    fprintf(stderr, "navctl: cannot draw %s: %s\n", path, ok ? cairo_status_to_string(status) : "no memory left");
    output_discard(&o);
    return false;
}
