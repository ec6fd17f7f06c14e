// Examples: tiles and jobs.
#include "tests/protocol/example_values.h"

static const np_known_tile known[] = {{0, 0, {0x0706050403020100u, 0x0f0e0d0c0b0a0908u}, NAV_SHEET_UP},
                                      {-1, 0, {0x1716151413121110u, 0x1f1e1d1c1b1a1918u}, NAV_SHEET_UP}};
static const np_tiles_subscribe_request subscribe_request = {.world = 7, .profile = STR("human")};
static const np_tiles_subscribe_request subscribe_near = {.world = 7,
                                                          .profile = STR("human"),
                                                          .encoding = NP_ENCODING_DETOUR,
                                                          .compression = NP_COMPRESSION_NONE,
                                                          .has_bounds = true,
                                                          .min = {-100, -50},
                                                          .max = {100, 50},
                                                          .has_focus = true,
                                                          .focus = {3.5, -2},
                                                          .known_count = COUNT(known),
                                                          .known = known};
static const np_known_tile seen_since[] = {{-1, 2, EXAMPLE_SQUARE_HASH, NAV_SHEET_UP}};
static const np_tiles_subscribe_request subscribe_again = {.world = 7,
                                                           .profile = STR("human"),
                                                           .has_since = true,
                                                           .since = 12,
                                                           .known_count = COUNT(seen_since),
                                                           .known = seen_since};
static const np_known_tile seen_walls[] = {{0, 1, EXAMPLE_SQUARE_HASH, NAV_SHEET_XPLUS}};
static const np_tiles_subscribe_request subscribe_sheets = {
    .world = 7,
    .profile = STR("spider"),
    .sheets = 1 << NAV_SHEET_UP | 1 << NAV_SHEET_XPLUS,
    .has_since = true,
    .since = 12,
    .known_count = COUNT(seen_walls),
    .known = seen_walls,
};
static const np_tiles_subscribe_response subscribe_response = {3, 12, false, 0};
static const np_tiles_subscribe_response subscribe_resumed = {4, 15, true, 3};
static const np_synced_note synced = {3, 7, 12};
static const np_tiles_unsubscribe_request unsubscribe_request = {3};
static const np_tiles_focus_request focus_request = {.subscription = 3, .has_focus = true, .focus = {12.5, 40}};
static const np_tiles_focus_request focus_bounds_request = {.subscription = 3,
                                                            .has_focus = true,
                                                            .focus = {112.5, 40},
                                                            .has_bounds = true,
                                                            .min = {80, 8},
                                                            .max = {144, 72},
                                                            .has_margin = true,
                                                            .margin_m = 16};
static const np_tile_xz wanted[] = {{0, 0, NAV_SHEET_UP}, {-1, 0, NAV_SHEET_UP}};
static const np_tiles_get_request get_request = {
    .world = 7, .profile = STR("human"), .tile_count = COUNT(wanted), .tiles = wanted};
static const np_tile_xz wanted_walls[] = {{0, 0, NAV_SHEET_UP}, {-1, 0, NAV_SHEET_ZMINUS}};
static const np_tiles_get_request get_sheets = {
    .world = 7, .profile = STR("spider"), .tile_count = COUNT(wanted_walls), .tiles = wanted_walls};
// A zstd frame of the four bytes "tile".
static const uint8_t data[] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x04, 0x21, 0x00, 0x00, 0x74, 0x69, 0x6c, 0x65};
static const np_tile tiles[] = {
    {.revision = 12, .key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u}, .size = 4, .data = {data, sizeof data}},
    {.x = -1, .status = NP_TILE_PENDING, .revision = 11},
};
static const np_tiles_get_response get_response = {COUNT(tiles), tiles, 3};
static const nav_volume volumes[] = {
    {.point_count = 3, .points = {0, 0, 4, 0, 4, 4}, .min_y = -1, .max_y = 3, .area = 5}};
