#include "core/polygon/cells/decompose.h"
#include "core/polygon/cells/sight.h"
#include "core/polygon/polygons.h"
#include "tests/check.h"
#include "tests/core/fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fixture_world world;
static fixture fx;
static nav_contours contours;
static nav_polygons polys;
static plan p;
static portal portals[PLAN_PORTALS];

static void add_loop(const nav_point *at, int32_t n)
{
    int32_t first = p.count;
    for (int32_t k = 0; k < n; k++) {
        int32_t i = p.count++;
        p.at[i] = at[k];
        p.edge[i] = i;
        p.next[i] = k + 1 < n ? i + 1 : first;
        p.prev[i] = k > 0 ? i - 1 : first + n - 1;
        p.walls |= UINT64_C(1) << i;
    }
    p.loops++;
    nav_plan_find_notches(&p);
}

static void begin(const nav_point *at, int32_t n)
{
    p = (plan){0};
    add_loop(at, n);
}
#define BEGIN(...)                                                                                                     \
    begin((const nav_point[]){__VA_ARGS__}, (int32_t)(sizeof((nav_point[]){__VA_ARGS__}) / sizeof(nav_point)))
#define HOLE(...)                                                                                                      \
    add_loop((const nav_point[]){__VA_ARGS__}, (int32_t)(sizeof((nav_point[]){__VA_ARGS__}) / sizeof(nav_point)))

// Outer loops run with the inside to their right: up in z first, then along x.
START_TEST(convex_plan_needs_no_portal)
{
    BEGIN({0, 0}, {0, 9}, {9, 9}, {9, 0});
    ck_assert_int_eq(p.notch_count, 0);
    ck_assert_int_eq(nav_plan_find_portals(&p, 1, portals), 0);
}
END_TEST

START_TEST(one_notch_needs_one_portal)
{
    BEGIN({0, 0}, {0, 9}, {5, 9}, {5, 4}, {9, 4}, {9, 0});
    ck_assert_int_eq(p.notch_count, 1);
    ck_assert_int_eq(nav_plan_find_portals(&p, 9, portals), 1);
    ck_assert_int_eq(nav_plan_find_portals(&p, 1, portals), -1);
}
END_TEST

// Two rooms and a doorway through a thick wall: four notches, one portal on either side of the wall.
START_TEST(doorway_has_one_portal_on_each_side)
{
    BEGIN({0, 0}, {0, 20}, {10, 20}, {10, 12}, {13, 12}, {13, 20}, {30, 20}, {30, 0}, {13, 0}, {13, 8}, {10, 8},
          {10, 0});
    ck_assert_int_eq(p.notch_count, 4);
    ck_assert_int_eq(nav_plan_find_portals(&p, 9, portals), 2);
}
END_TEST

START_TEST(pillar_in_a_room_has_four_portals_and_four_cells)
{
    BEGIN({0, 0}, {0, 20}, {20, 20}, {20, 0});
    HOLE({8, 8}, {12, 8}, {12, 12}, {8, 12});
    ck_assert_int_eq(p.notch_count, 4);
    int32_t n = nav_plan_find_portals(&p, 9, portals);
    ck_assert_int_eq(n, 4);
    ck_assert_int_eq(n - p.loops + 2, 4);
}
END_TEST

// A spike whose wedge holds no corner: two portals, or one to a stop on the wall.
START_TEST(stop_on_a_wall_saves_a_portal)
{
    BEGIN({0, 0}, {0, 20}, {40, 20}, {40, 0}, {21, 0}, {20, 10}, {19, 0});
    ck_assert_int_eq(p.notch_count, 1);
    ck_assert_int_eq(nav_plan_find_portals(&p, 9, portals), 2);
    nav_plan_add_stops(&p);
    ck_assert_int_eq(p.count, 8);
    ck_assert_int_eq(p.edge[7], PLAN_STOP);
    ck_assert_int_eq(p.at[7].x, 20);
    ck_assert_int_eq(p.at[7].z, 20);
    ck_assert_int_eq(nav_plan_find_portals(&p, 9, portals), 1);
}
END_TEST

START_TEST(no_stop_is_put_on_an_open_border)
{
    BEGIN({0, 0}, {0, 20}, {40, 20}, {40, 0}, {21, 0}, {20, 10}, {19, 0});
    p.walls = 0;
    nav_plan_add_stops(&p);
    ck_assert_int_eq(p.count, 7);
}
END_TEST

