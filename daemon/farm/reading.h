// Bytes of the farm's formats, read one after the other; numbers in them are core/base/varint.h's. Reading takes any
// bytes. Any thread.
#ifndef ND_READING_H
#define ND_READING_H

#include "core/base/varint.h"

#include <stdbool.h>

// Once they end too early nothing is read any more, and all is zero.
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
    const size_t taken = c->failed ? 0 : nav_varint_load(c->at, nd_reading_left(c), 64, &v);
    c->failed = !taken;
    c->at += taken;
    return v;
}

// How many things follow, which take a byte each at least. More than there can be, or than `most`: it fails.
static inline uint32_t nd_reading_count(nd_reading *c, uint32_t most)
{
    uint64_t n = nd_reading_varint(c);
    if (n > most || n > nd_reading_left(c)) c->failed = true;
    return c->failed ? 0 : (uint32_t)n;
}

#endif
