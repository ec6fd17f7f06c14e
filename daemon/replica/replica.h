// DESIGN. Worlds as streams: one daemon of a farm leads, and what is changed there is written into a log that others
// do as well (--farm-worlds).
//
//     publish  it leads as soon as it can, and its own disk counts: changes are answered as without a farm, and go to
//              the log behind the answer. Whatever the log has missed comes as states.
//     standby  one of several leads, whoever has the lease; the log counts: a change is in the log before it is on this
//              disk, and on this disk before it is answered. The others follow, and refuse changes.
//     follow   follows, and refuses changes.
//
//                 ┌──────────── fenced, or the lease is lost ────────────┐
//                 ▼                                                      │
//     FOLLOWING ──lease──► TAKING ──all of the log is here, note──► LEADING ──► (edits) ──► log ──► disk ──► answer
//         └──nobody has ever written──► RENEWING ──states, note────────► ┘
//
// The methods know of it by nd_methods.log. Loop thread only.
#ifndef ND_REPLICA_H
#define ND_REPLICA_H

#include "daemon/base/metrics.h"
#include "daemon/bus/bus.h"
#include "daemon/config/config.h"
#include "daemon/methods/methods.h"

typedef struct nd_replica nd_replica;

typedef struct nd_replica_options {
    uv_loop_t *loop;
    const nd_config *config; // borrowed, as is all else
    const char *id;          // of this daemon in the farm
    nd_bus *bus;
    nd_methods *methods; // with its store, where there is one
} nd_replica_options;

// Where --farm-worlds says so. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_replica_create(const nd_replica_options *o, nd_replica **out);
// Before the bus and the store are closed. What waits for the log is not answered. It is freed once its handles are
// closed. Accepts NULL.
void nd_replica_close(nd_replica *r);
void nd_replica_note_server(nd_replica *r, bool up);
// navd is about to end: once the log has all, it gives the lease back, so that another need not wait. True: it has.
bool nd_replica_leave(nd_replica *r);

typedef enum nd_replica_role {
    ND_REPLICA_FOLLOWING,
    ND_REPLICA_TAKING,   // it has the lease, and is not up to date yet
    ND_REPLICA_RENEWING, // writes states of all worlds
    ND_REPLICA_LEADING,
    ND_REPLICA_STOPPED, // the worlds on this disk are not the log's
} nd_replica_role;
const char *nd_replica_role_name(nd_replica_role role);

typedef struct nd_replica_stats {
    nd_replica_role role;
    bool live;        // follows, and all was here a moment ago; or leads
    char leader[200]; // machine and address; "": nobody is known
    uint64_t epoch;   // of who wrote last
    uint64_t entries_out, entries_in, states_out, states_in;
    uint64_t waiting; // of a leader: changes that the log does not have yet
    uint64_t behind;  // of a follower: messages of the log that have not come yet
    uint64_t lease_changes, fenced, gaps, failed;
    nd_histogram lag; // of a follower (follower.h)
} nd_replica_stats;
void nd_replica_stats_of(const nd_replica *r, nd_replica_stats *out);
// May clients be sent here: does it lead, or has it followed up to now? Else a sentence.
bool nd_replica_is_ready(const nd_replica *r, char *why, size_t why_bytes);

#endif
