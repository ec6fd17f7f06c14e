// Examples: paths.
#include "tests/protocol/example_values.h"

static const np_path_query path_queries[] = {{{2, 0, 1.5}, {5, 0, 5.5}}, {{2, 0, 1.5}, {90, 0, 4}}};
static const np_path_find_request path_find_request = {.world = 7,
                                                       .profile = STR("human"),
                                                       .near_m = 0.5,
                                                       .radius_m = 0.6,
                                                       .query_count = COUNT(path_queries),
                                                       .queries = path_queries};
// (2, 0.5, 1.5) and (5, 0.5, 5.5)
static const uint8_t path_points[] = {0, 0, 0,    0x40, 0, 0, 0, 0x3f, 0, 0, 0xc0, 0x3f,
                                      0, 0, 0xa0, 0x40, 0, 0, 0, 0x3f, 0, 0, 0xb0, 0x40};
static const np_path_result path_results[] = {
    {.status = NAV_PATH_FOUND,
     .length_m = 5,
     .surface_m = 5,
     .points = {path_points, sizeof path_points},
     .cost = 5,
     .lower_bound = 5,
     .optimal = true},
    {.status = NAV_PATH_NO_GOAL},
};
static const np_path_find_response path_find_response = {
    .revision = 12, .open_tiles = 3, .path_count = COUNT(path_results), .paths = path_results};
static const uint8_t path_normals[] = {0, 0, 0,    0,    0, 0, 0x80, 0x3f, 0, 0, 0, 0, // up, and along x
                                       0, 0, 0x80, 0x3f, 0, 0, 0,    0,    0, 0, 0, 0};
static const uint8_t path_sheets[] = {NAV_SHEET_UP, NAV_SHEET_XPLUS};
static const np_path_result path_results_climb[] = {{.status = NAV_PATH_FOUND,
                                                     .length_m = 5,
                                                     .surface_m = 5,
                                                     .points = {path_points, sizeof path_points},
                                                     .cost = 5,
                                                     .normals = {path_normals, sizeof path_normals},
                                                     .sheets = {path_sheets, sizeof path_sheets}}};
static const np_path_find_response path_found_climb = {.revision = 12, .path_count = 1, .paths = path_results_climb};
static const np_area_cost path_costs[] = {{6, 2.5f}};
static const np_path_find_request path_find_costs = {.world = 7,
                                                     .profile = STR("human"),
                                                     .near_m = NP_PATH_NEAR_M,
                                                     .exclude = 1u << 5,
                                                     .links = true,
                                                     .world_costs = true,
                                                     .cost_count = COUNT(path_costs),
                                                     .costs = path_costs,
                                                     .has_gap = true,
                                                     .gap = 0.05,
                                                     .query_count = 1,
                                                     .queries = path_queries};
static const np_path_link path_links[] = {{.point = 0, .link = 9, .area = 7, .back = true}};
static const np_path_result path_results_costs[] = {{.status = NAV_PATH_FOUND,
                                                     .length_m = 5,
                                                     .surface_m = 5,
                                                     .points = {path_points, sizeof path_points},
                                                     .cost = 12.5,
                                                     .lower_bound = 10,
                                                     .limit = NP_PATH_LIMIT_NODES,
                                                     .link_count = COUNT(path_links),
                                                     .links = path_links}};
static const np_path_find_response path_found_costs = {.revision = 12, .path_count = 1, .paths = path_results_costs};

static const np_path_watch_request path_watch_request = {
    .world = 7, .profile = STR("human"), .near_m = 0.5, .query_count = COUNT(path_queries), .queries = path_queries};
static const np_path_watch_response path_watch_response = {.subscription = 4};
static const np_path_unwatch_request path_unwatch_request = {.subscription = 4};
static const np_watched_path watched_paths[] = {{0,
                                                 {.status = NAV_PATH_FOUND,
                                                  .length_m = 5,
                                                  .surface_m = 5,
                                                  .points = {path_points, sizeof path_points},
                                                  .cost = 5,
                                                  .lower_bound = 5,
                                                  .optimal = true}}};
