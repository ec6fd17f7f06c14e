// Turns the heights over a row of columns into bits of the columns, without a branch. The voxels of a column are
// (all << low) & (all >> 63 - high). Shifts by 64 or more leave nothing, so words that the voxels do not reach stay 0.
#ifndef NAV_VOXEL_TRIANGLE_BITS_H
#define NAV_VOXEL_TRIANGLE_BITS_H

#include "core/voxel/raster/triangle_bits_base.h"
#include "core/voxel/raster/triangle_bits_wide.h"

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
    set_bit(solid, tops, bit, count);
}

#endif
