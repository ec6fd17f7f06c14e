// Do the bench's own measures say what they claim?
#include "tests/bench/ground.h"
#include "tests/bench/plans.h"
#include "tests/bench/shape.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

// Two floors side by side along x, a wall along z = 4 over the first one:
//
//   z 4  #########              # wall, from y 0.5 to y 3
//        |  low  |  high |      low: y 0, x 0..5; high: y `step`, x 5..10
//   z 0  +-------+-------+
static void make_ground(ground *g, float step)
{
    static float verts[12][3];
    static const uint32_t tris[] = {0, 3, 2, 0, 2, 1, 4, 7, 6, 4, 6, 5, 8, 9, 10, 8, 10, 11};
    const float all[12][3] = {{0, 0, 0},     {5, 0, 0},    {5, 0, 4},    {0, 0, 4},    {5, step, 0}, {10, step, 0},
                              {10, step, 4}, {5, step, 4}, {0, 0.5f, 4}, {5, 0.5f, 4}, {5, 3, 4},    {0, 3, 4}};
    nav_settings s;
    memcpy(verts, all, sizeof verts);
    nav_settings_default(&s);
    ground_init(g, &verts[0][0], tris, 6, &s);
}

START_TEST(floors_are_told_from_walls)
{
    ground g;
    double y = -1;
    make_ground(&g, 0.4f);
    ck_assert_uint_eq(g.floors.tri_count, 4);
    ck_assert_uint_eq(g.blocks.tri_count, 2);
    ck_assert(tri_grid_height(&g.floors, 7, 2, -1, 1, &y));
    ck_assert_double_eq_tol(y, 0.4, 1e-6);
    ck_assert(!tri_grid_height(&g.floors, 7, 2, 0.5, 1, &y));
    ck_assert(!tri_grid_height(&g.floors, 11, 2, -1, 1, &y));
    ground_deinit(&g);
}
END_TEST

START_TEST(a_wall_is_as_far_as_its_part_between_the_heights)
{
    ground g;
    make_ground(&g, 0.4f);
    ck_assert_double_eq_tol(tri_grid_distance(&g.blocks, 2, 3, 0.9, 2, 2), 1, 1e-6);
    ck_assert_double_eq_tol(tri_grid_distance(&g.blocks, 8, 0, 0.9, 2, 9), 5, 1e-6);
    ck_assert_msg(tri_grid_distance(&g.blocks, 2, 3, -1, 0.5, 2) > 2, "a wall that begins at the upper height counts");
    ck_assert_msg(tri_grid_distance(&g.blocks, 2, 3, 0.9, 2, 0.5) > 0.5, "a wall beyond the limit counts");
    ground_deinit(&g);
}
END_TEST

START_TEST(a_slanted_triangle_is_clipped_by_height)
{
    // From y 0 at z 0 to y 4 at z 2: between y 1 and y 2 it lies over z 0.5 to z 1.
    tri_grid g = {0};
    const float t[3][3] = {{0, 0, 0}, {10, 0, 0}, {5, 4, 2}};
    tri_grid_add(&g, t[0], t[1], t[2]);
    tri_grid_finish(&g);
    ck_assert_double_eq_tol(tri_grid_distance(&g, 5, 0, 1, 2, 3), 0.5, 1e-6);
    ck_assert_double_eq_tol(tri_grid_distance(&g, 5, 2, 1, 2, 3), 1, 1e-6);
    ck_assert_double_eq_tol(tri_grid_distance(&g, 5, 0.75, 1, 2, 3), 0, 1e-9);
    tri_grid_deinit(&g);
}
END_TEST

START_TEST(a_step_is_no_drop_and_a_ledge_is)
{
    ground g;
    for (int ledge = 0; ledge < 2; ledge++) {
        make_ground(&g, ledge ? 1.5f : 0.4f);
        // The outer rims are drops in both: 2 m from the middle.
        ck_assert_double_eq_tol(tri_grid_distance(&g.drops, 2.5, 2, -0.9, 0.9, 9), 2, 1e-6);
        double inner = tri_grid_distance(&g.drops, 4, 2, -0.9, 0.9, 9);
        ck_assert_double_eq_tol(inner, ledge ? 1 : 2, 1e-6);
        ground_deinit(&g);
    }
}
END_TEST

