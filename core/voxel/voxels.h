// The voxels of a tile, from the rasteriser's output to the finished compact heightfield. Tiles and agents that fit
// planes take the planes; all others take spans. Both ways give the same compact heightfield. One thread.
#ifndef NAV_VOXEL_VOXELS_H
#define NAV_VOXEL_VOXELS_H

#include "core/voxel/planes/planes.h"

typedef struct nav_voxels {
    bool in_planes;       // the tile is in planes from the filter stage on
    nav_bit_columns bits; // of the rasteriser; columns is 0 where the tile does not fit bits
    nav_planes planes;
    nav_heightfield solid;
    int64_t solid_count; // runs of solid voxels
    int32_t open_count;  // floors that passed the filters
} nav_voxels;

// nav_rasterize() was called with f->bits and f->solid. The functions fail with NAV_ERR_LIMIT and NAV_ERR_MEMORY from
// the arena.
NAV_MUST_USE nav_status nav_voxels_filter(nav_voxels *f, const nav_config *cfg, nav_arena *arena);
// While the voxels are in planes, field has no spans yet; open_count says how many there will be.
NAV_MUST_USE nav_status nav_voxels_connect(nav_voxels *f, const nav_config *cfg, nav_arena *arena,
                                           nav_compact_heightfield *field);
// Volumes and erosion.
NAV_MUST_USE nav_status nav_voxels_erode(nav_voxels *f, const nav_tile_source *source, const nav_config *cfg,
                                         nav_arena *arena, nav_compact_heightfield *field);

// The voxels as spans, whatever form they are in; for whoever looks on, between the stages. Arrays of `out` are in the
// arena, or those of f. After rasterising, and before the filter:
NAV_MUST_USE nav_status nav_voxels_as_heightfield(const nav_voxels *f, const nav_config *cfg, nav_arena *arena,
                                                  nav_heightfield *out);
// After nav_voxels_connect(), with its field:
NAV_MUST_USE nav_status nav_voxels_as_compact(const nav_voxels *f, const nav_compact_heightfield *field,
                                              const nav_config *cfg, nav_arena *arena, nav_compact_heightfield *out);

#endif
