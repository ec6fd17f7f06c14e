// Folds: layers with parts close beside each other at different heights, and nothing of any layer between them.
//
//      row z    ######......#####      A fold can only be where covered columns end and others begin. So rows of bits
//                     ^gap  ^          are compared, along x within a row and along z with the row before, and spans
//                                      are looked up at the far side of gaps only.
#include "core/partition/folds.h"

typedef struct fold_work {
    const nav_compact_heightfield *f;
    const nav_regions *regions;
    int32_t near, climb;
} fold_work;

// Columns a and b, `gap` > 1 apart, are covered, and none is between them. Is the topmost span of a of the same layer
// as the lowest of b, and lies that higher or lower than floor between them would bring it: by a step, and a voxel more
// a column?
static void compare(const fold_work *w, int32_t a, int32_t b, int32_t gap)
{
    const int32_t *id = w->regions->id, *floor = w->f->floor, *first = w->f->column_first;
    if (gap > w->near) return;
    int32_t s = first[a + 1] - 1, n = first[b];
    while (id[s] <= NAV_REGION_NONE) s--;
    while (id[n] <= NAV_REGION_NONE) n++;
    int32_t rise = floor[n] > floor[s] ? floor[n] - floor[s] : floor[s] - floor[n];
    if (id[s] == id[n] && rise > w->climb + gap) w->regions->folded[id[s]] = 1;
}

static void find_folds_x(const fold_work *w, int32_t z, const uint64_t *row, int32_t words)
{
    int32_t before = -1; // the last covered column
    for (int32_t k = 0; k < words; k++) {
        uint64_t beside = k > 0 ? row[k - 1] >> 63 : 0;
        for (uint64_t set = row[k] & ~(row[k] << 1 | beside); set; set &= set - 1) {
            int32_t x = __builtin_ctzll(set);
            uint64_t below = row[k] & ((UINT64_C(1) << x) - 1);
            int32_t last = below ? 64 * k + 63 - __builtin_clzll(below) : before;
            if (last >= 0) compare(w, z * w->f->width + last, z * w->f->width + 64 * k + x, 64 * k + x - last);
        }
        if (row[k]) before = 64 * k + 63 - __builtin_clzll(row[k]);
    }
}

// left: per column along x, the last row covered before a gap.
static void find_folds_z(const fold_work *w, int32_t z, const uint64_t *row, const uint64_t *before, int32_t words,
                         int32_t *left)
{
    for (int32_t k = 0; k < words; k++) {
        for (uint64_t set = before[k] & ~row[k]; set; set &= set - 1) left[64 * k + __builtin_ctzll(set)] = z - 1;
        for (uint64_t set = row[k] & ~before[k]; set; set &= set - 1) {
            int32_t x = 64 * k + __builtin_ctzll(set), width = w->f->width;
            if (left[x] > 0) compare(w, left[x] * width + x, z * width + x, z - left[x]);
        }
    }
}

nav_status nav_layers_find_folds(const nav_compact_heightfield *f, const nav_config *cfg, const uint64_t *cover,
                                 int32_t words, nav_arena *arena, nav_regions *regions)
{
    fold_work w = {f, regions, 2 * (3 + (int32_t)cfg->edge_max_error), cfg->climb_vx};
    int32_t low = INT32_MAX, high = INT32_MIN;
    for (int32_t s = 0; s < f->span_count; s++) {
        low = f->floor[s] < low ? f->floor[s] : low;
        high = f->floor[s] > high ? f->floor[s] : high;
    }
    if ((int64_t)high - low <= (int64_t)w.climb + 2) return NAV_OK; // a gap is two columns at least
    nav_arena_mark mark = nav_arena_get_mark(arena);
    int32_t *left = NAV_TAKE_ZERO(arena, int32_t, 64 * words);
    if (!left) return nav_arena_failure(arena);
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        const uint64_t *row = cover + (size_t)(z - f->border) * (size_t)words;
        find_folds_x(&w, z, row, words);
        if (z > f->border) find_folds_z(&w, z, row, row - words, words, left);
    }
    nav_arena_release(arena, mark);
    return NAV_OK;
}