// Contours of one region and area, all walls, at heights y, or at 0.
static void build_polygons(int32_t (*at)[2], const int32_t *y, int32_t *first, int32_t loops,
                           const nav_settings *settings, nav_arena *arena)
{
    enum { MOST = 64 };
    int32_t x[MOST], z[MOST], heights[MOST] = {0}, behind[MOST], region[MOST];
    uint8_t area[MOST], hole[MOST], joint[MOST] = {0};
    nav_config cfg;
    ck_assert_int_le(first[loops], MOST);
    for (int32_t k = 0; k < first[loops]; k++) {
        x[k] = at[k][0];
        z[k] = at[k][1];
        if (y) heights[k] = y[k];
        behind[k] = NAV_EDGE_WALL;
    }
    for (int32_t l = 0; l < loops; l++) {
        region[l] = area[l] = 1;
        hole[l] = l > 0;
    }
    const nav_contours o = {.loop_count = loops,
                            .loop_first = first,
                            .loop_region = region,
                            .loop_area = area,
                            .loop_hole = hole,
                            .vert_count = first[loops],
                            .x = x,
                            .y = heights,
                            .z = z,
                            .behind = behind,
                            .border_joint = joint};
    nav_config_init(&cfg, settings, 0, 0);
    ck_assert_int_eq(nav_polygons_build(&o, &cfg, arena, &polys), NAV_OK);
}

// A wall that rises by 1000000 voxels over 16000 cells, with a stop in its middle.
START_TEST(stop_on_a_long_steep_wall_lies_at_its_height)
{
    int32_t at[][2] = {{0, 0}, {0, 8000}, {16000, 8000}, {16000, 0}, {8001, 0}, {8000, 4000}, {7999, 0}};
    int32_t y[] = {0, 0, 1000000, 1000000, 0, 0, 0}, first[] = {0, 7}, stops = 0;
    nav_settings settings;
    nav_arena arena;
    nav_settings_default(&settings);
    nav_arena_init(&arena, 0);
    build_polygons(at, y, first, 1, &settings, &arena);
    for (int32_t v = 0; v < polys.vert_count; v++) {
        if (polys.x[v] != 8000 || polys.z[v] != 8000) continue;
        ck_assert_int_eq(polys.y[v], 500000);
        stops++;
    }
    ck_assert_int_eq(stops, 1);
    nav_arena_deinit(&arena);
}
END_TEST

// Obstacles that meet in corners: a search that takes one of their sectors for another finds a cell that goes round
// twice.
START_TEST(cells_between_touching_obstacles_go_round_once)
{
    static int32_t at[][2] = {{0, 0},        {0, 2632},      {8762, 2625},   {2048, 8192},   {0, 3756},
                              {0, 49152},    {19115, 49152}, {19115, 0},     {246, 32758},   {2048, 32085},
                              {3191, 43626}, {515, 14899},   {1225, 7813},   {2048, 18432},  {2048, 8192},
                              {9021, 3830},  {7377, 16107},  {11855, 10673}, {13851, 19214}, {7769, 18647},
                              {9875, 20545}, {2048, 18432},  {6332, 17375},  {6947, 16628}};
    int32_t first[] = {0, 8, 11, 14, 24};
    nav_settings settings;
    nav_arena arena;
    nav_settings_default(&settings);
    settings.generator = NAV_GENERATOR_SURFACE;
    nav_arena_init(&arena, 0);
    build_polygons(at, NULL, first, 4, &settings, &arena);
    ck_assert_int_eq(polys.failed_loops, 0);
    ck_assert_int_gt(polys.cell_count, 5);
    for (int32_t c = 0; c < polys.cell_count; c++) {
        const int32_t from = polys.cell_first[c], n = polys.cell_first[c + 1] - from;
        double turned = 0;
        for (int32_t k = 0; k < n; k++) {
            const int32_t a = polys.cell_vert[from + k], b = polys.cell_vert[from + (k + 1) % n],
                          d = polys.cell_vert[from + (k + 2) % n];
            const double ux = polys.x[b] - polys.x[a], uz = polys.z[b] - polys.z[a], vx = polys.x[d] - polys.x[b],
                         vz = polys.z[d] - polys.z[b];
            turned += atan2(uz * vx - ux * vz, ux * vx + uz * vz);
        }
        ck_assert_double_eq_tol(fabs(turned), 2 * M_PI, 1e-6);
    }
    nav_arena_deinit(&arena);
}
END_TEST

static bool is_convex_corner(nav_point later, nav_point v, nav_point sooner)
{
    int64_t turn = nav_right(later, v, sooner);
    return turn > 0 || (turn == 0 && nav_between(later, sooner, v));
}

