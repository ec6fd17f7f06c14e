// Areas by name: --area gives the triangles of a material, or the instances of an object, an area.
#ifndef NAVCTL_SCENE_AREAS_H
#define NAVCTL_SCENE_AREAS_H

#include "clients/navctl/arguments/args.h"
#include "clients/navctl/scene/scene.h"

typedef struct scene_area_values {
    arg_steps rules; // PATTERN=ID each
} scene_area_values;

enum { SCENE_AREA_OPTIONS = 1 };
extern const arg_option scene_area_options[SCENE_AREA_OPTIONS];
#define SCENE_AREA_GROUP(type, member)                                                                                 \
    {                                                                                                                  \
        "Areas of the scene file", scene_area_options, SCENE_AREA_OPTIONS, offsetof(type, member)                      \
    }

// Is each rule one? False with one line on stderr.
bool scene_areas_check(const scene_area_values *v, const char *command);

// Gives the scene the areas that the rules say; of several that fit a name the last one counts. A rule that fits
// nothing is named on stderr. False: no memory, with one line there.
bool scene_areas_apply(const scene_area_values *v, const char *command, scene *s);

#endif
