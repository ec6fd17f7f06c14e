/* Places of a world's ground: the nearest one, rays, the nearest wall, places at random, and what can be reached. Part
 * of navd.h. */
#ifndef NAVD_PLACES_H
#define NAVD_PLACES_H

#include "navd/paths.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NAVD_RANDOM_PLACES = 65536 }; /* in one call */
#define NAVD_WALL_LIMIT_M 100.0

typedef enum navd_place_status {
    NAVD_PLACE_FOUND,
    NAVD_PLACE_NONE,     /* nothing of that kind within the limit; no way leads to the goal */
    NAVD_PLACE_WALL,     /* a ray ends at a wall */
    NAVD_PLACE_NO_START, /* no ground near enough */
    NAVD_PLACE_NO_GOAL,
    NAVD_PLACE_LIMIT /* the daemon has given up: no time left */
} navd_place_status;
/* "found", "none", "wall", "no_start", "no_goal", "limit". Never NULL. */
const char *navd_place_status_name(navd_place_status s);

/* An edge of a cell that one cannot cross. */
typedef struct navd_ground_wall {
    float from[3], to[3];
    float normal[3]; /* level, of length 1, towards the ground */
} navd_ground_wall;

/* An answer. What its question has no use for is zero. */
typedef struct navd_place {
    navd_place_status status;
    double distance_m; /* of the nearest ground, in space; of a ray, its length; of a wall, seen from above */
    bool has_place, has_wall;
    float at[3];            /* the ground that is nearest, where the ray ends, the nearest point of the wall */
    int32_t tile_x, tile_z; /* whose cell it is, */
    uint32_t cell;          /* which says on which floor it is */
    navd_ground_wall wall;
} navd_place;

typedef struct navd_places {
    uint64_t revision;   /* of the world */
    uint32_t open_tiles; /* of the profile, that do not show it yet */
    uint32_t count;      /* as many as were asked for, in their order */
    navd_place *places;
} navd_places;

/* Where places are looked for. */
typedef struct navd_place_options {
    double near_m;    /* how far a place may be from ground; NAVD_PATH_NEAR_M is usual */
    uint64_t exclude; /* bit a: ground of area a is a wall, and no place is on it; 0: none */
} navd_place_options;

/* At most NAVD_PATH_QUERIES places in a call. Free the results with navd_places_free(). */
navd_status navd_find_nearest(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                              const double (*at)[3], uint32_t count, navd_places **out);
/* Straight from `from` towards the x and z of `to`, as far as one can walk. */
navd_status navd_cast_rays(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                           const navd_path_query *lines, uint32_t count, navd_places **out);
/* limit_m: how far walls are looked for. */
navd_status navd_find_walls(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                            double limit_m, const double (*at)[3], uint32_t count, navd_places **out);
/* Which goals can be reached: FOUND, NONE, NO_START, NO_GOAL; LIMIT, where areas are excluded. */
navd_status navd_reach_goals(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                             const double from[3], const double (*goals)[3], uint32_t count, navd_places **out);
void navd_places_free(navd_places *p); /* accepts NULL */

typedef struct navd_random_query {
    uint64_t seed;
    uint32_t count;   /* at most NAVD_RANDOM_PLACES */
    uint64_t areas;   /* bit a: ground of area a counts; 0: all ground */
    uint64_t exclude; /* bit a: ground of area a is a wall to `reachable`, and no place is on it */
    bool has_at;      /* needed by the next two */
    double at[3];
    double radius_m; /* above 0: only within this distance of `at`, seen from above */
    bool reachable;  /* only ground that one can get to from the ground near `at` */
    double near_m;
} navd_random_query;

typedef struct navd_random_places {
    uint64_t revision;
    uint32_t open_tiles;
    navd_place_status status; /* FOUND, NONE, NO_START, LIMIT */
    uint32_t count;
    float *points; /* x y z of each */
} navd_random_places;

/* Places of the ground, uniform by its area. Free the result with navd_random_places_free(). */
navd_status navd_draw_places(navd_client *c, uint64_t world, const char *profile, const navd_random_query *query,
                             navd_random_places **out);
void navd_random_places_free(navd_random_places *p); /* accepts NULL */

typedef struct navd_within_cell {
    int32_t tile_x, tile_z;
    uint32_t cell;
    float distance_m; /* of the shortest path to its nearest point */
    bool whole;       /* no path to any point of it needs more than the distance */
} navd_within_cell;

typedef struct navd_within {
    uint64_t revision;
    uint32_t open_tiles;
    navd_place_status status;      /* FOUND, NO_START, LIMIT */
    const navd_within_cell *cells; /* the nearest first; a relaxed one comes once for each of its convex pieces */
    uint32_t cell_count;
    const float *points; /* x y z of the corners of all outlines: outline i has first[i] up to first[i + 1] */
    const uint32_t *first;
    uint32_t outline_count;
} navd_within;

/* The ground to which the shortest path from the ground near `at` is no longer than distance_m, over all areas that are
 * not excluded; outlines: its shape is wanted, too, as convex polygons that may lie over each other. Free the result
 * with navd_within_free(). */
navd_status navd_find_within(navd_client *c, uint64_t world, const char *profile, const navd_place_options *options,
                             const double at[3], double distance_m, bool outlines, navd_within **out);
void navd_within_free(navd_within *w); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
