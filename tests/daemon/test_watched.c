// Worlds that build only what is watched, subscriptions that move, and waits and `synced` for a part of a world.
#include "tests/daemon/stored.h"

#include "core/geometry/tile_source.h"

#include <string.h>

static daemon_fixture d;
static client a;

// Tiles of 4.8 m; the slab covers those from -5 to 4.
enum { HALF = 20 };
static const double left[4] = {-19, -19, -12, -12}, right[4] = {12, 12, 19, 19};

static void start(void)
{
    fixture_start(&d, NULL);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&d);
}

static uint64_t edit(const np_op *op)
{
    np_world_edit_response r;
    np_error err = {0};
    ck_assert_msg(client_edit(&a, op, 1, &r, &err) == NAV_OK, "%s", err.message);
    return r.revision;
}

static void set_build(np_build_mode mode, double margin_m)
{
    const np_op op = {.kind = NP_OP_SET_BUILD, .u.build = {mode, margin_m}};
    edit(&op);
}

static void put_slab(void)
{
    np_op op = op_put(1, client_put_box(&a, HALF, 0.5f, HALF), 0, 0, 0);
    edit(&op);
}

static np_tiles_subscribe_request asked_for(const double bounds[4])
{
    np_tiles_subscribe_request r = {.world = a.world, .profile = np_str_of("walker"), .has_bounds = bounds};
    if (bounds) memcpy(r.min, bounds, sizeof r.min);
    if (bounds) memcpy(r.max, bounds + 2, sizeof r.max);
    return r;
}

static uint64_t subscribe_as(client *c, const np_tiles_subscribe_request *r)
{
    np_tiles_subscribe_response out;
    np_error err = {0};
    ck_assert_msg(client_call(c, NP_TILES_SUBSCRIBE, r, &out, &err) == NAV_OK, "%s", err.message);
    return out.subscription;
}

static uint64_t subscribe(const double bounds[4])
{
    np_tiles_subscribe_request r = asked_for(bounds);
    return subscribe_as(&a, &r);
}

static void unsubscribe(uint64_t id)
{
    const np_tiles_unsubscribe_request r = {id};
    np_none out;
    ck_assert_int_eq(client_call(&a, NP_TILES_UNSUBSCRIBE, &r, &out, NULL), NAV_OK);
}

static void wait_for(const double bounds[4])
{
    np_jobs_wait_request r = {
        .world = a.world, .has_profile = true, .profile = np_str_of("walker"), .has_bounds = true};
    np_jobs_wait_response out;
    memcpy(r.min, bounds, sizeof r.min);
    memcpy(r.max, bounds + 2, sizeof r.max);
    ck_assert_int_eq(client_call(&a, NP_JOBS_WAIT, &r, &out, NULL), NAV_OK);
}

static void move_to(uint64_t subscription, const double bounds[4])
{
    np_tiles_focus_request r = {.subscription = subscription, .has_bounds = true};
    np_tiles_focus_response out;
    np_error err = {0};
    memcpy(r.min, bounds, sizeof r.min);
    memcpy(r.max, bounds + 2, sizeof r.max);
    ck_assert_msg(client_call(&a, NP_TILES_FOCUS, &r, &out, &err) == NAV_OK, "%s", err.message);
}

static void read_synced(uint64_t subscription, uint64_t revision)
{
    np_message m;
    while (a.last_synced.subscription != subscription || a.last_synced.revision < revision) {
        ck_assert(client_read(&a, &m));
        np_message_deinit(&m);
    }
}

// --- what the daemon has ---

typedef struct figures {
    size_t tiles, unwatched, queued, open, made;
    const double *bounds; // of those that are made, all must be in here, grown by margin_m
    double margin_m;
    size_t outside;
} figures;

static nd_world *the_world(nd_server *s)
{
    return nd_server_service(s)->methods->worlds->list[0];
}

static void count_tile(void *user, nd_node *n)
{
    figures *f = user;
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    if (t->result.status == NP_TILE_PENDING) return;
    f->made++;
    const double side = 4.8; // 16 columns of 0.3 m
    if (f->bounds && (t->x * side > f->bounds[2] + f->margin_m || (t->x + 1) * side < f->bounds[0] - f->margin_m ||
                      t->z * side > f->bounds[3] + f->margin_m || (t->z + 1) * side < f->bounds[1] - f->margin_m))
        f->outside++;
}

static void take_figures(nd_server *s, void *user)
{
    figures *f = user;
    nd_world *w = the_world(s);
    f->tiles = w->scheduler.tiles.count;
    f->unwatched = w->scheduler.unwatched.count;
    f->queued = nd_scheduler_queued(&w->scheduler);
    f->open = w->scheduler.open.count;
    nd_table_each(&w->scheduler.tiles, count_tile, f);
}

