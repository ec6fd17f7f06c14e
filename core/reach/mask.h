// A delivered tile: the generated one without its unreachable parts, or with these marked. It depends on the tile, the
// mode and one bit per part, and on nothing else; so does its key. Any thread.
#ifndef NAV_REACH_MASK_H
#define NAV_REACH_MASK_H

#include "core/reach/goal.h"
#include "core/reach/parts.h"

// Names what is done to a tile. Zero where no part is off: the tile stays as it is, and so does its key. off: a byte a
// part, 0 or 1.
nav_key nav_mask_key(const uint8_t *off, uint32_t parts, nav_unreachable mode);
// The key of a masked thing: of the tile's content, or of what it was made from.
nav_key nav_masked_key(nav_key key, nav_key mask);

// Masks a tile; out shares what did not change with it. parts must be the tile's. Arrays live in the arena.
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_tile_mask(const nav_tile *tile, const uint8_t *off, uint32_t parts, nav_unreachable mode,
                                      nav_arena *arena, nav_tile *out);

#endif
