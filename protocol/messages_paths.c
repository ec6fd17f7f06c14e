// path.*: ways over a world's navigation mesh.
#include "protocol/messages_areas.h"
#include "protocol/schema.h"

#include <stdio.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }
#define POINT(T, member)                                                                                               \
    {                                                                                                                  \
        .key = #member, .type = NP_T_F64S, .flags = NP_REQUIRED, .count = 3, .offset = offsetof(T, member),            \
        .place = NP_PLACE_POINT                                                                                        \
    }

static const char *const status_names[] = {
    [NAV_PATH_FOUND] = "found",     [NAV_PATH_PARTIAL] = "partial", [NAV_PATH_NO_START] = "no_start",
    [NAV_PATH_NO_GOAL] = "no_goal", [NAV_PATH_LIMIT] = "limit",     NULL};

const char *np_path_status_name(nav_path_status s)
{
    return (unsigned)s <= NAV_PATH_LIMIT ? status_names[s] : "";
}

static const char *const limit_names[] = {"none", "nodes", "time", "points", "radius", "tiles", NULL};

const char *np_path_limit_name(np_path_limit l)
{
    return (unsigned)l <= NP_PATH_LIMIT_TILES ? limit_names[l] : "";
}

static const np_field query[] = {POINT(np_path_query, from), POINT(np_path_query, to)};
static const np_schema query_schema = {.bytes = sizeof(np_path_query), NP_FIELDS(query)};

static const np_field area_cost[] = {
    {.key = "area",
     .type = NP_T_U8,
     .flags = NP_REQUIRED,
     .count = NP_MAX_AREAS,
     .offset = offsetof(np_area_cost, area)},
    R(np_area_cost, cost, NP_T_F32),
};

static nav_status check_cost(void *m, char *why, size_t why_bytes)
{
    const np_area_cost *c = m;
    if (!c->area) {
        snprintf(why, why_bytes, "area: 0, expected an integer from 1 to %d (0 is what cannot be walked on)",
                 NP_MAX_AREAS);
        return NAV_ERR_ARGUMENT;
    }
    if (c->cost >= NAV_PATH_LEAST_COST && c->cost <= NAV_PATH_MOST_COST) return NAV_OK;
    snprintf(why, why_bytes, "cost: %g, expected a number from %g to %g; exclude keeps paths off an area",
             (double)c->cost, (double)NAV_PATH_LEAST_COST, (double)NAV_PATH_MOST_COST);
    return NAV_ERR_ARGUMENT;
}

static const np_schema area_cost_schema = {.bytes = sizeof(np_area_cost), NP_FIELDS(area_cost), .check = check_cost};

static const np_field path_find_request[] = {
    R(np_path_find_request, world, NP_T_U64),
    R(np_path_find_request, profile, NP_T_STR),
    {.key = "near_m", .type = NP_T_F64, .offset = offsetof(np_path_find_request, near_m)},
    {.key = "radius_m", .type = NP_T_F64, .offset = offsetof(np_path_find_request, radius_m)},
    {.key = "exclude", .type = NP_T_AREAS, .offset = offsetof(np_path_find_request, exclude)},
    {.key = "links", .type = NP_T_BOOL, .offset = offsetof(np_path_find_request, links)},
    {.key = "world_costs", .type = NP_T_BOOL, .offset = offsetof(np_path_find_request, world_costs)},
    {.key = "costs",
     .type = NP_T_LIST,
     .count = NP_MAX_AREAS,
     .offset = offsetof(np_path_find_request, costs),
     .count_offset = offsetof(np_path_find_request, cost_count),
     .item = &area_cost_schema},
    {.key = "gap",
     .type = NP_T_F64,
     .offset = offsetof(np_path_find_request, gap),
     .has_offset = offsetof(np_path_find_request, has_gap)},
    {.key = "queries",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_PATH_QUERIES,
     .offset = offsetof(np_path_find_request, queries),
     .count_offset = offsetof(np_path_find_request, query_count),
     .item = &query_schema},
};

