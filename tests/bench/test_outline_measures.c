// Do the judges of the outlines say what they claim? Each is given meshes that are right, and meshes that are wrong by
// a known amount.
#include "tests/bench/doors.h"
#include "tests/bench/exact_area.h"
#include "tests/bench/free_scene.h"
#include "tests/bench/rooms.h"
#include "tests/bench/wall_distance.h"
#include "tests/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double RADIUS_M = 0.6;

// --- Doors ---

enum { DOORS = 200 };

static double gap_between(const bench_box *a, const bench_box *b)
{
    double p[4][2], q[4][2], least = INFINITY;
    bench_box_corners(a, p);
    bench_box_corners(b, q);
    for (int i = 0; i < 16; i++) least = fmin(least, hypot(p[i / 4][0] - q[i % 4][0], p[i / 4][1] - q[i % 4][1]));
    return least;
}

START_TEST(doors_are_as_wide_as_they_say)
{
    static bench_box boxes[DOORS * DOOR_BOXES];
    static bench_door doors[DOORS];
    doors_make(1, DOORS, boxes, doors);
    for (int i = 0; i < DOORS; i++) {
        const bench_box *room = &boxes[(size_t)i * DOOR_BOXES];
        ck_assert_double_eq_tol(gap_between(&room[5], &room[6]), doors[i].width_m, 1e-9);
        ck_assert(doors[i].width_m >= DOOR_LEAST_M && doors[i].width_m < DOOR_MOST_M);
    }
}
END_TEST

typedef struct text {
    char bytes[DOORS * 512];
    size_t size;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, sizeof t->bytes - t->size, format, args);
    va_end(args);
    ck_assert(t->size < sizeof t->bytes);
}

// Two strips per door, one on each side, which meet in the wall's middle; sewn together where the door is at least
// `least` wide.
static void make_strips(text *t, const bench_door *doors, double least)
{
    *t = (text){0};
    add(t, "mesh\n2\n%d %d\n", DOORS * 6, DOORS * 2);
    for (int i = 0; i < DOORS; i++) {
        const double *a = doors[i].from, *b = doors[i].to, along[] = {-0.1, 0.5, 1.1};
        double dx = (b[0] - a[0]) / 10, dz = (b[2] - a[2]) / 10;
        for (int k = 0; k < 6; k++) {
            double s = along[k / 2], side = k % 2 ? -1 : 1;
            add(t, "%.6f %.6f 0\n", a[0] + s * (b[0] - a[0]) - side * dz, a[2] + s * (b[2] - a[2]) + side * dx);
        }
    }
    for (int i = 0; i < DOORS; i++) {
        bool open = doors[i].width_m >= least;
        int v = 6 * i, near = 2 * i, far = near + 1; // corners by pairs along the strips: v to the left, v + 1
        add(t, "4 %d %d %d %d -1 -1 -1 %d\n", v, v + 1, v + 3, v + 2, open ? far : -1);
        add(t, "4 %d %d %d %d -1 %d -1 -1\n", v + 2, v + 3, v + 5, v + 4, open ? near : -1);
    }
}

static door_counts judge_strips(const bench_door *doors, double least)
{
    static text t;
    nav_path_set *set;
    door_counts c;
    char why[200] = "";
    make_strips(&t, doors, least);
    ck_assert_int_eq(nav_path_set_create(&set), NAV_OK);
    ck_assert_msg(nav_path_set_put_mesh(set, t.bytes, t.size, why, sizeof why) == NAV_OK, "%s", why);
    ck_assert_int_eq(nav_path_set_join(set), NAV_OK);
    ck_assert(doors_judge(set, doors, DOORS, RADIUS_M, &c));
    nav_path_set_destroy(set);
    return c;
}

