#include "protocol/schema_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t np_path_render(const np_path *p, char *out, size_t bytes)
{
    if (!p) return 0;
    size_t used = np_path_render(p->up, out, bytes);
    if (used >= bytes) return used;
    int n = p->key ? snprintf(out + used, bytes - used, "%s%s", used ? "." : "", p->key)
                   : snprintf(out + used, bytes - used, "[%" PRIu32 "]", p->index);
    return used + (size_t)(n > 0 ? n : 0);
}

void np_path_note_op(const np_path *p, np_error *e)
{
    for (; p && p->up; p = p->up) {
        if (p->key || p->up->up || !p->up->key || strcmp(p->up->key, "ops") != 0) continue;
        e->has_op = true;
        e->op = p->index;
    }
}

void np_value_describe(const msgpack_object *o, char *out, size_t bytes)
{
    switch (o->type) {
    case MSGPACK_OBJECT_NIL:
        snprintf(out, bytes, "nil");
        break;
    case MSGPACK_OBJECT_BOOLEAN:
        snprintf(out, bytes, o->via.boolean ? "true" : "false");
        break;
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
        snprintf(out, bytes, "%" PRIu64, o->via.u64);
        break;
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        snprintf(out, bytes, "%" PRId64, o->via.i64);
        break;
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
        snprintf(out, bytes, "%g", o->via.f64);
        break;
    case MSGPACK_OBJECT_STR: {
        uint32_t shown = o->via.str.size < 40 ? o->via.str.size : 40;
        char text[41] = {0};
        for (uint32_t i = 0; i < shown; i++) {
            char c = o->via.str.ptr[i];
            text[i] = c >= ' ' && c <= '~' ? c : '?';
        }
        snprintf(out, bytes, "\"%s\"%s", text, shown < o->via.str.size ? "..." : "");
        break;
    }
    case MSGPACK_OBJECT_BIN:
        snprintf(out, bytes, "a bin of %" PRIu32 " bytes", o->via.bin.size);
        break;
    case MSGPACK_OBJECT_ARRAY:
        snprintf(out, bytes, "an array of %" PRIu32, o->via.array.size);
        break;
    case MSGPACK_OBJECT_MAP:
        snprintf(out, bytes, "a map of %" PRIu32, o->via.map.size);
        break;
    default:
        snprintf(out, bytes, "an extension type");
        break;
    }
}

uint64_t np_field_largest(const np_field *f)
{
    if (f->count && f->type <= NP_T_I32) return f->count;
    switch (f->type) {
    case NP_T_U8:
        return UINT8_MAX;
    case NP_T_U16:
    case NP_T_U16S:
        return UINT16_MAX;
    case NP_T_I32:
    case NP_T_I32S:
        return INT32_MAX;
    case NP_T_U64:
        return UINT64_MAX;
    default:
        return UINT32_MAX;
    }
}

void np_field_expectation(const np_field *f, char *out, size_t bytes)
{
    size_t used = 0;
    switch (f->type) {
    case NP_T_BOOL:
        snprintf(out, bytes, "true or false");
        break;
    case NP_T_I32:
        snprintf(out, bytes, "an integer from %" PRId32 " to %" PRId32, INT32_MIN, INT32_MAX);
        break;
    case NP_T_F32:
    case NP_T_F64:
        snprintf(out, bytes, "a finite number");
        break;
    case NP_T_STR:
        snprintf(out, bytes, "a string");
        break;
    case NP_T_BIN:
        if (f->count > 1)
            snprintf(out, bytes, "a bin of a multiple of %" PRIu32 " bytes", f->count);
        else
            snprintf(out, bytes, "a bin");
        break;
    case NP_T_KEY:
        snprintf(out, bytes, "a bin of %d bytes", NAV_KEY_BYTES);
        break;
    case NP_T_DIGEST:
        snprintf(out, bytes, "a bin of %d bytes", NP_DIGEST_BYTES);
        break;
    case NP_T_ENUM:
        for (uint32_t i = 0; f->names[i] && used < bytes; i++)
            used += (size_t)snprintf(out + used, bytes - used, "%s\"%s\"", i ? " or " : "", f->names[i]);
        break;
    case NP_T_U16S:
    case NP_T_I32S:
        snprintf(out, bytes, "an array of %" PRIu32 " integers", f->count);
        break;
    case NP_T_F32S:
    case NP_T_F64S:
        snprintf(out, bytes, "an array of %" PRIu32 " finite numbers", f->count);
        break;
    case NP_T_PACKED:
        snprintf(out, bytes, "%" PRIu32 " finite numbers, as an array or as a bin of float32", f->count);
        break;
    case NP_T_POINTS:
        snprintf(out, bytes, "x z pairs, at most %" PRIu32 ", finite, as an array or as a bin of float32",
                 f->count / 2);
        break;
    case NP_T_AREAS:
        snprintf(out, bytes, "an array of area types, 0 to %d", NAV_AREA_COUNT - 1);
        break;
    case NP_T_SHEETS:
        snprintf(out, bytes, "\"all\", or an array of one or more of \"up\", \"down\", \"x+\", \"x-\", \"z+\", \"z-\"");
        break;
    case NP_T_COUNTERS:
        snprintf(out, bytes, "a map of counters");
        break;
    case NP_T_MAP:
        snprintf(out, bytes, "a map");
        break;
    case NP_T_LIST:
        snprintf(out, bytes, "an array of at most %" PRIu32, f->count);
        break;
    default:
        snprintf(out, bytes, "an integer from 0 to %" PRIu64, np_field_largest(f));
        break;
    }
}