// From (x, z) at height 0 to the nearest sure drop of the scene of these triangles.
static double sure_drop_distance(const float (*verts)[3], uint32_t tri_count, double x, double z)
{
    uint32_t tris[3 * 8];
    nav_settings s;
    ground g;
    for (uint32_t i = 0; i < 3 * tri_count; i++) tris[i] = i;
    nav_settings_default(&s);
    ground_init(&g, verts[0], tris, tri_count, &s);
    double d = tri_grid_distance(&g.sure_drops, x, z, -0.2, 0.2, 9);
    ground_deinit(&g);
    return d;
}

START_TEST(a_drop_is_sure_only_where_no_rounding_makes_it)
{
    // A floor, x and z from 0 to 4, with a slope of just 45 degrees down from x = 4; then with a slope that is steeper.
    float edge[4][3][3] = {{{0, 0, 0}, {0, 0, 4}, {4, 0, 4}},
                           {{0, 0, 0}, {4, 0, 4}, {4, 0, 0}},
                           {{4, 0, 0}, {4, 0, 4}, {8, -4, 4}},
                           {{4, 0, 0}, {8, -4, 4}, {8, -4, 0}}};
    ck_assert_double_eq_tol(sure_drop_distance(edge[0], 4, 3, 2), 2, 1e-6);
    edge[2][2][1] = edge[3][1][1] = edge[3][2][1] = -4.1f;
    ck_assert_double_eq_tol(sure_drop_distance(edge[0], 4, 3, 2), 1, 1e-6);

    // The floor in two, one of them a sliver that becomes narrower than a centimetre: x = 4 is where it ends.
    const float sliver[3][3][3] = {
        {{0, 0, 0}, {0, 0, 4}, {4, 0, 4}}, {{0, 0, 0}, {4, 0, 4}, {3.9f, 0, 0}}, {{3.9f, 0, 0}, {4, 0, 4}, {4, 0, 0}}};
    ck_assert_double_eq_tol(sure_drop_distance(sliver[0], 3, 3.5, 3.5), 0.5, 1e-6);

    // A lower floor within the climb beyond x = 4, up to z = 2.03: the drop begins where there is room for a disc of
    // 0.45 m beside it.
    const float beside[4][3][3] = {{{0, 0, 0}, {0, 0, 4}, {4, 0, 4}},
                                   {{0, 0, 0}, {4, 0, 4}, {4, 0, 0}},
                                   {{4, -0.4f, 0}, {4, -0.4f, 2.03f}, {8, -0.4f, 2.03f}},
                                   {{4, -0.4f, 0}, {8, -0.4f, 2.03f}, {8, -0.4f, 0}}};
    const double d = sure_drop_distance(beside[0], 4, 3.5, 1.5);
    ck_assert(d >= hypot(0.5, 0.53 + 0.44) && d < hypot(0.5, 0.53 + 0.6));

    // A crack of a hand's breadth that leads away from the floor's edge.
    const float crack[6][3][3] = {{{0, 0, 0}, {0, 0, 4}, {4, 0, 4}},    {{0, 0, 0}, {4, 0, 4}, {4, 0, 0}},
                                  {{4, 0, 0}, {4, 0, 2}, {8, 0, 2}},    {{4, 0, 0}, {8, 0, 2}, {8, 0, 0}},
                                  {{4, 0, 2.1f}, {4, 0, 4}, {8, 0, 4}}, {{4, 0, 2.1f}, {8, 0, 4}, {8, 0, 2.1f}}};
    ck_assert_double_eq_tol(sure_drop_distance(crack[0], 6, 3.5, 2.05), 1.95, 1e-3);
}
END_TEST

static shape_counts judge(const double (*xz)[2], int count)
{
    static shape s;
    shape_counts c = {0};
    memcpy(s.xz, xz, sizeof s.xz[0] * (size_t)count);
    s.count = count;
    shape_judge(&s, &c);
    return c;
}

