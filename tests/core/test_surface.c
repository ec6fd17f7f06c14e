// The surface generator: what it makes of small meshes whose mesh is known.
#include "core/build.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"

#include <math.h>
#include <string.h>

typedef struct fixture {
    nav_settings settings;
    scene scene;
    uint8_t areas[2048];
    nav_mesh *mesh;
    nav_instance instance;
    nav_volume volumes[2];
    uint32_t volume_count;
    nav_arena arena;
    nav_tile tile;
} fixture;

static fixture f;

static void setup(void)
{
    memset(&f, 0, sizeof f);
    memset(f.areas, NAV_AREA_INHERIT, sizeof f.areas);
    nav_settings_default(&f.settings);
    f.settings.generator = NAV_GENERATOR_SURFACE;
    f.settings.agent_radius_m = 0;
    f.settings.cell_size_m = 0.25f;
    f.settings.tile_cells = 40; // 10 m
    nav_arena_init(&f.arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&f.arena);
    nav_mesh_destroy(f.mesh);
    scene_free(&f.scene);
}

// The tile, until the next one is built.
static const nav_tile *build(int32_t x, int32_t z)
{
    if (!f.mesh) f.mesh = scene_mesh_with_areas(&f.scene, f.areas);
    f.instance = (nav_instance){f.mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    nav_arena_reset(&f.arena);
    const nav_tile_source src = {.settings = &f.settings,
                                 .tile_x = x,
                                 .tile_z = z,
                                 .instances = &f.instance,
                                 .instance_count = 1,
                                 .volumes = f.volumes,
                                 .volume_count = f.volume_count};
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &f.arena, &f.tile), NAV_OK);
    ck_assert_int_eq(f.tile.polygons.failed_loops, 0);
    return &f.tile;
}

// Of the polygons, square metres.
static double area_of(const nav_tile *t)
{
    const nav_polygons *p = &t->polygons;
    double sum = 0, unit = t->config.unit_size_m;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            sum += (double)p->x[b] * p->z[a] - (double)p->x[a] * p->z[b];
        }
    return sum / 2 * unit * unit;
}

// n by n quads of a size from (x, z) on, of heights slope * x.
static void add_grid(float x, float z, int n, float size, float slope)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            float x0 = x + size * (float)i, x1 = x + size * (float)(i + 1);
            float z0 = z + size * (float)k, z1 = z + size * (float)(k + 1);
            const float a[3] = {x0, slope * x0, z0}, b[3] = {x0, slope * x0, z1}, c[3] = {x1, slope * x1, z1},
                        d[3] = {x1, slope * x1, z0};
            scene_triangle(&f.scene, a, b, c);
            scene_triangle(&f.scene, a, c, d);
        }
}

START_TEST(flat_ground_of_many_triangles_is_one_cell_of_two)
{
    add_grid(-5, -5, 20, 1, 0.25f);
    const nav_tile *t = build(0, 0);
    ck_assert_int_eq(t->polygons.cell_count, 1);
    ck_assert_int_eq(t->polygons.count, 1);
    ck_assert_int_eq(t->detail.tri_count, 2);
    ck_assert_double_eq_tol(area_of(t), 100, 1e-9);
}
END_TEST

START_TEST(sides_are_open_where_ground_goes_on_and_walls_where_it_ends)
{
    add_grid(0, 0, 10, 1, 0); // ends exactly on the tile's sides
    add_grid(10, 0, 5, 1, 0); // goes on beside a half of one
    const nav_tile *t = build(0, 0);
    double open = 0, wall = 0;
    const nav_polygons *p = &t->polygons;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            double length = hypot(p->x[b] - p->x[a], p->z[b] - p->z[a]) * t->config.unit_size_m;
            if (p->behind[k] == NAV_EDGE_WALL) wall += length;
            if (p->behind[k] == NAV_EDGE_PORTAL_XMAX) open += length;
        }
    ck_assert_double_eq_tol(open, 5, 1e-9);
    ck_assert_double_eq_tol(wall, 35, 1e-9);
}
END_TEST

