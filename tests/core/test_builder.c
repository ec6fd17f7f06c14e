// The public face of the generator: what a host gets that knows core/include only.
#include "tests/check.h"

#include <navcore.h>

#include <stdlib.h>
#include <string.h>

static const float ground_verts[] = {0, 0, 0, 0, 0, 40, 40, 0, 40, 40, 0, 0};
static const uint32_t ground_tris[] = {0, 1, 2, 0, 2, 3};

static nav_settings settings;
static nav_mesh *ground;
static nav_builder *builder;
static nav_instance instance;
static nav_tile_source source;

static void open_ground(size_t budget_bytes)
{
    nav_settings_default(&settings);
    ck_assert_int_eq(nav_mesh_create(ground_verts, 4, ground_tris, 2, &ground), NAV_OK);
    ck_assert_int_eq(nav_builder_create(budget_bytes, &builder), NAV_OK);
    instance = (nav_instance){ground, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    source = (nav_tile_source){.settings = &settings, .tile_x = 1, .instances = &instance, .instance_count = 1};
}

static void setup(void)
{
    open_ground(0);
}

static void teardown(void)
{
    nav_builder_destroy(builder);
    nav_mesh_destroy(ground);
}

static nav_status build(const nav_key *known, nav_tile_summary *out)
{
    return nav_builder_build(builder, &source, known, out);
}

START_TEST(a_mesh_says_what_it_kept)
{
    const float verts[] = {0, 0, 0, 0, 0, 1, 1, 2, 0};
    const uint32_t tris[] = {0, 1, 2, 0, 1, 3};
    nav_mesh *m;
    nav_mesh_info info;
    ck_assert_int_eq(nav_mesh_create(verts, 3, tris, 2, &m), NAV_OK);
    nav_mesh_get_info(m, &info);
    ck_assert_uint_eq(info.triangles, 1);
    ck_assert_uint_eq(info.skipped, 1);
    ck_assert_float_eq(info.max[1], 2);
    ck_assert_uint_gt(info.bytes, sizeof verts);
    nav_mesh_destroy(m);
}
END_TEST

START_TEST(a_tile_is_built_and_encoded_both_ways)
{
    nav_tile_summary tile;
    nav_buffer detour = {0}, navd = {0};
    char why[200];
    ck_assert_int_eq(build(NULL, &tile), NAV_OK);
    ck_assert_str_eq(nav_builder_error(builder), "");
    ck_assert_uint_eq(tile.triangles, 2);
    ck_assert_uint_ge(tile.polygons, tile.cells);
    ck_assert_uint_ge(tile.cells, 1);
    ck_assert_int_eq(nav_builder_encode_detour(builder, &detour), NAV_OK);
    ck_assert_int_eq(nav_detour_check(detour.data, detour.size, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nav_builder_encode_navd(builder, &navd), NAV_OK);
    nav_tile_view view;
    ck_assert_int_eq(nav_tile_open(navd.data, navd.size, &view, why, sizeof why), NAV_OK);
    ck_assert_uint_eq(view.cell_count, tile.cells);
    ck_assert_int_eq(view.tile_x, 1);
    ck_assert(nav_key_equal(view.content_key, tile.content_key));
    nav_buffer_deinit(&detour);
    nav_buffer_deinit(&navd);
}
END_TEST

START_TEST(what_is_known_is_not_built_again)
{
    nav_tile_summary first, again;
    ck_assert_int_eq(build(NULL, &first), NAV_OK);
    ck_assert_int_eq(build(&first.content_key, &again), NAV_ERR_EXISTS);
    ck_assert(nav_key_equal(first.content_key, again.content_key));
    nav_buffer bytes = {0};
    ck_assert_int_eq(nav_builder_encode_detour(builder, &bytes), NAV_ERR_STATE);
    ck_assert_ptr_nonnull(strstr(nav_builder_error(builder), "no tile"));
    instance.transform[7] = 1;
    ck_assert_int_eq(build(&first.content_key, &again), NAV_OK);
    ck_assert(!nav_key_equal(first.content_key, again.content_key));
}
END_TEST

START_TEST(a_source_that_is_wrong_is_named_and_leaves_the_builder_ready)
{
    settings.cell_size_m = 0;
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(nav_builder_error(builder), "cell_size_m is 0"));
    nav_settings_default(&settings);

    instance.area = NAV_AREA_COUNT;
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(nav_builder_error(builder), "instance 0 has area type 64"));
    instance.area = NAV_AREA_DEFAULT;
    instance.mesh = NULL;
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(nav_builder_error(builder), "instance 0 has no mesh"));
    instance.mesh = ground;

    const nav_volume line = {.point_count = 2, .max_y = 1};
    source.volumes = &line;
    source.volume_count = 1;
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(nav_builder_error(builder), "2 points"));
    source.volume_count = 0;

    const nav_link link = {.area = NAV_AREA_DEFAULT};
    source.links = &link;
    source.link_count = 1;
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(nav_builder_error(builder), "radius is 0"));
    source.link_count = 0;
    ck_assert_int_eq(build(NULL, NULL), NAV_OK);
}
END_TEST

