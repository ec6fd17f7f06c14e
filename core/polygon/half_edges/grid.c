#include "core/polygon/half_edges/grid.h"

void nav_half_grid_init(half_grid *g, const half_edges *m, int32_t h, int32_t max_buckets)
{
    nav_point least = half_at(m, h), most = least;
    for (int32_t e = m->next[h]; e != h; e = m->next[e]) {
        nav_point p = half_at(m, e);
        if (p.x < least.x) least.x = p.x;
        if (p.z < least.z) least.z = p.z;
        if (p.x > most.x) most.x = p.x;
        if (p.z > most.z) most.z = p.z;
    }
    g->x0 = least.x;
    g->z0 = least.z;
    for (g->shift = 0;; g->shift++) {
        g->columns = ((most.x - least.x) >> g->shift) + 1;
        g->rows = ((most.z - least.z) >> g->shift) + 1;
        int64_t buckets = (int64_t)g->columns * g->rows;
        if (buckets <= max_buckets || buckets == 1) break;
    }
    for (int32_t i = 0; i < g->columns * g->rows; i++) g->head[i] = -1;
}

void nav_half_grid_put(half_grid *g, int32_t bucket, int32_t h)
{
    int32_t first = g->head[bucket];
    g->next[h] = first;
    g->head[bucket] = h;
    if (!g->prev) return;
    g->prev[h] = -1;
    if (first >= 0) g->prev[first] = h;
}

void nav_half_grid_drop(half_grid *g, const half_edges *m, int32_t h)
{
    int32_t before = g->prev[h], after = g->next[h];
    if (after >= 0) g->prev[after] = before;
    if (before >= 0)
        g->next[before] = after;
    else
        g->head[half_grid_bucket(g, half_at(m, h))] = after;
}
