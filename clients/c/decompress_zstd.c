#include "clients/c/decompress.h"

#include "core/tile/detour_packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

struct client_decompressor {
    ZSTD_DCtx *context;
    ZSTD_DDict *dictionary; // NULL until it is needed
    nav_buffer packed;
};

nav_status navd_decompressor_create(client_decompressor **out)
{
    client_decompressor *d = calloc(1, sizeof *d);
    *out = d;
    if (d) d->context = ZSTD_createDCtx();
    return d && d->context ? NAV_OK : NAV_ERR_MEMORY;
}

void navd_decompressor_destroy(client_decompressor *d)
{
    if (!d) return;
    ZSTD_freeDCtx(d->context);
    ZSTD_freeDDict(d->dictionary);
    nav_buffer_deinit(&d->packed);
    free(d);
}

np_compression navd_decompressor_takes(void)
{
    return NP_COMPRESSION_ZSTD;
}

nav_status navd_decompressor_set_dictionary(client_decompressor *d, const void *bytes, size_t count, uint32_t id)
{
    ZSTD_DDict *made = ZSTD_createDDict(bytes, count);
    bool is_that = made && ZSTD_getDictID_fromDDict(made) == id;
    if (!is_that) {
        ZSTD_freeDDict(made);
        return made ? NAV_ERR_FORMAT : NAV_ERR_MEMORY;
    }
    ZSTD_freeDDict(d->dictionary);
    d->dictionary = made;
    return NAV_OK;
}

uint32_t navd_decompressor_dictionary(const client_decompressor *d)
{
    return d->dictionary ? ZSTD_getDictID_fromDDict(d->dictionary) : 0;
}

static nav_status unpack_frame(client_decompressor *d, np_bin in, bool is_packed, size_t room, nav_buffer *out,
                               char *why, size_t why_bytes)
{
    out->size = 0;
    nav_status s = nav_buffer_reserve(out, room);
    if (s != NAV_OK) return s;
    size_t got = is_packed ? ZSTD_decompress_usingDDict(d->context, out->data, room, in.data, in.size, d->dictionary)
                           : ZSTD_decompressDCtx(d->context, out->data, room, in.data, in.size);
    if (ZSTD_isError(got)) {
        snprintf(why, why_bytes, "%s", ZSTD_getErrorName(got));
        return NAV_ERR_FORMAT;
    }
    out->size = got;
    return NAV_OK;
}

nav_status navd_decompress(client_decompressor *d, np_bin in, bool is_packed, size_t size, nav_buffer *out, char *why,
                           size_t why_bytes)
{
    if (!is_packed) return unpack_frame(d, in, false, size, out, why, why_bytes);
    uint32_t id = ZSTD_getDictID_fromFrame(in.data, in.size), mine = navd_decompressor_dictionary(d);
    if (!mine || (id && id != mine)) {
        snprintf(why, why_bytes, "it is compressed with dictionary %u, but this client has %u", id, mine);
        return NAV_ERR_FORMAT;
    }
    // A tile that did not pack is one byte longer.
    nav_status s = unpack_frame(d, in, true, size + 1, &d->packed, why, why_bytes);
    if (s != NAV_OK) return s;
    out->size = 0;
    s = nav_detour_unpack(d->packed.data, d->packed.size, size, out);
    if (s == NAV_OK || s == NAV_ERR_MEMORY) return s;
    snprintf(why, why_bytes, "its packed form is damaged");
    return NAV_ERR_FORMAT;
}
