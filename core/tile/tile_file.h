// The file of navd's own tiles (.navd), as it is written. Its validating reader is public: navcore/tile_file.h. As
// bytes: the caller does the file. Layout: docs/formats.md. Any thread.
#ifndef NAV_TILE_TILE_FILE_H
#define NAV_TILE_TILE_FILE_H

#include "core/base/buffer.h"
#include "core/tile/tile_format.h"
#include "navcore/tile_file.h"

enum {
    NAV_TILE_FILE_VERSION = 1,       // of a file without a table of areas
    NAV_TILE_FILE_AREAS_VERSION = 2, // of one with it
    NAV_TILE_FILE_HEADER_BYTES = 32,
    NAV_TILE_FILE_AREA_BYTES = 80,
    NAV_TILE_FILE_RECORD_BYTES = 48,
};

// Takes bytes, size and profile of a tile and fills in the other members. The errors of nav_tile_open().
NAV_MUST_USE nav_status nav_tile_file_describe(nav_tile_file_tile *tile, char *why, size_t why_bytes);

// Appends the file. tiles: described; they are sorted by (profile, sheet, z, x) here. areas: NULL or an empty one:
// none. NAV_ERR_ARGUMENT where a place comes twice, a profile has too high a number or the table is none
// (nav_area_table_check), NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_tile_file_write(nav_tile_file_tile *tiles, uint32_t count, const nav_area_table *areas,
                                            nav_buffer *out, char *why, size_t why_bytes);

// What the header of a file with areas must say of these bytes of its table.
uint64_t nav_tile_file_areas_checksum(const uint8_t *areas, uint32_t count);

#endif
