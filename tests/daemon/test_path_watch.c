// path.watch: paths that are told again when they change, and only then; up to which revision they are true; and what
// becomes of them with other settings, without their world, or above the limits.
#include "tests/daemon/path_watcher.h"

#include <math.h>
#include <string.h>

static daemon_fixture d;
static client a; // it edits
static path_watcher b;
static nav_key slab, wall, plank;

enum { HALF = 20, FLOOR_Y = 1 }; // metres

static void open_world(void (*change)(nd_config *c))
{
    fixture_start(&d, change);
    ck_assert_int_eq(d.status, NAV_OK);
    client_connect(&a, &d);
    client_open(&a);
    watcher_connect(&b, &d, a.world);
    slab = client_put_box(&a, HALF, 0.5f, HALF);
    wall = client_put_box(&a, 0.5f, 2, 15);
    plank = client_put_box(&a, 10, 0.5f, 1.5f);
}

static void start(void)
{
    open_world(NULL);
}

static void few_probes(nd_config *c)
{
    c->max_probes = 3;
    c->max_subscriptions = 2;
}

static void start_with_few(void)
{
    open_world(few_probes);
}

static void few_bytes(nd_config *c)
{
    c->path_bytes = 20000;
}

static void start_with_few_bytes(void)
{
    open_world(few_bytes);
}

static void stop(void)
{
    client_close(&a);
    client_close(&b.client);
    fixture_stop(&d);
}

static uint64_t edit(const np_op *ops, uint32_t count)
{
    np_world_edit_response r;
    np_error err = {0};
    ck_assert_msg(client_edit(&a, ops, count, &r, &err) == NAV_OK, "%s", err.message);
    return r.revision;
}

static np_path_watch_request request_of(const np_path_query *queries, uint32_t count)
{
    np_path_watch_request r = b.terms;
    r.queries = queries;
    r.query_count = count;
    return r;
}

static const np_path_query across = {{-10, FLOOR_Y, 0}, {10, FLOOR_Y, 0}};

START_TEST(a_path_is_told_again_when_it_changes)
{
    const np_path_query q[] = {across, {{-15, FLOOR_Y, -18}, {-15, FLOOR_Y, -15}}, {{15, FLOOR_Y, 15}, {60, 1, 0}}};
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1);
    client_settle(&a); // tiles that take long are searched before all are made
    uint64_t id = watcher_watch(&b, q, 3);
    watcher_hear(&b, id, revision);
    watcher_check(&b, &a, q, 3);
    ck_assert_double_eq_tol(b.paths[0].length_m, 20, 1e-3);
    ck_assert_int_eq(b.paths[2].status, NAV_PATH_NO_GOAL);
    watcher_hear(&b, id, edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1));
    watcher_check(&b, &a, q, 3);
    ck_assert_double_gt(b.paths[0].length_m, 30);
    watcher_hear(&b, id, edit((np_op[]){op_move(2, 0, FLOOR_Y + 1, 15)}, 1));
    watcher_check(&b, &a, q, 3);
    watcher_hear(&b, id, edit((np_op[]){op_remove(2)}, 1));
    watcher_check(&b, &a, q, 3);
    ck_assert_double_eq_tol(b.paths[0].length_m, 20, 1e-3);
    ck_assert_uint_ge(b.paths[0].notes, 4);
    ck_assert_uint_eq(b.paths[1].notes, 1); // far from it all
    watcher_hear(&b, id, edit((np_op[]){op_remove(1)}, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_NO_START);
    watcher_check(&b, &a, q, 3);
}
END_TEST

enum { MUD = 6, DOOR = 7, BRIDGE = 8, DROP = 9 }; // an area; volumes and links

static np_op op_mud(uint64_t id, float x, float z)
{
    np_op op = {.kind = NP_OP_PUT_VOLUME,
                .id = id,
                .u.volume = {.point_count = 4, .min_y = FLOOR_Y - 1, .max_y = FLOOR_Y + 1, .area = MUD}};
    const float corners[] = {x - 2, z - 9, x + 2, z - 9, x + 2, z + 9, x - 2, z + 9};
    memcpy(op.u.volume.points, corners, sizeof corners);
    return op;
}