START_TEST(corners_on_edges_join)
{
    // One quad of 8 m beside eight of 1 m: T-junctions.
    scene_floor(&f.scene, 0.5f, 0.5f, 4.5f, 8.5f, 0);
    for (int i = 0; i < 8; i++) scene_floor(&f.scene, 4.5f, 0.5f + (float)i, 5.5f, 1.5f + (float)i, 0);
    const nav_tile *t = build(0, 0);
    ck_assert_int_eq(t->polygons.cell_count, 1);
    ck_assert_double_eq_tol(area_of(t), 40, 1e-9);
}
END_TEST

START_TEST(steps_within_the_climb_join_and_higher_ones_do_not)
{
    scene_floor(&f.scene, 1, 1, 4, 9, 0);
    scene_floor(&f.scene, 4, 1, 6, 9, 0.75f);
    scene_floor(&f.scene, 6, 1, 9, 9, 1.75f);
    const nav_tile *t = build(0, 0);
    ck_assert_int_eq(t->polygons.cell_count, 2);
    ck_assert_int_eq(t->contours.loop_count, 2);
}
END_TEST

START_TEST(areas_are_borders_between_cells)
{
    scene_floor(&f.scene, 1, 1, 5, 9, 0);
    scene_floor(&f.scene, 5, 1, 9, 9, 0);
    f.areas[2] = f.areas[3] = 7;
    const nav_tile *t = build(0, 0);
    ck_assert_int_eq(t->polygons.cell_count, 2);
    ck_assert_int_ne(t->polygons.area[0], t->polygons.area[1]);
    int links = 0;
    for (int32_t k = 0; k < t->polygons.first[2]; k++) links += t->polygons.behind[k] >= 0;
    ck_assert_int_eq(links, 2);
}
END_TEST

START_TEST(the_radius_is_kept_from_edges_and_from_what_stands_on_the_ground)
{
    f.settings.agent_radius_m = 0.5f;
    scene_floor(&f.scene, 0, 0, 10, 10, 0);
    const nav_tile *t = build(0, 0);
    ck_assert_double_eq_tol(area_of(t), 81, 0.1);
    scene_box(&f.scene, 4, 0, 4, 6, 1.5f, 6, 1, 0); // its top is a floor of a square metre
    nav_mesh_destroy(f.mesh);
    f.mesh = NULL;
    t = build(0, 0);
    ck_assert_double_eq_tol(area_of(t), 81 - 9 + 1, 0.2); // mitred
    f.volumes[f.volume_count++] = (nav_volume){4, {2, 7, 2, 8, 3, 8, 3, 7}, -1, 1, NAV_AREA_NONE, 0};
    t = build(0, 0);
    ck_assert_double_eq_tol(area_of(t), 81 - 9 + 1 - 2 * 2, 0.3);
}
END_TEST

START_TEST(what_is_low_or_high_is_not_in_the_way)
{
    scene_floor(&f.scene, 0, 0, 10, 10, 0);
    scene_box(&f.scene, 2, 0, 2, 4, 0.5f, 4, 1, 0);    // lower than the climb
    scene_box(&f.scene, 6, 2.5f, 6, 8, 3.5f, 8, 1, 0); // higher than the agent
    const nav_tile *t = build(0, 0);
    double lowest = 0;
    for (int32_t v = 0; v < t->polygons.vert_count; v++) lowest += t->polygons.y[v] == 0;
    ck_assert_double_eq(lowest, 4); // the ground is whole; the tops of boxes are floors of their own
    ck_assert_double_eq_tol(area_of(t), 108, 1e-9);
}
END_TEST

START_TEST(a_spiral_is_divided_and_keeps_its_area)
{
    double area = 0;
    for (int i = 0; i < 20; i++) {
        float at[2][2][3];
        for (int e = 0; e < 2; e++)
            for (int k = 0; k < 2; k++) {
                double turn = (i + e) * 3.14159265358979 / 4, r = k ? 4 : 2;
                at[e][k][0] = (float)(5 + r * cos(turn));
                at[e][k][1] = 0.75f * (float)(i + e);
                at[e][k][2] = (float)(5 + r * sin(turn));
            }
        scene_triangle(&f.scene, at[0][0], at[1][1], at[0][1]);
        scene_triangle(&f.scene, at[0][0], at[1][0], at[1][1]);
        area += (16 - 4) / 2.0 * sin(3.14159265358979 / 4);
    }
    const nav_tile *t = build(0, 0);
    ck_assert_double_eq_tol(area_of(t), area, 0.01);
    ck_assert_int_ge(t->counts.regions, 3);
}
END_TEST

