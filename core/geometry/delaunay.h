// The Delaunay triangulation of places in whole numbers, exactly. Any thread.
#ifndef NAV_GEOMETRY_DELAUNAY_H
#define NAV_GEOMETRY_DELAUNAY_H

#include "navcore/status.h"

#include <stdint.h>

enum { NAV_DELAUNAY_BITS = 29 }; // of a coordinate; products of four differences fit into 128 bits

typedef struct nav_delaunay_place {
    int32_t x, y; // 0 to 2^NAV_DELAUNAY_BITS
} nav_delaunay_place;

// Places are different, and sorted by x, then by y. At least two. tris: counter-clockwise in x and y, numbers of
// places, on the heap. Zero triangles: all are on one line.
NAV_MUST_USE nav_status nav_delaunay(const nav_delaunay_place *places, uint32_t count, uint32_t **tris,
                                     uint32_t *tri_count);

#endif
