// Examples: paths.
#include "tests/protocol/example_values.h"

static const np_path_query path_queries[] = {{{2, 0, 1.5}, {5, 0, 5.5}}, {{2, 0, 1.5}, {90, 0, 4}}};
static const np_path_find_request path_find_request = {
    .world = 7, .profile = STR("human"), .near_m = 0.5, .query_count = COUNT(path_queries), .queries = path_queries};
// (2, 0.5, 1.5) and (5, 0.5, 5.5)
static const uint8_t path_points[] = {0, 0, 0,    0x40, 0, 0, 0, 0x3f, 0, 0, 0xc0, 0x3f,
                                      0, 0, 0xa0, 0x40, 0, 0, 0, 0x3f, 0, 0, 0xb0, 0x40};
static const np_path_result path_results[] = {
    {NAV_PATH_FOUND, 5, 5, {path_points, sizeof path_points}},
    {.status = NAV_PATH_NO_GOAL},
};
static const np_path_find_response path_find_response = {
    .revision = 12, .open_tiles = 3, .path_count = COUNT(path_results), .paths = path_results};

static const example rows[] = {
    {"path.find.request", NP_REQUEST, NP_PATH_FIND, 36, &path_find_request},
    {"path.find.response", NP_RESPONSE, NP_PATH_FIND, 36, &path_find_response},
};
const example_list examples_paths = {rows, COUNT(rows)};