START_TEST(a_builder_keeps_to_its_budget)
{
    teardown();
    open_ground(10000);
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(
        strstr(nav_builder_error(builder), "tile (1, 0) needs more than the builder's budget of 10000 bytes"));
}
END_TEST

static bool stop(void *user)
{
    int *questions = user;
    return ++*questions == 4;
}

START_TEST(a_build_is_cancelled_between_its_stages)
{
    int questions = 0;
    nav_builder_set_cancel(builder, stop, &questions);
    ck_assert_int_eq(build(NULL, NULL), NAV_ERR_CANCELLED);
    ck_assert_int_eq(questions, 4);
    nav_builder_set_cancel(builder, NULL, NULL);
    ck_assert_int_eq(build(NULL, NULL), NAV_OK);
}
END_TEST

START_TEST(a_file_of_tiles_has_the_parameters_of_a_mesh_that_holds_them)
{
    enum { TILES = 5 };
    nav_mset_tile tiles[TILES];
    nav_buffer bytes[TILES] = {0}, file = {0};
    nav_detour_params params;
    char why[300] = "";
    for (int i = 0; i < TILES; i++) {
        source.tile_x = i % 2;
        source.tile_z = i / 2;
        ck_assert_int_eq(build(NULL, NULL), NAV_OK);
        ck_assert_int_eq(nav_builder_encode_detour(builder, &bytes[i]), NAV_OK);
        tiles[i] = (nav_mset_tile){.bytes = bytes[i].data, .size = bytes[i].size};
        ck_assert_int_eq(nav_mset_describe(&tiles[i], why, sizeof why), NAV_OK);
    }
    ck_assert_int_eq(nav_mset_write(&settings, tiles, TILES, &file, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nav_detour_params_init(&params, &settings, TILES, 100, why, sizeof why), NAV_OK);
    ck_assert_int_eq(params.max_tiles, 8);
    ck_assert_int_eq(params.max_polys, 1 << 19);
    ck_assert_int_eq(memcmp(file.data + 12, &params, sizeof params), 0); // as dtNavMeshParams lies in the file
    nav_buffer_deinit(&file);
    for (int i = 0; i < TILES; i++) nav_buffer_deinit(&bytes[i]);

    ck_assert_int_eq(nav_detour_params_init(&params, &settings, 0, 0, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_detour_params_init(&params, &settings, 1 << 12, 1 << 10, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nav_detour_params_init(&params, &settings, 1 << 12, (1 << 10) + 1, why, sizeof why),
                     NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(why, "4096 tiles need 12 bits and the 1025 polygons of the largest 11"));
    ck_assert_int_eq(nav_detour_params_init(&params, &settings, UINT32_MAX, 0, why, sizeof why), NAV_ERR_LIMIT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("builder");
    TCase *c = tcase_create("public");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_mesh_says_what_it_kept);
    tcase_add_test(c, a_tile_is_built_and_encoded_both_ways);
    tcase_add_test(c, what_is_known_is_not_built_again);
    tcase_add_test(c, a_source_that_is_wrong_is_named_and_leaves_the_builder_ready);
    tcase_add_test(c, a_builder_keeps_to_its_budget);
    tcase_add_test(c, a_build_is_cancelled_between_its_stages);
    tcase_add_test(c, a_file_of_tiles_has_the_parameters_of_a_mesh_that_holds_them);
    suite_add_tcase(s, c);
    return run_suite(s);
}
