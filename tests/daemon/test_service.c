#include "protocol/dictionary.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"

#include <string.h>

static daemon_fixture daemon_;
static client a;

static void start(void)
{
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

// A floor of 24 x 24 m around the origin and a small box on it: 36 tiles of 4.8 m touch it, and more by padding.
static void put_scene(client *c)
{
    nav_key floor = client_put_box(c, 12, 0.5f, 12), box = client_put_box(c, 0.5f, 1, 0.5f);
    np_op ops[] = {op_put(1, floor, 0, 0, 0), op_put(2, box, 2, 1, 2)};
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(c, ops, 2, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.revision, 1);
    ck_assert_uint_ge(r.dirty_tiles, 36);
    ck_assert(!r.durable); // it keeps nothing on disk
}

START_TEST(a_scene_becomes_tiles_that_unpack)
{
    client_open(&a);
    uint64_t sub = client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    ck_assert_uint_ge(a.tile_count, 36);
    size_t ok = 0;
    for (size_t i = 0; i < a.tile_count; i++) {
        ck_assert_uint_eq(a.tiles[i].subscription, sub);
        ck_assert_uint_eq(a.tiles[i].revision, 1);
        ck_assert(a.tiles[i].data_good);
        ok += a.tiles[i].status == NP_TILE_OK;
    }
    ck_assert_uint_ge(ok, 25);
    ck_assert_int_eq(client_last_tile(&a, 0, 0, 0)->status, NP_TILE_OK);
}
END_TEST

// How often a tile was sent since `from`.
static size_t count_tile(const client *c, int32_t x, int32_t z, size_t from)
{
    size_t n = 0;
    for (size_t i = from; i < c->tile_count; i++) n += c->tiles[i].x == x && c->tiles[i].z == z;
    return n;
}

START_TEST(a_move_sends_only_tiles_around_its_old_and_new_place)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    size_t before = a.tile_count;
    np_op move = op_move(2, -7, 1, -7);
    ck_assert_int_eq(client_edit(&a, &move, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_gt(a.tile_count, before);
    ck_assert_uint_le(a.tile_count - before, 18);
    for (size_t i = before; i < a.tile_count; i++) {
        const seen_tile *t = &a.tiles[i];
        ck_assert_uint_eq(t->revision, 2);
        ck_assert(t->data_good);
        bool near_old = t->x >= -1 && t->x <= 1 && t->z >= -1 && t->z <= 1;
        bool near_new = t->x >= -3 && t->x <= 0 && t->z >= -3 && t->z <= 0;
        ck_assert_msg(near_old || near_new, "tile %d %d", t->x, t->z);
    }
}
END_TEST

START_TEST(an_undo_is_answered_by_the_cache)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    const seen_tile first = *client_last_tile(&a, 0, 0, 0);
    np_op move = op_move(2, -7, 1, -7), back = op_move(2, 2, 1, 2);
    ck_assert_int_eq(client_edit(&a, &move, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    uint64_t built = client_stat(&a, "jobs_built"), hits = client_stat(&a, "cache_hits");
    size_t before = a.tile_count;
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&a, &back, 1, &r, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built);
    ck_assert_uint_eq(client_stat(&a, "cache_hits"), hits + r.dirty_tiles);
    const seen_tile *again = client_last_tile(&a, 0, 0, before);
    ck_assert_ptr_nonnull(again);
    ck_assert(nav_key_equal(again->key, first.key));
    ck_assert_uint_eq(again->revision, 3);
    ck_assert_uint_eq(again->made_us, 0);
}
END_TEST

START_TEST(output_that_equals_what_was_sent_is_not_sent_again)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    size_t before = a.tile_count;
    uint64_t built = client_stat(&a, "jobs_built");
    np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {{-100, -100}, {100, 100}}};
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&a, &dirty, 1, &r, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built + r.dirty_tiles); // made again
    ck_assert_uint_eq(a.tile_count, before);
    // Two chips far apart: their instance's bounds cover the tiles between, their triangles do not. Another source, the
    // same content.
    const float verts[18] = {0, 9, 0, 0.5f, 9, 0, 0, 9, 0.5f, 20, 9, 0, 20.5f, 9, 0, 20, 9, 0.5f};
    const uint32_t tris[6] = {0, 2, 1, 3, 5, 4};
    uint8_t bytes[96];
    memcpy(bytes, verts, 72);
    memcpy(bytes + 72, tris, 24);
    np_mesh_put_request put = {nav_mesh_hash(verts, 6, tris, 2), 6, 2, false, 0, {bytes, sizeof bytes}, 0};
    np_mesh_put_response done;
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &done, NULL), NAV_OK);
    np_op chips = op_put(7, put.hash, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &chips, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_eq(count_tile(&a, 0, 0, before), 1);
    ck_assert_uint_eq(count_tile(&a, 2, 0, before), 0);
    ck_assert_uint_ge(client_stat(&a, "jobs_same_content"), 1);
}
END_TEST

