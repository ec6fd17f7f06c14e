// Tiles with true outlines at their common border, each built alone: open alike on both sides, and closed only where
// something stands in the way.
#include "core/build.h"
#include "tests/check.h"
#include "tests/core/borders.h"
#include "tests/core/scene.h"

#include <math.h>

enum { LOWER, UPPER, TILES }; // the tile 0,0 and that above it: the border is the line z = side

typedef struct pair {
    scene scene;
    nav_mesh *mesh;
    nav_settings set;
    nav_arena arena[TILES];
    nav_tile tile[TILES];
    float side; // of a tile, metres
} pair;

static void begin(pair *p, float cell, float radius, int32_t cells)
{
    *p = (pair){.side = cell * (float)cells};
    nav_settings_default(&p->set);
    p->set.outlines = NAV_OUTLINES_TRUE;
    p->set.cell_size_m = cell;
    p->set.agent_radius_m = radius;
    p->set.tile_cells = cells;
    for (int i = 0; i < TILES; i++) nav_arena_init(&p->arena[i], 0);
}

static void build(pair *p, const nav_volume *volumes, uint32_t volume_count)
{
    p->mesh = scene_mesh(&p->scene);
    const nav_instance in = {p->mesh, NAV_TRANSFORM_IDENTITY, 63};
    for (int i = 0; i < TILES; i++) {
        const nav_tile_source src = {.settings = &p->set,
                                     .tile_z = i,
                                     .instances = &in,
                                     .instance_count = 1,
                                     .volumes = volumes,
                                     .volume_count = volume_count};
        ck_assert_int_eq(nav_build_tile(&src, NULL, NULL, &p->arena[i], &p->tile[i]), NAV_OK);
    }
}

static void end(pair *p)
{
    for (int i = 0; i < TILES; i++) nav_arena_deinit(&p->arena[i]);
    nav_mesh_destroy(p->mesh);
    scene_free(&p->scene);
}

// Ends of open edges that both tiles have on the border.
static int32_t common_points(const pair *p)
{
    int32_t points, different = border_difference_of(&p->tile[LOWER], &p->tile[UPPER], true, &points);
    ck_assert_int_eq(different, 0);
    return points;
}

// Walls that lie on the border itself, of both tiles.
static int32_t walls_on_border(const pair *p)
{
    int32_t walls = 0;
    for (int i = 0; i < TILES; i++) {
        const nav_contours *o = &p->tile[i].contours;
        const int32_t at = i == LOWER ? p->tile[i].config.tile_units : 0;
        for (int32_t l = 0; l < o->loop_count; l++)
            for (int32_t v = o->loop_first[l]; v < o->loop_first[l + 1]; v++) {
                const int32_t n = v + 1 < o->loop_first[l + 1] ? v + 1 : o->loop_first[l];
                walls += o->z[v] == at && o->z[n] == at && o->behind[v] == NAV_EDGE_WALL;
            }
    }
    return walls;
}

// The floor is a wedge between its own end on the left and a volume on the right, which leaves a foot less than a
// column wide at the border. The lower tile's columns there are floor only beside the middles of the wedge's edges:
//
//        |#|  .  /           #  a column that is no floor, as it stands at a drop
//     ---|#|-.--/-- border   .  the end of what is free: the radius from the volume
//        |#|.  /
//        |#.  / volume
START_TEST(a_wedge_that_ends_in_half_a_column_is_open_on_both_sides)
{
    pair p;
    begin(&p, 1, 0.6f, 24);
    p.set.agent_climb_m = 0.2f;
    scene_floor(&p.scene, 0, 0, 48, 48, 0);
    const nav_volume v = {.point_count = 4,
                          .points = {1.11f, 20, 40, 20, 40, 48, 5.31f, 48},
                          .min_y = -1,
                          .max_y = 1,
                          .area = NAV_AREA_NONE};
    build(&p, &v, 1);
    ck_assert_int_eq(common_points(&p), 2);
    end(&p);
}
END_TEST

// The floor ends along a line at a small angle to the border, in a drop or at a wall, which is beyond the border's own
// floor where the open part goes on:
//
//        -._              upper tile
//           '-._
//     =====open=x-._----- border
//     lower tile    '-._
START_TEST(a_floor_that_ends_at_a_small_angle_is_open_up_to_its_end)
{
    const bool wall = _i >= 20;
    const float turn = (float)(_i % 20), slope = 0.02f + 0.03f * turn, side = 14.4f, cross = 9.03f + 0.07f * turn;
    const float off = 0.6f * sqrtf(1 + slope * slope);
    const float left = side + off + slope * (cross + 20), right = side + off + slope * (cross - 40);
    const float at[4][3] = {{-20, 0, -20}, {-20, 0, left}, {40, 0, right}, {40, 0, -20}};
    pair p;
    begin(&p, 0.3f, 0.6f, 48);
    if (wall) {
        const float top[2][3] = {{-20, 3, left}, {40, 3, right}};
        scene_floor(&p.scene, -20, -20, 40, 40, 0);
        scene_triangle(&p.scene, at[1], top[0], top[1]);
        scene_triangle(&p.scene, at[1], top[1], at[2]);
    } else {
        scene_triangle(&p.scene, at[0], at[1], at[2]);
        scene_triangle(&p.scene, at[0], at[2], at[3]);
    }
    build(&p, NULL, 0);
    ck_assert_int_eq(walls_on_border(&p), 0);
    border_line line = border_line_of(&p.tile[LOWER], NAV_EDGE_PORTAL_ZMAX);
    const double unit = p.tile[LOWER].config.cell_size_m / p.tile[LOWER].config.unit;
    ck_assert_double_eq((double)line.points[0].along, 0);
    ck_assert_double_le((double)line.points[1].along * unit, (double)cross + 0.01);
    ck_assert_double_ge((double)line.points[1].along * unit, (double)cross - 0.01 - 0.01 / (double)slope);
    ck_assert_int_eq(common_points(&p), wall && turn > 7 ? 4 : 2); // a steep wall has floor behind it, too
    border_line_free(&line);
    end(&p);
}
END_TEST

