// Tiles as the client library gets them from a daemon played by the test, and the queue in which they wait.
#include "clients/c/tile_queue.h"
#include "tests/clients/peer.h"
#include "tests/clients/run.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>
#include <zstd.h>

static void send_tile(peer *p, int32_t x, uint64_t revision, const char *content, size_t claimed)
{
    nav_buffer b = {0};
    uint8_t packed[256];
    size_t size = ZSTD_compress(packed, sizeof packed, content, strlen(content), 3);
    ck_assert(!ZSTD_isError(size));
    np_tile_note note = {.subscription = 4,
                         .world = 1,
                         .profile = np_str_of("human"),
                         .tile = {.x = x,
                                  .z = -2,
                                  .status = NP_TILE_OK,
                                  .revision = revision,
                                  .key = {revision, 1},
                                  .size = claimed,
                                  .encoding = NP_ENCODING_NAVD,
                                  .made_us = 77,
                                  .data = {packed, (uint32_t)size}}};
    peer_send(p, &b, np_encode_tile_note(&b, &note));
}

static void answer_subscribe(peer *p)
{
    nav_buffer b = {0};
    np_tiles_subscribe_response answer = {.subscription = 4, .revision = 1};
    ck_assert_int_eq(peer_take(p), NP_TILES_SUBSCRIBE);
    peer_send(p, &b, np_encode_tiles_subscribe_response(&b, p->request.id, &answer));
}

static void answer_wait(peer *p)
{
    nav_buffer b = {0};
    np_jobs_wait_response answer = {.revision = 9};
    ck_assert_int_eq(peer_take(p), NP_JOBS_WAIT);
    peer_send(p, &b, np_encode_jobs_wait_response(&b, p->request.id, &answer));
}

static void play_tiles(peer *p)
{
    peer_hello(p);
    answer_subscribe(p);
    send_tile(p, 1, 5, "old one", 7);
    send_tile(p, 2, 6, "other", 5);
    send_tile(p, 1, 7, "newer one", 9);
    answer_wait(p);
    peer_take(p);
}

START_TEST(tiles_that_wait_are_the_newest_of_each_place_in_order)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_tiles);
    navd_subscription_options wanted = {.profile = "human"};
    uint64_t subscription = 0, now = 0;
    const navd_tile *t;
    ck_assert_int_eq(navd_subscribe(c, 1, &wanted, &subscription), NAVD_OK);
    ck_assert_uint_eq(subscription, 4);
    ck_assert_int_eq(navd_wait(c, 1, NULL, &now), NAVD_OK);
    ck_assert_uint_eq(now, 9);
    ck_assert_int_eq(navd_next_tile(c, 0, &t), NAVD_OK);
    ck_assert_int_eq(t->x, 1);
    ck_assert_int_eq(t->z, -2);
    ck_assert_uint_eq(t->revision, 7);
    ck_assert_str_eq(t->profile, "human");
    ck_assert_uint_eq(t->made_us, 77);
    ck_assert_uint_eq(t->size, 9);
    ck_assert_mem_eq(t->data, "newer one", 9);
    ck_assert_int_eq(navd_next_tile(c, 0, &t), NAVD_OK);
    ck_assert_int_eq(t->x, 2);
    ck_assert_mem_eq(t->data, "other", 5);
    ck_assert_int_eq(navd_next_tile(c, 0, &t), NAVD_ERR_TIMEOUT);
    ck_assert_ptr_null(t);
    peer_end(&p, c);
}
END_TEST

static navd_client *callback_client;
static void call_back(void *user, const navd_tile *t)
{
    uint64_t *sum = user;
    *sum += t->revision;
    ck_assert_int_eq(navd_world_close(callback_client, 1), NAVD_ERR_STATE); // not from in here
    ck_assert_int_eq(navd_process(callback_client), NAVD_ERR_STATE);
}

START_TEST(a_callback_gets_every_tile_and_may_not_block)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_tiles);
    navd_subscription_options wanted = {.profile = "human"};
    uint64_t sum = 0;
    callback_client = c;
    navd_on_tile(c, call_back, &sum);
    ck_assert_int_eq(navd_subscribe(c, 1, &wanted, NULL), NAVD_OK);
    ck_assert_int_eq(navd_wait(c, 1, NULL, NULL), NAVD_OK);
    ck_assert_uint_eq(sum, 5 + 6 + 7);
    peer_end(&p, c);
}
END_TEST

static void play_bad_tile(peer *p)
{
    peer_hello(p);
    answer_subscribe(p);
    send_tile(p, 1, 5, "seven b", *(size_t *)p->user);
    peer_take(p);
}

START_TEST(a_tile_that_is_not_what_it_claims_breaks_the_connection)
{
    static const size_t claims[] = {6, 8, 0, (size_t)1 << 40};
    for (int i = 0; i < 4; i++) {
        size_t claim = claims[i];
        peer p = {.user = &claim};
        navd_client *c = peer_connect(&p, play_bad_tile);
        navd_subscription_options wanted = {.profile = "human"};
        const navd_tile *t;
        navd_status s = navd_subscribe(c, 1, &wanted, NULL);
        if (s == NAVD_OK) s = navd_next_tile(c, 5000, &t);
        ck_assert_msg(s == NAVD_ERR_FORMAT || s == NAVD_ERR_LIMIT, "claim %zu: %s", claim, navd_status_name(s));
        ck_assert_int_eq(navd_process(c), s);
        peer_end(&p, c);
    }
}
END_TEST

START_TEST(the_queue_holds_one_tile_per_place_however_many_come)
{
    tile_queue q = {0};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) {
            navd_tile t = {
                .subscription = 1, .x = i, .z = -i, .profile = "p", .reason = "", .revision = (uint64_t)round};
            ck_assert_int_eq(tile_queue_put(&q, &t), NAV_OK);
        }
    }
    ck_assert_uint_eq(q.count, 5000);
    for (int i = 0; i < 5000; i++) {
        const navd_tile *t = tile_queue_take(&q);
        ck_assert_int_eq(t->x, i);
        ck_assert_uint_eq(t->revision, 2);
    }
    ck_assert_ptr_null(tile_queue_take(&q));
    tile_queue_deinit(&q);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client tiles");
    TCase *t = tcase_create("client tiles");
    tcase_set_timeout(t, 60);
    suite_add_tcase(s, t);
    tcase_add_test(t, tiles_that_wait_are_the_newest_of_each_place_in_order);
    tcase_add_test(t, a_callback_gets_every_tile_and_may_not_block);
    tcase_add_test(t, a_tile_that_is_not_what_it_claims_breaks_the_connection);
    tcase_add_test(t, the_queue_holds_one_tile_per_place_however_many_come);
    temp_path(""); // one folder for all: made before the tests fork
    int failed = run_suite(s);
    remove_temp_folder();
    return failed;
}
