// Random numbers that are the same everywhere. Source: S. Vigna, splitmix64.
#ifndef NAV_BASE_RANDOM_H
#define NAV_BASE_RANDOM_H

#include <stdint.h>

// From 0 up to 1, without 1. Any state is a good one to begin with.
static inline double nav_random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