static np_op op_link(uint64_t id, float x, float z, float to_x, float to_z)
{
    return (np_op){.kind = NP_OP_PUT_LINK,
                   .id = id,
                   .u.link = {.start = {x, FLOOR_Y, z},
                              .end = {to_x, FLOOR_Y, to_z},
                              .radius_m = 0.6f,
                              .area = 5,
                              .flags = 1,
                              .id = (uint32_t)id,
                              .both_ways = true}};
}

// Two slabs, 4 m apart: a link between them comes, is moved away from the straight line, and goes.
START_TEST(a_link_is_followed)
{
    const np_path_query q = {{0, FLOOR_Y, 0}, {44, FLOOR_Y, 0}};
    b.terms.links = true;
    uint64_t revision =
        edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_put(2, slab, 44, FLOOR_Y - 0.5f, 0)}, 2);
    uint64_t id = watcher_watch(&b, &q, 1);
    watcher_hear(&b, id, revision);
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_hear(&b, id, edit((np_op[]){op_link(BRIDGE, 18, 0, 26, 0)}, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(b.paths[0].length_m, 44, 1e-3);
    watcher_check(&b, &a, &q, 1);
    watcher_hear(&b, id, edit((np_op[]){op_link(BRIDGE, 18, 15, 26, 15)}, 1));
    ck_assert_double_gt(b.paths[0].length_m, 50);
    watcher_check(&b, &a, &q, 1);
    watcher_hear(&b, id, edit((np_op[]){{.kind = NP_OP_REMOVE_LINK, .id = BRIDGE}}, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_check(&b, &a, &q, 1);
}
END_TEST

// Only a link's radius changes: a wider agent may not take it, then may.
START_TEST(a_link_that_gets_wider_is_followed)
{
    const np_path_query q = {{0, FLOOR_Y, 0}, {44, FLOOR_Y, 0}};
    np_op bridge = op_link(BRIDGE, 18, 0, 26, 0);
    b.terms.links = true;
    b.terms.radius_m = 1.5f;
    uint64_t revision =
        edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_put(2, slab, 44, FLOOR_Y - 0.5f, 0), bridge}, 3);
    uint64_t id = watcher_watch(&b, &q, 1);
    watcher_hear(&b, id, revision);
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    bridge.u.link.radius_m = 2;
    watcher_hear(&b, id, edit(&bridge, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    watcher_check(&b, &a, &q, 1);
    bridge.u.link.radius_m = 1;
    watcher_hear(&b, id, edit(&bridge, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_check(&b, &a, &q, 1);
}
END_TEST

// The whole width of a slab is mud, which is excluded; then it is not.
START_TEST(what_is_excluded_is_followed)
{
    np_op mud = op_mud(DOOR, 0, 0);
    const float corners[] = {-2, -25, 2, -25, 2, 25, -2, 25};
    memcpy(mud.u.volume.points, corners, sizeof corners);
    b.terms.exclude = UINT64_C(1) << MUD;
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), mud}, 2),
             id = watcher_watch(&b, &across, 1);
    watcher_hear(&b, id, revision);
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_check(&b, &a, &across, 1);
    watcher_hear(&b, id, edit((np_op[]){op_mud(DOOR, 0, 0)}, 1)); // shorter than the slab is wide
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    watcher_check(&b, &a, &across, 1);
    watcher_hear(&b, id, edit((np_op[]){{.kind = NP_OP_REMOVE_VOLUME, .id = DOOR}}, 1));
    ck_assert_double_eq_tol(b.paths[0].length_m, 20, 1e-3);
    watcher_check(&b, &a, &across, 1);
}
END_TEST

// The way is closed 60 m from both ends, where neither the path nor the goal has anything.
START_TEST(a_way_that_opens_elsewhere_is_found)
{
    const np_path_query q = {{0, FLOOR_Y, 0}, {60, FLOOR_Y, 0}};
    const float y = FLOOR_Y - 0.5f;
    nav_key lane = client_put_box(&a, 1.5f, 0.5f, 40);
    // Two slabs, a lane away from each, and a plank between the lanes' ends.
    const np_op world[] = {op_put(1, slab, 0, y, 0), op_put(2, slab, 60, y, 0), op_put(3, lane, 15, y, 58),
                           op_put(4, lane, 45, y, 58), op_put(5, plank, 23, y, 97)};
    uint64_t id, revision = edit(world, 5);
    id = watcher_watch(&b, &q, 1);
    watcher_hear(&b, id, revision);
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_hear(&b, id, edit((np_op[]){op_put(6, plank, 38, y, 97)}, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    watcher_check(&b, &a, &q, 1);
    watcher_hear(&b, id, edit((np_op[]){op_move(6, 38, y + 3, 97)}, 1));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_check(&b, &a, &q, 1);
}
END_TEST

// Two walls leave a gap that is wide enough, then too narrow; one that stands beside the way pushes it aside.
START_TEST(a_wider_agents_path_is_followed)
{
    const np_path_query q[] = {across, {{-15, FLOOR_Y, -18}, {-15, FLOOR_Y, -15}}};
    const float y = FLOOR_Y + 1;
    b.terms.radius_m = 2;
    uint64_t revision = edit(
        (np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_put(2, wall, 0, y, -18), op_put(3, wall, 0, y, 18)}, 3);
    client_settle(&a);
    uint64_t id = watcher_watch(&b, q, 2);
    watcher_hear(&b, id, revision);
    watcher_check(&b, &a, q, 2);
    ck_assert_double_eq_tol(b.paths[0].length_m, 20, 1e-3);
    watcher_hear(&b, id, edit((np_op[]){op_move(3, 0, y, 16)}, 1)); // wide enough for the agent of the tiles
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_PARTIAL);
    watcher_check(&b, &a, q, 2);
    watcher_hear(&b, id, edit((np_op[]){op_move(3, 0, y, 19), op_move(2, 0, y, -16.4f)}, 2));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_gt(b.paths[0].length_m, 20.01); // the wall is nearer than the agent is wide
    watcher_check(&b, &a, q, 2);
    ck_assert_uint_eq(b.paths[1].notes, 1);
    b.terms.radius_m = 60; // columns are 0.3 m
    id = watcher_watch(&b, q, 1);
    b.synced = 0;
    b.paths[0].notes = 0;
    watcher_hear(&b, id, 1);
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_LIMIT);
}
END_TEST

static uint64_t price(uint8_t area, float cost)
{
    const np_area list[] = {{.id = area, .name = np_str_of("mud"), .cost = cost, .walkable = true}};
    const np_world_areas_request r = {.world = a.world, .has_areas = true, .area_count = 1, .areas = list};
    np_world_areas_response out;
    np_error err = {0};
    ck_assert_msg(client_call(&a, NP_WORLD_AREAS, &r, &out, &err) == NAV_OK, "%s", err.message);
    return out.revision;
}

// Through the mud, or around its end, by what the world says of it; the other one's own cost stays.
START_TEST(costs_are_followed)
{
    static const np_area_cost own[] = {{MUD, 100}};
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_mud(DOOR, 0, 0)}, 2);
    path_watcher c;
    watcher_connect(&c, &d, a.world);
    b.terms.world_costs = c.terms.world_costs = true;
    c.terms.cost_count = 1;
    c.terms.costs = own;
    uint64_t id = watcher_watch(&b, &across, 1), other = watcher_watch(&c, &across, 1);
    watcher_hear(&b, id, revision);
    watcher_hear(&c, other, revision);
    ck_assert_double_eq_tol(b.paths[0].cost, 20, 1e-3);
    ck_assert_double_gt(c.paths[0].length_m, 24);
    revision = price(MUD, 100);
    watcher_hear(&b, id, revision);
    watcher_check(&b, &a, &across, 1);
    ck_assert_double_gt(b.paths[0].length_m, 24);
    revision = price(MUD, 1.25f);
    watcher_hear(&b, id, revision);
    watcher_check(&b, &a, &across, 1);
    ck_assert_double_eq_tol(b.paths[0].length_m, 20, 1e-3);
    ck_assert_double_gt(b.paths[0].cost, 20.5);
    revision = edit((np_op[]){op_mud(DOOR, 5, 3)}, 1); // it moves with the way through it
    watcher_hear(&b, id, revision);
    watcher_check(&b, &a, &across, 1);
    watcher_hear(&c, other, revision);
    watcher_check(&c, &a, &across, 1);
    ck_assert_double_gt(c.paths[0].length_m, 20.5);
    revision = edit((np_op[]){{.kind = NP_OP_REMOVE_VOLUME, .id = DOOR}}, 1);
    watcher_hear(&b, id, revision);
    watcher_hear(&c, other, revision);
    ck_assert_double_eq_tol(b.paths[0].cost, 20, 1e-3);
    ck_assert_double_eq_tol(c.paths[0].cost, 20, 1e-3);
    client_close(&c.client);
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static float random_place(uint32_t *state, float half)
{
    return ((float)(next_random(state) % 2001) / 1000 - 1) * half;
}

static const np_area_cost dear[] = {{MUD, 3}}, cheap[] = {{MUD, 0.4f}};
static const struct {
    bool mud, links;
    uint64_t exclude;
    double radius_m;
    const np_area_cost *costs;
} variants[] = {
    {.mud = true, .exclude = UINT64_C(1) << MUD},
    {.exclude = 0},
    {.mud = true, .links = true, .exclude = UINT64_C(1) << MUD},
    {.links = true},
    {.radius_m = 1},
    {.mud = true, .radius_m = 1.7, .exclude = UINT64_C(1) << MUD},
    {.mud = true, .costs = dear},
    {.mud = true, .links = true, .costs = cheap},
};

// An end of a wall, mud that is excluded, or a link between two slabs goes elsewhere.
static np_op random_op(uint32_t *state, uint32_t walls, int variant, int edit_number)
{
    float x = 20 + random_place(state, 40), z = 20 + random_place(state, 40);
    if (edit_number % 10 == 9) return op_move(2, next_random(state) % 2 ? 41 : 46, FLOOR_Y - 0.5f, 0);
    if (variants[variant].mud && edit_number % 3 == 1) return op_mud(DOOR, x, z);
    if (variants[variant].links && edit_number % 3 == 2) return op_link(DROP, x, 10, x, 34);
    return op_move(10 + next_random(state) % walls, x, FLOOR_Y + 1, z);
}

// Walls move about on four slabs, of which two hang together at times; with mud that is excluded, and with links.
START_TEST(what_is_told_is_what_path_find_says)
{
    enum { PROBES = 100, WALLS = 8, EDITS = 30 };
    static np_path_query q[PROBES];
    const uint32_t probes = variants[_i].costs ? 20 : PROBES; // searches for bounds take long
    const int edits = variants[_i].costs ? 12 : EDITS;
    uint32_t state = (uint32_t)_i + 1, notes = 0;
    b.terms.exclude = variants[_i].exclude;
    b.terms.links = variants[_i].links;
    b.terms.radius_m = variants[_i].radius_m;
    b.terms.costs = variants[_i].costs;
    b.terms.cost_count = variants[_i].costs != NULL;
    np_op ops[4 + WALLS];
    for (uint32_t i = 0; i < 4; i++) ops[i] = op_put(i + 1, slab, (i & 1) ? 41 : 0, FLOOR_Y - 0.5f, (i & 2) ? 42 : 0);
    for (uint32_t i = 0; i < WALLS; i++)
        ops[4 + i] = op_put(10 + i, wall, 20 + random_place(&state, 40), FLOOR_Y + 1, 20 + random_place(&state, 40));
    for (uint32_t i = 0; i < probes; i++)
        for (int k = 0; k < 2; k++) {
            double *at = k ? q[i].to : q[i].from, far = i % 2 ? 40 : 6;
            double from = k && i % 2 == 0 ? q[i].from[0] : 20, from_z = k && i % 2 == 0 ? q[i].from[2] : 20;
            at[0] = from + (double)random_place(&state, (float)far);
            at[1] = FLOOR_Y;
            at[2] = from_z + (double)random_place(&state, (float)far);
        }
    uint64_t revision = edit(ops, 4 + WALLS), id = watcher_watch(&b, q, probes);
    watcher_hear(&b, id, revision);
    watcher_check(&b, &a, q, probes);
    for (int e = 0; e < edits; e++) {
        np_op op = random_op(&state, WALLS, _i, e);
        watcher_hear(&b, id, edit(&op, 1));
        watcher_check(&b, &a, q, probes);
    }
    for (uint32_t i = 0; i < probes; i++) notes += b.paths[i].notes;
    ck_assert_uint_gt(notes, probes); // how many more, how long the tiles take decides
}
END_TEST

static uint64_t change_settings(const nav_settings *s)
{
    const np_world_profile_request r = {
        .world = a.world, .name = np_str_of("walker"), .has_settings = true, .settings = *s};
    np_world_profile_response out;
    np_error err = {0};
    ck_assert_msg(client_call(&a, NP_WORLD_PROFILE, &r, &out, &err) == NAV_OK, "%s", err.message);
    return out.revision;
}

START_TEST(a_watch_outlives_the_settings_of_its_profile)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = 16;
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0), op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 2);
    uint64_t id = watcher_watch(&b, &across, 1);
    watcher_hear(&b, id, revision);
    double narrow = b.paths[0].length_m;
    s.agent_radius_m = 2;
    watcher_hear(&b, id, change_settings(&s));
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_gt(b.paths[0].length_m, narrow + 1);
    watcher_check(&b, &a, &across, 1);
    s.agent_radius_m = 0.6f;
    s.cell_size_m /= 2;
    s.tile_cells *= 2;
    watcher_hear(&b, id, change_settings(&s)); // another grid
    ck_assert_int_eq(b.paths[0].status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(b.paths[0].length_m, narrow, 1);
    watcher_check(&b, &a, &across, 1);
    watcher_hear(&b, id, edit((np_op[]){op_remove(2)}, 1));
    ck_assert_double_eq_tol(b.paths[0].length_m, 20, 1e-2);
}
END_TEST

