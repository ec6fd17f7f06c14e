// DESIGN. Finished tiles in memory, compressed exactly as they go over the wire. A tile is a pure function of its
// input, so the key is the input's (nav_tile_source_key) and an entry can never be wrong, only unused: there is no
// invalidation. An undo, a world that returns to a state it had, and a second world with the same content all find
// their tiles here. The bytes are reference counted: the cache, and every write queue they stand in, hold the same
// block. A byte budget bounds the whole; the entries used longest ago go first. Loop thread only.
#ifndef ND_CACHE_H
#define ND_CACHE_H

#include "core/base/key.h"
#include "core/reach/parts.h"
#include "daemon/blob.h"
#include "daemon/table.h"
#include "protocol/messages.h"

typedef struct nd_cached {
    np_tile_status status; // ok or empty
    nav_key content_key;
    nd_blob *blob;    // NULL: no data
    uint64_t size;    // unpacked
    nav_parts *parts; // base tiles (reach.h) only
} nd_cached;

typedef struct nd_cache_entry nd_cache_entry;

typedef struct nd_cache {
    nd_table table;
    nd_cache_entry *newest, *oldest;
    size_t bytes, max_bytes;
    uint64_t hit_count, miss_count, evicted_count;
} nd_cache;

void nd_cache_init(nd_cache *c, size_t max_bytes);
void nd_cache_deinit(nd_cache *c); // accepts a zeroed cache

// Borrowed until the next put; NULL where there is none. Counts neither hits nor misses: a tile may need several
// entries.
const nd_cached *nd_cache_get(nd_cache *c, nav_key source, np_encoding encoding);

// Takes its own references of value->blob and value->parts. Replaces what is there. A value larger than the budget is
// not kept, and a put that finds no memory is forgotten: a cache may.
void nd_cache_put(nd_cache *c, nav_key source, np_encoding encoding, const nd_cached *value);

#endif