START_TEST(heights_are_within_the_error)
{
    f.settings.surface_error_m = 0;
    scene_hills(&f.scene, 20, 0.9f, 2);
    const nav_tile *t = build(0, 0);
    const nav_detail *d = &t->detail;
    // Each corner of the hills inside of the tile is there, within a millimetre.
    for (uint32_t v = 0; v < f.scene.vert_count; v++) {
        const float *p = f.scene.verts + 3 * (size_t)v;
        double x = (double)p[0] / t->config.unit_size_m, z = (double)p[2] / t->config.unit_size_m;
        bool inside = x > 2 && z > 2 && x < t->config.tile_units - 2 && z < t->config.tile_units - 2, found = !inside;
        for (int32_t i = 0; i < d->vert_count && !found; i++)
            found = fabs((double)d->x[i] - x) < 1 && fabs((double)d->z[i] - z) < 1 &&
                    fabs((double)d->y[i] * t->config.cell_height_m - (double)p[1]) < 0.001;
        ck_assert_msg(found, "corner %u at %g %g %g is missing", v, (double)p[0], (double)p[1], (double)p[2]);
    }
}
END_TEST

START_TEST(neighbours_agree_on_their_border)
{
    float radii[] = {0, 0.5f};
    scene_hills(&f.scene, 30, 0.9f, 3);
    scene_box(&f.scene, 9, -3, 4, 11, 8, 6, 0.8f, 0.6f);
    f.settings.agent_radius_m = radii[_i];
    border_line here = border_line_of(build(0, 0), NAV_EDGE_PORTAL_XMAX);
    border_line there = border_line_of(build(1, 0), NAV_EDGE_PORTAL_XMIN);
    ck_assert_int_gt(here.count, 1);
    ck_assert_int_eq(border_difference(&here, &there), 0);
    border_line_free(&here);
    border_line_free(&there);
}
END_TEST

START_TEST(large_and_tiny_worlds_are_made_too)
{
    // A triangle of 10 km, seen from one tile in the middle of it, and one of a hundredth of the usual size.
    const float a[3] = {-5000, 0, -5000}, b[3] = {-5000, 0, 8000}, c[3] = {9000, 0, -5000};
    scene_triangle(&f.scene, a, b, c);
    ck_assert_double_eq_tol(area_of(build(3, -7)), 100, 1e-9);
    nav_mesh_destroy(f.mesh);
    f.mesh = NULL;
    scene_free(&f.scene);
    f.scene = (scene){0};
    f.settings.cell_size_m = 0.0025f;
    f.settings.cell_height_m = 0.002f;
    f.settings.agent_height_m = 0.02f;
    f.settings.agent_climb_m = 0.009f;
    add_grid(-0.05f, -0.05f, 20, 0.01f, 0.25f);
    const nav_tile *t = build(0, 0);
    ck_assert_int_eq(t->polygons.cell_count, 1);
    ck_assert_double_eq_tol(area_of(t), 0.01, 1e-7);
}
END_TEST

START_TEST(degenerate_triangles_do_no_harm)
{
    add_grid(0, 0, 10, 1, 0);
    const float a[3] = {3, 0, 3}, b[3] = {3, 0, 7}, c[3] = {3.00001f, 0, 5}, far[3] = {1e9f, 0, 1e9f};
    scene_triangle(&f.scene, a, b, c);   // a sliver above the others
    scene_triangle(&f.scene, a, a, b);   // no area
    scene_triangle(&f.scene, a, b, far); // too far away
    add_grid(0, 0, 2, 1, 0);             // the same triangles again
    const nav_tile *t = build(0, 0);
    ck_assert_double_ge(area_of(t), 100 - 1e-6);
    ck_assert_int_ge(t->counts.skipped_triangles, 1);
}
END_TEST

