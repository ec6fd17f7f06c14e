// Detour's tile, version 7: writer and validating reader.
// Source: the public headers of Detour 1.5.1/1.6 (DetourNavMesh.h), checked against the library in the tests.
#ifndef NAV_TILE_DETOUR_H
#define NAV_TILE_DETOUR_H

#include "core/base/buffer.h"
#include "core/build.h"

// Appends the tile's bytes; appends nothing when it has no polygons. NAV_ERR_LIMIT where the format cannot hold the tile
// (more than 32767 polygons or 65534 vertices).
NAV_MUST_USE nav_status nav_detour_encode(const nav_tile *tile, nav_buffer *out);

// NAV_OK when Detour can take these bytes without reading or writing outside of them; else NAV_ERR_FORMAT, _TRUNCATED or
// _VERSION and one sentence in why.
NAV_MUST_USE nav_status nav_detour_check(const uint8_t *bytes, size_t count, char *why, size_t why_bytes);

#endif
