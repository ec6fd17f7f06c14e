// Small scenes for the tests of core: triangle soups made by calls, and the stages run on them.
#ifndef NAV_TESTS_SCENE_H
#define NAV_TESTS_SCENE_H

#include "core/geometry/tile_source.h"
#include "core/voxel/spans/heightfield.h"

typedef struct scene {
    float *verts;
    uint32_t *tris;
    uint32_t vert_count, tri_count, vert_capacity, tri_capacity;
} scene;

void scene_free(scene *s);
void scene_triangle(scene *s, const float a[3], const float b[3], const float c[3]);
// A level rectangle that faces up.
void scene_floor(scene *s, float x0, float z0, float x1, float z1, float y);
// A closed box, turned about its vertical axis by a direction (cosine, sine).
void scene_box(scene *s, float x0, float y0, float z0, float x1, float y1, float z1, float cosine, float sine);
// Rolling ground of n by n quads of the given size.
void scene_hills(scene *s, int n, float size, float height);
// A mesh of it; the caller destroys it.
nav_mesh *scene_mesh(const scene *s);
// areas: of its triangles; NULL: they have none.
nav_mesh *scene_mesh_with_areas(const scene *s, const uint8_t *areas);

uint32_t scene_random(uint32_t *state); // xorshift
float scene_random_between(uint32_t *state, float low, float high);

#endif
