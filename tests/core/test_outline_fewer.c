// Fewer corners: what is promised of the new loops, by brute force on random regions, and what crates become.
#include "core/outline/fewer.h"
#include "outline_regions.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static nav_fewer usual;

static uint8_t fixed[MOST_CORNERS];

static nav_arena arena;
static nav_loops out;
static int32_t *from;

static double to_edge(double x, double z, nav_point a, nav_point b)
{
    double dx = b.x - a.x, dz = b.z - a.z, len2 = dx * dx + dz * dz, t = ((x - a.x) * dx + (z - a.z) * dz) / len2;
    t = len2 == 0.0 || t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    double ex = a.x + t * dx - x, ez = a.z + t * dz - z;
    return sqrt(ex * ex + ez * ez);
}

static int32_t next_in(const nav_loops *l, int32_t loop, int32_t k)
{
    return k + 1 < l->first[loop + 1] ? k + 1 : l->first[loop];
}

static int32_t before_in(const nav_loops *l, int32_t loop, int32_t k)
{
    return k > l->first[loop] ? k - 1 : l->first[loop + 1] - 1;
}

static double to_loop(const nav_loops *l, int32_t loop, double x, double z)
{
    double best = INFINITY;
    for (int32_t k = l->first[loop]; k < l->first[loop + 1]; k++) {
        double d = to_edge(x, z, l->at[k], l->at[next_in(l, loop, k)]);
        if (d < best) best = d;
    }
    return best;
}

static int turns_of_loop(const nav_loops *l, int32_t loop, double x, double z)
{
    int turns = 0;
    for (int32_t k = l->first[loop]; k < l->first[loop + 1]; k++) {
        nav_point p = l->at[k], q = l->at[next_in(l, loop, k)];
        if ((p.z <= z) == (q.z <= z)) continue;
        double right = (x - p.x) * (double)(q.z - p.z) - (double)(q.x - p.x) * (z - p.z);
        if (q.z > p.z && right < 0) turns++;
        if (q.z < p.z && right > 0) turns--;
    }
    return turns;
}

static bool is_free(const nav_loops *l, double x, double z)
{
    int turns = 0;
    for (int32_t loop = 0; loop < l->count; loop++) turns += turns_of_loop(l, loop, x, z);
    return turns == region_turns;
}

static double to_any(const nav_loops *l, double x, double z)
{
    double best = INFINITY;
    for (int32_t loop = 0; loop < l->count; loop++) best = fmin(best, to_loop(l, loop, x, z));
    return best;
}

// The old loop that a new one comes from: those that are dropped are smaller than a square of 2 units.
static int32_t old_loop[MOST_LOOPS];

static int64_t area2(const nav_loops *l, int32_t loop)
{
    int64_t area = 0;
    for (int32_t k = l->first[loop] + 2; k < l->first[loop + 1]; k++)
        area += nav_right(l->at[l->first[loop]], l->at[k - 1], l->at[k]);
    return area;
}

static void match_loops(void)
{
    int32_t n = 0;
    for (int32_t loop = 0; loop < region.count; loop++) {
        bool keeps = llabs(area2(&region, loop)) >= 8;
        for (int32_t k = region.first[loop]; k < region.first[loop + 1]; k++) keeps = keeps || fixed[k];
        if (keeps) old_loop[n++] = loop;
    }
    ck_assert_int_eq(n, out.count);
}

static void expect_near(const nav_loops *a, int32_t la, const nav_loops *b, int32_t lb, bool new_to_old)
{
    for (int32_t k = a->first[la]; k < a->first[la + 1]; k++) {
        nav_point p = a->at[k], q = a->at[next_in(a, la, k)];
        int32_t parts = 1 + (int32_t)(sqrt((double)nav_distance2(p, q)) / 40.0);
        for (int32_t i = 0; i < parts; i++) {
            double x = p.x + (q.x - p.x) * (double)i / parts, z = p.z + (q.z - p.z) * (double)i / parts;
            double d = to_loop(b, lb, x, z);
            ck_assert_double_le(d, usual.max_error + 1e-6);
            if (d <= usual.max_inward + 1e-6) continue;
            if (new_to_old)
                ck_assert_msg(is_free(b, x, z) || to_any(b, x, z) <= usual.max_inward + 1e-6, "seed %u: %g %g, by %g",
                              region_seed, x, z, d);
            else
                ck_assert_msg(!is_free(b, x, z) || to_any(b, x, z) <= usual.max_inward + 1e-6, "seed %u: %g %g, by %g",
                              region_seed, x, z, d);
        }
    }
}