static figures look(const double *bounds, double margin_m)
{
    figures f = {.bounds = bounds, .margin_m = margin_m};
    fixture_call(&d, take_figures, &f);
    return f;
}

START_TEST(nothing_is_built_that_nobody_watches)
{
    set_build(NP_BUILD_WATCHED, 0);
    put_slab();
    client_settle(&a); // what nobody watches does not count
    figures f = look(NULL, 0);
    ck_assert_uint_gt(f.tiles, 60);
    ck_assert_uint_eq(f.unwatched, f.tiles);
    ck_assert_uint_eq(f.queued + f.open + f.made, 0);
    const np_tiles_why_request ask = {.world = a.world, .profile = np_str_of("walker")};
    np_tiles_why_response why;
    ck_assert_int_eq(client_call(&a, NP_TILES_WHY, &ask, &why, NULL), NAV_OK);
    ck_assert_int_eq(why.state, NP_STATE_UNWATCHED);
}
END_TEST

START_TEST(a_subscription_has_its_bounds_and_the_margin_built)
{
    set_build(NP_BUILD_WATCHED, 0);
    put_slab();
    np_tiles_subscribe_request r = asked_for(left);
    r.has_margin = _i;
    r.margin_m = 6;
    uint64_t sub = subscribe_as(&a, &r);
    client_settle(&a);
    figures f = look(left, _i ? 6 : 0);
    ck_assert_uint_eq(f.made, _i ? 4 * 4 : 2 * 2);
    ck_assert_uint_eq(f.outside, 0);
    ck_assert_uint_eq(f.unwatched, f.tiles - f.made);
    for (size_t i = 0; i < a.tile_count; i++) ck_assert_int_le(a.tiles[i].x, -3);
    // What was finished stays; an edit elsewhere and there builds nothing any more.
    unsubscribe(sub);
    size_t seen = a.tile_count;
    put_slab();
    np_op moved = op_move(1, 0, 0.25f, 0);
    edit(&moved);
    client_settle(&a);
    figures after = look(NULL, 0);
    ck_assert_uint_eq(after.made, f.made);
    ck_assert_uint_eq(after.unwatched, after.tiles);
    ck_assert_uint_eq(a.tile_count, seen);
}
END_TEST

START_TEST(two_subscriptions_have_the_union_built)
{
    set_build(NP_BUILD_WATCHED, 0);
    uint64_t one = subscribe(left), two = subscribe(right);
    put_slab();
    client_settle(&a);
    size_t both = look(NULL, 0).made;
    ck_assert_uint_eq(both, look(left, 0).outside + look(right, 0).outside);
    unsubscribe(one);
    np_op moved = op_move(1, 0, 0.25f, 0);
    uint64_t revision = edit(&moved);
    read_synced(two, revision);
    ck_assert_uint_eq(look(NULL, 0).made, both);
    unsubscribe(two);
}
END_TEST

START_TEST(a_subscription_that_moves_gets_what_is_new_to_it)
{
    set_build(NP_BUILD_WATCHED, 0);
    put_slab();
    uint64_t sub = subscribe(left);
    client_settle(&a);
    size_t first = a.tile_count;
    move_to(sub, right);
    wait_for(right);
    ck_assert_uint_gt(a.tile_count, first);
    for (size_t i = first; i < a.tile_count; i++) ck_assert_int_ge(a.tiles[i].x, 2);
    // Where it no longer is nothing is built and nothing comes; back there, what came before comes again.
    np_op moved = op_move(1, 0, 0.25f, 0);
    uint64_t revision = edit(&moved);
    read_synced(sub, revision);
    for (size_t i = first; i < a.tile_count; i++) ck_assert_int_ge(a.tiles[i].x, 2);
    size_t second = a.tile_count;
    move_to(sub, left);
    wait_for(left);
    for (int32_t x = -4; x <= -3; x++) { // first as it was, perhaps, then as it is
        const seen_tile *t = client_last_tile(&a, x, -4, second);
        ck_assert(t && t->revision >= revision);
    }
    for (size_t i = second; i < a.tile_count; i++) ck_assert_int_le(a.tiles[i].x, -3);
}
END_TEST

