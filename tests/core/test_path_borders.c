// Detour's tiles made by hand, columns of 0.5 m, 16 to a tile: what their borders share, and how layers are joined.
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "navcore/path_places.h"
#include "tests/check.h"
#include "tests/core/path_world.h"
#include "tests/core/tile_fixture.h"

#include <math.h>
#include <string.h>

enum { LAYER_AT = 16, STACKED = 800 }; // of a Detour tile's layer; edges at one place

static nav_path_finder *finder;
static nav_path_set *set;
static fixture fix;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&set), NAV_OK);
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(set);
}

static nav_path ask(double ax, double az, double bx, double bz, double y)
{
    nav_path_query q = {.from = {ax, y, az}, .to = {bx, y, bz}, .near_m = 0.3};
    nav_path path;
    ck_assert_int_eq(nav_path_find(finder, set, &q, &path), NAV_OK);
    return path;
}

static int32_t vert_at(int32_t x, int32_t y, int32_t z)
{
    for (int32_t i = 0; i < fix.tile.polygons.vert_count; i++)
        if (fix.x[i] == x && fix.y[i] == y && fix.z[i] == z) return i;
    return fixture_vert(&fix, x, y, z);
}

// A rectangle of columns.
static void add_rectangle(int32_t x0, int32_t z0, int32_t x1, int32_t z1, int32_t y)
{
    const int32_t v[4] = {vert_at(x0, y, z0), vert_at(x0, y, z1), vert_at(x1, y, z1), vert_at(x1, y, z0)};
    fixture_poly(&fix, 63, 4, v);
}

