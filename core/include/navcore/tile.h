// Reads a tile in navd's own encoding, as nav_builder_encode_navd() makes it: convex cells with any number of corners,
// the portals between them, height triangles and off-mesh links. The bytes have no pointers and the same layout on
// every machine (docs/formats.md). Any thread.
#ifndef NAVCORE_TILE_H
#define NAVCORE_TILE_H

#include "navcore/key.h"
#include "navcore/shapes.h"
#include "navcore/sheets.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What lies behind an edge.
enum {
    NAV_EDGE_WALL = -1,
    NAV_EDGE_PORTAL_XMAX = -2, // the tile's x+ border, open
    NAV_EDGE_PORTAL_ZMAX = -3,
    NAV_EDGE_PORTAL_XMIN = -4,
    NAV_EDGE_PORTAL_ZMIN = -5,
    NAV_EDGE_SEAM = -6, // the surface goes on in a tile of another sheet
    // 0 and above: the cell (inside of the generator: the region of a contour, the polygon of a polygon)
};

// Bits of the flags of a cell.
enum {
    NAV_CELL_RELAXED = 1,     // convex only within the tolerance that the settings allow
    NAV_CELL_UNREACHABLE = 2, // no seed of the world reaches it, or it is part of too small an island
    NAV_CELL_FLAGS = 3,       // all that there are
};

enum { NAV_TILE_UNIT_MOST = 1024 };

// A view into the caller's bytes, checked completely: every index is in range, every cell is convex and wound right
// (a relaxed one: does not cross itself), and the portals are those of the cells.
// All members are to be read; those from `verts_x` on belong to the accessors.
typedef struct nav_tile_view {
    nav_key content_key;
    uint64_t revision;
    uint32_t generator_version;
    nav_sheet sheet; // in whose frame the tile's grid, origin and heights are; places are the world's
    int32_t tile_x, tile_z;
    // The grid that vertices are on: its squares along the tile's side, the side of one, and how many of them go along
    // the side of a column of the voxel grid.
    int32_t tile_cells;
    float cell_size_m, cell_height_m;
    int32_t unit;       // a power of two, at most NAV_TILE_UNIT_MOST
    double origin_m[3]; // the world's
    float agent_height_m, agent_radius_m, agent_climb_m;
    float relaxation_m; // by how much relaxed cells may miss being convex
    float min_y, max_y; // heights in the frame, metres, of all points; both 0 where there are none
    uint32_t vert_count, detail_vert_count, cell_count, corner_count, triangle_count, portal_count, link_count;
    uint32_t index_bytes; // 2 or 4

    const uint8_t *verts_x, *verts_z, *verts_y;
    const uint8_t *cell_first, *cell_triangle, *cell_area, *cell_flags;
    const uint8_t *corner_vert, *corner_behind;
    const uint8_t *portal_cell, *portal_behind, *portal_from, *portal_to, *portal_width, *portal_clearance;
    const uint8_t *detail_x, *detail_z, *detail_y;
    const uint8_t *triangles, *links;
} nav_tile_view;

// NAV_OK: every accessor is safe for every index under its count. Else NAV_ERR_TRUNCATED, _VERSION, _FORMAT or _LIMIT
// (a tile that would take minutes to check) and one sentence in why (may be NULL with why_bytes 0). The bytes must
// outlive the view and end where the tile ends.
NAV_MUST_USE nav_status nav_tile_open(const uint8_t *bytes, size_t count, nav_tile_view *out, char *why,
                                      size_t why_bytes);

// Of the voxel grid: columns along the tile's side, and the side of one.
int32_t nav_tile_columns(const nav_tile_view *v);
float nav_tile_column_m(const nav_tile_view *v);

typedef struct nav_tile_cell {
    uint32_t first_corner, corner_count;
    uint32_t first_triangle, triangle_count;
    uint8_t area;
    uint8_t flags; // NAV_CELL_*
} nav_tile_cell;

typedef struct nav_tile_corner {
    uint32_t vert;
    int64_t behind; // of the edge to the next corner: a cell, or NAV_EDGE_WALL, NAV_EDGE_PORTAL_*, NAV_EDGE_SEAM
} nav_tile_corner;

typedef struct nav_tile_portal {
    uint32_t cell;     // the only one, or the lower of the two
    int64_t behind;    // the other cell, or NAV_EDGE_PORTAL_*
    uint32_t from, to; // vertices at the ends, in the order of the cell's corners
    float width_m;     // seen from above
    float clearance_m; // radius of the largest disc on the portal that crosses no wall of this tile
} nav_tile_portal;

void nav_tile_get_cell(const nav_tile_view *v, uint32_t cell, nav_tile_cell *out);
void nav_tile_get_corner(const nav_tile_view *v, uint32_t corner, nav_tile_corner *out);
// Portals are in the order of their cells.
void nav_tile_get_portal(const nav_tile_view *v, uint32_t portal, nav_tile_portal *out);
// Vertices of a triangle: below vert_count a vertex, from there on detail vertices. For nav_tile_get_place().
void nav_tile_get_triangle(const nav_tile_view *v, uint32_t triangle, uint32_t out[3]);
// A vertex in whole squares of the grid from the tile's lower corner, and voxels from the world's origin: x, y, z.
void nav_tile_get_vert(const nav_tile_view *v, uint32_t vert, int32_t out[3]);
// World place in metres of a vertex (index < vert_count) or detail vertex (index - vert_count): x, y, z.
void nav_tile_get_place(const nav_tile_view *v, uint32_t index, float out[3]);
void nav_tile_get_link(const nav_tile_view *v, uint32_t link, nav_link *out);

#ifdef __cplusplus
}
#endif

#endif
