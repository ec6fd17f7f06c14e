#include "protocol/tile_note.h"

#include "protocol/schema.h"

#include <string.h>

// First bytes of values, by the MessagePack specification.
enum { FIXMAP = 0x80, FIXSTR = 0xa0, NIL = 0xc0, BIN8 = 0xc4, UINT8 = 0xcc, INT8 = 0xd0, STR8 = 0xd9, NEGATIVE = 0xe0 };
enum { MAX_PAIRS = 15 };
enum { FIXED_BYTES = 320 }; // more than all keys, and all values that are neither string nor data

// A notification, its name; the map follows.
#define HEAD "\x93\x02\xa4tile"
// Strings as they stand in the message: a byte with the length, and the text.
#define SUBSCRIPTION "\xacsubscription"
#define WORLD "\xa5world"
#define PROFILE "\xa7profile"
#define X "\xa1x"
#define Z "\xa1z"
#define SHEET                                                                                                          \
    "\xa5"                                                                                                             \
    "sheet"
#define STATUS "\xa6status"
#define REASON "\xa6reason"
#define REVISION "\xa8revision"
#define CONTENT "\xa3key"
#define SIZE "\xa4size"
#define ENCODING                                                                                                       \
    "\xa8"                                                                                                             \
    "encoding"
#define QUEUED "\xa9queued_us"
#define MADE "\xa7made_us"
#define DATA                                                                                                           \
    "\xa4"                                                                                                             \
    "data"

// --- writing ---

static uint8_t *put(uint8_t *to, const void *bytes, size_t count)
{
    if (count) memcpy(to, bytes, count); // an empty string may have no data
    return to + count;
}

#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

// The low `count` bytes of a number, highest first.
static uint8_t *put_big(uint8_t *to, uint64_t v, unsigned count)
{
    for (unsigned i = 0; i < count; i++) to[i] = (uint8_t)(v >> (8 * (count - 1 - i)));
    return to + count;
}

// Headers of numbers and lengths: `first` is that of one byte, those of 2, 4 and 8 follow it.
static uint8_t *put_sized(uint8_t *to, uint8_t first, uint64_t v)
{
    unsigned log = v > UINT32_MAX ? 3 : v > UINT16_MAX ? 2 : v > UINT8_MAX ? 1 : 0;
    *to = (uint8_t)(first + log);
    return put_big(to + 1, v, 1u << log);
}

static uint8_t *put_uint(uint8_t *to, uint64_t v)
{
    if (v >= FIXMAP) return put_sized(to, UINT8, v);
    *to = (uint8_t)v;
    return to + 1;
}

static uint8_t *put_int(uint8_t *to, int32_t v)
{
    if (v >= 0) return put_uint(to, (uint64_t)v);
    unsigned log = v < INT16_MIN ? 2 : v < INT8_MIN ? 1 : 0;
    if (v < -32) *to++ = (uint8_t)(INT8 + log);
    return put_big(to, (uint32_t)v, 1u << log);
}

static uint8_t *put_str(uint8_t *to, np_str s)
{
    if (s.size < 32)
        *to++ = (uint8_t)(FIXSTR + s.size);
    else
        to = put_sized(to, STR8, s.size);
    return put(to, s.data, s.size);
}

static uint8_t *put_key(uint8_t *to, nav_key key)
{
    *to++ = BIN8;
    *to++ = NAV_KEY_BYTES;
    nav_key_store(key, to);
    return to + NAV_KEY_BYTES;
}

size_t np_tile_note_bound(const np_tile_note *n)
{
    const np_tile *t = &n->tile;
    return FIXED_BYTES + (size_t)n->profile.size + t->reason.size + (t->data.data ? t->data.size : 0);
}

