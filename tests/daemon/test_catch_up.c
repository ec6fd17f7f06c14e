// Subscriptions of clients that have tiles already.
#include "protocol/dictionary.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"

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

static void put_scene(void)
{
    np_op floor = op_put(1, client_put_box(&a, 12, 0.5f, 12), 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &floor, 1, NULL, NULL), NAV_OK);
}

START_TEST(a_subscriber_with_known_tiles_gets_only_what_differs)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_scene();
    client_settle(&a);
    np_known_tile known[200];
    uint32_t n = 0;
    for (size_t i = 0; i < a.tile_count && n < 198; i++)
        known[n++] = (np_known_tile){a.tiles[i].x, a.tiles[i].z, a.tiles[i].key, NAV_SHEET_UP};
    known[0].key.low++;                                           // outdated
    known[n++] = (np_known_tile){500, 500, {1, 1}, NAV_SHEET_UP}; // gone
    np_tiles_subscribe_request sub = {
        .world = a.world, .profile = np_str_of("walker"), .known_count = n, .known = known};
    np_tiles_subscribe_response r;
    size_t before = a.tile_count;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &r, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_uint_eq(a.tile_count - before, 2);
    ck_assert_int_eq(client_last_tile(&a, 500, 500, before)->status, NP_TILE_REMOVED);
    ck_assert_int_eq(client_last_tile(&a, known[0].x, known[0].z, before)->status,
                     client_last_tile(&a, known[0].x, known[0].z, 0)->status);
}
END_TEST

// It has the tile as it was before a change that it was not told of.
START_TEST(who_resumes_hears_of_a_tile_that_goes_before_it_is_sent)
{
    client b;
    client_open(&a);
    np_tiles_subscribe_request sub = {.world = a.world, .profile = np_str_of("walker")};
    np_tiles_subscribe_response r;
    np_world_edit_response edited;
    np_dictionary_get_response dictionary;
    np_none none;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &r, NULL), NAV_OK);
    np_op op = op_put(1, client_put_box(&a, 1, 0.5f, 1), 2, 0, 2);
    ck_assert_int_eq(client_edit(&a, &op, 1, &edited, NULL), NAV_OK);
    client_settle(&a);
    ck_assert_int_ne(client_last_tile(&a, 0, 0, 0)->status, NP_TILE_REMOVED);
    const np_tiles_unsubscribe_request enough = {r.subscription};
    ck_assert_int_eq(client_call(&a, NP_TILES_UNSUBSCRIBE, &enough, &none, NULL), NAV_OK);
    op = op_move(1, 2.5f, 0, 2);
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, NULL), NAV_OK);
    client_settle(&a);

    size_t before = a.tile_count;
    const np_dictionary_get_request much = {NP_DICTIONARY_ID};
    op = op_remove(1);
    const np_world_edit_request gone = {.world = a.world, .op_count = 1, .ops = &op};
    sub.has_since = true;
    sub.since = edited.revision;
    a.gathering = true; // it does not read, so the tiles wait behind the answers
    a.out.size = 0;
    uint32_t id = client_send(&a, NP_DICTIONARY_GET, &much), last_id = id + 700000 / (uint32_t)np_dictionary_bytes;
    for (uint32_t i = id; i < last_id; i++) client_send(&a, NP_DICTIONARY_GET, &much);
    client_send(&a, NP_TILES_SUBSCRIBE, &sub);
    client_send(&a, NP_WORLD_EDIT, &gone);
    client_send_gathered(&a);
    client_connect(&b, &daemon_);
    client_greet(&b);
    while (client_stat(&b, "tiles")) continue;
    for (; id <= last_id; id++) ck_assert_int_eq(client_wait(&a, NP_DICTIONARY_GET, id, &dictionary, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&a, NP_TILES_SUBSCRIBE, id++, &r, NULL), NAV_OK);
    ck_assert(r.resumed);
    ck_assert_int_eq(client_wait(&a, NP_WORLD_EDIT, id, &edited, NULL), NAV_OK);
    client_settle(&a);
    const seen_tile *last = client_last_tile(&a, 0, 0, before);
    ck_assert_ptr_nonnull(last);
    ck_assert_int_eq(last->status, NP_TILE_REMOVED);
    client_close(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("catch_up");
    TCase *t = tcase_create("catch_up");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_subscriber_with_known_tiles_gets_only_what_differs);
    tcase_add_test(t, who_resumes_hears_of_a_tile_that_goes_before_it_is_sent);
    return run_suite(s);
}