START_TEST(doors_count_as_wrong_where_the_agent_and_the_mesh_disagree)
{
    static bench_box boxes[DOORS * DOOR_BOXES];
    static bench_door doors[DOORS];
    uint32_t narrow = 0, wide = 0, widest = 0;
    doors_make(2, DOORS, boxes, doors);
    for (int i = 0; i < DOORS; i++) {
        narrow += doors[i].width_m < 1.2;
        wide += doors[i].width_m >= 1.24;
        widest += doors[i].width_m >= 1.9;
    }
    ck_assert(narrow > 0 && wide > 0 && widest > 0);
    door_counts c = judge_strips(doors, 1.22);
    ck_assert_uint_eq(c.shut_wrongly + c.open_wrongly, 0);
    c = judge_strips(doors, 9);
    ck_assert_uint_eq(c.open, 0);
    ck_assert_uint_eq(c.shut_wrongly, wide);
    ck_assert_uint_eq(c.open_wrongly, 0);
    c = judge_strips(doors, 0);
    ck_assert_uint_eq(c.open, DOORS);
    ck_assert_uint_eq(c.open_wrongly, narrow);
    ck_assert_uint_eq(c.shut_wrongly, 0);
    c = judge_strips(doors, 1.9);
    ck_assert_uint_eq(c.class_open[DOOR_CLASSES - 1], widest);
    ck_assert_uint_eq(c.class_doors[DOOR_CLASSES - 1], widest);
    ck_assert_uint_eq(c.open, widest);
}
END_TEST

// --- Rooms ---

enum { OF_EACH = 12 };

// Is there floor, and no wall nearer than so?
static void stands_free(ground *g, const double at[3], double radius, uint32_t room)
{
    double y;
    ck_assert_msg(tri_grid_height(&g->floors, at[0], at[2], at[1] - 0.01, at[1] + 0.01, &y), "room %u: no floor", room);
    double wall = tri_grid_distance(&g->blocks, at[0], at[2], at[1] + 0.9, at[1] + 2, 5);
    ck_assert_msg(wall >= radius, "room %u: a wall at %f", room, wall);
}

START_TEST(doors_of_rooms_are_as_wide_as_they_say)
{
    static bench_room rooms[OF_EACH * ROOM_KINDS];
    static const double radii[] = {0.35, 0.6, 0.95};
    nav_settings s;
    nav_settings_default(&s);
    for (int a = 0; a < 3; a++) {
        tri_list l = {0};
        ground g;
        rooms_make(7, OF_EACH, radii[a], 14.4, &l, rooms);
        uint32_t *tris = calloc(3 * l.count, sizeof *tris);
        for (uint32_t i = 0; i < 3 * l.count; i++) tris[i] = i;
        ground_init(&g, &l.tri[0][0], tris, l.count, &s);
        for (uint32_t i = 0; i < OF_EACH * ROOM_KINDS; i++) {
            const bench_room *r = &rooms[i];
            stands_free(&g, r->door.from, radii[a] - 0.1, i);
            stands_free(&g, r->door.to, radii[a] - 0.1, i);
            if (i / OF_EACH == ROOM_STAIRS || r->door.width_m <= 0) continue;
            double wall = tri_grid_distance(&g.blocks, r->at[0], r->at[2], r->at[1] + 0.9, r->at[1] + 2, 5);
            ck_assert_msg(fabs(2 * wall - r->door.width_m) < 0.001, "%s %u: %f wide instead of %f",
                          ROOM_KIND_NAMES[i / OF_EACH], i, 2 * wall, r->door.width_m);
        }
        ground_deinit(&g);
        tri_list_deinit(&l);
        free(tris);
    }
}
END_TEST

START_TEST(doors_on_borders_have_their_middle_there)
{
    static bench_room rooms[OF_EACH * ROOM_KINDS];
    tri_list l = {0};
    const double tile = 9.6;
    rooms_make(3, OF_EACH, RADIUS_M, tile, &l, rooms);
    for (uint32_t i = 0; i < OF_EACH * ROOM_KINDS; i++) {
        uint32_t kind = i / OF_EACH;
        double x = fabs(remainder(rooms[i].at[0], tile)), z = fabs(remainder(rooms[i].at[2], tile));
        if (kind == ROOM_CORNER) ck_assert(x < 1e-6 && z < 1e-6);
        if (kind == ROOM_BORDER) ck_assert((x < 1e-6) != (z < 1e-6));
    }
    tri_list_deinit(&l);
}
END_TEST

// --- Distances ---

