#include "daemon/farm/pack.h"

#include "daemon/farm/reading.h"

#include "core/base/endian.h"

#include <string.h>

enum {
    FORMAT = 1,
    PART_AT = 8,
    TILES_AT = 12,
    SUM_AT = 16,
    STATUS_SHIFT = 4,
    MOST_OF_A_TILE = 1 + 2 * NAV_KEY_BYTES + 3 * NAV_VARINT_BYTES, // without its bytes
    // Of a record's head (tile_record.h):
    HEAD_STATUS = 1,
    HEAD_FAILURE = 2,
    HEAD_STAGE = 3,
    HEAD_GENERATOR = 4,
    HEAD_SIZE = 8,
    HEAD_KEY = 16,
    HEAD_LIMIT = 32,
};

void nd_pack_writer_init(nd_pack_writer *w)
{
    memset(w, 0, sizeof *w);
}

void nd_pack_writer_deinit(nd_pack_writer *w)
{
    for (uint32_t i = 0; i < ND_PACK_PARTS; i++) nav_buffer_deinit(&w->parts[i]);
    nd_pack_writer_init(w);
}

static nav_key sum_of(const uint8_t *part, size_t count)
{
    const nav_key head = nav_key_of(part, SUM_AT);
    return nav_key_join(head, nav_key_of(part + ND_PACK_HEAD_BYTES, count - ND_PACK_HEAD_BYTES));
}

// The part that has room for so many bytes. NULL: there is none.
static nav_buffer *part_for(nd_pack_writer *w, size_t bytes)
{
    if (bytes > ND_PACK_BYTES - ND_PACK_HEAD_BYTES) return NULL;
    if (w->count && w->parts[w->count - 1].size + bytes <= ND_PACK_BYTES) return &w->parts[w->count - 1];
    if (w->count == ND_PACK_PARTS) return NULL;
    return &w->parts[w->count];
}

static nav_status add(nd_pack_writer *w, const nd_pack_tile *t, const uint8_t head[ND_TILE_HEAD_BYTES])
{
    const size_t bytes = t->record.data_bytes;
    nav_buffer *part = part_for(w, MOST_OF_A_TILE + bytes);
    if (!part) {
        w->left_out++;
        return NAV_OK;
    }
    const bool is_new = part == &w->parts[w->count];
    if (is_new) part->size = 0;
    nav_status s = nav_buffer_reserve(part, (size_t)(is_new ? ND_PACK_HEAD_BYTES : 0) + MOST_OF_A_TILE + bytes);
    if (s != NAV_OK) return s;
    if (is_new) {
        part->size = ND_PACK_HEAD_BYTES;
        w->tiles[w->count++] = 0;
    }
    uint8_t *at = part->data + part->size;
    *at++ = (uint8_t)(t->encoding | head[HEAD_STATUS] << STATUS_SHIFT);
    nav_key_store(t->source, at);
    at += NAV_KEY_BYTES;
    if (head[HEAD_STATUS] == NP_TILE_FAILED) {
        *at++ = head[HEAD_FAILURE];
        *at++ = head[HEAD_STAGE];
        *at++ = head[HEAD_KEY]; // the signal
    } else {
        memcpy(at, head + HEAD_KEY, NAV_KEY_BYTES);
        at += NAV_KEY_BYTES;
    }
    at += nav_varint_store(at, nav_load_u64(head + HEAD_LIMIT));
    at += nav_varint_store(at, nav_load_u64(head + HEAD_SIZE));
    at += nav_varint_store(at, bytes);
    if (bytes) memcpy(at, t->record.data, bytes);
    part->size = (size_t)(at - part->data) + bytes;
    w->tiles[w->count - 1]++;
    return NAV_OK;
}

nav_status nd_pack_writer_add(nd_pack_writer *w, const nd_pack_tile *t)
{
    uint8_t head[ND_TILE_HEAD_BYTES];
    nd_tile_head_store(&t->record.value, t->record.memory_limit, head);
    return add(w, t, head);
}

