// Settings on the wire: the members of nav_settings by their names. A key that does not exist is an error, because a
// setting that is misspelt and ignored gives a wrong mesh without a word.
#include "protocol/schema.h"

static const char *const partition_names[] = {"watershed", "monotone", "convex", NULL};
static const char *const generator_names[] = {"voxel", "surface", NULL};
static const char *const corners_names[] = {"round", "mitre", "bevel", NULL};
static const char *const triangulation_names[] = {"ears", "min-area", "delaunay", NULL};
const char *const np_outlines_names[] = {"voxel", "true", NULL};
const char *const np_sheet_names[] = {[NAV_SHEET_UP] = "up",
                                      [NAV_SHEET_DOWN] = "down",
                                      [NAV_SHEET_XPLUS] = "x+",
                                      [NAV_SHEET_XMINUS] = "x-",
                                      [NAV_SHEET_ZPLUS] = "z+",
                                      [NAV_SHEET_ZMINUS] = "z-",
                                      NULL};

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
    F(sheets, NP_T_SHEETS),
    F(grip_areas, NP_T_AREAS),
    F(seam_smooth_deg, NP_T_F32),
    F(seam_inner_deg, NP_T_F32),
    F(seam_outer_deg, NP_T_F32),
    {.key = "area_flags", .type = NP_T_U16S, .count = NAV_AREA_COUNT, .offset = offsetof(nav_settings, area_flags)},
};

static void set_defaults(void *m)
{
    nav_settings_default(m);
}

// Which sheet the settings are of is for those to say who have tiles made; and who asks for walls need not know that
// there is one generator which makes them.
static void imply(const np_schema *s, uint64_t given, void *m)
{
    nav_settings *settings = m;
    settings->sheet = nav_sheets_first(settings->sheets);
    if (settings->sheets == NAV_SHEETS_UP) return;
    for (uint32_t i = 0; i < s->field_count; i++)
        if (s->fields[i].offset == offsetof(nav_settings, generator) && given >> i & 1) return;
    settings->generator = NAV_GENERATOR_SURFACE;
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
    .imply = imply,
    .check = check,
};

const np_schema np_schema_profile_settings = {
    .bytes = sizeof(nav_settings),
    .fields = fields + 1,
    .field_count = sizeof fields / sizeof *fields - 1,
    .strict = true,
    .defaults = set_defaults,
    .imply = imply,
    .check = check,
};
