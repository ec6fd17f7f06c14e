#include "clients/navctl/drawing/picture_ground.h"
#include "clients/navctl/drawing/plan_work.h"

#include <stdio.h>
#include <string.h>

// The legend: keys, each a sign and a word, in rows along the foot.
typedef enum key_sign {
    SIGN_LAYERS,
    SIGN_BOX,
    SIGN_HATCHED,
    SIGN_CHECKS,
    SIGN_LINE,
    SIGN_DASHES,
    SIGN_DOT,
    SIGN_RAMP
} key_sign;

typedef struct key {
    key_sign sign;
    colour colour;
    double thick; // lines, units
    const char *word;
    char after[32]; // behind the sign; a ramp has one before it and one after
    colour (*ramp)(double t);
} key;

enum { KEYS_MAX = 32, KEY_GAP = 26 };

static double sign_width(key_sign sign)
{
    switch (sign) {
    case SIGN_LAYERS:
        return 70;
    case SIGN_BOX:
    case SIGN_HATCHED:
    case SIGN_CHECKS:
        return 16;
    case SIGN_DOT:
        return 10;
    case SIGN_RAMP:
        return 118; // and a gap
    default:
        return 26;
    }
}

// About as many units as the key takes.
static double key_width(const key *k)
{
    return sign_width(k->sign) + 8 + 8.2 * (double)(strlen(k->word) + strlen(k->after)) + KEY_GAP;
}

static bool has_flag(const draw_mesh *m, uint8_t flag)
{
    for (uint32_t i = 0; i < m->polygon_count; i++)
        if (m->polygons[i].flags & flag) return true;
    return false;
}

static bool has_joined_layers(const draw_mesh *m)
{
    for (uint32_t i = 0; i < m->polygon_count; i++)
        if (!m->polygons[i].layer) return true;
    return false;
}

// What colours the columns, and the contours.
static int list_ground_keys(const plan_sheet *s, key *keys)
{
    const plan_ranges *r = &s->ranges;
    int n = 0;
    bool floors = r->low_m <= r->high_m;
    if (s->parts & PLAN_SPANS) {
        keys[n++] = (key){SIGN_BOX, PLAN_SOLID, 0, "no floor", "", NULL};
        keys[n++] = (key){SIGN_BOX, PLAN_TAKEN, 0, "taken by radius or volumes", "", NULL};
        if (r->several) keys[n++] = (key){SIGN_CHECKS, PLAN_FLOOR, 0, "several floors, the uppermost shown", "", NULL};
        if (floors) {
            keys[n] = (key){SIGN_RAMP, PLAN_FLOOR, 0, "floor, low to high:", "", picture_height_colour};
            snprintf(keys[n].after, sizeof keys[n].after, "%.3g to %.3g m", r->low_m, r->high_m);
            n++;
        }
    }
    if (s->parts & PLAN_DISTANCE && floors) {
        keys[n] = (key){SIGN_RAMP, PLAN_FLOOR, 0, "distance to the edge, 0", "", plan_distance_colour};
        snprintf(keys[n].after, sizeof keys[n].after, "%.3g m", r->far_m);
        n++;
    }
    if (s->parts & PLAN_REGIONS) {
        keys[n++] = (key){SIGN_LAYERS, PLAN_FLOOR, 0, "regions of a tile", "", NULL};
        if (r->no_region) keys[n++] = (key){SIGN_BOX, PLAN_NO_REGION, 0, "floor without a region", "", NULL};
    }
    if (s->parts & PLAN_CONTOURS) {
        keys[n++] = (key){SIGN_LINE, PAGE_WALL, 2.4, "contours at walls", "", NULL};
        if (r->holes) keys[n++] = (key){SIGN_LINE, PLAN_HOLE, 2.4, "of holes", "", NULL};
        if (r->region_lines) keys[n++] = (key){SIGN_LINE, PLAN_REGION_LINE, 2.4, "between regions", "", NULL};
    }
    return n;
}

