// What decides how a tile is made, as a person sets it: the voxel grid, the agent, and the error bounds of each stage.
// One nav_settings is one agent profile of one world. Units are in the names. Defaults are RecastDemo's. Plain data;
// any thread.
#ifndef NAVCORE_SETTINGS_H
#define NAVCORE_SETTINGS_H

#include "navcore/sheets.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NAV_AREA_NONE = 0,     // not walkable
    NAV_AREA_DEFAULT = 63, // walkable ground, unless an instance, its triangles or a volume say otherwise
    NAV_AREA_COUNT = 64,
    NAV_AREA_INHERIT = 255,    // of a triangle: the area of the instance that shows it
    NAV_GENERATOR_VERSION = 4, // part of every tile's key: raise it when the same input may give other bytes
    NAV_OUTLINE_VERSION = 5,   // part of the keys of tiles with true outlines: raise it when only these may change
    NAV_SURFACE_VERSION = 3,   // the same for tiles of the surface generator
    NAV_SHEET_VERSION = 1,     // the same for tiles of agents that stand on more sheets than floors
};

// What makes a tile: the voxels that its triangles are drawn into, or the walkable triangles as they are.
typedef enum nav_generator {
    NAV_GENERATOR_VOXEL = 0,   // any soup of triangles: what is floor is counted in voxels
    NAV_GENERATOR_SURFACE = 1, // meshes that are the floor: triangles are joined where they share an edge
} nav_generator;

typedef enum nav_partition {
    NAV_PARTITION_WATERSHED = 0,
    NAV_PARTITION_MONOTONE = 1,
    NAV_PARTITION_CONVEX = 2, // no regions: the floor plan of each layer is cut into convex cells directly
} nav_partition;

// How the polygon stage cuts a contour with its holes into triangles, from which it then makes polygons and cells.
typedef enum nav_triangulation {
    NAV_TRIANGULATION_EARS = 0,     // ears are cut off, shortest cut first
    NAV_TRIANGULATION_MIN_AREA = 1, // the smallest triangle is cut off first
    NAV_TRIANGULATION_DELAUNAY =
        2, // constrained Delaunay: the contour's edges stay, no triangle is thinner than needed
} nav_triangulation;

// Where the walkable area ends: at the columns of the grid, or at the walls themselves. Voxels decide in both cases
// what is walkable and what is connected.
typedef enum nav_outlines {
    NAV_OUTLINES_VOXEL = 0, // a contour follows the columns, within edge_max_error_cells
    NAV_OUTLINES_TRUE = 1,  // an outline follows the triangles, the agent's radius away from them
} nav_outlines;

// How the surface generator goes around a corner that sticks out into the floor, of an obstacle or of the floor's end.
typedef enum nav_corners {
    NAV_CORNERS_ROUND = 0, // an arc of the agent's radius, in straight pieces that lie outside of it
    NAV_CORNERS_MITRE = 1, // both sides go on until they meet, within mitre_limit; farther out they are cut off square
    NAV_CORNERS_BEVEL = 2, // straight from the end of the one side to the beginning of the other
} nav_corners;

