#include "tests/protocol/examples.h"

#include <stdlib.h>
#include <string.h>

#define STR(literal)                                                                                                   \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }
#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define ONES_16 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
#define EXAMPLE_SQUARE_HASH                                                                                            \
    {                                                                                                                  \
        0x993e9ccd284ba6f5u, 0x8f5030e420406181u                                                                       \
    } // test_messages checks that
#define EXAMPLE_AREAS_HASH                                                                                             \
    {                                                                                                                  \
        0xa4b14d67feb82d2du, 0xe3d21c863d867d9au                                                                       \
    } // and this, of the square with areas
// The default settings but for these.
#define SETTINGS(cell, tile, radius, areas)                                                                            \
    .cell_size_m = cell, .cell_height_m = 0.2f, .tile_cells = tile, .agent_height_m = 2.0f, .agent_radius_m = radius,  \
    .agent_climb_m = 0.9f, .agent_slope_deg = 45.0f, .walkable_areas = areas, .region_min_cells = 8.0f,                \
    .region_merge_cells = 20.0f, .edge_max_length_m = 12.0f, .edge_max_error_cells = 1.3f, .polygon_max_vertices = 6,  \
    .detail_sample_cells = 6.0f, .detail_max_error_voxels = 1.0f, .area_flags = {ONES_16, ONES_16, ONES_16, ONES_16}
#define ALL_AREAS ~(uint64_t)1

// A square of 2 m from two triangles: 4 vertices, then 6 indices, little-endian.
static const uint8_t square[] = {
    0, 0,   0, 0,    0, 0, 0, 0, 0, 0, 0, 0,    //
    0, 0,   0, 0,    0, 0, 0, 0, 0, 0, 0, 0x40, //
    0, 0,   0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0x40, //
    0, 0,   0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0,    //
    0, 0,   0, 0,    1, 0, 0, 0, 2, 0, 0, 0,    //
    0, 0,   0, 0,    2, 0, 0, 0, 3, 0, 0, 0,    //
    7, 255,                                     // areas, where it has them
};
enum { SQUARE_BYTES = sizeof square - 2 }; // without areas

static const np_hello_request hello_request = {1, STR("demo 1.0"), STR(""), STR(""), false, NP_PRIORITY_NORMAL};
static const np_hello_request hello_login = {
    1,
    STR("demo 1.0"),
    STR("navd_3f9c05a1d27be684_5b0f2c8e9a7d416305f8c2b1e4d79a60c3b58f1e2d4a69708b5c3e1f9d2a6b47"),
    STR("film"),
    true,
    NP_PRIORITY_LOW};
static const np_hello_response hello_response = {
    STR("navd 0.1.0"), 1, {64u << 20, 16, 1u << 20, 1u << 18, 1u << 20, 256u << 20, 65536, 1024}, 40001, STR("editor"),
    STR("default"),    15};

static const np_profile human[] = {
    {.name = STR("human"), .settings = {SETTINGS(0.3f, 48, 0.6f, ALL_AREAS)}},
    {.name = STR("ogre"),
     .settings = {SETTINGS(0.3f, 48, 1.5f, ALL_AREAS), .partition = NAV_PARTITION_CONVEX,
                  .triangulation = NAV_TRIANGULATION_DELAUNAY, .relaxation_m = 0.5f}},
};
static const np_world_open_request world_open_request = {
    .name = STR("harbour"), .create = true, .profile_count = COUNT(human), .profiles = human};
static const np_world_open_request world_open_found = {.name = STR("harbour")};
static const np_seed gates[] = {{{3.5f, 0, -2}}, {{40, 1.5f, 12}}};
static const np_world_open_request world_open_reach = {
    .name = STR("moor"),
    .create = true,
    .has_reach = true,
    .reach = {.unreachable = NAV_UNREACHABLE_FLAG, .island_min_area_m2 = 25},
};
static const np_world_open_request world_open_axes = {.name = STR("harbour"),
                                                      .axes = {.up = NP_UP_Z, .has_unit = true, .unit_m = 0.01}};
static const np_world_reach_request world_reach_request = {7};
static const uint32_t lost_seeds[] = {1};
static const np_profile_reach reached[] = {{.name = STR("human"),
                                            .parts = 240,
                                            .unreachable_parts = 31,
                                            .area_m2 = 4000,
                                            .unreachable_m2 = 87.5,
                                            .lost_count = COUNT(lost_seeds),
                                            .seeds_without_ground = lost_seeds}};
