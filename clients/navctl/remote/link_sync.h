// The off-mesh links of a scene as a source's in a world: what the world has of that source becomes what the scene
// holds.
#ifndef NAVCTL_LINK_SYNC_H
#define NAVCTL_LINK_SYNC_H

#include "clients/navctl/scene/scene.h"
#include "navd.h"

#include <stdbool.h>

typedef struct link_sync {
    uint32_t put, removed, unchanged; // put: new or different
    uint64_t revision;                // where something changed; 0: nothing did
} link_sync;

// One edit, or none. dry_run: only counts. Links of others with the same ids are replaced by nobody: that is an error.
// Returns an exit code, with one line on stderr.
int link_sync_run(navd_client *c, const navd_world *world, const char *world_name, const scene *s, const char *source,
                  bool dry_run, link_sync *out);

#endif
