#include "navcore/ground.h"
#include "core/geometry/delaunay.h"
#include "core/geometry/heights.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nav_ground_deinit(nav_ground *g)
{
    free(g->verts);
    free(g->tris);
    *g = (nav_ground){0};
}

__attribute__((format(printf, 3, 4))) static nav_status refuse(char *why, size_t why_bytes, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (why_bytes) vsnprintf(why, why_bytes, format, values);
    va_end(values);
    return NAV_ERR_ARGUMENT;
}

// printf() gives a NaN the sign that it happens to have.
static double shown(float v)
{
    return isnan(v) ? (double)fabsf(v) : (double)v;
}

static bool is_within_reach(float v)
{
    return v >= -NAV_WORLD_REACH_M && v <= NAV_WORLD_REACH_M; // no NaN is
}

// --- points ---

typedef struct site {
    nav_delaunay_place at;
    uint32_t point;
} site;

typedef struct site_list {
    site *sites;
    uint32_t count;
} site_list;

static int compare_sites(const void *a, const void *b)
{
    const site *p = a, *q = b;
    if (p->at.x != q->at.x) return p->at.x < q->at.x ? -1 : 1;
    if (p->at.y != q->at.y) return p->at.y < q->at.y ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

static nav_status check_points(const float *points, uint32_t count, uint32_t named[2], char *why, size_t why_bytes)
{
    static const char axes[3] = {'x', 'y', 'z'};
    if (count < 3) return refuse(why, why_bytes, "%u point%s; three are the least", count, count == 1 ? "" : "s");
    if (count > NAV_GROUND_MAX_POINTS) {
        (void)refuse(why, why_bytes, "%u points; %d are the most", count, NAV_GROUND_MAX_POINTS);
        return NAV_ERR_LIMIT;
    }
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        if (!is_within_reach(points[i])) {
            named[0] = (uint32_t)(i / 3);
            return refuse(why, why_bytes, "point %zu: %c is %g: not finite, or beyond 1e7 m", i / 3, axes[i % 3],
                          shown(points[i]));
        }
    return NAV_OK;
}

// Places on the grid, sorted.
static void place_sites(const float *points, site_list *l)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < l->count; i++)
        for (size_t k = 0; k < 2; k++) {
            low[k] = fmin(low[k], (double)points[3 * i + 2 * k]);
            high[k] = fmax(high[k], (double)points[3 * i + 2 * k]);
        }
    const double extent = fmax(high[0] - low[0], high[1] - low[1]);
    int power = 0;
    if (extent > 0) frexp(extent, &power); // extent < 2^power
    for (uint32_t i = 0; i < l->count; i++) {
        const float *p = points + 3 * (size_t)i;
        l->sites[i] = (site){{(int32_t)lrint(ldexp((double)p[0] - low[0], NAV_DELAUNAY_BITS - power)),
                              (int32_t)lrint(ldexp((double)p[2] - low[1], NAV_DELAUNAY_BITS - power))},
                             i};
    }
    qsort(l->sites, l->count, sizeof *l->sites, compare_sites);
}

// Of points at one place the first is kept, if all have its height.
static nav_status merge_sites(const float *points, site_list *l, uint32_t named[2], char *why, size_t why_bytes)
{
    uint32_t kept = 1;
    for (uint32_t i = 1; i < l->count; i++) {
        const site *last = &l->sites[kept - 1], *s = &l->sites[i];
        if (last->at.x != s->at.x || last->at.y != s->at.y) {
            l->sites[kept++] = *s;
            continue;
        }
        const float *p = points + 3 * (size_t)s->point, *q = points + 3 * (size_t)last->point;
        if (p[1] == q[1]) continue;
        named[0] = s->point;
        named[1] = last->point;
        return refuse(why, why_bytes,
                      "point %u at x %g, z %g is %g high, and point %u at the same place %g: a surface has one height "
                      "there",
                      s->point, (double)p[0], (double)p[2], (double)p[1], last->point, (double)q[1]);
    }
    l->count = kept;
    return NAV_OK;
}

static nav_status triangulate_sites(const float *points, const site_list *l, nav_ground *out, char *why,
                                    size_t why_bytes)
{
    if (l->count < 3)
        return refuse(why, why_bytes, "the points are at %u different place%s in x and z; three are the least",
                      l->count, l->count == 1 ? "" : "s");
    nav_delaunay_place *places = malloc(l->count * sizeof *places);
    if (!places) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < l->count; i++) places[i] = l->sites[i].at;
    nav_status s = nav_delaunay(places, l->count, &out->tris, &out->tri_count);
    free(places);
    if (s != NAV_OK) return s;
    if (out->tri_count == 0) {
        const float *a = points + 3 * (size_t)l->sites[0].point, *b = points + 3 * (size_t)l->sites[l->count - 1].point;
        return refuse(why, why_bytes, "all points are on the line from x %g, z %g to x %g, z %g", (double)a[0],
                      (double)a[2], (double)b[0], (double)b[2]);
    }
    // Counter-clockwise in x and z is clockwise seen from above.
    for (size_t t = 0; t < out->tri_count; t++) {
        uint32_t *c = out->tris + 3 * t, last = l->sites[c[1]].point;
        c[0] = l->sites[c[0]].point;
        c[1] = l->sites[c[2]].point;
        c[2] = last;
    }
    return NAV_OK;
}

