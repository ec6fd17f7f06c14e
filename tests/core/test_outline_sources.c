// What ends a floor is found in the triangles, where it is: no more and no less than the voxels stop at.
#include "tests/check.h"
#include "tests/core/sources_fixture.h"

#include <math.h>
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
    ck_assert(has_source(4, (float[]){4, 8, 6, 8, 6, 10, 4, 10})); // its sides are no sources besides
    ck_assert(!has_source(2, (float[]){4, 8, 6, 8}));
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

START_TEST(plane_ends_at_its_edges)
{
    scene_floor(&s, 3.1f, 2.7f, 11.3f, 12.2f, 0);
    find_sources(&s, NULL, 0, 0, 0, (float[]){7, 0, 7});
    ck_assert(has_source(2, (float[]){3.1f, 2.7f, 11.3f, 2.7f}));
    ck_assert(has_source(2, (float[]){3.1f, 2.7f, 3.1f, 12.2f}));
    ck_assert(has_source(2, (float[]){3.1f, 12.2f, 11.3f, 12.2f}));
    ck_assert(has_source(2, (float[]){11.3f, 2.7f, 11.3f, 12.2f}));
    ck_assert_int_eq(found.count, 4);
}
END_TEST

START_TEST(platform_ends_at_its_edges_above_the_ground)
{
    ground();
    scene_floor(&s, 3.1f, 2.7f, 11.3f, 12.2f, 3);
    find_sources(&s, NULL, 0, 0, 0, (float[]){7, 3, 7});
    ck_assert(has_source(2, (float[]){3.1f, 2.7f, 11.3f, 2.7f}));
    ck_assert(has_source(2, (float[]){3.1f, 12.2f, 11.3f, 12.2f}));
    ck_assert_int_eq(found.count, 4);
    find_sources(&s, NULL, 0, 0, 0, (float[]){1, 0, 1}); // the ground goes on below
    ck_assert_int_eq(found.count, 0);
}
END_TEST

START_TEST(hole_in_the_floor_has_four_edges)
{
    const float x0 = 5.2f, z0 = 4.1f, x1 = 9.3f, z1 = 8.6f;
    scene_floor(&s, -30, -30, x0, 60, 0); // corners that do not meet those of the others
    scene_floor(&s, x1, -30, 60, 60, 0);
    scene_floor(&s, x0, -30, x1, z0, 0);
    scene_floor(&s, x0, z1, x1, 60, 0);
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert(has_source(2, (float[]){x0, z0, x1, z0}));
    ck_assert(has_source(2, (float[]){x0, z1, x1, z1}));
    ck_assert_int_eq(found.count, 4);
    ck_assert_int_eq(sources_near(x0, (z0 + z1) / 2, 0.01f), 1);
    ck_assert_int_eq(sources_near(x1, (z0 + z1) / 2, 0.01f), 1);
    ck_assert_int_eq(sources_near(x0, z0 - 0.1f, 0.05f), 0);
    ck_assert_int_eq(sources_near(x1, z1 + 0.1f, 0.05f), 0);
}
END_TEST

START_TEST(seams_and_cracks_in_the_floor_are_no_drops)
{
    for (int i = 0; i < 60; i++) { // planks with gaps of 2 cm, of different lengths
        float x = -3 + 0.4f * (float)i;
        scene_floor(&s, x, -30, x + 0.38f, 3 + 0.1f * (float)i, 0);
        scene_floor(&s, x, 3 + 0.1f * (float)i, x + 0.38f, 60, 0);
    }
    scene_floor(&s, -30, -30, -3, 60, 0);
    scene_floor(&s, 20.99f, -30, 60, 60, 0);
    wall(2, 11, 12, 11, -1, 3);
    wall(4.5f, 2, 4.5f, 9, -1, 3);
    find_sources(&s, NULL, 0, 0, 0, (float[]){1, 0, 1});
    ck_assert(has_source(2, (float[]){2, 11, 12, 11}));
    ck_assert(has_source(2, (float[]){4.5f, 2, 4.5f, 9}));
    for (int i = 0; i < 30; i++) // what there may be is at the walls
        for (int k = 0; k < 30; k++) {
            float x = 0.5f * (float)i, z = 0.5f * (float)k;
            if (fabsf(z - 11) > 0.4f && fabsf(x - 4.5f) > 0.4f) ck_assert_int_eq(sources_near(x, z, 0.05f), 0);
        }
}
END_TEST

