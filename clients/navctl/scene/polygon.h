// Polygons of faces into triangles, where a fan does it.
#ifndef NAVCTL_POLYGON_H
#define NAVCTL_POLYGON_H

#include <stdbool.h>
#include <stdint.h>

// `tris`: the count - 2 triangles of a fan from the polygon's first corner, corners being vertices of `verts` (x y z).
// Where one corner points inwards they become the fan from that corner, which covers the polygon and nothing else.
// False, and nothing changes, where two or more do.
bool polygon_fan(uint32_t *tris, uint32_t count, const float *verts);

#endif
