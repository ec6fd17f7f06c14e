// The worlds whose tiles are pinned by hash: small scenes that use every stage and every kind of input.
#ifndef NAV_TESTS_WORLDS_H
#define NAV_TESTS_WORLDS_H

#include "core/build.h"

typedef struct golden_world {
    const char *name;
    nav_settings settings;
    nav_mesh *mesh;
    nav_instance instances[4];
    uint32_t instance_count;
    nav_volume volumes[3];
    uint32_t volume_count;
    nav_link links[2];
    uint32_t link_count;
    int32_t tiles_x, tiles_z; // tiles (0, 0) to (tiles_x - 1, tiles_z - 1) hold all of it
    int32_t unit;             // outline units to a column, for nav_hooks
} golden_world;

enum { GOLDEN_WORLD_COUNT = 12, GOLDEN_BUILD_COUNT = 2 * GOLDEN_WORLD_COUNT };

// Fills in world k: 0 a yard of boxes, 1 hills, 2 storeys with stairs and volumes, 3 the yard with monotone regions; 4
// to 7 the same scenes with watershed regions, relaxed cells and other triangulations; 8 and 9 the yard and the hills
// with areas of their triangles. From GOLDEN_WORLD_COUNT on, for tests that go through both: the same in outline units.
void golden_world_init(golden_world *w, int k);
void golden_world_deinit(golden_world *w);

nav_tile_source golden_world_source(const golden_world *w, int32_t x, int32_t z);

#endif
