#include "clients/navctl/drawing/storeys.h"

#include <math.h>
#include <stdlib.h>

static const double ABOVE_M = 2;   // ground so much higher lies above other ground
static const double APART_M = 2.5; // storeys closer than this are one: half a flight of stairs is none

static double mean_height(const draw_mesh *m, const draw_polygon *p)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->corner_count; k++) sum += (double)m->corners[3 * (size_t)(p->first + k) + 1];
    return p->corner_count ? sum / p->corner_count : 0;
}

// Twice the signed area behind the edge from corner k to the next, seen from (x, z).
static double turn(const draw_mesh *m, const draw_polygon *p, uint32_t k, double x, double z)
{
    const float *a = m->corners + 3 * (size_t)(p->first + k);
    const float *b = m->corners + 3 * (size_t)(p->first + (k + 1) % p->corner_count);
    return ((double)b[0] - (double)a[0]) * (z - (double)a[2]) - ((double)b[2] - (double)a[2]) * (x - (double)a[0]);
}

static double area_of(const draw_mesh *m, const draw_polygon *p)
{
    const float *origin = m->corners + 3 * (size_t)p->first;
    double sum = 0;
    for (uint32_t k = 0; k < p->corner_count; k++) sum += turn(m, p, k, (double)origin[0], (double)origin[2]);
    return fabs(sum) / 2;
}

static bool covers(const draw_mesh *m, const draw_polygon *p, double x, double z)
{
    bool left = false, right = false;
    for (uint32_t k = 0; k < p->corner_count; k++) {
        double side = turn(m, p, k, x, z);
        left |= side > 0;
        right |= side < 0;
    }
    return !(left && right);
}

// Lowest and highest ground at the points of a grid.
enum { GRID = 256 };
typedef struct grid {
    float low[GRID][GRID], high[GRID][GRID];
    double step[2];
} grid;

static void add_to_grid(grid *g, const draw_mesh *m, const draw_polygon *p)
{
    int first[2] = {GRID, GRID}, last[2] = {-1, -1};
    for (uint32_t k = 0; k < p->corner_count; k++) {
        const float *at = m->corners + 3 * (size_t)(p->first + k);
        for (int i = 0; i < 2; i++) {
            int column = (int)(((double)at[2 * i] - (double)m->min[2 * i]) / g->step[i]);
            if (column < first[i]) first[i] = column < 0 ? 0 : column;
            if (column > last[i]) last[i] = column >= GRID ? GRID - 1 : column;
        }
    }
    float height = (float)mean_height(m, p);
    for (int z = first[1]; z <= last[1]; z++) {
        for (int x = first[0]; x <= last[0]; x++) {
            if (!covers(m, p, (double)m->min[0] + (x + 0.5) * g->step[0], (double)m->min[2] + (z + 0.5) * g->step[1]))
                continue;
            g->low[z][x] = fminf(g->low[z][x], height);
            g->high[z][x] = fmaxf(g->high[z][x], height);
        }
    }
}

// The share of the ground that has other ground above it. Negative: no memory.
static double share_stacked(const draw_mesh *m)
{
    grid *g = malloc(sizeof *g);
    if (!g) return -1;
    for (int i = 0; i < 2; i++) g->step[i] = fmax(((double)m->max[2 * i] - (double)m->min[2 * i]) / GRID, 1e-3);
    for (int i = 0; i < GRID * GRID; i++) {
        g->low[i / GRID][i % GRID] = INFINITY;
        g->high[i / GRID][i % GRID] = -INFINITY;
    }
    for (uint32_t i = 0; i < m->polygon_count; i++) add_to_grid(g, m, &m->polygons[i]);
    int covered = 0, stacked = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        float low = g->low[i / GRID][i % GRID], high = g->high[i / GRID][i % GRID];
        covered += low <= high;
        stacked += (double)high - (double)low > ABOVE_M;
    }
    free(g);
    return covered ? (double)stacked / covered : 0;
}

// Ground by height, blurred so that a slope is no row of storeys.
enum { BINS = 2048 };
typedef struct heights {
    double area[BINS], blurred[BINS], total;
    double low, step;
} heights;

static void count_heights(heights *h, const draw_mesh *m)
{
    *h = (heights){.low = (double)m->min[1]};
    h->step = fmax(((double)m->max[1] - (double)m->min[1]) / (BINS - 1), 0.05);
    for (uint32_t i = 0; i < m->polygon_count; i++) {
        int bin = (int)((mean_height(m, &m->polygons[i]) - h->low) / h->step);
        double area = area_of(m, &m->polygons[i]);
        h->area[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin] += area;
        h->total += area;
    }
    int reach = (int)ceil(1.5 / h->step);
    for (int bin = 0; bin < BINS; bin++) {
        for (int k = -reach; k <= reach; k++) {
            double away = k * h->step / 0.5;
            if (bin + k >= 0 && bin + k < BINS) h->blurred[bin] += h->area[bin + k] * exp(-away * away / 2);
        }
    }
}

// The highest bin that is no closer than APART_M to those taken. -1: none with ground.
static int next_peak(const heights *h, const int *peaks, int count)
{
    int best = -1;
    for (int bin = 0; bin < BINS; bin++) {
        bool free = h->blurred[bin] > 0 && (bin == 0 || h->blurred[bin] >= h->blurred[bin - 1]) &&
                    (bin == BINS - 1 || h->blurred[bin] >= h->blurred[bin + 1]);
        for (int i = 0; i < count && free; i++) free = abs(bin - peaks[i]) * h->step >= APART_M;
        if (free && (best < 0 || h->blurred[bin] > h->blurred[best])) best = bin;
    }
    return best;
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool storeys_find(const draw_mesh *m, int wanted, storeys *out)
{
    *out = (storeys){.slices = {{-INFINITY, INFINITY}}, .count = 1};
    if (m->polygon_count == 0 || wanted == 1) return true;
    double stacked = wanted ? 1 : share_stacked(m);
    if (stacked < 0) return false;
    if (stacked < 0.04) return true;
    heights *h = malloc(sizeof *h);
    if (!h) return false;
    count_heights(h, m);
    int peaks[STOREYS_MAX], count = 0, most = wanted && wanted < STOREYS_MAX ? wanted : STOREYS_MAX;
    for (int bin; count < most && (bin = next_peak(h, peaks, count)) >= 0; count++) {
        // A landing is no storey, unless so many are asked for.
        if (!wanted && count > 0 && h->blurred[bin] < 0.08 * h->blurred[peaks[0]]) break;
        peaks[count] = bin;
    }
    qsort(peaks, (size_t)count, sizeof *peaks, compare_ints);
    out->count = count > 0 ? count : 1;
    for (int i = 0; i + 1 < count; i++) {
        int low = peaks[i];
        for (int bin = peaks[i]; bin <= peaks[i + 1]; bin++)
            if (h->blurred[bin] < h->blurred[low]) low = bin;
        out->slices[i][1] = out->slices[i + 1][0] = h->low + (low + 0.5) * h->step;
        out->slices[i + 1][1] = INFINITY;
    }
    free(h);
    return true;
}
