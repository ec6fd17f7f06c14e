// The note of a tile by hand (protocol/tile_note.h) against its table: the same bytes out, the same values in.
#include "protocol/tile_note.h"

#include "protocol/schema.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { NOTES = 20000 };

static uint64_t state;
static uint8_t data[70000];
static char text[400];

// xorshift64*: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
static uint64_t random_bits(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull;
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)((random_bits() >> 32) * n >> 32);
}

// Of every length, and around the places where another form begins.
static uint64_t random_number(void)
{
    unsigned bits = below(65);
    uint64_t v = bits ? UINT64_MAX >> (64 - bits) : 0;
    return below(2) ? v : below(2) ? v + 1 : v & random_bits();
}

static int32_t random_place(void)
{
    int32_t v = (int32_t)(random_number() >> (32 + below(32)) & INT32_MAX);
    return below(2) ? v : -v - (int32_t)below(2);
}

static np_str random_text(void)
{
    static const uint32_t sizes[] = {0, 1, 31, 32, 255, 256, 400};
    return (np_str){text, sizes[below(7)]};
}

static np_tile_note random_note(void)
{
    static const uint32_t sizes[] = {0, 1, 255, 256, 65535, 65536};
    np_tile_note n = {.subscription = random_number(),
                      .world = random_number(),
                      .profile = random_text(),
                      .tile = {.x = random_place(),
                               .z = random_place(),
                               .sheet = below(2) ? (nav_sheet)below(NAV_SHEET_COUNT) : NAV_SHEET_UP,
                               .status = (np_tile_status)below(NP_TILE_PENDING + 1),
                               .revision = random_number(),
                               .encoding = (np_encoding)below(NP_ENCODING_PACKED + 1)}};
    if (below(2)) n.tile.reason = random_text();
    if (below(2)) n.tile.key = (nav_key){random_bits(), random_bits()};
    if (below(2)) n.tile.size = random_number();
    if (below(2)) n.tile.queued_us = random_number();
    if (below(2)) n.tile.made_us = random_number();
    if (below(2)) n.tile.data = (np_bin){data, sizes[below(6)]};
    return n;
}

static void encode_by_table(const np_tile_note *n, nav_buffer *out)
{
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 3);
    np_write_uint(&w, NP_NOTIFICATION);
    np_write_text(&w, "tile");
    np_schema_encode(&w, &np_schema_tile_note, n);
    ck_assert_int_eq(np_writer_finish(&w), NAV_OK);
}

static void check_str(np_str a, np_str b)
{
    ck_assert_uint_eq(a.size, b.size);
    if (a.size) ck_assert_mem_eq(a.data, b.data, a.size);
}

static void check_same(const np_tile_note *a, const np_tile_note *b)
{
    const np_tile *s = &a->tile, *t = &b->tile;
    ck_assert_uint_eq(a->subscription, b->subscription);
    ck_assert_uint_eq(a->world, b->world);
    check_str(a->profile, b->profile);
    ck_assert_int_eq(s->x, t->x);
    ck_assert_int_eq(s->z, t->z);
    ck_assert_int_eq(s->sheet, t->sheet);
    ck_assert_int_eq(s->status, t->status);
    check_str(s->reason, t->reason);
    ck_assert_uint_eq(s->revision, t->revision);
    ck_assert(nav_key_equal(s->key, t->key));
    ck_assert_uint_eq(s->size, t->size);
    ck_assert_int_eq(s->encoding, t->encoding);
    ck_assert_uint_eq(s->queued_us, t->queued_us);
    ck_assert_uint_eq(s->made_us, t->made_us);
    check_str((np_str){(const char *)s->data.data, s->data.size}, (np_str){(const char *)t->data.data, t->data.size});
}

static void setup(void)
{
    state = 0x9e3779b97f4a7c15ull;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)random_bits();
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + below(26));
}

START_TEST(the_same_bytes_are_written_as_by_the_table_and_read_back)
{
    nav_buffer by_table = {0};
    for (int i = 0; i < NOTES; i++) {
        np_tile_note n = random_note(), back;
        uint8_t *out = malloc(np_tile_note_bound(&n)); // what is written beyond it, the sanitizer sees
        size_t size = np_tile_note_write(&n, out);
        by_table.size = 0;
        encode_by_table(&n, &by_table);
        ck_assert_uint_eq(size, by_table.size);
        ck_assert_mem_eq(out, by_table.data, size);
        ck_assert(np_tile_note_read(out, size, &back));
        check_same(&back, &n);
        free(out);
    }
    nav_buffer_deinit(&by_table);
}
END_TEST

START_TEST(a_note_that_is_cut_or_has_something_behind_it_is_left_to_others)
{
    for (int i = 0; i < 100; i++) {
        np_tile_note n = random_note(), back;
        if (n.tile.data.size > 300) n.tile.data.size = 300;
        uint8_t *out = malloc(np_tile_note_bound(&n) + 1);
        size_t size = np_tile_note_write(&n, out);
        out[size] = 0;
        ck_assert(!np_tile_note_read(out, size + 1, &back));
        for (size_t cut = 0; cut < size; cut++) {
            uint8_t *exact = malloc(cut + !cut);
            memcpy(exact, out, cut);
            ck_assert(!np_tile_note_read(exact, cut, &back));
            free(exact);
        }
        free(out);
    }
}
END_TEST

