#include "clients/navctl/drawing/picture_bands.h"

colour picture_band_colour(const picture_bands *bands, uint32_t band)
{
    static const colour ramp[] = {{0.99, 0.91, 0.35}, {0.96, 0.55, 0.22}, {0.80, 0.22, 0.33}, {0.40, 0.11, 0.43}};
    return page_ramp(ramp, sizeof ramp / sizeof ramp[0], bands->count > 1 ? (double)band / (bands->count - 1) : 0);
}

static bool is_within(const picture_band *b, uint32_t outline, const double slice[2])
{
    for (uint32_t k = b->first[outline]; k < b->first[outline + 1]; k++) {
        double y = (double)b->points[3 * (size_t)k + 1];
        if (y >= slice[0] && y < slice[1]) return true;
    }
    return false;
}

// One piece: together with a fine line around it, so that no gap shows between two that touch.
static void fill(const page *p, const picture_band *b, uint32_t outline)
{
    cairo_new_path(p->cr);
    for (uint32_t k = b->first[outline]; k < b->first[outline + 1]; k++) {
        const float *at = &b->points[3 * (size_t)k];
        cairo_line_to(p->cr, page_x(p, (double)at[0]), page_z(p, (double)at[2]));
    }
    cairo_close_path(p->cr);
    cairo_fill_preserve(p->cr);
    cairo_stroke(p->cr);
}

// The farthest first: they lie over each other. Plain: cairo 1.16 leaks where a group is laid over an SVG.
void picture_bands_paint(const page *p, const picture_bands *bands, const double slice[2])
{
    cairo_save(p->cr);
    cairo_set_line_width(p->cr, 0.6 * p->unit);
    for (uint32_t i = bands->count; i-- > 0;) {
        const picture_band *b = &bands->items[i];
        page_colour(p, picture_band_colour(bands, i), 1);
        for (uint32_t k = 0; k < b->outline_count; k++)
            if (is_within(b, k, slice)) fill(p, b, k);
    }
    if ((double)bands->at[1] >= slice[0] && (double)bands->at[1] < slice[1]) {
        cairo_new_path(p->cr);
        cairo_arc(p->cr, page_x(p, (double)bands->at[0]), page_z(p, (double)bands->at[2]), 7 * p->unit, 0,
                  2 * 3.14159265358979);
        page_colour(p, PAGE_INK, 1);
        cairo_fill_preserve(p->cr);
        page_colour(p, PAGE_PAPER, 1);
        cairo_set_line_width(p->cr, 2 * p->unit);
        cairo_stroke(p->cr);
    }
    cairo_restore(p->cr);
}
