// Detour's tile, version 7: writer, validating reader, and a view that walks one.
// Source: the public headers of Detour 1.5.1/1.6 (DetourNavMesh.h), checked against the library in the tests.
// Layout and what the writer promises: docs/formats.md. Any thread.
#ifndef NAV_TILE_DETOUR_H
#define NAV_TILE_DETOUR_H

#include "core/base/buffer.h"
#include "core/build.h"
#include "navcore/detour.h"

enum {
    NAV_DETOUR_MAGIC = 0x444E4156,
    NAV_DETOUR_VERSION = 7,
    NAV_DETOUR_HEADER_BYTES = 100,
    NAV_DETOUR_MAX_POLYS = 0x7FFF, // ground and off-mesh together
    NAV_DETOUR_MAX_VERTS = 0xFFFE,
    NAV_DETOUR_POLY_VERTS = 6,
    NAV_DETOUR_PORTAL = 0x8000, // neighbour code: | side 0 x+, 2 z+, 4 x-, 6 z-
    NAV_DETOUR_GROUND = 0,
    NAV_DETOUR_OFF_MESH = 1,
};

// Appends the tile's bytes; appends nothing when it has no polygons. NAV_ERR_LIMIT where the format cannot hold the
// tile (more than 32767 polygons and links, or 65534 vertices), NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_detour_encode(const nav_tile *tile, nav_buffer *out);

typedef struct nav_detour_header {
    int32_t x, z, layer;
    uint32_t user_id;
    int32_t poly_count, vert_count, max_link_count, detail_mesh_count, detail_vert_count, detail_tri_count,
        bv_node_count, off_mesh_count, off_mesh_base;
    float walkable_height, walkable_radius, walkable_climb, min[3], max[3], bv_quant_factor;
} nav_detour_header;

// A tile in the caller's bytes, which must outlive it. Accessors below are safe for every index under the header's
// counts.
typedef struct nav_detour_view {
    nav_detour_header header;
    const uint8_t *verts, *polys, *detail_meshes, *detail_verts, *detail_tris, *bv_nodes, *off_mesh;
} nav_detour_view;

// NAV_OK when Detour can take these bytes without reading or writing outside of them, and can answer queries on them;
// else NAV_ERR_FORMAT, _TRUNCATED or _VERSION and one sentence in why (may be NULL with why_bytes 0).
NAV_MUST_USE nav_status nav_detour_open(const uint8_t *bytes, size_t count, nav_detour_view *out, char *why,
                                        size_t why_bytes);
// Bits that number `count` things from 0.
uint32_t nav_detour_bits_for(uint32_t count);

typedef struct nav_detour_poly {
    uint16_t vert[NAV_DETOUR_POLY_VERTS];
    uint16_t neighbour[NAV_DETOUR_POLY_VERTS]; // per edge: 0 wall, k + 1 polygon k, NAV_DETOUR_PORTAL | side
    uint16_t flags;
    uint8_t vert_count, type, area;
    // Ground polygons only, 0 for off-mesh ones:
    uint32_t detail_vert_base, detail_tri_base;
    uint8_t detail_vert_count, detail_tri_count;
} nav_detour_poly;

typedef struct nav_detour_link {
    float start[3], end[3], radius;
    uint16_t poly;
    uint8_t flags; // 1: both ways
    uint8_t side;  // 0xFF: the end is in the tile; else octant 0..7 from x+ towards z+
    uint32_t user_id;
} nav_detour_link;

typedef struct nav_detour_node {
    uint16_t min[3], max[3];
    int32_t index; // polygon, or minus the nodes to skip
} nav_detour_node;

void nav_detour_get_vert(const nav_detour_view *v, uint32_t index, float out[3]);
void nav_detour_get_poly(const nav_detour_view *v, uint32_t index, nav_detour_poly *out);
// Below detail_vert_count.
void nav_detour_get_detail_vert(const nav_detour_view *v, uint32_t index, float out[3]);
// Triangle 0..detail_tri_count-1 of a ground polygon: its corners, below vert_count a vertex, from there on a detail
// vertex.
void nav_detour_get_triangle_points(const nav_detour_view *v, const nav_detour_poly *poly, uint32_t index,
                                    uint32_t out[3]);
// Triangle 0..detail_tri_count-1 of a ground polygon: its corners in world space, and the boundary flags of its edges.
void nav_detour_get_triangle(const nav_detour_view *v, const nav_detour_poly *poly, uint32_t index, float out[3][3],
                             uint8_t *flags);
void nav_detour_get_link(const nav_detour_view *v, uint32_t index, nav_detour_link *out);
void nav_detour_get_node(const nav_detour_view *v, uint32_t index, nav_detour_node *out);

#endif