static int list_side_keys(const plan_sheet *s, key *keys)
{
    static const char *const borders[] = {"to tile x+", "to tile z+", "to tile x-", "to tile z-"};
    int n = 0;
    keys[n++] = (key){SIGN_LINE, PAGE_WALL, 3.4, "wall", "", NULL};
    keys[n++] = (key){
        SIGN_LINE, PLAN_SIDE_INNER, 3.4, s->sides->cell_count ? "to another cell" : "to another polygon", "", NULL};
    for (int i = 0; i < 4; i++) keys[n++] = (key){SIGN_LINE, PLAN_SIDE_BORDERS[i], 3.4, borders[i], "", NULL};
    if (s->mesh->link_count) keys[n++] = (key){SIGN_LINE, PLAN_SIDE_LINK, 2.6, "off-mesh link", "", NULL};
    return n;
}

static int list_keys(const plan_sheet *s, key *keys)
{
    const draw_mesh *m = s->mesh;
    unsigned parts = s->parts;
    int n = list_ground_keys(s, keys);
    if (parts & PLAN_LAYERS)
        keys[n++] =
            (key){SIGN_LAYERS, PLAN_FLOOR, 0, m->has_regions ? "regions of a tile" : "layers of a tile", "", NULL};
    if (parts & PLAN_LAYERS && has_joined_layers(m))
        keys[n++] = (key){
            SIGN_BOX, plan_layer_colour(0, 0.83), 0, m->has_regions ? "joined regions" : "joined layers", "", NULL};
    if (parts & PLAN_CELLS) keys[n++] = (key){SIGN_LINE, PLAN_CELL_EDGE, 1.6, "cells", "", NULL};
    if (parts & PLAN_POLYGONS) keys[n++] = (key){SIGN_DASHES, PLAN_CELL_EDGE, 1.2, "polygons", "", NULL};
    if (has_flag(m, NAV_CELL_RELAXED)) keys[n++] = (key){SIGN_HATCHED, {0.86, 0.85, 0.82}, 0, "relaxed", "", NULL};
    if (has_flag(m, NAV_CELL_UNREACHABLE)) keys[n++] = (key){SIGN_BOX, PLAN_UNREACHABLE, 0, "unreachable", "", NULL};
    if (parts & PLAN_NOTCHES) keys[n++] = (key){SIGN_DOT, PLAN_NOTCH, 0, "notches", "", NULL};
    if (parts & PLAN_SIDES) n += list_side_keys(s, keys + n);
    if (parts & ~(unsigned)(PLAN_STAGES | PLAN_SIDES)) keys[n++] = (key){SIGN_LINE, PAGE_WALL, 3, "walls", "", NULL};
    if (parts != PLAN_SIDES) keys[n++] = (key){SIGN_LINE, PLAN_BORDER, 1.4, "tile borders", "", NULL};
    if (parts & PLAN_PORTALS) {
        keys[n] = (key){SIGN_RAMP, PLAN_FLOOR, 0, "portals, clearance 0", "", plan_clearance_colour};
        snprintf(keys[n].after, sizeof keys[n].after, "%.3g m and more", s->widest_m);
        n++;
    }
    return n;
}

static void draw_line_sign(const page *p, const key *k, double x, double y)
{
    const double dash[2] = {5 * p->unit, 4 * p->unit};
    if (k->sign == SIGN_DASHES) cairo_set_dash(p->cr, dash, 2, 0);
    cairo_move_to(p->cr, x, y);
    cairo_line_to(p->cr, x + 26 * p->unit, y);
    page_colour(p, k->colour, 1);
    cairo_set_line_width(p->cr, k->thick * p->unit);
    cairo_stroke(p->cr);
    cairo_set_dash(p->cr, NULL, 0, 0);
}

static void draw_box_sign(const page *p, colour c, bool hatched, double x, double y)
{
    cairo_rectangle(p->cr, x, y - 7 * p->unit, 16 * p->unit, 14 * p->unit);
    page_colour(p, c, 1);
    cairo_fill_preserve(p->cr);
    if (hatched) plan_hatch(p);
    cairo_new_path(p->cr);
}

