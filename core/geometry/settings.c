#include "navcore/settings.h"

#include "core/geometry/config.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void nav_settings_default(nav_settings *s)
{
    *s = (nav_settings){
        .cell_size_m = 0.3f,
        .cell_height_m = 0.2f,
        .tile_cells = 48,
        .agent_height_m = 2.0f,
        .agent_radius_m = 0.6f,
        .agent_climb_m = 0.9f,
        .agent_slope_deg = 45.0f,
        .walkable_areas = ~(uint64_t)1,
        .partition = NAV_PARTITION_CONVEX,
        .region_min_cells = 8.0f,
        .region_merge_cells = 20.0f,
        .edge_max_length_m = 12.0f,
        .edge_max_error_cells = 1.3f,
        .outlines = NAV_OUTLINES_VOXEL,
        .polygon_max_vertices = 6,
        .triangulation = NAV_TRIANGULATION_EARS,
        .detail_sample_cells = 6.0f,
        .detail_max_error_voxels = 1.0f,
        .generator = NAV_GENERATOR_VOXEL,
        .surface_error_m = 0.05f,
        .corners = NAV_CORNERS_ROUND,
        .mitre_limit = 2,
        .sheets = NAV_SHEETS_UP,
        .sheet = NAV_SHEET_UP,
        .grip_areas = ~(uint64_t)1,
        .seam_smooth_deg = 60,
        .seam_inner_deg = 120,
        .seam_outer_deg = 180,
    };
    for (int a = 0; a < NAV_AREA_COUNT; a++) s->area_flags[a] = 1;
}

static nav_status check_range(const char *name, double value, double low, double high, char *why, size_t why_bytes)
{
    if (value >= low && value <= high) return NAV_OK; // false for NaN
    if (why_bytes) snprintf(why, why_bytes, "%s is %g, but must be between %g and %g", name, value, low, high);
    return NAV_ERR_ARGUMENT;
}

static nav_status check_sheets(const nav_settings *s, char *why, size_t why_bytes)
{
    const char *what = NULL;
    if (s->sheets == 0 || s->sheets > NAV_SHEETS_ALL) {
        if (why_bytes)
            snprintf(why, why_bytes, "sheets is %#x, but must have one or more of the bits of %#x", s->sheets,
                     NAV_SHEETS_ALL);
        return NAV_ERR_ARGUMENT;
    }
    if ((unsigned)s->sheet >= NAV_SHEET_COUNT || !(s->sheets >> s->sheet & 1))
        what = "which is not one of sheets";
    else if (s->sheets != NAV_SHEETS_UP && s->generator != NAV_GENERATOR_SURFACE)
        what = "but sheets other than up need generator surface: voxels have no walls that two sheets could share";
    if (what && why_bytes) snprintf(why, why_bytes, "sheet is %s, %s", nav_sheet_name(s->sheet), what);
    return what ? NAV_ERR_ARGUMENT : NAV_OK;
}

