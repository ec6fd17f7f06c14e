// Bit columns: the solid voxels of a tile, 64 to a word. A fragment is a mask that is OR-ed into its column: nothing is
// stored per fragment, nothing is sorted, and fragments that touch are joined as neighbouring bits. For tiles of at
// most NAV_BIT_WORDS_MAX words a column and a few area types; all others take the lists of fragments.h.
//
//      word 1   ......|####..      solid: every voxel that some triangle fills
//      word 0   ##....|.#####      tops:  the highest voxel of each walkable piece, one plane of bits per area type
#ifndef NAV_VOXEL_BIT_COLUMNS_H
#define NAV_VOXEL_BIT_COLUMNS_H

#include "core/voxel/spans/heightfield.h"

enum {
    NAV_BIT_WORDS_MAX = 8,
    NAV_BIT_AREAS_MAX = 4,
    NAV_BIT_ROWS_BEYOND = 3, // behind each plane: triangles side by side are taken as many rows up as the longest has
};

typedef struct nav_bit_columns {
    int32_t columns;
    int32_t words;                       // a column; its uppermost voxel is always free
    int32_t base;                        // voxel of bit 0 of word 0
    int64_t fragment_count;              // no more runs than that
    int32_t area_count;                  // walkable area types, highest first
    uint8_t areas[NAV_BIT_AREAS_MAX];    //
    uint64_t *solid;                     // [word * columns + column]
    uint64_t *tops[NAV_BIT_AREAS_MAX];   // per area type
    uint64_t *area_tops[NAV_AREA_COUNT]; // the same by area type; NULL where one cannot stand
} nav_bit_columns;

// Does this form fit a tile whose fragments lie in voxels [bottom, top) and have the area types of `areas` (a bit
// each)?
bool nav_bit_columns_fit(int32_t bottom, int32_t top, uint64_t areas);
// NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_bit_columns_init(nav_bit_columns *b, int32_t width, int32_t bottom, int32_t top,
                                             uint64_t areas, nav_arena *arena);
// Rasterises as nav_heightfield_build() does, but leaves a tile that fits in bits: of `out`, only the width is set.
// bits->columns is 0 where it does not fit.
NAV_MUST_USE nav_status nav_rasterize(const nav_triangles *triangles, const nav_config *cfg, nav_arena *arena,
                                      nav_bit_columns *bits, nav_heightfield *out);
// Reads the spans out of the bits; out->width is set, the arrays are taken from the arena.
NAV_MUST_USE nav_status nav_bit_columns_read(const nav_bit_columns *b, int32_t climb, nav_arena *arena,
                                             nav_heightfield *out);

// Fills voxels [bottom, top) over `count` columns in a row. tops: of the fragment's area type.
static inline void nav_bit_columns_fill(nav_bit_columns *b, int32_t column, int32_t count, int32_t bottom, int32_t top,
                                        uint64_t *tops)
{
    b->fragment_count += count;
    uint32_t low = (uint32_t)(bottom - b->base), high = (uint32_t)(top - 1 - b->base);
    uint32_t word = low >> 6, last = high >> 6;
    uint64_t above = ~UINT64_C(0) << (low & 63), below = ~UINT64_C(0) >> (63 - (high & 63));
    uint64_t *solid = b->solid + (size_t)word * (size_t)b->columns + column;
    for (; word < last; word++, solid += b->columns) {
        for (int32_t k = 0; k < count; k++) solid[k] |= above;
        above = ~UINT64_C(0);
    }
    for (int32_t k = 0; k < count; k++) solid[k] |= above & below;
    if (!tops) return;
    tops += (size_t)last * (size_t)b->columns + (size_t)column;
    uint64_t bit = UINT64_C(1) << (high & 63);
    for (int32_t k = 0; k < count; k++) tops[k] |= bit;
}

#endif
