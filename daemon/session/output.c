#include "daemon/session/output.h"

#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

// A blob of up to COPIED bytes costs less to copy than to keep and to name in a part of its own.
enum { RECORD_BYTES = 16384, PARTS = 128, TEXT_BYTES = 12 * 1024, COPIED = 256, FULL = 512, FULL_BYTES = 64 * 1024 };

struct nd_packet {
    uv_write_t request;
    nd_output *owner;
    nd_packet *next;
    size_t bytes; // counted
    unsigned first_part, part_count;
    size_t text_used, text_bytes;
    bool sealed; // went through TLS: takes no more
    uv_buf_t parts[PARTS];
    nd_blob *blobs[PARTS]; // of the part; NULL: it is text
    uint8_t text[];
};

void nd_output_init(nd_output *o, void (*on_written)(nd_output *o, int status))
{
    *o = (nd_output){.on_written = on_written};
}

static void drop_parts(nd_packet *p, unsigned end)
{
    for (; p->first_part < end; p->first_part++) nd_blob_unref(p->blobs[p->first_part]);
}

static void drop_first(nd_output *o)
{
    nd_packet *p = o->first;
    o->first = p->next;
    if (!o->first) o->last = NULL;
    o->bytes -= p->bytes;
    o->packets_sent++;
    drop_parts(p, p->part_count);
    free(p);
}

void nd_output_deinit(nd_output *o)
{
    while (o->first) drop_first(o);
}

static bool has_room(const nd_output *o, size_t text)
{
    const nd_packet *p = o->last;
    if (!p || p->sealed || (o->writing && p == o->first)) return false;
    return p->text_bytes - p->text_used >= text && p->part_count + 2 <= PARTS;
}

static nd_packet *make_packet(nd_output *o, size_t text_bytes)
{
    nd_packet *p = malloc(sizeof *p + text_bytes);
    if (!p) return NULL;
    p->sealed = false;
    p->owner = o;
    p->next = NULL;
    p->bytes = sizeof *p + text_bytes;
    p->first_part = p->part_count = 0;
    p->text_used = 0;
    p->text_bytes = text_bytes;
    o->bytes += p->bytes;
    return p;
}

static nav_status add_packet(nd_output *o, size_t text)
{
    nd_packet *p = make_packet(o, text > TEXT_BYTES ? text : TEXT_BYTES);
    if (!p) return NAV_ERR_MEMORY;
    *(o->last ? &o->last->next : &o->first) = p;
    o->last = p;
    return NAV_OK;
}

static void add_text(nd_packet *p, const void *bytes, size_t count)
{
    char *at = (char *)p->text + p->text_used;
    memcpy(at, bytes, count);
    p->text_used += count;
    if (p->part_count > p->first_part && !p->blobs[p->part_count - 1]) {
        p->parts[p->part_count - 1].len += count;
        return;
    }
    p->blobs[p->part_count] = NULL;
    p->parts[p->part_count++] = uv_buf_init(at, (unsigned)count);
}

static void add_blob(nd_output *o, nd_blob *blob, size_t from, size_t count)
{
    nd_packet *p = o->last;
    p->blobs[p->part_count] = nd_blob_ref(blob);
    p->parts[p->part_count++] = uv_buf_init((char *)blob->data + from, (unsigned)count);
    p->bytes += count;
    o->bytes += count;
}

static bool is_full(const nd_packet *p)
{
    return p->part_count + 2 > PARTS || p->text_bytes - p->text_used < FULL || p->bytes >= FULL_BYTES;
}

nav_status nd_output_put(nd_output *o, const void *head, size_t count, nd_blob *blob, bool *full)
{
    ND_ASSERT_LOOP_THREAD();
    size_t copied = blob && blob->size <= COPIED ? blob->size : 0, text = count + copied;
    if (!has_room(o, text) && add_packet(o, text) != NAV_OK) return NAV_ERR_MEMORY;
    add_text(o->last, head, count);
    if (copied)
        add_text(o->last, blob->data, blob->size);
    else if (blob)
        add_blob(o, blob, 0, blob->size);
    *full = is_full(o->last);
    return NAV_OK;
}

