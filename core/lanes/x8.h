// Eight lanes at any width: the eight floats of a mesh's leaf, eight answers to one question, eight sums.
#ifndef NAV_LANES_X8_H
#define NAV_LANES_X8_H

#include "core/lanes/width.h"

#include <math.h>

// may_alias: they read arrays of other types.
typedef float f32x8 __attribute__((vector_size(32), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), may_alias)); // of a comparison: -1 where it holds
typedef double f64x8 __attribute__((vector_size(64)));
typedef int64_t i64x8 __attribute__((vector_size(64)));

// Bit k: does lane k hold?
static inline unsigned i32x8_bits(const i32x8 *lanes)
{
#if NAV_SIMD_BYTES >= 32
    return (unsigned)_mm256_movemask_ps(*(const __m256 *)lanes);
#elif defined(__SSE2__)
    const __m128 *half = (const __m128 *)lanes;
    return (unsigned)(_mm_movemask_ps(half[0]) | _mm_movemask_ps(half[1]) << 4);
#else
    unsigned bits = 0;
    for (int k = 0; k < 8; k++) bits |= ((unsigned)(*lanes)[k] & 1) << k;
    return bits;
#endif
}

// Stores the eight bytes of `bytes`, lowest first, each added to `to_all`.
static inline void i32x8_store_sums(int32_t *to, int32_t to_all, uint64_t bytes)
{
#if NAV_SIMD_BYTES >= 32
    __m256i wide = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)bytes));
    _mm256_storeu_si256((__m256i *)to, _mm256_add_epi32(wide, _mm256_set1_epi32(to_all)));
#else
    for (int k = 0; k < 8; k++) to[k] = to_all + (int32_t)(bytes >> 8 * k & 0xff);
#endif
}

// A float f is below v exactly if it is below float_above(v), and above v exactly if it is above float_below(v). So
// floats are compared with a double as floats, eight at a time.
static inline float float_above(double v)
{
    float f = (float)v;
    return (double)f < v ? nextafterf(f, INFINITY) : f;
}

static inline float float_below(double v)
{
    float f = (float)v;
    return (double)f > v ? nextafterf(f, -INFINITY) : f;
}

#endif
