// DESIGN. What a session has to send. The messages of one turn of the loop are gathered in packets, which the transport
// (transport.h) takes from the oldest on:
//
//     packet   | text: heads of messages, one behind the other, small blobs copied between them       |
//              | parts: text ── blob ── text ── blob ── ...         (larger blobs by reference)       |
//
// A full packet is tried at once, the one being filled at the end of the turn. What the transport does not take stays
// here, or is lent to it until it says that it is gone. A transport may put a packet of its own first, or in the place
// of the oldest one: what TLS made of it. All memory held here is counted in `bytes`, including half-empty packets.
// Loop thread only.
#ifndef ND_OUTPUT_H
#define ND_OUTPUT_H

#include "core/base/status.h"
#include "daemon/base/blob.h"

#include <stdbool.h>
#include <uv.h>

typedef struct nd_packet nd_packet;

typedef struct nd_output {
    nd_packet *first, *last; // oldest, the one being filled
    size_t bytes;            // held
    uint64_t takes;          // how often something was taken
    bool lent;               // the oldest is with the transport: it takes no more
} nd_output;

void nd_output_deinit(nd_output *o); // none is lent any more; accepts a zeroed one

// Appends one message: head, and after it the blob's bytes where there is one (takes its own reference). full: a packet
// is complete, the transport may send it now. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_output_put(nd_output *o, const void *head, size_t count, nd_blob *blob, bool *full);
// Appends bytes of a blob (takes its own reference), which are whole messages.
NAV_MUST_USE nav_status nd_output_put_messages(nd_output *o, nd_blob *blob, size_t from, size_t count, bool *full);

// For the transport: what is left of the oldest packet. NULL: there is none.
const uv_buf_t *nd_output_oldest(nd_output *o, unsigned *count);
// So many bytes of the oldest packet are gone; with the last of them it goes.
void nd_output_take(nd_output *o, size_t count);
// Is the oldest one the transport's own?
bool nd_output_is_sealed(const nd_output *o);
// Puts a packet of so many bytes first, or in the place of the oldest; the caller fills it. NULL: no memory.
uint8_t *nd_output_seal(nd_output *o, size_t size, bool instead);

#endif
