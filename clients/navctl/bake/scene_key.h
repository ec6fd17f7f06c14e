// What the tiles of a scene depend on, as one number: what was made for the same one need not be made again.
#ifndef NAVCTL_SCENE_KEY_H
#define NAVCTL_SCENE_KEY_H

#include "clients/navctl/bake/scene_builds.h"
#include "clients/navctl/tile_files/mesh_file.h"

// The generator's version, the geometry, the areas and the goal: what all profiles of a build share.
nav_key scene_key_of(const scene_build_input *in);
// The same with a profile's settings.
nav_key scene_key_of_profile(nav_key key, const nav_settings *settings);
// The same with the kind of file that becomes of it. from: as in mesh_file.
nav_key scene_key_of_file(nav_key profile, mesh_file_kind kind, const char *from);

#endif