size_t np_tile_note_write(const np_tile_note *n, uint8_t *out)
{
    const np_tile *t = &n->tile;
    bool has_key = !nav_key_is_zero(t->key);
    unsigned pairs = 7u + (t->sheet != 0) + (t->reason.size > 0) + has_key + (t->size > 0) + (t->encoding != 0) +
                     (t->queued_us > 0) + (t->made_us > 0) + (t->data.size > 0);
    uint8_t *p = PUT(out, HEAD);
    *p++ = (uint8_t)(FIXMAP + pairs);
    p = put_uint(PUT(p, SUBSCRIPTION), n->subscription);
    p = put_uint(PUT(p, WORLD), n->world);
    p = put_str(PUT(p, PROFILE), n->profile);
    p = put_int(PUT(p, X), t->x);
    p = put_int(PUT(p, Z), t->z);
    if (t->sheet) p = put_str(PUT(p, SHEET), np_str_of(np_sheet_names[t->sheet]));
    p = put_str(PUT(p, STATUS), np_str_of(np_tile_status_name(t->status)));
    if (t->reason.size) p = put_str(PUT(p, REASON), t->reason);
    p = put_uint(PUT(p, REVISION), t->revision);
    if (has_key) p = put_key(PUT(p, CONTENT), t->key);
    if (t->size) p = put_uint(PUT(p, SIZE), t->size);
    if (t->encoding) p = put_str(PUT(p, ENCODING), np_str_of(np_encoding_names[t->encoding]));
    if (t->queued_us) p = put_uint(PUT(p, QUEUED), t->queued_us);
    if (t->made_us) p = put_uint(PUT(p, MADE), t->made_us);
    if (t->data.size) p = put_sized(PUT(p, DATA), BIN8, t->data.size);
    if (t->data.data) p = put(p, t->data.data, t->data.size);
    return (size_t)(p - out);
}

// --- reading ---

typedef struct cursor {
    const uint8_t *at, *end;
    unsigned pairs; // keys taken
} cursor;

static bool take(cursor *c, const char *literal, size_t count)
{
    if ((size_t)(c->end - c->at) < count || memcmp(c->at, literal, count) != 0) return false;
    c->at += count;
    return true;
}

#define TAKE(c, literal) take(c, literal, sizeof(literal) - 1)
#define TAKE_KEY(c, literal) (TAKE(c, literal) && ++(c)->pairs)

static bool take_big(cursor *c, unsigned count, uint64_t *out)
{
    if ((size_t)(c->end - c->at) < count) return false;
    *out = 0;
    for (unsigned i = 0; i < count; i++) *out = *out << 8 | c->at[i];
    c->at += count;
    return true;
}

// A first byte between `first` and `first` + most says how many bytes follow: 1, 2, 4 or 8.
static bool take_sized(cursor *c, uint8_t first, unsigned most, uint64_t *out)
{
    if (c->at >= c->end || *c->at < first || *c->at > first + most) return false;
    unsigned log = *c->at++ - first;
    return take_big(c, 1u << log, out);
}

static bool take_uint(cursor *c, uint64_t *out)
{
    if (c->at >= c->end || *c->at >= FIXMAP) return take_sized(c, UINT8, 3, out);
    *out = *c->at++;
    return true;
}

static bool take_int(cursor *c, int32_t *out)
{
    uint64_t v;
    if (c->at < c->end && *c->at >= NEGATIVE) {
        *out = (int8_t)*c->at++;
        return true;
    }
    if (c->at < c->end && *c->at >= INT8 && *c->at < INT8 + 3) {
        unsigned unused = 64 - (8u << (*c->at - INT8));
        if (!take_sized(c, INT8, 2, &v)) return false;
        *out = (int32_t)((int64_t)(v << unused) >> unused);
        return true;
    }
    if (!take_uint(c, &v) || v > INT32_MAX) return false;
    *out = (int32_t)v;
    return true;
}

static bool take_bytes(cursor *c, uint64_t count, const uint8_t **out)
{
    if ((uint64_t)(c->end - c->at) < count) return false;
    *out = c->at;
    c->at += count;
    return true;
}

static bool take_str(cursor *c, np_str *out)
{
    uint64_t count;
    const uint8_t *bytes;
    if (c->at < c->end && *c->at >= FIXSTR && *c->at < NIL)
        count = *c->at++ - FIXSTR;
    else if (!take_sized(c, STR8, 2, &count))
        return false;
    if (!take_bytes(c, count, &bytes)) return false;
    *out = (np_str){(const char *)bytes, (uint32_t)count};
    return true;
}

