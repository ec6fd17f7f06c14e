// Doubles side by side: one, two or four to a register, as LANES says before this is included. Every operation is the
// same IEEE operation in each lane, so results do not depend on how many there are.
#ifndef NAV_VOXEL_LANES_H
#define NAV_VOXEL_LANES_H

#include <stdint.h>

#if LANES == 4
#include <immintrin.h>
typedef __m256d lanes;
typedef __m256d lane_mask; // all bits of a lane, or none
#define LANES_DO(op) _mm256_##op
#elif LANES == 2
#include <emmintrin.h>
typedef __m128d lanes;
typedef __m128d lane_mask;
#define LANES_DO(op) _mm_##op
#else
typedef double lanes;
typedef int lane_mask;
#endif

#if LANES > 1
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
static inline lanes lanes_min(lanes a, lanes b)
{
    return LANES_DO(min_pd)(a, b);
}
static inline lanes lanes_max(lanes a, lanes b)
{
    return LANES_DO(max_pd)(a, b);
}
static inline lane_mask lanes_either(lane_mask a, lane_mask b)
{
    return LANES_DO(or_pd)(a, b);
}
// v where the mask is set, 0 elsewhere.
static inline lanes lanes_where(lane_mask m, lanes v)
{
    return LANES_DO(and_pd)(m, v);
}
static inline lanes lanes_select(lane_mask m, lanes yes, lanes no)
{
    return LANES_DO(or_pd)(LANES_DO(and_pd)(m, yes), LANES_DO(andnot_pd)(m, no));
}
#endif

#if LANES == 4
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline lane_mask lanes_differ(lanes a, lanes b)
{
    return _mm256_cmp_pd(a, b, _CMP_NEQ_UQ);
}
// from, from + 1, ...
static inline lanes lanes_from(double from)
{
    return _mm256_add_pd(_mm256_set1_pd(from), _mm256_set_pd(3, 2, 1, 0));
}
// Rounds towards zero; back and forth, so that the lanes stay doubles.
static inline lanes lanes_truncate(lanes v)
{
    return _mm256_cvtepi32_pd(_mm256_cvttpd_epi32(v));
}
static inline void lanes_store_ints(int32_t *p, lanes v)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(v));
}
#elif LANES == 2
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return _mm_cmplt_pd(a, b);
}
static inline lane_mask lanes_differ(lanes a, lanes b)
{
    return _mm_cmpneq_pd(a, b);
}
static inline lanes lanes_from(double from)
{
    return _mm_add_pd(_mm_set1_pd(from), _mm_set_pd(1, 0));
}
static inline lanes lanes_truncate(lanes v)
{
    return _mm_cvtepi32_pd(_mm_cvttpd_epi32(v));
}
static inline void lanes_store_ints(int32_t *p, lanes v)
{
    _mm_storel_epi64((__m128i *)p, _mm_cvttpd_epi32(v));
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
static inline lanes lanes_min(lanes a, lanes b)
{
    return a < b ? a : b;
}
static inline lanes lanes_max(lanes a, lanes b)
{
    return a > b ? a : b;
}
static inline lane_mask lanes_either(lane_mask a, lane_mask b)
{
    return a | b;
}
static inline lanes lanes_where(lane_mask m, lanes v)
{
    return m ? v : 0;
}
static inline lanes lanes_select(lane_mask m, lanes yes, lanes no)
{
    return m ? yes : no;
}
static inline lane_mask lanes_less(lanes a, lanes b)
{
    return a < b;
}
static inline lane_mask lanes_differ(lanes a, lanes b)
{
    return a != b;
}
static inline lanes lanes_from(double from)
{
    return from;
}
static inline lanes lanes_truncate(lanes v)
{
    return (double)(int32_t)v;
}
static inline void lanes_store_ints(int32_t *p, lanes v)
{
    *p = (int32_t)v;
}
#endif

#endif
