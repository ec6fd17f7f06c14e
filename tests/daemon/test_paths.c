// path.find: over the tiles as they are, while they change, and what becomes of calls whose world or session goes.
#include "tests/daemon/fixture.h"

#include <math.h>
#include <string.h>

static daemon_fixture d;
static client a;
static nav_key slab, wall;

enum { HALF = 20, FLOOR_Y = 1 }; // metres

static void open_world(void (*change)(nd_config *c))
{
    fixture_start(&d, change);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    slab = client_put_box(&a, HALF, 0.5f, HALF);
    wall = client_put_box(&a, 0.5f, 2, 15);
}

static void start(void)
{
    open_world(NULL);
}

static void few_nodes(nd_config *c)
{
    c->max_path_nodes = 2;
}

static void few_bytes(nd_config *c)
{
    c->path_bytes = 4096;
}

static void one_call(nd_config *c)
{
    c->max_calls = 1;
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&d);
}

static void edit(const np_op *ops, uint32_t count)
{
    np_world_edit_response r;
    np_error err = {0};
    ck_assert_msg(client_edit(&a, ops, count, &r, &err) == NAV_OK, "%s", err.message);
    client_settle(&a);
}

// A slab from -20 to 20 with its top at FLOOR_Y.
static void build_floor(void)
{
    edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1);
}

static np_path_find_request request_of(const np_path_query *queries, uint32_t count)
{
    return (np_path_find_request){.world = a.world,
                                  .profile = np_str_of("walker"),
                                  .near_m = NP_PATH_NEAR_M,
                                  .query_count = count,
                                  .queries = queries};
}

static np_path_find_response ask(const np_path_query *queries, uint32_t count)
{
    np_path_find_request r = request_of(queries, count);
    np_path_find_response out;
    np_error err = {0};
    nav_status s = client_call(&a, NP_PATH_FIND, &r, &out, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(out.path_count, count);
    return out;
}

static const np_path_query across = {{-10, FLOOR_Y, 0}, {10, FLOOR_Y, 0}};

static void check_point(const np_path_result *p, uint32_t i, float x, float y, float z)
{
    float at[3];
    ck_assert_uint_ge(p->points.size, 12 * (i + 1));
    memcpy(at, p->points.data + 12 * (size_t)i, sizeof at);
    ck_assert_msg(fabsf(at[0] - x) < 1e-2f && fabsf(at[1] - y) < 0.25f && fabsf(at[2] - z) < 1e-2f,
                  "point %u is %g, %g, %g", i, (double)at[0], (double)at[1], (double)at[2]);
}

START_TEST(a_path_follows_the_edits)
{
    build_floor();
    np_path_find_response r = ask(&across, 1);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(r.paths[0].length_m, 20, 1e-3);
    ck_assert_uint_eq(r.paths[0].points.size, 2 * NP_PATH_POINT_BYTES);
    check_point(&r.paths[0], 0, -10, FLOOR_Y, 0);
    check_point(&r.paths[0], 1, 10, FLOOR_Y, 0);
    ck_assert_uint_eq(r.open_tiles, 0);
    uint64_t before = r.revision;
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1); // 30 m of it: around an end
    r = ask(&across, 1);
    ck_assert_uint_eq(r.revision, before + 1);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_gt(r.paths[0].length_m, 2 * sqrt(9.0 * 9 + 15 * 15));
    ck_assert_uint_ge(r.paths[0].points.size, 4 * NP_PATH_POINT_BYTES);
    edit((np_op[]){op_move(2, 0, FLOOR_Y + 1, 15)}, 1);
    r = ask(&across, 1);
    ck_assert_double_lt(r.paths[0].length_m, 22);
    edit((np_op[]){op_remove(2)}, 1);
    r = ask(&across, 1);
    ck_assert_double_eq_tol(r.paths[0].length_m, 20, 1e-3);
    edit((np_op[]){op_remove(1)}, 1); // and no floor: its tiles are gone
    ck_assert_int_eq(ask(&across, 1).paths[0].status, NAV_PATH_NO_START);
}
END_TEST

