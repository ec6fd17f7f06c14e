// True outlines: where the floor of each region ends, taken from the triangles instead of the voxels.
//
// The field was not eroded, and says what is connected; its contours say where regions meet each other and the tile's
// border. What bounds a region otherwise is the union of all that its agent's centre may not enter: walls, drops and
// blocking volumes, widened by the radius. The free floor is what the union leaves.
//
//      +-------------------+         coarse contour of the region, before erosion
//      |  +-------------+  |
//      |  |   .-----.   |  |         walls, widened by the radius: what is left is the outline
//      |  |   | ### |   |  |
//      |  |   '-----'   |  |
//      |  +-------------+  |
//      +-------------------+
#ifndef NAV_OUTLINE_OUTLINES_H
#define NAV_OUTLINE_OUTLINES_H

#include "core/contour/contours.h"
#include "core/geometry/tile_source.h"

// coarse: contours of the field, in columns. out: contours in units of the outline grid, with the same regions. What is
// behind an edge is as in coarse. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_outlines_build(const nav_triangles *triangles, const nav_tile_source *source,
                                           const nav_compact_heightfield *field, const nav_regions *regions,
                                           const nav_contours *coarse, const nav_config *cfg, nav_arena *arena,
                                           nav_contours *out);

#endif
