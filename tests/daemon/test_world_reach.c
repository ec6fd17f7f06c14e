// Seeds and islands in a running daemon: what is streamed when a way closes and opens, what comes from the cache, and
// that a world that was changed many times is delivered like one that was made as it is now.
#include "tests/check.h"
#include "tests/core/scene.h"
#include "tests/daemon/fixture.h"

#include <stdlib.h>
#include <string.h>

static daemon_fixture daemon_;
static client a;
static uint64_t threads;

static void configure(nd_config *c)
{
    if (threads) c->threads = threads;
}

static void show_all(nd_config *c)
{
    c->stale_ms = 0; // a run whose tile is edited goes on
}

static void start(void)
{
    threads = 0;
    fixture_start(&daemon_, configure);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static void open_world(client *c, const char *name, const np_reach *reach)
{
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16; // 4.8 m
    np_world_open_request open = {.name = np_str_of(name), .create = true, .profile_count = 1, .profiles = &walker};
    if (reach) {
        open.has_reach = true;
        open.reach = *reach;
    }
    np_world_open_response opened;
    ck_assert_int_eq(client_call(c, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    ck_assert_int_eq(opened.has_reach, reach && reach->unreachable != NAV_UNREACHABLE_KEEP);
    c->world = opened.world;
}

static np_seed west = {{-9, 0.5f, 0}}, in_air = {{-9, 20, 0}};
static np_reach reach_drop = {NAV_UNREACHABLE_DROP, 1, &west, 0};
static np_reach reach_flag = {NAV_UNREACHABLE_FLAG, 1, &west, 0};

static np_op set_reach(np_reach r)
{
    return (np_op){.kind = NP_OP_SET_REACH, .u.reach = r};
}

static void edit(client *c, np_op op)
{
    np_error err = {0};
    ck_assert_msg(client_edit(c, &op, 1, NULL, &err) == NAV_OK, "%s", err.message);
    client_settle(c);
}

// A corridor along x from -12 to 12, its floor at 0.5, and a door that can be put across it.
static nav_key corridor(client *c)
{
    nav_key floor = client_put_box(c, 12, 0.5f, 2), door = client_put_box(c, 0.3f, 2, 3);
    edit(c, op_put(1, floor, 0, 0, 0));
    return door;
}

static np_tile_status status_of(const client *c, int32_t x)
{
    const seen_tile *t = client_last_tile(c, x, 0, 0);
    return t ? t->status : NP_TILE_PENDING;
}

START_TEST(a_door_that_closes_empties_the_tiles_behind_it_and_no_others)
{
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key door = corridor(&a);
    for (int32_t x = -3; x <= 2; x++) ck_assert_msg(status_of(&a, x) == NP_TILE_OK, "tile %d", x);
    size_t open_end = a.tile_count;
    edit(&a, op_put(2, door, 0, 1.5f, 0));
    size_t closed = 0;
    for (size_t i = open_end; i < a.tile_count; i++) {
        const seen_tile *t = &a.tiles[i];
        ck_assert_msg(t->x >= -1, "tile %d, %d lies before the door", t->x, t->z);
        ck_assert(t->data_good);
        closed += t->status == NP_TILE_EMPTY && t->x > 0;
    }
    for (int32_t x = 1; x <= 2; x++) ck_assert_int_eq(status_of(&a, x), NP_TILE_EMPTY);
    ck_assert_uint_ge(closed, 2);
    ck_assert_int_eq(status_of(&a, -1), NP_TILE_OK);

    // Opened again, everything comes from the cache, the same bytes.
    uint64_t built = client_stat(&a, "jobs_built"), masked = client_stat(&a, "jobs_masked");
    size_t closed_end = a.tile_count;
    edit(&a, op_remove(2));
    ck_assert_uint_eq(client_stat(&a, "jobs_built"), built);
    ck_assert_uint_eq(client_stat(&a, "jobs_masked"), masked);
    for (int32_t x = 1; x <= 2; x++) {
        const seen_tile *again = client_last_tile(&a, x, 0, closed_end), *first = NULL;
        for (size_t i = 0; i < open_end; i++)
            if (a.tiles[i].x == x && a.tiles[i].z == 0) first = &a.tiles[i];
        ck_assert_ptr_nonnull(again);
        ck_assert_uint_eq(again->made_us, 0);
        ck_assert(nav_key_equal(again->data_key, first->data_key) && nav_key_equal(again->key, first->key));
    }
}
END_TEST

START_TEST(flagged_tiles_keep_their_cells_and_mark_them)
{
    client_greet(&a);
    open_world(&a, "w", &reach_flag);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key door = corridor(&a);
    const seen_tile open = *client_last_tile(&a, 2, 0, 0);
    ck_assert_uint_eq(open.off_cells, 0);
    edit(&a, op_put(2, door, 0, 1.5f, 0));
    const seen_tile *t = client_last_tile(&a, 2, 0, 0);
    ck_assert(t->data_good);
    ck_assert_uint_eq(t->cells, open.cells);
    ck_assert_uint_eq(t->off_cells, t->cells);
    ck_assert(!nav_key_equal(t->key, open.key));
    ck_assert_uint_eq(client_last_tile(&a, -2, 0, 0)->off_cells, 0);
    edit(&a, set_reach(reach_drop)); // another mode
    ck_assert_int_eq(status_of(&a, 2), NP_TILE_EMPTY);
    edit(&a, set_reach((np_reach){.unreachable = NAV_UNREACHABLE_KEEP}));
    ck_assert(nav_key_equal(client_last_tile(&a, 2, 0, 0)->data_key, open.data_key));
    edit(&a, set_reach(reach_flag)); // and on again
    ck_assert_uint_eq(client_last_tile(&a, 2, 0, 0)->off_cells, open.cells);
}
END_TEST

static np_world_reach_response ask_reach(client *c)
{
    np_world_reach_request ask = {c->world};
    np_world_reach_response r;
    ck_assert_int_eq(client_call(c, NP_WORLD_REACH, &ask, &r, NULL), NAV_OK);
    return r;
}

START_TEST(a_seed_in_the_air_is_reported_until_it_is_moved)
{
    np_seed seeds[2] = {west, in_air};
    client_greet(&a);
    open_world(&a, "w", &(np_reach){NAV_UNREACHABLE_DROP, 2, seeds, 0});
    corridor(&a);
    np_world_reach_response r = ask_reach(&a);
    ck_assert_uint_eq(r.profile_count, 1);
    ck_assert_uint_eq(r.profiles[0].lost_count, 1);
    ck_assert_uint_eq(r.profiles[0].seeds_without_ground[0], 1);
    ck_assert_uint_eq(r.profiles[0].unreachable_parts, 0);
    ck_assert(r.profiles[0].area_m2 > 40 && r.profiles[0].area_m2 < 96);
    ck_assert_uint_eq(r.reach.seed_count, 2);
    ck_assert_uint_eq(client_stat(&a, "reach_seeds_without_ground"), 1);
    edit(&a, set_reach((np_reach){NAV_UNREACHABLE_DROP, 1, &in_air, 0}));
    r = ask_reach(&a);
    ck_assert_uint_eq(r.profiles[0].unreachable_parts, r.profiles[0].parts);
    edit(&a, set_reach(reach_drop));
    r = ask_reach(&a);
    ck_assert_uint_eq(r.profiles[0].lost_count, 0);
    ck_assert_uint_eq(r.profiles[0].unreachable_parts, 0);
}
END_TEST

START_TEST(the_count_of_steps_never_goes_down)
{
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    corridor(&a);
    uint64_t steps = client_stat(&a, "reach_steps");
    ck_assert_uint_gt(steps, 0);
    edit(&a, set_reach((np_reach){.unreachable = NAV_UNREACHABLE_KEEP}));
    ck_assert_uint_ge(client_stat(&a, "reach_steps"), steps);
    edit(&a, set_reach(reach_drop));
    steps = client_stat(&a, "reach_steps");
    np_world_delete_request request = {.world = a.world};
    np_none none;
    ck_assert_int_eq(client_call(&a, NP_WORLD_DELETE, &request, &none, NULL), NAV_OK);
    ck_assert_uint_ge(client_stat(&a, "reach_steps"), steps);
}
END_TEST

START_TEST(islands_below_the_minimum_go_and_come_with_what_they_stand_on)
{
    client_greet(&a);
    open_world(&a, "w", &(np_reach){.unreachable = NAV_UNREACHABLE_DROP, .island_min_area_m2 = 20});
    client_subscribe(&a, NP_ENCODING_DETOUR);
    corridor(&a);
    nav_key table = client_put_box(&a, 2, 1.5f, 2);
    ck_assert_int_eq(status_of(&a, 2), NP_TILE_OK);
    edit(&a, op_put(3, table, 40, 0, 0)); // 4 m by 4 m, less the agent's radius
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_EMPTY);
    np_op link = {.kind = NP_OP_PUT_LINK,
                  .id = 1,
                  .u.link = {.id = 1, .start = {9, 0.5f, 0}, .end = {40, 1.5f, 0}, .radius_m = 1, .area = 63}};
    edit(&a, link); // no island any more
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_OK);
    edit(&a, (np_op){.kind = NP_OP_REMOVE_LINK, .id = 1});
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_EMPTY);
}
END_TEST

