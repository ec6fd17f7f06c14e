// The cache of tiles on disk by itself: what is put is found, after a restart too; the oldest go first, and it works
// while it is full; whatever is damaged is a miss; failures have their reason.
#include "daemon/cache/tile_cache_parts.h"
#include "daemon/cache/tile_table.h"
#include "tests/daemon/tile_cache_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(what_is_put_is_found_also_after_a_restart)
{
    put(1, 100);
    put(2, 30000);
    nd_cached empty = {.status = NP_TILE_EMPTY, .content_key = key_of(7)};
    nd_tile_cache_put(cache, key_of(3), NP_ENCODING_DETOUR, &empty);
    flush();
    for (int i = 0; i < 2; i++) {
        ck_assert(has(1));
        ck_assert_int_eq(got.status, NP_TILE_OK);
        ck_assert_uint_eq(got.size, 300);
        ck_assert(nav_key_equal(got.content_key, key_of(2)));
        ck_assert(has(2));
        ck_assert(has(3));
        ck_assert_int_eq(got.status, NP_TILE_EMPTY);
        ck_assert(nav_key_equal(got.content_key, key_of(7)));
        ck_assert(!has(4));
        restart();
    }
    ck_assert(has(1));
    ck_assert(has(2));
    flush(); // tiles are read before the file is open, and how much there is, once it is
    nd_tile_cache_stats s = nd_tile_cache_stats_of(cache);
    ck_assert_uint_eq(s.entries, 3);
    ck_assert_uint_eq(s.hits, 2);
}
END_TEST

// Before the file is open, while it comes to be open, and after.
START_TEST(what_is_asked_at_once_after_a_start_is_found)
{
    enum { MANY = 2000 };
    for (uint32_t i = 0; i < MANY; i++) put(i, 500 + i % 3000);
    restart();
    for (uint32_t i = 0; i < MANY; i++) {
        ck_assert_msg(has(i), "%u", i);
        ck_assert(!has(MANY + i));
        if (i % 10 == 0) put(2 * MANY + i, 700);
    }
    nd_tile_cache_stats s = nd_tile_cache_stats_of(cache);
    ck_assert_uint_eq(s.hits, MANY);
    ck_assert_uint_eq(s.damaged, 0);
}
END_TEST

START_TEST(a_close_writes_what_waits)
{
    for (uint32_t i = 0; i < 500; i++) put(i, 500);
    restart();
    for (uint32_t i = 0; i < 500; i++) ck_assert_msg(has(i), "%u", i);
}
END_TEST

START_TEST(a_failure_keeps_its_reason_until_the_tile_may_have_more_memory)
{
    nd_cached failed = {.status = NP_TILE_FAILED, .failure = {NAV_ERR_LIMIT, 4, 0}};
    nd_tile_cache_put(cache, key_of(1), NP_ENCODING_DETOUR, &failed);
    restart();
    ck_assert(has(1));
    ck_assert_int_eq(got.status, NP_TILE_FAILED);
    ck_assert_int_eq(got.failure.status, NAV_ERR_LIMIT);
    ck_assert_int_eq(got.failure.stage, 4);
    memory_limit /= 2;
    restart();
    ck_assert(has(1));
    memory_limit *= 4;
    restart();
    ck_assert(!has(1));
}
END_TEST

START_TEST(a_crash_keeps_its_stage_and_its_signal)
{
    nd_cached crashed = {.status = NP_TILE_FAILED, .failure = {NAV_ERR_CRASHED, NAV_STAGE_CONTOURS, SIGSEGV}};
    nd_tile_cache_put(cache, key_of(1), NP_ENCODING_DETOUR, &crashed);
    restart();
    ck_assert(has(1));
    ck_assert_int_eq(got.failure.status, NAV_ERR_CRASHED);
    ck_assert_int_eq(got.failure.stage, NAV_STAGE_CONTOURS);
    ck_assert_int_eq(got.failure.signal, SIGSEGV);
    ck_assert(nav_key_is_zero(got.content_key));
}
END_TEST

