// What cannot be stored is taken back, and whoever asked for it hears why.
#include "tests/daemon/stored.h"

#include <stdlib.h>
#include <string.h>

// A file that takes no more: the edit that does not fit is taken back, the tiles return to what they were.
START_TEST(an_edit_that_cannot_be_stored_is_taken_back)
{
    daemon_fixture f;
    client c;
    np_op before[16], after[16];
    np_error err;
    fixture_start(&f, stored_use_small_file);
    client_connect(&c, &f);
    stored_make_scene(&c);
    client_settle(&c);
    client_subscribe(&c, NP_ENCODING_NAVD);
    client_settle(&c);
    uint32_t count = stored_objects(&c, before, 16);
    uint64_t revision = stored_open(&c, "w").revision;

    enum { MANY = 20000 };
    np_op *ops = calloc(MANY + 1, sizeof *ops);
    ck_assert_ptr_nonnull(ops);
    ops[0] = op_remove(2);
    for (uint32_t i = 0; i < MANY; i++) ops[1 + i] = stored_volume(100 + i);
    ck_assert_int_eq(client_edit(&c, ops, MANY + 1, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "full") != NULL, "%s", err.message);

    ck_assert_uint_eq(stored_objects(&c, after, 16), count);
    for (uint32_t i = 0; i < count; i++) ck_assert_uint_eq(before[i].id, after[i].id);
    ck_assert_uint_gt(stored_open(&c, "w").revision, revision); // never back
    client_settle(&c);
    const np_op small = op_move(2, 3, 1, 3);
    nav_status s;
    do s = client_edit(&c, &small, 1, NULL, &err); // until a probe has found that there is room
    while (s == NAV_ERR_LIMIT);
    ck_assert_int_eq(s, NAV_OK);
    client_settle(&c);

    for (uint32_t i = 1; i <= MANY; i++) // far from all tiles: none changes, and none is written
        for (int k = 0; k < 8; k++) ops[i].u.volume.points[k] += 5000;
    ck_assert_int_eq(client_edit(&c, ops + 1, MANY, NULL, &err), NAV_ERR_LIMIT);
    free(ops);
    revision = stored_open(&c, "w").revision;
    while (c.last_synced.revision < revision) stored_open(&c, "w"); // with no edit after it
    stored_stop(&f, &c);

    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    ck_assert_uint_eq(stored_objects(&c, after, 16), count);
    stored_stop(&f, &c);
}
END_TEST

enum { TOO_MANY = 20000 };

// Sends an edit that does not fit into a small file: what comes before commit() fails with it. Returns its request.
static uint32_t send_too_much(daemon_fixture *f, client *c, uint64_t world)
{
    np_op *ops = calloc(TOO_MANY, sizeof *ops);
    ck_assert_ptr_nonnull(ops);
    for (uint32_t i = 0; i < TOO_MANY; i++) ops[i] = stored_volume(100 + i);
    stored_gather_writes(f);
    uint32_t id =
        client_send(c, NP_WORLD_EDIT, &(np_world_edit_request){.world = world, .op_count = TOO_MANY, .ops = ops});
    free(ops);
    return id;
}

// Once all has been read that the client has sent.
static void commit(daemon_fixture *f, client *c)
{
    ck_assert_int_eq(client_call(c, NP_PING, &(np_none){0}, &(np_none){0}, NULL), NAV_OK);
    stored_commit(f);
}

static uint32_t count_worlds(client *c)
{
    np_world_list_response r;
    ck_assert_int_eq(client_call(c, NP_WORLD_LIST, &(np_world_list_request){0}, &r, NULL), NAV_OK);
    return r.world_count;
}

