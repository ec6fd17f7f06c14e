// How nav_solid_field_build() may go about it. Every way gives the same spans; the plain one is there for what the fast
// ones cannot take, and for the tests that compare them.
#ifndef NAV_VOXEL_RASTER_H
#define NAV_VOXEL_RASTER_H

#include "core/voxel/solid_field.h"

enum {
    NAV_RASTER_PLAIN = 0,
    NAV_RASTER_BITS = 1, // bit columns instead of lists of fragments, where the tile is low enough
    // Several cells at a time: at most as many as this says, and as the machine has.
    NAV_RASTER_LANES_1 = 2,
    NAV_RASTER_LANES_2 = 4,
    NAV_RASTER_LANES_4 = 8,
};

// nav_solid_field_build() in some of the ways above.
NAV_MUST_USE nav_status nav_solid_field_build_by(unsigned ways, const nav_triangles *triangles, const nav_config *cfg,
                                                 nav_arena *arena, nav_solid_field *out);

#endif
