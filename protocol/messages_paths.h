// path.*: ways over a world's navigation mesh. Part of messages.h, which says how it is read and written.
#ifndef NP_MESSAGES_PATHS_H
#define NP_MESSAGES_PATHS_H

#include "navcore/path.h"
#include "protocol/messages_session.h"

enum {
    NP_PATH_QUERIES = 1024,      // of one call
    NP_PATH_POINTS = 1 << 20,    // of one answer, in all of its paths
    NP_PATH_POINT_BYTES = 3 * 4, // x, y, z
};
#define NP_PATH_NEAR_M 2.0            // how far from the ground a query may begin and end, unless it says so
#define NP_PATH_LARGEST_NEAR_M 1000.0 // and at most
#define NP_PATH_LARGEST_RADIUS_M 100.0

// What a metre on an area costs, NAV_PATH_LEAST_COST to NAV_PATH_MOST_COST.
typedef struct np_area_cost {
    uint8_t area; // 1 to 63, once in a list
    float cost;
} np_area_cost;

typedef struct np_path_query {
    double from[3], to[3];
} np_path_query;

// Over the tiles as they are now: `revision` is the world's, and `open_tiles` of the profile do not show it yet.
typedef struct np_path_find_request {
    uint64_t world;
    np_str profile;
    double radius_m;  // of the agent, where it is wider than the tiles were built for; default 0
    double near_m;    // default NP_PATH_NEAR_M
    uint64_t exclude; // default 0: a bit for each area that is a wall to the paths
    bool links;       // default false: off-mesh links are taken where that is shorter
    bool world_costs; // default false: areas cost what the world's table of areas says; false: 1
    uint32_t cost_count;
    const np_area_cost *costs; // default none: of these areas, whatever the table says
    bool has_gap;              // absent: 0.01
    double gap; // where areas cost differently: how much less than the path another may cost, as a share; above 0, to 1
    uint32_t query_count;
    const np_path_query *queries;
} np_path_find_request;

// What a search was ended by.
typedef enum np_path_limit {
    NP_PATH_NO_LIMIT,
    NP_PATH_LIMIT_NODES,
    NP_PATH_LIMIT_TIME,
    NP_PATH_LIMIT_POINTS, // of the answer
    NP_PATH_LIMIT_RADIUS, // too wide an agent for the tiles
    NP_PATH_LIMIT_TILES,  // they contradict themselves
} np_path_limit;

// An off-mesh link that a path takes.
typedef struct np_path_link {
    uint32_t point; // where the path leaves the ground, counted from 0; it comes down at the next one
    uint32_t link;  // its id
    uint8_t area;
    bool back; // default false; true: from its end to its start
} np_path_link;

typedef struct np_path_result {
    nav_path_status status;
    double length_m;  // seen from above, which is what is as short as it can be; over walls: along the surface
    double surface_m; // along the ground
    np_bin points;    // 3 float32 each, from start to end, in the session's axes; none where there is no path
    // Where the agent climbs, one for each point: 3 float32, of the surface that the path goes on over from there, and
    // a byte, its sheet.
    np_bin normals, sheets;
    double cost;         // default 0: there is no path
    double lower_bound;  // default 0: no path costs less
    bool optimal;        // default false; true: that is proved to be the cost
    np_path_limit limit; // default none: why there is no path, or a bound that is too far away
    uint32_t link_count;
    const np_path_link *links; // in order
} np_path_result;

typedef struct np_path_find_response {
    uint64_t revision;
    uint32_t open_tiles;
    uint32_t path_count; // as many as there were queries, in their order
    const np_path_result *paths;
} np_path_find_response;

// The same queries, and whenever an answer changes it comes as a note `paths`. A watch has an id like a subscription,
// and the notes `synced` and `ended`.
typedef np_path_find_request np_path_watch_request;

typedef struct np_path_watch_response {
    uint64_t subscription;
} np_path_watch_response;

typedef struct np_path_unwatch_request {
    uint64_t subscription;
} np_path_unwatch_request;
typedef np_none np_path_unwatch_response; // no note of the watch comes after it

// Ends a call of the session's own that is answered over a profile's tiles (path.*): it is answered with
// NAV_ERR_CANCELLED, before this one.
typedef struct np_path_cancel_request {
    uint32_t call; // the id of its request
} np_path_cancel_request;

typedef struct np_path_cancel_response {
    bool cancelled; // false: no such call is under way; it may have been answered meanwhile
} np_path_cancel_response;

typedef struct np_watched_path {
    uint32_t query; // by its place in the request, from 0
    np_path_result path;
} np_watched_path;

enum { NP_WATCHED_PATHS = 64 }; // of one note

typedef struct np_paths_note {
    uint64_t subscription, world;
    uint64_t revision; // of the world, when these were looked for
    uint32_t path_count;
    const np_watched_path *paths;
} np_paths_note;

const char *np_path_status_name(nav_path_status s); // never NULL
const char *np_path_limit_name(np_path_limit l);    // never NULL

#endif
