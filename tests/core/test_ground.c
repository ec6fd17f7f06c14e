// Ground over points and over a grid: against a judge in whole numbers, and what is refused.
#include "navcore/ground.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 };

static int64_t turn(const float *a, const float *b, const float *c) // in x and z, of whole numbers
{
    const int64_t ax = (int64_t)a[0], az = (int64_t)a[2];
    return ((int64_t)b[0] - ax) * ((int64_t)c[2] - az) - ((int64_t)b[2] - az) * ((int64_t)c[0] - ax);
}

static int compare_places(const void *a, const void *b)
{
    const float *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return (p[2] > q[2]) - (p[2] < q[2]);
}

// Twice the area of the convex hull: the lower chain, then the upper one.
static int64_t hull_area(const float *points, int count)
{
    float sorted[3 * MOST];
    const float *chain[2 * MOST + 2];
    int64_t area = 0;
    int n = 0;
    memcpy(sorted, points, 3 * (size_t)count * sizeof *points);
    qsort(sorted, (size_t)count, 3 * sizeof *sorted, compare_places);
    for (int pass = 0, low = 0; pass < 2; pass++, low = n - 1)
        for (int i = 0; i < count; i++) {
            const float *p = sorted + (size_t)3 * (size_t)(pass ? count - 1 - i : i);
            while (n - low > 1 && turn(chain[n - 2], chain[n - 1], p) <= 0) n--;
            if (!n || memcmp(chain[n - 1], p, 3 * sizeof *p) != 0) chain[n++] = p;
        }
    for (int i = 0; i + 1 < n; i++)
        area += (int64_t)chain[i][0] * (int64_t)chain[i + 1][2] - (int64_t)chain[i][2] * (int64_t)chain[i + 1][0];
    return area;
}

// Above 0: d is in the circle around a, b and c, which are counter-clockwise in x and z. Small whole numbers.
static int64_t in_circle(const float *a, const float *b, const float *c, const float *d)
{
    const int64_t x[3] = {(int64_t)(a[0] - d[0]), (int64_t)(b[0] - d[0]), (int64_t)(c[0] - d[0])};
    const int64_t z[3] = {(int64_t)(a[2] - d[2]), (int64_t)(b[2] - d[2]), (int64_t)(c[2] - d[2])};
    int64_t sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (x[k] * x[k] + z[k] * z[k]) * (x[(k + 1) % 3] * z[(k + 2) % 3] - z[(k + 1) % 3] * x[(k + 2) % 3]);
    return sum;
}

static const float *corner(const nav_ground *g, uint32_t t, int k)
{
    return g->verts + 3 * (size_t)g->tris[3 * (size_t)t + (size_t)k];
}

static void judge(const float *points, int count, const nav_ground *g)
{
    int64_t area = 0;
    ck_assert_int_eq(g->vert_count, count);
    ck_assert(!memcmp(g->verts, points, 3 * (size_t)count * sizeof *points));
    for (uint32_t t = 0; t < g->tri_count; t++) {
        const float *a = corner(g, t, 0), *b = corner(g, t, 1), *c = corner(g, t, 2);
        ck_assert_int_lt(turn(a, b, c), 0); // counter-clockwise from above
        area -= turn(a, b, c);
        for (int i = 0; i < count; i++) ck_assert_int_le(in_circle(a, c, b, points + (size_t)3 * (size_t)i), 0);
    }
    ck_assert_int_eq(area, hull_area(points, count));
}

// Places on small lattices, so that many are on one line or circle, and large ones; some come twice.
START_TEST(points_become_triangles_without_a_point_in_their_circles_that_fill_the_hull)
{
    static const int sides[] = {4, 7, 12, 40, 1000, 8000};
    uint32_t random = 1 + (uint32_t)_i * 7919u;
    int judged = 0;
    for (int n = 0; n < 60; n++) {
        float points[3 * MOST];
        const int side = sides[n % 6], count = 3 + (int)(scene_random(&random) % (n < 30 ? 20 : MOST - 3));
        for (int i = 0; i < count; i++) {
            float *p = points + (size_t)3 * (size_t)i;
            p[0] = (float)((int)(scene_random(&random) % (uint32_t)side) - side / 2);
            p[2] = (float)((int)(scene_random(&random) % (uint32_t)side) - side / 2);
            p[1] = p[0] * 3 - p[2];
        }
        nav_ground g;
        char why[200];
        const nav_status s = nav_ground_from_points(points, (uint32_t)count, &g, NULL, why, sizeof why);
        if (hull_area(points, count) == 0) {
            ck_assert_int_eq(s, NAV_ERR_ARGUMENT);
            continue;
        }
        ck_assert_int_eq(s, NAV_OK);
        judge(points, count, &g);
        nav_ground_deinit(&g);
        judged++;
    }
    ck_assert_int_gt(judged, 50);
}
END_TEST

static int compare_triangles(const void *a, const void *b)
{
    return memcmp(a, b, 9 * sizeof(float));
}

