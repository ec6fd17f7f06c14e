// Compressed tiles as the bytes they were: for clients that want them so, and for whoever looks inside. A zeroed
// unpacker is ready to use. One thread each.
#ifndef ND_UNPACKER_H
#define ND_UNPACKER_H

#include "core/base/status.h"
#include "daemon/base/blob.h"
#include "protocol/messages.h"

#include <zstd.h>

enum { ND_TILE_MAX_UNPACKED = 256 << 20 };

typedef struct nd_unpacker {
    ZSTD_DCtx *context;
    ZSTD_DDict *dictionary;
} nd_unpacker;

void nd_unpacker_deinit(nd_unpacker *u);

// What the data unpacks to, by its head. NAV_ERR_FORMAT: no zstd frame with a size. NAV_ERR_LIMIT:
// ND_TILE_MAX_UNPACKED.
NAV_MUST_USE nav_status nd_unpacked_size(const void *data, size_t bytes, size_t *out);
// Writes `size` bytes, as nd_unpacked_size() told. The encoding tells whether the dictionary is needed. NAV_ERR_FORMAT:
// the data is damaged. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_unpack(nd_unpacker *u, np_encoding e, const void *data, size_t bytes, void *to, size_t size);
// The same into a blob of its own. All errors of both.
NAV_MUST_USE nav_status nd_unpack_blob(nd_unpacker *u, np_encoding e, const nd_blob *packed, nd_blob **out);

#endif