START_TEST(a_path_takes_links_and_keeps_off_excluded_areas)
{
    static const np_op link = {
        .kind = NP_OP_PUT_LINK,
        .id = 9,
        .u.link = {
            .id = 9, .start = {-3, FLOOR_Y, 0}, .end = {3, FLOOR_Y, 0}, .radius_m = 0.5f, .area = 5, .flags = 1}};
    np_path_find_request r = request_of(&across, 1);
    np_path_find_response out;
    np_error err = {0};
    build_floor();
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0), link}, 2);
    ck_assert_double_gt(ask(&across, 1).paths[0].length_m, 30);
    r.links = true;
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_OK);
    ck_assert_double_eq_tol(out.paths[0].length_m, 20, 1e-2);
    ck_assert_uint_eq(out.paths[0].link_count, 1);
    const np_path_link *taken = out.paths[0].links;
    ck_assert(taken->point == 1 && taken->link == 9 && taken->area == 5 && !taken->back);
    r.exclude = UINT64_C(1) << 5;
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_OK);
    ck_assert_double_gt(out.paths[0].length_m, 30);
    r.exclude = UINT64_C(1) << 63;
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_OK);
    ck_assert_int_eq(out.paths[0].status, NAV_PATH_NO_START);
}
END_TEST

static void change_settings(const nav_settings *s)
{
    const np_world_profile_request r = {
        .world = a.world, .name = np_str_of("walker"), .has_settings = true, .settings = *s};
    np_world_profile_response out;
    np_error err = {0};
    ck_assert_msg(client_call(&a, NP_WORLD_PROFILE, &r, &out, &err) == NAV_OK, "%s", err.message);
    client_settle(&a);
}

// The tiles stay in their places: they are made again one after the other, and those of before do not fit them.
START_TEST(a_path_follows_the_settings_of_its_profile)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = 16;
    build_floor();
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1);
    double narrow = ask(&across, 1).paths[0].length_m;
    s.agent_radius_m = 2;
    change_settings(&s);
    np_path_find_response r = ask(&across, 1);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_gt(r.paths[0].length_m, narrow + 1);
    s.agent_radius_m = 0.6f;
    s.cell_size_m /= 2;
    s.tile_cells *= 2;
    change_settings(&s);
    r = ask(&across, 1);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(r.paths[0].length_m, narrow, 1);
}
END_TEST

START_TEST(queries_are_answered_in_order_each_by_itself)
{
    np_path_query q[] = {across,
                         {{-10, FLOOR_Y, 0}, {60, FLOOR_Y, 0}},
                         {{60, FLOOR_Y, 0}, {10, FLOOR_Y, 0}},
                         {{-10, FLOOR_Y, 0}, {100, FLOOR_Y, 0}},
                         {{-10, 30, 0}, {10, FLOOR_Y, 0}},
                         {{3, FLOOR_Y, 4}, {3, FLOOR_Y, 4}}};
    // Another slab, 100 m away.
    edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_put(2, slab, 100, FLOOR_Y - 0.5f, 0)}, 2);
    np_path_find_response r = ask(q, 6);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_int_eq(r.paths[1].status, NAV_PATH_NO_GOAL);
    ck_assert_int_eq(r.paths[2].status, NAV_PATH_NO_START);
    ck_assert_uint_eq(r.paths[2].points.size, 0);
    ck_assert_int_eq(r.paths[3].status, NAV_PATH_PARTIAL); // to the edge of the floor
    ck_assert_double_gt(r.paths[3].length_m, 28);
    ck_assert_double_lt(r.paths[3].length_m, 30);
    ck_assert_int_eq(r.paths[4].status, NAV_PATH_NO_START);
    ck_assert_int_eq(r.paths[5].status, NAV_PATH_FOUND);
    ck_assert(r.paths[5].length_m == 0);
    ck_assert_uint_eq(ask(NULL, 0).path_count, 0);
}
END_TEST

