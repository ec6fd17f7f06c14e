#include "daemon/farm/beat.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

#define ID "0123456789abcdef0123456789abcdef"

static const nd_beat beat = {.kind = ND_BEAT_WORKER,
                             .id = ID,
                             .generator = NAV_GENERATOR_VERSION,
                             .leaves = true,
                             .threads = 8,
                             .jobs = 2,
                             .tiles = UINT64_C(1) << 50,
                             .set_aside = 1,
                             .uptime_s = 3};
static const nav_key keys[] = {{1, 2}, {3, 4}};
static const nd_done_tile tiles[] = {{-5, 1 << 23, NAV_ERR_TIMEOUT}};
static const nd_done done = {.job = UINT64_MAX,
                             .status = ND_DONE_NO_MESH,
                             .worker = ID,
                             .built = 255,
                             .found = 1,
                             .meshes = keys,
                             .mesh_count = 2,
                             .tiles = tiles,
                             .tile_count = 1};

START_TEST(a_beat_comes_back)
{
    nav_buffer out = {0};
    np_message m;
    nd_beat got, sent = beat;
    np_error err;
    sent.name = np_str_of("build-7");
    sent.version = np_str_of("0.9");
    ck_assert_int_eq(nd_beat_write(&out, &sent), NAV_OK);
    ck_assert_int_eq(nd_beat_read(out.data, out.size, &m, &got, &err), NAV_OK);
    ck_assert_int_eq(got.kind, ND_BEAT_WORKER);
    ck_assert_str_eq(got.id, ID);
    ck_assert(np_str_equal(got.name, "build-7"));
    ck_assert(got.leaves);
    ck_assert_uint_eq(got.threads, 8);
    ck_assert_uint_eq(got.tiles, UINT64_C(1) << 50);
    ck_assert_uint_eq(got.set_aside, 1);
    ck_assert_uint_eq(got.waiting, 0);
    np_message_deinit(&m);
    nav_buffer_deinit(&out);
}
END_TEST

START_TEST(a_notice_comes_back)
{
    nav_buffer out = {0};
    np_message m;
    nd_done got, sent = done;
    np_error err;
    sent.why = np_str_of("two meshes");
    ck_assert_int_eq(nd_done_write(&out, &sent), NAV_OK);
    ck_assert_int_eq(nd_done_read(out.data, out.size, &m, &got, &err), NAV_OK);
    ck_assert_uint_eq(got.job, UINT64_MAX);
    ck_assert_int_eq(got.status, ND_DONE_NO_MESH);
    ck_assert_uint_eq(got.built, 255);
    ck_assert_uint_eq(got.mesh_count, 2);
    ck_assert(nav_key_equal(got.meshes[1], keys[1]));
    ck_assert_uint_eq(got.tile_count, 1);
    ck_assert_int_eq(got.tiles[0].x, -5);
    ck_assert_int_eq(got.tiles[0].status, NAV_ERR_TIMEOUT);
    ck_assert(np_str_equal(got.why, "two meshes"));
    np_message_deinit(&m);
    nav_buffer_deinit(&out);
}
END_TEST

START_TEST(an_id_that_could_be_a_subject_of_another_is_refused)
{
    static const char *const ids[] = {
        "", "*", ">", "0123456789abcdef0123456789abcde.", "0123", "0123456789ABCDEF0123456789ABCDEF"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        nav_buffer out = {0};
        np_message m;
        np_error err;
        nd_beat got, sent = beat;
        snprintf(sent.id, sizeof sent.id, "%s", ids[i]);
        ck_assert_int_eq(nd_beat_write(&out, &sent), NAV_OK);
        ck_assert_msg(nd_beat_read(out.data, out.size, &m, &got, &err) == NAV_ERR_FORMAT, "%s", ids[i]);
        np_message_deinit(&m);
        nav_buffer_deinit(&out);
    }
}
END_TEST

// Any bytes, in a block of exactly their size.
static void read_all(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count + !count);
    if (count) memcpy(copy, bytes, count);
    np_message m;
    np_error err;
    nd_beat b;
    nd_done d;
    uint64_t jobs[ND_VOID_JOBS];
    uint32_t n;
    ck_assert_int_lt(nd_beat_read(copy, count, &m, &b, &err), NAV_STATUS_COUNT);
    np_message_deinit(&m);
    ck_assert_int_lt(nd_done_read(copy, count, &m, &d, &err), NAV_STATUS_COUNT);
    np_message_deinit(&m);
    ck_assert_int_lt(nd_void_read(copy, count, jobs, &n), NAV_STATUS_COUNT);
    free(copy);
}

START_TEST(truncated_and_changed_ones_do_no_harm)
{
    nav_buffer out = {0};
    np_message m;
    np_error err;
    nd_done got;
    ck_assert_int_eq(nd_done_write(&out, &done), NAV_OK);
    const size_t end = out.size;
    ck_assert_int_eq(nd_beat_write(&out, &beat), NAV_OK);
    for (size_t n = 0; n < end; n++) {
        ck_assert_int_eq(nd_done_read(out.data, n, &m, &got, &err), NAV_ERR_FORMAT);
        np_message_deinit(&m);
        read_all(out.data, n);
    }
    for (size_t n = end; n < out.size; n++) read_all(out.data + end, n - end);
    for (size_t i = 0; i < out.size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            out.data[i] ^= (uint8_t)(1u << bit);
            if (i < end)
                read_all(out.data, end);
            else
                read_all(out.data + end, out.size - end);
            out.data[i] ^= (uint8_t)(1u << bit);
        }
    nav_buffer_deinit(&out);
}
END_TEST

START_TEST(void_jobs_come_back)
{
    nav_buffer out = {0};
    uint64_t sent[ND_VOID_JOBS], got[ND_VOID_JOBS];
    uint32_t count;
    for (uint64_t i = 0; i < ND_VOID_JOBS; i++) sent[i] = i << 40 | i;
    ck_assert_int_eq(nd_void_write(&out, sent, ND_VOID_JOBS), NAV_OK);
    ck_assert_int_eq(nd_void_read(out.data, out.size, got, &count), NAV_OK);
    ck_assert_uint_eq(count, ND_VOID_JOBS);
    ck_assert_mem_eq(got, sent, sizeof sent);
    for (size_t n = 0; n < out.size; n++)
        ck_assert_int_eq(nd_void_read(out.data, n, got, &count), n >= 4 && n % 8 == 4 ? NAV_OK : NAV_ERR_FORMAT);
    ck_assert_int_eq(nav_buffer_append(&out, sent, 8), NAV_OK);
    ck_assert_int_eq(nd_void_read(out.data, out.size, got, &count), NAV_ERR_FORMAT); // too many
    nav_buffer_deinit(&out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("beats");
    TCase *t = tcase_create("beats");
    tcase_add_test(t, a_beat_comes_back);
    tcase_add_test(t, a_notice_comes_back);
    tcase_add_test(t, an_id_that_could_be_a_subject_of_another_is_refused);
    tcase_add_test(t, truncated_and_changed_ones_do_no_harm);
    tcase_add_test(t, void_jobs_come_back);
    suite_add_tcase(s, t);
    return run_suite(s);
}
