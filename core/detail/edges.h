// The edges of the polygons, each once for both of its sides, with the height points along it.
//
// Points are found from an edge's low end (lower x, then lower z) and stored once, so both polygons of an edge have the
// same points. On a portal they are corners of columns, strictly between its ends, and depend on nothing but the
// columns along the border, so the tile behind it, built alone, finds the same ones. Owner: one thread; scratch of the
// detail stage.
#ifndef NAV_DETAIL_EDGES_H
#define NAV_DETAIL_EDGES_H

#include "core/detail/ground.h"
#include "core/detail/patch.h"
#include "core/polygon/polygons.h"

enum { NAV_EDGE_MAX_POINTS = 80 }; // on one edge, so that a triangle's three always fit 255 vertices

typedef struct nav_edge {
    int32_t low, high;   // vertices
    int32_t point_first; // of its points, from low to high
    int32_t point_count;
    int32_t side[2]; // polygon or NAV_EDGE_ code of the side that sees the edge run low -> high, and of the other
} nav_edge;

typedef struct nav_edges {
    const nav_config *cfg;
    int shift;        // parts of an outline unit that points count in, as fine as 24 bits allow
    int column_shift; // of a column
    nav_edge *edge;
    int32_t count, capacity;
    nav_patch_point *point; // x and z in outline units times 2^shift
    int32_t point_count, point_capacity;
    int32_t sampled;   // heights looked up
    int32_t coarsened; // edges whose error bound was widened, because NAV_EDGE_MAX_POINTS did not suffice
    int32_t station_capacity;
    struct nav_station *station; // scratch: the candidates of one edge
    int32_t *stack;
} nav_edges;

NAV_MUST_USE nav_status nav_edges_init(nav_edges *e, const nav_config *cfg, int32_t expected, nav_arena *arena);

// Adds the edge between vertices a and b, as seen by a polygon whose corners run a -> b, with the points that keep it
// within cfg->detail_max_error of the ground selected. behind: what lies on the other side. other: the ground of the
// polygon behind, or NULL; asked where the first has none.
NAV_MUST_USE nav_status nav_edges_add(nav_edges *e, const nav_polygons *polys, int32_t a, int32_t b, int32_t behind,
                                      const nav_ground *ground, const nav_ground *other, nav_arena *arena,
                                      int32_t *out);

#endif
