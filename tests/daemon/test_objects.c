// world.objects, mesh.get and sessions.list: what the daemon has can be read, all of it.
#include "tests/check.h"
#include "tests/daemon/fixture.h"

#include <stdlib.h>
#include <string.h>

static daemon_fixture daemon_;
static client a;

static void start(void)
{
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
    client_open(&a);
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

static np_op volume_op(uint64_t id, float x)
{
    return (np_op){
        .kind = NP_OP_PUT_VOLUME,
        .id = id,
        .u.volume = {.point_count = 3, .points = {x, 0, x + 2, 0, x, 2}, .min_y = -1, .max_y = 2, .area = 7}};
}

static np_op link_op(uint64_t id)
{
    return (np_op){.kind = NP_OP_PUT_LINK,
                   .id = id,
                   .u.link = {.id = (uint32_t)id,
                              .start = {1, 0, 1},
                              .end = {3, 1, 1},
                              .radius_m = 0.5f,
                              .area = 9,
                              .both_ways = 1,
                              .flags = 5}};
}

// Reads all pages of `limit` objects and counts how often each (kind, id) came; ids are below 300.
typedef struct census {
    uint32_t seen[NP_OP_PUT_LINK + 1][300];
    uint32_t pages, objects, largest;
} census;

static census count_all(uint32_t limit, np_op *kept)
{
    census all = {.pages = 0};
    np_world_objects_request r = {.world = a.world, .limit = limit};
    np_world_objects_response out;
    do {
        ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, NULL), NAV_OK);
        for (uint32_t i = 0; i < out.object_count; i++) {
            ck_assert_uint_lt(out.objects[i].id, 300);
            all.seen[out.objects[i].kind][out.objects[i].id]++;
            if (kept) kept[all.objects] = out.objects[i];
            all.objects++;
        }
        all.pages++;
        if (out.object_count > all.largest) all.largest = out.object_count;
        r.has_revision = true;
        r.revision = out.revision;
        r.cursor = out.next;
    } while (out.next);
    return all;
}

START_TEST(each_object_comes_once_whatever_the_size_of_a_page)
{
    static const uint32_t limits[] = {1, 7, 64, 4096};
    nav_key box = client_put_box(&a, 1, 1, 1);
    np_op ops[250];
    for (uint32_t i = 0; i < 200; i++) ops[i] = op_put(i, box, (float)i, 0, 0);
    for (uint32_t i = 0; i < 40; i++) ops[200 + i] = volume_op(i, (float)i);
    for (uint32_t i = 0; i < 10; i++) ops[240 + i] = link_op(i);
    ck_assert_int_eq(client_edit(&a, ops, 250, NULL, NULL), NAV_OK);
    census all = count_all(limits[_i], NULL);
    ck_assert_uint_eq(all.objects, 250);
    for (uint32_t i = 0; i < 300; i++) {
        ck_assert_uint_eq(all.seen[NP_OP_PUT_INSTANCE][i], i < 200);
        ck_assert_uint_eq(all.seen[NP_OP_PUT_VOLUME][i], i < 40);
        ck_assert_uint_eq(all.seen[NP_OP_PUT_LINK][i], i < 10);
    }
    ck_assert_uint_le(all.largest, limits[_i] + 16); // what one slot of a table holds beyond it
    ck_assert_uint_ge(all.pages, 250 / (limits[_i] + 16));
}
END_TEST

START_TEST(an_object_reads_as_it_was_put)
{
    nav_key box = client_put_box(&a, 1, 1, 1);
    np_op ops[] = {op_put(5, box, 1, 2, 3), volume_op(6, 4), link_op(7)}, kept[3];
    ops[0].u.instance.area = 11;
    ck_assert_int_eq(client_edit(&a, ops, 3, NULL, NULL), NAV_OK);
    census all = count_all(100, kept);
    ck_assert_uint_eq(all.objects, 3);
    // The same operations, encoded, have the same bytes.
    np_world_edit_request put = {.world = 1, .op_count = 3, .ops = ops}, got = {.world = 1, .op_count = 3, .ops = kept};
    nav_buffer x = {0}, y = {0};
    ck_assert_int_eq(np_encode_world_edit_request(&x, 1, &put), NAV_OK);
    ck_assert_int_eq(np_encode_world_edit_request(&y, 1, &got), NAV_OK);
    ck_assert_uint_eq(x.size, y.size);
    ck_assert_mem_eq(x.data, y.data, x.size);
    nav_buffer_deinit(&x);
    nav_buffer_deinit(&y);
}
END_TEST

START_TEST(pages_of_a_world_that_moved_on_are_refused)
{
    nav_key box = client_put_box(&a, 1, 1, 1);
    np_op ops[50];
    np_error err;
    for (uint32_t i = 0; i < 50; i++) ops[i] = op_put(i, box, (float)i, 0, 0);
    ck_assert_int_eq(client_edit(&a, ops, 50, NULL, NULL), NAV_OK);
    np_world_objects_request r = {.world = a.world, .limit = 10};
    np_world_objects_response out;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, NULL), NAV_OK);
    ck_assert_uint_ne(out.next, 0);
    np_op remove = op_remove(3);
    ck_assert_int_eq(client_edit(&a, &remove, 1, NULL, NULL), NAV_OK);
    r.has_revision = true;
    r.revision = out.revision;
    r.cursor = out.next;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, &err), NAV_ERR_STATE);
    ck_assert_msg(strstr(err.message, "start again") != NULL, "%s", err.message);
}
END_TEST

