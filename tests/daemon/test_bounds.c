// Include volumes in a world of the daemon: which tiles there are, and what becomes of them when volumes come and go.
#include "tests/daemon/fixture.h"

#include "core/geometry/tile_source.h"

#include <string.h>

static daemon_fixture d;
static client a;
static nav_key slab;

enum { HALF = 20, REACH = 8 }; // metres; tiles of 4.8 m in each direction that cover it

static void start(void)
{
    fixture_start(&d, NULL);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    slab = client_put_box(&a, HALF, 0.5f, HALF);
}

enum { FEW = 50 }; // fewer tiles than the slab has, and more than a quarter of it

static void use_few_tiles(nd_config *c)
{
    c->max_edit_tiles = FEW;
}

static void start_with_few_tiles(void)
{
    fixture_start(&d, use_few_tiles);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    slab = client_put_box(&a, HALF / 2, 0.5f, HALF / 2);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&d);
}

static np_op include(uint64_t id, float x0, float z0, float x1, float z1)
{
    np_op op = {
        .kind = NP_OP_PUT_VOLUME,
        .id = id,
        .u.volume = {
            .point_count = 4, .points = {x0, z0, x0, z1, x1, z1, x1, z0}, .min_y = -5, .max_y = 5, .include = 1}};
    return op;
}

static np_op remove_volume(uint64_t id)
{
    return (np_op){.kind = NP_OP_REMOVE_VOLUME, .id = id};
}

static void edit(const np_op *ops, uint32_t count)
{
    np_world_edit_response r;
    np_error err = {0};
    ck_assert_msg(client_edit(&a, ops, count, &r, &err) == NAV_OK, "%s", err.message);
    client_settle(&a);
}

static void count_tiles(nd_server *s, void *user)
{
    const nd_world *w = nd_server_service(s)->methods->worlds->list[0];
    *(size_t *)user = w->scheduler.tiles.count;
}

static size_t tiles_of_world(void)
{
    size_t count;
    fixture_call(&d, count_tiles, &count);
    return count;
}

static bool touches(int32_t x, int32_t z, const float box[4])
{
    double min[2], max[2];
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = 16;
    nav_tile_padded_bounds(&s, x, z, min, max);
    return (double)box[0] <= max[0] && (double)box[2] >= min[0] && (double)box[1] <= max[1] && (double)box[3] >= min[1];
}

// The tiles that clients have, and those of the world, are exactly those that the slab and one of the boxes touch.
static void check_tiles(const float boxes[][4], int count)
{
    const float all[4] = {-HALF, -HALF, HALF, HALF};
    size_t expected = 0;
    for (int32_t z = -REACH; z <= REACH; z++)
        for (int32_t x = -REACH; x <= REACH; x++) {
            bool want = false;
            for (int i = 0; i < count; i++) want |= touches(x, z, boxes[i]);
            want = want && touches(x, z, all);
            expected += want;
            const seen_tile *t = client_last_tile(&a, x, z, 0);
            bool has = t && t->status != NP_TILE_REMOVED;
            ck_assert_msg(has == want, "tile %d, %d: %s", x, z, has ? "is there" : "is not there");
        }
    ck_assert_uint_eq(tiles_of_world(), expected);
}

static const float whole[1][4] = {{-HALF, -HALF, HALF, HALF}};
static const float corner[4] = {-19, -19, -12, -14}, other[4] = {3, 4, 6, 18};

static np_op include_box(uint64_t id, const float box[4])
{
    return include(id, box[0], box[1], box[2], box[3]);
}

START_TEST(a_world_with_an_include_volume_has_the_tiles_that_it_touches_alone)
{
    np_op ops[] = {op_put(1, slab, 0, 0, 0), include_box(1, corner), include_box(2, other), remove_volume(1)};
    client_subscribe(&a, NP_ENCODING_NAVD);
    edit(&ops[0], 1);
    check_tiles(whole, 1);
    size_t before = a.tile_count;
    nav_key inner = client_last_tile(&a, 0, 0, 0)->key;
    edit(&ops[1], 1);
    check_tiles((const float[][4]){{corner[0], corner[1], corner[2], corner[3]}}, 1);
    edit(&ops[2], 1);
    check_tiles(
        (const float[][4]){{corner[0], corner[1], corner[2], corner[3]}, {other[0], other[1], other[2], other[3]}}, 2);
    edit(&ops[3], 1); // its ground goes
    check_tiles((const float[][4]){{other[0], other[1], other[2], other[3]}}, 1);
    np_op last = remove_volume(2);
    edit(&last, 1); // the last one: all is ground again
    check_tiles(whole, 1);
    const seen_tile *again = client_last_tile(&a, 0, 0, before);
    ck_assert(again && nav_key_equal(again->key, inner));
    ck_assert_uint_eq(again->made_us, 0); // it came from the cache
}
END_TEST

