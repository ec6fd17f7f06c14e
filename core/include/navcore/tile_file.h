// Reads a file of navd's own tiles (.navd): tiles of one or more agent profiles and, where there is one, the table of
// the areas in them. As bytes: the caller reads the file. Layout: docs/formats.md. Any thread.
#ifndef NAVCORE_TILE_FILE_H
#define NAVCORE_TILE_FILE_H

#include "navcore/areas.h"
#include "navcore/key.h"
#include "navcore/sheets.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nav_tile_file_tile {
    int32_t x, z;
    nav_sheet sheet;
    uint32_t profile; // number of the agent profile, from 0 to 2^24 - 1
    uint64_t revision;
    nav_key key;
    const uint8_t *bytes; // borrowed: a tile as nav_builder_encode_navd() makes it
    uint32_t size;
} nav_tile_file_tile;

typedef struct nav_tile_file_view {
    const uint8_t *bytes;
    size_t size;
    uint32_t tile_count;
    nav_area_table areas; // count 0: the file has none
} nav_tile_file_view;

// Checks the whole file, each tile by nav_tile_open(). Errors as there; why names the tile. The bytes must outlive the
// view and end where the file ends.
NAV_MUST_USE nav_status nav_tile_file_open(const uint8_t *bytes, size_t size, nav_tile_file_view *out, char *why,
                                           size_t why_bytes);
// Tile 0..tile_count-1 of an opened file.
void nav_tile_file_get(const nav_tile_file_view *v, uint32_t index, nav_tile_file_tile *out);

#ifdef __cplusplus
}
#endif

#endif