// By several workers, and none of them changes what another finds.
START_TEST(calls_are_answered_side_by_side)
{
    enum { CALLS = 8, QUERIES = 300 };
    static np_path_query q[QUERIES];
    static double lengths[QUERIES];
    build_floor();
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1);
    for (int i = 0; i < QUERIES; i++)
        q[i] = (np_path_query){{-10, FLOOR_Y, 0.05 * i - 10}, {10, FLOOR_Y, 10 - 0.06 * i}};
    for (int i = 0; i < QUERIES; i++) lengths[i] = ask(&q[i], 1).paths[0].length_m;
    np_path_find_request r = request_of(q, QUERIES);
    uint32_t calls[CALLS], answered = 0;
    for (int i = 0; i < CALLS; i++) calls[i] = client_send(&a, NP_PATH_FIND, &r);
    for (np_message m; answered < CALLS; np_message_deinit(&m)) {
        np_path_find_response out;
        np_error err = {0};
        ck_assert(client_read(&a, &m));
        if (m.kind != NP_RESPONSE) continue;
        ck_assert_msg(np_decode_path_find_response(&m, &out, &err) == NAV_OK, "%s", err.message);
        ck_assert_uint_eq(out.path_count, QUERIES);
        for (int i = 0; i < QUERIES; i++) ck_assert_double_eq(out.paths[i].length_m, lengths[i]);
        for (int i = 0; i < CALLS; i++)
            if (calls[i] == m.id) calls[i] = 0, answered++;
    }
    for (int i = 0; i < CALLS; i++) ck_assert_uint_eq(calls[i], 0);
}
END_TEST

START_TEST(tiles_that_are_kept_in_another_encoding_are_made_again)
{
    (void)client_subscribe(&a, NP_ENCODING_PACKED);
    build_floor();
    ck_assert_int_eq(ask(&across, 1).paths[0].status, NAV_PATH_FOUND);
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1);
    ck_assert_double_gt(ask(&across, 1).paths[0].length_m, 30);
}
END_TEST

START_TEST(points_are_in_the_axes_of_the_session)
{
    build_floor();
    np_world_open_request open = {.name = np_str_of("w"), .axes = {.up = NP_UP_Z, .has_unit = true, .unit_m = 0.01}};
    np_world_open_response opened;
    np_error err = {0};
    ck_assert_msg(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err) == NAV_OK, "%s", err.message);
    np_path_query q = {{-1000, -300, 100 * FLOOR_Y}, {1000, 200, 100 * FLOOR_Y}};
    np_path_find_response r = ask(&q, 1);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(r.paths[0].length_m, hypot(20, 5), 1e-3); // metres, as its name says
    float at[3];
    memcpy(at, r.paths[0].points.data, sizeof at);
    ck_assert_float_eq_tol(at[0], -1000, 1);
    ck_assert_float_eq_tol(at[1], -300, 1);
    ck_assert_float_eq_tol(at[2], 100 * FLOOR_Y, 25);
}
END_TEST

START_TEST(what_takes_too_much_is_given_up)
{
    build_floor();
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1);
    np_path_find_response r = ask(&across, 1);
    ck_assert_int_eq(r.paths[0].status, NAV_PATH_LIMIT);
    ck_assert_int_eq(r.paths[0].limit, NP_PATH_LIMIT_NODES);
    ck_assert_uint_eq(r.paths[0].points.size, 0);
    np_path_find_request wide = request_of(&across, 1);
    np_path_find_response out;
    np_error err = {0};
    wide.radius_m = NP_PATH_LARGEST_RADIUS_M;
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &wide, &out, &err), NAV_OK);
    ck_assert_int_eq(out.paths[0].limit, NP_PATH_LIMIT_RADIUS);
}
END_TEST

START_TEST(tiles_that_need_too_much_memory_are_refused_by_name)
{
    build_floor();
    for (int i = 0; i < 2; i++) {
        np_path_find_request r = request_of(&across, 1);
        np_path_find_response out;
        np_error err = {0};
        ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_ERR_LIMIT);
        ck_assert_ptr_nonnull(strstr(err.message, "--path-bytes"));
    }
}
END_TEST

