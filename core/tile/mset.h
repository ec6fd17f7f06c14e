// The multi-tile file of Detour tiles (MSET, version 1), as RecastDemo reads and writes it. Bytes in and out: the
// caller does the file. Layout: docs/formats.md. Any thread.
#ifndef NAV_TILE_MSET_H
#define NAV_TILE_MSET_H

#include "core/base/buffer.h"
#include "core/geometry/settings.h"
#include "core/tile/detour.h"

enum {
    NAV_MSET_MAGIC = 0x4D534554,
    NAV_MSET_VERSION = 1,
    NAV_MSET_HEADER_BYTES = 40,
    NAV_MSET_REF_BITS = 22, // that a 32-bit reference has for tile and polygon; Detour wants the rest for its salt
};

typedef struct nav_mset_tile {
    const uint8_t *bytes; // borrowed: a Detour tile as nav_detour_encode() makes it
    size_t size;
    int32_t x, z;
    uint32_t poly_count;
    uint32_t ref; // Detour's tile reference
} nav_mset_tile;

// Takes bytes and size of a tile and fills in the other members. The errors of nav_detour_check().
NAV_MUST_USE nav_status nav_mset_describe(nav_mset_tile *tile, char *why, size_t why_bytes);

// Appends the file. tiles: described, at least one; they are sorted by (z, x) here and get their refs. NAV_ERR_LIMIT
// where the number of tiles and the polygons of the largest do not fit into a reference (why has the numbers),
// NAV_ERR_ARGUMENT where there is none or a place comes twice, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_mset_write(const nav_settings *settings, nav_mset_tile *tiles, uint32_t count,
                                       nav_buffer *out, char *why, size_t why_bytes);

typedef struct nav_mset_view {
    const uint8_t *bytes;
    size_t size;
    uint32_t tile_count;
    float origin[3], tile_width, tile_height;
    int32_t max_tiles, max_polys;
} nav_mset_view;

// Checks the whole file, each tile by nav_detour_check(). Errors as there; why names the tile.
NAV_MUST_USE nav_status nav_mset_open(const uint8_t *bytes, size_t size, nav_mset_view *out, char *why,
                                      size_t why_bytes);
// Walks an opened file: *at is 0 at first; false behind the last tile.
bool nav_mset_next(const nav_mset_view *v, size_t *at, nav_mset_tile *out);

#endif