START_TEST(needles_are_sharp_slivers_thin_and_straight_corners_neither)
{
    const double square[][2] = {{0, 0}, {0.5, 0}, {1, 0}, {1, 1}, {0, 1}};
    const double needle[][2] = {{0, 0}, {100, 0}, {0, 3}};
    const double strip[][2] = {{0, 0}, {9, 0}, {9, 0.03}, {0, 0.03}};
    shape_counts c = judge(square, 5);
    ck_assert_uint_eq(c.ill, 0);
    ck_assert_double_eq_tol(c.area_m2, 1, 1e-12);
    c = judge(needle, 3);
    ck_assert_uint_eq(c.sharp, 1);
    ck_assert_uint_eq(c.thin, 0);
    c = judge(strip, 4);
    ck_assert_uint_eq(c.sharp, 0);
    ck_assert_uint_eq(c.thin, 1);
    ck_assert_uint_eq(c.ill, 1);
}
END_TEST

START_TEST(a_dent_is_as_deep_as_its_corner_is_under_the_hull)
{
    const double dented[][2] = {{0, 0}, {2, 0.25}, {4, 0}, {4, 3}, {0, 3}};
    ck_assert_double_eq_tol(judge(dented, 5).dent_m, 0.25, 1e-12);
    ck_assert_double_eq_tol(judge(dented + 2, 3).dent_m, 0, 1e-12);
}
END_TEST

// An L with a square hole, wound with the floor to the right; in cells.
static int32_t l_x[] = {0, 0, 6, 6, 3, 3, 1, 2, 2, 1}, l_z[] = {0, 9, 9, 6, 6, 0, 7, 7, 8, 8};

START_TEST(floor_plans_count_notches_of_contours_and_holes)
{
    int32_t loop_first[] = {0, 6, 10}, loop_region[] = {1, 1}, cell_poly[16] = {0}, region[1] = {1};
    uint8_t loop_hole[] = {0, 1};
    nav_tile t = {.contours = {.loop_count = 2,
                               .loop_first = loop_first,
                               .loop_region = loop_region,
                               .loop_hole = loop_hole,
                               .x = l_x,
                               .z = l_z,
                               .vert_count = 10},
                  .regions.count = 1,
                  .polygons = {.cell_count = 6, .cell_poly = cell_poly, .region = region}};
    plan_counts c = {0};
    ck_assert(plan_counts_add(&c, &t));
    ck_assert_uint_eq(c.plans, 1);
    ck_assert_uint_eq(c.holes, 1);
    ck_assert_uint_eq(c.notches, 5); // one of the L, four around the hole
    ck_assert_uint_eq(c.least, 3);   // ceil(5 / 2) + 1 - 1
    ck_assert_uint_eq(c.paired, 4);  // r + 1 - h - 1: the notch of the L and the nearest corner of the hole share one
    ck_assert_uint_eq(c.above, 1);   // six cells, and r + 1 - h is five
    // Below, the hole is not in the wedge of the L's notch.
    for (int i = 6; i < 10; i++) l_z[i] -= 5;
    c = (plan_counts){0};
    ck_assert(plan_counts_add(&c, &t));
    ck_assert_uint_eq(c.paired, 5);
    t.polygons.cell_count = 5;
    c = (plan_counts){0};
    ck_assert(plan_counts_add(&c, &t));
    ck_assert_uint_eq(c.above, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("measures");
    TCase *t = tcase_create("measures");
    suite_add_tcase(s, t);
    tcase_add_test(t, floors_are_told_from_walls);
    tcase_add_test(t, a_wall_is_as_far_as_its_part_between_the_heights);
    tcase_add_test(t, a_slanted_triangle_is_clipped_by_height);
    tcase_add_test(t, a_step_is_no_drop_and_a_ledge_is);
    tcase_add_test(t, a_drop_is_sure_only_where_no_rounding_makes_it);
    tcase_add_test(t, needles_are_sharp_slivers_thin_and_straight_corners_neither);
    tcase_add_test(t, a_dent_is_as_deep_as_its_corner_is_under_the_hull);
    tcase_add_test(t, floor_plans_count_notches_of_contours_and_holes);
    return run_suite(s);
}
