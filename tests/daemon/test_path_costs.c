// path.find where areas cost differently: by the call's own costs, by the world's table, and what is told of the
// answer.
#include "tests/daemon/fixture.h"

#include <math.h>
#include <string.h>

static daemon_fixture d;
static client a;

enum { HALF = 20, FLOOR_Y = 1, MUD = 6 }; // metres; an area
static const float MUD_HALF = 3, MUD_END = 12;
static const np_path_query across = {{-10, FLOOR_Y, 0}, {10, FLOOR_Y, 0}};

// A slab from -20 to 20 with its top at FLOOR_Y, and mud across it that ends at z = 12.
static void start(void)
{
    fixture_start(&d, NULL);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    nav_key slab = client_put_box(&a, HALF, 0.5f, HALF);
    np_op mud = {.kind = NP_OP_PUT_VOLUME, .id = 1, .u.volume = {.point_count = 4, .max_y = 2, .area = MUD}};
    const float corners[] = {-MUD_HALF, -25, MUD_HALF, -25, MUD_HALF, MUD_END, -MUD_HALF, MUD_END};
    memcpy(mud.u.volume.points, corners, sizeof corners);
    const np_op ops[] = {op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), mud};
    np_world_edit_response r;
    np_error err = {0};
    ck_assert_msg(client_edit(&a, ops, 2, &r, &err) == NAV_OK, "%s", err.message);
    client_settle(&a);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&d);
}

static np_path_find_request request_with(const np_area_cost *costs, uint32_t count)
{
    return (np_path_find_request){.world = a.world,
                                  .profile = np_str_of("walker"),
                                  .near_m = NP_PATH_NEAR_M,
                                  .cost_count = count,
                                  .costs = costs,
                                  .query_count = 1,
                                  .queries = &across};
}

