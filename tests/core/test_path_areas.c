// Paths that mind areas and take off-mesh links: excluded ground and links are judged by the graph of corners.
#include "navcore/path_places.h"
#include "tests/bench/heap_count.h"
#include "tests/check.h"
#include "tests/core/path_weigh_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WATER = 5, MUD = 6, ROPE = 7, AREA_COUNT = 3, LINKS = 4, SIZE = 16 };

static path_world world;
static nav_path_finder *finder;
static nav_path_costs costs;
static uint32_t seed;

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    nav_path_costs_default(&costs);
    seed = 1;
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    path_world_free(&world);
    world = (path_world){0};
}

static nav_settings settings_of(int32_t tile_cells)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = tile_cells;
    s.agent_radius_m = 0.3f;
    return s;
}

static nav_volume strip(float x0, float z0, float x1, float z1, uint8_t area)
{
    return (nav_volume){
        .point_count = 4, .points = {x0, z0, x1, z0, x1, z1, x0, z1}, .min_y = -1, .max_y = 2, .area = area};
}

// A convex patch of 3 to 6 corners.
static nav_volume patch(float size, uint8_t area)
{
    nav_volume v = {.point_count = 3 + scene_random(&seed) % 4, .min_y = -1, .max_y = 2, .area = area};
    float x = scene_random_between(&seed, 2, size - 2), z = scene_random_between(&seed, 2, size - 2);
    float turn = scene_random_between(&seed, 0, 6), wide = scene_random_between(&seed, 1, 4);
    for (uint32_t k = 0; k < v.point_count; k++) {
        float at = turn + 6.2831853f * (float)k / (float)v.point_count;
        v.points[2 * k] = x + wide * cosf(at);
        v.points[2 * k + 1] = z + wide * sinf(at);
    }
    return v;
}

static void add_boxes(scene *s, float size, int boxes)
{
    scene_floor(s, 0, 0, size, size, 0);
    for (int i = 0; i < boxes; i++) {
        float x = scene_random_between(&seed, 1, size - 4), z = scene_random_between(&seed, 1, size - 4);
        float turn = scene_random(&seed) % 3 ? 0 : scene_random_between(&seed, 0, 1.5f);
        scene_box(s, x, 0, z, x + scene_random_between(&seed, 0.6f, 4), 3, z + scene_random_between(&seed, 0.6f, 4),
                  cosf(turn), sinf(turn));
    }
}

static nav_path ask(const double from[3], const double to[3], bool links)
{
    nav_path_query q = {.near_m = 1, .costs = &costs, .links = links};
    nav_path path;
    memcpy(q.from, from, sizeof q.from);
    memcpy(q.to, to, sizeof q.to);
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &path), NAV_OK);
    return path;
}

static nav_path ask_xz(double ax, double az, double bx, double bz, bool links)
{
    return ask((double[]){ax, 0.2, az}, (double[]){bx, 0.2, bz}, links);
}

static void random_place(double out[3])
{
    for (int k = 0; k < 3; k += 2) {
        out[k] = (double)scene_random_between(&seed, 0, SIZE);
        double column = (double)world.settings.cell_size_m;
        if (scene_random(&seed) % 4 == 0) out[k] = round(out[k] / column) * column; // on edges and corners
    }
    out[1] = 0;
}

// Asks at random, and lets the judge say what the least is. Returns how many had a path.
static int judge_queries(int queries, bool links)
{
    int found = 0;
    for (int i = 0; i < queries; i++) {
        double from[3], to[3];
        random_place(from);
        random_place(to);
        nav_path p = ask(from, to, links);
        if (p.status == NAV_PATH_NO_START || p.status == NAV_PATH_NO_GOAL) continue;
        const float *end = &p.points[3 * (p.point_count - 1)];
        double best = path_world_judge(&world, p.points, end, -1, 1);
        ck_assert_msg(fabs(p.cost - best) < 1e-4, "from %.9g, %.9g to %.9g, %.9g: %.9g, the judge has %.9g", from[0],
                      from[2], to[0], to[2], p.cost, best);
        ck_assert(p.optimal && p.lower_bound == p.cost);
        if (p.status == NAV_PATH_PARTIAL) { // what it could not get to, the judge cannot either
            float goal[3] = {(float)to[0], (float)to[1], (float)to[2]};
            ck_assert(path_world_judge(&world, p.points, goal, -1, 1) < 0);
        }
        found += p.status == NAV_PATH_FOUND;
    }
    return found;
}

