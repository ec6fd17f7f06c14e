#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/drawing/area_colours.h"
#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/picture_ground.h"
#include "clients/navctl/drawing/picture_scene.h"
#include "clients/navctl/drawing/storeys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const arg_option picture_options[PICTURE_OPTIONS] = {
    {"slice", 0, ARG_TEXT, "MIN,MAX", "picture only ground between these heights, in metres; the rest is a shadow",
     offsetof(picture_values, slice), 0, 0, NULL},
    {"storeys", 0, ARG_TEXT, "N",
     "picture with a panel for each of at most N storeys, 1 to 12; default: auto, as many as are found",
     offsetof(picture_values, storeys), 0, 0, NULL},
};

bool picture_values_check(picture_values *v, const char *command)
{
    char *end = NULL;
    v->heights[0] = -INFINITY;
    v->heights[1] = INFINITY;
    v->wanted = 0;
    if (v->slice && v->storeys) {
        fprintf(stderr, "navctl %s: --slice takes the place of --storeys\n", command);
        return false;
    }
    if (v->slice) {
        v->heights[0] = strtod(v->slice, &end);
        bool ok = end != v->slice && *end == ',';
        if (ok) v->heights[1] = strtod(end + 1, &end);
        if (ok && *end == '\0' && v->heights[0] < v->heights[1]) return true;
        fprintf(stderr, "navctl %s: --slice %s: two heights in metres, the lower one first, such as 0,3\n", command,
                v->slice);
        return false;
    }
    if (!v->storeys || !strcmp(v->storeys, "auto")) return true;
    long wanted = strtol(v->storeys, &end, 10);
    if (end == v->storeys || *end != '\0' || wanted < 1 || wanted > STOREYS_MAX) {
        fprintf(stderr, "navctl %s: --storeys %s: a number from 1 to %d, or auto\n", command, v->storeys, STOREYS_MAX);
        return false;
    }
    v->wanted = (int)wanted;
    return true;
}

// The page and what is on it.
typedef struct sheet {
    const page *page;
    const draw_mesh *mesh;
    double low, high; // heights that the colours span
    const nav_area_table *areas;
    const scene *around;
    const picture_paths *paths;
    const picture_bands *bands;
    bool has_shadow; // ground of other heights
} sheet;

static void draw_links(const sheet *s)
{
    page_colour(s->page, PAGE_LINK, 0.9);
    cairo_set_line_width(s->page->cr, 2 * s->page->unit);
    for (uint32_t i = 0; i < s->mesh->link_count; i++) {
        const float(*l)[3] = s->mesh->links[i].ends;
        double x0 = page_x(s->page, (double)l[0][0]), y0 = page_z(s->page, (double)l[0][2]);
        double x1 = page_x(s->page, (double)l[1][0]), y1 = page_z(s->page, (double)l[1][2]);
        double bend = 0.18 * hypot(x1 - x0, y1 - y0);
        cairo_move_to(s->page->cr, x0, y0);
        cairo_curve_to(s->page->cr, x0, y0 - bend, x1, y1 - bend, x1, y1);
        cairo_stroke(s->page->cr);
        cairo_arc(s->page->cr, x1, y1, 3 * s->page->unit, 0, 2 * 3.14159265358979);
        cairo_fill(s->page->cr);
    }
}

static const double NARROW = 1100, ROW = 32; // units: pages on which keys have rows of their own, and their height

// Do the keys have a row of their own? wide: units.
static bool has_row(double wide, const picture_bands *bands)
{
    return wide < NARROW || bands;
}

