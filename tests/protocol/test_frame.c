#include "tests/check.h"
#include "tests/protocol/examples.h"
#include "tests/protocol/heap_watch.h"

#include <stdlib.h>
#include <string.h>

static np_limits small_limits(void)
{
    return (np_limits){.message_bytes = 1000, .depth = 4, .elements = 100, .container_elements = 20};
}

// What a fresh reader says about some bytes, and the most heap it held meanwhile.
static nav_status judge(const np_limits *limits, const void *bytes, size_t count, char why[NP_WHY_BYTES])
{
    np_reader r;
    const uint8_t *message;
    size_t size;
    ck_assert_int_eq(np_reader_init(&r, limits), NAV_OK);
    ck_assert_int_eq(np_reader_feed(&r, bytes, count), NAV_OK);
    nav_status st = np_reader_next(&r, &message, &size);
    if (why) memcpy(why, r.why, NP_WHY_BYTES);
    np_reader_deinit(&r);
    return st;
}

START_TEST(messages_fed_byte_by_byte_are_those_fed_at_once)
{
    nav_buffer all = {0};
    size_t ends[256];
    for (uint32_t i = 0; i < example_count(); i++) {
        ck_assert_int_eq(example_encode(example_at(i), &all), NAV_OK);
        ends[i] = all.size;
    }
    static const size_t chunks[] = {1, 2, 3, 7, 64, 1 << 20};
    for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
        np_reader r;
        ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
        uint32_t found = 0;
        for (size_t at = 0; at < all.size; at += chunks[c]) {
            size_t n = all.size - at < chunks[c] ? all.size - at : chunks[c];
            ck_assert_int_eq(np_reader_feed(&r, all.data + at, n), NAV_OK);
            const uint8_t *bytes;
            size_t count;
            nav_status st;
            while ((st = np_reader_next(&r, &bytes, &count)) == NAV_OK) {
                size_t start = found ? ends[found - 1] : 0;
                ck_assert_uint_eq(count, ends[found] - start);
                ck_assert_mem_eq(bytes, all.data + start, count);
                found++;
            }
            ck_assert_int_eq(st, NAV_ERR_AGAIN);
        }
        ck_assert_uint_eq(found, example_count());
        ck_assert_uint_eq(np_reader_pending(&r), 0);
        np_reader_deinit(&r);
    }
    nav_buffer_deinit(&all);
}
END_TEST

START_TEST(every_prefix_of_an_example_asks_for_more_and_reads_no_further)
{
    nav_buffer whole = {0};
    np_limits limits;
    char why[NP_WHY_BYTES];
    np_limits_default(&limits);
    ck_assert_int_eq(example_encode(example_at((uint32_t)_i), &whole), NAV_OK);
    for (size_t n = 0; n < whole.size; n++) {
        uint8_t *exact = malloc(n ? n : 1); // the sanitizer sees a read behind it
        memcpy(exact, whole.data, n);
        np_scan scan = {0};
        ck_assert_int_eq(np_scan_run(&scan, &limits, exact, n, why, sizeof why), NAV_ERR_AGAIN);
        np_error err = {0};
        nav_status st = example_decode(example_at((uint32_t)_i), exact, n, NULL, &err);
        ck_assert_msg(st == NAV_ERR_FORMAT, "%s cut at %zu: %s", example_at((uint32_t)_i)->name, n,
                      nav_status_name(st));
        free(exact);
    }
    nav_buffer_deinit(&whole);
}
END_TEST

START_TEST(four_billion_elements_in_five_bytes_are_refused_and_cost_nothing)
{
    static const struct {
        uint8_t bytes[16];
        size_t count;
    } claims[] = {
        {{0xdd, 0xff, 0xff, 0xff, 0xff}, 5},             // array32
        {{0xdf, 0xff, 0xff, 0xff, 0xff}, 5},             // map32
        {{0xc6, 0xff, 0xff, 0xff, 0xff}, 5},             // bin32
        {{0xdb, 0xff, 0xff, 0xff, 0xff}, 5},             // str32
        {{0xc9, 0xff, 0xff, 0xff, 0xff, 0x01}, 6},       // ext32
        {{0x93, 0x02, 0xdd, 0xff, 0xff, 0xff, 0xff}, 7}, // inside of a message
        {{0x93, 0x02, 0xa1, 'x', 0xdf, 0x80, 0, 0, 0}, 9},
        {{0x93, 0x02, 0xc6, 0x04, 0x00, 0x00, 0x00}, 7}, // a bin as large as a whole message may be
    };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        char why[NP_WHY_BYTES];
        size_t before = heap_watch_start();
        ck_assert_int_eq(judge(NULL, claims[i].bytes, claims[i].count, why), NAV_ERR_LIMIT);
        ck_assert_uint_le(heap_watch_peak() - before, 4096);
        ck_assert_msg(strstr(why, "exceeds the limit of"), "%s", why);
    }
}
END_TEST