// No tile outside is ever made, whichever comes first.
START_TEST(one_edit_may_bring_the_ground_and_its_bounds)
{
    np_op ops[] = {op_put(1, slab, 0, 0, 0), include_box(1, corner)};
    np_world_edit_response r;
    if (_i) {
        np_op first = ops[0];
        ops[0] = ops[1];
        ops[1] = first;
    }
    client_subscribe(&a, NP_ENCODING_NAVD);
    ck_assert_int_eq(client_edit(&a, ops, 2, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.dirty_tiles, tiles_of_world());
    client_settle(&a);
    check_tiles((const float[][4]){{corner[0], corner[1], corner[2], corner[3]}}, 1);
    for (size_t i = 0; i < a.tile_count; i++) ck_assert_int_ne(a.tiles[i].status, NP_TILE_REMOVED);
}
END_TEST

// Of ground that has more tiles than an edit may touch, those within the bounds are made.
START_TEST(ground_of_any_size_costs_what_its_bounds_have)
{
    np_op ops[] = {include_box(1, corner), op_put(1, slab, 0, 0, 0)};
    np_error err = {0};
    np_world_edit_response r;
    ops[1].u.instance.transform[0] = ops[1].u.instance.transform[10] = 1000; // 40 km, some 69 million tiles
    ck_assert_int_eq(client_edit(&a, &ops[1], 1, &r, &err), NAV_ERR_LIMIT);
    client_subscribe(&a, NP_ENCODING_NAVD);
    edit(ops, 2);
    size_t inside = tiles_of_world();
    ck_assert_uint_gt(inside, 0);
    ck_assert_uint_lt(inside, 40);
    np_op again = include_box(2, other); // beside the first
    edit(&again, 1);
    ck_assert_uint_gt(tiles_of_world(), inside);
}
END_TEST

// Also in parts, and where the volume has far more tiles than the world has instances.
START_TEST(include_volumes_come_and_go_in_worlds_with_more_tiles_than_an_edit_may_touch)
{
    const float q = HALF / 2;
    const float half[4] = {-HALF, -HALF, 1, HALF};
    np_op ground[] = {op_put(1, slab, -q, 0, -q), op_put(2, slab, q, 0, -q), op_put(3, slab, -q, 0, q),
                      op_put(4, slab, q, 0, q)};
    np_op all = include(2, -1e6f, -1e6f, 1e6f, 1e6f), some = include_box(3, half), first = include_box(1, corner);
    np_op gone[] = {remove_volume(1), remove_volume(2), remove_volume(3)};
    if (_i) fixture_pace(&d, 3);
    client_subscribe(&a, NP_ENCODING_NAVD);
    for (int i = 0; i < 4; i++) edit(&ground[i], 1);
    ck_assert_uint_gt(tiles_of_world(), FEW);
    edit(&first, 1); // all tiles change
    check_tiles((const float[][4]){{corner[0], corner[1], corner[2], corner[3]}}, 1);
    edit(&some, 1);
    check_tiles((const float[][4]){{half[0], half[1], half[2], half[3]}}, 1);
    edit(&all, 1);
    check_tiles(whole, 1);
    edit(&gone[1], 1);
    check_tiles((const float[][4]){{half[0], half[1], half[2], half[3]}}, 1);
    np_op both[] = {all, gone[2]};
    edit(both, 2);
    check_tiles(whole, 1);
    edit(&gone[0], 1); // nothing to see
    edit(&gone[1], 1); // the last one
    check_tiles(whole, 1);
    np_op together[] = {all, op_put(5, slab, 0, 0.5f, 0)}; // does not count for what else the edit touches
    edit(together, 2);
    check_tiles(whole, 1);
}
END_TEST

static void change_radius(float m)
{
    np_world_profile_request r = {.world = a.world, .name = np_str_of("walker"), .has_settings = true};
    np_world_profile_response out;
    nav_settings_default(&r.settings);
    r.settings.tile_cells = 16;
    r.settings.agent_radius_m = m;
    ck_assert_int_eq(client_call(&a, NP_WORLD_PROFILE, &r, &out, NULL), NAV_OK);
    client_settle(&a);
}

// The slab is in the reach of these tiles before. The volume comes into it.
START_TEST(a_wider_agent_gets_the_tiles_that_an_include_volume_touches_now)
{
    np_op ops[] = {op_put(1, slab, 0, 0, 0), include_box(1, other)};
    client_subscribe(&a, NP_ENCODING_NAVD);
    edit(ops, 2);
    size_t count = tiles_of_world();
    change_radius(0);
    ck_assert_uint_lt(tiles_of_world(), count);
    change_radius(0.6f);
    check_tiles((const float[][4]){{other[0], other[1], other[2], other[3]}}, 1);
}
END_TEST

START_TEST(an_include_volume_that_becomes_another_one_bounds_no_more)
{
    np_op ops[] = {op_put(1, slab, 0, 0, 0), include_box(1, corner)};
    client_subscribe(&a, NP_ENCODING_NAVD);
    edit(ops, 2);
    ops[1].u.volume.include = 0;
    ops[1].u.volume.area = 5;
    edit(&ops[1], 1);
    check_tiles(whole, 1);
}
END_TEST

START_TEST(an_include_volume_needs_no_area_and_another_one_does)
{
    np_op op = include_box(1, corner);
    np_error err = {0};
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&a, &op, 1, &r, &err), NAV_OK);
    op.u.volume.area = UINT8_MAX; // which the encoder leaves out
    ck_assert_int_eq(client_edit(&a, &op, 1, &r, &err), NAV_OK);
    op.u.volume.include = 0;
    ck_assert_int_eq(client_edit(&a, &op, 1, &r, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "area: missing, expected an integer from 0 to 63"), "%s", err.message);
}
END_TEST

