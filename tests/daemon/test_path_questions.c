// path.nearest, path.raycast, path.wall, path.random, path.reach: over the tiles as they are, in the session's axes,
// and what becomes of bad questions.
#include "tests/daemon/fixture.h"

#include <math.h>
#include <string.h>

static daemon_fixture d;
static client a;
static nav_key slab, wall;

enum { HALF = 20, FLOOR_Y = 1 }; // metres

// A slab from -20 to 20 with its top at FLOOR_Y, and across it at x = 0 a wall of 30 m.
static void start(void)
{
    fixture_start(&d, NULL);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    slab = client_put_box(&a, HALF, 0.5f, HALF);
    wall = client_put_box(&a, 0.5f, 2, 15);
    const np_op ops[] = {op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_put(2, wall, 0, FLOOR_Y + 1, 0),
                         op_put(3, slab, 100, FLOOR_Y - 0.5f, 0)};
    np_world_edit_response r;
    np_error err = {0};
    ck_assert_msg(client_edit(&a, ops, 3, &r, &err) == NAV_OK, "%s", err.message);
    client_settle(&a);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&d);
}

static void use_centimetres(void)
{
    np_world_open_request open = {.name = np_str_of("w"), .axes = {.up = NP_UP_Z, .has_unit = true, .unit_m = 0.01}};
    np_world_open_response opened;
    np_error err = {0};
    ck_assert_msg(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err) == NAV_OK, "%s", err.message);
}

static void ask(np_method method, const void *request, void *out)
{
    np_error err = {0};
    ck_assert_msg(client_call(&a, method, request, out, &err) == NAV_OK, "%s", err.message);
}

static void check_at(const float at[3], float x, float y, float z, float off)
{
    ck_assert_msg(fabsf(at[0] - x) < off && fabsf(at[1] - y) < off && fabsf(at[2] - z) < off, "%g, %g, %g",
                  (double)at[0], (double)at[1], (double)at[2]);
}

START_TEST(the_nearest_ground_is_told_with_its_cell)
{
    const np_place_query q[] = {{{-10, FLOOR_Y, 3}}, {{-10, FLOOR_Y + 30, 3}}, {{60, FLOOR_Y, 0}}, {{21, FLOOR_Y, 5}}};
    const np_path_nearest_request r = {
        .world = a.world, .profile = np_str_of("walker"), .near_m = 3, .query_count = 4, .queries = q};
    np_path_nearest_response out;
    ask(NP_PATH_NEAREST, &r, &out);
    ck_assert_uint_eq(out.place_count, 4);
    ck_assert_uint_eq(out.revision, 1);
    ck_assert_int_eq(out.places[0].status, NAV_PLACE_FOUND);
    check_at(out.places[0].place.at, -10, FLOOR_Y, 3, 0.25f);
    ck_assert_int_eq(out.places[1].status, NAV_PLACE_NONE);
    ck_assert(!out.places[1].has_place);
    ck_assert_int_eq(out.places[2].status, NAV_PLACE_NONE);
    ck_assert_int_eq(out.places[3].status, NAV_PLACE_FOUND);
    ck_assert_float_le(out.places[3].place.at[0], HALF);
    ck_assert_double_eq_tol(out.places[3].distance_m, 21 - (double)out.places[3].place.at[0], 0.1);
}
END_TEST