START_TEST(wrong_calls_are_refused)
{
    np_path_query nowhere = across;
    np_path_find_request r = request_of(&nowhere, 1);
    np_path_find_response out;
    np_error err = {0};
    r.profile = np_str_of("giant");
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_ERR_NOT_FOUND);
    r = request_of(&nowhere, 1);
    r.world = 99;
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_ERR_NOT_FOUND);
    r = request_of(&nowhere, 1);
    r.near_m = -1;
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_ERR_ARGUMENT);
    nowhere.to[2] = INFINITY;
    r = request_of(&nowhere, 1);
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "queries[0].to[2]"));
    nowhere.to[2] = 1e300; // no grid reaches it
    r = request_of(&nowhere, 1);
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_OK);
    ck_assert_int_eq(out.paths[0].status, NAV_PATH_NO_START);
}
END_TEST

START_TEST(calls_above_the_limit_are_refused)
{
    build_floor();
    np_path_find_request r = request_of(&across, 1);
    np_path_find_response out;
    np_error err = {0};
    fixture_hold_workers(&d);
    uint32_t first = client_send(&a, NP_PATH_FIND, &r);
    ck_assert_int_eq(client_call(&a, NP_PATH_FIND, &r, &out, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-calls"));
    fixture_release_workers(&d);
    ck_assert_int_eq(client_wait(&a, NP_PATH_FIND, first, &out, &err), NAV_OK);
    ck_assert_int_eq(out.paths[0].status, NAV_PATH_FOUND);
}
END_TEST

// Their tiles are loaded, or on their way to the set; then they are at workers, or wait for them.
START_TEST(calls_end_with_their_world)
{
    build_floor();
    np_path_find_request r = request_of(&across, 1);
    np_path_find_response out;
    np_error err = {0};
    if (_i) (void)ask(&across, 1);
    fixture_hold_workers(&d);
    uint32_t calls[12];
    for (int i = 0; i < 12; i++) calls[i] = client_send(&a, NP_PATH_FIND, &r);
    np_world_delete_request gone = {a.world};
    np_none none;
    uint32_t deleted = client_send(&a, NP_WORLD_DELETE, &gone);
    nav_status ends[13];
    for (int i = 0; i < 12; i++) ends[i] = client_wait(&a, NP_PATH_FIND, calls[i], &out, &err);
    ends[12] = client_wait(&a, NP_WORLD_DELETE, deleted, &none, &err);
    fixture_release_workers(&d);
    for (int i = 0; i < 12; i++) ck_assert_int_eq(ends[i], NAV_ERR_NOT_FOUND);
    ck_assert_int_eq(ends[12], NAV_OK);
    ck_assert_uint_eq(client_stat(&a, "worlds"), 0);
}
END_TEST

static bool cancel(client *c, uint32_t call)
{
    const np_path_cancel_request r = {call};
    np_path_cancel_response out;
    np_error err = {0};
    ck_assert_msg(client_call(c, NP_PATH_CANCEL, &r, &out, &err) == NAV_OK, "%s", err.message);
    return out.cancelled;
}

// At workers or behind them; those of other sessions, and what has been answered, are out of reach.
START_TEST(calls_are_cancelled)
{
    build_floor();
    np_path_find_request r = request_of(&across, 1);
    const np_path_audit_request audit = {
        .world = a.world, .profile = r.profile, .near_m = NP_PATH_NEAR_M, .seed = 1, .pairs = 1000};
    np_path_find_response out;
    np_path_audit_response audited;
    np_error err = {0};
    client b;
    if (_i) (void)ask(&across, 1);
    client_connect(&b, &d);
    client_greet(&b);
    fixture_hold_workers(&d);
    enum { CALLS = 6 };
    uint32_t calls[CALLS], random = client_send(&a, NP_PATH_AUDIT, &audit);
    for (int i = 0; i < CALLS; i++) calls[i] = client_send(&a, NP_PATH_FIND, &r);
    ck_assert_uint_eq(client_stat(&a, "worlds"), 1); // all have been read
    ck_assert(!cancel(&b, calls[0]));
    for (int i = 0; i < CALLS; i += 2) {
        const np_path_cancel_request which = {calls[i]};
        np_path_cancel_response is;
        uint32_t request = client_send(&a, NP_PATH_CANCEL, &which);
        ck_assert_int_eq(client_wait(&a, NP_PATH_FIND, calls[i], &out, &err), NAV_ERR_CANCELLED);
        ck_assert_ptr_nonnull(strstr(err.message, "path.cancel"));
        ck_assert_int_eq(client_wait(&a, NP_PATH_CANCEL, request, &is, &err), NAV_OK);
        ck_assert(is.cancelled);
        ck_assert(!cancel(&a, calls[i]));
    }
    const np_path_cancel_request which = {random};
    np_path_cancel_response is;
    uint32_t request = client_send(&a, NP_PATH_CANCEL, &which);
    ck_assert_int_eq(client_wait(&a, NP_PATH_AUDIT, random, &audited, &err), NAV_ERR_CANCELLED);
    ck_assert_int_eq(client_wait(&a, NP_PATH_CANCEL, request, &is, &err), NAV_OK);
    fixture_release_workers(&d);
    for (uint32_t left = CALLS / 2; left; left--) { // in any order
        np_message m;
        ck_assert(client_read(&a, &m));
        ck_assert_int_eq(m.kind, NP_RESPONSE);
        ck_assert(!m.error && m.id >= calls[0] && (m.id - calls[0]) % 2 == 1);
        np_message_deinit(&m);
    }
    for (int i = 0; i < CALLS; i++) ck_assert(!cancel(&a, calls[i]));
    client_close(&b);
}
END_TEST

START_TEST(calls_end_with_their_session)
{
    build_floor();
    np_path_find_request r = request_of(&across, 1);
    client b;
    fixture_hold_workers(&d);
    client_connect(&b, &d);
    client_greet(&b);
    (void)client_send(&b, NP_PATH_FIND, &r);
    (void)client_send(&b, NP_PATH_FIND, &r);
    (void)client_stat(&b, "worlds"); // both have been read
    client_close(&b);
    uint32_t mine = client_send(&a, NP_PATH_FIND, &r);
    fixture_release_workers(&d);
    np_path_find_response out;
    np_error err = {0};
    ck_assert_int_eq(client_wait(&a, NP_PATH_FIND, mine, &out, &err), NAV_OK);
    ck_assert_int_eq(out.paths[0].status, NAV_PATH_FOUND);
}
END_TEST

static TCase *add_case(Suite *s, const char *name, void (*before)(void))
{
    TCase *t = tcase_create(name);
    tcase_add_checked_fixture(t, before, stop);
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    return t;
}

static void start_with_few_nodes(void)
{
    open_world(few_nodes);
}

static void start_with_few_bytes(void)
{
    open_world(few_bytes);
}

static void start_with_one_call(void)
{
    open_world(one_call);
}

int main(void)
{
    Suite *s = suite_create("paths");
    TCase *t = add_case(s, "paths", start);
    tcase_add_test(t, a_path_follows_the_edits);
    tcase_add_test(t, a_path_takes_links_and_keeps_off_excluded_areas);
    tcase_add_test(t, a_path_follows_the_settings_of_its_profile);
    tcase_add_test(t, queries_are_answered_in_order_each_by_itself);
    tcase_add_test(t, tiles_that_are_kept_in_another_encoding_are_made_again);
    tcase_add_test(t, points_are_in_the_axes_of_the_session);
    tcase_add_test(t, wrong_calls_are_refused);
    tcase_add_test(t, calls_are_answered_side_by_side);
    tcase_add_loop_test(t, calls_end_with_their_world, 0, 2);
    tcase_add_loop_test(t, calls_are_cancelled, 0, 2);
    tcase_add_test(t, calls_end_with_their_session);
    tcase_add_test(add_case(s, "nodes", start_with_few_nodes), what_takes_too_much_is_given_up);
    tcase_add_test(add_case(s, "bytes", start_with_few_bytes), tiles_that_need_too_much_memory_are_refused_by_name);
    tcase_add_test(add_case(s, "calls", start_with_one_call), calls_above_the_limit_are_refused);
    return run_suite(s);
}
