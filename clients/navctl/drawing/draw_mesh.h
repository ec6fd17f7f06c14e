// Polygons as a picture needs them: corners in world space and what kind each edge is, from tiles of either encoding.
#ifndef NAVCTL_DRAW_MESH_H
#define NAVCTL_DRAW_MESH_H

#include "core/build.h"
#include "core/tile/tile_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum draw_edge {
    DRAW_EDGE_INNER, // another cell, or another polygon where cells are not known
    DRAW_EDGE_WALL,
    DRAW_EDGE_PORTAL, // another tile
    DRAW_EDGE_SPLIT,  // another polygon of the same cell
    DRAW_EDGE_SEAM,   // the surface goes on in another sheet
} draw_edge;

// Behind which border of its tile a DRAW_EDGE_PORTAL leads.
typedef enum draw_border { DRAW_BORDER_XMAX, DRAW_BORDER_ZMAX, DRAW_BORDER_XMIN, DRAW_BORDER_ZMIN } draw_border;

// Where a corner is in its tile, and the edge from it.
typedef struct draw_corner {
    uint32_t vertex; // number in the tile
    uint8_t border;  // draw_border, of a DRAW_EDGE_PORTAL
} draw_corner;

typedef struct draw_polygon {
    uint32_t first, corner_count;  // into `corners` and `edges`
    uint32_t first_tri, tri_count; // into `tris`; none: the corners say it all
    uint8_t area;
    uint8_t flags;   // NAV_CELL_*, of its cell
    uint8_t sheet;   // nav_sheet; of a Detour tile, which does not say it, NAV_SHEET_UP
    uint32_t cell;   // of all tiles; polygons of a cell stand together
    uint32_t layer;  // of its tile, from 1; 0: not known, or of several
    uint32_t number; // in its tile
} draw_polygon;

typedef struct draw_place {
    int32_t x, z;
    nav_sheet sheet;
    uint32_t first_polygon; // up to that of the next tile
} draw_place;

typedef struct draw_link {
    float ends[2][3];
    uint32_t id;
    bool both_ways;
} draw_link;

typedef struct draw_portal {
    float ends[2][3];
    float width_m, clearance_m;
} draw_portal;

typedef struct draw_mesh {
    draw_polygon *polygons;
    uint32_t polygon_count, polygon_capacity;
    float *corners; // x y z
    uint8_t *edges; // draw_edge from each corner to the next
    draw_corner *places;
    uint32_t corner_count, corner_capacity;
    float *tris; // 9 floats each: the height triangulation of the polygons
    uint32_t tri_count, tri_capacity;
    draw_link *links;
    uint32_t link_count, link_capacity;
    draw_place *tiles; // with ground or links, in the order in which they were added
    uint32_t listed_count, tile_capacity;
    draw_portal *portals; // draw_mesh_add_graph() finds them
    uint32_t portal_count, portal_capacity;
    float *notches; // x y z: corners of the floor plans of more than 180 degrees
    uint32_t notch_count, notch_capacity;
    uint32_t tile_count, cell_count, layer_count;
    bool has_regions;     // layers are regions: a floor may be cut in many
    float min[3], max[3]; // of the corners; min > max while there are none
} draw_mesh;

void draw_mesh_init(draw_mesh *m);
void draw_mesh_deinit(draw_mesh *m); // accepts a zeroed one

// Adds one tile of Detour, checked first. NAV_ERR_FORMAT and its like with a sentence in `why`; NAV_ERR_MEMORY.
NAV_MUST_USE nav_status draw_mesh_add_detour(draw_mesh *m, const uint8_t *bytes, size_t count, char *why,
                                             size_t why_bytes);
// The same with a navd tile.
NAV_MUST_USE nav_status draw_mesh_add_navd(draw_mesh *m, const uint8_t *bytes, size_t count, char *why,
                                           size_t why_bytes);

// A tile as it was generated: polygons with their cells and layers, and the notches of its floor plans. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status draw_mesh_add_built(draw_mesh *m, const nav_tile *tile);
// The portals of navd tiles. Errors as nav_graph_build() has them.
NAV_MUST_USE nav_status draw_mesh_add_graph(draw_mesh *m, const nav_tile_view *tiles, uint32_t count, char *why,
                                            size_t why_bytes);
// Turns everything into the frame of a sheet, so that its surface is seen from above.
void draw_mesh_to_frame(draw_mesh *m, nav_sheet sheet);
// Adds all of another mesh. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status draw_mesh_append(draw_mesh *m, const draw_mesh *part);

#endif
