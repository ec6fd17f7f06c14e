#include "tests/bench/heights.h"

#include "navcore/tile.h"
#include "tests/bench/random.h"

#include <math.h>
#include <stdlib.h>

// Triangles in the cells of a grid over all of them.
typedef struct cells {
    const float *verts;
    const uint32_t *tris;
    double low[2], step[2];
    uint32_t side, *first, *item;
} cells;

static void box_of(const cells *c, const float p[3][3], uint32_t low[2], uint32_t high[2])
{
    for (int k = 0; k < 2; k++) {
        double least = (double)fminf(p[0][2 * k], fminf(p[1][2 * k], p[2][2 * k]));
        double most = (double)fmaxf(p[0][2 * k], fmaxf(p[1][2 * k], p[2][2 * k]));
        low[k] = (uint32_t)fmin(fmax((least - c->low[k]) / c->step[k], 0), c->side - 1);
        high[k] = (uint32_t)fmin(fmax((most - c->low[k]) / c->step[k], 0), c->side - 1);
    }
}

static void corners_of(const cells *c, uint32_t t, float p[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) p[i][k] = c->verts[3 * (size_t)c->tris[3 * (size_t)t + i] + k];
}

static void cells_init(cells *c, const float *verts, const uint32_t *tris, uint32_t count)
{
    double high[2] = {-INFINITY, -INFINITY};
    *c = (cells){.verts = verts, .tris = tris, .low = {INFINITY, INFINITY}, .side = 1};
    while (c->side < 1024 && c->side * c->side < count) c->side *= 2;
    for (size_t i = 0; i < 3 * (size_t)count; i++)
        for (int k = 0; k < 2; k++) {
            double at = (double)verts[3 * (size_t)tris[i] + 2 * k];
            c->low[k] = fmin(c->low[k], at);
            high[k] = fmax(high[k], at);
        }
    for (int k = 0; k < 2; k++) c->step[k] = fmax((high[k] - c->low[k]) / c->side, 1e-9);
    c->first = calloc((size_t)c->side * c->side + 2, sizeof *c->first);
    if (!c->first) abort();
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t t = 0; t < count; t++) {
            float p[3][3];
            uint32_t from[2], to[2];
            corners_of(c, t, p);
            box_of(c, p, from, to);
            for (uint32_t z = from[1]; z <= to[1]; z++)
                for (uint32_t x = from[0]; x <= to[0]; x++) {
                    if (turn == 0)
                        c->first[z * c->side + x + 2]++;
                    else
                        c->item[c->first[z * c->side + x + 1]++] = t;
                }
        }
        if (turn == 1) break;
        for (size_t i = 2; i < (size_t)c->side * c->side + 2; i++) c->first[i] += c->first[i - 1];
        c->item = calloc((size_t)c->first[(size_t)c->side * c->side + 1] + 1, sizeof *c->item);
        if (!c->item) abort();
    }
}

static bool height_in(const float p[3][3], double x, double z, double *y)
{
    double ux = (double)p[1][0] - (double)p[0][0], uz = (double)p[1][2] - (double)p[0][2];
    double wx = (double)p[2][0] - (double)p[0][0], wz = (double)p[2][2] - (double)p[0][2];
    double dx = x - (double)p[0][0], dz = z - (double)p[0][2], whole = ux * wz - uz * wx;
    if (whole == 0) return false;
    double u = (dx * wz - dz * wx) / whole, w = (ux * dz - uz * dx) / whole;
    if (u < 0 || w < 0 || u + w > 1) return false;
    *y = (double)p[0][1] + u * ((double)p[1][1] - (double)p[0][1]) + w * ((double)p[2][1] - (double)p[0][1]);
    return true;
}

static bool height_at(const cells *c, double x, double z, double *y)
{
    float p[3][3];
    uint32_t cx = (uint32_t)fmin(fmax((x - c->low[0]) / c->step[0], 0), c->side - 1);
    uint32_t cz = (uint32_t)fmin(fmax((z - c->low[1]) / c->step[1], 0), c->side - 1);
    for (uint32_t i = c->first[cz * c->side + cx]; i < c->first[cz * c->side + cx + 1]; i++) {
        corners_of(c, c->item[i], p);
        if (height_in((const float(*)[3])p, x, z, y)) return true;
    }
    return false;
}

static void compare_tile(const cells *c, const generated_tile *tile, bench_random *r, double places_m2,
                         height_report *out)
{
    nav_tile_view v;
    if (!tile->bytes || nav_tile_open(tile->bytes, tile->size, &v, NULL, 0) != NAV_OK) return;
    for (uint32_t t = 0; t < v.triangle_count; t++) {
        uint32_t at[3];
        float p[3][3];
        nav_tile_get_triangle(&v, t, at);
        for (int i = 0; i < 3; i++) nav_tile_get_place(&v, at[i], p[i]);
        double area = fabs(((double)p[1][2] - (double)p[0][2]) * ((double)p[2][0] - (double)p[0][0]) -
                           ((double)p[1][0] - (double)p[0][0]) * ((double)p[2][2] - (double)p[0][2])) /
                      2;
        double share = area * places_m2;
        uint32_t n = (uint32_t)share;
        n += bench_random_in(r, 0, 1) < share - n;
        for (; n; n--) {
            double u = bench_random_in(r, 0, 1), w = bench_random_in(r, 0, 1), x, z, mesh, truth;
            if (u + w > 1) {
                u = 1 - u;
                w = 1 - w;
            }
            x = (double)p[0][0] + u * ((double)p[1][0] - (double)p[0][0]) + w * ((double)p[2][0] - (double)p[0][0]);
            z = (double)p[0][2] + u * ((double)p[1][2] - (double)p[0][2]) + w * ((double)p[2][2] - (double)p[0][2]);
            mesh = (double)p[0][1] + u * ((double)p[1][1] - (double)p[0][1]) + w * ((double)p[2][1] - (double)p[0][1]);
            if (!height_at(c, x, z, &truth)) continue;
            out->places++;
            out->mean_m += fabs(mesh - truth);
            out->most_m = fmax(out->most_m, fabs(mesh - truth));
        }
    }
}

void heights_compare(const float *verts, const uint32_t *tris, uint32_t tri_count, const generated *tiles,
                     uint32_t places, height_report *out)
{
    cells c;
    bench_random r = {11};
    cells_init(&c, verts, tris, tri_count);
    *out = (height_report){0};
    for (uint64_t i = 0; i < tiles->grids.total; i++)
        compare_tile(&c, &tiles->tiles[i], &r, places / fmax(tiles->area_m2, 1e-9), out);
    if (out->places) out->mean_m /= out->places;
    free(c.first);
    free(c.item);
}
