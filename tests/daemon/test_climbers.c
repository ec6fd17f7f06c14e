// Profiles whose agents stand on walls and ceilings, as clients see them: tiles of every sheet come, are those that the
// generator makes by itself, follow edits and other settings, and survive.
#include "core/base/endian.h"
#include "navcore.h"
#include "tests/daemon/profile_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 7 };

// A room of 12 by 6 by 9 m out of slabs, and a crate in it.
static const float half[INSTANCES][3] = {{7, 0.5f, 5.5f}, {7, 0.5f, 5.5f}, {0.5f, 3, 4.5f}, {0.5f, 3, 4.5f},
                                         {6, 3, 0.5f},    {6, 3, 0.5f},    {1, 1, 1}};
static const float centre[INSTANCES][3] = {{0, -0.5f, 0}, {0, 6.5f, 0}, {-6.5f, 3, 0},  {6.5f, 3, 0},
                                           {0, 3, -5},    {0, 3, 5},    {2.5f, 1, 1.5f}};
static const float moved[3] = {-3, 1, -1.5f};

static nav_settings climber(uint32_t sheets)
{
    nav_settings s;
    nav_settings_default(&s);
    s.cell_size_m = 0.2f;
    s.tile_cells = 16;
    s.agent_radius_m = 0.4f;
    s.agent_height_m = 1;
    s.generator = NAV_GENERATOR_SURFACE;
    s.sheets = sheets;
    s.sheet = nav_sheets_first(sheets);
    return s;
}

static void open_room(uint32_t sheets)
{
    const np_profile p = {.name = np_str_of("climber"), .settings = climber(sheets)};
    const np_world_open_request open = {.name = np_str_of("w"), .create = true, .profile_count = 1, .profiles = &p};
    np_world_open_response r;
    np_error err;
    np_op ops[INSTANCES];
    client_greet(&author);
    nav_status s = client_call(&author, NP_WORLD_OPEN, &open, &r, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(r.profile_count, 1);
    ck_assert_uint_eq(r.profiles[0].settings.sheets, sheets);
    author.world = other.world = r.world;
    for (int i = 0; i < INSTANCES; i++) {
        nav_key slab = client_put_box(&author, half[i][0], half[i][1], half[i][2]);
        ops[i] = op_put((uint64_t)i + 1, slab, centre[i][0], centre[i][1], centre[i][2]);
    }
    ck_assert_int_eq(client_edit(&author, ops, INSTANCES, NULL, &err), NAV_OK);
}

static void move_crate(const float to[3])
{
    const np_op op = op_move(INSTANCES, to[0], to[1], to[2]);
    ck_assert_int_eq(client_edit(&author, &op, 1, NULL, NULL), NAV_OK);
}

typedef struct slab {
    float corners[8][3];
    uint32_t tris[12][3];
} slab;

static slab slab_of(const float h[3])
{
    return (slab){{{-h[0], -h[1], -h[2]},
                   {h[0], -h[1], -h[2]},
                   {h[0], -h[1], h[2]},
                   {-h[0], -h[1], h[2]},
                   {-h[0], h[1], -h[2]},
                   {h[0], h[1], -h[2]},
                   {h[0], h[1], h[2]},
                   {-h[0], h[1], h[2]}},
                  {{4, 7, 6},
                   {4, 6, 5},
                   {0, 1, 2},
                   {0, 2, 3},
                   {0, 4, 5},
                   {0, 5, 1},
                   {1, 5, 6},
                   {1, 6, 2},
                   {2, 6, 7},
                   {2, 7, 3},
                   {3, 7, 4},
                   {3, 4, 0}}};
}

static nav_mesh *slab_mesh(const float h[3])
{
    const slab b = slab_of(h);
    nav_mesh *m;
    ck_assert_int_eq(nav_mesh_create(&b.corners[0][0], 8, &b.tris[0][0], 12, &m), NAV_OK);
    return m;
}

// What a subscriber has of each sheet are exactly the tiles that core makes of the room with the crate there, and a
// sheet that it does not have it has no tile of.
static void must_be_as_core_makes_them(const client *c, uint64_t subscription, const nav_settings *settings,
                                       uint32_t sheets, const float crate[3])
{
    static shown have;
    nav_mesh *meshes[INSTANCES];
    nav_instance room[INSTANCES];
    nav_builder *b;
    nav_buffer bytes = {0};
    size_t found = 0;
    collect_shown(c, subscription, &have);
    ck_assert_int_eq(nav_builder_create(0, &b), NAV_OK);
    for (int i = 0; i < INSTANCES; i++) {
        const float *at = i == INSTANCES - 1 ? crate : centre[i];
        meshes[i] = slab_mesh(half[i]);
        room[i] = (nav_instance){
            .mesh = meshes[i], .area = NAV_AREA_DEFAULT, .transform = {1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]}};
    }
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        int with_ground = 0;
        nav_settings own = *settings;
        own.sheet = (nav_sheet)sheet;
        for (int32_t z = -5; sheets >> sheet & 1 && z <= 5; z++)
            for (int32_t x = -5; x <= 5; x++) {
                const nav_tile_source source = {
                    .settings = &own, .tile_x = x, .tile_z = z, .instance_count = INSTANCES, .instances = room};
                nav_tile_summary sum;
                bytes.size = 0;
                ck_assert_int_eq(nav_builder_build(b, &source, NULL, &sum), NAV_OK);
                if (sum.cells) ck_assert_int_eq(nav_builder_encode_navd(b, &bytes), NAV_OK);
                const seen_tile *t = NULL;
                for (size_t i = 0; i < have.count && !t; i++)
                    if (have.tiles[i].sheet == (nav_sheet)sheet && have.tiles[i].x == x && have.tiles[i].z == z)
                        t = &have.tiles[i];
                with_ground += sum.cells > 0;
                ck_assert_msg(t || !sum.cells, "sheet %s: tile %d, %d is missing", nav_sheet_name(own.sheet), x, z);
                if (!t) continue;
                found++;
                ck_assert_uint_eq(t->size, bytes.size);
                ck_assert(nav_key_equal(t->key, sum.content_key));
                if (bytes.size)
                    ck_assert_msg(nav_key_equal(t->data_key, nav_key_of(bytes.data, bytes.size)),
                                  "sheet %s: tile %d, %d differs", nav_sheet_name(own.sheet), x, z);
            }
        if (sheets >> sheet & 1) ck_assert_int_ge(with_ground, 4);
    }
    ck_assert_uint_eq(found, have.count);
    for (int i = 0; i < INSTANCES; i++) nav_mesh_destroy(meshes[i]);
    nav_builder_destroy(b);
    nav_buffer_deinit(&bytes);
}

