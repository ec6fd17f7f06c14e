#include "daemon/delivery/fetch.h"

#include "daemon/delivery/describe.h"
#include "protocol/tile_note.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 2 * ND_TILES_EXPECTED }; // the loop has written them: they come from the other core's cache

// Room for a note. False: the blob is full, or there is no memory.
static bool make_room(nd_fetch *f, size_t used, size_t bytes)
{
    if (f->notes && bytes <= f->notes->size - used) return true;
    if (used) return false;
    nd_blob_unref(f->notes);
    f->notes = nd_blob_create(bytes > f->max_bytes ? bytes : f->max_bytes);
    return f->notes;
}

static void expect(const nd_fetch *f, nd_tile_reader *r)
{
    nav_key sources[ND_TILES_EXPECTED];
    uint32_t count = 0;
    for (uint32_t i = f->looked_for; i < f->count && count < ND_TILES_EXPECTED; i++)
        sources[count++] = f->tiles[i].source;
    nd_tile_reader_expect(r, sources, (uint8_t)f->tiles[0].tile.encoding, count);
}

// The bytes that the record's data has in the note. NAV_ERR_FORMAT, NAV_ERR_LIMIT: it is damaged.
static nav_status size_in_note(const nd_fetch *f, const nd_tile_record *record, size_t *out)
{
    *out = record->data_bytes;
    if (!*out || f->compression == NP_COMPRESSION_ZSTD) return NAV_OK;
    return nd_unpacked_size(record->data, record->data_bytes, out);
}

// Behind the head of the note, where there is room.
static nav_status put_data(const nd_fetch *f, const nd_fetched *e, const nd_tile_record *record, nd_unpacker *unpacker,
                           uint8_t *to)
{
    if (f->compression == NP_COMPRESSION_NONE && record->data_bytes)
        return nd_unpack(unpacker, e->tile.encoding, record->data, record->data_bytes, to, e->tile.data.size);
    if (record->data_bytes) memcpy(to, record->data, record->data_bytes);
    return NAV_OK;
}

static void run(nd_disk_task *task, nd_tile_reader *r)
{
    nd_fetch *f = (nd_fetch *)task;
    nd_tile_record record;
    size_t used = 0;
    for (; f->looked_for < f->count; f->looked_for++) {
        nd_fetched *e = &f->tiles[f->looked_for];
        if (f->looked_for % ND_TILES_EXPECTED == 0) expect(f, r);
        if (f->looked_for + AHEAD < f->count) {
            __builtin_prefetch(&e[AHEAD].source);
            __builtin_prefetch(&e[AHEAD].tile.revision);
            __builtin_prefetch(&e[AHEAD].end);
        }
        nav_status s = nd_tile_reader_find(r, e->source, (uint8_t)e->tile.encoding, &record);
        e->found = s == NAV_OK && record.value.status != NP_TILE_FAILED;
        size_t data_bytes = 0;
        if (e->found) e->found = size_in_note(f, &record, &data_bytes) == NAV_OK;
        if (e->found) {
            e->tile.status = record.value.status; // a tile may be empty in one encoding and not in the other
            e->tile.size = record.value.size;
            e->tile.data = (np_bin){NULL, (uint32_t)data_bytes};
            np_tile_note note = {f->subscription, f->world, f->profile, e->tile};
            if (!make_room(f, used, np_tile_note_bound(&note) + data_bytes)) break;
            uint8_t *to = f->notes->data + used;
            size_t head = np_tile_note_write(&note, to);
            e->found = put_data(f, e, &record, nd_tile_reader_unpacker(r), to + head) == NAV_OK;
            if (e->found) used += head + data_bytes;
        }
        e->end = used;
    }
    if (f->notes) f->notes = nd_blob_shrink(f->notes, used);
}

nd_fetch *nd_fetch_create(const nd_subscription *sub, uint32_t room, size_t max_bytes,
                          void (*done)(nd_disk_task *task, bool ran))
{
    np_str profile = sub->world->profiles[sub->profile].wire.name;
    nd_fetch *f = malloc(sizeof *f + room * sizeof *f->tiles + profile.size);
    if (!f) return NULL;
    *f = (nd_fetch){.task = {.run = run, .done = done, .early = true},
                    .delivery = sub->delivery,
                    .session = sub->session->id,
                    .part = sub->id,
                    .subscription = sub->lead->id,
                    .sheet = sub->sheet,
                    .world = sub->world->id,
                    .compression = sub->compression,
                    .max_bytes = max_bytes,
                    .room = room};
    char *name = (char *)&f->tiles[room];
    if (profile.size) memcpy(name, profile.data, profile.size);
    f->profile = (np_str){name, profile.size};
    return f;
}

void nd_fetch_destroy(nd_fetch *f)
{
    if (f) nd_blob_unref(f->notes);
    free(f);
}

void nd_fetch_add(nd_fetch *f, nd_sent *sent, const nd_tile *t, np_encoding encoding)
{
    nd_fetched *e = &f->tiles[f->count++];
    *e = (nd_fetched){.sent = sent, .source = t->result.source};
    nd_tile_describe(&e->tile, t, f->sheet, encoding, NULL);
}
