// Examples: places of the ground.
#include "tests/protocol/example_values.h"

static const np_place_query places[] = {{{2, 0, 1.5}}, {{90, 0, 4}}};
static const np_path_query lines[] = {{{2, 0, 1.5}, {9, 0, 1.5}}, {{2, 0, 1.5}, {2, 0, 4}}};

static const np_path_nearest_request nearest_request = {.world = 7,
                                                        .profile = STR("human"),
                                                        .exclude = 1 << 5,
                                                        .near_m = 0.5,
                                                        .query_count = COUNT(places),
                                                        .queries = places};
static const np_nearest_result nearest_results[] = {
    {NAV_PLACE_FOUND, 0.5, true, {{2, 0.5f, 1.5f}, 0, -1, 17}},
    {.status = NAV_PLACE_NONE},
};
static const np_path_nearest_response nearest_response = {
    .revision = 12, .open_tiles = 3, .place_count = COUNT(nearest_results), .places = nearest_results};

static const np_path_raycast_request raycast_request = {
    .world = 7, .profile = STR("human"), .near_m = 0.5, .query_count = COUNT(lines), .queries = lines};
static const np_ray_result ray_results[] = {
    {NAV_PLACE_WALL, 3, true, true, {{5, 0.5f, 1.5f}, 0, -1, 17}, {{5, 0.5f, 1}, {5, 0.5f, 2}, {-1, 0, 0}}},
    {NAV_PLACE_FOUND, 2.5, true, false, {{2, 0.5f, 4}, 0, 0, 3}, {{0}, {0}, {0}}},
};
static const np_path_raycast_response raycast_response = {
    .revision = 12, .ray_count = COUNT(ray_results), .rays = ray_results};

static const np_path_wall_request wall_request = {
    .world = 7, .profile = STR("human"), .near_m = 0.5, .limit_m = 20, .query_count = COUNT(places), .queries = places};
static const np_wall_result wall_results[] = {
    {NAV_PLACE_FOUND, 3, true, true, {{5, 0.5f, 1.5f}, 0, -1, 17}, {{5, 0.5f, 1}, {5, 0.5f, 2}, {-1, 0, 0}}},
    {.status = NAV_PLACE_NO_START},
};
static const np_path_wall_response wall_response = {
    .revision = 12, .wall_count = COUNT(wall_results), .walls = wall_results};

static const np_path_random_request random_request = {.world = 7,
                                                      .profile = STR("human"),
                                                      .near_m = 2,
                                                      .seed = 42,
                                                      .count = 2,
                                                      .areas = 1 << 5,
                                                      .has_at = true,
                                                      .at = {2, 0, 1.5},
                                                      .radius_m = 20,
                                                      .reachable = true};
// (2, 0.5, 1.5) and (5, 0.5, 5.5)
static const uint8_t points[] = {0, 0, 0,    0x40, 0, 0, 0, 0x3f, 0, 0, 0xc0, 0x3f,
                                 0, 0, 0xa0, 0x40, 0, 0, 0, 0x3f, 0, 0, 0xb0, 0x40};
static const np_path_random_response random_response = {
    .revision = 12, .status = NAV_PLACE_FOUND, .points = {points, sizeof points}};

static const np_path_reach_request reach_request = {.world = 7,
                                                    .profile = STR("human"),
                                                    .near_m = 0.5,
                                                    .from = {2, 0, 1.5},
                                                    .goal_count = COUNT(places),
                                                    .goals = places};
static const np_reach_result reach_results[] = {{NAV_PLACE_FOUND}, {NAV_PLACE_NO_GOAL}};
static const np_path_reach_response reach_response = {
    .revision = 12, .goal_count = COUNT(reach_results), .goals = reach_results};

static const np_path_within_request within_request = {
    .world = 7, .profile = STR("human"), .near_m = 2, .at = {2, 0, 1.5}, .distance_m = 25, .outlines = true};
// Cell 17 of tile 0, -1, at distance 2.5, and not whole.
static const uint8_t within_cells[] = {0, 0, 0, 0, 255, 255, 255, 255, 17, 0, 0, 0, 0, 0, 0x20, 0x40, 0, 0, 0, 0};
// (0, 0, 0), (0, 0, 1), (1, 0, 1)
static const uint8_t within_points[] = {[22] = 0x80, 0x3f, 0, 0, 0x80, 0x3f, [34] = 0x80, 0x3f};
static const uint8_t within_outlines[] = {3, 0, 0, 0};
static const np_path_within_response within_response = {.revision = 12,
                                                        .status = NAV_PLACE_FOUND,
                                                        .cells = {within_cells, sizeof within_cells},
                                                        .points = {within_points, sizeof within_points},
                                                        .outlines = {within_outlines, sizeof within_outlines}};

static const example rows[] = {
    {"path.nearest.request", NP_REQUEST, NP_PATH_NEAREST, 37, &nearest_request},
    {"path.nearest.response", NP_RESPONSE, NP_PATH_NEAREST, 37, &nearest_response},
    {"path.raycast.request", NP_REQUEST, NP_PATH_RAYCAST, 38, &raycast_request},
    {"path.raycast.response", NP_RESPONSE, NP_PATH_RAYCAST, 38, &raycast_response},
    {"path.wall.request", NP_REQUEST, NP_PATH_WALL, 39, &wall_request},
    {"path.wall.response", NP_RESPONSE, NP_PATH_WALL, 39, &wall_response},
    {"path.random.request", NP_REQUEST, NP_PATH_RANDOM, 40, &random_request},
    {"path.random.response", NP_RESPONSE, NP_PATH_RANDOM, 40, &random_response},
    {"path.reach.request", NP_REQUEST, NP_PATH_REACH, 41, &reach_request},
    {"path.reach.response", NP_RESPONSE, NP_PATH_REACH, 41, &reach_response},
    {"path.within.request", NP_REQUEST, NP_PATH_WITHIN, 42, &within_request},
    {"path.within.response", NP_RESPONSE, NP_PATH_WITHIN, 42, &within_response},
};
const example_list examples_places = {rows, COUNT(rows)};
