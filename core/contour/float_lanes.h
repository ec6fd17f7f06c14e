// Floats side by side, as many as a register holds (core/base/simd.h), and the masks that comparing them gives: & | ~
// work on masks, + - * on lanes.
#ifndef NAV_CONTOUR_FLOAT_LANES_H
#define NAV_CONTOUR_FLOAT_LANES_H

#include "core/base/simd.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#else
#include <math.h>
#endif

enum { FLOAT_LANES = NAV_SIMD_BYTES / 4 };

typedef float float_lanes __attribute__((vector_size(NAV_SIMD_BYTES)));
typedef uint32_t bit_lanes __attribute__((vector_size(NAV_SIMD_BYTES)));

static inline float_lanes lanes_of(float v)
{
    return v - (float_lanes){0};
}

static inline float_lanes lanes_load(const float *p)
{
    float_lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void lanes_store_bits(uint32_t *p, bit_lanes v)
{
    memcpy(p, &v, sizeof v);
}

#if NAV_SIMD_BYTES == 64
typedef __mmask16 lane_mask;

static inline float_lanes lanes_sqrt(float_lanes v)
{
    return (float_lanes)_mm512_sqrt_ps((__m512)v);
}
// 1 / v with an error below 0.1 %, not the same on every machine.
static inline float_lanes lanes_about_inverse(float_lanes v)
{
    return (float_lanes)_mm512_rcp14_ps((__m512)v);
}
static inline lane_mask lanes_below(float_lanes a, float_lanes b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
static inline lane_mask lanes_up_to(float_lanes a, float_lanes b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}
static inline float_lanes lanes_pick(lane_mask m, float_lanes yes, float_lanes no)
{
    return (float_lanes)_mm512_mask_blend_ps(m, (__m512)no, (__m512)yes);
}
// The smaller one of the absolute values.
static inline float_lanes lanes_nearer(float_lanes a, float_lanes b)
{
    return (float_lanes)_mm512_range_ps((__m512)a, (__m512)b, 8 | 2);
}
static inline bit_lanes lanes_with_bit(lane_mask m, bit_lanes bits, bit_lanes bit)
{
    return (bit_lanes)_mm512_mask_or_epi32((__m512i)bits, m, (__m512i)bits, (__m512i)bit);
}
// Of 32-bit words that have all bits or none.
static inline lane_mask lanes_load_mask(const int32_t *p)
{
    return _mm512_movepi32_mask(_mm512_loadu_si512(p));
}
static inline bool lanes_any(lane_mask m)
{
    return m != 0;
}
// The first n lanes, 0 <= n.
static inline lane_mask lanes_first(int32_t n)
{
    return n < 16 ? (lane_mask)((1u << n) - 1) : (lane_mask)0xffff;
}
#else
typedef bit_lanes lane_mask;

static inline lane_mask lanes_below(float_lanes a, float_lanes b)
{
    return (lane_mask)(a < b);
}
static inline lane_mask lanes_up_to(float_lanes a, float_lanes b)
{
    return (lane_mask)(a <= b);
}
static inline float_lanes lanes_pick(lane_mask m, float_lanes yes, float_lanes no)
{
    return (float_lanes)((m & (bit_lanes)yes) | (~m & (bit_lanes)no));
}
static inline float_lanes lanes_nearer(float_lanes a, float_lanes b)
{
    bit_lanes sign = (bit_lanes){0} + 0x80000000u;
    a = (float_lanes)((bit_lanes)a & ~sign);
    b = (float_lanes)((bit_lanes)b & ~sign);
    return lanes_pick(lanes_below(a, b), a, b);
}
static inline bit_lanes lanes_with_bit(lane_mask m, bit_lanes bits, bit_lanes bit)
{
    return bits | (m & bit);
}
static inline lane_mask lanes_load_mask(const int32_t *p)
{
    lane_mask m;
    memcpy(&m, p, sizeof m);
    return m;
}
static inline lane_mask lanes_first(int32_t n)
{
    lane_mask m;
    for (int k = 0; k < FLOAT_LANES; k++) m[k] = k < n ? 0xffffffffu : 0;
    return m;
}
static inline bool lanes_any(lane_mask m)
{
    uint64_t word[NAV_SIMD_BYTES / 8], any = 0;
    memcpy(word, &m, sizeof word);
    for (int k = 0; k < NAV_SIMD_BYTES / 8; k++) any |= word[k];
    return any != 0;
}
#if NAV_SIMD_BYTES == 32
static inline float_lanes lanes_sqrt(float_lanes v)
{
    return (float_lanes)_mm256_sqrt_ps((__m256)v);
}
static inline float_lanes lanes_about_inverse(float_lanes v)
{
    return (float_lanes)_mm256_rcp_ps((__m256)v);
}
#elif defined(__x86_64__)
static inline float_lanes lanes_sqrt(float_lanes v)
{
    return (float_lanes)_mm_sqrt_ps((__m128)v);
}
static inline float_lanes lanes_about_inverse(float_lanes v)
{
    return (float_lanes)_mm_rcp_ps((__m128)v);
}
#else
static inline float_lanes lanes_sqrt(float_lanes v)
{
    for (int k = 0; k < FLOAT_LANES; k++) v[k] = sqrtf(v[k]);
    return v;
}
static inline float_lanes lanes_about_inverse(float_lanes v)
{
    return 1.0f / v;
}
#endif
#endif

#endif
