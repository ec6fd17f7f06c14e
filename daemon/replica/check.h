// Do replicas have the same tiles, byte for byte? Each daemon sums up what it has of a world: of every tile its place,
// the key of what it was made from and that of its bytes. A follower asks the leader for its sums, and holds its own
// against them (farm.check).
//
//     follower ── NAME.check.LEADER: where to ──► leader ── NAME.check.FOLLOWER.N: sums ──► follower
//
// Loop thread only.
#ifndef ND_REPLICA_CHECK_H
#define ND_REPLICA_CHECK_H

#include "daemon/bus/bus.h"
#include "daemon/methods/methods.h"

// Of a world.
typedef struct nd_world_sum {
    uint64_t world, revision;
    uint64_t sequence;    // of the log, up to which it has come
    uint64_t tiles, open; // open: not made yet, or changes that the log does not have; then there is nothing to compare
    nav_key sum;
} nd_world_sum;

typedef struct nd_check nd_check;
typedef struct nd_check_options {
    uv_loop_t *loop;
    nd_bus *bus; // borrowed, as is all else
    const char *farm, *id;
    nd_methods *methods;
    // How far the log has come with it; *waits: there is more.
    uint64_t (*sequence_of)(void *user, const nd_world *w, bool *waits);
    void *user;
} nd_check_options;

NAV_MUST_USE nav_status nd_check_create(const nd_check_options *o, nd_check **out);
void nd_check_close(nd_check *c); // before the bus is; calls are not answered any more. Accepts NULL

// Answers farm.check. leader: its id; "": this one, or nobody, and there is nothing to hold against. NAV_ERR_LIMIT: too
// many ask already. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_check_ask(nd_check *c, const char *leader, bool leads, nd_session *s, uint32_t request,
                                     np_error *err);

#endif