// Up to y, its corners in order.
static void add_block(scene *s, const float xz[4][2], float y)
{
    float low[4][3], top[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            low[i][k] = k == 1 ? 0 : xz[i][k / 2];
            top[i][k] = k == 1 ? y : xz[i][k / 2];
        }
    for (int i = 0; i < 4; i++) {
        scene_triangle(s, low[i], top[i], top[(i + 1) % 4]);
        scene_triangle(s, low[i], top[(i + 1) % 4], low[(i + 1) % 4]);
    }
    scene_triangle(s, top[0], top[1], top[2]);
    scene_triangle(s, top[0], top[2], top[3]);
}

// A step (s) beside a block (b) that is a step higher: the column at the foot of both is too steep for the voxels. What
// they lack beyond it is the block's doing, whose corner is more than the radius and a column from the border:
//
//        s s s   b b b
//      s s s s b b b b
//      s s s .  b b b b     .  no floor to the voxels
//      s s     .  b b b
//     ------------------ border
START_TEST(what_stands_a_column_beyond_the_borders_own_floor_explains_its_end)
{
    const float step[4][2] = {{3.132f, 17.759f}, {8.323f, 20.896f}, {13.309f, 12.645f}, {8.117f, 9.508f}};
    const float block[4][2] = {{5.282f, 24.03f}, {7.298f, 25.564f}, {13.889f, 16.902f}, {11.874f, 15.369f}};
    pair p;
    begin(&p, 0.3f, 0.6f, 48);
    scene_floor(&p.scene, -20, -20, 40, 40, 0);
    add_block(&p.scene, step, 0.6f);
    add_block(&p.scene, block, 1.5f);
    build(&p, NULL, 0);
    ck_assert_int_ge(common_points(&p), 2);
    ck_assert_int_eq(walls_on_border(&p), 0);
    end(&p);
}
END_TEST

// A floor whose corner comes over the border by little and by much.
START_TEST(a_corner_that_comes_over_the_border_by_little_is_cut_off)
{
    static const float far[] = {0.02f, 0.1f, 0.25f, 0.5f, 1.5f};
    for (int k = 0; k < 5; k++) {
        // A right angle, turned by half of one: its tip is the radius times the square root of two from what is free.
        const float tip = 14.4f + far[k] + 0.6f * sqrtf(2);
        const float at[3][3] = {{7.2f - 30, 0, tip - 30}, {7.2f, 0, tip}, {7.2f + 30, 0, tip - 30}};
        pair p;
        begin(&p, 0.3f, 0.6f, 48);
        scene_triangle(&p.scene, at[0], at[1], at[2]);
        build(&p, NULL, 0);
        const bool cut = far[k] < 0.3f;
        ck_assert_int_eq(common_points(&p), cut ? 0 : 2);
        ck_assert_int_eq(p.tile[UPPER].polygons.cell_count, !cut);
        ck_assert_int_eq(p.tile[LOWER].polygons.cell_count, 1);
        end(&p);
    }
}
END_TEST

// The only way past a wall leads over the border and back, so what lies beyond it is not next to nothing, though small:
//
//     ###########
//     ###     ###   upper tile
//     ###- # -###---border
//     ### ### ###
START_TEST(a_way_over_the_border_and_back_stays_open)
{
    pair p;
    begin(&p, 0.3f, 0.6f, 48);
    scene_floor(&p.scene, -20, -20, 40, 40, 0);
    scene_box(&p.scene, 6, 0, -20, 6.6f, 3, 13.9f, 1, 0);
    scene_box(&p.scene, 3, 0, 13, 4.75f, 3, 17, 1, 0);
    scene_box(&p.scene, 7.85f, 0, 13, 9, 3, 17, 1, 0);
    scene_box(&p.scene, 3, 0, 15.12f, 9, 3, 17, 1, 0);
    build(&p, NULL, 0);
    border_line line = border_line_of(&p.tile[LOWER], NAV_EDGE_PORTAL_ZMAX);
    const double unit = p.tile[LOWER].config.cell_size_m / p.tile[LOWER].config.unit;
    int32_t beside = 0; // ends of open edges on both sides of the wall
    for (int32_t i = 0; i < line.count; i++)
        beside += (double)line.points[i].along * unit > 5 && (double)line.points[i].along * unit < 7.6;
    ck_assert_int_eq(beside, 4);
    border_line_free(&line);
    common_points(&p);
    end(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline_borders");
    TCase *t = tcase_create("outline_borders");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, a_wedge_that_ends_in_half_a_column_is_open_on_both_sides);
    tcase_add_loop_test(t, a_floor_that_ends_at_a_small_angle_is_open_up_to_its_end, 0, 40);
    tcase_add_test(t, what_stands_a_column_beyond_the_borders_own_floor_explains_its_end);
    tcase_add_test(t, a_corner_that_comes_over_the_border_by_little_is_cut_off);
    tcase_add_test(t, a_way_over_the_border_and_back_stays_open);
    return run_suite(s);
}
