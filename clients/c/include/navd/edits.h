/* Edits: what can be reached, operations, and the objects that stand in a world. Part of navd.h. */
#ifndef NAVD_EDITS_H
#define NAVD_EDITS_H

#include "navd/meshes.h"
#include "navd/worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what can be reached ---- */

enum { NAVD_MAX_SEEDS = 256 };

typedef enum navd_unreachable {
    NAVD_UNREACHABLE_KEEP, /* nobody looks for it */
    NAVD_UNREACHABLE_FLAG, /* marked: cells have the flag 2, Detour's polygons have the flags 0 */
    NAVD_UNREACHABLE_DROP, /* gone from the tiles */
} navd_unreachable;

/* What shall be reached, and what becomes of the rest. NAVD_SET_REACH gives it to a world. */
typedef struct navd_reach {
    navd_unreachable unreachable;
    const float (*seeds)[3]; /* places on walkable ground: what they lead to is reached */
    size_t seed_count;
    double island_min_area_m2; /* without seeds: connected ground below it is unreachable */
} navd_reach;

typedef struct navd_profile_reach {
    char name[NAVD_NAME_BYTES];
    uint32_t parts, unreachable_parts; /* connected pieces of ground, each within a tile */
    double area_m2, unreachable_m2;
    size_t lost_count;
    uint32_t seeds_without_ground[NAVD_MAX_SEEDS]; /* indices */
} navd_profile_reach;

typedef struct navd_reach_report {
    navd_reach reach; /* as the world has it */
    uint64_t revision;
    size_t profile_count; /* 0 where nothing is looked for */
    navd_profile_reach *profiles;
    float seeds[NAVD_MAX_SEEDS][3]; /* what reach.seeds points to */
} navd_reach_report;

/* While tiles are still to be made it says what is known so far: navd_wait() first. *out is the caller's to
 * navd_reach_report_free(). */
navd_status navd_world_reach(navd_client *c, uint64_t world, navd_reach_report **out);
void navd_reach_report_free(navd_reach_report *r); /* accepts NULL */

/* ---- edits ---- */

typedef enum navd_operation_kind {
    NAVD_PUT_INSTANCE, /* new, or replaces the one with this id */
    NAVD_MOVE_INSTANCE,
    NAVD_REMOVE_INSTANCE,
    NAVD_PUT_VOLUME,
    NAVD_REMOVE_VOLUME,
    NAVD_PUT_LINK,
    NAVD_REMOVE_LINK,
    NAVD_MARK_DIRTY,                         /* build the tiles of an area again */
    NAVD_SET_REACH,                          /* replaces all of what the world had; has no id */
    NAVD_SET_BUILD,                          /* the same */
    NAVD_PATCH_HEIGHTS = NAVD_SET_BUILD + 2, /* other samples in a rectangle of an instance's height grid */
} navd_operation_kind;

enum { NAVD_VOLUME_MAX_POINTS = 32 };

typedef struct navd_operation {
    navd_operation_kind kind;
    uint64_t id; /* the caller's choice; instances, volumes and links are three separate spaces; links: 32 bits */
    char source[NAVD_NAME_BYTES]; /* puts, and objects that are read: who owns it (see navd_sync()); "": nobody */
    char name[NAVD_NAME_BYTES];   /* the same: what people call it; "": nothing */
    union {
        struct {
            navd_key mesh;       /* put */
            float transform[12]; /* put and move: 3 rows of 4, p' = R p + t */
            uint8_t area;        /* put; of triangles without one of their own; NAVD_AREA_NONE: an obstacle */
        } instance;
        struct { /* a convex prism that sets an area, or blocks with NAVD_AREA_NONE */
            uint32_t point_count;
            float points[2 * NAVD_VOLUME_MAX_POINTS]; /* x z */
            float min_y, max_y;
            uint8_t area;
            bool include; /* neither: where a world has any such volume, ground exists inside of them alone */
        } volume;
        struct { /* an off-mesh link */
            float start[3], end[3], radius_m;
            uint8_t area;
            bool both_ways;
            uint16_t flags;
        } link;
        struct {
            double min[2], max[2]; /* x z */
        } dirty;
        navd_reach reach; /* seeds are borrowed during the call */
        struct {
            navd_build mode;
            double margin_m;
        } build;
        struct { /* of the instance's grid; navd_terrain_patch() cuts a rectangle of a terrain */
            uint32_t column, row, columns, rows;
            unsigned bits;        /* of a sample, as the grid has them: 16 or 32 */
            const void *samples;  /* uint16_t or float; borrowed during the call */
            const uint8_t *areas; /* NULL, or of the cells between them; the same */
        } patch;
    } u;
} navd_operation;

typedef struct navd_edit_result {
    uint64_t revision;    /* of the world, this edit included */
    uint32_t dirty_tiles; /* tiles of all profiles that it touches */
    bool durable;         /* it survives a crash; false where the daemon keeps nothing on disk */
} navd_edit_result;

/* Applied whole or not at all. base_revision: NULL, or the revision that the caller has seen: NAVD_ERR_STATE where the
 * world is at another. Where the daemon keeps worlds on disk the result comes when the edit is there. Tiles do not wait
 * for that: they may come before it, and name the revision that they show. NAVD_EVENT_SYNCED names durable revisions
 * only. */
navd_status navd_edit(navd_client *c, uint64_t world, const uint64_t *base_revision, const navd_operation *operations,
                      size_t count, navd_edit_result *out);
/* The same, at once. done is called exactly once, unless this returns an error. text: words for s; valid during the
 * call. */
typedef void (*navd_edit_done)(void *user, navd_status s, const char *text, const navd_edit_result *result);
navd_status navd_edit_start(navd_client *c, uint64_t world, const uint64_t *base_revision,
                            const navd_operation *operations, size_t count, navd_edit_done done, void *user);

#ifdef __cplusplus
}
#endif

#endif
