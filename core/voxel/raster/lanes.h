// Doubles side by side in one register, as many as the machine has room for: LANES of them. Every operation is the same
// IEEE operation in each lane, so results do not depend on how many there are.
#ifndef NAV_VOXEL_LANES_H
#define NAV_VOXEL_LANES_H

#include "core/base/simd.h"

#include <stdint.h>

#if NAV_SIMD_BYTES == 64
#include <immintrin.h>
enum { LANES = 8 };
typedef __m512d lanes;
typedef __mmask8 lane_mask; // a bit for each lane
#define LANES_DO(op) _mm512_##op
#elif NAV_SIMD_BYTES == 32
#include <immintrin.h>
enum { LANES = 4 };
typedef __m256d lanes;
typedef __m256d lane_mask; // all bits of a lane, or none
#define LANES_DO(op) _mm256_##op
#elif defined(__SSE4_1__)
#include <smmintrin.h>
enum { LANES = 2 };
typedef __m128d lanes;
typedef __m128d lane_mask;
#define LANES_DO(op) _mm_##op
#else
enum { LANES = 1 };
typedef double lanes;
typedef unsigned lane_mask; // 0 or 1
#endif

// A function that is compiled anew for the constants among its arguments.
#define SPECIALISED static inline __attribute__((always_inline))

// What takes heights out of minima and maxima: more than any of them.
static const double BEYOND = 1e300;

#ifdef LANES_DO
static inline lanes lanes_load(const double *p)
{
    return LANES_DO(loadu_pd)(p);
}
static inline void lanes_store(double *p, lanes v)
{
    LANES_DO(storeu_pd)(p, v);
}
static inline lanes lanes_of(double v)
{
    return LANES_DO(set1_pd)(v);
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return LANES_DO(add_pd)(a, b);
}
static inline lanes lanes_sub(lanes a, lanes b)
{
    return LANES_DO(sub_pd)(a, b);
}
static inline lanes lanes_mul(lanes a, lanes b)
{
    return LANES_DO(mul_pd)(a, b);
}
static inline lanes lanes_div(lanes a, lanes b)
{
    return LANES_DO(div_pd)(a, b);
}
static inline lanes lanes_min(lanes a, lanes b)
{
    return LANES_DO(min_pd)(a, b);
}
static inline lanes lanes_max(lanes a, lanes b)
{
    return LANES_DO(max_pd)(a, b);
}
#endif

