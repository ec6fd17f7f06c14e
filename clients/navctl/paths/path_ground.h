// The ground that paths are over: a file's or a world's, with its tiles to draw, and those of Detour.
#ifndef NAVCTL_PATH_GROUND_H
#define NAVCTL_PATH_GROUND_H

#include "clients/navctl/remote/remote.h"
#include "clients/navctl/tile_files/store.h"
#include "clients/navctl/tile_files/tile_set.h"
#include "navcore/climb.h"
#include "navcore/path.h"

typedef struct path_ground {
    const char *name; // borrowed
    nav_path_set *set;
    nav_climb_set *climb; // in place of it: of a file with walls and ceilings, where that was asked for
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
} path_ground;

typedef struct path_ground_wanted {
    const char *profile; // its number in a file, its name in a world; NULL: the first
    bool tiles, detour;  // besides the set
    bool climb;          // a file with walls and ceilings will do; without tiles and detour
} path_ground_wanted;

// An exit code; an error is told on stderr.
int path_ground_read_file(path_ground *g, const char *path, const path_ground_wanted *wanted);
// Waits until the world is built.
int path_ground_read_world(path_ground *g, const char *world, const path_ground_wanted *wanted,
                           const remote_values *remote);
void path_ground_deinit(path_ground *g); // accepts a zeroed one

#endif
