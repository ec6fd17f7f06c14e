#include "core/contour/contours.h"
#include "tests/check.h"
#include "tests/core/fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fixture_world world;
static fixture fx;
static nav_contours out;

static void build_within(double error, const char *const *rows, const char *const *regions, int32_t tile_cells)
{
    fixture_world_draw(&world, rows);
    fixture_init(&fx, &world, 0, 0, tile_cells, 2);
    fx.cfg.edge_max_error = error;
    if (regions) fixture_regions_draw(&fx, regions);
    ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &fx.arena, &out), NAV_OK);
}

static void build(const char *const *rows, const char *const *regions, int32_t tile_cells)
{
    build_within(1.3, rows, regions, tile_cells);
}

static int64_t loop_area2(const nav_contours *o, int32_t l)
{
    int64_t sum = 0;
    for (int32_t i = o->loop_first[l]; i < o->loop_first[l + 1]; i++) {
        int32_t j = i + 1 < o->loop_first[l + 1] ? i + 1 : o->loop_first[l];
        sum += (int64_t)o->x[i] * o->z[j] - (int64_t)o->x[j] * o->z[i];
    }
    return sum;
}

static int32_t next_in_loop(const nav_contours *o, int32_t l, int32_t i)
{
    return i + 1 < o->loop_first[l + 1] ? i + 1 : o->loop_first[l];
}

START_TEST(square_room_has_four_corners_and_walls)
{
    static const char *const rows[] = {"........", ".00000..", ".00000..", ".00000..", ".00000..", "........", 0};
    build(rows, NULL, 8);
    ck_assert_int_eq(out.loop_count, 1);
    ck_assert_int_eq(out.vert_count, 4);
    ck_assert_int_eq(loop_area2(&out, 0), -2 * 5 * 4);
    for (int32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(out.behind[i], NAV_EDGE_WALL);
        ck_assert_int_eq(out.y[i], 0);
    }
    fixture_deinit(&fx);
}
END_TEST