START_TEST(nesting_stops_at_its_limit)
{
    uint8_t nested[64];
    np_limits limits = small_limits();
    char why[NP_WHY_BYTES];
    memset(nested, 0x91, sizeof nested); // [[[[...
    nested[3] = 0x90;
    ck_assert_int_eq(judge(&limits, nested, 4, NULL), NAV_OK);
    nested[3] = 0x91;
    nested[4] = 0x05;
    ck_assert_int_eq(judge(&limits, nested, 5, NULL), NAV_OK);
    nested[4] = 0x90;
    ck_assert_int_eq(judge(&limits, nested, 5, why), NAV_ERR_LIMIT);
    ck_assert_str_eq(why, "depth of nesting: 5 exceeds the limit of 4");
    static uint8_t bomb[1 << 20];
    memset(bomb, 0x91, sizeof bomb);
    ck_assert_int_eq(judge(NULL, bomb, sizeof bomb, NULL), NAV_ERR_LIMIT);
    memset(bomb, 0x81, sizeof bomb); // maps as keys of maps
    ck_assert_int_eq(judge(NULL, bomb, sizeof bomb, NULL), NAV_ERR_LIMIT);
}
END_TEST

START_TEST(each_limit_takes_its_value_and_refuses_one_more)
{
    np_limits limits = small_limits();
    char why[NP_WHY_BYTES];
    uint8_t bytes[1100] = {0};
    // container: an array of 20, and of 21
    bytes[0] = 0xdc;
    bytes[2] = 20;
    ck_assert_int_eq(judge(&limits, bytes, 3 + 20, NULL), NAV_OK);
    bytes[2] = 21;
    ck_assert_int_eq(judge(&limits, bytes, 3, why), NAV_ERR_LIMIT);
    ck_assert_str_eq(why, "elements in an array: 21 exceeds the limit of 20");
    // elements: 1 + 4 + 4 * 19 = 81 and 19 or 20 more
    size_t n = 0;
    memset(bytes, 0, sizeof bytes);
    bytes[n++] = 0x95;
    for (int i = 0; i < 4; i++) {
        bytes[n++] = 0xdc;
        bytes[n + 1] = 19;
        n += 2 + 19;
    }
    bytes[n] = 0xdc;
    bytes[n + 2] = 18;
    ck_assert_int_eq(judge(&limits, bytes, n + 3 + 18, NULL), NAV_OK);
    bytes[n + 2] = 19;
    ck_assert_int_eq(judge(&limits, bytes, n + 3, why), NAV_ERR_LIMIT);
    ck_assert_str_eq(why, "elements in a message: 101 exceeds the limit of 100");
    // bytes: a bin of 997 with its header of 3
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 0xc5;
    bytes[1] = 997 >> 8;
    bytes[2] = 997 & 255;
    ck_assert_int_eq(judge(&limits, bytes, 1000, NULL), NAV_OK);
    bytes[2]++;
    ck_assert_int_eq(judge(&limits, bytes, 3, why), NAV_ERR_LIMIT);
    ck_assert_str_eq(why, "bytes in a message: 1001 exceeds the limit of 1000");
}
END_TEST

START_TEST(every_first_byte_is_sized_as_msgpack_c_sizes_it)
{
    // The header, then zeros: two bytes are enough for every length field to say 0 or a small number.
    np_limits limits;
    char why[NP_WHY_BYTES];
    np_limits_default(&limits);
    for (int b = 0; b < 256; b++) {
        uint8_t bytes[64] = {(uint8_t)b};
        for (int length = 0; length < 2; length++) {
            if (b >= 0xc4 && b <= 0xc9)
                bytes[b == 0xc4 || b == 0xc7 ? 1 : b == 0xc5 || b == 0xc8 ? 2 : 4] = (uint8_t)length;
            if (b >= 0xd9 && b <= 0xdf)
                bytes[b == 0xd9 ? 1 : b == 0xda || b == 0xdc || b == 0xde ? 2 : 4] = (uint8_t)length;
            np_scan scan = {0};
            nav_status st = np_scan_run(&scan, &limits, bytes, sizeof bytes, why, sizeof why);
            msgpack_unpacked u;
            msgpack_unpacked_init(&u);
            size_t end = 0;
            msgpack_unpack_return r = msgpack_unpack_next(&u, (const char *)bytes, sizeof bytes, &end);
            if (r == MSGPACK_UNPACK_PARSE_ERROR) {
                ck_assert_msg(st == NAV_ERR_FORMAT, "0x%02x", b);
            } else {
                ck_assert_msg(r == MSGPACK_UNPACK_SUCCESS && st == NAV_OK, "0x%02x", b);
                ck_assert_msg(scan.at == end, "0x%02x: %zu bytes, msgpack-c takes %zu", b, scan.at, end);
            }
            msgpack_unpacked_destroy(&u);
        }
    }
}
END_TEST

