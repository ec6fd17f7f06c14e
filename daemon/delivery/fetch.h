// The data of many tiles of one subscription out of the cache on disk (cache/tile_cache.h), as the notes that go to the
// client: the reader's thread writes them one behind the other into one blob, which the session sends as it is.
//
//     loop:   tiles as they are now ──► fetch ──► reader: | note | note | note ...  ──► loop: those that still hold
//
// A blob of notes is bounded: what has no room in it any more was not looked for, and is asked for again. The loop
// thread creates a fetch and gets it back in done(); in between it is the reader's. The subscription may be gone by
// then: a fetch names it by numbers.
#ifndef ND_FETCH_H
#define ND_FETCH_H

#include "daemon/cache/tile_cache.h"
#include "daemon/delivery/subscription.h"

typedef struct nd_fetched {
    nd_sent *sent; // the subscription's, while that lives
    nav_key source;
    np_tile tile; // what the client is told; status and data as the disk has them
    // Out, of those that were looked for:
    bool found;
    size_t end; // of its note in the blob; it begins where the one before it ends
} nd_fetched;

typedef struct nd_fetch {
    nd_disk_task task;
    nd_delivery *delivery;
    uint64_t session, part, subscription, world; // part: of the subscription, whose number the client knows
    np_str profile;                              // a copy
    nav_sheet sheet;
    np_compression compression;
    size_t max_bytes;
    uint32_t count, room;
    uint32_t looked_for; // out: of `count`, the first ones
    nd_blob *notes;      // out; NULL: none
    nd_fetched tiles[];
} nd_fetch;

// For so many tiles, at least one, and about max_bytes of notes: more only where the first one alone has more. done is
// called on the loop thread. NULL: no memory.
nd_fetch *nd_fetch_create(const nd_subscription *sub, uint32_t room, size_t max_bytes,
                          void (*done)(nd_disk_task *task, bool ran));
void nd_fetch_destroy(nd_fetch *f); // accepts NULL
// Adds a tile as it is; there is room.
void nd_fetch_add(nd_fetch *f, nd_sent *sent, const nd_tile *t, np_encoding encoding);

#endif
