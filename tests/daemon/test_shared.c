#include "daemon/base/shared.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCKS = 64, TURNS = 20000, MOST_BYTES = 200000 };

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % bound);
}

static nd_shared *begin(void)
{
    nd_shared *s;
    ck_assert_int_eq(nd_shared_create(&s), NAV_OK);
    return s;
}

START_TEST(blocks_keep_what_is_written_while_others_come_and_go)
{
    nd_shared *s = begin();
    struct {
        unsigned char *at;
        size_t bytes;
    } blocks[BLOCKS] = {{0}};
    uint64_t chance = 5;
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        uint32_t i = random_below(&chance, BLOCKS);
        if (blocks[i].at) { // both ends and the middle are still its own
            ck_assert_uint_eq(blocks[i].at[0], i);
            ck_assert_uint_eq(blocks[i].at[blocks[i].bytes / 2], i);
            ck_assert_uint_eq(blocks[i].at[blocks[i].bytes - 1], i);
            nd_shared_give(s, blocks[i].at, blocks[i].bytes);
            blocks[i].at = NULL;
            continue;
        }
        blocks[i].bytes = 1 + random_below(&chance, 1 + random_below(&chance, MOST_BYTES));
        blocks[i].at = nd_shared_take(s, blocks[i].bytes);
        ck_assert_ptr_nonnull(blocks[i].at);
        ck_assert_uint_eq((uintptr_t)blocks[i].at % 64, 0);
        memset(blocks[i].at, (int)i, blocks[i].bytes);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) nd_shared_give(s, blocks[i].at, blocks[i].bytes);
    ck_assert_uint_eq(nd_shared_bytes(s), 0);
    nd_shared_destroy(s);
}
END_TEST

START_TEST(what_is_given_back_goes_to_the_system_and_its_place_to_the_next)
{
    const size_t bytes = (size_t)1 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *resident = calloc(bytes / page, 1);
    nd_shared *s = begin();
    unsigned char *block = nd_shared_take(s, bytes);
    memset(block, 1, bytes);
    ck_assert_uint_eq(nd_shared_bytes(s), bytes);
    nd_shared_give(s, block, bytes);
    ck_assert_uint_eq(nd_shared_bytes(s), 0);
    ck_assert_int_eq(mincore(block, bytes, resident), 0);
    for (size_t i = 0; i < bytes / page; i++) ck_assert_uint_eq(resident[i] & 1, 0);
    ck_assert_ptr_eq(nd_shared_take(s, bytes - page), block); // of the same class
    ck_assert_uint_eq(nd_shared_bytes(s), bytes - page);
    nd_shared_destroy(s);
    free(resident);
}
END_TEST

START_TEST(what_does_not_fit_is_refused_and_costs_nothing)
{
    nd_shared *s = begin();
    ck_assert_ptr_null(nd_shared_take(s, SIZE_MAX));
    ck_assert_ptr_null(nd_shared_take(s, (size_t)1 << 46));
    ck_assert_uint_eq(nd_shared_bytes(s), 0);
    nd_shared_give(s, NULL, 1);
    nd_shared_destroy(s);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they have more addresses than any limit
START_TEST(under_a_limit_of_addresses_it_takes_a_part_of_them)
{
    const struct rlimit few = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &few), 0);
    nd_shared *s = begin();
    void *rest = nd_shared_map((size_t)2 << 30); // the others' part
    ck_assert_ptr_nonnull(rest);
    ck_assert_ptr_nonnull(nd_shared_take(s, (size_t)256 << 20));
    nd_shared_unmap(rest, (size_t)2 << 30);
    nd_shared_destroy(s);
}
END_TEST
#endif

int main(void)
{
    Suite *s = suite_create("shared");
    TCase *t = tcase_create("shared");
    suite_add_tcase(s, t);
    tcase_add_test(t, blocks_keep_what_is_written_while_others_come_and_go);
    tcase_add_test(t, what_is_given_back_goes_to_the_system_and_its_place_to_the_next);
    tcase_add_test(t, what_does_not_fit_is_refused_and_costs_nothing);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    tcase_add_test(t, under_a_limit_of_addresses_it_takes_a_part_of_them);
#endif
    return run_suite(s);
}
