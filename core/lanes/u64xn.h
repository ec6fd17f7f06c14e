// Words of 64 bits side by side, as many as a register holds: U64_LANES of them.
#ifndef NAV_LANES_U64XN_H
#define NAV_LANES_U64XN_H

#include "core/lanes/width.h"

#include <stdbool.h>
#include <string.h>

enum { U64_LANES = NAV_SIMD_BYTES / 8 };
typedef uint64_t u64xn __attribute__((vector_size(NAV_SIMD_BYTES)));
typedef uint32_t u64xn_narrow __attribute__((vector_size(NAV_SIMD_BYTES / 2))); // a number of 32 bits for each lane

static inline u64xn u64xn_load(const uint64_t *p)
{
    u64xn v;
    memcpy(&v, p, sizeof v);
    return v;
}

// The first `lanes` of them, 0 beyond. As many must be there to read as there are lanes in all.
static inline u64xn u64xn_load_some(const uint64_t *p, int lanes)
{
#if NAV_SIMD_BYTES == 64
    return (u64xn)_mm512_maskz_loadu_epi64((__mmask8)(0xff >> (U64_LANES - lanes)), p);
#else
    u64xn v = u64xn_load(p);
    for (int k = lanes; k < U64_LANES; k++) v[k] = 0;
    return v;
#endif
}

// The products of the lower halves of each lane.
static inline u64xn u64xn_times_low(u64xn a, u64xn b)
{
#if NAV_SIMD_BYTES == 64
    return (u64xn)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif NAV_SIMD_BYTES == 32
    return (u64xn)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (u64xn)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

// How many bits each lane has: those of each half byte are looked up.
static inline u64xn u64xn_count(u64xn v)
{
#if NAV_SIMD_BYTES == 64
    const __m512i counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i four = _mm512_set1_epi8(15);
    __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512((__m512i)v, four));
    __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi64((__m512i)v, 4), four));
    return (u64xn)_mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512());
#elif NAV_SIMD_BYTES == 32
    const __m256i counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i four = _mm256_set1_epi8(15);
    __m256i low = _mm256_shuffle_epi8(counts, _mm256_and_si256((__m256i)v, four));
    __m256i high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi64((__m256i)v, 4), four));
    return (u64xn)_mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
#else
    for (int k = 0; k < U64_LANES; k++) v[k] = (uint64_t)__builtin_popcountll(v[k]);
    return v;
#endif
}

// A bit for each lane that is not 0.
static inline uint32_t u64xn_used(u64xn v)
{
#if NAV_SIMD_BYTES == 64
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v);
#elif NAV_SIMD_BYTES == 32
    __m256i none = _mm256_cmpeq_epi64((__m256i)v, _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_pd((__m256d)none) & 15;
#else
    uint32_t used = 0;
    for (int k = 0; k < U64_LANES; k++) used |= (uint32_t)(v[k] != 0) << k;
    return used;
#endif
}

static inline bool u64xn_any(u64xn v)
{
#if NAV_SIMD_BYTES == 64
    return u64xn_used(v) != 0;
#elif NAV_SIMD_BYTES == 32
    return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
    uint64_t all = 0;
    for (int k = 0; k < U64_LANES; k++) all |= v[k];
    return all != 0;
#endif
}

// Takes the lowest bit of each lane's `words` words out of them, into `lowest`. Stores where it was, counted from
// `offset`, and `missing` where a lane has none.
static inline void u64xn_take_lowest(int words, u64xn *of, u64xn *lowest, int offset, int16_t missing, int16_t *at)
{
#if NAV_SIMD_BYTES == 64
    __m512i place = _mm512_set1_epi64(missing);
    __mmask8 left = 0xff;
    for (int w = 0; w < words; w++) {
        __m512i v = (__m512i)of[w];
        __m512i low = _mm512_maskz_and_epi64(left, v, _mm512_sub_epi64(_mm512_setzero_si512(), v));
        __mmask8 here = _mm512_test_epi64_mask(low, low);
        place = _mm512_mask_sub_epi64(place, here, _mm512_set1_epi64(offset + 64 * w + 63), _mm512_lzcnt_epi64(low));
        left &= (__mmask8)~here;
        lowest[w] = (u64xn)low;
        of[w] ^= (u64xn)low;
    }
    __m128i narrow = _mm512_cvtepi64_epi16(place);
    memcpy(at, &narrow, sizeof narrow);
#else
    // Below a lowest bit there are as many bits as its place says, and 64 where there is none: on to the next word.
    u64xn left = ~(u64xn){0}, place = {0};
    for (int w = 0; w < words; w++) {
        u64xn low = of[w] & -of[w] & left;
        place += u64xn_count(low - 1) & left;
        left &= (u64xn)(low == 0);
        lowest[w] = low;
        of[w] ^= low;
    }
    for (int k = 0; k < U64_LANES; k++) at[k] = left[k] ? missing : (int16_t)((int)place[k] + offset);
#endif
}

#endif
