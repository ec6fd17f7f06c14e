// Settings in the units the stages count in: cells and voxels. Derived once per tile. All stages read it, none writes.
#ifndef NAV_GEOMETRY_CONFIG_H
#define NAV_GEOMETRY_CONFIG_H

#include "core/geometry/settings.h"

typedef struct nav_config {
    int32_t tile_x, tile_z;
    int32_t tile_cells;                 // cells along the tile itself
    int32_t border;                     // cells of padding on each side: radius + 3
    int32_t width;                      // tile_cells + 2 * border: columns along x and along z of the padded grid
    int64_t first_cell_x, first_cell_z; // world grid coordinates of the padded grid's first column
    double origin_m[3];
    double cell_m, level_m; // size of a cell, height of a voxel level
    int32_t height_vx, climb_vx, radius_cells;
    double slope_cos;
    uint64_t walkable_areas;
    nav_partition partition;
    int32_t region_min_spans, region_merge_spans;
    int32_t edge_max_cells; // 0: edges are never split
    double edge_max_error;  // cells
    int32_t polygon_max_vertices;
    nav_triangulation triangulation;
    double relaxation;       // cells
    int32_t detail_sample;   // cells; 0: no detail
    double detail_max_error; // voxels
} nav_config;

// settings must have passed nav_settings_check().
void nav_config_init(nav_config *c, const nav_settings *settings, int32_t tile_x, int32_t tile_z);

#endif
