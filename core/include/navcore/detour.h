// Around the Detour tiles that nav_builder_encode_detour() makes: the parameters of a dtNavMesh that can hold them, a
// check for bytes from elsewhere, and the multi-tile file. Any thread.
#ifndef NAVCORE_DETOUR_H
#define NAVCORE_DETOUR_H

#include "navcore/buffer.h"
#include "navcore/settings.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The members of dtNavMeshParams, in its order. A 32-bit reference has 22 bits for tile and polygon; both numbers are
// powers of two and share them.
typedef struct nav_detour_params {
    float origin_m[3], tile_width_m, tile_height_m;
    int32_t max_tiles, max_polys;
} nav_detour_params;

enum { NAV_DETOUR_REF_BITS = 22 };

// For up to tile_count tiles at once, at least 1; the polygons of a tile get all the bits that are left.
// most_polys: what the largest tile has, its links included, or 0 where that is not known yet. NAV_ERR_LIMIT with the
// numbers in why: the two do not fit. NAV_ERR_ARGUMENT: no tile.
NAV_MUST_USE nav_status nav_detour_params_init(nav_detour_params *out, const nav_settings *settings,
                                               uint32_t tile_count, uint32_t most_polys, char *why, size_t why_bytes);

// NAV_OK where Detour can take these bytes without reading or writing outside of them; for tiles from files and
// networks, Detour itself checks nothing. Else NAV_ERR_FORMAT, _TRUNCATED or _VERSION and one sentence in why.
NAV_MUST_USE nav_status nav_detour_check(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);

// A tile of a multi-tile file.
typedef struct nav_mset_tile {
    const uint8_t *bytes; // borrowed: a Detour tile
    size_t size;
    int32_t x, z;
    uint32_t poly_count;
    uint32_t ref; // Detour's tile reference
} nav_mset_tile;

// Takes bytes and size of a tile and fills in the other members, but for ref. The errors of nav_detour_check().
NAV_MUST_USE nav_status nav_mset_describe(nav_mset_tile *tile, char *why, size_t why_bytes);

// Appends the multi-tile file (MSET, version 1) that RecastDemo and many engines load. tiles: described, at least one;
// they are sorted by (z, x) here and get their refs. NAV_ERR_LIMIT where the number of tiles and the polygons of the
// largest do not fit into a reference (why has the numbers), NAV_ERR_ARGUMENT where there is none or a place comes
// twice, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_mset_write(const nav_settings *settings, nav_mset_tile *tiles, uint32_t count,
                                       nav_buffer *out, char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif

#endif