#if NAV_SIMD_BYTES == 64
static inline lanes lanes_floor(lanes v)
{
    return _mm512_roundscale_pd(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
static inline lanes lanes_ceil(lanes v)
{
    return _mm512_roundscale_pd(v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline lane_mask lanes_at_most(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
static inline lane_mask lanes_equal(lanes a, lanes b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
static inline lane_mask lanes_both(lane_mask a, lane_mask b)
{
    return a & b;
}
static inline lane_mask lanes_either(lane_mask a, lane_mask b)
{
    return a | b;
}
static inline unsigned lanes_bits(lane_mask m)
{
    return m;
}
static inline lane_mask lanes_all(void)
{
    return 0xff;
}
static inline lanes lanes_select(lane_mask m, lanes yes, lanes no)
{
    return _mm512_mask_blend_pd(m, no, yes);
}
// min(a, b) where the mask is set, `other` elsewhere; and the same for max.
static inline lanes lanes_min_where(lane_mask m, lanes a, lanes b, lanes other)
{
    return _mm512_mask_min_pd(other, m, a, b);
}
static inline lanes lanes_max_where(lane_mask m, lanes a, lanes b, lanes other)
{
    return _mm512_mask_max_pd(other, m, a, b);
}
// 0, 1, ...
static inline lanes lanes_count(void)
{
    return _mm512_set_pd(7, 6, 5, 4, 3, 2, 1, 0);
}
static inline void lanes_store_ints(int32_t *p, lanes v) // of whole numbers
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(v));
}
// Nine floats from each of LANES places, turned: the k-th of each nine.
static inline void lanes_read_nines(const float *const p[LANES], lanes out[9])
{
    // Eight rows of eight, turned by pairs, fours and halves; the ninths apart.
    __m256 a[8], b[8];
    for (int k = 0; k < 8; k++) a[k] = _mm256_loadu_ps(p[k]);
    for (int k = 0; k < 8; k += 2) {
        b[k] = _mm256_unpacklo_ps(a[k], a[k + 1]);
        b[k + 1] = _mm256_unpackhi_ps(a[k], a[k + 1]);
    }
    for (int k = 0; k < 8; k += 4) {
        a[k] = _mm256_shuffle_ps(b[k], b[k + 2], 0x44);
        a[k + 1] = _mm256_shuffle_ps(b[k], b[k + 2], 0xee);
        a[k + 2] = _mm256_shuffle_ps(b[k + 1], b[k + 3], 0x44);
        a[k + 3] = _mm256_shuffle_ps(b[k + 1], b[k + 3], 0xee);
    }
    for (int k = 0; k < 4; k++) {
        out[k] = _mm512_cvtps_pd(_mm256_permute2f128_ps(a[k], a[k + 4], 0x20));
        out[k + 4] = _mm512_cvtps_pd(_mm256_permute2f128_ps(a[k], a[k + 4], 0x31));
    }
    out[8] = _mm512_cvtps_pd(_mm256_set_ps(p[7][8], p[6][8], p[5][8], p[4][8], p[3][8], p[2][8], p[1][8], p[0][8]));
}
// b's first lane behind a's others.
static inline lanes lanes_shift_in(lanes a, lanes b)
{
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(b), _mm512_castpd_si512(a), 1));
}
// first + k for each bit k of which, one after the other. Writes LANES values.
static inline void lanes_store_numbers(uint32_t *p, unsigned which, uint32_t first)
{
    __m256i all = _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    _mm256_storeu_si256((__m256i *)p, _mm256_maskz_compress_epi32((__mmask8)which, all));
}
#elif defined(LANES_DO)
static inline lanes lanes_floor(lanes v)
{
    return LANES_DO(floor_pd)(v);
}
static inline lanes lanes_ceil(lanes v)
{
    return LANES_DO(ceil_pd)(v);
}
#if NAV_SIMD_BYTES == 32
static inline lane_mask lanes_all(void)
{
    return _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline lane_mask lanes_at_most(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
static inline lane_mask lanes_equal(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
static inline lanes lanes_count(void)
{
    return _mm256_set_pd(3, 2, 1, 0);
}
static inline void lanes_store_ints(int32_t *p, lanes v)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(v));
}
static inline void lanes_read_nines(const float *const p[LANES], lanes out[9])
{
    for (int k = 0; k < 9; k++) out[k] = _mm256_cvtps_pd(_mm_set_ps(p[3][k], p[2][k], p[1][k], p[0][k]));
}
static inline lanes lanes_shift_in(lanes a, lanes b)
{
    return _mm256_shuffle_pd(a, _mm256_permute2f128_pd(a, b, 0x21), 0x5);
}
#else
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm_cmplt_pd(a, b);
}
static inline lane_mask lanes_at_most(lanes a, lanes b)
{
    return _mm_cmple_pd(a, b);
}
static inline lane_mask lanes_equal(lanes a, lanes b)
{
    return _mm_cmpeq_pd(a, b);
}
static inline lanes lanes_count(void)
{
    return _mm_set_pd(1, 0);
}
static inline void lanes_store_ints(int32_t *p, lanes v)
{
    _mm_storel_epi64((__m128i *)p, _mm_cvttpd_epi32(v));
}
static inline void lanes_read_nines(const float *const p[LANES], lanes out[9])
{
    for (int k = 0; k < 9; k++) out[k] = _mm_set_pd((double)p[1][k], (double)p[0][k]);
}
static inline lanes lanes_shift_in(lanes a, lanes b)
{
    return _mm_shuffle_pd(a, b, 1);
}
#endif
static inline lane_mask lanes_both(lane_mask a, lane_mask b)
{
    return LANES_DO(and_pd)(a, b);
}
static inline lane_mask lanes_either(lane_mask a, lane_mask b)
{
    return LANES_DO(or_pd)(a, b);
}
static inline unsigned lanes_bits(lane_mask m)
{
    return (unsigned)LANES_DO(movemask_pd)(m);
}
static inline lanes lanes_select(lane_mask m, lanes yes, lanes no)
{
    return LANES_DO(blendv_pd)(no, yes, m);
}
static inline lanes lanes_min_where(lane_mask m, lanes a, lanes b, lanes other)
{
    return lanes_select(m, lanes_min(a, b), other);
}
static inline lanes lanes_max_where(lane_mask m, lanes a, lanes b, lanes other)
{
    return lanes_select(m, lanes_max(a, b), other);
}
#else
static inline lanes lanes_load(const double *p)
{
    return *p;
}
static inline void lanes_store(double *p, lanes v)
{
    *p = v;
}
static inline lanes lanes_of(double v)
{
    return v;
}
static inline lanes lanes_add(lanes a, lanes b)
{
    return a + b;
}
static inline lanes lanes_sub(lanes a, lanes b)
{
    return a - b;
}
static inline lanes lanes_mul(lanes a, lanes b)
{
    return a * b;
}
static inline lanes lanes_div(lanes a, lanes b)
{
    return a / b;
}
static inline lanes lanes_min(lanes a, lanes b)
{
    return a < b ? a : b;
}
static inline lanes lanes_max(lanes a, lanes b)
{
    return a > b ? a : b;
}
static inline lanes lanes_floor(lanes v)
{
    double whole = (double)(int64_t)v;
    return whole > v ? whole - 1 : whole;
}
static inline lanes lanes_ceil(lanes v)
{
    return -lanes_floor(-v);
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return a < b;
}
static inline lane_mask lanes_at_most(lanes a, lanes b)
{
    return a <= b;
}
static inline lane_mask lanes_equal(lanes a, lanes b)
{
    return a <= b && a >= b;
}
static inline lane_mask lanes_both(lane_mask a, lane_mask b)
{
    return a & b;
}
static inline lane_mask lanes_either(lane_mask a, lane_mask b)
{
    return a | b;
}
static inline unsigned lanes_bits(lane_mask m)
{
    return m;
}
static inline lanes lanes_select(lane_mask m, lanes yes, lanes no)
{
    return m ? yes : no;
}
static inline lanes lanes_min_where(lane_mask m, lanes a, lanes b, lanes other)
{
    return m ? lanes_min(a, b) : other;
}
static inline lanes lanes_max_where(lane_mask m, lanes a, lanes b, lanes other)
{
    return m ? lanes_max(a, b) : other;
}
static inline lanes lanes_count(void)
{
    return 0;
}
static inline void lanes_store_ints(int32_t *p, lanes v)
{
    *p = (int32_t)v;
}
static inline void lanes_read_nines(const float *const p[LANES], lanes out[9])
{
    for (int k = 0; k < 9; k++) out[k] = (double)p[0][k];
}
static inline lanes lanes_shift_in(lanes a, lanes b)
{
    (void)a;
    return b;
}
#endif

#if NAV_SIMD_BYTES < 64
static inline void lanes_store_numbers(uint32_t *p, unsigned which, uint32_t first)
{
    for (; which; which &= which - 1) *p++ = first + (uint32_t)__builtin_ctz(which);
}
#endif

#endif