static void build_patches(const nav_link *links, uint32_t link_count, uint32_t first_seed)
{
    scene s = {0};
    nav_volume volumes[7];
    nav_settings settings = settings_of(first_seed % 2 ? 24 : 64);
    seed = first_seed;
    add_boxes(&s, SIZE, 5);
    for (int i = 0; i < 7; i++) volumes[i] = patch(SIZE, (uint8_t)(WATER + i % 2));
    nav_tile_source more = {.volumes = volumes, .volume_count = 7, .links = links, .link_count = link_count};
    path_world_build_with(&world, &s, &settings, &more);
    scene_free(&s);
}

START_TEST(excluded_ground_is_a_wall)
{
    int found = 0, worlds = 0;
    for (uint32_t trial = 0; trial < 4; trial++) {
        build_patches(NULL, 0, (uint32_t)(1 + 4 * _i) + trial);
        costs.excluded = world.excluded = UINT64_C(1) << WATER;
        bool flat = path_world_can_judge(&world, -1, 1);
        worlds += flat;
        if (flat) found += judge_queries(20, false);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(worlds, 1);
    ck_assert_int_gt(found, 4 * worlds);
}
END_TEST

// A river across the floor: the far bank cannot be reached, and the path ends at the water.
START_TEST(excluded_ground_cuts_off_what_is_behind_it)
{
    scene s = {0};
    nav_settings settings = settings_of(20);
    nav_volume river = strip(-1, 7, 21, 9, WATER);
    scene_floor(&s, 0, 0, 20, 20, 0);
    path_world_build_with(&world, &s, &settings, &(nav_tile_source){.volumes = &river, .volume_count = 1});
    scene_free(&s);
    ck_assert_int_eq(ask_xz(5, 2, 5, 15, false).status, NAV_PATH_FOUND);
    costs.excluded = UINT64_C(1) << WATER;
    nav_path p = ask_xz(5, 2, 5, 15, false);
    ck_assert_int_eq(p.status, NAV_PATH_PARTIAL);
    ck_assert_float_eq_tol(p.points[3 * (p.point_count - 1) + 2], 7, 0.31f);
    ck_assert_int_eq(ask_xz(5, 2, 15, 5, false).status, NAV_PATH_FOUND);
    p = ask_xz(5, 7.6, 15, 5, false); // in the water: from the bank on
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_float_lt(p.points[2], 7.31f);
    costs.excluded |= UINT64_C(1) << 63;
    ck_assert_int_eq(ask_xz(5, 2, 15, 5, false).status, NAV_PATH_NO_START);
}
END_TEST

static void nearest(double out[3])
{
    double at[3];
    nav_path_nearest found;
    random_place(at);
    ck_assert_int_eq(nav_path_find_nearest(world.set, at, &(nav_place_scope){.near_m = 4}, &found), NAV_OK);
    ck_assert_int_eq(found.status, NAV_PLACE_FOUND);
    for (int k = 0; k < 3; k++) out[k] = (double)found.place.at[k];
}

// Jumps over a world with boxes, some both ways, with ends on whole columns or anywhere.
START_TEST(links_are_taken_where_that_is_shorter)
{
    int found = 0, worlds = 0;
    for (uint32_t trial = 0; trial < 4; trial++) {
        uint32_t first_seed = (uint32_t)(1 + 4 * _i) + trial;
        nav_link links[LINKS];
        path_world_jump jumps[2 * LINKS];
        uint32_t jump_count = 0;
        build_patches(NULL, 0, first_seed);
        for (uint32_t i = 0; i < LINKS; i++) {
            double at[2][3];
            nearest(at[0]);
            nearest(at[1]);
            links[i] =
                (nav_link){.id = 100 + i, .radius_m = 0.2f, .area = ROPE, .both_ways = (uint8_t)(i % 2), .flags = 1};
            for (int k = 0; k < 3; k++) {
                links[i].start[k] = (float)at[0][k];
                links[i].end[k] = (float)at[1][k];
            }
        }
        path_world_free(&world);
        build_patches(links, LINKS, first_seed);
        costs.cost[ROPE] = trial == 2 ? 0.25f : trial == 3 ? 2 : 1;
        for (uint32_t i = 0; i < 2 * LINKS; i++) {
            const nav_link *l = &links[i / 2];
            if (i % 2 && !l->both_ways) continue;
            path_world_jump *j = &jumps[jump_count++];
            memcpy(j->from, i % 2 ? l->end : l->start, sizeof j->from);
            memcpy(j->to, i % 2 ? l->start : l->end, sizeof j->to);
            j->cost =
                (double)costs.cost[ROPE] * hypot((double)(j->to[0] - j->from[0]), (double)(j->to[2] - j->from[2]));
        }
        world.jumps = jumps;
        world.jump_count = jump_count;
        costs.excluded = world.excluded = trial == 1 ? UINT64_C(1) << WATER : 0;
        bool flat = path_world_can_judge(&world, -1, 1);
        worlds += flat;
        if (flat) found += judge_queries(20, true);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_gt(found, 5 * worlds);
}
END_TEST

// Patches of two more areas: what a path costs is what lies on its way, no more than the gap above a bound that no path
// of the judge is below.
START_TEST(a_path_costs_little_more_than_its_bound)
{
    static const float prices[][3] = {{1, 3, 1}, {1, 0.5f, 2}, {1, 10, 0.3f}, {2, 1, 1.2f}};
    int found = 0, worlds = 0, refracted = 0, near = 0;
    for (uint32_t trial = 0; trial < 4; trial++) {
        build_patches(NULL, 0, (uint32_t)(1 + 4 * _i) + trial);
        costs.cost[63] = prices[trial][0];
        costs.cost[WATER] = prices[trial][1];
        costs.cost[MUD] = prices[trial][2];
        bool flat = path_world_can_judge(&world, -1, 1) && path_weigh_can_judge(&world);
        worlds += flat;
        for (int i = 0; i < 6 && flat; i++) {
            double from[3], to[3];
            random_place(from);
            random_place(to);
            nav_path p = ask(from, to, false);
            if (p.status != NAV_PATH_FOUND) continue;
            double best = path_weigh_judge(&world, &costs, p.points, &p.points[3 * (p.point_count - 1)], 0.25);
            double paid = path_weigh_measure(&world, &costs, p.points, p.point_count);
            ck_assert_msg(p.lower_bound <= best + 1e-3, "%.9g, %.9g to %.9g, %.9g: bound %.9g, the judge has %.9g",
                          from[0], from[2], to[0], to[2], p.lower_bound, best);
            // Along a verge the measure takes the cheaper side, and the path may be on the other.
            bool pays = paid < p.cost * 1.005 + 0.05 && p.cost < paid * 1.02 + 0.05;
            ck_assert_msg(pays, "%.9g, but %.9g is paid", p.cost, paid);
            ck_assert(p.lower_bound <= p.cost);
            near += p.lower_bound >= p.cost * 0.99 - 1e-3 && p.cost <= best * 1.01 + 1e-3;
            ck_assert(p.optimal == (p.lower_bound == p.cost));
            refracted += !p.optimal;
            found++;
        }
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(found, 3 * worlds);
    ck_assert_msg(4 * near >= 3 * found, "%d of %d within the gap", near, found); // the others used up their nodes
    if (worlds) ck_assert_int_gt(refracted, 0);
}
END_TEST

static void build_river(bool both_ways)
{
    scene s = {0};
    nav_settings settings = settings_of(20);
    nav_volume river = strip(-1, 7, 21, 9, WATER);
    nav_link link = {.id = 42, .start = {5, 0, 6}, .end = {5, 0, 10}, .radius_m = 0.5f, .area = ROPE, .flags = 1};
    link.both_ways = both_ways;
    scene_floor(&s, 0, 0, 20, 20, 0);
    path_world_build_with(&world, &s, &settings,
                          &(nav_tile_source){.volumes = &river, .volume_count = 1, .links = &link, .link_count = 1});
    scene_free(&s);
    costs.excluded = UINT64_C(1) << WATER;
}

START_TEST(a_link_leads_over_what_is_excluded)
{
    build_river(false);
    ck_assert_int_eq(ask_xz(5, 2, 8, 15, false).status, NAV_PATH_PARTIAL);
    nav_path p = ask_xz(5, 2, 8, 15, true);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_uint_eq(p.point_count, 4);
    ck_assert_uint_eq(p.jump_count, 1);
    ck_assert_uint_eq(p.jumps[0].point, 1);
    ck_assert_uint_eq(p.jumps[0].link, 42);
    ck_assert_uint_eq(p.jumps[0].area, ROPE);
    ck_assert(!p.jumps[0].back);
    ck_assert_float_eq_tol(p.points[5], 6, 1e-3f);
    ck_assert_float_eq_tol(p.points[8], 10, 1e-3f);
    ck_assert_double_eq_tol(p.cost, 8 + hypot(3, 5), 1e-3);
    costs.cost[ROPE] = 3;
    ck_assert_double_eq_tol(ask_xz(5, 2, 8, 15, true).cost, 16 + hypot(3, 5), 1e-3);
    ck_assert_int_eq(ask_xz(8, 15, 5, 2, true).status, NAV_PATH_PARTIAL); // one way
    costs.excluded |= UINT64_C(1) << ROPE;
    ck_assert_int_eq(ask_xz(5, 2, 8, 15, true).status, NAV_PATH_PARTIAL);
    path_world_free(&world);
    build_river(true);
    p = ask_xz(8, 15, 5, 2, true);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_uint_eq(p.jump_count, 1);
    ck_assert(p.jumps[0].back);
    ck_assert_float_eq_tol(p.points[5], 10, 1e-3f);
    // Without the tile of one end there is no link, and with it there is one again.
    int32_t x, z;
    nav_tile_at(&world.settings, 5, 10, &x, &z);
    nav_path_set_drop(world.set, x, z);
    ck_assert_int_eq(nav_path_set_join(world.set), NAV_OK);
    ck_assert_int_eq(ask_xz(8, 15, 5, 2, true).status, NAV_PATH_PARTIAL);
    for (uint32_t i = 0; i < world.count; i++)
        ck_assert_int_eq(nav_path_set_put(world.set, world.tiles[i].data, world.tiles[i].size, NULL, 0), NAV_OK);
    ck_assert_int_eq(nav_path_set_join(world.set), NAV_OK);
    ck_assert_int_eq(ask_xz(8, 15, 5, 2, true).status, NAV_PATH_FOUND);
}
END_TEST

// Two quarters of the floor are closed, and the open ones touch at a point: it is in one of them.
START_TEST(no_path_leads_through_a_point_between_closed_areas)
{
    scene s = {0};
    nav_settings settings = settings_of(24);
    nav_volume closed[] = {strip(-1, -1, 9.9f, 9.9f, WATER), strip(9.9f, 9.9f, 21, 21, WATER)};
    scene_floor(&s, 0, 0, 20, 20, 0);
    path_world_build_with(&world, &s, &settings, &(nav_tile_source){.volumes = closed, .volume_count = 2});
    scene_free(&s);
    costs.excluded = UINT64_C(1) << WATER;
    static const double middle = 9.9;
    nav_path a = ask_xz(middle, middle, 5, 15, false), b = ask_xz(middle, middle, 15, 5, false);
    ck_assert_double_eq_tol(a.status == NAV_PATH_FOUND ? a.length_m : b.length_m, hypot(4.9, 5.1), 1e-3);
    ck_assert_int_eq((a.status == NAV_PATH_FOUND) + (b.status == NAV_PATH_FOUND), 1);
    ck_assert_int_eq((a.status == NAV_PATH_PARTIAL) + (b.status == NAV_PATH_PARTIAL), 1);
}
END_TEST

START_TEST(ground_of_one_cost_costs_that)
{
    scene s = {0};
    nav_settings settings = settings_of(24);
    scene_floor(&s, 0, 0, 20, 20, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
    costs.cost[63] = 2.5f;
    nav_path p = ask_xz(3, 3, 15, 8, false);
    ck_assert_double_eq_tol(p.length_m, 13, 1e-3);
    ck_assert_double_eq(p.cost, 2.5 * p.length_m);
    ck_assert(p.optimal && p.lower_bound == p.cost);
}
END_TEST

// Over verges and by links as well.
START_TEST(a_warm_finder_takes_nothing_from_the_heap)
{
    build_river(true);
    costs.excluded = 0;
    costs.cost[WATER] = 3;
    heap_count cold = heap_count_now(), warm = cold;
    for (int round = 0; round < 2; round++) {
        warm = heap_count_now();
        for (int i = 0; i < 20; i++) (void)ask_xz(3 + 0.5 * i, 2, 14 - 0.5 * i, 15, i % 2);
    }
    heap_count after = heap_count_now();
    if (!heap_count_works()) return;
    ck_assert_uint_gt(warm.calls, cold.calls);
    ck_assert_uint_eq(after.calls, warm.calls);
}
END_TEST

static bool stop_at_last(void *user)
{
    int *left = user;
    return --*left < 0;
}

// A search that is stopped after its first round has a path, and says how far away its bound is and why.
START_TEST(a_stopped_search_tells_what_it_has)
{
    int between = 0, calls = 1 << 20;
    build_patches(NULL, 0, 3);
    costs.cost[WATER] = 3;
    costs.cost[MUD] = 0.5f;
    nav_path_query q = {.from = {1, 0.2, 1}, .to = {15, 0.2, 15}, .near_m = 1, .costs = &costs, .gap = 1e-3};
    q.stop = stop_at_last;
    q.user = &calls;
    nav_path all, p;
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &all), NAV_OK);
    ck_assert_int_eq(all.status, NAV_PATH_FOUND);
    ck_assert_int_eq(all.limit, NAV_PATH_NO_LIMIT);
    ck_assert_double_ge(all.lower_bound, all.cost * (1 - 1e-3) * (1 - 1e-9));
    const nav_path full = all;
    int asked = (1 << 20) - calls;
    double bound = 0;
    ck_assert_int_gt(asked, 2);
    for (int at = 0; at < asked; at++) {
        calls = at;
        ck_assert_int_eq(nav_path_find(finder, world.set, &q, &p), NAV_OK);
        ck_assert_int_eq(p.limit, NAV_PATH_STOPPED);
        if (p.status == NAV_PATH_LIMIT) {
            ck_assert(!p.point_count && p.cost == 0 && p.lower_bound == 0 && !p.optimal);
            continue;
        }
        ck_assert_int_eq(p.status, NAV_PATH_FOUND);
        ck_assert_msg(p.lower_bound <= full.cost && p.cost >= full.cost && p.lower_bound >= bound && !p.optimal,
                      "stopped at %d: cost %.9g, bound %.9g after %.9g; all of it costs %.9g", at, p.cost,
                      p.lower_bound, bound, full.cost);
        bound = p.lower_bound;
        between++;
    }
    ck_assert_int_gt(between, 1);
    q.stop = NULL;
    q.max_nodes = 2;
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &p), NAV_OK);
    ck_assert_int_eq(p.status, NAV_PATH_LIMIT);
    ck_assert_int_eq(p.limit, NAV_PATH_OUT_OF_NODES);
    q.max_nodes = (uint32_t)full.nodes / 2;
    ck_assert_int_eq(nav_path_find(finder, world.set, &q, &p), NAV_OK);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_int_eq(p.limit, NAV_PATH_OUT_OF_NODES);
    ck_assert(p.lower_bound < p.cost * (1 - q.gap));
}
END_TEST

