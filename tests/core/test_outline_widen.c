// A widened source holds all that is within the radius of it, and little more.
#include "core/outline/widen.h"
#include "tests/check.h"

#include <math.h>

static nav_arena arena;
static nav_shapes shapes;
static uint32_t seed;

static void setup(void)
{
    nav_arena_init(&arena, 0);
    shapes = (nav_shapes){0};
    seed = 7;
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static int32_t random_below(int32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (int32_t)((seed >> 4) % (uint32_t)n);
}

static double distance_to_line(nav_point p, nav_point a, nav_point b) // to the part between a and b
{
    double x = b.x - a.x, z = b.z - a.z, px = p.x - a.x, pz = p.z - a.z, length2 = x * x + z * z;
    double t = length2 > 0 ? (px * x + pz * z) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(px - t * x, pz - t * z);
}

static double distance_to(nav_point p, const nav_point *source, int32_t corners)
{
    bool inside = corners > 2;
    double least = INFINITY;
    for (int32_t i = 0; i < corners; i++) {
        nav_point a = source[i], b = source[(i + 1) % corners];
        inside = inside && nav_right(a, b, p) <= 0;
        least = fmin(least, distance_to_line(p, a, b));
    }
    return inside ? 0 : least;
}

// The hull of random places, if it has at most so many corners; counterclockwise.
static int32_t random_source(nav_point *at, int32_t most, int32_t size)
{
    nav_point some[24], from;
    int32_t count = most < 3 ? most : most + random_below(12), corners = 0;
    for (int32_t i = 0; i < count; i++) {
        some[i] = (nav_point){random_below(size) - size / 2, random_below(size) - size / 2};
        if (nav_point_before(some[i], some[0])) {
            nav_point least = some[i];
            some[i] = some[0];
            some[0] = least;
        }
    }
    from = some[0];
    do {
        nav_point next = from;
        for (int32_t i = 0; i < count; i++) {
            int64_t right = nav_right(from, next, some[i]);
            if (right > 0 || (right == 0 && nav_distance2(from, some[i]) > nav_distance2(from, next))) next = some[i];
        }
        if (corners == most) return random_source(at, most, size);
        at[corners++] = from;
        from = next;
    } while (!nav_point_same(from, some[0]));
    return corners;
}

static void check_widened(const nav_point *source, int32_t corners, double radius, int32_t shape)
{
    const nav_point *at = shapes.at + shapes.first[shape];
    int32_t n = shapes.first[shape + 1] - shapes.first[shape];
    ck_assert_int_ge(n, 3);
    ck_assert_int_le(n, NAV_SHAPE_MAX_CORNERS);
    double turned = 0;
    for (int32_t i = 0; i < n; i++) {
        nav_point a = at[i], b = at[(i + 1) % n], c = at[(i + 2) % n];
        double length = sqrt((double)nav_distance2(a, b));
        ck_assert_msg(nav_right(a, b, c) < 0, "corner %d of %d is not convex", i, n);
        turned +=
            atan2(-(double)nav_right(a, b, c), (double)(b.x - a.x) * (c.x - b.x) + (double)(b.z - a.z) * (c.z - b.z));
        for (int32_t k = 0; k < corners; k++) {
            double away = -(double)nav_right(a, b, source[k]) / length;
            ck_assert_msg(away >= radius, "edge %d is %f from corner %d, radius %f", i, away, k, radius);
        }
        double far = distance_to(a, source, corners);
        ck_assert_msg(far <= radius / cos(11.5 / 180 * M_PI) + 2, "corner %d is %f away, radius %f", i, far, radius);
    }
    ck_assert_double_eq_tol(turned, 2 * M_PI, 1e-6); // once around
}

static void check_shape(const nav_point *source, int32_t corners, double radius)
{
    ck_assert_int_eq(nav_shapes_widen(source, corners, radius, &arena, &shapes), NAV_OK);
    check_widened(source, corners, radius, shapes.count - 1);
}

START_TEST(shapes_hold_all_within_the_radius_and_little_more)
{
    static const int32_t sizes[] = {3, 10, 200, 5000, 60000};
    for (int trial = 0; trial < 20000; trial++) {
        nav_point at[NAV_SOURCE_MAX_CORNERS];
        int32_t most = 1 + random_below(trial % 3 ? 4 : 12), size = sizes[trial % 5];
        int32_t n = random_source(at, most, size);
        double radius = random_below(4) == 0   ? 0
                        : random_below(3) == 0 ? random_below(4000) / 1000.0
                                               : random_below(600000) / 1000.0;
        shapes.count = 0;
        check_shape(at, n, radius);
    }
}
END_TEST

START_TEST(a_source_of_most_corners_fits)
{
    nav_point at[NAV_SOURCE_MAX_CORNERS];
    for (int i = 0; i < NAV_SOURCE_MAX_CORNERS; i++)
        at[i] = (nav_point){(int32_t)lround(5000 * cos(i * M_PI / 20)), (int32_t)lround(5000 * sin(i * M_PI / 20))};
    check_shape(at, NAV_SOURCE_MAX_CORNERS, 256);
    ck_assert_int_le(shapes.first[1], 42);
}
END_TEST

START_TEST(sides_and_ends_of_a_wall_are_straight)
{
    const nav_point wall[] = {{100, 50}, {900, 50}};
    check_shape(wall, 2, 256);
    int level = 0, square = 0;
    for (int32_t i = 0; i < shapes.first[1]; i++) {
        nav_point a = shapes.at[i], b = shapes.at[(i + 1) % shapes.first[1]];
        if (a.z == b.z) level += a.z == 50 - 257 || a.z == 50 + 257;
        if (a.x == b.x) square += a.x == 100 - 257 || a.x == 900 + 257;
    }
    ck_assert_int_eq(level, 2);
    ck_assert_int_eq(square, 2);
    ck_assert_int_eq(shapes.first[1], 16);
}
END_TEST

START_TEST(long_edges_are_parallel_to_the_source)
{
    for (int trial = 0; trial < 2000; trial++) {
        nav_point at[2];
        shapes.count = 0;
        if (random_source(at, 2, 20000) != 2) continue;
        check_shape(at, 2, 300);
        double x = at[1].x - at[0].x, z = at[1].z - at[0].z, length = hypot(x, z);
        int sides = 0;
        for (int32_t i = 0; i < shapes.first[1]; i++) {
            nav_point a = shapes.at[i], b = shapes.at[(i + 1) % shapes.first[1]];
            if ((double)nav_distance2(a, b) < length * length) continue;
            double off[2] = {-(double)nav_right(at[0], at[1], a) / length,
                             -(double)nav_right(at[0], at[1], b) / length};
            for (int k = 0; k < 2; k++) sides += fabs(off[k]) >= 300 && fabs(off[k]) <= 301.5;
        }
        if (length > 200) ck_assert_int_eq(sides, 4);
    }
}
END_TEST

START_TEST(moved_sources_have_moved_shapes)
{
    for (int trial = 0; trial < 500; trial++) {
        nav_point at[NAV_SOURCE_MAX_CORNERS], moved[NAV_SOURCE_MAX_CORNERS];
        int32_t n = random_source(at, 1 + random_below(8), 3000);
        for (int32_t i = 0; i < n; i++) moved[i] = (nav_point){at[i].x - 48 * 128, at[i].z + 48 * 128};
        shapes.count = 0;
        check_shape(at, n, 255.9);
        check_shape(moved, n, 255.9);
        int32_t corners = shapes.first[1];
        ck_assert_int_eq(shapes.first[2], 2 * corners);
        for (int32_t i = 0; i < corners; i++) {
            ck_assert_int_eq(shapes.at[i].x - 48 * 128, shapes.at[corners + i].x);
            ck_assert_int_eq(shapes.at[i].z + 48 * 128, shapes.at[corners + i].z);
        }
    }
}
END_TEST

// How far the shape reaches past the line from a to b, moved by so much to the right, on that side of a and b.
static double past(int32_t shape, nav_point a, nav_point b, double by)
{
    const double length = sqrt((double)nav_distance2(a, b));
    double most = -INFINITY;
    for (int32_t i = shapes.first[shape]; i < shapes.first[shape + 1]; i++)
        most = fmax(most, (double)nav_right(a, b, shapes.at[i]) / length - by);
    return most;
}

START_TEST(no_round_end_sticks_out_past_the_wall_that_goes_on)
{
    const double radius = 256;
    for (int i = 1; i < 90; i++) { // the second wall turns left by so many times 2 degrees
        const double turn = 0.3 + i * M_PI / 90;
        nav_shapes walls = {0};
        const nav_point corner = {1000, 2000};
        const nav_point a = {corner.x - (int32_t)(2000 * cos(0.3)), corner.z - (int32_t)(2000 * sin(0.3))};
        const nav_point b = {corner.x + (int32_t)(2000 * cos(turn)), corner.z + (int32_t)(2000 * sin(turn))};
        const nav_point at[2][2] = {{a, corner}, {corner, b}};
        for (int k = 0; k < 2; k++) ck_assert_int_eq(nav_shapes_add(&walls, &arena, at[k], 2), NAV_OK);
        shapes.count = 0;
        ck_assert_int_eq(nav_shapes_widen_all(&walls, radius, &arena, &shapes), NAV_OK);
        ck_assert_int_eq(shapes.count, 2);
        for (int k = 0; k < 2; k++) check_widened(at[k], 2, radius, k);
        ck_assert_double_le(past(0, corner, b, radius), 2); // to the right is outside of the turn
        ck_assert_double_le(past(1, a, corner, radius), 2);
    }
}
END_TEST

START_TEST(sources_that_share_nothing_are_widened_as_each_alone)
{
    for (int round = 0; round < 200; round++) {
        nav_shapes sources = {0}, all = {0};
        shapes.count = 0;
        for (int i = 0; i < 6; i++) {
            nav_point at[NAV_SOURCE_MAX_CORNERS];
            const int32_t n = random_source(at, 1 + random_below(8), 3000);
            for (int32_t k = 0; k < n; k++) at[k].x += 4000 * i;
            ck_assert_int_eq(nav_shapes_add(&sources, &arena, at, n), NAV_OK);
            check_shape(at, n, 300);
        }
        ck_assert_int_eq(nav_shapes_widen_all(&sources, 300, &arena, &all), NAV_OK);
        ck_assert_int_eq(all.count, shapes.count);
        for (int32_t i = 0; i <= all.count; i++) ck_assert_int_eq(all.first[i], shapes.first[i]);
        for (int32_t i = 0; i < all.first[all.count]; i++) ck_assert(nav_point_same(all.at[i], shapes.at[i]));
    }
}
END_TEST

START_TEST(sources_with_many_neighbours_stay_whole)
{
    for (int round = 0; round < 300; round++) { // in a small place many corners are shared
        nav_shapes sources = {0};
        shapes.count = 0;
        for (int i = 0; i < 40; i++) {
            nav_point at[NAV_SOURCE_MAX_CORNERS];
            const int32_t n = random_source(at, 1 + random_below(8), 6 + round % 3);
            for (int32_t k = 0; k < n; k++) at[k] = (nav_point){100 * at[k].x, 100 * at[k].z};
            ck_assert_int_eq(nav_shapes_add(&sources, &arena, at, n), NAV_OK);
        }
        ck_assert_int_eq(nav_shapes_widen_all(&sources, 256.3, &arena, &shapes), NAV_OK);
        for (int i = 0; i < 40; i++)
            check_widened(sources.at + sources.first[i], sources.first[i + 1] - sources.first[i], 256.3, i);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline_widen");
    TCase *t = tcase_create("widen");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, shapes_hold_all_within_the_radius_and_little_more);
    tcase_add_test(t, a_source_of_most_corners_fits);
    tcase_add_test(t, sides_and_ends_of_a_wall_are_straight);
    tcase_add_test(t, long_edges_are_parallel_to_the_source);
    tcase_add_test(t, moved_sources_have_moved_shapes);
    tcase_add_test(t, no_round_end_sticks_out_past_the_wall_that_goes_on);
    tcase_add_test(t, sources_that_share_nothing_are_widened_as_each_alone);
    tcase_add_test(t, sources_with_many_neighbours_stay_whole);
    suite_add_tcase(s, t);
    return run_suite(s);
}
