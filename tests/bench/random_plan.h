// Random floor plans: a concave floor with a hole, concave obstacles that overlap each other and cross the floor's
// edge.
#ifndef BENCH_RANDOM_PLAN_H
#define BENCH_RANDOM_PLAN_H

#include "tests/bench/random.h"

#include <stdint.h>

enum { PLAN_RING_CORNERS = 24, PLAN_OBSTACLES = 16 };

typedef struct plan_loop {
    double xy[PLAN_RING_CORNERS][2]; // counterclockwise, simple; metres
    uint32_t count;
} plan_loop;

typedef struct random_plan {
    plan_loop floor, hole;
    plan_loop obstacles[PLAN_OBSTACLES];
    uint32_t obstacle_count;
} random_plan;

void random_plan_make(bench_random *r, random_plan *out);
// As navctl's reader takes it; the caller frees it. Ends the program where memory is short.
char *random_plan_wkt(const random_plan *p);

#endif
