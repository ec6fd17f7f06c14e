// Sets the bits of columns one by one, at levels without shifts by lane (below v3). Empty at v3 and v4, where
// triangle_bits_wide.h has the same functions. Part of triangle_bits.h.
#ifndef NAV_VOXEL_TRIANGLE_BITS_BASE_H
#define NAV_VOXEL_TRIANGLE_BITS_BASE_H

#include "core/voxel/raster/triangle_target.h"

#if NAV_SIMD_BYTES < 32
// Solid between the heights, over the columns from `column` on that are active.
SPECIALISED void emit_heights(raster *r, const bit_target *to, int32_t column, range h, f64xn_mask active,
                              bool one_word)
{
    (void)to, (void)one_word;
    put_heights(r, column, h, active);
}

// The same over `count` columns above each other, `width` apart.
static inline void emit_down(raster *r, const bit_target *to, int32_t column, int32_t width, int32_t count, range h)
{
    (void)to;
    put_heights_down(r, column, width, count, h);
}

// ORs the bit into `count` words of both planes.
static inline void set_bit(uint64_t *solid, uint64_t *tops, uint64_t bit, int32_t count)
{
    for (int32_t k = 0; k < count; k++) solid[k] |= bit, tops[k] |= bit;
}

// Where the bits of triangles go that are each in their lane: their first columns' words.
typedef struct column_target {
    uint64_t *solid[F64_LANES], *tops[F64_LANES]; // tops: NULL where one cannot stand
    int32_t base[F64_LANES];                      // heights of the words' first bits
} column_target;

static inline column_target columns_of_triangles(const raster *r, const int32_t *rows, const int32_t *columns,
                                                 const int32_t *low_vx, const uint8_t *areas)
{
    column_target to;
    for (int i = 0; i < F64_LANES; i++) {
        int32_t word = (low_vx[i] - r->bits.base) >> 6, column = (rows[i] - r->first_z) * r->width + columns[i];
        size_t at = (size_t)word * (size_t)r->bits.columns + (size_t)column;
        uint64_t *tops = r->bits.area_tops[areas[i]];
        to.base[i] = r->bits.base + 64 * word;
        to.solid[i] = r->bits.solid + at;
        to.tops[i] = tops ? tops + at : NULL;
    }
    return to;
}

// Solid between the heights over the active triangles' columns `offset` from their first.
static inline void emit_columns(const column_target *to, int32_t offset, range h, f64xn_mask active)
{
    double low[F64_LANES], high[F64_LANES];
    f64xn_store(low, h.low);
    f64xn_store(high, h.high);
    for (unsigned todo = f64xn_bits(active); todo; todo &= todo - 1) {
        int i = __builtin_ctz(todo);
        int32_t bottom = floor_to_int(low[i] + SLACK) - to->base[i];
        int32_t top = ceil_to_int(high[i] - SLACK) - to->base[i] - 1;
        if (top < bottom) top = bottom;
        to->solid[i][offset] |= ~UINT64_C(0) << bottom & ~UINT64_C(0) >> (63 - top);
        if (to->tops[i]) to->tops[i][offset] |= UINT64_C(1) << top;
    }
}
#endif

#endif
