/* The shortest paths over a world's navigation mesh. Part of navd.h. */
#ifndef NAVD_PATHS_H
#define NAVD_PATHS_H

#include "navd/connection.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NAVD_PATH_QUERIES = 1024 }; /* in one call */
#define NAVD_PATH_NEAR_M 2.0

typedef struct navd_path_query {
    double from[3], to[3]; /* x y z */
} navd_path_query;

typedef enum navd_path_status {
    NAVD_PATH_FOUND,
    NAVD_PATH_PARTIAL,  /* the goal cannot be reached: it ends as near to it as one can get */
    NAVD_PATH_NO_START, /* no ground near enough */
    NAVD_PATH_NO_GOAL,
    NAVD_PATH_LIMIT /* the daemon has given up: the path's limit says why */
} navd_path_status;
/* "found", "partial", "no_start", "no_goal", "limit". Never NULL. */
const char *navd_path_status_name(navd_path_status s);

/* What ended a search: docs/protocol/paths.md. */
typedef enum navd_path_limit {
    NAVD_PATH_NO_LIMIT,
    NAVD_PATH_LIMIT_NODES,
    NAVD_PATH_LIMIT_TIME,
    NAVD_PATH_LIMIT_POINTS,
    NAVD_PATH_LIMIT_RADIUS,
    NAVD_PATH_LIMIT_TILES
} navd_path_limit;
/* "none", "nodes", "time", "points", "radius", "tiles". Never NULL. */
const char *navd_path_limit_name(navd_path_limit l);

/* An off-mesh link that a path takes. */
typedef struct navd_path_link {
    uint32_t point; /* where the path leaves the ground, counted from 0; it comes down at the next one */
    uint32_t link;  /* its id */
    uint8_t area;
    bool back; /* from its end to its start */
} navd_path_link;

typedef struct navd_path {
    navd_path_status status;
    double length_m;       /* seen from above */
    double surface_m;      /* along the ground */
    const float *points;   /* x y z of the start, of each corner where it turns, and of the end */
    uint32_t point_count;  /* 0: no path */
    double cost;           /* each metre seen from above at the cost of its area, and links */
    double lower_bound;    /* no path costs less */
    bool optimal;          /* that is the cost */
    navd_path_limit limit; /* why there is no path, or why its bound is further away than the gap */
    uint32_t link_count;
    const navd_path_link *links; /* in order */
    /* Over walls and ceilings, where length_m is along the surface, too: of each point the normal of the surface that
     * the path goes on over from there, x y z, and its navd_sheet. NULL: a profile of floors. */
    const float *normals;
    const uint8_t *sheets;
} navd_path;

typedef struct navd_paths {
    uint64_t revision;   /* of the world */
    uint32_t open_tiles; /* of the profile, that do not show it yet */
    uint32_t count;      /* as many as queries, in their order */
    navd_path *paths;
} navd_paths;

/* near_m: how far an end may be from ground; NAVD_PATH_NEAR_M is usual. Free the result with navd_paths_free(). */
navd_status navd_find_paths(navd_client *c, uint64_t world, const char *profile, double near_m,
                            const navd_path_query *queries, uint32_t count, navd_paths **out);

typedef struct navd_area_cost {
    uint8_t area; /* 1 to 63 */
    float cost;   /* of a metre, 0.001 to 1000 */
} navd_area_cost;

/* Zero but for near_m: as navd_find_paths(). */
typedef struct navd_path_options {
    double near_m;
    double radius_m; /* of an agent that is wider than the tiles were built for: the points go around corners in arcs */
    uint64_t exclude;            /* bit a: ground of area a is a wall */
    bool links;                  /* off-mesh links are taken where that is shorter */
    bool world_costs;            /* a metre costs what the world's table of areas says */
    const navd_area_cost *costs; /* of these areas, whatever the table says; each once */
    uint32_t cost_count;
    double gap; /* where costs differ: how far a path may be above its bound, as a share of its cost; 0: 0.01 */
} navd_path_options;
navd_status navd_find_paths_with(navd_client *c, uint64_t world, const char *profile, const navd_path_options *options,
                                 const navd_path_query *queries, uint32_t count, navd_paths **out);
void navd_paths_free(navd_paths *p); /* accepts NULL */

/* The calls about paths and places that are under way are given up: each fails with NAVD_ERR_CANCELLED, unless its
 * answer is on its way already. For callbacks, which run while a call waits. A call whose time is over
 * (navd_set_timeout()) is given up by the daemon, too, without this. */
navd_status navd_cancel_paths(navd_client *c);

/* --- Watched paths --- */

/* Paths that have changed; or all are true up to a revision; or the watch is over. Borrowed for the call. */
typedef struct navd_paths_news {
    uint64_t watch, world;
    uint64_t revision;       /* of the world: when these paths were looked for; synced: up to which all are true */
    uint32_t count;          /* 0: none */
    const uint32_t *queries; /* of each path: its place in the queries */
    const navd_path *paths;
    bool synced;
    const char *ended; /* why; NULL: it goes on */
} navd_paths_news;

/* The callback must not call this library with the same client, other than navd_edit_start(), navd_wait_start() and
 * navd_cancel_paths(). */
typedef void (*navd_paths_callback)(void *user, const navd_paths_news *news);
void navd_on_paths(navd_client *c, navd_paths_callback callback, void *user);

/* Keeps paths: each is told once, and again whenever it changes, while the client processes what comes
 * (navd_process()). *watch is set before the first news. A client that stays connected watches them again over a new
 * connection, and is told all of them again. */
navd_status navd_watch_paths(navd_client *c, uint64_t world, const char *profile, double near_m,
                             const navd_path_query *queries, uint32_t count, uint64_t *watch);
/* The same with options, where the protocol takes them (docs/protocol/paths.md#pathwatch). They are copied. */
navd_status navd_watch_paths_with(navd_client *c, uint64_t world, const char *profile, const navd_path_options *options,
                                  const navd_path_query *queries, uint32_t count, uint64_t *watch);
/* No news of it come after this. */
navd_status navd_unwatch_paths(navd_client *c, uint64_t watch);

#ifdef __cplusplus
}
#endif

#endif
