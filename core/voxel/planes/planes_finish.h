// What the files that finish the field share. Private to core/voxel/planes.
#ifndef NAV_VOXEL_PLANES_FINISH_H
#define NAV_VOXEL_PLANES_FINISH_H

#include "core/voxel/planes/planes.h"

// Which gaps have which rank among those that are left: rows of bits.
typedef struct plane_ranks {
    uint64_t *is[NAV_PLANE_RANKS][NAV_PLANE_RANKS]; // [gap][rank of the span], from the gap's own rank down
    int32_t ranks;
} plane_ranks;

// Writes columns, floors and connections of all spans, sixteen columns at a time. Level v4 only.
void nav_planes_write_spans(const nav_planes *p, const plane_ranks *order, nav_compact_heightfield *out);

#endif