START_TEST(the_filter_knows_what_is_not_there)
{
    enum { MANY = 10000, NOT_THERE = 50000 }; // more than are read in one go
    for (uint32_t i = 0; i < MANY; i++) put(i, 50);
    restart();
    flush(); // else it is not filled while somebody asks
    while (nd_tile_cache_may_have(cache, key_of(NOT_THERE), NP_ENCODING_DETOUR)) // until it is filled
        ck_assert(!has(NOT_THERE));
    ck_assert(has(1));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < MANY; i++) ck_assert(nd_tile_cache_may_have(cache, key_of(i), NP_ENCODING_DETOUR));
    for (uint32_t i = MANY; i < 2 * MANY; i++) wrong += nd_tile_cache_may_have(cache, key_of(i), NP_ENCODING_DETOUR);
    ck_assert_msg(wrong < 500, "%u of 10000", wrong);
    put(30000, 50);
    ck_assert(nd_tile_cache_may_have(cache, key_of(30000), NP_ENCODING_DETOUR));
    ck_assert(!nd_tile_cache_may_have(NULL, key_of(1), NP_ENCODING_DETOUR));
}
END_TEST

START_TEST(the_filter_knows_what_was_on_its_way_to_disk_when_it_was_made)
{
    enum { MANY = 40, NOT_THERE = 50000 };
    for (uint32_t i = 0; i < MANY; i++) put(i, 50); // the file is not open yet
    while (nd_tile_cache_may_have(cache, key_of(NOT_THERE), NP_ENCODING_DETOUR)) ck_assert(!has(NOT_THERE));
    for (uint32_t i = 0; i < MANY; i++) ck_assert(nd_tile_cache_may_have(cache, key_of(i), NP_ENCODING_DETOUR));
}
END_TEST

START_TEST(what_waits_to_be_written_when_a_larger_filter_is_made_is_known_to_it)
{
    enum { NOT_THERE = 500000 };
    put(0, 50);
    flush();
    while (nd_tile_cache_may_have(cache, key_of(NOT_THERE), NP_ENCODING_DETOUR)) ck_assert(!has(NOT_THERE));
    uint32_t count = 1;
    while (!cache->filling) put(count++, 10);
    while (cache->filling) uv_run(&loop, UV_RUN_ONCE);
    for (uint32_t i = 0; i < count; i++) ck_assert(nd_tile_cache_may_have(cache, key_of(i), NP_ENCODING_DETOUR));
}
END_TEST

START_TEST(the_oldest_go_first_and_a_use_makes_young)
{
    cap = 16 * nd_tile_cost(ND_TILE_HEAD_BYTES + 5000); // a turn each
    restart();
    for (uint32_t i = 0; i < 10; i++) {
        put(i, 5000);
        flush(); // a tick each
    }
    ck_assert(has(0));
    ck_assert(has(3));
    flush();
    shrink(5 * nd_tile_cost(ND_TILE_HEAD_BYTES + 5000));
    const bool left[10] = {1, 0, 0, 1, 0, 0, 0, 1, 1, 1};
    for (uint32_t i = 0; i < 10; i++) ck_assert_msg(has(i) == left[i], "%u", i);
    ck_assert_uint_eq(nd_tile_cache_stats_of(cache).evicted, 5);
}
END_TEST

START_TEST(what_memory_answers_stays_young_on_disk)
{
    enum { CAP = 4 << 20, PUTS = 2000 };
    cap = CAP;
    restart();
    nd_cache memory;
    nd_cache_init(&memory, 1 << 20);
    memory.disk = cache;
    nd_cached v = {.status = NP_TILE_OK, .blob = blob_of(0, 5000)};
    nd_cache_put(&memory, key_of(0), NP_ENCODING_DETOUR, &v);
    nd_blob_unref(v.blob);
    put(0, 5000);
    for (uint32_t i = 1; i <= PUTS; i++) { // four times the cap
        put(i, 5000);
        ck_assert_ptr_nonnull(nd_cache_get(&memory, key_of(0), NP_ENCODING_DETOUR));
        if (i % 50 == 0) flush();
    }
    ck_assert_uint_gt(nd_tile_cache_stats_of(cache).evicted, PUTS / 2);
    ck_assert(has(0));
    ck_assert(!has(1));
    nd_cache_deinit(&memory);
}
END_TEST

