// Buckets of a tile, to find its cells by place.
#include "core/path/ground.h"

enum { MOST_BUCKETS = 1024 }; // along a side

static void bucket_range(const path_tile *t, uint32_t cell, int32_t x0, int32_t z0, int64_t side, uint32_t range[4])
{
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_spot s = path_corner(t, k);
        int64_t p[2] = {(int64_t)s.x - x0, (int64_t)s.z - z0};
        for (int a = 0; a < 2; a++) {
            if (p[a] < low[a]) low[a] = p[a];
            if (p[a] > high[a]) high[a] = p[a];
        }
    }
    for (int a = 0; a < 2; a++) {
        int64_t from = low[a] * t->bucket_count / side, to = high[a] * t->bucket_count / side;
        to = to < 0 ? 0 : to < t->bucket_count ? to : t->bucket_count - 1;
        if (from < 0) from = 0;
        if (from > to) from = to;
        range[2 * a] = (uint32_t)from;
        range[2 * a + 1] = (uint32_t)to;
    }
}

// How many entries the buckets would have.
static uint64_t count_entries(const path_tile *t, int32_t x0, int32_t z0, int64_t side)
{
    uint64_t total = 0;
    for (uint32_t c = 0; c < t->cell_count; c++) {
        uint32_t r[4];
        bucket_range(t, c, x0, z0, side, r);
        total += (uint64_t)(r[1] - r[0] + 1) * (r[3] - r[2] + 1);
    }
    return total;
}

// Counts, or fills in what was counted.
static void fill_buckets(path_tile *t, int32_t x0, int32_t z0, int64_t side, bool fill)
{
    uint32_t buckets = t->bucket_count * t->bucket_count;
    for (uint32_t c = 0; c < t->cell_count; c++) {
        uint32_t r[4];
        bucket_range(t, c, x0, z0, side, r);
        for (uint32_t z = r[2]; z <= r[3]; z++)
            for (uint32_t x = r[0]; x <= r[1]; x++) {
                uint32_t b = z * t->bucket_count + x;
                if (fill)
                    t->bucket_cell[t->bucket_first[b]++] = c;
                else
                    t->bucket_first[b + 1]++;
            }
    }
    if (fill) { // where each begins, again
        for (uint32_t b = buckets; b > 0; b--) t->bucket_first[b] = t->bucket_first[b - 1];
        t->bucket_first[0] = 0;
    } else {
        for (uint32_t b = 0; b < buckets; b++) t->bucket_first[b + 1] += t->bucket_first[b];
    }
}

nav_status nav_path_make_buckets(const nav_path_set *set, path_tile *t)
{
    int64_t cells = set->grid.tile_cells;
    int32_t x0 = (int32_t)(((int64_t)t->x - set->base_x) * cells * NAV_PATH_FINE);
    int32_t z0 = (int32_t)(((int64_t)t->z - set->base_z) * cells * NAV_PATH_FINE);
    t->bucket_count = 1;
    while (t->bucket_count < MOST_BUCKETS && t->bucket_count < cells &&
           4 * t->bucket_count * t->bucket_count < t->cell_count)
        t->bucket_count *= 2;
    uint64_t total;
    while ((total = count_entries(t, x0, z0, cells * NAV_PATH_FINE)) > 16 * (uint64_t)t->cell_count)
        t->bucket_count /= 2; // long thin cells are in many buckets
    size_t buckets = (size_t)t->bucket_count * t->bucket_count;
    t->bucket_first = calloc(buckets + 1, sizeof *t->bucket_first);
    if (!t->bucket_first) return NAV_ERR_MEMORY;
    fill_buckets(t, x0, z0, cells * NAV_PATH_FINE, false);
    t->bucket_cell = malloc((total + 1) * sizeof *t->bucket_cell);
    if (!t->bucket_cell) return NAV_ERR_MEMORY;
    fill_buckets(t, x0, z0, cells * NAV_PATH_FINE, true);
    t->bytes += (buckets + 1 + total + 1) * sizeof(uint32_t);
    return NAV_OK;
}
