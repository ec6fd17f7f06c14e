// navd's own tile: all that a client needs, and its validating reader. Little-endian, no pointers, sections aligned to 4.
// The layout is in docs/formats.md. The revision is 0 as generated (a tile is a pure function of its input) and may be
// stamped by whoever stores or receives the tile; it is not part of the checksum.
#ifndef NAV_TILE_TILE_FORMAT_H
#define NAV_TILE_TILE_FORMAT_H

#include "core/base/buffer.h"
#include "core/build.h"

// Appends the encoded tile. A tile without polygons and links has an encoding too (an empty tile).
NAV_MUST_USE nav_status nav_tile_encode(const nav_tile *tile, nav_buffer *out);

// A view into the caller's bytes, checked completely: every index is in range, every polygon is convex and wound right.
typedef struct nav_tile_view nav_tile_view;

#endif
