#include "protocol/schema.h"
#include "protocol/schema_words.h"

#include "core/base/endian.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct decoder {
    msgpack_zone *zone;
    const np_axes *axes; // NULL: metres, Y up
    np_error *err;
} decoder;

static nav_status decode_struct(decoder *d, const np_path *at, const np_schema *s, const msgpack_object *o, char *m);

static nav_status fail(decoder *d, const np_path *at, nav_status code, const char *words)
{
    char key[NP_KEY_BYTES] = "";
    np_path_render(at, key, sizeof key);
    if (key[0])
        np_error_set_key(d->err, code, key, "%s: %s", key, words);
    else
        np_error_set(d->err, code, "%s", words);
    if (d->err) np_path_note_op(at, d->err);
    return code;
}

static nav_status unexpected(decoder *d, const np_path *at, const msgpack_object *got, const char *expected)
{
    char what[64], words[NP_ERROR_BYTES];
    np_value_describe(got, what, sizeof what);
    snprintf(words, sizeof words, "%s, expected %s", what, expected);
    return fail(d, at, NAV_ERR_ARGUMENT, words);
}

static nav_status wrong(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o)
{
    char expected[192];
    np_field_expectation(f, expected, sizeof expected);
    return unexpected(d, at, o, expected);
}

// A number of the field's type into its place. False: it is something else, or out of range.
static bool store_number(const np_field *f, const msgpack_object *o, char *to)
{
    bool whole = o->type == MSGPACK_OBJECT_POSITIVE_INTEGER || o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
    bool fraction = o->type == MSGPACK_OBJECT_FLOAT32 || o->type == MSGPACK_OBJECT_FLOAT64;
    bool negative = o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER;
    if (f->type == NP_T_F32 || f->type == NP_T_F32S || f->type == NP_T_F64 || f->type == NP_T_F64S ||
        f->type == NP_T_PACKED || f->type == NP_T_POINTS) {
        if (!whole && !fraction) return false;
        double v = fraction ? o->via.f64 : negative ? (double)o->via.i64 : (double)o->via.u64;
        if (!isfinite(v)) return false;
        if (f->type == NP_T_F64 || f->type == NP_T_F64S) {
            memcpy(to, &v, sizeof v);
            return true;
        }
        if (fabs(v) > 3.4028234663852886e38) return false; // no float is that large
        float narrow = (float)v;
        memcpy(to, &narrow, sizeof narrow);
        return true;
    }
    if (!whole) return false;
    if (f->type == NP_T_I32 || f->type == NP_T_I32S) {
        if (negative ? o->via.i64 < INT32_MIN : o->via.u64 > INT32_MAX) return false;
        int32_t v = negative ? (int32_t)o->via.i64 : (int32_t)o->via.u64;
        memcpy(to, &v, sizeof v);
        return true;
    }
    if (negative || o->via.u64 > np_field_largest(f)) return false;
    uint64_t v = o->via.u64;
    uint8_t u8 = (uint8_t)v;
    uint16_t u16 = (uint16_t)v;
    uint32_t u32 = (uint32_t)v;
    if (f->type == NP_T_U8)
        memcpy(to, &u8, sizeof u8);
    else if (f->type == NP_T_U16 || f->type == NP_T_U16S)
        memcpy(to, &u16, sizeof u16);
    else if (f->type == NP_T_U32)
        memcpy(to, &u32, sizeof u32);
    else
        memcpy(to, &v, sizeof v);
    return true;
}

static size_t number_bytes(np_type t)
{
    return t == NP_T_U16S ? 2 : t == NP_T_F64S ? 8 : 4;
}

static nav_status decode_array(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *to)
{
    const msgpack_object *item = o->via.array.ptr;
    for (uint32_t i = 0; i < o->via.array.size; i++) {
        np_path here = {at, NULL, i};
        if (store_number(f, &item[i], to + i * number_bytes(f->type))) continue;
        np_field one = *f; // the words for one of them
        one.type = f->type == NP_T_U16S ? NP_T_U16 : f->type == NP_T_I32S ? NP_T_I32 : NP_T_F32;
        one.count = 0;
        return wrong(d, &here, &one, &item[i]);
    }
    return NAV_OK;
}

