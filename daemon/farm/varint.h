// Numbers of as many bytes as they need (LEB128: seven bits a byte, the last one below 128), for the farm's formats.
// Reading takes any bytes. Any thread.
#ifndef ND_VARINT_H
#define ND_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ND_VARINT_BYTES = 10 };

static inline size_t nd_varint_store(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v >= 128; v >>= 7) to[n++] = (uint8_t)(v | 128);
    to[n++] = (uint8_t)v;
    return n;
}

static inline uint32_t nd_zigzag(int32_t v)
{
    return ((uint32_t)v << 1) ^ (uint32_t)(v >> 31);
}

static inline int32_t nd_unzigzag(uint32_t v)
{
    return (int32_t)(v >> 1) ^ -(int32_t)(v & 1);
}

// Bytes that are read one after the other. Once they end too early nothing is read any more, and all is zero.
typedef struct nd_reading {
    const uint8_t *at, *end;
    bool failed;
} nd_reading;

static inline size_t nd_reading_left(const nd_reading *c)
{
    return (size_t)(c->end - c->at);
}

// NULL: there are not so many.
static inline const uint8_t *nd_reading_take(nd_reading *c, size_t count)
{
    const uint8_t *at = c->at;
    if (c->failed || nd_reading_left(c) < count) {
        c->failed = true;
        return NULL;
    }
    c->at += count;
    return at;
}

static inline uint8_t nd_reading_byte(nd_reading *c)
{
    const uint8_t *at = nd_reading_take(c, 1);
    return at ? *at : 0;
}

static inline uint64_t nd_reading_varint(nd_reading *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t b = nd_reading_byte(c);
        if (shift == 63 && b > 1) break; // more than 64 bits
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128) return c->failed ? 0 : v;
    }
    c->failed = true;
    return 0;
}

// How many things follow, which take a byte each at least. More than there can be, or than `most`: it fails.
static inline uint32_t nd_reading_count(nd_reading *c, uint32_t most)
{
    uint64_t n = nd_reading_varint(c);
    if (n > most || n > nd_reading_left(c)) c->failed = true;
    return c->failed ? 0 : (uint32_t)n;
}

#endif
