// A session that watches paths, and what it has been told of them. Beside it path.find is asked the same by another
// one.
#ifndef TEST_DAEMON_PATH_WATCHER_H
#define TEST_DAEMON_PATH_WATCHER_H

#include "tests/daemon/fixture.h"

enum { WATCHED_MOST = 128 }; // paths

typedef struct told_path {
    nav_path_status status;
    double length_m, surface_m, cost, lower_bound;
    nav_key points;
    uint32_t notes;
} told_path;

typedef struct path_watcher {
    client client;
    np_path_watch_request terms; // what all paths are watched with; its queries are set with each call
    told_path paths[WATCHED_MOST];
    uint64_t synced;
    char ended[32];
} path_watcher;

// Its session, for the profile "walker" of the world.
void watcher_connect(path_watcher *w, const daemon_fixture *d, uint64_t world);
nav_status watcher_try(path_watcher *w, const np_path_query *queries, uint32_t count, uint64_t *id, np_error *err);
uint64_t watcher_watch(path_watcher *w, const np_path_query *queries, uint32_t count);
// Until all paths of the watch are true up to the revision, or it has ended.
void watcher_hear(path_watcher *w, uint64_t id, uint64_t revision);
// What was told is what path.find says to another session. With costs it may be a path whose bound is another one: then
// no better one is known, and the bounds do not contradict it.
void watcher_check(const path_watcher *w, client *other, const np_path_query *queries, uint32_t count);

#endif
