// Polygons: convex pieces of the contours, with shared vertices and neighbours.
// Two kinds: polygons of at most cfg->polygon_max_vertices vertices, for Detour; and cells, for navd's tile: unions of
// polygons with at most 255 vertices, convex or within cfg->relaxation of it. The polygons of a cell stand together.
#ifndef NAV_POLYGON_POLYGONS_H
#define NAV_POLYGON_POLYGONS_H

#include "core/contour/contours.h"

typedef struct nav_polygons {
    int32_t vert_count;
    int32_t *x, *z, *y; // per vertex: outline units from the tile's lower corner, and voxels
    int32_t count;
    int32_t *first;     // count + 1: where the polygon's corners begin in `vert` and `behind`
    int32_t *vert;      // corners, right-hand normal to +Y, strictly convex but for collinear corners at T-joints
    int32_t *behind;    // what lies behind the edge from this corner to the next: polygon, wall or border portal
    uint8_t *area;      // per polygon
    int32_t *region;    // per polygon: region of the compact heightfield its spans belong to; 0 where pieces of several
                        // were joined
    uint8_t *unreached; // per polygon: 1 where its cell is marked as NAV_CELL_UNREACHABLE (core/reach); NULL: none is
    int32_t cell_count;
    int32_t *cell_poly;  // cell_count + 1: first polygon of each cell
    int32_t *cell_first; // cell_count + 1: where the cell's corners begin
    int32_t *cell_vert;
    int32_t *cell_behind; // as `behind`, with cells in place of polygons
    uint8_t *cell_flags;  // per cell: NAV_CELL_*; NULL: no cell has any
    int32_t failed_loops; // contours that could not be triangulated completely, and lost area by it
} nav_polygons;

NAV_MUST_USE nav_status nav_polygons_build(const nav_contours *contours, const nav_config *cfg, nav_arena *arena,
                                           nav_polygons *out);

#endif
