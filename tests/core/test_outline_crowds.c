// True outlines of what is hard for them: huge triangles, needles, walls in one plane, crowds. Two tiles at a common
// border, each built alone: they end, agree, and say where they gave up.
#include "core/build.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"

#include <math.h>

enum { LOWER, UPPER, TILES };

typedef struct pair {
    scene scene;
    nav_settings set;
    nav_arena arena[TILES];
    nav_tile tile[TILES];
} pair;

static void begin(pair *p)
{
    *p = (pair){0};
    nav_settings_default(&p->set);
    p->set.outlines = NAV_OUTLINES_TRUE;
    for (int i = 0; i < TILES; i++) nav_arena_init(&p->arena[i], 0);
}

// Builds both tiles, which must be whole, readable, and open alike at the border. Returns the points there.
static int32_t build(pair *p)
{
    nav_mesh *mesh = scene_mesh(&p->scene);
    const nav_instance in = {mesh, NAV_TRANSFORM_IDENTITY, 63};
    for (int i = 0; i < TILES; i++) {
        const nav_tile_source src = {.settings = &p->set, .tile_z = i, .instances = &in, .instance_count = 1};
        nav_arena_reset(&p->arena[i]);
        ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &p->arena[i], &p->tile[i]), NAV_OK);
        ck_assert_int_eq(p->tile[i].counts.failed_loops, 0);
        nav_buffer bytes = {0};
        nav_tile_view view;
        char why[200];
        ck_assert_int_eq(nav_tile_encode(&p->tile[i], &bytes), NAV_OK);
        ck_assert_msg(nav_tile_open(bytes.data, bytes.size, &view, why, sizeof why) == NAV_OK, "%s", why);
        nav_buffer_deinit(&bytes);
    }
    int32_t points, different = border_difference_of(&p->tile[LOWER], &p->tile[UPPER], true, &points);
    ck_assert_int_eq(different, 0);
    nav_mesh_destroy(mesh);
    return points;
}

static void end(pair *p)
{
    for (int i = 0; i < TILES; i++) nav_arena_deinit(&p->arena[i]);
    scene_free(&p->scene);
}

static void add_sheet(scene *s, float x0, float z0, float x1, float z1, float low, float high)
{
    const float a[3] = {x0, low, z0}, b[3] = {x0, high, z0}, c[3] = {x1, high, z1}, d[3] = {x1, low, z1};
    scene_triangle(s, a, b, c);
    scene_triangle(s, a, c, d);
}

static uint64_t coarse(const pair *p)
{
    return p->tile[LOWER].counts.coarse_outlines + p->tile[UPPER].counts.coarse_outlines;
}

static double floor_area(const nav_tile *t)
{
    const nav_contours *o = &t->contours;
    double area2 = 0, unit = t->config.cell_size_m / t->config.unit;
    for (int32_t l = 0; l < o->loop_count; l++)
        for (int32_t k = o->loop_first[l]; k < o->loop_first[l + 1]; k++) {
            const int32_t n = k + 1 < o->loop_first[l + 1] ? k + 1 : o->loop_first[l];
            area2 += (double)o->x[n] * o->z[k] - (double)o->x[k] * o->z[n];
        }
    return area2 / 2 * unit * unit;
}

START_TEST(walls_and_floors_of_ten_kilometres)
{
    // Through both tiles, at an angle that is not exact, far from the corners of its triangles.
    const float far = 7000, slope = 0.3f + 0.1f * (float)_i, cross = 7.03f;
    pair p;
    begin(&p);
    scene_floor(&p.scene, -5000, -5000, 5000, 5000, 0);
    add_sheet(&p.scene, cross - slope * far, 14.4f - far, cross + slope * far, 14.4f + far, -100, 100);
    ck_assert_int_eq(build(&p), 4);
    border_line line = border_line_of(&p.tile[LOWER], NAV_EDGE_PORTAL_ZMAX);
    const double unit = p.tile[LOWER].config.cell_size_m / p.tile[LOWER].config.unit;
    const double off = 0.6 * sqrt(1 + (double)(slope * slope));
    // Corners of 7 km are floats: half a millimetre.
    ck_assert_double_eq_tol((double)line.points[1].along * unit, (double)cross - off, 0.012);
    ck_assert_double_eq_tol((double)line.points[2].along * unit, (double)cross + off, 0.012);
    ck_assert_uint_eq(coarse(&p), 0);
    border_line_free(&line);
    end(&p);
}
END_TEST

START_TEST(needles_end_the_floor_or_do_not_but_alike)
{
    uint32_t state = 3 + (uint32_t)_i;
    pair p;
    begin(&p);
    scene_floor(&p.scene, -20, -20, 40, 40, 0);
    for (int i = 0; i < 200; i++) {
        float t[3][3];
        const float long_m = i % 4 == 0   ? 5000
                             : i % 4 == 1 ? 50
                                          : 2,
                    thin = i % 3 == 0   ? 0
                           : i % 3 == 1 ? 1e-6f
                                        : 1e-3f;
        for (int k = 0; k < 3; k++) {
            t[0][k] = k == 1 ? scene_random_between(&state, -0.5f, 2.5f) : scene_random_between(&state, 0, 28.8f);
            t[1][k] = t[0][k] + scene_random_between(&state, -thin, thin);
            t[2][k] = t[0][k] + scene_random_between(&state, -long_m, long_m);
        }
        scene_triangle(&p.scene, t[0], t[1], t[2]);
    }
    build(&p);
    end(&p);
}
END_TEST

