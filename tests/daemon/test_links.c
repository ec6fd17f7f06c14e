// Off-mesh links of a live world: an edit of one sends its tile again without a run of the generator, in all encodings,
// and the tile is the one that a build with the link makes; also when the tile comes from the disk, and when links come
// before the ground. The same for tiles.build. Worlds with a goal: test_linked_goals.c.
#include "core/build.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"
#include "tests/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static daemon_fixture daemon_;
static client a;
static char state[64];
static nav_mesh *floor_mesh;

#define X 12
#define Y 0.5f
#define Z 12
static const float corners[8][3] = {{-X, -Y, -Z}, {X, -Y, -Z}, {X, -Y, Z}, {-X, -Y, Z},
                                    {-X, Y, -Z},  {X, Y, -Z},  {X, Y, Z},  {-X, Y, Z}};
static const uint32_t tris[12][3] = {{4, 7, 6}, {4, 6, 5}, {0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1},
                                     {1, 5, 6}, {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};

static void configure(nd_config *c)
{
    strcpy(c->state, state);
}

static void launch(void)
{
    fixture_start(&daemon_, configure);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
    client_open(&a);
}

static void halt(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static void setup(void)
{
    strcpy(state, "/tmp/navd-state-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    ck_assert_int_eq(nav_mesh_create(&corners[0][0], 8, &tris[0][0], 12, &floor_mesh), NAV_OK);
    launch();
}

static void teardown(void)
{
    halt();
    remove_folder(state);
    nav_mesh_destroy(floor_mesh);
}

static np_op op_link(uint32_t id, float x, float z)
{
    return (np_op){.kind = NP_OP_PUT_LINK,
                   .id = id,
                   .u.link = {.id = id,
                              .start = {x, 0.5f, z},
                              .end = {x + 9, 0.5f, z - 20},
                              .radius_m = 0.5f,
                              .area = 5,
                              .both_ways = 1,
                              .flags = 3}};
}

static void edit(np_op op)
{
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
}

static void put_floor(void)
{
    nav_key floor = client_put_box(&a, X, Y, Z);
    edit(op_put(1, floor, 0, 0, 0));
}

// Tile (0, 0) with these links, as the library builds it: the hash of its bytes.
static nav_key built(np_encoding e, const np_op *links, uint32_t count)
{
    nav_settings settings;
    nav_settings_default(&settings);
    settings.tile_cells = 16;
    nav_instance instance = {.mesh = floor_mesh, .transform = NAV_TRANSFORM_IDENTITY, .area = NAV_AREA_DEFAULT};
    nav_link list[4];
    for (uint32_t i = 0; i < count; i++) list[i] = links[i].u.link;
    nav_tile_source source = {
        .settings = &settings, .instances = &instance, .instance_count = 1, .links = list, .link_count = count};
    nav_arena arena;
    nav_tile tile;
    nav_buffer out = {0};
    nav_arena_init(&arena, 0);
    ck_assert_int_eq(nav_build_tile(&source, NULL, NULL, &arena, &tile), NAV_OK);
    ck_assert_int_eq((e == NP_ENCODING_NAVD ? nav_tile_encode : nav_detour_encode)(&tile, &out), NAV_OK);
    nav_key key = nav_key_of(out.data, out.size);
    nav_buffer_deinit(&out);
    nav_arena_deinit(&arena);
    return key;
}

// The newest note of tile (0, 0) in each encoding is that tile.
static void check_tile(const uint64_t ids[3], const np_op *links, uint32_t count)
{
    for (int e = 0; e < 3; e++) {
        const seen_tile *newest = NULL;
        for (size_t i = 0; i < a.tile_count; i++)
            if (a.tiles[i].subscription == ids[e] && !a.tiles[i].x && !a.tiles[i].z) newest = &a.tiles[i];
        ck_assert_ptr_nonnull(newest);
        ck_assert(newest->data_good);
        ck_assert(nav_key_equal(newest->data_key, built((np_encoding)e, links, count)));
    }
}

static void subscribe_all(uint64_t ids[3])
{
    for (int e = 0; e < 3; e++) ids[e] = client_subscribe(&a, (np_encoding)e);
}

START_TEST(an_edit_of_a_link_runs_no_stage_and_sends_the_tile_of_a_build)
{
    uint64_t ids[3];
    subscribe_all(ids);
    put_floor();
    uint64_t jobs = client_stat(&a, "jobs_built");
    np_op links[2] = {op_link(7, 1, 1), op_link(3, 2, 2)};
    check_tile(ids, NULL, 0);
    for (uint32_t i = 0; i < 2; i++) {
        size_t before = a.tile_count;
        edit(links[i]);
        ck_assert_uint_eq(a.tile_count, before + 3); // its tile alone, in three encodings
        ck_assert_uint_eq(client_stat(&a, "jobs_linked"), i + 1);
        check_tile(ids, links, i + 1);
    }
    links[1] = op_link(3, 0.5f, 2);
    edit(links[1]); // moved
    check_tile(ids, links, 2);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), 3);
    edit((np_op){.kind = NP_OP_REMOVE_LINK, .id = 3});
    check_tile(ids, links, 1);
    edit((np_op){.kind = NP_OP_REMOVE_LINK, .id = 7});
    check_tile(ids, NULL, 0);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), 3); // these were in the cache
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), jobs);
}
END_TEST

