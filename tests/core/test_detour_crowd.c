// Crowded borders, judged by Detour: storeys so close that Detour finds more than four edges near one.
#include "core/tile/detour.h"
#include "tests/check.h"
#include "tests/core/detour_judge.h"
#include "tests/core/tile_fixture.h"

#include <math.h>
#include <stdlib.h>

static fixture fix;
static char why[256];

static judge *empty(void)
{
    judge *j = judge_create((float[3]){0, 0, 0}, 8, 8, 64, 1024);
    ck_assert_ptr_nonnull(j);
    return j;
}

// Adds the fixture's tile; answers the number of its polygons.
static int32_t add(judge *j)
{
    nav_buffer b = {0};
    nav_detour_view v;
    ck_assert_int_eq(nav_detour_encode(&fix.tile, &b), NAV_OK);
    nav_status s = nav_detour_open(b.data, b.size, &v, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    int32_t count = v.header.poly_count;
    ck_assert_uint_ne(judge_add(j, b.data, b.size), 0);
    nav_buffer_deinit(&b);
    return count;
}

enum { STOREYS_APART = 9, STEPS = 8, FLOOR = 2 * STEPS };

// A floor of one hexagon, and close above it, along both borders in x, a row of small polygons that come first. Twice
// the climb reaches from one storey to the other.
static void crowded_floor(int32_t tile_x, bool upper)
{
    fixture_init(&fix, tile_x, 0);
    fix.settings.agent_climb_m = 1.2f;
    int32_t edge[2][STEPS + 1][2];
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k <= STEPS; k++) {
            edge[side][k][0] = fixture_vert(&fix, side ? 14 : 0, STOREYS_APART, 2 * k);
            edge[side][k][1] = fixture_vert(&fix, side ? 16 : 2, STOREYS_APART, 2 * k);
        }
        for (int k = 0; upper && k < STEPS; k++) {
            int32_t(*a)[2] = &edge[side][k];
            fixture_poly(&fix, 63, 4, (int32_t[]){a[0][0], a[1][0], a[1][1], a[0][1]});
        }
    }
    int32_t v[6];
    const int32_t at[6][2] = {{0, 0}, {0, 16}, {8, 17}, {16, 16}, {16, 0}, {8, -1}};
    for (int k = 0; k < 6; k++) v[k] = fixture_vert(&fix, at[k][0], k == 2 ? 2 : 0, at[k][1]);
    fixture_poly(&fix, 63, 6, v);
    fixture_extra(&fix, 7.25f, 3.5f, 6.75f);
    fixture_finish(&fix);
}

START_TEST(a_storey_close_above_does_not_push_neighbours_out)
{
    judge *j = empty();
    crowded_floor(0, true);
    ck_assert_int_gt(add(j), FLOOR + 1);
    crowded_floor(1, true);
    ck_assert_int_gt(add(j), FLOOR + 1);
    // Every way across is there, and straight: no two polygons share more than one edge of the border.
    for (int k = 0; k < STEPS; k++) {
        const float from[3] = {7.5f, 0.1f, (float)k + 0.5f}, to[3] = {8.5f, 0.1f, (float)k + 0.5f};
        uint32_t path[256];
        float corners[256 * 3];
        int count = judge_path(j, from, to, path);
        ck_assert_msg(count > 0, "no way across at %d", k);
        ck_assert_int_eq(judge_straight(j, from, to, path, count, corners), 2);
    }
    judge_destroy(j);
}
END_TEST

START_TEST(cutting_a_polygon_keeps_its_height_mesh)
{
    judge *whole = empty(), *cut = empty();
    crowded_floor(0, false);
    ck_assert_int_eq(add(whole), 1);
    crowded_floor(0, true);
    add(cut);
    uint32_t seed = 5;
    for (int i = 0; i < 2000; i++) {
        float at[3] = {0, 0, 0}, near[2][3];
        for (int a = 0; a < 3; a += 2) {
            seed = seed * 1664525u + 1013904223u;
            at[a] = 0.01f + (float)(seed >> 8) / 16777216.0f * 7.98f;
        }
        const float half[3] = {0.001f, 1.5f, 0.001f};
        ck_assert_uint_ne(judge_nearest(whole, at, half, near[0]), 0);
        ck_assert_msg(judge_nearest(cut, at, half, near[1]) != 0, "nothing at %g, %g", (double)at[0], (double)at[2]);
        ck_assert_float_eq_tol(near[0][1], near[1][1], 1e-4f);
    }
    judge_destroy(whole);
    judge_destroy(cut);
}
END_TEST

START_TEST(a_nearest_point_outside_of_a_cut_polygon_is_on_its_edge)
{
    judge *j = empty();
    crowded_floor(0, true);
    int32_t count = add(j);
    for (int32_t p = FLOOR; p < count; p++) {
        float out[3];
        bool over;
        ck_assert(judge_closest(j, judge_ref(j, 0, 0, p), (float[3]){-40, 3, 40}, out, &over));
        ck_assert(!over);
        ck_assert_float_ge(out[0], 0);
        ck_assert_float_le(out[0], 8);
    }
    judge_destroy(j);
}
END_TEST

static float length_between(const float a[3], const float b[3])
{
    float x = b[0] - a[0], z = b[2] - a[2];
    return sqrtf(x * x + z * z);
}

static bool has_edge(const nav_detour_view *v, int32_t p, int from, int to, int32_t behind)
{
    nav_detour_poly poly;
    nav_detour_get_poly(v, (uint32_t)p, &poly);
    for (int k = 0; k < poly.vert_count; k++)
        if (poly.vert[k] == from && poly.vert[(k + 1) % poly.vert_count] == to) return poly.neighbour[k] == behind + 1;
    return false;
}