START_TEST(stairs_end_at_their_sides)
{
    ground();
    for (int i = 0; i < 12; i++) {
        float x = 4 + 0.3f * (float)i, y = 0.2f * (float)i;
        wall(x, 5, x, 7, y, y + 0.2f);
        scene_floor(&s, x, 5, x + 0.3f, 7, y + 0.2f);
    }
    scene_floor(&s, 7.6f, 5, 12, 7, 2.4f);
    find_sources(&s, NULL, 0, 0, 0, (float[]){10, 2.4f, 6});
    ck_assert(has_source(2, (float[]){7.6f, 5, 12, 5}));
    ck_assert(has_source(2, (float[]){7.6f, 7, 12, 7}));
    ck_assert(has_source(2, (float[]){12, 5, 12, 7}));
    ck_assert_int_eq(sources_near(7.5f, 6, 0.5f), 0);
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert_int_eq(sources_near(4.05f, 6, 0.04f), 0); // the lowest steps are free
    ck_assert_int_eq(sources_near(4.6f, 6, 0.25f), 0);
    ck_assert_int_eq(sources_near(4.4f, 5, 0.02f), 0);
    for (float x = 6; x < 7.6f; x += 0.1f) ck_assert_int_ge(sources_near(x, 5, 0.02f), 1);
}
END_TEST

START_TEST(edge_of_a_floor_under_another_does_not_end_that)
{
    scene_floor(&s, -30, -30, 10, 60, 0); // one edge along x = 10
    for (int i = 0; i < 8; i++) {
        float z = 4 + 0.3f * (float)i, y = 0.2f * (float)i;
        wall(2, z, 6, z, y, y + 0.2f);
        scene_floor(&s, 2, z, 6, z + 0.3f, y + 0.2f);
    }
    scene_floor(&s, -30, 6.4f, 60, 60, 1.6f); // too low to stand beneath
    find_sources(&s, NULL, 0, 0, 0, (float[]){1, 0, 1});
    ck_assert_int_ge(sources_near(10, 3, 0.02f), 1);
    for (float z = 8; z < 14; z += 0.5f) ck_assert_int_eq(sources_near(10, z, 0.5f), 0);
}
END_TEST

START_TEST(round_rims_end_where_they_are)
{
    const float c[3] = {7, 1.5f, 7};
    ground();
    for (int i = 0; i < 24; i++) {
        const float a[3] = {7 + 4 * cosf((float)i * 0.2617994f), 1.5f, 7 + 4 * sinf((float)i * 0.2617994f)};
        const float b[3] = {7 + 4 * cosf((float)(i + 1) * 0.2617994f), 1.5f, 7 + 4 * sinf((float)(i + 1) * 0.2617994f)};
        scene_triangle(&s, c, b, a);
    }
    find_sources(&s, NULL, 0, 0, 0, c);
    ck_assert_int_eq(found.count, 24);
    for (int i = 0; i < found.count; i++) ck_assert_int_eq(found.first[i + 1] - found.first[i], 2);
    find_sources(&s, NULL, 0, 0, 0, (float[]){1, 0, 1}); // below it is too low to stand
    ck_assert_int_le(found.count, 3);                    // sectors of up to half a turn
    ck_assert_int_ge(sources_near(7, 7, 0), 1);
}
END_TEST

START_TEST(volumes_block_where_the_floor_is_between_their_heights)
{
    nav_volume v = {.area = NAV_AREA_NONE, .min_y = -1, .max_y = 1, .point_count = 4};
    const float at[] = {5, 5, 5, 9, 8, 10, 9, 5}; // clockwise
    for (int i = 0; i < 8; i++) v.points[i] = at[i];
    ground();
    find_sources(&s, &v, 1, 0, 0, middle);
    ck_assert(has_source(4, (float[]){9, 5, 8, 10, 5, 9, 5, 5}));
    ck_assert_int_eq(found.count, 1);
    v.min_y = 0.5f;
    find_sources(&s, &v, 1, 0, 0, middle);
    ck_assert_int_eq(found.count, 0);
    v.min_y = -1;
    v.area = NAV_AREA_DEFAULT;
    find_sources(&s, &v, 1, 0, 0, middle);
    ck_assert_int_eq(found.count, 0);
}
END_TEST

