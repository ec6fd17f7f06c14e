#include "daemon/cache/tile_filter.h"

#include <stdlib.h>

enum { KEYS_A_WORD = 4, BITS_A_KEY = 4 };

nd_tile_filter *nd_tile_filter_create(uint64_t room)
{
    size_t words = 1024;
    while (words < room / KEYS_A_WORD) words *= 2;
    nd_tile_filter *f = calloc(1, sizeof *f + words * sizeof f->words[0]);
    if (!f) return NULL;
    f->mask = words - 1;
    f->room = (uint64_t)words * KEYS_A_WORD;
    return f;
}

// Keys are hashes already: their halves choose the word and the bits.
static uint64_t bits_of(nav_key source, uint8_t encoding)
{
    uint64_t from = (source.high ^ encoding) * UINT64_C(0x9e3779b97f4a7c15), bits = 0;
    for (int i = 0; i < BITS_A_KEY; i++) bits |= UINT64_C(1) << (from >> (58 - 6 * i) & 63);
    return bits;
}

void nd_tile_filter_add(nd_tile_filter *f, nav_key source, uint8_t encoding)
{
    atomic_fetch_or_explicit(&f->words[source.low & f->mask], bits_of(source, encoding), memory_order_relaxed);
}

bool nd_tile_filter_has(const nd_tile_filter *f, nav_key source, uint8_t encoding)
{
    uint64_t bits = bits_of(source, encoding);
    return (atomic_load_explicit(&f->words[source.low & f->mask], memory_order_relaxed) & bits) == bits;
}
