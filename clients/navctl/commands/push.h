// What navctl push does, for other commands.
#ifndef NAVCTL_PUSH_H
#define NAVCTL_PUSH_H

#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/scene/scene_load.h"

// A scene into a world of the daemon at that address; does not wait for tiles, prints only what went wrong. Returns an
// exit code.
int push_scene(const char *file, const char *world, const char *address, const scene_load_values *reading,
               const settings_values *grid);

#endif
