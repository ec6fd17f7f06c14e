// A world's file as a scene, to generate its tiles here, without a daemon.
#ifndef NAVCTL_WORLD_SCENE_H
#define NAVCTL_WORLD_SCENE_H

#include "clients/navctl/scene/scene.h"
#include "core/reach/goal.h"
#include "navcore/areas.h"
#include "navcore/settings.h"
#include "navd.h"

typedef struct world_scene_profile {
    char name[NAVD_NAME_BYTES];
    nav_settings settings;
} world_scene_profile;

typedef struct world_scene {
    char name[NAVD_NAME_BYTES]; // of the world
    world_scene_profile *profiles;
    uint32_t profile_count;
    nav_area_table areas;        // of the world; the profiles' settings are without what it makes of them
    nav_unreachable unreachable; // what becomes of ground out of reach
    nav_reach_goal goal;
    scene scene;
} world_scene;

// Does the file hold a world? By its name's ending, .navdworld, or by its first bytes.
bool world_scene_is_world(const char *path);
// Returns an exit code, with one line on stderr; NAVCTL_INPUT where the content is not what an export writes, or a
// daemon would refuse it.
int world_scene_read(const char *path, world_scene *out);
void world_scene_deinit(world_scene *w); // accepts a zeroed one

// The profile of that name; NULL: the first one. NULL where there is none, with one line on stderr.
const world_scene_profile *world_scene_find(const world_scene *w, const char *path, const char *name);

#endif
