// A Detour tile without what follows from the rest of it, for the wire: grid numbers instead of floats, corners instead
// of vertex indices, and no neighbours, boundary flags, bounds, links or box tree at all. An eighth to a quarter of the
// tile's bytes, made to be compressed with a dictionary (protocol/dictionary.h); unpacking gives back the tile byte for
// byte. Format: docs/formats.md. Any thread.
#ifndef NAV_TILE_DETOUR_PACKED_H
#define NAV_TILE_DETOUR_PACKED_H

#include "core/base/buffer.h"
#include "navcore/settings.h"

// Appends the packed form of a tile that nav_detour_encode() made with these settings. It is unpacked and compared
// here: bytes that would not come back as they are (any others than navd's own) are stored as they are, behind a byte
// that says so. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_detour_pack(const uint8_t *tile, size_t count, const nav_settings *settings,
                                        nav_buffer *out);

// Appends the tile, which has `size` bytes, to out; takes no more memory than a few times that. The packed bytes may
// be anybody's: NAV_ERR_FORMAT or _TRUNCATED where they are not the packed form of a tile of that size, and then out is
// as it was; NAV_ERR_VERSION; NAV_ERR_MEMORY. What comes out of valid packed bytes that navd did not make still has to
// be checked by nav_detour_check() before it is trusted.
NAV_MUST_USE nav_status nav_detour_unpack(const uint8_t *packed, size_t count, size_t size, nav_buffer *out);

#endif