START_TEST(tiles_without_geometry_are_removed_and_unwalkable_ones_are_empty)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key floor = client_put_box(&a, 2, 0.5f, 2);
    np_op put = op_put(1, floor, 2.4f, 0, 2.4f), remove = op_remove(1);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_int_eq(client_last_tile(&a, 0, 0, 0)->status, NP_TILE_OK);
    put.u.instance.area = NAV_AREA_NONE;
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    const seen_tile *t = client_last_tile(&a, 0, 0, 0);
    ck_assert_int_eq(t->status, NP_TILE_EMPTY);
    ck_assert_uint_eq(t->data_bytes, 0);
    ck_assert_int_eq(client_edit(&a, &remove, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    t = client_last_tile(&a, 0, 0, 0);
    ck_assert_int_eq(t->status, NP_TILE_REMOVED);
    ck_assert_uint_eq(t->revision, 3);
    ck_assert_uint_eq(client_stat(&a, "tiles"), 0);
}
END_TEST

START_TEST(an_edit_may_have_as_many_operations_as_hello_says)
{
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION};
    np_hello_response answer;
    np_error err = {0};
    client_open(&a);
    client more;
    client_connect(&more, &daemon_);
    ck_assert_int_eq(client_call(&more, NP_HELLO, &hello, &answer, NULL), NAV_OK);
    uint32_t count = answer.limits.edit_ops;
    np_op *ops = calloc(count, sizeof *ops);
    ck_assert(count >= 1000 && ops);
    for (uint32_t i = 0; i < count; i++) ops[i].kind = NP_OP_DIRTY;
    ck_assert_msg(client_edit(&a, ops, count, NULL, &err) == NAV_OK, "%u: %s", count, err.message);
    free(ops);
    client_close(&more);
}
END_TEST

START_TEST(the_newest_edit_wins_and_no_tile_goes_back)
{
    enum { EDITS = 200 };
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    for (uint32_t i = 0; i < EDITS; i++) { // all in flight at once
        np_op move = op_move(2, (float)(i % 20) - 10, 1, (float)(i / 20) - 5);
        np_world_edit_request edit = {.world = a.world, .op_count = 1, .ops = &move};
        (void)client_send(&a, NP_WORLD_EDIT, &edit);
    }
    np_jobs_wait_request wait = {.world = a.world};
    uint32_t last = client_send(&a, NP_JOBS_WAIT, &wait);
    for (np_message m = {0};;) {
        np_message_deinit(&m);
        ck_assert(client_read(&a, &m));
        bool done = m.kind == NP_RESPONSE && m.id == last;
        if (done) np_message_deinit(&m);
        if (done) break;
    }
    for (size_t i = 0; i < a.tile_count; i++)
        for (size_t k = 0; k < i; k++)
            if (a.tiles[i].x == a.tiles[k].x && a.tiles[i].z == a.tiles[k].z &&
                a.tiles[i].revision < a.tiles[k].revision)
                ck_abort_msg("a tile went back");
    // The same world, built at once by another session, has the same tiles.
    client b;
    client_connect(&b, &daemon_);
    client_greet(&b);
    b.world = a.world;
    client_subscribe(&b, NP_ENCODING_NAVD);
    client_settle(&b);
    ck_assert_uint_ge(b.tile_count, 36);
    for (size_t i = 0; i < b.tile_count; i++) {
        const seen_tile *mine = client_last_tile(&a, b.tiles[i].x, b.tiles[i].z, 0);
        ck_assert(mine && nav_key_equal(mine->key, b.tiles[i].key));
    }
    client_close(&b);
}
END_TEST

