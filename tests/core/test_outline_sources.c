// What ends a floor is found in the triangles, where it is: no more and no less than the voxels stop at.
#include "tests/check.h"
#include "tests/core/sources_fixture.h"

#include <stdlib.h>

static scene s;

static void setup_scene(void)
{
    setup();
    s = (scene){0};
}

static void teardown_scene(void)
{
    scene_free(&s);
    teardown();
}

static const float middle[3] = {2, 0, 2};

static void quad(const float a[3], const float b[3], const float c[3], const float d[3])
{
    scene_triangle(&s, a, b, c);
    scene_triangle(&s, a, c, d);
}

// An upright wall of one plane, seen from both sides by the voxels.
static void wall(float x0, float z0, float x1, float z1, float low, float high)
{
    const float a[3] = {x0, low, z0}, b[3] = {x1, low, z1}, c[3] = {x1, high, z1}, d[3] = {x0, high, z0};
    quad(a, b, c, d);
}

// Ground far beyond the tile, so that it has no end.
static void ground(void)
{
    scene_floor(&s, -30, -30, 60, 60, 0);
}

START_TEST(box_on_ground_has_its_four_walls)
{
    ground();
    scene_box(&s, 5, -0.5f, 6, 8, 3, 10, 0.8f, 0.6f);
    find_sources(&s, NULL, 0, 0, 0, middle);
    float x[4], z[4];
    for (int i = 0; i < 4; i++) {
        float dx = i == 1 || i == 2 ? 1.5f : -1.5f, dz = i > 1 ? 2.0f : -2.0f;
        x[i] = 6.5f + dx * 0.8f - dz * 0.6f;
        z[i] = 8 + dx * 0.6f + dz * 0.8f;
    }
    for (int i = 0; i < 4; i++)
        ck_assert_msg(has_source(2, (float[]){x[i], z[i], x[(i + 1) % 4], z[(i + 1) % 4]}), "side %d", i);
    ck_assert_int_eq(found.count, 4);
}
END_TEST

START_TEST(ground_without_end_has_none)
{
    ground();
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert_int_eq(found.count, 0);
}
END_TEST

START_TEST(thin_wall_is_one_line_at_any_angle)
{
    ground();
    wall(4.1f, 5.3f, 9.7f, 10.2f, -1, 4);
    wall(4.1f, 1.3f, 12.3f, 1.3f, 0, 2.5f);
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){4.1f, 5.3f, 9.7f, 10.2f}));
    ck_assert(has_source(2, (float[]){4.1f, 1.3f, 12.3f, 1.3f}));
    ck_assert_int_eq(found.count, 2);
}
END_TEST

START_TEST(low_fence_and_high_lintel_are_none)
{
    ground();
    wall(4, 5, 9, 5, 0, 0.9f); // ends at the climb
    wall(4, 8, 9, 8, 2.4f, 4); // begins above the height
    scene_box(&s, 4, 2.6f, 9, 8, 3, 12, 1, 0);
    wall(1, 11, 1, 13, -1, 3); // something that is a source, so that columns are near
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){1, 11, 1, 13}));
    ck_assert_int_eq(found.count, 1);
}
END_TEST

START_TEST(lintel_and_table_block_between_climb_and_height)
{
    ground();
    wall(4, 5, 9, 5, 1.6f, 4);
    scene_box(&s, 4, 1.2f, 8, 6, 1.4f, 10, 1, 0);
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){4, 5, 9, 5}));
    ck_assert(has_source(2, (float[]){4, 8, 6, 8}));
    ck_assert(has_source(3, (float[]){4, 8, 6, 8, 6, 10}) || has_source(3, (float[]){4, 8, 6, 8, 4, 10}));
    ck_assert_int_ge(sources_near(5, 9, 0.01f), 1);
}
END_TEST

// A ramp of 40 degrees, open at the sides, from the ground up to a platform.
static void ramp(float x0, float x1, float z0, float z1, float low, float high)
{
    const float a[3] = {x0, low, z0}, b[3] = {x0, low, z1}, c[3] = {x1, high, z1}, d[3] = {x1, high, z0};
    quad(a, b, c, d);
}

