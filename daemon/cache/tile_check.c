#include "daemon/cache/tile_check.h"

#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "core/tile/tile_format.h"

#include <inttypes.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void nd_tile_checker_deinit(nd_tile_checker *c)
{
    nd_unpacker_deinit(&c->unpacker);
    nav_buffer_deinit(&c->raw);
    nav_buffer_deinit(&c->unpacked);
    *c = (nd_tile_checker){0};
}

uint64_t nd_tile_sum(const uint8_t key[ND_TILE_KEY_BYTES], const void *record, size_t count)
{
    return XXH3_64bits_withSeed(record, count, XXH3_64bits(key, ND_TILE_KEY_BYTES));
}

static nav_status fail(char *why, size_t why_bytes, nav_status s, const char *words)
{
    snprintf(why, why_bytes, "%s", words);
    return s;
}

// The frame's bytes, into c->raw. A frame may say that it unpacks to anything: that is what is looked at first.
static nav_status unpack(nd_tile_checker *c, const nd_tile_record *r, np_encoding e, char *why, size_t why_bytes)
{
    size_t size = 0;
    nav_status s = nd_unpacked_size(r->data, r->data_bytes, &size);
    if (s == NAV_ERR_FORMAT) return fail(why, why_bytes, s, "its data is not a zstd frame with a size");
    if (s == NAV_ERR_LIMIT || r->value.size > ND_TILE_MAX_UNPACKED)
        return fail(why, why_bytes, NAV_ERR_LIMIT, "it would unpack to more than 256 MiB");
    c->raw.size = 0;
    s = nav_buffer_reserve(&c->raw, size + 1);
    if (s == NAV_OK) s = nd_unpack(&c->unpacker, e, r->data, r->data_bytes, c->raw.data, size);
    if (s == NAV_ERR_FORMAT) return fail(why, why_bytes, s, "its data cannot be decompressed");
    if (s != NAV_OK) return fail(why, why_bytes, s, nav_status_text(s));
    c->raw.size = size;
    return NAV_OK;
}

static nav_status check_packed(nd_tile_checker *c, const nd_tile_record *r, char *why, size_t why_bytes)
{
    c->unpacked.size = 0;
    nav_status s = nav_detour_unpack(c->raw.data, c->raw.size, (size_t)r->value.size, &c->unpacked);
    if (s != NAV_OK) return fail(why, why_bytes, s, "it is not a packed tile of the stated size");
    return nav_detour_check(c->unpacked.data, c->unpacked.size, why, why_bytes);
}

static nav_status check_tile(nd_tile_checker *c, const nd_tile_record *r, uint8_t encoding, char *why, size_t why_bytes)
{
    nav_tile_view view;
    if (r->value.status != NP_TILE_OK) return NAV_OK; // there is nothing in it
    nav_status s = unpack(c, r, (np_encoding)encoding, why, why_bytes);
    if (s != NAV_OK) return s;
    if (encoding == NP_ENCODING_PACKED) return check_packed(c, r, why, why_bytes);
    if (c->raw.size != r->value.size)
        return fail(why, why_bytes, NAV_ERR_FORMAT, "it does not unpack to the stated size");
    return encoding == NP_ENCODING_NAVD ? nav_tile_open(c->raw.data, c->raw.size, &view, why, why_bytes)
                                        : nav_detour_check(c->raw.data, c->raw.size, why, why_bytes);
}

nav_status nd_tile_check_entry(nd_tile_checker *c, const np_cache_entry *e, char *why, size_t why_bytes)
{
    nav_key source;
    uint8_t encoding;
    nd_tile_record record;
    if (nd_tile_key_load(e->key.data, e->key.size, &source, &encoding) != NAV_OK || encoding > NP_ENCODING_PACKED)
        return fail(why, why_bytes, NAV_ERR_FORMAT, "its key is not that of a delivered tile");
    if (e->sum != nd_tile_sum(e->key.data, e->record.data, e->record.size))
        return fail(why, why_bytes, NAV_ERR_FORMAT, "its checksum is wrong: it was damaged in transit");
    nav_status s = nd_tile_record_load(e->record.data, e->record.size, &record);
    if (s == NAV_ERR_VERSION) return fail(why, why_bytes, s, "it is from another version of navd");
    if (s != NAV_OK) return fail(why, why_bytes, s, "its record is not valid");
    if (record.value.status == NP_TILE_FAILED)
        return fail(why, why_bytes, NAV_ERR_FORMAT, "it is a failure, which is not shared between daemons");
    return check_tile(c, &record, encoding, why, why_bytes);
}
