#include "core/polygon/polygons.h"
#include "tests/check.h"
#include "tests/core/fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A floor plan drawn by hand: loops of corners, all edges walls. With 3 vertices to a polygon, the polygons that come
// out are the triangles.
enum { MAX_CORNERS = 40000, MAX_LOOPS = 6000, METHODS = 3 };

typedef struct plan {
    int32_t first[MAX_LOOPS + 1], region[MAX_LOOPS];
    uint8_t area[MAX_LOOPS], hole[MAX_LOOPS], joint[MAX_CORNERS];
    int32_t x[MAX_CORNERS], z[MAX_CORNERS], y[MAX_CORNERS], behind[MAX_CORNERS];
    nav_contours out;
} plan;

static plan drawn;
static nav_arena arena;
static nav_polygons polys;

static void plan_begin(void)
{
    memset(drawn.joint, 0, sizeof drawn.joint);
    drawn.out = (nav_contours){.loop_first = drawn.first,
                               .loop_region = drawn.region,
                               .loop_area = drawn.area,
                               .loop_hole = drawn.hole,
                               .x = drawn.x,
                               .z = drawn.z,
                               .y = drawn.y,
                               .behind = drawn.behind,
                               .border_joint = drawn.joint};
    drawn.first[0] = 0;
}

static void plan_corner(int32_t x, int32_t z, int32_t y)
{
    int32_t i = drawn.out.vert_count++;
    ck_assert_int_lt(i, MAX_CORNERS);
    drawn.x[i] = x;
    drawn.z[i] = z;
    drawn.y[i] = y;
    drawn.behind[i] = NAV_EDGE_WALL;
}

// Ends the loop of the corners since the last one; wound the wrong way, it is turned around.
static void plan_loop(bool hole)
{
    nav_contours *o = &drawn.out;
    int32_t l = o->loop_count++, a = drawn.first[l], b = o->vert_count;
    ck_assert_int_lt(l, MAX_LOOPS);
    drawn.first[l + 1] = b;
    drawn.region[l] = 1;
    drawn.area[l] = NAV_AREA_DEFAULT;
    drawn.hole[l] = hole;
    int64_t sum = 0;
    for (int32_t i = a; i < b; i++) {
        int32_t j = i + 1 < b ? i + 1 : a;
        sum += (int64_t)drawn.x[i] * drawn.z[j] - (int64_t)drawn.x[j] * drawn.z[i];
    }
    if ((sum > 0) == hole) return;
    int32_t *columns[] = {drawn.x, drawn.z, drawn.y};
    for (int k = 0; k < 3; k++)
        for (int32_t i = a, j = b - 1; i < j; i++, j--) {
            int32_t v = columns[k][i];
            columns[k][i] = columns[k][j];
            columns[k][j] = v;
        }
}

static void plan_points(const int32_t (*points)[2], int32_t count, bool hole)
{
    for (int32_t i = 0; i < count; i++) plan_corner(points[i][0], points[i][1], 0);
    plan_loop(hole);
}

#define LOOP(hole, ...)                                                                                                \
    do {                                                                                                               \
        static const int32_t points[][2] = {__VA_ARGS__};                                                              \
        plan_points(points, (int32_t)(sizeof points / sizeof *points), hole);                                          \
    } while (0)

static nav_config config_of(nav_triangulation method)
{
    nav_settings s;
    nav_config c;
    nav_settings_default(&s);
    s.tile_cells = 16384;
    s.cell_height_m = s.cell_size_m;
    s.triangulation = method;
    s.polygon_max_vertices = 3;
    s.partition = NAV_PARTITION_MONOTONE;
    nav_config_init(&c, &s, 0, 0);
    return c;
}

static int64_t right(const nav_polygons *p, int32_t a, int32_t b, int32_t c)
{
    return (int64_t)(p->x[c] - p->x[a]) * (p->z[b] - p->z[a]) - (int64_t)(p->x[b] - p->x[a]) * (p->z[c] - p->z[a]);
}

static int64_t contour_area2(const nav_contours *o)
{
    int64_t sum = 0;
    for (int32_t l = 0; l < o->loop_count; l++)
        for (int32_t i = o->loop_first[l]; i < o->loop_first[l + 1]; i++) {
            int32_t j = i + 1 < o->loop_first[l + 1] ? i + 1 : o->loop_first[l];
            sum -= (int64_t)o->x[i] * o->z[j] - (int64_t)o->x[j] * o->z[i];
        }
    return sum;
}

