// A message written by hand, one value after the other, so that what peers send can be anything; and what the protocol
// makes of it.
#ifndef TESTS_PROTOCOL_SCRIPT_H
#define TESTS_PROTOCOL_SCRIPT_H

#include "protocol/messages.h"
#include "tests/check.h"

#include <msgpack.h>
#include <string.h>

typedef struct script {
    msgpack_sbuffer bytes;
    msgpack_packer p;
} script;

static inline void begin(script *s, const char *method, uint32_t pairs)
{
    msgpack_sbuffer_init(&s->bytes);
    msgpack_packer_init(&s->p, &s->bytes, msgpack_sbuffer_write);
    msgpack_pack_array(&s->p, 4);
    msgpack_pack_int(&s->p, 0);
    msgpack_pack_int(&s->p, 1);
    msgpack_pack_str(&s->p, strlen(method));
    msgpack_pack_str_body(&s->p, method, strlen(method));
    msgpack_pack_map(&s->p, pairs);
}

static inline void text(script *s, const char *t)
{
    msgpack_pack_str(&s->p, strlen(t));
    msgpack_pack_str_body(&s->p, t, strlen(t));
}

static inline void number(script *s, const char *key, int64_t v)
{
    text(s, key);
    msgpack_pack_int64(&s->p, v);
}

static inline void word(script *s, const char *key, const char *v)
{
    text(s, key);
    text(s, v);
}

static inline void doubles(script *s, const char *key, uint32_t count, const double *v)
{
    text(s, key);
    msgpack_pack_array(&s->p, count);
    for (uint32_t i = 0; i < count; i++) msgpack_pack_double(&s->p, v[i]);
}

static inline void bin(script *s, const char *key, const void *bytes, size_t count)
{
    text(s, key);
    msgpack_pack_bin(&s->p, count);
    msgpack_pack_bin_body(&s->p, bytes, count);
}

// Decodes the script as the request of a method into m.
static inline nav_status run(script *s, np_method method, void *m, np_message *in, np_error *err)
{
    *err = (np_error){0};
    nav_status st = np_message_read((const uint8_t *)s->bytes.data, s->bytes.size, in, err);
    if (st != NAV_OK) return st;
    ck_assert_int_eq(np_method_of(in), method);
    return np_request_decode(in, method, m, err);
}

static inline void end(script *s, np_message *in)
{
    np_message_deinit(in);
    msgpack_sbuffer_destroy(&s->bytes);
}

// Runs a script that must fail, and compares the words.
static inline void refuse(script *s, np_method method, const char *key, const char *message)
{
    _Alignas(16) char m[1024];
    np_message in;
    np_error err;
    ck_assert_int_eq(run(s, method, m, &in, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.message, message);
    ck_assert_str_eq(err.key, key);
    end(s, &in);
}

#endif
