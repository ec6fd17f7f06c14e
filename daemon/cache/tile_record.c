// The head, little-endian: 0 format, 1 status, 2 failure, 3 stage, 4 generator version, 8 bytes unpacked, 16 content
// key, of a failure the signal and zeros, 32 memory limit. The data follows.
#include "daemon/cache/tile_record.h"

#include "core/base/endian.h"
#include "navcore/settings.h"

#include <string.h>

enum { KEY_AT = 16, SIGNAL_AT = KEY_AT, NO_STAGE = 255 };

// The stages as records number them, plus 1: a stage that came later has a number behind all others, wherever it is in
// the pipeline. 11 was "none".
static const uint8_t stage_numbers[NAV_STAGE_COUNT] = {
    [NAV_STAGE_GATHER] = 1,   [NAV_STAGE_RASTERIZE] = 2, [NAV_STAGE_FILTER] = 3,  [NAV_STAGE_COMPACT] = 4,
    [NAV_STAGE_ERODE] = 5,    [NAV_STAGE_DISTANCE] = 6,  [NAV_STAGE_REGIONS] = 7, [NAV_STAGE_CONTOURS] = 8,
    [NAV_STAGE_POLYGONS] = 9, [NAV_STAGE_DETAIL] = 10,   [NAV_STAGE_ENCODE] = 11, [NAV_STAGE_OUTLINES] = 13,
    [NAV_STAGE_SURFACE] = 14,
};

static uint8_t stage_to_record(uint8_t stage)
{
    return stage < NAV_STAGE_COUNT ? (uint8_t)(stage_numbers[stage] - 1) : NO_STAGE;
}

static uint8_t stage_of_record(uint8_t number)
{
    for (unsigned s = 0; s < NAV_STAGE_COUNT && number < NO_STAGE; s++)
        if (stage_numbers[s] == number + 1) return (uint8_t)s;
    return NAV_STAGE_COUNT;
}

void nd_tile_key_store(nav_key source, uint8_t encoding, uint8_t out[ND_TILE_KEY_BYTES])
{
    nav_key_store(source, out);
    out[NAV_KEY_BYTES] = encoding;
}

nav_status nd_tile_key_load(const void *key, size_t count, nav_key *source, uint8_t *encoding)
{
    const uint8_t *bytes = key;
    if (count != ND_TILE_KEY_BYTES || bytes[NAV_KEY_BYTES] >= ND_ENCODINGS) return NAV_ERR_FORMAT;
    *source = nav_key_load(bytes);
    *encoding = bytes[NAV_KEY_BYTES];
    return NAV_OK;
}

void nd_tile_head_store(const nd_cached *value, uint64_t memory_limit, uint8_t out[ND_TILE_HEAD_BYTES])
{
    memset(out, 0, ND_TILE_HEAD_BYTES);
    out[0] = ND_TILE_RECORD_VERSION;
    out[1] = (uint8_t)value->status;
    out[2] = (uint8_t)value->failure.status;
    out[3] = stage_to_record(value->failure.stage);
    nav_store_u32(out + 4, NAV_GENERATOR_VERSION);
    nav_store_u64(out + 8, value->size);
    if (value->status == NP_TILE_FAILED)
        out[SIGNAL_AT] = value->failure.signal;
    else
        nav_key_store(value->content_key, out + KEY_AT);
    nav_store_u64(out + 32, memory_limit);
}

nav_status nd_tile_head_load(const uint8_t head[ND_TILE_HEAD_BYTES], const uint8_t *data, size_t bytes,
                             nd_tile_record *out)
{
    if (head[0] != ND_TILE_RECORD_VERSION) return NAV_ERR_VERSION;
    if (nav_load_u32(head + 4) != NAV_GENERATOR_VERSION) return NAV_ERR_VERSION;
    *out = (nd_tile_record){.value = {.status = (np_tile_status)head[1],
                                      .failure = {.status = (nav_status)head[2], .stage = stage_of_record(head[3])},
                                      .size = nav_load_u64(head + 8)},
                            .memory_limit = nav_load_u64(head + 32),
                            .data = data,
                            .data_bytes = bytes};
    if (head[1] == NP_TILE_FAILED)
        out->value.failure.signal = head[SIGNAL_AT];
    else
        out->value.content_key = nav_key_load(head + KEY_AT);
    bool has_data = bytes && out->value.size;
    if (head[1] == NP_TILE_OK) return has_data ? NAV_OK : NAV_ERR_FORMAT;
    if (bytes || out->value.size) return NAV_ERR_FORMAT;
    if (head[1] == NP_TILE_EMPTY) return NAV_OK;
    return head[1] == NP_TILE_FAILED && head[2] && head[2] < NAV_STATUS_COUNT ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_tile_record_load(const void *record, size_t count, nd_tile_record *out)
{
    const uint8_t *head = record;
    if (count < ND_TILE_HEAD_BYTES) return NAV_ERR_FORMAT;
    return nd_tile_head_load(head, head + ND_TILE_HEAD_BYTES, count - ND_TILE_HEAD_BYTES, out);
}
