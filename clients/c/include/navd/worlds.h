/* Worlds: settings of profiles, the table of areas, axes, opening, listing and deleting. Part of navd.h. */
#ifndef NAVD_WORLDS_H
#define NAVD_WORLDS_H

#include "navd/connection.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NAVD_NAME_BYTES = 208,
    /* a name and its end */ NAVD_AREA_COUNT = 64,
    NAVD_AREA_NONE = 0,
    NAVD_AREA_DEFAULT = 63,
    NAVD_AREA_INHERIT = 255 /* of a triangle: the area of the instance */
};

typedef enum navd_partition { NAVD_PARTITION_WATERSHED, NAVD_PARTITION_MONOTONE, NAVD_PARTITION_CONVEX } navd_partition;

/* What makes tiles: voxels, or the walkable triangles as they are. */
typedef enum navd_generator { NAVD_GENERATOR_VOXEL, NAVD_GENERATOR_SURFACE } navd_generator;

typedef enum navd_triangulation {
    NAVD_TRIANGULATION_EARS,
    NAVD_TRIANGULATION_MIN_AREA,
    NAVD_TRIANGULATION_DELAUNAY
} navd_triangulation;

/* Where the walkable area ends: at the columns of the grid, or at the walls themselves. */
typedef enum navd_outlines { NAVD_OUTLINES_VOXEL, NAVD_OUTLINES_TRUE } navd_outlines;

/* How the surface generator goes around a corner: in an arc, until both sides meet, or straight. */
typedef enum navd_corners { NAVD_CORNERS_ROUND, NAVD_CORNERS_MITRE, NAVD_CORNERS_BEVEL } navd_corners;

/* Surface that looks along one axis of the world: floors, ceilings and four kinds of wall. Tiles of a sheet lie in its
 * frame, where that axis is up; its numbers are the world's in another order and with other signs. A set of sheets has
 * bit s for sheet s. */
typedef enum navd_sheet {
    NAVD_SHEET_UP,
    NAVD_SHEET_DOWN,
    NAVD_SHEET_XPLUS,
    NAVD_SHEET_XMINUS,
    NAVD_SHEET_ZPLUS,
    NAVD_SHEET_ZMINUS
} navd_sheet;
enum { NAVD_SHEET_COUNT = 6, NAVD_SHEETS_UP = 1, NAVD_SHEETS_ALL = 63 };
const char *navd_sheet_name(navd_sheet s); /* "up", "down", "x+", "x-", "z+", "z-" */
/* A place or a direction of the world in the sheet's frame, and back: x, y, z. in and out may be the same. */
void navd_sheet_to_frame(navd_sheet s, const double in[3], double out[3]);
void navd_sheet_to_world(navd_sheet s, const double in[3], double out[3]);

/* One agent profile: how its navigation mesh is made. */
typedef struct navd_settings {
    float cell_size_m, cell_height_m;
    int32_t tile_cells;
    float agent_height_m, agent_radius_m, agent_climb_m, agent_slope_deg;
    uint64_t walkable_areas; /* bit a: this agent may walk on area a */
    navd_partition partition;
    float region_min_cells, region_merge_cells;
    float edge_max_length_m, edge_max_error_cells;
    navd_outlines outlines;
    int32_t polygon_max_vertices;
    navd_triangulation triangulation;
    float relaxation_m; /* how far a cell may deviate from convex; convex partition only */
    float detail_sample_cells, detail_max_error_voxels;
    navd_generator generator;
    float surface_error_m; /* how far a tile's heights may be from the triangles; surface generator only */
    navd_corners corners;  /* surface generator only */
    float mitre_limit;     /* how far a mitre reaches from its corner at the most, in radii of the agent */
    float arc_error_m;     /* how far a round corner may lie outside of its arc; 0: 2 % of the agent's radius */
    uint32_t sheets;       /* where the agent stands; NAVD_SHEETS_UP: floors. Others need the surface generator, which
                            * the daemon takes where `generator` is as the defaults have it */
    uint64_t grip_areas;   /* bit a: area a holds the agent at any slope; on others it stands as on floors */
    float seam_smooth_deg, seam_inner_deg, seam_outer_deg; /* the largest turns of edges that the agent crosses */
    uint16_t area_flags[NAVD_AREA_COUNT];                  /* Detour polygon flags by area */
} navd_settings;

void navd_settings_default(navd_settings *s);

typedef struct navd_profile {
    char name[NAVD_NAME_BYTES];
    navd_settings settings;
    uint64_t grid; /* in answers: which grid its tiles are in, see navd_tile */
} navd_profile;

/* What of a world is built: all, or only what subscriptions and waits with bounds watch. NAVD_SET_BUILD gives it to a
 * world. */
typedef enum navd_build { NAVD_BUILD_ALL, NAVD_BUILD_WATCHED } navd_build;