// A bin of float32 or an array of numbers. exact: count of them; else an even number up to count.
static nav_status decode_packed(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *m)
{
    np_bin bytes;
    bool exact = f->type == NP_T_PACKED, bin = np_bytes_of(o, &bytes);
    if (!bin && o->type != MSGPACK_OBJECT_ARRAY) return wrong(d, at, f, o);
    if (bin && bytes.size % 4 != 0) return wrong(d, at, f, o);
    uint32_t count = bin ? bytes.size / 4 : o->via.array.size;
    if (exact ? count != f->count : count > f->count || count % 2 != 0) return wrong(d, at, f, o);
    if (!exact) {
        uint32_t points = count / 2;
        memcpy(m + f->count_offset, &points, sizeof points);
    }
    if (!bin) return decode_array(d, at, f, o, m + f->offset);
    for (uint32_t i = 0; i < count; i++) {
        float v = nav_load_f32(bytes.data + 4 * (size_t)i);
        if (!isfinite(v)) {
            np_path here = {at, NULL, i};
            return fail(d, &here, NAV_ERR_ARGUMENT,
                        isnan(v) ? "nan, expected a finite number" : "inf, expected a finite number");
        }
        memcpy(m + f->offset + 4 * (size_t)i, &v, sizeof v);
    }
    return NAV_OK;
}

static nav_status decode_enum(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *to)
{
    np_str s;
    if (o->type == MSGPACK_OBJECT_BOOLEAN && f->flags & NP_SWITCH) {
        const uint32_t place = o->via.boolean;
        memcpy(to, &place, sizeof place);
        return NAV_OK;
    }
    if (!np_text_of(o, &s)) return wrong(d, at, f, o);
    for (uint32_t i = 0; f->names[i]; i++) {
        if (!np_str_equal(s, f->names[i])) continue;
        memcpy(to, &i, sizeof i);
        return NAV_OK;
    }
    return wrong(d, at, f, o);
}

static nav_status decode_areas(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *to)
{
    if (o->type != MSGPACK_OBJECT_ARRAY) return wrong(d, at, f, o);
    static const np_field area = {.type = NP_T_U8, .count = NAV_AREA_COUNT - 1};
    uint64_t areas = 0;
    for (uint32_t i = 0; i < o->via.array.size; i++) {
        np_path here = {at, NULL, i};
        uint8_t a;
        if (!store_number(&area, &o->via.array.ptr[i], (char *)&a)) return wrong(d, &here, &area, &o->via.array.ptr[i]);
        areas |= (uint64_t)1 << a;
    }
    memcpy(to, &areas, sizeof areas);
    return NAV_OK;
}

#define SHEET_NAMES "\"up\", \"down\", \"x+\", \"x-\", \"z+\" or \"z-\""

static bool find_sheet(const msgpack_object *o, uint32_t *sheets)
{
    np_str name;
    if (!np_text_of(o, &name)) return false;
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        if (np_str_equal(name, np_sheet_names[s])) {
            *sheets |= UINT32_C(1) << s;
            return true;
        }
    return false;
}

static nav_status decode_sheets(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *to)
{
    uint32_t sheets = 0;
    np_str all;
    if (np_text_of(o, &all) && np_str_equal(all, "all"))
        sheets = NAV_SHEETS_ALL;
    else if (o->type != MSGPACK_OBJECT_ARRAY || !o->via.array.size)
        return wrong(d, at, f, o);
    for (uint32_t i = 0; sheets != NAV_SHEETS_ALL && i < o->via.array.size; i++) {
        np_path here = {at, NULL, i};
        if (!find_sheet(&o->via.array.ptr[i], &sheets)) return unexpected(d, &here, &o->via.array.ptr[i], SHEET_NAMES);
    }
    memcpy(to, &sheets, sizeof sheets);
    return NAV_OK;
}

// Room for `count` structs behind the pointer of a list field.
static nav_status take_list(decoder *d, const np_path *at, const np_field *f, uint32_t count, size_t bytes, char *m,
                            char **items)
{
    *items = NULL;
    if (count) {
        *items = msgpack_zone_malloc(d->zone, count * bytes);
        if (!*items) return fail(d, at, NAV_ERR_MEMORY, nav_status_text(NAV_ERR_MEMORY));
    }
    memcpy(m + f->count_offset, &count, sizeof count);
    memcpy(m + f->offset, items, sizeof *items);
    return NAV_OK;
}

static nav_status decode_list(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *m)
{
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size > f->count) return wrong(d, at, f, o);
    char *items;
    nav_status st = take_list(d, at, f, o->via.array.size, f->item->bytes, m, &items);
    for (uint32_t i = 0; st == NAV_OK && i < o->via.array.size; i++) {
        np_path here = {at, NULL, i};
        st = decode_struct(d, &here, f->item, &o->via.array.ptr[i], items + i * f->item->bytes);
    }
    return st;
}

