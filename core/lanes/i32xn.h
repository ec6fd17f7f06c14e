// Whole numbers of 32 bits side by side, as many as a register holds: I32_LANES of them.
#ifndef NAV_LANES_I32XN_H
#define NAV_LANES_I32XN_H

#include "core/lanes/width.h"

enum { I32_LANES = NAV_SIMD_BYTES / 4 };
typedef int32_t i32xn __attribute__((vector_size(NAV_SIMD_BYTES)));

// from: aligned to a register.
static inline i32xn i32xn_load(const int32_t *from)
{
    return *(const i32xn *)(const void *)from;
}

// Bit k: lane k is below zero.
static inline uint32_t i32xn_signs(i32xn v)
{
#if NAV_SIMD_BYTES == 64
    return _mm512_movepi32_mask((__m512i)v);
#elif NAV_SIMD_BYTES == 32
    return (uint32_t)_mm256_movemask_ps((__m256)v);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)v);
#else
    uint32_t signs = 0;
    for (int k = 0; k < I32_LANES; k++) signs |= (uint32_t)(v[k] < 0) << k;
    return signs;
#endif
}

#endif