// Hills with steep places: n by n quads of `size` metres, cut this way or that.
static void add_hills(int n, float size, float steep, uint32_t seed)
{
    float h[32][32];
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++) h[i][k] = scene_random_between(&seed, 0, steep);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            float x = (float)i * size - 1, z = (float)k * size - 1;
            const float p[4][3] = {{x, h[i][k], z},
                                   {x, h[i][k + 1], z + size},
                                   {x + size, h[i + 1][k + 1], z + size},
                                   {x + size, h[i + 1][k], z}};
            int way = (int)(scene_random(&seed) & 1);
            scene_triangle(&f.scene, p[0], p[1], p[2 + way]);
            scene_triangle(&f.scene, p[way], p[2], p[3]);
        }
}

START_TEST(single_ground_is_built_as_if_nobody_had_known)
{
    static const float steep[] = {0.2f, 1, 1.6f, 3};
    const nav_hooks plain = {.plain = true};
    nav_buffer bytes[2] = {0};
    f.settings.agent_radius_m = _i & 1 ? 0.4f : 0;
    add_hills(20, 0.6f, steep[_i / 2], 7u + (uint32_t)_i);
    ck_assert_int_eq(nav_tile_encode(build(0, 0), &bytes[0]), NAV_OK);
    const nav_tile_source src = {.settings = &f.settings, .instances = &f.instance, .instance_count = 1};
    nav_arena_reset(&f.arena);
    ck_assert_int_eq(nav_build_tile(&src, NULL, &plain, &f.arena, &f.tile), NAV_OK);
    ck_assert_int_eq(nav_tile_encode(&f.tile, &bytes[1]), NAV_OK);
    ck_assert_int_gt(f.tile.polygons.count, 0);
    ck_assert_uint_eq(bytes[0].size, bytes[1].size);
    ck_assert_mem_eq(bytes[0].data, bytes[1].data, bytes[0].size);
    nav_buffer_deinit(&bytes[0]);
    nav_buffer_deinit(&bytes[1]);
}
END_TEST

// In the time of the test case: each of them looking at all others would take minutes.
START_TEST(thousands_of_triangles_at_one_place_are_refused_soon)
{
    enum { CROWD = 16000 };
    for (int i = 0; i < CROWD; i++) {
        float y = (float)i * 0.001f * (float)(1 + _i);
        const float a[3] = {2, _i ? y : 0, 2}, b[3] = {2, _i ? y : 0, 8}, c[3] = {8, y, 5};
        scene_triangle(&f.scene, a, b, c);
    }
    f.mesh = scene_mesh(&f.scene);
    f.instance = (nav_instance){f.mesh, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT};
    const nav_tile_source src = {.settings = &f.settings, .instances = &f.instance, .instance_count = 1};
    ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &f.arena, &f.tile), NAV_ERR_LIMIT);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("surface");
    TCase *t = tcase_create("surface");
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, flat_ground_of_many_triangles_is_one_cell_of_two);
    tcase_add_test(t, sides_are_open_where_ground_goes_on_and_walls_where_it_ends);
    tcase_add_test(t, corners_on_edges_join);
    tcase_add_test(t, steps_within_the_climb_join_and_higher_ones_do_not);
    tcase_add_test(t, areas_are_borders_between_cells);
    tcase_add_test(t, the_radius_is_kept_from_edges_and_from_what_stands_on_the_ground);
    tcase_add_test(t, what_is_low_or_high_is_not_in_the_way);
    tcase_add_test(t, a_spiral_is_divided_and_keeps_its_area);
    tcase_add_test(t, heights_are_within_the_error);
    tcase_add_loop_test(t, neighbours_agree_on_their_border, 0, 2);
    tcase_add_test(t, large_and_tiny_worlds_are_made_too);
    tcase_add_test(t, degenerate_triangles_do_no_harm);
    tcase_add_loop_test(t, single_ground_is_built_as_if_nobody_had_known, 0, 8);
    TCase *crowds = tcase_create("crowds");
    suite_add_tcase(s, crowds);
    tcase_add_checked_fixture(crowds, setup, teardown);
    tcase_set_timeout(crowds, 20);
    tcase_add_loop_test(crowds, thousands_of_triangles_at_one_place_are_refused_soon, 0, 2);
    return run_suite(s);
}