// Sources that two tiles find are the same where both see what is around them: those that touch the border between.
START_TEST(neighbouring_tiles_find_the_same_sources_at_their_border)
{
    enum { MOST = 400 };
    static nav_point at[2][MOST][NAV_SHAPE_MAX_CORNERS];
    static int32_t corners[2][MOST], count[2];
    uint32_t seed = 5;
    settings.cell_size_m = 0.3f;
    ground();
    for (int i = 0; i < 14; i++) {
        float x = scene_random_between(&seed, 12.5f, 14.8f), z = scene_random_between(&seed, 0, 14), turn = 0.6f;
        float side = scene_random_between(&seed, 0.1f, 1.5f), high = scene_random_between(&seed, 0.2f, 3);
        scene_box(&s, x, -1, z, x + side, high, z + side, i % 3 ? 0.8f : 1, i % 3 ? turn : 0);
    }
    for (int i = 0; i < 5; i++) {
        float x = scene_random_between(&seed, 8, 14), z = scene_random_between(&seed, 0, 14);
        wall(x, z, x + scene_random_between(&seed, 1, 8), z + scene_random_between(&seed, -3, 3), -1, 3.3f);
    }
    for (int k = 0; k < 2; k++) {
        find_sources(&s, NULL, 0, k, 0, k == 0 ? middle : (float[]){26, 0, 2});
        int32_t border = k == 0 ? settings.tile_cells * SOURCES_UNIT : 0;
        count[k] = 0;
        for (int32_t i = 0; i < found.count; i++) {
            bool left = false, right = false;
            int32_t n = found.first[i + 1] - found.first[i];
            for (int32_t c = 0; c < n; c++) {
                nav_point p = found.at[found.first[i] + c];
                at[k][count[k]][c] = (nav_point){p.x - border, p.z};
                left |= p.x <= border + 64;
                right |= p.x >= border - 64;
            }
            ck_assert_int_lt(count[k], MOST - 1);
            if (left && right) corners[k][count[k]++] = n;
        }
    }
    ck_assert_int_gt(count[0], 10);
    ck_assert_int_eq(count[0], count[1]);
    for (int32_t i = 0; i < count[0]; i++) {
        ck_assert_int_eq(corners[0][i], corners[1][i]);
        for (int32_t c = 0; c < corners[0][i]; c++) ck_assert(nav_point_same(at[0][i][c], at[1][i][c]));
    }
}
END_TEST

START_TEST(order_of_the_triangles_does_not_matter)
{
    static nav_point at[4000];
    uint32_t seed = 9;
    ground();
    for (int i = 0; i < 30; i++) {
        float x = scene_random_between(&seed, 0, 14), z = scene_random_between(&seed, 0, 14);
        scene_box(&s, x, -1, z, x + 1, scene_random_between(&seed, 0.2f, 3), z + 2, 0.8f, 0.6f);
    }
    find_sources(&s, NULL, 0, 0, 0, middle);
    int32_t count = found.count, corners = found.first[found.count];
    ck_assert_int_gt(count, 50);
    ck_assert_int_lt(corners, 4000);
    for (int32_t i = 0; i < corners; i++) at[i] = found.at[i];
    for (uint32_t i = 0; i < s.tri_count / 2; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t other = 3 * (s.tri_count - 1 - i) + k, keep = s.tris[3 * i + k];
            s.tris[3 * i + k] = s.tris[other];
            s.tris[other] = keep;
        }
    find_sources(&s, NULL, 0, 0, 0, middle);
    ck_assert_int_eq(found.count, count);
    ck_assert_int_eq(found.first[found.count], corners);
    for (int32_t i = 0; i < corners; i++) ck_assert(nav_point_same(at[i], found.at[i]));
}
END_TEST

START_TEST(triangles_of_any_size_and_shape_are_taken)
{
    uint32_t seed = 3;
    ground();
    for (int i = 0; i < 300; i++) {
        float size = i % 3 == 0 ? 1e6f : i % 3 == 1 ? 5 : 0.001f, c[3][3];
        for (int k = 0; k < 3; k++) {
            c[k][0] = 7 + scene_random_between(&seed, -size, size);
            c[k][1] = scene_random_between(&seed, i % 2 ? 1.2f : -size, i % 2 ? 1.8f : size);
            c[k][2] = 7 + scene_random_between(&seed, -size, size);
        }
        scene_triangle(&s, c[0], c[1], c[2]);
    }
    find_sources(&s, NULL, 0, 0, 0, (float[]){0.1f, 0, 0.1f});
    for (int32_t i = 0; i < found.first[found.count]; i++) {
        ck_assert_int_lt(abs(found.at[i].x), 1 << 21);
        ck_assert_int_lt(abs(found.at[i].z), 1 << 21);
    }
    for (int32_t i = 0; i < found.count; i++) {
        int32_t n = found.first[i + 1] - found.first[i];
        const nav_point *p = found.at + found.first[i];
        ck_assert(n >= 1 && n <= 40);
        for (int32_t k = 0; k < n && n > 2; k++) ck_assert_int_lt(nav_right(p[k], p[(k + 1) % n], p[(k + 2) % n]), 0);
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
    tcase_add_test(t, plane_ends_at_its_edges);
    tcase_add_test(t, platform_ends_at_its_edges_above_the_ground);
    tcase_add_test(t, hole_in_the_floor_has_four_edges);
    tcase_add_test(t, seams_and_cracks_in_the_floor_are_no_drops);
    tcase_add_test(t, stairs_end_at_their_sides);
    tcase_add_test(t, edge_of_a_floor_under_another_does_not_end_that);
    tcase_add_test(t, round_rims_end_where_they_are);
    tcase_add_test(t, volumes_block_where_the_floor_is_between_their_heights);
    tcase_add_test(t, neighbouring_tiles_find_the_same_sources_at_their_border);
    tcase_add_test(t, order_of_the_triangles_does_not_matter);
    tcase_add_test(t, triangles_of_any_size_and_shape_are_taken);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
