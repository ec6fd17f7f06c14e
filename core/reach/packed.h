// A generated tile as one block of bytes, kept so that delivered tiles can be made from it (mask.h): both encodings are
// made from the polygons and their detail, and neither can be turned back into them. Numbers are native, and only the
// size is checked. A caller that stores the bytes outside of the process must make sure that they come back unchanged,
// and to a program of the same layout. Any thread.
#ifndef NAV_REACH_PACKED_H
#define NAV_REACH_PACKED_H

#include "core/base/buffer.h"
#include "core/build.h"

// Appends the tile's bytes. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_tile_pack(const nav_tile *tile, nav_buffer *out);
// What the form depends on besides the tile: the structs of this program. Another number: the bytes are not for it.
uint64_t nav_tile_pack_layout(void);
// The tile again, in the arena; NAV_ERR_FORMAT where the bytes end too early; settings as those it was made with,
// borrowed. bytes may lie at any address and may go after it.
NAV_MUST_USE nav_status nav_tile_unpack(const uint8_t *bytes, size_t count, const nav_settings *settings,
                                        nav_arena *arena, nav_tile *out);

#endif