// The same wall many times over: turned round, in pieces, and longer copies in its plane.
START_TEST(walls_in_one_plane_are_one_wall)
{
    double area[2];
    for (int many = 0; many < 2; many++) {
        uint32_t state = 11 + (uint32_t)_i;
        const float x0 = 3.1f, z0 = 9.7f, dx = 0.03125f * (float)_i, dz = 0.28125f; // exact multiples: one plane
        pair p;
        begin(&p);
        scene_floor(&p.scene, -20, -20, 40, 40, 0);
        add_sheet(&p.scene, x0, z0, x0 + 32 * dx, z0 + 32 * dz, 0, 3);
        for (int i = 0; i < 500 * many; i++) {
            const float from = (float)(scene_random(&state) % 32), to = (float)(scene_random(&state) % 33);
            const float low = scene_random_between(&state, -1, 1), high = low + scene_random_between(&state, 0, 3);
            add_sheet(&p.scene, x0 + from * dx, z0 + from * dz, x0 + to * dx, z0 + to * dz, low, high);
        }
        build(&p);
        area[many] = floor_area(&p.tile[LOWER]) + floor_area(&p.tile[UPPER]);
        ck_assert_uint_eq(coarse(&p), 0);
        end(&p);
    }
    ck_assert_double_eq_tol(area[0], area[1], 0.05);
}
END_TEST

// Stacks of thin walls that all cross, with floor between the stacks.
START_TEST(thousands_of_thin_walls_that_cross_leave_the_floor_around_them)
{
    uint32_t state = 5 + (uint32_t)_i;
    pair p;
    begin(&p);
    scene_floor(&p.scene, -20, -20, 40, 40, 0);
    for (int i = 0; i < 4000; i++) {
        const float x = 3 + 4 * (float)(i % 3), z = 4 + 3.45f * (float)(i / 3 % 7);
        const float turn = scene_random_between(&state, 0, 6.28f), off = scene_random_between(&state, -0.3f, 0.3f);
        const float dx = cosf(turn), dz = sinf(turn);
        add_sheet(&p.scene, x + off * dz - dx, z - off * dx - dz, x + off * dz + dx, z - off * dx + dz, 0, 2);
    }
    ck_assert_int_gt(build(&p), 2);
    ck_assert_double_gt(floor_area(&p.tile[LOWER]), 50);
    end(&p);
}
END_TEST

// Leaves, as bushes and scans have them, in clumps that the floor goes on between. A million of them do as 300,000 do.
static void add_leaves(scene *s, int count)
{
    uint32_t state = 9;
    for (int i = 0; i < count; i++) {
        const float x = 2 + 2.4f * (float)(i % 5), z = 2.4f * (float)(1 + i / 5 % 11);
        const float middle[3] = {x + scene_random_between(&state, -0.45f, 0.45f), scene_random_between(&state, 0.2f, 2),
                                 z + scene_random_between(&state, -0.45f, 0.45f)};
        float t[3][3];
        for (int m = 0; m < 3; m++)
            for (int k = 0; k < 3; k++) t[m][k] = middle[k] + scene_random_between(&state, -0.03f, 0.03f);
        scene_triangle(s, t[0], t[1], t[2]);
    }
}

START_TEST(a_crowd_of_leaves_falls_back_and_is_counted_alike_on_both_sides)
{
    static const int counts[] = {3000, 30000, 300000};
    pair p;
    begin(&p);
    scene_floor(&p.scene, -20, -20, 40, 40, 0);
    add_leaves(&p.scene, counts[_i]);
    ck_assert_int_gt(build(&p), 2);
    ck_assert_double_gt(floor_area(&p.tile[LOWER]), 10);
    if (_i == 0) ck_assert_uint_eq(coarse(&p), 0);
    if (_i == 2) ck_assert_uint_gt(coarse(&p), 0);
    end(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline_crowds");
    TCase *t = tcase_create("outline_crowds");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, walls_and_floors_of_ten_kilometres, 0, 10);
    tcase_add_loop_test(t, needles_end_the_floor_or_do_not_but_alike, 0, 10);
    tcase_add_loop_test(t, walls_in_one_plane_are_one_wall, 0, 10);
    tcase_add_loop_test(t, thousands_of_thin_walls_that_cross_leave_the_floor_around_them, 0, 3);
    tcase_add_loop_test(t, a_crowd_of_leaves_falls_back_and_is_counted_alike_on_both_sides, 0, 3);
    return run_suite(s);
}
