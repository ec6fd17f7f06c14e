// Internal: the words of a decoder's error: where it stands, what it got, what it expected. Any thread.
#ifndef NP_SCHEMA_WORDS_H
#define NP_SCHEMA_WORDS_H

#include "protocol/schema.h"

// Where the decoder stands: a list on the stack, rendered only when something is wrong.
typedef struct np_path {
    const struct np_path *up;
    const char *key; // NULL: an index
    uint32_t index;
} np_path;

// "ops[3].transform". Returns the length that the whole text has; out is cut to bytes. p NULL: writes nothing.
size_t np_path_render(const np_path *p, char *out, size_t bytes);

// world.edit promises the number of the operation: sets e->op where the path leads through ops[n].
void np_path_note_op(const np_path *p, np_error *e);

// What the peer sent, in a few words of ASCII.
void np_value_describe(const msgpack_object *o, char *out, size_t bytes);

// What a field takes, in words.
void np_field_expectation(const np_field *f, char *out, size_t bytes);

// The largest integer that a field takes.
uint64_t np_field_largest(const np_field *f);

#endif
