// Heights over a row of columns, made bits of their columns without a branch: the voxels of a column are
// (all << low) & (all >> 63 - high), and shifts by 64 or more leave nothing, so a word outside of the voxels gets none.
#ifndef NAV_VOXEL_TRIANGLE_BITS_H
#define NAV_VOXEL_TRIANGLE_BITS_H

#include "core/voxel/raster/lanes.h"
#include "core/voxel/raster/triangle.h"

// Lowest and highest point over each of the columns.
typedef struct range {
    lanes low, high;
} range;

// Where the bits of the triangle at hand go: words [first, end) of its columns.
typedef struct bit_target {
    uint64_t *solid, *tops; // of column 0, word `first`; tops is NULL where one cannot stand
    int32_t columns;
    int32_t base;    // voxel of bit 0 of word `first`
    int32_t word_vx; // of words `first` to `end`: 64 * (end - first)
} bit_target;

static inline bool spans_one_word(const raster *r, int32_t low_vx, int32_t end_vx)
{
    return r->in_bits && (low_vx - r->bits.base) >> 6 == (end_vx - r->bits.base) >> 6;
}

static inline bit_target bits_between(const raster *r, uint64_t *tops, int32_t low_vx, int32_t end_vx)
{
    int32_t first = (low_vx - r->bits.base) >> 6, end = ((end_vx - r->bits.base) >> 6) + 1;
    size_t plane = (size_t)first * (size_t)r->bits.columns;
    return (bit_target){r->bits.solid + plane, tops ? tops + plane : NULL, r->bits.columns, r->bits.base + 64 * first,
                        64 * (end - first)};
}

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
    lanes slack = lanes_of(SLACK);
    *low = _mm512_sub_epi64(
        _mm512_cvt_roundpd_epi64(lanes_add(h->low, slack), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC), words_of(base));
    *high =
        _mm512_sub_epi64(_mm512_cvt_roundpd_epi64(lanes_sub(h->high, slack), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC),
                         words_of(base + 1));
    *high = _mm512_max_epi64(*high, *low);
}

// The bits of voxels [low, high], all in one word.
static inline lane_words bits_within(lane_words low, lane_words high)
{
    return _mm512_and_si512(_mm512_sllv_epi64(words_of(-1), low),
                            _mm512_srlv_epi64(words_of(-1), _mm512_sub_epi64(words_of(63), high)));
}

static inline lane_words where(lane_mask m, lane_words v)
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
static inline lane_words bits_of(lane_words low, lane_words high, int64_t skipped, lane_mask active)
{
    lane_words zero = _mm512_setzero_si512(), all = words_of(-1);
    lane_words below = _mm512_max_epi64(_mm512_sub_epi64(low, words_of(skipped)), zero);
    lane_words above = _mm512_max_epi64(_mm512_sub_epi64(words_of(63 + skipped), high), zero);
    return _mm512_maskz_and_epi64(active, _mm512_sllv_epi64(all, below), _mm512_srlv_epi64(all, above));
}

static inline lane_words top_bit_of(lane_words high, int64_t skipped, lane_mask active)
{
    return _mm512_maskz_sllv_epi64(active, words_of(1), _mm512_sub_epi64(high, words_of(skipped)));
}
#elif NAV_SIMD_BYTES == 32
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
    lanes slack = lanes_of(SLACK);
    __m128i first = _mm256_cvttpd_epi32(lanes_floor(lanes_add(h->low, slack)));
    __m128i end = _mm256_cvttpd_epi32(lanes_ceil(lanes_sub(h->high, slack)));
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

static inline lane_words where(lane_mask m, lane_words v)
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

static inline lane_words bits_of(lane_words low, lane_words high, int64_t skipped, lane_mask active)
{
    // Of sign-extended numbers, the halves' maxima with 0 make the maximum.
    lane_words zero = _mm256_setzero_si256(), all = words_of(-1);
    lane_words below = _mm256_max_epi32(_mm256_sub_epi64(low, words_of(skipped)), zero);
    lane_words above = _mm256_max_epi32(_mm256_sub_epi64(words_of(63 + skipped), high), zero);
    lane_words bits = _mm256_and_si256(_mm256_sllv_epi64(all, below), _mm256_srlv_epi64(all, above));
    return _mm256_and_si256(bits, _mm256_castpd_si256(active));
}

static inline lane_words top_bit_of(lane_words high, int64_t skipped, lane_mask active)
{
    lane_words bit = _mm256_sllv_epi64(words_of(1), _mm256_sub_epi64(high, words_of(skipped)));
    return _mm256_and_si256(bit, _mm256_castpd_si256(active));
}
#endif

// The plain twin of what follows, for lists of fragments and for machines without the shifts.
static inline void put_heights(raster *r, int32_t column, range h, lane_mask active)
{
    double low[LANES], high[LANES];
    lanes_store(low, h.low);
    lanes_store(high, h.high);
    for (unsigned todo = lanes_bits(active); todo; todo &= todo - 1) {
        int k = __builtin_ctz(todo);
        emit(r, column + k, 1, low[k], high[k]);
    }
}

