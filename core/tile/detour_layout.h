// Where everything is in a Detour tile: shared by its writer and its reader, unknown to everybody else.
#ifndef NAV_TILE_DETOUR_LAYOUT_H
#define NAV_TILE_DETOUR_LAYOUT_H

#include "core/tile/detour.h"
#include "core/tile/refuse.h"

enum {
    DETOUR_VERT_BYTES = 12,
    DETOUR_POLY_BYTES = 32,
    DETOUR_LINK_BYTES = 12,
    DETOUR_DETAIL_MESH_BYTES = 12,
    DETOUR_DETAIL_TRI_BYTES = 4,
    DETOUR_NODE_BYTES = 16,
    DETOUR_OFF_MESH_BYTES = 36,

    POLY_FIRST_LINK = 0,
    POLY_VERTS = 4,
    POLY_NEIGHBOURS = 16,
    POLY_FLAGS = 28,
    POLY_VERT_COUNT = 30,
    POLY_TYPE_AREA = 31,

    DETAIL_VERT_BASE = 0,
    DETAIL_TRI_BASE = 4,
    DETAIL_VERT_COUNT = 8,
    DETAIL_TRI_COUNT = 9,

    OFF_MESH_RADIUS = 24,
    OFF_MESH_POLY = 28,
    OFF_MESH_FLAGS = 30,
    OFF_MESH_SIDE = 31,
    OFF_MESH_USER_ID = 32,

    // Of air above and below the mesh within the bounds: boxes are compared on even and odd cells, and two cells are
    // the least that separates.
    DETOUR_CLEARANCE_COLUMNS = 3,

    DETOUR_LINKS_PER_OFF_MESH = 4, // to the start and back, to the end and back

    DETAIL_EDGES_BOUNDARY = 1 | 1 << 2 | 1 << 4,
};

// Offsets from the tile's first byte.
typedef struct detour_layout {
    uint64_t verts, polys, links, detail_meshes, detail_verts, detail_tris, bv_nodes, off_mesh, size;
} detour_layout;

// The counts must not be negative.
static inline detour_layout detour_layout_of(const nav_detour_header *h)
{
    detour_layout l;
    uint64_t end = NAV_DETOUR_HEADER_BYTES;
    l.verts = nav_section(&end, (uint32_t)h->vert_count, DETOUR_VERT_BYTES);
    l.polys = nav_section(&end, (uint32_t)h->poly_count, DETOUR_POLY_BYTES);
    l.links = nav_section(&end, (uint32_t)h->max_link_count, DETOUR_LINK_BYTES);
    l.detail_meshes = nav_section(&end, (uint32_t)h->detail_mesh_count, DETOUR_DETAIL_MESH_BYTES);
    l.detail_verts = nav_section(&end, (uint32_t)h->detail_vert_count, DETOUR_VERT_BYTES);
    l.detail_tris = nav_section(&end, (uint32_t)h->detail_tri_count, DETOUR_DETAIL_TRI_BYTES);
    l.bv_nodes = nav_section(&end, (uint32_t)h->bv_node_count, DETOUR_NODE_BYTES);
    l.off_mesh = nav_section(&end, (uint32_t)h->off_mesh_count, DETOUR_OFF_MESH_BYTES);
    l.size = end;
    return l;
}

typedef struct bv_item {
    uint16_t min[3], max[3];
    int32_t poly;
} bv_item;

// All that the links are in a tile: their vertices, polygons and connections, as many as the header says, behind those
// of the ground. The header's bounds are set.
void nav_detour_write_links(const nav_detour_header *h, const nav_link *const *links, uint8_t *bytes);
void nav_detour_write_header(const nav_detour_header *h, uint8_t *bytes);
// A fan around the first of `corners` corners, as triangles of a detail mesh; every one has its outer edge on the
// boundary. Returns where the next triangle goes.
uint8_t *nav_detour_write_fan(uint8_t *tri, int32_t corners);
// Writes the box tree from the other sections and the header's bounds; there must be one. items: room for twice as many
// as there are ground polygons.
void nav_detour_write_boxes(const nav_detour_header *h, uint8_t *bytes, bv_item *items);

// Writes 2 * count - 1 nodes. items are reordered; spare has room for count more.
void nav_detour_write_tree(bv_item *items, int32_t count, bv_item *spare, uint8_t *nodes);

#endif
