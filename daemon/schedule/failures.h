// DESIGN. The failed tiles of a world, and which of them are retried. A failure that follows from the input would
// only repeat: such a tile waits until its input changes. Failures of time and of the system's memory may pass: they
// are retried after 1 s, 2 s, 4 s and so on up to 5 minutes, RETRIES times in all. Time is an argument. Loop thread
// only.
#ifndef ND_FAILURES_H
#define ND_FAILURES_H

#include "core/base/status.h"
#include "daemon/base/heap.h"

#include <stdint.h>

struct nd_tile;

enum { ND_RETRIES = 6 };

// Of a tile.
typedef struct nd_failure {
    struct nd_tile *before, *after; // in the list
    uint64_t since_ns;              // when it first failed with what it is made from; 0: it has not
    uint8_t tries;                  // runs that failed since then
    bool waits;                     // to be tried again at the tile's due_ns
} nd_failure;

typedef struct nd_failures {
    struct nd_tile *first, *last; // all that have failed, in the order of it
    size_t count;
    nd_heap waiting; // by due_ns
} nd_failures;

// The tile, which is clean, has failed with result.failure.
void nd_failures_add(nd_failures *f, struct nd_tile *t, uint64_t now_ns);
// The tile has not failed (any more); any number of times.
void nd_failures_remove(nd_failures *f, struct nd_tile *t);
// The tile is about to be queued: it waits for no time any more. changed: its input is another, so the count begins
// again.
void nd_failures_rest(nd_failures *f, struct nd_tile *t, bool changed);
// The tile whose time comes first, or NULL.
struct nd_tile *nd_failures_first(const nd_failures *f);

#endif