START_TEST(rays_end_at_walls_and_tell_which)
{
    const np_path_query q[] = {{{-10, FLOOR_Y, 0}, {10, FLOOR_Y, 0}},
                               {{-10, FLOOR_Y, 17}, {10, FLOOR_Y, 17}},
                               {{60, FLOOR_Y, 0}, {10, FLOOR_Y, 0}},
                               {{-10, FLOOR_Y, 0}, {-1e300, 0, 0}}};
    np_path_raycast_request r = {
        .world = a.world, .profile = np_str_of("walker"), .near_m = NP_PATH_NEAR_M, .query_count = 4, .queries = q};
    np_path_raycast_response out;
    ask(NP_PATH_RAYCAST, &r, &out);
    ck_assert_uint_eq(out.ray_count, 4);
    const np_ray_result *ray = out.rays;
    ck_assert_int_eq(ray[0].status, NAV_PLACE_WALL);
    ck_assert(ray[0].length_m > 8 && ray[0].length_m < 9.6);
    ck_assert_float_eq_tol(ray[0].end.at[0], (float)(-10 + ray[0].length_m), 1e-3f);
    check_at(ray[0].wall.normal, -1, 0, 0, 1e-6f);
    ck_assert_float_eq_tol(ray[0].wall.from[0], ray[0].end.at[0], 1e-4f);
    ck_assert_int_eq(ray[1].status, NAV_PLACE_FOUND);
    ck_assert(!ray[1].has_wall);
    ck_assert_double_eq_tol(ray[1].length_m, 20, 1e-3);
    ck_assert_int_eq(ray[2].status, NAV_PLACE_NO_START);
    ck_assert(!ray[2].has_end);
    ck_assert_int_eq(ray[3].status, NAV_PLACE_WALL);
    double length = ray[0].length_m;
    use_centimetres();
    const np_path_query cm = {{-1000, 0, 100}, {1000, 0, 100}};
    r.query_count = 1;
    r.queries = &cm;
    ask(NP_PATH_RAYCAST, &r, &out);
    ck_assert_int_eq(out.rays[0].status, NAV_PLACE_WALL);
    ck_assert_double_eq_tol(out.rays[0].length_m, length, 1e-6);
    ck_assert_float_eq_tol(out.rays[0].end.at[0], (float)(-1000 + 100 * length), 0.1f);
    ck_assert_float_eq_tol(out.rays[0].end.at[2], 100 * FLOOR_Y, 25);
    check_at(out.rays[0].wall.normal, -1, 0, 0, 1e-6f);
}
END_TEST

START_TEST(the_nearest_wall_follows_the_edits)
{
    const np_place_query q[] = {{{-6, FLOOR_Y, 0}}, {{60, FLOOR_Y, 0}}};
    np_path_wall_request r = {.world = a.world,
                              .profile = np_str_of("walker"),
                              .near_m = NP_PATH_NEAR_M,
                              .limit_m = NP_WALL_LIMIT_M,
                              .query_count = 2,
                              .queries = q};
    np_path_wall_response out;
    ask(NP_PATH_WALL, &r, &out);
    ck_assert_int_eq(out.walls[0].status, NAV_PLACE_FOUND);
    ck_assert(out.walls[0].distance_m > 4 && out.walls[0].distance_m < 5.6);
    check_at(out.walls[0].wall.normal, -1, 0, 0, 1e-6f);
    ck_assert_int_eq(out.walls[1].status, NAV_PLACE_NO_START);
    r.limit_m = 3;
    ask(NP_PATH_WALL, &r, &out);
    ck_assert_int_eq(out.walls[0].status, NAV_PLACE_NONE);
    r.limit_m = 100;
    const np_op gone = op_remove(2);
    np_world_edit_response edited;
    np_error err = {0};
    ck_assert_int_eq(client_edit(&a, &gone, 1, &edited, &err), NAV_OK);
    client_settle(&a);
    ask(NP_PATH_WALL, &r, &out);
    ck_assert_uint_eq(out.revision, 2);
    ck_assert_double_gt(out.walls[0].distance_m, 12); // the edge of the slab
}
END_TEST

START_TEST(random_places_are_asked_for_by_seed_and_part)
{
    np_path_random_request r = {
        .world = a.world, .profile = np_str_of("walker"), .near_m = NP_PATH_NEAR_M, .seed = 9, .count = 200};
    np_path_random_response out;
    uint8_t first[2400];
    ask(NP_PATH_RANDOM, &r, &out);
    ck_assert_int_eq(out.status, NAV_PLACE_FOUND);
    ck_assert_uint_eq(out.points.size, sizeof first);
    memcpy(first, out.points.data, sizeof first);
    ask(NP_PATH_RANDOM, &r, &out);
    ck_assert_mem_eq(out.points.data, first, sizeof first);
    int far = 0;
    for (int i = 0; i < 200; i++) {
        float at[3];
        memcpy(at, first + 12 * i, sizeof at);
        far += at[0] > 50;
    }
    ck_assert(far > 50 && far < 150); // half of the ground
    r.has_at = true;
    r.at[1] = FLOOR_Y;
    r.at[2] = 17;
    r.reachable = true;
    ask(NP_PATH_RANDOM, &r, &out);
    ck_assert_uint_eq(out.points.size, sizeof first);
    for (int i = 0; i < 200; i++) {
        float at[3];
        memcpy(at, out.points.data + 12 * (size_t)i, sizeof at);
        ck_assert_float_lt(at[0], 50);
    }
    r.areas = 1u << 7;
    ask(NP_PATH_RANDOM, &r, &out);
    ck_assert_int_eq(out.status, NAV_PLACE_NONE);
    ck_assert_uint_eq(out.points.size, 0);
}
END_TEST