START_TEST(what_is_read_of_changed_bytes_is_what_the_table_reads)
{
    unsigned both = 0;
    for (int i = 0; i < NOTES; i++) {
        np_tile_note n = random_note(), fast, slow;
        if (n.tile.data.size > 300) n.tile.data.size = 1;
        uint8_t *out = malloc(np_tile_note_bound(&n));
        size_t size = np_tile_note_write(&n, out);
        for (uint32_t changes = 1 + below(3); changes; changes--) out[below((uint32_t)size)] = (uint8_t)random_bits();
        np_message m = {0};
        np_error err;
        if (np_tile_note_read(out, size, &fast)) {
            ck_assert_int_eq(np_message_read(out, size, &m, &err), NAV_OK);
            ck_assert_int_eq(np_method_of(&m), NP_TILE);
            ck_assert_int_eq(np_decode_tile_note(&m, &slow, &err), NAV_OK);
            check_same(&fast, &slow);
            both++;
        }
        np_message_deinit(&m);
        free(out);
    }
    ck_assert_uint_gt(both, NOTES / 10);
}
END_TEST

// A stream of notes and other messages that comes in pieces, under limits that are now and then too narrow.
static void check_stream(const nav_buffer *stream, const np_limits *limits)
{
    np_reader by_hand, plain;
    ck_assert_int_eq(np_reader_init(&by_hand, limits), NAV_OK);
    ck_assert_int_eq(np_reader_init(&plain, limits), NAV_OK);
    for (size_t at = 0, count; at < stream->size; at += count) {
        count = 1 + below(700);
        if (count > stream->size - at) count = stream->size - at;
        ck_assert_int_eq(np_reader_feed(&by_hand, stream->data + at, count),
                         np_reader_feed(&plain, stream->data + at, count));
        for (nav_status s = NAV_OK; s == NAV_OK;) {
            np_tile_note fast, slow;
            const uint8_t *bytes, *same_bytes;
            size_t size, same_size;
            s = np_reader_next(&plain, &bytes, &size);
            if (np_tile_note_next(&by_hand, &fast)) {
                ck_assert_int_eq(s, NAV_OK);
                ck_assert(np_tile_note_read(bytes, size, &slow));
                check_same(&fast, &slow);
            } else {
                ck_assert_int_eq(np_reader_next(&by_hand, &same_bytes, &same_size), s);
                ck_assert_uint_eq(same_size, size);
            }
            ck_assert_uint_eq(np_reader_pending(&by_hand), np_reader_pending(&plain));
        }
    }
    np_reader_deinit(&by_hand);
    np_reader_deinit(&plain);
}

START_TEST(a_reader_gives_the_same_notes_in_one_step)
{
    for (int round = 0; round < 200; round++) {
        nav_buffer stream = {0};
        np_limits limits;
        np_limits_default(&limits);
        if (round % 4 == 1) limits.depth = 1 + below(3);
        if (round % 4 == 2) limits.elements = 1 + below(40);
        if (round % 4 == 3) limits.message_bytes = 100 + below(500);
        for (int i = 0; i < 30; i++) {
            np_tile_note n = random_note();
            if (n.tile.data.size > 300) n.tile.data.size = 300;
            if (below(4))
                ck_assert_int_eq(np_encode_tile_note(&stream, &n), NAV_OK);
            else
                ck_assert_int_eq(np_encode_synced_note(&stream, &(np_synced_note){.subscription = 1}), NAV_OK);
        }
        check_stream(&stream, &limits);
        nav_buffer_deinit(&stream);
    }
}
END_TEST

START_TEST(other_messages_and_notes_of_another_order_are_left_to_others)
{
    np_tile_note out;
    nav_buffer b = {0};
    ck_assert_int_eq(np_encode_synced_note(&b, &(np_synced_note){.subscription = 1}), NAV_OK);
    ck_assert(!np_tile_note_read(b.data, b.size, &out));
    static const uint8_t other_order[] =
        "\x93\x02\xa4tile\x87\xa5world\x01\xacsubscription\x02\xa7profile\xa1p\xa1x\x01"
        "\xa1z\x01\xa6status\xa2ok\xa8revision\x01";
    np_message m;
    np_error err;
    ck_assert(!np_tile_note_read(other_order, sizeof other_order - 1, &out));
    ck_assert_int_eq(np_message_read(other_order, sizeof other_order - 1, &m, &err), NAV_OK);
    ck_assert_int_eq(np_decode_tile_note(&m, &out, &err), NAV_OK);
    np_message_deinit(&m);
    nav_buffer_deinit(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile_note");
    TCase *t = tcase_create("tile_note");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, setup, NULL);
    tcase_add_test(t, the_same_bytes_are_written_as_by_the_table_and_read_back);
    tcase_add_test(t, a_note_that_is_cut_or_has_something_behind_it_is_left_to_others);
    tcase_add_test(t, what_is_read_of_changed_bytes_is_what_the_table_reads);
    tcase_add_test(t, a_reader_gives_the_same_notes_in_one_step);
    tcase_add_test(t, other_messages_and_notes_of_another_order_are_left_to_others);
    return run_suite(s);
}
