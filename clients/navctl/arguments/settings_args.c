#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/arguments/area_args.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void settings_values_init(settings_values *v)
{
    nav_settings defaults;
    nav_settings_default(&defaults);
    settings_values_init_from(v, &defaults);
}

void settings_values_init_from(settings_values *v, const nav_settings *defaults)
{
    *v = (settings_values){.settings = *defaults, .origin_m = {NAN, NAN, NAN}};
    v->partition = nav_partition_name(v->settings.partition);
    v->outlines = nav_outlines_name(v->settings.outlines);
    v->triangulation = nav_triangulation_name(v->settings.triangulation);
    v->generator = v->generator_default = nav_generator_name(v->settings.generator);
    v->corners = nav_corners_name(v->settings.corners);
}

#define AT(member) offsetof(settings_values, settings.member)

// Ranges are those of nav_settings_check(), which has the last word.
const arg_option settings_options[SETTINGS_OPTION_COUNT] = {
    {"cell-size", 0, ARG_FLOAT, "M", "size of a grid column in X and Z, metres", AT(cell_size_m), 0, 0, NULL},
    {"cell-height", 0, ARG_FLOAT, "M", "height of a voxel, metres", AT(cell_height_m), 0, 0, NULL},
    {"tile", 0, ARG_INT, "CELLS", "tile size, in multiples of the cell size", AT(tile_cells), 0, 0, NULL},
    {"origin", 0, ARG_VEC3, "X,Y,Z", "corner of tile 0,0; default: 0,0,0, or that of the world",
     offsetof(settings_values, origin_m), 0, 0, NULL},
    {"agent-height", 0, ARG_FLOAT, "M", "height of the agent, metres", AT(agent_height_m), 0, 0, NULL},
    {"agent-radius", 0, ARG_FLOAT, "M", "radius of the agent, metres", AT(agent_radius_m), 0, 0, NULL},
    {"agent-climb", 0, ARG_FLOAT, "M", "highest step the agent climbs, metres", AT(agent_climb_m), 0, 0, NULL},
    {"agent-slope", 0, ARG_FLOAT, "DEG", "steepest slope the agent walks on, degrees", AT(agent_slope_deg), 0, 0, NULL},
    {"partition", 0, ARG_CHOICE, "NAME", "how the walkable area is partitioned", offsetof(settings_values, partition),
     0, 0, "watershed monotone convex"},
    {"region-min", 0, ARG_FLOAT, "CELLS", "remove regions smaller than the square of this", AT(region_min_cells), 0, 0,
     NULL},
    {"region-merge", 0, ARG_FLOAT, "CELLS", "merge regions smaller than the square of this; not for convex",
     AT(region_merge_cells), 0, 0, NULL},
    {"edge-length", 0, ARG_FLOAT, "M", "longest edge along a wall; 0: no limit; not for convex", AT(edge_max_length_m),
     0, 0, NULL},
    {"edge-error", 0, ARG_FLOAT, "CELLS", "largest distance between a simplified edge and the wall",
     AT(edge_max_error_cells), 0, 0, NULL},
    {"outlines", 0, ARG_CHOICE, "NAME", "whether the walkable area ends at voxels or at the true walls",
     offsetof(settings_values, outlines), 0, 0, "voxel true"},
    {"polygon-vertices", 0, ARG_INT, "N", "most vertices of a Detour polygon, 3 to 6", AT(polygon_max_vertices), 0, 0,
     NULL},
    {"triangulation", 0, ARG_CHOICE, "NAME", "how contours are triangulated", offsetof(settings_values, triangulation),
     0, 0, "ears min-area delaunay"},
    {"relaxation", 0, ARG_FLOAT, "M", "how far a cell may deviate from convex, convex partition only", AT(relaxation_m),
     0, 0, NULL},
    {"detail-sample", 0, ARG_FLOAT, "CELLS", "distance between height samples; below 0.9: none",
     AT(detail_sample_cells), 0, 0, NULL},
    {"detail-error", 0, ARG_FLOAT, "VOXELS", "largest height error of the detail mesh", AT(detail_max_error_voxels), 0,
     0, NULL},
    {"generator", 0, ARG_CHOICE, "NAME", "what makes tiles: voxels, or the walkable triangles as they are",
     offsetof(settings_values, generator), 0, 0, "voxel surface"},
    {"surface-error", 0, ARG_FLOAT, "M", "largest height error of the surface generator, metres; 0: none",
     AT(surface_error_m), 0, 0, NULL},
    {"corners", 0, ARG_CHOICE, "NAME", "corners at the agent's radius, with the surface generator",
     offsetof(settings_values, corners), 0, 0, "round mitre bevel"},
    {"mitre-limit", 0, ARG_FLOAT, "RADII", "longest mitre, in radii of the agent; what would reach farther is cut off",
     AT(mitre_limit), 0, 0, NULL},
    {"arc-error", 0, ARG_FLOAT, "M", "how far round corners may lie outside their arcs, metres; 0: 2 % of the radius",
     AT(arc_error_m), 0, 0, NULL},
    {"sheets", 0, ARG_TEXT, "LIST",
     "sheets that the agent stands on: all, or some of up,down,x+,x-,z+,z-; default: up, or those of the world; any "
     "but up are made by the surface generator",
     offsetof(settings_values, sheets), 0, 0, NULL},
    {"grip-areas", 0, ARG_TEXT, "LIST",
     "areas that hold the agent at any slope, as in 1-5,63, or none; on others it stands as on floors; default: all",
     offsetof(settings_values, grip_areas), 0, 0, NULL},
    {"seam-smooth", 0, ARG_FLOAT, "DEG", "largest turn of an edge that is no edge to the agent: the surface goes on",
     AT(seam_smooth_deg), 0, 0, NULL},
    {"seam-inner", 0, ARG_FLOAT, "DEG", "largest turn of an inner edge, as from floor to wall, that the agent crosses",
     AT(seam_inner_deg), 0, 0, NULL},
    {"seam-outer", 0, ARG_FLOAT, "DEG", "largest turn of a rim that the agent goes round", AT(seam_outer_deg), 0, 0,
     NULL},
    {"walkable-areas", 0, ARG_TEXT, "LIST", "areas the agent walks on, as in 1-5,63; default: all",
     offsetof(settings_values, walkable_areas), 0, 0, NULL},
    {"area-flags", 0, ARG_TEXT, "ID=FLAGS,...", "flags of an area's polygons in Detour tiles; default: 1",
     offsetof(settings_values, area_flags), 0, 0, NULL},
};

