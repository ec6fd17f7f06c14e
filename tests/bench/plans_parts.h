// The parts of bench_plans().
#ifndef BENCH_PLANS_PARTS_H
#define BENCH_PLANS_PARTS_H

#include "tests/bench/bench.h"

// Ten thousand obstacles: all tiles, and one that moves in a daemon.
bool bench_plans_many(const bench_options *o, table *bars);

#endif