// As columns with several floors look.
static void draw_checks(const page *p, double x, double y)
{
    double side = 4 * p->unit;
    for (int i = 0; i < 16; i++) {
        colour c = picture_height_colour(0.4);
        cairo_rectangle(p->cr, x + i % 4 * side, y - 8 * p->unit + i / 4 * side, side, side);
        page_colour(p, (i + i / 4) & 1 ? page_mix(c, PAGE_INK, 0.35) : c, 1);
        cairo_fill(p->cr);
    }
}

static void draw_ramp_sign(const page *p, colour (*colour_at)(double t), double x, double y, double length)
{
    cairo_pattern_t *ramp = cairo_pattern_create_linear(x, 0, x + length, 0);
    for (int i = 0; i <= 12; i++) {
        colour c = colour_at(i / 12.0);
        cairo_pattern_add_color_stop_rgb(ramp, i / 12.0, c.r, c.g, c.b);
    }
    cairo_set_source(p->cr, ramp);
    cairo_rectangle(p->cr, x, y - 3.5 * p->unit, length, 7 * p->unit);
    cairo_fill(p->cr);
    cairo_pattern_destroy(ramp);
}

// Draws a key at x, y; returns where it ends.
static double draw_key(const page *p, const key *k, double x, double y)
{
    double unit = p->unit, foot = y + 5 * unit;
    if (k->sign == SIGN_RAMP) {
        page_text(p, x, foot, 15, PAGE_FAINT, false, 0, k->word);
        x += page_text_width(p, 15, k->word) + 8 * unit;
        draw_ramp_sign(p, k->ramp, x, y, 110 * unit);
        x += 118 * unit;
        page_text(p, x, foot, 15, PAGE_FAINT, false, 0, k->after);
        return x + page_text_width(p, 15, k->after);
    }
    if (k->sign == SIGN_LAYERS) {
        for (uint32_t i = 0; i < 4; i++) draw_box_sign(p, plan_layer_colour(i + 1, 0.83), false, x + 18 * i * unit, y);
    } else if (k->sign == SIGN_CHECKS) {
        draw_checks(p, x, y);
    } else if (k->sign == SIGN_DOT) {
        plan_dot(p, x + 5 * unit, y, 5 * unit);
    } else if (k->sign == SIGN_LINE || k->sign == SIGN_DASHES) {
        draw_line_sign(p, k, x, y);
    } else {
        draw_box_sign(p, k->colour, k->sign == SIGN_HATCHED, x, y);
    }
    x += (sign_width(k->sign) + 8) * unit;
    page_text(p, x, foot, 15, PAGE_FAINT, false, 0, k->word);
    return x + page_text_width(p, 15, k->word);
}

void plan_legend_draw(const plan_sheet *s)
{
    const page *p = s->page;
    key keys[KEYS_MAX];
    int count = list_keys(s, keys);
    double x = p->margin, y = p->height - p->foot + 28 * p->unit, end = p->width - p->margin;
    for (int i = 0; i < count; i++) {
        if (x > p->margin && x + (key_width(&keys[i]) - KEY_GAP) * p->unit > end) {
            x = p->margin;
            y += 28 * p->unit;
        }
        x = draw_key(p, &keys[i], x, y) + KEY_GAP * p->unit;
    }
}

// Rows that the legend takes on a page of so many units.
static int rows_of(const plan_sheet *s, double width)
{
    key keys[KEYS_MAX];
    int count = list_keys(s, keys), rows = 1;
    double x = 0;
    for (int i = 0; i < count; i++) {
        double wide = key_width(&keys[i]);
        if (x > 0 && x + wide - KEY_GAP > width - 72) {
            rows++;
            x = 0;
        }
        x += wide;
    }
    return rows;
}

double plan_legend_height(const plan_sheet *s, double width)
{
    return 28 * rows_of(s, width);
}
