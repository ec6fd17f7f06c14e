// Immutable bytes with a reference count: a compressed tile lies once in memory, whoever holds it (the cache, the write
// queues of many sessions). Filled by its creator before it is shared. ref and unref: any thread.
#ifndef ND_BLOB_H
#define ND_BLOB_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_blob {
    atomic_uint refs;
    size_t size;
    uint8_t data[];
} nd_blob;

// One reference, contents undefined. NULL: no memory.
nd_blob *nd_blob_create(size_t size);
// Gives back the bytes beyond `size` before the blob is shared; returns the blob, which may have moved.
nd_blob *nd_blob_shrink(nd_blob *b, size_t size);
nd_blob *nd_blob_ref(nd_blob *b);
void nd_blob_unref(nd_blob *b); // accepts NULL

#endif
