// Words of columns in the 64-bit lanes of level v4, for triangle_bits_wide.h. Empty at other levels.
#ifndef NAV_VOXEL_TRIANGLE_WORDS_V4_H
#define NAV_VOXEL_TRIANGLE_WORDS_V4_H

#include "core/voxel/raster/triangle_target.h"

#if NAV_SIMD_BYTES == 64
typedef __m512i lane_words;

static inline lane_words words_of(int64_t v)
{
    return _mm512_set1_epi64(v);
}

static inline void or_words(uint64_t *to, lane_words bits)
{
    _mm512_storeu_si512(to, _mm512_or_si512(_mm512_loadu_si512(to), bits));
}

// Voxels above the base, from the one that holds the lowest point to the one that holds the highest.
static inline void voxels_of(const range *h, int32_t base, lane_words *low, lane_words *high)
{
    f64xn slack = f64xn_of(SLACK);
    *low = _mm512_sub_epi64(
        _mm512_cvt_roundpd_epi64(f64xn_add(h->low, slack), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC), words_of(base));
    *high =
        _mm512_sub_epi64(_mm512_cvt_roundpd_epi64(f64xn_sub(h->high, slack), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC),
                         words_of(base + 1));
    *high = _mm512_max_epi64(*high, *low);
}

// The bits of voxels [low, high], all in one word.
static inline lane_words bits_within(lane_words low, lane_words high)
{
    return _mm512_and_si512(_mm512_sllv_epi64(words_of(-1), low),
                            _mm512_srlv_epi64(words_of(-1), _mm512_sub_epi64(words_of(63), high)));
}

static inline lane_words where(f64xn_mask m, lane_words v)
{
    return _mm512_maskz_mov_epi64(m, v);
}

static inline lane_words bit_of(lane_words n)
{
    return _mm512_sllv_epi64(words_of(1), n);
}

static inline void store_words(uint64_t *to, lane_words v)
{
    _mm512_storeu_si512(to, v);
}

static inline lane_words load_words(const uint64_t *from)
{
    return _mm512_loadu_si512(from);
}

static inline lane_words and_words(lane_words a, lane_words b)
{
    return _mm512_and_si512(a, b);
}

static inline lane_words load_ints(const int32_t *from)
{
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)from));
}

static inline lane_words words_less(lane_words a, lane_words b)
{
    return _mm512_sub_epi64(a, b);
}

// The bits of voxels [low, high], less `skipped` voxels, in one word.
static inline lane_words bits_of(lane_words low, lane_words high, int64_t skipped, f64xn_mask active)
{
    lane_words zero = _mm512_setzero_si512(), all = words_of(-1);
    lane_words below = _mm512_max_epi64(_mm512_sub_epi64(low, words_of(skipped)), zero);
    lane_words above = _mm512_max_epi64(_mm512_sub_epi64(words_of(63 + skipped), high), zero);
    return _mm512_maskz_and_epi64(active, _mm512_sllv_epi64(all, below), _mm512_srlv_epi64(all, above));
}

static inline lane_words top_bit_of(lane_words high, int64_t skipped, f64xn_mask active)
{
    return _mm512_maskz_sllv_epi64(active, words_of(1), _mm512_sub_epi64(high, words_of(skipped)));
}
#endif

#endif
