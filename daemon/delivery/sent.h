// What the client of a subscription has: for each tile its content key, and whether it was told of a failure. Entries
// lie in blocks, as a large world has many and they come and go together; they do not move. Loop thread only.
#ifndef ND_SENT_H
#define ND_SENT_H

#include "daemon/base/table.h"
#include "daemon/schedule/scheduler.h"

typedef struct nd_sent {
    nd_node node;
    int32_t x, z;
    nav_key content; // of the tile that the client has; zero: none
    bool failed;     // the client was told that it failed since
    // subscription.h
    bool pending;
    bool fetching; // its data is asked for at the disk
    bool awaited;  // its data is being made again
    uint32_t grid; // of the table when the client got it
    struct nd_sent *next;
} nd_sent;

typedef struct nd_sent_block nd_sent_block;

typedef struct nd_sent_table {
    nd_table table;
    nd_sent_block *blocks; // newest first
    nd_sent *unused;
    uint32_t grid; // counts up when x and z come to mean other places
} nd_sent_table;

// Accepts a zeroed table; a zeroed table is a valid empty one.
void nd_sent_deinit(nd_sent_table *t);
// Room for `more` to be added fast. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_sent_reserve(nd_sent_table *t, size_t more);
nd_sent *nd_sent_find(const nd_sent_table *t, int32_t x, int32_t z);
// There is none yet. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_sent_add(nd_sent_table *t, int32_t x, int32_t z, nd_sent **out);
void nd_sent_remove(nd_sent_table *t, nd_sent *s);

// Is what the client has not what the tile is? t NULL: there is no such tile. A tile of an older grid differs from
// every tile of the new one, even from an equal one: the client drops all of the older grid.
bool nd_sent_differs(const nd_sent_table *table, const nd_sent *s, const nd_tile *t);

#endif
