// Tiles with true outlines, as a whole: where the floor ends is where an agent's disc no longer fits.
#include "core/build.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"
#include "tests/golden/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct built {
    scene scene;
    nav_mesh *mesh;
    nav_settings set;
    nav_arena arena;
    nav_tile tile;
} built;

static void begin(built *b)
{
    *b = (built){0};
    nav_settings_default(&b->set);
    b->set.outlines = NAV_OUTLINES_TRUE;
    nav_arena_init(&b->arena, 0);
}

static const nav_tile *build_at(built *b, int32_t x, int32_t z, const nav_volume *volumes, uint32_t volume_count)
{
    if (!b->mesh) b->mesh = scene_mesh(&b->scene);
    nav_instance in = {b->mesh, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &b->set,
                           .tile_x = x,
                           .tile_z = z,
                           .instances = &in,
                           .instance_count = 1,
                           .volumes = volumes,
                           .volume_count = volume_count};
    nav_arena_reset(&b->arena);
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &b->arena, &b->tile), NAV_OK);
    return &b->tile;
}

static const nav_tile *build(built *b)
{
    return build_at(b, 0, 0, NULL, 0);
}

static void end(built *b)
{
    nav_arena_deinit(&b->arena);
    nav_mesh_destroy(b->mesh);
    scene_free(&b->scene);
}

// Place of a contour's corner in metres.
static void place(const nav_tile *t, int32_t v, double out[2])
{
    out[0] = t->contours.x[v] * t->config.cell_size_m / t->config.unit;
    out[1] = t->contours.z[v] * t->config.cell_size_m / t->config.unit;
}

static int32_t corners_of(const nav_tile *t, int32_t loop)
{
    return t->contours.loop_first[loop + 1] - t->contours.loop_first[loop];
}

START_TEST(a_turned_crate_leaves_a_hole_of_four_corners)
{
    built b;
    begin(&b);
    double angle = 0.1 + 0.05 * _i;
    scene_floor(&b.scene, -20, -20, 40, 40, 0);
    // Turned about the origin: moved there and back by hand.
    float c = (float)cos(angle), s = (float)sin(angle);
    uint32_t first = b.scene.vert_count;
    scene_box(&b.scene, -1, 0, -1.5f, 1, 2.5f, 1.5f, c, s);
    for (uint32_t v = first; v < b.scene.vert_count; v++) {
        b.scene.verts[3 * v] += 7.2f;
        b.scene.verts[3 * v + 2] += 7.2f;
    }
    const nav_tile *t = build(&b);
    ck_assert_int_eq(t->contours.loop_count, 2);
    ck_assert_int_eq(corners_of(t, 0), 4);
    ck_assert_int_eq(corners_of(t, 1), 4);
    // Each corner is where two sides meet, moved by the radius: sqrt((1 + r)^2 + (1.5 + r)^2) from the middle.
    double r = (double)b.set.agent_radius_m, far = hypot(1 + r, 1.5 + r);
    for (int32_t v = t->contours.loop_first[1]; v < t->contours.loop_first[2]; v++) {
        double p[2];
        place(t, v, p);
        ck_assert_double_eq_tol(hypot(p[0] - 7.2, p[1] - 7.2), far, 0.012);
    }
    end(&b);
}
END_TEST

START_TEST(a_floor_ends_at_the_radius_from_its_own_end)
{
    built b;
    begin(&b);
    scene_floor(&b.scene, 2.03f, 3.11f, 10.47f, 9.59f, 1);
    const nav_tile *t = build(&b);
    ck_assert_int_eq(t->contours.loop_count, 1);
    ck_assert_int_eq(corners_of(t, 0), 4);
    for (int32_t v = 0; v < 4; v++) {
        double p[2];
        place(t, v, p);
        ck_assert_double_eq_tol(fabs(p[0] - (2.03 + 10.47) / 2), (10.47 - 2.03) / 2 - 0.6, 0.006);
        ck_assert_double_eq_tol(fabs(p[1] - (3.11 + 9.59) / 2), (9.59 - 3.11) / 2 - 0.6, 0.006);
    }
    end(&b);
}
END_TEST

