// DESIGN. Finished tiles in memory, compressed exactly as they are sent. A tile is a pure function of its input, so
// the key is the input's (nav_tile_source_key), and an entry can never be wrong, only unused: there is no
// invalidation. An undo, a world that returns to an earlier state, and a second world with the same content all find
// their tiles here. The bytes are reference counted: the cache, and every write queue that they are in, hold the
// same block. A byte budget bounds the whole; the least recently used entries go first. A hit here also counts as a
// use in the cache on disk, which is told once in a while (nd_tile_cache_turn). Loop thread only.
#ifndef ND_CACHE_H
#define ND_CACHE_H

#include "core/base/key.h"
#include "core/reach/parts.h"
#include "daemon/base/blob.h"
#include "daemon/base/reason.h"
#include "daemon/base/table.h"
#include "protocol/messages.h"

// The forms in which the daemon keeps a tile: the protocol's encodings (np_encoding) have the same numbers, and behind
// them comes the base tile, packed (core/reach/packed.h), which tiles of worlds with a goal are masked from. An
// encoding is a uint8_t where it may be any of these.
typedef enum nd_encoding {
    ND_ENCODING_NAVD = NP_ENCODING_NAVD,
    ND_ENCODING_DETOUR = NP_ENCODING_DETOUR,
    ND_ENCODING_PACKED = NP_ENCODING_PACKED,
    ND_WIRE_ENCODINGS, // so many can be sent
    ND_ENCODING_BASE = ND_WIRE_ENCODINGS,
    ND_ENCODINGS
} nd_encoding;

typedef struct nd_cached {
    np_tile_status status; // ok, empty or failed
    nd_reason failure;     // failed: why; no data
    nav_key content_key;
    nd_blob *blob;    // NULL: no data
    uint64_t size;    // unpacked
    nav_parts *parts; // base tiles (reach.h) only
} nd_cached;

typedef struct nd_cache_entry nd_cache_entry;
struct nd_tile_cache;

typedef struct nd_cache {
    nd_table table;
    nd_cache_entry *newest, *oldest;
    size_t bytes, max_bytes;
    uint64_t hit_count, miss_count, evicted_count;
    struct nd_tile_cache *disk; // below it; NULL: none
} nd_cache;

void nd_cache_init(nd_cache *c, size_t max_bytes);
// A smaller budget drops the oldest entries at once.
void nd_cache_resize(nd_cache *c, size_t max_bytes);
void nd_cache_deinit(nd_cache *c); // accepts a zeroed cache

// Borrowed until the next put; NULL where there is none. Counts neither hits nor misses: a tile may need several
// entries.
const nd_cached *nd_cache_get(nd_cache *c, nav_key source, uint8_t encoding);

// Takes its own references of value->blob and value->parts. Replaces what is there. A value larger than the budget is
// not kept, and a put that finds no memory is forgotten: a cache may.
void nd_cache_put(nd_cache *c, nav_key source, uint8_t encoding, const nd_cached *value);

#endif