// Solid between the heights, over the columns from `column` on that are active.
SPECIALISED void emit_heights(raster *r, const bit_target *to, int32_t column, range h, lane_mask active, bool one_word)
{
#if NAV_SIMD_BYTES >= 32
    if (one_word || r->in_bits) {
        lane_words low, high;
        voxels_of(&h, to->base, &low, &high);
        uint64_t *solid = to->solid + column;
        if (one_word) {
            or_words(solid, where(active, bits_within(low, high)));
            if (to->tops) or_words(to->tops + column, where(active, bit_of(high)));
            return;
        }
        for (int32_t skipped = 0; skipped < to->word_vx; skipped += 64, solid += to->columns)
            or_words(solid, bits_of(low, high, skipped, active));
        if (!to->tops) return;
        uint64_t *tops = to->tops + column;
        for (int32_t skipped = 0; skipped < to->word_vx; skipped += 64, tops += to->columns)
            or_words(tops, top_bit_of(high, skipped, active));
        return;
    }
#endif
    (void)to, (void)one_word;
    put_heights(r, column, h, active);
}

// The same over `count` columns above each other, `width` apart.
static inline void emit_down(raster *r, const bit_target *to, int32_t column, int32_t width, int32_t count, range h)
{
#if NAV_SIMD_BYTES >= 32
    if (r->in_bits) {
        lane_words low, high;
        voxels_of(&h, to->base, &low, &high);
        uint64_t bits[LANES];
        uint64_t *solid = to->solid + column;
        for (int32_t skipped = 0; skipped < to->word_vx; skipped += 64, solid += to->columns) {
            store_words(bits, bits_of(low, high, skipped, lanes_all()));
            for (int32_t k = 0; k < count; k++) solid[k * width] |= bits[k];
        }
        if (!to->tops) return;
        uint64_t *tops = to->tops + column;
        for (int32_t skipped = 0; skipped < to->word_vx; skipped += 64, tops += to->columns) {
            store_words(bits, top_bit_of(high, skipped, lanes_all()));
            for (int32_t k = 0; k < count; k++) tops[k * width] |= bits[k];
        }
        return;
    }
#endif
    (void)to;
    double low[LANES], high[LANES];
    lanes_store(low, h.low);
    lanes_store(high, h.high);
    for (int32_t k = 0; k < count; k++) emit(r, column + k * width, 1, low[k], high[k]);
}

// One voxel of the triangle at hand.
typedef struct voxel_target {
    uint64_t *solid, *tops; // of column 0 in the voxel's word; tops: the same again where one cannot stand
    uint64_t bit;
    int32_t vx;
} voxel_target;

static inline voxel_target voxel_of_triangle(const raster *r, int32_t vx)
{
    if (!r->in_bits) return (voxel_target){.vx = vx};
    uint32_t above = (uint32_t)(vx - r->bits.base);
    size_t plane = (size_t)(above >> 6) * (size_t)r->bits.columns;
    return (voxel_target){r->bits.solid + plane, (r->tops ? r->tops : r->bits.solid) + plane,
                          UINT64_C(1) << (above & 63), vx};
}

static inline void emit_voxel(raster *r, const voxel_target *to, int32_t column, int32_t count)
{
    if (!r->in_bits) {
        fill(r, column, count, to->vx, to->vx + 1);
        return;
    }
    r->bits.fragment_count += count;
    uint64_t *solid = to->solid + column, *tops = to->tops + column, bit = to->bit;
#if NAV_SIMD_BYTES >= 32
    lane_words bits = words_of((int64_t)bit);
    int32_t k = 0;
    for (; k + LANES < count; k += LANES) {
        or_words(solid + k, bits);
        or_words(tops + k, bits);
    }
    bits = where(lanes_less(lanes_count(), lanes_of((double)(count - k))), bits);
    or_words(solid + k, bits);
    or_words(tops + k, bits);
#else
    for (int32_t k = 0; k < count; k++) solid[k] |= bit, tops[k] |= bit;
#endif
}

#if NAV_SIMD_BYTES >= 32
// Where the bits of triangles go that are each in their lane: their first columns' words.
typedef struct column_target {
    uint64_t *solid[LANES], *tops[LANES]; // tops: of no account where one cannot stand
    lane_words base, walkable;            // heights of the words' first bits; all bits where one can stand
} column_target;

static inline column_target columns_of_triangles(const raster *r, const int32_t *rows, const int32_t *columns,
                                                 const int32_t *low_vx, const uint8_t *areas)
{
    column_target to;
    int32_t base[LANES];
    uint64_t walkable[LANES];
    for (int i = 0; i < LANES; i++) {
        int32_t word = (low_vx[i] - r->bits.base) >> 6;
        size_t cell = (size_t)word * (size_t)r->bits.columns + (size_t)((rows[i] - r->first_z) * r->width + columns[i]);
        uint64_t *tops = r->bits.area_tops[areas[i]];
        base[i] = r->bits.base + 64 * word;
        to.solid[i] = r->bits.solid + cell;
        to.tops[i] = tops ? tops + cell : to.solid[i];
        walkable[i] = tops ? ~UINT64_C(0) : 0;
    }
    to.base = load_ints(base);
    to.walkable = load_words(walkable);
    return to;
}

// Solid between the heights over the active triangles' columns `offset` from their first.
static inline void emit_columns(const column_target *to, int32_t offset, range h, lane_mask active)
{
    lane_words low, high;
    voxels_of(&h, 0, &low, &high);
    low = words_less(low, to->base);
    high = words_less(high, to->base);
    uint64_t bits[LANES], tops[LANES];
    store_words(bits, where(active, bits_within(low, high)));
    store_words(tops, and_words(to->walkable, where(active, bit_of(high))));
    for (int i = 0; i < LANES; i++) {
        to->solid[i][offset] |= bits[i];
        to->tops[i][offset] |= tops[i];
    }
}
#endif

#endif
