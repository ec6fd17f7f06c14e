// Large meshes: what the loop hands to its workers and to the writer, and what may happen meanwhile.
#include "daemon/session/session.h"
#include "tests/check.h"
#include "tests/daemon/stored.h"

#include <stdlib.h>
#include <string.h>

enum { VERTICES = 300000, TRIANGLES = 100000, BYTES = 12 * (VERTICES + TRIANGLES) };

static daemon_fixture daemon_;
static uint8_t *mesh; // vertices, then triangles
static nav_key hash;

static void make_mesh(void)
{
    mesh = malloc(BYTES);
    ck_assert_ptr_nonnull(mesh);
    float *verts = (float *)(void *)mesh;
    uint32_t *tris = (uint32_t *)(void *)(mesh + 12 * (size_t)VERTICES);
    for (uint32_t i = 0; i < VERTICES; i++) {
        verts[3 * i] = 0.1f * (float)(i % 3);
        verts[3 * i + 1] = 0;
        verts[3 * i + 2] = 0.0001f * (float)i;
    }
    for (uint32_t i = 0; i < TRIANGLES; i++)
        for (uint32_t k = 0; k < 3; k++) tris[3 * i + k] = 3 * i + (k ? 3 - k : 0);
    hash = nav_mesh_hash(verts, VERTICES, tris, TRIANGLES);
}

static void setup(void)
{
    stored_setup();
    make_mesh();
}

static void teardown(void)
{
    free(mesh);
    stored_teardown();
}

static void start(void)
{
    fixture_start(&daemon_, stored_use);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
}

// Sends the mesh under a hash, and waits for all answers but the last one, whose id it returns.
static uint32_t send_all_as(client *c, nav_key key)
{
    for (uint32_t at = 0;; at += NP_MESH_PART_BYTES) {
        uint32_t left = BYTES - at;
        const np_mesh_put_request put = {.hash = key,
                                         .vertices = VERTICES,
                                         .triangles = TRIANGLES,
                                         .offset = at,
                                         .data = {mesh + at, left < NP_MESH_PART_BYTES ? left : NP_MESH_PART_BYTES}};
        np_mesh_put_response r;
        if (left <= NP_MESH_PART_BYTES) return client_send(c, NP_MESH_PUT, &put);
        ck_assert_int_eq(client_call(c, NP_MESH_PUT, &put, &r, NULL), NAV_OK);
        ck_assert_uint_eq(r.received, at + NP_MESH_PART_BYTES);
    }
}

static uint32_t send_all(client *c)
{
    return send_all_as(c, hash);
}

static uint32_t send_edit(client *c)
{
    static np_op op;
    op = op_put(1, hash, 0, 0, 0);
    return client_send(c, NP_WORLD_EDIT, &(np_world_edit_request){.world = c->world, .op_count = 1, .ops = &op});
}

static bool is_missing(client *c)
{
    np_mesh_have_response r;
    ck_assert_int_eq(client_call(c, NP_MESH_HAVE, &(np_mesh_have_request){.hash_count = 1, .hashes = &hash}, &r, NULL),
                     NAV_OK);
    return r.missing_count;
}

static void check_bytes(client *c)
{
    np_mesh_get_response r;
    for (uint32_t at = 0; at < BYTES; at += r.data.size) {
        const np_mesh_get_request get = {.hash = hash, .offset = at};
        nav_status s;
        while ((s = client_call(c, NP_MESH_GET, &get, &r, NULL)) == NAV_ERR_AGAIN) continue; // it is still being read
        ck_assert_int_eq(s, NAV_OK);
        ck_assert(r.vertices == VERTICES && r.triangles == TRIANGLES && r.data.size && r.data.size <= BYTES - at);
        ck_assert_mem_eq(r.data.data, mesh + at, r.data.size);
    }
}

START_TEST(a_large_mesh_is_the_same_when_it_is_read_and_after_a_restart)
{
    client c;
    np_mesh_put_response r;
    start();
    client_connect(&c, &daemon_);
    client_open(&c);
    ck_assert_int_eq(client_wait(&c, NP_MESH_PUT, send_all(&c), &r, NULL), NAV_OK);
    ck_assert(r.complete && r.received == BYTES && !r.skipped_triangles);
    check_bytes(&c);
    np_world_edit_response edited;
    ck_assert_int_eq(client_wait(&c, NP_WORLD_EDIT, send_edit(&c), &edited, NULL), NAV_OK);
    client_close(&c);
    fixture_stop(&daemon_);

    start();
    client_connect(&c, &daemon_);
    client_greet(&c);
    (void)stored_open(&c, "w");
    check_bytes(&c);
    client_close(&c);
    fixture_stop(&daemon_);
}
END_TEST

START_TEST(others_go_on_while_a_mesh_is_hashed_and_the_edit_behind_it_sees_it)
{
    client a, b;
    np_mesh_put_response r;
    np_world_edit_response edited;
    start();
    client_connect(&a, &daemon_);
    client_open(&a);
    client_connect(&b, &daemon_);
    client_open(&b);
    fixture_hold_workers(&daemon_);
    uint32_t put = send_all(&a), edit = send_edit(&a);
    ck_assert(is_missing(&b)); // it is answered, and the mesh is not there
    ck_assert_uint_eq(client_stat(&b, "edits"), 0);
    fixture_release_workers(&daemon_);
    ck_assert_int_eq(client_wait(&a, NP_MESH_PUT, put, &r, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&a, NP_WORLD_EDIT, edit, &edited, NULL), NAV_OK);
    client_close(&a);
    client_close(&b);
    fixture_stop(&daemon_);
}
END_TEST

