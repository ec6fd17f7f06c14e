// Settings on the wire: the members of nav_settings by their names. A key that does not exist is an error, because a
// setting that is misspelt and ignored gives a wrong mesh without a word.
#include "protocol/schema.h"

static const char *const partition_names[] = {"watershed", "monotone", "convex", NULL};
static const char *const generator_names[] = {"voxel", "surface", NULL};
static const char *const corners_names[] = {"round", "mitre", "bevel", NULL};
static const char *const triangulation_names[] = {"ears", "min-area", "delaunay", NULL};
const char *const np_outlines_names[] = {"voxel", "true", NULL};

#define F(member, wire_type)                                                                                           \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(nav_settings, member)                                    \
    }

// A world's profiles share the world's origin, so the table without it begins one row further down.
static const np_field fields[] = {
    {.key = "origin_m", .type = NP_T_F64S, .count = 3, .offset = offsetof(nav_settings, origin_m)},
    F(cell_size_m, NP_T_F32),
    F(cell_height_m, NP_T_F32),
    F(tile_cells, NP_T_I32),
    F(agent_height_m, NP_T_F32),
    F(agent_radius_m, NP_T_F32),
    F(agent_climb_m, NP_T_F32),
    F(agent_slope_deg, NP_T_F32),
    F(walkable_areas, NP_T_AREAS),
    {.key = "partition", .type = NP_T_ENUM, .offset = offsetof(nav_settings, partition), .names = partition_names},
    F(region_min_cells, NP_T_F32),
    F(region_merge_cells, NP_T_F32),
    F(edge_max_length_m, NP_T_F32),
    F(edge_max_error_cells, NP_T_F32),
    {.key = "outlines",
     .type = NP_T_ENUM,
     .flags = NP_SWITCH,
     .offset = offsetof(nav_settings, outlines),
     .names = np_outlines_names},
    F(polygon_max_vertices, NP_T_I32),
    {.key = "triangulation",
     .type = NP_T_ENUM,
     .offset = offsetof(nav_settings, triangulation),
     .names = triangulation_names},
    F(relaxation_m, NP_T_F32),
    F(detail_sample_cells, NP_T_F32),
    F(detail_max_error_voxels, NP_T_F32),
    {.key = "generator", .type = NP_T_ENUM, .offset = offsetof(nav_settings, generator), .names = generator_names},
    F(surface_error_m, NP_T_F32),
    {.key = "corners", .type = NP_T_ENUM, .offset = offsetof(nav_settings, corners), .names = corners_names},
    F(mitre_limit, NP_T_F32),
    F(arc_error_m, NP_T_F32),
    {.key = "area_flags", .type = NP_T_U16S, .count = NAV_AREA_COUNT, .offset = offsetof(nav_settings, area_flags)},
};

static void set_defaults(void *m)
{
    nav_settings_default(m);
}

static nav_status check(void *m, char *why, size_t why_bytes)
{
    return nav_settings_check(m, why, why_bytes);
}

const np_schema np_schema_settings = {
    .bytes = sizeof(nav_settings),
    NP_FIELDS(fields),
    .strict = true,
    .defaults = set_defaults,
    .check = check,
};

const np_schema np_schema_profile_settings = {
    .bytes = sizeof(nav_settings),
    .fields = fields + 1,
    .field_count = sizeof fields / sizeof *fields - 1,
    .strict = true,
    .defaults = set_defaults,
    .check = check,
};
