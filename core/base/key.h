// Content keys: 128-bit XXH3 hashes that name meshes, tile inputs and cached tiles. Not cryptographic. Any thread.
// Source of the hash: Y. Collet, xxHash (XXH3_128bits), seed 0, canonical little-endian halves.
#ifndef NAV_BASE_KEY_H
#define NAV_BASE_KEY_H

#include "navcore/key.h"

#include <stddef.h>

nav_key nav_key_of(const void *bytes, size_t count);

// Sum of keys modulo 2^128: the key of a multiset, whatever the order its members are added in.
static inline nav_key nav_key_add(nav_key a, nav_key b)
{
    nav_key r = {a.low + b.low, a.high + b.high};
    r.high += r.low < a.low;
    return r;
}

// Key of an ordered pair.
nav_key nav_key_join(nav_key a, nav_key b);

// An order, the same on every machine.
static inline bool nav_key_less(nav_key a, nav_key b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

static inline bool nav_key_is_zero(nav_key a)
{
    return (a.low | a.high) == 0;
}

enum { NAV_KEY_BYTES = 16 };

// 16 bytes, low half first, little-endian: the form on the wire and in files.
void nav_key_store(nav_key k, uint8_t out[NAV_KEY_BYTES]);
nav_key nav_key_load(const uint8_t in[NAV_KEY_BYTES]);

#endif
