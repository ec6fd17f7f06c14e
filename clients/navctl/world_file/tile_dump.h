// What one tile of a daemon's world is made from, as a world's file of its own: the profile, and of the objects and
// triangles those that its padded bounds touch. It builds to the same tile anywhere.
#ifndef NAVCTL_TILE_DUMP_H
#define NAVCTL_TILE_DUMP_H

#include "core/base/key.h"
#include "navcore/sheets.h"
#include "navd.h"

typedef struct tile_dump_request {
    const char *world, *profile, *path; // profile: NULL for the world's first one; path: NULL: WORLD-X-Z.navdworld or,
                                        // of another sheet than up, WORLD-SHEET-X-Z.navdworld
    int32_t x, z;
    nav_sheet sheet;
    bool whole_meshes; // without it triangles elsewhere are left out
} tile_dump_request;

typedef enum tile_dump_verdict {
    TILE_DUMP_SAME,    // the file builds to the daemon's tile here
    TILE_DUMP_OTHER,   // it builds to another one
    TILE_DUMP_NO_TILE, // the daemon has none to compare with
    TILE_DUMP_CRASHES, // the file crashes the generator here, too
} tile_dump_verdict;

typedef struct tile_dump {
    char path[NAVD_NAME_BYTES + 64], profile[NAVD_NAME_BYTES];
    uint64_t revision; // of the world
    uint32_t instances, meshes, volumes, links;
    uint64_t triangles, all_triangles; // of the meshes, as written and as they were
    uint64_t file_bytes;
    const char *state; // of the daemon's tile: "clean", "queued" ...; "" where it does not know the tile
    navd_tile_status status;
    char reason[200]; // of a failed one
    uint64_t tile_revision;
    nav_key daemon_hash, own_hash; // of the encoded navd tile at revision 0; zero where there are no bytes
    tile_dump_verdict verdict;
    int signal;     // TILE_DUMP_CRASHES
    bool seeds_cut; // more pieces of ground are reached than a world may have seeds
} tile_dump;

// Returns an exit code, with one line on stderr; NAVCTL_OK whatever the verdict is.
int tile_dump_write(navd_client *c, const tile_dump_request *request, tile_dump *out);

#endif
