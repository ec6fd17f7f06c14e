// One example or more of every message: the same structs are shown in docs/protocol/, walked by the tests, mutated by
// them, and seed the fuzzer.
#ifndef NP_TEST_EXAMPLES_H
#define NP_TEST_EXAMPLES_H

#include "protocol/messages.h"

typedef struct example {
    const char *name; // of its block in docs/protocol/
    np_kind kind;
    np_method method; // NP_UNKNOWN: message is an np_error
    uint32_t id;
    const void *message;
} example;

typedef struct example_list {
    const example *rows;
    uint32_t count;
} example_list;

// One for each file of examples.
extern const example_list examples_service, examples_worlds, examples_paths, examples_places, examples_tiles;

uint32_t example_count(void);           // of all of them
const example *example_at(uint32_t at); // below that

nav_status example_encode(const example *e, nav_buffer *out);

// Reads bytes as the kind of message that e is, and if they are one, writes it again into out (NULL: does not).
// Returns what the decoder says. Every byte that the decoded struct borrows is read.
nav_status example_decode(const example *e, const uint8_t *bytes, size_t count, nav_buffer *out, np_error *err);

#endif
