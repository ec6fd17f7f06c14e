// What stands around the ground of a picture: the triangles of a scene in grey, its volumes as outlines.
#ifndef NAVCTL_PICTURE_SCENE_H
#define NAVCTL_PICTURE_SCENE_H

#include "clients/navctl/drawing/page.h"
#include "clients/navctl/scene/scene.h"

#include <stdbool.h>

extern const colour PICTURE_GEOMETRY, PICTURE_VOLUME, PICTURE_INCLUDED;

// Triangles of which something lies between the two heights, in metres. parallel: NULL for the calling thread
// alone. False: no memory.
bool picture_scene_geometry(const page *p, const scene *s, const double slice[2], const nav_parallel *parallel);
// Volumes that reach into them.
void picture_scene_volumes(const page *p, const scene *s, const double slice[2]);

#endif
