#include "clients/navctl/drawing/picture_sheets.h"

#include "clients/navctl/drawing/page.h"
#include "clients/navctl/drawing/perspective.h"
#include "clients/navctl/drawing/pixels.h"
#include "clients/navctl/drawing/sheet_colours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const arg_option view_options[VIEW_OPTIONS] = {
    {"view", 0, ARG_CHOICE, "NAME", "default: perspective where there are walls or ceilings, else from the top",
     offsetof(view_values, view), 0, 0, "top perspective"},
    {"look-from", 0, ARG_VEC3, "X,Y,Z", "in perspective: the direction, from the middle, in which the eye is",
     offsetof(view_values, look_from), 0, 0, NULL},
};

bool view_values_check(const view_values *v, const char *command)
{
    if (v->look_from[0] != 0 || v->look_from[1] != 0 || v->look_from[2] != 0) return true;
    fprintf(stderr, "navctl %s: --look-from 0,0,0: is no direction\n", command);
    return false;
}

bool view_is_perspective(const view_values *v, bool climbs)
{
    return v->view ? !strcmp(v->view, "perspective") : climbs;
}

static const colour GEOMETRY = {0.80, 0.79, 0.76}, INNER = {1, 1, 1}, BORDER = {0.16, 0.38, 0.70},
                    SEAM = {0.98, 0.80, 0.10};

typedef struct picture {
    const draw_mesh *mesh;
    const picture_sheets_look *look;
    perspective eye;
} picture;

// An image of a page's drawing, several times as fine as the page.
typedef struct canvas {
    const picture *what;
    const page *page;
    depth_image image;
    int fine;
} canvas;

static void place(const canvas *c, const float at[3], double out[3])
{
    perspective_place(&c->what->eye, at, out);
    out[0] = page_x(c->page, out[0]) * c->fine;
    out[1] = page_z(c->page, out[1]) * c->fine;
}

// Light comes from over the eye's left shoulder.
static double light_on(const perspective *p, const float t[9])
{
    double a[3], b[3], n[3], length = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        a[k] = (double)t[3 + k] - (double)t[k];
        b[k] = (double)t[6 + k] - (double)t[k];
    }
    for (int k = 0; k < 3; k++) n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    for (int k = 0; k < 3; k++) {
        length += n[k] * n[k];
        along += n[k] * (0.5 * p->up[k] - 0.35 * p->right[k] - 0.79 * p->ahead[k]);
    }
    return length > 0 ? fmax(along / sqrt(length), 0) : 0;
}

static void draw_triangle(canvas *c, const float t[9], colour hue, double lift)
{
    double corners[3][3];
    if (!perspective_faces(&c->what->eye, t)) return;
    for (int k = 0; k < 3; k++) place(c, t + 3 * (size_t)k, corners[k]);
    const double light = 0.62 + 0.38 * light_on(&c->what->eye, t);
    depth_image_triangle(&c->image, (const double(*)[3])corners, lift,
                         pixels_colour((colour){hue.r * light, hue.g * light, hue.b * light}));
}

static void world_place(const scene_instance *i, const float *p, float out[3])
{
    const float *r = i->transform;
    for (int q = 0; q < 3; q++) out[q] = r[4 * q] * p[0] + r[4 * q + 1] * p[1] + r[4 * q + 2] * p[2] + r[4 * q + 3];
}

static void draw_geometry(canvas *c)
{
    const scene *s = c->what->look->around;
    for (uint32_t i = 0; s && i < s->instance_count; i++) {
        const scene_mesh *m = &s->meshes[s->instances[i].mesh];
        for (size_t k = 0; !m->heights && k < m->tri_count; k++) {
            float t[9];
            for (size_t v = 0; v < 3; v++)
                world_place(&s->instances[i], m->verts + 3 * (size_t)m->tris[3 * k + v], t + 3 * v);
            draw_triangle(c, t, GEOMETRY, 0.998);
        }
    }
}

static colour hue_of(int sheet)
{
    const float *c = SHEET_COLOURS[sheet];
    return (colour){(double)c[0], (double)c[1], (double)c[2]};
}

// Is a place on the line from a to b, as seen along the axis of the sheet?
static bool is_on_line(nav_sheet sheet, const float at[3], const double a[3], const double b[3])
{
    const double reach = 2e-3, way[2] = {b[0] - a[0], b[2] - a[2]}, length = hypot(way[0], way[1]);
    double p[3] = {(double)at[0], (double)at[1], (double)at[2]};
    nav_sheet_to_frame(sheet, p, p);
    const double off[2] = {p[0] - a[0], p[2] - a[2]};
    const double along = length > 0 ? (off[0] * way[0] + off[1] * way[1]) / length : 0;
    const double across = length > 0 ? (off[0] * way[1] - off[1] * way[0]) / length : hypot(off[0], off[1]);
    return fabs(across) <= reach && along >= -reach && along <= length + reach;
}

