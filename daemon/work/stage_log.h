// DESIGN. How long the stages of the newest runs took, for whoever looks at a tile (tiles.why). Not with the tile, so
// that memory does not grow with tiles: a ring of so many runs, asked seldom, so it is searched from the newest on. A
// run belongs to what a tile shows where both took the same time to the microsecond. Loop thread only.
#ifndef ND_STAGE_LOG_H
#define ND_STAGE_LOG_H

#include "core/build.h"
#include "daemon/work/run.h"

#include <stddef.h>

enum { ND_STAGE_LOG_RUNS = 8192 };

typedef struct nd_stage_times {
    uint64_t world, made_us;
    uint32_t profile;
    int32_t x, z;
    uint32_t us[NAV_STAGE_COUNT]; // 0: the stage did not run
} nd_stage_times;

typedef struct nd_stage_log {
    nd_stage_times *list; // ND_STAGE_LOG_RUNS of them; NULL: none yet
    size_t next, count;
} nd_stage_log;

void nd_stage_log_deinit(nd_stage_log *log); // accepts a zeroed one

// A run has ended. Without memory it is left out.
void nd_stage_log_add(nd_stage_log *log, const nd_run *run, uint64_t made_us, const uint64_t stage_us[NAV_STAGE_COUNT]);
// The newest run of a tile. NULL: it is not among the newest, or what the tile shows is of another one.
const nd_stage_times *nd_stage_log_find(const nd_stage_log *log, uint64_t world, uint32_t profile, int32_t x, int32_t z,
                                        uint64_t made_us);

#endif
