#include "clients/navctl/drawing/plan.h"
#include "clients/navctl/drawing/plan_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[] = {"layers", "cells",    "portals", "notches",  "polygons",
                                         "spans",  "distance", "regions", "contours", "sides"};
enum { PART_COUNT = sizeof part_names / sizeof *part_names };

const colour PLAN_FLOOR = {0.895, 0.885, 0.860}, PLAN_CELL_EDGE = {0.25, 0.27, 0.33}, PLAN_BORDER = {0.16, 0.38, 0.70},
             PLAN_NOTCH = {0.78, 0.10, 0.45}, PLAN_UNREACHABLE = {0.60, 0.55, 0.52};
static const double TAU = 6.283185307179586;

bool plan_parse(const char *list, unsigned *parts, char *why, size_t why_bytes)
{
    *parts = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        int part = 0;
        while (part < PART_COUNT && (strlen(part_names[part]) != length || strncmp(list, part_names[part], length)))
            part++;
        if (part == PART_COUNT) {
            snprintf(why, why_bytes, "'%.*s' is none of " PLAN_PART_NAMES, (int)(length < 31 ? length : 31), list);
            return false;
        }
        *parts |= 1u << part;
        list += length + (list[length] == ',');
    }
    if (!*parts) snprintf(why, why_bytes, "it names none of " PLAN_PART_NAMES);
    if (__builtin_popcount(*parts & PLAN_COLUMNS) > 1) {
        snprintf(why, why_bytes, "spans, distance and regions each colour all columns: choose one");
        return false;
    }
    return *parts != 0;
}

// Things to draw, lowest first, so that upper floors cover lower ones and lines lie on their own floor.
typedef enum item_kind { ITEM_FACE, ITEM_EDGE, ITEM_PORTAL, ITEM_NOTCH, ITEM_SIDES } item_kind;

typedef struct item {
    double height;
    item_kind kind;
    uint32_t index, polygon;
} item;

typedef struct plan {
    plan_sheet sheet;
    const char *title, *note;
} plan;

// A colour by its lightness, strength and hue (0 to 1), with equal steps for the eye: Oklab (Ottosson 2020).
static colour by_hue(double lightness, double strength, double hue)
{
    double a = strength * cos(TAU * hue), b = strength * sin(TAU * hue);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    double linear[3] = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
    for (int k = 0; k < 3; k++) {
        double c = fmin(fmax(linear[k], 0), 1);
        linear[k] = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
    }
    return (colour){linear[0], linear[1], linear[2]};
}

// Neighbouring numbers get hues far apart: steps of the golden angle.
static double hue_of(uint32_t number)
{
    double turns = 0.20 + 0.381966011250105 * number;
    return turns - floor(turns);
}

colour plan_layer_colour(uint32_t layer, double lightness)
{
    return by_hue(lightness, layer ? 0.07 : 0, hue_of(layer));
}

static colour face_colour(const plan_sheet *s, const draw_polygon *p)
{
    if (p->flags & NAV_CELL_UNREACHABLE) return PLAN_UNREACHABLE;
    double step = ((p->cell % 3) - 1.0) * 0.045;
    if (s->parts & PLAN_LAYERS) {
        return plan_layer_colour(p->layer, 0.83 + (s->parts & PLAN_CELLS ? step : 0));
    }
    return s->parts & PLAN_CELLS ? by_hue(0.87, 0.06, hue_of(p->cell)) : PLAN_FLOOR;
}

colour plan_clearance_colour(double t)
{
    static const colour ramp[] = {{0.80, 0.12, 0.12}, {0.95, 0.56, 0.10}, {0.20, 0.60, 0.25}, {0.10, 0.38, 0.75}};
    enum { LAST = sizeof ramp / sizeof ramp[0] - 1 };
    double at = (t < 0 ? 0 : t > 1 ? 1 : t) * LAST;
    int step = at >= LAST ? LAST - 1 : (int)at;
    return page_mix(ramp[step], ramp[step + 1], at - step);
}

static void move_to(const page *p, const float at[3])
{
    cairo_move_to(p->cr, page_x(p, (double)at[0]), page_z(p, (double)at[2]));
}

static void line_to(const page *p, const float at[3])
{
    cairo_line_to(p->cr, page_x(p, (double)at[0]), page_z(p, (double)at[2]));
}

// Pixels of a line that is so many metres thick, but at least `least` units.
static double thickness(const page *p, double metres, double least)
{
    return fmax(metres * fmin(p->scale, 14 * p->unit), least * p->unit);
}

