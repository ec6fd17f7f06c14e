// Off-mesh links in worlds with a goal: they decide what is reached, and yet an edit of one runs no stage of the
// generator. A floor with a seed, and an island beside it; every tile is compared with the one that the library makes
// with these links and masks where the island is out of reach.
#include "core/build.h"
#include "core/reach/mask.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"
#include "tests/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_X = -2, LAST_X = 4, FIRST_Z = -1, LAST_Z = 0, LINKS_MAX = 4 };

static daemon_fixture daemon_;
static client a;
static char state[64];
static uint64_t ids[ND_WIRE_ENCODINGS];
static nav_instance ground[2];
static nav_unreachable mode;

// The links that the world has, and whether one of them leads to the island.
static np_op links[LINKS_MAX];
static uint32_t link_count;

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
    for (int e = 0; e < ND_WIRE_ENCODINGS; e++) ids[e] = client_subscribe(&a, (np_encoding)e);
}

static void halt(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static nav_mesh *box(float x, float y, float z)
{
    const float corners[8][3] = {{-x, -y, -z}, {x, -y, -z}, {x, -y, z}, {-x, -y, z},
                                 {-x, y, -z},  {x, y, -z},  {x, y, z},  {-x, y, z}};
    const uint32_t tris[12][3] = {{4, 7, 6}, {4, 6, 5}, {0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1},
                                  {1, 5, 6}, {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};
    nav_mesh *mesh;
    ck_assert_int_eq(nav_mesh_create(&corners[0][0], 8, &tris[0][0], 12, &mesh), NAV_OK);
    return mesh;
}

static void edit(const np_op *ops, uint32_t count)
{
    np_error err = {0};
    ck_assert_msg(client_edit(&a, ops, count, NULL, &err) == NAV_OK, "%s", err.message);
    client_settle(&a);
}

static void setup(nav_unreachable how)
{
    np_seed seed = {{-4, 0.5f, 0}};
    mode = how;
    link_count = 0;
    strcpy(state, "/tmp/navd-state-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    ground[0] = ground[1] = (nav_instance){.transform = NAV_TRANSFORM_IDENTITY, .area = NAV_AREA_DEFAULT};
    ground[0].mesh = box(6, 0.5f, 3);
    ground[1].mesh = box(4, 0.5f, 3);
    ground[1].transform[3] = 16;
    launch();
    nav_key floor = client_put_box(&a, 6, 0.5f, 3), island = client_put_box(&a, 4, 0.5f, 3);
    const np_op ops[] = {op_put(1, floor, 0, 0, 0),
                         op_put(2, island, 16, 0, 0),
                         {.kind = NP_OP_SET_REACH, .u.reach = {how, 1, &seed, 0}}};
    edit(ops, 3);
}

static void setup_drop(void)
{
    setup(NAV_UNREACHABLE_DROP);
}

static void setup_flag(void)
{
    setup(NAV_UNREACHABLE_FLAG);
}

static void teardown(void)
{
    halt();
    remove_folder(state);
    for (int i = 0; i < 2; i++) nav_mesh_destroy((nav_mesh *)ground[i].mesh);
}

static void put_link(uint32_t id, float from, float to)
{
    uint32_t i = 0;
    while (i < link_count && links[i].u.link.id != id) i++;
    ck_assert_uint_lt(i, LINKS_MAX);
    if (i == link_count) link_count++;
    links[i] = (np_op){
        .kind = NP_OP_PUT_LINK,
        .id = id,
        .u.link = {
            .id = id, .start = {from, 0.5f, 0.5f}, .end = {to, 0.5f, 0.5f}, .radius_m = 0.5f, .area = 5, .flags = 3}};
    edit(&links[i], 1);
}

static void remove_link(uint32_t id)
{
    uint32_t i = 0;
    while (links[i].u.link.id != id) i++;
    links[i] = links[--link_count];
    edit(&(np_op){.kind = NP_OP_REMOVE_LINK, .id = id}, 1);
}

static const seen_tile *newest(uint64_t subscription, int32_t x, int32_t z)
{
    for (size_t i = a.tile_count; i-- > 0;)
        if (a.tiles[i].subscription == subscription && a.tiles[i].x == x && a.tiles[i].z == z) return &a.tiles[i];
    return NULL;
}

static void check_note(np_encoding e, const nav_tile *tile, int32_t x, int32_t z)
{
    const seen_tile *t = newest(ids[e], x, z);
    nav_buffer want = {0};
    ck_assert_ptr_nonnull(t);
    if (tile->polygons.count || (e == NP_ENCODING_NAVD && tile->link_count)) {
        ck_assert_int_eq((e == NP_ENCODING_NAVD ? nav_tile_encode : nav_detour_encode)(tile, &want), NAV_OK);
        ck_assert_msg(t->status == NP_TILE_OK && t->data_good, "tile %d, %d", x, z);
        ck_assert_msg(nav_key_equal(t->data_key, nav_key_of(want.data, want.size)), "tile %d, %d in encoding %d", x, z,
                      (int)e);
    } else {
        ck_assert_msg(t->status == NP_TILE_EMPTY, "tile %d, %d", x, z);
    }
    nav_buffer_deinit(&want);
}

// All tiles, in all encodings, are those of the library. reached: the island is.
static void check_tiles(bool reached)
{
    nav_settings settings;
    nav_link list[LINKS_MAX];
    nav_arena arena;
    nav_settings_default(&settings);
    settings.tile_cells = 16;
    for (uint32_t i = 0; i < link_count; i++) list[i] = links[i].u.link;
    nav_arena_init(&arena, 0);
    for (int32_t z = FIRST_Z; z <= LAST_Z; z++)
        for (int32_t x = FIRST_X; x <= LAST_X; x++) {
            nav_tile_source source = {.settings = &settings,
                                      .tile_x = x,
                                      .tile_z = z,
                                      .instances = ground,
                                      .instance_count = 2,
                                      .links = list,
                                      .link_count = link_count};
            const uint8_t off[] = {!reached && x > 1};
            nav_tile tile, delivered;
            ck_assert_int_eq(nav_build_tile(&source, NULL, NULL, &arena, &tile), NAV_OK);
            ck_assert_int_eq(nav_tile_mask(&tile, off, tile.polygons.count > 0, mode, &arena, &delivered), NAV_OK);
            for (int e = 0; e < ND_WIRE_ENCODINGS; e++) check_note((np_encoding)e, &delivered, x, z);
            nav_arena_reset(&arena);
        }
    nav_arena_deinit(&arena);
}

// Runs of the generator so far, also those that ended after their first stage.
static uint64_t runs(void)
{
    return client_stat(&a, "jobs_built") + client_stat(&a, "jobs_same_content") + client_stat(&a, "jobs_failed");
}

START_TEST(an_edit_of_a_link_runs_no_stage)
{
    check_tiles(false);
    const uint64_t before = runs();
    put_link(7, 3, 16);
    check_tiles(true);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), 1);
    put_link(3, 16, -3); // a second one, which starts on the island
    check_tiles(true);
    put_link(7, 5, 16); // moved, into another tile
    check_tiles(true);
    put_link(7, 9, 16); // its start is no ground
    check_tiles(false);
    put_link(7, 3, 9); // its end is none
    check_tiles(false);
    put_link(7, 0, 16); // on the border of two tiles
    check_tiles(true);
    put_link(8, 3, 14.4f); // another one, to a border
    check_tiles(true);
    remove_link(7);
    check_tiles(true); // the other one is left
    remove_link(8);
    check_tiles(false);
    remove_link(3);
    check_tiles(false);
    ck_assert_uint_eq(runs(), before);
}
END_TEST

START_TEST(a_link_that_comes_back_costs_nothing_at_all)
{
    put_link(7, 3, 16);
    remove_link(7);
    const uint64_t before = runs(), linked = client_stat(&a, "jobs_linked"), masked = client_stat(&a, "jobs_masked");
    put_link(7, 3, 16);
    check_tiles(true);
    remove_link(7);
    check_tiles(false);
    ck_assert_uint_eq(runs(), before);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), linked);
    ck_assert_uint_eq(client_stat(&a, "jobs_masked"), masked);
}
END_TEST