// A floor of 20 m by 8 m at y 0 with a wall along z = 4, from the floor to y 3: the floor behind it is another's.
static void make_ground(ground *g, nav_settings *s)
{
    static const float verts[8][3] = {{0, 0, 0}, {20, 0, 0}, {20, 0, 8}, {0, 0, 8},
                                      {0, 0, 4}, {20, 0, 4}, {20, 3, 4}, {0, 3, 4}};
    static const uint32_t tris[] = {0, 3, 2, 0, 2, 1, 4, 5, 6, 4, 6, 7};
    nav_settings_default(s);
    ground_init(g, &verts[0][0], tris, 4, s);
}

static void add_edge(ground *g, const nav_settings *s, double from_x, double from_z, double to_x, double to_z,
                     wall_report *out)
{
    static const edge_point level[] = {{0, 0.2}, {1, 0.2}};
    const float a[] = {(float)from_x, 0.2f, (float)from_z}, b[] = {(float)to_x, 0.2f, (float)to_z};
    wall_distance_add_edge(g, s, a, b, level, 2, out);
}

START_TEST(edges_the_radius_away_have_no_error)
{
    ground g;
    nav_settings s;
    static wall_report r;
    make_ground(&g, &s);
    add_edge(&g, &s, 2, 3.4, 18, 3.4, &r); // the wall
    add_edge(&g, &s, 2, 0.6, 18, 0.6, &r); // the drop
    ck_assert_double_eq_tol(r.edges_m, 32, 1e-6);
    ck_assert_double_eq_tol(r.walls.length_m, 16, 1e-6);
    ck_assert_double_eq_tol(r.drops.length_m, 16, 1e-6);
    distances_add(&r.walls, &r.drops);
    ck_assert_double_eq_tol(distances_mean(&r.walls), 0, 1e-6);
    ck_assert_double_eq_tol(r.walls.nearest_m, 0.6, 1e-6);
    ck_assert(distances_quantile(&r.walls, 0.99) < 0.0011);
    ground_deinit(&g);
}
END_TEST

START_TEST(edges_elsewhere_have_the_error_that_they_have)
{
    ground g;
    nav_settings s;
    static wall_report r;
    make_ground(&g, &s);
    add_edge(&g, &s, 2, 3.1, 17, 3.1, &r); // 15 m, 0.3 m too far
    add_edge(&g, &s, 2, 3.6, 6, 3.6, &r);  // 4 m, 0.2 m too near
    add_edge(&g, &s, 8, 3.0, 8, 2.0, &r);  // leaves the wall: 0.6 m of it are within reach, 0.4 to 1 m too far
    ck_assert_double_eq_tol(r.edges_m, 20, 1e-6);
    ck_assert_double_eq_tol(r.walls.length_m, 19.6, 1e-6);
    ck_assert_double_eq_tol(r.walls.nearest_m, 0.4, 1e-6);
    ck_assert_double_eq_tol(distances_quantile(&r.walls, 0.5), 0.3, 0.0015);
    ck_assert_double_eq_tol(distances_mean(&r.walls) * r.walls.length_m, 15 * 0.3 + 4 * 0.2 + 0.42, 1e-3);
    ground_deinit(&g);
}
END_TEST

// How much of an edge along z = 3.4 is too near to a box of 0.3 m beside it, which ends at z = 3.2?
static double too_near(double low, double high)
{
    const bench_box floor = {10, 4, 10, 4, -0.3, 0, 0}, box = {9, 3.1, 0.15, 0.1, low, high, 0};
    const bench_prism prisms[2] = {prism_of_box(&floor), prism_of_box(&box)};
    static wall_report r;
    nav_settings s;
    tri_list l = {0};
    ground g;
    nav_settings_default(&s);
    memset(&r, 0, sizeof r);
    for (int i = 0; i < 2; i++) tri_list_add_prism(&l, &prisms[i]);
    uint32_t tris[3 * 24];
    for (uint32_t i = 0; i < 3 * 24; i++) tris[i] = i;
    ck_assert_uint_eq(l.count, 24);
    ground_init(&g, &l.tri[0][0], tris, l.count, &s);
    add_edge(&g, &s, 2, 3.4, 18, 3.4, &r);
    ck_assert(r.least.too_near_m <= 0 || (r.least.known && fabs(r.least.m - 0.2) < 0.001));
    ground_deinit(&g);
    tri_list_deinit(&l);
    return r.least.too_near_m;
}

