// Slices by height: what is a storey and what is not.
#include "clients/navctl/drawing/storeys.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

enum { MAX_SQUARES = 64 };
static float corners[MAX_SQUARES * 4 * 3];
static draw_polygon polygons[MAX_SQUARES];

static void begin(draw_mesh *m)
{
    draw_mesh_init(m);
    m->polygons = polygons;
    m->corners = corners;
}

// A square of 4 m whose left and right sides have their own heights.
static void add_square(draw_mesh *m, float x, float z, float left, float right)
{
    const float at[4][3] = {{x, left, z}, {x, left, z + 4}, {x + 4, right, z + 4}, {x + 4, right, z}};
    m->polygons[m->polygon_count++] = (draw_polygon){.first = m->corner_count, .corner_count = 4};
    for (int k = 0; k < 4; k++) {
        memcpy(m->corners + 3 * (size_t)m->corner_count++, at[k], sizeof at[k]);
        for (int i = 0; i < 3; i++) {
            m->min[i] = fminf(m->min[i], at[k][i]);
            m->max[i] = fmaxf(m->max[i], at[k][i]);
        }
    }
}

START_TEST(floors_above_each_other_are_storeys)
{
    draw_mesh m;
    storeys s;
    begin(&m);
    for (int floor = 0; floor < 3; floor++)
        for (int i = 0; i < 8; i++) add_square(&m, 4 * (float)i, 0, 4 * (float)floor, 4 * (float)floor);
    add_square(&m, 32, 0, 0, 4); // stairs
    ck_assert(storeys_find(&m, 0, &s));
    ck_assert_int_eq(s.count, 3);
    ck_assert(isinf(s.slices[0][0]) && isinf(s.slices[2][1]));
    for (int i = 0; i < 2; i++) {
        ck_assert_double_eq(s.slices[i][1], s.slices[i + 1][0]);
        ck_assert_double_gt(s.slices[i][1], 4 * i + 1);
        ck_assert_double_lt(s.slices[i][1], 4 * i + 3);
    }
    ck_assert(storeys_find(&m, 2, &s)); // no more than are wanted
    ck_assert_int_eq(s.count, 2);
    ck_assert(storeys_find(&m, 1, &s));
    ck_assert_int_eq(s.count, 1);
}
END_TEST

START_TEST(a_slope_is_one_storey)
{
    draw_mesh m;
    storeys s;
    begin(&m);
    for (int i = 0; i < 40; i++) add_square(&m, 4 * (float)i, 0, 3 * (float)i, 3 * (float)i + 3);
    ck_assert(storeys_find(&m, 0, &s));
    ck_assert_int_eq(s.count, 1);
}
END_TEST

START_TEST(terraces_beside_each_other_are_one_storey_unless_more_are_wanted)
{
    draw_mesh m;
    storeys s;
    begin(&m);
    for (int i = 0; i < 8; i++) add_square(&m, 4 * (float)i, 0, i < 4 ? 0 : 10, i < 4 ? 0 : 10);
    ck_assert(storeys_find(&m, 0, &s));
    ck_assert_int_eq(s.count, 1);
    ck_assert(storeys_find(&m, 4, &s));
    ck_assert_int_eq(s.count, 2);
}
END_TEST

START_TEST(no_ground_is_one_storey)
{
    draw_mesh m;
    storeys s;
    begin(&m);
    ck_assert(storeys_find(&m, 0, &s));
    ck_assert_int_eq(s.count, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("storeys");
    TCase *t = tcase_create("storeys");
    suite_add_tcase(s, t);
    tcase_add_test(t, floors_above_each_other_are_storeys);
    tcase_add_test(t, a_slope_is_one_storey);
    tcase_add_test(t, terraces_beside_each_other_are_one_storey_unless_more_are_wanted);
    tcase_add_test(t, no_ground_is_one_storey);
    return run_suite(s);
}
