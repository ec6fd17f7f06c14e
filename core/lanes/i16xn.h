// 16-bit heights of several columns side by side: I16_LANES of them. The sign of a lane is its truth value: a < b is
// the difference a - b, and conditions combine with & and |. Heights are small enough that no difference overflows
// (planes.h). Lanes beyond a row may hold anything, so sums are unsigned and wrap.
#ifndef NAV_LANES_I16XN_H
#define NAV_LANES_I16XN_H

#include "core/lanes/width.h"

#include <string.h>

enum { I16_LANES = NAV_SIMD_BYTES / 2 };
typedef uint16_t i16xn __attribute__((vector_size(NAV_SIMD_BYTES)));
typedef int16_t i16xn_signed __attribute__((vector_size(NAV_SIMD_BYTES)));

static inline i16xn i16xn_load(const int16_t *p)
{
    i16xn v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline i16xn i16xn_of(int v)
{
    i16xn all = {0};
    return all + (uint16_t)v;
}

// v where the condition is true, 0 elsewhere.
static inline i16xn i16xn_where(i16xn condition, i16xn v)
{
    return (i16xn)((i16xn_signed)condition >> 15) & v;
}

static inline i16xn i16xn_low(i16xn a, i16xn b)
{
#if NAV_SIMD_BYTES == 64
    return (i16xn)_mm512_min_epi16((__m512i)a, (__m512i)b);
#elif NAV_SIMD_BYTES == 32
    return (i16xn)_mm256_min_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (i16xn)_mm_min_epi16((__m128i)a, (__m128i)b);
#else
    i16xn m = (i16xn)((i16xn_signed)a < (i16xn_signed)b);
    return (a & m) | (b & ~m);
#endif
}

static inline i16xn i16xn_high(i16xn a, i16xn b)
{
#if NAV_SIMD_BYTES == 64
    return (i16xn)_mm512_max_epi16((__m512i)a, (__m512i)b);
#elif NAV_SIMD_BYTES == 32
    return (i16xn)_mm256_max_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (i16xn)_mm_max_epi16((__m128i)a, (__m128i)b);
#else
    i16xn m = (i16xn)((i16xn_signed)a > (i16xn_signed)b);
    return (a & m) | (b & ~m);
#endif
}

// A bit for each lane that is negative.
static inline uint64_t i16xn_signs(i16xn v)
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
    for (int k = 0; k < I16_LANES; k++) signs |= (uint64_t)(v[k] >> 15) << k;
    return signs;
#endif
}

#endif
