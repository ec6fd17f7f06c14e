// Edits that take several turns of the loop: what others see meanwhile, and what may happen until they are applied.
#include "daemon/methods/edit.h"
#include "daemon/session/session.h"
#include "daemon/world/changes.h"
#include "tests/check.h"
#include "tests/daemon/stored.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES = 60, BETWEEN = 7 }; // BETWEEN: steps of an edit that is half applied, behind its decision

static daemon_fixture daemon_;
static client author, other;
static nav_key box;
static uint64_t world;

static nd_world *find_world(nd_server *s)
{
    return nd_worlds_find(nd_server_service(s)->methods->worlds, world);
}

static void begin(void)
{
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&author, &daemon_);
    client_open(&author);
    client_connect(&other, &daemon_);
    client_greet(&other);
    other.world = world = author.world;
    box = client_put_box(&author, 1, 1, 1);
}

static void start(void)
{
    fixture_start(&daemon_, NULL);
    begin();
}

static void start_stored(void)
{
    stored_setup();
    fixture_start(&daemon_, stored_use);
    begin();
}

static void start_in_a_small_file(void)
{
    stored_setup();
    fixture_start(&daemon_, stored_use_small_file);
    begin();
}

static void stop(void)
{
    client_close(&author);
    client_close(&other);
    fixture_stop(&daemon_);
}

static void stop_stored(void)
{
    stop();
    stored_teardown();
}

static void put_boxes(np_op ops[BOXES], float dx)
{
    for (int i = 0; i < BOXES; i++)
        ops[i] = op_put((uint64_t)i + 1, box, dx + 5 * (float)(i % 8), 0, 5 * (float)(i / 8));
}

static uint32_t send_edit(client *c, const np_op *ops, uint32_t count)
{
    return client_send(c, NP_WORLD_EDIT, &(np_world_edit_request){.world = c->world, .op_count = count, .ops = ops});
}

static uint32_t send_boxes(client *c, float dx)
{
    np_op ops[BOXES];
    put_boxes(ops, dx);
    return send_edit(c, ops, BOXES);
}

static void is_under_way(nd_server *s, void *user)
{
    *(bool *)user = find_world(s)->edit != NULL;
}

// It was sent, and the pace is 0: it comes, and stays.
static void await_edit(void)
{
    bool there = false;
    while (!there) fixture_call(&daemon_, is_under_way, &there);
}

// Goes on until it is decided and half of it is in the world.
static void apply_half(nd_server *s, void *user)
{
    np_error err;
    nd_world *w = find_world(s);
    (void)user;
    while (!w->applying)
        ck_assert_int_eq(nd_edit_run(w->edit, &nd_server_service(s)->methods->world_limits, 1, &err), NAV_ERR_AGAIN);
    ck_assert_int_eq(nd_edit_run(w->edit, &nd_server_service(s)->methods->world_limits, BETWEEN, &err), NAV_ERR_AGAIN);
    ck_assert(nd_edit_is_decided(w->edit) && !nd_world_is_ready(w));
}

static void hold_edit(bool half_applied)
{
    await_edit();
    if (half_applied) fixture_call(&daemon_, apply_half, NULL);
}

static uint32_t count_objects(client *c)
{
    static np_op objects[4 * BOXES];
    return stored_objects(c, objects, 4 * BOXES);
}

static void ping(client *c)
{
    np_none none = {0};
    ck_assert_int_eq(client_call(c, NP_PING, &none, &none, NULL), NAV_OK);
}

START_TEST(others_are_served_and_what_its_author_sends_next_waits)
{
    np_none none = {0};
    np_world_edit_response r;
    fixture_pace(&daemon_, 0);
    author.out.size = 0;
    author.gathering = true;
    uint32_t edit = send_boxes(&author, 0), next = client_send(&author, NP_PING, &none);
    client_send_gathered(&author);
    hold_edit(_i);
    ping(&other);
    ck_assert_uint_eq(client_stat(&other, "edits"), 0);
    fixture_pace(&daemon_, 3);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.revision, 1);
    ck_assert_uint_gt(r.dirty_tiles, BOXES / 4);
    ck_assert_int_eq(client_wait(&author, NP_PING, next, &none, NULL), NAV_OK);
    client_settle(&author);
}
END_TEST

