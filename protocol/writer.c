#include "protocol/writer.h"

#include <string.h>

static int append(void *user, const char *bytes, size_t count)
{
    np_writer *w = user;
    nav_buffer *out = w->out;
    if (w->failed != NAV_OK) return -1;
    if (count <= out->capacity - out->size && out->size - w->start + count <= NP_ENCODE_MAX_BYTES) {
        if (count == 1)
            out->data[out->size] = (uint8_t)*bytes; // most of what comes: headers and small numbers
        else if (count)
            memcpy(out->data + out->size, bytes, count);
        out->size += count;
        return 0;
    }
    if (w->out->size - w->start + count > NP_ENCODE_MAX_BYTES)
        w->failed = NAV_ERR_LIMIT;
    else
        w->failed = nav_buffer_append(w->out, bytes, count);
    return w->failed == NAV_OK ? 0 : -1;
}

void np_writer_init(np_writer *w, nav_buffer *out)
{
    *w = (np_writer){.out = out, .start = out->size};
    msgpack_packer_init(&w->pack, w, append);
}

nav_status np_writer_finish(np_writer *w)
{
    if (w->failed != NAV_OK) w->out->size = w->start;
    return w->failed;
}

void np_write_nil(np_writer *w)
{
    msgpack_pack_nil(&w->pack);
}

void np_write_bool(np_writer *w, bool v)
{
    if (v)
        msgpack_pack_true(&w->pack);
    else
        msgpack_pack_false(&w->pack);
}

void np_write_uint(np_writer *w, uint64_t v)
{
    msgpack_pack_uint64(&w->pack, v);
}

void np_write_int(np_writer *w, int64_t v)
{
    msgpack_pack_int64(&w->pack, v);
}

void np_write_float(np_writer *w, float v)
{
    msgpack_pack_float(&w->pack, v);
}

void np_write_double(np_writer *w, double v)
{
    msgpack_pack_double(&w->pack, v);
}

void np_write_str(np_writer *w, np_str s)
{
    msgpack_pack_str(&w->pack, s.size);
    if (s.size) msgpack_pack_str_body(&w->pack, s.data, s.size);
}

void np_write_text(np_writer *w, const char *text)
{
    np_write_str(w, np_str_of(text));
}

void np_write_bin(np_writer *w, np_bin b)
{
    msgpack_pack_bin(&w->pack, b.size);
    if (b.size && b.data) msgpack_pack_bin_body(&w->pack, b.data, b.size);
}

void np_write_array(np_writer *w, uint32_t count)
{
    msgpack_pack_array(&w->pack, count);
}

void np_write_map(np_writer *w, uint32_t pairs)
{
    msgpack_pack_map(&w->pack, pairs);
}
