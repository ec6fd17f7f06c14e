// Faces: triangles of one plane that share an edge, as one convex polygon, so that each flat side of a thing is one
// source and not two or more.
//
//      d________c      Two triangles of the same class (both may be walked on, or both not) are a pair if the edge
//      |      .'|      between them is the longest of both. That is decided by the two alone, so two tiles that see
//      |   .'   |      both find the same pair, whatever else they see.
//      |.'______|
//      a        b      Pairs and single triangles are then joined further, longest edges first, while the whole stays
//                      convex: what comes of that depends on all that the tile sees.
//
// What a tile's border is open to must be found alike by both of its tiles (border.c). So there is not one list of
// faces, but one for the regions and one for each side. All stand in one array, and bits say which lists each is in.
#ifndef NAV_OUTLINE_FACES_H
#define NAV_OUTLINE_FACES_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/geometry/tile_source.h"

enum {
    NAV_FACE_MAX_CORNERS = 24,
    NAV_FACE_OF_REGIONS = 1 << 4, // bit d below it: of the side in direction d (compact.h)
};

typedef struct nav_face {
    int32_t first; // of its corners
    uint8_t count;
    uint8_t lists; // bits
    bool walkable;
} nav_face;

// Each list covers all triangles, that of a side all that come within radius + 2 columns of it. Corners lie within
// an 8th of an outline unit of the planes of the triangles, and these within a 32nd of the face as seen along its
// plane.
typedef struct nav_faces {
    int32_t count;
    nav_face *face;
    uint32_t *corner; // in order around the face: corner k of triangle t is 3 * t + k
} nav_faces;

static inline const float *nav_face_corner(const nav_faces *f, const nav_triangles *t, int32_t face, int32_t k)
{
    return t->verts + 3 * (size_t)f->corner[f->face[face].first + k];
}

// In the arena. unit: of the outline grid. What triangles are joined does not depend on their order. NAV_ERR_MEMORY,
// NAV_ERR_LIMIT.
NAV_MUST_USE nav_status nav_faces_build(const nav_triangles *triangles, const nav_config *cfg, int32_t unit,
                                        nav_arena *arena, nav_faces *out);

#endif