// The settings by the names that nav_settings_check() gives them, as options.
static const char *const option_names[][2] = {
    {"origin_m", "origin"},
    {"cell_size_m", "cell-size"},
    {"cell_height_m", "cell-height"},
    {"tile_cells", "tile"},
    {"agent_height_m", "agent-height"},
    {"agent_radius_m", "agent-radius"},
    {"agent_climb_m", "agent-climb"},
    {"agent_slope_deg", "agent-slope"},
    {"region_min_cells", "region-min"},
    {"region_merge_cells", "region-merge"},
    {"edge_max_length_m", "edge-length"},
    {"edge_max_error_cells", "edge-error"},
    {"outlines", "outlines"},
    {"polygon_max_vertices", "polygon-vertices"},
    {"relaxation_m", "relaxation"},
    {"detail_sample_cells", "detail-sample"},
    {"detail_max_error_voxels", "detail-error"},
    {"generator", "generator"},
    {"surface_error_m", "surface-error"},
    {"corners", "corners"},
    {"mitre_limit", "mitre-limit"},
    {"arc_error_m", "arc-error"},
    {"seam_smooth_deg", "seam-smooth"},
    {"seam_inner_deg", "seam-inner"},
    {"seam_outer_deg", "seam-outer"},
};

// `why` begins with a setting's name: the person sees the option's.
static void say_option(const char *command, const char *why)
{
    for (size_t i = 0; i < sizeof option_names / sizeof option_names[0]; i++) {
        size_t length = strlen(option_names[i][0]);
        if (strncmp(why, option_names[i][0], length) != 0) continue;
        fprintf(stderr, "navctl %s: --%s%s\n", command, option_names[i][1], why + length);
        return;
    }
    fprintf(stderr, "navctl %s: %s\n", command, why);
}