static uint64_t subscribe_to(client *c, uint32_t sheets)
{
    const np_tiles_subscribe_request r = {.world = author.world, .profile = np_str_of("climber"), .sheets = sheets};
    np_tiles_subscribe_response out;
    np_error err;
    nav_status s = client_call(c, NP_TILES_SUBSCRIBE, &r, &out, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    return out.subscription;
}

START_TEST(tiles_of_all_sheets_come_and_follow_edits)
{
    nav_settings s = climber(NAV_SHEETS_ALL);
    open_room(NAV_SHEETS_ALL);
    uint64_t sub = subscribe_to(&author, 0);
    client_settle(&author);
    must_be_as_core_makes_them(&author, sub, &s, NAV_SHEETS_ALL, centre[INSTANCES - 1]);
    size_t before = author.tile_count;
    move_crate(moved);
    client_settle(&author);
    uint32_t changed = 0;
    for (size_t i = before; i < author.tile_count; i++) changed |= 1u << author.tiles[i].sheet;
    ck_assert_uint_eq(changed, NAV_SHEETS_ALL);
    must_be_as_core_makes_them(&author, sub, &s, NAV_SHEETS_ALL, moved);
    ck_assert_uint_eq(author.last_synced.subscription, sub);
    await_synced(&author, 2);
    uint64_t synced = author.synced_notes;
    move_crate(centre[INSTANCES - 1]); // from the cache
    uint64_t built = client_stat(&author, "jobs_built");
    client_settle(&author);
    ck_assert_uint_eq(client_stat(&author, "jobs_built"), built);
    must_be_as_core_makes_them(&author, sub, &s, NAV_SHEETS_ALL, centre[INSTANCES - 1]);
    await_synced(&author, 3);
    ck_assert_uint_eq(author.synced_notes, synced + 1); // once, not for each sheet
}
END_TEST

START_TEST(a_subscription_may_ask_for_some_sheets)
{
    static const uint32_t some = 1 << NAV_SHEET_DOWN | 1 << NAV_SHEET_ZMINUS;
    nav_settings s = climber(NAV_SHEETS_ALL);
    np_error err;
    open_room(NAV_SHEETS_ALL);
    uint64_t sub = subscribe_to(&other, some);
    client_settle(&other);
    must_be_as_core_makes_them(&other, sub, &s, some, centre[INSTANCES - 1]);
    s = climber(NAV_SHEETS_UP);
    s.generator = NAV_GENERATOR_VOXEL;
    change(&author, "walker", &s);
    const np_tiles_subscribe_request none = {
        .world = author.world, .profile = np_str_of("walker"), .sheets = some, .encoding = NP_ENCODING_NAVD};
    ck_assert_int_eq(client_call(&other, NP_TILES_SUBSCRIBE, &none, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.message,
                     "sheets: the profile \"walker\" has none of them; leave them out for all that it has");
    const np_tiles_unsubscribe_request over = {.subscription = sub}, part = {.subscription = sub + 1};
    ck_assert_int_eq(client_call(&other, NP_TILES_UNSUBSCRIBE, &part, NULL, &err), NAV_ERR_NOT_FOUND);
    np_none nothing;
    ck_assert_int_eq(client_call(&other, NP_TILES_UNSUBSCRIBE, &over, &nothing, &err), NAV_OK);
    size_t before = other.tile_count;
    move_crate(moved);
    client_settle(&other);
    ck_assert_uint_eq(other.tile_count, before);
}
END_TEST

START_TEST(other_sheets_are_another_grid)
{
    static const uint32_t masks[] = {NAV_SHEETS_ALL, 1 << NAV_SHEET_XPLUS | 1 << NAV_SHEET_XMINUS, NAV_SHEETS_UP,
                                     1 << NAV_SHEET_DOWN, NAV_SHEETS_ALL & ~NAV_SHEETS_UP};
    nav_settings s = climber(NAV_SHEETS_UP | 1 << NAV_SHEET_DOWN);
    open_room(s.sheets);
    uint64_t sub = subscribe_to(&author, 0);
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        client_settle(&author);
        size_t before = author.tile_count;
        uint64_t notes = author.settings_notes;
        s = climber(masks[i]);
        np_world_profile_response r = change(&author, "climber", &s);
        ck_assert_uint_eq(r.grid, r.revision);
        client_settle(&author);
        await_synced(&author, r.revision);
        ck_assert_uint_eq(author.settings_notes, notes + 1);
        ck_assert_uint_eq(author.settings_at, before);
        ck_assert_uint_eq(author.last_settings.subscription, sub);
        ck_assert_uint_eq(author.last_settings.grid, r.grid);
        ck_assert_uint_eq(author.last_settings.settings.sheets, masks[i]);
        must_be_as_core_makes_them(&author, sub, &s, masks[i], centre[INSTANCES - 1]);
    }
    ck_assert_uint_eq(stored_open(&author, "w").profile_count, 1);
    move_crate(moved);
    client_settle(&author);
    must_be_as_core_makes_them(&author, sub, &s, s.sheets, moved);
}
END_TEST

static np_ended_note await_ended(client *c, char reason[64])
{
    np_message m = {0};
    np_ended_note ended;
    np_error err;
    do {
        np_message_deinit(&m);
        m = (np_message){0};
        ck_assert(client_read(c, &m));
    } while (np_method_of(&m) != NP_ENDED);
    ck_assert_int_eq(np_decode_ended_note(&m, &ended, &err), NAV_OK);
    snprintf(reason, 64, "%.*s", (int)ended.reason.size, ended.reason.data);
    np_message_deinit(&m);
    return ended;
}

START_TEST(a_subscription_to_sheets_that_go_ends)
{
    char reason[64];
    nav_settings s = climber(NAV_SHEETS_UP);
    open_room(NAV_SHEETS_ALL);
    uint64_t walls = subscribe_to(&other, 1 << NAV_SHEET_XPLUS | 1 << NAV_SHEET_ZPLUS);
    client_settle(&other);
    change(&author, "climber", &s);
    ck_assert_uint_eq(await_ended(&other, reason).subscription, walls);
    ck_assert_str_eq(reason, "sheets removed");
    uint64_t floors = subscribe_to(&other, 0);
    take_away(&author, "climber");
    ck_assert_uint_eq(await_ended(&other, reason).subscription, floors);
    ck_assert_str_eq(reason, "profile removed");
    while (client_stat(&author, "tiles")) continue; // they are freed in the turns that follow
}
END_TEST

START_TEST(tiles_get_and_why_name_the_sheet)
{
    static shown have;
    np_tiles_get_response got;
    np_tiles_why_response why;
    np_error err;
    open_room(NAV_SHEETS_ALL & ~(1 << NAV_SHEET_DOWN));
    uint64_t sub = subscribe_to(&author, 0);
    client_settle(&author);
    collect_shown(&author, sub, &have);
    np_tile_xz *places = calloc(have.count, sizeof *places);
    for (size_t i = 0; i < have.count; i++)
        places[i] = (np_tile_xz){have.tiles[i].x, have.tiles[i].z, have.tiles[i].sheet};
    np_tiles_get_request get = {
        .world = author.world, .profile = np_str_of("climber"), .tile_count = (uint32_t)have.count, .tiles = places};
    ck_assert_int_eq(client_call(&author, NP_TILES_GET, &get, &got, &err), NAV_OK);
    ck_assert_uint_eq(got.tile_count, have.count);
    for (size_t i = 0; i < have.count; i++) {
        ck_assert_int_eq(got.tiles[i].sheet, have.tiles[i].sheet);
        ck_assert(nav_key_equal(got.tiles[i].key, have.tiles[i].key));
    }
    places[0].sheet = NAV_SHEET_DOWN;
    ck_assert_int_eq(client_call(&author, NP_TILES_GET, &get, &got, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.message, "the profile \"climber\" has no sheet down");
    const np_tiles_why_request ask = {.world = author.world, .profile = np_str_of("climber"), .sheet = NAV_SHEET_ZPLUS};
    ck_assert_int_eq(client_call(&author, NP_TILES_WHY, &ask, &why, &err), NAV_OK);
    ck_assert_int_eq(why.status, NP_TILE_OK);
    free(places);
}
END_TEST

START_TEST(tiles_build_makes_the_sheet_that_is_asked_for)
{
    nav_mesh *m = slab_mesh(half[INSTANCES - 1]);
    const slab shape = slab_of(half[INSTANCES - 1]);
    np_tiles_build_request r = {.settings = climber(NAV_SHEETS_ALL),
                                .sheet = NAV_SHEET_XMINUS,
                                .first = {-1, -1},
                                .last = {0, 0},
                                .area = NAV_AREA_DEFAULT,
                                .vertices = {(const uint8_t *)shape.corners, sizeof shape.corners},
                                .indices = {(const uint8_t *)shape.tris, sizeof shape.tris}};
    np_tiles_build_response out;
    np_error err;
    client_greet(&author);
    nav_status s = client_call(&author, NP_TILES_BUILD, &r, &out, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    nav_instance crate = {.mesh = m, .area = NAV_AREA_DEFAULT, .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    nav_settings own = r.settings;
    own.sheet = NAV_SHEET_XMINUS;
    nav_builder *b;
    ck_assert_int_eq(nav_builder_create(0, &b), NAV_OK);
    ck_assert_uint_eq(out.tile_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const np_tile *t = &out.tiles[i];
        const nav_tile_source source = {
            .settings = &own, .tile_x = t->x, .tile_z = t->z, .instance_count = 1, .instances = &crate};
        nav_tile_summary sum;
        ck_assert_int_eq(nav_builder_build(b, &source, NULL, &sum), NAV_OK);
        ck_assert_int_eq(t->sheet, NAV_SHEET_XMINUS);
        ck_assert(nav_key_equal(t->key, sum.content_key));
        ck_assert_int_eq(t->status, sum.cells ? NP_TILE_OK : NP_TILE_EMPTY);
    }
    r.settings = climber(NAV_SHEETS_UP);
    ck_assert_int_eq(client_call(&author, NP_TILES_BUILD, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "sheet: \"x-\" is not one of the settings' sheets"), "%s", err.message);
    nav_builder_destroy(b);
    nav_mesh_destroy(m);
}
END_TEST

static np_path_find_response find(const np_path_query *queries, uint32_t count)
{
    const np_path_find_request r = {.world = author.world,
                                    .profile = np_str_of("climber"),
                                    .near_m = 0.5,
                                    .query_count = count,
                                    .queries = queries};
    np_path_find_response out;
    np_error err;
    nav_status s = client_call(&author, NP_PATH_FIND, &r, &out, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(out.path_count, count);
    return out;
}

// From the middle of the floor straight up a wall and over the ceiling to its middle, and from a side of the crate to
// its top. Where inner and outer edges may not be crossed, neither.
START_TEST(paths_lead_over_walls_and_follow_edits)
{
    static const np_path_query queries[] = {{{-2, 0, 3}, {-2, 6, 3}}, {{2.5, 0, 4}, {2.5, 2, 1.5}}};
    static const char up = NAV_SHEET_UP, down = NAV_SHEET_DOWN;
    nav_settings s = climber(NAV_SHEETS_ALL);
    open_room(NAV_SHEETS_ALL);
    client_settle(&author);
    np_path_find_response r = find(queries, 2);
    const np_path_result *p = &r.paths[0];
    ck_assert_int_eq(p->status, NAV_PATH_FOUND);
    ck_assert_uint_eq(r.open_tiles, 0);
    ck_assert_double_gt(p->length_m, 8.5); // up the nearest wall: 1.5 + 6 + 1.5, less what both corners save
    ck_assert_double_lt(p->length_m, 9.01);
    ck_assert_uint_eq(p->normals.size, p->points.size);
    ck_assert_uint_eq(p->sheets.size * NP_PATH_POINT_BYTES, p->points.size);
    ck_assert_mem_eq(p->sheets.data, &up, 1);
    ck_assert_mem_eq(p->sheets.data + p->sheets.size - 1, &down, 1);
    uint32_t sheets = 0;
    for (uint32_t i = 0; i < p->sheets.size; i++) sheets |= 1u << p->sheets.data[i];
    ck_assert_uint_eq(sheets, NAV_SHEETS_UP | 1u << NAV_SHEET_DOWN | 1u << NAV_SHEET_ZMINUS);
    ck_assert(nav_load_f32(p->normals.data + 4) == 1);
    p = &r.paths[1];
    ck_assert_int_eq(p->status, NAV_PATH_FOUND);
    ck_assert_double_gt(p->length_m, 4);
    ck_assert_double_lt(p->length_m, 5);

    move_crate(moved);
    client_settle(&author);
    r = find(queries, 2);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_int_eq(r.paths[1].status, NAV_PATH_NO_GOAL); // the crate is not there any more
    ck_assert_uint_eq(r.revision, 2);

    s.seam_inner_deg = 0;
    change(&author, "climber", &s);
    client_settle(&author);
    ck_assert_int_eq(find(queries, 1).paths[0].status, NAV_PATH_PARTIAL);

    np_path_find_request wide = {
        .world = author.world, .profile = np_str_of("climber"), .near_m = 1, .radius_m = 2, .query_count = 1};
    np_error err;
    wide.queries = queries;
    ck_assert_int_eq(client_call(&author, NP_PATH_FIND, &wide, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.message,
                     "radius_m: \"climber\" has sheets other than up, and over these there is no radius_m: "
                     "leave it out");
}
END_TEST

START_TEST(what_is_for_floors_alone_is_refused_with_words)
{
    np_error err;
    open_room(NAV_SHEETS_ALL);
    const np_seed seed = {{0, 0, 0}};
    const np_op reach = {.kind = NP_OP_SET_REACH,
                         .u.reach = {.unreachable = NAV_UNREACHABLE_DROP, .seed_count = 1, .seeds = &seed}};
    ck_assert_int_eq(client_edit(&author, &reach, 1, NULL, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, "leave out seeds and island_min_area_m2"), "%s", err.message);
    const np_path_audit_request audit = {.world = author.world, .profile = np_str_of("climber"), .pairs = 10};
    ck_assert_int_eq(client_call(&author, NP_PATH_AUDIT, &audit, NULL, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, "\"climber\" has sheets other than up"), "%s", err.message);
}
END_TEST

// --- a daemon that keeps its worlds ---

static void stored_begin(void)
{
    stored_setup();
    stored_start(&daemon_, &author);
    client_connect(&other, &daemon_);
    client_greet(&other);
}

static void stored_end(void)
{
    client_close(&other);
    stored_stop(&daemon_, &author);
    stored_teardown();
}

START_TEST(a_world_with_sheets_survives_and_a_subscription_goes_on)
{
    static shown had;
    nav_settings s = climber(NAV_SHEETS_ALL);
    open_room(NAV_SHEETS_ALL);
    uint64_t sub = subscribe_to(&author, 0);
    client_settle(&author);
    move_crate(moved);
    client_settle(&author);
    await_synced(&author, 2);
    const uint64_t since = author.last_synced.revision, world = author.world;
    collect_shown(&author, sub, &had);
    client_close(&other);
    stored_stop(&daemon_, &author);

    stored_start(&daemon_, &author);
    client_connect(&other, &daemon_);
    client_greet(&author);
    client_greet(&other);
    np_world_open_response opened = stored_open(&author, "w");
    ck_assert_uint_eq(opened.world, world);
    ck_assert_uint_eq(opened.profile_count, 1);
    ck_assert_uint_eq(opened.profiles[0].settings.sheets, NAV_SHEETS_ALL);
    // The same profile again is known.
    const np_profile p = {.name = np_str_of("climber"), .settings = s};
    const np_world_open_request again = {.name = np_str_of("w"), .profile_count = 1, .profiles = &p};
    np_error err;
    nav_status status = client_call(&author, NP_WORLD_OPEN, &again, &opened, &err);
    ck_assert_msg(status == NAV_OK, "%s", err.message);

    // One tile of each sheet is not what the client says it has: those come, and no other.
    np_known_tile known[NAV_SHEET_COUNT];
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        const seen_tile *t = had.tiles;
        while (t->sheet != (nav_sheet)sheet || t->status != NP_TILE_OK) t++;
        known[sheet] = (np_known_tile){t->x, t->z, {1, 2}, t->sheet};
    }
    const np_tiles_subscribe_request resume = {.world = author.world,
                                               .profile = np_str_of("climber"),
                                               .has_since = true,
                                               .since = since,
                                               .known_count = NAV_SHEET_COUNT,
                                               .known = known};
    np_tiles_subscribe_response resumed;
    ck_assert_int_eq(client_call(&other, NP_TILES_SUBSCRIBE, &resume, &resumed, &err), NAV_OK);
    ck_assert(resumed.resumed);
    other.world = author.world;
    client_settle(&other);
    await_synced(&other, since);
    ck_assert_uint_eq(other.tile_count, NAV_SHEET_COUNT);
    uint32_t came = 0;
    for (size_t i = 0; i < other.tile_count; i++) came |= 1u << other.tiles[i].sheet;
    ck_assert_uint_eq(came, NAV_SHEETS_ALL);

    sub = subscribe_to(&author, 0);
    client_settle(&author);
    must_be_as_core_makes_them(&author, sub, &s, NAV_SHEETS_ALL, moved);
    ck_assert_uint_eq(client_stat(&author, "jobs_built"), 0);
    move_crate(centre[INSTANCES - 1]);
    client_settle(&author);
    must_be_as_core_makes_them(&author, sub, &s, NAV_SHEETS_ALL, centre[INSTANCES - 1]);
}
END_TEST

START_TEST(sheets_that_changed_survive)
{
    nav_settings s = climber(NAV_SHEETS_ALL & ~NAV_SHEETS_UP);
    open_room(NAV_SHEETS_UP | 1 << NAV_SHEET_XPLUS);
    client_settle(&author);
    uint64_t grid = change(&author, "climber", &s).grid;
    client_settle(&author);
    client_close(&other);
    stored_stop(&daemon_, &author);
    stored_start(&daemon_, &author);
    client_connect(&other, &daemon_);
    client_greet(&author);
    np_world_open_response opened = stored_open(&author, "w");
    ck_assert_uint_eq(opened.profile_count, 1);
    ck_assert_uint_eq(opened.profiles[0].grid, grid);
    ck_assert_uint_eq(opened.profiles[0].settings.sheets, s.sheets);
    uint64_t sub = subscribe_to(&author, 0);
    client_settle(&author);
    must_be_as_core_makes_them(&author, sub, &s, s.sheets, centre[INSTANCES - 1]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("climbers");
    TCase *t = tcase_create("climbers"), *stored = tcase_create("stored");
    tcase_add_checked_fixture(t, profile_start, profile_stop);
    tcase_add_checked_fixture(stored, stored_begin, stored_end);
    suite_add_tcase(s, t);
    suite_add_tcase(s, stored);
    tcase_add_test(t, tiles_of_all_sheets_come_and_follow_edits);
    tcase_add_test(t, a_subscription_may_ask_for_some_sheets);
    tcase_add_test(t, other_sheets_are_another_grid);
    tcase_add_test(t, a_subscription_to_sheets_that_go_ends);
    tcase_add_test(t, tiles_get_and_why_name_the_sheet);
    tcase_add_test(t, tiles_build_makes_the_sheet_that_is_asked_for);
    tcase_add_test(t, paths_lead_over_walls_and_follow_edits);
    tcase_add_test(t, what_is_for_floors_alone_is_refused_with_words);
    tcase_add_test(stored, a_world_with_sheets_survives_and_a_subscription_goes_on);
    tcase_add_test(stored, sheets_that_changed_survive);
    return run_suite(s);
}
