#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "core/base/key.h"
#include "core/base/status.h"
#include "core/base/varint.h"
#include "tests/check.h"

#include <stdint.h>
#include <stdlib.h>

START_TEST(every_status_has_a_name_and_words)
{
    for (int s = 0; s < NAV_STATUS_COUNT; s++) {
        ck_assert_str_ne(nav_status_name((nav_status)s), "unknown");
        ck_assert_int_gt((int)strlen(nav_status_text((nav_status)s)), 3);
    }
    ck_assert_str_eq(nav_status_name((nav_status)9999), "unknown");
}
END_TEST

START_TEST(arena_gives_aligned_memory_and_takes_it_back)
{
    nav_arena a;
    nav_arena_init(&a, 0);
    char *first = NAV_TAKE(&a, char, 5);
    ck_assert_ptr_nonnull(first);
    ck_assert_uint_eq((uintptr_t)first % 32, 0);
    nav_arena_mark m = nav_arena_get_mark(&a);
    char *second = NAV_TAKE(&a, char, 100);
    nav_arena_release(&a, m);
    char *third = NAV_TAKE(&a, char, 100);
    ck_assert_ptr_eq(second, third);
    nav_arena_deinit(&a);
}
END_TEST

START_TEST(arena_joins_its_blocks_so_that_the_second_job_allocates_nothing)
{
    nav_arena a;
    nav_arena_init(&a, 0);
    for (int i = 0; i < 100; i++) ck_assert_ptr_nonnull(NAV_TAKE(&a, char, 100000));
    size_t held = a.held_bytes;
    nav_arena_reset(&a);
    nav_arena_block *block = a.top_block;
    for (int i = 0; i < 100; i++) ck_assert_ptr_nonnull(NAV_TAKE(&a, char, 100000));
    ck_assert_ptr_eq(a.top_block, block);
    ck_assert_uint_eq(a.held_bytes, held);
    nav_arena_deinit(&a);
}
END_TEST

START_TEST(arena_refuses_what_is_over_its_budget_or_overflows)
{
    nav_arena a;
    nav_arena_init(&a, 1000);
    ck_assert_ptr_null(NAV_TAKE(&a, char, 1001));
    ck_assert_int_eq(nav_arena_failure(&a), NAV_ERR_LIMIT);
    ck_assert_ptr_null(nav_arena_take(&a, SIZE_MAX / 2, 8));
    ck_assert_int_eq(nav_arena_failure(&a), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(NAV_TAKE(&a, char, 900));
    ck_assert_ptr_null(NAV_TAKE(&a, char, 900));
    nav_arena_reset(&a);
    ck_assert_ptr_nonnull(NAV_TAKE(&a, char, 900));
    nav_arena_deinit(&a);
}
END_TEST

START_TEST(keys_store_little_endian_and_add_in_any_order)
{
    nav_key a = nav_key_of("a", 1), b = nav_key_of("b", 1), c = {UINT64_MAX, 7};
    nav_key x = nav_key_add(nav_key_add(a, b), c), y = nav_key_add(c, nav_key_add(b, a));
    ck_assert(nav_key_equal(x, y));
    nav_key carried = nav_key_add(c, (nav_key){1, 0});
    ck_assert_uint_eq(carried.low, 0);
    ck_assert_uint_eq(carried.high, 8);
    uint8_t bytes[NAV_KEY_BYTES];
    char text[NAV_KEY_TEXT_BYTES];
    nav_key k = {0x0807060504030201u, 0x100f0e0d0c0b0a09u};
    nav_key_store(k, bytes);
    ck_assert_uint_eq(bytes[0], 1);
    ck_assert_uint_eq(bytes[15], 16);
    ck_assert(nav_key_equal(nav_key_load(bytes), k));
    nav_key_text(k, text);
    ck_assert_str_eq(text, "0102030405060708090a0b0c0d0e0f10");
}
END_TEST

START_TEST(numbers_come_back_and_those_that_are_cut_or_too_long_do_not)
{
    static const uint64_t numbers[] = {0, 127, 128, 300, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint8_t bytes[NAV_VARINT_BYTES];
        uint64_t v = 1;
        const size_t n = nav_varint_store(bytes, numbers[i]);
        ck_assert_uint_le(n, NAV_VARINT_BYTES);
        ck_assert_uint_eq(nav_varint_load(bytes, n, 64, &v), n);
        ck_assert_uint_eq(v, numbers[i]);
        for (size_t cut = 0; cut < n; cut++) ck_assert_uint_eq(nav_varint_load(bytes, cut, 64, &v), 0);
        ck_assert_uint_eq(nav_varint_load(bytes, n, 32, &v), numbers[i] <= UINT32_MAX ? n : 0);
    }
    static const uint8_t too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
    uint64_t v;
    ck_assert_uint_eq(nav_varint_load(too_long, sizeof too_long, 64, &v), 0);
    static const int32_t around[] = {0, -1, 1, -64, 63, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        ck_assert_int_eq(nav_unzigzag(nav_zigzag(around[i])), around[i]);
    ck_assert_uint_eq(nav_zigzag(-1), 1);
    ck_assert_uint_eq(nav_zigzag(1), 2);
}
END_TEST

START_TEST(keys_have_an_order)
{
    const nav_key small = {9, 1}, large = {1, 2}, next = {2, 2};
    ck_assert(nav_key_less(small, large));
    ck_assert(nav_key_less(large, next));
    ck_assert(!nav_key_less(next, large));
    ck_assert(!nav_key_less(large, large));
}
END_TEST

START_TEST(buffer_grows_and_keeps_its_bytes)
{
    nav_buffer b = {0};
    for (int i = 0; i < 10000; i++) {
        uint8_t byte = (uint8_t)i;
        ck_assert_int_eq(nav_buffer_append(&b, &byte, 1), NAV_OK);
    }
    ck_assert_uint_eq(b.size, 10000);
    for (int i = 0; i < 10000; i++) ck_assert_uint_eq(b.data[i], (uint8_t)i);
    ck_assert_int_eq(nav_buffer_reserve(&b, SIZE_MAX / 2), NAV_ERR_LIMIT);
    nav_buffer_deinit(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("base");
    TCase *t = tcase_create("base");
    suite_add_tcase(s, t);
    tcase_add_test(t, every_status_has_a_name_and_words);
    tcase_add_test(t, arena_gives_aligned_memory_and_takes_it_back);
    tcase_add_test(t, arena_joins_its_blocks_so_that_the_second_job_allocates_nothing);
    tcase_add_test(t, arena_refuses_what_is_over_its_budget_or_overflows);
    tcase_add_test(t, keys_store_little_endian_and_add_in_any_order);
    tcase_add_test(t, numbers_come_back_and_those_that_are_cut_or_too_long_do_not);
    tcase_add_test(t, keys_have_an_order);
    tcase_add_test(t, buffer_grows_and_keeps_its_bytes);
    return run_suite(s);
}