// Are all corners convex between the portals of `set`, taken from all[]? The rays of each corner are put in the order
// of their corners around the ring, which for a simple polygon is that of their angles.
static bool leaves_no_notch(const portal *all, uint32_t set)
{
    for (int32_t v = 0; v < p.count; v++) {
        nav_point before = p.at[p.next[v]];
        for (int32_t on = 2; on <= p.count - 1; on++) {
            int32_t w = (v + on) % p.count;
            bool ray = on == p.count - 1;
            for (int32_t k = 0; k < 31; k++)
                ray |= (set >> k & 1) && ((all[k].a == v && all[k].b == w) || (all[k].a == w && all[k].b == v));
            if (!ray) continue;
            if (!is_convex_corner(p.at[w], p.at[v], before)) return false;
            before = p.at[w];
        }
    }
    return true;
}

static bool sees(int32_t i, int32_t j)
{
    nav_point a = p.at[i], b = p.at[j];
    if (nav_in_corner(p.at[p.prev[i]], a, p.at[p.next[i]], b) <= 0) return false;
    if (nav_in_corner(p.at[p.prev[j]], b, p.at[p.next[j]], a) <= 0) return false;
    for (int32_t k = 0; k < p.count; k++) {
        nav_point c = p.at[k], d = p.at[p.next[k]];
        int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d), ca = nav_right(c, d, a), cb = nav_right(c, d, b);
        if (ac == 0 && nav_between(a, b, c)) return false;
        if (((ac < 0 && ad > 0) || (ac > 0 && ad < 0)) && ((ca < 0 && cb > 0) || (ca > 0 && cb < 0))) return false;
    }
    return true;
}

// The least number of portals, by trying all sets of them.
static int32_t least_by_trial(void)
{
    portal all[31];
    int32_t n = 0, least = 99;
    for (int32_t i = 0; i < p.count; i++)
        for (int32_t j = i + 2; j < p.count - (i == 0); j++)
            if (((p.notches >> i | p.notches >> j) & 1) && sees(i, j)) {
                if (n == 14) return -1; // too many to try
                all[n++] = (portal){i, j};
            }
    for (uint32_t set = 0; set < 1u << n; set++) {
        if (__builtin_popcount(set) >= least) continue;
        bool crossing = false;
        for (int32_t k = 0; k < n; k++)
            for (int32_t l = 0; l < k; l++)
                crossing |=
                    (set >> k & 1) && (set >> l & 1) && all[k].a != all[l].a && all[k].b != all[l].b &&
                    all[k].a != all[l].b && all[k].b != all[l].a &&
                    (all[k].a < all[l].a && all[l].a < all[k].b) != (all[k].a < all[l].b && all[l].b < all[k].b);
        if (!crossing && leaves_no_notch(all, set)) least = __builtin_popcount(set);
    }
    return least;
}

// Star-shaped rings around (0, 0): corners in the order of their angle, at random distances.
static bool random_ring(uint32_t *state)
{
    static const nav_point around[] = {{-8, 0}, {-8, 5}, {-6, 6}, {-5, 8}, {0, 8},  {5, 8},
                                       {6, 6},  {8, 5},  {8, 0},  {5, -7}, {0, -8}, {-6, -5}};
    nav_point at[12];
    int32_t n = 0;
    for (int32_t k = 0; k < 12; k++) {
        int32_t scale = 1 + (int32_t)(fixture_random(state) % 5);
        if (fixture_random(state) % 4 == 0) continue;
        at[n++] = (nav_point){around[k].x * scale, around[k].z * scale};
    }
    if (n < 5 || n > 10) return false;
    for (int32_t k = 0; k < n; k++) // the centre must be inside
        if (nav_right((nav_point){0, 0}, at[k], at[(k + 1) % n]) <= 0) return false;
    begin(at, n);
    return true;
}

START_TEST(portals_are_the_fewest_there_are)
{
    uint32_t state = (uint32_t)_i + 1;
    int32_t compared = 0;
    for (int32_t round = 0; round < 3000; round++) {
        if (!random_ring(&state)) continue;
        int32_t least = least_by_trial();
        if (least < 0 || least == 99) continue;
        int32_t found = nav_plan_find_portals(&p, PLAN_PORTALS + 1, portals);
        ck_assert_msg(found == least, "round %d: found %d portals, least %d", round, found, least);
        compared++;
    }
    ck_assert_int_gt(compared, 300);
}
END_TEST

enum { WIDE = 1500, DEEP = 3000 };