static const np_world_reach_response world_reach_response = {
    .reach = {.unreachable = NAV_UNREACHABLE_DROP, .seed_count = COUNT(gates), .seeds = gates},
    .revision = 13,
    .profile_count = COUNT(reached),
    .profiles = reached};
static const np_area areas[] = {
    {.id = 2, .name = STR("road"), .cost = 0.5f, .walkable = true},
    {.id = 7, .name = STR("water"), .cost = 10, .has_flags = true, .flags = 2, .has_color = true, .color = 0x3366cc},
};
static const np_world_areas_request world_areas_request = {7, true, COUNT(areas), areas, false};
static const np_world_areas_request world_areas_ask = {.world = 7};
static const np_world_areas_response world_areas_response = {14, 120, true, COUNT(areas), areas};
static const np_areas_note areas_note = {3, 7, 14, COUNT(areas), areas};
static const np_world_open_response world_open_response = {
    .world = 7, .created = true, .profile_count = COUNT(human), .profiles = human};
static const np_world_open_response world_open_turned = {.world = 7,
                                                         .revision = 12,
                                                         .profile_count = COUNT(human),
                                                         .profiles = human,
                                                         .has_to_metres = true,
                                                         .to_metres = {0.01, 0, 0, 0, 0, 0, 0.01, 0, 0, -0.01}};
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
static const np_none none = {0};
static const np_world_entry worlds[] = {{STR("harbour"), 12, 3}, {STR("mill"), 0, 0}};
static const np_world_list_response world_list_response = {COUNT(worlds), worlds};
static const np_world_close_request world_close_request = {7};
static const np_world_delete_request world_delete_request = {7};

static const nav_key hashes[] = {EXAMPLE_SQUARE_HASH, {0x1716151413121110u, 0x1f1e1d1c1b1a1918u}};
static const np_mesh_have_request mesh_have_request = {.hash_count = COUNT(hashes), .hashes = hashes};
static const np_mesh_have_response mesh_have_response = {.missing_count = 1, .missing = hashes};
// Of the square, and of nothing.
static const np_digest digests[] = {
    {{0x55, 0xfa, 0x5a, 0x34, 0x75, 0x7b, 0xae, 0xf9, 0x0c, 0x08, 0xb7, 0x34, 0xbe, 0x85, 0x4d, 0xb7,
      0xbe, 0x4f, 0x3f, 0xdf, 0xc3, 0xab, 0x2a, 0x46, 0x91, 0x9a, 0x75, 0xee, 0xe2, 0x8a, 0x4e, 0x5f}},
    {{1, 2, 3}},
};
static const nav_key digest_keys[] = {EXAMPLE_SQUARE_HASH, {0, 0}};
static const np_mesh_have_request mesh_have_sha256 = {.digest_count = COUNT(digests), .digests = digests};
static const np_mesh_have_response mesh_have_keys = {.key_count = COUNT(digest_keys), .keys = digest_keys};
static const np_mesh_put_request mesh_put_unnamed = {.vertices = 4, .triangles = 2, .data = {square, SQUARE_BYTES}};
static const np_mesh_put_response mesh_put_received = {.received = 48};
static const np_mesh_put_request mesh_put_request = {EXAMPLE_SQUARE_HASH, 4, 2, false, 0, {square, SQUARE_BYTES}};
static const np_mesh_put_request mesh_put_part = {
    EXAMPLE_SQUARE_HASH, 4, 2, false, 48, {square + 48, SQUARE_BYTES - 48}};
static const np_mesh_put_request mesh_put_areas = {EXAMPLE_AREAS_HASH, 4, 2, true, 0, {square, sizeof square}};
static const np_mesh_put_response mesh_put_response = {72, true, 0, EXAMPLE_SQUARE_HASH};
static const np_mesh_get_request mesh_get_request = {EXAMPLE_SQUARE_HASH, 48};
static const np_mesh_get_response mesh_get_response = {4, 2, false, {square + 48, SQUARE_BYTES - 48}};

