#include "daemon/session/output.h"

#include "daemon/base/thread.h"

#include <stdlib.h>
#include <string.h>

// A blob of up to COPIED bytes costs less to copy than to keep and to name in a part of its own.
enum { PARTS = 128, TEXT_BYTES = 12 * 1024, COPIED = 256, FULL = 512, FULL_BYTES = 64 * 1024 };

struct nd_packet {
    nd_packet *next;
    size_t bytes; // counted
    unsigned first_part, part_count;
    size_t text_used, text_bytes;
    bool sealed; // takes no more
    uv_buf_t parts[PARTS];
    nd_blob *blobs[PARTS]; // of the part; NULL: it is text
    uint8_t text[];
};

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
    if (!p || p->sealed || (o->lent && p == o->first)) return false;
    return p->text_bytes - p->text_used >= text && p->part_count + 2 <= PARTS;
}

static nd_packet *make_packet(nd_output *o, size_t text_bytes)
{
    nd_packet *p = malloc(sizeof *p + text_bytes);
    if (!p) return NULL;
    p->sealed = false;
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

const uv_buf_t *nd_output_oldest(nd_output *o, unsigned *count)
{
    const nd_packet *p = o->first;
    *count = p ? p->part_count - p->first_part : 0;
    return p ? p->parts + p->first_part : NULL;
}

void nd_output_take(nd_output *o, size_t count)
{
    ND_ASSERT_LOOP_THREAD();
    nd_packet *p = o->first;
    unsigned at = p->first_part;
    o->takes++;
    for (; at < p->part_count && p->parts[at].len <= count; at++) count -= p->parts[at].len;
    drop_parts(p, at);
    if (at == p->part_count) {
        drop_first(o);
    } else if (count) {
        p->parts[at].base += count;
        p->parts[at].len -= count;
    }
}

bool nd_output_is_sealed(const nd_output *o)
{
    return o->first && o->first->sealed;
}

uint8_t *nd_output_seal(nd_output *o, size_t size, bool instead)
{
    nd_packet *sealed = make_packet(o, size);
    if (!sealed) return NULL;
    sealed->sealed = true;
    sealed->text_used = size;
    sealed->parts[0] = uv_buf_init((char *)sealed->text, (unsigned)size);
    sealed->blobs[0] = NULL;
    sealed->part_count = 1;
    if (instead) drop_first(o);
    sealed->next = o->first;
    o->first = sealed;
    if (!o->last) o->last = sealed;
    return sealed->text;
}
