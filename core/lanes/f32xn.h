// Floats side by side, as many as a register holds: F32_LANES of them; u32xn are as many unsigned ints. Comparing gives
// a mask. & | ~ work on masks, + - * on lanes.
#ifndef NAV_LANES_F32XN_H
#define NAV_LANES_F32XN_H

#include "core/lanes/width.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { F32_LANES = NAV_SIMD_BYTES / 4 };

typedef float f32xn __attribute__((vector_size(NAV_SIMD_BYTES)));
typedef uint32_t u32xn __attribute__((vector_size(NAV_SIMD_BYTES)));

static inline f32xn f32xn_of(float v)
{
    return v - (f32xn){0};
}

static inline f32xn f32xn_load(const float *p)
{
    f32xn v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void u32xn_store(uint32_t *p, u32xn v)
{
    memcpy(p, &v, sizeof v);
}

#if NAV_SIMD_BYTES == 64
typedef __mmask16 f32xn_mask;

static inline f32xn f32xn_sqrt(f32xn v)
{
    return (f32xn)_mm512_sqrt_ps((__m512)v);
}
// 1 / v with an error below 0.1 %, not the same on every machine.
static inline f32xn f32xn_about_inverse(f32xn v)
{
    return (f32xn)_mm512_rcp14_ps((__m512)v);
}
static inline f32xn_mask f32xn_below(f32xn a, f32xn b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
}
static inline f32xn_mask f32xn_up_to(f32xn a, f32xn b)
{
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LE_OQ);
}
static inline f32xn f32xn_pick(f32xn_mask m, f32xn yes, f32xn no)
{
    return (f32xn)_mm512_mask_blend_ps(m, (__m512)no, (__m512)yes);
}
// The smaller one of the absolute values.
static inline f32xn f32xn_nearer(f32xn a, f32xn b)
{
    return (f32xn)_mm512_range_ps((__m512)a, (__m512)b, 8 | 2);
}
static inline u32xn u32xn_with_bit(f32xn_mask m, u32xn bits, u32xn bit)
{
    return (u32xn)_mm512_mask_or_epi32((__m512i)bits, m, (__m512i)bits, (__m512i)bit);
}
// Of 32-bit words that have all bits or none.
static inline f32xn_mask f32xn_load_mask(const int32_t *p)
{
    return _mm512_movepi32_mask(_mm512_loadu_si512(p));
}
static inline bool f32xn_any(f32xn_mask m)
{
    return m != 0;
}
// The first n lanes, 0 <= n.
static inline f32xn_mask f32xn_first(int32_t n)
{
    return n < 16 ? (f32xn_mask)((1u << n) - 1) : (f32xn_mask)0xffff;
}
#else
typedef u32xn f32xn_mask;

static inline f32xn_mask f32xn_below(f32xn a, f32xn b)
{
    return (f32xn_mask)(a < b);
}
static inline f32xn_mask f32xn_up_to(f32xn a, f32xn b)
{
    return (f32xn_mask)(a <= b);
}
static inline f32xn f32xn_pick(f32xn_mask m, f32xn yes, f32xn no)
{
    return (f32xn)((m & (u32xn)yes) | (~m & (u32xn)no));
}
static inline f32xn f32xn_nearer(f32xn a, f32xn b)
{
    u32xn sign = (u32xn){0} + 0x80000000u;
    a = (f32xn)((u32xn)a & ~sign);
    b = (f32xn)((u32xn)b & ~sign);
    return f32xn_pick(f32xn_below(a, b), a, b);
}
static inline u32xn u32xn_with_bit(f32xn_mask m, u32xn bits, u32xn bit)
{
    return bits | (m & bit);
}
static inline f32xn_mask f32xn_load_mask(const int32_t *p)
{
    f32xn_mask m;
    memcpy(&m, p, sizeof m);
    return m;
}
static inline f32xn_mask f32xn_first(int32_t n)
{
    f32xn_mask m;
    for (int k = 0; k < F32_LANES; k++) m[k] = k < n ? 0xffffffffu : 0;
    return m;
}
static inline bool f32xn_any(f32xn_mask m)
{
    uint64_t word[NAV_SIMD_BYTES / 8], any = 0;
    memcpy(word, &m, sizeof word);
    for (int k = 0; k < NAV_SIMD_BYTES / 8; k++) any |= word[k];
    return any != 0;
}
#if NAV_SIMD_BYTES == 32
static inline f32xn f32xn_sqrt(f32xn v)
{
    return (f32xn)_mm256_sqrt_ps((__m256)v);
}
static inline f32xn f32xn_about_inverse(f32xn v)
{
    return (f32xn)_mm256_rcp_ps((__m256)v);
}
#elif defined(__x86_64__)
static inline f32xn f32xn_sqrt(f32xn v)
{
    return (f32xn)_mm_sqrt_ps((__m128)v);
}
static inline f32xn f32xn_about_inverse(f32xn v)
{
    return (f32xn)_mm_rcp_ps((__m128)v);
}
#else
static inline f32xn f32xn_sqrt(f32xn v)
{
    for (int k = 0; k < F32_LANES; k++) v[k] = sqrtf(v[k]);
    return v;
}
static inline f32xn f32xn_about_inverse(f32xn v)
{
    return 1.0f / v;
}
#endif
#endif

#endif
