#include "protocol/schema.h"

#include "core/base/endian.h"

#include <assert.h>
#include <string.h>

enum { MAX_STRUCT_BYTES = 1024 };

void np_schema_defaults(const np_schema *s, void *m)
{
    memset(m, 0, s->bytes);
    if (s->defaults) s->defaults(m);
}

static size_t value_bytes(const np_field *f)
{
    switch (f->type) {
    case NP_T_BOOL:
    case NP_T_U8:
        return 1;
    case NP_T_U16:
        return 2;
    case NP_T_U32:
    case NP_T_I32:
    case NP_T_F32:
    case NP_T_ENUM:
    case NP_T_SHEETS:
        return 4;
    case NP_T_U64:
    case NP_T_F64:
    case NP_T_AREAS:
        return 8;
    case NP_T_KEY:
        return sizeof(nav_key);
    case NP_T_DIGEST:
        return NP_DIGEST_BYTES;
    case NP_T_U16S:
        return 2 * (size_t)f->count;
    case NP_T_I32S:
    case NP_T_F32S:
    case NP_T_PACKED:
        return 4 * (size_t)f->count;
    case NP_T_F64S:
        return 8 * (size_t)f->count;
    default: // judged by is_written() in another way
        return 0;
    }
}

static uint32_t load_count(const np_field *f, const char *m)
{
    uint32_t n;
    memcpy(&n, m + f->count_offset, sizeof n);
    return n;
}

static uint32_t count_written(const np_schema *s, const char *m);

// Absent members and those that equal their default are left out.
static bool is_written(const np_field *f, const char *m, const char *defaults)
{
    if (f->flags & NP_REQUIRED) return true;
    if (f->has_offset) return m[f->has_offset] != 0;
    if (f->type == NP_T_STR) return ((const np_str *)(const void *)(m + f->offset))->size > 0;
    if (f->type == NP_T_BIN) return ((const np_bin *)(const void *)(m + f->offset))->size > 0;
    if (f->type == NP_T_LIST || f->type == NP_T_POINTS || f->type == NP_T_COUNTERS) return load_count(f, m) > 0;
    if (f->type == NP_T_MAP) return count_written(f->item, m + f->offset) > 0; // not by its bytes: structs have gaps
    return memcmp(m + f->offset, defaults + f->offset, value_bytes(f)) != 0;
}

static void write_floats(np_writer *w, const char *at, uint32_t count)
{
    uint8_t bytes[4 * 64];
    assert(count <= 64);
    for (uint32_t i = 0; i < count; i++) {
        float v;
        memcpy(&v, at + 4 * (size_t)i, sizeof v);
        nav_store_f32(bytes + 4 * (size_t)i, v);
    }
    np_write_bin(w, (np_bin){bytes, 4 * count});
}

static void write_areas(np_writer *w, uint64_t areas)
{
    np_write_array(w, (uint32_t)__builtin_popcountll(areas));
    for (uint32_t a = 0; a < NAV_AREA_COUNT; a++)
        if (areas >> a & 1) np_write_uint(w, a);
}

static void write_sheets(np_writer *w, uint32_t sheets)
{
    if (sheets == NAV_SHEETS_ALL) {
        np_write_text(w, "all");
        return;
    }
    np_write_array(w, (uint32_t)__builtin_popcount(sheets & NAV_SHEETS_ALL));
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        if (sheets >> s & 1) np_write_text(w, np_sheet_names[s]);
}

static uint64_t load_unsigned(const char *at, np_type type)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (type) {
    case NP_T_U8:
        return memcpy(&u8, at, sizeof u8), u8;
    case NP_T_U16:
    case NP_T_U16S:
        return memcpy(&u16, at, sizeof u16), u16;
    case NP_T_U64:
    case NP_T_AREAS:
        return memcpy(&u64, at, sizeof u64), u64;
    default:
        return memcpy(&u32, at, sizeof u32), u32;
    }
}

static void write_number(np_writer *w, const char *at, np_type type)
{
    float f32;
    double f64;
    switch (type) {
    case NP_T_I32:
    case NP_T_I32S:
        np_write_int(w, (int32_t)load_unsigned(at, NP_T_U32));
        break;
    case NP_T_F32:
    case NP_T_F32S:
        memcpy(&f32, at, sizeof f32);
        np_write_float(w, f32);
        break;
    case NP_T_F64:
    case NP_T_F64S:
        memcpy(&f64, at, sizeof f64);
        np_write_double(w, f64);
        break;
    default:
        np_write_uint(w, load_unsigned(at, type));
        break;
    }
}

static const char *name_of(const char *const *names, uint32_t value)
{
    for (uint32_t i = 0; names[i]; i++)
        if (i == value) return names[i];
    return "";
}

static void write_list(np_writer *w, const np_field *f, const char *m)
{
    uint32_t count = load_count(f, m);
    const char *items;
    memcpy(&items, m + f->offset, sizeof items);
    np_write_array(w, count);
    for (uint32_t i = 0; i < count; i++) np_schema_encode(w, f->item, items + i * f->item->bytes);
}