START_TEST(a_watch_ends_with_its_world)
{
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1), id = watcher_watch(&b, &across, 1);
    np_world_delete_request gone = {a.world};
    np_none none;
    if (_i) watcher_hear(&b, id, revision);
    ck_assert_int_eq(client_call(&a, NP_WORLD_DELETE, &gone, &none, NULL), NAV_OK);
    watcher_hear(&b, id, UINT64_MAX);
    ck_assert_str_eq(b.ended, "deleted");
}
END_TEST

static uint32_t notes_until(uint32_t request)
{
    np_message m;
    uint32_t notes = 0;
    for (bool last = false; !last; np_message_deinit(&m)) {
        ck_assert(client_read(&b.client, &m));
        last = m.kind == NP_RESPONSE && m.id == request;
        notes += m.kind == NP_NOTIFICATION && (np_method_of(&m) == NP_PATHS || np_method_of(&m) == NP_SYNCED);
    }
    return notes;
}

START_TEST(nothing_comes_after_unwatch)
{
    const np_path_query q[] = {across, across, across};
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1), id = watcher_watch(&b, q, 3);
    np_path_unwatch_request r = {id};
    np_none none;
    np_error err = {0};
    if (_i) watcher_hear(&b, id, revision);
    ck_assert_int_eq(client_call(&a, NP_PATH_UNWATCH, &r, &none, &err), NAV_ERR_NOT_FOUND); // another session's
    uint32_t request = client_send(&b.client, NP_PATH_UNWATCH, &r);
    (void)notes_until(request);
    edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1);
    client_settle(&a);
    watcher_check(&b, &a, NULL, 0); // the searches have had their turn
    ck_assert_uint_eq(notes_until(client_send(&b.client, NP_PING, &none)), 0);
    ck_assert_int_eq(client_call(&b.client, NP_PATH_UNWATCH, &r, &none, &err), NAV_ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_session_that_ends_takes_its_watches_along)
{
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1);
    client c;
    client_connect(&c, &d);
    client_greet(&c);
    np_path_watch_request r = request_of(&across, 1);
    np_path_watch_response out;
    ck_assert_int_eq(client_call(&c, NP_PATH_WATCH, &r, &out, NULL), NAV_OK);
    client_close(&c);
    uint64_t id = watcher_watch(&b, &across, 1);
    watcher_hear(&b, id, revision);
    watcher_hear(&b, id, edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1));
    watcher_check(&b, &a, &across, 1);
}
END_TEST