// A ring with many corners on few lines, and a hole in every other one. In every third round so large that 32 bits do
// not hold an area.
static void crowded_plan(uint32_t *state, int32_t round)
{
    nav_point at[40];
    int32_t n = 0, low = 20, deep[40];
    for (int32_t k = 0; k < 14; k++) {
        deep[k] = (int32_t)(fixture_random(state) % 4) * 3;
        if (deep[k] < low) low = deep[k];
    }
    at[n++] = (nav_point){0, 0}; // up on the left, along a jagged upper side, down on the right
    for (int32_t k = 0; k < 14; k++) at[n++] = (nav_point){3 * k + (int32_t)(fixture_random(state) % 3), 20 - deep[k]};
    at[n++] = (nav_point){42, 20};
    at[n++] = (nav_point){42, 0};
    for (int32_t k = 5; k > 0; k--) at[n++] = (nav_point){7 * k, (int32_t)(fixture_random(state) % 3) * 2};
    begin(at, n);
    if (round % 2) HOLE({20, 7}, {24, 7}, {24, 9}, {20, 9});
    p.wide = round % 3 == 2;
    for (int32_t k = 0; p.wide && k < p.count; k++) p.at[k] = (nav_point){WIDE * p.at[k].x, DEEP * p.at[k].z};
}

// As plane.h has it, one pair of corners at a time.
static void check_sight(sight *s, int32_t i)
{
    sight_view view;
    nav_point v = p.at[i], before = p.at[p.prev[i]], after = p.at[p.next[i]];
    nav_sight_from(s, i, &view);
    for (int32_t j = 0; j < p.count; j++) {
        if (j == i) continue;
        nav_point q = p.at[j];
        bool adjacent = j == p.next[i] || j == p.prev[i], seen = view.seen >> j & 1;
        ck_assert_msg(seen == (!adjacent && sees(i, j)), "corner %d of %d from %d", j, p.count, i);
        bool wedge = is_convex_corner(before, v, q) && is_convex_corner(q, v, after);
        bool wedged = is_convex_corner(p.at[p.prev[j]], q, v) && is_convex_corner(v, q, p.at[p.next[j]]);
        ck_assert_int_eq(view.wedge >> j & 1, wedge);
        ck_assert_int_eq(view.wedged >> j & 1, wedged);
        if (!seen && !adjacent) continue;
        for (int32_t k = 0; k < p.count; k++) {
            int64_t side = nav_right(v, q, p.at[k]);
            bool ahead = side == 0 && k != i && !nav_between(p.at[k], q, v);
            ck_assert_int_eq(view.line[j].right >> k & 1, side > 0);
            ck_assert_int_eq(view.line[j].ahead >> k & 1, ahead);
            ck_assert_int_eq(view.line[j].back >> k & 1, side == 0 && k != i && !ahead);
        }
    }
}

START_TEST(corners_see_what_single_tests_say)
{
    uint32_t state = (uint32_t)_i + 7;
    static sight s;
    int32_t looked = 0;
    for (int32_t round = 0; round < 300; round++) {
        crowded_plan(&state, round);
        nav_sight_init(&s, &p);
        for (int32_t i = 0; i < p.count; i++) {
            if (!(p.notches >> i & 1)) continue;
            check_sight(&s, i);
            looked++;
        }
    }
    ck_assert_int_gt(looked, 1000);
}
END_TEST

START_TEST(thin_angles_are_all_marked)
{
    uint32_t state = 3;
    static sight s;
    sight_view view;
    for (int32_t round = 0; round < 300; round++) {
        crowded_plan(&state, round);
        nav_sight_init(&s, &p);
        for (int32_t i = 0; i < p.count; i++) {
            if (!(p.notches >> i & 1)) continue;
            nav_sight_from(&s, i, &view);
            for (int32_t j = 0; j < p.count; j++) {
                const int32_t ends[4] = {p.next[i], p.prev[i], p.next[j], p.prev[j]};
                for (int32_t k = 0; k < 4 && j != i; k++) {
                    nav_point v = p.at[k < 2 ? i : j], a = p.at[k < 2 ? j : i], b = p.at[ends[k]];
                    double cross = (double)nav_right(v, a, b),
                           dot = (double)(a.x - v.x) * (b.x - v.x) + (double)(a.z - v.z) * (b.z - v.z);
                    if (dot > 0 && 16 * cross < dot && -16 * cross < dot) ck_assert(view.thin >> j & 1);
                }
            }
        }
    }
}
END_TEST

static int64_t right_of(const nav_polygons *q, int32_t a, int32_t b, int32_t c)
{
    return nav_right((nav_point){q->x[a], q->z[a]}, (nav_point){q->x[b], q->z[b]}, (nav_point){q->x[c], q->z[c]});
}