// Corners instead of numbers, the least first, sorted.
static float *canonical(const nav_ground *g)
{
    float *out = malloc(9 * (size_t)g->tri_count * sizeof *out);
    for (uint32_t t = 0; t < g->tri_count; t++) {
        int first = 0;
        for (int k = 1; k < 3; k++)
            if (compare_places(corner(g, t, k), corner(g, t, first)) < 0) first = k;
        for (int k = 0; k < 3; k++)
            memcpy(out + 9 * (size_t)t + 3 * (size_t)k, corner(g, t, (first + k) % 3), 3 * sizeof *out);
    }
    qsort(out, g->tri_count, 9 * sizeof *out, compare_triangles);
    return out;
}

START_TEST(the_order_of_the_points_changes_no_triangle)
{
    enum { SIDE = 16, COUNT = SIDE * SIDE };
    float points[3 * COUNT], mixed[3 * COUNT];
    uint32_t random = 5;
    nav_ground a, b;
    for (int i = 0; i < COUNT; i++) {
        points[3 * i] = 0.1f * (float)(i % SIDE); // a lattice that no float hits
        points[3 * i + 1] = scene_random_between(&random, 0, 3);
        points[3 * i + 2] = 0.1f * (float)(i / SIDE);
    }
    memcpy(mixed, points, sizeof mixed);
    for (int i = COUNT - 1; i > 0; i--) {
        const int k = (int)(scene_random(&random) % (uint32_t)(i + 1));
        float p[3];
        memcpy(p, mixed + 3 * i, sizeof p);
        memcpy(mixed + 3 * i, mixed + 3 * k, sizeof p);
        memcpy(mixed + 3 * k, p, sizeof p);
    }
    ck_assert_int_eq(nav_ground_from_points(points, COUNT, &a, NULL, NULL, 0), NAV_OK);
    ck_assert_int_eq(nav_ground_from_points(mixed, COUNT, &b, NULL, NULL, 0), NAV_OK);
    ck_assert_uint_ge(a.tri_count, 2 * (SIDE - 1) * (SIDE - 1));
    ck_assert_uint_eq(a.tri_count, b.tri_count);
    float *p = canonical(&a), *q = canonical(&b);
    ck_assert(!memcmp(p, q, 9 * (size_t)a.tri_count * sizeof *p));
    free(p);
    free(q);
    nav_ground_deinit(&a);
    nav_ground_deinit(&b);
}
END_TEST