START_TEST(watches_above_the_limits_are_refused)
{
    const np_path_query q[] = {across, across, across, across};
    uint64_t id;
    np_error err = {0};
    ck_assert_int_eq(watcher_try(&b, q, 4, &id, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-probes"));
    ck_assert_int_eq(watcher_try(&b, q, 3, &id, &err), NAV_OK);
    ck_assert_int_eq(watcher_try(&b, q, 1, &id, &err), NAV_ERR_LIMIT);
    ck_assert_int_eq(watcher_try(&b, q, 0, &id, &err), NAV_OK);
    ck_assert_int_eq(watcher_try(&b, q, 0, &id, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-subscriptions"));
}
END_TEST

START_TEST(a_watch_ends_where_its_tiles_have_no_room)
{
    edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1);
    watcher_hear(&b, watcher_watch(&b, &across, 1), UINT64_MAX);
    ck_assert_str_eq(b.ended, "memory");
}
END_TEST

START_TEST(wrong_watches_are_refused)
{
    np_path_query nowhere = across;
    np_path_watch_request r = request_of(&nowhere, 1);
    np_path_watch_response out;
    np_error err = {0};
    r.profile = np_str_of("giant");
    ck_assert_int_eq(client_call(&b.client, NP_PATH_WATCH, &r, &out, &err), NAV_ERR_NOT_FOUND);
    r = request_of(&nowhere, 1);
    r.world = 99;
    ck_assert_int_eq(client_call(&b.client, NP_PATH_WATCH, &r, &out, &err), NAV_ERR_NOT_FOUND);
    r = request_of(&nowhere, 1);
    nowhere.to[2] = INFINITY;
    ck_assert_int_eq(client_call(&b.client, NP_PATH_WATCH, &r, &out, &err), NAV_ERR_ARGUMENT);
    nowhere = across;
    for (int i = 0; i < 2; i++) { // as path.find
        static const char *const keys[] = {"radius_m", "gap"};
        r = request_of(&nowhere, 1);
        r.radius_m = i == 0 ? -1 : 0;
        r.has_gap = true;
        r.gap = i == 1 ? 2 : 0.5;
        ck_assert_int_eq(client_call(&b.client, NP_PATH_WATCH, &r, &out, &err), NAV_ERR_ARGUMENT);
        ck_assert_msg(strstr(err.message, keys[i]) != NULL, "%s", err.message);
    }
    // No grid reaches it, and no cell of the index either.
    const np_path_query far[] = {{{1e300, 0, -1e300}, {0, 0, 0}}, {{0, 0, 0}, {-1e12, 1e300, 3e9}}, across};
    uint64_t revision = edit((np_op[]){op_put(1, slab, 0, FLOOR_Y - 0.5f, 0)}, 1), id = watcher_watch(&b, far, 3);
    watcher_hear(&b, id, revision);
    watcher_hear(&b, id, edit((np_op[]){op_put(2, wall, 0, FLOOR_Y + 1, 0)}, 1));
    watcher_check(&b, &a, far, 3);
    ck_assert_uint_eq(b.paths[0].notes, 1);
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

int main(void)
{
    Suite *s = suite_create("path_watch");
    TCase *t = add_case(s, "watch", start);
    tcase_add_test(t, a_path_is_told_again_when_it_changes);
    tcase_add_test(t, a_link_is_followed);
    tcase_add_test(t, a_link_that_gets_wider_is_followed);
    tcase_add_test(t, what_is_excluded_is_followed);
    tcase_add_test(t, a_way_that_opens_elsewhere_is_found);
    tcase_add_test(t, a_wider_agents_path_is_followed);
    tcase_add_test(t, costs_are_followed);
    tcase_add_loop_test(t, what_is_told_is_what_path_find_says, 0, sizeof variants / sizeof *variants);
    tcase_add_test(t, a_watch_outlives_the_settings_of_its_profile);
    tcase_add_loop_test(t, a_watch_ends_with_its_world, 0, 2);
    tcase_add_loop_test(t, nothing_comes_after_unwatch, 0, 2);
    tcase_add_test(t, a_session_that_ends_takes_its_watches_along);
    tcase_add_test(t, wrong_watches_are_refused);
    tcase_add_test(add_case(s, "limits", start_with_few), watches_above_the_limits_are_refused);
    tcase_add_test(add_case(s, "bytes", start_with_few_bytes), a_watch_ends_where_its_tiles_have_no_room);
    return run_suite(s);
}
