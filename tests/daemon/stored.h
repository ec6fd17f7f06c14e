// A state folder that is the test's own, and a small world to keep in it: each test stops a daemon in its own process,
// and starts another on the same folder.
#ifndef TEST_DAEMON_STORED_H
#define TEST_DAEMON_STORED_H

#include "tests/daemon/fixture.h"

extern char stored_state[64]; // the folder
void stored_setup(void);      // of a test case: makes it
void stored_teardown(void);   // empties and removes it

// For fixture_start().
void stored_use(nd_config *c);
void stored_use_small_file(nd_config *c); // of worlds

void stored_start(daemon_fixture *f, client *c);
void stored_stop(daemon_fixture *f, client *c);
// All that is written from now on waits for stored_commit(), and is one group then.
void stored_gather_writes(daemon_fixture *f);
void stored_commit(daemon_fixture *f);
// Opens a world that is there; the client's from now on.
np_world_open_response stored_open(client *c, const char *name);
// World "w": a floor (1), a box that was moved (2), a volume (4), a link (5). The client has not said hello.
void stored_make_scene(client *c);
np_op stored_volume(uint64_t id);
// The objects of the client's world, by kind and id. Returns how many.
uint32_t stored_objects(client *c, np_op *out, uint32_t room);

#endif
