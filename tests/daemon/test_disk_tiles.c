// The cache on disk behind a daemon: what was made once comes back after a restart, byte for byte and without a job,
// for subscribers and for tiles.build; and what memory has no room for is sent from it.
#include "tests/check.h"
#include "tests/daemon/fixture.h"
#include "tests/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static daemon_fixture daemon_;
static client a;
static char state[64];
static uint64_t memory, tile_memory, output; // 0: the default

static void configure(nd_config *c)
{
    strcpy(c->state, state);
    if (memory) c->cache_bytes = memory;
    if (tile_memory) c->tile_memory_bytes = tile_memory;
    if (output) c->output_bytes = output;
}

static void start_daemon(void)
{
    fixture_start(&daemon_, configure);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
}

static void stop_daemon(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static void restart(void)
{
    stop_daemon();
    start_daemon();
}

static void start(void)
{
    memory = tile_memory = output = 0;
    strcpy(state, "/tmp/navd-state-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    start_daemon();
}

static void stop(void)
{
    stop_daemon();
    remove_folder(state);
}

static np_world_edit_response put_scene(client *c)
{
    nav_key floor = client_put_box(c, 12, 0.5f, 12), box = client_put_box(c, 0.5f, 1, 0.5f);
    np_op ops[] = {op_put(1, floor, 0, 0, 0), op_put(2, box, 2, 1, 2)};
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(c, ops, 2, &r, NULL), NAV_OK);
    return r;
}

typedef struct copy {
    seen_tile *tiles;
    size_t count;
} copy;

static copy keep_tiles(const client *c)
{
    copy k = {malloc((c->tile_count + 1) * sizeof *k.tiles), c->tile_count};
    if (k.count) memcpy(k.tiles, c->tiles, k.count * sizeof *k.tiles);
    return k;
}

static void check_same_tiles(copy *k, const client *c)
{
    ck_assert_uint_eq(c->tile_count, k->count);
    for (size_t i = 0; i < k->count; i++) {
        const seen_tile *t = client_last_tile(c, k->tiles[i].x, k->tiles[i].z, 0);
        ck_assert_ptr_nonnull(t);
        ck_assert_int_eq(t->status, k->tiles[i].status);
        ck_assert(nav_key_equal(t->key, k->tiles[i].key));
        ck_assert(nav_key_equal(t->data_key, k->tiles[i].data_key));
        ck_assert_uint_eq(t->made_us, 0);
    }
    free(k->tiles);
}

START_TEST(tiles_come_back_after_a_restart_without_a_job)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    np_world_edit_response r = put_scene(&a);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "disk_cache_hits"), 0);
    copy before = keep_tiles(&a);
    restart();
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a); // before the edit: what changes while it is read is read again
    ck_assert_uint_eq(client_stat(&a, "disk_cache_hits"), r.dirty_tiles);
    put_scene(&a);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    check_same_tiles(&before, &a);
    ck_assert_uint_eq(client_stat(&a, "disk_cache_hits"), r.dirty_tiles);
    while (client_stat(&a, "disk_cache_entries") != r.dirty_tiles) {
    } // tiles are read before the file is open, and how many there are, once it is
}
END_TEST

static np_str failed_stage(client *c)
{
    np_tiles_failed_request ask = {.world = c->world, .limit = 1};
    np_tiles_failed_response r;
    ck_assert_int_eq(client_call(c, NP_TILES_FAILED, &ask, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.tile_count, 1);
    ck_assert(np_str_equal(r.tiles[0].code, "limit"));
    return r.tiles[0].stage; // borrowed until the next call
}

START_TEST(a_failure_that_the_caches_have_names_its_stage)
{
    char stage[32] = "";
    tile_memory = 1 << 20;
    restart();
    for (int turn = 0; turn < 3; turn++) { // made; from memory; from the disk
        np_profile p = {.name = np_str_of("p")};
        nav_settings_default(&p.settings);
        p.settings.tile_cells = 1000;
        np_world_open_request open = {.name = np_str_of("w"), .create = true, .profile_count = 1, .profiles = &p};
        np_world_open_response opened;
        if (turn == 2) restart();
        if (turn != 1) client_greet(&a);
        ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
        a.world = opened.world;
        np_op put = op_put(1, client_put_box(&a, 100, 1, 100), 150, 0, 150), gone = op_remove(1);
        ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
        client_settle(&a);
        np_str now = failed_stage(&a);
        ck_assert_uint_gt(now.size, 0);
        if (turn) ck_assert(np_str_equal(now, stage));
        snprintf(stage, sizeof stage, "%.*s", (int)now.size, now.data);
        ck_assert_uint_eq(client_stat(&a, "jobs_failed"), turn < 2);
        ck_assert_int_eq(client_edit(&a, &gone, 1, NULL, NULL), NAV_OK);
        client_settle(&a);
    }
}
END_TEST

START_TEST(a_small_memory_sends_from_the_disk_and_makes_nothing_again)
{
    memory = 1 << 10; // less than any tile: nothing stays
    restart();
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    copy before = keep_tiles(&a);
    uint64_t built = client_stat(&a, "jobs_built");
    np_cache_verify_request verify = {0}; // waits until all of it is written
    np_cache_verify_response verified;
    ck_assert_int_eq(client_call(&a, NP_CACHE_VERIFY, &verify, &verified, NULL), NAV_OK);
    ck_assert_uint_eq(verified.entries, before.count);
    client_close(&a);
    client_connect(&a, &daemon_);
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built);
    ck_assert_uint_eq(a.tile_count, before.count);
    for (size_t i = 0; i < before.count; i++) {
        const seen_tile *t = client_last_tile(&a, before.tiles[i].x, before.tiles[i].z, 0);
        ck_assert_ptr_nonnull(t);
        ck_assert(nav_key_equal(t->data_key, before.tiles[i].data_key));
    }
    free(before.tiles);
}
END_TEST

