// A fuzzer's bytes as numbers, until there are none left.
#ifndef NAV_TESTS_FUZZ_INPUT_H
#define NAV_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct input {
    const uint8_t *at, *end;
} input;

// Little-endian; what is missing is 0.
static inline uint32_t take(input *in, size_t bytes)
{
    uint32_t v = 0;
    for (size_t i = 0; i < bytes && in->at < in->end; i++) v |= (uint32_t)*in->at++ << (8 * i);
    return v;
}

#endif
