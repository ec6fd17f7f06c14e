// Scenes whose tiles a daemon builds, each in a world of its own that is deleted again: several at once over one
// connection, so that the daemon builds the ones while the others are read and sent. A connection that breaks is made
// again, and goes on where it was; a world that went with its daemon is sent again. One thread.
#ifndef NAVCTL_SCENE_BUILDS_H
#define NAVCTL_SCENE_BUILDS_H

#include "clients/navctl/remote/private_daemon.h"
#include "clients/navctl/scene/scene.h"
#include "clients/navctl/tile_files/tile_set.h"
#include "core/reach/goal.h"
#include "navcore/areas.h"

typedef struct scene_build_profile {
    const char *name;      // in the world
    nav_settings settings; // as the command line says, without what the table of areas makes of them
    unsigned encodings;    // of its tiles: bit 1 << generate_encoding
} scene_build_profile;

// What is built; borrowed until the build is closed.
typedef struct scene_build_input {
    const char *title; // of the scene, for messages
    const char *world; // its name: that of a world which holds the same, or none
    const scene *scene;
    const nav_area_table *areas;
    const nav_reach_goal *goal; // where one is set
    nav_unreachable unreachable;
    bool allow_lost_seeds;
    const scene_build_profile *profiles; // of one origin
    uint32_t profile_count;
} scene_build_input;

// The tiles of a profile in one encoding.
typedef struct scene_build_part {
    uint32_t profile;
    generate_encoding encoding;
    uint64_t subscription;
    tile_set tiles;
} scene_build_part;

typedef struct scene_build_wait scene_build_wait;

typedef struct scene_build {
    const scene_build_input *input;
    void *user;
    int code; // once it is out of scene_builds_next(): NAVCTL_OK, NAVCTL_TILES, or why there are no tiles to write
    scene_build_part *parts;
    uint32_t part_count;
    uint64_t sent_bytes; // of meshes
    // Internal.
    navd_world world;
    struct {
        uint64_t done, total;
    } * progress;           // of the profiles
    scene_build_wait *wait; // under way
    bool waited, waits_again, ended, no_memory;
    navd_status status;
    char why[256];
    int tries;
} scene_build;

enum { SCENE_BUILDS_MOST = 64 };

typedef struct scene_builds {
    navd_client *client;
    private_daemon *daemon; // whose end is seen; NULL: it is somebody else's
    scene_build *running[SCENE_BUILDS_MOST];
    uint32_t count;
    // Now and then while scene_builds_next() waits: tiles of all that run. NULL: nobody looks.
    void (*on_progress)(void *user, uint64_t done, uint64_t total);
    void *user;
} scene_builds;

// The client is its own from then on. Ctrl-C and SIGTERM come while scene_builds_next() waits, and nowhere
// else.
void scene_builds_init(scene_builds *b, navd_client *client, private_daemon *daemon);
// Sends the scene and asks for its tiles. At most SCENE_BUILDS_MOST at once. Returns an exit code, with one line on
// stderr; *out is then NULL and the world is gone.
int scene_builds_begin(scene_builds *b, const scene_build_input *input, void *user, scene_build **out);
// Waits until one is finished. NAVCTL_OK, and what came of it is in (*out)->code, with a line on stderr where that is
// not NAVCTL_OK; NAVCTL_CONNECT: the daemon is gone for good; NAVCTL_FAILED: Ctrl-C or SIGTERM. Both with one line on
// stderr.
int scene_builds_next(scene_builds *b, scene_build **out);
// The tiles of a profile in an encoding; NULL: nobody asked for them.
const tile_set *scene_build_tiles(const scene_build *build, uint32_t profile, generate_encoding encoding);
// Deletes the world. Accepts NULL.
void scene_builds_close(scene_builds *b, scene_build *build);
// Closes all that run, and the client.
void scene_builds_deinit(scene_builds *b);

#endif