static const np_op ops[] = {
    {.kind = NP_OP_PUT_INSTANCE,
     .id = 1,
     .u.instance = {.mesh = EXAMPLE_SQUARE_HASH, .transform = NAV_TRANSFORM_IDENTITY, .area = 63}},
    {.kind = NP_OP_PUT_INSTANCE,
     .id = 2,
     .u.instance = {.mesh = EXAMPLE_SQUARE_HASH, .transform = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, -5}, .area = 0}},
    {.kind = NP_OP_MOVE_INSTANCE, .id = 1, .u.instance = {.transform = {1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0}}},
    {.kind = NP_OP_REMOVE_INSTANCE, .id = 2},
    {.kind = NP_OP_PUT_VOLUME,
     .id = 1,
     .u.volume = {.point_count = 3, .points = {0, 0, 4, 0, 4, 4}, .min_y = -1, .max_y = 3, .area = 5}},
    {.kind = NP_OP_REMOVE_VOLUME, .id = 1},
    {.kind = NP_OP_PUT_LINK,
     .id = 9,
     .u.link =
         {.id = 9, .start = {1, 0, 1}, .end = {8, 2, 1}, .radius_m = 0.5f, .area = 63, .both_ways = 1, .flags = 1}},
    {.kind = NP_OP_REMOVE_LINK, .id = 9},
    {.kind = NP_OP_DIRTY, .u.dirty = {{-10, -10}, {10, 10}}},
};
static const np_world_edit_request world_edit_request = {
    .world = 7, .has_base_revision = true, .base_revision = 0, .op_count = COUNT(ops), .ops = ops};
static const np_world_edit_request world_edit_move = {.world = 7, .op_count = 1, .ops = ops + 2};
static const np_op reach_op = {
    .kind = NP_OP_SET_REACH,
    .u.reach = {.unreachable = NAV_UNREACHABLE_DROP, .seed_count = COUNT(gates), .seeds = gates}};
static const np_op areas_op = {.kind = NP_OP_SET_AREAS, .u.areas = {COUNT(areas), areas}};
static const np_world_edit_request world_edit_areas = {.world = 7, .op_count = 1, .ops = &areas_op};
static const np_world_edit_request world_edit_reach = {.world = 7, .op_count = 1, .ops = &reach_op};
static const np_op bounds_ops[] = {
    {.kind = NP_OP_SET_BUILD, .u.build = {NP_BUILD_WATCHED, 32}},
    {.kind = NP_OP_PUT_VOLUME,
     .id = 2,
     .u.volume = {.point_count = 3, .points = {0, 0, 400, 0, 400, 400}, .min_y = -10, .max_y = 100, .include = 1}},
};
static const np_world_edit_request world_edit_build = {.world = 7, .op_count = COUNT(bounds_ops), .ops = bounds_ops};
static const np_world_edit_response world_edit_response = {1, 4, true};
static const uint8_t synced_ids[] = {5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0};
static const uint8_t synced_meshes[] = {0xf5, 0xa6, 0x4b, 0x28, 0xcd, 0x9c, 0x3e, 0x99, 0x81, 0x61, 0x40,
                                        0x20, 0xe4, 0x30, 0x50, 0x8f, 0xf5, 0xa6, 0x4b, 0x28, 0xcd, 0x9c,
                                        0x3e, 0x99, 0x81, 0x61, 0x40, 0x20, 0xe4, 0x30, 0x50, 0x8f};
#define ONE 0, 0, 0x80, 0x3f
#define ZERO 0, 0, 0, 0
static const uint8_t synced_transforms[] = {ONE, ZERO, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ZERO, ONE, ZERO,
                                            ONE, ZERO, ZERO, ONE,  ZERO, ONE, ZERO, ZERO, ZERO, ZERO, ONE, ZERO};
static const uint8_t synced_areas[] = {63, 7};
static const uint8_t synced_removed[] = {9, 0, 0, 0, 0, 0, 0, 0};
static const np_world_sync_request sync_request = {.world = 7,
                                                   .source = STR("harbour.glb"),
                                                   .ids = {synced_ids, 16},
                                                   .meshes = {synced_meshes, 32},
                                                   .transforms = {synced_transforms, 96},
                                                   .areas = {synced_areas, 2}};
