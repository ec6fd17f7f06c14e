// The ways in which nav_heightfield_build() can work. All give the same spans. The plain way is for input that the fast
// ones cannot take, and for the tests that compare them.
#ifndef NAV_VOXEL_RASTER_H
#define NAV_VOXEL_RASTER_H

#include "core/voxel/spans/heightfield.h"

enum {
    NAV_RASTER_PLAIN = 0,
    NAV_RASTER_BITS = 1,  // bit columns instead of lists of fragments, where the tile is low enough
    NAV_RASTER_LANES = 2, // several triangles and columns at a time
};

// nav_heightfield_build() in some of the ways above.
NAV_MUST_USE nav_status nav_heightfield_build_by(unsigned ways, const nav_triangles *triangles, const nav_config *cfg,
                                                 nav_arena *arena, nav_heightfield *out);

#endif
