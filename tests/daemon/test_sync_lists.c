// What world.sync takes for a list: parts, lists that wait for meshes, faults, limits. What a good list does to a world
// is in test_sync.c.
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/daemon/sync_fixture.h"

#include <string.h>

static void use_few_sources(nd_config *c)
{
    c->max_sources = 2;
    c->max_objects = MOST;
}

static void start(void)
{
    fixture_start(&daemon_, use_few_sources);
    sync_begin();
}

static void stop(void)
{
    client_close(&a);
    fixture_stop(&daemon_);
}

START_TEST(missing_meshes_are_named_once_and_nothing_is_done)
{
    list l = {.count = 0};
    const nav_key unknown[2] = {{1, 2}, {3, 4}};
    list_add(&l, 1, 0, 2, 3);
    for (uint32_t i = 0; i < 6; i++) list_put(&l, l.count, 10 + i, unknown[i % 2], (float)i, 0, 63);
    uint64_t before = revision();
    np_world_sync_response r = sync_list(&l, "level");
    ck_assert(r.complete && !r.applied);
    ck_assert_uint_eq(r.missing_count, 2);
    ck_assert(nav_key_equal(r.missing[0], unknown[0]) && nav_key_equal(r.missing[1], unknown[1]));
    ck_assert_uint_eq(revision(), before);
    ck_assert_uint_eq(read_standing(&(standing){0}, 1), 0);
}
END_TEST

START_TEST(a_list_that_lacks_meshes_is_kept_and_compared_again)
{
    list l = {.count = 0};
    np_world_sync_response out;
    np_error err;
    for (uint32_t i = 0; i < 6; i++) list_add(&l, i, 0, 2 * (float)i, 3);
    const nav_key box = {UINT64_C(0x1234), 5};
    list_put(&l, 2, 2, box, 4, 3, 63);
    np_world_sync_response r = sync_list(&l, "level");
    ck_assert(r.kept && r.missing_count == 1 && r.received == 6);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 6 * NP_SYNC_OBJECT_BYTES);
    np_world_sync_request again = request_part(&l, "level", 6, 0), other = again;
    other.source = np_str_of("another");
    ck_assert_int_eq(call_sync(&other, &out, &err), NAV_ERR_STATE);
    ck_assert_int_eq(call_sync(&again, &out, &err), NAV_OK);
    ck_assert(out.kept && !out.applied && out.missing_count == 1 && out.received == 6); // it lacks the mesh still
    list_put(&l, 2, 2, meshes[1], 4, 3, 63);
    ck_assert(sync_list(&l, "level").applied);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0);
    ck_assert_int_eq(call_sync(&again, &out, &err), NAV_ERR_STATE); // what was applied is not kept

    uint8_t bytes[12 * 4] = {0};
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const uint32_t triangle[3] = {0, 2, 1};
    for (uint32_t i = 0; i < 9; i++) nav_store_f32(bytes + 4 * i, corners[i]);
    for (uint32_t i = 0; i < 3; i++) nav_store_u32(bytes + 36 + 4 * i, triangle[i]);
    list_put(&l, 2, 2, nav_mesh_hash(corners, 3, triangle, 1), 4, 3, 63);
    ck_assert(sync_list(&l, "level").kept);
    np_mesh_put_request put = {.vertices = 3, .triangles = 1, .data = {bytes, sizeof bytes}};
    np_mesh_put_response sent;
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &put, &sent, NULL), NAV_OK);
    ck_assert_int_eq(call_sync(&again, &out, &err), NAV_OK);
    ck_assert(out.applied && !out.kept && out.changed == 1 && out.unchanged == 5);
    check_standing(&l, "level");

    list_put(&l, 3, 3, box, 4, 3, 63);
    again = request_of(&l, "level");
    again.dry_run = true;
    ck_assert_int_eq(call_sync(&again, &out, &err), NAV_OK);
    ck_assert(!out.kept && out.missing_count == 1);
    ck_assert(sync_list(&l, "level").kept);
    client_close(&a);
    client_connect(&a, &daemon_);
    client_open(&a);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0); // it goes with its session
}
END_TEST