START_TEST(pillar_makes_a_hole_that_winds_the_other_way)
{
    static const char *const rows[] = {"..........", ".00000000.", ".00000000.", ".00....00.", ".00....00.",
                                       ".00....00.", ".00000000.", ".00000000.", "..........", 0};
    build_within(0.5, rows, NULL, 10);
    ck_assert_int_eq(out.loop_count, 2);
    ck_assert_int_eq(out.loop_hole[0], 0);
    ck_assert_int_eq(out.loop_hole[1], 1);
    ck_assert_int_eq(loop_area2(&out, 0), -2 * 8 * 7);
    ck_assert_int_eq(loop_area2(&out, 1), 2 * 4 * 3);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(one_cell_pillar_is_within_the_error_and_vanishes)
{
    static const char *const rows[] = {"........", ".000000.", ".000000.", ".000.00.",
                                       ".000000.", ".000000.", "........", 0};
    build(rows, NULL, 8);
    ck_assert_int_eq(out.loop_count, 1);
    ck_assert_int_eq(out.removed_loops, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(two_regions_have_the_same_vertices_between_them)
{
    static const char *const rows[] = {
        "..........", ".00000000.", ".00000000.", ".00000000.", ".00000000.", "..........", 0};
    static const char *const ids[] = {"..........", ".AAAABBBB.", ".AAABBBBB.", ".AAAAABBB.", ".AAAABBBB.",
                                      "..........", "..........", "..........", "..........", ".........."};
    build(rows, ids, 10);
    ck_assert_int_eq(out.loop_count, 2);
    int32_t shared = 0;
    for (int32_t l = 0; l < 2; l++) {
        for (int32_t i = out.loop_first[l]; i < out.loop_first[l + 1]; i++) {
            if (out.behind[i] != 2 - l) continue;
            int32_t j = next_in_loop(&out, l, i);
            ck_assert_int_eq(out.x[i], 5);
            ck_assert_int_eq(out.x[j], 5);
            ck_assert_int_eq(abs(out.z[j] - out.z[i]), 4);
            shared++;
        }
    }
    ck_assert_int_eq(shared, 2);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(area_change_is_followed_like_a_wall)
{
    static const char *const rows[] = {"..........", ".00000aaa.", ".00000aaa.",
                                       ".00aaaaaa.", ".00aaaaaa.", ".00000aaa.",
                                       ".00000aaa.", "..........", 0};
    static const char *const ids[] = {"..........", ".AAAAABBB.", ".AAAAABBB.", ".AABBBBBB.", ".AABBBBBB.",
                                      ".AAAAABBB.", ".AAAAABBB.", "..........", "..........", ".........."};
    build(rows, ids, 10);
    int32_t edges = 0;
    for (int32_t i = 0; i < out.vert_count; i++) edges += out.behind[i] == 2;
    ck_assert_int_ge(edges, 3);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(corner_height_is_the_highest_floor_around_it)
{
    static const char *const rows[] = {"......", ".0000.", ".0100.", ".0000.", "......", 0};
    build(rows, NULL, 6);
    for (int32_t i = 0; i < out.vert_count; i++)
        ck_assert_int_eq(out.y[i], out.x[i] >= 2 && out.x[i] <= 3 && out.z[i] >= 2 && out.z[i] <= 3 ? 1 : 0);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(contour_that_touches_itself_at_a_corner_stays_one_loop)
{
    static const char *const rows[] = {"..........",
                                       ".00000000.",
                                       ".00000000.",
                                       ".00..0000.",
                                       ".00..0000.",
                                       ".0000..00.",
                                       ".0000..00.",
                                       ".00000000.",
                                       ".00000000.",
                                       "..........",
                                       0};
    build_within(0.5, rows, NULL, 10);
    int64_t area = 0;
    for (int32_t l = 0; l < out.loop_count; l++) area += loop_area2(&out, l);
    ck_assert_int_eq(area, -2 * (64 - 8));
    fixture_deinit(&fx);
}
END_TEST

START_TEST(sliver_at_the_border_is_kept)
{
    // One cell of floor in the tile, connected to a floor outside of it.
    static const char *const rows[] = {"......", "......", ".....000", "......", "......", "......", 0};
    build(rows, NULL, 6);
    ck_assert_int_eq(out.loop_count, 1);
    ck_assert_int_ge(out.vert_count, 3);
    ck_assert_int_lt(loop_area2(&out, 0), 0);
    int32_t portals = 0;
    for (int32_t i = 0; i < out.vert_count; i++) portals += out.behind[i] == NAV_EDGE_PORTAL_XMAX;
    ck_assert_int_eq(portals, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(regions_that_meet_on_an_open_border_make_a_joint)
{
    static const char *const rows[] = {"00000000", "00000000", "00000000", "00000000", "00000000", "00000000", 0};
    static const char *const ids[] = {"AAAAAA", "AAAAAA", "AAAAAA", "BBBBBB", "BBBBBB", "BBBBBB"};
    build(rows, ids, 6);
    int32_t joints = 0;
    for (int32_t i = 0; i < out.vert_count; i++) {
        if (!out.border_joint[i]) continue;
        ck_assert_int_eq(out.x[i], 6);
        ck_assert_int_eq(out.z[i], 3);
        joints++;
    }
    ck_assert_int_eq(joints, 2);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(step_across_the_border_is_a_vertex_of_its_own)
{
    // Behind the border the floor jumps by more than a step between z = 2 and z = 3; here it is flat.
    static const char *const rows[] = {"00000000", "00000000", "00000000", "00000022", "00000025", "00000022", 0};
    build(rows, NULL, 6);
    int32_t at_step = 0;
    for (int32_t i = 0; i < out.vert_count; i++) at_step += out.x[i] == 6 && out.z[i] == 3;
    ck_assert_int_eq(at_step, 0);
    fixture_deinit(&fx);
    static const char *const cliff[] = {"00000000", "00000000", "00000000", "22222244", "22222244", "22222244", 0};
    build(cliff, NULL, 6);
    for (int32_t i = 0; i < out.vert_count; i++) at_step += out.x[i] == 6 && out.z[i] == 3;
    ck_assert_int_eq(at_step, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(long_walls_are_split)
{
    static const char *rows[60];
    for (int i = 0; i < 48; i++) rows[i] = "000000000000000000000000000000000000000000000000";
    rows[48] = NULL;
    build(rows, NULL, 48);
    fx.cfg.partition = NAV_PARTITION_WATERSHED;
    ck_assert_int_eq(fx.cfg.edge_max_columns, 40);
    ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &fx.arena, &out), NAV_OK);
    ck_assert_int_eq(out.vert_count, 8);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(convex_partition_leaves_long_walls_whole)
{
    static const char *rows[60];
    for (int i = 0; i < 48; i++) rows[i] = "000000000000000000000000000000000000000000000000";
    rows[48] = NULL;
    build(rows, NULL, 48);
    fx.cfg.partition = NAV_PARTITION_CONVEX;
    ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &fx.arena, &out), NAV_OK);
    ck_assert_int_eq(out.vert_count, 4);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(stairs_of_cells_become_one_edge)
{
    static const char *const rows[] = {"............",
                                       ".0000000000.",
                                       "..000000000.",
                                       "...00000000.",
                                       "....0000000.",
                                       ".....000000.",
                                       "......00000.",
                                       ".......0000.",
                                       "........000.",
                                       ".........00.",
                                       "..........0.",
                                       "............",
                                       0};
    build(rows, NULL, 12);
    ck_assert_int_le(out.vert_count, 4);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(jagged_wall_is_followed_on_its_own_side)
{
    static const char *const rows[] = {"...........", ".000000000.", ".00000000..", ".000000000.",
                                       ".00000000..", ".000000000.", ".00000000..", ".000000000.",
                                       ".00000000..", ".000000000.", "...........", 0};
    build(rows, NULL, 12);
    ck_assert_int_eq(out.vert_count, 4);
    ck_assert_int_eq(loop_area2(&out, 0), -2 * 9 * 9);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(gentle_slope_of_cells_is_one_edge)
{
    // One step up every five cells: a wall that is straight, at an angle to the grid.
    static const char *const rows[] = {"......................", ".00000................", ".0000000000...........",
                                       ".000000000000000......", ".00000000000000000000.", ".00000000000000000000.",
                                       ".00000000000000000000.", "......................", 0};
    build(rows, NULL, 22);
    ck_assert_int_le(out.vert_count, 4);
    ck_assert_double_le(out.max_deviation, 1.3);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(bay_with_a_pillar_is_not_cut_off)
{
    // The straight edge between A and B would leave the pillar on B's side.
    static const char *const rows[] = {"0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "00000000...00000",
                                       "00000000...00000",
                                       "00000000...00000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       "0000000000000000",
                                       0};
    static const char *const ids[] = {"AAAAAABBBBBBBBBB", "AAAAAABBBBBBBBBB", "AAAAAABBBBBBBBBB", "AAAAAABBBBBBBBBB",
                                      "AAAAAAAAAAAAABBB", "AAAAAAAAAAAAABBB", "AAAAAAAA...AABBB", "AAAAAAAA...AABBB",
                                      "AAAAAAAA...AABBB", "AAAAAAAAAAAAABBB", "AAAAAAAAAAAAABBB", "AAAAAABBBBBBBBBB",
                                      "AAAAAABBBBBBBBBB", "AAAAAABBBBBBBBBB", "AAAAAABBBBBBBBBB", "AAAAAABBBBBBBBBB"};
    build_within(0.5, rows, ids, 16);
    ck_assert_int_eq(out.loop_count, 3);
    ck_assert_int_eq(out.loop_hole[1], 1);
    int32_t furthest = 0;
    for (int32_t i = out.loop_first[0]; i < out.loop_first[1]; i++)
        if (out.x[i] > furthest) furthest = out.x[i];
    ck_assert_int_ge(furthest, 11);
    ck_assert_int_eq(loop_area2(&out, 0) + loop_area2(&out, 1) + loop_area2(&out, 2), -2 * (16 * 16 - 9));
    fixture_deinit(&fx);
}
END_TEST

START_TEST(large_tile_stays_in_one_piece)
{
    static char line[301];
    memset(line, '0', 300);
    static const char *const rows[] = {line, line, line, line, line, line, 0};
    build(rows, NULL, 300);
    ck_assert_int_eq(out.loop_count, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(crowded_tile_is_cut_in_blocks)
{
    // A comb: 150 rows of floor, joined at x = 150. Each has 600 edges, so the tile has 90000.
    static char row[301], gap[301];
    memset(row, '0', 300);
    memset(gap, '.', 300);
    gap[150] = '0';
    static const char *rows[301];
    for (int i = 0; i < 300; i++) rows[i] = i % 2 ? gap : row;
    build(rows, NULL, 300);
    int32_t on_line = 0;
    for (int32_t l = 0; l < out.loop_count; l++) {
        for (int32_t i = out.loop_first[l]; i < out.loop_first[l + 1]; i++) {
            int32_t j = next_in_loop(&out, l, i);
            ck_assert((out.x[i] <= 150) == (out.x[j] <= 150) || out.x[i] == 150 || out.x[j] == 150);
            if (out.behind[i] != 1) continue;
            on_line++;
            ck_assert((out.x[i] == 150 && out.x[j] == 150) || (out.z[i] == 150 && out.z[j] == 150));
        }
    }
    ck_assert_int_ge(on_line, 2 * 150);
    fixture_deinit(&fx);
}
END_TEST

static double distance_to_edge(double px, double pz, double ax, double az, double bx, double bz)
{
    double dx = bx - ax, dz = bz - az, len2 = dx * dx + dz * dz;
    double t = len2 > 0 ? ((px - ax) * dx + (pz - az) * dz) / len2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double ex = ax + t * dx - px, ez = az + t * dz - pz;
    return sqrt(ex * ex + ez * ez);
}

// Every corner of a wall side of a span lies within the error of its region's wall edges.
static void check_walls(void)
{
    const nav_compact_heightfield *f = &fx.field;
    for (int32_t s = 0; s < f->span_count; s++) {
        for (int d = 0; d < 4 && fx.ids[s] > 0; d++) {
            int32_t n = f->connection[d][s];
            if (n != NAV_NOT_CONNECTED && fx.ids[n] != NAV_REGION_NONE) continue;
            int32_t x = f->column[s] % f->width - f->border + (d == 1 || d == 2);
            int32_t z = f->column[s] / f->width - f->border + (d == 0 || d == 1);
            double nearest = 1e9;
            for (int32_t l = 0; l < out.loop_count; l++) {
                if (out.loop_region[l] != fx.ids[s]) continue;
                for (int32_t i = out.loop_first[l]; i < out.loop_first[l + 1]; i++) {
                    int32_t j = next_in_loop(&out, l, i);
                    if (out.behind[i] != NAV_EDGE_WALL) continue;
                    double e = distance_to_edge(x, z, out.x[i], out.z[i], out.x[j], out.z[j]);
                    if (e < nearest) nearest = e;
                }
            }
            ck_assert_double_le(nearest, fx.cfg.edge_max_error + 1e-9);
        }
    }
}

static bool segments_cross(const nav_contours *o, int32_t a, int32_t b, int32_t c, int32_t d)
{
#define SIDE(p, q, r)                                                                                                  \
    ((int64_t)(o->x[q] - o->x[p]) * (o->z[r] - o->z[p]) - (int64_t)(o->x[r] - o->x[p]) * (o->z[q] - o->z[p]))
    int64_t s1 = SIDE(a, b, c), s2 = SIDE(a, b, d), s3 = SIDE(c, d, a), s4 = SIDE(c, d, b);
#undef SIDE
    return ((s1 > 0 && s2 < 0) || (s1 < 0 && s2 > 0)) && ((s3 > 0 && s4 < 0) || (s3 < 0 && s4 > 0));
}

// Every edge with a region behind it is an edge of that region, backwards.
static void check_twins(uint32_t seed)
{
    for (int32_t l = 0; l < out.loop_count; l++) {
        for (int32_t i = out.loop_first[l]; i < out.loop_first[l + 1]; i++) {
            int32_t j = next_in_loop(&out, l, i), twins = 0;
            for (int32_t m = 0; out.behind[i] > 0 && m < out.loop_count; m++) {
                for (int32_t a = out.loop_first[m]; out.loop_region[m] == out.behind[i] && a < out.loop_first[m + 1];
                     a++) {
                    int32_t b = next_in_loop(&out, m, a);
                    twins += out.behind[a] == out.loop_region[l] && out.x[a] == out.x[j] && out.z[a] == out.z[j] &&
                             out.x[b] == out.x[i] && out.z[b] == out.z[i];
                }
            }
            ck_assert_msg(out.behind[i] <= 0 || twins > 0, "seed %u: (%d, %d) to (%d, %d) is not shared", seed,
                          out.x[i], out.z[i], out.x[j], out.z[j]);
        }
    }
}

START_TEST(random_contours_are_simple_and_within_the_error)
{
    static const double errors[] = {1.3, 0.8, 2.5};
    for (uint32_t seed = (uint32_t)_i * 100; seed < (uint32_t)_i * 100 + 30; seed++) {
        fixture_world_random(&world, seed, 40, 40);
        fixture_init(&fx, &world, 0, 0, 32, 4);
        fixture_regions_grow(&fx, seed, 1 + (int32_t)(seed % 12));
        fx.cfg.edge_max_error = errors[seed % 3];
        ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &fx.arena, &out), NAV_OK);
        ck_assert_msg(out.max_deviation <= fx.cfg.edge_max_error + 1e-9, "seed %u: %f", seed, out.max_deviation);
        if (out.removed_loops == 0) check_walls();
        check_twins(seed);
        for (int32_t l = 0; l < out.loop_count; l++) {
            ck_assert_msg(out.loop_hole[l] ? loop_area2(&out, l) > 0 : loop_area2(&out, l) < 0, "seed %u", seed);
            for (int32_t m = l; m < out.loop_count && out.loop_region[m] == out.loop_region[l]; m++)
                for (int32_t i = out.loop_first[l]; i < out.loop_first[l + 1]; i++)
                    for (int32_t j = out.loop_first[m]; j < out.loop_first[m + 1]; j++)
                        ck_assert_msg(!segments_cross(&out, i, next_in_loop(&out, l, i), j, next_in_loop(&out, m, j)),
                                      "seed %u region %d", seed, out.loop_region[l]);
        }
        fixture_deinit(&fx);
    }
}
END_TEST

START_TEST(memory_limit_is_an_error)
{
    static const char *const rows[] = {"0000", "0000", "0000", "0000", 0};
    fixture_world_draw(&world, rows);
    fixture_init(&fx, &world, 0, 0, 4, 1);
    nav_arena small;
    nav_arena_init(&small, 256);
    ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &small, &out), NAV_ERR_LIMIT);
    nav_arena_deinit(&small);
    fixture_deinit(&fx);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("contours");
    TCase *t = tcase_create("contours");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, square_room_has_four_corners_and_walls);
    tcase_add_test(t, pillar_makes_a_hole_that_winds_the_other_way);
    tcase_add_test(t, one_cell_pillar_is_within_the_error_and_vanishes);
    tcase_add_test(t, two_regions_have_the_same_vertices_between_them);
    tcase_add_test(t, area_change_is_followed_like_a_wall);
    tcase_add_test(t, corner_height_is_the_highest_floor_around_it);
    tcase_add_test(t, contour_that_touches_itself_at_a_corner_stays_one_loop);
    tcase_add_test(t, sliver_at_the_border_is_kept);
    tcase_add_test(t, regions_that_meet_on_an_open_border_make_a_joint);
    tcase_add_test(t, step_across_the_border_is_a_vertex_of_its_own);
    tcase_add_test(t, long_walls_are_split);
    tcase_add_test(t, convex_partition_leaves_long_walls_whole);
    tcase_add_test(t, stairs_of_cells_become_one_edge);
    tcase_add_test(t, jagged_wall_is_followed_on_its_own_side);
    tcase_add_test(t, gentle_slope_of_cells_is_one_edge);
    tcase_add_test(t, bay_with_a_pillar_is_not_cut_off);
    tcase_add_test(t, large_tile_stays_in_one_piece);
    tcase_add_test(t, crowded_tile_is_cut_in_blocks);
    tcase_add_loop_test(t, random_contours_are_simple_and_within_the_error, 0, 10);
    tcase_add_test(t, memory_limit_is_an_error);
    suite_add_tcase(s, t);
    return run_suite(s);
}