nav_status nd_output_put_messages(nd_output *o, nd_blob *blob, size_t from, size_t count, bool *full)
{
    ND_ASSERT_LOOP_THREAD();
    if (!has_room(o, 0) && add_packet(o, 0) != NAV_OK) return NAV_ERR_MEMORY;
    add_blob(o, blob, from, count);
    *full = is_full(o->last);
    return NAV_OK;
}

// The kernel has taken so many bytes of the packet.
static void take(nd_packet *p, size_t count)
{
    unsigned at = p->first_part;
    for (; at < p->part_count && p->parts[at].len <= count; at++) count -= p->parts[at].len;
    drop_parts(p, at);
    if (!count) return;
    p->parts[at].base += count;
    p->parts[at].len -= count;
}

static void on_written(uv_write_t *request, int status)
{
    nd_output *o = ((nd_packet *)request)->owner;
    o->writing = false;
    drop_first(o);
    if (status != UV_ECANCELED) o->on_written(o, status);
}

// Through TLS in whole records, as each costs a tag and a call.
static nav_status encrypt(nd_tls *tls, const nd_packet *p)
{
    char record[RECORD_BYTES];
    size_t used = 0;
    for (unsigned i = p->first_part; i < p->part_count; i++) {
        const char *from = p->parts[i].base;
        for (size_t left = p->parts[i].len; left;) {
            size_t n = left < RECORD_BYTES - used ? left : RECORD_BYTES - used;
            memcpy(record + used, from, n);
            used += n;
            from += n;
            left -= n;
            nav_status s = used == RECORD_BYTES ? nd_tls_write(tls, record, used) : NAV_OK;
            if (s != NAV_OK) return s;
            if (used == RECORD_BYTES) used = 0;
        }
    }
    return nd_tls_write(tls, record, used);
}

// The oldest packet becomes a sealed one, or what TLS says by itself becomes one before it. Before the handshake is
// done nothing else leaves.
static nav_status seal_first(nd_output *o)
{
    nd_packet *p = o->first;
    if (p && p->sealed) return NAV_OK;
    bool encrypted = p && nd_tls_is_ready(o->tls);
    nav_status s = encrypted ? encrypt(o->tls, p) : NAV_OK;
    size_t size = nd_tls_output_size(o->tls);
    if (s != NAV_OK) return s;
    if (!size) return NAV_ERR_AGAIN;
    nd_packet *sealed = make_packet(o, size);
    if (!sealed) return NAV_ERR_MEMORY;
    sealed->sealed = true;
    sealed->text_used = nd_tls_output(o->tls, sealed->text, size);
    sealed->parts[0] = uv_buf_init((char *)sealed->text, (unsigned)sealed->text_used);
    sealed->blobs[0] = NULL;
    sealed->part_count = 1;
    if (encrypted) drop_first(o);
    sealed->next = o->first;
    o->first = sealed;
    if (!o->last) o->last = sealed;
    return NAV_OK;
}

int nd_output_flush(nd_output *o, uv_stream_t *stream)
{
    ND_ASSERT_LOOP_THREAD();
    while (!o->writing) {
        nav_status sealed = o->tls ? seal_first(o) : NAV_OK;
        if (sealed == NAV_ERR_AGAIN) return 0;
        if (sealed != NAV_OK) return sealed == NAV_ERR_MEMORY ? UV_ENOMEM : UV_EPROTO;
        nd_packet *p = o->first;
        if (!p) return 0;
        int taken = uv_try_write(stream, p->parts + p->first_part, p->part_count - p->first_part);
        if (taken < 0 && taken != UV_EAGAIN) return taken;
        if (taken > 0) take(p, (size_t)taken);
        if (p->first_part == p->part_count) {
            drop_first(o);
            continue;
        }
        int failed = uv_write(&p->request, stream, p->parts + p->first_part, p->part_count - p->first_part, on_written);
        if (failed) return failed;
        o->writing = true;
    }
    return 0;
}
