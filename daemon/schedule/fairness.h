// DESIGN. Who is served next, so that each party gets the share of the work that its weight says, whatever the
// others ask for (start-time fair queueing). Each party has a virtual time: the work done for it, divided by its
// weight. The least is next. Idle parties accrue no credit: when one comes back, its time is at least that of the
// party served last. Choosing and charging cost log n of the parties that have work.
//
// There are two levels of shares: the worlds with the callers of tiles.build, and the callers within a world. Costs
// are microseconds of a worker, or whole steps of the loop; the two never meet in one nd_shares. Owner: one thread.
#ifndef ND_FAIRNESS_H
#define ND_FAIRNESS_H

#include "daemon/base/heap.h"

#include <stdint.h>

typedef struct nd_share {
    nd_heap_node node;
    double time;    // virtual
    uint64_t order; // among equal times the one that waits longest comes first
    void *owner;
    uint32_t weight; // at least 1
    uint8_t kind;    // of the owner, as those who share say it; 0 after init
    bool active;
} nd_share;

typedef struct nd_shares {
    nd_heap heap; // the active ones
    double time;  // of the one served last
    uint64_t next_order;
} nd_shares;

void nd_share_init(nd_share *share, void *owner, uint32_t weight);
// It has something to do, or no longer. Any number of times.
void nd_share_activate(nd_shares *all, nd_share *share);
void nd_share_deactivate(nd_shares *all, nd_share *share);
// The next active one, or NULL.
nd_share *nd_shares_first(const nd_shares *all);
// Something was begun for it, active or not.
void nd_share_charge(nd_shares *all, nd_share *share, uint64_t cost);

#endif
