// Framing: msgpack messages out of a stream of bytes in any chunking, under limits, before anything is unpacked.
//
// The scanner walks headers only and remembers where it stands, so a byte is looked at once however small the chunks. A
// message that must break a limit is refused at the header that says so: five bytes that claim four billion elements,
// or a bin larger than a message may be, cost nothing. Memory held is at most twice the bytes received (plus one page).
//
//     feed ──► | message | message | mess....        ──► next: message, message, NAV_ERR_AGAIN
//
// Owner: one thread at a time.
#ifndef NP_FRAME_H
#define NP_FRAME_H

#include "core/base/buffer.h"

#include <stdbool.h>

enum { NP_MAX_DEPTH = 24 }; // what np_limits.depth may be at most (msgpack-c itself stops at 32)

// What one message may be. A container is an array or a map; an element is any value, map keys and containers included.
typedef struct np_limits {
    uint32_t message_bytes;      // header included; 1 to 2^30
    uint32_t depth;              // containers inside of each other: 1 to NP_MAX_DEPTH
    uint32_t elements;           // in the whole message
    uint32_t container_elements; // in one array; pairs in one map
} np_limits;

// 64 MiB, 16 deep, 2^20 elements, 2^18 in one container.
void np_limits_default(np_limits *l);

// The place inside a message. Private to frame.c; by value so that it needs no memory of its own.
typedef struct np_scan {
    size_t at;                   // bytes scanned
    uint32_t elements;           // promised by the headers so far
    uint32_t depth;              // open containers
    uint32_t left[NP_MAX_DEPTH]; // values still to come in each
    bool begun;
} np_scan;

// Scans on from where it stands. NAV_OK: the first scan->at bytes are one whole message. NAV_ERR_AGAIN: more bytes are
// needed (the next call gets the same bytes and more). NAV_ERR_LIMIT, NAV_ERR_FORMAT: one sentence in why.
NAV_MUST_USE nav_status np_scan_run(np_scan *scan, const np_limits *limits, const uint8_t *bytes, size_t count,
                                    char *why, size_t why_bytes);

enum { NP_WHY_BYTES = 160 };

typedef struct np_reader {
    np_limits limits;
    nav_buffer buffer;
    size_t begin; // where the message that is being scanned begins
    np_scan scan;
    nav_status failed;      // once set, every call returns it: there is no way to find the next message
    char why[NP_WHY_BYTES]; // the sentence that goes with failed
} np_reader;

// NAV_ERR_ARGUMENT where a limit is out of its range. limits NULL: the defaults.
NAV_MUST_USE nav_status np_reader_init(np_reader *r, const np_limits *limits);
void np_reader_deinit(np_reader *r); // accepts a zeroed reader

// Appends bytes from the peer. Invalidates what np_reader_next() gave. NAV_ERR_MEMORY, or the failure of before.
NAV_MUST_USE nav_status np_reader_feed(np_reader *r, const void *bytes, size_t count);

// The same without a copy: room for `count` bytes, to be received into, and how many of them came. Nothing else may be
// called in between.
NAV_MUST_USE nav_status np_reader_room(np_reader *r, size_t count, uint8_t **out);
void np_reader_received(np_reader *r, size_t count);

// The next whole message: borrowed until the next call of feed or next. NAV_ERR_AGAIN: none is complete.
// NAV_ERR_LIMIT, NAV_ERR_FORMAT: the stream is beyond repair, why says in words; close it.
NAV_MUST_USE nav_status np_reader_next(np_reader *r, const uint8_t **bytes, size_t *count);

// The message of `count` bytes that np_reader_next() has just given comes again with its next call.
void np_reader_put_back(np_reader *r, size_t count);

// Gives back the memory of the messages that were taken, all but a little for the next ones. For a reader that nobody
// may feed for a long time. Invalidates what np_reader_next() gave.
void np_reader_trim(np_reader *r);

// Bytes fed that no message has taken yet.
size_t np_reader_pending(const np_reader *r);

#endif
