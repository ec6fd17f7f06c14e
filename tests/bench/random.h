// A repeatable stream of numbers. Any thread.
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

// seed: any.
typedef struct bench_random {
    uint64_t state;
} bench_random;

double bench_random_in(bench_random *r, double low, double high);

#endif
