// What stands in a world of a daemon, all of one revision.
#ifndef NAVCTL_WORLD_OBJECTS_H
#define NAVCTL_WORLD_OBJECTS_H

#include "navd.h"

// Who takes the objects. Each returns an exit code; any but NAVCTL_OK ends the reading with it.
typedef struct world_taker {
    void *user;
    int (*begin)(void *user); // also where the world moved on: what was taken so far is void
    int (*page)(void *user, const navd_objects *page);
} world_taker;

// Returns an exit code, with one line on stderr. *revision: of what was read.
int world_objects_read(navd_client *c, const char *name, uint64_t world, const world_taker *taker, uint64_t *revision);

// A mesh of the daemon, which may still be reading it from disk. Returns an exit code, with one line on stderr that
// names the world.
int world_objects_mesh(navd_client *c, const char *name, navd_key key, navd_mesh_data *out);

#endif
