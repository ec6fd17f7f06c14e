// The cache of tiles on disk. Part of messages.h, which says how it is read and written.
#ifndef NP_MESSAGES_CACHE_H
#define NP_MESSAGES_CACHE_H

#include "protocol/messages_session.h"

// cache.*: the cache of finished tiles on the daemon's disk. For admins. NAV_ERR_STATE: the daemon has none.
// cache.gc drops the tiles used longest ago until the rest takes at most `bytes`.
typedef struct np_cache_gc_request {
    uint64_t bytes;
} np_cache_gc_request;
typedef struct np_cache_gc_response {
    uint64_t entries, bytes; // that are left
    uint64_t dropped;
} np_cache_gc_response;

// cache.verify reads all of it. What is not in order, or of another version, is removed.
typedef np_none np_cache_verify_request;
typedef struct np_cache_verify_response {
    uint64_t entries, bytes; // good ones
    uint64_t damaged, outdated;
} np_cache_verify_response;

enum { NP_CACHE_KEY_BYTES = 17, NP_CACHE_PAGE_ENTRIES = 4096 };

// A tile as the cache has it. sum: over key and record, to be checked where it comes in again.
typedef struct np_cache_entry {
    np_bin key;
    uint64_t sum;
    np_bin record;
} np_cache_entry;

// cache.export: the entries behind a key, in the order of their keys; about `bytes` of them.
typedef struct np_cache_export_request {
    np_bin after;   // optional: from the first
    uint32_t bytes; // default 1 MiB
} np_cache_export_request;
typedef struct np_cache_export_response {
    uint32_t entry_count;
    const np_cache_entry *entries;
    bool end; // there are no more
} np_cache_export_response;

// cache.import: entries as cache.export gave them, of this daemon or another one. Each is checked by itself.
typedef struct np_cache_import_request {
    uint32_t entry_count;
    const np_cache_entry *entries;
} np_cache_import_request;
typedef struct np_cache_import_response {
    uint32_t taken, refused;
    np_str reason; // of the first one refused; else ""
} np_cache_import_response;

#endif
