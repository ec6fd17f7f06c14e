#include "daemon/replica/entry.h"

#include "core/base/endian.h"

#include <string.h>

enum { VERSION = 1, ENTRY = 'E', LEADER = 'L', STATE = 'S', LEASE = 'H', KIND_BYTES = 2 };

// --- bytes, one after the other ---

typedef struct out_bytes {
    nav_buffer *to;
    nav_status status;
} out_bytes;

static void put(out_bytes *o, const void *bytes, size_t count)
{
    if (o->status == NAV_OK) o->status = nav_buffer_append(o->to, bytes, count);
}

static void put_number(out_bytes *o, uint64_t v, unsigned bytes)
{
    uint8_t all[8];
    nav_store_u64(all, v);
    put(o, all, bytes);
}

static void put_key(out_bytes *o, nav_key k)
{
    uint8_t bytes[NAV_KEY_BYTES];
    nav_key_store(k, bytes);
    put(o, bytes, sizeof bytes);
}

static void put_text(out_bytes *o, const char *text)
{
    const size_t length = strlen(text);
    put_number(o, length, 1);
    put(o, text, length);
}

static out_bytes begin(nav_buffer *to, uint8_t kind)
{
    out_bytes o = {to, NAV_OK};
    put_number(&o, VERSION, 1);
    put_number(&o, kind, 1);
    return o;
}

typedef struct in_bytes {
    const uint8_t *at;
    size_t left;
    bool failed;
} in_bytes;

static const uint8_t *take(in_bytes *in, size_t count)
{
    const uint8_t *at = in->at;
    if (in->failed || in->left < count) {
        in->failed = true;
        return NULL;
    }
    in->at += count;
    in->left -= count;
    return at;
}

static uint64_t take_number(in_bytes *in, unsigned bytes)
{
    uint8_t all[8] = {0};
    const uint8_t *at = take(in, bytes);
    if (at) memcpy(all, at, bytes);
    return nav_load_u64(all);
}

static nav_key take_key(in_bytes *in)
{
    const uint8_t *at = take(in, NAV_KEY_BYTES);
    return at ? nav_key_load(at) : (nav_key){0};
}

// Printable: it goes into logs and answers.
static void take_text(in_bytes *in, char *out, size_t room)
{
    const size_t length = (size_t)take_number(in, 1);
    const uint8_t *at = take(in, length);
    out[0] = 0;
    if (!at) return;
    if (length >= room) {
        in->failed = true;
        return;
    }
    for (size_t i = 0; i < length; i++) in->failed |= at[i] < 0x20 || at[i] == 0x7f;
    if (in->failed) return;
    memcpy(out, at, length);
    out[length] = 0;
}

static nav_status open_bytes(const void *bytes, size_t count, uint8_t kind, in_bytes *in)
{
    const uint8_t *p = bytes;
    if (count < KIND_BYTES || p[1] != kind) return NAV_ERR_FORMAT;
    if (p[0] != VERSION) return NAV_ERR_VERSION;
    *in = (in_bytes){p + KIND_BYTES, count - KIND_BYTES, false};
    return NAV_OK;
}

static nav_status close_bytes(const in_bytes *in)
{
    return in->failed || in->left ? NAV_ERR_FORMAT : NAV_OK;
}

// --- messages ---

nav_status nd_entry_write(nav_buffer *out, const nd_entry *e)
{
    out_bytes o = begin(out, ENTRY);
    put_number(&o, e->part, 4);
    put_number(&o, e->parts, 4);
    put_number(&o, e->epoch, 8);
    put_number(&o, e->number, 8);
    put_number(&o, e->world, 8);
    put_number(&o, e->after, 8);
    put_number(&o, e->revision, 8);
    put_number(&o, e->made_ns, 8);
    put(&o, e->bytes, e->count);
    return o.status;
}

nav_status nd_entry_read(const void *bytes, size_t count, nd_entry *e)
{
    in_bytes in;
    nav_status s = open_bytes(bytes, count, ENTRY, &in);
    if (s != NAV_OK) return s;
    e->part = (uint32_t)take_number(&in, 4);
    e->parts = (uint32_t)take_number(&in, 4);
    e->epoch = take_number(&in, 8);
    e->number = take_number(&in, 8);
    e->world = take_number(&in, 8);
    e->after = take_number(&in, 8);
    e->revision = take_number(&in, 8);
    e->made_ns = take_number(&in, 8);
    e->bytes = in.at;
    e->count = in.left;
    return in.failed || e->part >= e->parts || !e->world ? NAV_ERR_FORMAT : NAV_OK;
}

nav_status nd_leader_note_write(nav_buffer *out, const nd_leader_note *n)
{
    out_bytes o = begin(out, LEADER);
    put_number(&o, n->epoch, 8);
    put_key(&o, n->log);
    put_number(&o, n->renews, 1);
    put_text(&o, n->id);
    put_text(&o, n->name);
    return o.status;
}

nav_status nd_leader_note_read(const void *bytes, size_t count, nd_leader_note *n)
{
    in_bytes in;
    nav_status s = open_bytes(bytes, count, LEADER, &in);
    if (s != NAV_OK) return s;
    n->epoch = take_number(&in, 8);
    n->log = take_key(&in);
    n->renews = take_number(&in, 1) == 1;
    take_text(&in, n->id, sizeof n->id);
    take_text(&in, n->name, sizeof n->name);
    return close_bytes(&in);
}

nav_status nd_state_head_write(nav_buffer *out, const nd_state_head *h)
{
    out_bytes o = begin(out, STATE);
    put_number(&o, h->world, 8);
    put_number(&o, h->revision, 8);
    put_number(&o, h->sequence, 8);
    put_key(&o, h->id);
    put_number(&o, h->parts, 4);
    put_number(&o, h->size, 8);
    put_key(&o, h->sum);
    return o.status;
}

nav_status nd_state_head_read(const void *bytes, size_t count, nd_state_head *h)
{
    in_bytes in;
    nav_status s = open_bytes(bytes, count, STATE, &in);
    if (s != NAV_OK) return s;
    h->world = take_number(&in, 8);
    h->revision = take_number(&in, 8);
    h->sequence = take_number(&in, 8);
    h->id = take_key(&in);
    h->parts = (uint32_t)take_number(&in, 4);
    h->size = take_number(&in, 8);
    h->sum = take_key(&in);
    s = close_bytes(&in);
    if (s == NAV_OK &&
        (!h->world || !h->parts || (h->size + ND_ENTRY_PART_BYTES - 1) / ND_ENTRY_PART_BYTES != h->parts))
        return NAV_ERR_FORMAT;
    return s;
}

nav_status nd_lease_note_write(nav_buffer *out, const nd_lease_note *n)
{
    out_bytes o = begin(out, LEASE);
    put_number(&o, n->is_free, 1);
    put_text(&o, n->id);
    put_text(&o, n->name);
    return o.status;
}

nav_status nd_lease_note_read(const void *bytes, size_t count, nd_lease_note *n)
{
    in_bytes in;
    nav_status s = open_bytes(bytes, count, LEASE, &in);
    if (s != NAV_OK) return s;
    n->is_free = take_number(&in, 1) == 1;
    take_text(&in, n->id, sizeof n->id);
    take_text(&in, n->name, sizeof n->name);
    return close_bytes(&in);
}
