// Random worlds that lead each stage through its fast and its plain ways, with settings at and beyond the edges of what
// those are made for. A function of their numbers alone, on any machine.
#ifndef NAV_TESTS_RANDOM_WORLDS_H
#define NAV_TESTS_RANDOM_WORLDS_H

#include "core/geometry/tile_source.h"

enum { RANDOM_KINDS = 6, RANDOM_INSTANCES = 6, RANDOM_VOLUMES = 3 };

typedef struct random_world {
    nav_settings settings;
    int32_t tile_x, tile_z;
    nav_mesh *mesh;
    nav_instance instances[RANDOM_INSTANCES];
    uint32_t instance_count;
    nav_volume volumes[RANDOM_VOLUMES];
    uint32_t volume_count;
} random_world;

const char *random_kind_name(int kind);

// World `number` of a kind; every fourth has default settings.
void random_world_init(random_world *w, int kind, int number);
void random_world_deinit(random_world *w);

// Its one tile.
nav_tile_source random_world_source(const random_world *w);

#endif