static const nav_link links[] = {
    {.id = 9, .start = {1, 0, 1}, .end = {8, 2, 1}, .radius_m = 0.5f, .area = 63, .flags = 1}};
static const np_tiles_build_request build_request = {.settings = {SETTINGS(0.3f, 32, 0.6f, ALL_AREAS)},
                                                     .last = {1, 0},
                                                     .area = 63,
                                                     .vertices = {square, 48},
                                                     .indices = {square + 48, 24}};
static const np_tiles_build_request build_full = {
    .settings = {SETTINGS(0.25f, 48, 0.6f, 1ull << 1 | 1ull << 63), .origin_m = {0, -16, 0}},
    .encoding = NP_ENCODING_DETOUR,
    .first = {-1, -1},
    .area = 1,
    .vertices = {square, 48},
    .indices = {square + 48, 24},
    .areas = {square + 72, 2},
    .volume_count = COUNT(volumes),
    .volumes = volumes,
    .link_count = COUNT(links),
    .links = links};
static const np_tiles_build_request build_axes = {.settings = {SETTINGS(0.3f, 32, 0.6f, ALL_AREAS)},
                                                  .area = 63,
                                                  .vertices = {square, 48},
                                                  .indices = {square + 48, 24},
                                                  .axes = {.up = NP_UP_Z, .has_unit = true, .unit_m = 0.0254}};
static const np_tiles_build_request build_sheet = {
    .settings = {CLIMBER(NAV_SHEETS_ALL, NAV_SHEET_DOWN)},
    .sheet = NAV_SHEET_DOWN,
    .area = 63,
    .vertices = {square, 48},
    .indices = {square + 48, 24},
};
static const np_tile built[] = {
    {.key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u}, .size = 4, .made_us = 850, .data = {data, sizeof data}},
    {.x = 1, .status = NP_TILE_EMPTY, .key = {0x1716151413121110u, 0x1f1e1d1c1b1a1918u}, .made_us = 40},
};
static const np_tiles_build_response build_response = {COUNT(built), built};
static const np_dictionary_get_request dictionary_request = {40001};
static const np_dictionary_get_response dictionary_response = {40001, {data, sizeof data}}; // in truth some kilobytes
static const np_jobs_wait_request wait_request = {.world = 7, .has_revision = true, .revision = 12};
static const np_jobs_wait_request wait_bounds_request = {
    .world = 7, .has_profile = true, .profile = STR("human"), .has_bounds = true, .min = {80, 8}, .max = {144, 72}};
static const np_jobs_wait_response wait_response = {12};
static const np_jobs_cancel_request cancel_request = {.has_world = true, .world = 7};
static const np_jobs_cancel_request cancel_edit = {.has_world = true, .world = 7, .has_revision = true, .revision = 13};
static const np_jobs_cancel_request cancel_build = {.has_build = true, .build = 5};
static const np_jobs_cancel_response cancel_response = {140};
static const np_jobs_list_request list_request = {.has_world = false};
static const np_edit_job edit_jobs[] = {
    {7, STR("harbour"), 12, NP_JOB_BACKGROUND, {3, STR("navctl 0.1.0"), STR("uid:1000")}, 4210, 2, 5300},
    {7, STR("harbour"), 13, NP_JOB_INTERACTIVE, {4, STR("demo 1.0"), STR("anna")}, 6, 0, 2},
};
static const np_build_job build_jobs[] = {{5, NP_JOB_INTERACTIVE, {9, STR("engine"), STR("")}, 16, 4, 11}};
static const np_jobs_list_response list_response = {COUNT(edit_jobs), edit_jobs, COUNT(build_jobs), build_jobs};
#define FAILED                                                                                                         \
    {                                                                                                                  \
        STR("human"), 3, -1, NAV_SHEET_UP, STR("timeout"), STR("timeout: the tile took longer than --tile-ms allows"), \
            STR("regions"), STR(""), 5300, 2, true, 1700                                                               \
    }