// Edges i and k of loops a and b: do they meet where they should not? They may where corners touch, each on one side of
// the other; of new loops only corners that have not moved.
static bool are_apart(const nav_loops *l, const int32_t *kept, int32_t a, int32_t i, int32_t b, int32_t k)
{
    int32_t ie = next_in(l, a, i), ke = next_in(l, b, k);
    nav_point p = l->at[i], q = l->at[ie], r = l->at[k], s = l->at[ke];
    if (a == b && (ie == k || ke == i)) {
        nav_point end = ie == k ? s : r, mid = ie == k ? q : p, begin = ie == k ? p : q;
        return nav_right(begin, mid, end) != 0 || nav_between(begin, end, mid);
    }
    int64_t pr = nav_right(p, q, r), ps = nav_right(p, q, s), rp = nav_right(r, s, p), rq = nav_right(r, s, q);
    if ((pr > 0 && ps > 0) || (pr < 0 && ps < 0) || (rp > 0 && rq > 0) || (rp < 0 && rq < 0)) return true;
    if (pr == 0 && ps == 0 && rp == 0 && rq == 0) {
        int64_t x1 = p.x < q.x ? p.x : q.x, x2 = p.x < q.x ? q.x : p.x, z1 = p.z < q.z ? p.z : q.z,
                z2 = p.z < q.z ? q.z : p.z;
        if ((r.x > x2 && s.x > x2) || (r.x < x1 && s.x < x1)) return true;
        if ((r.z > z2 && s.z > z2) || (r.z < z1 && s.z < z1)) return true;
    }
    int32_t u = nav_point_same(p, r) || nav_point_same(p, s) ? i : ie, v = nav_point_same(l->at[u], r) ? k : ke;
    if (!nav_point_same(l->at[u], l->at[v]) || (kept && (kept[u] < 0 || kept[v] < 0))) return false;
    nav_point before = l->at[before_in(l, a, u)], after = l->at[next_in(l, a, u)];
    int x = nav_in_corner(before, l->at[u], after, l->at[before_in(l, b, v)]);
    return x != 0 && x == nav_in_corner(before, l->at[u], after, l->at[next_in(l, b, v)]);
}

static bool are_all_apart(const nav_loops *l, const int32_t *kept)
{
    for (int32_t a = 0; a < l->count; a++)
        for (int32_t b = a; b < l->count; b++)
            for (int32_t i = l->first[a]; i < l->first[a + 1]; i++)
                for (int32_t k = b == a ? i + 1 : l->first[b]; k < l->first[b + 1]; k++)
                    if (!are_apart(l, kept, a, i, b, k)) return false;
    return true;
}

// The ends of each long edge are next to an edge of the result in its direction.
static void expect_walls_stay(int32_t old, int32_t loop)
{
    double most = usual.long_error + 2.0;
    for (int32_t k = region.first[old]; k < region.first[old + 1]; k++) {
        nav_point p = region.at[k], q = region.at[next_in(&region, old, k)];
        if ((double)nav_distance2(p, q) < usual.long_edge * usual.long_edge) continue;
        ck_assert_double_le(to_loop(&out, loop, p.x, p.z), most);
        ck_assert_double_le(to_loop(&out, loop, q.x, q.z), most);
        ck_assert_double_le(to_loop(&out, loop, (p.x + q.x) / 2.0, (p.z + q.z) / 2.0), most);
    }
}