static nav_status decode_counters(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *m)
{
    if (o->type != MSGPACK_OBJECT_MAP || o->via.map.size > f->count) return wrong(d, at, f, o);
    char *items;
    nav_status st = take_list(d, at, f, o->via.map.size, sizeof(np_counter), m, &items);
    np_counter *counters = (np_counter *)(void *)items;
    for (uint32_t i = 0; st == NAV_OK && i < o->via.map.size; i++) {
        const msgpack_object_kv *kv = &o->via.map.ptr[i];
        np_path here = {at, NULL, i};
        if (!np_text_of(&kv->key, &counters[i].name)) return unexpected(d, &here, &kv->key, "a name");
        if (kv->val.type != MSGPACK_OBJECT_POSITIVE_INTEGER) return unexpected(d, &here, &kv->val, "a counter");
        counters[i].value = kv->val.via.u64;
    }
    return st;
}

static nav_status decode_value(decoder *d, const np_path *at, const np_field *f, const msgpack_object *o, char *m)
{
    char *to = m + f->offset;
    np_bin bytes;
    switch (f->type) {
    case NP_T_BOOL:
        if (o->type != MSGPACK_OBJECT_BOOLEAN) return wrong(d, at, f, o);
        *to = o->via.boolean;
        return NAV_OK;
    case NP_T_STR:
        return np_text_of(o, (np_str *)(void *)to) ? NAV_OK : wrong(d, at, f, o);
    case NP_T_BIN:
        if (!np_bytes_of(o, &bytes) || (f->count > 1 && bytes.size % f->count != 0)) return wrong(d, at, f, o);
        *(np_bin *)(void *)to = bytes;
        return NAV_OK;
    case NP_T_KEY:
        if (o->type == MSGPACK_OBJECT_NIL && f->flags & NP_NULLABLE) {
            *(nav_key *)(void *)to = (nav_key){0, 0};
            return NAV_OK;
        }
        if (!np_bytes_of(o, &bytes) || bytes.size != NAV_KEY_BYTES) return wrong(d, at, f, o);
        *(nav_key *)(void *)to = nav_key_load(bytes.data);
        return NAV_OK;
    case NP_T_DIGEST:
        if (!np_bytes_of(o, &bytes) || bytes.size != NP_DIGEST_BYTES) return wrong(d, at, f, o);
        memcpy(to, bytes.data, NP_DIGEST_BYTES);
        return NAV_OK;
    case NP_T_ENUM:
        return decode_enum(d, at, f, o, to);
    case NP_T_U16S:
    case NP_T_I32S:
    case NP_T_F32S:
    case NP_T_F64S:
        if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != f->count) return wrong(d, at, f, o);
        return decode_array(d, at, f, o, to);
    case NP_T_PACKED:
    case NP_T_POINTS:
        return decode_packed(d, at, f, o, m);
    case NP_T_AREAS:
        return decode_areas(d, at, f, o, to);
    case NP_T_SHEETS:
        return decode_sheets(d, at, f, o, to);
    case NP_T_COUNTERS:
        return decode_counters(d, at, f, o, m);
    case NP_T_MAP:
        return decode_struct(d, at, f->item, o, to);
    case NP_T_LIST:
        return decode_list(d, at, f, o, m);
    default:
        return store_number(f, o, to) ? NAV_OK : wrong(d, at, f, o);
    }
}

// Peers send keys in the table's order mostly, so look at the next field first.
static const np_field *find_field(const np_schema *s, np_str key, uint32_t *next)
{
    for (uint32_t n = 0; n < s->field_count; n++) {
        uint32_t i = *next + n < s->field_count ? *next + n : *next + n - s->field_count;
        if (!np_str_equal(key, s->fields[i].key)) continue;
        *next = i + 1 < s->field_count ? i + 1 : 0;
        return &s->fields[i];
    }
    return NULL;
}

static nav_status missing(decoder *d, const np_path *at, const np_field *f)
{
    char expected[240], words[NP_ERROR_BYTES];
    np_path here = {at, f->key, 0};
    np_field_expectation(f, expected, sizeof expected);
    snprintf(words, sizeof words, "missing, expected %s", expected);
    return fail(d, &here, NAV_ERR_ARGUMENT, words);
}