START_TEST(bounds_limit_a_subscription_and_unsubscribe_ends_it)
{
    client_open(&a);
    np_tiles_subscribe_request sub = {.world = a.world,
                                      .profile = np_str_of("walker"),
                                      .has_bounds = true,
                                      .min = {0.1, 0.1},
                                      .max = {4, 9},
                                      .has_focus = true,
                                      .focus = {1, 1}};
    np_tiles_subscribe_response r;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &r, NULL), NAV_OK);
    put_scene(&a);
    client_settle(&a);
    ck_assert_uint_eq(a.tile_count, 2); // tiles 0,0 and 0,1
    np_tiles_focus_request focus = {.subscription = r.subscription, .has_focus = true, .focus = {3, 3}};
    np_none none;
    ck_assert_int_eq(client_call(&a, NP_TILES_FOCUS, &focus, &none, NULL), NAV_OK);
    np_tiles_unsubscribe_request un = {r.subscription};
    ck_assert_int_eq(client_call(&a, NP_TILES_UNSUBSCRIBE, &un, &none, NULL), NAV_OK);
    ck_assert_int_eq(client_call(&a, NP_TILES_UNSUBSCRIBE, &un, &none, NULL), NAV_ERR_NOT_FOUND);
    np_op move = op_move(2, 1, 1, 1);
    ck_assert_int_eq(client_edit(&a, &move, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_eq(a.tile_count, 2);
}
END_TEST

START_TEST(both_encodings_reach_their_subscribers_also_one_that_comes_late)
{
    client_open(&a);
    uint64_t navd = client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    size_t before = a.tile_count;
    uint64_t detour = client_subscribe(&a, NP_ENCODING_DETOUR);
    client_settle(&a);
    ck_assert_uint_ge(a.tile_count - before, 36);
    for (size_t i = before; i < a.tile_count; i++) {
        ck_assert_uint_eq(a.tiles[i].subscription, detour);
        ck_assert(a.tiles[i].data_good);
    }
    before = a.tile_count;
    np_op move = op_move(2, 1, 1, 1);
    ck_assert_int_eq(client_edit(&a, &move, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    size_t seen[2] = {0};
    for (size_t i = before; i < a.tile_count; i++) seen[a.tiles[i].subscription == navd]++;
    ck_assert_uint_ge(seen[0], 1);
    ck_assert_uint_eq(seen[0], seen[1]);
}
END_TEST

START_TEST(packed_tiles_are_the_detour_tiles_in_half_the_bytes)
{
    client_open(&a);
    uint64_t detour = client_subscribe(&a, NP_ENCODING_DETOUR), packed = client_subscribe(&a, NP_ENCODING_PACKED);
    put_scene(&a);
    client_settle(&a);
    uint64_t bytes[2] = {0}, count[2] = {0};
    nav_key sum[2] = {{0}};
    for (size_t i = 0; i < a.tile_count; i++) {
        const seen_tile *t = &a.tiles[i];
        int k = t->subscription == packed;
        ck_assert(k || t->subscription == detour);
        ck_assert(t->data_good);
        bytes[k] += t->data_bytes;
        count[k]++;
        sum[k].low += t->data_key.low;
        sum[k].high += t->data_key.high;
    }
    ck_assert_uint_ge(count[0], 36);
    ck_assert_uint_eq(count[0], count[1]);
    ck_assert(nav_key_equal(sum[0], sum[1]));
    ck_assert_uint_lt(2 * bytes[1], bytes[0]);
}
END_TEST

START_TEST(the_dictionary_of_packed_tiles_can_be_had_by_the_id_that_hello_names)
{
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION};
    np_hello_response greeting;
    ck_assert_int_eq(client_call(&a, NP_HELLO, &hello, &greeting, NULL), NAV_OK);
    np_dictionary_get_request get = {greeting.dictionary};
    np_dictionary_get_response got;
    np_error err;
    ck_assert_uint_eq(greeting.dictionary, NP_DICTIONARY_ID);
    ck_assert_int_eq(client_call(&a, NP_DICTIONARY_GET, &get, &got, NULL), NAV_OK);
    ck_assert_uint_eq(got.id, greeting.dictionary);
    ck_assert_uint_eq(got.data.size, np_dictionary_bytes);
    ck_assert_mem_eq(got.data.data, np_dictionary, np_dictionary_bytes);
    get.id++;
    ck_assert_int_eq(client_call(&a, NP_DICTIONARY_GET, &get, &got, &err), NAV_ERR_NOT_FOUND);
    ck_assert_str_eq(err.message, "there is no dictionary 40002; this daemon has 40001");
}
END_TEST

START_TEST(tiles_get_and_stateless_build_give_the_worlds_tiles)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key box = client_put_box(&a, 5, 0.5f, 5);
    np_op put = op_put(1, box, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    const seen_tile *seen = client_last_tile(&a, 0, -1, 0);

    const np_tile_xz places[] = {{0, -1, NAV_SHEET_UP}, {77, 77, NAV_SHEET_UP}};
    np_tiles_get_request get = {.world = a.world, .profile = np_str_of("walker"), .tile_count = 2, .tiles = places};
    np_tiles_get_response got;
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK);
    ck_assert_uint_eq(got.tile_count, 2);
    ck_assert(nav_key_equal(got.tiles[0].key, seen->key));
    ck_assert_uint_eq(got.tiles[0].data.size, seen->data_bytes);
    ck_assert_int_eq(got.tiles[1].status, NP_TILE_REMOVED);

    get.encoding = NP_ENCODING_DETOUR; // nobody subscribes to it: it is made for the one who asks
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK);
    ck_assert_int_eq(got.tiles[0].status, NP_TILE_PENDING);
    client_settle(&a);
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK);
    ck_assert_int_eq(got.tiles[0].status, NP_TILE_OK);
    ck_assert_int_eq(got.tiles[0].encoding, NP_ENCODING_DETOUR);

    const float v[8][3] = {{-5, -.5f, -5}, {5, -.5f, -5}, {5, -.5f, 5}, {-5, -.5f, 5},
                           {-5, .5f, -5},  {5, .5f, -5},  {5, .5f, 5},  {-5, .5f, 5}};
    const uint32_t t[12][3] = {{4, 7, 6}, {4, 6, 5}, {0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1},
                               {1, 5, 6}, {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};
    np_tiles_build_request build = {.first = {-1, -1},
                                    .last = {1, 0},
                                    .area = NAV_AREA_DEFAULT,
                                    .vertices = {(const uint8_t *)v, sizeof v},
                                    .indices = {(const uint8_t *)t, sizeof t}};
    nav_settings_default(&build.settings);
    build.settings.tile_cells = 16;
    np_tiles_build_response built;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &built, NULL), NAV_OK);
    ck_assert_uint_eq(built.tile_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const np_tile *b = &built.tiles[i];
        ck_assert_int_eq(b->x, (int32_t)(i % 3) - 1);
        ck_assert_int_eq(b->z, (int32_t)(i / 3) - 1);
        const seen_tile *w = client_last_tile(&a, b->x, b->z, 0);
        ck_assert_int_eq(b->status, w ? w->status : NP_TILE_EMPTY);
        if (w) ck_assert(nav_key_equal(b->key, w->key)); // the same triangles, however they came
    }
    build.last[0] = -2;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &built, NULL), NAV_ERR_ARGUMENT);
    build.last[0] = 1 << 20;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &build, &built, NULL), NAV_ERR_LIMIT);
}
END_TEST

