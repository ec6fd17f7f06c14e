// Words of several columns side by side, as many as a register holds.
#ifndef NAV_VOXEL_BIT_LANES_H
#define NAV_VOXEL_BIT_LANES_H

#include "core/base/simd.h"

#include <stdbool.h>
#include <string.h>
#if NAV_SIMD_BYTES == 64
#include <immintrin.h>
#endif

enum { BIT_LANES = NAV_SIMD_BYTES / 8 };
typedef uint64_t bit_lanes __attribute__((vector_size(NAV_SIMD_BYTES)));

static inline bit_lanes bit_lanes_load(const uint64_t *p)
{
    bit_lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

// A bit for each lane that is not 0.
static inline uint32_t bit_lanes_used(bit_lanes v)
{
#if NAV_SIMD_BYTES == 64
    return _mm512_test_epi64_mask((__m512i)v, (__m512i)v);
#else
    uint32_t used = 0;
    for (int k = 0; k < BIT_LANES; k++) used |= (uint32_t)(v[k] != 0) << k;
    return used;
#endif
}

static inline bool bit_lanes_any(bit_lanes v)
{
#if NAV_SIMD_BYTES == 64
    return bit_lanes_used(v) != 0;
#else
    uint64_t all = 0;
    for (int k = 0; k < BIT_LANES; k++) all |= v[k];
    return all != 0;
#endif
}

// Takes the lowest bit of each lane's `words` words out of them, into `lowest`. Stores where it was, counted from
// `offset`, and `missing` where a lane has none.
static inline void bit_lanes_take_lowest(int words, bit_lanes *of, bit_lanes *lowest, int offset, int16_t missing,
                                         int16_t *at)
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
        lowest[w] = (bit_lanes)low;
        of[w] ^= (bit_lanes)low;
    }
    __m128i narrow = _mm512_cvtepi64_epi16(place);
    memcpy(at, &narrow, sizeof narrow);
#else
    bit_lanes left = ~(bit_lanes){0};
    for (int k = 0; k < BIT_LANES; k++) at[k] = missing;
    for (int w = 0; w < words; w++) {
        bit_lanes low = of[w] & -of[w] & left;
        for (int k = 0; k < BIT_LANES; k++)
            at[k] = low[k] ? (int16_t)(offset + 64 * w + __builtin_ctzll(low[k])) : at[k];
        left &= (bit_lanes)(low == 0);
        lowest[w] = low;
        of[w] ^= low;
    }
#endif
}

#endif
