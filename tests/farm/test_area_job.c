#include "core/geometry/tile_source.h"
#include "daemon/base/thread.h"
#include "daemon/farm/area_format.h"
#include "tests/check.h"
#include "tests/farm/area_fixture.h"

#include <stdlib.h>
#include <string.h>

static area_meshes meshes;
static char why[200];

// From a block of exactly the bytes' size, so that the sanitizer sees a read beyond.
static nav_status read_exactly(const uint8_t *bytes, size_t count, nd_area_job *out)
{
    uint8_t *copy = malloc(count + !count);
    if (count) memcpy(copy, bytes, count);
    nav_status s = nd_area_job_read(copy, count, out, why, sizeof why);
    free(copy);
    return s;
}

static void check_settings(const nav_settings *got, const nav_settings *want)
{
    ck_assert(nav_key_equal(nav_settings_key(got, 3, 4), nav_settings_key(want, 3, 4)));
    ck_assert_int_eq(got->sheet, want->sheet);
}

START_TEST(a_job_comes_back_as_the_views_it_was_made_of)
{
    static const int32_t blocks[][2] = {{0, 0}, {-3, 7}, {(1 << 20) - 1, -(1 << 20)}};
    nd_view want = {0}, got = {0};
    for (int b = 0; b < 3; b++) {
        nd_area_head head;
        nav_buffer bytes = {0};
        nd_area_job j;
        area_head(&head, blocks[b][0], blocks[b][1]);
        if (b == 2) head.settings.cell_size_m = 0.01f; // within reach, so far out
        area_job_bytes(&meshes, &head, ND_AREA_TILES, 12, &bytes);
        ck_assert_msg(read_exactly(bytes.data, bytes.size, &j) == NAV_OK, "%s", why);
        ck_assert_uint_eq(j.tile_count, ND_AREA_TILES);
        ck_assert_uint_eq(j.mesh_count, AREA_MESHES);
        ck_assert_uint_lt(j.instance_count, 12 * ND_AREA_TILES); // what tiles share is there once
        ck_assert_uint_eq(j.head.job, head.job);
        ck_assert_uint_eq(j.head.revision, head.revision);
        ck_assert_uint_eq(j.head.wanted, head.wanted);
        ck_assert_int_eq(j.head.zstd_level, head.zstd_level);
        ck_assert_str_eq(j.head.daemon, head.daemon);
        ck_assert(nav_key_equal(j.head.area, head.area));
        check_settings(&j.head.settings, &head.settings);
        for (uint32_t i = 0; i < j.tile_count; i++) {
            nav_key key = area_view(&meshes, &head, j.tiles[i].x, j.tiles[i].z, 12, &want);
            ck_assert_int_eq(nd_area_job_view(&j, i, meshes.list, &got), NAV_OK);
            ck_assert(nav_key_equal(nav_tile_source_key(&got.source), key));
            ck_assert_uint_eq(got.source.instance_count, want.source.instance_count);
            ck_assert_uint_eq(got.source.volume_count, want.source.volume_count);
            ck_assert_int_eq(got.source.bounded, want.source.bounded);
            for (uint32_t k = 0; k < want.source.instance_count; k++) {
                const nav_instance *a = &want.source.instances[k], *c = &got.source.instances[k];
                ck_assert_mem_eq(a->transform, c->transform, sizeof a->transform);
                ck_assert_ptr_eq(a->mesh, c->mesh);
                ck_assert_uint_eq(a->area, c->area);
            }
        }
        nd_area_job_deinit(&j);
        nav_buffer_deinit(&bytes);
    }
    nd_view_deinit(&want);
    nd_view_deinit(&got);
}
END_TEST

START_TEST(sheets_and_other_generators_come_back)
{
    nd_area_head head;
    nd_view v = {0};
    area_head(&head, 1, 1);
    head.settings.generator = NAV_GENERATOR_SURFACE;
    head.settings.sheets = NAV_SHEETS_ALL;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        nav_buffer bytes = {0};
        nd_area_job j;
        head.settings.sheet = (nav_sheet)sheet;
        area_job_bytes(&meshes, &head, 3, 4, &bytes);
        ck_assert_msg(read_exactly(bytes.data, bytes.size, &j) == NAV_OK, "%s", why);
        check_settings(&j.head.settings, &head.settings);
        for (uint32_t i = 0; i < 3; i++) ck_assert_int_eq(nd_area_job_view(&j, i, meshes.list, &v), NAV_OK);
        nd_area_job_deinit(&j);
        nav_buffer_deinit(&bytes);
    }
    nd_view_deinit(&v);
}
END_TEST

