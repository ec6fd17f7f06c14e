#include "tests/bench/tri_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CELL_M = 1, TOUCH_M = 1e-4, NO_AREA_M2 = 1e-6;

static void *take(void *old, uint64_t count, size_t size)
{
    void *p = old ? realloc(old, count * size) : calloc(count ? count : 1, size);
    if (p) return p;
    fprintf(stderr, "bench: no memory for the scene's triangles\n");
    exit(1);
}

void tri_grid_add(tri_grid *g, const float a[3], const float b[3], const float c[3])
{
    if (g->tri_count == g->tri_capacity) {
        g->tri_capacity = g->tri_capacity ? 2 * g->tri_capacity : 256;
        g->tri = take(g->tri, g->tri_capacity, sizeof *g->tri);
    }
    float *t = g->tri[g->tri_count++];
    memcpy(t, a, 3 * sizeof *t);
    memcpy(t + 3, b, 3 * sizeof *t);
    memcpy(t + 6, c, 3 * sizeof *t);
}

static void corners(const tri_grid *g, uint32_t tri, double out[3][3])
{
    for (int i = 0; i < 9; i++) out[i / 3][i % 3] = (double)g->tri[tri][i];
}

static double least(const double t[3][3], int k)
{
    return fmin(t[0][k], fmin(t[1][k], t[2][k]));
}

static double most(const double t[3][3], int k)
{
    return fmax(t[0][k], fmax(t[1][k], t[2][k]));
}

// The cells of the grid that an interval of axis k covers.
static void cells_of(const tri_grid *g, int k, double low, double high, int32_t out[2])
{
    double last = g->count[k] - 1;
    out[0] = (int32_t)fmin(last, fmax(0, floor((low - g->min_xz[k]) / CELL_M)));
    out[1] = (int32_t)fmin(last, fmax(0, floor((high - g->min_xz[k]) / CELL_M)));
}

// Counts a triangle into its cells, or writes it there.
static void put(tri_grid *g, uint32_t tri, uint64_t *fill)
{
    double t[3][3];
    int32_t x[2], z[2];
    corners(g, tri, t);
    cells_of(g, 0, least(t, 0), most(t, 0), x);
    cells_of(g, 1, least(t, 2), most(t, 2), z);
    for (int32_t j = z[0]; j <= z[1]; j++) {
        for (int32_t i = x[0]; i <= x[1]; i++) {
            uint64_t cell = (uint64_t)j * (uint64_t)g->count[0] + (uint64_t)i;
            if (fill)
                g->near[fill[cell]++] = tri;
            else
                g->cell_first[cell + 1]++;
        }
    }
}

void tri_grid_finish(tri_grid *g)
{
    double max[2] = {-INFINITY, -INFINITY}, t[3][3];
    for (int k = 0; k < 2; k++) g->min_xz[k] = INFINITY;
    for (uint32_t i = 0; i < g->tri_count; i++) {
        corners(g, i, t);
        for (int k = 0; k < 2; k++) {
            g->min_xz[k] = fmin(g->min_xz[k], least(t, 2 * k));
            max[k] = fmax(max[k], most(t, 2 * k));
        }
    }
    for (int k = 0; k < 2; k++) g->count[k] = g->tri_count ? (int32_t)((max[k] - g->min_xz[k]) / CELL_M) + 1 : 1;
    uint64_t cells = (uint64_t)g->count[0] * (uint64_t)g->count[1];
    g->cell_first = take(NULL, cells + 1, sizeof *g->cell_first);
    g->asked = take(NULL, g->tri_count, sizeof *g->asked);
    for (uint32_t i = 0; i < g->tri_count; i++) put(g, i, NULL);
    for (uint64_t i = 0; i < cells; i++) g->cell_first[i + 1] += g->cell_first[i];
    uint64_t *fill = take(NULL, cells, sizeof *fill);
    memcpy(fill, g->cell_first, cells * sizeof *fill);
    g->near = take(NULL, g->cell_first[cells], sizeof *g->near);
    for (uint32_t i = 0; i < g->tri_count; i++) put(g, i, fill);
    free(fill);
}

void tri_grid_deinit(tri_grid *g)
{
    free(g->tri);
    free(g->cell_first);
    free(g->near);
    free(g->asked);
    *g = (tri_grid){0};
}