START_TEST(tiles_that_are_only_on_disk_are_got_at_the_first_call)
{
    memory = 1 << 10; // less than any tile: nothing stays
    restart();
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene(&a);
    client_settle(&a);
    copy all = keep_tiles(&a);
    uint64_t built = client_stat(&a, "jobs_built");
    restart();
    client_open(&a);
    np_tile_xz *places = calloc(all.count + 1, sizeof *places);
    for (size_t i = 0; i < all.count; i++) places[i] = (np_tile_xz){all.tiles[i].x, all.tiles[i].z, NAV_SHEET_UP};
    places[all.count] = (np_tile_xz){1000, 1000, NAV_SHEET_UP};
    np_tiles_get_request request = {.world = a.world,
                                    .profile = np_str_of("walker"),
                                    .encoding = NP_ENCODING_NAVD,
                                    .tile_count = (uint32_t)all.count + 1,
                                    .tiles = places};
    np_tiles_get_response r;
    np_none none = {0};
    uint32_t get = client_send(&a, NP_TILES_GET, &request), ping = client_send(&a, NP_PING, &none);
    ck_assert_int_eq(client_wait(&a, NP_TILES_GET, get, &r, NULL), NAV_OK);
    ck_assert_uint_gt(built, 0);
    ck_assert_uint_eq(r.tile_count, all.count + 1);
    for (size_t i = 0; i < all.count; i++) {
        ck_assert_int_eq(r.tiles[i].status, all.tiles[i].status);
        ck_assert(nav_key_equal(r.tiles[i].key, all.tiles[i].key));
        ck_assert_uint_eq(r.tiles[i].size, all.tiles[i].size);
        ck_assert_uint_eq(r.tiles[i].data.size, all.tiles[i].data_bytes);
    }
    ck_assert_int_eq(r.tiles[all.count].status, NP_TILE_REMOVED);
    ck_assert_int_eq(client_wait(&a, NP_PING, ping, &none, NULL), NAV_OK); // it goes on behind it
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    // Who leaves without the answer costs nothing.
    client_send(&a, NP_TILES_GET, &request);
    client_close(&a);
    client_connect(&a, &daemon_);
    client_greet(&a);
    free(places);
    free(all.tiles);
}
END_TEST

static np_world_edit_response put_many_boxes(client *c)
{
    enum { SIDE = 16 };
    nav_key floor = client_put_box(c, 40, 0.5f, 40), box = client_put_box(c, 0.6f, 2, 0.4f);
    np_op ops[SIDE * SIDE + 1] = {op_put(0, floor, 0, 0, 0)};
    for (uint64_t i = 0; i < SIDE * SIDE; i++) // sparse on one side, dense on the other
        ops[i + 1] = op_put(i + 1, box, (float)(i % SIDE * (i % SIDE)) / 4 - 35, 1, (float)(i / SIDE) * 3 - 24);
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(c, ops, SIDE * SIDE + 1, &r, NULL), NAV_OK);
    return r;
}

// The disk is asked for few tiles at a time: some blobs of notes are full before all that were wanted are in them.
START_TEST(tiles_that_are_larger_than_those_before_them_come_from_the_disk_all_the_same)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_many_boxes(&a);
    client_settle(&a);
    copy before = keep_tiles(&a);
    memory = 1 << 10;
    output = 1 << 13;
    restart();
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    check_same_tiles(&before, &a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
}
END_TEST

