// Ears: which pockets are cut off and which stay, and what is promised, by brute force on random regions.
#include "core/outline/ears.h"
#include "core/outline/fewer.h"
#include "outline_regions.h"
#include "tests/check.h"

#include <string.h>

static const nav_ears usual = {.pocket2 = 2 * RADIUS * RADIUS, .mitre2 = RADIUS * RADIUS / 2};

// What is cut, and a copy of it as it was.
static nav_point at[MOST_CORNERS];
static int32_t first[MOST_LOOPS + 1], from[MOST_CORNERS];
static uint8_t fixed[MOST_CORNERS], old_fixed[MOST_CORNERS];
static nav_loops loops;
static nav_arena arena;

static void start(uint32_t seed)
{
    begin_region(seed);
    memset(old_fixed, 0, sizeof old_fixed);
}

static nav_status cut(const nav_loops *in)
{
    loops = (nav_loops){in->count, first, at, NULL};
    memcpy(first, in->first, ((size_t)in->count + 1) * sizeof *first);
    memcpy(at, in->at, (size_t)first[in->count] * sizeof *at);
    memcpy(fixed, old_fixed, sizeof fixed);
    for (int32_t k = 0; k < first[in->count]; k++) from[k] = k;
    return nav_loops_cut_ears(&loops, fixed, from, &usual, &arena);
}

static int64_t area2(const nav_loops *l)
{
    int64_t area = 0;
    for (int32_t loop = 0; loop < l->count; loop++)
        for (int32_t k = l->first[loop] + 2; k < l->first[loop + 1]; k++)
            area += nav_right(l->at[l->first[loop]], l->at[k - 1], l->at[k]);
    return area;
}

static int32_t next_in(const nav_loops *l, int32_t loop, int32_t k)
{
    return k + 1 < l->first[loop + 1] ? k + 1 : l->first[loop];
}

static bool crosses(nav_point a, nav_point b, nav_point c, nav_point d)
{
    int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d), ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    return ((ac > 0 && ad < 0) || (ac < 0 && ad > 0)) && ((ca > 0 && cb < 0) || (ca < 0 && cb > 0));
}

static bool is_on(nav_point a, nav_point b, nav_point p)
{
    return nav_point_same(a, p) || nav_point_same(b, p) || (nav_right(a, b, p) == 0 && nav_between(a, b, p));
}

// Do edges of a and of b cross anywhere, or, if touching counts, meet but at common corners?
static bool any_cross(const nav_loops *a, const nav_loops *b, bool touching)
{
    for (int32_t la = 0; la < a->count; la++)
        for (int32_t i = a->first[la]; i < a->first[la + 1]; i++)
            for (int32_t lb = 0; lb < b->count; lb++)
                for (int32_t k = b->first[lb]; k < b->first[lb + 1]; k++) {
                    nav_point p = a->at[i], q = a->at[next_in(a, la, i)];
                    nav_point r = b->at[k], s = b->at[next_in(b, lb, k)];
                    if (crosses(p, q, r, s)) return true;
                    bool same = nav_point_same(r, p) || nav_point_same(r, q);
                    if (touching && !same && is_on(p, q, r)) return true;
                }
    return false;
}

// Is the place free floor, or on its boundary?
static bool is_free(const nav_loops *l, nav_point p)
{
    int turns = 0;
    for (int32_t loop = 0; loop < l->count; loop++)
        for (int32_t k = l->first[loop]; k < l->first[loop + 1]; k++) {
            nav_point a = l->at[k], b = l->at[next_in(l, loop, k)];
            if (is_on(a, b, p)) return true;
            if ((a.z <= p.z) == (b.z <= p.z)) continue;
            int64_t right = nav_right(a, b, p);
            if (b.z > a.z && right < 0) turns++;
            if (b.z < a.z && right > 0) turns--;
        }
    return turns == region_turns;
}

static void expect_as_promised(const nav_loops *old)
{
    ck_assert_int_eq(loops.count, old->count);
    ck_assert_int_le(first[loops.count], old->first[old->count]);
    ck_assert_int_le(area2(&loops), area2(old));
    ck_assert_msg(!any_cross(&loops, &loops, true), "seed %u", region_seed);
    ck_assert_msg(!any_cross(&loops, old, false), "seed %u", region_seed);
    for (int32_t l = 0; l < loops.count; l++) {
        nav_loops was = {1, old->first + l, old->at, NULL}, is = {1, first + l, at, NULL};
        ck_assert_int_ge(first[l + 1] - first[l], 3);
        ck_assert(area2(&is) != 0 && (area2(&is) > 0) == (area2(&was) > 0));
        int32_t found = 0, wanted = 0;
        for (int32_t k = old->first[l]; k < old->first[l + 1]; k++) wanted += old_fixed[k] != 0;
        for (int32_t k = first[l]; k < first[l + 1]; k++) {
            ck_assert_msg(is_free(old, at[k]), "seed %u", region_seed);
            if (from[k] < 0) {
                ck_assert_int_eq(fixed[k], 0);
                continue;
            }
            ck_assert(nav_point_same(at[k], old->at[from[k]]));
            ck_assert_int_eq(fixed[k], old_fixed[from[k]]);
            found += fixed[k] != 0;
            if (fixed[k] & NAV_FEWER_SEAM) ck_assert_int_eq(from[next_in(&loops, l, k)], next_in(old, l, from[k]));
        }
        ck_assert_int_eq(found, wanted);
    }
}

