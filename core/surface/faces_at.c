#include "core/surface/faces_at.h"

#include "core/base/plane.h"

#include <math.h>

// Cells of the grid, ends included.
typedef struct cell_box {
    int16_t low[2], high[2];
} cell_box;

static cell_box box_of(const faces_at *f, int32_t face)
{
    const nav_surface *s = f->surface;
    int32_t x0 = INT32_MAX, z0 = INT32_MAX, x1 = 0, z1 = 0;
    for (int32_t c = s->face_first[face]; c < s->face_first[face + 1]; c++) {
        int32_t x = s->x[s->corner_vert[c]], z = s->z[s->corner_vert[c]];
        x0 = x < x0 ? x : x0;
        z0 = z < z0 ? z : z0;
        x1 = x > x1 ? x : x1;
        z1 = z > z1 ? z : z1;
    }
    return (cell_box){{(int16_t)faces_at_cell(f, x0), (int16_t)faces_at_cell(f, z0)},
                      {(int16_t)faces_at_cell(f, x1), (int16_t)faces_at_cell(f, z1)}};
}

nav_status nav_faces_at_make(faces_at *f, const nav_surface *surface, int32_t tile_units, nav_arena *arena)
{
    enum { SIDE_MOST = 256 };
    *f = (faces_at){.surface = surface, .arena = arena, .side = 1};
    while (f->side < SIDE_MOST && 2 * f->side * f->side < surface->face_count) f->side *= 2;
    f->cell = tile_units / f->side + 1;
    size_t cells = (size_t)f->side * (size_t)f->side;
    f->first = NAV_TAKE_ZERO(arena, int32_t, cells + 2);
    cell_box *boxes = NAV_TAKE(arena, cell_box, surface->face_count);
    if (!f->first || !boxes) return nav_arena_failure(arena);
    int64_t sum = 0;
    for (int32_t i = 0; i < surface->face_count; i++) {
        cell_box b = boxes[i] = box_of(f, i);
        sum += (b.high[0] - b.low[0] + 1) * (b.high[1] - b.low[1] + 1);
        if (sum > INT32_MAX) return NAV_ERR_LIMIT;
        for (int32_t z = b.low[1]; z <= b.high[1]; z++)
            for (int32_t x = b.low[0]; x <= b.high[0]; x++) f->first[z * f->side + x + 2]++;
    }
    for (size_t c = 2; c < cells + 2; c++) f->first[c] += f->first[c - 1];
    f->item = NAV_TAKE(arena, int32_t, sum);
    if (!f->item) return nav_arena_failure(arena);
    for (int32_t i = 0; i < surface->face_count; i++)
        for (int32_t z = boxes[i].low[1]; z <= boxes[i].high[1]; z++)
            for (int32_t x = boxes[i].low[0]; x <= boxes[i].high[0]; x++) f->item[f->first[z * f->side + x + 1]++] = i;
    return NAV_OK;
}

static nav_point at_corner(const nav_surface *s, int32_t c)
{
    return (nav_point){s->x[s->corner_vert[c]], s->z[s->corner_vert[c]]};
}

// The height of a triangle of a face at a place in it. False: the place is outside.
static bool in_triangle(const nav_surface *s, int32_t a, int32_t b, int32_t c, nav_point p, double *height)
{
    nav_point pa = at_corner(s, a), pb = at_corner(s, b), pc = at_corner(s, c);
    int64_t whole = nav_right(pa, pb, pc), u = nav_right(pb, pc, p), v = nav_right(pc, pa, p), w = nav_right(pa, pb, p);
    if (whole <= 0 || u < 0 || v < 0 || w < 0) return false;
    *height = ((double)u * s->y[s->corner_vert[a]] + (double)v * s->y[s->corner_vert[b]] +
               (double)w * s->y[s->corner_vert[c]]) /
              (double)whole;
    return true;
}

bool nav_faces_at_holds(const faces_at *f, int32_t region, int32_t x, int32_t z, double near, double *height)
{
    const nav_surface *s = f->surface;
    nav_point p = {x, z};
    int32_t cell = faces_at_cell(f, z) * f->side + faces_at_cell(f, x);
    double least = INFINITY;
    for (int32_t k = f->first[cell]; k < f->first[cell + 1]; k++) {
        int32_t face = f->item[k], first = s->face_first[face];
        if (region > 0 && s->face_region[face] != region) continue;
        for (int32_t c = first + 1; c + 1 < s->face_first[face + 1]; c++) {
            double y;
            if (!in_triangle(s, first, c, c + 1, p, &y) || fabs(y - near) >= least) continue;
            least = fabs(y - near);
            *height = y;
        }
    }
    return least < INFINITY;
}

bool nav_faces_at_height(const faces_at *f, int32_t region, int32_t x, int32_t z, double near, double *height)
{
    const nav_surface *s = f->surface;
    nav_point p = {x, z};
    int32_t cell = faces_at_cell(f, z) * f->side + faces_at_cell(f, x);
    double least = INFINITY;
    if (nav_faces_at_holds(f, region, x, z, near, height)) return true;
    for (int32_t k = f->first[cell]; k < f->first[cell + 1]; k++) {
        int32_t face = f->item[k];
        if (region > 0 && s->face_region[face] != region) continue;
        for (int32_t c = s->face_first[face]; c < s->face_first[face + 1]; c++) {
            double distance = (double)nav_distance2(p, at_corner(s, c));
            if (distance >= least) continue;
            least = distance;
            *height = s->y[s->corner_vert[c]];
        }
    }
    return least < INFINITY;
}