static int32_t corner_of(const nav_polygons *p, int32_t triangle, int32_t k)
{
    return p->vert[p->first[triangle] + k % 3];
}

// Positive triangles, linked both ways with the other's corners reversed, that have the area of the contours between
// them: so none crosses another and nothing is left open.
static void check_triangles(const nav_contours *o, const nav_polygons *p, const char *what)
{
    ck_assert_msg(p->failed_loops == 0, "%s: %d failed loops", what, p->failed_loops);
    int64_t area = 0;
    for (int32_t i = 0; i < p->count; i++) {
        ck_assert_int_eq(p->first[i + 1] - p->first[i], 3);
        int64_t a = right(p, corner_of(p, i, 0), corner_of(p, i, 1), corner_of(p, i, 2));
        ck_assert_msg(a > 0, "%s: triangle %d has area %ld", what, i, (long)a);
        area += a;
        for (int32_t k = 0; k < 3; k++) {
            int32_t t = p->behind[p->first[i] + k], back = 0;
            if (t < 0) continue;
            for (int32_t j = 0; j < 3; j++)
                back += p->behind[p->first[t] + j] == i && corner_of(p, t, j) == corner_of(p, i, k + 1) &&
                        corner_of(p, t, j + 1) == corner_of(p, i, k);
            ck_assert_msg(back == 1, "%s: triangle %d edge %d has no other side", what, i, k);
        }
    }
    ck_assert_msg(area == contour_area2(o), "%s: area %ld of %ld", what, (long)area, (long)contour_area2(o));
}

// Cuts what is drawn. touching: pairs of corners in one place, where rings are joined without two triangles more.
static void cut_touching(nav_triangulation method, int32_t touching, const char *what)
{
    nav_config c = config_of(method);
    nav_arena_reset(&arena);
    ck_assert_int_eq(nav_polygons_build(&drawn.out, &c, &arena, &polys), NAV_OK);
    check_triangles(&drawn.out, &polys, what);
    int32_t expected = drawn.out.vert_count - 2 * touching;
    for (int32_t l = 0; l < drawn.out.loop_count; l++) expected += drawn.hole[l] ? 2 : -2;
    ck_assert_msg(polys.count == expected, "%s: %d triangles, not %d", what, polys.count, expected);
}

static void cut(nav_triangulation method, const char *what)
{
    cut_touching(method, 0, what);
}

static void setup(void)
{
    nav_arena_init(&arena, 0);
    plan_begin();
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

START_TEST(shapes_with_holes_touching_corners_and_straight_runs_are_cut)
{
    LOOP(false, {0, 0}, {9, 0}, {9, 3}, {6, 3}, {6, 6}, {3, 6}, {3, 3}, {0, 3});
    cut((nav_triangulation)_i, "a T");
    plan_begin();
    LOOP(false, {0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {4, 1}, {4, 2}, {4, 4}, {3, 4}, {2, 4}, {0, 4}, {0, 3}, {0, 1});
    cut((nav_triangulation)_i, "straight runs");
    plan_begin();
    LOOP(false, {0, 0}, {12, 0}, {12, 12}, {0, 12});
    LOOP(true, {4, 4}, {8, 4}, {8, 8}, {4, 8});
    cut((nav_triangulation)_i, "a hole");
    plan_begin();
    LOOP(false, {0, 0}, {12, 0}, {12, 12}, {0, 12});
    LOOP(true, {0, 0}, {4, 2}, {2, 4});
    cut_touching((nav_triangulation)_i, 1, "a hole that touches the outer loop");
    plan_begin();
    LOOP(false, {0, 0}, {12, 0}, {12, 12}, {0, 12});
    LOOP(true, {2, 2}, {6, 2}, {6, 6}, {2, 6});
    LOOP(true, {6, 6}, {9, 6}, {9, 9}, {6, 9});
    cut_touching((nav_triangulation)_i, 1, "holes that touch each other");
    plan_begin();
    LOOP(false, {0, 0}, {12, 0}, {12, 12}, {0, 12}, {0, 0}, {2, 4}, {4, 2});
    cut((nav_triangulation)_i, "a loop that touches itself");
    plan_begin();
    LOOP(false, {0, 0}, {10, 0}, {10, 10}, {0, 10}, {0, 8}, {8, 8}, {8, 2}, {2, 2}, {2, 6}, {5, 6}, {5, 4}, {6, 4},
         {6, 7}, {0, 7});
    cut((nav_triangulation)_i, "a spiral");
}
END_TEST

START_TEST(random_worlds_are_covered)
{
    static fixture_world world;
    static fixture fx;
    for (uint32_t seed = 0; seed < 300; seed++) {
        fixture_world_random(&world, seed, 40, 40);
        fixture_init(&fx, &world, 0, 0, 32, 4);
        fixture_regions_grow(&fx, seed, 1 + (int32_t)(seed % 5));
        nav_contours o;
        nav_polygons p;
        char what[40];
        snprintf(what, sizeof what, "method %d seed %u", _i, seed);
        fx.cfg.triangulation = (nav_triangulation)_i;
        fx.cfg.polygon_max_vertices = 3;
        fx.cfg.edge_max_error = 0.5 * (seed % 4);
        ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &fx.arena, &o), NAV_OK);
        ck_assert_int_eq(nav_polygons_build(&o, &fx.cfg, &fx.arena, &p), NAV_OK);
        check_triangles(&o, &p, what);
        fixture_deinit(&fx);
    }
}
END_TEST