// The daemon forgets what the client has outside: it comes again, though nothing of it has changed.
START_TEST(tiles_come_again_when_the_bounds_come_back)
{
    put_slab();
    client_settle(&a);
    uint64_t sub = subscribe(left);
    wait_for(left);
    size_t first = a.tile_count;
    ck_assert_uint_eq(first, 2 * 2);
    move_to(sub, right);
    wait_for(right);
    ck_assert_uint_eq(a.tile_count, 2 * first);
    move_to(sub, left);
    wait_for(left);
    ck_assert_uint_eq(a.tile_count, 3 * first);
    for (size_t i = 0; i < first; i++) {
        const seen_tile *again = client_last_tile(&a, a.tiles[i].x, a.tiles[i].z, 2 * first);
        ck_assert(again && nav_key_equal(again->key, a.tiles[i].key));
    }
}
END_TEST

START_TEST(all_is_built_when_the_world_says_so)
{
    set_build(NP_BUILD_WATCHED, 0);
    put_slab();
    client_settle(&a);
    ck_assert_uint_eq(look(NULL, 0).made, 0);
    set_build(NP_BUILD_ALL, 0);
    client_settle(&a);
    figures f = look(NULL, 0);
    ck_assert_uint_eq(f.made, f.tiles);
    ck_assert_uint_eq(f.unwatched, 0);
}
END_TEST

START_TEST(tiles_get_has_a_tile_built_that_nobody_watches)
{
    set_build(NP_BUILD_WATCHED, 0);
    put_slab();
    client_settle(&a);
    const np_tile_xz at = {1, 1, NAV_SHEET_UP};
    const np_tiles_get_request r = {.world = a.world, .profile = np_str_of("walker"), .tile_count = 1, .tiles = &at};
    np_tiles_get_response out;
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &r, &out, NULL), NAV_OK);
    ck_assert_int_eq(out.tiles[0].status, NP_TILE_PENDING);
    client_settle(&a);
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &r, &out, NULL), NAV_OK);
    ck_assert_int_eq(out.tiles[0].status, NP_TILE_OK);
    ck_assert_uint_eq(look(NULL, 0).made, 1);
}
END_TEST

START_TEST(a_subscription_may_hold_back_a_world_that_builds_all)
{
    np_tiles_subscribe_request r = asked_for(left);
    r.build = NP_BUILD_WATCHED;
    uint64_t sub = subscribe_as(&a, &r);
    put_slab();
    client_settle(&a);
    figures f = look(left, 0);
    ck_assert_uint_gt(f.made, 0);
    ck_assert_uint_lt(f.made, f.tiles);
    ck_assert_uint_eq(f.outside, 0);
    unsubscribe(sub); // all is built again
    client_settle(&a);
    f = look(NULL, 0);
    ck_assert_uint_eq(f.made, f.tiles);
}
END_TEST

START_TEST(a_wait_with_bounds_watches_them_until_it_is_answered)
{
    set_build(NP_BUILD_WATCHED, 0);
    put_slab();
    wait_for(right);
    figures f = look(right, 0);
    ck_assert_uint_gt(f.made, 0);
    ck_assert_uint_eq(f.outside, 0);
    ck_assert_uint_eq(f.open, 0);
}
END_TEST

// The workers stand still but for what the caches know: elsewhere all is open.
START_TEST(synced_and_waits_with_bounds_do_not_wait_for_work_elsewhere)
{
    const double beside[4] = {60, 60, 80, 80};
    put_slab();
    client_settle(&a);
    uint64_t sub = subscribe(beside), all = subscribe(NULL);
    (void)all;
    fixture_hold_workers(&d);
    np_op moved = op_move(1, 0, 0.25f, 0);
    uint64_t revision = edit(&moved);
    read_synced(sub, revision);
    wait_for(beside);
    figures f = look(NULL, 0);
    ck_assert_uint_gt(f.open, 0);
    fixture_release_workers(&d);
    wait_for(left);
    client_settle(&a);
    ck_assert_uint_ge(a.last_synced.revision, revision);
}
END_TEST

static void take_revision(nd_server *s, void *user)
{
    *(uint64_t *)user = the_world(s)->revision;
}

// That somebody else was told the edit's revision is no reason to raise it with each tile.
START_TEST(tiles_that_finish_after_a_synced_elsewhere_leave_the_revision)
{
    const double beside[4] = {60, 60, 80, 80};
    put_slab();
    client_settle(&a);
    uint64_t sub = subscribe(beside), now;
    fixture_hold_workers(&d);
    np_op moved = op_move(1, 0, 0.25f, 0);
    uint64_t revision = edit(&moved);
    read_synced(sub, revision);
    fixture_release_workers(&d);
    client_settle(&a);
    fixture_call(&d, take_revision, &now);
    ck_assert_uint_eq(now, revision);
}
END_TEST