static off_t file_bytes(void)
{
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    ck_assert_int_eq(stat(path, &st), 0);
    return st.st_size;
}

START_TEST(it_works_while_it_is_full_for_ten_times_the_cap)
{
    enum { CAP = 4 << 20, PUTS = 15000 };
    cap = CAP;
    restart();
    uint64_t written = 0;
    for (uint32_t i = 0; i < PUTS; i++) {
        size_t bytes = 100 + i * 37 % 6000;
        put(i, bytes);
        written += bytes;
        if (i % 500 == 499) {
            flush();
            nd_tile_cache_stats s = nd_tile_cache_stats_of(cache);
            ck_assert_uint_le(s.bytes, CAP);
            ck_assert_msg(has(i), "%u", i);
        }
    }
    ck_assert_uint_gt(written, 10 * (uint64_t)CAP);
    nd_tile_cache_stats s = nd_tile_cache_stats_of(cache);
    ck_assert_uint_eq(s.errors, 0);
    ck_assert_uint_eq(s.puts, PUTS);
    ck_assert_uint_eq(s.puts - s.evicted, s.entries);
    ck_assert_uint_gt(s.bytes, CAP / 2);
    // The cap is one of the file too, but for what the transactions beside it take.
    ck_assert_msg(file_bytes() < 3 * CAP, "%lld", (long long)file_bytes());
    restart();
    ck_assert(has(PUTS - 1));
    ck_assert(!has(0));
}
END_TEST

static void put_many(uint32_t *n)
{
    for (int i = 0; i < 200; i++) put((*n)++, 2000);
    flush();
}

