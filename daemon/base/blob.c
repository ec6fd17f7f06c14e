#include "daemon/base/blob.h"

#include <assert.h>
#include <stdlib.h>

nd_blob *nd_blob_create(size_t size)
{
    nd_blob *b = malloc(sizeof *b + size);
    if (!b) return NULL;
    atomic_init(&b->refs, 1);
    b->size = size;
    return b;
}

nd_blob *nd_blob_shrink(nd_blob *b, size_t size)
{
    assert(size <= b->size && atomic_load(&b->refs) == 1);
    nd_blob *moved = realloc(b, sizeof *b + size);
    if (moved) b = moved;
    b->size = size;
    return b;
}

nd_blob *nd_blob_ref(nd_blob *b)
{
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
    return b;
}

void nd_blob_unref(nd_blob *b)
{
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
    free(b);
}
