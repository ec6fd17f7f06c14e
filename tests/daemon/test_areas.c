// Areas of triangles through the daemon: sent with their mesh, read back, kept on disk, and in the tiles.
#include "core/geometry/mesh.h"
#include "tests/check.h"
#include "tests/daemon/stored.h"

#include <string.h>

enum { VERTICES = 8, TRIANGLES = 4, BYTES = 12 * (VERTICES + TRIANGLES) + TRIANGLES, WORDS = BYTES - TRIANGLES };

// Two squares of 4 m beside each other, two triangles each.
static const float verts[VERTICES][3] = {{0, 0, 0}, {0, 0, 4}, {4, 0, 4}, {4, 0, 0},
                                         {4, 0, 0}, {4, 0, 4}, {8, 0, 4}, {8, 0, 0}};
static const uint32_t tris[TRIANGLES][3] = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
static const uint8_t grass_and_road[TRIANGLES] = {NAV_AREA_INHERIT, NAV_AREA_INHERIT, 7, 7};

static daemon_fixture daemon_;
static client a;

static void setup(void)
{
    stored_setup();
    stored_start(&daemon_, &a);
    client_open(&a);
}

static void teardown(void)
{
    stored_stop(&daemon_, &a);
    stored_teardown();
}

// areas: NULL for none. bytes: BYTES of them, which the request borrows.
static np_mesh_put_request put_of(const uint8_t *areas, uint32_t first, uint32_t count, uint8_t *bytes)
{
    memcpy(bytes, verts, sizeof verts);
    memcpy(bytes + sizeof verts, tris[first], 12 * (size_t)count);
    if (areas) memcpy(bytes + sizeof verts + 12 * (size_t)count, areas, count);
    return (np_mesh_put_request){
        .hash = nav_mesh_hash_with_areas(verts[0], VERTICES, tris[first], count, areas),
        .vertices = VERTICES,
        .triangles = count,
        .areas = areas != NULL,
        .data = {bytes, (uint32_t)np_mesh_bytes(VERTICES, count, areas != NULL)},
    };
}

static nav_key send_mesh(const uint8_t *areas, uint32_t first, uint32_t count)
{
    uint8_t bytes[BYTES];
    np_mesh_put_response r;
    const np_mesh_put_request put = put_of(areas, first, count, bytes);
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, NULL), NAV_OK);
    ck_assert(r.complete && r.received == put.data.size);
    return put.hash;
}

// The tile (0, 0) with these objects in the world.
static seen_tile tile_with(const np_op *ops, uint32_t count)
{
    size_t before = a.tile_count;
    ck_assert_int_eq(client_edit(&a, ops, count, NULL, NULL), NAV_OK);
    client_settle(&a);
    const seen_tile *t = client_last_tile(&a, 0, 0, before);
    ck_assert(t && t->status == NP_TILE_OK && t->data_good);
    return *t;
}

