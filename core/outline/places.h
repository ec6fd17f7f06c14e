// Corners of triangles as places in the world: three floats, metres.
#ifndef NAV_OUTLINE_PLACES_H
#define NAV_OUTLINE_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool nav_place_same(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static inline bool nav_place_before(const float a[3], const float b[3])
{
    if (a[0] != b[0]) return a[0] < b[0];
    return a[2] != b[2] ? a[2] < b[2] : a[1] < b[1];
}

static inline uint64_t nav_place_mix(uint64_t a, uint64_t b)
{
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 31 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

// For tables; never seen in a result.
static inline uint64_t nav_place_hash(const float a[3])
{
    uint32_t bits[3];
    const float sum[3] = {a[0] + 0.0f, a[1] + 0.0f, a[2] + 0.0f}; // -0 and 0 are the same place
    memcpy(bits, sum, sizeof bits);
    return nav_place_mix((uint64_t)bits[0] << 32 | bits[2], bits[1]);
}

#endif