static const uint8_t synced_names[] = {4, 'p', 'i', 'e', 'r', 0};
static const np_world_sync_request sync_named = {.world = 7,
                                                 .source = STR("harbour.glb"),
                                                 .ids = {synced_ids, 16},
                                                 .meshes = {synced_meshes, 32},
                                                 .transforms = {synced_transforms, 96},
                                                 .has_names = true,
                                                 .names = {synced_names, sizeof synced_names}};
static const np_world_sync_request sync_dry = {.world = 7,
                                               .source = STR("harbour.glb"),
                                               .has_base_revision = true,
                                               .base_revision = 12,
                                               .ids = {synced_ids, 8},
                                               .meshes = {synced_meshes, 16},
                                               .transforms = {synced_transforms, 48},
                                               .dry_run = true,
                                               .adopt = true};
static const np_world_sync_request sync_first = {.world = 7,
                                                 .source = STR("harbour.glb"),
                                                 .more = true,
                                                 .ids = {synced_ids, 8},
                                                 .meshes = {synced_meshes, 16},
                                                 .transforms = {synced_transforms, 48}};
static const np_world_sync_request sync_last = {.world = 7,
                                                .source = STR("harbour.glb"),
                                                .offset = 1,
                                                .ids = {synced_ids + 8, 8},
                                                .meshes = {synced_meshes + 16, 16},
                                                .transforms = {synced_transforms + 48, 48}};
static const np_world_sync_response sync_applied = {.received = 2,
                                                    .complete = true,
                                                    .applied = true,
                                                    .revision = 13,
                                                    .dirty_tiles = 6,
                                                    .durable = true,
                                                    .added = 1,
                                                    .removed = 1,
                                                    .unchanged = 1};
static const np_world_sync_response sync_missing = {.received = 2,
                                                    .complete = true,
                                                    .revision = 12,
                                                    .added = 1,
                                                    .unchanged = 1,
                                                    .missing_count = 1,
                                                    .missing = hashes,
                                                    .kept = true};
static const np_world_sync_request sync_again = {.world = 7, .source = STR("harbour.glb"), .offset = 2};
static const np_world_sync_response sync_would = {.received = 1,
                                                  .complete = true,
                                                  .revision = 12,
                                                  .moved = 1,
                                                  .removed = 1,
                                                  .moved_ids = {synced_ids, 8},
                                                  .removed_ids = {synced_removed, 8}};
static const np_world_sync_response sync_part = {.received = 1};
static const np_world_objects_request objects_request = {.world = 7, .limit = NP_OBJECTS_PAGE};
static const np_world_objects_request objects_more = {
    .world = 7, .has_revision = true, .revision = 12, .cursor = 5, .limit = 100};
static const np_op standing[] = {
    {.kind = NP_OP_PUT_INSTANCE,
     .id = 2,
     .u.instance = {.mesh = EXAMPLE_SQUARE_HASH, .transform = {1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, -5}, .area = 0}},
    {.kind = NP_OP_PUT_VOLUME,
     .id = 1,
     .source = STR("harbour.glb"),
     .u.volume = {.point_count = 3, .points = {0, 0, 4, 0, 4, 4}, .min_y = -1, .max_y = 3, .area = 5}},
};
static const np_world_objects_response objects_response = {
    .revision = 12, .object_count = COUNT(standing), .objects = standing, .next = 5};

static const np_known_tile known[] = {{0, 0, {0x0706050403020100u, 0x0f0e0d0c0b0a0908u}},
                                      {-1, 0, {0x1716151413121110u, 0x1f1e1d1c1b1a1918u}}};
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
static const np_known_tile seen_since[] = {{-1, 2, EXAMPLE_SQUARE_HASH}};
static const np_tiles_subscribe_request subscribe_again = {.world = 7,
                                                           .profile = STR("human"),
                                                           .has_since = true,
                                                           .since = 12,
                                                           .known_count = COUNT(seen_since),
                                                           .known = seen_since};
static const np_tiles_subscribe_response subscribe_response = {3, 12, false, 0};
static const np_tiles_subscribe_response subscribe_resumed = {4, 15, true, 3};
static const np_world_profile_request profile_change = {
    .world = 7,
    .name = STR("ogre"),
    .has_settings = true,
    .settings = {SETTINGS(0.3f, 48, 2.0f, ALL_AREAS), .partition = NAV_PARTITION_CONVEX}};
