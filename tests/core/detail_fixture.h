// Hand-made compact heightfields and polygons for the detail stage, and what every result of it must keep to.
#ifndef TESTS_CORE_DETAIL_FIXTURE_H
#define TESTS_CORE_DETAIL_FIXTURE_H

#include "core/detail/detail.h"

enum { NO_FLOOR = INT32_MIN, FIXTURE_STOREYS = 3 };

// Floor of a storey at a column of the world, or NO_FLOOR. Storeys ascend.
typedef int32_t floor_fn(int storey, int32_t x, int32_t z, uint32_t seed);

typedef struct fixture {
    nav_config cfg;
    nav_compact_heightfield field;
    nav_regions regions;
    nav_arena arena;
    nav_polygons polys;
    nav_detail detail;
} fixture;

// A field of tile (tile_x, tile_z). Region of a span: its storey + 1.
void fixture_init(fixture *f, floor_fn *floor, uint32_t seed, int32_t tile_columns, int32_t tile_x, int32_t tile_z);
void fixture_deinit(fixture *f);

// Starts the polygons again. capacity: corners of all of them together.
void fixture_begin_polygons(fixture *f, int32_t capacity);
// The vertex at a cell corner on a storey; its height is the field's. The same corner gives the same vertex.
int32_t fixture_vertex(fixture *f, int storey, int32_t x, int32_t z);
void fixture_polygon(fixture *f, int32_t count, const int32_t *vert, int32_t region);
// Finds the neighbours of the polygons, and the portals on the tile's border; every polygon is a cell.
void fixture_end_polygons(fixture *f);
// One rectangle on a storey.
void fixture_rectangle(fixture *f, int storey, int32_t x0, int32_t z0, int32_t x1, int32_t z1, int32_t region);
// Covers the tile with convex polygons of three and four corners around jittered vertices.
void fixture_jittered_grid(fixture *f, int32_t step, uint32_t seed);

// From columns to outline units: after the polygons.
void fixture_set_unit(fixture *f, int32_t unit);

// Builds the detail and checks it: counts, triangles positive and in range, areas, flags, boundary points on the edges
// and equal on both sides of each, neighbours mutual. Fails the test where anything is not so.
void fixture_build(fixture *f);
// Fails where the detail is farther from the floor of `storey` than the error allows, at any sample.
void fixture_check_followed(const fixture *f, int storey);

uint32_t fixture_random(uint32_t *state);

#endif
