#include "core/base/endian.h"
#include "daemon/farm/wanted.h"
#include "tests/check.h"
#include "tests/farm/area_fixture.h"

#include <stdlib.h>
#include <string.h>

static uint8_t bytes[ND_PACK_BYTES];

static void set_up(void)
{
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(i * 7 + i / 256);
}

static void check_tile(const nd_pack_tile *got, const nd_pack_tile *want)
{
    const nd_cached *a = &got->record.value, *b = &want->record.value;
    ck_assert(nav_key_equal(got->source, want->source));
    ck_assert_uint_eq(got->encoding, want->encoding);
    ck_assert_int_eq(a->status, b->status);
    ck_assert_uint_eq(a->size, b->size);
    ck_assert_uint_eq(got->record.memory_limit, want->record.memory_limit);
    ck_assert_uint_eq(got->record.data_bytes, want->record.data_bytes);
    if (want->record.data_bytes) ck_assert_mem_eq(got->record.data, want->record.data, want->record.data_bytes);
    if (b->status != NP_TILE_FAILED) {
        ck_assert(nav_key_equal(a->content_key, b->content_key));
        return;
    }
    ck_assert_int_eq(a->failure.status, b->failure.status);
    ck_assert_int_eq(a->failure.stage, b->failure.stage);
    ck_assert_int_eq(a->failure.signal, b->failure.signal);
}

START_TEST(tiles_come_back_in_their_order)
{
    nd_pack_writer w;
    nd_pack p;
    nd_pack_tile got;
    nd_pack_writer_init(&w);
    for (unsigned i = 0; i < 300; i++) {
        nd_pack_tile t = pack_tile(i, bytes + i, 10 + i);
        ck_assert_int_eq(nd_pack_writer_add(&w, &t), NAV_OK);
    }
    nd_pack_writer_finish(&w);
    ck_assert_uint_eq(w.count, 1);
    ck_assert_uint_eq(w.left_out, 0);
    ck_assert_int_eq(nd_pack_open(w.parts[0].data, w.parts[0].size, &p), NAV_OK);
    ck_assert_uint_eq(p.tiles, 300);
    ck_assert_uint_eq(p.parts, 1);
    for (unsigned i = 0; i < 300; i++) {
        const nd_pack_tile want = pack_tile(i, bytes + i, 10 + i);
        ck_assert(nd_pack_next(&p, &got));
        check_tile(&got, &want);
    }
    ck_assert(!nd_pack_next(&p, &got));
    nd_pack_writer_deinit(&w);
}
END_TEST

START_TEST(what_is_larger_than_a_message_is_cut)
{
    enum { TILES = 40, BYTES = 50000 };
    nd_pack_writer w;
    nd_pack_tile got;
    unsigned seen = 0;
    nd_pack_writer_init(&w);
    for (unsigned i = 0; i < TILES; i++) {
        nd_pack_tile t = pack_tile(3 * i, bytes + i, BYTES);
        ck_assert_int_eq(nd_pack_writer_add(&w, &t), NAV_OK);
    }
    nd_pack_tile large = pack_tile(3000, bytes, sizeof bytes - ND_PACK_HEAD_BYTES);
    ck_assert_int_eq(nd_pack_writer_add(&w, &large), NAV_OK);
    ck_assert_uint_eq(w.left_out, 1);
    nd_pack_writer_finish(&w);
    ck_assert_uint_eq(w.count, 4);
    for (uint32_t k = 0; k < w.count; k++) {
        nd_pack p;
        ck_assert_uint_le(w.parts[k].size, ND_PACK_BYTES);
        ck_assert_int_eq(nd_pack_open(w.parts[k].data, w.parts[k].size, &p), NAV_OK);
        ck_assert_uint_eq(p.part, k);
        ck_assert_uint_eq(p.parts, w.count);
        for (; nd_pack_next(&p, &got); seen++) {
            const nd_pack_tile want = pack_tile(3 * seen, bytes + seen, BYTES);
            check_tile(&got, &want);
        }
    }
    ck_assert_uint_eq(seen, TILES);
    nd_pack_writer_deinit(&w);
}
END_TEST

START_TEST(what_has_no_room_is_left_out_and_counted)
{
    nd_pack_writer w;
    nd_pack_writer_init(&w);
    for (unsigned i = 0; i < ND_PACK_PARTS + 3; i++) {
        nd_pack_tile t = pack_tile(3 * i, bytes, 400000);
        ck_assert_int_eq(nd_pack_writer_add(&w, &t), NAV_OK);
    }
    ck_assert_uint_eq(w.count, ND_PACK_PARTS);
    ck_assert_uint_eq(w.left_out, 3);
    nd_pack_writer_deinit(&w);
}
END_TEST

// One part with some tiles.
static void make_part(nav_buffer *out)
{
    nd_pack_writer w;
    nd_pack_writer_init(&w);
    for (unsigned i = 0; i < 9; i++) {
        nd_pack_tile t = pack_tile(i, bytes + i, 150);
        ck_assert_int_eq(nd_pack_writer_add(&w, &t), NAV_OK);
    }
    nd_pack_writer_finish(&w);
    ck_assert_int_eq(nav_buffer_append(out, w.parts[0].data, w.parts[0].size), NAV_OK);
    nd_pack_writer_deinit(&w);
}