static np_path_result ask(const np_path_find_request *r)
{
    np_path_find_response out;
    np_error err = {0};
    ck_assert_msg(client_call(&a, NP_PATH_FIND, r, &out, &err) == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(out.path_count, 1);
    ck_assert_int_eq(out.paths[0].status, NAV_PATH_FOUND);
    ck_assert_int_eq(out.paths[0].limit, NP_PATH_NO_LIMIT);
    return out.paths[0];
}

// Straight through the mud.
static void check_straight(const np_path_result *p)
{
    ck_assert_double_eq_tol(p->length_m, 20, 1e-3);
    ck_assert_double_eq_tol(p->cost, p->length_m, 1e-9);
    ck_assert(p->optimal && p->lower_bound == p->cost);
}

// Around the end of mud that costs 5, or past it through the last of it.
static void check_around(const np_path_result *p, double gap)
{
    const double around = 2 * hypot(10 - (double)MUD_HALF, (double)MUD_END) + 2 * (double)MUD_HALF;
    ck_assert_double_gt(p->length_m, 25);
    ck_assert_double_le(p->cost, around * (1 + gap) + 0.7); // the mud ends at whole columns
    ck_assert_double_gt(p->cost, around - 2);
    ck_assert_double_ge(p->lower_bound, p->cost * (1 - gap) - 1e-9);
    ck_assert_double_le(p->lower_bound, p->cost);
    ck_assert(p->optimal == (p->lower_bound == p->cost));
}

START_TEST(dear_ground_is_gone_around)
{
    const np_area_cost dear = {MUD, 5}, cheap = {MUD, 0.5f};
    np_path_find_request r = request_with(NULL, 0);
    np_path_result p = ask(&r);
    check_straight(&p);
    r = request_with(&dear, 1);
    p = ask(&r);
    check_around(&p, 0.01);
    r.has_gap = true;
    r.gap = 0.001;
    p = ask(&r);
    check_around(&p, 0.001);
    r = request_with(&cheap, 1);
    p = ask(&r);
    ck_assert_double_eq_tol(p.length_m, 20, 0.2);
    ck_assert_double_eq_tol(p.cost, 14 + 6 * 0.5, 0.4);
}
END_TEST

START_TEST(the_table_of_areas_counts_where_the_call_says_so)
{
    const np_area_cost plain = {MUD, 1};
    const np_area table = {.id = MUD, .cost = 5, .walkable = true};
    const np_world_areas_request change = {.world = a.world, .has_areas = true, .area_count = 1, .areas = &table};
    np_world_areas_response changed;
    np_error err = {0};
    np_path_find_request r = request_with(NULL, 0);
    r.world_costs = true;
    np_path_result p = ask(&r); // there is no table
    check_straight(&p);
    ck_assert_msg(client_call(&a, NP_WORLD_AREAS, &change, &changed, &err) == NAV_OK, "%s", err.message);
    p = ask(&r);
    check_around(&p, 0.01);
    r.world_costs = false;
    p = ask(&r);
    check_straight(&p);
    r = request_with(&plain, 1);
    r.world_costs = true;
    p = ask(&r); // its own costs go first
    check_straight(&p);
}
END_TEST

static void refused(const np_path_find_request *r, const char *words)
{
    np_path_find_response out;
    np_error err = {0};
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
}

START_TEST(costs_that_cannot_be_are_refused_with_words)
{
    const struct {
        np_area_cost costs[2];
        uint32_t count;
        const char *words;
    } bad[] = {{{{MUD, 0}}, 1, "costs[0]: cost: 0, expected a number from 0.001"},
               {{{MUD, -1}}, 1, "costs[0]: cost: -1"},
               {{{MUD, 1001}}, 1, "exclude"},
               {{{MUD, NAN}}, 1, "costs[0].cost"},
               {{{0, 1}}, 1, "costs[0]: area: 0"},
               {{{64, 1}}, 1, "costs[0].area"},
               {{{MUD, 1}, {MUD, 2}}, 2, "costs[1].area: 6 is in the list already"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        np_path_find_request r = request_with(bad[i].costs, bad[i].count);
        refused(&r, bad[i].words);
    }
    np_path_find_request r = request_with(&(np_area_cost){MUD, 2}, 1);
    r.radius_m = 1;
    refused(&r, "costs and radius_m");
    r = request_with(NULL, 0);
    r.radius_m = 1;
    r.world_costs = true;
    refused(&r, "world_costs and radius_m");
    static const double gaps[] = {0, -1, 1.5};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        r = request_with(NULL, 0);
        r.has_gap = true;
        r.gap = gaps[i];
        refused(&r, "gap: ");
    }
}
END_TEST

static void ask_place(np_method method, const void *request, void *out)
{
    np_error err = {0};
    ck_assert_msg(client_call(&a, method, request, out, &err) == NAV_OK, "%s", err.message);
}

static void none_in_mud(const np_bin *points)
{
    for (uint32_t i = 0; i < points->size; i += NP_PATH_POINT_BYTES) {
        float p[3];
        memcpy(p, points->data + i, sizeof p);
        ck_assert_msg(fabsf(p[0]) > MUD_HALF - 0.5f || p[2] > MUD_END - 0.5f, "%g, %g", (double)p[0], (double)p[2]);
    }
}

START_TEST(places_mind_what_is_excluded)
{
    const np_str walker = np_str_of("walker");
    const np_place_query at[] = {{{-10, FLOOR_Y, 0}}, {{10, FLOOR_Y, 0}}, {{0, FLOOR_Y, 0}}};
    np_path_nearest_request n = {
        .world = a.world, .profile = walker, .near_m = 1, .exclude = 1 << MUD, .query_count = 3, .queries = at};
    np_path_nearest_response nearest;
    ask_place(NP_PATH_NEAREST, &n, &nearest);
    ck_assert(nearest.places[0].status == NAV_PLACE_FOUND && nearest.places[2].status == NAV_PLACE_NONE);
    np_path_raycast_request line = {
        .world = a.world, .profile = walker, .near_m = 1, .exclude = 1 << MUD, .query_count = 1, .queries = &across};
    np_path_raycast_response ray;
    ask_place(NP_PATH_RAYCAST, &line, &ray);
    ck_assert_int_eq(ray.rays[0].status, NAV_PLACE_WALL);
    ck_assert_float_eq(ray.rays[0].wall.normal[0], -1);
    line.exclude = 0;
    ask_place(NP_PATH_RAYCAST, &line, &ray);
    ck_assert_int_eq(ray.rays[0].status, NAV_PLACE_FOUND);
    np_path_wall_request w = {.world = a.world,
                              .profile = walker,
                              .near_m = 1,
                              .limit_m = 100,
                              .exclude = 1 << MUD,
                              .query_count = 1,
                              .queries = at};
    np_path_wall_response wall;
    ask_place(NP_PATH_WALL, &w, &wall);
    ck_assert_double_eq_tol(wall.walls[0].distance_m, 10 - (double)MUD_HALF, 0.5);
    np_path_reach_request r = {.world = a.world,
                               .profile = walker,
                               .near_m = 1,
                               .exclude = 1 << MUD,
                               .from = {-10, FLOOR_Y, 0},
                               .goal_count = 3,
                               .goals = at};
    np_path_reach_response reach;
    ask_place(NP_PATH_REACH, &r, &reach);
    ck_assert_uint_eq(reach.goal_count, 3);
    ck_assert(reach.goals[0].status == NAV_PLACE_FOUND && reach.goals[1].status == NAV_PLACE_FOUND); // around it
    ck_assert_int_eq(reach.goals[2].status, NAV_PLACE_NO_GOAL);
    const np_path_random_request drawn = {.world = a.world,
                                          .profile = walker,
                                          .near_m = 1,
                                          .exclude = 1 << MUD,
                                          .count = 500,
                                          .has_at = true,
                                          .at = {-10, FLOOR_Y, 0},
                                          .reachable = true};
    np_path_random_response random;
    ask_place(NP_PATH_RANDOM, &drawn, &random);
    ck_assert_uint_eq(random.points.size, 500 * NP_PATH_POINT_BYTES);
    none_in_mud(&random.points);
    np_path_within_request near = {.world = a.world,
                                   .profile = walker,
                                   .near_m = 1,
                                   .exclude = 1 << MUD,
                                   .at = {-10, FLOOR_Y, 0},
                                   .distance_m = 15,
                                   .outlines = true};
    np_path_within_response within;
    ask_place(NP_PATH_WITHIN, &near, &within);
    ck_assert_uint_gt(within.points.size, 0);
    none_in_mud(&within.points);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path costs");
    TCase *t = tcase_create("path costs");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, dear_ground_is_gone_around);
    tcase_add_test(t, the_table_of_areas_counts_where_the_call_says_so);
    tcase_add_test(t, places_mind_what_is_excluded);
    tcase_add_test(t, costs_that_cannot_be_are_refused_with_words);
    suite_add_tcase(s, t);
    return run_suite(s);
}