START_TEST(an_id_that_is_listed_twice_is_named_with_both_places)
{
    list l = {.count = 0};
    np_world_sync_response out;
    np_error err;
    for (uint32_t i = 0; i < 4; i++) list_add(&l, i, 0, 2 * (float)i, 3);
    sync_list(&l, "level");
    list_add(&l, 70, 0, 1, 1); // 0 to 3 are in the world, 70 is not
    list_add(&l, 70, 0, 2, 1);
    np_world_sync_request r = request_of(&l, "level");
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "objects 4 and 5 both have the id 70"), "%s", err.message);
    nav_store_u64(l.ids + 8 * 5, 1);
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "objects 1 and 5 both have the id 1"), "%s", err.message);
}
END_TEST

START_TEST(a_list_comes_in_parts)
{
    list l = {.count = 0};
    np_world_sync_response out;
    np_error err;
    for (uint32_t i = 0; i < 30; i++) list_add(&l, i, 0, (float)i, 3);
    for (uint32_t from = 0; from < 30; from += 10) {
        np_world_sync_request r = request_part(&l, "level", from, 10);
        r.more = from < 20;
        ck_assert_int_eq(call_sync(&r, &out, &err), NAV_OK);
        ck_assert_uint_eq(out.received, from + 10);
        ck_assert_int_eq(out.complete, from == 20);
    }
    ck_assert_uint_eq(out.added, 30);
    check_standing(&l, "level");

    np_world_sync_request stray = request_part(&l, "level", 10, 10);
    ck_assert_int_eq(call_sync(&stray, &out, &err), NAV_ERR_STATE); // the list is over
    np_world_sync_request first = request_part(&l, "level", 0, 10);
    first.more = true;
    ck_assert_int_eq(call_sync(&first, &out, &err), NAV_OK);
    stray = request_part(&l, "level", 20, 10);
    ck_assert_int_eq(call_sync(&stray, &out, &err), NAV_ERR_ARGUMENT); // there is a gap
    ck_assert_int_eq(call_sync(&first, &out, &err), NAV_OK);
    stray = request_part(&l, "another", 10, 10);
    ck_assert_int_eq(call_sync(&stray, &out, &err), NAV_ERR_STATE);
    ck_assert_int_eq(call_sync(&first, &out, &err), NAV_OK);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 10 * NP_SYNC_OBJECT_BYTES);
    sync_list(&l, "level"); // begins again
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0);
    check_standing(&l, "level");
}
END_TEST

typedef struct bad_list {
    nav_status status;
    const char *words;
    void (*spoil)(list *l, np_world_sync_request *r);
} bad_list;

static void same_id(list *l, np_world_sync_request *r)
{
    (void)r;
    nav_store_u64(l->ids + 8 * 5, 2);
}

static void not_finite(list *l, np_world_sync_request *r)
{
    (void)r;
    memset(l->transforms + 48 * 3 + 4, 0xff, 4);
}

static void bad_area(list *l, np_world_sync_request *r)
{
    (void)r;
    l->areas[4] = 64;
}

static void too_far(list *l, np_world_sync_request *r)
{
    (void)r;
    nav_store_f32(l->transforms + 48 * 6 + 12, 2e7f);
}

static void short_column(list *l, np_world_sync_request *r)
{
    (void)l;
    r->meshes.size -= 16;
}

static void half_entry(list *l, np_world_sync_request *r)
{
    (void)l;
    r->transforms.size -= 5;
}

static void no_source(list *l, np_world_sync_request *r)
{
    (void)l;
    r->source = np_str_of("");
}

static void wrong_revision(list *l, np_world_sync_request *r)
{
    (void)l;
    r->has_base_revision = true;
    r->base_revision = 99;
}

