// What the packer and the unpacker of Detour tiles share. The streams, in this order (docs/formats.md):
//
//   form | flags | numbers of the grid | shapes | attributes | detail counts | corners | x | z | y | detail x, z, y
//        | triangles | off-mesh links | borders
//
// x and z of vertices are columns; where the tile has outline units, what is left of them follows behind. Like stands
// beside like, so that the coder's statistics and the dictionary's matches fit.
#ifndef NAV_TILE_PACKED_LAYOUT_H
#define NAV_TILE_PACKED_LAYOUT_H

#include "core/base/endian.h"
#include "core/base/varint.h"
#include "core/geometry/place.h"
#include "core/tile/detour_layout.h"

enum {
    PACKED_AS_IT_IS = 0, // form: the tile's bytes follow
    PACKED_TILE = 1,

    // flags
    PACKED_OWN_GRID = 1,     // the grid and the agent are not the default ones: their numbers follow
    PACKED_ORIGIN = 2,       // << axis: the origin's coordinate is not 0 and follows
    PACKED_ORIGIN_WIDE = 16, // as f64; else as f32
    PACKED_NO_TREE = 32,
    PACKED_UNITS = 64, // vertices are not all at corners of columns: how fine their grid is follows
    PACKED_FLAGS = 127,
    PACKED_UNIT_SHIFT_MOST = 8, // what is left of a column's units is a byte

    // a polygon's shape
    SHAPE_CORNERS = 3,    // corners less 3
    SHAPE_FAN = 4,        // its detail is the fan of its corners, without a vertex of its own
    SHAPE_ATTRIBUTES = 8, // area or flags are not those of the polygon before
    SHAPE_ALL = 15,

    PACKED_AREA = 63, // attributes before the first polygon
    PACKED_AREA_FLAGS = 1,
    PACKED_ATTRIBUTE_BYTES = 3,                    // u8 area, u16 flags
    PACKED_LINK_BYTES = DETOUR_OFF_MESH_BYTES + 3, // and its polygon's flags and area
};

// What all places of a tile are counted in.
typedef struct packed_grid {
    double origin_m[3];
    float cell_size_m, cell_height_m;
    int32_t tile_cells, tile_x, tile_z;
    int32_t unit_shift; // 1 << this: outline units to a column
    float agent[3];     // height, radius, climb
} packed_grid;

static inline packed_grid packed_default_grid(void)
{
    nav_settings s;
    nav_settings_default(&s);
    return (packed_grid){.cell_size_m = s.cell_size_m,
                         .cell_height_m = s.cell_height_m,
                         .tile_cells = s.tile_cells,
                         .agent = {s.agent_height_m, s.agent_radius_m, s.agent_climb_m}};
}

// units: outline units from the tile's lower corner.
static inline float packed_x(const packed_grid *g, double units)
{
    return nav_place(g->origin_m[0], g->tile_x, g->tile_cells << g->unit_shift,
                     (double)g->cell_size_m / (1 << g->unit_shift), units);
}

static inline float packed_y(const packed_grid *g, double vx)
{
    return nav_place(g->origin_m[1], 0, 0, (double)g->cell_height_m, vx);
}

static inline float packed_z(const packed_grid *g, double units)
{
    return nav_place(g->origin_m[2], g->tile_z, g->tile_cells << g->unit_shift,
                     (double)g->cell_size_m / (1 << g->unit_shift), units);
}

// What stands for the x or z of a detail vertex: the number of half columns, or, from 2 * tile_cells + 1 on, that
// something else follows.
enum { PACKED_AT_FLOAT = 1, PACKED_AT_UNITS = 2 }; // beyond 2 * tile_cells

// The borders that a vertex lies on, bit k for Detour's side 2 * k: x+, z+, x-, z-. An edge lies on those of both ends.
static inline unsigned packed_sides(int32_t x, int32_t z, int32_t tile_units)
{
    return (unsigned)(x == tile_units) | (unsigned)(z == tile_units) << 1 | (unsigned)(x == 0) << 2 |
           (unsigned)(z == 0) << 3;
}

static inline unsigned packed_first_side(unsigned sides)
{
    return sides & 1 ? 0 : sides & 2 ? 2 : sides & 4 ? 4 : 6;
}

// Of the unpacker's table of edges: a polygon has six at most, and the table is never more than half full.
static inline unsigned packed_waiting_bits(size_t polys)
{
    unsigned bits = 6;
    while (((size_t)1 << bits) < 16 * polys) bits++;
    return bits;
}

// Bytes that unpacking takes behind a buffer's end: the tile, and what it needs meanwhile.
static inline size_t packed_room(size_t size, size_t polys, size_t verts)
{
    return size + _Alignof(bv_item) + 2 * polys * sizeof(bv_item) + ((size_t)8 << packed_waiting_bits(polys)) + verts;
}

#endif