START_TEST(only_what_surely_blocks_is_too_near)
{
    const double chord = 0.3 + 2 * sqrt(0.595 * 0.595 - 0.2 * 0.2); // of the edge within the radius of the box
    ck_assert_double_eq_tol(too_near(0, 1.9), chord, 0.11);
    ck_assert_double_eq_tol(too_near(1.5, 3), chord, 0.11);
    ck_assert_double_eq_tol(too_near(0, 0.8), 0, 1e-9);  // a step
    ck_assert_double_eq_tol(too_near(0, 1.05), 0, 1e-9); // one by its voxels, perhaps
    ck_assert_double_eq_tol(too_near(1.9, 3), 0, 1e-9);  // above the head, perhaps
}
END_TEST

// --- Corners ---

// Polygons of four corners between a hole and a rim: only the hole has nothing behind.
static void make_ring(flat_mesh *m, const double (*hole)[2], int corners, const double (*rim)[2])
{
    for (int i = 0; i < corners; i++) {
        int n = (i + 1) % corners;
        const double xz[4][2] = {
            {hole[i][0], hole[i][1]}, {hole[n][0], hole[n][1]}, {rim[n][0], rim[n][1]}, {rim[i][0], rim[i][1]}};
        static const bool wall[4] = {true, false, false, false}; // a neighbour on each side, a border behind
        flat_mesh_add(m, xz, wall, 4);
    }
}

START_TEST(outlines_have_as_many_corners_as_they_turn)
{
    // A corner cut off; a point in the middle of a side; the same, a little off.
    static const double rim[5][2] = {{0, 0}, {10, 0}, {10, 10}, {5, 10}, {0, 10}};
    static const double cut[5][2] = {{3, 4}, {7, 4}, {7, 6}, {4, 6}, {3, 5}};
    static const double straight[5][2] = {{3, 4}, {7, 4}, {7, 6}, {4, 6}, {3, 6}};
    static const double bent[5][2] = {{3, 4}, {7, 4}, {7, 6}, {4, 6.05}, {3, 6}};
    static const struct {
        const double (*hole)[2];
        uint32_t corners;
    } cases[] = {{cut, 5}, {straight, 4}, {bent, 5}};
    for (int i = 0; i < 3; i++) {
        flat_mesh m = {0};
        make_ring(&m, cases[i].hole, 5, rim);
        flat_loops loops = flat_mesh_loops(&m);
        ck_assert_uint_eq(loops.loops, 1);
        ck_assert_uint_eq(loops.open_ends, 0);
        ck_assert_uint_eq(loops.corners, cases[i].corners);
        flat_mesh_deinit(&m);
    }
}
END_TEST

START_TEST(outlines_with_a_gap_are_not_closed)
{
    static const double rim[4][2] = {{0, 0}, {10, 0}, {10, 10}, {0, 10}};
    static const double hole[4][2] = {{3, 4}, {7, 4}, {7, 6}, {3, 6}};
    flat_mesh m = {0};
    make_ring(&m, hole, 4, rim);
    m.wall[0] = false;
    flat_loops loops = flat_mesh_loops(&m);
    ck_assert_uint_eq(loops.loops, 0);
    ck_assert(loops.open_ends > 0);
    flat_mesh_deinit(&m);
}
END_TEST

// --- Free floor ---

// A floor of 20 m by 10 m without blocks, and a mesh over x from 0.6 to `to_x` and all of the free z.
static area_report compare_strip(double to_x)
{
    const bench_box whole = {10, 5, 10, 5, -0.3, 0, 0};
    const bench_prism floor = prism_of_box(&whole);
    const double xz[4][2] = {{0.6, 0.6}, {to_x, 0.6}, {to_x, 9.4}, {0.6, 9.4}};
    flat_mesh m = {0};
    area_report r = {0};
    flat_mesh_add(&m, xz, NULL, 4);
    ck_assert(exact_area_compare(&floor, NULL, 0, RADIUS_M, &m, &r));
    flat_mesh_deinit(&m);
    return r;
}