// A room of 8000 by 6000, clockwise, with a niche in its upper wall.
static void add_room(int32_t width, int32_t depth)
{
    begin_loop();
    add(1000, 1000);
    add(1000, 7000);
    add(4000, 7000);
    add(4000, 7000 + depth);
    add(4000 + width, 7000 + depth);
    add(4000 + width, 7000);
    add(9000, 7000);
    add(9000, 1000);
    end_loop(false);
    region_turns = -1;
}

static void add_pillar(int32_t x, int32_t z)
{
    begin_loop();
    add(x, z);
    add(x + 20, z);
    add(x + 20, z + 20);
    end_loop(false);
}

static int32_t corners_left(void)
{
    ck_assert_int_eq(cut(&region), NAV_OK);
    expect_as_promised(&region);
    return first[1];
}

START_TEST(a_small_niche_is_cut_off)
{
    start(1);
    add_room(300, 250);
    ck_assert_int_eq(corners_left(), 4);
    ck_assert_int_eq(area2(&loops), 2 * 8000 * 6000);
}
END_TEST

START_TEST(a_niche_larger_than_its_price_stays)
{
    start(1);
    add_room(900, 800);
    ck_assert_int_eq(corners_left(), 8);
}
END_TEST

START_TEST(a_niche_that_leads_on_stays)
{
    start(1);
    add_room(300, 250);
    old_fixed[3] = NAV_FEWER_SEAM; // the niche's end
    ck_assert_int_eq(corners_left(), 8);
    old_fixed[3] = 0;
    old_fixed[4] = NAV_FEWER_CORNER;
    ck_assert_int_gt(corners_left(), 4);
}
END_TEST

START_TEST(a_niche_with_something_in_it_stays)
{
    start(1);
    add_room(300, 250);
    add_pillar(4100, 7100);
    ck_assert_int_eq(corners_left(), 8);
    start(1);
    add_room(300, 250);
    add_pillar(4100, 6990); // across its mouth
    ck_assert_int_eq(corners_left(), 8);
}
END_TEST

START_TEST(a_door_stays_open_however_narrow)
{
    for (int32_t width = 1; width < 200; width += 7) {
        start((uint32_t)width);
        begin_loop();
        // Two rooms side by side and a door through the wall between.
        add(1000, 1000);
        add(1000, 4000);
        add(4000, 4000);
        add(4000, 2000 + width);
        add(4100, 2000 + width);
        add(4100, 4000);
        add(7000, 4000);
        add(7000, 1000);
        add(4100, 1000);
        add(4100, 2000);
        add(4000, 2000);
        add(4000, 1000);
        end_loop(false);
        region_turns = -1;
        ck_assert_int_eq(corners_left(), 12);
    }
}
END_TEST

// Beside a door's jamb the floor goes on a little between it and a slanting wall.
START_TEST(a_wall_is_prolonged_over_the_pocket_beside_it)
{
    start(1);
    begin_loop();
    add(3207, 0);
    add(0, 0);
    add(0, 2452);
    add(895, 2013); // the end of the pocket
    add(627, 1929); // sticks out
    add(627, 1307); // and so does this
    add(2400, 707);
    end_loop(false);
    region_turns = -1;
    ck_assert_int_eq(corners_left(), 6);
    ck_assert(nav_point_same(at[3], (nav_point){627, 2144}));
    ck_assert_int_eq(from[3], -1);
}
END_TEST

// A pillar whose corners are cut: where little is lost it has four.
START_TEST(two_corners_close_together_become_a_mitre)
{
    for (int32_t edge = 100; edge <= 600; edge += 500) {
        start(1);
        begin_loop();
        add(1000 + edge, 1000);
        add(5000 - edge, 1000);
        add(5000, 1000 + edge);
        add(5000, 5000 - edge);
        add(5000 - edge, 5000);
        add(1000 + edge, 5000);
        add(1000, 5000 - edge);
        add(1000, 1000 + edge);
        end_loop(false);
        ck_assert_int_eq(corners_left(), edge == 100 ? 4 : 8);
    }
}
END_TEST