// layer: goes into the header. portals: edges along x = 8 lead to another layer, on this side.
static void put_fixture(int32_t layer, int portals)
{
    nav_buffer tile = {0};
    nav_detour_params p;
    nav_detour_view v;
    char why[256] = "";
    ck_assert_int_eq(nav_detour_params_init(&p, &fix.settings, PATH_WORLD_TILES, 0, why, sizeof why), NAV_OK);
    fixture_finish(&fix);
    ck_assert_int_eq(nav_detour_encode(&fix.tile, &tile), NAV_OK);
    nav_store_i32(tile.data + LAYER_AT, layer);
    ck_assert_int_eq(nav_detour_open(tile.data, tile.size, &v, why, sizeof why), NAV_OK);
    for (uint32_t i = 0; portals >= 0 && i < (uint32_t)v.header.off_mesh_base; i++) {
        nav_detour_poly poly;
        nav_detour_get_poly(&v, i, &poly);
        for (uint32_t k = 0; k < poly.vert_count; k++) {
            float a[3], b[3];
            nav_detour_get_vert(&v, poly.vert[k], a);
            nav_detour_get_vert(&v, poly.vert[(k + 1) % poly.vert_count], b);
            if (a[0] == 4 && b[0] == 4)
                nav_store_u16(tile.data + (v.polys - tile.data) + 32 * (size_t)i + 16 + 2 * (size_t)k,
                              (uint16_t)(NAV_DETOUR_PORTAL | portals));
        }
    }
    nav_status s = nav_path_set_put_detour(set, &p, tile.data, tile.size, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    nav_buffer_deinit(&tile);
}

// One edge on the left, two on the right with a wall between them, from 3 to 5 m:
//
//     +-------+------+---+
//     |       |      |   |    and on the right another floor above, which the left has no way to
//     |       +------+   |
//     |  a    |######| b |
//     |       +------+   |
//     |       |      |   |
//     +-------+------+---+
START_TEST(borders_share_pieces)
{
    fixture_init(&fix, 0, 0);
    add_rectangle(0, 0, 16, 16, 3);
    put_fixture(0, -1);
    fixture_init(&fix, 1, 0);
    add_rectangle(0, 0, 8, 6, 3);
    add_rectangle(0, 10, 8, 16, 3);
    add_rectangle(8, 0, 16, 6, 3);
    add_rectangle(8, 6, 16, 10, 3);
    add_rectangle(8, 10, 16, 16, 3);
    add_rectangle(0, 0, 16, 16, 30);
    put_fixture(0, -1);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_path p = ask(4, 4.25, 13, 4.25, 0.75);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(p.length_m, hypot(4, 0.75) + 4 + hypot(1, 0.75), 1e-6); // by the lower wall
    ck_assert_uint_eq(p.point_count, 4);
    p = ask(4, 1, 12, 2, 0.75); // straight over the border
    ck_assert_uint_eq(p.point_count, 2);
    p = ask(9, 4, 4, 4, 7.5);
    ck_assert_int_eq(p.status, NAV_PATH_NO_GOAL);
    nav_path_query down = {.from = {9, 7.5, 4}, .to = {4, 0.75, 4}, .near_m = 1};
    ck_assert_int_eq(nav_path_find(finder, set, &down, &p), NAV_OK);
    ck_assert_int_eq(p.status, NAV_PATH_PARTIAL);
}
END_TEST

// What is behind a border is the nearest in height, within twice the climb, as in Detour (0.75 m here).
START_TEST(borders_join_by_height)
{
    static const struct {
        int32_t near, far; // voxels of 0.25 m above the left
        bool joins;
        double y; // of the end
    } cases[] = {{0, 20, true, 0}, {6, 20, true, 1.5}, {7, 20, false, 0}, {-6, 4, true, 1}, {2, -3, true, 0.5}};
    fixture_init(&fix, 0, 0);
    add_rectangle(0, 0, 16, 16, 40);
    put_fixture(0, -1);
    fixture_init(&fix, 1, 0);
    add_rectangle(0, 0, 16, 16, 40 + cases[_i].near);
    put_fixture(2, -1);
    fixture_init(&fix, 1, 0);
    add_rectangle(0, 0, 16, 16, 40 + cases[_i].far);
    put_fixture(5, -1);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_path_query q = {.from = {4, 10, 4}, .to = {12, 10 + cases[_i].y, 4}, .near_m = 0.5};
    nav_path p;
    ck_assert_int_eq(nav_path_find(finder, set, &q, &p), NAV_OK);
    ck_assert_int_eq(p.status == NAV_PATH_FOUND, cases[_i].joins);
    if (cases[_i].joins) ck_assert_double_eq_tol(p.length_m, 8, 1e-6);
}
END_TEST

// As a tile cache makes them: a tile's ground in two layers side by side, joined in its middle, by a piece.
START_TEST(layers_of_a_place_are_joined)
{
    fixture_init(&fix, 0, 0);
    add_rectangle(0, 0, 8, 16, 3);
    put_fixture(0, 0);
    fixture_init(&fix, 0, 0);
    add_rectangle(8, 6, 16, 16, 3);
    put_fixture(1, 4);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_path p = ask(1, 1, 5, 3.5, 0.75);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(p.length_m, hypot(3, 2) + hypot(1, 0.5), 1e-6); // around the corner at 4, 3
    nav_path_set_drop_layer(set, 0, 0, 1);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    ck_assert_int_eq(ask(1, 1, 2, 7, 0.75).status, NAV_PATH_FOUND);
    ck_assert_int_eq(ask(1, 1, 7, 7, 0.75).status, NAV_PATH_NO_GOAL);
}
END_TEST

// As no generator makes it: so many edges at the same place that comparing each match with all others would not end.
START_TEST(edges_at_one_place_are_joined_one_by_one)
{
    for (int32_t x = 0; x < 2; x++) {
        fixture_init(&fix, x, 0);
        for (int i = 0; i < STACKED; i++) {
            const int32_t v[4] = {fixture_vert(&fix, 0, 3, 0), fixture_vert(&fix, 0, 3, 16),
                                  fixture_vert(&fix, 16, 3, 16), fixture_vert(&fix, 16, 3, 0)};
            fixture_poly(&fix, 63, 4, v);
        }
        put_fixture(0, -1);
    }
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_path p = ask(4, 4, 13, 4, 0.75);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(p.length_m, 9, 1e-6);
}
END_TEST

// Two links of two layers between the same places: which one a path takes does not depend on which layer came first.
START_TEST(links_of_layers_have_an_order)
{
    const nav_link link = {.start = {2, 0.75f, 4}, .end = {6, 0.75f, 4}, .radius_m = 0.5f, .area = 63, .flags = 1};
    for (int32_t k = 0; k < 2; k++) {
        int32_t layer = _i ? 1 - k : k;
        fixture_init(&fix, 0, 0);
        if (layer == 0) {
            add_rectangle(0, 0, 6, 16, 3);
            add_rectangle(10, 0, 16, 16, 3);
        } else {
            add_rectangle(0, 0, 16, 16, 40);
        }
        nav_link here = link;
        here.id = 7 + (uint32_t)layer;
        fixture_link(&fix, here);
        put_fixture(layer, -1);
    }
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_path_query q = {.from = {1, 0.75, 4}, .to = {7, 0.75, 4}, .near_m = 0.5, .links = true};
    nav_path p;
    ck_assert_int_eq(nav_path_find(finder, set, &q, &p), NAV_OK);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_uint_eq(p.jump_count, 1);
    ck_assert_uint_eq(p.jumps[0].link, 7);
}
END_TEST

// The ends are on both sides of a wall without thickness, right at it: the path turns back at its end.
//
//     +-------+-------+
//     |               |
//     +-------+-------+
//     |       |  /    |    the right half rises towards the lower edge
//     |       | /     |
//     +-------+-------+
START_TEST(a_path_turns_back_behind_a_wall)
{
    const double low = 0.75, there = 7; // the height of the right half at 1.5 m
    fixture_init(&fix, 0, 0);
    add_rectangle(0, 0, 8, 8, 3);
    const int32_t top[5] = {vert_at(0, 3, 8), vert_at(0, 3, 16), vert_at(16, 3, 16), vert_at(16, 3, 8),
                            vert_at(8, 3, 8)};
    const int32_t ramp[4] = {vert_at(8, 43, 0), vert_at(8, 3, 8), vert_at(16, 3, 8), vert_at(16, 43, 0)};
    fixture_poly(&fix, 63, 5, top);
    fixture_poly(&fix, 63, 4, ramp);
    put_fixture(0, -1);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    nav_path_query q = {.from = {4, low, 1}, .to = {4, there, 1.5}, .near_m = 0.1};
    nav_path p;
    ck_assert_int_eq(nav_path_find(finder, set, &q, &p), NAV_OK);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(p.length_m, 3 + 2.5, 1e-6);
    ck_assert_uint_eq(p.point_count, 3);
    ck_assert_float_eq_tol(p.points[5], 4, 1e-6f);
}
END_TEST

// A walk over a world of which only what is near is loaded: what is behind gives its memory back.
START_TEST(a_set_is_as_large_as_its_tiles)
{
    size_t bytes = 0;
    for (int32_t x = 0; x < 40; x++) {
        fixture_init(&fix, 16 * x, 0);
        add_rectangle(0, 0, 16, 16, 3);
        put_fixture(0, -1);
        if (x) nav_path_set_drop(set, 16 * (x - 1), 0);
        ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
        ck_assert_uint_eq(nav_path_set_tiles(set), 1);
        nav_path p = ask(128 * x + 1, 1, 128 * x + 7, 7, 0.75);
        ck_assert_int_eq(p.status, NAV_PATH_FOUND);
        if (x == 8) bytes = nav_path_set_bytes(set);
    }
    ck_assert_uint_eq(nav_path_set_bytes(set), bytes);
}
END_TEST

// The polygon of a place is one of the layer that the place says.
START_TEST(a_place_names_its_layer)
{
    for (int32_t layer = 4; layer < 7; layer++) {
        fixture_init(&fix, 0, 0);
        add_rectangle(0, 0, 16, 16, 30 * layer);
        put_fixture(layer, -1);
    }
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    for (int32_t layer = 4; layer < 7; layer++) {
        double y = 7.5 * layer;
        nav_path_nearest near;
        ck_assert_int_eq(nav_path_find_nearest(set, (double[]){2, y, 2}, &(nav_place_scope){.near_m = 0.3}, &near),
                         NAV_OK);
        ck_assert_int_eq(near.status, NAV_PLACE_FOUND);
        ck_assert_int_eq(near.place.cell.layer, layer);
        nav_path p = ask(1, 1, 7, 5, y);
        ck_assert_uint_eq(p.cell_count, 1);
        ck_assert_int_eq(p.cells[0].layer, layer);
        nav_path_within_query q = {.at = {2, y, 2}, .near_m = 0.3, .distance_m = 3};
        nav_path_withins w;
        ck_assert_int_eq(nav_path_within(finder, set, &q, &w), NAV_OK);
        ck_assert_uint_eq(w.cell_count, 1);
        ck_assert_int_eq(w.cells[0].cell.layer, layer);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_borders");
    TCase *t = tcase_create("path_borders");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_set_is_as_large_as_its_tiles);
    tcase_add_test(t, a_place_names_its_layer);
    tcase_add_test(t, a_path_turns_back_behind_a_wall);
    tcase_add_test(t, borders_share_pieces);
    tcase_add_loop_test(t, borders_join_by_height, 0, 5);
    tcase_add_test(t, layers_of_a_place_are_joined);
    tcase_add_loop_test(t, links_of_layers_have_an_order, 0, 2);
    tcase_add_test(t, edges_at_one_place_are_joined_one_by_one);
    suite_add_tcase(s, t);
    return run_suite(s);
}
