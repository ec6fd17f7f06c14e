// Examples: worlds, their objects and meshes.
#include "tests/protocol/example_values.h"

static const np_area areas[] = {
    {.id = 2, .name = STR("road"), .cost = 0.5f, .walkable = true},
    {.id = 7, .name = STR("water"), .cost = 10, .has_flags = true, .flags = 2, .has_color = true, .color = 0x3366cc},
};
#define EXAMPLE_AREAS_HASH                                                                                             \
    {                                                                                                                  \
        0xa4b14d67feb82d2du, 0xe3d21c863d867d9au                                                                       \
    }                                      // and this, of the square with areas
enum { SQUARE_BYTES = sizeof square - 2 }; // without areas
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
static const np_mesh_put_request mesh_put_request = {EXAMPLE_SQUARE_HASH, 4, 2, false, 0, {square, SQUARE_BYTES}, 0};
static const np_mesh_put_request mesh_put_part = {
    EXAMPLE_SQUARE_HASH, 4, 2, false, 48, {square + 48, SQUARE_BYTES - 48}, 0};
static const np_mesh_put_request mesh_put_areas = {EXAMPLE_AREAS_HASH, 4, 2, true, 0, {square, sizeof square}, 0};
static const np_mesh_put_response mesh_put_response = {72, true, 0, EXAMPLE_SQUARE_HASH};
static const np_mesh_get_request mesh_get_request = {EXAMPLE_SQUARE_HASH, 48};
static const np_mesh_get_response mesh_get_response = {4, 2, false, {square + 48, SQUARE_BYTES - 48}, 0};
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
static const uint8_t heights_string[] = {0x03, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                                         0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe0, 0x3f, 0x7b, 0x14,
                                         0xae, 0x47, 0xe1, 0x7a, 0x84, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x24,
                                         0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe8, 0x03, 0xf2, 0x03,
                                         0x01, 0x04, 0xe8, 0x03, 0xed, 0x03, 0x06, 0x04, 0xff, 0xfe};
static const np_mesh_put_request mesh_put_heights = {
    .vertices = 6, .triangles = 4, .areas = true, .heights = 16, .data = {heights_string, sizeof heights_string}};
static const uint8_t stroke_samples[] = {0xfc, 0x03, 0x06, 0x04};
static const np_op patch_op = {
    .kind = NP_OP_PATCH_HEIGHTS,
    .id = 1000,
    .u.patch = {.column = 1, .row = 0, .columns = 2, .rows = 1, .samples = {stroke_samples, sizeof stroke_samples}}};
static const np_world_edit_request world_edit_heights = {.world = 7, .op_count = 1, .ops = &patch_op};
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
static const np_world_profile_request profile_change = {
    .world = 7,
    .name = STR("ogre"),
    .has_settings = true,
    .settings = {SETTINGS(0.3f, 48, 2.0f, ALL_AREAS), .partition = NAV_PARTITION_CONVEX}};
static const np_world_profile_request profile_climber = {
    .world = 7,
    .name = STR("spider"),
    .has_settings = true,
    .settings = {CLIMBER(NAV_SHEETS_ALL, NAV_SHEET_UP)},
};
static const np_world_profile_request profile_boots = {
    .world = 7,
    .name = STR("boots"),
    .has_settings = true,
    .settings = {CLIMBER(1 << NAV_SHEET_UP | 1 << NAV_SHEET_DOWN, NAV_SHEET_UP)},
};
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

static const example rows[] = {
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
    {"world.profile.request.climber", NP_REQUEST, NP_WORLD_PROFILE, 32, &profile_climber},
    {"world.profile.request.boots", NP_REQUEST, NP_WORLD_PROFILE, 32, &profile_boots},
    {"world.profile.request.remove", NP_REQUEST, NP_WORLD_PROFILE, 32, &profile_remove},
    {"world.profile.response", NP_RESPONSE, NP_WORLD_PROFILE, 32, &profile_response},
    {"world.origin.request", NP_REQUEST, NP_WORLD_ORIGIN, 33, &origin_request},
    {"world.origin.response", NP_RESPONSE, NP_WORLD_ORIGIN, 33, &origin_response},
    {"mesh.have.request", NP_REQUEST, NP_MESH_HAVE, 5, &mesh_have_request},
    {"mesh.have.response", NP_RESPONSE, NP_MESH_HAVE, 5, &mesh_have_response},
    {"mesh.have.request.sha256", NP_REQUEST, NP_MESH_HAVE, 5, &mesh_have_sha256},
    {"mesh.have.response.sha256", NP_RESPONSE, NP_MESH_HAVE, 5, &mesh_have_keys},
    {"mesh.put.request", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_request},
    {"mesh.put.request.part", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_part},
    {"mesh.put.request.areas", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_areas},
    {"mesh.put.request.unnamed", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_unnamed},
    {"mesh.put.request.heights", NP_REQUEST, NP_MESH_PUT, 6, &mesh_put_heights},
    {"mesh.put.response.part", NP_RESPONSE, NP_MESH_PUT, 6, &mesh_put_received},
    {"mesh.put.response", NP_RESPONSE, NP_MESH_PUT, 6, &mesh_put_response},
    {"mesh.get.request", NP_REQUEST, NP_MESH_GET, 24, &mesh_get_request},
    {"mesh.get.response", NP_RESPONSE, NP_MESH_GET, 24, &mesh_get_response},
    {"world.edit.request", NP_REQUEST, NP_WORLD_EDIT, 8, &world_edit_request},
    {"world.edit.request.move", NP_REQUEST, NP_WORLD_EDIT, 7, &world_edit_move},
    {"world.edit.request.areas", NP_REQUEST, NP_WORLD_EDIT, 31, &world_edit_areas},
    {"world.edit.request.heights", NP_REQUEST, NP_WORLD_EDIT, 34, &world_edit_heights},
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
    {"ended", NP_NOTIFICATION, NP_ENDED, 0, &ended},
    {"ended.profile", NP_NOTIFICATION, NP_ENDED, 0, &ended_profile},
    {"settings", NP_NOTIFICATION, NP_SETTINGS, 0, &settings_note},
    {"areas", NP_NOTIFICATION, NP_AREAS, 0, &areas_note},
};
const example_list examples_worlds = {rows, COUNT(rows)};