// Everything that an edit may do, in some edits.
static nav_status edit_in_many_ways(client *c, int which, np_world_edit_response *r)
{
    np_op ops[BOXES + 8];
    put_boxes(ops, 0);
    uint32_t count = BOXES;
    if (which == 1) {
        for (uint32_t i = 0; i < BOXES; i++) ops[i] = op_move(i + 1, 2 + 5 * (float)(i % 8), 0, 5 * (float)(i / 8));
        ops[count++] = stored_volume(3);
        ops[count++] = op_remove(5);
        ops[count++] = op_put(5, box, 100, 0, 100);
        ops[count++] = op_put(BOXES + 1, box, -40, 0, 3);
    } else if (which == 2) {
        for (uint32_t i = 0; i < BOXES / 2; i++) ops[i] = op_remove(i + 1);
        count = BOXES / 2;
        ops[count] = (np_op){.kind = NP_OP_DIRTY};
        ops[count].u.dirty.max[0] = ops[count].u.dirty.max[1] = 30;
        count++;
    }
    return client_edit(c, ops, count, r, NULL);
}

static void open_world(client *c, const char *name)
{
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    np_world_open_request open = {.name = np_str_of(name), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(c, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    c->world = opened.world;
}

START_TEST(it_comes_to_the_same_as_at_once)
{
    np_world_edit_response at_once, in_turns;
    open_world(&other, "v");
    client_subscribe(&author, NP_ENCODING_NAVD);
    client_subscribe(&other, NP_ENCODING_NAVD);
    for (int which = 0; which < 3; which++) {
        fixture_pace(&daemon_, 1 + (size_t)which);
        ck_assert_int_eq(edit_in_many_ways(&author, which, &in_turns), NAV_OK);
        fixture_pace(&daemon_, SIZE_MAX);
        ck_assert_int_eq(edit_in_many_ways(&other, which, &at_once), NAV_OK);
        ck_assert_uint_eq(in_turns.revision, at_once.revision);
        ck_assert_uint_eq(in_turns.dirty_tiles, at_once.dirty_tiles);
        client_settle(&author);
        client_settle(&other);
        for (int32_t z = -20; z <= 40; z++)
            for (int32_t x = -20; x <= 40; x++) {
                const seen_tile *a = client_last_tile(&author, x, z, 0), *b = client_last_tile(&other, x, z, 0);
                ck_assert_msg(!a == !b, "tile %d %d", x, z);
                if (a) ck_assert_msg(a->status == b->status && nav_key_equal(a->key, b->key), "tile %d %d", x, z);
            }
    }
}
END_TEST

START_TEST(a_call_of_another_session_in_its_world_sees_it_whole)
{
    np_world_edit_response r;
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 0);
    hold_edit(_i);
    ck_assert_uint_eq(count_objects(&other), BOXES);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.revision, 1);
}
END_TEST

static void check_unfinished(nd_server *s, void *user)
{
    nd_world *w = find_world(s);
    (void)user;
    ck_assert_uint_eq(w->revision, 2);
    ck_assert(!nd_scheduler_done_to(&w->scheduler, 2) && nd_scheduler_done_to(&w->scheduler, 1));
    ck_assert_uint_eq(nd_changes_complete_in(w, NULL), 1);
}

START_TEST(nobody_is_told_that_it_is_complete_before_all_is_marked)
{
    np_world_edit_response r;
    np_jobs_wait_response waited;
    client_subscribe(&other, NP_ENCODING_NAVD);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, send_boxes(&author, 0), &r, NULL), NAV_OK);
    client_settle(&other);
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 1);
    hold_edit(true);
    fixture_call(&daemon_, check_unfinished, NULL);
    fixture_pace(&daemon_, 1);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.revision, 2);
    ck_assert_int_eq(client_call(&other, NP_JOBS_WAIT, &(np_jobs_wait_request){.world = world}, &waited, NULL), NAV_OK);
    while (other.last_synced.revision != 2) {
        np_message m;
        ck_assert(client_read(&other, &m));
        np_message_deinit(&m);
    }
}
END_TEST

