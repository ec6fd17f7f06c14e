// A grid of buckets over the ring of a floor plan: which corners are near a place, without a look at all of them.
// Lists run through half-edges; the memory is the caller's. Private to the triangulation.
#ifndef NAV_POLYGON_GRID_H
#define NAV_POLYGON_GRID_H

#include "core/polygon/half_edges/half_edges.h"

typedef struct half_grid {
    int32_t x0, z0;
    int32_t shift; // a bucket is 2^shift outline units wide
    int32_t columns, rows;
    int32_t *head;        // per bucket: first half-edge, -1 at the end of a list
    int32_t *next, *prev; // per half-edge; prev may be NULL where nothing is taken out
} half_grid;

// An empty grid over the ring of h, with at most max_buckets buckets (or one). g->head, next and prev are set already.
void nav_half_grid_init(half_grid *g, const half_edges *m, int32_t h, int32_t max_buckets);

static inline int32_t half_grid_clamp(int32_t v, int32_t count)
{
    return v < 0 ? 0 : v < count ? v : count - 1;
}

static inline int32_t half_grid_column(const half_grid *g, int32_t x)
{
    return half_grid_clamp((x - g->x0) >> g->shift, g->columns);
}

static inline int32_t half_grid_row(const half_grid *g, int32_t z)
{
    return half_grid_clamp((z - g->z0) >> g->shift, g->rows);
}

static inline int32_t half_grid_bucket(const half_grid *g, nav_point p)
{
    return half_grid_row(g, p.z) * g->columns + half_grid_column(g, p.x);
}

// Puts h into the list of a bucket, or (with prev) takes it out of that of its origin.
void nav_half_grid_put(half_grid *g, int32_t bucket, int32_t h);
void nav_half_grid_drop(half_grid *g, const half_edges *m, int32_t h);

#endif
