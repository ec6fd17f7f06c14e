// Edges in the cells of a square grid that they pass, so that what lies near one is found without looking at all.
#ifndef NAV_SURFACE_BUCKETS_H
#define NAV_SURFACE_BUCKETS_H

#include "core/base/arena.h"
#include "core/base/plane.h"

typedef struct surface_buckets {
    int32_t low, cell, side; // of both axes: where the grid begins, units to a cell, cells
    int32_t *first;          // per cell, and one more
    int32_t *item;
} surface_buckets;

// The cells of the row that an edge comes within a unit of: columns *from to *to.
bool nav_buckets_row(const surface_buckets *b, nav_point p, nav_point q, int32_t row, int32_t *from, int32_t *to);
// The rows: *from to *to.
void nav_buckets_rows(const surface_buckets *b, nav_point p, nav_point q, int32_t *from, int32_t *to);

// from[i] to to[i] is edge i. What lies outside low..high is in the outermost cells. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_buckets_build(const nav_point *from, const nav_point *to, int32_t count, int32_t low,
                                          int32_t high, nav_arena *arena, surface_buckets *out);

#endif
