// The columns of a plan as one small picture, a pixel a column, that is drawn large; and what lies over it: the tiles'
// borders and places, and the contours.
#include "clients/navctl/drawing/picture_ground.h"
#include "clients/navctl/drawing/plan_work.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const colour PLAN_SOLID = {0.60, 0.58, 0.56}, PLAN_TAKEN = {0.90, 0.74, 0.66}, PLAN_NO_REGION = {0.36, 0.33, 0.36},
             PLAN_HOLE = {0.72, 0.12, 0.12}, PLAN_REGION_LINE = {0.92, 0.45, 0.05};
static const colour FAINT_SOLID = {0.84, 0.83, 0.81}, FAINT_TAKEN = {0.91, 0.89, 0.86};

colour plan_distance_colour(double t)
{
    static const colour ramp[] = {
        {0.24, 0.14, 0.40}, {0.19, 0.37, 0.56}, {0.15, 0.57, 0.55}, {0.48, 0.77, 0.36}, {0.98, 0.89, 0.27}};
    return page_ramp(ramp, sizeof ramp / sizeof ramp[0], t);
}

static const plan_columns *columns_of(const plan_tiles *tiles, uint64_t i)
{
    const plan_columns *c = &tiles->tiles[i].columns;
    return c->side ? c : NULL;
}

static double height_of(const plan_columns *c, const plan_column *p)
{
    return (double)c->origin_y + p->height * (double)c->cell_height_m;
}

plan_ranges plan_ranges_of(const plan_tiles *tiles)
{
    plan_ranges r = {
        .low_m = INFINITY, .high_m = -INFINITY, .min = {INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY}};
    for (uint64_t i = 0; tiles && i < tiles->count; i++) {
        const plan_columns *c = columns_of(tiles, i);
        for (int32_t k = 0; c && k < c->side * c->side; k++) {
            const plan_column *p = &c->columns[k];
            double x = (double)c->origin_x + (double)(c->first_x + k % c->side) * (double)c->cell_m;
            double z = (double)c->origin_z + (double)(c->first_z + k / c->side) * (double)c->cell_m;
            if (p->ground == PLAN_GROUND_NONE) continue;
            r.min[0] = fmin(r.min[0], x);
            r.min[1] = fmin(r.min[1], z);
            r.max[0] = fmax(r.max[0], x + (double)c->cell_m);
            r.max[1] = fmax(r.max[1], z + (double)c->cell_m);
            if (p->ground != PLAN_GROUND_FLOOR) continue;
            double height = height_of(c, p);
            r.low_m = fmin(r.low_m, height);
            r.high_m = fmax(r.high_m, height);
            r.far_m = fmax(r.far_m, p->distance * 0.5 * (double)c->cell_m);
            r.several |= p->floors > 1;
            r.no_region |= !p->region;
        }
        for (uint32_t k = 0; c && k < c->line_count; k++) {
            r.holes |= c->lines[k].hole;
            r.region_lines |= c->lines[k].kind == PLAN_LINE_REGION;
        }
    }
    return r;
}

static colour column_colour(const plan_sheet *s, const plan_columns *c, const plan_column *p, bool odd)
{
    const plan_ranges *r = &s->ranges;
    bool spans = s->parts & PLAN_SPANS;
    if (p->ground == PLAN_GROUND_SOLID) return spans ? PLAN_SOLID : FAINT_SOLID;
    if (p->ground == PLAN_GROUND_TAKEN) return spans ? PLAN_TAKEN : FAINT_TAKEN;
    if (s->parts & PLAN_REGIONS) return p->region ? plan_layer_colour((uint32_t)p->region, 0.80) : PLAN_NO_REGION;
    if (s->parts & PLAN_DISTANCE)
        return plan_distance_colour(r->far_m > 0 ? p->distance * 0.5 * (double)c->cell_m / r->far_m : 0);
    double height = height_of(c, p);
    colour fill = picture_height_colour(r->high_m > r->low_m ? (height - r->low_m) / (r->high_m - r->low_m) : 0.4);
    return p->floors > 1 && odd ? page_mix(fill, PAGE_INK, 0.35) : fill;
}