START_TEST(a_world_whose_making_cannot_be_stored_is_gone_and_the_deleted_one_is_back)
{
    daemon_fixture f;
    client c;
    np_profile walker = {.name = np_str_of("walker")};
    np_world_open_request other = {.name = np_str_of("x"), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_request again = {.name = np_str_of("w"), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response x;
    nav_settings_default(&walker.settings);
    fixture_start(&f, stored_use_small_file);
    client_connect(&c, &f);
    stored_make_scene(&c);
    client_settle(&c);
    uint64_t id = c.world;
    ck_assert_int_eq(client_call(&c, NP_WORLD_OPEN, &other, &x, NULL), NAV_OK);
    uint32_t edit = send_too_much(&f, &c, x.world);
    uint32_t deletion = client_send(&c, NP_WORLD_DELETE, &(np_world_delete_request){.world = id});
    uint32_t making = client_send(&c, NP_WORLD_OPEN, &again);
    again.create = false;
    uint32_t opening = client_send(&c, NP_WORLD_OPEN, &again); // of the one that is being made
    commit(&f, &c);
    ck_assert_int_eq(client_wait(&c, NP_WORLD_OPEN, opening, NULL, NULL),
                     NAV_ERR_LIMIT); // the newest is answered first
    ck_assert_int_eq(client_wait(&c, NP_WORLD_OPEN, making, NULL, NULL), NAV_ERR_LIMIT);
    ck_assert_int_eq(client_wait(&c, NP_WORLD_DELETE, deletion, NULL, NULL), NAV_ERR_LIMIT);
    ck_assert_int_eq(client_wait(&c, NP_WORLD_EDIT, edit, NULL, NULL), NAV_ERR_LIMIT);
    ck_assert_uint_eq(count_worlds(&c), 2);
    ck_assert_uint_eq(stored_open(&c, "w").world, id);
    stored_stop(&f, &c);

    stored_start(&f, &c);
    client_greet(&c);
    ck_assert_uint_eq(count_worlds(&c), 2);
    ck_assert_uint_eq(stored_open(&c, "w").world, id);
    stored_stop(&f, &c);
}
END_TEST

static bool has_mesh(client *c, nav_key hash)
{
    np_mesh_have_response r;
    np_mesh_have_request ask = {.hash_count = 1, .hashes = &hash};
    ck_assert_int_eq(client_call(c, NP_MESH_HAVE, &ask, &r, NULL), NAV_OK);
    return r.missing_count == 0;
}

START_TEST(a_mesh_that_cannot_be_stored_for_a_namespace_is_not_visible_there)
{
    daemon_fixture f;
    client c, red;
    nav_key hash, again;
    np_hello_response hello;
    np_profile walker = {.name = np_str_of("walker")};
    np_world_open_request open = {.name = np_str_of("x"), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response x;
    nav_settings_default(&walker.settings);
    fixture_start(&f, stored_use_small_file);
    client_connect(&c, &f);
    client_greet(&c);
    hash = client_put_box(&c, 1, 2, 3); // on disk, and others do not see it
    client_connect(&red, &f);
    np_hello_request as_red = {.version = NP_PROTOCOL_VERSION, .space = np_str_of("red")};
    ck_assert_int_eq(client_call(&red, NP_HELLO, &as_red, &hello, NULL), NAV_OK);
    ck_assert_int_eq(client_call(&red, NP_WORLD_OPEN, &open, &x, NULL), NAV_OK);
    ck_assert(!has_mesh(&red, hash));
    uint32_t edit = send_too_much(&f, &red, x.world);
    uint32_t put = client_send_box(&red, 1, 2, 3, &again);
    uint32_t second = client_send_box(&red, 1, 2, 3, &again); // it is visible already, and answered no earlier
    commit(&f, &red);
    ck_assert_int_eq(client_wait(&red, NP_MESH_PUT, second, NULL, NULL), NAV_ERR_LIMIT);
    ck_assert_int_eq(client_wait(&red, NP_MESH_PUT, put, NULL, NULL), NAV_ERR_LIMIT);
    ck_assert_int_eq(client_wait(&red, NP_WORLD_EDIT, edit, NULL, NULL), NAV_ERR_LIMIT);
    ck_assert(!has_mesh(&red, hash));
    ck_assert(has_mesh(&c, hash));
    client_close(&red);
    stored_stop(&f, &c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("world_taken_back");
    TCase *t = tcase_create("world_taken_back");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, stored_setup, stored_teardown);
    suite_add_tcase(s, t);
    tcase_add_test(t, an_edit_that_cannot_be_stored_is_taken_back);
    tcase_add_test(t, a_world_whose_making_cannot_be_stored_is_gone_and_the_deleted_one_is_back);
    tcase_add_test(t, a_mesh_that_cannot_be_stored_for_a_namespace_is_not_visible_there);
    return run_suite(s);
}
