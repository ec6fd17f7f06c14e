// Tiles come as they are: the daemon is asked for no compression.
#include "clients/c/decompress.h"

#include <stdio.h>

nav_status navd_decompressor_create(client_decompressor **out)
{
    *out = NULL;
    return NAV_OK;
}

void navd_decompressor_destroy(client_decompressor *d)
{
    (void)d;
}

np_compression navd_decompressor_takes(void)
{
    return NP_COMPRESSION_NONE;
}

nav_status navd_decompressor_set_dictionary(client_decompressor *d, const void *bytes, size_t count, uint32_t id)
{
    (void)d, (void)bytes, (void)count, (void)id;
    return NAV_ERR_STATE; // nobody asks for packed tiles
}

uint32_t navd_decompressor_dictionary(const client_decompressor *d)
{
    (void)d;
    return 0;
}

nav_status navd_decompress(client_decompressor *d, np_bin in, bool is_packed, size_t size, nav_buffer *out, char *why,
                           size_t why_bytes)
{
    (void)d;
    out->size = 0;
    if (!is_packed && in.size <= size) return nav_buffer_append(out, in.data, in.size);
    snprintf(why, why_bytes, is_packed ? "it is packed, which this client cannot read" : "it is longer than was said");
    return NAV_ERR_FORMAT;
}