START_TEST(a_cursor_that_nobody_gave_is_an_error)
{
    np_world_objects_request r = {.world = a.world, .limit = 10, .has_revision = true, .cursor = UINT64_MAX};
    np_world_objects_response out;
    np_error err;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, &err), NAV_ERR_ARGUMENT);
    r.cursor = 1 << 20;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, &err), NAV_ERR_ARGUMENT);
    r.has_revision = false;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "revision") != NULL, "%s", err.message);
    r.cursor = 0;
    r.limit = 0;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, &err), NAV_ERR_ARGUMENT);
    r.limit = NP_OBJECTS_PAGE_MAX + 1;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OBJECTS, &r, &out, &err), NAV_ERR_ARGUMENT);
}
END_TEST

START_TEST(a_mesh_of_several_parts_comes_back_byte_for_byte)
{
    enum { VERTICES = 100000, TRIANGLES = 50001, BYTES = 12 * (VERTICES + TRIANGLES) }; // 1.8 MB
    uint8_t *bytes = calloc(1, BYTES), *back = calloc(1, BYTES);
    float *verts = (float *)(void *)bytes;
    uint32_t *tris = (uint32_t *)(void *)(bytes + 12 * VERTICES);
    for (uint32_t i = 0; i < 3 * VERTICES; i++) verts[i] = (float)(i * 7 % 1001);
    for (uint32_t i = 0; i < 3 * TRIANGLES; i++) tris[i] = i * 31 % VERTICES;
    tris[4] = UINT32_MAX; // a triangle that the index leaves out
    nav_key hash = nav_mesh_hash(verts, VERTICES, tris, TRIANGLES);
    np_mesh_put_request put = {.hash = hash, .vertices = VERTICES, .triangles = TRIANGLES};
    np_mesh_put_response done;
    for (; put.offset < BYTES; put.offset += put.data.size) {
        uint32_t left = (uint32_t)(BYTES - put.offset);
        put.data = (np_bin){bytes + put.offset, left < 700000 ? left : 700000};
        ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &done, NULL), NAV_OK);
    }
    ck_assert(done.complete);
    ck_assert_uint_eq(done.skipped_triangles, 1);

    np_mesh_get_request get = {.hash = hash};
    np_mesh_get_response part;
    uint32_t parts = 0;
    do {
        ck_assert_int_eq(client_call(&a, NP_MESH_GET, &get, &part, NULL), NAV_OK);
        ck_assert_uint_eq(part.vertices, VERTICES);
        ck_assert_uint_eq(part.triangles, TRIANGLES);
        ck_assert_uint_le(part.data.size, BYTES - get.offset);
        if (part.data.size) memcpy(back + get.offset, part.data.data, part.data.size);
        get.offset += part.data.size;
        parts++;
    } while (part.data.size);
    ck_assert_uint_eq(get.offset, BYTES);
    ck_assert_uint_eq(parts, 3); // two and the empty one at the end
    ck_assert_mem_eq(back, bytes, BYTES);
    np_error err;
    get.offset = BYTES + 1;
    ck_assert_int_eq(client_call(&a, NP_MESH_GET, &get, &part, &err), NAV_ERR_ARGUMENT);
    free(bytes);
    free(back);
}
END_TEST

START_TEST(a_mesh_that_is_not_there_is_named)
{
    np_mesh_get_request get = {.hash = {1, 2}};
    np_mesh_get_response part;
    np_error err;
    ck_assert_int_eq(client_call(&a, NP_MESH_GET, &get, &part, &err), NAV_ERR_NOT_FOUND);
    ck_assert_msg(strstr(err.message, "0100000000000000") != NULL, "%s", err.message);
}
END_TEST

START_TEST(sessions_are_listed_with_who_they_are_and_what_they_moved)
{
    np_sessions_list_request r = {.limit = 10};
    np_sessions_list_response out;
    client b;
    client_connect(&b, &daemon_);
    ck_assert_int_eq(client_call(&a, NP_SESSIONS_LIST, &r, &out, NULL), NAV_OK);
    ck_assert_uint_eq(out.total, 1 + (out.session_count == 2)); // the second may not be accepted yet
    ck_assert(np_str_equal(out.sessions[0].role, "admin"));     // the daemon's own user
    ck_assert_uint_gt(out.sessions[0].client.size, 0);
    ck_assert_uint_gt(out.sessions[0].bytes_in, 0);
    ck_assert_uint_gt(out.sessions[0].bytes_out, 0);
    client_greet(&b);
    uint64_t sub = client_subscribe(&a, NP_ENCODING_NAVD);
    ck_assert_uint_gt(sub, 0);
    r.limit = 1;
    ck_assert_int_eq(client_call(&a, NP_SESSIONS_LIST, &r, &out, NULL), NAV_OK);
    ck_assert_uint_eq(out.total, 2);
    ck_assert_uint_eq(out.session_count, 1);
    ck_assert_uint_eq(out.sessions[0].subscriptions, 1);
    client_close(&b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("objects");
    TCase *t = tcase_create("objects");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_loop_test(t, each_object_comes_once_whatever_the_size_of_a_page, 0, 4);
    tcase_add_test(t, an_object_reads_as_it_was_put);
    tcase_add_test(t, pages_of_a_world_that_moved_on_are_refused);
    tcase_add_test(t, a_cursor_that_nobody_gave_is_an_error);
    tcase_add_test(t, a_mesh_of_several_parts_comes_back_byte_for_byte);
    tcase_add_test(t, a_mesh_that_is_not_there_is_named);
    tcase_add_test(t, sessions_are_listed_with_who_they_are_and_what_they_moved);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
