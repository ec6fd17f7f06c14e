// The msgpack-rpc envelope: request [0, id, method, params], response [1, id, error, result], notification [2, method,
// params], and the error map. Params are one map; an array of one map, or an empty array, is taken as well, because
// many msgpack-rpc libraries can send nothing else.
//
// A received message is unpacked once; strings and bins point into the caller's bytes and everything else into the
// message's zone. Owner: one thread at a time; a message may move to another thread together with its bytes.
#ifndef NP_ENVELOPE_H
#define NP_ENVELOPE_H

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "protocol/axes.h"

#include <msgpack.h>
#include <stdbool.h>

typedef struct np_str {
    const char *data; // UTF-8, not terminated
    uint32_t size;
} np_str;

typedef struct np_bin {
    const uint8_t *data; // any alignment: read numbers with nav_load_*
    uint32_t size;
} np_bin;

np_str np_str_of(const char *text); // borrows
bool np_str_equal(np_str s, const char *text);
bool np_str_same(np_str a, np_str b);

// A str or a bin: libraries that know one kind of bytes only write either for the other, so what a peer sends is taken
// as what it has to be. Borrowed. False: it is neither.
bool np_text_of(const msgpack_object *o, np_str *out);
bool np_bytes_of(const msgpack_object *o, np_bin *out);

// Why a call failed, as it goes over the wire: {code, message, key?, op?}.
enum { NP_KEY_BYTES = 96, NP_ERROR_BYTES = 320 };
typedef struct np_error {
    nav_status code;
    bool has_op;
    uint32_t op;                  // world.edit: index of the operation at fault
    char key[NP_KEY_BYTES];       // path of the value at fault ("ops[3].transform"), or ""
    char message[NP_ERROR_BYTES]; // a sentence for a person; it repeats the key
} np_error;

// Fills *e (has_op false, key "") and returns code, so that `return np_error_set(e, NAV_ERR_LIMIT, "...")` reads well.
// e may be NULL.
nav_status np_error_set(np_error *e, nav_status code, const char *format, ...) NAV_PRINTF(3, 4);
// The same with the key at fault.
nav_status np_error_set_key(np_error *e, nav_status code, const char *key, const char *format, ...) NAV_PRINTF(4, 5);

typedef enum np_kind {
    NP_REQUEST = 0,
    NP_RESPONSE = 1,
    NP_NOTIFICATION = 2,
} np_kind;

typedef struct np_message {
    np_kind kind;
    uint32_t id;                  // request, response
    np_str method;                // request, notification: np_method_of() names it
    const msgpack_object *params; // request, notification: a map, or NULL for no params
    const msgpack_object *error;  // response: NULL when it succeeded
    const msgpack_object *result; // response: NULL when it failed
    msgpack_zone *zone;           // holds all the above but the bytes of str and bin
    const np_axes *axes;          // what decodes it converts places from these; NULL: they are metres, Y up. Borrowed
} np_message;

// The message's zone is the caller's from now on, to be freed with msgpack_zone_free(): what was decoded of it lives as
// long. Of the bytes it lives no longer than before.
msgpack_zone *np_message_take_zone(np_message *m);
// Unpacks one whole message, as np_reader_next() gives it (scanned, so within limits). *m must be released by
// np_message_deinit() whatever is returned, and the bytes must outlive it.
// NAV_ERR_ARGUMENT: a request whose params are neither a map nor an array of one map: id is set, so answer it with err.
// NAV_ERR_FORMAT: not msgpack-rpc at all: close the session. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status np_message_read(const uint8_t *bytes, size_t count, np_message *m, np_error *err);
void np_message_deinit(np_message *m); // accepts a zeroed message

// Appends the response [1, id, {code, message, key?, op?}, nil]. Like every encoder: NAV_ERR_MEMORY, NAV_ERR_LIMIT
// (over NP_ENCODE_MAX_BYTES), and then out is as it was.
NAV_MUST_USE nav_status np_error_encode(nav_buffer *out, uint32_t id, const np_error *e);

// Reads the error of a response. A peer's error of a foreign shape (msgpack-rpc allows anything) becomes
// NAV_ERR_INTERNAL with what can be said about it. Returns e->code, never NAV_OK.
NAV_MUST_USE nav_status np_error_decode(const np_message *response, np_error *e);

enum { NP_ENCODE_MAX_BYTES = 1 << 30 };

#endif