START_TEST(a_mesh_with_areas_makes_the_tile_of_a_mesh_for_each)
{
    const nav_key whole = send_mesh(grass_and_road, 0, 4), plain = send_mesh(NULL, 0, 4);
    const nav_key left = send_mesh(NULL, 0, 2), right = send_mesh(NULL, 2, 2);
    ck_assert(!nav_key_equal(whole, plain));
    client_subscribe(&a, NP_ENCODING_DETOUR);
    np_op one = op_put(1, plain, 0, 0, 0), two[2] = {op_put(1, left, 0, 0, 0), op_put(2, right, 0, 0, 0)};
    const seen_tile without = tile_with(&one, 1);
    two[0].u.instance.area = 5;
    two[1].u.instance.area = 7;
    const seen_tile parts = tile_with(two, 2);
    const np_op change[2] = {op_remove(2),
                             {.kind = NP_OP_PUT_INSTANCE,
                              .id = 1,
                              .u.instance = {.mesh = whole, .transform = NAV_TRANSFORM_IDENTITY, .area = 5}}};
    one = change[1];
    size_t before = a.tile_count;
    ck_assert_int_eq(client_edit(&a, change, 2, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_ptr_null(client_last_tile(&a, 0, 0, before)); // the same tile is not sent again
    one.u.instance.area = 6;
    const seen_tile other = tile_with(&one, 1);
    one.u.instance.area = 5;
    const seen_tile again = tile_with(&one, 1);
    ck_assert(!nav_key_equal(without.data_key, parts.data_key));
    ck_assert(!nav_key_equal(other.data_key, parts.data_key));
    ck_assert(nav_key_equal(again.data_key, parts.data_key));
}
END_TEST

static void check_kept(nav_key hash)
{
    uint8_t bytes[BYTES];
    np_mesh_get_response r;
    nav_status s;
    (void)put_of(grass_and_road, 0, 4, bytes);
    while ((s = client_call(&a, NP_MESH_GET, &(np_mesh_get_request){.hash = hash}, &r, NULL)) == NAV_ERR_AGAIN)
        continue;
    ck_assert_int_eq(s, NAV_OK);
    ck_assert(r.areas && r.vertices == VERTICES && r.triangles == TRIANGLES);
    ck_assert_uint_eq(r.data.size, BYTES);
    ck_assert_mem_eq(r.data.data, bytes, BYTES);
}

START_TEST(areas_are_read_back_also_after_a_restart)
{
    const nav_key hash = send_mesh(grass_and_road, 0, 4), plain = send_mesh(NULL, 0, 4);
    np_mesh_get_response r;
    np_op op = op_put(1, hash, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, NULL), NAV_OK);
    check_kept(hash);
    ck_assert_int_eq(client_call(&a, NP_MESH_GET, &(np_mesh_get_request){.hash = plain}, &r, NULL), NAV_OK);
    ck_assert(!r.areas && r.data.size == WORDS);
    client_subscribe(&a, NP_ENCODING_DETOUR);
    op.u.instance.area = 5;
    const seen_tile first = tile_with(&op, 1);

    stored_stop(&daemon_, &a);
    stored_start(&daemon_, &a);
    client_greet(&a);
    (void)stored_open(&a, "w");
    check_kept(hash);
    client_subscribe(&a, NP_ENCODING_DETOUR);
    op.u.instance.area = 6; // made anew, from the mesh that came from the disk
    ck_assert(!nav_key_equal(tile_with(&op, 1).data_key, first.data_key));
    op.u.instance.area = 5;
    ck_assert(nav_key_equal(tile_with(&op, 1).data_key, first.data_key));
}
END_TEST

START_TEST(tiles_build_takes_areas)
{
    static const uint8_t some[TRIANGLES] = {NAV_AREA_INHERIT, NAV_AREA_INHERIT, 7, 0};
    uint8_t bytes[BYTES];
    np_tiles_build_response r;
    nav_key keys[2];
    (void)put_of(NULL, 0, 4, bytes);
    np_tiles_build_request build = {.area = 5,
                                    .vertices = {bytes, sizeof verts},
                                    .indices = {bytes + sizeof verts, sizeof tris},
                                    .areas = {grass_and_road, TRIANGLES}};
    nav_settings_default(&build.settings);
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.tile_count, 1);
    keys[0] = r.tiles[0].key;
    build.areas.data = some;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &r, NULL), NAV_OK);
    keys[1] = r.tiles[0].key;
    build.areas.size = 0;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &r, NULL), NAV_OK);
    ck_assert(!nav_key_equal(keys[0], keys[1]) && !nav_key_equal(keys[0], r.tiles[0].key));
}
END_TEST

START_TEST(an_area_that_no_triangle_may_have_is_named)
{
    static const uint8_t wrong[TRIANGLES] = {1, 63, 64, 255};
    uint8_t bytes[BYTES];
    np_mesh_put_response r;
    np_tiles_build_response built;
    np_error err;
    np_mesh_put_request put = put_of(wrong, 0, 4, bytes);
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.message, "triangle 2 has the area 64, expected 0 to 63, or 255 for the area of the instance");
    np_tiles_build_request build = {.area = 5,
                                    .vertices = {bytes, sizeof verts},
                                    .indices = {bytes + sizeof verts, sizeof tris},
                                    .areas = {wrong, TRIANGLES}};
    nav_settings_default(&build.settings);
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &built, &err), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "triangle 2 has the area 64"));
    build.areas.size = 3;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &built, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.message, "areas: 3 bytes, expected one for each of the 4 triangles");

    put = put_of(grass_and_road, 0, 4, bytes);
    bytes[BYTES - 1] = 8; // another mesh than the hash says
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &r, &err), NAV_ERR_ARGUMENT);
}
END_TEST