// An edge of a cell is drawn along the sides of the triangles that lie on it: surface may bend below it.
static void draw_edge_of(canvas *c, const draw_polygon *p, uint32_t k, double width, uint32_t value)
{
    const draw_mesh *m = c->what->mesh;
    double ends[2][3], a[3], b[3];
    for (uint32_t e = 0; e < 2; e++) {
        const float *at = m->corners + 3 * (size_t)(p->first + (k + e) % p->corner_count);
        for (int q = 0; q < 3; q++) ends[e][q] = (double)at[q];
        nav_sheet_to_frame((nav_sheet)p->sheet, ends[e], ends[e]);
    }
    for (uint32_t i = 0; i < p->tri_count; i++) {
        const float *t = m->tris + 9 * (size_t)(p->first_tri + i);
        if (!perspective_faces(&c->what->eye, t)) continue;
        for (int v = 0; v < 3; v++) {
            const float *from = t + 3 * (size_t)v, *to = t + 3 * (size_t)((v + 1) % 3);
            if (!is_on_line((nav_sheet)p->sheet, from, ends[0], ends[1]) ||
                !is_on_line((nav_sheet)p->sheet, to, ends[0], ends[1]))
                continue;
            place(c, from, a);
            place(c, to, b);
            depth_image_line(&c->image, a, b, width, 1.002, value);
        }
    }
}

static void draw_edges(canvas *c, const draw_polygon *p, draw_edge kind, colour hue, double width)
{
    for (uint32_t k = 0; k < p->corner_count; k++)
        if (c->what->mesh->edges[p->first + k] == kind)
            draw_edge_of(c, p, k, width * c->page->unit * c->fine, pixels_colour(hue));
}

static void draw_mesh_on(canvas *c)
{
    const draw_mesh *m = c->what->mesh;
    for (uint32_t i = 0; i < m->polygon_count; i++) {
        const draw_polygon *p = &m->polygons[i];
        for (uint32_t t = 0; t < p->tri_count; t++)
            draw_triangle(c, m->tris + 9 * (size_t)(p->first_tri + t), hue_of(p->sheet), 1);
    }
    for (uint32_t i = 0; i < m->polygon_count; i++) {
        const draw_polygon *p = &m->polygons[i];
        draw_edges(c, p, DRAW_EDGE_INNER, page_mix(hue_of(p->sheet), INNER, 0.6), 1);
        draw_edges(c, p, DRAW_EDGE_PORTAL, page_mix(hue_of(p->sheet), BORDER, 0.6), 1);
    }
    for (uint32_t i = 0; i < m->polygon_count; i++) {
        draw_edges(c, &m->polygons[i], DRAW_EDGE_SEAM, SEAM, 1.8);
        draw_edges(c, &m->polygons[i], DRAW_EDGE_WALL, PAGE_WALL, 1.8);
    }
}

// The means of fine by fine pixels, straight into cairo's image.
static void shrink(const depth_image *from, int fine, uint8_t *to, int stride, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t sum[3] = {0}, value = 0;
            for (int v = 0; v < fine; v++)
                for (int u = 0; u < fine; u++) {
                    const size_t at = (size_t)(y * fine + v) * (size_t)from->width + (size_t)(x * fine + u);
                    for (int k = 0; k < 3; k++) sum[k] += from->pixels[at] >> 8 * k & 255;
                }
            for (int k = 0; k < 3; k++)
                value |= (sum[k] + (uint32_t)(fine * fine / 2)) / (uint32_t)(fine * fine) << 8 * k;
            memcpy(to + (ptrdiff_t)y * stride + 4 * (ptrdiff_t)x, &value, sizeof value);
        }
}

static bool put_image(const canvas *c, int width, int height)
{
    cairo_surface_t *small = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    bool ok = cairo_surface_status(small) == CAIRO_STATUS_SUCCESS;
    if (ok) {
        cairo_surface_flush(small);
        shrink(&c->image, c->fine, cairo_image_surface_get_data(small), cairo_image_surface_get_stride(small), width,
               height);
        cairo_surface_mark_dirty(small);
        cairo_set_source_surface(c->page->cr, small, 0, 0);
        cairo_paint(c->page->cr);
    }
    cairo_surface_destroy(small);
    return ok;
}