static void expect_as_promised(void)
{
    match_loops();
    ck_assert_msg(are_all_apart(&out, from), "seed %u", region_seed);
    for (int32_t a = 0; a < out.count; a++) {
        int32_t old = old_loop[a];
        ck_assert_int_ge(out.first[a + 1] - out.first[a], 3);
        ck_assert(area2(&out, a) != 0 && (area2(&out, a) > 0) == (area2(&region, old) > 0));
        expect_near(&region, old, &out, a, false);
        expect_near(&out, a, &region, old, true);
        expect_walls_stay(old, a);
        for (int32_t i = out.first[a]; i < out.first[a + 1]; i++) {
            if (from[i] < 0) continue;
            ck_assert_int_ge(from[i], region.first[old]);
            ck_assert_int_lt(from[i], region.first[old + 1]);
            ck_assert(nav_point_same(region.at[from[i]], out.at[i]));
        }
        for (int32_t k = region.first[old]; k < region.first[old + 1]; k++) {
            if (!fixed[k]) continue;
            int32_t found = -1;
            for (int32_t i = out.first[a]; i < out.first[a + 1] && found < 0; i++)
                if (from[i] == k) found = i;
            ck_assert_int_ge(found, 0);
            if (fixed[k] & NAV_FEWER_SEAM) ck_assert_int_eq(from[next_in(&out, a, found)], next_in(&region, old, k));
        }
        for (int32_t b = 0; b < out.count; b++) {
            if (a == b) continue;
            nav_point p = out.at[out.first[a]], q = region.at[region.first[old]];
            if (to_loop(&out, b, p.x, p.z) == 0.0 || to_loop(&region, old_loop[b], q.x, q.z) == 0.0) continue;
            ck_assert_int_eq(turns_of_loop(&out, b, p.x, p.z), turns_of_loop(&region, old_loop[b], q.x, q.z));
        }
    }
}

static void start(uint32_t seed)
{
    begin_region(seed);
    memset(fixed, 0, sizeof fixed);
    usual = nav_fewer_for(RADIUS, COLUMN, 1.0);
}

static void simplify(void)
{
    ck_assert_int_eq(nav_loops_simplify(&region, fixed, &usual, &arena, &out, &from), NAV_OK);
}

static void fix_some(void)
{
    for (int32_t k = 0; k < corners(); k++) fixed[k] = below(12) ? 0 : 1 + (uint8_t)below(3);
}

START_TEST(every_promise_is_kept_on_random_regions)
{
    int32_t tried = 0;
    for (uint32_t s = 0; s < 60; s++) {
        start(s * REGIONS + (uint32_t)_i);
        regions[_i]();
        if (!are_all_apart(&region, NULL)) continue; // rounded
        tried++;
        if (s % 4 == 3) fix_some();
        if (s % 3 == 2) usual = nav_fewer_for(RADIUS, COLUMN, s % 2 ? 0.4 : 2.5);
        simplify();
        expect_as_promised();
        nav_arena_reset(&arena);
    }
    ck_assert_int_ge(tried, 30);
}
END_TEST

START_TEST(a_crate_has_four_corners_on_the_lines_of_its_sides)
{
    for (uint32_t s = 0; s < 200; s++) {
        start(s);
        double half_x = 100 + below(2000), half_z = 100 + below(2000), angle = part() * 6.28;
        add_crate(20000, 20000, half_x, half_z, angle, 4 + (int32_t)below(2));
        simplify();
        ck_assert_int_eq(out.count, 1);
        ck_assert_int_eq(out.first[1], 4);
        for (int32_t k = 0; k < 4; k++) {
            // Where the lines of the sides meet.
            double px = out.at[k].x - 20000.0, pz = out.at[k].z - 20000.0, c = cos(angle), sn = sin(angle);
            ck_assert_double_eq_tol(fabs(c * px + sn * pz), half_x + RADIUS, 3.0);
            ck_assert_double_eq_tol(fabs(c * pz - sn * px), half_z + RADIUS, 3.0);
        }
        nav_arena_reset(&arena);
    }
}
END_TEST

START_TEST(a_wall_with_jogs_of_a_unit_is_one_edge)
{
    int32_t most = 0;
    for (uint32_t s = 0; s < 100; s++) {
        start(s);
        jogs();
        simplify();
        // Jogs that all go the same way add up to more than a wall may be moved.
        ck_assert_int_le(out.first[1], 8);
        most += out.first[1] > 5;
        nav_arena_reset(&arena);
    }
    ck_assert_int_le(most, 25);
}
END_TEST

