// What the files that make faces share.
//
//     faces.c         the lists, and pairs of triangles
//     faces_join.c    two faces as one, and faces of a whole tile
#ifndef NAV_OUTLINE_FACES_WORK_H
#define NAV_OUTLINE_FACES_WORK_H

#include "core/outline/faces.h"
#include "core/outline/places.h"

typedef struct face_polygon {
    int32_t count;
    double error;                      // metres: how far from it what was left out may lie
    uint32_t at[NAV_FACE_MAX_CORNERS]; // corners; of those in the same place always the same one
} face_polygon;

typedef struct face_work {
    const float *verts;
    const uint32_t *id; // per corner: the first corner in the same place
    double plane;       // metres: what lies so close to a plane is in it
    double slack;       // metres: what lies so close to an edge is on it
    double level;       // metres: what has no more between top and bottom is level
} face_work;

static inline const float *nav_face_place(const face_work *w, uint32_t corner)
{
    return w->verts + 3 * (size_t)corner;
}

static inline double nav_place_distance2(const float a[3], const float b[3])
{
    const double x = (double)b[0] - (double)a[0], y = (double)b[1] - (double)a[1], z = (double)b[2] - (double)a[2];
    return x * x + y * y + z * z;
}

// Edges by length, the longest first, then by place: negative, if the edge from a to b comes before that from c to d.
int nav_face_compare_edges(const face_work *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
// Joins two faces that share an edge, from whatever side they are seen. False: they are not of one plane, or not convex
// together.
bool nav_face_join(const face_work *w, const face_polygon *f, const face_polygon *g, face_polygon *out);
// Appends a face. There is room for it.
void nav_faces_add(const face_work *w, nav_faces *f, const face_polygon *p, uint8_t lists, bool walkable);
// Joins the faces of the regions' list as far as they go.
NAV_MUST_USE nav_status nav_faces_join_all(const face_work *w, nav_arena *arena, nav_faces *f);

#endif