START_TEST(no_state_between_is_sent_neither_at_first_nor_when_an_edit_moves_a_wall)
{
    np_seed corner = {{-23, 0.5f, -23}};
    client_greet(&a);
    open_world(&a, "w", &(np_reach){NAV_UNREACHABLE_DROP, 1, &corner, 0});
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key floor = client_put_box(&a, 24, 0.5f, 24), wall = client_put_box(&a, 0.3f, 2, 20);
    edit(&a, op_put(1, floor, 0, 0, 0)); // a hundred tiles, which come in any order
    for (int32_t z = -5; z <= 4; z++)
        for (int32_t x = -5; x <= 4; x++) {
            size_t notes = 0;
            for (size_t i = 0; i < a.tile_count; i++) notes += a.tiles[i].x == x && a.tiles[i].z == z;
            ck_assert_msg(notes == 1, "tile %d, %d came %zu times", x, z, notes);
            ck_assert_int_eq(client_last_tile(&a, x, z, 0)->status, NP_TILE_OK);
        }
    edit(&a, op_put(2, wall, 0, 1.5f, -3)); // ways are left at its ends
    for (int k = 0; k < 6; k++) {           // to and fro across the border of two columns of tiles
        size_t before = a.tile_count;
        edit(&a, op_move(2, k % 2 ? 0 : 4.8f, 1.5f, -3));
        for (size_t i = before; i < a.tile_count; i++) {
            bool beside = a.tiles[i].z < -5; // of the floor
            ck_assert_msg(beside || a.tiles[i].status == NP_TILE_OK, "tile %d, %d", a.tiles[i].x, a.tiles[i].z);
            for (size_t n = before; n < i; n++) ck_assert(a.tiles[n].x != a.tiles[i].x || a.tiles[n].z != a.tiles[i].z);
        }
    }
}
END_TEST

