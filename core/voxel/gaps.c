#include "core/voxel/gaps.h"

nav_status nav_gaps_init(nav_gaps *g, int32_t columns, nav_arena *arena)
{
    size_t n = (size_t)columns + NAV_GAP_PADDING;
    int16_t *all = NAV_TAKE(arena, int16_t, n * (1 + 2 * NAV_GAP_RANKS));
    if (!all) return nav_arena_failure(arena);
    for (size_t k = 0; k < n * (1 + 2 * NAV_GAP_RANKS); k++) all[k] = NAV_GAP_FAR;
    g->bottom = all;
    for (size_t r = 0; r < NAV_GAP_RANKS; r++) {
        g->floor[r] = all + n * (1 + 2 * r);
        g->ceiling[r] = all + n * (2 + 2 * r);
    }
    return NAV_OK;
}

void nav_gaps_set(const nav_gaps *g, int32_t column, const int32_t *bottom, const int32_t *top, int32_t count,
                  int32_t base, int32_t height)
{
    g->bottom[column] = (int16_t)(bottom[0] - base);
    int rank = 0;
    for (int32_t s = 0; s < count; s++) {
        if (s + 1 < count && bottom[s + 1] - top[s] <= height) continue;
        if (rank == NAV_GAP_RANKS) {
            g->bottom[column] = NAV_GAP_CROWDED;
            return;
        }
        g->floor[rank][column] = (int16_t)(top[s] - base);
        if (s + 1 < count) g->ceiling[rank][column] = (int16_t)(bottom[s + 1] - base);
        rank++;
    }
}
