// A generated tile as one string of bytes, for whoever keeps it to make delivered tiles from it (mask.h): both
// encodings come from the polygons and their detail, and neither can be turned back into them. Native numbers, and
// not checked but for its size: whoever keeps it outside of the process sees to it that it comes back unchanged, and to
// a program of the same layout. Any thread.
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