START_TEST(a_seed_on_a_table_keeps_the_table_alone)
{
    np_seed on_table = {{40, 1.5f, 2.4f}};
    client_greet(&a);
    open_world(&a, "w", &(np_reach){NAV_UNREACHABLE_DROP, 1, &on_table, 0});
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key table = client_put_box(&a, 2, 1.5f, 2);
    edit(&a, op_put(3, table, 40.8f, 0, 2.4f)); // in the middle of tile (8, 0): ground without borders
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_OK);
    corridor(&a);
    for (int32_t x = -3; x <= 2; x++) ck_assert_int_eq(status_of(&a, x), NP_TILE_EMPTY);
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_OK);
}
END_TEST

START_TEST(two_profiles_are_judged_each_by_itself)
{
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    client_subscribe(&a, NP_ENCODING_NAVD);
    np_profile wide = {.name = np_str_of("wide")};
    nav_settings_default(&wide.settings);
    wide.settings.tile_cells = 16;
    wide.settings.agent_radius_m = 1.2f;
    np_world_open_request open = {.name = np_str_of("w"), .profile_count = 1, .profiles = &wide};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    ck_assert_uint_eq(opened.profile_count, 2);
    nav_key floor = client_put_box(&a, 12, 0.5f, 4), post = client_put_box(&a, 0.3f, 2, 1);
    edit(&a, op_put(1, floor, 0, 0, 0));    // 8 m wide
    edit(&a, op_put(2, post, 0, 1.5f, -3)); // 6 m are left, enough for both
    np_world_reach_response r = ask_reach(&a);
    ck_assert_uint_eq(r.profile_count, 2);
    ck_assert_uint_eq(r.profiles[0].unreachable_parts, 0);
    ck_assert_uint_eq(r.profiles[1].unreachable_parts, 0);
    edit(&a, op_put(3, post, 0, 1.5f, 3));
    edit(&a, op_put(4, post, 0, 1.5f, 1)); // 2 m are left: enough for one of them
    r = ask_reach(&a);
    ck_assert_uint_eq(r.profiles[0].unreachable_parts, 0);
    ck_assert_uint_gt(r.profiles[1].unreachable_parts, 0);
    ck_assert(r.profiles[1].unreachable_m2 < r.profiles[1].area_m2);
    ck_assert_int_eq(status_of(&a, 2), NP_TILE_OK); // the narrow one's
}
END_TEST

