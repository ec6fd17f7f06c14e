// Where the heights of a triangle over its columns go: into bits of the columns, or into lists of fragments.
#ifndef NAV_VOXEL_TRIANGLE_TARGET_H
#define NAV_VOXEL_TRIANGLE_TARGET_H

#include "core/lanes/f64xn.h"
#include "core/voxel/raster/triangle.h"

// Lowest and highest point over each of the columns.
typedef struct range {
    f64xn low, high;
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

// One column after the other: for lists of fragments, and for machines without shifts in lanes.
static inline void put_heights(raster *r, int32_t column, range h, f64xn_mask active)
{
    double low[F64_LANES], high[F64_LANES];
    f64xn_store(low, h.low);
    f64xn_store(high, h.high);
    for (unsigned todo = f64xn_bits(active); todo; todo &= todo - 1) {
        int k = __builtin_ctz(todo);
        emit(r, column + k, 1, low[k], high[k]);
    }
}

static inline void put_heights_down(raster *r, int32_t column, int32_t width, int32_t count, range h)
{
    double low[F64_LANES], high[F64_LANES];
    f64xn_store(low, h.low);
    f64xn_store(high, h.high);
    for (int32_t k = 0; k < count; k++) emit(r, column + k * width, 1, low[k], high[k]);
}

#endif
