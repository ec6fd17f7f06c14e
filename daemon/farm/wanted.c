#include "daemon/farm/wanted.h"

#include <stdlib.h>
#include <string.h>

static uint16_t *slot_of(nd_wanted *w, nav_key source)
{
    uint32_t at = (uint32_t)source.low % ND_WANTED_SLOTS;
    while (w->slots[at] && !nav_key_equal(w->tiles[w->slots[at] - 1].source, source)) at = (at + 1) % ND_WANTED_SLOTS;
    return &w->slots[at];
}

// Of an encoding of the form.
static uint32_t column_of(const nd_wanted *w, uint8_t encoding)
{
    return (uint32_t)__builtin_popcount(w->form & ((1u << encoding) - 1));
}

nd_wanted *nd_wanted_create(const nav_key *keys, uint32_t count, uint8_t form)
{
    const uint32_t columns = (uint32_t)__builtin_popcount(form);
    nd_wanted *w = malloc(sizeof *w + (size_t)count * columns * sizeof w->out[0]);
    if (!w) return NULL;
    memset(w, 0, offsetof(nd_wanted, tiles));
    w->form = form;
    w->columns = (uint8_t)columns;
    w->count = count;
    for (uint32_t i = 0; i < count; i++) {
        w->tiles[i] = (nd_wanted_tile){.source = keys[i]};
        if (nav_key_is_zero(keys[i])) continue;
        uint16_t *slot = slot_of(w, keys[i]);
        if (!*slot) *slot = (uint16_t)(i + 1);
    }
    return w;
}

bool nd_wanted_get(const nd_wanted *w, uint32_t tile, nd_cached out[ND_ENCODINGS])
{
    if (!nd_wanted_has(w, tile)) return false;
    for (unsigned e = 0, k = 0; e < ND_ENCODINGS; e++)
        if (w->form >> e & 1) out[e] = w->out[tile * w->columns + k++];
    return true;
}

void nd_wanted_destroy(nd_wanted *w)
{
    if (!w) return;
    for (uint32_t i = 0; i < w->count; i++)
        for (unsigned e = 0; w->tiles[i].has >> e; e++)
            if (w->tiles[i].has >> e & 1) nd_blob_unref(w->out[i * w->columns + column_of(w, (uint8_t)e)].blob);
    free(w);
}

static bool serves(const nd_wanted *w, const nd_pack_tile *t)
{
    if (!(w->form >> t->encoding & 1)) return false;
    return t->record.value.status != NP_TILE_FAILED || (w->takes_failures && t->record.memory_limit >= w->memory_limit);
}

static nav_status take(nd_wanted *w, uint32_t tile, const nd_pack_tile *from)
{
    nd_cached *out = &w->out[tile * w->columns + column_of(w, from->encoding)];
    *out = from->record.value;
    out->blob = from->record.data_bytes ? nd_blob_create(from->record.data_bytes) : NULL;
    if (from->record.data_bytes && !out->blob) return NAV_ERR_MEMORY;
    if (out->blob) memcpy(out->blob->data, from->record.data, from->record.data_bytes);
    w->tiles[tile].has |= (uint8_t)(1u << from->encoding);
    return NAV_OK;
}

nav_status nd_wanted_read(nd_wanted *w, const void *bytes, size_t count)
{
    nd_pack pack;
    nd_pack_tile next;
    nav_status s = nd_pack_open(bytes, count, &pack);
    if (s != NAV_OK) {
        w->damaged++;
        return s;
    }
    w->parts = pack.parts;
    while (s == NAV_OK && nd_pack_next(&pack, &next)) {
        const uint16_t at = serves(w, &next) ? *slot_of(w, next.source) : 0;
        if (!at) continue;
        if (w->tiles[at - 1].has >> next.encoding & 1) continue; // the newest comes first
        s = take(w, at - 1u, &next);
    }
    return s;
}
