// The plain twins of stages that have a fast path, for the tests that compare them. (Of rasterising: raster.h.)
#ifndef NAV_VOXEL_PLAINLY_H
#define NAV_VOXEL_PLAINLY_H

#include "core/voxel/spans/heightfield.h"

// nav_compact_erode(); plainly: by distances at any radius.
NAV_MUST_USE nav_status nav_compact_erode_by(bool plainly, nav_compact_heightfield *f, const nav_config *cfg,
                                             nav_arena *scratch);

#endif