static const np_world_profile_request profile_remove = {
    .world = 7,
    .name = STR("ogre"),
    .settings = {SETTINGS(0.3f, 48, 0.6f, ALL_AREAS), .partition = NAV_PARTITION_CONVEX},
    .remove = true};
static const np_world_profile_response profile_response = {13, 400, true, 3};
static const np_world_origin_request origin_request = {7, {0.5, 0, -8}};
static const np_world_origin_response origin_response = {14, 812, true};
static const np_settings_note settings_note = {
    .subscription = 3,
    .world = 7,
    .profile = STR("ogre"),
    .settings = {SETTINGS(0.3f, 48, 2.0f, ALL_AREAS), .partition = NAV_PARTITION_CONVEX},
    .revision = 13,
    .grid = 3};
static const np_ended_note ended_profile = {3, 7, STR("profile removed")};
static const np_ended_note ended = {3, 7, STR("deleted")};
static const np_synced_note synced = {3, 7, 12};
static const np_bye_note bye = {STR("navd is stopping"), 1000};
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

static const np_tile_xz wanted[] = {{0, 0}, {-1, 0}};
static const np_tiles_get_request get_request = {
    .world = 7, .profile = STR("human"), .tile_count = COUNT(wanted), .tiles = wanted};
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
        STR("human"), 3, -1, STR("timeout"), STR("timeout: the tile took longer than --tile-ms allows"),               \
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
static const np_tiles_why_request why_request = {7, STR("human"), 3, -1};
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
static const uint8_t cache_key[NP_CACHE_KEY_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 2};
static const uint8_t cache_record[] = {1, 1, 0, 255, 3, 0, 0, 0};
static const np_cache_gc_request gc_request = {1 << 30};
static const np_cache_gc_response gc_response = {5041, 1 << 29, 120};
static const np_cache_verify_response verify_response = {5041, 1 << 29, 1, 40};
static const np_cache_export_request export_request = {{cache_key, sizeof cache_key}, 1 << 16};
static const np_cache_entry cache_entries[] = {
    {{cache_key, sizeof cache_key}, 0x1122334455667788, {cache_record, sizeof cache_record}}};
static const np_cache_export_response export_response = {1, cache_entries, true};
static const np_cache_import_request import_request = {1, cache_entries};
static const np_cache_import_response import_response = {0, 1, STR("its record makes no sense")};
static const np_counter counters[] = {{STR("cache_hits"), 40}, {STR("tiles_built"), 1200}};
static const np_stats_response stats_response = {COUNT(counters), counters};

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
static const np_progress_note progress = {7, STR("human"), 120, 400};

static const np_error error_plain = {.code = NAV_ERR_NOT_FOUND, .message = "world: 8, no such world"};
static const np_error error_op = {.code = NAV_ERR_ARGUMENT,
                                  .has_op = true,
                                  .op = 3,
                                  .key = "ops[3].area",
                                  .message = "ops[3].area: 64, expected an integer from 0 to 63"};

static const np_view_open_request view_request = {.edit = true};
static const np_view_open_response view_response = {
    .url = STR("http://127.0.0.1:39827/"),
    .token = STR("navd_39f9d9ba9398ad6c_d2a97e21ca355ee2d90e4e3ea4a482ef331b4ee1c2045f94977c31f39cc2f9b8"),
    .role = STR("editor"),
    .space = STR("default"),
    .valid_s = 900};

static const np_sessions_list_request sessions_request = {.limit = 10};
static const np_session_entry connected[] = {{.id = 7,
                                              .client = STR("editor 2.1"),
                                              .name = STR("mia"),
                                              .role = STR("editor"),
                                              .space = STR("harbour"),
                                              .encrypted = true,
                                              .age_ms = 93000,
                                              .subscriptions = 1,
                                              .bytes_in = 5120,
                                              .bytes_out = 1 << 20}};
static const np_sessions_list_response sessions_response = {
    .total = 1, .session_count = COUNT(connected), .sessions = connected};

static const np_namespace_entry teams[] = {{.name = STR("film"),
                                            .worlds = 3,
                                            .objects = 12000,
                                            .tiles = 5041,
                                            .mesh_bytes = 1 << 20,
                                            .sessions = 4,
                                            .max_worlds = 10,
                                            .max_objects = NP_UNBOUNDED,
                                            .max_tiles = NP_UNBOUNDED,
                                            .max_mesh_bytes = UINT64_C(4) << 30,
                                            .max_sessions = NP_UNBOUNDED,
                                            .max_edits_per_second = 100}};
