// Which tiles may be on disk? A Bloom filter whose every key sets bits of one word: a tile that is certainly not there
// goes to a worker without asking the disk. It says "maybe" for one in a hundred that are not there, and for those that
// were dropped since it was made; so it is made again from time to time. Any thread: bits are only ever added, and a
// bit that another thread adds at this moment may be seen or not.
#ifndef ND_TILE_FILTER_H
#define ND_TILE_FILTER_H

#include "core/base/key.h"

#include <stdatomic.h>

typedef struct nd_tile_filter {
    size_t mask;   // words - 1
    uint64_t room; // keys that it is made for
    _Atomic uint64_t words[];
} nd_tile_filter;

// NULL: no memory.
nd_tile_filter *nd_tile_filter_create(uint64_t room);
void nd_tile_filter_add(nd_tile_filter *f, nav_key source, uint8_t encoding);
bool nd_tile_filter_has(const nd_tile_filter *f, nav_key source, uint8_t encoding);

#endif
