// What has come of the log and was not done yet, entries whole. Loop thread only.
#ifndef ND_ARRIVALS_H
#define ND_ARRIVALS_H

#include "daemon/base/fifo.h"
#include "daemon/replica/entry.h"
#include "daemon/replica/feed.h"

typedef struct nd_arrival {
    struct nd_arrival *next;
    uint64_t sequence; // of the last part
    char space[ND_SPACE_BYTES];
    bool is_note;
    bool is_torn; // its first parts had come before the feed began: the records are not all
    nd_leader_note note;
    nd_entry head; // without the bytes
    nav_buffer records;
} nd_arrival;

typedef struct nd_arrivals {
    ND_FIFO(nd_arrival) queue;
    nd_arrival *partial; // its other parts are to come
    uint32_t next_part;
} nd_arrivals;

void nd_arrivals_init(nd_arrivals *a);
void nd_arrivals_clear(nd_arrivals *a);
// *whole: an arrival is complete with it. NAV_ERR_FORMAT: it is nothing that belongs there, and is passed over.
// NAV_ERR_VERSION, NAV_ERR_MEMORY: it cannot be read here.
NAV_MUST_USE nav_status nd_arrivals_add(nd_arrivals *a, const char *farm, const nd_feed_message *m, bool *whole);
void nd_arrivals_drop(nd_arrivals *a); // the first one

#endif