void plan_hatch(const page *p)
{
    double x0, y0, x1, y1, step = 7 * p->unit;
    cairo_path_extents(p->cr, &x0, &y0, &x1, &y1);
    cairo_save(p->cr);
    cairo_clip(p->cr);
    cairo_new_path(p->cr);
    for (double at = floor((x0 - (y1 - y0)) / step) * step; at < x1; at += step) {
        // Through the same lattice for every polygon, so that the hatching of a cell goes on over its pieces.
        double shift = fmod(y0, step);
        cairo_move_to(p->cr, at + shift, y0);
        cairo_line_to(p->cr, at + shift + (y1 - y0), y1);
    }
    page_colour(p, PAGE_INK, 0.22);
    cairo_set_line_width(p->cr, 1.1 * p->unit);
    cairo_stroke(p->cr);
    cairo_restore(p->cr);
}

static void draw_face(const plan_sheet *s, uint32_t i)
{
    const page *p = s->page;
    const draw_polygon *poly = &s->mesh->polygons[i];
    cairo_new_path(p->cr);
    for (uint32_t k = 0; k < poly->corner_count; k++) line_to(p, s->mesh->corners + 3 * (size_t)(poly->first + k));
    cairo_close_path(p->cr);
    page_colour(p, face_colour(s, poly), 1);
    cairo_fill_preserve(p->cr);
    cairo_set_line_width(p->cr, 0.7 * p->unit); // no gaps between neighbours
    cairo_stroke_preserve(p->cr);
    if (poly->flags & NAV_CELL_RELAXED) plan_hatch(p);
    cairo_new_path(p->cr);
}

static void draw_edge_of(const plan_sheet *s, uint32_t polygon, uint32_t k)
{
    const page *p = s->page;
    const draw_polygon *poly = &s->mesh->polygons[polygon];
    bool cells = s->parts & PLAN_CELLS, polygons = s->parts & PLAN_POLYGONS;
    draw_edge kind = s->mesh->edges[k];
    uint32_t next = k + 1 < poly->first + poly->corner_count ? k + 1 : poly->first;
    move_to(p, s->mesh->corners + 3 * (size_t)k);
    line_to(p, s->mesh->corners + 3 * (size_t)next);
    if (!(s->parts & ~(unsigned)(PLAN_SIDES | PLAN_STAGES))) { // only where the ground ends and polygons meet
        page_colour(p, PLAN_CELL_EDGE, kind == DRAW_EDGE_SPLIT ? 0 : 0.35);
        cairo_set_line_width(p->cr, 0.6 * p->unit);
    } else if (kind == DRAW_EDGE_WALL) {
        page_colour(p, PAGE_WALL, 0.95);
        cairo_set_line_width(p->cr, thickness(p, 0.16, 0.8));
    } else if (kind == DRAW_EDGE_PORTAL) {
        page_colour(p, PLAN_BORDER, 0.45);
        cairo_set_line_width(p->cr, thickness(p, 0.05, 0.5));
    } else if (kind == DRAW_EDGE_INNER && cells) {
        page_colour(p, PLAN_CELL_EDGE, 0.75);
        cairo_set_line_width(p->cr, thickness(p, 0.07, 0.6));
    } else if (polygons) {
        page_colour(p, PLAN_CELL_EDGE, 0.50);
        cairo_set_line_width(p->cr, thickness(p, 0.04, 0.4));
        const double dash[2] = {4 * p->unit, 3 * p->unit};
        if (kind == DRAW_EDGE_SPLIT) cairo_set_dash(p->cr, dash, 2, 0);
    } else {
        cairo_new_path(p->cr);
    }
    cairo_stroke(p->cr);
    cairo_set_dash(p->cr, NULL, 0, 0);
}

static void draw_portal_line(const plan_sheet *s, uint32_t i)
{
    const page *p = s->page;
    const draw_portal *portal = &s->mesh->portals[i];
    for (int layer = 0; layer < 2; layer++) { // a light rim sets the line off from any floor
        move_to(p, portal->ends[0]);
        line_to(p, portal->ends[1]);
        double width = thickness(p, 0.20, 1.2);
        if (layer == 0) {
            page_colour(p, (colour){1, 1, 1}, 0.8);
            width += 2 * p->unit;
        } else {
            page_colour(p, plan_clearance_colour((double)portal->clearance_m / s->widest_m), 1);
        }
        cairo_set_line_width(p->cr, width);
        cairo_stroke(p->cr);
    }
}

