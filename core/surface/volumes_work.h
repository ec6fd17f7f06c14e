// What volumes.c and volumes_pieces.c share.
#ifndef NAV_SURFACE_VOLUMES_WORK_H
#define NAV_SURFACE_VOLUMES_WORK_H

#include "core/surface/surface_work.h"

enum {
    VOLUME_PLANES = NAV_VOLUME_MAX_POINTS + 2, // the sides, the bottom and the top
    VOLUME_CORNERS = VOLUME_PLANES + 3 + 16,   // of what a triangle and a volume have in common; rounding may add some
    POLYGON_CORNERS = VOLUME_CORNERS + 8,      // of what is left of the triangle
    WITHIN = -1,                               // of a corner: not on the triangle's edges
    ON_CORNER = 3,                             // + k: it is corner k of the triangle
    ON_PLANE = 3,                              // + j: an edge along plane j
};

// A corner of a part of a triangle. `edge`: what its edge to the next corner is along: an edge of the triangle, or
// ON_PLANE + j. `on`: the edge of the triangle that it lies on, ON_CORNER + k, or WITHIN.
typedef struct volume_corner {
    int32_t vert, edge, on;
} volume_corner;

typedef struct volume_ring {
    int32_t count;
    volume_corner corner[VOLUME_CORNERS];
} volume_ring;

// Cuts triangle t into the ring, which gets the area, and what is left of it. whole: per edge of the triangle and per
// plane, what its pieces are parts of: see surface_mesh.whole.
NAV_MUST_USE nav_status nav_surface_cut_out(surface_mesh *m, int32_t t, const volume_ring *ring,
                                            const int32_t whole[3 + VOLUME_PLANES], uint8_t area);

#endif
