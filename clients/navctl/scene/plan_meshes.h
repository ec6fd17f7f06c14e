// Meshes of a plan's features, in metres with Y up: the plan's x is X, its y is -Z. Any thread.
#ifndef NAVCTL_PLAN_MESHES_H
#define NAVCTL_PLAN_MESHES_H

#include "clients/navctl/scene/plan_faces.h"
#include "clients/navctl/scene/scene.h"

// Some of the triangles, as numbers.
typedef struct plan_part {
    const plan_triangles *all;
    const uint32_t *which;
    uint32_t count;
    double unit_m;
} plan_part;

// Each fills in a mesh that is empty. False: no memory. A mesh may come out without triangles: its feature is too small
// for single precision.
bool plan_mesh_flat(const plan_part *part, double height_m, scene_mesh *out);
bool plan_mesh_prism(const plan_part *part, double bottom_m, double top_m, scene_mesh *out);
// Along the line, as wide as the feature says, from its height to its to_height. False, said: bends too sharp for the
// width, or no memory.
bool plan_mesh_stairs(plan_features *p, const plan_feature *f, double unit_m, scene_mesh *out);

#endif