void plan_dot(const page *p, double x, double y, double radius)
{
    cairo_new_path(p->cr);
    cairo_arc(p->cr, x, y, radius, 0, TAU);
    page_colour(p, PLAN_NOTCH, 1);
    cairo_fill_preserve(p->cr);
    page_colour(p, (colour){1, 1, 1}, 0.9);
    cairo_set_line_width(p->cr, 0.25 * radius);
    cairo_stroke(p->cr);
}

static void draw_notch(const plan_sheet *s, uint32_t i)
{
    const page *p = s->page;
    const float *at = s->mesh->notches + 3 * (size_t)i;
    plan_dot(p, page_x(p, (double)at[0]), page_z(p, (double)at[2]), thickness(p, 0.26, 1.6));
}

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static double higher(const float a[3], const float b[3])
{
    return fmax((double)a[1], (double)b[1]);
}

// A face lies at its lowest corner, lines on it at their highest point and a little above.
static uint64_t list_items(const plan_sheet *s, item *list)
{
    const draw_mesh *m = s->mesh;
    uint64_t n = 0;
    bool faces = !(s->parts & PLAN_COLUMNS), edges = s->parts & ~(unsigned)PLAN_STAGES;
    for (uint32_t i = 0; i < m->polygon_count; i++) {
        const draw_polygon *p = &m->polygons[i];
        double low = INFINITY;
        for (uint32_t k = p->first; k < p->first + p->corner_count; k++) {
            uint32_t next = k + 1 < p->first + p->corner_count ? k + 1 : p->first;
            const float *a = m->corners + 3 * (size_t)k, *b = m->corners + 3 * (size_t)next;
            low = fmin(low, (double)a[1]);
            if (edges) list[n++] = (item){higher(a, b) + (m->edges[k] == DRAW_EDGE_WALL ? 0.3 : 0.2), ITEM_EDGE, k, i};
        }
        if (faces) list[n++] = (item){low, ITEM_FACE, i, i};
    }
    for (uint32_t i = 0; s->parts & PLAN_PORTALS && i < m->portal_count; i++)
        list[n++] = (item){higher(m->portals[i].ends[0], m->portals[i].ends[1]) + 0.4, ITEM_PORTAL, i, 0};
    for (uint32_t i = 0; s->parts & PLAN_NOTCHES && i < m->notch_count; i++)
        list[n++] = (item){(double)m->notches[3 * (size_t)i + 1] + 0.9, ITEM_NOTCH, i, 0};
    for (uint32_t i = 0; s->parts & PLAN_SIDES && i < s->sides->polygon_count; i++) {
        const draw_polygon *p = &s->sides->polygons[i];
        double high = -INFINITY;
        for (uint32_t k = p->first; k < p->first + p->corner_count; k++)
            high = fmax(high, (double)s->sides->corners[3 * (size_t)k + 1]);
        list[n++] = (item){high + 0.35, ITEM_SIDES, i, i};
    }
    qsort(list, n, sizeof *list, compare_items);
    return n;
}