START_TEST(a_cost_out_of_range_is_refused)
{
    build_river(false);
    char why[200];
    nav_path_query q = {.from = {5, 0, 2}, .to = {8, 0, 15}, .near_m = 1, .costs = &costs};
    nav_path p;
    static const float bad[] = {0, -1, NAN, INFINITY, 1e-4f, 1e4f};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        costs.cost[WATER] = bad[i];
        ck_assert_int_eq(nav_path_costs_check(&costs, why, sizeof why), NAV_ERR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(why, "area 5 costs"));
        ck_assert_int_eq(nav_path_find(finder, world.set, &q, &p), NAV_ERR_ARGUMENT);
    }
}
END_TEST

static double apart(const float a[3], const float b[3])
{
    return hypot((double)a[0] - (double)b[0], (double)a[2] - (double)b[2]);
}

// From the place `from` of the ground to the place `to`, of which the path's end knows.
static void judge_ray(const nav_place_scope *scope, const float from[3], const float to[3], int counts[2])
{
    const double a[3] = {(double)from[0], (double)from[1], (double)from[2]};
    const double b[3] = {(double)to[0], (double)to[1], (double)to[2]};
    nav_path_ray ray;
    nav_path p = ask(a, b, false);
    ck_assert_int_eq(nav_path_raycast(finder, world.set, a, b, scope, &ray), NAV_OK);
    bool open = ray.status == NAV_PLACE_FOUND;
    bool straight = p.status == NAV_PATH_FOUND && p.length_m < apart(from, to) + 1e-5;
    counts[open]++;
    ck_assert_msg(open == straight && open == path_world_sees(&world, from, to, -1, 1),
                  "from %.9g, %.9g to %.9g, %.9g: ray %d, path %d", a[0], a[2], b[0], b[2], open, straight);
    if (!open && path_world_wall(&world, from, -1, 1) > 1e-3)
        ck_assert_double_eq_tol(ray.length_m, path_world_open(&world, from, to, -1, 1), 1e-4);
}