START_TEST(a_link_one_way_makes_its_end_reached_and_not_its_start)
{
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    client_subscribe(&a, NP_ENCODING_NAVD);
    corridor(&a);
    nav_key table = client_put_box(&a, 2, 1.5f, 2);
    edit(&a, op_put(3, table, 40, 0, 0));
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_EMPTY);
    np_op link = {.kind = NP_OP_PUT_LINK,
                  .id = 1,
                  .u.link = {.id = 1, .start = {40, 1.5f, 0}, .end = {9, 0.5f, 0}, .radius_m = 1, .area = 63}};
    edit(&a, link);
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_EMPTY);
    memcpy(link.u.link.start, (float[3]){9, 0.5f, 0}, 12);
    memcpy(link.u.link.end, (float[3]){40, 1.5f, 0}, 12);
    edit(&a, link);
    ck_assert_int_eq(status_of(&a, 8), NP_TILE_OK);
}
END_TEST

// --- many changes

enum { BOXES = 24, LINKS = 6 };

typedef struct boxes {
    nav_key floor, box, wall;
    float at[BOXES][2];
    nav_link links[LINKS];
} boxes;

static np_op box_op(const boxes *b, uint32_t i)
{
    return op_put(10 + i, i % 3 ? b->wall : b->box, b->at[i][0], 1, b->at[i][1]);
}

static void place_box(boxes *b, uint32_t i, uint32_t *random)
{
    b->at[i][0] = scene_random_between(random, -13, 13);
    b->at[i][1] = scene_random_between(random, -13, 13);
}

static np_op link_op(const boxes *b, uint32_t i)
{
    return (np_op){.kind = NP_OP_PUT_LINK, .id = i, .u.link = b->links[i]};
}

// Between floor, tops of boxes, and air.
static void place_link(boxes *b, uint32_t i, uint32_t *random)
{
    static const float heights[] = {0.5f, 3, 10};
    nav_link *l = &b->links[i];
    *l = (nav_link){.id = i, .radius_m = 1, .area = 63, .flags = 1, .both_ways = scene_random(random) % 2};
    for (int k = 0; k < 3; k++) {
        bool up = k == 1;
        l->start[k] = up ? heights[scene_random(random) % 3] : scene_random_between(random, -14, 14);
        l->end[k] = up ? heights[scene_random(random) % 3] : scene_random_between(random, -14, 14);
    }
}