START_TEST(a_floor_too_small_to_be_kept_is_not_looked_at)
{
    built b;
    begin(&b);
    scene_floor(&b.scene, 2, 2, 4.3f, 4.3f, 0);
    const nav_tile *t = build(&b);
    ck_assert_int_eq(t->contours.loop_count, 0);
    ck_assert_uint_eq(t->contours.outline_shapes, 0);
    end(&b);
    begin(&b);
    scene_floor(&b.scene, 2, 2, 6.5f, 6.5f, 0);
    t = build(&b);
    ck_assert_int_eq(t->contours.loop_count, 1);
    end(&b);
}
END_TEST

START_TEST(a_door_is_open_if_the_agent_fits_through)
{
    static const float cells[] = {0.2f, 0.3f, 0.5f};
    static const double widths[] = {1.19, 1.25, 1.3, 1.5};
    for (int k = 0; k < 4; k++) {
        built b;
        begin(&b);
        b.set.cell_size_m = cells[_i];
        b.set.tile_cells = 48;
        float middle = 24 * cells[_i] + 0.07f, half = (float)(widths[k] / 2), reach = 40;
        scene_floor(&b.scene, -reach, -reach, reach, reach, 0);
        scene_box(&b.scene, -reach, 0, middle - 0.15f, middle - half, 3, middle + 0.15f, 1, 0);
        scene_box(&b.scene, middle + half, 0, middle - 0.15f, reach, 3, middle + 0.15f, 1, 0);
        const nav_tile *t = build(&b);
        // Closed, the wall cuts the floor of the tile in two.
        ck_assert_msg(t->contours.loop_count == (widths[k] < 1.2 ? 2 : 1), "cells of %g m, door of %g m: %d loops",
                      (double)cells[_i], widths[k], t->contours.loop_count);
        end(&b);
    }
}
END_TEST

// Posts so close together that voxels close the gaps between many of them, though the agent fits through.
START_TEST(no_place_is_floor_of_two_regions_where_voxels_close_gaps)
{
    built b;
    begin(&b);
    b.set.cell_size_m = b.set.agent_radius_m = 0.05f;
    b.set.tile_cells = 200;
    uint32_t state = 7;
    scene_floor(&b.scene, -5, -5, 15, 15, 0);
    for (int i = 0; i < 6000; i++) {
        float x = scene_random_between(&state, 0, 10), z = scene_random_between(&state, 0, 10);
        float half = scene_random_between(&state, 0.02f, 0.05f), t = scene_random_between(&state, -1, 1);
        scene_box(&b.scene, x - half, 0, z - half, x + half, 2, z + half, (1 - t * t) / (1 + t * t),
                  2 * t / (1 + t * t));
    }
    const nav_tile *t = build(&b);
    double area2 = 0, side = t->config.tile_units;
    for (int32_t l = 0; l < t->contours.loop_count; l++)
        for (int32_t k = t->contours.loop_first[l]; k < t->contours.loop_first[l + 1]; k++) {
            int32_t n = k + 1 < t->contours.loop_first[l + 1] ? k + 1 : t->contours.loop_first[l];
            area2 += (double)t->contours.x[n] * t->contours.z[k] - (double)t->contours.x[k] * t->contours.z[n];
        }
    ck_assert_double_gt(area2, 0);
    ck_assert_double_lt(area2, side * side); // less than half of the tile
    ck_assert_uint_gt(t->contours.coarse_outlines, 0);
    end(&b);
}
END_TEST

