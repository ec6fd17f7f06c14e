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

int main(void)
{
    Suite *s = suite_create("service");
    TCase *t = tcase_create("service");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_scene_becomes_tiles_that_unpack);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
