// Scenes for the tests of sources: the floor around a place as a floor set, and what is found around it.
#ifndef NAV_TESTS_SOURCES_FIXTURE_H
#define NAV_TESTS_SOURCES_FIXTURE_H

#include "core/outline/sources.h"
#include "tests/core/voxel_fixture.h"

enum { SOURCES_UNIT = 128 };

extern nav_shapes found; // of the last call
extern nav_floor_set floor_set;

// The sources around the floor of tile (x, z) that is connected to the one next to a place, metres.
void find_sources(const scene *s, const nav_volume *volumes, uint32_t volume_count, int32_t tile_x, int32_t tile_z,
                  const float place[3]);
// Is there a source of these corners (metres, x z), in any rotation, exactly as rounded to units?
bool has_source(int32_t corners, const float *at);
// How many sources come within `distance` metres of a place.
int32_t sources_near(float x, float z, float distance);
// Prints them, metres.
void print_sources(void);

#endif
