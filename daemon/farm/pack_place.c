#include "daemon/farm/pack_place.h"

#include "daemon/farm/streams.h"

#include <stdlib.h>
#include <string.h>

enum { FETCH_MS = 2000, STORE_MS = 5000 };

// --- reading ---

nav_status nd_pack_fetch(const nd_bus_link *link, const nd_pack_place *from,
                         nav_status (*take)(void *user, const void *bytes, size_t count, uint32_t *parts), void *user)
{
    char subject[ND_SUBJECT_BYTES];
    uint32_t parts = 1;
    for (uint32_t part = 0; part < parts && part < ND_PACK_PARTS; part++) {
        natsMsg *m = NULL;
        uint32_t said = parts;
        nd_farm_pack_subject(from->farm, from->space, from->area, part, subject);
        nav_status s = nd_stream_get(link, from->farm, ND_STREAM_TILES, subject, FETCH_MS, &m);
        if (s == NAV_ERR_NOT_FOUND && part) continue; // it made room for others
        if (s == NAV_OK) s = take(user, natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &said);
        natsMsg_Destroy(m);
        if (s != NAV_OK) return s;
        if (!part) parts = said;
    }
    return NAV_OK;
}

static nav_status take_part(void *wanted, const void *bytes, size_t count, uint32_t *parts)
{
    nd_wanted *w = wanted;
    nav_status s = nd_wanted_read(w, bytes, count);
    *parts = w->parts;
    return s == NAV_ERR_MEMORY ? s : NAV_OK;
}

nav_status nd_pack_look_up(const nd_bus_link *link, const nd_pack_place *from, nd_wanted *wanted)
{
    return nd_pack_fetch(link, from, take_part, wanted);
}

// --- writing ---

typedef struct old_part {
    uint8_t *bytes;
    size_t count;
} old_part;

typedef struct store {
    const nd_stored_tile *tiles;
    uint32_t count;
    uint32_t *slots, slot_count; // hash table of the tiles: index + 1
    bool *had;                   // tiles that the pack has
    uint32_t had_count;
    old_part old[ND_PACK_PARTS];
    uint32_t old_count;
    nd_pack_writer writer;
} store;

static uint32_t *slot_of(store *s, nav_key source, uint8_t encoding)
{
    uint32_t at = (uint32_t)(source.low + encoding) % s->slot_count;
    for (; s->slots[at]; at = (at + 1) % s->slot_count) {
        const nd_stored_tile *t = &s->tiles[s->slots[at] - 1];
        if (nav_key_equal(t->source, source) && t->encoding == encoding) break;
    }
    return &s->slots[at];
}

static nav_status make_slots(store *s)
{
    s->slot_count = 4 * s->count + 1;
    s->slots = calloc(s->slot_count, sizeof *s->slots);
    s->had = calloc(s->count + 1, sizeof *s->had);
    if (!s->slots || !s->had) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < s->count; i++) *slot_of(s, s->tiles[i].source, s->tiles[i].encoding) = i + 1;
    return NAV_OK;
}

// A part of the pack as it was: copied, as it is read once more. One that is not in order is nothing.
static nav_status keep_old(void *user, const void *bytes, size_t count, uint32_t *parts)
{
    store *s = user;
    nd_pack pack;
    nd_pack_tile t;
    if (nd_pack_open(bytes, count, &pack) != NAV_OK) return NAV_OK;
    *parts = pack.parts;
    uint8_t *copy = malloc(count);
    if (!copy) return NAV_ERR_MEMORY;
    memcpy(copy, bytes, count);
    s->old[s->old_count++] = (old_part){copy, count};
    while (nd_pack_next(&pack, &t)) {
        const uint32_t at = *slot_of(s, t.source, t.encoding);
        if (!at || s->had[at - 1]) continue;
        s->had[at - 1] = true;
        s->had_count++;
    }
    return NAV_OK;
}

static nav_status add_new(store *s, uint64_t memory_limit)
{
    nav_status status = NAV_OK;
    for (uint32_t i = 0; i < s->count && status == NAV_OK; i++) {
        const nd_stored_tile *t = &s->tiles[i];
        status = nd_pack_writer_add_cached(&s->writer, t->source, t->encoding, &t->value, memory_limit);
    }
    return status;
}

static nav_status add_old(store *s)
{
    nav_status status = NAV_OK;
    uint32_t written = 0, most = 0;
    uint8_t form = 0;
    for (uint32_t i = 0; i < s->count; i++) form |= (uint8_t)(1u << s->tiles[i].encoding);
    for (; form; form &= (uint8_t)(form - 1)) most += ND_PACK_VARIANTS * ND_AREA_TILES;
    for (uint32_t i = 0; i < s->writer.count; i++) written += s->writer.tiles[i];
    for (uint32_t k = 0; k < s->old_count; k++) {
        nd_pack pack;
        nd_pack_tile t;
        if (nd_pack_open(s->old[k].bytes, s->old[k].count, &pack) != NAV_OK) continue; // it could be a moment ago
        while (status == NAV_OK && written < most && nd_pack_next(&pack, &t)) {
            if (*slot_of(s, t.source, t.encoding)) continue;
            status = nd_pack_writer_add(&s->writer, &t);
            written++;
        }
    }
    return status;
}

// The first part last: where it is, the others are.
static nav_status publish(const nd_bus_link *link, const nd_pack_place *to, store *s)
{
    nav_status status = NAV_OK;
    char subject[ND_SUBJECT_BYTES];
    jsPubOptions o;
    jsPubOptions_Init(&o);
    o.MaxWait = STORE_MS;
    for (uint32_t part = s->writer.count; part-- > 0 && status == NAV_OK;) {
        jsPubAck *ack = NULL;
        jsErrCode code = 0;
        const nav_buffer *b = &s->writer.parts[part];
        nd_farm_pack_subject(to->farm, to->space, to->area, part, subject);
        status = nd_bus_status(js_Publish(&ack, link->streams, subject, b->data, (int)b->size, &o, &code), code);
        jsPubAck_Destroy(ack);
    }
    return status;
}

nav_status nd_pack_store(const nd_bus_link *link, const nd_pack_place *to, const nd_stored_tile *tiles, uint32_t count,
                         uint64_t memory_limit)
{
    store *s = calloc(1, sizeof *s);
    if (!s) return NAV_ERR_MEMORY;
    s->tiles = tiles;
    s->count = count;
    nd_pack_writer_init(&s->writer);
    nav_status status = make_slots(s);
    if (status == NAV_OK) {
        status = nd_pack_fetch(link, to, keep_old, s);
        if (status == NAV_ERR_NOT_FOUND) status = NAV_OK;
    }
    if (status == NAV_OK && s->had_count < count) {
        status = add_new(s, memory_limit);
        if (status == NAV_OK) status = add_old(s);
        nd_pack_writer_finish(&s->writer);
        if (status == NAV_OK) status = publish(link, to, s);
    }
    for (uint32_t k = 0; k < s->old_count; k++) free(s->old[k].bytes);
    nd_pack_writer_deinit(&s->writer);
    free(s->slots);
    free(s->had);
    free(s);
    return status;
}
