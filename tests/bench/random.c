#include "tests/bench/random.h"

double bench_random_in(bench_random *r, double low, double high)
{
    // splitmix64
    uint64_t x = r->state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    x ^= x >> 31;
    return low + (high - low) * ((double)(x >> 11) / 9007199254740992.0);
}