static double side_of(const double a[3], const double b[3], double x, double z)
{
    return (b[0] - a[0]) * (z - a[2]) - (b[2] - a[2]) * (x - a[0]);
}

bool tri_grid_height(const tri_grid *g, double x, double z, double low, double high, double *out)
{
    int32_t i[2], j[2];
    bool found = false;
    cells_of(g, 0, x, x, i);
    cells_of(g, 1, z, z, j);
    uint64_t cell = (uint64_t)j[0] * (uint64_t)g->count[0] + (uint64_t)i[0];
    for (uint64_t n = g->cell_first[cell]; n < g->cell_first[cell + 1]; n++) {
        double t[3][3], w[3], sum = 0;
        corners(g, g->near[n], t);
        for (int c = 0; c < 3; c++) sum += w[c] = -side_of(t[(c + 1) % 3], t[(c + 2) % 3], x, z);
        if (w[0] < 0 || w[1] < 0 || w[2] < 0 || sum <= 0) continue;
        double y = (w[0] * t[0][1] + w[1] * t[1][1] + w[2] * t[2][1]) / sum;
        if (y < low || y > high || (found && y <= *out)) continue;
        *out = y;
        found = true;
    }
    return found;
}

// Cuts a convex polygon by y >= level (up) or y <= level; returns the corners left.
static int cut(double (*p)[3], int n, double level, bool up)
{
    double q[8][3];
    int m = 0;
    for (int i = 0; i < n; i++) {
        const double *a = p[i], *b = p[(i + 1) % n];
        bool a_in = up ? a[1] >= level : a[1] <= level, b_in = up ? b[1] >= level : b[1] <= level;
        if (a_in) memcpy(q[m++], a, sizeof q[0]);
        if (a_in == b_in) continue;
        double s = (level - a[1]) / (b[1] - a[1]);
        for (int k = 0; k < 3; k++) q[m][k] = a[k] + s * (b[k] - a[k]);
        m++;
    }
    memcpy(p, q, sizeof q[0] * (size_t)m);
    return m;
}

static double segment_distance(const double a[3], const double b[3], double x, double z)
{
    double dx = b[0] - a[0], dz = b[2] - a[2], length2 = dx * dx + dz * dz;
    double s = length2 > 0 ? ((x - a[0]) * dx + (z - a[2]) * dz) / length2 : 0;
    s = fmin(1, fmax(0, s));
    return hypot(a[0] + s * dx - x, a[2] + s * dz - z);
}

static double triangle_distance(const tri_grid *g, uint32_t tri, double x, double z, double low, double high)
{
    double p[8][3], nearest = INFINITY, doubled_area = 0;
    bool left = false, right = false;
    corners(g, tri, p);
    if (most(p, 1) <= low + TOUCH_M || least(p, 1) >= high - TOUCH_M) return INFINITY;
    int n = cut(p, 3, low, true);
    n = cut(p, n, high, false);
    for (int i = 0; i < n; i++) {
        double side = side_of(p[i], p[(i + 1) % n], x, z);
        left = left || side > 0;
        right = right || side < 0;
        doubled_area += side;
        nearest = fmin(nearest, segment_distance(p[i], p[(i + 1) % n], x, z));
    }
    bool inside = left != right && fabs(doubled_area) > NO_AREA_M2;
    return inside ? 0 : nearest;
}

double tri_grid_distance(tri_grid *g, double x, double z, double low, double high, double limit)
{
    int32_t i[2], j[2];
    double nearest = INFINITY;
    g->question++;
    cells_of(g, 0, x - limit, x + limit, i);
    cells_of(g, 1, z - limit, z + limit, j);
    for (int32_t v = j[0]; v <= j[1]; v++) {
        for (int32_t u = i[0]; u <= i[1]; u++) {
            uint64_t cell = (uint64_t)v * (uint64_t)g->count[0] + (uint64_t)u;
            for (uint64_t n = g->cell_first[cell]; n < g->cell_first[cell + 1]; n++) {
                uint32_t tri = g->near[n];
                if (g->asked[tri] == g->question) continue;
                g->asked[tri] = g->question;
                nearest = fmin(nearest, triangle_distance(g, tri, x, z, low, high));
            }
        }
    }
    return nearest <= limit ? nearest : INFINITY;
}
