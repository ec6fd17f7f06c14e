// Pieces: the polygons as the detail stage leaves them. Most stay whole. A polygon whose detail exceeds the 8-bit
// counts of a tile is cut: along a diagonal, or, if it is a triangle, from a new vertex inside it. Owner: one thread;
// scratch of the detail stage.
#ifndef NAV_DETAIL_PIECES_H
#define NAV_DETAIL_PIECES_H

#include "core/detail/edges.h"

enum { NAV_PIECE_CORNERS = 6 };

typedef struct nav_piece {
    int32_t poly; // it was cut from
    int32_t count;
    int32_t vert[NAV_PIECE_CORNERS];
    int32_t edge[NAV_PIECE_CORNERS]; // from the corner to the next
} nav_piece;

typedef struct nav_pieces {
    nav_piece *piece; // those of a polygon stand together
    int32_t count, capacity;
    int32_t *poly_first;   // per polygon: its first piece; one more at the end
    int32_t vert_capacity; // of polys->x, z, y; 0 while they are as they came
} nav_pieces;

NAV_MUST_USE nav_status nav_pieces_init(nav_pieces *p, const nav_polygons *polys, nav_arena *arena);
// Appends polygon `poly` as one piece. edge: of each corner.
NAV_MUST_USE nav_status nav_pieces_add(nav_pieces *p, const nav_polygons *polys, int32_t poly, const int32_t *edge,
                                       nav_arena *arena);

// Cuts piece k, one of the newest polygon: it becomes smaller, the others are appended. ground: the polygon's,
// selected; NULL: a new vertex is in the plane of its triangle. *cut is false where nothing can be cut off it.
NAV_MUST_USE nav_status nav_pieces_cut(nav_pieces *p, int32_t k, nav_edges *edges, const nav_ground *ground,
                                       nav_polygons *polys, nav_arena *arena, bool *cut);

// Makes the pieces the polygons: corners, neighbours, areas, regions and the cells' polygon ranges.
NAV_MUST_USE nav_status nav_pieces_apply(nav_pieces *p, nav_edges *edges, nav_polygons *polys, nav_arena *arena);

#endif
