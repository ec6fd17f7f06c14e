// Places of a world's ground as the user of the client library meets them.
#include "navd.h"
#include "tests/daemon/fixture.h"

#include <math.h>
#include <string.h>

static daemon_fixture daemon_;
static client editor;
static navd_client *c;
static uint64_t world;
static const navd_place_options anywhere = {.near_m = NAVD_PATH_NEAR_M};

// A slab of 16 m with its top at 0.5.
static void start(void)
{
    char why[300];
    navd_world opened;
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&editor, &daemon_);
    client_open(&editor);
    const np_op op = op_put(1, client_put_box(&editor, 8, 0.5f, 8), 0, 0, 0);
    ck_assert_int_eq(client_edit(&editor, &op, 1, NULL, NULL), NAV_OK);
    client_settle(&editor);
    navd_options o = {.address = daemon_.config.socket, .name = "places", .timeout_ms = 240000};
    ck_assert_msg(navd_connect_with(&o, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_int_eq(navd_world_open(c, "w", false, NULL, NULL, 0, &opened), NAVD_OK);
    world = opened.id;
    navd_world_free(&opened);
}

static void stop(void)
{
    navd_close(c);
    client_close(&editor);
    fixture_stop(&daemon_);
}

START_TEST(answers_come_in_order_with_what_they_have)
{
    const double at[2][3] = {{3, 0.5, 2}, {50, 0.5, 2}};
    const navd_path_query lines[] = {{{3, 0.5, 2}, {-3, 0.5, 2}}, {{3, 0.5, 2}, {50, 0.5, 2}}};
    navd_places *p;
    ck_assert_int_eq(navd_find_nearest(c, world, "walker", &anywhere, at, 2, &p), NAVD_OK);
    ck_assert_uint_eq(p->count, 2);
    ck_assert_uint_eq(p->revision, 1);
    ck_assert_int_eq(p->places[0].status, NAVD_PLACE_FOUND);
    ck_assert(p->places[0].has_place && !p->places[0].has_wall);
    ck_assert_float_eq_tol(p->places[0].at[0], 3, 1e-2f);
    ck_assert_str_eq(navd_place_status_name(p->places[1].status), "none");
    navd_places_free(p);
    ck_assert_int_eq(navd_cast_rays(c, world, "walker", &anywhere, lines, 2, &p), NAVD_OK);
    ck_assert_int_eq(p->places[0].status, NAVD_PLACE_FOUND);
    ck_assert_double_eq_tol(p->places[0].distance_m, 6, 1e-2);
    ck_assert_int_eq(p->places[1].status, NAVD_PLACE_WALL);
    ck_assert_float_eq(p->places[1].wall.normal[0], -1);
    double to_wall = p->places[1].distance_m;
    navd_places_free(p);
    ck_assert_int_eq(navd_find_walls(c, world, "walker", &anywhere, NAVD_WALL_LIMIT_M, at, 2, &p), NAVD_OK);
    ck_assert_double_eq_tol(p->places[0].distance_m, to_wall, 1e-6);
    ck_assert_int_eq(p->places[1].status, NAVD_PLACE_NO_START);
    navd_places_free(p);
    ck_assert_int_eq(navd_reach_goals(c, world, "walker", &anywhere, at[0], at, 2, &p), NAVD_OK);
    ck_assert_int_eq(p->places[0].status, NAVD_PLACE_FOUND);
    ck_assert_int_eq(p->places[1].status, NAVD_PLACE_NO_GOAL);
    navd_places_free(p);
}
END_TEST

START_TEST(excluded_ground_is_none_for_places)
{
    const double at[2][3] = {{3, 0.5, 2}, {-3, 0.5, 2}};
    const navd_path_query line = {{3, 0.5, 2}, {-3, 0.5, 2}};
    const navd_place_options none = {.near_m = NAVD_PATH_NEAR_M, .exclude = UINT64_C(1) << 63};
    const navd_random_query q = {.count = 5, .near_m = NAVD_PATH_NEAR_M, .exclude = none.exclude};
    navd_places *p;
    navd_random_places *drawn;
    navd_within *w;
    ck_assert_int_eq(navd_find_nearest(c, world, "walker", &none, at, 2, &p), NAVD_OK);
    ck_assert(p->places[0].status == NAVD_PLACE_NONE && p->places[1].status == NAVD_PLACE_NONE);
    navd_places_free(p);
    ck_assert_int_eq(navd_cast_rays(c, world, "walker", &none, &line, 1, &p), NAVD_OK);
    ck_assert_int_eq(p->places[0].status, NAVD_PLACE_NO_START);
    navd_places_free(p);
    ck_assert_int_eq(navd_find_walls(c, world, "walker", &none, 10, at, 1, &p), NAVD_OK);
    ck_assert_int_eq(p->places[0].status, NAVD_PLACE_NO_START);
    navd_places_free(p);
    ck_assert_int_eq(navd_reach_goals(c, world, "walker", &none, at[0], at, 2, &p), NAVD_OK);
    ck_assert_uint_eq(p->count, 2);
    ck_assert(p->places[0].status == NAVD_PLACE_NO_START && p->places[1].status == NAVD_PLACE_NO_START);
    navd_places_free(p);
    ck_assert_int_eq(navd_draw_places(c, world, "walker", &q, &drawn), NAVD_OK);
    ck_assert_int_eq(drawn->status, NAVD_PLACE_NONE);
    navd_random_places_free(drawn);
    ck_assert_int_eq(navd_find_within(c, world, "walker", &none, at[0], 2, false, &w), NAVD_OK);
    ck_assert_int_eq(w->status, NAVD_PLACE_NO_START);
    navd_within_free(w);
}
END_TEST

START_TEST(random_places_come_with_their_points)
{
    navd_random_query q = {.seed = 3,
                           .count = 50,
                           .has_at = true,
                           .at = {3, 0.5, 2},
                           .radius_m = 2,
                           .reachable = true,
                           .near_m = NAVD_PATH_NEAR_M};
    navd_random_places *p;
    ck_assert_int_eq(navd_draw_places(c, world, "walker", &q, &p), NAVD_OK);
    ck_assert_int_eq(p->status, NAVD_PLACE_FOUND);
    ck_assert_uint_eq(p->count, 50);
    for (uint32_t i = 0; i < 50; i++)
        ck_assert_double_le(hypot((double)p->points[3 * i] - 3, (double)p->points[3 * i + 2] - 2), 2 + 1e-5);
    navd_random_places_free(p);
    q.has_at = false;
    ck_assert_int_eq(navd_draw_places(c, world, "walker", &q, &p), NAVD_ERR_ARGUMENT);
    ck_assert_ptr_null(p);
    ck_assert_ptr_nonnull(strstr(navd_error_text(c), "reachable"));
}
END_TEST

START_TEST(what_is_within_a_distance_comes_with_its_outlines)
{
    const double at[3] = {3, 0.5, 2}, off[3] = {50, 0.5, 2};
    navd_within *w;
    ck_assert_int_eq(navd_find_within(c, world, "walker", &anywhere, at, 2, true, &w), NAVD_OK);
    ck_assert_int_eq(w->status, NAVD_PLACE_FOUND);
    ck_assert_uint_eq(w->revision, 1);
    ck_assert_uint_gt(w->cell_count, 0);
    ck_assert(w->cells[0].distance_m == 0 && !w->cells[0].whole);
    ck_assert_uint_gt(w->outline_count, 0);
    double twice = 0, farthest = 0;
    for (uint32_t i = 0; i < w->outline_count; i++) {
        const float *a = w->points + 3 * (size_t)w->first[i];
        for (uint32_t k = w->first[i]; k < w->first[i + 1]; k++) {
            const float *b = w->points + 3 * (size_t)k, *d = k + 1 < w->first[i + 1] ? b + 3 : a;
            farthest = fmax(farthest, hypot((double)b[0] - 3, (double)b[2] - 2));
            twice += (double)b[2] * (double)d[0] - (double)b[0] * (double)d[2];
        }
    }
    ck_assert_double_eq_tol(farthest, 2, 1e-3);
    ck_assert_double_eq_tol(fabs(twice) / 2, 3.14159 * 4, 0.4); // a disk, less what chords cut off
    navd_within_free(w);
    ck_assert_int_eq(navd_find_within(c, world, "walker", &anywhere, at, 100, false, &w), NAVD_OK);
    ck_assert_uint_eq(w->outline_count, 0);
    for (uint32_t i = 0; i < w->cell_count; i++) ck_assert(w->cells[i].whole);
    navd_within_free(w);
    ck_assert_int_eq(navd_find_within(c, world, "walker", &anywhere, off, 2, true, &w), NAVD_OK);
    ck_assert_int_eq(w->status, NAVD_PLACE_NO_START);
    ck_assert_uint_eq(w->cell_count, 0);
    navd_within_free(w);
    ck_assert_int_eq(navd_find_within(c, world, "walker", &anywhere, at, -1, true, &w), NAVD_ERR_ARGUMENT);
    ck_assert_ptr_null(w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client_places");
    TCase *t = tcase_create("places");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, answers_come_in_order_with_what_they_have);
    tcase_add_test(t, excluded_ground_is_none_for_places);
    tcase_add_test(t, random_places_come_with_their_points);
    tcase_add_test(t, what_is_within_a_distance_comes_with_its_outlines);
    suite_add_tcase(s, t);
    return run_suite(s);
}