START_TEST(free_floor_that_is_exact_differs_nowhere)
{
    area_report r = compare_strip(19.4);
    ck_assert_double_eq_tol(r.exact_m2, 18.8 * 8.8, 1e-9);
    ck_assert_double_eq_tol(r.mesh_m2, 18.8 * 8.8, 1e-9);
    ck_assert_double_eq_tol(r.missing_m2 + r.extra_m2, 0, 1e-9);
}
END_TEST

START_TEST(free_floor_differs_by_what_is_missing_and_what_is_extra)
{
    area_report r = compare_strip(18.4);
    ck_assert_double_eq_tol(r.missing_m2, 8.8, 1e-9);
    ck_assert_double_eq_tol(r.extra_m2, 0, 1e-9);
    r = compare_strip(19.9);
    ck_assert_double_eq_tol(r.missing_m2, 0, 1e-9);
    ck_assert_double_eq_tol(r.extra_m2, 0.5 * 8.8, 1e-9);
}
END_TEST

START_TEST(blocks_take_their_area_and_the_radius_around)
{
    // Two boxes that cross at right angles, turned: the area of their union, of the strips along its sides and of the
    // round corners, of which eight turn outwards; at the four that turn inwards the strips overlap.
    const bench_box boxes[3] = {{10, 10, 10, 10, -0.3, 0, 0}, {10, 10, 3, 1, 0, 1.9, 0.4}, {10, 10, 1, 3, 0, 1.9, 0.4}};
    const bench_prism floor = prism_of_box(&boxes[0]), cross[2] = {prism_of_box(&boxes[1]), prism_of_box(&boxes[2])};
    const double r = RADIUS_M, sides = 12 * 2, corners = 8 * atan(1) * r * r,
                 taken = 20 + sides * r + corners - 4 * r * r;
    flat_mesh m = {0};
    area_report got = {0};
    ck_assert(exact_area_compare(&floor, cross, 2, r, &m, &got));
    ck_assert_double_eq_tol(got.exact_m2, 18.8 * 18.8 - taken, 1e-3);
    ck_assert_double_eq_tol(got.missing_m2, got.exact_m2, 1e-9);
    flat_mesh_deinit(&m);
}
END_TEST

START_TEST(scenes_of_free_floor_block_only_between_climb_and_head)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        static free_scene f;
        free_scene_make(seed, seed % 2, &f);
        ck_assert_uint_le(f.count, FREE_SCENE_PRISMS);
        ck_assert(f.count > 1 + f.block_count && f.block_count > 0);
        for (uint32_t i = 1; i < f.count; i++) {
            const bench_prism *b = &f.prisms[i];
            bool blocks = b->high > FREE_SCENE_LEVEL_M + 0.2 && b->low < 2;
            ck_assert_msg(blocks == (i <= f.block_count), "prism %u from %f to %f", i, b->low, b->high);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline measures");
    TCase *t = tcase_create("outline measures");
    suite_add_tcase(s, t);
    tcase_add_test(t, doors_are_as_wide_as_they_say);
    tcase_add_test(t, doors_count_as_wrong_where_the_agent_and_the_mesh_disagree);
    tcase_add_test(t, doors_of_rooms_are_as_wide_as_they_say);
    tcase_add_test(t, doors_on_borders_have_their_middle_there);
    tcase_add_test(t, edges_the_radius_away_have_no_error);
    tcase_add_test(t, edges_elsewhere_have_the_error_that_they_have);
    tcase_add_test(t, only_what_surely_blocks_is_too_near);
    tcase_add_test(t, outlines_have_as_many_corners_as_they_turn);
    tcase_add_test(t, outlines_with_a_gap_are_not_closed);
    tcase_add_test(t, scenes_of_free_floor_block_only_between_climb_and_head);
    if (exact_area_present()) {
        tcase_add_test(t, free_floor_that_is_exact_differs_nowhere);
        tcase_add_test(t, free_floor_differs_by_what_is_missing_and_what_is_extra);
        tcase_add_test(t, blocks_take_their_area_and_the_radius_around);
    } else {
        printf("the free floor is not tested: libgeos-dev is missing\n");
    }
    return run_suite(s);
}