static bool take_name(cursor *c, const char *const *names, unsigned *out)
{
    np_str s;
    if (!take_str(c, &s)) return false;
    for (*out = 0; names[*out]; ++*out)
        if (np_str_equal(s, names[*out])) return true;
    return false;
}

static bool take_bin(cursor *c, np_bin *out)
{
    uint64_t count;
    if (!take_sized(c, BIN8, 2, &count) || !take_bytes(c, count, &out->data)) return false;
    out->size = (uint32_t)count;
    return true;
}

static bool take_content(cursor *c, nav_key *out)
{
    np_bin b;
    if (!take_bin(c, &b) || b.size != NAV_KEY_BYTES) return false;
    *out = nav_key_load(b.data);
    return true;
}

static bool take_tile(cursor *c, np_tile *t)
{
    unsigned sheet, status, encoding;
    if (!TAKE_KEY(c, X) || !take_int(c, &t->x) || !TAKE_KEY(c, Z) || !take_int(c, &t->z)) return false;
    if (TAKE_KEY(c, SHEET)) {
        if (!take_name(c, np_sheet_names, &sheet)) return false;
        t->sheet = (nav_sheet)sheet;
    }
    if (!TAKE_KEY(c, STATUS) || !take_name(c, np_tile_status_names, &status)) return false;
    t->status = (np_tile_status)status;
    if (TAKE_KEY(c, REASON) && !take_str(c, &t->reason)) return false;
    if (!TAKE_KEY(c, REVISION) || !take_uint(c, &t->revision)) return false;
    if (TAKE_KEY(c, CONTENT) && !take_content(c, &t->key)) return false;
    if (TAKE_KEY(c, SIZE) && !take_uint(c, &t->size)) return false;
    if (TAKE_KEY(c, ENCODING)) {
        if (!take_name(c, np_encoding_names, &encoding)) return false;
        t->encoding = (np_encoding)encoding;
    }
    if (TAKE_KEY(c, QUEUED) && !take_uint(c, &t->queued_us)) return false;
    if (TAKE_KEY(c, MADE) && !take_uint(c, &t->made_us)) return false;
    return !TAKE_KEY(c, DATA) || take_bin(c, &t->data);
}

// The size of the note that the bytes begin with; 0: they begin with something else.
static size_t take_note(const uint8_t *bytes, size_t count, np_tile_note *out)
{
    cursor c = {.at = bytes, .end = bytes + count};
    *out = (np_tile_note){0};
    if (!TAKE(&c, HEAD) || c.at >= c.end || *c.at < FIXMAP || *c.at >= FIXMAP + MAX_PAIRS + 1) return 0;
    unsigned pairs = *c.at++ - FIXMAP;
    bool good = TAKE_KEY(&c, SUBSCRIPTION) && take_uint(&c, &out->subscription) && TAKE_KEY(&c, WORLD) &&
                take_uint(&c, &out->world) && TAKE_KEY(&c, PROFILE) && take_str(&c, &out->profile) &&
                take_tile(&c, &out->tile) && c.pairs == pairs;
    return good ? (size_t)(c.at - bytes) : 0;
}

bool np_tile_note_read(const uint8_t *bytes, size_t count, np_tile_note *out)
{
    return count && take_note(bytes, count, out) == count;
}

bool np_tile_note_next(np_reader *r, np_tile_note *out)
{
    const np_limits *l = &r->limits;
    size_t pending = np_reader_pending(r);
    if (r->failed != NAV_OK || r->scan.begun || !pending) return false;
    if (l->depth < 2 || l->container_elements < MAX_PAIRS || l->elements < 4 + 2 * MAX_PAIRS) return false;
    size_t size = take_note(r->buffer.data + r->begin, pending, out);
    if (!size || size > l->message_bytes) return false;
    r->begin += size;
    return true;
}
