// The ground of a tile as the readers of all formats hand it to the builder of tiles: polygons on the fine grid,
// clockwise seen from above, and what is behind each of their edges. Internal.
#ifndef NAV_PATH_GROUND_H
#define NAV_PATH_GROUND_H

#include "core/path/path_work.h"
#include "core/tile/detour.h"
#include "navcore/shapes.h"

typedef struct path_ground {
    int32_t x, z, layer;
    bool lenient; // a polygon that is none on the grid is left out, not refused
    uint32_t vert_count, point_count, poly_count, corner_count, triangle_count, link_count;
    path_spot *at;            // of vertices
    int32_t *y;               // voxels
    uint32_t *first;          // poly_count + 1: corners
    uint32_t *vert;           // of each corner
    int32_t *behind;          // of each corner's edge: a polygon, NAV_EDGE_WALL, NAV_EDGE_PORTAL_*
    uint8_t *area;            // of each polygon
    bool *is_ground;          // of each polygon: else there is a wall around it
    float *point;             // vertices, then points of triangles only; columns from the lower corner, voxels: x y z
    uint32_t *triangle_first; // poly_count + 1; a polygon may have none
    uint32_t *triangle;       // of points, 3 each
    nav_link *link;
    void *block; // owned: all of these
    size_t bytes;
} path_ground;

// A piece of a polygon's edge on a border that is open, where not all of the edge is.
typedef struct path_piece {
    uint32_t edge;     // corner of the ground
    int32_t low, high; // along the border, within the edge
} path_piece;

// Takes room for as much as the counts say, zeroed. False: no memory.
NAV_MUST_USE bool nav_path_ground_take(path_ground *g);
void nav_path_ground_deinit(path_ground *g); // accepts a zeroed one

// An array of a struct: where its pointer is, and what it points to.
typedef struct path_array {
    size_t offset, count, size;
} path_array;
// One zeroed block with `head` bytes and then the arrays, to which the pointers in `owner` are set; NULL: the owner is
// the head. NULL: no memory. *bytes is its size.
void *nav_path_take(void *owner, size_t head, const path_array *arrays, size_t array_count, size_t *bytes);

// Readers of formats. The set has the tile's grid. NAV_ERR_MEMORY. out: deinit it in any case.
NAV_MUST_USE nav_status nav_path_read_navd(const nav_path_set *set, const nav_tile_view *v, path_ground *out);
// The grid is chosen for the mesh. NAV_ERR_FORMAT, _TRUNCATED, _VERSION, _LIMIT, with line and value in why.
NAV_MUST_USE nav_status nav_path_read_mesh(const char *text, size_t bytes, nav_tile_view *grid, path_ground *out,
                                           char *why, size_t why_bytes);

// The grid is that of the set, if it has tiles; else it is chosen for the tile. params: of the dtNavMesh; NULL: there
// is no other tile but in layers. NAV_ERR_ARGUMENT, NAV_ERR_LIMIT with a sentence in why.
NAV_MUST_USE nav_status nav_path_detour_grid(const nav_path_set *set, const nav_detour_params *params,
                                             const nav_detour_view *v, nav_tile_view *grid, char *why,
                                             size_t why_bytes);
// NAV_ERR_FORMAT: a vertex is not near the tile.
NAV_MUST_USE nav_status nav_path_read_detour(const nav_path_set *set, const nav_detour_view *v, path_ground *out,
                                             char *why, size_t why_bytes);

// --- convex.c ---
// A corner of a polygon that is to become cells, and what names its edge among builder.made; PATH_NONE: a wall.
typedef struct path_ring {
    uint32_t vert, key;
} path_ring;
// Convex, with an area, around once.
bool nav_path_is_convex(const path_spot *at, const path_ring *ring, uint32_t n);
// Adds a polygon to a tile that has room for it: as a cell, or, where it is not convex, as n - 2 triangles. made[key]
// is set to the corner of a cell. ring is used up. False: it crosses itself, or has no area, and no cell was added.
bool nav_path_add_polygon(path_tile *t, uint32_t poly, uint8_t area, path_ring *ring, uint32_t n, uint32_t *made);

// --- tile.c ---
// pieces: what is open, by edge, then by low; NULL: edges on borders are open as they are. NAV_ERR_FORMAT,
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_tile_create(const nav_path_set *set, const path_ground *g, const path_piece *pieces,
                                             uint32_t piece_count, path_tile **out, char *why, size_t why_bytes);

// --- junction.c ---
// Cuts the borders of tiles that are marked (path_tile.stale) so that they fit their neighbours, and sews them.
// NAV_ERR_LIMIT: they overlap beyond all measure. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_join_borders(nav_path_set *set);

// --- buckets.c ---
// Of a tile with all its cells.
NAV_MUST_USE nav_status nav_path_make_buckets(const nav_path_set *set, path_tile *t);

#endif