static const np_failed_tile failed_tiles[] = {FAILED,
                                              {.profile = STR("human"),
                                               .x = 4,
                                               .z = 2,
                                               .code = STR("crashed"),
                                               .reason = STR("crashed: the tile crashed the generator in stage "
                                                             "contours twice (segmentation fault)"),
                                               .stage = STR("contours"),
                                               .signal = STR("segmentation fault"),
                                               .since_ms = 900,
                                               .tries = 1}};
static const np_tiles_failed_request failed_request = {7, 1000};
static const np_tiles_failed_response failed_response = {2, COUNT(failed_tiles), failed_tiles};
static const np_tiles_why_request why_request = {7, STR("human"), 3, -1, NAV_SHEET_UP};
static const np_counter why_stages[] = {{STR("gather"), 90}, {STR("rasterize"), 210}, {STR("polygons"), 180}};
static const np_tiles_why_response why_response = {.state = NP_STATE_WAITING,
                                                   .status = NP_TILE_OK,
                                                   .revision = 11,
                                                   .queued_us = 310,
                                                   .made_us = 850,
                                                   .cause = NP_CAUSE_INSTANCE,
                                                   .has_object = true,
                                                   .object = 42,
                                                   .caller = {4, STR("demo 1.0"), STR("anna")},
                                                   .cause_revision = 13,
                                                   .cause_ms = 2,
                                                   .is_open = true,
                                                   .open_since = 13,
                                                   .class = NP_JOB_INTERACTIVE,
                                                   .stage_count = COUNT(why_stages),
                                                   .stages = why_stages};
static const np_tiles_why_response why_failed = {.state = NP_STATE_CLEAN,
                                                 .status = NP_TILE_FAILED,
                                                 .revision = 12,
                                                 .queued_us = 310,
                                                 .made_us = 60000000,
                                                 .cause = NP_CAUSE_RETRY,
                                                 .cause_revision = 12,
                                                 .cause_ms = 61000,
                                                 .class = NP_JOB_BACKGROUND,
                                                 .has_failure = true,
                                                 .failure = FAILED};
static const np_tile_note tile_ok = {.subscription = 3,
                                     .world = 7,
                                     .profile = STR("human"),
                                     .tile = {.x = -1,
                                              .z = 2,
                                              .revision = 12,
                                              .key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u},
                                              .size = 4,
                                              .queued_us = 310,
                                              .made_us = 850,
                                              .data = {data, sizeof data}}};
static const np_tile_note tile_failed = {
    .subscription = 3,
    .world = 7,
    .profile = STR("human"),
    .tile = {.status = NP_TILE_FAILED, .reason = STR("a configured limit was reached"), .revision = 13}};
static const np_tile_note tile_removed = {.subscription = 3,
                                          .world = 7,
                                          .profile = STR("human"),
                                          .tile = {.z = 300, .status = NP_TILE_REMOVED, .revision = 14}};
static const np_tile_note tile_wall = {.subscription = 3,
                                       .world = 7,
                                       .profile = STR("spider"),
                                       .tile = {.x = -1,
                                                .z = 2,
                                                .sheet = NAV_SHEET_ZMINUS,
                                                .revision = 12,
                                                .key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u},
                                                .size = 4,
                                                .data = {data, sizeof data}}};
static const np_progress_note progress = {7, STR("human"), 120, 400};