START_TEST(a_refused_one_leaves_the_world_as_it_was)
{
    np_op ops[BOXES + 1];
    np_error err;
    put_boxes(ops, 0);
    ops[BOXES] = op_move(BOXES + 7, 0, 0, 0);
    fixture_pace(&daemon_, 1);
    ck_assert_int_eq(client_edit(&author, ops, BOXES + 1, NULL, &err), NAV_ERR_NOT_FOUND);
    ck_assert(err.has_op && err.op == BOXES);
    ops[BOXES] = op_put(BOXES + 7, box, 0, 0, 0);
    for (int i = 0; i < 3; i++) ops[BOXES].u.instance.transform[4 * i + i] = 2e5f; // a million tiles and more
    ck_assert_int_eq(client_edit(&author, ops, BOXES + 1, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_uint_eq(client_stat(&other, "tiles"), 0);
    ck_assert_uint_eq(client_stat(&other, "instances"), 0);
    ck_assert_uint_eq(count_objects(&other), 0);
    np_world_edit_response r;
    ck_assert_int_eq(client_edit(&author, ops, BOXES, &r, NULL), NAV_OK);
    ck_assert_uint_eq(r.revision, 1);
}
END_TEST

enum { WIDE_SIDE = 76, ROOM_TILES = 9000 }; // room for one edit of about 78 * 78 tiles, not for two

static uint32_t send_wide_box(client *c)
{
    nav_settings settings;
    nav_settings_default(&settings);
    np_op op = op_put(1, box, 0, 0, 0);
    op.u.instance.transform[0] = op.u.instance.transform[10] = WIDE_SIDE * 16 * settings.cell_size_m / 2;
    return send_edit(c, &op, 1);
}

static void leave_little_memory(nd_server *s, void *user)
{
    nd_memory *m = nd_server_service(s)->methods->memory;
    (void)user;
    m->limit = nd_memory_in_use(m).own + ROOM_TILES * (uint64_t)ND_TILE_COST;
}

static void count_under_way(nd_server *s, void *user)
{
    const nd_worlds *worlds = nd_server_service(s)->methods->worlds;
    int count = 0;
    for (size_t i = 0; i < worlds->count; i++) count += worlds->list[i]->edit != NULL;
    *(int *)user = count;
}

START_TEST(two_at_a_time_get_the_memory_of_one)
{
    np_error err;
    np_world_edit_response r;
    int under_way = 0;
    open_world(&other, "v");
    fixture_hold_workers(&daemon_);
    fixture_call(&daemon_, leave_little_memory, NULL);
    fixture_pace(&daemon_, 0);
    uint32_t first = send_wide_box(&author);
    await_edit();
    uint32_t second = send_wide_box(&other);
    while (under_way < 2) fixture_call(&daemon_, count_under_way, &under_way);
    fixture_pace(&daemon_, 50);
    nav_status one = client_wait(&author, NP_WORLD_EDIT, first, &r, &err);
    nav_status two = client_wait(&other, NP_WORLD_EDIT, second, &r, &err);
    fixture_release_workers(&daemon_); // first, as a daemon with held workers does not stop
    ck_assert_int_eq(one + two, NAV_OK + NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-memory-bytes") != NULL, "%s", err.message);
}
END_TEST

static void close_if_held(void *user, nd_node *n)
{
    nd_session *s = ND_HOLDER(n, nd_session, node);
    (void)user;
    if (s->held) nd_session_close(s, "test");
}

static void close_held(nd_server *s, void *user)
{
    nd_table_each(&nd_server_service(s)->methods->sessions->table, close_if_held, user);
}

START_TEST(it_is_applied_although_its_session_closes)
{
    fixture_pace(&daemon_, 0);
    (void)send_boxes(&author, 0);
    hold_edit(_i);
    fixture_call(&daemon_, close_held, NULL);
    ck_assert(client_is_closed(&author));
    fixture_pace(&daemon_, 5);
    while (client_stat(&other, "edits") != 1) continue;
    ck_assert_uint_eq(count_objects(&other), BOXES);
    client_settle(&other);
}
END_TEST

static void remove_world(nd_server *s, void *user)
{
    (void)user;
    nd_methods_remove_world(nd_server_service(s)->methods, find_world(s));
}

START_TEST(it_is_refused_when_its_world_goes)
{
    np_error err;
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 0);
    hold_edit(_i);
    fixture_call(&daemon_, remove_world, NULL);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, NULL, &err), NAV_ERR_NOT_FOUND);
    ck_assert_str_eq(err.key, "world");
    ping(&author);
}
END_TEST

START_TEST(it_is_applied_before_another_session_deletes_its_world)
{
    np_none none;
    np_world_edit_response r;
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 0);
    hold_edit(_i);
    ck_assert_int_eq(client_call(&other, NP_WORLD_DELETE, &(np_world_delete_request){.world = world}, &none, NULL),
                     NAV_OK);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, &r, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, send_boxes(&author, 1), NULL, NULL), NAV_ERR_NOT_FOUND);
}
END_TEST

// A mesh for which the file has no room.
static nav_status put_too_large_a_mesh(client *c)
{
    enum { VERTICES = 200000, BYTES = 12 * VERTICES };
    np_mesh_put_response r;
    nav_status s = NAV_OK;
    float *verts = malloc(BYTES);
    ck_assert_ptr_nonnull(verts);
    for (int i = 0; i < 3 * VERTICES; i++) verts[i] = (float)i;
    np_mesh_put_request put = {.hash = nav_mesh_hash(verts, VERTICES, NULL, 0), .vertices = VERTICES};
    for (uint32_t at = 0; at < BYTES && s == NAV_OK; at += put.data.size) {
        uint32_t left = BYTES - at;
        put.offset = at;
        put.data = (np_bin){(const uint8_t *)verts + at, left < NP_MESH_PART_BYTES ? left : NP_MESH_PART_BYTES};
        s = client_call(c, NP_MESH_PUT, &put, &r, NULL);
    }
    free(verts);
    return s;
}