// Of the ground to which paths may lead: rays, walls, places at random, what can be reached, and what is within 6 m.
static void judge_places(int counts[2][2])
{
    enum { PLACES = 24 };
    const nav_place_scope scope = {.near_m = 1, .excluded = costs.excluded};
    nav_path_random_query q = {.count = PLACES, .near_m = 1, .excluded = costs.excluded};
    nav_path_randoms drawn;
    nav_path_withins w;
    float at[PLACES][3];
    double goals[PLACES][3];
    nav_place_status reached[PLACES];
    ck_assert_int_eq(nav_path_random(finder, world.set, &q, &drawn), NAV_OK);
    ck_assert_uint_eq(drawn.count, PLACES);
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < 3; k++) goals[i][k] = (double)(at[i][k] = drawn.points[i].at[k]);
    ck_assert_int_eq(nav_path_reach(finder, world.set, goals[0], &scope, (const double(*)[3])goals, PLACES, reached),
                     NAV_OK);
    nav_path_within_query all = {.near_m = 1, .distance_m = 6, .excluded = costs.excluded};
    memcpy(all.at, goals[0], sizeof all.at);
    for (int i = 0; i < PLACES; i++) {
        nav_path_nearest near;
        nav_path_wall wall;
        ck_assert_int_eq(nav_path_find_nearest(world.set, goals[i], &scope, &near), NAV_OK);
        ck_assert_double_lt(apart(near.place.at, at[i]), 1e-4); // it is on ground that counts
        ck_assert_int_eq(nav_path_find_wall(finder, world.set, goals[i], &scope, 100, &wall), NAV_OK);
        if (at[i][1] < 1) // the judge's plane; others are on boxes
            ck_assert_double_eq_tol(wall.distance_m, path_world_wall(&world, at[i], -1, 1), 1e-4);
        if (at[0][1] < 1 && at[i][1] < 1) judge_ray(&scope, at[0], at[i], counts[0]);
        nav_path p = ask(goals[0], goals[i], false);
        ck_assert_int_eq(reached[i], p.status == NAV_PATH_FOUND ? NAV_PLACE_FOUND : NAV_PLACE_NONE);
        double length = p.status == NAV_PATH_FOUND ? p.length_m : INFINITY;
        ck_assert_int_eq(nav_path_within(finder, world.set, &all, &w), NAV_OK);
        bool is_cell = false;
        for (uint32_t k = 0; k < w.cell_count && !is_cell; k++)
            is_cell = w.cells[k].cell.cell == near.place.cell.cell &&
                      w.cells[k].cell.tile_x == near.place.cell.tile_x &&
                      w.cells[k].cell.tile_z == near.place.cell.tile_z && w.cells[k].distance_m <= length + 1e-6;
        if (length < all.distance_m) ck_assert(is_cell);
        counts[1][reached[i] == NAV_PLACE_FOUND]++;
    }
    q.reachable = true;
    memcpy(q.at, goals[0], sizeof q.at);
    ck_assert_int_eq(nav_path_random(finder, world.set, &q, &drawn), NAV_OK);
    for (uint32_t i = 0; i < drawn.count; i++)
        for (int k = 0; k < 3; k++) goals[i][k] = (double)drawn.points[i].at[k];
    ck_assert_int_eq(nav_path_reach(finder, world.set, q.at, &scope, (const double(*)[3])goals, drawn.count, reached),
                     NAV_OK);
    for (uint32_t i = 0; i < drawn.count; i++) ck_assert_int_eq(reached[i], NAV_PLACE_FOUND);
}

