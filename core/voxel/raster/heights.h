// Height grids are rasterised from their samples: columns in whole where they can be (heights_columns.h), elsewhere by
// the triangles of cells, which exist for a moment, a few cells' at a time.
#ifndef NAV_VOXEL_HEIGHTS_H
#define NAV_VOXEL_HEIGHTS_H

#include "core/geometry/tile_source.h"
#include "core/voxel/raster/triangle.h"

// Leaves what the same surface as triangles leaves. by_lanes: the fast ways, else the plain twin. NAV_ERR_LIMIT,
// NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_heights_rasterize(raster *r, const nav_triangles *tris, const nav_config *cfg,
                                              bool by_lanes, nav_arena *arena);

#endif
