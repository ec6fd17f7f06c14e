// All that a tile is made from, and which tiles a place or a box touches.
// Of a sheet other than NAV_SHEET_UP, x and z here are those of its frame (navcore/sheets.h).
//
// Tiles are squares of settings.tile_cells columns, in a grid that begins at settings.origin_m: tile (x, z) covers
// origin + [x, x + 1) * side and [z, z + 1) * side. A tile also looks at a border around it, its padding, so that an
// object near its edge is part of its source. Any thread.
#ifndef NAVCORE_TILE_SOURCE_H
#define NAVCORE_TILE_SOURCE_H

#include "navcore/key.h"
#include "navcore/settings.h"
#include "navcore/shapes.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Borrows all that it points to. Zeroed members are empty lists.
typedef struct nav_tile_source {
    const nav_settings *settings;
    int32_t tile_x, tile_z;
    const nav_instance *instances; // all that touch the padded bounds; more do no harm
    uint32_t instance_count;
    const nav_volume *volumes;
    uint32_t volume_count;
    const nav_link *links; // all whose start is in the tile; more do no harm
    uint32_t link_count;
    // The world has include volumes, if elsewhere: give it where `volumes` has only those that touch the padded bounds.
    // It follows by itself from an include volume in `volumes`.
    bool bounded;
} nav_tile_source;

// Can there be no ground in the tile, as its world has include volumes and none touches it? Then what else is in the
// source changes nothing, and no stage runs.
bool nav_tile_is_left_out(const nav_tile_source *source);

// Bounds in x and z of the tile with its padding, metres: what lies outside cannot change the tile.
void nav_tile_padded_bounds(const nav_settings *s, int32_t tile_x, int32_t tile_z, double min_xz[2], double max_xz[2]);
// The tiles whose padded bounds touch a box in x and z, and so depend on what is in it: first and last tile along x and
// z, inclusive, at most 16777216 from the origin.
void nav_tile_range(const nav_settings *s, const double min_xz[2], const double max_xz[2], int32_t first[2],
                    int32_t last[2]);
// The tile that holds a point.
void nav_tile_at(const nav_settings *s, double x, double z, int32_t *tile_x, int32_t *tile_z);

// Names a source without building it: from the keys of the meshes, their places, the volumes, links and settings, in
// whatever order they are given. Equal keys are equal tiles; give exactly those objects that touch the padded bounds,
// so that equal tiles mostly have equal keys.
nav_key nav_tile_source_key(const nav_tile_source *source);

#ifdef __cplusplus
}
#endif

#endif
