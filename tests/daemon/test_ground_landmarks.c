// Landmarks of a ground: made when searches have paid for them, while tiles, settings and the world change. Answers are
// those of another world with the same objects, whose ground has none.
#include "daemon/paths/ground.h"
#include "daemon/service/service.h"
#include "tests/daemon/fixture.h"

#include <string.h>

static daemon_fixture d;
static client a;
static nav_key slab, post, fence;
static uint64_t other; // the world without
static bool held;      // the workers

enum { HALF = 30, ROW = 14, QUERIES = 24, AUDITED = 2000, FEW_LANDMARKS = 4 };

static void open_worlds(void (*change)(nd_config *c))
{
    fixture_start(&d, change);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    const np_world_open_request open = {
        .name = np_str_of("other"), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    other = opened.world;
    slab = client_put_box(&a, HALF, 0.5f, HALF);
    post = client_put_box(&a, 1.2f, 2, 1.2f);
    fence = client_put_box(&a, 0.3f, 2, 14);
}

static void start(void)
{
    open_worlds(NULL);
}

static void hold(void)
{
    fixture_hold_workers(&d);
    held = true;
}

static void release(void)
{
    if (held) fixture_release_workers(&d);
    held = false;
}

static void stop(void)
{
    release(); // where a test has failed
    client_close(&a);
    fixture_stop(&d);
}

static void settle(uint64_t world)
{
    uint64_t kept = a.world;
    a.world = world;
    client_settle(&a);
    a.world = kept;
}

// Of one world; its tiles come later.
static void edit_one(uint64_t world, const np_op *ops, uint32_t count)
{
    np_world_edit_response r;
    np_error err = {0};
    uint64_t kept = a.world;
    a.world = world;
    ck_assert_msg(client_edit(&a, ops, count, &r, &err) == NAV_OK, "%s", err.message);
    a.world = kept;
}

// Posts in rows that are not in line, and a fence with gaps at its ends.
static void build(uint64_t world)
{
    np_op ops[2 + ROW * ROW];
    uint32_t count = 0;
    ops[count++] = op_put(1, slab, 0, 0.5f, 0);
    ops[count++] = op_put(2, fence, 0.7f, 3, 2);
    for (int i = 0; i < ROW * ROW; i++)
        ops[count++] = op_put(10 + (uint64_t)i, post, (float)(i % ROW) * 4.1f - 27 + (float)(i / ROW % 2) * 1.7f, 3,
                              (float)(i / ROW) * 4.1f - 27 + (float)(i % 3) * 0.4f);
    edit_one(world, ops, count);
}

static void build_both(void)
{
    build(a.world);
    build(other);
    settle(a.world);
    settle(other);
}

static uint32_t send_queries(uint64_t world)
{
    static np_path_query q[QUERIES];
    for (int i = 0; i < QUERIES; i++)
        q[i] = (np_path_query){{-29 + 0.3 * i, 1, 28 - 2.2 * i}, {29 - 0.1 * i, 1, -28.5 + 1.9 * i}};
    const np_path_find_request r = {
        .world = world, .profile = np_str_of("walker"), .near_m = NP_PATH_NEAR_M, .query_count = QUERIES, .queries = q};
    return client_send(&a, NP_PATH_FIND, &r);
}

static nav_key sum_of(const np_path_find_response *r)
{
    nav_buffer all = {0};
    uint32_t found = 0;
    for (uint32_t i = 0; i < r->path_count; i++) {
        const np_path_result *p = &r->paths[i];
        found += p->status == NAV_PATH_FOUND;
        ck_assert_int_eq(nav_buffer_append(&all, &p->status, sizeof p->status), NAV_OK);
        ck_assert_int_eq(nav_buffer_append(&all, &p->length_m, sizeof p->length_m), NAV_OK);
        ck_assert_int_eq(nav_buffer_append(&all, &p->surface_m, sizeof p->surface_m), NAV_OK);
        ck_assert_int_eq(nav_buffer_append(&all, p->points.data, p->points.size), NAV_OK);
    }
    ck_assert_uint_gt(found, QUERIES / 2);
    nav_key k = nav_key_of(all.data, all.size);
    nav_buffer_deinit(&all);
    return k;
}

static nav_key wait_for_answers(uint32_t id)
{
    np_path_find_response out;
    np_error err = {0};
    ck_assert_msg(client_wait(&a, NP_PATH_FIND, id, &out, &err) == NAV_OK, "%s", err.message);
    ck_assert_uint_eq(out.path_count, QUERIES);
    return sum_of(&out);
}

static nav_key ask(uint64_t world)
{
    return wait_for_answers(send_queries(world));
}

static uint64_t used(void)
{
    return client_stat(&a, "path_landmarks");
}

static nd_ground *ground_of(nd_server *s, uint64_t world)
{
    return nd_ground_find(nd_server_service(s)->methods->paths, world, 0);
}

static void forget_spent(nd_server *s, void *user)
{
    nd_ground *g = ground_of(s, *(const uint64_t *)user);
    if (g) g->landmarks.spent = 0;
}

static void check_answers(void)
{
    fixture_call(&d, forget_spent, &other); // so that it never has any
    ck_assert(nav_key_equal(ask(a.world), ask(other)));
}

// As if searches had made nodes without end; the landmarks that there are do not count.
static void pay(nd_server *s, void *user)
{
    nd_ground *g = ground_of(s, *(const uint64_t *)user);
    g->landmarks.spent = UINT64_MAX / 2;
    nd_paths_go_on_soon(g->paths);
}

typedef struct look {
    uint64_t world;
    sem_t *gate;
    bool seen;
} look;

static void wait_until(void (*function)(nd_server *s, void *user), look *l)
{
    while (!l->seen) fixture_call(&d, function, l);
}

static void look_for_whole(nd_server *s, void *user)
{
    look *l = user;
    const nd_ground *g = ground_of(s, l->world);
    l->seen = g->landmarks.used && g->landmarks.whole && !g->landmarks.worn && !g->update;
}

static void make_all(void)
{
    fixture_call(&d, pay, &a.world);
    wait_until(look_for_whole, &(look){.world = a.world});
}

// Some are made, and not all: from here on workers wait.
static void look_for_some(nd_server *s, void *user)
{
    look *l = user;
    nd_ground *g = ground_of(s, l->world);
    l->seen = g->landmarks.busy && g->landmarks.next >= FEW_LANDMARKS && g->landmarks.next < 2 * FEW_LANDMARKS;
    if (l->seen)
        fixture_push_holders(s, l->gate);
    else if (!g->landmarks.busy)
        pay(s, &l->world); // this time they went by
}

static void hold_when_some_are_made(void)
{
    ck_assert_int_eq(sem_init(&d.gate, 0, 0), 0);
    wait_until(look_for_some, &(look){.world = a.world, .gate = &d.gate});
    held = true;
}

static np_world_profile_response change_settings(uint64_t world, float radius_m)
{
    np_world_profile_request r = {.world = world, .name = np_str_of("walker"), .has_settings = true};
    np_world_profile_response out;
    np_error err = {0};
    nav_settings_default(&r.settings);
    r.settings.tile_cells = 16;
    r.settings.agent_radius_m = radius_m;
    ck_assert_msg(client_call(&a, NP_WORLD_PROFILE, &r, &out, &err) == NAV_OK, "%s", err.message);
    return out;
}

// Tiles of the world are open: while workers wait, they stay so.
static void look_for_open(nd_server *s, void *user)
{
    look *l = user;
    const nd_world *w = nd_worlds_find(nd_server_service(s)->methods->worlds, l->world);
    l->seen = w->scheduler.progress[0].open > 0;
}

START_TEST(searches_pay_for_them)
{
    build_both();
    nav_key before = ask(a.world);
    ck_assert_uint_eq(used(), 0);
    const np_path_audit_request audit = {
        .world = a.world, .profile = np_str_of("walker"), .near_m = NP_PATH_NEAR_M, .pairs = AUDITED, .seed = 1};
    while (!used()) {
        np_path_audit_response out;
        np_error err = {0};
        ck_assert(nav_key_equal(ask(a.world), before));
        ck_assert_msg(client_call(&a, NP_PATH_AUDIT, &audit, &out, &err) == NAV_OK, "%s", err.message);
        ck_assert_uint_eq(out.pairs, AUDITED);
    }
    ck_assert_uint_gt(used(), 2 * FEW_LANDMARKS);
    ck_assert(nav_key_equal(ask(a.world), before));
    check_answers();
}
END_TEST

START_TEST(they_are_made_again_when_tiles_have_made_them_worse)
{
    build_both();
    (void)ask(a.world);
    make_all();
    uint64_t all = used();
    for (uint64_t i = 0; i < 3; i++) {
        const np_op ops[] = {op_remove(60 + i), op_move(2, 0.7f, 3, 2 - 4 * (float)i)};
        edit_one(a.world, ops, 2);
        edit_one(other, ops, 2);
        settle(a.world);
        settle(other);
        check_answers();
        ck_assert_uint_eq(used(), all); // as they are still of use
        if (i) make_all();
        check_answers();
    }
}
END_TEST

START_TEST(tiles_change_while_they_are_made)
{
    build_both();
    (void)ask(a.world);
    const np_op ops[] = {op_remove(2), op_remove(100), op_move(40, 3, 3, 3)};
    hold_when_some_are_made();
    edit_one(a.world, ops, 3);
    wait_until(look_for_open, &(look){.world = a.world});
    uint32_t asked = send_queries(a.world);
    release();
    (void)wait_for_answers(asked);
    edit_one(other, ops, 3);
    settle(a.world);
    settle(other);
    check_answers();
    ck_assert_uint_ge(used(), FEW_LANDMARKS); // those that were made
    ck_assert_uint_lt(used(), 3 * FEW_LANDMARKS);
    make_all();
    ck_assert_uint_gt(used(), 3 * FEW_LANDMARKS);
    check_answers();
}
END_TEST

// None is made yet: what there is goes.
START_TEST(tiles_change_before_the_first_is_made)
{
    build_both();
    (void)ask(a.world);
    const np_op ops[] = {op_remove(2)};
    hold();
    fixture_call(&d, pay, &a.world);
    edit_one(a.world, ops, 1);
    uint32_t asked = send_queries(a.world);
    release();
    (void)wait_for_answers(asked);
    edit_one(other, ops, 1);
    settle(a.world);
    settle(other);
    check_answers();
    make_all();
    check_answers();
}
END_TEST

static void look_for_none(nd_server *s, void *user)
{
    look *l = user;
    l->seen = !nd_server_service(s)->methods->paths->grounds;
}

// With its calls and without; at the first of them, or when there are some.
START_TEST(the_world_is_deleted_while_they_are_made)
{
    build(a.world);
    settle(a.world);
    (void)ask(a.world);
    if (_i & 1) {
        hold_when_some_are_made();
    } else {
        hold();
        fixture_call(&d, pay, &a.world);
    }
    np_path_find_response out;
    np_error err = {0};
    np_none none;
    uint32_t asked = _i & 2 ? send_queries(a.world) : 0;
    const np_world_delete_request gone = {a.world};
    uint32_t deleted = client_send(&a, NP_WORLD_DELETE, &gone);
    if (asked) ck_assert_int_eq(client_wait(&a, NP_PATH_FIND, asked, &out, &err), NAV_ERR_NOT_FOUND);
    ck_assert_int_eq(client_wait(&a, NP_WORLD_DELETE, deleted, &none, &err), NAV_OK);
    ck_assert_uint_eq(used(), 0);
    release();
    wait_until(look_for_none, &(look){0});
}
END_TEST

START_TEST(the_settings_change_while_they_are_made)
{
    build_both();
    (void)ask(a.world);
    hold_when_some_are_made();
    (void)change_settings(a.world, 0.4f);
    release();
    (void)change_settings(other, 0.4f);
    settle(a.world);
    settle(other);
    check_answers();
    ck_assert_uint_eq(used(), 0);
    make_all();
    check_answers();
}
END_TEST

START_TEST(the_daemon_stops_while_they_are_made)
{
    build(a.world);
    settle(a.world);
    (void)ask(a.world);
    hold_when_some_are_made();
    release();
}
END_TEST

static void forget_all(nd_server *s, void *user)
{
    look *l = user;
    nd_ground *g = ground_of(s, l->world);
    nd_landmarks_give_up(g);
    l->seen = !g->landmarks.busy && !g->landmarks.made;
}

START_TEST(what_was_made_goes_when_memory_is_short)
{
    build_both();
    (void)ask(a.world);
    hold_when_some_are_made();
    look l = {.world = a.world};
    fixture_call(&d, forget_all, &l);
    ck_assert(!l.seen);
    release();
    wait_until(forget_all, &l);
    ck_assert_uint_eq(used(), 0);
    check_answers();
    make_all();
    check_answers();
}
END_TEST

// Asks for as much as there is when searches have given their memory back, and a part of that of the landmarks more.
static void claim_some(nd_server *s, void *user)
{
    look *l = user;
    nd_ground *g = ground_of(s, l->world);
    nd_paths *p = g->paths;
    np_error err = {0};
    size_t bytes = nav_path_landmarks_bytes(nav_path_set_landmarks(g->set));
    uint64_t left = p->config->path_bytes - nd_paths_bytes(p) + p->finders.bytes;
    ck_assert_int_eq(nd_paths_claim(p, (size_t)left + bytes / 2, &err), NAV_OK);
    ck_assert_ptr_null(nav_path_set_landmarks(g->set));
    ck_assert_uint_eq(g->bytes, nav_path_set_bytes(g->set));
    ck_assert(!g->gone);
    l->seen = true;
}

static void leave(nd_server *s, void *user)
{
    look *l = user;
    nd_ground *g = ground_of(s, l->world);
    nd_landmarks_leave(g);
    ck_assert_ptr_nonnull(g->begun);
    ck_assert_ptr_nonnull(nav_path_set_landmarks(g->set)); // its searches read them
    l->seen = true;
}

// Rather than the ground; where searches are under way, after them.
START_TEST(landmarks_go_when_others_need_the_memory)
{
    build_both();
    (void)ask(a.world);
    make_all();
    look l = {.world = a.world};
    if (_i) {
        hold();
        uint32_t asked = send_queries(a.world);
        (void)used(); // the daemon has taken the call
        fixture_call(&d, leave, &l);
        uint32_t behind = send_queries(a.world);
        release();
        (void)wait_for_answers(asked);
        (void)wait_for_answers(behind);
    } else {
        fixture_call(&d, claim_some, &l);
    }
    ck_assert(l.seen);
    ck_assert_uint_eq(used(), 0);
    check_answers();
    make_all();
    check_answers();
}
END_TEST

// What searches keep goes before what was made.
static void claim_little(nd_server *s, void *user)
{
    look *l = user;
    nd_ground *g = ground_of(s, l->world);
    nd_paths *p = g->paths;
    np_error err = {0};
    nav_path_finder *idle = nd_finders_take(&p->finders);
    ck_assert_ptr_nonnull(idle);
    nd_finders_give(&p->finders, idle);
    ck_assert_int_eq(nd_paths_claim(p, (size_t)(p->config->path_bytes - nd_paths_bytes(p) + 1), &err), NAV_OK);
    l->seen = !g->landmarks.given_up;
}

START_TEST(idle_memory_of_searches_goes_first)
{
    build_both();
    (void)ask(a.world);
    hold_when_some_are_made();
    look l = {.world = a.world};
    fixture_call(&d, claim_little, &l);
    release();
    ck_assert(l.seen);
    make_all();
    check_answers();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("ground_landmarks");
    TCase *t = tcase_create("ground_landmarks");
    tcase_add_checked_fixture(t, start, stop);
    tcase_set_timeout(t, 900);
    tcase_add_test(t, searches_pay_for_them);
    tcase_add_test(t, they_are_made_again_when_tiles_have_made_them_worse);
    tcase_add_test(t, tiles_change_while_they_are_made);
    tcase_add_test(t, tiles_change_before_the_first_is_made);
    tcase_add_loop_test(t, the_world_is_deleted_while_they_are_made, 0, 4);
    tcase_add_test(t, the_settings_change_while_they_are_made);
    tcase_add_test(t, the_daemon_stops_while_they_are_made);
    tcase_add_test(t, what_was_made_goes_when_memory_is_short);
    tcase_add_loop_test(t, landmarks_go_when_others_need_the_memory, 0, 2);
    tcase_add_test(t, idle_memory_of_searches_goes_first);
    suite_add_tcase(s, t);
    return run_suite(s);
}
