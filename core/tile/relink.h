// Off-mesh links in tiles that are encoded already: what an encoder would have written for the same tile with these
// links instead of its own, byte for byte. Links touch nothing else of a tile, so this takes microseconds. Any thread.
//
//   tile without links, as cached ──► relink ──► tile with the links of an edit
#ifndef NAV_TILE_RELINK_H
#define NAV_TILE_RELINK_H

#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

// links: sorted as nav_links_collect() does, borrowed. Both append to out. NAV_ERR_FORMAT and the reader's other
// errors: the bytes are no tile. NAV_ERR_LIMIT as the encoders. NAV_ERR_MEMORY.

// navd's tile; content_key: of the result (nav_links_content).
NAV_MUST_USE nav_status nav_tile_relink(const uint8_t *bytes, size_t count, nav_key content_key,
                                        const nav_link *const *links, uint32_t link_count, nav_buffer *out);
// Detour's tile.
NAV_MUST_USE nav_status nav_detour_relink(const uint8_t *bytes, size_t count, const nav_link *const *links,
                                          uint32_t link_count, nav_buffer *out);

#endif