static void draw_keys(const page *p, const draw_mesh *m)
{
    bool sheets[NAV_SHEET_COUNT] = {false}, edges[DRAW_EDGE_SEAM + 1] = {false};
    double x = p->margin, y = p->height - 36 * p->unit;
    for (uint32_t i = 0; i < m->polygon_count; i++) sheets[m->polygons[i].sheet] = true;
    for (uint32_t i = 0; i < m->corner_count; i++) edges[m->edges[i]] = true;
    const struct {
        const char *name;
        colour hue;
        bool shown;
        double wide;
    } keys[NAV_SHEET_COUNT + 3] = {
        {"up", hue_of(NAV_SHEET_UP), sheets[NAV_SHEET_UP], 11},
        {"down", hue_of(NAV_SHEET_DOWN), sheets[NAV_SHEET_DOWN], 11},
        {"x+", hue_of(NAV_SHEET_XPLUS), sheets[NAV_SHEET_XPLUS], 11},
        {"x-", hue_of(NAV_SHEET_XMINUS), sheets[NAV_SHEET_XMINUS], 11},
        {"z+", hue_of(NAV_SHEET_ZPLUS), sheets[NAV_SHEET_ZPLUS], 11},
        {"z-", hue_of(NAV_SHEET_ZMINUS), sheets[NAV_SHEET_ZMINUS], 11},
        {"wall", PAGE_WALL, edges[DRAW_EDGE_WALL], 3},
        {"seam", SEAM, edges[DRAW_EDGE_SEAM], 3},
        {"tile border", BORDER, edges[DRAW_EDGE_PORTAL], 3},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!keys[i].shown) continue;
        cairo_move_to(p->cr, x, y + 3 * p->unit);
        cairo_line_to(p->cr, x + 26 * p->unit, y + 3 * p->unit);
        page_colour(p, keys[i].hue, 1);
        cairo_set_line_cap(p->cr, CAIRO_LINE_CAP_BUTT);
        cairo_set_line_width(p->cr, keys[i].wide * p->unit);
        cairo_stroke(p->cr);
        page_text(p, x + 34 * p->unit, y + 8 * p->unit, 15, PAGE_FAINT, false, 0, keys[i].name);
        x += 58 * p->unit + page_text_width(p, 15, keys[i].name);
    }
}

static bool paint(const page *p, const void *user)
{
    enum { FINE = 3, MOST_PIXELS = 1 << 26 };
    const picture *what = user;
    const draw_mesh *m = what->mesh;
    const int width = (int)p->width, height = (int)p->height;
    char line[160];
    canvas c = {.what = what, .page = p, .fine = FINE};
    while (c.fine > 1 && (int64_t)width * height * c.fine * c.fine > MOST_PIXELS) c.fine--;
    if (!depth_image_init(&c.image, width * c.fine, height * c.fine, pixels_colour(PAGE_PAPER))) return false;
    draw_geometry(&c);
    draw_mesh_on(&c);
    bool ok = put_image(&c, width, height);
    depth_image_deinit(&c.image);
    snprintf(line, sizeof line, "%u tiles, %u polygons, %.0f m by %.0f m by %.0f m", m->tile_count, m->polygon_count,
             m->polygon_count ? (double)m->max[0] - (double)m->min[0] : 0,
             m->polygon_count ? (double)m->max[1] - (double)m->min[1] : 0,
             m->polygon_count ? (double)m->max[2] - (double)m->min[2] : 0);
    page_headline(p, what->look->title, line);
    if (m->polygon_count == 0)
        page_text(p, p->width / 2, p->height / 2, 22, PAGE_FAINT, false, 0.5, "nothing to stand on");
    draw_keys(p, m);
    return ok;
}

static void widen(page_drawing *d, const double at[3])
{
    d->min[0] = fminf(d->min[0], (float)at[0]);
    d->max[0] = fmaxf(d->max[0], (float)at[0]);
    d->min[2] = fminf(d->min[2], (float)at[1]);
    d->max[2] = fmaxf(d->max[2], (float)at[1]);
}

// What of the page the mesh and the geometry need.
static void find_extent(const picture *what, page_drawing *d)
{
    const scene *s = what->look->around;
    double at[3];
    for (int i = 0; i < 3; i++) {
        d->min[i] = INFINITY;
        d->max[i] = -INFINITY;
    }
    for (uint32_t i = 0; i < what->mesh->corner_count; i++) {
        perspective_place(&what->eye, what->mesh->corners + 3 * (size_t)i, at);
        widen(d, at);
    }
    for (uint32_t i = 0; s && i < s->instance_count; i++) {
        const scene_mesh *m = &s->meshes[s->instances[i].mesh];
        for (uint32_t v = 0; !m->heights && v < m->vert_count; v++) {
            float corner[3];
            world_place(&s->instances[i], m->verts + 3 * (size_t)v, corner);
            perspective_place(&what->eye, corner, at);
            widen(d, at);
        }
    }
}

bool picture_sheets_write(const char *path, const draw_mesh *mesh, const picture_sheets_look *look)
{
    picture what = {.mesh = mesh, .look = look};
    const scene *around = look->around;
    float min[3], max[3];
    for (int k = 0; k < 3; k++) {
        min[k] = around ? fminf(mesh->min[k], around->min[k]) : mesh->min[k];
        max[k] = around ? fmaxf(mesh->max[k], around->max[k]) : mesh->max[k];
    }
    if (!perspective_init(&what.eye, min, max, look->look_from)) return false; // view_values_check() has said so
    page_drawing d = {.foot = 70, .paint = paint, .user = &what, .parallel = look->parallel};
    find_extent(&what, &d);
    return page_write(path, &d, look->size);
}