// --- the table ---

static np_world_areas_response set_areas(const np_area *list, uint32_t count, bool replace)
{
    const np_world_areas_request r = {
        .world = a.world, .has_areas = true, .area_count = count, .areas = list, .replace = replace};
    np_world_areas_response out;
    ck_assert_int_eq(client_call(&a, NP_WORLD_AREAS, &r, &out, NULL), NAV_OK);
    return out;
}

static np_world_areas_response ask_areas(void)
{
    np_world_areas_response out;
    const np_world_areas_request r = {.world = a.world};
    ck_assert_int_eq(client_call(&a, NP_WORLD_AREAS, &r, &out, NULL), NAV_OK);
    return out;
}

#define NAMED(number, text, price)                                                                                     \
    {                                                                                                                  \
        .id = (number), .name = {(text), sizeof(text) - 1}, .cost = (price), .walkable = true                          \
    }

START_TEST(names_and_costs_build_nothing_and_outlive_the_daemon)
{
    const np_area first[2] = {NAMED(7, "road", 0.5f), NAMED(5, "grass", 2)};
    np_area water = NAMED(7, "water", 10);
    water.has_color = true;
    water.color = 0x3366cc;
    np_op op = op_put(1, send_mesh(grass_and_road, 0, 4), 0, 0, 0);
    client_subscribe(&a, NP_ENCODING_DETOUR);
    const uint64_t before = tile_with(&op, 1).revision;
    const size_t tiles = a.tile_count;
    np_world_areas_response r = set_areas(first, 2, false);
    ck_assert(r.area_count == 2 && r.areas[0].id == 5 && r.areas[1].id == 7);
    ck_assert(r.revision == before + 1 && r.dirty_tiles == 0 && r.durable);
    r = set_areas(&water, 1, false); // 5 stays
    ck_assert(r.area_count == 2 && r.areas[1].cost == 10 && r.areas[1].color == 0x3366cc);
    client_settle(&a);
    ck_assert_uint_eq(a.tile_count, tiles);

    stored_stop(&daemon_, &a);
    stored_start(&daemon_, &a);
    client_greet(&a);
    const np_world_open_response opened = stored_open(&a, "w");
    ck_assert_uint_eq(opened.area_count, 2);
    ck_assert(opened.areas[1].name.size == 5 && !memcmp(opened.areas[1].name.data, "water", 5));
    r = ask_areas();
    ck_assert(r.area_count == 2 && r.areas[0].cost == 2 && r.areas[1].has_color && !r.areas[1].has_flags);
    r = set_areas(&first[1], 1, true);
    ck_assert(r.area_count == 1 && r.areas[0].id == 5);
    ck_assert_uint_eq(set_areas(NULL, 0, true).area_count, 0);
}
END_TEST