static const np_namespaces_list_response namespaces_response = {.namespace_count = COUNT(teams), .namespaces = teams};

const example examples[] = {
    {"hello.request", NP_REQUEST, NP_HELLO, 1, &hello_request},
    {"hello.login", NP_REQUEST, NP_HELLO, 1, &hello_login},
    {"hello.response", NP_RESPONSE, NP_HELLO, 1, &hello_response},
    {"world.open.request", NP_REQUEST, NP_WORLD_OPEN, 2, &world_open_request},
    {"world.open.request.existing", NP_REQUEST, NP_WORLD_OPEN, 2, &world_open_found},
    {"world.open.request.reach", NP_REQUEST, NP_WORLD_OPEN, 2, &world_open_reach},
    {"world.open.request.axes", NP_REQUEST, NP_WORLD_OPEN, 2, &world_open_axes},
    {"world.open.response", NP_RESPONSE, NP_WORLD_OPEN, 2, &world_open_response},
    {"world.open.response.axes", NP_RESPONSE, NP_WORLD_OPEN, 2, &world_open_turned},
    {"world.list.request", NP_REQUEST, NP_WORLD_LIST, 3, &none},
    {"world.list.response", NP_RESPONSE, NP_WORLD_LIST, 3, &world_list_response},
    {"world.close.request", NP_REQUEST, NP_WORLD_CLOSE, 4, &world_close_request},
    {"world.close.response", NP_RESPONSE, NP_WORLD_CLOSE, 4, &none},
    {"world.delete.request", NP_REQUEST, NP_WORLD_DELETE, 4, &world_delete_request},
    {"world.delete.response", NP_RESPONSE, NP_WORLD_DELETE, 4, &none},
    {"world.areas.request", NP_REQUEST, NP_WORLD_AREAS, 30, &world_areas_request},
    {"world.areas.request.ask", NP_REQUEST, NP_WORLD_AREAS, 30, &world_areas_ask},
    {"world.areas.response", NP_RESPONSE, NP_WORLD_AREAS, 30, &world_areas_response},
    {"world.reach.request", NP_REQUEST, NP_WORLD_REACH, 19, &world_reach_request},
    {"world.reach.response", NP_RESPONSE, NP_WORLD_REACH, 19, &world_reach_response},
    {"world.profile.request", NP_REQUEST, NP_WORLD_PROFILE, 32, &profile_change},
    {"world.profile.request.remove", NP_REQUEST, NP_WORLD_PROFILE, 32, &profile_remove},
    {"world.profile.response", NP_RESPONSE, NP_WORLD_PROFILE, 32, &profile_response},
    {"world.origin.request", NP_REQUEST, NP_WORLD_ORIGIN, 33, &origin_request},
    {"world.origin.response", NP_RESPONSE, NP_WORLD_ORIGIN, 33, &origin_response},
    {"path.find.request", NP_REQUEST, NP_PATH_FIND, 36, &path_find_request},
    {"path.find.response", NP_RESPONSE, NP_PATH_FIND, 36, &path_find_response},
    {"mesh.have.request", NP_REQUEST, NP_MESH_HAVE, 5, &mesh_have_request},
    {"mesh.have.response", NP_RESPONSE, NP_MESH_HAVE, 5, &mesh_have_response},
    {"mesh.have.request.sha256", NP_REQUEST, NP_MESH_HAVE, 5, &mesh_have_sha256},
    {"mesh.have.response.sha256", NP_RESPONSE, NP_MESH_HAVE, 5, &mesh_have_keys},
    {"mesh.put.request", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_request},
    {"mesh.put.request.part", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_part},
    {"mesh.put.request.areas", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_areas},
    {"mesh.put.request.unnamed", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_unnamed},
    {"mesh.put.response.part", NP_RESPONSE, NP_MESH_PUT, 6, &mesh_put_received},
    {"mesh.put.response", NP_RESPONSE, NP_MESH_PUT, 6, &mesh_put_response},
    {"mesh.get.request", NP_REQUEST, NP_MESH_GET, 24, &mesh_get_request},
    {"mesh.get.response", NP_RESPONSE, NP_MESH_GET, 24, &mesh_get_response},
    {"world.edit.request", NP_REQUEST, NP_WORLD_EDIT, 8, &world_edit_request},
    {"world.edit.request.move", NP_REQUEST, NP_WORLD_EDIT, 7, &world_edit_move},
    {"world.edit.request.areas", NP_REQUEST, NP_WORLD_EDIT, 31, &world_edit_areas},
    {"world.edit.request.reach", NP_REQUEST, NP_WORLD_EDIT, 20, &world_edit_reach},
    {"world.edit.request.build", NP_REQUEST, NP_WORLD_EDIT, 21, &world_edit_build},
    {"world.edit.response", NP_RESPONSE, NP_WORLD_EDIT, 7, &world_edit_response},
    {"world.sync.request", NP_REQUEST, NP_WORLD_SYNC, 24, &sync_request},
    {"world.sync.request.dry", NP_REQUEST, NP_WORLD_SYNC, 25, &sync_dry},
    {"world.sync.request.names", NP_REQUEST, NP_WORLD_SYNC, 24, &sync_named},
    {"world.sync.request.first", NP_REQUEST, NP_WORLD_SYNC, 26, &sync_first},
    {"world.sync.request.last", NP_REQUEST, NP_WORLD_SYNC, 27, &sync_last},
    {"world.sync.request.again", NP_REQUEST, NP_WORLD_SYNC, 27, &sync_again},
    {"world.sync.response", NP_RESPONSE, NP_WORLD_SYNC, 24, &sync_applied},
    {"world.sync.response.missing", NP_RESPONSE, NP_WORLD_SYNC, 24, &sync_missing},
    {"world.sync.response.dry", NP_RESPONSE, NP_WORLD_SYNC, 25, &sync_would},
    {"world.sync.response.part", NP_RESPONSE, NP_WORLD_SYNC, 26, &sync_part},
    {"world.objects.request", NP_REQUEST, NP_WORLD_OBJECTS, 22, &objects_request},
    {"world.objects.request.more", NP_REQUEST, NP_WORLD_OBJECTS, 23, &objects_more},
    {"world.objects.response", NP_RESPONSE, NP_WORLD_OBJECTS, 22, &objects_response},
    {"tiles.subscribe.request", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_request},
    {"tiles.subscribe.request.near", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_near},
    {"tiles.subscribe.request.again", NP_REQUEST, NP_TILES_SUBSCRIBE, 9, &subscribe_again},
    {"tiles.subscribe.response.again", NP_RESPONSE, NP_TILES_SUBSCRIBE, 9, &subscribe_resumed},
    {"tiles.subscribe.response", NP_RESPONSE, NP_TILES_SUBSCRIBE, 9, &subscribe_response},
    {"tiles.unsubscribe.request", NP_REQUEST, NP_TILES_UNSUBSCRIBE, 10, &unsubscribe_request},
    {"tiles.unsubscribe.response", NP_RESPONSE, NP_TILES_UNSUBSCRIBE, 10, &none},
    {"tiles.focus.request", NP_REQUEST, NP_TILES_FOCUS, 11, &focus_request},
    {"tiles.focus.request.bounds", NP_REQUEST, NP_TILES_FOCUS, 11, &focus_bounds_request},
    {"tiles.focus.response", NP_RESPONSE, NP_TILES_FOCUS, 11, &none},
    {"tiles.get.request", NP_REQUEST, NP_TILES_GET, 12, &get_request},
    {"tiles.get.response", NP_RESPONSE, NP_TILES_GET, 12, &get_response},
    {"tiles.build.request", NP_REQUEST, NP_TILES_BUILD, 13, &build_request},
    {"tiles.build.request.full", NP_REQUEST, NP_TILES_BUILD, 13, &build_full},
    {"tiles.build.request.axes", NP_REQUEST, NP_TILES_BUILD, 13, &build_axes},
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
    {"cache.gc.request", NP_REQUEST, NP_CACHE_GC, 28, &gc_request},
    {"cache.gc.response", NP_RESPONSE, NP_CACHE_GC, 28, &gc_response},
    {"cache.verify.request", NP_REQUEST, NP_CACHE_VERIFY, 29, &none},
    {"cache.verify.response", NP_RESPONSE, NP_CACHE_VERIFY, 29, &verify_response},
    {"cache.export.request", NP_REQUEST, NP_CACHE_EXPORT, 30, &export_request},
    {"cache.export.response", NP_RESPONSE, NP_CACHE_EXPORT, 30, &export_response},
    {"cache.import.request", NP_REQUEST, NP_CACHE_IMPORT, 31, &import_request},
    {"cache.import.response", NP_RESPONSE, NP_CACHE_IMPORT, 31, &import_response},
    {"sessions.list.request", NP_REQUEST, NP_SESSIONS_LIST, 25, &sessions_request},
    {"sessions.list.response", NP_RESPONSE, NP_SESSIONS_LIST, 25, &sessions_response},
    {"namespaces.list.request", NP_REQUEST, NP_NAMESPACES_LIST, 26, &none},
    {"namespaces.list.response", NP_RESPONSE, NP_NAMESPACES_LIST, 26, &namespaces_response},
    {"stats.request", NP_REQUEST, NP_STATS, 16, &none},
    {"stats.response", NP_RESPONSE, NP_STATS, 16, &stats_response},
    {"view.open.request", NP_REQUEST, NP_VIEW_OPEN, 32, &view_request},
    {"view.open.response", NP_RESPONSE, NP_VIEW_OPEN, 32, &view_response},
    {"tile", NP_NOTIFICATION, NP_TILE, 0, &tile_ok},
    {"tile.failed", NP_NOTIFICATION, NP_TILE, 0, &tile_failed},
    {"tile.removed", NP_NOTIFICATION, NP_TILE, 0, &tile_removed},
    {"ping.request", NP_REQUEST, NP_PING, 24, &none},
    {"ping.response", NP_RESPONSE, NP_PING, 24, &none},
    {"alive", NP_NOTIFICATION, NP_ALIVE, 0, &none},
    {"ended", NP_NOTIFICATION, NP_ENDED, 0, &ended},
    {"ended.profile", NP_NOTIFICATION, NP_ENDED, 0, &ended_profile},
    {"settings", NP_NOTIFICATION, NP_SETTINGS, 0, &settings_note},
    {"synced", NP_NOTIFICATION, NP_SYNCED, 0, &synced},
    {"areas", NP_NOTIFICATION, NP_AREAS, 0, &areas_note},
    {"bye", NP_NOTIFICATION, NP_BYE, 0, &bye},
    {"progress", NP_NOTIFICATION, NP_PROGRESS, 0, &progress},
    {"error", NP_RESPONSE, NP_UNKNOWN, 17, &error_plain},
    {"error.op", NP_RESPONSE, NP_UNKNOWN, 18, &error_op},
};
const uint32_t example_count = COUNT(examples);