// An edit, and a goodbye, while tiles are on their way from the disk.
START_TEST(what_changes_while_it_is_read_comes_as_it_is_then)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_many_boxes(&a);
    client_settle(&a);
    memory = 1 << 10;
    output = 1 << 10; // each note is more than a blob should have
    restart();
    client_open(&a);
    for (int i = 0; i < 20; i++) {
        client b;
        client_connect(&b, &daemon_);
        client_open(&b);
        client_subscribe(&b, NP_ENCODING_NAVD);
        np_op op = op_move(1, (float)i, 1, 0);
        ck_assert_int_eq(client_edit(&b, &op, 1, NULL, NULL), NAV_OK);
        if (i % 3) client_settle(&b);
        client_close(&b);
    }
    client_settle(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    copy last = keep_tiles(&a);
    client_close(&a);
    client_connect(&a, &daemon_);
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    ck_assert_uint_eq(a.tile_count, last.count);
    for (size_t i = 0; i < last.count; i++)
        ck_assert(
            nav_key_equal(client_last_tile(&a, last.tiles[i].x, last.tiles[i].z, 0)->data_key, last.tiles[i].data_key));
    free(last.tiles);
}
END_TEST

START_TEST(a_stateless_build_is_answered_by_the_disk_after_a_restart)
{
    float v[] = {0, 0, 0, 0, 0, 9, 9, 0, 9, 9, 0, 0};
    uint32_t t[] = {0, 1, 2, 0, 2, 3};
    np_tiles_build_request r = {.encoding = NP_ENCODING_PACKED, .area = NAV_AREA_DEFAULT};
    np_tiles_build_response out;
    nav_settings_default(&r.settings);
    r.vertices = (np_bin){(const uint8_t *)v, sizeof v};
    r.indices = (np_bin){(const uint8_t *)t, sizeof t};
    client_greet(&a);
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &r, &out, NULL), NAV_OK);
    ck_assert_uint_eq(out.tile_count, 1);
    nav_key key = out.tiles[0].key;
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 1);
    restart();
    client_greet(&a);
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &r, &out, NULL), NAV_OK);
    ck_assert(nav_key_equal(out.tiles[0].key, key));
    ck_assert_uint_gt(out.tiles[0].data.size, 0);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    r.area = 7; // another input: the disk does not have it
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &r, &out, NULL), NAV_OK);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 1);
}
END_TEST

// Two floors with a gap, a seed on one: the other one is dropped.
START_TEST(a_world_with_a_goal_comes_back_without_a_job)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    np_seed seed = {{-9, 0.5f, 0}};
    nav_key floor = client_put_box(&a, 4, 0.5f, 4);
    np_op ops[] = {op_put(1, floor, -9, 0, 0),
                   op_put(2, floor, 9, 0, 0),
                   {.kind = NP_OP_SET_REACH, .u.reach = {NAV_UNREACHABLE_DROP, 1, &seed, 0}}};
    ck_assert_int_eq(client_edit(&a, ops, 3, NULL, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_int_eq(client_last_tile(&a, -2, 0, 0)->status, NP_TILE_OK);
    ck_assert_int_eq(client_last_tile(&a, 1, 0, 0)->status, NP_TILE_EMPTY);
    restart();
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    ck_assert_int_eq(client_last_tile(&a, -2, 0, 0)->status, NP_TILE_OK);
    ck_assert_int_eq(client_last_tile(&a, 1, 0, 0)->status, NP_TILE_EMPTY);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    ck_assert_uint_eq(client_stat(&a, "disk_cache_damaged"), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("disk_tiles");
    TCase *t = tcase_create("daemon");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, tiles_come_back_after_a_restart_without_a_job);
    tcase_add_test(t, a_failure_that_the_caches_have_names_its_stage);
    tcase_add_test(t, a_small_memory_sends_from_the_disk_and_makes_nothing_again);
    tcase_add_test(t, tiles_that_are_only_on_disk_are_got_at_the_first_call);
    tcase_add_test(t, tiles_that_are_larger_than_those_before_them_come_from_the_disk_all_the_same);
    tcase_add_test(t, what_changes_while_it_is_read_comes_as_it_is_then);
    tcase_add_test(t, a_stateless_build_is_answered_by_the_disk_after_a_restart);
    tcase_add_test(t, a_world_with_a_goal_comes_back_without_a_job);
    suite_add_tcase(s, t);
    return run_suite(s);
}
