// Workers as timers: as many as wanted, in this process, each a core that takes so long for a tile. They take real jobs
// from the real server and answer with packs that real workers have made before. So one machine shows what a
// coordinator and a server can feed.
#ifndef BENCH_FARM_WORKERS_H
#define BENCH_FARM_WORKERS_H

#include "tests/bench/farm_rig.h"

typedef struct farm_packs farm_packs;

// What the shared cache holds now, by subject; then the cache is emptied. NULL with a line on stderr.
farm_packs *farm_packs_take(const farm_rig *r);
void farm_packs_destroy(farm_packs *p); // accepts NULL

typedef struct farm_timers farm_timers;
typedef struct farm_timer_counts {
    uint64_t tiles, job_bytes, pack_bytes;
    double busy_share; // of all cores, between the first job and the last
} farm_timer_counts;

// From now on they work, until they are stopped. us_a_tile 0: they answer at once.
farm_timers *farm_timers_start(const farm_rig *r, const farm_packs *packs, unsigned cores, double us_a_tile);
farm_timer_counts farm_timers_stop(farm_timers *t);

#endif