START_TEST(it_has_no_effect_where_the_disk_fails_meanwhile)
{
    np_error err;
    np_world_edit_response r;
    static np_op before[2 * BOXES], after[2 * BOXES];
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, send_boxes(&author, 0), &r, NULL), NAV_OK);
    ck_assert_uint_eq(stored_objects(&other, before, 2 * BOXES), BOXES);
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 3);
    hold_edit(_i);
    ck_assert_int_eq(put_too_large_a_mesh(&other), NAV_ERR_LIMIT);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "undone") != NULL, "%s", err.message);
    ck_assert_uint_eq(stored_objects(&other, after, 2 * BOXES), BOXES);
    for (int i = 0; i < BOXES; i++)
        ck_assert_mem_eq(&before[i].u.instance.transform, &after[i].u.instance.transform, 12 * sizeof(float));
    client_settle(&other);
    ping(&author);
}
END_TEST

// Writes what the daemon writes of worlds by itself.
static void write_worlds(nd_server *s, void *user)
{
    nd_world_store *store = nd_server_service(s)->methods->store;
    (void)user;
    nd_world_store_catch_up(store);
    nd_writer_wait_written(store->writer);
}

static void is_not_durable(nd_server *s, void *user)
{
    const nd_world *w = find_world(s);
    (void)user;
    ck_assert_uint_eq(w->revision, 1);
    ck_assert_uint_eq(w->durable, 0);
}

START_TEST(its_revision_is_not_stored_before_it_is)
{
    np_world_edit_response r;
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 0);
    hold_edit(true);
    fixture_call(&daemon_, write_worlds, NULL);
    open_world(&other, "v"); // stored behind that, and so is its answer
    fixture_call(&daemon_, is_not_durable, NULL);
    fixture_pace(&daemon_, 5);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, &r, NULL), NAV_OK);
    ck_assert(r.durable);
}
END_TEST

static void begin_to_drain(nd_server *s, void *user)
{
    (void)user;
    nd_server_drain(s);
}

START_TEST(a_daemon_that_drains_finishes_it)
{
    np_world_edit_response r;
    fixture_pace(&daemon_, 0);
    uint32_t edit = send_boxes(&author, 0);
    hold_edit(_i);
    fixture_call(&daemon_, begin_to_drain, NULL);
    fixture_pace(&daemon_, 5);
    ck_assert_int_eq(client_wait(&author, NP_WORLD_EDIT, edit, &r, NULL), NAV_OK);
    ck_assert(r.durable && client_is_closed(&author));
    daemon_.status = NAV_ERR_CLOSED; // it ends by itself
    stop();
    fixture_start(&daemon_, stored_use);
    begin();
    ck_assert_uint_eq(count_objects(&other), BOXES);
}
END_TEST

START_TEST(a_daemon_that_stops_forgets_it)
{
    fixture_pace(&daemon_, 0);
    (void)send_boxes(&author, 0);
    hold_edit(_i);
    stop();
    fixture_start(&daemon_, stored_use);
    begin();
    ck_assert_uint_eq(count_objects(&other), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("large edits");
    TCase *t = tcase_create("in memory"), *stored = tcase_create("stored"), *small = tcase_create("a small file");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_loop_test(t, others_are_served_and_what_its_author_sends_next_waits, 0, 2);
    tcase_add_test(t, it_comes_to_the_same_as_at_once);
    tcase_add_loop_test(t, a_call_of_another_session_in_its_world_sees_it_whole, 0, 2);
    tcase_add_test(t, nobody_is_told_that_it_is_complete_before_all_is_marked);
    tcase_add_test(t, a_refused_one_leaves_the_world_as_it_was);
    tcase_add_test(t, two_at_a_time_get_the_memory_of_one);
    tcase_add_loop_test(t, it_is_applied_although_its_session_closes, 0, 2);
    tcase_add_loop_test(t, it_is_refused_when_its_world_goes, 0, 2);
    tcase_add_loop_test(t, it_is_applied_before_another_session_deletes_its_world, 0, 2);
    suite_add_tcase(s, t);
    tcase_add_checked_fixture(stored, start_stored, stop_stored);
    tcase_add_test(stored, its_revision_is_not_stored_before_it_is);
    tcase_add_loop_test(stored, a_daemon_that_drains_finishes_it, 0, 2);
    tcase_add_loop_test(stored, a_daemon_that_stops_forgets_it, 0, 2);
    suite_add_tcase(s, stored);
    tcase_add_checked_fixture(small, start_in_a_small_file, stop_stored);
    tcase_add_loop_test(small, it_has_no_effect_where_the_disk_fails_meanwhile, 0, 2);
    suite_add_tcase(s, small);
    tcase_set_timeout(t, 900);
    tcase_set_timeout(stored, 900);
    tcase_set_timeout(small, 900);
    return run_suite(s);
}
