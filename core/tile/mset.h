// Reads the multi-tile file of Detour tiles (MSET, version 1); writing one is public: navcore/detour.h. Bytes in: the
// caller does the file. Layout: docs/formats.md. Any thread.
#ifndef NAV_TILE_MSET_H
#define NAV_TILE_MSET_H

#include "core/base/buffer.h"
#include "core/tile/detour.h"

enum {
    NAV_MSET_MAGIC = 0x4D534554,
    NAV_MSET_VERSION = 1,
    NAV_MSET_HEADER_BYTES = 40,
};

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