START_TEST(cancelled_jobs_leave_tiles_as_they_were)
{
    client_open(&a);
    put_scene(&a);
    np_jobs_wait_request wait = {.world = a.world};
    np_jobs_cancel_request cancel = {.has_world = true, .world = a.world};
    uint32_t w = client_send(&a, NP_JOBS_WAIT, &wait), c = client_send(&a, NP_JOBS_CANCEL, &cancel);
    np_jobs_wait_response waited;
    np_jobs_cancel_response cancelled;
    nav_status s = client_wait(&a, NP_JOBS_WAIT, w, &waited, NULL);
    ck_assert(s == NAV_OK || s == NAV_ERR_CANCELLED); // the workers may have been faster
    ck_assert_int_eq(client_wait(&a, NP_JOBS_CANCEL, c, &cancelled, NULL), NAV_OK);
    client_settle(&a); // nothing is open any more
    const np_tile_xz place = {0, 0, NAV_SHEET_UP};
    np_tiles_get_request get = {.world = a.world, .profile = np_str_of("walker"), .tile_count = 1, .tiles = &place};
    np_tiles_get_response got;
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, NULL), NAV_OK); // who asks for one, gets it
    ck_assert_int_eq(got.tiles[0].status, NP_TILE_OK);
    np_op dirty = {.kind = NP_OP_DIRTY, .u.dirty = {{-100, -100}, {100, 100}}};
    ck_assert_int_eq(client_edit(&a, &dirty, 1, NULL, NULL), NAV_OK);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    ck_assert_uint_ge(a.tile_count, 36);
}
END_TEST

