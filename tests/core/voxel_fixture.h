// What the tests of the voxel stages and of the partition share: settings, an arena, and the stages run on a scene with
// them. A test changes the settings before it calls.
#ifndef NAV_TESTS_VOXEL_FIXTURE_H
#define NAV_TESTS_VOXEL_FIXTURE_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/voxel/spans/compact.h"
#include "core/voxel/spans/heightfield.h"
#include "tests/core/scene.h"

extern nav_settings settings;
extern nav_arena arena; // fields live in it; nothing is freed before teardown() but by the test

// A checked fixture: default settings and an empty arena.
void setup(void);
void teardown(void);

nav_config config(int32_t x, int32_t z);
// The spans of tile (x, z) with one instance of the mesh.
nav_heightfield rasterize(const nav_mesh *m, int32_t x, int32_t z);
// The same, filtered and connected.
nav_compact_heightfield compact_heightfield(const nav_mesh *m, int32_t x, int32_t z);

#endif
