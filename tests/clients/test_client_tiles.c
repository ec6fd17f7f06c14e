// Tiles as the client library gets them from a daemon played by the test, and the queue in which they wait.
#include "clients/c/tile_queue.h"
#include "core/base/endian.h"
#include "protocol/dictionary.h"
#include "tests/check.h"
#include "tests/clients/peer.h"
#include "tests/clients/run.h"

#include <stdio.h>
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
    ck_assert_uint_gt(subscription, 0); // the library's own: the daemon's changes with each connection
    ck_assert_int_eq(navd_wait(c, 1, NULL, &now), NAVD_OK);
    ck_assert_uint_eq(now, 9);
    ck_assert_int_eq(navd_next_tile(c, 0, &t), NAVD_OK);
    ck_assert_int_eq(t->x, 1);
    ck_assert_int_eq(t->z, -2);
    ck_assert_uint_eq(t->subscription, subscription);
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
        if (s == NAVD_OK) s = navd_next_tile(c, 240000, &t);
        ck_assert_msg(s == NAVD_ERR_FORMAT || s == NAVD_ERR_LIMIT, "claim %zu: %s", claim, navd_status_name(s));
        ck_assert_int_eq(navd_process(c), s);
        peer_end(&p, c);
    }
}
END_TEST

// --- packed tiles ---

enum { OTHER_ID = 50000 };

typedef struct packed_play {
    uint32_t offered; // the dictionary's id in the greeting
    bool is_junk;     // what comes as dictionary
    uint32_t used;    // id that the tile is compressed with
    bool cut;         // the tile's packed form ends early
    np_encoding asked;
} packed_play;

static void name_dictionary(uint8_t *dictionary, uint32_t id)
{
    memcpy(dictionary, np_dictionary, np_dictionary_bytes);
    nav_store_u32(dictionary + 4, id); // after zstd's magic number
}

static void answer_dictionary(peer *p, const packed_play *play)
{
    static uint8_t dictionary[1 << 16];
    nav_buffer b = {0};
    np_dictionary_get_request get;
    np_error error;
    ck_assert_int_eq(peer_take(p), NP_DICTIONARY_GET);
    ck_assert_int_eq(np_decode_dictionary_get_request(&p->request, &get, &error), NAV_OK);
    ck_assert_uint_eq(get.id, play->offered);
    name_dictionary(dictionary, play->is_junk ? OTHER_ID + 1 : OTHER_ID);
    np_dictionary_get_response answer = {get.id, {dictionary, (uint32_t)np_dictionary_bytes}};
    peer_send(p, &b, np_encode_dictionary_get_response(&b, p->request.id, &answer));
}

// The tile "a tile", which does not pack, so its packed form is a zero and itself.
static void send_packed(peer *p, const packed_play *play)
{
    static uint8_t dictionary[1 << 16];
    static const char content[] = "\0a tile";
    uint8_t frame[256];
    nav_buffer b = {0};
    ZSTD_CCtx *c = ZSTD_createCCtx();
    name_dictionary(dictionary, play->used);
    size_t size =
        ZSTD_compress_usingDict(c, frame, sizeof frame, content, play->cut ? 5 : 7, dictionary, np_dictionary_bytes, 1);
    ck_assert(!ZSTD_isError(size));
    np_tile_note note = {.subscription = 4,
                         .world = 1,
                         .profile = np_str_of("human"),
                         .tile = {.status = NP_TILE_OK,
                                  .revision = 1,
                                  .key = {1, 1},
                                  .size = 6,
                                  .encoding = play->asked,
                                  .data = {frame, (uint32_t)size}}};
    peer_send(p, &b, np_encode_tile_note(&b, &note));
    ZSTD_freeCCtx(c);
}

static void play_packed(peer *p)
{
    packed_play *play = p->user;
    nav_buffer b = {0};
    np_tiles_subscribe_request wanted;
    np_error error;
    peer_hello(p);
    if (play->offered && play->offered != NP_DICTIONARY_ID) answer_dictionary(p, play);
    if (peer_take(p) != NP_TILES_SUBSCRIBE) return;
    ck_assert_int_eq(np_decode_tiles_subscribe_request(&p->request, &wanted, &error), NAV_OK);
    play->asked = wanted.encoding;
    np_tiles_subscribe_response answer = {.subscription = 4, .revision = 1};
    peer_send(p, &b, np_encode_tiles_subscribe_response(&b, p->request.id, &answer));
    send_packed(p, play);
    peer_take(p);
}

