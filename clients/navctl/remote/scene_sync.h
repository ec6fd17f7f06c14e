// A scene as a source of a daemon's world: what the world has of that source becomes what the scene holds.
#ifndef NAVCTL_SCENE_SYNC_H
#define NAVCTL_SCENE_SYNC_H

#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/scene/scene.h"

typedef struct scene_sync_options {
    const char *source;
    bool dry_run, adopt;
} scene_sync_options;

typedef struct scene_sync {
    navd_sync_result result;
    uint64_t *ids; // of the scene's instances; NULL: no memory
    uint32_t meshes_sent;
    uint64_t bytes_sent;
    double compare_s, upload_s,
        sync_s; // until the daemon had compared; the meshes it lacked; all, until it had applied it
} scene_sync;

// The name of a source that a file is where nobody names another: the file's own, without its folder. Borrows.
const char *scene_sync_source_of(const char *path);

// Sends what differs. In the scene of a world, which has no names, only into a world that is new. An instance's id is
// made of its name, or of the source and the name where another source has that id in the world. Returns an exit code,
// with one line on stderr.
int scene_sync_run(navd_client *c, const navd_world *world, const char *world_name, const scene *s,
                   const scene_sync_options *o, scene_sync *out);
// The same with a world that is still to be made: says what would be put there.
void scene_sync_imagine(const scene *s, scene_sync *out);
void scene_sync_deinit(scene_sync *s); // accepts a zeroed one

// "3 new, 2 moved, 95 as before", and of a dry run a line for each object, by its name where the scene has it.
void scene_sync_print(const scene_sync *r, const scene *s, bool dry_run);
// The same as members of an object that is open.
void scene_sync_report(const scene_sync *r, const scene *s, bool dry_run, json_writer *w);

#endif
