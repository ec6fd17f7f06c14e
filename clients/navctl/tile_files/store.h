// Files of tiles: writes what was generated, and reads what is stored. Kinds: Detour's multi-tile file (.bin), navd's
// own file (.navd), and a single tile of either encoding.
#ifndef NAVCTL_STORE_H
#define NAVCTL_STORE_H

#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/generate/generate.h"
#include "navcore/areas.h"
#include "navcore/parallel.h"

// By the name's ending, .bin or .navd. False for any other, and *out is as it was.
bool store_encoding_of(const char *path, generate_encoding *out);

typedef struct stored_tile {
    int32_t x, z;
    nav_sheet sheet; // of a Detour tile, which does not say it, NAV_SHEET_UP
    uint32_t profile;
    const uint8_t *bytes; // borrowed from the file or the generated tiles
    uint32_t size;
} stored_tile;

// The tiles that have ground, in the order of their places, as they were generated; the caller frees the list. NULL: no
// memory.
stored_tile *store_list(const generated *g, uint32_t *count);

// The whole file or none. areas: the table that a .navd file keeps; NULL: none. parallel: NULL for the calling thread
// alone. False with one line on stderr.
bool store_write(const char *path, generate_encoding encoding, const nav_settings *settings,
                 const nav_area_table *areas, const stored_tile *tiles, uint32_t count, const nav_parallel *parallel);

typedef enum store_kind { STORE_MSET, STORE_NAVD, STORE_DETOUR_TILE, STORE_NAVD_TILE } store_kind;
const char *store_kind_name(store_kind k);

typedef struct store {
    store_kind kind;
    generate_encoding encoding;
    uint8_t *bytes;
    size_t size;
    stored_tile *tiles;
    uint32_t tile_count;
    nav_area_table areas;                     // STORE_NAVD: of the file; count 0: none
    float origin[3], tile_width, tile_height; // STORE_MSET: as its header has them
    int32_t max_tiles, max_polys;             // the same
} store;

// A whole file; the caller frees *bytes. False with one line on stderr.
bool store_read_bytes(const char *path, uint8_t **bytes, size_t *size);

// Does a file want to be one of tiles? By its name's ending, .bin or .navd, or by its first bytes.
bool store_is_tiles(const char *path);

// Reads and checks the whole file. False with one line on stderr.
bool store_read(const char *path, store *out);
void store_deinit(store *s); // accepts a zeroed one

// Adds tiles to a picture, in their order. parallel: NULL for the calling thread alone. False with one line on stderr
// that begins with `path`.
bool store_draw(const char *path, generate_encoding encoding, const stored_tile *tiles, uint32_t count,
                const nav_parallel *parallel, draw_mesh *out);

#endif
