// Watched paths as the user of the client library meets them.
#include "navd.h"
#include "tests/daemon/fixture.h"

#include <math.h>
#include <poll.h>
#include <string.h>

static daemon_fixture daemon_;
static client editor;
static navd_client *c;
static uint64_t world;
static nav_key wall;

typedef struct heard {
    uint64_t watch, synced;
    uint32_t paths, last_query, points;
    double length_m;
    char ended[64];
} heard;

static void on_paths(void *user, const navd_paths_news *news)
{
    heard *h = user;
    if (news->watch != h->watch) return;
    ck_assert_uint_eq(news->world, world);
    h->paths += news->count;
    for (uint32_t i = 0; i < news->count; i++) {
        h->last_query = news->queries[i];
        h->length_m = news->paths[i].length_m;
        h->points = news->paths[i].point_count;
    }
    if (news->synced) h->synced = news->revision;
    if (news->ended) snprintf(h->ended, sizeof h->ended, "%s", news->ended);
}

// A slab of 16 m with its top at 0.5.
static void start(void)
{
    char why[300];
    navd_world opened;
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&editor, &daemon_);
    client_open(&editor);
    wall = client_put_box(&editor, 0.5f, 2, 6);
    const np_op op = op_put(1, client_put_box(&editor, 8, 0.5f, 8), 0, 0, 0);
    ck_assert_int_eq(client_edit(&editor, &op, 1, NULL, NULL), NAV_OK);
    client_settle(&editor);
    navd_options o = {.address = daemon_.config.socket, .name = "paths", .timeout_ms = 240000};
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

static void hear(const heard *h, uint64_t revision)
{
    while (h->synced < revision && !h->ended[0]) {
        struct pollfd p = {.fd = navd_fd(c), .events = POLLIN};
        ck_assert_int_eq(navd_process(c), NAVD_OK);
        if (h->synced < revision && !h->ended[0]) ck_assert_int_ge(poll(&p, 1, 240000), 1);
    }
}

static uint64_t edit(const np_op *op)
{
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&editor, op, 1, &r, NULL), NAV_OK);
    return r.revision;
}

START_TEST(paths_come_and_come_again_until_they_are_not_watched)
{
    const navd_path_query q[] = {{{-6, 0.5, -7}, {-4, 0.5, -7}}, {{-4, 0.5, 0}, {4, 0.5, 0}}};
    heard h = {0};
    navd_on_paths(c, on_paths, &h);
    ck_assert_int_eq(navd_watch_paths(c, world, "walker", NAVD_PATH_NEAR_M, q, 2, &h.watch), NAVD_OK);
    hear(&h, 1);
    ck_assert_uint_eq(h.paths, 2);
    const np_op put = op_put(2, wall, 0, 1, 0);
    hear(&h, edit(&put));
    ck_assert_uint_ge(h.paths, 3); // or more: where tiles take long it is told before all of them are made
    ck_assert_uint_eq(h.last_query, 1);
    ck_assert_double_gt(h.length_m, 10);
    ck_assert_uint_ge(h.points, 4);
    uint64_t watch = h.watch;
    ck_assert_int_eq(navd_unwatch_paths(c, watch), NAVD_OK);
    ck_assert_int_eq(navd_unwatch_paths(c, watch), NAVD_ERR_NOT_FOUND);
    ck_assert_int_eq(navd_watch_paths(c, world, "walker", NAVD_PATH_NEAR_M, q, 2, &h.watch), NAVD_OK);
    ck_assert_uint_ne(h.watch, watch);
    const np_op gone = op_remove(2);
    h.synced = 0;
    hear(&h, edit(&gone));
    ck_assert_double_eq_tol(h.length_m, h.last_query ? 8 : 2, 1e-3);
}
END_TEST

START_TEST(a_watch_minds_its_options)
{
    const navd_path_query q = {{-4, 0.5, 0}, {4, 0.5, 0}};
    const navd_path_options options = {.near_m = 1, .exclude = UINT64_C(1) << 63, .links = true};
    heard h = {.length_m = -1};
    navd_on_paths(c, on_paths, &h);
    ck_assert_int_eq(navd_watch_paths_with(c, world, "walker", &options, &q, 1, &h.watch), NAVD_OK);
    hear(&h, 1);
    ck_assert_uint_eq(h.paths, 1);
    ck_assert_uint_eq(h.points, 0); // no ground is left
}
END_TEST

START_TEST(a_watch_ends_with_its_world)
{
    const navd_path_query q = {{-4, 0.5, 0}, {4, 0.5, 0}};
    const np_world_delete_request gone = {world};
    np_none none;
    heard h = {0};
    navd_on_paths(c, on_paths, &h);
    ck_assert_int_eq(navd_watch_paths(c, world, "giant", 1, &q, 1, &h.watch), NAVD_ERR_NOT_FOUND);
    ck_assert_int_eq(navd_watch_paths(c, world, "walker", 1, &q, 1, &h.watch), NAVD_OK);
    ck_assert_int_eq(client_call(&editor, NP_WORLD_DELETE, &gone, &none, NULL), NAV_OK);
    hear(&h, UINT64_MAX);
    ck_assert_str_eq(h.ended, "deleted");
    ck_assert_int_eq(navd_unwatch_paths(c, h.watch), NAVD_ERR_NOT_FOUND);
}
END_TEST

static void cancel_all(void *user, const navd_event *event)
{
    if (event->kind != NAVD_EVENT_AREAS) return;
    ck_assert_int_eq(navd_cancel_paths(c), NAVD_OK);
    ++*(uint32_t *)user;
}

// While a call waits for workers something else comes, whose callback gives the call up.
START_TEST(a_call_is_given_up_from_a_callback)
{
    const navd_path_query q = {{-4, 0.5, 0}, {4, 0.5, 0}};
    const np_area list[] = {{.id = 5, .name = np_str_of("mud"), .cost = 2, .walkable = true}};
    const np_world_areas_request areas = {.world = world, .has_areas = true, .area_count = 1, .areas = list};
    np_world_areas_response changed;
    const navd_subscription_options o = {.profile = "walker"};
    navd_paths *found = NULL;
    uint64_t subscription;
    uint32_t events = 0;
    ck_assert_int_eq(navd_subscribe(c, world, &o, &subscription), NAVD_OK);
    navd_on_event(c, cancel_all, &events);
    fixture_hold_workers(&daemon_);
    ck_assert_int_eq(client_call(&editor, NP_WORLD_AREAS, &areas, &changed, NULL), NAV_OK);
    navd_status s = navd_find_paths(c, world, "walker", 1, &q, 1, &found);
    fixture_release_workers(&daemon_);
    ck_assert_int_eq(s, NAVD_ERR_CANCELLED);
    ck_assert_ptr_nonnull(strstr(navd_error_text(c), "path.cancel"));
    ck_assert_uint_eq(events, 1);
    ck_assert_ptr_null(found);
    ck_assert_int_eq(navd_find_paths(c, world, "walker", 1, &q, 1, &found), NAVD_OK);
    ck_assert_uint_eq(found->count, 1);
    navd_paths_free(found);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client_paths");
    TCase *t = tcase_create("client_paths");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, paths_come_and_come_again_until_they_are_not_watched);
    tcase_add_test(t, a_watch_minds_its_options);
    tcase_add_test(t, a_watch_ends_with_its_world);
    tcase_add_test(t, a_call_is_given_up_from_a_callback);
    suite_add_tcase(s, t);
    return run_suite(s);
}