START_TEST(goals_are_reached_or_not)
{
    const np_place_query goals[] = {{{10, FLOOR_Y, 0}}, {{100, FLOOR_Y, 0}}, {{60, FLOOR_Y, 0}}};
    np_path_reach_request r = {.world = a.world,
                               .profile = np_str_of("walker"),
                               .near_m = NP_PATH_NEAR_M,
                               .from = {-10, FLOOR_Y, 0},
                               .goal_count = 3,
                               .goals = goals};
    np_path_reach_response out;
    ask(NP_PATH_REACH, &r, &out);
    ck_assert_uint_eq(out.goal_count, 3);
    ck_assert_int_eq(out.goals[0].status, NAV_PLACE_FOUND);
    ck_assert_int_eq(out.goals[1].status, NAV_PLACE_NONE);
    ck_assert_int_eq(out.goals[2].status, NAV_PLACE_NO_GOAL);
    r.from[0] = 60;
    ask(NP_PATH_REACH, &r, &out);
    ck_assert_int_eq(out.goals[0].status, NAV_PLACE_NO_START);
    r.goal_count = 0;
    ask(NP_PATH_REACH, &r, &out);
    ck_assert_uint_eq(out.goal_count, 0);
}
END_TEST

START_TEST(what_is_within_a_distance_comes_with_cells_and_outlines)
{
    np_path_within_request r = {.world = a.world,
                                .profile = np_str_of("walker"),
                                .near_m = NP_PATH_NEAR_M,
                                .at = {-10, FLOOR_Y, 0},
                                .distance_m = 5,
                                .outlines = true};
    np_path_within_response out;
    ask(NP_PATH_WITHIN, &r, &out);
    ck_assert_int_eq(out.status, NAV_PLACE_FOUND);
    ck_assert_uint_gt(out.cells.size, 0);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < out.outlines.size / 4; i++) {
        uint32_t count;
        memcpy(&count, out.outlines.data + 4 * (size_t)i, 4);
        ck_assert_uint_ge(count, 3);
        sum += count;
    }
    ck_assert_uint_eq(sum, out.points.size / NP_PATH_POINT_BYTES);
    for (uint32_t i = 0; i < sum; i++) {
        float at[3];
        memcpy(at, out.points.data + 12 * (size_t)i, sizeof at);
        ck_assert_double_le(hypot((double)at[0] + 10, (double)at[2]), 5 + 1e-4); // nothing is in the way
    }
    r.outlines = false;
    ask(NP_PATH_WITHIN, &r, &out);
    ck_assert_uint_gt(out.cells.size, 0);
    ck_assert_uint_eq(out.points.size + out.outlines.size, 0);
    r.at[0] = 60;
    ask(NP_PATH_WITHIN, &r, &out);
    ck_assert_int_eq(out.status, NAV_PLACE_NO_START);
}
END_TEST

static void refused(np_method method, const void *request, nav_status status, const char *words)
{
    union {
        np_path_nearest_response nearest;
        np_path_raycast_response raycast;
        np_path_wall_response wall;
        np_path_random_response random;
        np_path_reach_response reach;
        np_path_within_response within;
    } out;
    np_error err = {0};
    ck_assert_int_eq(client_call(&a, method, request, &out, &err), status);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
}