START_TEST(links_that_come_with_the_ground_are_as_cheap_to_change)
{
    uint64_t ids[3];
    np_op link = op_link(7, 1, 1);
    subscribe_all(ids);
    edit(link);
    put_floor();
    check_tile(ids, &link, 1);
    uint64_t jobs = client_stat(&a, "jobs_built");
    link = op_link(7, 2, 1);
    edit(link);
    check_tile(ids, &link, 1);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), jobs);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), 1);
}
END_TEST

START_TEST(a_tile_from_the_disk_has_its_links_added_without_a_run)
{
    uint64_t ids[3];
    np_op links[2] = {op_link(7, 1, 1), op_link(8, 2, 2)};
    subscribe_all(ids);
    put_floor();
    edit(links[0]);
    halt();
    launch();
    subscribe_all(ids);
    client_settle(&a);
    check_tile(ids, links, 1);
    edit(links[1]);
    check_tile(ids, links, 2);
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
}
END_TEST

START_TEST(an_empty_tile_with_links_is_navds_alone)
{
    uint64_t ids[3];
    subscribe_all(ids);
    nav_key wall = client_put_box(&a, 0.05f, 3, 0.05f);
    edit(op_put(1, wall, 2, 0, 2)); // too thin to stand on
    edit(op_link(7, 2, 2));
    const seen_tile *t = NULL;
    for (size_t i = 0; i < a.tile_count; i++) {
        if (a.tiles[i].x || a.tiles[i].z) continue;
        if (a.tiles[i].subscription == ids[0]) t = &a.tiles[i];
        if (a.tiles[i].subscription != ids[0]) ck_assert_int_eq(a.tiles[i].status, NP_TILE_EMPTY);
    }
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->status, NP_TILE_OK);
    ck_assert(t->data_good);
}
END_TEST

// Tile (0, 0) of the floor with these links, by tiles.build.
static void check_build(np_encoding e, const np_op *links, uint32_t count)
{
    nav_link list[4];
    np_tiles_build_request r = {.encoding = e,
                                .compression = NP_COMPRESSION_NONE,
                                .area = NAV_AREA_DEFAULT,
                                .vertices = {(const uint8_t *)corners, sizeof corners},
                                .indices = {(const uint8_t *)tris, sizeof tris},
                                .link_count = count,
                                .links = list};
    np_tiles_build_response out;
    np_error err = {0};
    nav_settings_default(&r.settings);
    r.settings.tile_cells = 16;
    for (uint32_t i = 0; i < count; i++) list[i] = links[i].u.link;
    ck_assert_msg(client_call(&a, NP_TILES_BUILD, &r, &out, &err) == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(out.tile_count, 1);
    ck_assert_int_eq(out.tiles[0].status, NP_TILE_OK);
    ck_assert(nav_key_equal(nav_key_of(out.tiles[0].data.data, out.tiles[0].data.size), built(e, links, count)));
}

static void check_jobs(uint64_t built_count, uint64_t linked)
{
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built_count);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), linked);
}

START_TEST(a_stateless_build_adds_links_to_the_tile_that_the_cache_has)
{
    const np_op links[2] = {op_link(7, 1, 1), op_link(3, 2, 2)};
    for (int e = NP_ENCODING_NAVD; e <= NP_ENCODING_DETOUR; e++) {
        const uint64_t before = client_stat(&a, "jobs_built"), linked = client_stat(&a, "jobs_linked");
        check_build((np_encoding)e, links, 1); // generated, and kept without the link as well
        check_jobs(before + 1, linked);
        check_build((np_encoding)e, NULL, 0);
        check_jobs(before + 1, linked);
        check_build((np_encoding)e, links, 2);
        check_jobs(before + 1, linked + 1);
        check_build((np_encoding)e, links, 1);
        check_jobs(before + 1, linked + 1); // both are in the cache by now
    }
    halt();
    launch();
    check_build(NP_ENCODING_DETOUR, &links[1], 1);
    check_jobs(0, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("links");
    TCase *c = tcase_create("links");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, an_edit_of_a_link_runs_no_stage_and_sends_the_tile_of_a_build);
    tcase_add_test(c, links_that_come_with_the_ground_are_as_cheap_to_change);
    tcase_add_test(c, a_tile_from_the_disk_has_its_links_added_without_a_run);
    tcase_add_test(c, an_empty_tile_with_links_is_navds_alone);
    tcase_add_test(c, a_stateless_build_adds_links_to_the_tile_that_the_cache_has);
    suite_add_tcase(s, c);
    return run_suite(s);
}
