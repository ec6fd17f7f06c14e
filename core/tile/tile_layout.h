// Where everything is in a navd tile: shared by its writer and its reader.
#ifndef NAV_TILE_TILE_LAYOUT_H
#define NAV_TILE_TILE_LAYOUT_H

#include "core/tile/refuse.h"
#include "core/tile/tile_format.h"

#define TILE_MAGIC 0x5456414Eu // "NAVT"

enum {
    TILE_AT_MAGIC = 0,
    TILE_AT_VERSION = 4,
    TILE_AT_REVISION = 8,
    TILE_AT_CHECKSUM = 16,
    TILE_AT_SIZE = 24, // the checksum covers all from here
    TILE_AT_INDEX_BYTES = 28,
    TILE_AT_KEY = 32,
    TILE_AT_GENERATOR = 48,
    TILE_AT_X = 52,
    TILE_AT_Z = 56,
    TILE_AT_TILE_CELLS = 60,
    TILE_AT_ORIGIN = 64,
    TILE_AT_CELL_SIZE = 88,
    TILE_AT_CELL_HEIGHT = 92,
    TILE_AT_AGENT_HEIGHT = 96,
    TILE_AT_AGENT_RADIUS = 100,
    TILE_AT_AGENT_CLIMB = 104,
    TILE_AT_MIN_Y = 108,
    TILE_AT_MAX_Y = 112,
    TILE_AT_VERTS = 116,
    TILE_AT_DETAIL_VERTS = 120,
    TILE_AT_CELLS = 124,
    TILE_AT_CORNERS = 128,
    TILE_AT_TRIANGLES = 132,
    TILE_AT_LINKS = 136,
    TILE_AT_PORTALS = 140,
    TILE_AT_RELAXATION = 144,
    TILE_AT_UNIT = 148, // zero where it is 1; the sheet from bit TILE_SHEET_SHIFT on
    TILE_SHEET_SHIFT = 16,

    TILE_LINK_BYTES = 36,
    TILE_NARROW_MAX = 0xFFF0, // counts up to this have indices of 2 bytes; the codes for walls and portals lie above
};

// Offsets from the tile's first byte.
typedef struct tile_layout {
    uint64_t verts_x, verts_z, verts_y, cell_first, cell_triangle, cell_area, cell_flags, corner_vert, corner_behind,
        portal_cell, portal_behind, portal_from, portal_to, portal_width, portal_clearance, detail_x, detail_z,
        detail_y, triangles, links, size;
} tile_layout;

// v has the counts and index_bytes.
static inline tile_layout tile_layout_of(const nav_tile_view *v)
{
    tile_layout l;
    uint64_t end = NAV_TILE_HEADER_BYTES;
    l.verts_x = nav_section(&end, v->vert_count, 2);
    l.verts_z = nav_section(&end, v->vert_count, 2);
    l.verts_y = nav_section(&end, v->vert_count, 4);
    l.cell_first = nav_section(&end, (uint64_t)v->cell_count + 1, v->index_bytes);
    l.cell_triangle = nav_section(&end, (uint64_t)v->cell_count + 1, v->index_bytes);
    l.cell_area = nav_section(&end, v->cell_count, 1);
    l.cell_flags = nav_section(&end, v->cell_count, 1);
    l.corner_vert = nav_section(&end, v->corner_count, v->index_bytes);
    l.corner_behind = nav_section(&end, v->corner_count, v->index_bytes);
    l.portal_cell = nav_section(&end, v->portal_count, v->index_bytes);
    l.portal_behind = nav_section(&end, v->portal_count, v->index_bytes);
    l.portal_from = nav_section(&end, v->portal_count, v->index_bytes);
    l.portal_to = nav_section(&end, v->portal_count, v->index_bytes);
    l.portal_width = nav_section(&end, v->portal_count, 4);
    l.portal_clearance = nav_section(&end, v->portal_count, 4);
    l.detail_x = nav_section(&end, v->detail_vert_count, 4);
    l.detail_z = nav_section(&end, v->detail_vert_count, 4);
    l.detail_y = nav_section(&end, v->detail_vert_count, 4);
    l.triangles = nav_section(&end, v->triangle_count, 3 * (uint64_t)v->index_bytes);
    l.links = nav_section(&end, v->link_count, TILE_LINK_BYTES);
    l.size = end;
    return l;
}

// Into the section of links.
void nav_tile_write_links(const nav_link *const *links, uint32_t count, uint8_t *to);

#endif
