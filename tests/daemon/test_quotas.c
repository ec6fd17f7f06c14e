// Quotas of namespaces: what exceeds one is refused, with its name and value, and who looks after the daemon sees use
// and bound.
#include "tests/check.h"
#include "tests/daemon/people.h"

#include <string.h>

static void with_quotas(nd_config *c)
{
    people_configure(c);
    snprintf(c->namespaces, sizeof c->namespaces, "%s", quotas_path);
}

#define EXPECT_QUOTA(status, err, quota, value)                                                                        \
    do {                                                                                                               \
        ck_assert_msg((status) == NAV_ERR_LIMIT, "%s", (err).message);                                                 \
        ck_assert_msg(strstr((err).message, quota) && strstr((err).message, value), "%s", (err).message);              \
    } while (0)

START_TEST(what_exceeds_a_quota_is_refused_by_its_name)
{
    client red, more, blue;
    np_error err = {0};
    np_hello_response r;
    people_make_files();
    write_private(quotas_path, "red max_worlds=1 max_objects=2 max_sessions=2 max_mesh_bytes=2000 max_tiles=100\n");
    people_launch(with_quotas);
    enter(&red, RED_EDITOR);
    enter(&more, RED_EDITOR);
    client_connect(&blue, &navd);
    EXPECT_QUOTA(login(&blue, tokens[RED_EDITOR], NULL, &r, &err), err, "max_sessions", "2");
    ck_assert_int_eq(login(&blue, tokens[BLUE_EDITOR], NULL, &r, &err), NAV_OK);
    client_close(&more);

    ck_assert_int_eq(open_world(&red, "one", true, NULL), NAV_OK);
    EXPECT_QUOTA(open_world(&red, "two", true, &err), err, "max_worlds", "1");
    ck_assert_int_eq(open_world(&blue, "one", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&blue, "two", true, NULL), NAV_OK);

    nav_key box = client_put_box(&red, 1, 0.5f, 1);
    np_op ops[3] = {op_put(1, box, 0, 0, 0), op_put(2, box, 5, 0, 0), op_put(3, box, 10, 0, 0)};
    EXPECT_QUOTA(client_edit(&red, ops, 3, NULL, &err), err, "max_objects", "2");
    ck_assert_int_eq(client_edit(&red, ops, 2, NULL, &err), NAV_OK);
    EXPECT_QUOTA(client_edit(&red, ops + 2, 1, NULL, &err), err, "max_objects", "2");
    np_op swap[2] = {op_remove(1), ops[2]};
    ck_assert_msg(client_edit(&red, swap, 2, NULL, &err) == NAV_OK, "%s", err.message);

    client ada;
    np_namespaces_list_request ask = {0};
    np_namespaces_list_response list;
    enter(&ada, BLUE_ADMIN);
    ck_assert_int_eq(client_call(&ada, NP_NAMESPACES_LIST, &ask, &list, NULL), NAV_OK);
    ck_assert_uint_eq(list.namespace_count, 3); // blue, default, red
    const np_namespace_entry *b = &list.namespaces[0], *d = &list.namespaces[1], *use = &list.namespaces[2];
    ck_assert(np_str_equal(b->name, "blue") && np_str_equal(d->name, "default") && np_str_equal(use->name, "red"));
    ck_assert_uint_eq(use->worlds, 1);
    ck_assert_uint_eq(use->objects, 2);
    ck_assert_uint_gt(use->tiles, 0);
    ck_assert_uint_gt(use->mesh_bytes, 0);
    ck_assert_uint_eq(use->sessions, 1);
    ck_assert_uint_eq(use->max_worlds, 1);
    ck_assert_uint_eq(use->max_mesh_bytes, 2000);
    ck_assert(use->max_edits_per_second == NP_UNBOUNDED && b->max_worlds == NP_UNBOUNDED);
    ck_assert_uint_eq(b->worlds, 2);
    ck_assert_uint_eq(b->objects + b->mesh_bytes + d->worlds, 0);
    client_close(&ada);

    np_op wide = op_put(2, box, 0, 0, 0);
    wide.u.instance.transform[0] = wide.u.instance.transform[10] = 200; // 400 m by 400 m
    EXPECT_QUOTA(client_edit(&red, &wide, 1, NULL, &err), err, "max_tiles", "100");
    client_close(&red);
    client_close(&blue);
    people_stop();
}
END_TEST