// A ring around (at, at) whose corners go around once, at random distances from it.
static void plan_star(uint32_t *seed, int32_t corners, int32_t at, int32_t inner, int32_t outer, int32_t height)
{
    for (int32_t i = 0; i < corners; i++) {
        double turn = 6.283185307179586 * i / corners;
        double reach = inner + (double)(fixture_random(seed) % (uint32_t)(outer - inner + 1));
        plan_corner(at + (int32_t)lround(reach * cos(turn)), at + (int32_t)lround(reach * sin(turn)),
                    height ? (int32_t)(fixture_random(seed) % (uint32_t)height) : 0);
    }
}

// A square with a comb along every side, and a grid of diamonds for holes.
static void plan_large(int32_t side, int32_t teeth, int32_t holes)
{
    static const int32_t turn[4][4] = {{1, 0, 0, 1}, {0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0}};
    int32_t step = side / teeth;
    for (int k = 0; k < 4; k++) {
        int32_t ox = (k == 1 || k == 2) * side, oz = (k == 2 || k == 3) * side;
        for (int32_t i = 0; i < 2 * teeth; i++) {
            int32_t u = i * step / 2, v = (i & 1) && u > 200 && u < side - 200 ? 50 + (i * 37) % 100 : 0;
            plan_corner(ox + turn[k][0] * u + turn[k][2] * v, oz + turn[k][1] * u + turn[k][3] * v, 0);
        }
    }
    plan_loop(false);
    int32_t pitch = (side - 400) / holes;
    for (int32_t i = 0; i < holes * holes; i++) {
        int32_t x = 200 + i % holes * pitch + pitch / 2, z = 200 + i / holes * pitch + pitch / 2;
        int32_t a = 1 + (i * 7) % (pitch / 2 - 1), b = 1 + (i * 5) % (pitch / 2 - 1);
        plan_corner(x - a, z, 0);
        plan_corner(x, z - b, 0);
        plan_corner(x + b, z, 0);
        plan_corner(x, z + a, 0);
        plan_loop(true);
    }
}

START_TEST(thousands_of_corners_and_holes_are_cut)
{
    plan_large(16000, 1000, 70);
    cut((nav_triangulation)_i, "large");
}
END_TEST

START_TEST(random_stars_are_cut)
{
    for (uint32_t seed = 1; seed < 400; seed++) {
        uint32_t r = seed;
        int32_t corners = 3 + (int32_t)(fixture_random(&r) % 150), size = corners * 2 + 20;
        plan_begin();
        plan_star(&r, corners, 1000, size / 2, 2 * size, 0);
        plan_loop(false);
        plan_star(&r, 3 + (int32_t)(fixture_random(&r) % 20), 1000, size / 8, size / 4, 0);
        plan_loop(true);
        char what[40];
        snprintf(what, sizeof what, "method %d star %u", _i, seed);
        cut((nav_triangulation)_i, what);
    }
}
END_TEST

