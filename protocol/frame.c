// A message is scanned as a walk over its headers. `left` is the stack of open containers, with the values that each
// still waits for; a value that ends may end its container, and so on upwards:
//
//     93            02           a4 't' 'i' 'l' 'e'        81 ...
//     array of 3    left: 3→2    header says 4 bytes: 2→1  map: push 2 (a key and a value)
//
// `at` may run ahead of the bytes at hand: the payload of a str or bin is stepped over, not looked at.
// Source: the MessagePack specification, https://github.com/msgpack/msgpack/blob/master/spec.md
#include "protocol/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// IDLE_BYTES: enough for ordinary calls, so that they do not allocate for each message.
enum { KEEP_BYTES = 64 * 1024, IDLE_BYTES = 16 * 1024, MAX_MESSAGE_BYTES = 1 << 30 };

void np_limits_default(np_limits *l)
{
    *l = (np_limits){
        .message_bytes = 64u << 20,
        .depth = 16,
        .elements = 1u << 20,
        .container_elements = 1u << 18,
    };
}

// What a header says: its own size, the bytes that follow it, and the values that follow it.
typedef struct header {
    uint8_t bytes;
    uint8_t length_bytes; // the last bytes of the header, when they are a length
    uint8_t fixed;        // else: bytes, array entries or map pairs, from the first byte
    enum { PLAIN, BYTES, EXT, ARRAY, MAP, NEVER } form;
} header;

static header read_first_byte(uint8_t b)
{
    if (b < 0x80 || b >= 0xe0) return (header){1, 0, 0, PLAIN};
    if (b < 0x90) return (header){1, 0, b & 0x0f, MAP};
    if (b < 0xa0) return (header){1, 0, b & 0x0f, ARRAY};
    if (b < 0xc0) return (header){1, 0, b & 0x1f, BYTES};
    static const header rest[0x20] = {
        [0x00] = {1, 0, 0, PLAIN},  [0x01] = {1, 0, 0, NEVER}, [0x02] = {1, 0, 0, PLAIN}, [0x03] = {1, 0, 0, PLAIN},
        [0x04] = {2, 1, 0, BYTES},  [0x05] = {3, 2, 0, BYTES}, [0x06] = {5, 4, 0, BYTES}, [0x07] = {2, 1, 0, EXT},
        [0x08] = {3, 2, 0, EXT},    [0x09] = {5, 4, 0, EXT},   [0x0a] = {1, 0, 4, BYTES}, [0x0b] = {1, 0, 8, BYTES},
        [0x0c] = {1, 0, 1, BYTES},  [0x0d] = {1, 0, 2, BYTES}, [0x0e] = {1, 0, 4, BYTES}, [0x0f] = {1, 0, 8, BYTES},
        [0x10] = {1, 0, 1, BYTES},  [0x11] = {1, 0, 2, BYTES}, [0x12] = {1, 0, 4, BYTES}, [0x13] = {1, 0, 8, BYTES},
        [0x14] = {1, 0, 2, BYTES},  [0x15] = {1, 0, 3, BYTES}, [0x16] = {1, 0, 5, BYTES}, [0x17] = {1, 0, 9, BYTES},
        [0x18] = {1, 0, 17, BYTES}, [0x19] = {2, 1, 0, BYTES}, [0x1a] = {3, 2, 0, BYTES}, [0x1b] = {5, 4, 0, BYTES},
        [0x1c] = {3, 2, 0, ARRAY},  [0x1d] = {5, 4, 0, ARRAY}, [0x1e] = {3, 2, 0, MAP},   [0x1f] = {5, 4, 0, MAP},
    };
    return rest[b - 0xc0];
}

static uint32_t read_length(const uint8_t *p, uint8_t bytes)
{
    uint32_t v = 0;
    for (uint8_t i = 0; i < bytes; i++) v = v << 8 | p[i];
    return v;
}

static nav_status over_limit(char *why, size_t why_bytes, const char *what, uint64_t value, uint32_t limit)
{
    snprintf(why, why_bytes, "%s: %" PRIu64 " exceeds the limit of %" PRIu32, what, value, limit);
    return NAV_ERR_LIMIT;
}

// A container begins: judge what it promises, before anything is stored for it.
static nav_status open_container(np_scan *s, const np_limits *l, uint32_t entries, bool map, char *why,
                                 size_t why_bytes)
{
    uint64_t values = (uint64_t)entries * (map ? 2 : 1);
    if (s->depth >= l->depth) return over_limit(why, why_bytes, "depth of nesting", (uint64_t)s->depth + 1, l->depth);
    if (entries > l->container_elements)
        return over_limit(why, why_bytes, map ? "pairs in a map" : "elements in an array", entries,
                          l->container_elements);
    if (s->elements + values > l->elements)
        return over_limit(why, why_bytes, "elements in a message", s->elements + values, l->elements);
    if (s->at + values > l->message_bytes) // each takes a byte at least
        return over_limit(why, why_bytes, "bytes in a message", s->at + values, l->message_bytes);
    s->elements += (uint32_t)values;
    if (values) s->left[s->depth++] = (uint32_t)values;
    return NAV_OK;
}