typedef struct key_look {
    const char *name;
    colour c;
    bool shown, is_area;
} key_look;

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
    cairo_set_source(s->page->cr, ramp);
    cairo_rectangle(s->page->cr, x, y - 2 * s->page->unit, length, 9 * s->page->unit);
    cairo_fill(s->page->cr);
    cairo_pattern_destroy(ramp);
    snprintf(text, sizeof text, "height %.1f m", s->low);
    page_text(s->page, x - 10 * s->page->unit, y + 8 * s->page->unit, 15, PAGE_FAINT, false, 1, text);
    snprintf(text, sizeof text, "%.1f m", s->high);
    page_text(s->page, x + length + 10 * s->page->unit, y + 8 * s->page->unit, 15, PAGE_FAINT, false, 0, text);

    const scene *around = s->around;
    bool volumes[2] = {false, false}; // others, including ones
    for (uint32_t i = 0; around && i < around->volume_count; i++) volumes[around->volumes[i].include != 0] = true;
    key_look keys[PICTURE_BANDS_MAX + 9] = {
        // the bands' first, as there may not be room for all
        [PICTURE_BANDS_MAX] = {"wall", {0.12, 0.13, 0.18}, true, false},
        {"tile border", {0.16, 0.38, 0.70}, picture_ground_has_borders(s->page, s->mesh), false},
        {"off-mesh link", PAGE_LINK, s->mesh->link_count > 0, false},
        {"geometry", PICTURE_GEOMETRY, around && around->tri_count > 0, true},
        {"other heights", PICTURE_SHADOW, s->has_shadow, true},
        {"shortest path", PICTURE_PATH_COLOUR, s->paths && s->paths->count > 0, false},
        {s->paths ? s->paths->other : NULL, PICTURE_PATH_OTHER_COLOUR, s->paths && s->paths->other, false},
        {"volume", PICTURE_VOLUME, volumes[0], false},
        {"include volume", PICTURE_INCLUDED, volumes[1], false},
    };
    char distances[PICTURE_BANDS_MAX][32];
    for (uint32_t i = 0; s->bands && i < s->bands->count; i++) {
        snprintf(distances[i], sizeof distances[i], "%s%.4g%s", i ? "" : "within ", s->bands->items[i].distance_m,
                 i + 1 < s->bands->count ? "" : " m");
        keys[i] = (key_look){distances[i], picture_band_colour(s->bands, i), true, true};
    }
    bool narrow = has_row(s->page->width / s->page->unit, s->bands);
    double end = narrow ? s->page->width - s->page->margin : x - 150 * s->page->unit, total = 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].shown) total += 54 * s->page->unit + page_text_width(s->page, 15, keys[i].name);
    // Behind the scale; from the middle on, or from farther left where there are many.
    double behind_scale = 0.25 * s->page->width + 100 * s->page->unit;
    double from = fmin(0.5 * s->page->width - 330 * s->page->unit, end - total);
    double at = narrow ? s->page->margin : fmax(from, behind_scale);
    if (narrow) y -= ROW * s->page->unit;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!keys[i].shown) continue;
        double wide = 34 * s->page->unit + page_text_width(s->page, 15, keys[i].name);
        if (at + wide > end) continue;
        cairo_move_to(s->page->cr, at, y + 3 * s->page->unit);
        cairo_line_to(s->page->cr, at + 26 * s->page->unit, y + 3 * s->page->unit);
        page_colour(s->page, keys[i].c, 1);
        cairo_set_line_width(s->page->cr, (keys[i].is_area ? 11 : 3) * s->page->unit);
        cairo_stroke(s->page->cr);
        page_text(s->page, at + 34 * s->page->unit, y + 8 * s->page->unit, 15, PAGE_FAINT, false, 0, keys[i].name);
        at += wide + 20 * s->page->unit;
    }
    area_colours_draw_keys(s->page, s->areas, s->mesh, y + (3 - ROW) * s->page->unit);
}

// Panels in rows and columns, one for each slice of heights.
typedef struct picture {
    const draw_mesh *mesh;
    const picture_look *look;
    storeys storeys;
    int columns;
    double corner[2]; // metres: x and z where the first panel begins
    double step[2];   // metres from one panel to the next, along x and z
} picture;

static void label_panel(const page *p, const picture *what, int which)
{
    char text[64];
    const double *slice = what->storeys.slices[which];
    if (isinf(slice[0]) && isinf(slice[1])) return;
    if (isinf(slice[0]))
        snprintf(text, sizeof text, "below %.1f m", slice[1]);
    else if (isinf(slice[1]))
        snprintf(text, sizeof text, "above %.1f m", slice[0]);
    else
        snprintf(text, sizeof text, "%.1f to %.1f m", slice[0], slice[1]);
    page_text(p, page_x(p, what->corner[0]), page_z(p, what->corner[1]) - 8 * p->unit, 16, PAGE_INK, true, 0, text);
}