START_TEST(excluded_ground_is_a_wall_to_places)
{
    int counts[2][2] = {{0}}, worlds = 0;
    for (uint32_t trial = 0; trial < 6; trial++) {
        build_patches(NULL, 0, (uint32_t)(1 + 6 * _i) + trial);
        costs.excluded = world.excluded = UINT64_C(1) << WATER;
        bool flat = path_world_can_judge(&world, -1, 1);
        worlds += flat;
        if (flat) judge_places(counts);
        path_world_free(&world);
        world = (path_world){0};
    }
    ck_assert_int_ge(worlds, 1);
    ck_assert_int_gt(counts[0][0], 0);
    ck_assert_int_gt(counts[0][1], 0);
    ck_assert_int_gt(counts[1][1], 0);
}
END_TEST

// The bank of a river ends each answer; what lies behind it counts for none.
START_TEST(a_river_that_is_excluded_ends_what_is_asked_of_places)
{
    scene s = {0};
    nav_settings settings = settings_of(20);
    nav_volume river = strip(-1, 7, 21, 9, WATER);
    const double at[3] = {5, 0.2, 4}, behind[2][3] = {{5, 0.2, 15}, {15, 0.2, 2}}, in_it[3] = {5, 0.2, 8};
    nav_place_scope scope = {.near_m = 0.5, .excluded = UINT64_C(1) << WATER};
    nav_path_ray ray;
    nav_path_wall wall;
    nav_path_nearest near;
    nav_path_withins w;
    nav_place_status reach[2];
    scene_floor(&s, 0, 0, 20, 20, 0);
    path_world_build_with(&world, &s, &settings, &(nav_tile_source){.volumes = &river, .volume_count = 1});
    scene_free(&s);
    ck_assert_int_eq(nav_path_raycast(finder, world.set, at, behind[0], &scope, &ray), NAV_OK);
    ck_assert_int_eq(ray.status, NAV_PLACE_WALL);
    ck_assert_double_eq_tol(ray.length_m, 3, 0.31);
    ck_assert_float_eq(ray.wall.normal[1], -1);
    ck_assert_int_eq(nav_path_find_wall(finder, world.set, at, &scope, 100, &wall), NAV_OK);
    ck_assert_double_eq_tol(wall.distance_m, 3, 0.31);
    ck_assert_int_eq(nav_path_find_nearest(world.set, in_it, &scope, &near), NAV_OK);
    ck_assert_int_eq(near.status, NAV_PLACE_NONE);
    ck_assert_int_eq(nav_path_reach(finder, world.set, at, &scope, behind, 2, reach), NAV_OK);
    ck_assert(reach[0] == NAV_PLACE_NONE && reach[1] == NAV_PLACE_FOUND);
    nav_path_within_query q = {
        .at = {5, 0.2, 4}, .near_m = 1, .distance_m = 50, .outlines = true, .excluded = scope.excluded};
    ck_assert_int_eq(nav_path_within(finder, world.set, &q, &w), NAV_OK);
    for (uint32_t i = 0; i < w.first[w.outline_count]; i++) ck_assert_float_lt(w.points[3 * i + 2], 7.31f);
    nav_path_random_query random = {
        .at = {5, 0.2, 4}, .near_m = 1, .count = 200, .reachable = true, .excluded = scope.excluded};
    nav_path_randoms drawn;
    ck_assert_int_eq(nav_path_random(finder, world.set, &random, &drawn), NAV_OK);
    ck_assert_uint_eq(drawn.count, 200);
    for (uint32_t i = 0; i < drawn.count; i++) ck_assert_float_lt(drawn.points[i].at[2], 7.31f);
    scope.excluded = 0;
    ck_assert_int_eq(nav_path_reach(NULL, world.set, at, &scope, behind, 2, reach), NAV_OK);
    ck_assert_int_eq(reach[0], NAV_PLACE_FOUND);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path areas");
    TCase *t = tcase_create("path areas");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, excluded_ground_cuts_off_what_is_behind_it);
    tcase_add_test(t, a_link_leads_over_what_is_excluded);
    tcase_add_test(t, no_path_leads_through_a_point_between_closed_areas);
    tcase_add_test(t, ground_of_one_cost_costs_that);
    tcase_add_test(t, a_warm_finder_takes_nothing_from_the_heap);
    tcase_add_test(t, a_stopped_search_tells_what_it_has);
    tcase_add_test(t, a_cost_out_of_range_is_refused);
    tcase_add_test(t, a_river_that_is_excluded_ends_what_is_asked_of_places);
    tcase_add_loop_test(t, excluded_ground_is_a_wall_to_places, 0, 6);
    tcase_add_loop_test(t, excluded_ground_is_a_wall, 0, 10);
    tcase_add_loop_test(t, links_are_taken_where_that_is_shorter, 0, 10);
    tcase_add_loop_test(t, a_path_costs_little_more_than_its_bound, 0, 12);
    suite_add_tcase(s, t);
    return run_suite(s);
}
