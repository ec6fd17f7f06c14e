// Scenes have millions of triangles, and one colour is enough: they are filled into a mask, pixel by pixel, which cairo
// then paints.
#include "clients/navctl/drawing/picture_scene.h"
#include "core/base/parallel.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

const colour PICTURE_GEOMETRY = {0.80, 0.79, 0.77}, PICTURE_VOLUME = {0.62, 0.16, 0.48},
             PICTURE_INCLUDED = {0.13, 0.50, 0.33};

typedef struct mask {
    _Atomic uint8_t *pixels; // 255: covered; all threads set them
    int width, height, stride;
} mask;

static void cover(_Atomic uint8_t *pixel)
{
    atomic_store_explicit(pixel, 255, memory_order_relaxed);
}

static double side(const double a[2], const double b[2], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static int clamp(double value, int most)
{
    return value < 0 ? 0 : value > most ? most : (int)value;
}

// The pixels whose centres lie in the triangle; one at least of a tiny triangle.
static void fill(mask *m, const double t[3][2])
{
    double low[2], high[2];
    for (int k = 0; k < 2; k++) {
        low[k] = fmin(t[0][k], fmin(t[1][k], t[2][k]));
        high[k] = fmax(t[0][k], fmax(t[1][k], t[2][k]));
    }
    if (!(high[0] >= 0 && high[1] >= 0 && low[0] < m->width && low[1] < m->height)) return; // beside the page
    int first[2] = {clamp(low[0], m->width - 1), clamp(low[1], m->height - 1)};
    int last[2] = {clamp(high[0], m->width - 1), clamp(high[1], m->height - 1)};
    if (high[0] - low[0] < 2 && high[1] - low[1] < 2)
        cover(m->pixels + (size_t)m->stride * (size_t)first[1] + (size_t)first[0]);
    double turn = side(t[0], t[1], t[2][0], t[2][1]);
    for (int y = first[1]; y <= last[1] && turn != 0; y++) {
        _Atomic uint8_t *row = m->pixels + (size_t)m->stride * (size_t)y;
        for (int x = first[0]; x <= last[0]; x++) {
            double px = x + 0.5, py = y + 0.5;
            if (side(t[0], t[1], px, py) * turn >= 0 && side(t[1], t[2], px, py) * turn >= 0 &&
                side(t[2], t[0], px, py) * turn >= 0)
                cover(&row[x]);
        }
    }
}

// The triangles of a scene in slices, counted through all instances.
typedef struct geometry {
    const page *page;
    const scene *scene;
    const double *slice; // heights
    mask mask;
    uint64_t tri_count;
    int parts;
} geometry;

// Pixels and height of a vertex.
static void place_vertex(const page *p, const float *at, const float t[12], double out[3])
{
    double world[3];
    for (int k = 0; k < 3; k++) {
        world[k] = (double)t[4 * k + 3];
        for (int i = 0; i < 3; i++) world[k] += (double)t[4 * k + i] * (double)at[i];
    }
    out[0] = page_x(p, world[0]);
    out[1] = page_z(p, world[2]);
    out[2] = world[1];
}

static void fill_triangle(geometry *g, const scene_mesh *mesh, const float transform[12], uint32_t tri)
{
    double t[3][2], low = INFINITY, high = -INFINITY;
    float corners[9];
    if (!scene_mesh_triangle(mesh, tri, corners)) return;
    for (size_t k = 0; k < 3; k++) {
        double at[3];
        place_vertex(g->page, corners + 3 * k, transform, at);
        memcpy(t[k], at, sizeof t[k]);
        low = fmin(low, at[2]);
        high = fmax(high, at[2]);
    }
    if (high >= g->slice[0] && low < g->slice[1]) fill(&g->mask, (const double(*)[2])t);
}

static void fill_part(void *user, int part)
{
    geometry *g = user;
    uint64_t at = g->tri_count * (uint64_t)part / (uint64_t)g->parts, first = 0;
    const uint64_t end = g->tri_count * ((uint64_t)part + 1) / (uint64_t)g->parts;
    for (uint32_t i = 0; i < g->scene->instance_count && at < end; i++) {
        const scene_instance *instance = &g->scene->instances[i];
        const scene_mesh *mesh = &g->scene->meshes[instance->mesh];
        for (; at < end && at < first + mesh->tri_count; at++)
            fill_triangle(g, mesh, instance->transform, (uint32_t)(at - first));
        first += mesh->tri_count;
    }
}

bool picture_scene_geometry(const page *p, const scene *s, const double slice[2], const nav_parallel *parallel)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_A8, (int)p->width, (int)p->height);
    bool ok = cairo_surface_status(image) == CAIRO_STATUS_SUCCESS;
    if (ok) {
        cairo_surface_flush(image);
        geometry g = {.page = p,
                      .scene = s,
                      .slice = slice,
                      .mask = {(_Atomic uint8_t *)cairo_image_surface_get_data(image),
                               cairo_image_surface_get_width(image), cairo_image_surface_get_height(image),
                               cairo_image_surface_get_stride(image)},
                      .parts = parallel ? 4 * parallel->threads : 1};
        for (uint32_t i = 0; i < s->instance_count; i++) g.tri_count += s->meshes[s->instances[i].mesh].tri_count;
        nav_parallel_run(parallel, fill_part, &g, g.parts);
        cairo_surface_mark_dirty(image);
        page_colour(p, PICTURE_GEOMETRY, 1);
        cairo_mask_surface(p->cr, image, 0, 0);
    }
    cairo_surface_destroy(image);
    return ok;
}

void picture_scene_volumes(const page *p, const scene *s, const double slice[2])
{
    const double dashes[2] = {6 * p->unit, 4 * p->unit};
    cairo_save(p->cr);
    cairo_set_dash(p->cr, dashes, 2, 0);
    cairo_set_line_width(p->cr, 1.6 * p->unit);
    for (uint32_t i = 0; i < s->volume_count; i++) {
        const nav_volume *v = &s->volumes[i];
        if (!((double)v->max_y >= slice[0] && (double)v->min_y < slice[1])) continue;
        const colour c = v->include ? PICTURE_INCLUDED : PICTURE_VOLUME;
        cairo_new_path(p->cr);
        for (uint32_t k = 0; k < v->point_count; k++)
            cairo_line_to(p->cr, page_x(p, (double)v->points[2 * k]), page_z(p, (double)v->points[2 * k + 1]));
        cairo_close_path(p->cr);
        page_colour(p, c, v->include ? 0 : 0.12);
        cairo_fill_preserve(p->cr);
        page_colour(p, c, 0.9);
        cairo_stroke(p->cr);
    }
    cairo_restore(p->cr);
}
