// Content keys: 128 bits that name meshes, what a tile is made from, and finished tiles. Equal content has equal keys
// on every machine. Not cryptographic. Any thread.
#ifndef NAVCORE_KEY_H
#define NAVCORE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nav_key {
    uint64_t low, high;
} nav_key;

static inline bool nav_key_equal(nav_key a, nav_key b)
{
    return a.low == b.low && a.high == b.high;
}

enum { NAV_KEY_TEXT_BYTES = 33 };

// 32 hexadecimal digits and a terminating zero.
void nav_key_text(nav_key k, char out[NAV_KEY_TEXT_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