static void close_if_held(void *user, nd_node *n)
{
    nd_session *s = ND_HOLDER(n, nd_session, node);
    if (!s->held) return;
    nd_session_close(s, "test");
    ++*(int *)user;
}

// As when it stalls: it is not read from, so nobody sees its client go.
static void close_held(nd_server *s, void *user)
{
    nd_table_each(&nd_server_service(s)->methods->sessions->table, close_if_held, user);
}

START_TEST(a_session_that_closes_while_its_mesh_is_hashed_leaves_the_mesh_to_others)
{
    client a, b;
    start();
    client_connect(&a, &daemon_);
    client_greet(&a);
    client_connect(&b, &daemon_);
    client_greet(&b);
    fixture_hold_workers(&daemon_);
    (void)send_all(&a);
    (void)send_edit(&a); // is lost with its session
    int closed = 0;
    while (!closed) fixture_call(&daemon_, close_held, &closed);
    ck_assert(client_is_closed(&a));
    client_close(&a);
    ck_assert_uint_eq(client_stat(&b, "sessions"), 1);
    ck_assert(is_missing(&b));
    fixture_release_workers(&daemon_);
    while (is_missing(&b)) continue;
    check_bytes(&b);
    ck_assert_uint_eq(client_stat(&b, "edits"), 0);
    ck_assert_uint_eq(client_stat(&b, "upload_bytes"), 0);
    client_close(&b);
    fixture_stop(&daemon_);
}
END_TEST

START_TEST(a_world_that_is_deleted_while_its_mesh_is_hashed_is_gone_for_the_edit_behind_it)
{
    client a, b;
    np_mesh_put_response r;
    np_error err;
    np_none none;
    start();
    client_connect(&a, &daemon_);
    client_open(&a);
    client_connect(&b, &daemon_);
    client_greet(&b);
    fixture_hold_workers(&daemon_);
    uint32_t put = send_all(&a), edit = send_edit(&a);
    ck_assert_int_eq(client_call(&b, NP_WORLD_DELETE, &(np_world_delete_request){.world = a.world}, &none, NULL),
                     NAV_OK);
    fixture_release_workers(&daemon_);
    // The mesh is being written when the edit is refused.
    ck_assert_int_eq(client_wait(&a, NP_WORLD_EDIT, edit, NULL, &err), NAV_ERR_NOT_FOUND);
    ck_assert_str_eq(err.key, "world");
    ck_assert_int_eq(client_wait(&a, NP_MESH_PUT, put, &r, NULL), NAV_OK);
    check_bytes(&b);
    client_close(&a);
    client_close(&b);
    fixture_stop(&daemon_);
}
END_TEST

START_TEST(a_mesh_with_another_hash_is_refused_and_nothing_is_left_of_it)
{
    client a;
    np_error err;
    np_mesh_put_response r;
    start();
    client_connect(&a, &daemon_);
    client_greet(&a);
    uint32_t put = send_all_as(&a, (nav_key){1, 2});
    ck_assert_int_eq(client_wait(&a, NP_MESH_PUT, put, NULL, &err), NAV_ERR_ARGUMENT);
    ck_assert_str_eq(err.key, "hash");
    ck_assert(is_missing(&a));
    ck_assert_uint_eq(client_stat(&a, "mesh_bytes"), 0);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0);
    ck_assert_int_eq(client_wait(&a, NP_MESH_PUT, send_all(&a), &r, NULL), NAV_OK);
    check_bytes(&a);
    client_close(&a);
    fixture_stop(&daemon_);
}
END_TEST

START_TEST(the_daemon_stops_while_a_mesh_is_hashed_and_while_another_is_half_there)
{
    client a, b;
    start();
    client_connect(&a, &daemon_);
    client_greet(&a);
    client_connect(&b, &daemon_);
    client_greet(&b);
    const np_mesh_put_request part = {
        .hash = {3, 4}, .vertices = VERTICES, .triangles = TRIANGLES, .data = {mesh, NP_MESH_PART_BYTES}};
    np_mesh_put_response r;
    ck_assert_int_eq(client_call(&b, NP_MESH_PUT, &part, &r, NULL), NAV_OK);
    fixture_hold_workers(&daemon_);
    (void)send_all(&a);
    while (client_stat(&b, "upload_bytes") != NP_MESH_PART_BYTES) continue; // it is with the workers
    nd_server_stop(daemon_.server);
    fixture_release_workers(&daemon_);
    daemon_.status = NAV_ERR_CLOSED; // it stops already
    fixture_stop(&daemon_);
    client_close(&a);
    client_close(&b);
    start();
    client_connect(&a, &daemon_);
    client_greet(&a);
    ck_assert(is_missing(&a));
    client_close(&a);
    fixture_stop(&daemon_);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("uploads");
    TCase *t = tcase_create("uploads");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_large_mesh_is_the_same_when_it_is_read_and_after_a_restart);
    tcase_add_test(t, others_go_on_while_a_mesh_is_hashed_and_the_edit_behind_it_sees_it);
    tcase_add_test(t, a_session_that_closes_while_its_mesh_is_hashed_leaves_the_mesh_to_others);
    tcase_add_test(t, a_world_that_is_deleted_while_its_mesh_is_hashed_is_gone_for_the_edit_behind_it);
    tcase_add_test(t, a_mesh_with_another_hash_is_refused_and_nothing_is_left_of_it);
    tcase_add_test(t, the_daemon_stops_while_a_mesh_is_hashed_and_while_another_is_half_there);
    suite_add_tcase(s, t);
    return run_suite(s);
}
