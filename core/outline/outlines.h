// Outlines: the contours of voxels moved to where the floor ends in truth. Voxels have decided what is floor and what
// is connected; here the triangles say where it ends, on a grid that is finer than columns (shapes.h).
#ifndef NAV_OUTLINE_OUTLINES_H
#define NAV_OUTLINE_OUTLINES_H

#include "core/base/arena.h"
#include "core/contour/contours.h"
#include "core/geometry/tile_source.h"

// The contours that take the place of `contours`, with the three counts of outlines. out is another one than contours.
// Errors: NAV_ERR_LIMIT (arena budget), NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_outlines_build(const nav_triangles *triangles, const nav_tile_source *source,
                                           const nav_compact_heightfield *field, const nav_regions *regions,
                                           const nav_contours *contours, const nav_config *cfg, nav_arena *arena,
                                           nav_contours *out);

#endif