// The pairs of a map. tag: the field that chose this variant and is not in its table, or NULL.
static nav_status decode_map(decoder *d, const np_path *at, const np_schema *s, const np_field *tag,
                             const msgpack_object_map *map, char *m)
{
    uint64_t seen = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < map->size; i++) {
        const msgpack_object *k = &map->ptr[i].key, *v = &map->ptr[i].val;
        const np_field *f = NULL;
        np_str key;
        if (np_text_of(k, &key)) {
            if (tag && np_str_equal(key, tag->key)) continue;
            f = find_field(s, key, &next);
        }
        if (!f) {
            if (s->strict) return unexpected(d, at, k, "a known key (see the protocol's table)");
            continue;
        }
        np_path here = {at, f->key, 0};
        uint64_t bit = (uint64_t)1 << (f - s->fields);
        if (seen & bit) return fail(d, &here, NAV_ERR_ARGUMENT, "given twice");
        seen |= bit;
        if (v->type == MSGPACK_OBJECT_NIL) {
            if (f->flags & NP_REQUIRED) return wrong(d, &here, f, v);
            continue;
        }
        nav_status st = decode_value(d, &here, f, v, m);
        if (st != NAV_OK) return st;
        if (f->has_offset) m[f->has_offset] = 1;
    }
    for (uint32_t i = 0; i < s->field_count; i++)
        if ((s->fields[i].flags & NP_REQUIRED) && !(seen >> i & 1)) return missing(d, at, &s->fields[i]);
    if (s->imply) s->imply(s, seen, m);
    return NAV_OK;
}

static nav_status decode_tuple(decoder *d, const np_path *at, const np_schema *s, const msgpack_object *o, char *m)
{
    uint32_t required = 0;
    while (required < s->field_count && s->fields[required].flags & NP_REQUIRED) required++;
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size < required || o->via.array.size > s->field_count) {
        char words[160] = "[";
        size_t used = 1;
        for (uint32_t i = 0; i < s->field_count && used < sizeof words; i++)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s%s", s->fields[i].key,
                                     i >= required ? " (optional)" : "", i + 1 < s->field_count ? ", " : "]");
        return unexpected(d, at, o, words);
    }
    if (required < s->field_count) np_schema_defaults(s, m);
    for (uint32_t i = 0; i < o->via.array.size; i++) {
        np_path here = {at, s->fields[i].key, 0};
        nav_status st = decode_value(d, &here, &s->fields[i], &o->via.array.ptr[i], m);
        if (st != NAV_OK) return st;
    }
    return NAV_OK;
}

// What makes it whole by itself: places become metres with Y up first, which is what checks look at.
static nav_status finish(decoder *d, const np_path *at, const np_schema *s, char *m)
{
    char why[200] = "";
    nav_status st = d->axes ? np_schema_to_metres(s, d->axes, m, why, sizeof why) : NAV_OK;
    if (st == NAV_OK && s->check) st = s->check(m, why, sizeof why);
    if (st != NAV_OK && d->axes && np_schema_has_places(s)) { // the client has sent other numbers
        size_t used = strlen(why);
        snprintf(why + used, sizeof why - used, " (converted to metres, Y up)");
    }
    return st == NAV_OK ? st : fail(d, at, st, why);
}

static nav_status find_tag(decoder *d, const np_path *at, const np_field *tag, const msgpack_object_map *map, char *m)
{
    for (uint32_t i = 0; i < map->size; i++) {
        np_str key;
        if (!np_text_of(&map->ptr[i].key, &key) || !np_str_equal(key, tag->key)) continue;
        np_path here = {at, tag->key, 0};
        return decode_enum(d, &here, tag, &map->ptr[i].val, m + tag->offset);
    }
    return missing(d, at, tag);
}

static nav_status decode_struct(decoder *d, const np_path *at, const np_schema *s, const msgpack_object *o, char *m)
{
    if (s->shape == NP_SHAPE_BARE) {
        nav_status st = decode_value(d, at, &s->fields[0], o, m);
        return st == NAV_OK ? finish(d, at, s, m) : st;
    }
    if (s->shape == NP_SHAPE_TUPLE) return decode_tuple(d, at, s, o, m);
    if (o->type != MSGPACK_OBJECT_MAP) return unexpected(d, at, o, "a map");
    const np_field *tag = NULL;
    if (s->variants) {
        tag = &s->fields[0];
        uint32_t kind;
        nav_status st = find_tag(d, at, tag, &o->via.map, m);
        if (st != NAV_OK) return st;
        memcpy(&kind, m + tag->offset, sizeof kind);
        s = s->variants[kind];
        np_schema_defaults(s, m);
        memcpy(m + tag->offset, &kind, sizeof kind);
    } else {
        np_schema_defaults(s, m);
    }
    nav_status st = decode_map(d, at, s, tag, &o->via.map, m);
    return st == NAV_OK ? finish(d, at, s, m) : st;
}

nav_status np_schema_decode(const np_schema *s, const msgpack_object *value, msgpack_zone *zone, const np_axes *axes,
                            void *m, np_error *err)
{
    static const msgpack_object empty = {.type = MSGPACK_OBJECT_MAP};
    decoder d = {zone, axes, err};
    return decode_struct(&d, NULL, s, value ? value : &empty, m);
}