START_TEST(meshes_that_no_world_has_make_room_in_a_quota)
{
    client red;
    np_error err = {0};
    people_make_files();
    write_private(quotas_path, "red max_mesh_bytes=3000\n");
    people_launch(with_quotas);
    enter(&red, RED_EDITOR);
    ck_assert_int_eq(open_world(&red, "one", true, NULL), NAV_OK);
    nav_key used = client_put_box(&red, 1, 1, 1), last = used;
    np_op put = op_put(1, used, 0, 0, 0);
    ck_assert_int_eq(client_edit(&red, &put, 1, NULL, &err), NAV_OK);
    for (int i = 2; i < 40; i++) last = client_put_box(&red, (float)i, 1, 1);
    ck_assert(has_mesh(&red, used));
    ck_assert(has_mesh(&red, last));
    static const uint8_t begin[12];
    np_mesh_put_request large = {.hash = {1, 2}, .vertices = 200, .triangles = 100, .data = {begin, sizeof begin}};
    np_mesh_put_response r;
    EXPECT_QUOTA(client_call(&red, NP_MESH_PUT, &large, &r, &err), err, "max_mesh_bytes", "3000");
    client_close(&red);
    people_stop();
}
END_TEST

// Most of its bytes are vertices without a triangle, of which its index knows nothing.
enum { SPARSE_VERTICES = 400, SPARSE_BYTES = SPARSE_VERTICES * 12 + 12 };

static nav_key sparse_hash(float seed)
{
    float vertices[SPARSE_VERTICES * 3];
    const uint32_t triangle[3] = {0, 1, 2};
    for (int i = 0; i < SPARSE_VERTICES * 3; i++) vertices[i] = seed + (float)i;
    return nav_mesh_hash(vertices, SPARSE_VERTICES, triangle, 1);
}

static uint32_t send_sparse(client *c, float seed, uint32_t from, uint32_t to)
{
    static float vertices[SPARSE_VERTICES * 3 + 3];
    const uint32_t triangle[3] = {0, 1, 2};
    for (int i = 0; i < SPARSE_VERTICES * 3; i++) vertices[i] = seed + (float)i;
    memcpy(vertices + SPARSE_VERTICES * 3, triangle, sizeof triangle);
    np_mesh_put_request put = {.hash = sparse_hash(seed),
                               .vertices = SPARSE_VERTICES,
                               .triangles = 1,
                               .offset = from,
                               .data = {(const uint8_t *)vertices + from, to - from}};
    return client_send(c, NP_MESH_PUT, &put);
}

static nav_status put_sparse(client *c, float seed, uint32_t from, uint32_t to, np_error *err)
{
    np_mesh_put_response r;
    return client_wait(c, NP_MESH_PUT, send_sparse(c, seed, from, to), &r, err);
}

