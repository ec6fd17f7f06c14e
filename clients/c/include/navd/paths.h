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
    NAVD_PATH_LIMIT /* the daemon has given up: too much to search, or no time left */
} navd_path_status;
/* "found", "partial", "no_start", "no_goal", "limit". Never NULL. */
const char *navd_path_status_name(navd_path_status s);

typedef struct navd_path {
    navd_path_status status;
    double length_m;     /* seen from above */
    double surface_m;    /* along the ground */
    const float *points; /* x y z of the start, of each corner where it turns, and of the end */
    uint32_t point_count;
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
/* The same for an agent of radius_m, where that is more than the tiles were built for: the points go around corners in
   arcs. 0 to 100. */
navd_status navd_find_wide_paths(navd_client *c, uint64_t world, const char *profile, double near_m, double radius_m,
                                 const navd_path_query *queries, uint32_t count, navd_paths **out);
void navd_paths_free(navd_paths *p); /* accepts NULL */

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

/* The callback must not call this library with the same client, other than navd_edit_start() and navd_wait_start(). */
typedef void (*navd_paths_callback)(void *user, const navd_paths_news *news);
void navd_on_paths(navd_client *c, navd_paths_callback callback, void *user);

/* Keeps paths: each is told once, and again whenever it changes, while the client processes what comes
 * (navd_process()). *watch is set before the first news. A client that stays connected watches them again over a new
 * connection, and is told all of them again. */
navd_status navd_watch_paths(navd_client *c, uint64_t world, const char *profile, double near_m,
                             const navd_path_query *queries, uint32_t count, uint64_t *watch);
/* No news of it come after this. */
navd_status navd_unwatch_paths(navd_client *c, uint64_t watch);

#ifdef __cplusplus
}
#endif

#endif
