// DESIGN. What a session has to send. The messages of one turn of the loop are gathered in packets and leave in few
// system calls:
//
//     packet   | text: heads of messages, one behind the other, small blobs copied between them       |
//              | parts: text ── blob ── text ── blob ── ...         (larger blobs by reference)       |
//
// A full packet is tried at once, the one being filled at the end of the turn. What the kernel does not take stays:
// the oldest packet is then with libuv, which reports when it is gone. All memory held here is counted in `bytes`,
// including half-empty packets.
//
// With TLS a packet is encrypted when its turn has come: its bytes go through TLS and come back as the text of the
// packet that takes its place, after what TLS itself has to send. So at most one packet is encrypted at a time, and
// records keep their order. Loop thread only.
#ifndef ND_OUTPUT_H
#define ND_OUTPUT_H

#include "core/base/status.h"
#include "daemon/access/tls.h"
#include "daemon/base/blob.h"

#include <stdbool.h>
#include <uv.h>

typedef struct nd_packet nd_packet;

typedef struct nd_output {
    nd_packet *first, *last; // oldest, the one being filled
    size_t bytes;            // held
    uint64_t packets_sent;
    bool writing; // the oldest is with libuv
    nd_tls *tls;  // borrowed; NULL: plain
    // What libuv had is gone, or failed (below 0). Not called after the stream was closed.
    void (*on_written)(struct nd_output *o, int status);
} nd_output;

void nd_output_init(nd_output *o, void (*on_written)(nd_output *o, int status));
// After the stream's close callback.
void nd_output_deinit(nd_output *o);

// Appends one message: head, and after it the blob's bytes where there is one (takes its own reference). full: a packet
// is complete, flush may send it now. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_output_put(nd_output *o, const void *head, size_t count, nd_blob *blob, bool *full);
// Appends bytes of a blob (takes its own reference), which are whole messages.
NAV_MUST_USE nav_status nd_output_put_messages(nd_output *o, nd_blob *blob, size_t from, size_t count, bool *full);
// Sends what the kernel takes and leaves the rest with libuv. 0, or libuv's error: close the session.
int nd_output_flush(nd_output *o, uv_stream_t *stream);

#endif
