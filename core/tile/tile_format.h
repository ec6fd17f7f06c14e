// navd's own tile, as it is written. Its validating reader is public: navcore/tile.h. Little-endian, no pointers,
// sections aligned to 4. The layout is in docs/formats.md. The revision is 0 as generated (a tile is a pure function of
// its input) and may be stamped by whoever stores or receives the tile; it is not part of the checksum.
//
//   header | verts x, z, y | cells: first corner, first triangle, area, flags | corners: vertex, behind |
//   portals: cell, behind, from, to, width, clearance | detail verts x, z, y | triangles | off-mesh links
//
// Vertices are whole outline units and voxels: small, exact, and equal in both tiles of a border. Cells are the large
// convex pieces (any number of corners), not the polygons of at most six that Detour gets. Portals are the straight
// pieces of their boundaries that lead on (core/polygon/portals.h). Any thread.
#ifndef NAV_TILE_TILE_FORMAT_H
#define NAV_TILE_TILE_FORMAT_H

#include "core/base/buffer.h"
#include "core/build.h"
#include "navcore/tile.h"

enum { NAV_TILE_VERSION = 2, NAV_TILE_HEADER_BYTES = 152 };

// Appends the encoded tile. A tile without polygons and links has an encoding too (an empty tile). NAV_ERR_LIMIT where
// a count passes 2^32 bytes, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_tile_encode(const nav_tile *tile, nav_buffer *out);

// Stamps the revision into an encoded tile. NAV_ERR_TRUNCATED where the bytes do not hold one.
NAV_MUST_USE nav_status nav_tile_set_revision(uint8_t *bytes, size_t count, uint64_t revision);

// What the header's checksum must be for these bytes. count >= NAV_TILE_HEADER_BYTES.
uint64_t nav_tile_checksum(const uint8_t *bytes, size_t count);

#endif