nav_status nav_settings_check(const nav_settings *s, char *why, size_t why_bytes)
{
    const struct {
        const char *name;
        double value, low, high;
    } ranges[] = {
        {"origin_m[0]", s->origin_m[0], -1e7, 1e7},
        {"origin_m[1]", s->origin_m[1], -1e7, 1e7},
        {"origin_m[2]", s->origin_m[2], -1e7, 1e7},
        {"cell_size_m", s->cell_size_m, 0.001, 1000},
        {"cell_height_m", s->cell_height_m, 0.001, 1000},
        {"tile_cells", s->tile_cells, 4, 16384},
        {"agent_height_m", s->agent_height_m, 0.001, 1000},
        {"agent_radius_m", s->agent_radius_m, 0, 1000},
        {"agent_climb_m", s->agent_climb_m, 0, 1000},
        {"agent_slope_deg", s->agent_slope_deg, 0, 90},
        {"partition", (double)(int)s->partition, NAV_PARTITION_WATERSHED, NAV_PARTITION_CONVEX},
        {"region_min_cells", s->region_min_cells, 0, 10000},
        {"region_merge_cells", s->region_merge_cells, 0, 10000},
        {"edge_max_length_m", s->edge_max_length_m, 0, 1e6},
        {"edge_max_error_cells", s->edge_max_error_cells, 0, 1000},
        {"outlines", (double)(int)s->outlines, NAV_OUTLINES_VOXEL, NAV_OUTLINES_TRUE},
        {"polygon_max_vertices", s->polygon_max_vertices, 3, 6},
        {"triangulation", (double)(int)s->triangulation, NAV_TRIANGULATION_EARS, NAV_TRIANGULATION_DELAUNAY},
        {"relaxation_m", s->relaxation_m, 0, 10},
        {"detail_sample_cells", s->detail_sample_cells, 0, 10000},
        {"detail_max_error_voxels", s->detail_max_error_voxels, 0, 10000},
        {"generator", (double)(int)s->generator, NAV_GENERATOR_VOXEL, NAV_GENERATOR_SURFACE},
        {"surface_error_m", s->surface_error_m, 0, 1000},
        {"corners", (double)(int)s->corners, NAV_CORNERS_ROUND, NAV_CORNERS_BEVEL},
        {"mitre_limit", s->mitre_limit, 1, 10},
        {"arc_error_m", s->arc_error_m, 0, 1000},
        {"seam_smooth_deg", s->seam_smooth_deg, 0, 80},
        {"seam_inner_deg", s->seam_inner_deg, 0, 150},
        {"seam_outer_deg", s->seam_outer_deg, 0, 180},
        {"agent_radius_m in cells, times mitre_limit",
         s->corners == NAV_CORNERS_MITRE ? (double)s->agent_radius_m / (double)s->cell_size_m * (double)s->mitre_limit
                                         : 0,
         0, 511},
        {"agent_radius_m in cells", (double)s->agent_radius_m / (double)s->cell_size_m, 0, 255},
        {"agent_height_m in voxels", (double)s->agent_height_m / (double)s->cell_height_m, 0, 65535},
        {"agent_climb_m in voxels", (double)s->agent_climb_m / (double)s->cell_height_m, 0, 65535},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        nav_status st = check_range(ranges[i].name, ranges[i].value, ranges[i].low, ranges[i].high, why, why_bytes);
        if (st != NAV_OK) return st;
    }
    return check_sheets(s, why, why_bytes);
}

static const char *const partition_names[] = {"watershed", "monotone", "convex"};
static const char *const triangulation_names[] = {"ears", "min-area", "delaunay"};
static const char *const outlines_names[] = {"voxel", "true"};
static const char *const generator_names[] = {"voxel", "surface"};
static const char *const corners_names[] = {"round", "mitre", "bevel"};
enum {
    PARTITION_COUNT = sizeof partition_names / sizeof *partition_names,
    TRIANGULATION_COUNT = sizeof triangulation_names / sizeof *triangulation_names,
    OUTLINES_COUNT = sizeof outlines_names / sizeof *outlines_names,
    GENERATOR_COUNT = sizeof generator_names / sizeof *generator_names,
    CORNERS_COUNT = sizeof corners_names / sizeof *corners_names,
};

// The place of a name among others, or -1.
static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return i;
    return -1;
}

