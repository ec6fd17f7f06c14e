#include "daemon/cache/unpacker.h"

#include "protocol/dictionary.h"

void nd_unpacker_deinit(nd_unpacker *u)
{
    ZSTD_freeDCtx(u->context);
    ZSTD_freeDDict(u->dictionary);
    *u = (nd_unpacker){0};
}

nav_status nd_unpacked_size(const void *data, size_t bytes, size_t *out)
{
    unsigned long long size = ZSTD_getFrameContentSize(data, bytes);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return NAV_ERR_FORMAT;
    if (size > ND_TILE_MAX_UNPACKED) return NAV_ERR_LIMIT;
    *out = (size_t)size;
    return NAV_OK;
}

nav_status nd_unpack(nd_unpacker *u, np_encoding e, const void *data, size_t bytes, void *to, size_t size)
{
    bool dictionary = e == NP_ENCODING_PACKED;
    if (!u->context) u->context = ZSTD_createDCtx();
    if (dictionary && !u->dictionary) u->dictionary = ZSTD_createDDict(np_dictionary, np_dictionary_bytes);
    if (!u->context || (dictionary && !u->dictionary)) return NAV_ERR_MEMORY;
    size_t n = dictionary ? ZSTD_decompress_usingDDict(u->context, to, size, data, bytes, u->dictionary)
                          : ZSTD_decompressDCtx(u->context, to, size, data, bytes);
    return n == size ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_unpack_blob(nd_unpacker *u, np_encoding e, const nd_blob *packed, nd_blob **out)
{
    size_t size;
    *out = NULL;
    nav_status s = nd_unpacked_size(packed->data, packed->size, &size);
    if (s != NAV_OK) return s;
    nd_blob *blob = nd_blob_create(size);
    if (!blob) return NAV_ERR_MEMORY;
    s = nd_unpack(u, e, packed->data, packed->size, blob->data, size);
    if (s == NAV_OK)
        *out = blob;
    else
        nd_blob_unref(blob);
    return s;
}