nav_status nd_pack_writer_add_cached(nd_pack_writer *w, nav_key source, uint8_t encoding, const nd_cached *value,
                                     uint64_t memory_limit)
{
    const nd_pack_tile t = {.source = source,
                            .encoding = encoding,
                            .record = {.value = *value,
                                       .memory_limit = memory_limit,
                                       .data = value->blob ? value->blob->data : NULL,
                                       .data_bytes = value->blob ? value->blob->size : 0}};
    return nd_pack_writer_add(w, &t);
}

void nd_pack_writer_finish(nd_pack_writer *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint8_t *head = w->parts[i].data;
        memset(head, 0, ND_PACK_HEAD_BYTES);
        head[0] = 'N';
        head[1] = 'P';
        head[2] = FORMAT;
        nav_store_u32(head + 4, NAV_GENERATOR_VERSION);
        nav_store_u16(head + PART_AT, (uint16_t)i);
        nav_store_u16(head + PART_AT + 2, (uint16_t)w->count);
        nav_store_u32(head + TILES_AT, w->tiles[i]);
        nav_key_store(sum_of(head, w->parts[i].size), head + SUM_AT);
    }
}

static nav_status read_tile(nd_reading *in, nd_pack_tile *out)
{
    uint8_t head[ND_TILE_HEAD_BYTES] = {ND_TILE_RECORD_VERSION};
    const uint8_t first = nd_reading_byte(in), *source = nd_reading_take(in, NAV_KEY_BYTES);
    head[HEAD_STATUS] = first >> STATUS_SHIFT;
    const bool failed = head[HEAD_STATUS] == NP_TILE_FAILED;
    const uint8_t *how = nd_reading_take(in, failed ? 3 : NAV_KEY_BYTES);
    const uint64_t limit = nd_reading_varint(in), size = nd_reading_varint(in), bytes = nd_reading_varint(in);
    const uint8_t *data = bytes <= ND_PACK_BYTES ? nd_reading_take(in, (size_t)bytes) : NULL;
    out->encoding = first & ((1 << STATUS_SHIFT) - 1);
    if (!data || !source || !how || out->encoding >= ND_ENCODINGS) return NAV_ERR_FORMAT;
    if (failed) {
        head[HEAD_FAILURE] = how[0];
        head[HEAD_STAGE] = how[1];
        head[HEAD_KEY] = how[2];
    } else {
        memcpy(head + HEAD_KEY, how, NAV_KEY_BYTES);
    }
    nav_store_u32(head + HEAD_GENERATOR, NAV_GENERATOR_VERSION);
    nav_store_u64(head + HEAD_SIZE, size);
    nav_store_u64(head + HEAD_LIMIT, limit);
    out->source = nav_key_load(source);
    return nd_tile_head_load(head, data, (size_t)bytes, &out->record);
}

nav_status nd_pack_open(const void *bytes, size_t count, nd_pack *out)
{
    const uint8_t *head = bytes;
    if (count < ND_PACK_HEAD_BYTES || count > ND_PACK_BYTES || head[0] != 'N' || head[1] != 'P' || head[3])
        return NAV_ERR_FORMAT;
    if (head[2] != FORMAT) return NAV_ERR_VERSION;
    if (!nav_key_equal(sum_of(head, count), nav_key_load(head + SUM_AT))) return NAV_ERR_FORMAT;
    if (nav_load_u32(head + 4) != NAV_GENERATOR_VERSION) return NAV_ERR_VERSION;
    *out = (nd_pack){.part = nav_load_u16(head + PART_AT),
                     .parts = nav_load_u16(head + PART_AT + 2),
                     .tiles = nav_load_u32(head + TILES_AT),
                     .next = head + ND_PACK_HEAD_BYTES,
                     .end = head + count};
    if (out->parts > ND_PACK_PARTS || out->part >= out->parts) return NAV_ERR_FORMAT;
    nd_reading in = {.at = out->next, .end = out->end};
    for (uint32_t i = 0; i < out->tiles; i++) {
        nd_pack_tile t;
        nav_status s = read_tile(&in, &t);
        if (s != NAV_OK) return s;
    }
    return nd_reading_left(&in) ? NAV_ERR_FORMAT : NAV_OK;
}

bool nd_pack_next(nd_pack *p, nd_pack_tile *out)
{
    nd_reading in = {.at = p->next, .end = p->end};
    if (p->next == p->end || read_tile(&in, out) != NAV_OK) return false;
    p->next = in.at;
    return true;
}