START_TEST(a_cap_that_a_full_disk_has_lowered_rises_when_there_is_room)
{
    enum { CAP = 4 << 20 };
    struct rlimit before, little;
    uint32_t n = 0;
    signal(SIGXFSZ, SIG_IGN);
    cap = CAP;
    restart();
    cache->regain_ms = 3600 * 1000;
    put_many(&n);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = (struct rlimit){2 << 20, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
    while (cache->max_bytes == CAP) put_many(&n);
    ck_assert_uint_gt(nd_tile_cache_stats_of(cache).errors, 0);
    uint64_t lowered = cache->max_bytes;
    ck_assert_uint_lt(lowered, 2 << 20);

    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    put_many(&n);
    ck_assert_uint_eq(cache->max_bytes, lowered); // not at once
    cache->regain_ms = cache->regain_ns = 0;
    while (cache->max_bytes < CAP) put_many(&n);
    ck_assert_uint_eq(cache->max_bytes, CAP);
    for (int i = 0; i < 20; i++) put_many(&n);
    ck_assert_uint_gt(nd_tile_cache_stats_of(cache).bytes, CAP / 2);
    ck_assert_uint_le(nd_tile_cache_stats_of(cache).bytes, CAP);
    ck_assert(has(n - 1));
}
END_TEST

// Changes the bytes of the file where a pattern stands.
static void damage(const void *pattern, size_t count, size_t at)
{
    char path[128];
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    int fd = open(path, O_RDWR);
    size_t size = (size_t)file_bytes();
    uint8_t *bytes = malloc(size);
    ck_assert_int_eq(pread(fd, bytes, size, 0), (ssize_t)size);
    int times = 0;
    for (size_t i = 0; i + count <= size; i++) {
        if (memcmp(bytes + i, pattern, count)) continue;
        uint8_t other = bytes[i + at] ^ 0x40;
        ck_assert_int_eq(pwrite(fd, &other, 1, (off_t)(i + at)), 1);
        times++;
    }
    ck_assert_int_ge(times, 1);
    free(bytes);
    close(fd);
}

START_TEST(a_transaction_is_not_as_large_as_what_waits)
{
    uint64_t before = nd_writer_statistics(cache->writer).commits;
    for (uint32_t n = 0; n < 10000; n++) put(n, 50); // nothing of it runs before the loop does but the first
    flush();
    ck_assert_uint_ge(nd_writer_statistics(cache->writer).commits - before, 4);
    ck_assert_uint_eq(nd_tile_cache_stats_of(cache).entries, 10000);
    ck_assert_uint_eq(nd_tile_cache_stats_of(cache).dropped, 0);
}
END_TEST

START_TEST(a_value_with_any_byte_changed_is_a_miss_and_goes)
{
    enum { BYTES = 60 };
    nd_blob *b = blob_of(1, BYTES);
    for (size_t at = 0; at < BYTES; at++) {
        put(1, BYTES);
        put(2, BYTES);
        close_cache();
        damage(b->data, BYTES, at);
        open_cache();
        ck_assert_msg(!has(1), "byte %zu", at);
        ck_assert(has(2));
        ck_assert_uint_eq(nd_tile_cache_stats_of(cache).damaged, 1);
        flush();
        ck_assert(!has(1));
        ck_assert_uint_eq(nd_tile_cache_stats_of(cache).damaged, 1);
    }
    nd_blob_unref(b);
}
END_TEST

START_TEST(a_file_whose_pages_are_not_in_order_is_set_aside)
{
    for (uint32_t i = 0; i < 200; i++) put(i, 1000);
    close_cache();
    char path[128];
    uint8_t noise[512];
    memset(noise, 0xa5, sizeof noise);
    snprintf(path, sizeof path, "%s/data.mdb", folder);
    int fd = open(path, O_RDWR);
    for (off_t at = 2 * 4096; at < file_bytes(); at += 4096)
        ck_assert_int_eq(pwrite(fd, noise, sizeof noise, at), sizeof noise);
    close(fd);
    open_cache();
    flush(); // the file is checked
    ck_assert_uint_eq(nd_tile_cache_stats_of(cache).damaged, 1);
    ck_assert(!has(1));
    put(1, 1000);
    restart();
    ck_assert(has(1));
    ck_assert(!has(2));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile_cache");
    TCase *t = tcase_create("cache");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, what_is_put_is_found_also_after_a_restart);
    tcase_add_test(t, what_is_asked_at_once_after_a_start_is_found);
    tcase_add_test(t, a_close_writes_what_waits);
    tcase_add_test(t, a_failure_keeps_its_reason_until_the_tile_may_have_more_memory);
    tcase_add_test(t, a_crash_keeps_its_stage_and_its_signal);
    tcase_add_test(t, the_filter_knows_what_is_not_there);
    tcase_add_test(t, the_filter_knows_what_was_on_its_way_to_disk_when_it_was_made);
    tcase_add_test(t, what_waits_to_be_written_when_a_larger_filter_is_made_is_known_to_it);
    tcase_add_test(t, the_oldest_go_first_and_a_use_makes_young);
    tcase_add_test(t, what_memory_answers_stays_young_on_disk);
    tcase_add_test(t, it_works_while_it_is_full_for_ten_times_the_cap);
    tcase_add_test(t, a_cap_that_a_full_disk_has_lowered_rises_when_there_is_room);
    tcase_add_test(t, a_transaction_is_not_as_large_as_what_waits);
    tcase_add_test(t, a_value_with_any_byte_changed_is_a_miss_and_goes);
    tcase_add_test(t, a_file_whose_pages_are_not_in_order_is_set_aside);
    suite_add_tcase(s, t);
    return run_suite(s);
}
