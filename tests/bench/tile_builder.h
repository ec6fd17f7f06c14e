// A scene made ready to build any of its tiles alone, as the daemon does.
#ifndef BENCH_TILE_BUILDER_H
#define BENCH_TILE_BUILDER_H

#include "clients/navctl/scene/scene.h"
#include "core/build.h"
#include "core/geometry/spatial_index.h"

typedef struct tile_builder {
    const nav_settings *settings; // borrowed; may be changed between tiles, but for the grid
    int32_t first[2], count[2];   // the scene's tiles of settings->sheet
    uint32_t mesh_count;
    nav_mesh **meshes;
    nav_instance *instances, *near;
    uint32_t near_count;
    nav_spatial_index index;
    nav_arena arena; // holds the tile built last
} tile_builder;

// False with one line on stderr. A builder that failed is to be deinitialised all the same.
bool tile_builder_init(tile_builder *b, const scene *s, const nav_settings *settings);
void tile_builder_deinit(tile_builder *b);

// Tile (first[0] + x, first[1] + z); lives until the next one is built. hooks: as for nav_build_tile().
nav_status tile_builder_build(tile_builder *b, int32_t x, int32_t z, const nav_hooks *hooks, nav_tile *out);

#endif
