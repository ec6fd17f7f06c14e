// Fixtures for the stages behind the compact heightfield: a small world of floors, drawn as text or at random, seen by
// its tiles.
#ifndef NAV_TESTS_FIXTURE_H
#define NAV_TESTS_FIXTURE_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/partition/regions.h"
#include "core/voxel/spans/compact.h"

enum { FIXTURE_MAX_SIDE = 320, FIXTURE_LAYERS = 2, FIXTURE_NO_FLOOR = -1000 };

// Floors by cell, in layers, lowest layer first. Cells outside have none.
typedef struct fixture_world {
    int32_t width, depth;
    int32_t floor[FIXTURE_LAYERS][FIXTURE_MAX_SIDE]
                 [FIXTURE_MAX_SIDE]; // [layer][z][x], FIXTURE_NO_FLOOR where there is none
    uint8_t area[FIXTURE_LAYERS][FIXTURE_MAX_SIDE][FIXTURE_MAX_SIDE];
} fixture_world;

// One tile of a world, ready for the contours.
typedef struct fixture {
    nav_arena arena;
    nav_config cfg;
    nav_compact_heightfield field;
    nav_regions regions;
    int32_t *ids; // what regions.id points to
} fixture;

// A world from rows of characters, the first row at z = 0: '.' or ' ' no floor, '0' to '9' a floor at that voxel of
// area NAV_AREA_DEFAULT, 'a' to 'z' a floor at voxel 0 of area 1 to 26. Layer 0 only.
void fixture_world_draw(fixture_world *w, const char *const *rows);

// Builds the compact heightfield of tile (x, z): spans connected where their floors differ by at most 2 voxels. All
// walkable spans of the tile are in region 1, those of the padding outside.
void fixture_init(fixture *f, const fixture_world *w, int32_t tile_x, int32_t tile_z, int32_t tile_cells,
                  int32_t border);
void fixture_deinit(fixture *f);

// Regions from rows over the tile itself, 'A' is region 1; other characters: none. Spans of area or floor none stay
// out.
void fixture_regions_draw(fixture *f, const char *const *rows);
// Regions as connected groups of one area without overlap, grown from random places until everything belongs to one;
// about `count` of them or more.
void fixture_regions_grow(fixture *f, uint32_t seed, int32_t count);

// A random world: rooms, steps, areas, pillars, and a second layer.
void fixture_world_random(fixture_world *w, uint32_t seed, int32_t width, int32_t depth);

uint32_t fixture_random(uint32_t *state);

#endif