// The same, moved: nothing but the loops counts.
START_TEST(the_result_moves_with_the_loops)
{
    static nav_point here[MOST_CORNERS], moved[MOST_CORNERS];
    for (uint32_t s = 0; s < 40; s++) {
        start(s);
        crates();
        int32_t n = corners();
        ck_assert_int_eq(cut(&region), NAV_OK);
        memcpy(here, at, sizeof here);
        int32_t left = first[loops.count];
        for (int32_t k = 0; k < n; k++) moved[k] = (nav_point){region.at[k].x - 4096, region.at[k].z + 12288};
        nav_loops there = {region.count, region.first, moved, NULL};
        ck_assert_int_eq(cut(&there), NAV_OK);
        ck_assert_int_eq(first[loops.count], left);
        for (int32_t k = 0; k < left; k++) ck_assert(here[k].x - 4096 == at[k].x && here[k].z + 12288 == at[k].z);
    }
}
END_TEST

START_TEST(every_promise_is_kept_on_random_regions)
{
    const nav_fewer how = {.max_error = 1.3 * COLUMN, .max_inward = 1.0, .long_edge = 400.0, .long_error = 2.0};
    int32_t tried = 0, fewer = 0;
    for (uint32_t s = 0; s < 60; s++) {
        start(s * REGIONS + (uint32_t)_i);
        regions[_i]();
        nav_loops few = region;
        if (s % 3) ck_assert_int_eq(nav_loops_simplify(&region, NULL, &how, &arena, &few, NULL), NAV_OK);
        if (few.count == 0 || any_cross(&few, &few, true)) continue; // rounded
        tried++;
        for (int32_t k = 0; s % 4 == 3 && k < few.first[few.count]; k++)
            old_fixed[k] = below(12) ? 0 : 1 + (uint8_t)below(3);
        ck_assert_int_eq(cut(&few), NAV_OK);
        expect_as_promised(&few);
        fewer += first[loops.count] < few.first[few.count];
        nav_arena_reset(&arena);
    }
    ck_assert_int_ge(tried, 20);
    ck_assert(fewer > 0 || regions[_i] == regions[REGIONS - 1]); // slivers have no pockets
}
END_TEST

// A long wall with so many niches. Returns how many corners are left of 4 and 4 a niche.
static int32_t cut_niches(int32_t niches)
{
    int32_t n = 0, corners = 4 * niches + 4, ends[2] = {0, corners};
    nav_point *p = NAV_TAKE(&arena, nav_point, corners);
    uint8_t *none = NAV_TAKE_ZERO(&arena, uint8_t, corners);
    int32_t *came = NAV_TAKE_ZERO(&arena, int32_t, corners);
    p[n++] = (nav_point){0, 0};
    p[n++] = (nav_point){0, 7000};
    for (int32_t k = 0; k < niches; k++) {
        const int32_t x = 100 * k + 30;
        p[n++] = (nav_point){x, 7000};
        p[n++] = (nav_point){x, 7040};
        p[n++] = (nav_point){x + 40, 7040};
        p[n++] = (nav_point){x + 40, 7000};
    }
    p[n++] = (nav_point){100 * niches, 7000};
    p[n++] = (nav_point){100 * niches, 0};
    nav_loops wall = {1, ends, p, NULL};
    ck_assert_int_eq(nav_loops_cut_ears(&wall, none, came, &usual, &arena), NAV_OK);
    return ends[1];
}

START_TEST(a_loop_of_very_many_corners_keeps_most_of_its_pockets)
{
    ck_assert_int_lt(cut_niches(20), 4 + 2 * 20 + 1); // what is left of a niche lies on the wall's line
    ck_assert_int_gt(cut_niches(6000), 4 + 3 * 6000);
}
END_TEST

START_TEST(too_little_memory_is_an_error)
{
    start(7);
    crates();
    ck_assert_int_eq(cut(&region), NAV_OK);
    size_t peak = arena.peak_bytes;
    nav_arena_deinit(&arena);
    nav_arena_init(&arena, peak / 4);
    ck_assert_int_eq(cut(&region), NAV_ERR_LIMIT);
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
    Suite *s = suite_create("outline_ears");
    TCase *c = tcase_create("ears");
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_small_niche_is_cut_off);
    tcase_add_test(c, a_niche_larger_than_its_price_stays);
    tcase_add_test(c, a_niche_that_leads_on_stays);
    tcase_add_test(c, a_niche_with_something_in_it_stays);
    tcase_add_test(c, a_door_stays_open_however_narrow);
    tcase_add_test(c, a_wall_is_prolonged_over_the_pocket_beside_it);
    tcase_add_test(c, two_corners_close_together_become_a_mitre);
    tcase_add_test(c, the_result_moves_with_the_loops);
    tcase_add_loop_test(c, every_promise_is_kept_on_random_regions, 0, REGIONS);
    tcase_add_test(c, a_loop_of_very_many_corners_keeps_most_of_its_pockets);
    tcase_add_test(c, too_little_memory_is_an_error);
    suite_add_tcase(s, c);
    return run_suite(s);
}
