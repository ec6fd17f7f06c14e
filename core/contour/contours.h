// Contours: the boundaries of the regions as closed loops of few vertices.
//
// Vertices are corners of columns, in outline units from the tile's own lower corner (0..tile_units), with the height
// of the corner in voxels. Loops consist of arcs that both sides share, so two regions always have the same vertices on
// their common boundary. A large and crowded tile (more than 65536 edges between columns) is cut into blocks: a region
// then has loops of its own in each block, and behind their common edges is the region itself.
#ifndef NAV_CONTOUR_CONTOURS_H
#define NAV_CONTOUR_CONTOURS_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/partition/regions.h"
#include "core/voxel/spans/compact.h"
#include "navcore/tile.h"

static inline int nav_edge_is_portal(int32_t e)
{
    return e <= NAV_EDGE_PORTAL_XMAX && e >= NAV_EDGE_PORTAL_ZMIN;
}

typedef struct nav_contours {
    int32_t loop_count;
    int32_t *loop_first;   // loop_count + 1: first vertex of each loop
    int32_t *loop_region;  // per loop; loops of a region stand together, each outer loop before its holes
    uint8_t *loop_area;    // per loop
    uint8_t *loop_hole;    // per loop: 1 for a hole
    int32_t vert_count;    // all loops
    int32_t *x, *z, *y;    // per vertex: outline units, outline units, voxels
    int32_t *behind;       // per vertex: what lies behind the edge from it to the loop's next vertex
    uint8_t *border_joint; // per vertex: 1 where two regions meet on an open border at a place where the other tile has
                           // no vertex; the polygon stage removes it
    int32_t removed_loops; // loops without area after simplification, left out
    double max_deviation;  // columns: of all traced corners of walls and area borders, also of loops left out, the one
                           // farthest from its edge; never more than the error allowed
    // Of nav_outlines_build() alone; 0 in what nav_contours_build() makes.
    uint32_t outline_shapes;  // shapes that were united
    uint32_t outline_corners; // of the outlines, before corners were left out
    uint32_t coarse_outlines; // regions whose outlines are the coarse ones, as the tile is too crowded there
} nav_contours;

// In columns, whatever the unit: nav_contours_scale() comes next. Outer loops wind so that the right-hand normal points
// to +Y (sum of x_i z_i+1 - x_i+1 z_i is negative), holes reverse.
NAV_MUST_USE nav_status nav_contours_build(const nav_compact_heightfield *f, const nav_regions *regions,
                                           const nav_config *cfg, nav_arena *arena, nav_contours *out);

// From columns to outline units.
void nav_contours_scale(nav_contours *contours, int32_t unit);

#endif
