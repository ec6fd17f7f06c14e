// Regions: connected groups of spans that never overlap in a column. Their boundaries become contours.
#ifndef NAV_PARTITION_REGIONS_H
#define NAV_PARTITION_REGIONS_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/voxel/spans/compact.h"

enum {
    NAV_REGION_NONE = 0,     // span that belongs to no region: not walkable, or removed as too small
    NAV_REGION_OUTSIDE = -1, // walkable span of the padding: belongs to a neighbour tile
};

typedef struct nav_regions {
    int32_t *id;     // per span: 1..count, NAV_REGION_NONE or NAV_REGION_OUTSIDE
    int32_t count;   // highest id; every id from 1 to count is in use
    uint8_t *folded; // per id: 1 where two parts of the region lie close beside each other at different heights, as the
                     // turns of a ramp do: the nearest span is then not always the right one. NULL: none
} nav_regions;

// A region that is connected to the padding is never removed, so that both sides of a tile border agree on what is
// walkable.
NAV_MUST_USE nav_status nav_regions_watershed(const nav_compact_heightfield *f, const nav_config *cfg,
                                              nav_arena *scratch, nav_regions *out);
NAV_MUST_USE nav_status nav_regions_monotone(const nav_compact_heightfield *f, const nav_config *cfg,
                                             nav_arena *scratch, nav_regions *out);

// Layers: connected floor of one area, without overlap in a column, of any size.
NAV_MUST_USE nav_status nav_regions_layers(const nav_compact_heightfield *f, const nav_config *cfg, nav_arena *scratch,
                                           nav_regions *out);

#endif