// So large that a product of an area and a square needs more than 64 bits.
START_TEST(a_plan_is_cut_alike_on_a_finer_grid)
{
    enum { UNIT = 128 };
    for (uint32_t seed = 1; seed < 60; seed++) {
        uint32_t r = seed;
        plan_begin();
        bool simple = seed % 2; // few corners, so that circles are large
        plan_star(&r, simple ? 4 + (int32_t)(seed % 3) : 5 + (int32_t)(seed % 90), 255, simple ? 180 : 100, 255, 40);
        plan_loop(false);
        if (!simple) {
            plan_star(&r, 3 + (int32_t)(seed % 17), 255, 25, 50, 40);
            plan_loop(true);
        }
        cut((nav_triangulation)_i, "coarse");
        nav_polygons coarse = polys;
        nav_arena_mark mark = nav_arena_get_mark(&arena);
        nav_config c = config_of((nav_triangulation)_i);
        c.tile_columns = 511;
        nav_config_set_unit(&c, UNIT);
        nav_contours_scale(&drawn.out, UNIT);
        ck_assert_int_eq(nav_polygons_build(&drawn.out, &c, &arena, &polys), NAV_OK);
        check_triangles(&drawn.out, &polys, "fine");
        ck_assert_int_eq(polys.count, coarse.count);
        ck_assert_mem_eq(polys.vert, coarse.vert, 3 * (size_t)coarse.count * sizeof *coarse.vert);
        nav_arena_release(&arena, mark);
    }
}
END_TEST

// Where d is at the circle of the triangle a, b, c: positive within.
static int64_t in_circle(const nav_polygons *p, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t v[3] = {a, b, c};
    int64_t m[3][3];
    for (int k = 0; k < 3; k++) {
        m[k][0] = p->x[v[k]] - p->x[d];
        m[k][1] = p->z[v[k]] - p->z[d];
        m[k][2] = m[k][0] * m[k][0] + m[k][1] * m[k][1];
    }
    return -(m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]));
}

START_TEST(no_corner_lies_in_the_circle_of_the_triangle_next_to_it)
{
    for (uint32_t seed = 1; seed < 200; seed++) {
        uint32_t r = seed;
        plan_begin();
        plan_star(&r, 5 + (int32_t)(seed % 90), 500, 200, 400, 0);
        plan_loop(false);
        plan_star(&r, 3 + (int32_t)(seed % 17), 500, 50, 100, 0);
        plan_loop(true);
        cut(NAV_TRIANGULATION_DELAUNAY, "delaunay");
        for (int32_t i = 0; i < polys.count; i++)
            for (int32_t k = 0; k < 3; k++) {
                int32_t t = polys.behind[polys.first[i] + k];
                if (t < 0) continue;
                int32_t j = 0;
                while (corner_of(&polys, t, j) != corner_of(&polys, i, k + 1)) j++;
                ck_assert_msg(in_circle(&polys, corner_of(&polys, i, 0), corner_of(&polys, i, 1),
                                        corner_of(&polys, i, 2), corner_of(&polys, t, j + 2)) <= 0,
                              "seed %u: triangles %d and %d", seed, i, t);
            }
    }
}
END_TEST

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// The triangles as numbers that do not depend on their order or first corner.
static int32_t list_triangles(int64_t *list)
{
    for (int32_t i = 0; i < polys.count; i++) {
        int64_t places[3];
        for (int32_t k = 0; k < 3; k++)
            places[k] = (int64_t)polys.x[corner_of(&polys, i, k)] * 64 + polys.z[corner_of(&polys, i, k)];
        qsort(places, 3, sizeof *places, compare_int64);
        list[i] = (places[0] << 24) + (places[1] << 12) + places[2];
    }
    qsort(list, (size_t)polys.count, sizeof *list, compare_int64);
    return polys.count;
}

START_TEST(corners_on_one_circle_are_cut_alike_wherever_the_loop_begins)
{
    static const int32_t circle[12][2] = {{5, 0},  {4, 3},   {3, 4},   {0, 5},  {-3, 4}, {-4, 3},
                                          {-5, 0}, {-4, -3}, {-3, -4}, {0, -5}, {3, -4}, {4, -3}};
    int64_t first[12], other[12];
    int32_t count = 0;
    for (int32_t shift = 0; shift < 12; shift++) {
        plan_begin();
        for (int32_t i = 0; i < 12; i++)
            plan_corner(circle[(i + shift) % 12][0] + 8, circle[(i + shift) % 12][1] + 8, 0);
        plan_loop(false);
        cut(NAV_TRIANGULATION_DELAUNAY, "circle");
        if (shift == 0) {
            count = list_triangles(first);
        } else {
            ck_assert_int_eq(list_triangles(other), count);
            ck_assert_mem_eq(first, other, (size_t)count * sizeof *first);
        }
    }
}
END_TEST

