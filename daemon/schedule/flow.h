// DESIGN. The queued tiles of a world, by caller. A flow is one caller's part of the queue; the daemon itself
// (retries, worlds loaded from disk) has one as well. Each flow has four queues: for each class, one for tiles whose
// input was not looked up yet (fresh) and one for tiles that wait for a worker (missed). In a queue the tile nearest
// to a focus comes first, then the one that has waited longest. In each queue, the flows of a world share what the
// world gets, and the worlds, with the callers of tiles.build, share the workers:
//
//     builder: queue ──fair──► world ──fair──► flow ──nearest, oldest──► tile
//
// A flow lives while one of its tiles is not clean or its caller's session is open. Loop thread only.
#ifndef ND_FLOW_H
#define ND_FLOW_H

#include "daemon/base/table.h"
#include "daemon/schedule/caller.h"

struct nd_tile;

enum { ND_QUEUES = 2 * ND_CLASSES };

static inline unsigned nd_fresh_queue(nd_class c)
{
    return 2 * (unsigned)c;
}

static inline unsigned nd_missed_queue(nd_class c)
{
    return nd_fresh_queue(c) + 1;
}

typedef double (*nd_distance)(const void *user, const struct nd_tile *t); // squared, to the nearest focus

// Where foci have moved, what is queued is measured again, a part of it with each tile that is taken: what was not yet
// is in `old`, in the order that it had.
typedef struct nd_queue {
    nd_heap heap, old;
    uint64_t turn; // of the foci that the heap was begun for
} nd_queue;

typedef struct nd_flow {
    nd_node node;
    nd_caller *caller; // a reference; NULL: the daemon itself
    nd_queue queues[ND_QUEUES];
    nd_share shares[ND_QUEUES];
    size_t tiles; // that are not clean
} nd_flow;

typedef struct nd_flows {
    nd_table table; // by session
    nd_flow own;    // the daemon's
    uint64_t turn;  // of the foci; it is raised when they move
    size_t credit;  // so many tiles may be measured now
    nd_shares shares[ND_QUEUES];
    size_t counts[ND_QUEUES];
    // The world among all worlds; above is NULL where there is only one.
    nd_share up[ND_QUEUES];
    nd_shares *above; // ND_QUEUES of them
} nd_flows;

void nd_flows_init(nd_flows *f);
// The world takes part among others from now on.
void nd_flows_share(nd_flows *f, void *world, uint32_t weight, nd_shares *above);
void nd_flows_unshare(nd_flows *f); // out of `above`
void nd_flows_deinit(nd_flows *f);  // unshares, too

void nd_flows_set_weight(nd_flows *f, uint32_t weight);

// Makes the caller's flow if there is none, so that it is found from now on. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_flows_admit(nd_flows *f, nd_caller *caller);
// The daemon's where the caller was not admitted.
nd_flow *nd_flows_find(nd_flows *f, const nd_caller *caller);
// The caller's session has closed: its flow goes when its last tile is clean.
void nd_flows_leave(nd_flows *f, nd_caller *caller);

// A tile belongs to a flow from the mark that made it unclean until it is clean again.
void nd_flows_join(nd_flows *f, struct nd_tile *t, nd_flow *flow);
void nd_flows_part(nd_flows *f, struct nd_tile *t);

// Into and out of the queue of the tile's class and `missed`. The caller has set its distance2.
void nd_flows_push(nd_flows *f, struct nd_tile *t);
void nd_flows_remove(nd_flows *f, struct nd_tile *t);
// The next one, or NULL; measures some tiles where foci have moved.
struct nd_tile *nd_flows_first(nd_flows *f, unsigned queue, nd_distance distance, const void *user);
// Something of this cost was begun for the tile.
void nd_flows_charge(nd_flows *f, const struct nd_tile *t, unsigned queue, uint64_t cost);
// Foci have moved.
void nd_flows_turn(nd_flows *f);

#endif