static bool cell_is_convex(const nav_polygons *q, int32_t c)
{
    int32_t n = q->cell_first[c + 1] - q->cell_first[c];
    const int32_t *v = q->cell_vert + q->cell_first[c];
    for (int32_t k = 0; k < n; k++)
        if (right_of(q, v[k], v[(k + 1) % n], v[(k + 2) % n]) < 0) return false;
    return true;
}

// Squared depth of a corner: the least distance from the lines through two other corners that leave all of the cell on
// one side and this corner between them. By trial of all pairs.
static double depth2_of(const nav_polygons *q, const int32_t *v, int32_t n, int32_t k)
{
    double least = 1e30;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            if (i == j || (q->x[v[i]] == q->x[v[j]] && q->z[v[i]] == q->z[v[j]])) continue;
            bool lid = true;
            for (int32_t m = 0; m < n && lid; m++) lid = right_of(q, v[i], v[j], v[m]) >= 0;
            if (!lid) continue;
            bool between = i < j ? k >= i && k <= j : k >= i || k <= j;
            if (!between) continue;
            double side = (double)right_of(q, v[i], v[j], v[k]), dx = q->x[v[j]] - q->x[v[i]],
                   dz = q->z[v[j]] - q->z[v[i]];
            double d = side * side / (dx * dx + dz * dz);
            if (d < least) least = d;
        }
    }
    return least;
}

START_TEST(dents_of_relaxed_cells_are_within_the_tolerance)
{
    int32_t relaxed = 0, exact = 0, joined = 0;
    for (uint32_t seed = (uint32_t)_i * 40; seed < (uint32_t)_i * 40 + 40; seed++) {
        fixture_world_random(&world, seed, 40, 40);
        fixture_init(&fx, &world, 0, 0, 32, 4);
        fixture_regions_grow(&fx, seed, 1 + (int32_t)(seed % 3));
        fx.cfg.partition = NAV_PARTITION_CONVEX;
        ck_assert_int_eq(nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &fx.arena, &contours), NAV_OK);
        fx.cfg.relaxation = 0;
        ck_assert_int_eq(nav_polygons_build(&contours, &fx.cfg, &fx.arena, &polys), NAV_OK);
        ck_assert_ptr_null(polys.cell_flags);
        exact += polys.cell_count;
        int32_t pieces = polys.count;
        fx.cfg.relaxation = 1.5;
        ck_assert_int_eq(nav_polygons_build(&contours, &fx.cfg, &fx.arena, &polys), NAV_OK);
        joined += polys.cell_count;
        ck_assert_int_eq(polys.count, pieces); // Detour's polygons are the same
        for (int32_t c = 0; c < polys.cell_count; c++) {
            int32_t n = polys.cell_first[c + 1] - polys.cell_first[c];
            const int32_t *v = polys.cell_vert + polys.cell_first[c];
            ck_assert_msg(cell_is_convex(&polys, c) == !(polys.cell_flags[c] & NAV_CELL_RELAXED),
                          "seed %u cell %d has flags %d", seed, c, polys.cell_flags[c]);
            relaxed += polys.cell_flags[c] & NAV_CELL_RELAXED;
            for (int32_t k = 0; k < n; k++)
                ck_assert_msg(depth2_of(&polys, v, n, k) <= 1.5 * 1.5 + 1e-9, "seed %u cell %d corner %d", seed, c, k);
        }
        fixture_deinit(&fx);
    }
    ck_assert_int_gt(relaxed, 20);
    ck_assert_int_lt(joined, exact);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("cells");
    TCase *t = tcase_create("cells");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, corners_see_what_single_tests_say, 0, 4);
    tcase_add_test(t, thin_angles_are_all_marked);
    tcase_add_test(t, cells_between_touching_obstacles_go_round_once);
    tcase_add_test(t, convex_plan_needs_no_portal);
    tcase_add_test(t, one_notch_needs_one_portal);
    tcase_add_test(t, doorway_has_one_portal_on_each_side);
    tcase_add_test(t, pillar_in_a_room_has_four_portals_and_four_cells);
    tcase_add_test(t, stop_on_a_wall_saves_a_portal);
    tcase_add_test(t, no_stop_is_put_on_an_open_border);
    tcase_add_test(t, stop_on_a_long_steep_wall_lies_at_its_height);
    tcase_add_loop_test(t, portals_are_the_fewest_there_are, 0, 4);
    tcase_add_loop_test(t, dents_of_relaxed_cells_are_within_the_tolerance, 0, 3);
    return run_suite(s);
}