nav_status nav_ground_from_points(const float *points, uint32_t count, nav_ground *out, uint32_t named[2], char *why,
                                  size_t why_bytes)
{
    uint32_t unasked[2];
    if (!named) named = unasked;
    named[0] = named[1] = UINT32_MAX;
    *out = (nav_ground){0};
    nav_status s = check_points(points, count, named, why, why_bytes);
    if (s != NAV_OK) return s;
    site_list l = {.sites = malloc(count * sizeof *l.sites), .count = count};
    out->verts = malloc(3 * (size_t)count * sizeof *out->verts);
    s = l.sites && out->verts ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        place_sites(points, &l);
        s = merge_sites(points, &l, named, why, why_bytes);
    }
    if (s == NAV_OK) s = triangulate_sites(points, &l, out, why, why_bytes);
    if (s == NAV_OK) {
        memcpy(out->verts, points, 3 * (size_t)count * sizeof *out->verts);
        out->vert_count = count;
    } else {
        nav_ground_deinit(out);
    }
    free(l.sites);
    return s;
}

// --- a grid ---

// The place of corner k of `cells` from low to high; the last is high itself.
static float corner_at(double low, double high, uint32_t k, uint32_t cells)
{
    return (float)(k == cells ? high : low + (high - low) * ((double)k / (double)cells));
}

static nav_status check_side(const char *axis, double low, double high, uint32_t cells, char *why, size_t why_bytes)
{
    if (!is_within_reach((float)low) || !is_within_reach((float)high) || !(low < high))
        return refuse(why, why_bytes, "%s from %g to %g m: it must go up, and within 1e7 m", axis, low, high);
    if (cells == 0) return refuse(why, why_bytes, "no cells along %s; 1 is the least", axis);
    for (uint32_t k = 0; k < cells && cells < NAV_GROUND_MAX_POINTS; k++)
        if (corner_at(low, high, k, cells) >= corner_at(low, high, k + 1, cells))
            return refuse(why, why_bytes, "%u cells along %s from %g to %g m: too small for single precision", cells,
                          axis, low, high);
    return NAV_OK;
}

static nav_status check_grid(const nav_ground_grid *g, char *why, size_t why_bytes)
{
    if ((uint64_t)g->columns + 1 > NAV_GROUND_MAX_POINTS || (uint64_t)g->rows + 1 > NAV_GROUND_MAX_POINTS ||
        ((uint64_t)g->columns + 1) * ((uint64_t)g->rows + 1) > NAV_GROUND_MAX_POINTS) {
        (void)refuse(why, why_bytes, "%u by %u cells; a grid has %d corners at the most", g->columns, g->rows,
                     NAV_GROUND_MAX_POINTS);
        return NAV_ERR_LIMIT;
    }
    if ((unsigned)g->diagonal >= NAV_DIAGONAL_COUNT)
        return refuse(why, why_bytes, "diagonal %d: there is no such way to cut a cell", (int)g->diagonal);
    nav_status s = check_side("x", g->min_x, g->max_x, g->columns, why, why_bytes);
    return s == NAV_OK ? check_side("z", g->min_z, g->max_z, g->rows, why, why_bytes) : s;
}

static nav_status set_heights(const nav_ground_grid *g, nav_height_function *height, void *context, nav_ground *out,
                              char *why, size_t why_bytes)
{
    float *v = out->verts;
    for (uint32_t r = 0; r <= g->rows; r++)
        for (uint32_t c = 0; c <= g->columns; c++, v += 3) {
            v[0] = corner_at(g->min_x, g->max_x, c, g->columns);
            v[2] = corner_at(g->min_z, g->max_z, r, g->rows);
            v[1] = height(context, (double)v[0], (double)v[2]);
            if (!is_within_reach(v[1]))
                return refuse(why, why_bytes, "the height at x %g, z %g is %g: not finite, or beyond 1e7 m",
                              (double)v[0], (double)v[2], shown(v[1]));
        }
    return NAV_OK;
}

static void cut_cells(const nav_ground_grid *g, nav_ground *out)
{
    static const uint8_t corners[2][6] = {{0, 2, 1, 1, 2, 3}, {0, 2, 3, 0, 3, 1}}; // as nav_height_triangles() has them
    uint32_t *t = out->tris;
    for (uint32_t r = 0; r < g->rows; r++)
        for (uint32_t c = 0; c < g->columns; c++) {
            const uint32_t first = r * (g->columns + 1) + c, below = first + g->columns + 1;
            const uint32_t at[4] = {first, first + 1, below, below + 1};
            const float *v = out->verts;
            const bool forward =
                nav_height_is_forward(g->diagonal, (int32_t)c, (int32_t)r, v[3 * (size_t)at[0] + 1],
                                      v[3 * (size_t)at[1] + 1], v[3 * (size_t)at[2] + 1], v[3 * (size_t)at[3] + 1]);
            for (int k = 0; k < 6; k++) *t++ = at[corners[forward][k]];
        }
}

nav_status nav_ground_from_function(const nav_ground_grid *grid, nav_height_function *height, void *context,
                                    nav_ground *out, char *why, size_t why_bytes)
{
    *out = (nav_ground){0};
    nav_status s = check_grid(grid, why, why_bytes);
    if (s != NAV_OK) return s;
    const uint32_t verts = (grid->columns + 1) * (grid->rows + 1), tris = 2 * grid->columns * grid->rows;
    out->verts = malloc(3 * (size_t)verts * sizeof *out->verts);
    out->tris = malloc(3 * (size_t)tris * sizeof *out->tris);
    s = out->verts && out->tris ? set_heights(grid, height, context, out, why, why_bytes) : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        cut_cells(grid, out);
        out->vert_count = verts;
        out->tri_count = tris;
    } else {
        nav_ground_deinit(out);
    }
    return s;
}
