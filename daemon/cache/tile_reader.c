#include "core/reach/packed.h"
#include "daemon/cache/tile_cache_parts.h"

#include <string.h>
#include <zstd.h>

_Static_assert((int)ND_TILES_EXPECTED <= (int)ND_PAGES_EXPECTED, "more is expected at a time than can be");

void nd_tile_reader_deinit(nd_tile_reader *r)
{
    nav_arena_deinit(&r->arena);
    nav_buffer_deinit(&r->raw);
    nd_unpacker_deinit(&r->unpacker);
    nav_buffer_deinit(&r->used);
}

nd_unpacker *nd_tile_reader_unpacker(nd_tile_reader *r)
{
    return &r->unpacker;
}

static void damaged(nd_tile_cache *c, const uint8_t *key)
{
    c->damaged++;
    nd_tile_cache_remove(c, key);
}

// The record lies in the file.
static nav_status find(nd_tile_reader *r, const uint8_t key[ND_TILE_KEY_BYTES], nd_tile_record *out)
{
    nd_tile_cache *c = r->cache;
    nd_bytes value;
    const nd_bytes wanted = {key, ND_TILE_KEY_BYTES};
    if (!r->txn && !r->peek) return NAV_ERR_NOT_FOUND;
    nav_status s = r->peek ? nd_peek_get(r->peek, wanted, &value) : nd_txn_get(r->txn, ND_TABLE_TILES, wanted, &value);
    if (s == NAV_OK) s = nd_tile_record_load(value.data, value.size, out);
    if (s == NAV_ERR_FORMAT || s == NAV_ERR_VERSION) damaged(c, key);
    bool outgrown = s == NAV_OK && out->value.status == NP_TILE_FAILED && out->memory_limit < c->memory_limit;
    return s == NAV_OK && !outgrown ? NAV_OK : NAV_ERR_NOT_FOUND;
}

static nav_status count(nd_tile_reader *r, const uint8_t *key, nav_status s)
{
    nd_tile_cache *c = r->cache;
    if (s != NAV_OK) {
        c->misses++;
        return NAV_ERR_NOT_FOUND;
    }
    c->hits++;
    nav_status noted = nav_buffer_append(&r->used, key, ND_TILE_KEY_BYTES);
    (void)noted; // without memory it stays as old as it was
    return NAV_OK;
}

static nav_status copy(const nd_tile_record *record, nd_cached *out)
{
    *out = record->value;
    if (!record->data_bytes) return NAV_OK;
    out->blob = nd_blob_create(record->data_bytes);
    if (!out->blob) return NAV_ERR_MEMORY;
    memcpy(out->blob->data, record->data, record->data_bytes);
    return NAV_OK;
}

void nd_tile_reader_expect(nd_tile_reader *r, const nav_key *sources, uint8_t encoding, size_t count)
{
    uint8_t keys[ND_TILES_EXPECTED][ND_TILE_KEY_BYTES];
    nd_bytes wanted[ND_TILES_EXPECTED];
    for (size_t i = 0; i < count; i++) {
        nd_tile_key_store(sources[i], encoding, keys[i]);
        wanted[i] = (nd_bytes){keys[i], ND_TILE_KEY_BYTES};
    }
    if (r->peek) nd_peek_expect(r->peek, wanted, count);
}

nav_status nd_tile_reader_find(nd_tile_reader *r, nav_key source, uint8_t encoding, nd_tile_record *out)
{
    uint8_t key[ND_TILE_KEY_BYTES];
    nd_tile_key_store(source, encoding, key);
    return count(r, key, find(r, key, out));
}

nav_status nd_tile_reader_get(nd_tile_reader *r, nav_key source, uint8_t encoding, nd_cached *out)
{
    uint8_t key[ND_TILE_KEY_BYTES];
    nd_tile_record record;
    nd_tile_key_store(source, encoding, key);
    nav_status s = find(r, key, &record);
    if (s == NAV_OK) s = copy(&record, out);
    return count(r, key, s);
}

static nav_status make_parts(nd_tile_reader *r, const nd_tile_record *record, const nav_settings *settings,
                             nav_parts **out)
{
    nav_tile tile;
    if (ZSTD_getFrameContentSize(record->data, record->data_bytes) != record->value.size) return NAV_ERR_FORMAT;
    r->raw.size = 0;
    nav_status s = nav_buffer_reserve(&r->raw, (size_t)record->value.size);
    if (s != NAV_OK) return s;
    size_t n = ZSTD_decompress(r->raw.data, (size_t)record->value.size, record->data, record->data_bytes);
    if (n != record->value.size) return NAV_ERR_FORMAT;
    s = nav_tile_unpack(r->raw.data, n, settings, &r->arena, &tile);
    if (s == NAV_OK) s = nav_parts_create(&tile, &r->arena, out);
    nav_arena_reset(&r->arena);
    return s;
}

nav_status nd_tile_reader_get_base(nd_tile_reader *r, nav_key source, const nav_settings *settings, nd_cached *out)
{
    uint8_t key[ND_TILE_KEY_BYTES];
    nd_tile_record record;
    nav_parts *parts = NULL;
    nd_tile_key_store(source, ND_ENCODING_BASE, key);
    nav_status s = find(r, key, &record);
    if (s == NAV_OK && record.value.status == NP_TILE_OK) {
        s = record.memory_limit == nav_tile_pack_layout() ? make_parts(r, &record, settings, &parts) : NAV_ERR_FORMAT;
        if (s == NAV_ERR_FORMAT) damaged(r->cache, key);
    }
    if (s == NAV_OK) s = copy(&record, out);
    if (s == NAV_OK)
        out->parts = parts;
    else
        nav_parts_unref(parts);
    return count(r, key, s);
}

nav_status nd_tile_reader_walk(nd_tile_reader *r, bool has_from, const uint8_t from[ND_TILE_KEY_BYTES],
                               bool (*visit)(void *user, const nd_tile_visit *v), void *user, bool *end)
{
    nd_cursor *cursor;
    nd_bytes key, value, start = {from, has_from ? ND_TILE_KEY_BYTES : 0};
    *end = true;
    if (!r->txn) return NAV_OK;
    nav_status s = nd_cursor_open(r->txn, ND_TABLE_TILES, &cursor);
    if (s != NAV_OK) return s;
    s = nd_cursor_seek(cursor, start, &key, &value);
    for (bool more = true; more && (s == NAV_OK || s == NAV_ERR_FORMAT);) {
        nd_tile_visit at = {.status = s, .record = value.data, .record_bytes = value.size};
        bool named = key.size == ND_TILE_KEY_BYTES;
        if (named) memcpy(at.key, key.data, ND_TILE_KEY_BYTES);
        if (named && !(has_from && !memcmp(at.key, from, ND_TILE_KEY_BYTES))) {
            if (s == NAV_OK) at.status = nd_tile_record_load(value.data, value.size, &at.read);
            if (at.status != NAV_OK) damaged(r->cache, at.key);
            more = visit(user, &at);
        }
        if (more)
            s = nd_cursor_next(cursor, &key, &value);
        else
            *end = false;
    }
    nd_cursor_close(cursor);
    return s == NAV_ERR_NOT_FOUND || s == NAV_ERR_FORMAT ? NAV_OK : s;
}