typedef struct navd_world {
    uint64_t id, revision;
    bool created;
    double origin_m[3];
    size_t profile_count;
    navd_profile *profiles; /* all that the world has */
    navd_build build;
    double margin_m;      /* around the bounds of subscriptions that give none */
    double to_metres[12]; /* three rows of four: of navd_set_axes(), or the identity */
} navd_world;

/* In which axes and units the caller's places are: transforms, the points and heights of volumes, the ends of links,
 * seeds, bounds and focus, there and back. The daemon converts them; members whose name ends in _m are metres all the
 * same, and tiles are metres with Y up. Where Z is up, what is called "x z" here is x and y. */
typedef enum navd_up { NAVD_UP_Y, NAVD_UP_Z } navd_up;
typedef struct navd_axes {
    navd_up up;
    double unit_m; /* metres in one unit: 0.01 for centimetres. 0 counts as 1. The daemon refuses nonsense */
} navd_axes;
/* For the worlds that are opened after this call, until the next one, and for navd_tiles_build(). Metres with Y up at
 * first. A connection that is made again has the axes of each world that it had. */
void navd_set_axes(navd_client *c, const navd_axes *axes);

/* Finds the world, or makes it where create is set: with this origin (NULL: 0) and these profiles. Profiles that the
 * world lacks are added; one of the same name must have the same settings. Free the result with navd_world_free(). */
navd_status navd_world_open(navd_client *c, const char *name, bool create, const double origin_m[3],
                            const navd_profile *profiles, size_t profile_count, navd_world *out);
void navd_world_free(navd_world *w); /* accepts a zeroed one */
navd_status navd_world_close(navd_client *c, uint64_t world);
/* Deletes it for all users, with everything stored for it. */
navd_status navd_world_delete(navd_client *c, uint64_t world);

typedef struct navd_change_result {
    uint64_t revision;    /* of the world, this change included */
    uint32_t dirty_tiles; /* that are to be made */
    bool durable;         /* it survives a crash; false where the daemon keeps nothing on disk */
    uint64_t grid;        /* of the profile; 0 from navd_world_set_origin() */
} navd_change_result;
/* Gives a profile other settings, or adds it. Only its tiles are made again. out may be NULL, as below. */
navd_status navd_profile_set(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings,
                             navd_change_result *out);
/* The same, at once, for a slider that is dragged: there is no need to wait for the answer before the next value. One
 * that a newer one overtakes ends with NAVD_ERR_CANCELLED. done is called exactly once, unless this returns an error.
 */
typedef void (*navd_change_done)(void *user, navd_status s, const char *text, const navd_change_result *result);
navd_status navd_profile_set_start(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings,
                                   navd_change_done done, void *user);
/* Its subscriptions end. NAVD_ERR_NOT_FOUND: the world has no such profile. */
navd_status navd_profile_remove(navd_client *c, uint64_t world, const char *profile, navd_change_result *out);
/* Moves the corner of tile (0, 0), and with it the grids of all profiles. */
navd_status navd_world_set_origin(navd_client *c, uint64_t world, const double origin_m[3], navd_change_result *out);

/* What a world calls an area, and what it costs and allows. An agent walks on it where this and its profile's
 * walkable_areas allow it. Tiles depend on walkable and flags only. */
enum { NAVD_MAX_AREAS = 63, NAVD_AREA_NAME_BYTES = 72 };
typedef struct navd_area_type {
    uint8_t id;                      /* 1 to 63 */
    char name[NAVD_AREA_NAME_BYTES]; /* at most 64 bytes and the end; "": none */
    float cost;                      /* of a metre, above 0 */
    bool walkable;
    bool has_flags;
    uint16_t flags; /* of Detour's polygons; else the profile's area_flags */
    bool has_color;
    uint32_t color; /* 0xrrggbb */
} navd_area_type;
/* Without a name, cost 1, walkable. */
void navd_area_default(navd_area_type *a, uint8_t id);

typedef struct navd_areas { /* a world's table, by id */
    uint64_t revision;
    uint32_t dirty_tiles; /* made again by this change: only where walkable or flags changed */
    bool durable;
    size_t count;
    navd_area_type areas[NAVD_MAX_AREAS];
} navd_areas;
/* areas NULL: asks for the table. Else each takes the place of the one with its id; replace: the others go. An edit
 * like any other. Subscriptions tell of changes with NAVD_EVENT_AREAS. */
navd_status navd_world_areas(navd_client *c, uint64_t world, const navd_area_type *areas, size_t count, bool replace,
                             navd_areas *out);

typedef struct navd_world_entry {
    char name[NAVD_NAME_BYTES];
    uint64_t revision, instances;
} navd_world_entry;
/* *out is the caller's to free(). */
navd_status navd_world_list(navd_client *c, navd_world_entry **out, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