static void put_meshes(client *c, boxes *b)
{
    b->floor = client_put_box(c, 14, 0.5f, 14);
    b->box = client_put_box(c, 1.5f, 2, 0.5f);
    b->wall = client_put_box(c, 0.4f, 2, 4);
}

static void put_all(client *c, const boxes *b)
{
    np_op ops[BOXES + LINKS + 1];
    for (uint32_t i = 0; i < BOXES; i++) ops[i] = box_op(b, i);
    for (uint32_t i = 0; i < LINKS; i++) ops[BOXES + i] = link_op(b, i);
    ops[BOXES + LINKS] = op_put(1, b->floor, 0, 0, 0);
    ck_assert_int_eq(client_edit(c, ops, BOXES + LINKS + 1, NULL, NULL), NAV_OK);
    client_settle(c);
}

// The newest tiles of two clients are the same, place by place.
static void compare(const client *l, const client *r)
{
    size_t off = 0;
    for (int32_t z = -5; z <= 5; z++)
        for (int32_t x = -5; x <= 5; x++) {
            const seen_tile *p = client_last_tile(l, x, z, 0), *q = client_last_tile(r, x, z, 0);
            bool p_data = p && p->status == NP_TILE_OK, q_data = q && q->status == NP_TILE_OK;
            ck_assert_msg(p_data == q_data, "tile %d, %d", x, z);
            if (!p_data) continue;
            off += p->off_cells;
            ck_assert_msg(nav_key_equal(p->key, q->key) && nav_key_equal(p->data_key, q->data_key), "tile %d, %d", x,
                          z);
        }
    ck_assert_uint_gt(off, 0);
}

START_TEST(a_world_changed_many_times_is_delivered_like_one_made_as_it_is_now)
{
    static boxes b;
    uint32_t random = 4711 + (uint32_t)_i;
    client_greet(&a);
    open_world(&a, "changed", &reach_flag);
    client_subscribe(&a, NP_ENCODING_NAVD);
    put_meshes(&a, &b);
    for (uint32_t i = 0; i < BOXES; i++) place_box(&b, i, &random);
    for (uint32_t i = 0; i < LINKS; i++) place_link(&b, i, &random);
    put_all(&a, &b);
    for (int round = 0; round < 120; round++) {
        np_op ops[3];
        uint32_t count = 1 + scene_random(&random) % 3;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t i = scene_random(&random) % (BOXES + LINKS);
            if (i < BOXES) {
                place_box(&b, i, &random);
                ops[k] = box_op(&b, i);
            } else {
                place_link(&b, i - BOXES, &random);
                ops[k] = link_op(&b, i - BOXES);
            }
        }
        ck_assert_int_eq(client_edit(&a, ops, count, NULL, NULL), NAV_OK);
        if (round % 5 == 4) client_settle(&a); // else edits overtake the tiles of those before
    }
    client_settle(&a);
    ck_assert_uint_eq(client_stat(&a, "tiles_held"), 0);

    daemon_fixture other;
    client c;
    threads = 1; // another number of workers, an empty cache
    fixture_start(&other, configure);
    client_connect(&c, &other);
    client_greet(&c);
    open_world(&c, "made", &reach_flag);
    client_subscribe(&c, NP_ENCODING_NAVD);
    put_meshes(&c, &b);
    put_all(&c, &b);
    compare(&a, &c);
    client_close(&c);
    fixture_stop(&other);
}
END_TEST