START_TEST(a_blocking_volume_is_kept_away_from_like_a_wall)
{
    built b;
    begin(&b);
    scene_floor(&b.scene, -20, -20, 40, 40, 0);
    nav_volume v = {.point_count = 3, .points = {5, 5, 9, 6, 6, 9}, .min_y = -1, .max_y = 1, .area = NAV_AREA_NONE};
    const nav_tile *t = build_at(&b, 0, 0, &v, 1);
    ck_assert_int_eq(t->contours.loop_count, 2);
    for (int32_t k = t->contours.loop_first[1]; k < t->contours.loop_first[2]; k++) {
        double p[2], q[2], nearest = INFINITY;
        place(t, k, p);
        place(t, k + 1 < t->contours.loop_first[2] ? k + 1 : t->contours.loop_first[1], q);
        for (int i = 0; i <= 20; i++) // along the edge, from the triangle's sides
            for (int s = 0; s < 3; s++) {
                double x = p[0] + (q[0] - p[0]) * i / 20, z = p[1] + (q[1] - p[1]) * i / 20;
                double ax = (double)v.points[2 * s], az = (double)v.points[2 * s + 1];
                double dx = (double)v.points[2 * (s + 1) % 6] - ax, dz = (double)v.points[(2 * (s + 1) + 1) % 6] - az;
                double u = ((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz);
                u = u < 0 ? 0 : u > 1 ? 1 : u;
                double d = hypot(x - ax - u * dx, z - az - u * dz);
                nearest = d < nearest ? d : nearest;
            }
        ck_assert_double_ge(nearest, 0.599);
        ck_assert_double_le(nearest, 0.62);
    }
    end(&b);
}
END_TEST

START_TEST(the_end_of_an_include_volume_is_no_wall)
{
    built b;
    begin(&b);
    scene_floor(&b.scene, -20, -20, 40, 40, 0);
    nav_volume v = {
        .point_count = 4, .points = {3, 3, 9, 3, 9, 9, 3, 9}, .min_y = -1, .max_y = 1, .area = 1, .include = 1};
    const nav_tile *t = build_at(&b, 0, 0, &v, 1);
    ck_assert_int_eq(t->contours.loop_count, 1);
    ck_assert_int_eq(corners_of(t, 0), 4);
    for (int32_t k = 0; k < 4; k++) {
        double p[2];
        place(t, k, p);
        ck_assert_double_eq_tol(fabs(p[0] - 6), 3, 1e-6);
        ck_assert_double_eq_tol(fabs(p[1] - 6), 3, 1e-6);
    }
    end(&b);
}
END_TEST

START_TEST(a_step_within_climb_is_no_wall_and_a_higher_one_is)
{
    for (int k = 0; k < 2; k++) {
        built b;
        begin(&b);
        scene_floor(&b.scene, -20, -20, 40, 40, 0);
        scene_box(&b.scene, 4, 0, 4, 10, k ? 1.2f : 0.6f, 10, 1, 0);
        const nav_tile *t = build(&b);
        double area = 0;
        for (int32_t l = 0; l < t->contours.loop_count; l++) area += t->contours.loop_hole[l];
        ck_assert_double_eq(area, k);
        end(&b);
    }
}
END_TEST

// --- borders

static nav_tile world_tile(const golden_world *w, nav_settings *set, int32_t x, int32_t z, nav_arena *a)
{
    nav_tile t;
    nav_tile_source src = golden_world_source(w, x, z);
    *set = *src.settings;
    set->outlines = NAV_OUTLINES_TRUE;
    src.settings = set;
    nav_arena_reset(a);
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, a, &t), NAV_OK);
    return t;
}

START_TEST(neighbours_built_alone_agree_on_every_border_point)
{
    golden_world w;
    golden_world_init(&w, _i);
    nav_arena a, b;
    nav_arena_init(&a, 0);
    nav_arena_init(&b, 0);
    nav_settings set_a, set_b;
    int32_t points = 0;
    for (int32_t z = 0; z < w.tiles_z; z++)
        for (int32_t x = 0; x < w.tiles_x; x++)
            for (int side = 0; side < 2; side++) {
                nav_tile here = world_tile(&w, &set_a, x, z, &a),
                         there = world_tile(&w, &set_b, x + !side, z + side, &b);
                int32_t of_border, different = border_difference_of(&here, &there, side != 0, &of_border);
                ck_assert_msg(different == 0, "%s: tile %d,%d side %d differs in %d points", w.name, x, z, side,
                              different);
                ck_assert_int_eq(here.counts.failed_loops, 0);
                points += of_border;
            }
    ck_assert_int_gt(points, 20);
    nav_arena_deinit(&a);
    nav_arena_deinit(&b);
    golden_world_deinit(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outlines");
    TCase *t = tcase_create("outlines");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, a_turned_crate_leaves_a_hole_of_four_corners, 0, 30);
    tcase_add_test(t, a_floor_ends_at_the_radius_from_its_own_end);
    tcase_add_test(t, a_floor_too_small_to_be_kept_is_not_looked_at);
    tcase_add_loop_test(t, a_door_is_open_if_the_agent_fits_through, 0, 3);
    tcase_add_test(t, no_place_is_floor_of_two_regions_where_voxels_close_gaps);
    tcase_add_test(t, a_blocking_volume_is_kept_away_from_like_a_wall);
    tcase_add_test(t, the_end_of_an_include_volume_is_no_wall);
    tcase_add_test(t, a_step_within_climb_is_no_wall_and_a_higher_one_is);
    tcase_add_loop_test(t, neighbours_built_alone_agree_on_every_border_point, 0, GOLDEN_WORLD_COUNT);
    return run_suite(s);
}