START_TEST(flags_and_walkable_make_the_tiles_of_such_a_profile)
{
    const nav_key hash = send_mesh(grass_and_road, 0, 4);
    np_op op = op_put(1, hash, 0, 0, 0);
    client_subscribe(&a, NP_ENCODING_DETOUR);
    const seen_tile plain = tile_with(&op, 1);
    np_area road = NAMED(7, "road", 1);
    road.has_flags = true;
    road.flags = 6;
    size_t from = a.tile_count;
    ck_assert_uint_gt(set_areas(&road, 1, false).dirty_tiles, 0);
    client_settle(&a);
    const seen_tile *t = client_last_tile(&a, 0, 0, from);
    ck_assert(t && t->status == NP_TILE_OK);
    const seen_tile flagged = *t;
    road.walkable = false;
    from = a.tile_count;
    set_areas(&road, 1, false);
    client_settle(&a);
    t = client_last_tile(&a, 0, 0, from);
    ck_assert(t && t->status == NP_TILE_OK);
    const seen_tile closed = *t;
    from = a.tile_count;
    set_areas(NULL, 0, true);
    client_settle(&a);
    t = client_last_tile(&a, 0, 0, from);
    ck_assert(t && nav_key_equal(t->data_key, plain.data_key) && t->made_us == 0); // from the cache
    ck_assert(!nav_key_equal(flagged.data_key, plain.data_key) && !nav_key_equal(closed.data_key, plain.data_key) &&
              !nav_key_equal(closed.data_key, flagged.data_key));

    // Profiles that say the same by themselves, in a world without a table.
    np_profile profiles[2] = {{.name = np_str_of("flagged")}, {.name = np_str_of("closed")}};
    for (int i = 0; i < 2; i++) {
        nav_settings_default(&profiles[i].settings);
        profiles[i].settings.tile_cells = 16;
        profiles[i].settings.area_flags[7] = 6;
    }
    profiles[1].settings.walkable_areas &= ~(UINT64_C(1) << 7);
    const np_world_open_request open = {.name = np_str_of("w"), .profile_count = 2, .profiles = profiles};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    client_settle(&a);
    static const np_tile_xz place = {0, 0, NAV_SHEET_UP};
    for (int i = 0; i < 2; i++) {
        np_tiles_get_request get = {.world = a.world,
                                    .profile = profiles[i].name,
                                    .encoding = NP_ENCODING_DETOUR,
                                    .tile_count = 1,
                                    .tiles = &place};
        np_tiles_get_response got;
        ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK);
        ck_assert(nav_key_equal(got.tiles[0].key, i ? closed.key : flagged.key));
    }
}
END_TEST

START_TEST(subscriptions_hear_of_the_table)
{
    np_area grass = NAMED(5, "grass", 2);
    set_areas(&grass, 1, false);
    const uint64_t sub = client_subscribe(&a, NP_ENCODING_NAVD);
    np_message m = {0};
    np_areas_note note;
    for (float cost = 2; cost <= 3; cost++) {
        do {
            np_message_deinit(&m);
            m = (np_message){0};
            ck_assert(client_read(&a, &m));
        } while (np_method_of(&m) != NP_AREAS);
        ck_assert_int_eq(np_decode_areas_note(&m, &note, NULL), NAV_OK);
        ck_assert(note.subscription == sub && note.world == a.world && note.area_count == 1);
        ck_assert_float_eq(note.areas[0].cost, cost);
        grass.cost = 3;
        const np_world_areas_request r = {.world = a.world, .has_areas = true, .area_count = 1, .areas = &grass};
        (void)client_send(&a, NP_WORLD_AREAS, &r);
    }
    np_message_deinit(&m);
}
END_TEST

START_TEST(a_wrong_table_is_refused_with_what_is_wrong)
{
    np_area two[2] = {NAMED(5, "grass", 2), NAMED(5, "road", 1)};
    np_world_areas_request r = {.world = a.world, .has_areas = true, .area_count = 2, .areas = two};
    np_world_areas_response out;
    np_error err;
    ck_assert_int_eq(client_call(&a, NP_WORLD_AREAS, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "areas[1].id: 5 is in the list already"));
    two[1] = (np_area){.id = 0, .cost = 1, .walkable = true};
    ck_assert_int_eq(client_call(&a, NP_WORLD_AREAS, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "id: 0"));
    two[1] = (np_area){.id = 6, .cost = 0, .walkable = true};
    ck_assert_int_eq(client_call(&a, NP_WORLD_AREAS, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "cost: 0"));
    ck_assert_uint_eq(ask_areas().area_count, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("areas");
    TCase *t = tcase_create("areas");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_mesh_with_areas_makes_the_tile_of_a_mesh_for_each);
    tcase_add_test(t, areas_are_read_back_also_after_a_restart);
    tcase_add_test(t, tiles_build_takes_areas);
    tcase_add_test(t, an_area_that_no_triangle_may_have_is_named);
    tcase_add_test(t, names_and_costs_build_nothing_and_outlive_the_daemon);
    tcase_add_test(t, flags_and_walkable_make_the_tiles_of_such_a_profile);
    tcase_add_test(t, subscriptions_hear_of_the_table);
    tcase_add_test(t, a_wrong_table_is_refused_with_what_is_wrong);
    return run_suite(s);
}
