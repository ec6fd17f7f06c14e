// Heights of several columns side by side. What is true of a lane is its sign: a condition a < b is the difference a -
// b, and conditions are joined by & and |. Heights are so small that no difference overflows (planes.h), but for lanes
// that nobody asks for, beyond a row, which may hold anything: sums of unsigned numbers wrap.
#ifndef NAV_VOXEL_HEIGHT_LANES_H
#define NAV_VOXEL_HEIGHT_LANES_H

#include "core/base/simd.h"

#include <string.h>
#if NAV_SIMD_BYTES >= 32
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { HEIGHT_LANES = NAV_SIMD_BYTES / 2 };
typedef uint16_t height_lanes __attribute__((vector_size(NAV_SIMD_BYTES)));
typedef int16_t signed_lanes __attribute__((vector_size(NAV_SIMD_BYTES)));

static inline height_lanes height_lanes_load(const int16_t *p)
{
    height_lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline height_lanes height_lanes_of(int v)
{
    height_lanes all = {0};
    return all + (uint16_t)v;
}

// v where the condition is true, 0 elsewhere.
static inline height_lanes height_lanes_where(height_lanes condition, height_lanes v)
{
    return (height_lanes)((signed_lanes)condition >> 15) & v;
}

static inline height_lanes height_lanes_low(height_lanes a, height_lanes b)
{
#if NAV_SIMD_BYTES == 64
    return (height_lanes)_mm512_min_epi16((__m512i)a, (__m512i)b);
#elif NAV_SIMD_BYTES == 32
    return (height_lanes)_mm256_min_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (height_lanes)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
    height_lanes m = (height_lanes)((signed_lanes)a < (signed_lanes)b);
    return (a & m) | (b & ~m);
#endif
}

static inline height_lanes height_lanes_high(height_lanes a, height_lanes b)
{
#if NAV_SIMD_BYTES == 64
    return (height_lanes)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif NAV_SIMD_BYTES == 32
    return (height_lanes)_mm256_max_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (height_lanes)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    height_lanes m = (height_lanes)((signed_lanes)a > (signed_lanes)b);
    return (a & m) | (b & ~m);
#endif
}

// A bit for each lane that is negative.
static inline uint64_t height_lanes_signs(height_lanes v)
{
#if NAV_SIMD_BYTES == 64
    return _mm512_movepi16_mask((__m512i)v);
#elif NAV_SIMD_BYTES == 32
    __m128i low = _mm256_castsi256_si128((__m256i)v), high = _mm256_extracti128_si256((__m256i)v, 1);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)v, _mm_setzero_si128()));
#else
    uint64_t signs = 0;
    for (int k = 0; k < HEIGHT_LANES; k++) signs |= (uint64_t)(v[k] >> 15) << k;
    return signs;
#endif
}

#endif