#define NAMED(KIND, COUNT)                                                                                             \
    nav_status nav_##KIND##_parse(const char *name, nav_##KIND *out)                                                   \
    {                                                                                                                  \
        int i = find_name(KIND##_names, COUNT, name);                                                                  \
        if (i >= 0) *out = (nav_##KIND)i;                                                                              \
        return i >= 0 ? NAV_OK : NAV_ERR_ARGUMENT;                                                                     \
    }                                                                                                                  \
    const char *nav_##KIND##_name(nav_##KIND value)                                                                    \
    {                                                                                                                  \
        return (unsigned)value < (COUNT) ? KIND##_names[value] : "unknown";                                            \
    }

NAMED(partition, PARTITION_COUNT)
NAMED(triangulation, TRIANGULATION_COUNT)
NAMED(outlines, OUTLINES_COUNT)
NAMED(generator, GENERATOR_COUNT)
NAMED(corners, CORNERS_COUNT)

// Cosine of 0 to 90 degrees by its series: the same bits on every machine, which the C library's does not promise.
static double cosine_of_degrees(double degrees)
{
    double x = degrees * (3.14159265358979323846 / 180.0);
    double term = 1.0, sum = 1.0;
    for (int n = 1; n <= 12; n++) {
        term *= -x * x / ((2.0 * n - 1.0) * (2.0 * n));
        sum += term;
    }
    return degrees >= 90.0 ? 0.0 : sum;
}

// The same to 180 degrees.
static double cosine_of_turn(double degrees)
{
    if (degrees >= 180) return -2; // whatever it is
    return degrees > 90 ? -cosine_of_degrees(180 - degrees) : cosine_of_degrees(degrees);
}

// A user's 0.9 m at 0.3 m is three cells, though the floats say 2.9999998.
static const double ROUNDING_SLACK = 1e-4;

static int32_t round_up(double v)
{
    return (int32_t)ceil(v - ROUNDING_SLACK);
}

static int32_t round_down(double v)
{
    return (int32_t)floor(v + ROUNDING_SLACK);
}

// How far an agent that climbs keeps from edges at the most, in radii: tan(60 degrees), and the corners of what is
// round.
static const double CLIMB_REACH = 1.8;

// What is widened piece by piece has tangents that meet so far out, in radii.
static const double ROUND_PIECES = 1.02;

// Of the angle between two tangents of a round corner that meet as far outside of the arc as they may.
static double cosine_of_arc_step(const nav_settings *s)
{
    const double least = 0.70710678, most = 0.99959; // cosines of halves: of 90 and of 3.28 degrees
    if (s->arc_error_m <= 0) return NAV_ARC_STEP_COS;
    double radius = s->agent_radius_m, half = radius / (radius + (double)s->arc_error_m);
    half = half < least ? least : half > most ? most : half;
    return 2 * half * half - 1;
}

float nav_height_step_m(const nav_settings *s)
{
    float step = s->cell_height_m;
    if (s->generator == NAV_GENERATOR_VOXEL) return step;
    for (int k = 0; k < 8 || step > 1.0f / 2048; k++) step /= 2; // exact
    return step;
}

static int32_t finest_unit(int32_t most, int32_t tile_columns)
{
    int32_t unit = most;
    while (unit > 1 && (int64_t)tile_columns * unit > NAV_TILE_UNITS_MOST) unit /= 2;
    return unit;
}

static double reach_m_of(const nav_settings *s)
{
    const double radius = s->agent_radius_m;
    if (s->sheets != NAV_SHEETS_UP) return radius * CLIMB_REACH;
    double far = sqrt(2 / (1 + cosine_of_arc_step(s))); // of a round corner, in radii
    if (far < ROUND_PIECES) far = ROUND_PIECES;
    if (s->corners == NAV_CORNERS_MITRE && far < (double)s->mitre_limit) far = s->mitre_limit;
    return radius * far;
}

int32_t nav_border_columns(const nav_settings *s)
{
    const double cell = s->cell_size_m, reach = reach_m_of(s);
    if (s->sheets !=
        NAV_SHEETS_UP) { // what is above a slope is beside it, and the agent stays farther away from corners
        const double above = s->agent_height_m,
                     around = 2 * (double)s->agent_radius_m; // what is near decides of which sheet surface is
        return round_up((reach + (above > around ? above : around)) / cell) + NAV_SURFACE_COLUMNS + 1;
    }
    const int32_t least = round_up((double)s->agent_radius_m / cell) + 3;
    const int32_t border = round_up(reach / cell) + NAV_SURFACE_COLUMNS;
    return s->generator == NAV_GENERATOR_SURFACE && border > least ? border : least;
}

void nav_config_init(nav_config *c, const nav_settings *s, int32_t tile_x, int32_t tile_z)
{
    double cell = s->cell_size_m, height = (double)nav_height_step_m(s);
    bool surface = s->generator == NAV_GENERATOR_SURFACE;
    *c = (nav_config){
        .tile_x = tile_x,
        .tile_z = tile_z,
        .tile_columns = s->tile_cells,
        .origin_m = {s->origin_m[0], s->origin_m[1], s->origin_m[2]},
        .cell_size_m = cell,
        .cell_height_m = height,
        .height_vx = round_up((double)s->agent_height_m / height),
        .climb_vx = round_down((double)s->agent_climb_m / height),
        .radius_columns = round_up((double)s->agent_radius_m / cell),
        .radius_m = (double)s->agent_radius_m,
        .slope_cos = cosine_of_degrees(s->agent_slope_deg),
        .walkable_areas = s->walkable_areas & ~(uint64_t)1,
        .partition = surface ? NAV_PARTITION_CONVEX : s->partition,
        .generator = s->generator,
        .region_min_spans = (int32_t)((double)s->region_min_cells * (double)s->region_min_cells),
        .region_merge_spans = (int32_t)((double)s->region_merge_cells * (double)s->region_merge_cells),
        .edge_max_columns = round_down((double)s->edge_max_length_m / cell),
        .edge_max_error = s->edge_max_error_cells,
        .outlines = s->outlines,
        .climbs = s->sheets != NAV_SHEETS_UP,
        .sheets = s->sheets,
        .sheet = s->sheet,
        .grip_areas = s->grip_areas & ~(uint64_t)1,
        .seam_smooth_cos = cosine_of_turn(s->seam_smooth_deg),
        .seam_inner_cos = cosine_of_turn(s->seam_inner_deg),
        .seam_outer_cos = cosine_of_turn(s->seam_outer_deg),
        .all_triangles = s->outlines == NAV_OUTLINES_TRUE || s->generator == NAV_GENERATOR_SURFACE,
        .polygon_max_vertices = s->polygon_max_vertices,
        .triangulation = s->triangulation,
        .relaxation = (double)s->relaxation_m / cell,
        .detail_sample = s->detail_sample_cells < 0.9f ? 0 : round_up(s->detail_sample_cells),
        .detail_max_error = s->detail_max_error_voxels,
    };
    nav_sheet_to_frame(s->sheet, c->origin_m, c->origin_m);
    if (c->climbs && s->agent_climb_m > s->agent_radius_m) // what is higher has sides of its own to go over
        c->climb_vx = round_down((double)s->agent_radius_m / height);
    if (c->height_vx < 1) c->height_vx = 1;
    c->surface_error = (double)s->surface_error_m / height - 2; // two steps are for rounding
    if (c->surface_error < 1) c->surface_error = 1;
    c->corners = s->corners;
    c->mitre_limit = s->mitre_limit;
    c->arc_step_cos = cosine_of_arc_step(s);
    c->reach_m = reach_m_of(s);
    c->border = nav_border_columns(s);
    c->width = c->tile_columns + 2 * c->border;
    c->first_column_x = (int64_t)tile_x * c->tile_columns - c->border;
    c->first_column_z = (int64_t)tile_z * c->tile_columns - c->border;
    nav_config_set_unit(c, surface                            ? finest_unit(NAV_SURFACE_UNIT_MOST, c->tile_columns)
                           : s->outlines == NAV_OUTLINES_TRUE ? nav_unit_most(c->tile_columns)
                                                              : 1);
}

int32_t nav_unit_most(int32_t tile_columns)
{
    return finest_unit(NAV_UNIT_MOST, tile_columns);
}

void nav_config_set_unit(nav_config *c, int32_t unit)
{
    assert(unit > 0 && unit <= finest_unit(NAV_SURFACE_UNIT_MOST, c->tile_columns) && (unit & (unit - 1)) == 0);
    c->unit = unit;
    c->unit_shift = __builtin_ctz((uint32_t)unit);
    c->tile_units = c->tile_columns * unit;
    c->unit_size_m = c->cell_size_m / unit;
    c->radius = c->radius_m / c->unit_size_m;
    c->reach = c->reach_m / c->unit_size_m;
}