typedef struct surface {
    double area, length;
} surface;

static surface triangle_surface(int32_t a, int32_t b, int32_t c)
{
    const int32_t *x = drawn.x, *y = drawn.y, *z = drawn.z;
    double ux = x[b] - x[a], uy = y[b] - y[a], uz = z[b] - z[a], vx = x[c] - x[a], vy = y[c] - y[a], vz = z[c] - z[a];
    double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    return (surface){sqrt(nx * nx + ny * ny + nz * nz), 0};
}

static double side_between(int32_t a, int32_t b)
{
    double x = drawn.x[a] - drawn.x[b], z = drawn.z[a] - drawn.z[b];
    return sqrt(x * x + z * z);
}

// The smallest surface between corners i and j of a convex loop, by trying all ways.
static surface least_surface(int32_t i, int32_t j, int32_t n)
{
    surface least = {0, 0};
    for (int32_t s = i + 1; s < j; s++) {
        surface a = least_surface(i, s, n), b = least_surface(s, j, n), t = triangle_surface(i, s, j);
        surface sum = {a.area + b.area + t.area, a.length + b.length};
        if (j - i < n - 1) sum.length += side_between(i, j);
        bool same = fabs(sum.area - least.area) < 1e-9;
        if (s == i + 1 || (same ? sum.length < least.length : sum.area < least.area)) least = sum;
    }
    return least;
}

START_TEST(the_smallest_surface_is_found)
{
    for (uint32_t seed = 1; seed < 300; seed++) {
        uint32_t r = seed;
        int32_t n = 4 + (int32_t)(seed % 6);
        plan_begin();
        plan_star(&r, n, 500, 400, 400, seed % 3 ? 300 : 0);
        plan_loop(false);
        surface best = least_surface(0, n - 1, n), got = {0, 0};
        cut(NAV_TRIANGULATION_MIN_AREA, "convex");
        for (int32_t i = 0; i < polys.count; i++) {
            double v[3][3];
            for (int32_t k = 0; k < 3; k++) {
                int32_t c = corner_of(&polys, i, k), d = corner_of(&polys, i, k + 1);
                v[k][0] = polys.x[d] - polys.x[c];
                v[k][1] = polys.y[d] - polys.y[c];
                v[k][2] = polys.z[d] - polys.z[c];
                if (polys.behind[polys.first[i] + k] >= 0)
                    got.length += sqrt(v[k][0] * v[k][0] + v[k][2] * v[k][2]) / 2;
            }
            double x = v[0][1] * v[1][2] - v[0][2] * v[1][1], y = v[0][2] * v[1][0] - v[0][0] * v[1][2];
            double z = v[0][0] * v[1][1] - v[0][1] * v[1][0];
            got.area += sqrt(x * x + y * y + z * z);
        }
        ck_assert_msg(got.area <= best.area + 0.01, "seed %u: area %f, but %f is possible", seed, got.area, best.area);
        if (seed % 3 == 0)
            ck_assert_msg(got.length <= best.length + 0.1, "seed %u: length %f, but %f is possible", seed, got.length,
                          best.length);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("triangulate");
    TCase *t = tcase_create("triangulate");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, shapes_with_holes_touching_corners_and_straight_runs_are_cut, 0, METHODS);
    tcase_add_loop_test(t, random_worlds_are_covered, 0, METHODS);
    tcase_add_loop_test(t, random_stars_are_cut, 0, METHODS);
    tcase_add_loop_test(t, thousands_of_corners_and_holes_are_cut, 0, METHODS);
    tcase_add_loop_test(t, a_plan_is_cut_alike_on_a_finer_grid, 0, METHODS);
    tcase_add_test(t, no_corner_lies_in_the_circle_of_the_triangle_next_to_it);
    tcase_add_test(t, corners_on_one_circle_are_cut_alike_wherever_the_loop_begins);
    tcase_add_test(t, the_smallest_surface_is_found);
    suite_add_tcase(s, t);
    return run_suite(s);
}