// Two crates, so near to one another that their mitres would close the gap between their round corners.
START_TEST(a_gap_of_a_unit_stays_open)
{
    for (int32_t gap = 1; gap < 60; gap++) {
        start((uint32_t)gap);
        double apart = (2 * RADIUS / cos(M_PI / 16) + gap + 2) * sqrt(0.5);
        add_crate(20000, 20000, 300, 300, 0, 4);
        add_crate(20000 + 600 + apart, 20000 + 600 + apart, 300, 300, 0, 4);
        ck_assert(are_all_apart(&region, NULL));
        simplify();
        expect_as_promised();
        nav_arena_reset(&arena);
    }
}
END_TEST

START_TEST(a_pillar_in_a_bay_is_not_swept_over)
{
    start(1);
    begin_loop();
    // A wall with a bay that is shallower than the error, its floor above, and a sliver of a pillar in the bay.
    add(1000, 1000);
    add(9000, 1000);
    add(9000, 3000);
    add(5300, 3000);
    add(5200, 2900);
    add(4900, 2900);
    add(4800, 3000);
    add(1000, 3000);
    end_loop(false);
    simplify();
    ck_assert_int_eq(out.first[1], 4);
    begin_loop();
    add(5000, 2930);
    add(5060, 2930);
    add(5030, 2960);
    end_loop(false);
    simplify();
    ck_assert_int_eq(out.count, 2);
    ck_assert_int_gt(out.first[1], 4);
    expect_as_promised();
    nav_arena_reset(&arena);
}
END_TEST

START_TEST(a_seam_stays_and_what_is_beside_it_does_not)
{
    start(1);
    add_crate(20000, 20000, 2000, 1000, 0.3, 4);
    // The long edge behind the first round corner.
    int32_t longest = 0;
    for (int32_t k = 0; k < corners(); k++)
        if (nav_distance2(region.at[k], region.at[next_in(&region, 0, k)]) >
            nav_distance2(region.at[longest], region.at[next_in(&region, 0, longest)]))
            longest = k;
    fixed[longest] = NAV_FEWER_SEAM;
    simplify();
    expect_as_promised();
    ck_assert_int_le(out.first[1], 7);
    nav_arena_reset(&arena);
}
END_TEST

START_TEST(what_is_smaller_than_two_units_is_dropped_unless_it_is_fixed)
{
    start(1);
    begin_loop();
    add(100, 100);
    add(102, 100);
    add(101, 102);
    end_loop(false);
    simplify();
    ck_assert_int_eq(out.count, 0);
    fixed[1] = NAV_FEWER_CORNER;
    simplify();
    ck_assert_int_eq(out.count, 1);
    ck_assert_int_eq(out.first[1], 3);
    region.count = 0;
    simplify();
    ck_assert_int_eq(out.count, 0);
    nav_arena_reset(&arena);
}
END_TEST

START_TEST(too_little_memory_is_an_error)
{
    start(7);
    crates();
    simplify();
    size_t peak = arena.peak_bytes;
    nav_arena_deinit(&arena);
    for (size_t budget = 1; budget < peak; budget += peak / 50 + 1) {
        nav_arena_init(&arena, budget);
        ck_assert_int_eq(nav_loops_simplify(&region, NULL, &usual, &arena, &out, &from), NAV_ERR_LIMIT);
        nav_arena_deinit(&arena);
    }
    nav_arena_init(&arena, 0);
}
END_TEST

static void set_up(void)
{
    nav_arena_init(&arena, 0);
}

static void tear_down(void)
{
    nav_arena_deinit(&arena);
}

int main(void)
{
    Suite *s = suite_create("outline_fewer");
    TCase *c = tcase_create("fewer");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, every_promise_is_kept_on_random_regions, 0, REGIONS);
    tcase_add_test(c, a_crate_has_four_corners_on_the_lines_of_its_sides);
    tcase_add_test(c, a_wall_with_jogs_of_a_unit_is_one_edge);
    tcase_add_test(c, a_gap_of_a_unit_stays_open);
    tcase_add_test(c, a_pillar_in_a_bay_is_not_swept_over);
    tcase_add_test(c, a_seam_stays_and_what_is_beside_it_does_not);
    tcase_add_test(c, what_is_smaller_than_two_units_is_dropped_unless_it_is_fixed);
    tcase_add_test(c, too_little_memory_is_an_error);
    suite_add_tcase(s, c);
    return run_suite(s);
}