static void defaults(void *m)
{
    ((np_path_find_request *)m)->near_m = NP_PATH_NEAR_M;
}

nav_status np_check_metres(const char *key, double value, double most, char *why, size_t why_bytes)
{
    if (value >= 0 && value <= most) return NAV_OK;
    snprintf(why, why_bytes, "%s: %g, expected 0 to %g metres", key, value, most);
    return NAV_ERR_ARGUMENT;
}

static nav_status check_costs(const np_path_find_request *r, char *why, size_t why_bytes)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < r->cost_count; i++) {
        uint8_t area = r->costs[i].area;
        if (seen >> area & 1) {
            snprintf(why, why_bytes, "costs[%u].area: %u is in the list already: give each area once", i, area);
            return NAV_ERR_ARGUMENT;
        }
        seen |= UINT64_C(1) << area;
    }
    if (!r->has_gap || (r->gap > 0 && r->gap <= 1)) return NAV_OK;
    snprintf(why, why_bytes, "gap: %g, expected a share above 0, at most 1", r->gap);
    return NAV_ERR_ARGUMENT;
}

static nav_status check(void *m, char *why, size_t why_bytes)
{
    const np_path_find_request *r = m;
    nav_status s = np_check_metres("near_m", r->near_m, NP_PATH_LARGEST_NEAR_M, why, why_bytes);
    if (s == NAV_OK) s = np_check_metres("radius_m", r->radius_m, NP_PATH_LARGEST_RADIUS_M, why, why_bytes);
    if (s == NAV_OK) s = check_costs(r, why, why_bytes);
    if (s != NAV_OK || r->radius_m == 0) return s;
    if (!r->cost_count && !r->world_costs) return NAV_OK;
    snprintf(
        why, why_bytes,
        "%s and radius_m: a wider agent's paths are the shortest, whatever they cost; give one of the two, or areas in "
        "exclude",
        r->cost_count ? "costs" : "world_costs");
    return NAV_ERR_ARGUMENT;
}

const np_schema np_schema_path_find_request = {
    .bytes = sizeof(np_path_find_request), NP_FIELDS(path_find_request), .defaults = defaults, .check = check};

static const np_field link[] = {
    R(np_path_link, point, NP_T_U32),
    R(np_path_link, link, NP_T_U32),
    R(np_path_link, area, NP_T_U8),
    {.key = "back", .type = NP_T_BOOL, .offset = offsetof(np_path_link, back)},
};
static const np_schema link_schema = {.bytes = sizeof(np_path_link), NP_FIELDS(link)};

// Of a np_path_result that begins at an offset.
#define RESULT(at)                                                                                                     \
    {.key = "status",                                                                                                  \
     .type = NP_T_ENUM,                                                                                                \
     .flags = NP_REQUIRED,                                                                                             \
     .offset = (at) + offsetof(np_path_result, status),                                                                \
     .names = status_names},                                                                                           \
        {.key = "length_m",                                                                                            \
         .type = NP_T_F64,                                                                                             \
         .flags = NP_REQUIRED,                                                                                         \
         .offset = (at) + offsetof(np_path_result, length_m)},                                                         \
        {.key = "surface_m",                                                                                           \
         .type = NP_T_F64,                                                                                             \
         .flags = NP_REQUIRED,                                                                                         \
         .offset = (at) + offsetof(np_path_result, surface_m)},                                                        \
        {.key = "points",                                                                                              \
         .type = NP_T_BIN,                                                                                             \
         .flags = NP_REQUIRED,                                                                                         \
         .count = NP_PATH_POINT_BYTES,                                                                                 \
         .offset = (at) + offsetof(np_path_result, points)},                                                           \
        {.key = "normals",                                                                                             \
         .type = NP_T_BIN,                                                                                             \
         .count = NP_PATH_POINT_BYTES,                                                                                 \
         .offset = (at) + offsetof(np_path_result, normals)},                                                          \
        {.key = "sheets", .type = NP_T_BIN, .offset = (at) + offsetof(np_path_result, sheets)},                        \
        {.key = "cost", .type = NP_T_F64, .offset = (at) + offsetof(np_path_result, cost)},                            \
        {.key = "lower_bound", .type = NP_T_F64, .offset = (at) + offsetof(np_path_result, lower_bound)},              \
        {.key = "optimal", .type = NP_T_BOOL, .offset = (at) + offsetof(np_path_result, optimal)},                     \
        {.key = "limit", .type = NP_T_ENUM, .offset = (at) + offsetof(np_path_result, limit), .names = limit_names},   \
    {                                                                                                                  \
        .key = "links", .type = NP_T_LIST, .count = NP_PATH_POINTS, .offset = (at) + offsetof(np_path_result, links),  \
        .count_offset = (at) + offsetof(np_path_result, link_count), .item = &link_schema                              \
    }