START_TEST(all_bytes_of_a_mesh_count_and_uploads_at_one_time_count_together)
{
    client red, more;
    np_error err = {0};
    people_make_files();
    write_private(quotas_path, "red max_mesh_bytes=10000\n"); // one and a half
    people_launch(with_quotas);
    enter(&red, RED_EDITOR);
    enter(&more, RED_EDITOR);
    ck_assert_int_eq(open_world(&red, "one", true, NULL), NAV_OK);
    ck_assert_int_eq(put_sparse(&red, 1, 0, 100, &err), NAV_OK);
    ck_assert_int_eq(put_sparse(&more, 2, 0, 100, &err), NAV_OK); // both have begun, and none is there
    ck_assert_int_eq(put_sparse(&red, 1, 100, SPARSE_BYTES, &err), NAV_OK);
    np_op put = op_put(1, sparse_hash(1), 0, 0, 0);
    ck_assert_msg(client_edit(&red, &put, 1, NULL, &err) == NAV_OK, "%s", err.message); // it is in use
    EXPECT_QUOTA(put_sparse(&more, 2, 100, SPARSE_BYTES, &err), err, "max_mesh_bytes", "10000");
    client_close(&red);
    client_close(&more);
    people_stop();
}
END_TEST

START_TEST(meshes_of_a_deleted_world_make_room_at_once)
{
    client red;
    np_error err = {0};
    np_none none;
    np_mesh_put_response r;
    people_make_files();
    write_private(quotas_path, "red max_mesh_bytes=10000\n"); // one and a half
    people_launch(with_quotas);
    enter(&red, RED_EDITOR);
    ck_assert_int_eq(open_world(&red, "one", true, NULL), NAV_OK);
    ck_assert_int_eq(put_sparse(&red, 1, 0, SPARSE_BYTES, &err), NAV_OK);
    np_op put = op_put(1, sparse_hash(1), 0, 0, 0);
    ck_assert_int_eq(client_edit(&red, &put, 1, NULL, &err), NAV_OK);
    EXPECT_QUOTA(put_sparse(&red, 2, 0, SPARSE_BYTES, &err), err, "max_mesh_bytes", "10000");
    client_settle(&red); // no worker looks at the mesh any more
    np_world_delete_request ref = {.world = red.world};
    red.out.size = 0;
    red.gathering = true; // in one turn of the loop: the world is not freed yet
    uint32_t gone = client_send(&red, NP_WORLD_DELETE, &ref), more = send_sparse(&red, 2, 0, SPARSE_BYTES);
    client_send_gathered(&red);
    ck_assert_int_eq(client_wait(&red, NP_WORLD_DELETE, gone, &none, &err), NAV_OK);
    ck_assert_msg(client_wait(&red, NP_MESH_PUT, more, &r, &err) == NAV_OK, "%s", err.message);
    client_close(&red);
    people_stop();
}
END_TEST

START_TEST(edits_a_second_are_a_namespaces_own)
{
    client red, blue;
    np_error err = {0};
    bool refused = false;
    people_make_files();
    write_private(quotas_path, "* max_edits_per_second=3\nblue\n");
    people_launch(with_quotas);
    enter(&red, RED_EDITOR);
    enter(&blue, BLUE_EDITOR);
    ck_assert_int_eq(open_world(&red, "w", true, NULL), NAV_OK);
    ck_assert_int_eq(open_world(&blue, "w", true, NULL), NAV_OK);
    np_op nothing = {.kind = NP_OP_DIRTY};
    while (!refused) { // once there are four in one second
        nav_status s = client_edit(&red, &nothing, 1, NULL, &err);
        if (s != NAV_OK) EXPECT_QUOTA(s, err, "max_edits_per_second", "3");
        refused = s != NAV_OK;
        ck_assert_int_eq(client_edit(&blue, &nothing, 1, NULL, &err), NAV_OK);
    }
    client_close(&red);
    client_close(&blue);
    people_stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("quotas");
    TCase *t = tcase_create("quotas");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, what_exceeds_a_quota_is_refused_by_its_name);
    tcase_add_test(t, meshes_that_no_world_has_make_room_in_a_quota);
    tcase_add_test(t, all_bytes_of_a_mesh_count_and_uploads_at_one_time_count_together);
    tcase_add_test(t, meshes_of_a_deleted_world_make_room_at_once);
    tcase_add_test(t, edits_a_second_are_a_namespaces_own);
    suite_add_tcase(s, t);
    return run_suite(s);
}
