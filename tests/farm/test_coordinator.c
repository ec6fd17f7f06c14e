// A daemon and its farm: tiles that others have, or make, are byte for byte what home would have made.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/daemon/fixture.h"
#include "tests/farm/fake_worker.h"
#include "tests/farm/nats_server.h"

#include <stdlib.h>
#include <string.h>

static nats_server server;
static daemon_fixture daemon_;
static client a;
static bool cache_off;

static void configure(nd_config *c)
{
    c->farm_tiles = 1;
    if (cache_off) c->farm_cache = 0;
    strcpy(c->farm, server.url);
    strcpy(c->farm_name, "test");
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

static void await_stat(const char *name, uint64_t at_least)
{
    while (client_stat(&a, name) < at_least) {
    }
}

static nav_key meshes[2];

static void put_meshes(void)
{
    meshes[0] = client_put_box(&a, 60, 0.5f, 60);
    meshes[1] = client_put_box(&a, 0.5f, 1, 0.5f);
}

// A floor of many tiles with boxes on it: more than one block of them.
static void put_objects(void)
{
    np_op ops[40];
    ops[0] = op_put(1, meshes[0], 0, 0, 0);
    for (unsigned i = 1; i < 40; i++)
        ops[i] = op_put(i + 1, meshes[1], (float)(i * 37 % 100) - 50, 1, (float)(i * 61 % 100) - 50);
    ck_assert_int_eq(client_edit(&a, ops, 40, NULL, NULL), NAV_OK);
}

static void put_scene(void)
{
    put_meshes();
    put_objects();
}

static void open_world(void)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    await_stat("farm_up", 1);
}

typedef struct copy {
    seen_tile *tiles;
    size_t count;
} copy;

static copy keep_tiles(void)
{
    copy k = {malloc((a.tile_count + 1) * sizeof *k.tiles), a.tile_count};
    if (k.count) memcpy(k.tiles, a.tiles, k.count * sizeof *k.tiles);
    return k;
}

static void check_same_tiles(copy *k)
{
    for (size_t i = 0; i < k->count; i++) {
        const seen_tile *was = &k->tiles[i], *t = client_last_tile(&a, was->x, was->z, 0);
        ck_assert_ptr_nonnull(t);
        ck_assert_int_eq(t->status, was->status);
        ck_assert(nav_key_equal(t->key, was->key));
        ck_assert(nav_key_equal(t->data_key, was->data_key));
    }
    free(k->tiles);
}

START_TEST(what_one_daemon_has_made_another_one_finds)
{
    nats_server_start(&server, "nats", NULL);
    start_daemon();
    open_world();
    put_scene();
    client_settle(&a);
    const uint64_t built = client_stat(&a, "jobs_built");
    ck_assert_uint_eq(client_stat(&a, "farm_found"), 0);
    await_stat("farm_shared", built);
    copy before = keep_tiles();
    stop_daemon();
    start_daemon();
    open_world();
    put_scene();
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    ck_assert_uint_eq(client_stat(&a, "farm_found"), built);
    check_same_tiles(&before);
    stop_daemon();
    nats_server_kill(&server);
}
END_TEST

static uint64_t fill_cache(copy *made)
{
    cache_off = false;
    start_daemon();
    open_world();
    put_scene();
    client_settle(&a);
    const uint64_t built = client_stat(&a, "jobs_built");
    await_stat("farm_shared", built);
    *made = keep_tiles();
    stop_daemon();
    return built;
}

START_TEST(workers_make_what_waits)
{
    fake_worker w;
    copy before;
    nats_server_start(&server, "nats", NULL);
    const uint64_t all = fill_cache(&before);
    cache_off = true;
    start_daemon();
    fake_worker_start(&w, server.url, "test", 1, FAKE_ANSWERS);
    open_world();
    await_stat("farm_workers", 1);
    put_meshes();
    fixture_hold_workers(&daemon_);
    put_objects();
    while (client_stat(&a, "farm_made") + 12 < all) {
    } // the rest waits for the workers here
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    fixture_release_workers(&daemon_);
    client_settle(&a);
    check_same_tiles(&before);
    ck_assert_uint_eq(client_stat(&a, "farm_jobs_out"), 0);
    ck_assert_uint_eq(client_stat(&a, "farm_tiles_out"), 0);
    ck_assert_uint_eq(client_stat(&a, "farm_home"), 0);
    fake_worker_stop(&w);
    stop_daemon();
    nats_server_kill(&server);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("coordinator");
    TCase *t = tcase_create("tiles");
    if (!nats_server_is_there()) return 0;
    tcase_set_timeout(t, 60);
    tcase_add_test(t, what_one_daemon_has_made_another_one_finds);
    tcase_add_test(t, workers_make_what_waits);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