START_TEST(bad_questions_are_refused_with_words)
{
    const np_str walker = np_str_of("walker");
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        const np_place_query q = {{0, bad[i], 0}};
        const np_path_query l = {{0, 0, 0}, {bad[i], 0, 0}};
        const np_path_nearest_request n = {
            .world = a.world, .profile = walker, .near_m = 1, .query_count = 1, .queries = &q};
        refused(NP_PATH_NEAREST, &n, NAV_ERR_ARGUMENT, "queries[0].at[1]");
        const np_path_raycast_request c = {
            .world = a.world, .profile = walker, .near_m = 1, .query_count = 1, .queries = &l};
        refused(NP_PATH_RAYCAST, &c, NAV_ERR_ARGUMENT, "queries[0].to[0]");
        const np_path_wall_request w = {.world = a.world, .profile = walker, .near_m = 1, .limit_m = bad[i]};
        refused(NP_PATH_WALL, &w, NAV_ERR_ARGUMENT, "limit_m");
        const np_path_random_request r = {
            .world = a.world, .profile = walker, .near_m = 1, .count = 1, .has_at = true, .radius_m = bad[i]};
        refused(NP_PATH_RANDOM, &r, NAV_ERR_ARGUMENT, "radius_m");
        const np_path_reach_request g = {
            .world = a.world, .profile = walker, .near_m = 1, .from = {bad[i], 0, 0}, .goal_count = 1, .goals = &q};
        refused(NP_PATH_REACH, &g, NAV_ERR_ARGUMENT, "from[0]");
    }
    const np_path_within_request wider = {.world = a.world, .profile = walker, .near_m = 1, .distance_m = 1e6};
    refused(NP_PATH_WITHIN, &wider, NAV_ERR_ARGUMENT, "distance_m");
    const np_path_wall_request wide = {.world = a.world, .profile = walker, .near_m = 1, .limit_m = 1e6};
    refused(NP_PATH_WALL, &wide, NAV_ERR_ARGUMENT, "limit_m");
    np_path_random_request many = {.world = a.world, .profile = walker, .near_m = 1, .count = NP_RANDOM_PLACES + 1};
    refused(NP_PATH_RANDOM, &many, NAV_ERR_LIMIT, "65536");
    many.count = 1;
    many.reachable = true;
    refused(NP_PATH_RANDOM, &many, NAV_ERR_ARGUMENT, "reachable needs it");
    const np_path_nearest_request nobody = {.world = a.world, .profile = np_str_of("giant"), .near_m = 1};
    refused(NP_PATH_NEAREST, &nobody, NAV_ERR_NOT_FOUND, "giant");
    const np_path_nearest_request nowhere = {.world = 99, .profile = walker, .near_m = 1};
    refused(NP_PATH_NEAREST, &nowhere, NAV_ERR_NOT_FOUND, "99");
}
END_TEST

// Any of them may ask first, wait behind another, and go with its session.
START_TEST(calls_wait_with_those_for_paths_and_end_with_their_session)
{
    const np_path_query q = {{-10, FLOOR_Y, 17}, {10, FLOOR_Y, 17}};
    const np_path_raycast_request r = {
        .world = a.world, .profile = np_str_of("walker"), .near_m = 1, .query_count = 1, .queries = &q};
    const np_path_find_request f = {
        .world = a.world, .profile = np_str_of("walker"), .near_m = 1, .query_count = 1, .queries = &q};
    client b;
    fixture_hold_workers(&d);
    client_connect(&b, &d);
    client_greet(&b);
    (void)client_send(&b, NP_PATH_RAYCAST, &r);
    (void)client_stat(&b, "worlds"); // it has been read
    client_close(&b);
    uint32_t ray = client_send(&a, NP_PATH_RAYCAST, &r), path = client_send(&a, NP_PATH_FIND, &f);
    fixture_release_workers(&d);
    np_path_raycast_response rays;
    np_path_find_response paths;
    np_error err = {0};
    ck_assert_int_eq(client_wait(&a, NP_PATH_RAYCAST, ray, &rays, &err), NAV_OK);
    ck_assert_int_eq(rays.rays[0].status, NAV_PLACE_FOUND);
    double length = rays.rays[0].length_m;
    ck_assert_int_eq(client_wait(&a, NP_PATH_FIND, path, &paths, &err), NAV_OK);
    ck_assert_double_eq_tol(paths.paths[0].length_m, length, 1e-9);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_questions");
    TCase *t = tcase_create("path_questions");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, the_nearest_ground_is_told_with_its_cell);
    tcase_add_test(t, rays_end_at_walls_and_tell_which);
    tcase_add_test(t, the_nearest_wall_follows_the_edits);
    tcase_add_test(t, random_places_are_asked_for_by_seed_and_part);
    tcase_add_test(t, goals_are_reached_or_not);
    tcase_add_test(t, what_is_within_a_distance_comes_with_cells_and_outlines);
    tcase_add_test(t, bad_questions_are_refused_with_words);
    tcase_add_test(t, calls_wait_with_those_for_paths_and_end_with_their_session);
    suite_add_tcase(s, t);
    return run_suite(s);
}