// Subscribes to Detour tiles and takes the first. words: room for the error's.
static navd_status follow(packed_play *play, char words[256])
{
    peer p = {.user = play, .dictionary = play->offered};
    navd_client *c = peer_connect(&p, play_packed);
    navd_subscription_options wanted = {.profile = "human", .encoding = NAVD_ENCODING_DETOUR};
    const navd_tile *t;
    navd_status s = navd_subscribe(c, 1, &wanted, NULL);
    if (s == NAVD_OK) s = navd_next_tile(c, 240000, &t);
    if (s == NAVD_OK) {
        ck_assert_int_eq(t->encoding, NAVD_ENCODING_DETOUR);
        ck_assert_uint_eq(t->size, 6);
        ck_assert_mem_eq(t->data, "a tile", 6);
    }
    snprintf(words, 256, "%s", navd_error_text(c));
    peer_end(&p, c);
    return s;
}

START_TEST(detour_tiles_come_packed_and_are_unpacked_with_the_dictionary_of_the_daemon)
{
    char words[256];
    packed_play own = {.offered = NP_DICTIONARY_ID, .used = NP_DICTIONARY_ID};
    ck_assert_int_eq(follow(&own, words), NAVD_OK);
    ck_assert_int_eq(own.asked, NP_ENCODING_PACKED);
    packed_play fetched = {.offered = OTHER_ID, .used = OTHER_ID};
    ck_assert_int_eq(follow(&fetched, words), NAVD_OK);
    ck_assert_int_eq(fetched.asked, NP_ENCODING_PACKED);
}
END_TEST

START_TEST(a_dictionary_or_a_packed_tile_that_is_not_what_it_claims_is_named)
{
    char words[256];
    packed_play junk = {.offered = OTHER_ID, .is_junk = true};
    ck_assert_int_eq(follow(&junk, words), NAVD_ERR_FORMAT);
    ck_assert_str_eq(words, "what the daemon sends as dictionary 50000 is not that one");
    packed_play unknown = {.offered = NP_DICTIONARY_ID, .used = OTHER_ID};
    ck_assert_int_eq(follow(&unknown, words), NAVD_ERR_FORMAT);
    ck_assert_ptr_nonnull(
        strstr(words, "tile 0, 0: it is compressed with dictionary 50000, but this client has 40001"));
    packed_play damaged = {.offered = NP_DICTIONARY_ID, .used = NP_DICTIONARY_ID, .cut = true};
    ck_assert_int_eq(follow(&damaged, words), NAVD_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(words, "tile 0, 0: its packed form is damaged"));
}
END_TEST

START_TEST(a_daemon_without_a_dictionary_is_asked_for_plain_tiles)
{
    char words[256];
    packed_play none = {.used = NP_DICTIONARY_ID};
    ck_assert_int_eq(follow(&none, words), NAVD_ERR_FORMAT); // it sends a packed one all the same
    ck_assert_int_eq(none.asked, NP_ENCODING_DETOUR);
}
END_TEST

START_TEST(the_queue_holds_one_tile_per_place_however_many_come)
{
    tile_queue q = {0};
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5000; i++) {
            navd_tile t = {.subscription = 1,
                           .x = i / NAVD_SHEET_COUNT,
                           .z = -i / NAVD_SHEET_COUNT,
                           .sheet = (navd_sheet)(i % NAVD_SHEET_COUNT),
                           .profile = "p",
                           .reason = "",
                           .revision = (uint64_t)round};
            ck_assert_int_eq(navd_tile_queue_put(&q, &t), NAV_OK);
        }
    }
    ck_assert_uint_eq(q.count, 5000);
    for (int i = 0; i < 5000; i++) {
        const navd_tile *t = navd_tile_queue_take(&q);
        ck_assert_int_eq(t->x, i / NAVD_SHEET_COUNT);
        ck_assert_int_eq(t->sheet, i % NAVD_SHEET_COUNT);
        ck_assert_uint_eq(t->revision, 2);
    }
    ck_assert_ptr_null(navd_tile_queue_take(&q));
    navd_tile_queue_deinit(&q);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client tiles");
    TCase *t = tcase_create("client tiles");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, tiles_that_wait_are_the_newest_of_each_place_in_order);
    tcase_add_test(t, a_callback_gets_every_tile_and_may_not_block);
    tcase_add_test(t, a_tile_that_is_not_what_it_claims_breaks_the_connection);
    tcase_add_test(t, detour_tiles_come_packed_and_are_unpacked_with_the_dictionary_of_the_daemon);
    tcase_add_test(t, a_dictionary_or_a_packed_tile_that_is_not_what_it_claims_is_named);
    tcase_add_test(t, a_daemon_without_a_dictionary_is_asked_for_plain_tiles);
    tcase_add_test(t, the_queue_holds_one_tile_per_place_however_many_come);
    return run_suite_in_folder(s);
}
