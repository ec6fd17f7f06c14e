// What the data of tiles is compressed with: zstd (decompress_zstd.c), or nothing where the library is built without it
// (decompress_none.c). Private to the client library. Owner: one thread at a time.
#ifndef NAVD_DECOMPRESS_H
#define NAVD_DECOMPRESS_H

#include "core/base/buffer.h"
#include "protocol/messages.h"

typedef struct client_decompressor client_decompressor;

NAV_MUST_USE nav_status navd_decompressor_create(client_decompressor **out);
void navd_decompressor_destroy(client_decompressor *d); // accepts NULL

// How tiles are asked for. NP_COMPRESSION_NONE: packed ones cannot be read.
np_compression navd_decompressor_takes(void);

// The dictionary of packed tiles. NAV_ERR_FORMAT: these bytes are not the one of that id. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status navd_decompressor_set_dictionary(client_decompressor *d, const void *bytes, size_t count,
                                                         uint32_t id);
uint32_t navd_decompressor_dictionary(const client_decompressor *d); // 0: none yet

// The data of a tile of `size` bytes, into out; out->size is what there was of it. NAV_ERR_FORMAT with words in why.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status navd_decompress(client_decompressor *d, np_bin in, bool is_packed, size_t size, nav_buffer *out,
                                        char *why, size_t why_bytes);

#endif
