// Triangulation of the rings of a group: an outer ring and its holes become triangles, which are faces of their own.
// There are three methods with one signature; the half-edges' `method` chooses. Whatever the method, the triangles
// cover the group exactly, each is positive, and the edges of the rings stay what they are.
#ifndef NAV_POLYGON_TRIANGULATE_H
#define NAV_POLYGON_TRIANGULATE_H

#include "core/polygon/half_edges/half_edges.h"

typedef struct half_hole {
    int32_t low;     // the half-edge from its lowest corner
    int32_t corners; // of its ring
} half_hole;

typedef struct half_group {
    int32_t outer;   // a half-edge of the outer ring
    int32_t corners; // of the outer ring
    const half_hole *hole;
    int32_t hole_count;
    int32_t region; // what the faces get
    uint8_t area;
} half_group;

// Cuts the group into triangles. False where area is left over; what could be cut is there.
bool nav_half_triangulate(half_edges *m, const half_group *g);

// The methods, for one ring of n corners around half-edge h. Each lists the faces it makes in m->cut.
bool nav_half_cut_ears(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area);
bool nav_half_cut_min_area(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area);
bool nav_half_cut_delaunay(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area);

// Gives up the ring of h: its edges get no face, and for those on their other side they become walls.
void nav_half_discard(half_edges *m, int32_t h);
// Joins the holes' rings to the outer one: by double edges to corners in sight, or directly where they touch. corners:
// of the ring that is left. False where a hole had to be given up.
bool nav_half_join_holes(half_edges *m, const half_group *g, int32_t *corners);

#endif
