// DESIGN. This daemon's worlds become those of the log, and stay so. What it knows from before counts for nothing: the
// states say what there is, the log what came since.
//
//     list ──► each world: its state and the log behind it, meshes, apply ──► what is written from then on
//      ▲                                               │ an entry comes: in parts, meshes, apply
//      │                                               │ one is missing before it: that world again
//      └── all was renewed, the server has forgotten ──┘
//
// One thing at a time, in the order of the log.
// Loop thread only.
#ifndef ND_FOLLOWER_H
#define ND_FOLLOWER_H

#include "daemon/farm/mesh_share.h"
#include "daemon/replica/apply.h"
#include "daemon/replica/entry.h"
#include "daemon/replica/track.h"

typedef struct nd_follower nd_follower;

typedef struct nd_follower_options {
    uv_loop_t *loop;
    nd_bus *bus; // borrowed, as is all else
    const char *farm;
    nd_methods *methods;
    nd_table *tracks; // filled
    nd_mesh_share *share;
    void (*on_leader)(void *user, const nd_leader_note *n); // who writes what follows
    void (*on_empty)(void *user);                           // nobody has ever written: it looks again, and again
    void (*on_live)(void *user);                            // all is here that was there a moment ago
    void (*on_foreign)(void *user);                         // the worlds on this disk are not the log's: it has stopped
    void *user;
} nd_follower_options;

NAV_MUST_USE nav_status nd_follower_create(const nd_follower_options *o, nd_follower **out);
void nd_follower_close(nd_follower *f); // before the bus is. Accepts NULL

void nd_follower_start(nd_follower *f); // from the list on
void nd_follower_stop(nd_follower *f);  // what is being applied is not given up
// A mesh has come (status of nd_mesh_share's on_got), or the server.
void nd_follower_note_mesh(nd_follower *f, nav_key hash, nav_status status);
void nd_follower_note_server(nd_follower *f, bool up);
bool nd_follower_is_live(const nd_follower *f);

// Asks the server how far the log is, and calls done once all of that is here, with the sequence that the log ended
// with then. Not called where it is stopped or started again before.
void nd_follower_catch_up(nd_follower *f, void (*done)(void *user, uint64_t last), void *user);

// Has anything come of a world that is not applied yet?
bool nd_follower_is_behind(const nd_follower *f, uint64_t world);

typedef struct nd_follower_stats {
    uint64_t entries, states, gaps, failed;
    uint64_t behind;  // messages of the log that are not here yet
    nd_histogram lag; // from when an entry was made, by the leader's clock, to when it was applied
} nd_follower_stats;
const nd_follower_stats *nd_follower_stats_of(const nd_follower *f);

#endif