static const np_path_watch_request path_watch_wide = {.world = 7,
                                                      .profile = STR("human"),
                                                      .near_m = NP_PATH_NEAR_M,
                                                      .radius_m = 0.6,
                                                      .query_count = 1,
                                                      .queries = path_queries};
static const np_watched_path watched_costs[] = {{0,
                                                 {.status = NAV_PATH_FOUND,
                                                  .length_m = 5,
                                                  .surface_m = 5,
                                                  .points = {path_points, sizeof path_points},
                                                  .cost = 12.5,
                                                  .lower_bound = 10,
                                                  .limit = NP_PATH_LIMIT_NODES,
                                                  .link_count = COUNT(path_links),
                                                  .links = path_links}}};
static const np_paths_note paths_note_costs = {
    .subscription = 5, .world = 7, .revision = 14, .path_count = COUNT(watched_costs), .paths = watched_costs};
static const np_paths_note paths_note = {
    .subscription = 4, .world = 7, .revision = 13, .path_count = COUNT(watched_paths), .paths = watched_paths};
static const np_path_cancel_request path_cancel_request = {.call = 36};
static const np_path_cancel_response path_cancel_response = {.cancelled = true};
static const np_path_audit_request path_audit_request = {
    .world = 7, .profile = STR("human"), .near_m = NP_PATH_NEAR_M, .seed = 42, .pairs = 5000, .worst = 1};
static const np_audit_worst path_audit_worst[] = {{.why = NAV_AUDIT_ROUND,
                                                   .ratio = 4,
                                                   .from = {2, 0.5f, 1.5f},
                                                   .to = {2, 0.5f, 9.5f},
                                                   .length_m = 32,
                                                   .straight_m = 8}};
static const np_path_audit_response path_audit_response = {.revision = 12,
                                                           .pairs = 5000,
                                                           .found = 4400,
                                                           .unreachable = 600,
                                                           .open = 1250,
                                                           .length_m = 70400,
                                                           .surface_m = 70656,
                                                           .straight_m = 64000,
                                                           .median_ratio = 1.0625,
                                                           .worst_ratio = 4,
                                                           .worst_count = COUNT(path_audit_worst),
                                                           .worst = path_audit_worst};

static const example rows[] = {
    {"path.find.request", NP_REQUEST, NP_PATH_FIND, 36, &path_find_request},
    {"path.find.response", NP_RESPONSE, NP_PATH_FIND, 36, &path_find_response},
    {"path.find.response.climb", NP_RESPONSE, NP_PATH_FIND, 36, &path_found_climb},
    {"path.find.request.costs", NP_REQUEST, NP_PATH_FIND, 37, &path_find_costs},
    {"path.find.response.costs", NP_RESPONSE, NP_PATH_FIND, 37, &path_found_costs},
    {"path.watch.request", NP_REQUEST, NP_PATH_WATCH, 42, &path_watch_request},
    {"path.watch.request.costs", NP_REQUEST, NP_PATH_WATCH, 44, &path_find_costs},
    {"path.watch.request.radius", NP_REQUEST, NP_PATH_WATCH, 45, &path_watch_wide},
    {"path.watch.response", NP_RESPONSE, NP_PATH_WATCH, 42, &path_watch_response},
    {"path.unwatch.request", NP_REQUEST, NP_PATH_UNWATCH, 43, &path_unwatch_request},
    {"path.unwatch.response", NP_RESPONSE, NP_PATH_UNWATCH, 43, &none},
    {"path.cancel.request", NP_REQUEST, NP_PATH_CANCEL, 46, &path_cancel_request},
    {"path.cancel.response", NP_RESPONSE, NP_PATH_CANCEL, 46, &path_cancel_response},
    {"paths", NP_NOTIFICATION, NP_PATHS, 0, &paths_note},
    {"paths.costs", NP_NOTIFICATION, NP_PATHS, 0, &paths_note_costs},
    {"path.audit.request", NP_REQUEST, NP_PATH_AUDIT, 42, &path_audit_request},
    {"path.audit.response", NP_RESPONSE, NP_PATH_AUDIT, 42, &path_audit_response},
};
const example_list examples_paths = {rows, COUNT(rows)};
