// What core makes of a public nav_tile_source: its keys, and the triangles that come out of it.
//
// Two keys name a tile's input. The source key is cheap: the hashes of the meshes, their places, the volumes, links and
// settings; an owner of a world computes it without touching a triangle and asks its cache. The content key is exact:
// the world-space triangles inside the padded bounds. Both are the same whatever the order of instances or triangles.
#ifndef NAV_GEOMETRY_TILE_SOURCE_H
#define NAV_GEOMETRY_TILE_SOURCE_H

#include "core/base/arena.h"
#include "core/base/key.h"
#include "core/geometry/config.h"
#include "core/geometry/heights.h"
#include "core/geometry/mesh.h"
#include "navcore/tile_source.h"

// Keys of the parts, whatever else is in the tile.
nav_key nav_settings_key(const nav_settings *s, int32_t tile_x, int32_t tile_z);
nav_key nav_instance_key(const nav_instance *in);
nav_key nav_volume_key(const nav_volume *v);
nav_key nav_link_key(const nav_link *l);

bool nav_link_in_tile(const nav_link *l, const nav_settings *s, int32_t tile_x, int32_t tile_z);
// Has the world of the source include volumes?
bool nav_tile_is_bounded(const nav_tile_source *source);
bool nav_volume_touches(const nav_volume *v, const double min_xz[2], const double max_xz[2]);
// The same for bounds in the frame of a sheet: of another one than up the box around the volume counts.
bool nav_volume_touches_tile(const nav_volume *v, nav_sheet sheet, const double min_xz[2], const double max_xz[2]);

// An instance that nobody walks on, whatever its triangles are: what may be a solid thing as a whole.
typedef struct nav_obstacle {
    const nav_instance *instance;
    uint32_t first, count; // of its triangles below, those that are near the tile
} nav_obstacle;

typedef struct nav_triangles {
    float *verts;   // 9 floats a triangle, world space, metres
    uint8_t *areas; // area type where the slope allows walking, or any does, NAV_AREA_NONE elsewhere
    uint32_t count;
    uint32_t skipped_count; // without area, not finite after their transform, or too far away for the voxel grid
    float min_y, max_y;     // of all corners; min > max where there are none
    uint64_t area_types;    // bit a: some are walkable and of area type a
    nav_key content_key;    // settings, tile, triangles and volumes, and all of obstacles
    // Height grids whose triangles are not above: where cfg->all_triangles is not set, and they are just moved.
    const nav_height_piece *pieces;
    uint32_t piece_count;
    const nav_obstacle *obstacles; // for the surface generator
    uint32_t obstacle_count;
    uint64_t piece_triangles; // that they stand for; min_y, max_y and area_types count them
} nav_triangles;

// The source with its instances turned into the frame of the tile's sheet. Volumes and links stay as they are. The
// instances live in the arena.
NAV_MUST_USE nav_status nav_source_to_frame(const nav_tile_source *source, nav_arena *arena, nav_tile_source *out);

// What is added to both keys where the world of the source has include volumes, so that a tile which none of them
// touches differs from the same tile of a world without any.
nav_key nav_bounded_key(void);

// Gathers the triangles that overlap the padded bounds in x and z; none where the tile is left out. Arrays live in the
// arena. NAV_ERR_LIMIT: more than NAV_MESH_MAX_TRIANGLES, or over the arena's budget. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_triangles_gather(const nav_tile_source *source, const nav_config *cfg, nav_arena *arena,
                                             nav_triangles *out);

#endif
