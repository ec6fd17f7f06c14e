#include "protocol/envelope.h"

#include "protocol/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

np_str np_str_of(const char *text)
{
    return (np_str){text, (uint32_t)strlen(text)};
}

bool np_str_equal(np_str s, const char *text)
{
    return strlen(text) == s.size && (s.size == 0 || memcmp(s.data, text, s.size) == 0);
}

bool np_str_same(np_str a, np_str b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

bool np_text_of(const msgpack_object *o, np_str *out)
{
    if (o->type == MSGPACK_OBJECT_STR)
        *out = (np_str){o->via.str.ptr, o->via.str.size};
    else if (o->type == MSGPACK_OBJECT_BIN)
        *out = (np_str){o->via.bin.ptr, o->via.bin.size};
    else
        return false;
    return true;
}

bool np_bytes_of(const msgpack_object *o, np_bin *out)
{
    np_str s;
    if (!np_text_of(o, &s)) return false;
    *out = (np_bin){(const uint8_t *)s.data, s.size};
    return true;
}

NAV_PRINTF(4, 0)
static nav_status set_error(np_error *e, nav_status code, const char *key, const char *format, va_list args)
{
    if (!e) return code;
    *e = (np_error){.code = code};
    snprintf(e->key, sizeof e->key, "%s", key);
    vsnprintf(e->message, sizeof e->message, format, args);
    return code;
}

nav_status np_error_set(np_error *e, nav_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error(e, code, "", format, args);
    va_end(args);
    return code;
}

nav_status np_error_set_key(np_error *e, nav_status code, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error(e, code, key, format, args);
    va_end(args);
    return code;
}

static nav_status unpack(const uint8_t *bytes, size_t count, np_message *m, msgpack_object *root, np_error *err)
{
    nav_status st = NAV_OK;
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t end = 0;
    msgpack_unpack_return r = msgpack_unpack_next(&unpacked, (const char *)bytes, count, &end);
    switch (r) {
    case MSGPACK_UNPACK_SUCCESS:
    case MSGPACK_UNPACK_EXTRA_BYTES:
        break;
    case MSGPACK_UNPACK_CONTINUE:
        st = np_error_set(err, NAV_ERR_FORMAT, "the message ends too early");
        goto done;
    case MSGPACK_UNPACK_PARSE_ERROR:
        st = np_error_set(err, NAV_ERR_FORMAT, "not valid MessagePack");
        goto done;
    case MSGPACK_UNPACK_NOMEM_ERROR:
        st = np_error_set(err, NAV_ERR_MEMORY, "no memory to unpack a message of %zu bytes", count);
        goto done;
    }
    if (end != count) {
        st = np_error_set(err, NAV_ERR_FORMAT, "%zu bytes follow the message", count - end);
        goto done;
    }
    *root = unpacked.data;
    m->zone = msgpack_unpacked_release_zone(&unpacked);
done:
    msgpack_unpacked_destroy(&unpacked);
    return st;
}

static bool is_id(const msgpack_object *o)
{
    return o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= UINT32_MAX;
}

// A map; or nothing, [] and [map], which is how libraries with positional parameters send them.
static nav_status read_params(const msgpack_object *o, np_message *m, np_error *err)
{
    m->params = NULL;
    if (o->type == MSGPACK_OBJECT_NIL) return NAV_OK;
    if (o->type == MSGPACK_OBJECT_ARRAY) {
        if (o->via.array.size == 0) return NAV_OK;
        if (o->via.array.size > 1)
            return np_error_set(err, NAV_ERR_ARGUMENT, "params: %u values, expected one map", o->via.array.size);
        o = o->via.array.ptr;
    }
    if (o->type != MSGPACK_OBJECT_MAP)
        return np_error_set(err, NAV_ERR_ARGUMENT, "params: expected one map, or an array with one map in it");
    m->params = o;
    return NAV_OK;
}

static nav_status read_method(const msgpack_object *o, np_message *m, np_error *err)
{
    if (np_text_of(o, &m->method)) return NAV_OK;
    return np_error_set(err, NAV_ERR_FORMAT, "the name of the method is not a string");
}

nav_status np_message_read(const uint8_t *bytes, size_t count, np_message *m, np_error *err)
{
    memset(m, 0, sizeof *m);
    msgpack_object root = {0};
    nav_status st = unpack(bytes, count, m, &root, err);
    if (st != NAV_OK) return st;
    if (root.type != MSGPACK_OBJECT_ARRAY || root.via.array.size < 3)
        return np_error_set(err, NAV_ERR_FORMAT, "a message must be an array [type, ...]");
    const msgpack_object *part = root.via.array.ptr;
    uint32_t parts = root.via.array.size;
    if (part[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER || part[0].via.u64 > NP_NOTIFICATION)
        return np_error_set(err, NAV_ERR_FORMAT, "the type of a message must be 0, 1 or 2");
    m->kind = (np_kind)part[0].via.u64;
    if (parts != (m->kind == NP_NOTIFICATION ? 3u : 4u))
        return np_error_set(err, NAV_ERR_FORMAT, "a message of type %d has %u parts", (int)m->kind, parts);
    if (m->kind == NP_NOTIFICATION) {
        st = read_method(&part[1], m, err);
        return st == NAV_OK ? read_params(&part[2], m, err) : st;
    }
    if (!is_id(&part[1])) return np_error_set(err, NAV_ERR_FORMAT, "the id is not an unsigned 32-bit integer");
    m->id = (uint32_t)part[1].via.u64;
    if (m->kind == NP_REQUEST) {
        st = read_method(&part[2], m, err);
        return st == NAV_OK ? read_params(&part[3], m, err) : st;
    }
    bool failed = part[2].type != MSGPACK_OBJECT_NIL;
    m->error = failed ? &part[2] : NULL;
    m->result = failed ? NULL : &part[3];
    return NAV_OK;
}

msgpack_zone *np_message_take_zone(np_message *m)
{
    msgpack_zone *zone = m->zone;
    m->zone = NULL;
    return zone;
}

void np_message_deinit(np_message *m)
{
    if (m->zone) msgpack_zone_free(m->zone);
    memset(m, 0, sizeof *m);
}

nav_status np_error_encode(nav_buffer *out, uint32_t id, const np_error *e)
{
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 4);
    np_write_uint(&w, NP_RESPONSE);
    np_write_uint(&w, id);
    np_write_map(&w, 2 + (e->key[0] != '\0') + e->has_op);
    np_write_text(&w, "code");
    np_write_text(&w, nav_status_name(e->code));
    np_write_text(&w, "message");
    np_write_text(&w, e->message[0] ? e->message : nav_status_text(e->code));
    if (e->key[0]) {
        np_write_text(&w, "key");
        np_write_text(&w, e->key);
    }
    if (e->has_op) {
        np_write_text(&w, "op");
        np_write_uint(&w, e->op);
    }
    np_write_nil(&w);
    return np_writer_finish(&w);
}

static nav_status code_of_name(np_str name)
{
    for (int s = NAV_OK + 1; s < NAV_STATUS_COUNT; s++)
        if (np_str_equal(name, nav_status_name((nav_status)s))) return (nav_status)s;
    return NAV_ERR_INTERNAL;
}

static void copy_str(char *to, size_t bytes, np_str s)
{
    size_t n = s.size < bytes - 1 ? s.size : bytes - 1;
    if (n) memcpy(to, s.data, n); // an empty string may have no data
    to[n] = '\0';
}

nav_status np_error_decode(const np_message *response, np_error *e)
{
    np_error scratch;
    if (!e) e = &scratch;
    *e = (np_error){.code = NAV_ERR_INTERNAL};
    const msgpack_object *o = response->error;
    np_str key, text;
    if (o && np_text_of(o, &text)) {
        copy_str(e->message, sizeof e->message, text);
        return e->code;
    }
    if (!o || o->type != MSGPACK_OBJECT_MAP) {
        copy_str(e->message, sizeof e->message, np_str_of("the peer reports an error without a message"));
        return e->code;
    }
    for (uint32_t i = 0; i < o->via.map.size; i++) {
        const msgpack_object *k = &o->via.map.ptr[i].key, *v = &o->via.map.ptr[i].val;
        if (!np_text_of(k, &key)) continue;
        if (v->type == MSGPACK_OBJECT_POSITIVE_INTEGER && v->via.u64 <= UINT32_MAX && np_str_equal(key, "op")) {
            e->has_op = true;
            e->op = (uint32_t)v->via.u64;
        }
        if (!np_text_of(v, &text)) continue;
        if (np_str_equal(key, "code")) e->code = code_of_name(text);
        if (np_str_equal(key, "message")) copy_str(e->message, sizeof e->message, text);
        if (np_str_equal(key, "key")) copy_str(e->key, sizeof e->key, text);
    }
    return e->code;
}
