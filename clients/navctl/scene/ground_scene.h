// Ground of triangles as a scene of one object.
#ifndef NAVCTL_GROUND_SCENE_H
#define NAVCTL_GROUND_SCENE_H

#include "clients/navctl/scene/scene.h"
#include "navcore/ground.h"

// Takes the ground over; it is empty afterwards. `out` is an empty scene, whose frame stays. False: no memory.
bool ground_scene_make(nav_ground *ground, const char *name, scene *out);

#endif
