// How a command reads a scene file: with the axes, the unit and the areas that its command line says. Every command
// that reads the geometry of a scene has these options.
#ifndef NAVCTL_SCENE_LOAD_H
#define NAVCTL_SCENE_LOAD_H

#include "clients/navctl/scene/scene_areas.h"
#include "clients/navctl/scene/scene_frame.h"
#include "clients/navctl/scene/scene_heights.h"

typedef struct scene_load_values {
    scene_frame_values frame;
    scene_area_values areas;
    scene_heights_values heights;
} scene_load_values;

// Three groups of options.
#define SCENE_LOAD_GROUPS(type, member)                                                                                \
    SCENE_FRAME_GROUP(type, member.frame), SCENE_AREA_GROUP(type, member.areas),                                       \
        SCENE_HEIGHTS_GROUP(type, member.heights)

// False with one line on stderr that names the command.
bool scene_load_check(const scene_load_values *v, const char *command);
// The name of an option that is given, for commands that also take what is no scene; NULL: none.
const char *scene_load_given(const scene_load_values *v);

// Reads a scene file, or a height map. parallel: NULL for the calling thread alone. Returns an exit code, with one line
// on stderr.
int scene_load(const char *path, const scene_load_values *v, const char *command, const nav_parallel *parallel,
               scene *out);

#endif
