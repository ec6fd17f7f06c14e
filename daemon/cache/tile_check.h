// Are these bytes a tile? For records that somebody else made: whoever may import tiles decides what all users of
// the daemon walk on. A record must have the right checksum, be of this format and generator, unpack to the stated
// size, and be accepted by the reader of its encoding. Whether it is the tile of its key cannot be told without
// building it. One thread.
#ifndef ND_TILE_CHECK_H
#define ND_TILE_CHECK_H

#include "core/base/buffer.h"
#include "daemon/cache/tile_record.h"
#include "daemon/cache/unpacker.h"

typedef struct nd_tile_checker {
    nd_unpacker unpacker;
    nav_buffer raw, unpacked;
} nd_tile_checker;

void nd_tile_checker_deinit(nd_tile_checker *c); // a zeroed one is ready to use

// Over a key and a record. Any thread.
uint64_t nd_tile_sum(const uint8_t key[ND_TILE_KEY_BYTES], const void *record, size_t count);
// NAV_ERR_FORMAT, NAV_ERR_VERSION, NAV_ERR_LIMIT, NAV_ERR_MEMORY with one sentence.
NAV_MUST_USE nav_status nd_tile_check_entry(nd_tile_checker *c, const np_cache_entry *e, char *why, size_t why_bytes);

#endif
