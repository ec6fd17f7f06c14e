// A daemon in this process with two clients and a world whose profile is "walker": what tests of settings that change
// share.
#ifndef TESTS_DAEMON_PROFILE_FIXTURE_H
#define TESTS_DAEMON_PROFILE_FIXTURE_H

#include "tests/daemon/stored.h"

extern daemon_fixture daemon_;
extern client author, other; // the other one has greeted

// What a client that keeps the newest tile of each place has of a subscription.
typedef struct shown {
    seen_tile tiles[1024];
    size_t count;
} shown;

void profile_start(void);
void profile_stop(void);
// A floor and a box on it, for the profile "walker".
void make_scene(void);
nav_settings walker(void);
np_world_profile_request change_to(const char *name, const nav_settings *s);
np_world_profile_response change(client *c, const char *name, const nav_settings *s);
np_world_profile_response take_away(client *c, const char *name);
np_tiles_subscribe_response subscribe(client *c, const char *profile, const uint64_t *since);
// Until all of a revision is with the subscriber.
void await_synced(client *c, uint64_t revision);
void collect_shown(const client *c, uint64_t subscription, shown *out);
// Is what the subscription shows what a profile has that never had other settings?
void must_be_as_new(const client *c, uint64_t subscription, const nav_settings *settings);

#endif