static bool draw_items(const plan_sheet *s)
{
    const draw_mesh *m = s->mesh;
    size_t most =
        (size_t)m->polygon_count + m->corner_count + m->portal_count + m->notch_count + s->sides->polygon_count;
    item *list = malloc(sizeof *list * (most + 1));
    if (!list) return false;
    bool ok = true;
    uint64_t n = list_items(s, list);
    for (uint64_t i = 0; i < n && ok; i++) {
        switch (list[i].kind) {
        case ITEM_FACE:
            draw_face(s, list[i].index);
            break;
        case ITEM_EDGE:
            draw_edge_of(s, list[i].polygon, list[i].index);
            break;
        case ITEM_PORTAL:
            draw_portal_line(s, list[i].index);
            break;
        case ITEM_NOTCH:
            draw_notch(s, list[i].index);
            break;
        case ITEM_SIDES:
            ok = plan_sides_draw(s, list[i].index);
            break;
        }
    }
    free(list);
    return ok;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The clearance that three of four portals stay below, rounded up to 1, 2 or 5 times a power of ten.
static double usual_clearance(const draw_mesh *m)
{
    float *all = malloc(sizeof *all * ((size_t)m->portal_count + 1));
    if (!all || !m->portal_count) {
        free(all);
        return 1;
    }
    for (uint32_t i = 0; i < m->portal_count; i++) all[i] = m->portals[i].clearance_m;
    qsort(all, m->portal_count, sizeof *all, compare_floats);
    double value = fmax((double)all[(uint64_t)m->portal_count * 3 / 4], 0.1);
    free(all);
    double power = pow(10, floor(log10(value)));
    return value <= power ? power : value <= 2 * power ? 2 * power : value <= 5 * power ? 5 * power : 10 * power;
}

// "3 cells, " and the like, behind what is in the line already.
static void add_count(char *line, size_t bytes, uint32_t count, const char *one, const char *many)
{
    size_t n = strlen(line);
    snprintf(line + n, bytes - n, "%s%u %s", n && line[n - 1] != ' ' ? ", " : "", count, count == 1 ? one : many);
}

static void describe(const plan_sheet *s, const char *note, char *line, size_t bytes)
{
    const draw_mesh *m = s->mesh;
    snprintf(line, bytes, "%s%s", note, note[0] ? ": " : "");
    size_t n = strlen(line);
    if (s->parts & PLAN_SIDES && s->sides->listed_count == 1)
        snprintf(line + n, bytes - n, "tile %d,%d", s->sides->tiles[0].x, s->sides->tiles[0].z);
    else
        add_count(line, bytes, m->tile_count, "tile", "tiles");
    if (s->parts & PLAN_LAYERS && m->has_regions) add_count(line, bytes, m->layer_count, "region", "regions");
    if (s->parts & PLAN_LAYERS && !m->has_regions) add_count(line, bytes, m->layer_count, "layer", "layers");
    if (m->cell_count || !m->polygon_count) add_count(line, bytes, m->cell_count, "cell", "cells");
    if (s->parts & PLAN_POLYGONS || (m->polygon_count && !m->cell_count))
        add_count(line, bytes, m->polygon_count, "polygon", "polygons");
    if (s->parts & PLAN_PORTALS) add_count(line, bytes, m->portal_count, "portal", "portals");
    if (s->parts & PLAN_NOTCHES) add_count(line, bytes, m->notch_count, "notch", "notches");
}

static bool paint(const page *p, const void *user)
{
    const plan *what = user;
    plan_sheet s = what->sheet;
    char line[256];
    s.page = p;
    bool columns = s.parts & PLAN_COLUMNS, contours = s.parts & PLAN_CONTOURS;
    bool ok = !columns || plan_ground_draw(&s);
    if (columns && contours) plan_ground_draw_contours(&s);
    ok = ok && draw_items(&s);
    if (ok && s.parts & PLAN_SIDES) plan_sides_draw_rest(&s);
    if (s.parts & PLAN_STAGES) plan_ground_draw_tiles(&s);
    if (!columns && contours) plan_ground_draw_contours(&s); // the floors' fill would cover them
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    describe(&s, what->note, line, sizeof line);
    page_headline(p, what->title, line);
    if (s.mesh->polygon_count == 0 && !(s.parts & PLAN_COLUMNS && s.ranges.min[0] <= s.ranges.max[0])) {
        page_text(p, p->width / 2, p->height / 2, 22, PAGE_FAINT, false, 0.5, "nothing to walk on");
        return ok;
    }
    page_scale_bar(p);
    plan_legend_draw(&s);
    return ok;
}

bool plan_write(const char *path, const plan_look *look)
{
    const draw_mesh *mesh = look->mesh;
    const plan what = {.sheet = {.tiles = look->tiles,
                                 .mesh = mesh,
                                 .sides = look->sides ? look->sides : mesh,
                                 .ranges = plan_ranges_of(look->tiles),
                                 .parts = look->parts,
                                 .widest_m = usual_clearance(mesh)},
                       .title = look->title,
                       .note = look->note};
    const plan_ranges *r = &what.sheet.ranges;
    page_drawing d = {.foot = 132, .paint = paint, .user = &what, .parallel = look->parallel};
    memcpy(d.min, mesh->min, sizeof d.min);
    memcpy(d.max, mesh->max, sizeof d.max);
    for (int k = 0; k < 3; k += 2) {
        d.min[k] = fminf(d.min[k], (float)r->min[k / 2]);
        d.max[k] = fmaxf(d.max[k], (float)r->max[k / 2]);
    }
    d.foot = 74 + plan_legend_height(&what.sheet, page_width(&d));
    return page_write(path, &d, look->size);
}
