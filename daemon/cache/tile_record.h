// A finished tile as the disk keeps it: key, head, and the bytes exactly as they go over the wire. The key names the
// tile's input and its encoding. Failures are tiles, too: a reason instead of bytes. Records come from a file, which
// may be damaged or another version's: reading checks everything, and a record that is not in order is a miss. Format:
// docs/formats.md. Any thread.
#ifndef ND_TILE_RECORD_H
#define ND_TILE_RECORD_H

#include "daemon/cache/cache.h"

enum { ND_TILE_KEY_BYTES = 17, ND_TILE_HEAD_BYTES = 40, ND_TILE_RECORD_VERSION = 1 };

void nd_tile_key_store(nav_key source, uint8_t encoding, uint8_t out[ND_TILE_KEY_BYTES]);
// NAV_ERR_FORMAT: another size, or no such encoding.
NAV_MUST_USE nav_status nd_tile_key_load(const void *key, size_t count, nav_key *source, uint8_t *encoding);

// What goes before the bytes of value->blob. value->parts are not kept: they follow from the bytes.
// memory_limit: of a failure, the memory that the tile was allowed; of a base tile, its layout (core/reach/packed.h).
void nd_tile_head_store(const nd_cached *value, uint64_t memory_limit, uint8_t out[ND_TILE_HEAD_BYTES]);

typedef struct nd_tile_record {
    nd_cached value; // without blob and parts
    uint64_t memory_limit;
    const uint8_t *data; // points into the record
    size_t data_bytes;
} nd_tile_record;

// NAV_ERR_FORMAT: it makes no sense. NAV_ERR_VERSION: of another format or generator.
NAV_MUST_USE nav_status nd_tile_record_load(const void *record, size_t count, nd_tile_record *out);
// The same where head and bytes lie apart.
NAV_MUST_USE nav_status nd_tile_head_load(const uint8_t head[ND_TILE_HEAD_BYTES], const uint8_t *data, size_t bytes,
                                          nd_tile_record *out);

#endif