static const example rows[] = {
    {"tiles.subscribe.request", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_request},
    {"tiles.subscribe.request.near", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_near},
    {"tiles.subscribe.request.again", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_again},
    {"tiles.subscribe.request.sheets", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_sheets},
    {"tiles.subscribe.response.again", NP_RESPONSE, NP_TILES_SUBSCRIBE, 9, &subscribe_resumed},
    {"tiles.subscribe.response", NP_RESPONSE, NP_TILES_SUBSCRIBE, 9, &subscribe_response},
    {"tiles.unsubscribe.request", NP_REQUEST, NP_TILES_UNSUBSCRIBE, 10, &unsubscribe_request},
    {"tiles.unsubscribe.response", NP_RESPONSE, NP_TILES_UNSUBSCRIBE, 10, &none},
    {"tiles.focus.request", NP_REQUEST, NP_TILES_FOCUS, 11, &focus_request},
    {"tiles.focus.request.bounds", NP_REQUEST, NP_TILES_FOCUS, 11, &focus_bounds_request},
    {"tiles.focus.response", NP_RESPONSE, NP_TILES_FOCUS, 11, &none},
    {"tiles.get.request", NP_REQUEST, NP_TILES_GET, 12, &get_request},
    {"tiles.get.request.sheets", NP_REQUEST, NP_TILES_GET, 12, &get_sheets},
    {"tiles.get.response", NP_RESPONSE, NP_TILES_GET, 12, &get_response},
    {"tiles.build.request", NP_REQUEST, NP_TILES_BUILD, 13, &build_request},
    {"tiles.build.request.full", NP_REQUEST, NP_TILES_BUILD, 13, &build_full},
    {"tiles.build.request.axes", NP_REQUEST, NP_TILES_BUILD, 13, &build_axes},
    {"tiles.build.request.sheet", NP_REQUEST, NP_TILES_BUILD, 13, &build_sheet},
    {"tiles.build.response", NP_RESPONSE, NP_TILES_BUILD, 13, &build_response},
    {"dictionary.get.request", NP_REQUEST, NP_DICTIONARY_GET, 21, &dictionary_request},
    {"dictionary.get.response", NP_RESPONSE, NP_DICTIONARY_GET, 21, &dictionary_response},
    {"jobs.wait.request", NP_REQUEST, NP_JOBS_WAIT, 14, &wait_request},
    {"jobs.wait.request.bounds", NP_REQUEST, NP_JOBS_WAIT, 14, &wait_bounds_request},
    {"jobs.wait.response", NP_RESPONSE, NP_JOBS_WAIT, 14, &wait_response},
    {"jobs.cancel.request", NP_REQUEST, NP_JOBS_CANCEL, 15, &cancel_request},
    {"jobs.cancel.request.edit", NP_REQUEST, NP_JOBS_CANCEL, 15, &cancel_edit},
    {"jobs.cancel.request.build", NP_REQUEST, NP_JOBS_CANCEL, 15, &cancel_build},
    {"jobs.list.request", NP_REQUEST, NP_JOBS_LIST, 25, &list_request},
    {"jobs.list.response", NP_RESPONSE, NP_JOBS_LIST, 25, &list_response},
    {"tiles.failed.request", NP_REQUEST, NP_TILES_FAILED, 26, &failed_request},
    {"tiles.failed.response", NP_RESPONSE, NP_TILES_FAILED, 26, &failed_response},
    {"tiles.why.request", NP_REQUEST, NP_TILES_WHY, 27, &why_request},
    {"tiles.why.response", NP_RESPONSE, NP_TILES_WHY, 27, &why_response},
    {"tiles.why.response.failed", NP_RESPONSE, NP_TILES_WHY, 27, &why_failed},
    {"jobs.cancel.response", NP_RESPONSE, NP_JOBS_CANCEL, 15, &cancel_response},
    {"tile", NP_NOTIFICATION, NP_TILE, 0, &tile_ok},
    {"tile.wall", NP_NOTIFICATION, NP_TILE, 0, &tile_wall},
    {"tile.failed", NP_NOTIFICATION, NP_TILE, 0, &tile_failed},
    {"tile.removed", NP_NOTIFICATION, NP_TILE, 0, &tile_removed},
    {"synced", NP_NOTIFICATION, NP_SYNCED, 0, &synced},
    {"progress", NP_NOTIFICATION, NP_PROGRESS, 0, &progress},
};
const example_list examples_tiles = {rows, COUNT(rows)};
