// Settings in the units the stages count in. Derived once per tile. All stages read it, none writes.
//
//      |   |   |   |   columns: what the field counts in, and all that is said in columns below
//      |:::|:::|:::|   outline units, `unit` of them to a column: what contours, polygons, cells, portals, detail and
//                      tiles count in. Both begin at the tile's own lower corner.
#ifndef NAV_GEOMETRY_CONFIG_H
#define NAV_GEOMETRY_CONFIG_H

#include "navcore/settings.h"

#include <stdbool.h>

static const double NAV_ARC_STEP_COS = 0.92387953251128674; // of 22.5 degrees, which is 2 % of the radius

typedef struct nav_config {
    int32_t tile_x, tile_z;
    int32_t tile_columns;                   // columns along the tile itself
    int32_t border;                         // columns of padding on each side: radius, or a mitre, + 3
    int32_t width;                          // tile_columns + 2 * border: columns along x and along z of the padded grid
    int64_t first_column_x, first_column_z; // world grid coordinates of the padded grid's first column
    double origin_m[3];
    double cell_size_m, cell_height_m; // side of a column, height of a voxel: see nav_height_step_m()
    int32_t unit, unit_shift;          // outline units to a column: 1 << unit_shift
    int32_t tile_units;                // outline units along the tile itself
    double unit_size_m;                // side of one
    int32_t height_vx, climb_vx, radius_columns;
    double slope_cos;
    uint64_t walkable_areas;
    nav_partition partition;
    int32_t region_min_spans, region_merge_spans;
    int32_t edge_max_columns; // 0: edges are never split
    double edge_max_error;    // columns
    nav_outlines outlines;
    int32_t polygon_max_vertices;
    nav_triangulation triangulation;
    nav_generator generator;
    double radius;         // outline units; for the surface generator
    double radius_m;       // the agent's
    double surface_error;  // heights of cell_height_m: what the surface generator may be away from the triangles
    nav_corners corners;   // surface generator, as what is below
    double mitre_limit;    // radii
    double arc_step_cos;   // of the angle between tangents of a round corner
    double reach_m, reach; // how far from what is in the way its shape may reach; and in outline units
    bool climbs;           // the agent stands on more sheets than floors
    uint32_t sheets;
    nav_sheet sheet;
    uint64_t grip_areas;
    double seam_smooth_cos, seam_inner_cos, seam_outer_cos; // of the turns of surface at its edges
    double relaxation;                                      // columns
    int32_t detail_sample;                                  // columns; 0: no detail
    double detail_max_error;                                // voxels
    bool all_triangles; // height grids are gathered as triangles, for stages that need those
    bool plain; // stages that have a fast path take its plain twin, which gives the same; set after nav_config_init()
} nav_config;

// settings must have passed nav_settings_check().
// Outline units are the finest that the tile can have where outlines are true, finer ones of the surface generator,
// else columns.
void nav_config_init(nav_config *c, const nav_settings *settings, int32_t tile_x, int32_t tile_z);

// The border of such a config, for those who need nothing else of it: it is much cheaper.
int32_t nav_border_columns(const nav_settings *settings);

enum {
    NAV_UNIT_MOST = 128,          // a power of two
    NAV_SURFACE_UNIT_MOST = 1024, // the same for the surface generator
    NAV_SURFACE_COLUMNS = 2,      // beyond the reach: how far from the tile edges are joined, of the three that it has
    NAV_TILE_UNITS_MOST = 65535,  // along a tile: what a tile's numbers hold
};

// The finest outline units that a tile of so many columns can have.
int32_t nav_unit_most(int32_t tile_columns);
// What the heights of a tile's vertices are counted in, metres: voxels, and with the surface generator a part of one, a
// power of two, so that it is half a millimetre at the most: a 256th or less.
float nav_height_step_m(const nav_settings *settings);
// unit: a power of two, at most nav_unit_most(); of the surface generator it may be finer.
void nav_config_set_unit(nav_config *c, int32_t unit);

#endif