START_TEST(cancelled_tiles_are_judged_again_with_their_next_edit)
{
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key door = corridor(&a);
    np_op put = op_put(2, door, 0, 1.5f, 0);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    np_jobs_cancel_request cancel = {.has_world = true, .world = a.world};
    np_jobs_cancel_response cancelled;
    ck_assert_int_eq(client_call(&a, NP_JOBS_CANCEL, &cancel, &cancelled, NULL), NAV_OK);
    edit(&a, (np_op){.kind = NP_OP_DIRTY, .u.dirty = {{-12, -1}, {12, 1}}}); // also those that were to be masked
    for (int32_t x = 1; x <= 2; x++) ck_assert_int_eq(status_of(&a, x), NP_TILE_EMPTY);
    edit(&a, op_remove(1)); // no floor, only a door: its top is out of reach
    for (int32_t x = -3; x <= 2; x++) ck_assert(status_of(&a, x) != NP_TILE_OK);
}
END_TEST

// The runs read a world with a goal, and come back to one without, and the other way round.
START_TEST(a_goal_that_comes_or_goes_while_tiles_are_made_outdates_them)
{
    client_close(&a);
    fixture_stop(&daemon_);
    fixture_start(&daemon_, show_all);
    client_connect(&a, &daemon_);
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key floor = client_put_box(&a, 12, 0.5f, 12), step = client_put_box(&a, 0.5f, 0.1f, 0.5f);
    np_op goal_off = set_reach((np_reach){.unreachable = NAV_UNREACHABLE_KEEP}), goal_on = set_reach(reach_drop);
    np_op put = op_put(1, floor, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
    for (uint32_t i = 0; i < 40; i++) {
        put = op_put(2 + i, step, (float)(i % 20) - 9.5f, 0.6f, (float)(i / 20) * 8);
        ck_assert_int_eq(client_edit(&a, &put, 1, NULL, NULL), NAV_OK);
        ck_assert_int_eq(client_edit(&a, i % 2 ? &goal_on : &goal_off, 1, NULL, NULL), NAV_OK);
    }
    client_settle(&a);
    for (int32_t x = -2; x <= 1; x++) ck_assert_int_eq(status_of(&a, x), NP_TILE_OK);
    ck_assert_uint_eq(client_stat(&a, "jobs_failed"), 0);
}
END_TEST

START_TEST(a_goal_out_of_range_is_refused_and_changes_nothing)
{
    np_seed far = {{0, 3e7f, 0}};
    np_error err;
    client_greet(&a);
    open_world(&a, "w", &reach_drop);
    np_op op = set_reach((np_reach){NAV_UNREACHABLE_DROP, 1, &far, 0});
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "seeds[0][1] is 3e+07"), "%s", err.message);
    op = set_reach((np_reach){.unreachable = NAV_UNREACHABLE_DROP, .island_min_area_m2 = -4});
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "island_min_area_m2 is -4"), "%s", err.message);
    ck_assert_uint_eq(ask_reach(&a).reach.seed_count, 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("world reach");
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, a_door_that_closes_empties_the_tiles_behind_it_and_no_others);
    tcase_add_test(c, flagged_tiles_keep_their_cells_and_mark_them);
    tcase_add_test(c, a_seed_in_the_air_is_reported_until_it_is_moved);
    tcase_add_test(c, the_count_of_steps_never_goes_down);
    tcase_add_test(c, islands_below_the_minimum_go_and_come_with_what_they_stand_on);
    tcase_add_test(c, no_state_between_is_sent_neither_at_first_nor_when_an_edit_moves_a_wall);
    tcase_add_test(c, a_seed_on_a_table_keeps_the_table_alone);
    tcase_add_test(c, two_profiles_are_judged_each_by_itself);
    tcase_add_test(c, a_link_one_way_makes_its_end_reached_and_not_its_start);
    tcase_add_loop_test(c, a_world_changed_many_times_is_delivered_like_one_made_as_it_is_now, 0, 3);
    tcase_add_test(c, cancelled_tiles_are_judged_again_with_their_next_edit);
    tcase_add_test(c, a_goal_that_comes_or_goes_while_tiles_are_made_outdates_them);
    tcase_add_test(c, a_goal_out_of_range_is_refused_and_changes_nothing);
    suite_add_tcase(s, c);
    return run_suite(s);
}
