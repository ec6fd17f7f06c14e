// path.nearest, path.raycast, path.wall, path.random, path.reach, path.within: places of the ground.
#include "protocol/schema.h"

#include <stdio.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }
#define O(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(T, member)                                               \
    }
#define POINT(T, member, wire_type)                                                                                    \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .count = 3, .offset = offsetof(T, member),            \
        .place = NP_PLACE_POINT                                                                                        \
    }
#define LIST(T, member, number, schema)                                                                                \
    {                                                                                                                  \
        .key = #member, .type = NP_T_LIST, .flags = NP_REQUIRED, .count = NP_PATH_QUERIES,                             \
        .offset = offsetof(T, member), .count_offset = offsetof(T, number), .item = &(schema)                          \
    }
#define STATUS(T)                                                                                                      \
    {                                                                                                                  \
        .key = "status", .type = NP_T_ENUM, .flags = NP_REQUIRED, .offset = offsetof(T, status), .names = status_names \
    }
#define PART(T, member, schema)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = NP_T_MAP, .offset = offsetof(T, member), .has_offset = offsetof(T, has_##member),      \
        .item = &(schema)                                                                                              \
    }
// What all requests and responses begin with.
#define ASKED(T) R(T, world, NP_T_U64), R(T, profile, NP_T_STR), O(T, near_m, NP_T_F64), O(T, exclude, NP_T_AREAS)
#define ANSWERED(T) R(T, revision, NP_T_U64), O(T, open_tiles, NP_T_U32)

static const char *const status_names[] = {[NAV_PLACE_FOUND] = "found",
                                           [NAV_PLACE_NONE] = "none",
                                           [NAV_PLACE_WALL] = "wall",
                                           [NAV_PLACE_NO_START] = "no_start",
                                           [NAV_PLACE_NO_GOAL] = "no_goal",
                                           [NAV_PLACE_LIMIT] = "limit",
                                           NULL};

const char *np_place_status_name(nav_place_status s)
{
    return (unsigned)s <= NAV_PLACE_LIMIT ? status_names[s] : "";
}

static const np_field query[] = {POINT(np_place_query, at, NP_T_F64S)};
static const np_schema query_schema = {.bytes = sizeof(np_place_query), NP_FIELDS(query)};
static const np_field line[] = {POINT(np_path_query, from, NP_T_F64S), POINT(np_path_query, to, NP_T_F64S)};
static const np_schema line_schema = {.bytes = sizeof(np_path_query), NP_FIELDS(line)};

static const np_field place[] = {
    POINT(np_ground_place, at, NP_T_F32S),
    R(np_ground_place, x, NP_T_I32),
    R(np_ground_place, z, NP_T_I32),
    R(np_ground_place, cell, NP_T_U32),
};
static const np_schema place_schema = {.bytes = sizeof(np_ground_place), NP_FIELDS(place)};

static const np_field wall[] = {
    POINT(np_ground_wall, from, NP_T_F32S),
    POINT(np_ground_wall, to, NP_T_F32S),
    {.key = "normal", .type = NP_T_F32S, .flags = NP_REQUIRED, .count = 3, .offset = offsetof(np_ground_wall, normal)},
};
static const np_schema wall_schema = {.bytes = sizeof(np_ground_wall), NP_FIELDS(wall)};

static nav_status check_near(double near_m, char *why, size_t why_bytes)
{
    return np_check_metres("near_m", near_m, NP_PATH_LARGEST_NEAR_M, why, why_bytes);
}

// --- path.nearest ---

static void nearest_defaults(void *m)
{
    ((np_path_nearest_request *)m)->near_m = NP_PATH_NEAR_M;
}

static nav_status check_nearest(void *m, char *why, size_t why_bytes)
{
    return check_near(((np_path_nearest_request *)m)->near_m, why, why_bytes);
}

static const np_field path_nearest_request[] = {ASKED(np_path_nearest_request),
                                                LIST(np_path_nearest_request, queries, query_count, query_schema)};
const np_schema np_schema_path_nearest_request = {.bytes = sizeof(np_path_nearest_request),
                                                  NP_FIELDS(path_nearest_request),
                                                  .defaults = nearest_defaults,
                                                  .check = check_nearest};

static const np_field nearest_result[] = {STATUS(np_nearest_result), O(np_nearest_result, distance_m, NP_T_F64),
                                          PART(np_nearest_result, place, place_schema)};
