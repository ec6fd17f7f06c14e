// Doubles side by side, as many as a register holds: F64_LANES of them. Every operation is the same IEEE operation in
// each lane, so results do not depend on how many there are.
#ifndef NAV_LANES_F64XN_H
#define NAV_LANES_F64XN_H

#include "core/lanes/width.h"

#include <stdint.h>

#if NAV_SIMD_BYTES == 64
enum { F64_LANES = 8 };
typedef __m512d f64xn;
typedef __mmask8 f64xn_mask; // a bit for each lane
#define F64XN_DO(op) _mm512_##op
#elif NAV_SIMD_BYTES == 32
enum { F64_LANES = 4 };
typedef __m256d f64xn;
typedef __m256d f64xn_mask; // all bits of a lane, or none
#define F64XN_DO(op) _mm256_##op
#elif defined(__SSE4_1__)
enum { F64_LANES = 2 };
typedef __m128d f64xn;
typedef __m128d f64xn_mask;
#define F64XN_DO(op) _mm_##op
#else
enum { F64_LANES = 1 };
typedef double f64xn;
typedef unsigned f64xn_mask; // 0 or 1
#endif

#ifdef F64XN_DO
static inline f64xn f64xn_load(const double *p)
{
    return F64XN_DO(loadu_pd)(p);
}
static inline void f64xn_store(double *p, f64xn v)
{
    F64XN_DO(storeu_pd)(p, v);
}
static inline f64xn f64xn_of(double v)
{
    return F64XN_DO(set1_pd)(v);
}
static inline f64xn f64xn_add(f64xn a, f64xn b)
{
    return F64XN_DO(add_pd)(a, b);
}
static inline f64xn f64xn_sub(f64xn a, f64xn b)
{
    return F64XN_DO(sub_pd)(a, b);
}
static inline f64xn f64xn_mul(f64xn a, f64xn b)
{
    return F64XN_DO(mul_pd)(a, b);
}
static inline f64xn f64xn_div(f64xn a, f64xn b)
{
    return F64XN_DO(div_pd)(a, b);
}
static inline f64xn f64xn_min(f64xn a, f64xn b)
{
    return F64XN_DO(min_pd)(a, b);
}
static inline f64xn f64xn_max(f64xn a, f64xn b)
{
    return F64XN_DO(max_pd)(a, b);
}
#endif

