#include "clients/navctl/drawing/picture_paths.h"

#include <stdio.h>

const colour PICTURE_PATH_COLOUR = {0.82, 0.10, 0.32}, PICTURE_PATH_OTHER_COLOUR = {0.38, 0.10, 0.60};

static bool is_within(const float *point, const double slice[2])
{
    return (double)point[1] >= slice[0] && (double)point[1] < slice[1];
}

static void trace(const page *p, const picture_path *path, const double slice[2])
{
    cairo_new_path(p->cr);
    for (uint32_t i = 1; i < path->count; i++) {
        const float *a = path->points + 3 * ((size_t)i - 1), *b = a + 3;
        if (!is_within(a, slice) && !is_within(b, slice)) continue;
        if (i == 1 || !cairo_has_current_point(p->cr))
            cairo_move_to(p->cr, page_x(p, (double)a[0]), page_z(p, (double)a[2]));
        cairo_line_to(p->cr, page_x(p, (double)b[0]), page_z(p, (double)b[2]));
    }
}

static void mark(const page *p, const float *at, double radius)
{
    cairo_new_path(p->cr);
    cairo_arc(p->cr, page_x(p, (double)at[0]), page_z(p, (double)at[2]), radius * p->unit, 0, 2 * 3.14159265358979);
    cairo_fill(p->cr);
}

static void write_number(const page *p, const picture_path *path, const double slice[2])
{
    char text[16];
    if (!path->number || !path->count || !is_within(path->points, slice)) return;
    double y = page_z(p, (double)path->points[2]);
    snprintf(text, sizeof text, "%d", path->number);
    page_colour(p, PICTURE_PATH_COLOUR, 1);
    mark(p, path->points, 11);
    page_text(p, page_x(p, (double)path->points[0]), y + 5 * p->unit, 15, PAGE_PAPER, true, 0.5, text);
}

void picture_paths_paint(const page *p, const picture_paths *paths, const double slice[2])
{
    const double dashes[2] = {7 * p->unit, 5 * p->unit};
    cairo_save(p->cr);
    for (int kind = PICTURE_PATH_OTHER; kind >= PICTURE_PATH; kind--) // the own ones on top
        for (uint32_t i = 0; i < paths->count; i++) {
            const picture_path *path = &paths->items[i];
            if ((int)path->kind != kind || path->count == 0) continue;
            bool other = kind == PICTURE_PATH_OTHER;
            const float *end = path->points + 3 * ((size_t)path->count - 1);
            cairo_set_dash(p->cr, dashes, other ? 2 : 0, 0);
            trace(p, path, slice);
            page_colour(p, PAGE_PAPER, 0.8);
            cairo_set_line_width(p->cr, 5 * p->unit);
            if (!other) cairo_stroke_preserve(p->cr);
            page_colour(p, other ? PICTURE_PATH_OTHER_COLOUR : PICTURE_PATH_COLOUR, 1);
            cairo_set_line_width(p->cr, (other ? 2 : 2.6) * p->unit);
            cairo_stroke(p->cr);
            if (other) continue;
            if (is_within(path->points, slice)) mark(p, path->points, 5);
            if (is_within(end, slice)) mark(p, end, 3.5);
        }
    for (uint32_t i = 0; i < paths->count; i++) write_number(p, &paths->items[i], slice);
    cairo_restore(p->cr);
}