START_TEST(tiles_build_takes_include_volumes)
{
    const float verts[12] = {-HALF, 0, -HALF, -HALF, 0, HALF, HALF, 0, HALF, HALF, 0, -HALF};
    const uint32_t tris[6] = {0, 1, 2, 0, 2, 3};
    np_op op = include_box(1, other);
    np_tiles_build_request r = {.first = {-1, 0},
                                .last = {1, 1},
                                .area = NAV_AREA_DEFAULT,
                                .vertices = {(const uint8_t *)verts, sizeof verts},
                                .indices = {(const uint8_t *)tris, sizeof tris},
                                .volume_count = 1,
                                .volumes = &op.u.volume};
    np_tiles_build_response out;
    nav_settings_default(&r.settings);
    r.settings.tile_cells = 16;
    ck_assert_int_eq(client_call(&a, NP_TILES_BUILD, &r, &out, NULL), NAV_OK);
    ck_assert_uint_eq(out.tile_count, 6);
    for (uint32_t i = 0; i < out.tile_count; i++) { // x from 3 to 6 m, z from 4 on; the own columns, not the padding
        bool inside = out.tiles[i].x >= 0;
        ck_assert_msg(out.tiles[i].status == (inside ? NP_TILE_OK : NP_TILE_EMPTY), "tile %d, %d", out.tiles[i].x,
                      out.tiles[i].z);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounds");
    TCase *t = tcase_create("include");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_world_with_an_include_volume_has_the_tiles_that_it_touches_alone);
    tcase_add_loop_test(t, one_edit_may_bring_the_ground_and_its_bounds, 0, 2);
    tcase_add_test(t, ground_of_any_size_costs_what_its_bounds_have);
    tcase_add_test(t, a_wider_agent_gets_the_tiles_that_an_include_volume_touches_now);
    tcase_add_test(t, an_include_volume_that_becomes_another_one_bounds_no_more);
    tcase_add_test(t, an_include_volume_needs_no_area_and_another_one_does);
    tcase_add_test(t, tiles_build_takes_include_volumes);
    suite_add_tcase(suite, t);
    TCase *few = tcase_create("few tiles");
    tcase_add_checked_fixture(few, start_with_few_tiles, stop);
    tcase_add_loop_test(few, include_volumes_come_and_go_in_worlds_with_more_tiles_than_an_edit_may_touch, 0, 2);
    suite_add_tcase(suite, few);
    return run_suite(suite);
}
