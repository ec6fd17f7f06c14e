// Names in a scene. scene_append() is in scene.h.
#ifndef NAVCTL_SCENE_JOIN_H
#define NAVCTL_SCENE_JOIN_H

#include "clients/navctl/scene/scene.h"

// Appends ".2", ".3" ... to names that come again. False: no memory.
bool scene_make_names_unique(scene *s);

#endif