static void nothing_more(list *l, np_world_sync_request *r)
{
    (void)l;
    *r = request_part(l, "level", 0, 0);
    r->more = true;
}

static const bad_list bad_lists[] = {
    {NAV_ERR_ARGUMENT, "objects 2 and 5 both have the id 2", same_id},
    {NAV_ERR_ARGUMENT, "number 1 of object 3 is nan", not_finite},
    {NAV_ERR_ARGUMENT, "object 4 has the area 64", bad_area},
    {NAV_ERR_ARGUMENT, "object 6 of the list (instance 6): transform", too_far},
    {NAV_ERR_ARGUMENT, "meshes: entries for 7 objects, expected 8", short_column},
    {NAV_ERR_ARGUMENT, "transforms", half_entry},
    {NAV_ERR_ARGUMENT, "source: 0 bytes", no_source},
    {NAV_ERR_STATE, "base_revision is 99", wrong_revision},
    {NAV_ERR_ARGUMENT, "ids is empty", nothing_more},
};

START_TEST(a_bad_list_is_refused_with_its_fault_and_changes_nothing)
{
    list l = {.count = 0}, good;
    np_world_sync_response out;
    np_error err;
    for (uint32_t i = 0; i < 8; i++) list_add(&l, i, 0, (float)i, 3);
    sync_list(&l, "level");
    good = l;
    for (uint32_t i = 0; i < 8; i++) list_put(&l, i, i, meshes[1], (float)i, 4, 63);
    np_world_sync_request r = request_of(&l, "level");
    bad_lists[_i].spoil(&l, &r);
    ck_assert_int_eq(call_sync(&r, &out, &err), bad_lists[_i].status);
    ck_assert_msg(strstr(err.message, bad_lists[_i].words), "%s", err.message);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0);
    check_standing(&good, "level");
}
END_TEST

START_TEST(sources_and_objects_have_limits_that_the_error_names)
{
    static list l;
    np_world_sync_response out;
    np_error err;
    l.count = 0;
    list_add(&l, 1, 0, 1, 1);
    sync_list(&l, "first");
    nav_store_u64(l.ids, 2);
    sync_list(&l, "second");
    nav_store_u64(l.ids, 3);
    np_world_sync_request r = request_of(&l, "third");
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-sources"), "%s", err.message);
    np_op op = op_put(9, meshes[0], 0, 0, 0);
    op.source = np_str_of("third");
    ck_assert_int_eq(client_edit(&a, &op, 1, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-sources"), "%s", err.message);
    l.count = 0;
    sync_list(&l, "first"); // has nothing any more, so there is room for another
    list_add(&l, 3, 0, 1, 1);
    sync_list(&l, "third");
    for (uint32_t i = 0; l.count < MOST; i++) list_add(&l, 100 + i, 0, 1, 1);
    r = request_of(&l, "third");
    ck_assert_int_eq(call_sync(&r, &out, &err), NAV_ERR_LIMIT); // with the second's
    ck_assert_msg(strstr(err.message, "--max-objects"), "%s", err.message);
    np_world_sync_request part = request_part(&l, "third", 0, MOST);
    part.more = true;
    ck_assert_int_eq(call_sync(&part, &out, &err), NAV_OK);
    part = request_part(&l, "third", 0, 1);
    part.offset = MOST;
    ck_assert_int_eq(call_sync(&part, &out, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-objects"), "%s", err.message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sync lists");
    TCase *t = tcase_create("lists");
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, missing_meshes_are_named_once_and_nothing_is_done);
    tcase_add_test(t, a_list_that_lacks_meshes_is_kept_and_compared_again);
    tcase_add_test(t, an_id_that_is_listed_twice_is_named_with_both_places);
    tcase_add_test(t, a_list_comes_in_parts);
    tcase_add_loop_test(t, a_bad_list_is_refused_with_its_fault_and_changes_nothing, 0,
                        (int)(sizeof bad_lists / sizeof *bad_lists));
    tcase_add_test(t, sources_and_objects_have_limits_that_the_error_names);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
