// The gaps in which an agent can stand, as planes over the columns: for work on eight columns at a time.
//
//      #####
//               gap 1: floor[1], ceiling[1]         Gaps that are too low for the agent, and for it to go through from
//      #####                                        beside, are left out. Heights are levels above some level of the
//               gap 0: floor[0], ceiling[0]         tile; what is missing is NAV_GAP_FAR up.
//      #####
//        bottom
#ifndef NAV_VOXEL_GAPS_H
#define NAV_VOXEL_GAPS_H

#include "core/base/arena.h"

#include <stdint.h>

enum {
    NAV_GAP_RANKS = 4,     // columns with more are crowded
    NAV_GAP_LEVELS = 1024, // heights of solid levels are below
    NAV_GAP_FAR = 16384,   // so far that sums and differences with the levels still fit
    NAV_GAP_CROWDED = -1,
    NAV_GAP_PADDING = 8, // more elements than columns
};

typedef struct nav_gaps {
    int16_t *bottom; // per column: of the lowest span; NAV_GAP_FAR where there is none, NAV_GAP_CROWDED: not in planes
    int16_t *floor[NAV_GAP_RANKS], *ceiling[NAV_GAP_RANKS]; // per column
} nav_gaps;

// All columns empty. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_gaps_init(nav_gaps *g, int32_t columns, nav_arena *arena);
// Sets a column with `count` spans, sorted upwards, at levels above `base`; height: of the agent, levels.
static inline void nav_gaps_set(const nav_gaps *g, int32_t column, const int32_t *bottom, const int32_t *top,
                                int32_t count, int32_t base, int32_t height)
{
    g->bottom[column] = (int16_t)(bottom[0] - base);
    int rank = 0;
    for (int32_t s = 0; s + 1 < count; s++) {
        if (bottom[s + 1] - top[s] <= height) continue;
        if (rank == NAV_GAP_RANKS - 1) { // the uppermost gap is always there
            g->bottom[column] = NAV_GAP_CROWDED;
            return;
        }
        g->floor[rank][column] = (int16_t)(top[s] - base);
        g->ceiling[rank++][column] = (int16_t)(bottom[s + 1] - base);
    }
    g->floor[rank][column] = (int16_t)(top[count - 1] - base);
}

#endif
