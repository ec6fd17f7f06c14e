// What an audit is of: a file's ground, or a world's.
#ifndef NAVCTL_AUDIT_GROUND_H
#define NAVCTL_AUDIT_GROUND_H

#include "clients/navctl/remote/remote.h"
#include "clients/navctl/tile_files/store.h"
#include "clients/navctl/tile_files/tile_set.h"
#include "navcore/path.h"

typedef struct audit_ground {
    const char *name; // borrowed
    nav_path_set *set;
    // Where it was asked for:
    const stored_tile *list; // tiles to draw
    uint32_t list_count;
    generate_encoding encoding; // of the list
    const store *detour;        // the ground's Detour tiles
    // Owned:
    store file;
    tile_set tiles, detour_tiles; // of a world
    stored_tile *world_list;
    bool no_memory;
} audit_ground;

typedef struct audit_wanted {
    const char *profile; // its number in a file, its name in a world; NULL: the first
    bool tiles, detour;  // besides the set
} audit_wanted;

// An exit code; an error is told on stderr.
int audit_ground_read_file(audit_ground *g, const char *path, const audit_wanted *wanted);
// Waits until the world is built.
int audit_ground_read_world(audit_ground *g, const char *world, const audit_wanted *wanted,
                            const remote_values *remote);
void audit_ground_deinit(audit_ground *g); // accepts a zeroed one

#endif
