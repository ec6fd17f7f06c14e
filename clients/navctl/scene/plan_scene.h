// A floor plan as a scene: each floor and area a flat mesh, each obstacle a solid prism of area none, stairs as slopes,
// links as off-mesh links. All are objects with names of their own. Any thread.
//
//       ____________      An obstacle has a bottom on the floor, sides, a top, and sheets within, a metre apart at the
//      /___________/|     most: so there is no floor inside of it for voxels either, and what blocks is its outline.
//      |_ _ _ _ _ _|/     The sides and sheets stand straight up from the rings.
#ifndef NAVCTL_PLAN_SCENE_H
#define NAVCTL_PLAN_SCENE_H

#include "clients/navctl/scene/scene.h"
#include "clients/navctl/scene/scene_file.h"

typedef enum plan_format { PLAN_GEOJSON, PLAN_WKT, PLAN_SVG } plan_format;

// unit_m: metres per unit of the file. `out` is an empty scene, whose frame is set. False and a sentence in `why` that
// names the feature, the ring and the value; `out` has to be freed all the same.
bool plan_scene_read(plan_format format, const scene_file *file, double unit_m, scene *out, char *why,
                     size_t why_bytes);

#endif