static const np_schema nearest_result_schema = {.bytes = sizeof(np_nearest_result), NP_FIELDS(nearest_result)};

static const np_field path_nearest_response[] = {
    ANSWERED(np_path_nearest_response), LIST(np_path_nearest_response, places, place_count, nearest_result_schema)};
const np_schema np_schema_path_nearest_response = {.bytes = sizeof(np_path_nearest_response),
                                                   NP_FIELDS(path_nearest_response),
                                                   .axes_offset = offsetof(np_path_nearest_response, axes)};

// --- path.raycast ---

static void raycast_defaults(void *m)
{
    ((np_path_raycast_request *)m)->near_m = NP_PATH_NEAR_M;
}

static nav_status check_raycast(void *m, char *why, size_t why_bytes)
{
    return check_near(((np_path_raycast_request *)m)->near_m, why, why_bytes);
}

static const np_field path_raycast_request[] = {ASKED(np_path_raycast_request),
                                                LIST(np_path_raycast_request, queries, query_count, line_schema)};
const np_schema np_schema_path_raycast_request = {.bytes = sizeof(np_path_raycast_request),
                                                  NP_FIELDS(path_raycast_request),
                                                  .defaults = raycast_defaults,
                                                  .check = check_raycast};

static const np_field ray_result[] = {STATUS(np_ray_result), O(np_ray_result, length_m, NP_T_F64),
                                      PART(np_ray_result, end, place_schema), PART(np_ray_result, wall, wall_schema)};
static const np_schema ray_result_schema = {.bytes = sizeof(np_ray_result), NP_FIELDS(ray_result)};

static const np_field path_raycast_response[] = {ANSWERED(np_path_raycast_response),
                                                 LIST(np_path_raycast_response, rays, ray_count, ray_result_schema)};
const np_schema np_schema_path_raycast_response = {.bytes = sizeof(np_path_raycast_response),
                                                   NP_FIELDS(path_raycast_response),
                                                   .axes_offset = offsetof(np_path_raycast_response, axes)};

// --- path.wall ---

static void wall_defaults(void *m)
{
    np_path_wall_request *r = m;
    r->near_m = NP_PATH_NEAR_M;
    r->limit_m = NP_WALL_LIMIT_M;
}

static nav_status check_wall(void *m, char *why, size_t why_bytes)
{
    const np_path_wall_request *r = m;
    nav_status s = check_near(r->near_m, why, why_bytes);
    return s == NAV_OK ? np_check_metres("limit_m", r->limit_m, NP_PLACE_LARGEST_LIMIT_M, why, why_bytes) : s;
}

static const np_field path_wall_request[] = {ASKED(np_path_wall_request), O(np_path_wall_request, limit_m, NP_T_F64),
                                             LIST(np_path_wall_request, queries, query_count, query_schema)};
const np_schema np_schema_path_wall_request = {.bytes = sizeof(np_path_wall_request),
                                               NP_FIELDS(path_wall_request),
                                               .defaults = wall_defaults,
                                               .check = check_wall};

static const np_field wall_result[] = {STATUS(np_wall_result), O(np_wall_result, distance_m, NP_T_F64),
                                       PART(np_wall_result, place, place_schema),
                                       PART(np_wall_result, wall, wall_schema)};
static const np_schema wall_result_schema = {.bytes = sizeof(np_wall_result), NP_FIELDS(wall_result)};

static const np_field path_wall_response[] = {ANSWERED(np_path_wall_response),
                                              LIST(np_path_wall_response, walls, wall_count, wall_result_schema)};
const np_schema np_schema_path_wall_response = {.bytes = sizeof(np_path_wall_response),
                                                NP_FIELDS(path_wall_response),
                                                .axes_offset = offsetof(np_path_wall_response, axes)};

// --- path.random ---

static void random_defaults(void *m)
{
    ((np_path_random_request *)m)->near_m = NP_PATH_NEAR_M;
}

static nav_status check_random(void *m, char *why, size_t why_bytes)
{
    const np_path_random_request *r = m;
    nav_status s = check_near(r->near_m, why, why_bytes);
    if (s == NAV_OK) s = np_check_metres("radius_m", r->radius_m, NP_PLACE_LARGEST_LIMIT_M, why, why_bytes);
    if (s != NAV_OK) return s;
    if (r->count > NP_RANDOM_PLACES) {
        snprintf(why, why_bytes, "count: %u, expected 0 to %d", r->count, NP_RANDOM_PLACES);
        return NAV_ERR_LIMIT;
    }
    if (r->has_at || (r->radius_m == 0 && !r->reachable)) return NAV_OK;
    snprintf(why, why_bytes, "at: missing; %s needs it", r->reachable ? "reachable" : "radius_m");
    return NAV_ERR_ARGUMENT;
}