static const np_field result[] = {RESULT(0)};
static const np_schema result_schema = {.bytes = sizeof(np_path_result), NP_FIELDS(result)};

static const np_field path_find_response[] = {
    R(np_path_find_response, revision, NP_T_U64),
    {.key = "open_tiles", .type = NP_T_U32, .offset = offsetof(np_path_find_response, open_tiles)},
    {.key = "paths",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_PATH_QUERIES,
     .offset = offsetof(np_path_find_response, paths),
     .count_offset = offsetof(np_path_find_response, path_count),
     .item = &result_schema},
};
const np_schema np_schema_path_find_response = {.bytes = sizeof(np_path_find_response), NP_FIELDS(path_find_response)};

// --- path.watch ---

const np_schema np_schema_path_watch_request = {
    .bytes = sizeof(np_path_find_request), NP_FIELDS(path_find_request), .defaults = defaults, .check = check};

static const np_field path_watch_response[] = {R(np_path_watch_response, subscription, NP_T_U64)};
const np_schema np_schema_path_watch_response = {.bytes = sizeof(np_path_watch_response),
                                                 NP_FIELDS(path_watch_response)};

static const np_field path_unwatch_request[] = {R(np_path_unwatch_request, subscription, NP_T_U64)};
const np_schema np_schema_path_unwatch_request = {.bytes = sizeof(np_path_unwatch_request),
                                                  NP_FIELDS(path_unwatch_request)};
const np_schema np_schema_path_unwatch_response = NP_SCHEMA_NONE;

static const np_field watched_path[] = {R(np_watched_path, query, NP_T_U32), RESULT(offsetof(np_watched_path, path))};
static const np_schema watched_path_schema = {.bytes = sizeof(np_watched_path), NP_FIELDS(watched_path)};

static const np_field paths_note[] = {
    R(np_paths_note, subscription, NP_T_U64),
    R(np_paths_note, world, NP_T_U64),
    R(np_paths_note, revision, NP_T_U64),
    {.key = "paths",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_WATCHED_PATHS,
     .offset = offsetof(np_paths_note, paths),
     .count_offset = offsetof(np_paths_note, path_count),
     .item = &watched_path_schema},
};
const np_schema np_schema_paths_note = {.bytes = sizeof(np_paths_note), NP_FIELDS(paths_note)};

// --- path.cancel ---

static const np_field path_cancel_request[] = {R(np_path_cancel_request, call, NP_T_U32)};
const np_schema np_schema_path_cancel_request = {.bytes = sizeof(np_path_cancel_request),
                                                 NP_FIELDS(path_cancel_request)};

static const np_field path_cancel_response[] = {R(np_path_cancel_response, cancelled, NP_T_BOOL)};
const np_schema np_schema_path_cancel_response = {.bytes = sizeof(np_path_cancel_response),
                                                  NP_FIELDS(path_cancel_response)};