// From a block of exactly the bytes' size; all tiles are looked at.
static nav_status open_exactly(const uint8_t *data, size_t count)
{
    uint8_t *copy = malloc(count + !count);
    if (count) memcpy(copy, data, count);
    nd_pack p;
    nd_pack_tile t;
    nav_status s = nd_pack_open(copy, count, &p);
    uint64_t sum = 0;
    uint32_t tiles = 0;
    for (; s == NAV_OK && nd_pack_next(&p, &t); tiles++)
        for (size_t i = 0; i < t.record.data_bytes; i++) sum += t.record.data[i];
    if (s == NAV_OK) ck_assert_uint_eq(tiles, p.tiles);
    ck_assert_uint_lt(sum, UINT64_MAX);
    free(copy);
    return s;
}

START_TEST(every_truncation_and_every_changed_byte_is_refused)
{
    nav_buffer part = {0};
    make_part(&part);
    ck_assert_int_eq(open_exactly(part.data, part.size), NAV_OK);
    for (size_t n = 0; n < part.size; n++)
        ck_assert_msg(open_exactly(part.data, n) == NAV_ERR_FORMAT, "%zu bytes of %zu", n, part.size);
    for (size_t i = 0; i < part.size; i++) {
        part.data[i] ^= (uint8_t)(1u << i % 8);
        nav_status s = open_exactly(part.data, part.size);
        ck_assert_msg(s == NAV_ERR_FORMAT || (s == NAV_ERR_VERSION && i == 2), "byte %zu: %s", i, nav_status_name(s));
        part.data[i] ^= (uint8_t)(1u << i % 8);
    }
    nav_buffer_deinit(&part);
}
END_TEST

START_TEST(made_up_packs_are_refused_or_whole)
{
    nav_buffer part = {0};
    unsigned taken = 0, refused = 0;
    make_part(&part);
    for (size_t i = 0; i < part.size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            part.data[i] ^= (uint8_t)(1u << bit);
            pack_seal(part.data, part.size);
            *(open_exactly(part.data, part.size) == NAV_OK ? &taken : &refused) += 1;
            part.data[i] ^= (uint8_t)(1u << bit);
        }
    for (size_t n = ND_PACK_HEAD_BYTES; n < part.size; n++) {
        uint8_t before[16];
        memcpy(before, part.data + 16, 16);
        pack_seal(part.data, n);
        ck_assert_int_ne(open_exactly(part.data, n), NAV_OK);
        memcpy(part.data + 16, before, 16);
    }
    ck_assert_uint_gt(taken, 0);
    ck_assert_uint_gt(refused, 0);
    nav_buffer_deinit(&part);
}
END_TEST

START_TEST(another_generator_s_pack_is_refused)
{
    nav_buffer part = {0};
    make_part(&part);
    nav_store_u32(part.data + 4, NAV_GENERATOR_VERSION + 1);
    pack_seal(part.data, part.size);
    ck_assert_int_eq(open_exactly(part.data, part.size), NAV_ERR_VERSION);
    nav_buffer_deinit(&part);
}
END_TEST

// Tiles 1 and 5 of the part have the same encoding; 1 is empty, 5 failed with 16 GiB.
static void look_up(const nav_buffer *part, bool takes_failures, uint64_t memory_limit, bool finds_failure)
{
    const nav_key keys[] = {pack_tile(1, bytes, 150).source, pack_tile(5, bytes, 150).source, {77, 77}};
    nd_cached out[ND_ENCODINGS];
    nd_wanted *w = nd_wanted_create(keys, 3, 1u << 1);
    ck_assert_ptr_nonnull(w);
    w->takes_failures = takes_failures;
    w->memory_limit = memory_limit;
    ck_assert_int_eq(nd_wanted_read(w, part->data, part->size), NAV_OK);
    ck_assert(nd_wanted_get(w, 0, out));
    ck_assert_int_eq(out[1].status, NP_TILE_EMPTY);
    ck_assert_int_eq(nd_wanted_get(w, 1, out), finds_failure);
    if (finds_failure) ck_assert_int_eq(out[1].failure.status, NAV_ERR_CRASHED);
    ck_assert(!nd_wanted_has(w, 2));
    nd_wanted_destroy(w);
}

START_TEST(a_failure_serves_who_allows_no_more_memory)
{
    nav_buffer part = {0};
    make_part(&part);
    look_up(&part, false, 0, false);
    look_up(&part, true, UINT64_C(1) << 34, true);
    look_up(&part, true, (UINT64_C(1) << 34) + 1, false);
    nav_buffer_deinit(&part);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pack");
    TCase *t = tcase_create("pack");
    tcase_add_checked_fixture(t, set_up, NULL);
    tcase_add_test(t, tiles_come_back_in_their_order);
    tcase_add_test(t, what_is_larger_than_a_message_is_cut);
    tcase_add_test(t, what_has_no_room_is_left_out_and_counted);
    tcase_add_test(t, every_truncation_and_every_changed_byte_is_refused);
    tcase_add_test(t, made_up_packs_are_refused_or_whole);
    tcase_add_test(t, another_generator_s_pack_is_refused);
    tcase_add_test(t, a_failure_serves_who_allows_no_more_memory);
    suite_add_tcase(s, t);
    return run_suite(s);
}
