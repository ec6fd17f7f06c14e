// Numbers of as many bytes as they need (LEB128: seven bits a byte, the last one below 128), and a way to have small
// ones below zero take few as well (zigzag). Any thread.
#ifndef NAV_BASE_VARINT_H
#define NAV_BASE_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { NAV_VARINT_BYTES = 10 }; // the most that a number takes

// How many bytes it took.
static inline size_t nav_varint_store(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 128; v >>= 7) to[n++] = (uint8_t)(v | 128);
    to[n++] = (uint8_t)v;
    return n;
}

// Reads any bytes. How many it took; 0: they end too early, or it has more bits than `bits`, at most 64.
static inline size_t nav_varint_load(const uint8_t *from, size_t count, unsigned bits, uint64_t *out)
{
    uint64_t v = 0;
    for (unsigned n = 0, shift = 0; n < count && shift < bits; n++, shift += 7) {
        if (bits - shift < 7 && from[n] >> (bits - shift)) return 0;
        v |= (uint64_t)(from[n] & 127) << shift;
        if (from[n] >= 128) continue;
        *out = v;
        return n + 1;
    }
    return 0;
}

static inline uint32_t nav_zigzag(int32_t v)
{
    return (uint32_t)v << 1 ^ (v < 0 ? UINT32_MAX : 0);
}

static inline int32_t nav_unzigzag(uint32_t v)
{
    return (int32_t)(v >> 1 ^ (v & 1 ? UINT32_MAX : 0));
}

#endif
