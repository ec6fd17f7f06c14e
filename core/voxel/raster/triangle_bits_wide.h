// Sets the bits of several columns at once, at levels that can shift each 64-bit lane by its own count (v3, v4). Empty
// below, where triangle_bits_base.h has the same functions. Part of triangle_bits.h.
#ifndef NAV_VOXEL_TRIANGLE_BITS_WIDE_H
#define NAV_VOXEL_TRIANGLE_BITS_WIDE_H

#include "core/voxel/raster/triangle_words_v3.h"
#include "core/voxel/raster/triangle_words_v4.h"

#if NAV_SIMD_BYTES >= 32
// Solid between the heights, over the columns from `column` on that are active.
SPECIALISED void emit_heights(raster *r, const bit_target *to, int32_t column, range h, f64xn_mask active,
                              bool one_word)
{
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
    put_heights(r, column, h, active);
}

// The same over `count` columns above each other, `width` apart.
static inline void emit_down(raster *r, const bit_target *to, int32_t column, int32_t width, int32_t count, range h)
{
    if (r->in_bits) {
        lane_words low, high;
        voxels_of(&h, to->base, &low, &high);
        uint64_t bits[F64_LANES];
        uint64_t *solid = to->solid + column;
        for (int32_t skipped = 0; skipped < to->word_vx; skipped += 64, solid += to->columns) {
            store_words(bits, bits_of(low, high, skipped, f64xn_all()));
            for (int32_t k = 0; k < count; k++) solid[k * width] |= bits[k];
        }
        if (!to->tops) return;
        uint64_t *tops = to->tops + column;
        for (int32_t skipped = 0; skipped < to->word_vx; skipped += 64, tops += to->columns) {
            store_words(bits, top_bit_of(high, skipped, f64xn_all()));
            for (int32_t k = 0; k < count; k++) tops[k * width] |= bits[k];
        }
        return;
    }
    put_heights_down(r, column, width, count, h);
}

// ORs the bit into `count` words of both planes. Up to F64_LANES - 1 words beyond are written as they were.
static inline void set_bit(uint64_t *solid, uint64_t *tops, uint64_t bit, int32_t count)
{
    lane_words bits = words_of((int64_t)bit);
    int32_t k = 0;
    for (; k + F64_LANES < count; k += F64_LANES) {
        or_words(solid + k, bits);
        or_words(tops + k, bits);
    }
    bits = where(f64xn_less(f64xn_count(), f64xn_of((double)(count - k))), bits);
    or_words(solid + k, bits);
    or_words(tops + k, bits);
}

// Where the bits of triangles go that are each in their lane: their first columns' words.
typedef struct column_target {
    uint64_t *solid[F64_LANES], *tops[F64_LANES]; // tops: of no account where one cannot stand
    lane_words base, walkable;                    // heights of the words' first bits; all bits where one can stand
} column_target;

static inline column_target columns_of_triangles(const raster *r, const int32_t *rows, const int32_t *columns,
                                                 const int32_t *low_vx, const uint8_t *areas)
{
    column_target to;
    int32_t base[F64_LANES];
    uint64_t walkable[F64_LANES];
    for (int i = 0; i < F64_LANES; i++) {
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
static inline void emit_columns(const column_target *to, int32_t offset, range h, f64xn_mask active)
{
    lane_words low, high;
    voxels_of(&h, 0, &low, &high);
    low = words_less(low, to->base);
    high = words_less(high, to->base);
    uint64_t bits[F64_LANES], tops[F64_LANES];
    store_words(bits, where(active, bits_within(low, high)));
    store_words(tops, and_words(to->walkable, where(active, bit_of(high))));
    for (int i = 0; i < F64_LANES; i++) {
        to->solid[i][offset] |= bits[i];
        to->tops[i][offset] |= tops[i];
    }
}
#endif

#endif
