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