START_TEST(links_that_come_with_the_ground_are_as_cheap_to_change)
{
    put_link(7, 3, 16);
    nav_key step = client_put_box(&a, 0.4f, 0.2f, 0.4f);
    const uint64_t first = runs();
    const np_op steps[] = {op_put(3, step, 3, 0.5f, -1.5f), op_remove(3)};
    edit(&steps[0], 1); // ground of the link's tile: generated with the link
    const uint64_t before = runs(), linked = client_stat(&a, "jobs_linked");
    ck_assert_uint_gt(before, first);
    put_link(7, 4, 16);
    ck_assert_uint_eq(runs(), before);
    ck_assert_uint_eq(client_stat(&a, "jobs_linked"), linked + 1);
    edit(&steps[1], 1);
    check_tiles(true);
    ck_assert_uint_eq(runs(), before);
}
END_TEST

START_TEST(a_restart_finds_base_tiles_on_the_disk_to_add_links_to)
{
    put_link(7, 3, 16);
    halt();
    launch();
    client_settle(&a);
    check_tiles(true);
    put_link(8, 2, 16);
    check_tiles(true);
    remove_link(7);
    check_tiles(true);
    remove_link(8);
    check_tiles(false);
    ck_assert_uint_eq(runs(), 0);
}
END_TEST

static TCase *case_of(const char *name, void (*start)(void))
{
    TCase *c = tcase_create(name);
    tcase_add_checked_fixture(c, start, teardown);
    tcase_add_test(c, an_edit_of_a_link_runs_no_stage);
    tcase_add_test(c, a_link_that_comes_back_costs_nothing_at_all);
    tcase_add_test(c, links_that_come_with_the_ground_are_as_cheap_to_change);
    tcase_add_test(c, a_restart_finds_base_tiles_on_the_disk_to_add_links_to);
    return c;
}

int main(void)
{
    Suite *s = suite_create("linked goals");
    suite_add_tcase(s, case_of("drop", setup_drop));
    suite_add_tcase(s, case_of("flag", setup_flag));
    return run_suite(s);
}