START_TEST(every_truncation_and_every_changed_byte_is_refused)
{
    nd_area_head head;
    nav_buffer bytes = {0};
    nd_area_job j;
    area_head(&head, -1, 0);
    area_job_bytes(&meshes, &head, 9, 7, &bytes);
    for (size_t n = 0; n < bytes.size; n++) {
        nav_status s = read_exactly(bytes.data, n, &j);
        ck_assert_msg(s == NAV_ERR_FORMAT, "%zu bytes: %s", n, nav_status_name(s));
        ck_assert_str_ne(why, "");
        nd_area_job_deinit(&j);
    }
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= (uint8_t)(1u << i % 8);
        nav_status s = read_exactly(bytes.data, bytes.size, &j);
        ck_assert_msg(s == NAV_ERR_FORMAT || (s == NAV_ERR_VERSION && i == 2), "byte %zu: %s", i, nav_status_name(s));
        nd_area_job_deinit(&j);
        bytes.data[i] ^= (uint8_t)(1u << i % 8);
    }
    nav_buffer_deinit(&bytes);
}
END_TEST

// What it says may be anything, where somebody has made the sum fit: it is refused, or is a job with everything in its
// bounds.
START_TEST(made_up_jobs_are_refused_or_whole)
{
    nd_area_head head;
    nav_buffer bytes = {0};
    nd_view v = {0};
    unsigned taken = 0, refused = 0;
    area_head(&head, 0, 0);
    area_job_bytes(&meshes, &head, 5, 6, &bytes);
    for (size_t i = 0; i < bytes.size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            nd_area_job j;
            bytes.data[i] ^= (uint8_t)(1u << bit);
            area_job_seal(&bytes);
            nav_status s = read_exactly(bytes.data, bytes.size, &j);
            for (uint32_t t = 0; s == NAV_OK && j.mesh_count <= AREA_MESHES && t < j.tile_count; t++)
                ck_assert_int_le(nd_area_job_view(&j, t, meshes.list, &v), NAV_ERR_ARGUMENT);
            if (s != NAV_OK) ck_assert_str_ne(why, "");
            s == NAV_OK ? taken++ : refused++;
            nd_area_job_deinit(&j);
            bytes.data[i] ^= (uint8_t)(1u << bit);
        }
    ck_assert_uint_gt(taken, 0);
    ck_assert_uint_gt(refused, 0);
    nd_view_deinit(&v);
    nav_buffer_deinit(&bytes);
}
END_TEST

START_TEST(a_view_that_is_not_its_key_s_is_refused)
{
    nd_area_head head;
    nd_area_writer w = {0};
    nd_view v = {0};
    nd_area_job j;
    nav_buffer bytes = {0};
    area_head(&head, 0, 0);
    ck_assert_int_eq(nd_area_writer_begin(&w, &head), NAV_OK);
    nav_key key = area_view(&meshes, &head, 1, 2, 5, &v);
    key.low ^= 1;
    ck_assert_int_eq(nd_area_writer_add(&w, &v, key), NAV_OK);
    ck_assert_int_eq(nd_area_writer_finish(&w, &bytes), NAV_OK);
    ck_assert_int_eq(read_exactly(bytes.data, bytes.size, &j), NAV_OK);
    ck_assert_int_eq(nd_area_job_view(&j, 0, meshes.list, &v), NAV_ERR_ARGUMENT);
    nd_area_job_deinit(&j);
    nav_buffer_deinit(&bytes);
    nd_area_writer_deinit(&w);
    nd_view_deinit(&v);
}
END_TEST

START_TEST(another_version_s_job_says_whose_it_is)
{
    nd_area_head head;
    nav_buffer bytes = {0};
    nd_area_job j;
    uint32_t generator;
    uint64_t job;
    char daemon[ND_FARM_ID_BYTES];
    area_head(&head, 0, 0);
    head.generator = NAV_GENERATOR_VERSION + 1;
    area_job_bytes(&meshes, &head, 1, 1, &bytes);
    ck_assert_int_eq(read_exactly(bytes.data, bytes.size, &j), NAV_ERR_VERSION);
    ck_assert(nd_area_job_peek(bytes.data, bytes.size, &generator, daemon, &job));
    ck_assert_uint_eq(generator, NAV_GENERATOR_VERSION + 1);
    ck_assert_uint_eq(job, head.job);
    ck_assert_str_eq(daemon, head.daemon);
    ck_assert(!nd_area_job_peek(bytes.data, 40, &generator, daemon, &job));
    nd_area_job_deinit(&j);
    nav_buffer_deinit(&bytes);
}
END_TEST

