// Words of columns in the 64-bit lanes of level v3, for triangle_bits_wide.h. Empty at other levels.
#ifndef NAV_VOXEL_TRIANGLE_WORDS_V3_H
#define NAV_VOXEL_TRIANGLE_WORDS_V3_H

#include "core/voxel/raster/triangle_target.h"

#if NAV_SIMD_BYTES == 32
typedef __m256i lane_words;

static inline lane_words words_of(int64_t v)
{
    return _mm256_set1_epi64x(v);
}

static inline void or_words(uint64_t *to, lane_words bits)
{
    __m256i *p = (__m256i *)to;
    _mm256_storeu_si256(p, _mm256_or_si256(_mm256_loadu_si256(p), bits));
}

static inline void voxels_of(const range *h, int32_t base, lane_words *low, lane_words *high)
{
    f64xn slack = f64xn_of(SLACK);
    __m128i first = _mm256_cvttpd_epi32(f64xn_floor(f64xn_add(h->low, slack)));
    __m128i end = _mm256_cvttpd_epi32(f64xn_ceil(f64xn_sub(h->high, slack)));
    first = _mm_sub_epi32(first, _mm_set1_epi32(base));
    end = _mm_max_epi32(_mm_sub_epi32(end, _mm_set1_epi32(base + 1)), first);
    *low = _mm256_cvtepi32_epi64(first);
    *high = _mm256_cvtepi32_epi64(end);
}

static inline lane_words bits_within(lane_words low, lane_words high)
{
    return _mm256_and_si256(_mm256_sllv_epi64(words_of(-1), low),
                            _mm256_srlv_epi64(words_of(-1), _mm256_sub_epi64(words_of(63), high)));
}

static inline lane_words where(f64xn_mask m, lane_words v)
{
    return _mm256_and_si256(v, _mm256_castpd_si256(m));
}

static inline lane_words bit_of(lane_words n)
{
    return _mm256_sllv_epi64(words_of(1), n);
}

static inline void store_words(uint64_t *to, lane_words v)
{
    _mm256_storeu_si256((__m256i *)to, v);
}

static inline lane_words load_words(const uint64_t *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

static inline lane_words and_words(lane_words a, lane_words b)
{
    return _mm256_and_si256(a, b);
}

static inline lane_words load_ints(const int32_t *from)
{
    return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)from));
}

static inline lane_words words_less(lane_words a, lane_words b)
{
    return _mm256_sub_epi64(a, b);
}

static inline lane_words bits_of(lane_words low, lane_words high, int64_t skipped, f64xn_mask active)
{
    // Of sign-extended numbers, the halves' maxima with 0 make the maximum.
    lane_words zero = _mm256_setzero_si256(), all = words_of(-1);
    lane_words below = _mm256_max_epi32(_mm256_sub_epi64(low, words_of(skipped)), zero);
    lane_words above = _mm256_max_epi32(_mm256_sub_epi64(words_of(63 + skipped), high), zero);
    lane_words bits = _mm256_and_si256(_mm256_sllv_epi64(all, below), _mm256_srlv_epi64(all, above));
    return _mm256_and_si256(bits, _mm256_castpd_si256(active));
}

static inline lane_words top_bit_of(lane_words high, int64_t skipped, f64xn_mask active)
{
    lane_words bit = _mm256_sllv_epi64(words_of(1), _mm256_sub_epi64(high, words_of(skipped)));
    return _mm256_and_si256(bit, _mm256_castpd_si256(active));
}
#endif

#endif
