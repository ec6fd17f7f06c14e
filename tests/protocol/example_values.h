// What examples of several pages are made of. Internal to examples_*.c.
#ifndef NP_TEST_EXAMPLE_VALUES_H
#define NP_TEST_EXAMPLE_VALUES_H

#include "tests/protocol/examples.h"

#define STR(literal)                                                                                                   \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define ONES_16 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
#define EXAMPLE_SQUARE_HASH                                                                                            \
    {                                                                                                                  \
        0x993e9ccd284ba6f5u, 0x8f5030e420406181u                                                                       \
    } // test_messages checks that
// The default settings but for these.
#define SETTINGS(cell, tile, radius, areas) FLOOR_SETTINGS(cell, tile, radius, areas), .sheets = NAV_SHEETS_UP
#define CLIMBER(wanted, of)                                                                                            \
    FLOOR_SETTINGS(0.3f, 48, 0.6f, ALL_AREAS), .generator = NAV_GENERATOR_SURFACE, .sheets = wanted, .sheet = of
#define FLOOR_SETTINGS(cell, tile, radius, areas)                                                                      \
    .cell_size_m = cell, .cell_height_m = 0.2f, .tile_cells = tile, .agent_height_m = 2.0f, .agent_radius_m = radius,  \
    .agent_climb_m = 0.9f, .agent_slope_deg = 45.0f, .walkable_areas = areas, .region_min_cells = 8.0f,                \
    .region_merge_cells = 20.0f, .edge_max_length_m = 12.0f, .edge_max_error_cells = 1.3f,                             \
    .outlines = NAV_OUTLINES_VOXEL, .polygon_max_vertices = 6, .detail_sample_cells = 6.0f,                            \
    .detail_max_error_voxels = 1.0f, .surface_error_m = 0.05f, .mitre_limit = 2, .grip_areas = ALL_AREAS,              \
    .seam_smooth_deg = 60, .seam_inner_deg = 120, .seam_outer_deg = 180,                                               \
    .area_flags = {ONES_16, ONES_16, ONES_16, ONES_16}
#define ALL_AREAS ~(uint64_t)1

// A square of 2 m from two triangles: 4 vertices, then 6 indices, little-endian.
static const uint8_t square[] = {
    0, 0,   0, 0,    0, 0, 0, 0, 0, 0, 0, 0,    //
    0, 0,   0, 0,    0, 0, 0, 0, 0, 0, 0, 0x40, //
    0, 0,   0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x40, //
    0, 0,   0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0,    //
    0, 0,   0, 0,    1, 0, 0, 0, 2, 0, 0, 0,    //
    0, 0,   0, 0,    2, 0, 0, 0, 3, 0, 0, 0,    //
    7, 255,                                     // areas, where it has them
};
static const np_none none = {0};

#endif
