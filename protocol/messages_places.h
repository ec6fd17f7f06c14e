// path.nearest, path.raycast, path.wall, path.random, path.reach, path.within: what else one asks of a ground than the
// shortest path. Part of messages.h, which says how it is read and written.
#ifndef NP_MESSAGES_PLACES_H
#define NP_MESSAGES_PLACES_H

#include "navcore/path_places.h"
#include "protocol/messages_paths.h"

enum {
    NP_RANDOM_PLACES = 65536,  // of one call
    NP_WITHIN_CELL_BYTES = 20, // of a cell in an answer of path.within
    NP_WITHIN_CELLS = 1 << 20, // of one answer
};
#define NP_WALL_LIMIT_M 100.0             // how far a wall is looked for, unless the call says so
#define NP_PLACE_LARGEST_LIMIT_M 100000.0 // and at most; also the radius of a circle

typedef struct np_place_query {
    double at[3];
} np_place_query;

// A point of the ground, and the cell that it is of.
typedef struct np_ground_place {
    float at[3];
    int32_t x, z; // tile
    uint32_t cell;
} np_ground_place;

typedef struct np_ground_wall {
    float from[3], to[3];
    float normal[3]; // towards the ground, of length 1: in the client's axes
} np_ground_wall;

// All of them are over the tiles as they are now, as path.find is, and exclude areas as it does (default 0): they are
// walls, and no place is on them.

typedef struct np_path_nearest_request {
    uint64_t world;
    np_str profile;
    uint64_t exclude;
    double near_m; // default NP_PATH_NEAR_M
    uint32_t query_count;
    const np_place_query *queries; // at most NP_PATH_QUERIES
} np_path_nearest_request;

typedef struct np_nearest_result {
    nav_place_status status; // NAV_PLACE_FOUND, NAV_PLACE_NONE
    double distance_m;       // in space
    bool has_place;
    np_ground_place place;
} np_nearest_result;

typedef struct np_path_nearest_response {
    uint64_t revision;
    uint32_t open_tiles;
    uint32_t place_count; // as many as there were queries, in their order
    const np_nearest_result *places;
    const np_axes *axes; // in which it is written; NULL: metres, Y up
} np_path_nearest_response;

typedef struct np_path_raycast_request {
    uint64_t world;
    np_str profile;
    uint64_t exclude;
    double near_m;
    uint32_t query_count;
    const np_path_query *queries;
} np_path_raycast_request;

typedef struct np_ray_result {
    nav_place_status status; // FOUND, WALL, NO_START, LIMIT
    double length_m;
    bool has_end, has_wall;
    np_ground_place end;
    np_ground_wall wall;
} np_ray_result;

typedef struct np_path_raycast_response {
    uint64_t revision;
    uint32_t open_tiles;
    uint32_t ray_count;
    const np_ray_result *rays;
    const np_axes *axes;
} np_path_raycast_response;

typedef struct np_path_wall_request {
    uint64_t world;
    np_str profile;
    uint64_t exclude;
    double near_m, limit_m; // default NP_WALL_LIMIT_M
    uint32_t query_count;
    const np_place_query *queries;
} np_path_wall_request;

typedef struct np_wall_result {
    nav_place_status status; // FOUND, NONE, NO_START, LIMIT
    double distance_m;
    bool has_place, has_wall;
    np_ground_place place;
    np_ground_wall wall;
} np_wall_result;

typedef struct np_path_wall_response {
    uint64_t revision;
    uint32_t open_tiles;
    uint32_t wall_count;
    const np_wall_result *walls;
    const np_axes *axes;
} np_path_wall_response;

typedef struct np_path_random_request {
    uint64_t world;
    np_str profile;
    uint64_t exclude;
    double near_m;
    uint64_t seed;
    uint32_t count; // at most NP_RANDOM_PLACES
    uint64_t areas; // bit a: ground of area a counts; 0: all ground
    bool has_at;
    double at[3];
    double radius_m; // above 0: only within this distance of `at`
    bool reachable;  // only what one can get to from `at`
} np_path_random_request;

typedef struct np_path_random_response {
    uint64_t revision;
    uint32_t open_tiles;
    nav_place_status status; // FOUND, NONE, NO_START, LIMIT
    np_bin points;           // 3 float32 each, in the session's axes
} np_path_random_response;

typedef struct np_path_reach_request {
    uint64_t world;
    np_str profile;
    uint64_t exclude;
    double near_m;
    double from[3];
    uint32_t goal_count;
    const np_place_query *goals; // at most NP_PATH_QUERIES
} np_path_reach_request;

typedef struct np_reach_result {
    nav_place_status status; // FOUND, NONE, NO_START, NO_GOAL
} np_reach_result;

typedef struct np_path_reach_response {
    uint64_t revision;
    uint32_t open_tiles;
    uint32_t goal_count;
    const np_reach_result *goals;
} np_path_reach_response;

typedef struct np_path_within_request {
    uint64_t world;
    np_str profile;
    uint64_t exclude;
    double near_m;
    double at[3];
    double distance_m; // at most NP_PLACE_LARGEST_LIMIT_M
    bool outlines;     // they are wanted, too
} np_path_within_request;

typedef struct np_path_within_response {
    uint64_t revision;
    uint32_t open_tiles;
    nav_place_status status; // FOUND, NO_START, LIMIT
    np_bin cells; // NP_WITHIN_CELL_BYTES each, the nearest first: x, z (i32), cell (u32), distance_m (f32), whole (u32)
    np_bin points;   // of outlines: 3 float32 each, in the session's axes
    np_bin outlines; // of each: how many points it has, u32
} np_path_within_response;

const char *np_place_status_name(nav_place_status s); // never NULL

#endif