START_TEST(a_tile_that_makes_it_too_large_is_left_out)
{
    nd_area_head head;
    nd_area_writer w = {0};
    nd_view v = {0};
    nd_area_job j;
    nav_buffer bytes = {0};
    unsigned added = 0;
    nav_status s = NAV_OK;
    area_head(&head, 0, 0);
    ck_assert_int_eq(nd_area_writer_begin(&w, &head), NAV_OK);
    for (; s == NAV_OK && added < ND_AREA_TILES; added += s == NAV_OK) {
        const int32_t x = (int32_t)added % ND_AREA_SIDE, z = (int32_t)added / ND_AREA_SIDE;
        nav_key key = area_view(&meshes, &head, x, z, 900, &v);
        s = nd_area_writer_add(&w, &v, key);
    }
    ck_assert_int_eq(s, NAV_ERR_LIMIT);
    ck_assert_uint_gt(added, 1);
    ck_assert_int_eq(nd_area_writer_finish(&w, &bytes), NAV_OK);
    ck_assert_uint_le(bytes.size, ND_AREA_JOB_BYTES);
    ck_assert_msg(read_exactly(bytes.data, bytes.size, &j) == NAV_OK, "%s", why);
    ck_assert_uint_eq(j.tile_count, added);
    for (uint32_t i = 0; i < j.tile_count; i++) ck_assert_int_eq(nd_area_job_view(&j, i, meshes.list, &v), NAV_OK);
    nd_area_job_deinit(&j);
    // The writer goes on with less.
    bytes.size = 0;
    ck_assert_int_eq(nd_area_writer_begin(&w, &head), NAV_OK);
    nav_key key = area_view(&meshes, &head, 1, 1, 3, &v);
    ck_assert_int_eq(nd_area_writer_add(&w, &v, key), NAV_OK);
    ck_assert_int_eq(nd_area_writer_finish(&w, &bytes), NAV_OK);
    ck_assert_int_eq(read_exactly(bytes.data, bytes.size, &j), NAV_OK);
    ck_assert_uint_eq(j.tile_count, 1);
    ck_assert_uint_eq(j.instance_count, 3);
    nd_area_job_deinit(&j);
    nav_buffer_deinit(&bytes);
    nd_area_writer_deinit(&w);
    nd_view_deinit(&v);
}
END_TEST

START_TEST(an_area_s_key_is_of_all_that_decides_what_is_in_its_pack)
{
    nd_area_head a, b;
    const nav_key anchor = {1, 2}, other = {1, 3};
    area_head(&a, 0, 0);
    area_head(&b, 0, 0);
    const nav_key key = nd_area_key(&a.settings, 0, 0, 1, anchor);
    ck_assert(nav_key_equal(key, nd_area_key(&b.settings, 0, 0, 1, anchor)));
    ck_assert(!nav_key_equal(key, nd_area_key(&a.settings, 1, 0, 1, anchor)));
    ck_assert(!nav_key_equal(key, nd_area_key(&a.settings, 0, 1, 1, anchor)));
    ck_assert(!nav_key_equal(key, nd_area_key(&a.settings, 0, 0, 3, anchor)));
    ck_assert(!nav_key_equal(key, nd_area_key(&a.settings, 0, 0, 1, other)));
    b.settings.agent_radius_m += 0.1f;
    ck_assert(!nav_key_equal(key, nd_area_key(&b.settings, 0, 0, 1, anchor)));
    ck_assert_int_eq(nd_area_block(0), 0);
    ck_assert_int_eq(nd_area_block(15), 0);
    ck_assert_int_eq(nd_area_block(16), 1);
    ck_assert_int_eq(nd_area_block(-1), -1);
    ck_assert_int_eq(nd_area_block(-16), -1);
    ck_assert_int_eq(nd_area_block(-17), -2);
}
END_TEST

static void set_up(void)
{
    nd_thread_set_loop(true);
    area_meshes_init(&meshes);
}

static void tear_down(void)
{
    area_meshes_deinit(&meshes);
}

int main(void)
{
    Suite *s = suite_create("area_job");
    TCase *t = tcase_create("area_job");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, a_job_comes_back_as_the_views_it_was_made_of);
    tcase_add_test(t, sheets_and_other_generators_come_back);
    tcase_add_test(t, every_truncation_and_every_changed_byte_is_refused);
    tcase_add_test(t, made_up_jobs_are_refused_or_whole);
    tcase_add_test(t, a_view_that_is_not_its_key_s_is_refused);
    tcase_add_test(t, another_version_s_job_says_whose_it_is);
    tcase_add_test(t, a_tile_that_makes_it_too_large_is_left_out);
    tcase_add_test(t, an_area_s_key_is_of_all_that_decides_what_is_in_its_pack);
    suite_add_tcase(s, t);
    return run_suite(s);
}
