// Internal: msgpack values into a nav_buffer, with one sticky failure instead of a check per value. Used by the
// encoders.
#ifndef NP_WRITER_H
#define NP_WRITER_H

#include "core/base/buffer.h"
#include "protocol/axes.h"
#include "protocol/envelope.h"

typedef struct np_writer {
    msgpack_packer pack;
    nav_buffer *out;
    size_t start; // size of out when the writer began
    nav_status failed;
    const np_axes *axes; // in which places are written; NULL: as they are
} np_writer;

// w must not move afterwards.
void np_writer_init(np_writer *w, nav_buffer *out);
// NAV_OK, or the first failure; then out has its old size again.
NAV_MUST_USE nav_status np_writer_finish(np_writer *w);

void np_write_nil(np_writer *w);
void np_write_bool(np_writer *w, bool v);
void np_write_uint(np_writer *w, uint64_t v);
void np_write_int(np_writer *w, int64_t v);
void np_write_float(np_writer *w, float v);
void np_write_double(np_writer *w, double v);
void np_write_str(np_writer *w, np_str s);
void np_write_text(np_writer *w, const char *text);
void np_write_bin(np_writer *w, np_bin b);
void np_write_array(np_writer *w, uint32_t count);
void np_write_map(np_writer *w, uint32_t pairs);

#endif