nav_status example_encode(const example *e, nav_buffer *out)
{
    if (e->method == NP_UNKNOWN) return np_error_encode(out, e->id, e->message);
    if (e->kind == NP_REQUEST) return np_request_encode(out, e->method, e->id, e->message);
    if (e->kind == NP_RESPONSE) return np_response_encode(out, e->method, e->id, e->message);
    return np_note_encode(out, e->method, e->message);
}

static nav_status decode_error(const np_message *in, nav_buffer *out)
{
    np_error e;
    if (!in->error) return NAV_ERR_ARGUMENT;
    (void)(np_error_decode(in, &e) == NAV_OK);
    return out ? np_error_encode(out, in->id, &e) : NAV_OK;
}

nav_status example_decode(const example *e, const uint8_t *bytes, size_t count, nav_buffer *out, np_error *err)
{
    _Alignas(16) char room[1024];
    example again = *e;
    again.message = room;
    np_message in;
    nav_status st = np_message_read(bytes, count, &in, err);
    if (st != NAV_OK) goto done;
    st = NAV_ERR_ARGUMENT; // of another kind
    if (in.kind != e->kind) goto done;
    again.id = in.id;
    if (e->method == NP_UNKNOWN) {
        st = decode_error(&in, out);
        goto done;
    }
    if (e->kind != NP_RESPONSE && np_method_of(&in) != e->method) goto done;
    st = e->kind == NP_RESPONSE ? np_response_decode(&in, e->method, room, err)
                                : np_request_decode(&in, e->method, room, err);
    if (st == NAV_OK && out) st = example_encode(&again, out);
done:
    np_message_deinit(&in);
    return st;
}
