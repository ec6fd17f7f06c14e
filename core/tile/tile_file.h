// The file of navd's own tiles (.navd): many tiles of one or more agent profiles, as bytes. The caller does the file.
// Layout: docs/formats.md. Any thread.
#ifndef NAV_TILE_TILE_FILE_H
#define NAV_TILE_TILE_FILE_H

#include "core/base/buffer.h"
#include "core/tile/tile_format.h"

enum { NAV_TILE_FILE_VERSION = 1, NAV_TILE_FILE_HEADER_BYTES = 32, NAV_TILE_FILE_RECORD_BYTES = 48 };

typedef struct nav_tile_file_tile {
    int32_t x, z;
    uint32_t profile; // number of the agent profile, from 0
    uint64_t revision;
    nav_key key;
    const uint8_t *bytes; // borrowed: a tile as nav_tile_encode() makes it
    uint32_t size;
} nav_tile_file_tile;

// Takes bytes, size and profile of a tile and fills in the other members. The errors of nav_tile_open().
NAV_MUST_USE nav_status nav_tile_file_describe(nav_tile_file_tile *tile, char *why, size_t why_bytes);

// Appends the file. tiles: described; they are sorted by (profile, z, x) here. NAV_ERR_ARGUMENT where a place comes
// twice, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_tile_file_write(nav_tile_file_tile *tiles, uint32_t count, nav_buffer *out, char *why,
                                            size_t why_bytes);

typedef struct nav_tile_file_view {
    const uint8_t *bytes;
    size_t size;
    uint32_t tile_count;
} nav_tile_file_view;

// Checks the whole file, each tile by nav_tile_open(). Errors as there; why names the tile.
NAV_MUST_USE nav_status nav_tile_file_open(const uint8_t *bytes, size_t size, nav_tile_file_view *out, char *why,
                                           size_t why_bytes);
// Tile 0..tile_count-1 of an opened file.
void nav_tile_file_get(const nav_tile_file_view *v, uint32_t index, nav_tile_file_tile *out);

#endif
