#include "tests/check.h"
#include "tests/core/union_judge.h"

#include <stdlib.h>

static nav_arena arena;

static void setup(void)
{
    nav_arena_init(&arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static void add_square(nav_shapes *s, int32_t x, int32_t z, int32_t size)
{
    nav_point p[4] = {{x, z}, {x + size, z}, {x + size, z + size}, {x, z + size}};
    ck_assert(union_add_hull(s, &arena, p, 4));
}

static nav_loops union_of(const nav_shapes *s)
{
    nav_loops l;
    ck_assert_int_eq(nav_union_build(s, &arena, &l), NAV_OK);
    return l;
}

// The same shapes moved, and in another order where there is a seed.
static nav_shapes moved(const nav_shapes *s, nav_point by, uint64_t seed)
{
    nav_shapes out = {0};
    int32_t *was = NAV_TAKE(&arena, int32_t, s->count);
    ck_assert_ptr_nonnull(was);
    for (int32_t i = 0; i < s->count; i++) was[i] = i;
    for (int32_t i = s->count - 1; i > 0 && seed; i--) {
        int32_t j = union_random_below(&seed, i + 1), k = was[i];
        was[i] = was[j];
        was[j] = k;
    }
    for (int32_t i = 0; i < s->count; i++) {
        int32_t n = s->first[was[i] + 1] - s->first[was[i]];
        ck_assert_int_eq(nav_shapes_grow(&out, &arena, n), NAV_OK);
        for (int32_t k = 0; k < n; k++) {
            nav_point p = s->at[s->first[was[i]] + k];
            out.at[out.first[i] + k] = (nav_point){p.x + by.x, p.z + by.z};
        }
        out.first[i + 1] = out.first[i] + n;
        out.count++;
    }
    return out;
}

// The loops of so many shapes that they are looked at in cells. What is added lies to the right of everything, so its
// loops are the last; they are taken off again.
static nav_loops union_among_many(const nav_shapes *s)
{
    enum { MORE = 70 };
    nav_shapes all = moved(s, (nav_point){0, 0}, 0);
    for (int32_t i = 0; i < MORE; i++) add_square(&all, (1 << 20) - 4 * (MORE - i), 0, 2);
    nav_loops l = union_of(&all);
    l.count -= MORE;
    return l;
}

// Everything the union promises, for these shapes.
static void judge(const nav_shapes *s, const char *scene, int seed)
{
    uint64_t random = (uint64_t)seed + 1;
    nav_loops l = union_of(s);
    const char *fault = union_loops_fault(&l);
    ck_assert_msg(!fault, "%s, seed %d: %s", scene, seed, fault);
    fault = union_state_fault(s, &l, 500, random);
    ck_assert_msg(!fault, "%s, seed %d: %s", scene, seed, fault);
    nav_point by = {union_random_below(&random, 200001) - 100000, union_random_below(&random, 200001) - 100000};
    nav_shapes elsewhere = moved(s, by, 0), mixed = moved(s, by, random | 1);
    nav_loops m = union_of(&elsewhere);
    ck_assert_msg(union_same_moved(&l, &m, by, true), "%s, seed %d: the place matters", scene, seed);
    m = union_of(&mixed);
    ck_assert_msg(union_same_moved(&l, &m, by, false), "%s, seed %d: the order matters", scene, seed);
    m = union_among_many(s);
    ck_assert_msg(union_same_moved(&l, &m, (nav_point){0, 0}, true), "%s, seed %d: the number matters", scene, seed);
}

typedef void make_scene(nav_shapes *s, uint64_t *random);

static nav_point random_place(uint64_t *random, int32_t size)
{
    return (nav_point){union_random_below(random, size), union_random_below(random, size)};
}

static void walls(nav_shapes *s, uint64_t *random)
{
    for (int i = 0; i < 30; i++) {
        nav_point a = random_place(random, 3000),
                  b = {a.x + union_random_below(random, 801) - 400, a.z + union_random_below(random, 801) - 400};
        union_add_capsule(s, &arena, a, b, 40 + union_random_below(random, 200), 16 + union_random_below(random, 17));
    }
}

static void boxes(nav_shapes *s, uint64_t *random)
{
    for (int i = 0; i < 25; i++)
        union_add_box(s, &arena, random_place(random, 3000), 1 + union_random_below(random, 600),
                      1 + union_random_below(random, 200), union_random_below(random, 6283) / 1000.0,
                      union_random_below(random, 2) ? 130 : 0, 16);
}

// Straight chains, their rounded ends upon each other.
static void chains(nav_shapes *s, uint64_t *random)
{
    for (int i = 0; i < 5; i++) {
        nav_point a = random_place(random, 3000),
                  d = {union_random_below(random, 401) - 200, union_random_below(random, 401) - 200};
        int32_t corners = 16 + 4 * union_random_below(random, 5);
        for (int k = 0; k < 8; k++) {
            nav_point b = {a.x + d.x + union_random_below(random, 3) - 1,
                           a.z + d.z + union_random_below(random, 3) - 1};
            union_add_capsule(s, &arena, a, b, 150, corners);
            if (union_random_below(random, 3) == 0) union_add_capsule(s, &arena, a, b, 150, corners);
            a = b;
        }
    }
}

static void squares(nav_shapes *s, uint64_t *random)
{
    int32_t size = 1 + union_random_below(random, 4);
    for (int32_t x = 0; x < 9; x++)
        for (int32_t z = 0; z < 9; z++)
            if (union_random_below(random, 3)) add_square(s, x * size, z * size, size);
}

static void needles(nav_shapes *s, uint64_t *random)
{
    for (int i = 0; i < 60; i++) {
        nav_point p[3] = {random_place(random, 500), random_place(random, 500)};
        p[2] = (nav_point){p[1].x + union_random_below(random, 3) - 1, p[1].z + union_random_below(random, 3) - 1};
        union_add_hull(s, &arena, p, 3);
    }
}

// All on so small a grid that everything coincides with something.
static void crumbs(nav_shapes *s, uint64_t *random)
{
    int32_t size = 3 + union_random_below(random, 12), count = 2 + union_random_below(random, 40);
    for (int i = 0; i < count; i++) {
        nav_point p[6];
        int32_t n = 3 + union_random_below(random, 4);
        for (int k = 0; k < n; k++) p[k] = random_place(random, size);
        union_add_hull(s, &arena, p, n);
    }
}

static void slivers(nav_shapes *s, uint64_t *random)
{
    for (int i = 0; i < 40; i++) {
        nav_point a = random_place(random, 60), d = random_place(random, 400);
        nav_point p[4] = {a, {a.x + d.x, a.z + d.z}, {a.x + 1, a.z}, {a.x + d.x, a.z + d.z + 1}};
        union_add_hull(s, &arena, p, 4);
    }
}

static void large(nav_shapes *s, uint64_t *random)
{
    for (int i = 0; i < 40; i++) {
        nav_point p[5];
        for (int k = 0; k < 5; k++) {
            p[k] = random_place(random, (1 << 21) - 200003);
            p[k].x -= (1 << 20) - 100001;
            p[k].z -= (1 << 20) - 100001;
        }
        union_add_hull(s, &arena, p, 3 + i % 3);
    }
}

static const struct {
    const char *name;
    make_scene *make;
    int seeds;
} scenes[] = {
    {"walls", walls, 200},     {"boxes", boxes, 200},    {"chains", chains, 200},   {"squares", squares, 300},
    {"needles", needles, 200}, {"crumbs", crumbs, 3000}, {"slivers", slivers, 300}, {"large", large, 100},
};

START_TEST(union_holds_for_hundreds_of_random_scenes)
{
    for (int i = 0; i < scenes[_i].seeds; i++) {
        nav_shapes s = {0};
        uint64_t random = (uint64_t)i * 977 + 5;
        scenes[_i].make(&s, &random);
        judge(&s, scenes[_i].name, i);
        nav_arena_reset(&arena);
    }
}
END_TEST

START_TEST(square_gives_one_counterclockwise_loop_from_its_lowest_corner)
{
    nav_shapes s = {0};
    add_square(&s, 10, 20, 5);
    nav_loops l = union_of(&s);
    ck_assert_int_eq(l.count, 1);
    ck_assert_int_eq(l.first[1], 4);
    ck_assert(nav_point_same(l.at[0], (nav_point){10, 20}));
    ck_assert(nav_point_same(l.at[1], (nav_point){15, 20}));
    ck_assert_int_eq(union_area2(&l), 50);
}
END_TEST

START_TEST(ring_of_walls_gives_a_clockwise_loop_around_what_it_encloses)
{
    nav_shapes s = {0};
    nav_point p[4][2] = {{{0, 0}, {100, 10}}, {{0, 90}, {100, 100}}, {{0, 0}, {10, 100}}, {{90, 0}, {100, 100}}};
    for (int i = 0; i < 4; i++) {
        nav_point q[4] = {p[i][0], {p[i][1].x, p[i][0].z}, p[i][1], {p[i][0].x, p[i][1].z}};
        ck_assert(union_add_hull(&s, &arena, q, 4));
    }
    nav_loops l = union_of(&s);
    ck_assert_int_eq(l.count, 2);
    ck_assert_int_eq(union_area2(&l), 2 * (100 * 100 - 80 * 80));
    ck_assert(nav_point_same(l.at[l.first[1]], (nav_point){10, 10}));
    ck_assert(nav_point_same(l.at[l.first[1] + 1], (nav_point){10, 90}));
}
END_TEST

START_TEST(squares_side_by_side_have_no_edge_between_them)
{
    nav_shapes s = {0};
    add_square(&s, 0, 0, 8);
    add_square(&s, 8, 0, 8);
    nav_loops l = union_of(&s);
    ck_assert_int_eq(l.count, 1);
    ck_assert_int_eq(l.first[1], 6);
    ck_assert_int_eq(union_area2(&l), 256);
}
END_TEST

START_TEST(squares_that_touch_at_a_corner_are_two_loops)
{
    nav_shapes s = {0};
    add_square(&s, 0, 0, 8);
    add_square(&s, 8, 8, 8);
    nav_loops l = union_of(&s);
    ck_assert_int_eq(l.count, 2);
    ck_assert_int_eq(l.first[1], 4);
    ck_assert_int_eq(l.first[2], 8);
}
END_TEST

START_TEST(edge_is_given_to_the_first_of_the_shapes_along_it)
{
    nav_shapes s = {0};
    add_square(&s, 4, 0, 8);
    add_square(&s, 0, 0, 8);
    nav_loops l = union_of(&s); // 0,0 4,0 8,0 12,0 12,8 8,8 4,8 0,8
    ck_assert_int_eq(l.first[1], 8);
    const int32_t shape[8] = {1, 0, 0, 0, 0, 0, 1, 1};
    for (int k = 0; k < 8; k++) ck_assert_int_eq(l.shape[k], shape[k]);
}
END_TEST

START_TEST(doubled_and_nested_shapes_change_nothing)
{
    nav_shapes s = {0}, t = {0};
    add_square(&s, 0, 0, 100);
    add_square(&t, 0, 0, 100);
    add_square(&t, 0, 0, 100);
    add_square(&t, 30, 10, 50);
    add_square(&t, 20, 20, 20);
    nav_loops l = union_of(&s), m = union_of(&t);
    ck_assert(union_same_moved(&l, &m, (nav_point){0, 0}, true));
}
END_TEST

static void add_rectangle(nav_shapes *s, int32_t x0, int32_t z0, int32_t x1, int32_t z1)
{
    nav_point p[4] = {{x0, z0}, {x1, z0}, {x1, z1}, {x0, z1}};
    ck_assert(union_add_hull(s, &arena, p, 4));
}

// Takes off the loops with a corner outside of the box.
static void keep_inside(nav_loops *l, int32_t low, int32_t high)
{
    int32_t kept = 0, corners = 0;
    for (int32_t i = 0, first = 0, end; i < l->count; i++, first = end) {
        bool inside = true;
        end = l->first[i + 1];
        for (int32_t k = first; k < end; k++)
            inside &= l->at[k].x >= low && l->at[k].x <= high && l->at[k].z >= low && l->at[k].z <= high;
        for (int32_t k = first; k < end && inside; k++, corners++) {
            l->at[corners] = l->at[k];
            l->shape[corners] = l->shape[k];
        }
        if (inside) l->first[++kept] = corners;
    }
    l->count = kept;
}

START_TEST(a_box_with_covered_sides_keeps_the_loops_inside_of_it)
{
    enum { LOW = 900, HIGH = 2300, STRIP = 2 };
    for (int32_t seed = 0; seed < 200; seed++) {
        nav_shapes s = {0};
        uint64_t random = (uint64_t)seed;
        add_rectangle(&s, LOW - STRIP, LOW - STRIP, LOW + STRIP, HIGH + STRIP);
        add_rectangle(&s, HIGH - STRIP, LOW - STRIP, HIGH + STRIP, HIGH + STRIP);
        add_rectangle(&s, LOW - STRIP, LOW - STRIP, HIGH + STRIP, LOW + STRIP);
        add_rectangle(&s, LOW - STRIP, HIGH - STRIP, HIGH + STRIP, HIGH + STRIP);
        scenes[seed % 3].make(&s, &random);
        for (int32_t i = 0; i < 70 && seed & 1; i++) add_square(&s, 4000 + 4 * i, 0, 2); // many
        nav_loops all = union_of(&s), l;
        nav_point low = {LOW, LOW}, high = {HIGH, HIGH};
        ck_assert_int_eq(nav_union_build_inside(&s, low, high, &arena, &l), NAV_OK);
        keep_inside(&all, LOW, HIGH);
        ck_assert_int_gt(l.count, 0);
        ck_assert_msg(union_same_moved(&l, &all, (nav_point){0, 0}, true), "seed %d", seed);
        nav_arena_reset(&arena);
    }
}
END_TEST

START_TEST(no_shapes_give_no_loops)
{
    nav_shapes s = {0};
    nav_loops l = union_of(&s);
    ck_assert_int_eq(l.count, 0);
}
END_TEST

START_TEST(a_crowd_is_refused_and_scratch_is_given_back)
{
    nav_shapes s = {0};
    uint64_t random = 1;
    for (int i = 0; i < 10000; i++) {
        nav_point p[3] = {random_place(&random, 6000), random_place(&random, 6000)};
        p[2] = (nav_point){p[1].x + 1, p[1].z + 1};
        union_add_hull(&s, &arena, p, 3);
    }
    nav_loops l;
    ck_assert_int_eq(nav_union_build(&s, &arena, &l), NAV_ERR_LIMIT);
    ck_assert_int_eq(l.count, 0);
}
END_TEST

START_TEST(memory_that_ends_is_an_error_wherever_it_ends)
{
    nav_shapes s = {0};
    uint64_t random = 7;
    walls(&s, &random);
    for (size_t budget = 1000;; budget += budget / 8) {
        nav_arena small;
        nav_loops l;
        nav_arena_init(&small, budget);
        nav_status st = nav_union_build(&s, &small, &l);
        nav_arena_deinit(&small);
        if (st == NAV_OK) break;
        ck_assert_int_eq(st, NAV_ERR_LIMIT);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline_union");
    TCase *c = tcase_create("union");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, square_gives_one_counterclockwise_loop_from_its_lowest_corner);
    tcase_add_test(c, ring_of_walls_gives_a_clockwise_loop_around_what_it_encloses);
    tcase_add_test(c, squares_side_by_side_have_no_edge_between_them);
    tcase_add_test(c, squares_that_touch_at_a_corner_are_two_loops);
    tcase_add_test(c, edge_is_given_to_the_first_of_the_shapes_along_it);
    tcase_add_test(c, doubled_and_nested_shapes_change_nothing);
    tcase_add_test(c, a_box_with_covered_sides_keeps_the_loops_inside_of_it);
    tcase_add_test(c, no_shapes_give_no_loops);
    tcase_add_test(c, a_crowd_is_refused_and_scratch_is_given_back);
    tcase_add_test(c, memory_that_ends_is_an_error_wherever_it_ends);
    tcase_add_loop_test(c, union_holds_for_hundreds_of_random_scenes, 0, (int)(sizeof scenes / sizeof *scenes));
    suite_add_tcase(s, c);
    return run_suite(s);
}
