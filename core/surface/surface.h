// Surfaces: the triangles that may be walked on are the mesh. Nothing is counted in voxels.
//
//      o-----o-----o        1. Corners are snapped to the grid of outline units and equal ones become one. (snap.c)
//      |\    |    /|        2. Triangles are joined where they share an edge, or a part of one. (join.c)
//      | \   |   / |        3. They are cut along the tile's sides: faces. (cut.c)
//      |  \  |  /  |        4. Faces that hang together, of one area, are a region. One that lies above itself is
//      o---\-|-/---o           divided. (regions.c)
//                           5. Regions have loops, moved inwards by the agent's radius from what ends them. (loops.c,
//                              inset.c)
//                           6. Polygons are made from the loops as ever, and get the faces back as their heights.
//                              (heights.c)
//
// Corners are on a grid that is anchored to the world, and where an edge crosses a side of the tile is worked out from
// the whole edge: so two tiles of a border have the same points there. What comes out does not depend on the order of
// the triangles.
#ifndef NAV_SURFACE_SURFACE_H
#define NAV_SURFACE_SURFACE_H

#include "core/contour/contours.h"
#include "core/detail/detail.h"
#include "core/geometry/tile_source.h"
#include "core/polygon/polygons.h"

enum {
    NAV_SURFACE_REACH = 1 << 29, // units: triangles with a corner farther from the tile's are left out
};

// Corners, and faces of them. Heights are in steps of cfg->cell_height_m from the world's origin.
typedef struct nav_surface {
    int32_t vert_count;
    int32_t *x, *z, *y;  // outline units from the tile's lower corner, steps
    int32_t face_count;  // convex but for rounding, 2 corners or more, inside of the tile
    int32_t *face_first; // face_count + 1: where the face's corners begin
    int32_t *face_region;
    int32_t *corner_face;   // per corner
    int32_t *corner_behind; // the corner of the face behind at which the edge begins, or NAV_EDGE_*
    int32_t *corner_vert;   // right-hand normal to +Y, but for what rounding has turned over
    int32_t region_count;   // regions are 1..region_count
    uint32_t skipped;       // triangles that lie too far away
} nav_surface;

// cfg: of the surface generator. Results live in the arena. NAV_ERR_LIMIT: more than 2^24 triangles in a tile, or the
// arena's budget. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_surface_build(const nav_triangles *triangles, const nav_tile_source *source,
                                          const nav_config *cfg, nav_arena *arena, nav_surface *out,
                                          nav_contours *contours);

// The heights of polygons made from the contours, within cfg->surface_error steps of the faces. May cut polygons (and
// only polygons, never cells), as nav_detail_build() may.
NAV_MUST_USE nav_status nav_surface_detail(const nav_surface *surface, const nav_config *cfg, nav_arena *arena,
                                           nav_polygons *polys, nav_detail *out);

#endif