// The sheets as they are given, and the generator that they need.
static nav_status apply_sheets(settings_values *v, char *why, size_t why_bytes)
{
    nav_settings *s = &v->settings;
    if (v->sheets) {
        if (nav_sheets_parse(v->sheets, &s->sheets) != NAV_OK) {
            snprintf(why, why_bytes, "--sheets %.100s: expected all, or some of up,down,x+,x-,z+,z-", v->sheets);
            return NAV_ERR_ARGUMENT;
        }
        s->sheet = NAV_SHEET_UP;
        while (!(s->sheets >> s->sheet & 1)) s->sheet++;
    }
    if (v->grip_areas) {
        bool none = strcmp(v->grip_areas, "none") == 0;
        if (none) s->grip_areas = 0;
        if (!none && !area_args_walkable(v->grip_areas, &s->grip_areas)) {
            snprintf(why, why_bytes, "--grip-areas %.100s: expected none, or areas from 1 to 63, as in 1-5,63",
                     v->grip_areas);
            return NAV_ERR_ARGUMENT;
        }
    }
    if (s->sheets == NAV_SHEETS_UP || s->generator == NAV_GENERATOR_SURFACE) return NAV_OK;
    if (v->generator != v->generator_default) {
        snprintf(why, why_bytes,
                 "--generator %s makes floors only: for sheets other than up leave it out, or say surface",
                 v->generator);
        return NAV_ERR_ARGUMENT;
    }
    s->generator = NAV_GENERATOR_SURFACE;
    return NAV_OK;
}

bool settings_values_apply(settings_values *v, const char *command)
{
    char why[256] = "";
    nav_status s = nav_partition_parse(v->partition, &v->settings.partition);
    if (s != NAV_OK) snprintf(why, sizeof why, "--partition %s: there is no such partition", v->partition);
    if (s == NAV_OK) {
        s = nav_outlines_parse(v->outlines, &v->settings.outlines);
        if (s != NAV_OK) snprintf(why, sizeof why, "--outlines %s: there are no such outlines", v->outlines);
    }
    if (s == NAV_OK) {
        s = nav_triangulation_parse(v->triangulation, &v->settings.triangulation);
        if (s != NAV_OK) snprintf(why, sizeof why, "--triangulation %s: there is no such way", v->triangulation);
    }
    if (s == NAV_OK) {
        s = nav_generator_parse(v->generator, &v->settings.generator);
        if (s != NAV_OK) snprintf(why, sizeof why, "--generator %s: there is no such generator", v->generator);
    }
    if (s == NAV_OK) {
        s = nav_corners_parse(v->corners, &v->settings.corners);
        if (s != NAV_OK) snprintf(why, sizeof why, "--corners %s: there are no such corners", v->corners);
    }
    if (s == NAV_OK) s = apply_sheets(v, why, sizeof why);
    if (s == NAV_OK && v->walkable_areas && !area_args_walkable(v->walkable_areas, &v->settings.walkable_areas)) {
        s = NAV_ERR_ARGUMENT;
        snprintf(why, sizeof why, "--walkable-areas %.100s: expected areas from 1 to 63, as in 1-5,63",
                 v->walkable_areas);
    }
    if (s == NAV_OK && v->area_flags && !area_args_flags(v->area_flags, v->settings.area_flags)) {
        s = NAV_ERR_ARGUMENT;
        snprintf(why, sizeof why,
                 "--area-flags %.100s: expected areas from 1 to 63 with flags from 0 to 65535, as in 7=6,8=0x10",
                 v->area_flags);
    }
    for (int k = 0; k < 3 && !isnan(v->origin_m[0]); k++) v->settings.origin_m[k] = v->origin_m[k];
    if (s == NAV_OK) s = nav_settings_check(&v->settings, why, sizeof why);
    if (s == NAV_OK) return true;
    say_option(command, why);
    return false;
}

nav_sheet settings_sheet(const char *word)
{
    nav_sheet sheet = NAV_SHEET_UP;
    return word && nav_sheet_parse(word, &sheet) == NAV_OK ? sheet : NAV_SHEET_UP;
}
