#include "tests/bench/ground.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CELL_M = 1, TOUCH_M = 1e-4, PI = 3.14159265358979;

static void *take(uint64_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p) return p;
    fprintf(stderr, "bench: no memory for the ground\n");
    exit(1);
}

static void corners(const ground *g, uint32_t tri, double out[3][3])
{
    for (int c = 0; c < 3; c++) {
        const float *v = g->verts + 3 * (size_t)g->tris[3 * (size_t)tri + (size_t)c];
        for (int k = 0; k < 3; k++) out[c][k] = (double)v[k];
    }
}

static bool is_walkable(double t[3][3], double slope_cos)
{
    double a[3], b[3], n[3];
    for (int k = 0; k < 3; k++) {
        a[k] = t[1][k] - t[0][k];
        b[k] = t[2][k] - t[0][k];
    }
    for (int k = 0; k < 3; k++) n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return length > 0 && n[1] > slope_cos * length;
}

// The cells of the grid that an interval of axis k covers.
static void cells_of(const ground *g, int k, double low, double high, int32_t out[2])
{
    double last = g->count[k] - 1;
    out[0] = (int32_t)fmin(last, fmax(0, floor((low - g->min_xz[k]) / CELL_M)));
    out[1] = (int32_t)fmin(last, fmax(0, floor((high - g->min_xz[k]) / CELL_M)));
}

static void each_cell(ground *g, uint32_t tri, uint64_t *fill)
{
    double t[3][3];
    int32_t x[2], z[2];
    corners(g, tri, t);
    cells_of(g, 0, fmin(t[0][0], fmin(t[1][0], t[2][0])), fmax(t[0][0], fmax(t[1][0], t[2][0])), x);
    cells_of(g, 1, fmin(t[0][2], fmin(t[1][2], t[2][2])), fmax(t[0][2], fmax(t[1][2], t[2][2])), z);
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

void ground_init(ground *g, const float *verts, const uint32_t *tris, uint32_t tri_count, const nav_settings *settings)
{
    *g = (ground){.verts = verts, .tris = tris, .tri_count = tri_count, .min_xz = {INFINITY, INFINITY}};
    double max[2] = {-INFINITY, -INFINITY}, slope_cos = cos((double)settings->agent_slope_deg / 180 * PI), t[3][3];
    g->walkable = take(tri_count, sizeof *g->walkable);
    g->asked = take(tri_count, sizeof *g->asked);
    for (uint32_t i = 0; i < tri_count; i++) {
        corners(g, i, t);
        g->walkable[i] = is_walkable(t, slope_cos);
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 2; k++) {
                g->min_xz[k] = fmin(g->min_xz[k], t[c][2 * k]);
                max[k] = fmax(max[k], t[c][2 * k]);
            }
        }
    }
    for (int k = 0; k < 2; k++) g->count[k] = tri_count ? (int32_t)((max[k] - g->min_xz[k]) / CELL_M) + 1 : 1;
    uint64_t cells = (uint64_t)g->count[0] * (uint64_t)g->count[1];
    g->cell_first = take(cells + 1, sizeof *g->cell_first);
    uint64_t *fill = take(cells, sizeof *fill);
    for (uint32_t i = 0; i < tri_count; i++) each_cell(g, i, NULL);
    for (uint64_t i = 0; i < cells; i++) g->cell_first[i + 1] += g->cell_first[i];
    memcpy(fill, g->cell_first, cells * sizeof *fill);
    g->near = take(g->cell_first[cells], sizeof *g->near);
    for (uint32_t i = 0; i < tri_count; i++) each_cell(g, i, fill);
    free(fill);
}

void ground_deinit(ground *g)
{
    free(g->walkable);
    free(g->cell_first);
    free(g->near);
    free(g->asked);
    *g = (ground){0};
}

static double side_of(const double a[3], const double b[3], double x, double z)
{
    return (b[0] - a[0]) * (z - a[2]) - (b[2] - a[2]) * (x - a[0]);
}

bool ground_height(ground *g, double x, double z, double low, double high, double *out)
{
    int32_t i[2], j[2];
    bool found = false;
    cells_of(g, 0, x, x, i);
    cells_of(g, 1, z, z, j);
    uint64_t cell = (uint64_t)j[0] * (uint64_t)g->count[0] + (uint64_t)i[0];
    for (uint64_t n = g->cell_first[cell]; n < g->cell_first[cell + 1]; n++) {
        double t[3][3];
        if (!g->walkable[g->near[n]]) continue;
        corners(g, g->near[n], t);
        // Walkable triangles wind one way when seen from above.
        double w[3], sum = 0;
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

static double polygon_distance(double (*p)[3], int n, double x, double z)
{
    double least = INFINITY;
    bool left = false, right = false;
    for (int i = 0; i < n; i++) {
        double side = side_of(p[i], p[(i + 1) % n], x, z);
        left = left || side > 0;
        right = right || side < 0;
        least = fmin(least, segment_distance(p[i], p[(i + 1) % n], x, z));
    }
    return left != right ? 0 : least;
}

static double triangle_distance(const ground *g, uint32_t tri, double x, double z, double low, double high)
{
    double p[8][3];
    corners(g, tri, p);
    double bottom = fmin(p[0][1], fmin(p[1][1], p[2][1])), top = fmax(p[0][1], fmax(p[1][1], p[2][1]));
    if (top <= low + TOUCH_M || bottom >= high - TOUCH_M) return INFINITY;
    int n = cut(p, 3, low, true);
    n = cut(p, n, high, false);
    return n ? polygon_distance(p, n, x, z) : INFINITY;
}

double ground_wall_distance(ground *g, double x, double z, double low, double high, double limit)
{
    int32_t i[2], j[2];
    double least = INFINITY;
    g->question++;
    cells_of(g, 0, x - limit, x + limit, i);
    cells_of(g, 1, z - limit, z + limit, j);
    for (int32_t v = j[0]; v <= j[1]; v++) {
        for (int32_t u = i[0]; u <= i[1]; u++) {
            uint64_t cell = (uint64_t)v * (uint64_t)g->count[0] + (uint64_t)u;
            for (uint64_t n = g->cell_first[cell]; n < g->cell_first[cell + 1]; n++) {
                uint32_t tri = g->near[n];
                if (g->walkable[tri] || g->asked[tri] == g->question) continue;
                g->asked[tri] = g->question;
                least = fmin(least, triangle_distance(g, tri, x, z, low, high));
            }
        }
    }
    return least <= limit ? least : INFINITY;
}