typedef struct nav_settings {
    double origin_m[3];      // the corner of tile (0, 0), and the height of voxel 0; same for all tiles of a world
    float cell_size_m;       // side of a column in x and z
    float cell_height_m;     // height of a voxel
    int32_t tile_cells;      // columns along a tile's side, border not counted
    float agent_height_m;    // rounded up to voxels
    float agent_radius_m;    // rounded up to columns
    float agent_climb_m;     // rounded down to voxels
    float agent_slope_deg;   // a triangle is walkable where its normal's y exceeds cos(slope)
    uint64_t walkable_areas; // bit a set: this agent may walk on area type a; bit 0 is ignored
    nav_partition partition;
    float region_min_cells;   // a region smaller than the square of this is removed unless it touches the tile's border
    float region_merge_cells; // a region smaller than the square of this is merged into a neighbour; not if convex
    float edge_max_length_m;  // contour edges along walls are split at this length; 0: never; not if convex
    float edge_max_error_cells; // distance allowed between the contour and the traced column corners; with true
                                // outlines a scale: 1.3 allows 0.43 of the radius, whatever the cell size
    nav_outlines outlines;
    int32_t polygon_max_vertices; // 3 to 6: vertices of a Detour polygon
    nav_triangulation triangulation;
    float relaxation_m;            // a cell may bulge inwards by this much; 0: cells are convex. Convex partition
    float detail_sample_cells;     // distance of the height samples; below 0.9: no detail
    float detail_max_error_voxels; // height error allowed at the samples
    nav_generator generator;
    float surface_error_m; // surface generator: how far a tile's heights may be from the triangles; 0: as they are
    nav_corners corners;   // surface generator
    float mitre_limit;     // how far a mitre reaches from its corner at the most, in radii of the agent
    float arc_error_m;     // how far a round corner may lie outside of its arc; 0: 2 % of the agent's radius
    // Walls and ceilings, with the surface generator alone. Each sheet of an agent has tiles of its own.
    uint32_t sheets;     // bit s set: the agent stands on sheet s (navcore/sheets.h)
    nav_sheet sheet;     // one of these: that of the tile
    uint64_t grip_areas; // bit a set: ground of area type a holds the agent at any slope. On all other ground it stands
                         // as gravity has it: on NAV_SHEET_UP, within agent_slope_deg
    // By how much surface may turn at an edge where the agent goes on. Smooth edges are no edges to it at all. At inner
    // ones, where surface turns towards it, it steps over from its radius on the one side to that on the other; over
    // the rim of an outer one it goes round.
    float seam_smooth_deg, seam_inner_deg, seam_outer_deg;
    uint16_t area_flags[NAV_AREA_COUNT]; // Detour polygon flags by area type
} nav_settings;

// Defaults: origin 0, cell 0.3, height 0.2, tile 48 columns, agent 2.0/0.6/0.9/45 degrees, all areas walkable, convex,
// regions 8 and 20, edges 12 m and 1.3 columns, voxel outlines, 6 vertices, ears, no relaxation, detail 6 columns and 1
// voxel, the voxel generator, a surface error of 0.05 m, round corners within 2 % of the radius, mitres of 2 radii,
// floors alone, grip on all areas, edges smooth to 60, inner ones to 120 and outer ones to 180 degrees, every area's
// flags 1.
void nav_settings_default(nav_settings *s);

// NAV_OK, or NAV_ERR_ARGUMENT with one sentence in why (which may be NULL where why_bytes is 0) that names the field,
// its value and the range allowed. A builder checks as well.
NAV_MUST_USE nav_status nav_settings_check(const nav_settings *s, char *why, size_t why_bytes);

// A partition by its name ("watershed", "monotone", "convex") and back; NAV_ERR_ARGUMENT where there is none of that
// name.
NAV_MUST_USE nav_status nav_partition_parse(const char *name, nav_partition *out);
const char *nav_partition_name(nav_partition p);

// Likewise a triangulation ("ears", "min-area", "delaunay").
NAV_MUST_USE nav_status nav_triangulation_parse(const char *name, nav_triangulation *out);
const char *nav_triangulation_name(nav_triangulation t);

// Likewise outlines ("voxel", "true").
NAV_MUST_USE nav_status nav_outlines_parse(const char *name, nav_outlines *out);
const char *nav_outlines_name(nav_outlines o);

// Likewise a generator ("voxel", "surface").
NAV_MUST_USE nav_status nav_generator_parse(const char *name, nav_generator *out);
const char *nav_generator_name(nav_generator g);

// Likewise corners ("round", "mitre", "bevel").
NAV_MUST_USE nav_status nav_corners_parse(const char *name, nav_corners *out);
const char *nav_corners_name(nav_corners c);

#ifdef __cplusplus
}
#endif

#endif