static void write_counters(np_writer *w, const np_field *f, const char *m)
{
    uint32_t count = load_count(f, m);
    const np_counter *counters;
    memcpy(&counters, m + f->offset, sizeof counters);
    np_write_map(w, count);
    for (uint32_t i = 0; i < count; i++) {
        np_write_str(w, counters[i].name);
        np_write_uint(w, counters[i].value);
    }
}

static void write_value(np_writer *w, const np_field *f, const char *m)
{
    const char *at = m + f->offset;
    nav_key key;
    uint8_t key_bytes[NAV_KEY_BYTES];
    size_t one;
    switch (f->type) {
    case NP_T_BOOL:
        np_write_bool(w, *at != 0);
        break;
    case NP_T_STR:
        np_write_str(w, *(const np_str *)(const void *)at);
        break;
    case NP_T_BIN:
        np_write_bin(w, *(const np_bin *)(const void *)at);
        break;
    case NP_T_KEY:
        memcpy(&key, at, sizeof key);
        if (f->flags & NP_NULLABLE && nav_key_is_zero(key)) {
            np_write_nil(w);
            break;
        }
        nav_key_store(key, key_bytes);
        np_write_bin(w, (np_bin){key_bytes, sizeof key_bytes});
        break;
    case NP_T_DIGEST:
        np_write_bin(w, (np_bin){(const uint8_t *)at, NP_DIGEST_BYTES});
        break;
    case NP_T_ENUM:
        np_write_text(w, name_of(f->names, (uint32_t)load_unsigned(at, NP_T_U32)));
        break;
    case NP_T_U16S:
    case NP_T_I32S:
    case NP_T_F32S:
    case NP_T_F64S:
        one = value_bytes(f) / f->count;
        np_write_array(w, f->count);
        for (uint32_t i = 0; i < f->count; i++) write_number(w, at + i * one, f->type);
        break;
    case NP_T_PACKED:
        write_floats(w, at, f->count);
        break;
    case NP_T_POINTS:
        write_floats(w, at, 2 * load_count(f, m));
        break;
    case NP_T_AREAS:
        write_areas(w, load_unsigned(at, NP_T_AREAS));
        break;
    case NP_T_SHEETS:
        write_sheets(w, (uint32_t)load_unsigned(at, NP_T_U32));
        break;
    case NP_T_COUNTERS:
        write_counters(w, f, m);
        break;
    case NP_T_MAP:
        np_schema_encode(w, f->item, at);
        break;
    case NP_T_LIST:
        write_list(w, f, m);
        break;
    default:
        write_number(w, at, f->type);
        break;
    }
}

// The pairs that write_pairs() will write.
static uint32_t count_written(const np_schema *s, const char *m)
{
    _Alignas(16) char defaults[MAX_STRUCT_BYTES];
    assert(s->bytes <= sizeof defaults);
    np_schema_defaults(s, defaults);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->field_count; i++) n += is_written(&s->fields[i], m, defaults);
    return n;
}

static void write_pairs(np_writer *w, const np_schema *s, const char *m)
{
    _Alignas(16) char defaults[MAX_STRUCT_BYTES];
    np_schema_defaults(s, defaults);
    for (uint32_t i = 0; i < s->field_count; i++) {
        const np_field *f = &s->fields[i];
        if (!is_written(f, m, defaults)) continue;
        np_write_text(w, f->key);
        write_value(w, f, m);
    }
}

// The elements of a tuple up to the last that is written.
static uint32_t tuple_written(const np_schema *s, const char *m)
{
    _Alignas(16) char defaults[MAX_STRUCT_BYTES];
    uint32_t count = s->field_count;
    if (s->fields[count - 1].flags & NP_REQUIRED) return count;
    np_schema_defaults(s, defaults);
    while (count && !is_written(&s->fields[count - 1], m, defaults)) count--;
    return count;
}

// Fields in s, and where there is one in its variant.
static void encode(np_writer *w, const np_schema *s, const np_schema *variant, const char *m)
{
    if (s->shape != NP_SHAPE_MAP) {
        uint32_t count = s->shape == NP_SHAPE_TUPLE ? tuple_written(s, m) : 1;
        if (s->shape == NP_SHAPE_TUPLE) np_write_array(w, count);
        for (uint32_t i = 0; i < count; i++) write_value(w, &s->fields[i], m);
        return;
    }
    np_write_map(w, count_written(s, m) + (variant ? count_written(variant, m) : 0));
    write_pairs(w, s, m);
    if (variant) write_pairs(w, variant, m);
}

void np_schema_encode(np_writer *w, const np_schema *s, const void *message)
{
    _Alignas(16) char converted[MAX_STRUCT_BYTES];
    const char *m = message;
    const np_axes *outer = w->axes;
    if (s->axes_offset) memcpy(&w->axes, m + s->axes_offset, sizeof w->axes);
    const np_schema *variant = NULL;
    if (s->variants) variant = s->variants[load_unsigned(m + s->fields[0].offset, NP_T_U32)];
    const np_schema *placed = variant ? variant : s;
    if (w->axes && np_schema_has_places(placed)) {
        assert(s->bytes <= sizeof converted);
        memcpy(converted, m, s->bytes);
        np_schema_from_metres(placed, w->axes, converted);
        m = converted;
    }
    encode(w, s, variant, m);
    w->axes = outer;
}