nav_status np_scan_run(np_scan *s, const np_limits *l, const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    if (!s->begun) {
        s->begun = true;
        s->elements = 1;
    }
    for (;;) {
        bool waiting = s->at == 0 || s->depth > 0; // for another header
        if (!waiting) return s->at <= count ? NAV_OK : NAV_ERR_AGAIN;
        if (s->at >= count) return NAV_ERR_AGAIN;
        header h = read_first_byte(bytes[s->at]);
        if (h.form == NEVER) {
            snprintf(why, why_bytes, "not valid MessagePack: byte 0x%02x at offset %zu starts no value", bytes[s->at],
                     s->at);
            return NAV_ERR_FORMAT;
        }
        if (count - s->at < h.bytes) return NAV_ERR_AGAIN;
        uint32_t length =
            h.length_bytes ? read_length(bytes + s->at + h.bytes - h.length_bytes, h.length_bytes) : h.fixed;
        uint64_t payload = h.form == BYTES ? length : h.form == EXT ? (uint64_t)length + 1 : 0;
        uint64_t end = (uint64_t)s->at + h.bytes + payload;
        if (end > l->message_bytes) return over_limit(why, why_bytes, "bytes in a message", end, l->message_bytes);
        s->at = (size_t)end;
        bool container = h.form == ARRAY || h.form == MAP;
        if (container) {
            nav_status st = open_container(s, l, length, h.form == MAP, why, why_bytes);
            if (st != NAV_OK) return st;
            if (length > 0) continue;
        }
        while (s->depth > 0 && --s->left[s->depth - 1] == 0) s->depth--;
    }
}

nav_status np_reader_init(np_reader *r, const np_limits *limits)
{
    memset(r, 0, sizeof *r);
    np_limits_default(&r->limits);
    if (limits) r->limits = *limits;
    const np_limits *l = &r->limits;
    bool valid = l->message_bytes >= 1 && l->message_bytes <= MAX_MESSAGE_BYTES && l->depth >= 1 &&
                 l->depth <= NP_MAX_DEPTH && l->elements >= 1 && l->elements <= MAX_MESSAGE_BYTES &&
                 l->container_elements >= 1;
    return valid ? NAV_OK : NAV_ERR_ARGUMENT;
}

void np_reader_deinit(np_reader *r)
{
    nav_buffer_deinit(&r->buffer);
    memset(r, 0, sizeof *r);
}

// Moves what is left to the front. A message that is half received moves at most once, because begin is 0 afterwards.
// more: bytes that come next.
static void drop_taken(np_reader *r, size_t more)
{
    if (r->begin == 0) return;
    size_t rest = r->buffer.size - r->begin;
    if (rest == 0 && r->buffer.capacity > KEEP_BYTES && r->buffer.capacity / 4 > more) {
        nav_buffer_deinit(&r->buffer); // one large message must not hold its memory for the session's life
        r->buffer = (nav_buffer){0};
    } else {
        if (rest) memmove(r->buffer.data, r->buffer.data + r->begin, rest);
        r->buffer.size = rest;
    }
    r->begin = 0;
}

void np_reader_trim(np_reader *r)
{
    size_t rest = np_reader_pending(r);
    nav_buffer less = {0};
    if (r->buffer.capacity <= IDLE_BYTES || r->buffer.capacity / 4 <= rest) return;
    if (nav_buffer_append(&less, r->buffer.data + r->begin, rest) != NAV_OK) return; // the next time
    nav_buffer_deinit(&r->buffer);
    r->buffer = less;
    r->begin = 0;
}

nav_status np_reader_room(np_reader *r, size_t count, uint8_t **out)
{
    if (r->failed != NAV_OK) return r->failed;
    drop_taken(r, count);
    nav_status s = nav_buffer_reserve(&r->buffer, count);
    if (s == NAV_OK) *out = r->buffer.data + r->buffer.size;
    return s;
}

void np_reader_received(np_reader *r, size_t count)
{
    r->buffer.size += count;
}

nav_status np_reader_feed(np_reader *r, const void *bytes, size_t count)
{
    uint8_t *to;
    if (count == 0) return r->failed;
    nav_status s = np_reader_room(r, count, &to);
    if (s != NAV_OK) return s;
    memcpy(to, bytes, count);
    np_reader_received(r, count);
    return NAV_OK;
}

nav_status np_reader_next(np_reader *r, const uint8_t **bytes, size_t *count)
{
    *bytes = NULL;
    *count = 0;
    if (r->failed != NAV_OK) return r->failed;
    size_t pending = np_reader_pending(r);
    if (pending == 0) return NAV_ERR_AGAIN;
    const uint8_t *start = r->buffer.data + r->begin;
    nav_status st = np_scan_run(&r->scan, &r->limits, start, pending, r->why, sizeof r->why);
    if (st == NAV_ERR_AGAIN) return st;
    if (st != NAV_OK) {
        r->failed = st;
        return st;
    }
    *bytes = start;
    *count = r->scan.at;
    r->begin += r->scan.at;
    r->scan = (np_scan){0};
    return NAV_OK;
}

void np_reader_put_back(np_reader *r, size_t count)
{
    r->begin -= count;
}

size_t np_reader_pending(const np_reader *r)
{
    return r->buffer.size - r->begin;
}