START_TEST(wrong_bounds_are_named)
{
    np_error err = {0};
    np_tiles_subscribe_response out;
    np_tiles_subscribe_request r = asked_for(left);
    r.has_margin = true;
    r.margin_m = -1;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "margin_m: -1, expected 0 to 1e+07 metres"), "%s", err.message);
    np_jobs_wait_request w = {.world = a.world, .has_bounds = true, .min = {1, 1}, .max = {0, 0}};
    np_jobs_wait_response waited;
    ck_assert_int_eq(client_call(&a, NP_JOBS_WAIT, &w, &waited, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "bounds: [1, 1, 0, 0], expected [min x, min z, max x, max z]"), "%s",
                  err.message);
    np_tiles_focus_request f = {.subscription = 1};
    np_tiles_focus_response focused;
    ck_assert_int_eq(client_call(&a, NP_TILES_FOCUS, &f, &focused, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "expected focus, or bounds, or both"), "%s", err.message);
}
END_TEST

// --- after a restart ---

START_TEST(a_stored_world_goes_on_to_build_only_what_is_watched)
{
    stored_start(&d, &a);
    client_open(&a);
    set_build(NP_BUILD_WATCHED, 3);
    put_slab();
    subscribe(left);
    client_settle(&a);
    figures before = look(left, 3);
    ck_assert_uint_gt(before.made, 0);
    stored_stop(&d, &a);
    stored_start(&d, &a);
    client_greet(&a);
    np_world_open_response w = stored_open(&a, "w");
    ck_assert_int_eq(w.build.mode, NP_BUILD_WATCHED);
    ck_assert(w.build.margin_m == 3);
    client_settle(&a);
    figures f = look(left, 3);
    ck_assert_uint_eq(f.tiles, before.tiles);
    ck_assert_uint_eq(f.made, before.made);
    ck_assert_uint_eq(f.outside, 0);
    ck_assert_uint_eq(f.unwatched, f.tiles - f.made); // what was made is as it was
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), 0);
    stored_stop(&d, &a);
}
END_TEST

START_TEST(a_stored_world_keeps_its_include_volumes_and_makes_no_tile_outside)
{
    stored_start(&d, &a);
    client_open(&a);
    np_op include = {.kind = NP_OP_PUT_VOLUME,
                     .id = 7,
                     .u.volume = {.point_count = 4,
                                  .points = {-19, -19, -19, -12, -12, -12, -12, -19},
                                  .min_y = -5,
                                  .max_y = 5,
                                  .include = 1}};
    edit(&include);
    put_slab();
    client_settle(&a);
    figures before = look(NULL, 0);
    ck_assert_uint_gt(before.made, 0);
    stored_stop(&d, &a);
    stored_start(&d, &a);
    client_greet(&a);
    np_world_open_response w = stored_open(&a, "w");
    client_settle(&a);
    figures f = look(NULL, 0);
    ck_assert_uint_eq(f.tiles, before.tiles);
    ck_assert_uint_eq(f.made, before.made);
    uint64_t revision;
    fixture_call(&d, take_revision, &revision);
    ck_assert_uint_eq(revision, w.revision); // nothing was removed that nobody had
    stored_stop(&d, &a);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("watched");
    TCase *t = tcase_create("live");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, nothing_is_built_that_nobody_watches);
    tcase_add_loop_test(t, a_subscription_has_its_bounds_and_the_margin_built, 0, 2);
    tcase_add_test(t, two_subscriptions_have_the_union_built);
    tcase_add_test(t, a_subscription_that_moves_gets_what_is_new_to_it);
    tcase_add_test(t, tiles_come_again_when_the_bounds_come_back);
    tcase_add_test(t, all_is_built_when_the_world_says_so);
    tcase_add_test(t, tiles_get_has_a_tile_built_that_nobody_watches);
    tcase_add_test(t, a_subscription_may_hold_back_a_world_that_builds_all);
    tcase_add_test(t, a_wait_with_bounds_watches_them_until_it_is_answered);
    tcase_add_test(t, synced_and_waits_with_bounds_do_not_wait_for_work_elsewhere);
    tcase_add_test(t, tiles_that_finish_after_a_synced_elsewhere_leave_the_revision);
    tcase_add_test(t, wrong_bounds_are_named);
    suite_add_tcase(suite, t);
    t = tcase_create("stored");
    tcase_add_checked_fixture(t, stored_setup, stored_teardown);
    tcase_add_test(t, a_stored_world_goes_on_to_build_only_what_is_watched);
    tcase_add_test(t, a_stored_world_keeps_its_include_volumes_and_makes_no_tile_outside);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