START_TEST(parts_know_each_other_and_where_their_height_mesh_ends)
{
    crowded_floor(0, true);
    nav_buffer b = {0};
    nav_detour_view v;
    ck_assert_int_eq(nav_detour_encode(&fix.tile, &b), NAV_OK);
    ck_assert_int_eq(nav_detour_open(b.data, b.size, &v, why, sizeof why), NAV_OK);
    for (int32_t p = 0; p < v.header.poly_count; p++) {
        nav_detour_poly poly;
        nav_detour_get_poly(&v, (uint32_t)p, &poly);
        float around = 0, flagged = 0, at[2][3];
        for (int k = 0; k < poly.vert_count; k++) {
            int from = poly.vert[k], to = poly.vert[(k + 1) % poly.vert_count], behind = poly.neighbour[k];
            nav_detour_get_vert(&v, (uint32_t)from, at[0]);
            nav_detour_get_vert(&v, (uint32_t)to, at[1]);
            around += length_between(at[0], at[1]);
            if (behind && !(behind & NAV_DETOUR_PORTAL))
                ck_assert_msg(has_edge(&v, behind - 1, to, from, p), "polygon %d, edge %d to %d", p, k, behind - 1);
        }
        for (uint32_t t = 0; t < poly.detail_tri_count; t++) {
            float tri[3][3];
            uint8_t flags;
            nav_detour_get_triangle(&v, &poly, t, tri, &flags);
            for (int k = 0; k < 3; k++)
                if (flags >> 2 * k & 1) flagged += length_between(tri[k], tri[(k + 1) % 3]);
        }
        ck_assert_float_eq_tol(around, flagged, 1e-4f);
    }
    nav_buffer_deinit(&b);
}
END_TEST

enum { STACK = 4 };

static uint32_t random_below(uint32_t *seed, uint32_t end)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*seed >> 4) * end >> 28);
}

// Storeys above each other, each cut along the border at the places of its bit mask, sloping along it, with polygons in
// an order that differs from tile to tile.
static void stack(int32_t tile_x, const uint32_t cuts[STACK], const int32_t slope[STACK], uint32_t order)
{
    fixture_init(&fix, tile_x, 0);
    fix.settings.agent_climb_m = 1.2f;
    int32_t quads[STACK * 16][3], count = 0; // storey, from, to
    for (int32_t s = 0; s < STACK; s++) {
        for (int32_t z = 1, from = 0; z <= 16; z++) {
            if (z < 16 && !(cuts[s] >> z & 1)) continue;
            quads[count][0] = s;
            quads[count][1] = from;
            quads[count++][2] = from = z;
        }
    }
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t k = (int32_t)random_below(&order, (uint32_t)i + 1), swap[3];
        memcpy(swap, quads[i], sizeof swap);
        memcpy(quads[i], quads[k], sizeof swap);
        memcpy(quads[k], swap, sizeof swap);
    }
    int32_t vert[STACK][17][2];
    for (int32_t s = 0; s < STACK; s++)
        for (int32_t z = 0; z <= 16; z++)
            for (int32_t x = 0; x < 2; x++)
                vert[s][z][x] = fixture_vert(&fix, (tile_x ? 0 : 12) + 4 * x, s * STOREYS_APART + slope[s] * z / 16, z);
    for (int32_t i = 0; i < count; i++) {
        int32_t(*from)[2] = &vert[quads[i][0]][quads[i][1]], (*to)[2] = &vert[quads[i][0]][quads[i][2]];
        fixture_poly(&fix, 63, 4, (int32_t[]){(*from)[0], (*to)[0], (*to)[1], (*from)[1]});
    }
    fixture_finish(&fix);
}

START_TEST(whatever_the_storeys_each_place_leads_across_the_border)
{
    uint32_t seed = 1 + (uint32_t)_i * 7919;
    uint32_t cuts[STACK];
    int32_t slope[STACK], base = (int32_t)random_below(&seed, 9) - 4;
    for (int s = 0; s < STACK; s++) {
        cuts[s] = random_below(&seed, 1 << 16);
        cuts[s] &= random_below(&seed, 1 << 16);
        if (random_below(&seed, 2)) cuts[s] |= random_below(&seed, 1 << 16);
        slope[s] = base;
    }
    judge *j = empty();
    stack(0, cuts, slope, seed);
    add(j);
    stack(1, cuts, slope, seed + 1);
    add(j);
    const float half[3] = {0.002f, 0.6f, 0.002f};
    for (int s = 0; s < STACK; s++) {
        for (int z = 0; z < 16; z++) {
            float y = 0.25f * (float)(s * STOREYS_APART + slope[s] * z / 16), near[3];
            uint32_t a = judge_nearest(j, (float[3]){7.99f, y, 0.5f * (float)z + 0.25f}, half, near);
            uint32_t b = judge_nearest(j, (float[3]){8.01f, y, 0.5f * (float)z + 0.25f}, half, near);
            ck_assert_uint_ne(a, 0);
            ck_assert_uint_ne(b, 0);
            ck_assert_msg(judge_linked(j, a, b) && judge_linked(j, b, a), "run %d: storey %d at %d", _i, s, z);
        }
    }
    judge_destroy(j);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detour, crowded borders");
    TCase *t = tcase_create("storeys");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, a_storey_close_above_does_not_push_neighbours_out);
    tcase_add_test(t, cutting_a_polygon_keeps_its_height_mesh);
    tcase_add_test(t, a_nearest_point_outside_of_a_cut_polygon_is_on_its_edge);
    tcase_add_test(t, parts_know_each_other_and_where_their_height_mesh_ends);
    tcase_add_loop_test(t, whatever_the_storeys_each_place_leads_across_the_border, 0, 100);
    suite_add_tcase(s, t);
    return run_suite(s);
}