static const np_field path_random_request[] = {
    ASKED(np_path_random_request),
    O(np_path_random_request, seed, NP_T_U64),
    R(np_path_random_request, count, NP_T_U32),
    O(np_path_random_request, areas, NP_T_AREAS),
    {.key = "at",
     .type = NP_T_F64S,
     .count = 3,
     .offset = offsetof(np_path_random_request, at),
     .has_offset = offsetof(np_path_random_request, has_at),
     .place = NP_PLACE_POINT},
    O(np_path_random_request, radius_m, NP_T_F64),
    O(np_path_random_request, reachable, NP_T_BOOL),
};
const np_schema np_schema_path_random_request = {.bytes = sizeof(np_path_random_request),
                                                 NP_FIELDS(path_random_request),
                                                 .defaults = random_defaults,
                                                 .check = check_random};

static const np_field path_random_response[] = {
    ANSWERED(np_path_random_response),
    STATUS(np_path_random_response),
    {.key = "points",
     .type = NP_T_BIN,
     .flags = NP_REQUIRED,
     .count = NP_PATH_POINT_BYTES,
     .offset = offsetof(np_path_random_response, points)},
};
const np_schema np_schema_path_random_response = {.bytes = sizeof(np_path_random_response),
                                                  NP_FIELDS(path_random_response)};

// --- path.reach ---

static void reach_defaults(void *m)
{
    ((np_path_reach_request *)m)->near_m = NP_PATH_NEAR_M;
}

static nav_status check_reach(void *m, char *why, size_t why_bytes)
{
    return check_near(((np_path_reach_request *)m)->near_m, why, why_bytes);
}

static const np_field path_reach_request[] = {ASKED(np_path_reach_request),
                                              POINT(np_path_reach_request, from, NP_T_F64S),
                                              LIST(np_path_reach_request, goals, goal_count, query_schema)};
const np_schema np_schema_path_reach_request = {.bytes = sizeof(np_path_reach_request),
                                                NP_FIELDS(path_reach_request),
                                                .defaults = reach_defaults,
                                                .check = check_reach};

static const np_field reach_result[] = {STATUS(np_reach_result)};
static const np_schema reach_result_schema = {.bytes = sizeof(np_reach_result), NP_FIELDS(reach_result)};

static const np_field path_reach_response[] = {ANSWERED(np_path_reach_response),
                                               LIST(np_path_reach_response, goals, goal_count, reach_result_schema)};
const np_schema np_schema_path_reach_response = {.bytes = sizeof(np_path_reach_response),
                                                 NP_FIELDS(path_reach_response)};

// --- path.within ---

static void within_defaults(void *m)
{
    ((np_path_within_request *)m)->near_m = NP_PATH_NEAR_M;
}

static nav_status check_within(void *m, char *why, size_t why_bytes)
{
    const np_path_within_request *r = m;
    nav_status s = check_near(r->near_m, why, why_bytes);
    return s == NAV_OK ? np_check_metres("distance_m", r->distance_m, NP_PLACE_LARGEST_LIMIT_M, why, why_bytes) : s;
}

static const np_field path_within_request[] = {
    ASKED(np_path_within_request), POINT(np_path_within_request, at, NP_T_F64S),
    R(np_path_within_request, distance_m, NP_T_F64), O(np_path_within_request, outlines, NP_T_BOOL)};
const np_schema np_schema_path_within_request = {.bytes = sizeof(np_path_within_request),
                                                 NP_FIELDS(path_within_request),
                                                 .defaults = within_defaults,
                                                 .check = check_within};

#define BIN(member, bytes_each)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = NP_T_BIN, .flags = NP_REQUIRED, .count = (bytes_each),                                 \
        .offset = offsetof(np_path_within_response, member)                                                            \
    }
static const np_field path_within_response[] = {ANSWERED(np_path_within_response), STATUS(np_path_within_response),
                                                BIN(cells, NP_WITHIN_CELL_BYTES), BIN(points, NP_PATH_POINT_BYTES),
                                                BIN(outlines, 4)};
const np_schema np_schema_path_within_response = {.bytes = sizeof(np_path_within_response),
                                                  NP_FIELDS(path_within_response)};
