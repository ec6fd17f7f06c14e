// Rings of any kind as triangles that cover what lies inside exactly once. Any thread.
//
//     +--------+            All rings are cut where they meet (noded), and what they enclose are faces. A face belongs
//     |  a  +--|---+        to the last feature that it lies in. So no two triangles overlap, those of features beside
//     +-----|--+ b |        each other have the same corners along their common edges, and a ring may cross itself or
//           +------+        others as it likes.
//
// GEOS does the noding and the triangulation.
#ifndef NAVCTL_PLAN_FACES_H
#define NAVCTL_PLAN_FACES_H

#include "clients/navctl/scene/plan_features.h"
#include "clients/navctl/scene/plan_geos.h"

typedef struct plan_triangles {
    plan_place *corners; // three each, counterclockwise
    uint32_t *owners;    // features
    uint32_t count, corner_capacity, owner_capacity;
} plan_triangles;

// Appends the triangles of the features, `which` in ascending order. Areas own what they cover of the others. False,
// said: rings that cross each other too often, no memory, or what GEOS makes nothing of.
bool plan_faces_cut(plan_features *p, plan_geos *g, const uint32_t *which, uint32_t count, plan_triangles *out);
// Gives lines of a feature with a width their outlines instead: square ends, mitred corners.
bool plan_faces_widen_lines(plan_features *p, plan_geos *g, plan_feature *f);

void plan_triangles_deinit(plan_triangles *t); // accepts a zeroed one

#endif
