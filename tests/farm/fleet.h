// Several navd of one farm, each with a name of its own in the test's folder.
#ifndef TESTS_FARM_FLEET_H
#define TESTS_FARM_FLEET_H

#include "tests/e2e/daemon.h"
#include "tests/e2e/peer.h"
#include "tests/farm/nats_server.h"

typedef struct member {
    daemon_process navd;
    char name[16], url[80], socket[PATH_BYTES], state[PATH_BYTES];
    const char *mode;               // of --farm-worlds
    const char *const *environment; // as daemon_options has it
    const char *more[2];            // an option and its value; NULL: none
} member;

// Starts one and waits until it listens. Without a state where no_state.
void member_start(member *m, const nats_server *nats, const char *name, const char *mode, bool no_state);
void member_restart(member *m); // one that was killed or stopped
void member_kill(member *m);
void member_stop(member *m); // its exit code is 0

// Runs the peer until all of the world up to this revision is with it.
void fleet_await_synced(peer *p, uint64_t revision);
// Opens a world that comes to this member sooner or later, and subscribes.
void fleet_open(peer *p, member *m, const char *world, int32_t side);
// Until both have the same tiles of a world, all of them done.
void fleet_await_same(const char *socket, const char *other, const char *world, int32_t side);
// Until farm.check says on this member that all of its worlds are as the leader has them; fails where one differs.
void fleet_check(member *m);
// Until one of them takes edits: makes a world there, and deletes it.
member *fleet_await_leader(member *members, int count);

#endif
