#include "daemon/farm/wanted.h"

#include "core/reach/packed.h"
#include "core/reach/parts.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { MAX_BASE_BYTES = 64 << 20 };

static uint16_t *slot_of(nd_wanted *w, nav_key source)
{
    uint32_t at = (uint32_t)source.low % ND_WANTED_SLOTS;
    while (w->slots[at] && !nav_key_equal(w->tiles[w->slots[at] - 1].source, source)) at = (at + 1) % ND_WANTED_SLOTS;
    return &w->slots[at];
}

nd_wanted *nd_wanted_create(const nav_key *keys, uint32_t count, uint8_t form, const nav_settings *settings)
{
    nd_wanted *w = calloc(1, sizeof *w + count * sizeof w->tiles[0]);
    if (!w) return NULL;
    w->form = form;
    w->settings = *settings;
    w->count = count;
    nav_arena_init(&w->arena, 0);
    for (uint32_t i = 0; i < count; i++) {
        w->tiles[i].source = keys[i];
        if (nav_key_is_zero(keys[i])) continue;
        uint16_t *slot = slot_of(w, keys[i]);
        if (!*slot) *slot = (uint16_t)(i + 1);
    }
    return w;
}

void nd_wanted_destroy(nd_wanted *w)
{
    if (!w) return;
    for (uint32_t i = 0; i < w->count; i++)
        for (unsigned e = 0; e < ND_ENCODINGS; e++) {
            nd_blob_unref(w->tiles[i].out[e].blob);
            nav_parts_unref(w->tiles[i].out[e].parts);
        }
    nav_arena_deinit(&w->arena);
    nav_buffer_deinit(&w->raw);
    free(w);
}

static nav_status make_parts(nd_wanted *w, const nd_tile_record *record, nav_parts **out)
{
    nav_tile tile;
    const size_t size = (size_t)record->value.size;
    if (record->memory_limit != nav_tile_pack_layout()) return NAV_ERR_FORMAT;
    if (size > MAX_BASE_BYTES || ZSTD_getFrameContentSize(record->data, record->data_bytes) != size)
        return NAV_ERR_FORMAT;
    w->raw.size = 0;
    nav_status s = nav_buffer_reserve(&w->raw, size);
    if (s != NAV_OK) return s;
    const size_t n = ZSTD_decompress(w->raw.data, size, record->data, record->data_bytes);
    if (n != size) return NAV_ERR_FORMAT;
    s = nav_tile_unpack(w->raw.data, n, &w->settings, &w->arena, &tile);
    if (s == NAV_OK) s = nav_parts_create(&tile, &w->arena, out);
    nav_arena_reset(&w->arena);
    return s;
}

static nav_status take(nd_wanted *w, nd_wanted_tile *t, const nd_pack_tile *from)
{
    nd_cached out = from->record.value;
    nav_status s = NAV_OK;
    out.blob = NULL;
    out.parts = NULL;
    if (from->encoding == ND_ENCODING_BASE && out.status == NP_TILE_OK) s = make_parts(w, &from->record, &out.parts);
    if (s == NAV_OK && from->record.data_bytes) {
        out.blob = nd_blob_create(from->record.data_bytes);
        if (out.blob)
            memcpy(out.blob->data, from->record.data, from->record.data_bytes);
        else
            s = NAV_ERR_MEMORY;
    }
    if (s != NAV_OK) {
        nav_parts_unref(out.parts);
        return s;
    }
    t->out[from->encoding] = out;
    t->has |= (uint8_t)(1u << from->encoding);
    w->found += (t->has & w->form) == w->form;
    return NAV_OK;
}

nav_status nd_wanted_read(nd_wanted *w, const void *bytes, size_t count)
{
    nd_pack pack;
    nd_pack_tile next;
    w->bytes += count;
    nav_status s = nd_pack_open(bytes, count, &pack);
    if (s != NAV_OK) {
        w->damaged++;
        return s;
    }
    w->parts = pack.parts;
    while (s != NAV_ERR_MEMORY && nd_pack_next(&pack, &next)) {
        const uint16_t at = *slot_of(w, next.source);
        nd_wanted_tile *t = at ? &w->tiles[at - 1] : NULL;
        if (!t || next.record.value.status == NP_TILE_FAILED || !(w->form >> next.encoding & 1)) continue;
        if (t->has >> next.encoding & 1) continue; // the newest comes first
        s = take(w, t, &next);
        if (s != NAV_OK && s != NAV_ERR_MEMORY) w->damaged++;
    }
    return s == NAV_ERR_MEMORY ? s : NAV_OK;
}
