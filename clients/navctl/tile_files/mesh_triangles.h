// The triangles of a navd tile as places of the world, for files of other programs.
#ifndef NAVCTL_MESH_TRIANGLES_H
#define NAVCTL_MESH_TRIANGLES_H

#include "navcore/tile.h"

#include <stdbool.h>

typedef struct mesh_triangles {
    float (*places)[3];
    uint32_t (*tris)[3]; // indices of places, counter-clockwise as seen from where the agent stands
    uint32_t place_count, tri_count;
    uint32_t place_capacity, tri_capacity;
} mesh_triangles;

// Those of a tile, in place of what was there. Triangles so thin that single precision decides where they face are
// left out: they have no area that counts, and a normal that says nothing. False: no memory.
bool mesh_triangles_take(mesh_triangles *m, const nav_tile_view *v);
void mesh_triangles_deinit(mesh_triangles *m); // accepts a zeroed one

#endif