START_TEST(ramp_does_not_block_itself)
{
    ground();
    ramp(4, 8, -30, 60, 0, 3.4f);
    scene_floor(&s, 8, -30, 60, 60, 3.4f);
    wall(2, 11, 2, 13, -1, 3);
    wall(6, 3, 6, 13, -1, 9);       // across the slope
    wall(4.3f, 3, 7.9f, 3, -1, 12); // up the slope
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){2, 11, 2, 13}));
    ck_assert(has_source(2, (float[]){6, 3, 6, 13}));
    ck_assert(has_source(2, (float[]){4.3f, 3, 7.9f, 3}));
    ck_assert_int_eq(found.count, 3);
}
END_TEST

START_TEST(stairs_do_not_block_themselves)
{
    ground();
    for (int i = 0; i < 12; i++) {
        float x = 4 + 0.3f * (float)i, y = 0.2f * (float)i;
        wall(x, -30, x, 60, y, y + 0.2f);
        scene_floor(&s, x, -30, x + 0.3f, 60, y + 0.2f);
    }
    scene_floor(&s, 7.6f, -30, 60, 60, 2.4f);
    wall(2, 11, 2, 13, -1, 3);
    wall(4.3f, 3, 7.9f, 3, -1, 12);
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){2, 11, 2, 13}));
    ck_assert(has_source(2, (float[]){4.3f, 3, 7.9f, 3}));
    ck_assert_int_eq(found.count, 2);
}
END_TEST

START_TEST(wall_with_a_slanting_top_ends_where_it_is_low)
{
    ground();
    const float a[3] = {4, -0.2f, 6}, b[3] = {12, -0.2f, 6}, c[3] = {4, 3.8f, 6};
    scene_triangle(&s, a, b, c); // its top is at 5 voxels, 1 m, after 5.6 m
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){4, 6, 9.6f, 6}));
    ck_assert_int_eq(found.count, 1);
}
END_TEST

START_TEST(steep_slope_ends_at_the_climb)
{
    ground();
    const float a[3] = {6, 0, -30}, b[3] = {6, 0, 60}, c[3] = {8, 4, 60}, d[3] = {8, 4, -30};
    quad(a, b, c, d);
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert_int_gt(found.count, 0);
    ck_assert_int_eq(sources_near(6.49f, 5, 0.001f), 0); // 1 m up: 6.5
    ck_assert_int_ge(sources_near(6.51f, 5, 0.001f), 1);
}
END_TEST

START_TEST(neighbouring_tiles_find_the_same_sources)
{
    static nav_point at[2][256];
    static int32_t first[2][100], count[2];
    float tile = (float)settings.tile_cells * settings.cell_size_m;
    for (int k = 0; k < 2; k++) {
        scene_free(&s);
        float shift = (float)k * 20 * tile, x = 5 + shift;
        scene_floor(&s, shift - 30, -30, shift + 60, 60, 0);
        scene_box(&s, x, -0.5f, 6, x + 3, 3, 10, 0.8f, 0.6f);
        wall(x, 2.1f, x + 30.125f, 3, -1, 4);
        find_sources(&s, NULL, 0, 20 * k, 0, (float[]){2 + shift, 0, 2});
        count[k] = found.count;
        for (int32_t i = 0; i <= found.count; i++) first[k][i] = found.first[i];
        for (int32_t i = 0; i < found.first[found.count]; i++) at[k][i] = found.at[i];
    }
    ck_assert_int_eq(count[0], count[1]);
    for (int32_t i = 0; i <= count[0]; i++) ck_assert_int_eq(first[0][i], first[1][i]);
    for (int32_t i = 0; i < first[0][count[0]]; i++) {
        ck_assert_int_le(abs(at[0][i].x - at[1][i].x), 1); // floats far from the origin are not those near to it
        ck_assert_int_eq(at[0][i].z, at[1][i].z);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("outline_sources");
    TCase *t = tcase_create("sources");
    tcase_add_checked_fixture(t, setup_scene, teardown_scene);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, box_on_ground_has_its_four_walls);
    tcase_add_test(t, ground_without_end_has_none);
    tcase_add_test(t, thin_wall_is_one_line_at_any_angle);
    tcase_add_test(t, low_fence_and_high_lintel_are_none);
    tcase_add_test(t, lintel_and_table_block_between_climb_and_height);
    tcase_add_test(t, ramp_does_not_block_itself);
    tcase_add_test(t, stairs_do_not_block_themselves);
    tcase_add_test(t, wall_with_a_slanting_top_ends_where_it_is_low);
    tcase_add_test(t, steep_slope_ends_at_the_climb);
    tcase_add_test(t, neighbouring_tiles_find_the_same_sources);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