static bool draw_panel(const page *p, const picture *what, int which)
{
    const draw_mesh *m = what->mesh;
    page panel = *p;
    panel.left += which % what->columns * what->step[0] * p->scale;
    panel.top += which / what->columns * what->step[1] * p->scale;
    picture_ground g = {.mesh = m,
                        .areas = what->look->areas,
                        .colours = {(double)m->min[1], (double)m->max[1]},
                        .slice = {what->storeys.slices[which][0], what->storeys.slices[which][1]},
                        .parallel = what->look->parallel};
    const scene *around = what->look->around;
    bool ok = !around || picture_scene_geometry(&panel, around, g.slice, g.parallel);
    ok = ok && picture_ground_paint(&panel, &g);
    if (around) picture_scene_volumes(&panel, around, g.slice);
    if (what->look->bands) picture_bands_paint(&panel, what->look->bands, g.slice);
    if (what->look->paths) picture_paths_paint(&panel, what->look->paths, g.slice);
    label_panel(&panel, what, which);
    return ok;
}

static bool paint(const page *p, const void *user)
{
    const picture *what = user;
    const draw_mesh *m = what->mesh;
    sheet s = {.page = p,
               .mesh = m,
               .low = (double)m->min[1],
               .high = (double)m->max[1],
               .areas = what->look->areas,
               .around = what->look->around,
               .paths = what->look->paths,
               .bands = what->look->bands,
               .has_shadow = what->storeys.count > 1 || !isinf(what->storeys.slices[0][0])};
    char line[160];
    bool ok = true;
    for (int i = 0; i < what->storeys.count && ok; i++) ok = draw_panel(p, what, i);
    if (what->storeys.count == 1) draw_links(&s);
    cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
    snprintf(line, sizeof line, "%u tiles, %u polygons, %.0f m by %.0f m", m->tile_count, m->polygon_count,
             m->polygon_count ? (double)m->max[0] - (double)m->min[0] : 0,
             m->polygon_count ? (double)m->max[2] - (double)m->min[2] : 0);
    page_headline(p, what->look->title, line);
    if (m->polygon_count == 0) {
        page_text(p, p->width / 2, p->height / 2, 22, PAGE_FAINT, false, 0.5, "nothing to walk on");
        return ok;
    }
    page_scale_bar(p);
    draw_legend(&s);
    return ok;
}

// As many columns as make the panels largest on a square page.
static void arrange(picture *what, page_drawing *d)
{
    int count = what->storeys.count;
    what->columns = 1;
    if (count == 1) return;
    double x = (double)d->max[0] - (double)d->min[0], z = (double)d->max[2] - (double)d->min[2],
           gap = 0.07 * fmax(x, z);
    double best = INFINITY;
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        double side = fmax(columns * (x + gap), rows * (z + gap));
        if (side >= best) continue;
        best = side;
        what->columns = columns;
        d->max[0] = (float)((double)d->min[0] + columns * (x + gap) - gap);
        d->max[2] = (float)((double)d->min[2] + rows * (z + gap));
    }
    what->step[0] = x + gap;
    what->step[1] = z + gap;
    d->min[2] -= (float)gap; // the labels of the first row
    d->max[2] -= (float)gap;
}

// The ground and what is around it.
static void find_extent(const draw_mesh *mesh, const scene *around, page_drawing *d)
{
    memcpy(d->min, mesh->min, sizeof d->min);
    memcpy(d->max, mesh->max, sizeof d->max);
    for (int k = 0; k < 3 && around && around->tri_count; k++) {
        d->min[k] = fminf(d->min[k], around->min[k]);
        d->max[k] = fmaxf(d->max[k], around->max[k]);
    }
}

bool picture_write(const char *path, const draw_mesh *mesh, const picture_look *look)
{
    picture what = {.mesh = mesh, .look = look};
    const picture_values *v = look->values;
    if (v->slice) {
        what.storeys = (storeys){.slices = {{v->heights[0], v->heights[1]}}, .count = 1};
    } else if (!storeys_find(mesh, v->wanted, &what.storeys)) {
        fprintf(stderr, "navctl: no memory left\n");
        return false;
    }
    page_drawing d = {.foot = 70, .paint = paint, .user = &what, .parallel = look->parallel};
    find_extent(mesh, look->around, &d);
    what.corner[0] = (double)d.min[0];
    what.corner[1] = (double)d.min[2];
    arrange(&what, &d);
    if (area_colours_have_keys(look->areas, mesh)) d.foot += ROW;
    if (has_row(page_width(&d), look->bands)) d.foot += ROW;
    return page_write(path, &d, look->size);
}