START_TEST(points_that_make_no_surface_are_refused_with_their_number_and_value)
{
    static const struct {
        float points[15];
        uint32_t count;
        const char *why;
        uint32_t named[2];
    } cases[] = {
        {{0, 0, 0, 1, 0, 0}, 2, "2 points; three are the least", {UINT32_MAX, UINT32_MAX}},
        {{0, 0, 0, 1, 0, 0, 0, NAN, 1}, 3, "point 2: y is nan: not finite, or beyond 1e7 m", {2, UINT32_MAX}},
        {{0, 0, 0, -INFINITY, 0, 0, 0, 0, 1}, 3, "point 1: x is -inf: not finite, or beyond 1e7 m", {1, UINT32_MAX}},
        {{0, 0, 0, 1, 0, 0, 0, 0, 2e7f}, 3, "point 2: z is 2e+07: not finite, or beyond 1e7 m", {2, UINT32_MAX}},
        {{0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 5, 0},
         4,
         "point 3 at x 1, z 0 is 5 high, and point 1 at the same place 0: a surface has one height there",
         {3, 1}},
        {{0, 0, 0, 1, 0, 1, 2, 9, 2, 5, 0, 5},
         4,
         "all points are on the line from x 0, z 0 to x 5, z 5",
         {UINT32_MAX, UINT32_MAX}},
        {{0, 1, 0, 3, 1, 0, 0, 1, 0, 3, 1, 0},
         4,
         "the points are at 2 different places in x and z; three are the least",
         {UINT32_MAX, UINT32_MAX}},
        {{7, 1, 7, 7, 1, 7, 7, 1, 7},
         3,
         "the points are at 1 different place in x and z; three are the least",
         {UINT32_MAX, UINT32_MAX}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nav_ground g;
        uint32_t named[2];
        char why[200] = "";
        ck_assert_int_eq(nav_ground_from_points(cases[i].points, cases[i].count, &g, named, why, sizeof why),
                         NAV_ERR_ARGUMENT);
        ck_assert_str_eq(why, cases[i].why);
        ck_assert_uint_eq(named[0], cases[i].named[0]);
        ck_assert_uint_eq(named[1], cases[i].named[1]);
        ck_assert_ptr_null(g.tris);
        ck_assert_int_eq(nav_ground_from_points(cases[i].points, cases[i].count, &g, NULL, NULL, 0), NAV_ERR_ARGUMENT);
    }
}
END_TEST

START_TEST(of_points_that_are_the_same_the_first_is_taken)
{
    static const float points[] = {0, 1, 0, 4, 2, 0, 0, 1, 0, 0, 3, 4, 4, 2, 0};
    nav_ground g;
    ck_assert_int_eq(nav_ground_from_points(points, 5, &g, NULL, NULL, 0), NAV_OK);
    ck_assert_uint_eq(g.tri_count, 1);
    for (int k = 0; k < 3; k++) ck_assert(g.tris[k] == 0 || g.tris[k] == 1 || g.tris[k] == 3);
    nav_ground_deinit(&g);
}
END_TEST

// --- a grid ---

typedef struct asked {
    uint32_t count;
    double last[2];
} asked;

static float slope(void *context, double x, double z)
{
    asked *a = context;
    a->count++;
    a->last[0] = x;
    a->last[1] = z;
    return (float)(0.25 * x + 2 * z);
}

START_TEST(a_grid_asks_the_function_once_for_each_corner)
{
    const nav_ground_grid grid = {-3, 1, 6, 2, 3, 2, NAV_DIAGONAL_ALTERNATING};
    asked a = {0};
    nav_ground g;
    double area = 0;
    ck_assert_int_eq(nav_ground_from_function(&grid, slope, &a, &g, NULL, 0), NAV_OK);
    ck_assert_uint_eq(a.count, 12);
    ck_assert(a.last[0] == 6 && a.last[1] == 2);
    ck_assert_uint_eq(g.vert_count, 12);
    ck_assert_uint_eq(g.tri_count, 12);
    for (uint32_t v = 0; v < 12; v++) ck_assert(g.verts[3 * v + 1] == 0.25f * g.verts[3 * v] + 2 * g.verts[3 * v + 2]);
    for (uint32_t t = 0; t < g.tri_count; t++) {
        const float *p = corner(&g, t, 0), *q = corner(&g, t, 1), *r = corner(&g, t, 2);
        const double twice =
            (double)(q[2] - p[2]) * (double)(r[0] - p[0]) - (double)(q[0] - p[0]) * (double)(r[2] - p[2]);
        ck_assert(twice > 0); // counter-clockwise from above
        area += twice / 2;
    }
    ck_assert_double_eq_tol(area, 9, 1e-6);
    // The first cell is cut from its first corner, the second the other way.
    ck_assert(g.tris[0] == 0 && g.tris[1] == 4 && g.tris[2] == 5);
    ck_assert(g.tris[6] == 1 && g.tris[7] == 5 && g.tris[8] == 2);
    nav_ground_deinit(&g);
}
END_TEST

static float nowhere(void *context, double x, double z)
{
    (void)context;
    return x > 1 && z > 0 ? NAN : 0;
}

START_TEST(a_grid_that_cannot_be_is_refused_with_the_value)
{
    static const struct {
        nav_ground_grid grid;
        nav_status status;
        const char *why;
    } cases[] = {
        {{0, 0, 4, 4, 2, 2, 0}, NAV_ERR_ARGUMENT, "the height at x 2, z 2 is nan: not finite, or beyond 1e7 m"},
        {{0, 0, 0, 4, 2, 2, 0}, NAV_ERR_ARGUMENT, "x from 0 to 0 m: it must go up, and within 1e7 m"},
        {{0, 0, 1, NAN, 2, 2, 0}, NAV_ERR_ARGUMENT, "z from 0 to nan m: it must go up, and within 1e7 m"},
        {{0, 0, 1, 2e7, 2, 2, 0}, NAV_ERR_ARGUMENT, "z from 0 to 2e+07 m: it must go up, and within 1e7 m"},
        {{0, 0, 1, 1, 2, 0, 0}, NAV_ERR_ARGUMENT, "no cells along z; 1 is the least"},
        {{1e6, 0, 1e6 + 1, 1, 40, 1, 0},
         NAV_ERR_ARGUMENT,
         "40 cells along x from 1e+06 to 1e+06 m: too small for single precision"},
        {{0, 0, 1, 1, 1, 1, (nav_diagonal)9}, NAV_ERR_ARGUMENT, "diagonal 9: there is no such way to cut a cell"},
        {{0, 0, 1e6, 1e6, 100000, 100000, 0},
         NAV_ERR_LIMIT,
         "100000 by 100000 cells; a grid has 67108864 corners at the most"},
        {{0, 0, 1, 1, UINT32_MAX, UINT32_MAX, 0},
         NAV_ERR_LIMIT,
         "4294967295 by 4294967295 cells; a grid has 67108864 corners at the most"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nav_ground g;
        char why[200] = "";
        ck_assert_int_eq(nav_ground_from_function(&cases[i].grid, nowhere, NULL, &g, why, sizeof why), cases[i].status);
        ck_assert_str_eq(why, cases[i].why);
        ck_assert_ptr_null(g.verts);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ground");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, points_become_triangles_without_a_point_in_their_circles_that_fill_the_hull, 0, 20);
    tcase_add_test(t, the_order_of_the_points_changes_no_triangle);
    tcase_add_test(t, points_that_make_no_surface_are_refused_with_their_number_and_value);
    tcase_add_test(t, of_points_that_are_the_same_the_first_is_taken);
    tcase_add_test(t, a_grid_asks_the_function_once_for_each_corner);
    tcase_add_test(t, a_grid_that_cannot_be_is_refused_with_the_value);
    suite_add_tcase(s, t);
    return run_suite(s);
}
