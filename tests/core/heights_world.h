// Random height grids, and the same surface as triangles.
#ifndef NAV_TESTS_HEIGHTS_WORLD_H
#define NAV_TESTS_HEIGHTS_WORLD_H

#include "core/geometry/heights.h"

typedef struct heights_world {
    nav_heights_spec spec;
    uint16_t *whole;
    float *floats;
    uint8_t *areas; // NULL: none
} heights_world;

// Random in all that a grid can be: at most `most` samples a side.
void heights_world_init(heights_world *w, uint32_t *random, uint32_t most);
void heights_world_deinit(heights_world *w);
// Of the surface, made without core's help.
nav_mesh *heights_world_triangles(const heights_world *w);

#endif