static bool draw_tile(const plan_sheet *s, const plan_columns *c)
{
    const page *p = s->page;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, c->side, c->side);
    cairo_surface_flush(image);
    unsigned char *pixels = cairo_image_surface_get_data(image);
    if (!pixels) {
        cairo_surface_destroy(image);
        return false;
    }
    for (int32_t z = 0; z < c->side; z++)
        for (int32_t x = 0; x < c->side; x++) {
            const plan_column *column = &c->columns[(size_t)z * (size_t)c->side + (size_t)x];
            uint32_t argb = 0;
            if (column->ground != PLAN_GROUND_NONE) {
                colour k = column_colour(s, c, column, (x + z) & 1);
                argb = 0xff000000u | (uint32_t)(k.r * 255 + 0.5) << 16 | (uint32_t)(k.g * 255 + 0.5) << 8 |
                       (uint32_t)(k.b * 255 + 0.5);
            }
            memcpy(pixels + (size_t)z * (size_t)cairo_image_surface_get_stride(image) + 4 * (size_t)x, &argb,
                   sizeof argb);
        }
    cairo_surface_mark_dirty(image);
    double column = (double)c->cell_m * p->scale;
    cairo_save(p->cr);
    cairo_translate(p->cr, page_x(p, (double)c->origin_x + (double)c->first_x * (double)c->cell_m),
                    page_z(p, (double)c->origin_z + (double)c->first_z * (double)c->cell_m));
    cairo_scale(p->cr, column, column);
    cairo_set_source_surface(p->cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(p->cr), column < 1 ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
    cairo_pattern_set_extend(cairo_get_source(p->cr), CAIRO_EXTEND_PAD);
    cairo_rectangle(p->cr, 0, 0, c->side, c->side);
    cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_NONE); // no seams between tiles
    cairo_fill(p->cr);
    cairo_restore(p->cr);
    cairo_surface_destroy(image);
    return true;
}

bool plan_ground_draw(const plan_sheet *s)
{
    bool ok = true;
    for (uint64_t i = 0; i < s->tiles->count && ok; i++) {
        const plan_columns *c = columns_of(s->tiles, i);
        if (c) ok = draw_tile(s, c);
    }
    return ok;
}

// A tile's border, and its place in the corner where there is room.
void plan_ground_draw_tiles(const plan_sheet *s)
{
    const page *p = s->page;
    double right = page_x(p, s->ranges.max[0]), bottom = page_z(p, s->ranges.max[1]), unit = p->unit;
    for (uint64_t i = 0; i < s->tiles->count; i++) {
        const plan_columns *c = columns_of(s->tiles, i);
        if (!c) continue;
        double side = c->side * (double)c->cell_m * p->scale;
        double x = page_x(p, (double)c->origin_x + (double)c->first_x * (double)c->cell_m);
        double y = page_z(p, (double)c->origin_z + (double)c->first_z * (double)c->cell_m);
        double width = fmin(side, right - x), height = fmin(side, bottom - y), wide;
        char text[48];
        if (width <= 0 || height <= 0) continue;
        cairo_rectangle(p->cr, x, y, width, height);
        page_colour(p, PLAN_BORDER, 0.7);
        cairo_set_line_width(p->cr, 1.2 * unit);
        cairo_stroke(p->cr);
        snprintf(text, sizeof text, "%lld,%lld", (long long)(c->first_x / c->side), (long long)(c->first_z / c->side));
        wide = page_text_width(p, 15, text) + 8 * unit;
        if (width < wide + 6 * unit || height < 26 * unit) continue;
        cairo_rectangle(p->cr, x + 3 * unit, y + 3 * unit, wide, 20 * unit);
        page_colour(p, PAGE_PAPER, 0.8);
        cairo_fill(p->cr);
        page_text(p, x + 7 * unit, y + 18 * unit, 15, PLAN_BORDER, false, 0, text);
    }
}

static void draw_line(const plan_sheet *s, const plan_line *l)
{
    const page *p = s->page;
    colour c = l->kind == PLAN_LINE_REGION   ? PLAN_REGION_LINE
               : l->kind == PLAN_LINE_BORDER ? PLAN_BORDER
               : l->hole                     ? PLAN_HOLE
                                             : PAGE_WALL;
    cairo_move_to(p->cr, page_x(p, (double)l->ends[0][0]), page_z(p, (double)l->ends[0][2]));
    cairo_line_to(p->cr, page_x(p, (double)l->ends[1][0]), page_z(p, (double)l->ends[1][2]));
    page_colour(p, c, 1);
    cairo_set_line_width(p->cr, (l->kind == PLAN_LINE_BORDER ? 1.4 : 2.4) * p->unit);
    cairo_stroke(p->cr);
}

void plan_ground_draw_contours(const plan_sheet *s)
{
    const page *p = s->page;
    for (uint64_t i = 0; i < s->tiles->count; i++) {
        const plan_columns *c = columns_of(s->tiles, i);
        for (uint32_t k = 0; c && k < c->line_count; k++) draw_line(s, &c->lines[k]);
        bool dots = !(s->parts & PLAN_NOTCHES); // which are vertices, too
        for (uint32_t k = 0; c && dots && k < c->line_count; k++) {
            const float *at = c->lines[k].ends[0];
            cairo_new_path(p->cr);
            cairo_arc(p->cr, page_x(p, (double)at[0]), page_z(p, (double)at[2]), 2.6 * p->unit, 0, 6.283185307179586);
            page_colour(p, PAGE_INK, 1);
            cairo_fill(p->cr);
        }
    }
}