#if NAV_SIMD_BYTES == 64
static inline f64xn f64xn_floor(f64xn v)
{
    return _mm512_roundscale_pd(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
static inline f64xn f64xn_ceil(f64xn v)
{
    return _mm512_roundscale_pd(v, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
static inline f64xn_mask f64xn_less(f64xn a, f64xn b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline f64xn_mask f64xn_at_most(f64xn a, f64xn b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
static inline f64xn_mask f64xn_equal(f64xn a, f64xn b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
static inline f64xn_mask f64xn_both(f64xn_mask a, f64xn_mask b)
{
    return a & b;
}
static inline f64xn_mask f64xn_either(f64xn_mask a, f64xn_mask b)
{
    return a | b;
}
static inline unsigned f64xn_bits(f64xn_mask m)
{
    return m;
}
static inline f64xn_mask f64xn_all(void)
{
    return 0xff;
}
static inline f64xn f64xn_select(f64xn_mask m, f64xn yes, f64xn no)
{
    return _mm512_mask_blend_pd(m, no, yes);
}
// min(a, b) where the mask is set, `other` elsewhere; and the same for max.
static inline f64xn f64xn_min_where(f64xn_mask m, f64xn a, f64xn b, f64xn other)
{
    return _mm512_mask_min_pd(other, m, a, b);
}
static inline f64xn f64xn_max_where(f64xn_mask m, f64xn a, f64xn b, f64xn other)
{
    return _mm512_mask_max_pd(other, m, a, b);
}
// 0, 1, ...
static inline f64xn f64xn_count(void)
{
    return _mm512_set_pd(7, 6, 5, 4, 3, 2, 1, 0);
}
static inline void f64xn_store_ints(int32_t *p, f64xn v) // of whole numbers
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(v));
}
// Nine floats from each of F64_LANES places, turned: the k-th of each nine.
static inline void f64xn_read_nines(const float *const p[F64_LANES], f64xn out[9])
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
static inline f64xn f64xn_shift_in(f64xn a, f64xn b)
{
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(b), _mm512_castpd_si512(a), 1));
}
// Rows become columns.
static inline void f64xn_turn(f64xn v[F64_LANES])
{
    __m512d a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = _mm512_unpacklo_pd(v[k], v[k + 1]);
        a[k + 1] = _mm512_unpackhi_pd(v[k], v[k + 1]);
    }
    for (int k = 0; k < 8; k += 4)
        for (int i = 0; i < 2; i++) {
            b[k + i] = _mm512_shuffle_f64x2(a[k + i], a[k + i + 2], 0x88);
            b[k + i + 2] = _mm512_shuffle_f64x2(a[k + i], a[k + i + 2], 0xdd);
        }
    for (int i = 0; i < 4; i++) {
        v[i] = _mm512_shuffle_f64x2(b[i], b[i + 4], 0x88);
        v[i + 4] = _mm512_shuffle_f64x2(b[i], b[i + 4], 0xdd);
    }
}
// first + k for each bit k of which, one after the other. Writes F64_LANES values.
static inline void f64xn_store_numbers(uint32_t *p, unsigned which, uint32_t first)
{
    __m256i all = _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    _mm256_storeu_si256((__m256i *)p, _mm256_maskz_compress_epi32((__mmask8)which, all));
}
#elif defined(F64XN_DO)
static inline f64xn f64xn_floor(f64xn v)
{
    return F64XN_DO(floor_pd)(v);
}
static inline f64xn f64xn_ceil(f64xn v)
{
    return F64XN_DO(ceil_pd)(v);
}
#if NAV_SIMD_BYTES == 32
static inline f64xn_mask f64xn_all(void)
{
    return _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
}
static inline f64xn_mask f64xn_less(f64xn a, f64xn b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline f64xn_mask f64xn_at_most(f64xn a, f64xn b)
{
    return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
static inline f64xn_mask f64xn_equal(f64xn a, f64xn b)
{
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
static inline f64xn f64xn_count(void)
{
    return _mm256_set_pd(3, 2, 1, 0);
}
static inline void f64xn_store_ints(int32_t *p, f64xn v)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(v));
}
static inline void f64xn_read_nines(const float *const p[F64_LANES], f64xn out[9])
{
    for (int k = 0; k < 9; k++) out[k] = _mm256_cvtps_pd(_mm_set_ps(p[3][k], p[2][k], p[1][k], p[0][k]));
}
static inline f64xn f64xn_shift_in(f64xn a, f64xn b)
{
    return _mm256_shuffle_pd(a, _mm256_permute2f128_pd(a, b, 0x21), 0x5);
}
static inline void f64xn_turn(f64xn v[F64_LANES])
{
    __m256d a = _mm256_unpacklo_pd(v[0], v[1]), b = _mm256_unpackhi_pd(v[0], v[1]);
    __m256d c = _mm256_unpacklo_pd(v[2], v[3]), d = _mm256_unpackhi_pd(v[2], v[3]);
    v[0] = _mm256_permute2f128_pd(a, c, 0x20);
    v[1] = _mm256_permute2f128_pd(b, d, 0x20);
    v[2] = _mm256_permute2f128_pd(a, c, 0x31);
    v[3] = _mm256_permute2f128_pd(b, d, 0x31);
}
#else
static inline f64xn_mask f64xn_less(f64xn a, f64xn b)
{
    return _mm_cmplt_pd(a, b);
}
static inline f64xn_mask f64xn_at_most(f64xn a, f64xn b)
{
    return _mm_cmple_pd(a, b);
}
static inline f64xn_mask f64xn_equal(f64xn a, f64xn b)
{
    return _mm_cmpeq_pd(a, b);
}
static inline f64xn f64xn_count(void)
{
    return _mm_set_pd(1, 0);
}
static inline void f64xn_store_ints(int32_t *p, f64xn v)
{
    _mm_storel_epi64((__m128i *)p, _mm_cvttpd_epi32(v));
}
static inline void f64xn_read_nines(const float *const p[F64_LANES], f64xn out[9])
{
    for (int k = 0; k < 9; k++) out[k] = _mm_set_pd((double)p[1][k], (double)p[0][k]);
}
static inline f64xn f64xn_shift_in(f64xn a, f64xn b)
{
    return _mm_shuffle_pd(a, b, 1);
}
static inline void f64xn_turn(f64xn v[F64_LANES])
{
    __m128d a = v[0];
    v[0] = _mm_unpacklo_pd(a, v[1]);
    v[1] = _mm_unpackhi_pd(a, v[1]);
}
#endif
static inline f64xn_mask f64xn_both(f64xn_mask a, f64xn_mask b)
{
    return F64XN_DO(and_pd)(a, b);
}
static inline f64xn_mask f64xn_either(f64xn_mask a, f64xn_mask b)
{
    return F64XN_DO(or_pd)(a, b);
}
static inline unsigned f64xn_bits(f64xn_mask m)
{
    return (unsigned)F64XN_DO(movemask_pd)(m);
}
static inline f64xn f64xn_select(f64xn_mask m, f64xn yes, f64xn no)
{
    return F64XN_DO(blendv_pd)(no, yes, m);
}
static inline f64xn f64xn_min_where(f64xn_mask m, f64xn a, f64xn b, f64xn other)
{
    return f64xn_select(m, f64xn_min(a, b), other);
}
static inline f64xn f64xn_max_where(f64xn_mask m, f64xn a, f64xn b, f64xn other)
{
    return f64xn_select(m, f64xn_max(a, b), other);
}
#else
static inline void f64xn_turn(f64xn v[F64_LANES])
{
    (void)v;
}
static inline f64xn f64xn_load(const double *p)
{
    return *p;
}
static inline void f64xn_store(double *p, f64xn v)
{
    *p = v;
}
static inline f64xn f64xn_of(double v)
{
    return v;
}
static inline f64xn f64xn_add(f64xn a, f64xn b)
{
    return a + b;
}
static inline f64xn f64xn_sub(f64xn a, f64xn b)
{
    return a - b;
}
static inline f64xn f64xn_mul(f64xn a, f64xn b)
{
    return a * b;
}
static inline f64xn f64xn_div(f64xn a, f64xn b)
{
    return a / b;
}
static inline f64xn f64xn_min(f64xn a, f64xn b)
{
    return a < b ? a : b;
}
static inline f64xn f64xn_max(f64xn a, f64xn b)
{
    return a > b ? a : b;
}
static inline f64xn f64xn_floor(f64xn v)
{
    double whole = (double)(int64_t)v;
    return whole > v ? whole - 1 : whole;
}
static inline f64xn f64xn_ceil(f64xn v)
{
    return -f64xn_floor(-v);
}
static inline f64xn_mask f64xn_less(f64xn a, f64xn b)
{
    return a < b;
}
static inline f64xn_mask f64xn_at_most(f64xn a, f64xn b)
{
    return a <= b;
}
static inline f64xn_mask f64xn_equal(f64xn a, f64xn b)
{
    return a <= b && a >= b;
}
static inline f64xn_mask f64xn_both(f64xn_mask a, f64xn_mask b)
{
    return a & b;
}
static inline f64xn_mask f64xn_either(f64xn_mask a, f64xn_mask b)
{
    return a | b;
}
static inline unsigned f64xn_bits(f64xn_mask m)
{
    return m;
}
static inline f64xn f64xn_select(f64xn_mask m, f64xn yes, f64xn no)
{
    return m ? yes : no;
}
static inline f64xn f64xn_min_where(f64xn_mask m, f64xn a, f64xn b, f64xn other)
{
    return m ? f64xn_min(a, b) : other;
}
static inline f64xn f64xn_max_where(f64xn_mask m, f64xn a, f64xn b, f64xn other)
{
    return m ? f64xn_max(a, b) : other;
}
static inline f64xn f64xn_count(void)
{
    return 0;
}
static inline void f64xn_store_ints(int32_t *p, f64xn v)
{
    *p = (int32_t)v;
}
static inline void f64xn_read_nines(const float *const p[F64_LANES], f64xn out[9])
{
    for (int k = 0; k < 9; k++) out[k] = (double)p[0][k];
}
static inline f64xn f64xn_shift_in(f64xn a, f64xn b)
{
    (void)a;
    return b;
}
#endif

#if NAV_SIMD_BYTES < 64
static inline void f64xn_store_numbers(uint32_t *p, unsigned which, uint32_t first)
{
    for (; which; which &= which - 1) *p++ = first + (uint32_t)__builtin_ctz(which);
}
#endif

#endif
