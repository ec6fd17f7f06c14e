// Tiles made by hand: vertices, polygons and detail go in, neighbours and cells are worked out from shared edges.
#ifndef TESTS_CORE_TILE_FIXTURE_H
#define TESTS_CORE_TILE_FIXTURE_H

#include "core/build.h"

enum { FIXTURE_VERTS = 4096, FIXTURE_POLYS = 2048, FIXTURE_CORNERS = 8192, FIXTURE_LINKS = 16 };

typedef struct fixture {
    nav_tile tile;
    nav_settings settings;
    int32_t x[FIXTURE_VERTS], y[FIXTURE_VERTS], z[FIXTURE_VERTS];
    int32_t first[FIXTURE_POLYS + 1], vert[FIXTURE_CORNERS], behind[FIXTURE_CORNERS], region[FIXTURE_POLYS];
    uint8_t area[FIXTURE_POLYS];
    int32_t cell_poly[FIXTURE_POLYS + 1], cell_first[FIXTURE_POLYS + 1], cell_vert[FIXTURE_CORNERS],
        cell_behind[FIXTURE_CORNERS];
    uint8_t cell_flags[FIXTURE_POLYS];
    int32_t vert_first[FIXTURE_POLYS + 1], tri_first[FIXTURE_POLYS + 1];
    float detail_x[FIXTURE_CORNERS], detail_y[FIXTURE_CORNERS], detail_z[FIXTURE_CORNERS];
    uint8_t tri[FIXTURE_CORNERS][4];
    nav_link link[FIXTURE_LINKS];
    const nav_link *links[FIXTURE_LINKS];
} fixture;

// Cells of 0.5 m, voxels of 0.25 m, tiles of 16 cells (8 m), agent 2.0/0.5/0.75 m: every place is exact in float.
void fixture_init(fixture *f, int32_t tile_x, int32_t tile_z);
int32_t fixture_vert(fixture *f, int32_t x, int32_t y, int32_t z);
// Adds a polygon of n vertices, right-hand normal to +Y, as a cell of its own; its detail is a fan until
// fixture_extra().
int32_t fixture_poly(fixture *f, uint8_t area, int n, const int32_t *verts);
// Adds a detail vertex to the last polygon, and splits the fan: one triangle for each edge, all meeting there.
void fixture_extra(fixture *f, float x, float y, float z);
void fixture_link(fixture *f, nav_link link);
// The last two polygons, which must share an edge, become one cell.
void fixture_join_cells(fixture *f);
// Works out neighbours, portals (all edges along the border that no polygon shares) and cells. Call last.
void fixture_finish(fixture *f);

// Numbers the vertices as the pipeline does: in the order in which the polygons have them. The cells keep the numbers
// of before: it is for Detour tiles.
void fixture_number_by_use(fixture *f);

// Four polygons over the whole tile with a bump in the first one (detail), areas 63, 63, 5, 63; the last two are one
// cell.
//
//   z 16 +-------+-------+      The floor is at `y`.
//        |   0   |  1    |
//      8 +-------+---+---+
//        |   2   | cell  |      polygons 2 (area 5), then 3 and 4 that make one cell of five corners
//      0 +-------+-------+
//        0       8      16 x
void fixture_floor(fixture *f, int32_t tile_x, int32_t tile_z, int32_t y);

#endif