// The daemon ends while it is still being freed.
START_TEST(a_large_world_that_is_deleted_is_gone_at_once)
{
    client_open(&a);
    np_op floor = op_put(1, client_put_box(&a, 150, 0.5f, 150), 0, 0, 0);
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&a, &floor, 1, &r, NULL), NAV_OK);
    ck_assert_uint_ge(r.dirty_tiles, 3600);
    np_world_delete_request request = {.world = a.world};
    np_none none;
    ck_assert_int_eq(client_call(&a, NP_WORLD_DELETE, &request, &none, NULL), NAV_OK);
    ck_assert_uint_eq(client_stat(&a, "tiles"), 0);
    ck_assert_uint_eq(client_stat(&a, "worlds"), 0);
    ck_assert_int_eq(client_call(&a, NP_WORLD_DELETE, &request, &none, NULL), NAV_ERR_NOT_FOUND);
}
END_TEST

START_TEST(two_worlds_share_meshes_and_cached_tiles)
{
    client_open(&a);
    put_scene(&a);
    client_settle(&a);
    np_profile walker = {.name = np_str_of("other name")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    np_world_open_request open = {.name = np_str_of("copy"), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    ck_assert(opened.created);
    uint64_t built = client_stat(&a, "jobs_built"), mesh_count = client_stat(&a, "meshes");
    a.world = opened.world;
    put_scene(&a);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built);
    ck_assert_uint_eq(client_stat(&a, "meshes"), mesh_count);
    np_none none = {0};
    np_world_list_response list;
    ck_assert_int_eq(client_call(&a, NP_WORLD_LIST, &none, &list, NULL), NAV_OK);
    ck_assert_uint_eq(list.world_count, 2);
    ck_assert(np_str_equal(list.worlds[0].name, "copy"));
    ck_assert_uint_eq(list.worlds[1].instances, 2);
}
END_TEST

static void no_cache(nd_config *cfg)
{
    cfg->cache_bytes = 0;
    cfg->output_bytes = 4096;
}

START_TEST(a_cache_that_keeps_nothing_costs_time_and_no_tile)
{
    daemon_fixture other;
    client c, late;
    fixture_start(&other, no_cache);
    client_connect(&c, &other);
    client_connect(&late, &other);
    client_open(&c);
    client_subscribe(&c, NP_ENCODING_NAVD);
    put_scene(&c);
    client_settle(&c);
    client_open(&late);
    client_subscribe(&late, NP_ENCODING_NAVD);
    client_settle(&late);
    ck_assert_uint_ge(late.tile_count, 36);
    for (size_t i = 0; i < c.tile_count; i++) {
        const seen_tile *t = client_last_tile(&late, c.tiles[i].x, c.tiles[i].z, 0);
        ck_assert(t && nav_key_equal(t->key, client_last_tile(&c, t->x, t->z, 0)->key));
    }
    client_close(&c);
    client_close(&late);
    fixture_stop(&other);
}
END_TEST

START_TEST(progress_is_told_while_work_lasts_and_ends_complete)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    np_profile fine = {.name = np_str_of("fine")};
    nav_settings_default(&fine.settings);
    fine.settings.tile_cells = 16;
    fine.settings.cell_size_m = 0.05f; // 0.8 m tiles: about 1500 of them
    np_world_open_request open = {.name = np_str_of("w"), .profile_count = 1, .profiles = &fine};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    ck_assert_uint_eq(opened.profile_count, 2);
    np_tiles_subscribe_request sub = {.world = a.world, .profile = np_str_of("fine")};
    np_tiles_subscribe_response subscribed;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &subscribed, NULL), NAV_OK);
    put_scene(&a);
    client_settle(&a);
    np_op move = op_move(2, -3, 1, -3);
    while (!a.progress_notes) { // one at least comes while this is repeated
        move.u.instance.transform[3] += 0.125f;
        ck_assert_int_eq(client_edit(&a, &move, 1, NULL, NULL), NAV_OK);
        client_settle(&a);
    }
    while (a.last_progress.done < a.last_progress.total) { // nothing is left to do: the last note says so
        np_message m = {0};
        ck_assert(client_read(&a, &m));
        np_message_deinit(&m);
    }
    ck_assert_uint_eq(a.last_progress.done, a.last_progress.total);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("service");
    TCase *t = tcase_create("service");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_scene_becomes_tiles_that_unpack);
    tcase_add_test(t, a_move_sends_only_tiles_around_its_old_and_new_place);
    tcase_add_test(t, an_undo_is_answered_by_the_cache);
    tcase_add_test(t, output_that_equals_what_was_sent_is_not_sent_again);
    tcase_add_test(t, tiles_without_geometry_are_removed_and_unwalkable_ones_are_empty);
    tcase_add_test(t, an_edit_may_have_as_many_operations_as_hello_says);
    tcase_add_test(t, the_newest_edit_wins_and_no_tile_goes_back);
    tcase_add_test(t, bounds_limit_a_subscription_and_unsubscribe_ends_it);
    tcase_add_test(t, both_encodings_reach_their_subscribers_also_one_that_comes_late);
    tcase_add_test(t, packed_tiles_are_the_detour_tiles_in_half_the_bytes);
    tcase_add_test(t, the_dictionary_of_packed_tiles_can_be_had_by_the_id_that_hello_names);
    tcase_add_test(t, tiles_get_and_stateless_build_give_the_worlds_tiles);
    tcase_add_test(t, cancelled_jobs_leave_tiles_as_they_were);
    tcase_add_test(t, a_large_world_that_is_deleted_is_gone_at_once);
    tcase_add_test(t, two_worlds_share_meshes_and_cached_tiles);
    tcase_add_test(t, a_cache_that_keeps_nothing_costs_time_and_no_tile);
    tcase_add_test(t, progress_is_told_while_work_lasts_and_ends_complete);
    return run_suite(s);
}
