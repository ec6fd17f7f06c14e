// Private to replica*.c.
#ifndef ND_REPLICA_PARTS_H
#define ND_REPLICA_PARTS_H

#include "daemon/methods/durable.h"
#include "daemon/replica/check.h"
#include "daemon/replica/follower.h"
#include "daemon/replica/lease.h"
#include "daemon/replica/listing.h"
#include "daemon/replica/log.h"
#include "daemon/replica/replica.h"
#include "daemon/replica/state.h"

// A state on its way from the disk to the farm.
typedef struct nd_state_call {
    nd_replica *replica; // NULL: nobody waits for it any more
    nd_state *state;     // while it is here
    bool sharing;        // its meshes are being sent
} nd_state_call;

struct nd_replica {
    nd_replica_options o;
    nd_farm_worlds mode;
    char name[ND_LEADER_NAME_BYTES]; // of this daemon, for people
    nd_replica_role role;
    bool up, closing, resync_due;
    bool log_full;    // since nothing was written
    uint64_t full_ns; // time of day when it was full last; 0: never. What began before has to go into states
    nd_lease *lease;
    nd_follower *follower;
    nd_log_queue *log;
    nd_mesh_share *share;
    nd_check *check;
    nd_table tracks;
    uv_timer_t clock;
    nd_leader_note leader; // who writes; epoch 0: nobody yet
    bool log_is_empty;
    // States:
    nd_state_call *state; // under way; NULL: none
    nd_list_task *listing;
    nd_replica_list *list;    // of RENEWING: what is in the farm
    nd_listed_world *renewed; // worlds whose states are to be written
    size_t renewed_count, renewed_at;
    bool renew_due;
    uint64_t states_out, fenced;
};

bool nd_replica_is_standby(const nd_replica *r);
void nd_replica_set_role(nd_replica *r, nd_replica_role role);
// What waits for the log goes; of a standby, its commits are undone and answered with the reason.
void nd_replica_drop_items(nd_replica *r, nav_status status, const char *why);
// Goes from here on: nothing of the leader's is under way any more, and it follows, or (publish) waits for the lease.
void nd_replica_step_down(nd_replica *r, const char *why);
// Writes all states anew, then a note, and leads.
void nd_replica_renew(nd_replica *r);
// The log's end is `last`: writes the note, and leads once it is there.
void nd_replica_write_note(nd_replica *r, bool renews, uint64_t last);
// Of a leader: once more, behind what waits. A full log of nats-server 2.9 drops its oldest messages although it should
// refuse the newest: its check leaves out what a message takes beside its bytes.
void nd_replica_repeat_note(nd_replica *r);
// What is due of states: the next one of a renewal, or one of a world whose log is long.
void nd_replica_look_at_states(nd_replica *r);
void nd_replica_forget_states(nd_replica *r); // what is under way is of no use any more
// The id of the log whose worlds are on this disk, which is made where there is none.
nav_key nd_replica_log_id(nd_replica *r);

// For nd_methods and check.h; user: the replica.
nav_status nd_replica_check(void *user, nd_session *s, uint32_t request, np_error *err);
uint64_t nd_replica_sequence_of(void *user, const nd_world *w, bool *waits);

#endif