START_TEST(a_broken_stream_stays_broken)
{
    np_reader r;
    const uint8_t *bytes;
    size_t count;
    ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
    ck_assert_int_eq(np_reader_feed(&r, "\x90\xc1\x90", 3), NAV_OK);
    ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_OK);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_ERR_FORMAT);
    ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_ERR_FORMAT);
    ck_assert_int_eq(np_reader_feed(&r, "\x90", 1), NAV_ERR_FORMAT);
    ck_assert_str_eq(r.why, "not valid MessagePack: byte 0xc1 at offset 0 starts no value");
    np_reader_deinit(&r);
}
END_TEST

START_TEST(memory_follows_the_bytes_received_and_is_given_back)
{
    // A message of 32 MiB, announced at once and received slowly.
    enum { SIZE = 32 << 20, CHUNK = 64 << 10 };
    static uint8_t chunk[CHUNK];
    static const uint8_t header[] = {0xc6, SIZE >> 24, (SIZE >> 16) & 255, 0, 0};
    np_reader r;
    const uint8_t *bytes;
    size_t count, before = heap_watch_start();
    ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
    ck_assert_int_eq(np_reader_feed(&r, header, sizeof header), NAV_OK);
    for (size_t sent = 0; sent < SIZE; sent += CHUNK) {
        ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_ERR_AGAIN);
        ck_assert_uint_le(r.buffer.capacity, 2 * (sizeof header + sent) + 4096);
        ck_assert_int_eq(np_reader_feed(&r, chunk, CHUNK), NAV_OK);
    }
    ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_OK);
    ck_assert_uint_eq(count, SIZE + sizeof header);
    ck_assert_int_eq(np_reader_feed(&r, "\x90", 1), NAV_OK);
    ck_assert_uint_le(heap_watch_now() - before, 4096);
    np_reader_deinit(&r);
    ck_assert_uint_eq(heap_watch_now(), before);
}
END_TEST

// A taken message, and the first bytes of the next one behind it.
START_TEST(an_idle_reader_keeps_little_and_what_has_begun)
{
    enum { SIZE = 8 << 20, KEPT = 16 << 10 };
    static uint8_t message[5 + SIZE + 3] = {0xc6, SIZE >> 24, (SIZE >> 16) & 255, 0, 0};
    memcpy(message + 5 + SIZE, "\x93\x01\x02", 3);
    np_reader r;
    const uint8_t *bytes;
    size_t count, before = heap_watch_start();
    ck_assert_int_eq(np_reader_init(&r, NULL), NAV_OK);
    for (int rest = 0; rest <= 3; rest += 3) {
        ck_assert_int_eq(np_reader_feed(&r, message, (size_t)(5 + SIZE + rest)), NAV_OK);
        ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_OK);
        ck_assert_uint_eq(count, SIZE + 5);
        ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_ERR_AGAIN);
        np_reader_trim(&r);
        ck_assert_uint_le(heap_watch_now() - before, KEPT);
        ck_assert_uint_eq(np_reader_pending(&r), (size_t)rest);
    }
    ck_assert_int_eq(np_reader_feed(&r, "\x03", 1), NAV_OK);
    ck_assert_int_eq(np_reader_next(&r, &bytes, &count), NAV_OK);
    ck_assert_uint_eq(count, 4);
    ck_assert_int_eq(memcmp(bytes, "\x93\x01\x02\x03", 4), 0);
    const uint8_t *kept = r.buffer.data;
    np_reader_trim(&r);
    ck_assert_ptr_eq(r.buffer.data, kept); // a small one stays
    np_reader_deinit(&r);
}
END_TEST

START_TEST(limits_out_of_their_range_are_refused)
{
    np_reader r;
    np_limits l = small_limits();
    l.depth = NP_MAX_DEPTH;
    ck_assert_int_eq(np_reader_init(&r, &l), NAV_OK);
    l.depth++;
    ck_assert_int_eq(np_reader_init(&r, &l), NAV_ERR_ARGUMENT);
    l = small_limits();
    l.message_bytes = 0;
    ck_assert_int_eq(np_reader_init(&r, &l), NAV_ERR_ARGUMENT);
    l.message_bytes = (1u << 30) + 1;
    ck_assert_int_eq(np_reader_init(&r, &l), NAV_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("frame");
    TCase *t = tcase_create("frame");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, messages_fed_byte_by_byte_are_those_fed_at_once);
    tcase_add_loop_test(t, every_prefix_of_an_example_asks_for_more_and_reads_no_further, 0, (int)example_count());
    tcase_add_test(t, four_billion_elements_in_five_bytes_are_refused_and_cost_nothing);
    tcase_add_test(t, nesting_stops_at_its_limit);
    tcase_add_test(t, each_limit_takes_its_value_and_refuses_one_more);
    tcase_add_test(t, every_first_byte_is_sized_as_msgpack_c_sizes_it);
    tcase_add_test(t, a_broken_stream_stays_broken);
    tcase_add_test(t, memory_follows_the_bytes_received_and_is_given_back);
    tcase_add_test(t, an_idle_reader_keeps_little_and_what_has_begun);
    tcase_add_test(t, limits_out_of_their_range_are_refused);
    return run_suite(s);
}
