// Eight floats side by side, as a leaf of a mesh holds them, and what to do with eight answers to one question.
#ifndef NAV_GEOMETRY_LANES_H
#define NAV_GEOMETRY_LANES_H

#include "core/base/simd.h"

#include <math.h>
#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

// may_alias: they read arrays of other types.
typedef float f32x8 __attribute__((vector_size(32), may_alias));
typedef int32_t i32x8 __attribute__((vector_size(32), may_alias)); // of a comparison: -1 where it holds
typedef double f64x8 __attribute__((vector_size(64)));
typedef int64_t i64x8 __attribute__((vector_size(64)));

// Bit k: does lane k hold?
static inline unsigned lane_bits(const i32x8 *lanes)
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

// A float f is below v just where it is below float_above(v), and above v just where it is above float_below(v): so
// that floats are compared with a double as floats, eight at a time.
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
