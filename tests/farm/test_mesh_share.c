// Meshes into the farm and out of it, with two stores that know nothing of each other.
#include "daemon/base/thread.h"
#include "daemon/farm/mesh_share.h"
#include "daemon/farm/streams.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/farm/nats_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STORE_BYTES = 64 << 20 };

static nats_server server;
static uv_loop_t loop;
static nd_bus *bus;
static nd_workers *workers;
static nd_mesh_store from, to;
static nd_mesh_share *share; // put_count out of `from`, gets into `to`
static nd_namespaces spaces;
static nd_namespace *space, *other;
static bool ready;
static int put_count, got_count;
static nav_status put_status, got_status;
static nd_mesh *got;

static void on_put(void *user, const char *token, nav_key hash, nav_status status)
{
    (void)user;
    (void)token;
    (void)hash;
    put_status = status;
    put_count++;
}

static void on_got(void *user, nd_namespace *of, nav_key hash, nav_status status, nd_mesh *mesh)
{
    (void)user;
    (void)of;
    (void)hash;
    got_status = status;
    got = mesh;
    got_count++;
}

static void on_state(void *user, bool up)
{
    (void)user;
    (void)up;
}

static void make_streams(nd_bus_task *task, const nd_bus_link *link)
{
    char why[256] = "";
    const nd_stream_limits limits = {.meshes_bytes = 64 << 20};
    (void)task;
    if (nd_streams_ensure(link, "test", ND_STREAM_MESHES, &limits, why, sizeof why) != NAV_OK)
        fprintf(stderr, "%s\n", why);
}

static void made_streams(nd_bus_task *task, bool ran)
{
    (void)task;
    ready = ran;
}

static void run_until(const int *count, int enough)
{
    while (*count < enough) (void)uv_run(&loop, UV_RUN_ONCE);
}

static void set_up_knowing(size_t most_known)
{
    static nd_bus_task streams = {.run = make_streams, .done = made_streams};
    char why[256];
    nd_thread_set_loop(true);
    ready = false;
    nats_server_start(&server, "nats", NULL);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    const nd_bus_options o = {.url = server.url,
                              .name = "test",
                              .credentials = "",
                              .nkey = "",
                              .ca = "",
                              .certificate = "",
                              .key = "",
                              .on_state = on_state};
    ck_assert_msg(nd_bus_create(&loop, &o, why, sizeof why, &bus) == NAV_OK, "%s", why);
    ck_assert_int_eq(nd_workers_create(&loop, 1, 0, NULL, &workers), NAV_OK);
    nd_mesh_store_init(&from, STORE_BYTES);
    nd_mesh_store_init(&to, STORE_BYTES);
    ck_assert_int_eq(nd_namespaces_need(&spaces, "team.one", &space), NAV_OK);
    ck_assert_int_eq(nd_namespaces_need(&spaces, "two", &other), NAV_OK);
    const nd_mesh_share_options share_options = {.farm = "test",
                                                 .bus = bus,
                                                 .workers = workers,
                                                 .meshes = &to,
                                                 .on_put = on_put,
                                                 .on_got = on_got,
                                                 .most_known = most_known};
    ck_assert_int_eq(nd_mesh_share_create(&share_options, &share), NAV_OK);
    nd_bus_push(bus, ND_BUS_BULK, &streams);
    while (!ready) (void)uv_run(&loop, UV_RUN_ONCE);
}

static void set_up(void)
{
    set_up_knowing(0);
}

static void set_up_forgetful(void)
{
    set_up_knowing(100);
}

static void tear_down(void)
{
    nd_mesh_share_close(share);
    nd_bus_close(bus);
    nd_workers_close(workers);
    ck_assert_int_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    nd_mesh_store_deinit(&from);
    nd_mesh_store_deinit(&to);
    nd_namespaces_deinit(&spaces);
    nats_server_kill(&server);
}

// A floor of side * side squares, in the store with its source.
static nd_mesh *make_mesh_at(uint32_t side, float x)
{
    const uint32_t verts = (side + 1) * (side + 1), tris = 2 * side * side;
    nav_buffer source = {0};
    nav_mesh *made;
    nd_mesh *m;
    ck_assert_int_eq(nav_buffer_reserve(&source, 12 * ((size_t)verts + tris)), NAV_OK);
    float *v = (float *)(void *)source.data;
    uint32_t *t = (uint32_t *)(void *)(source.data + 12 * (size_t)verts);
    for (uint32_t i = 0; i < verts; i++) {
        v[3 * i] = x + (float)(i % (side + 1));
        v[3 * i + 1] = (float)(i % 7);
        v[3 * i + 2] = (float)(i / (side + 1));
    }
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t a = i / side * (side + 1) + i % side, b = a + side + 1;
        const uint32_t two[6] = {a, b, a + 1, a + 1, b, b + 1};
        memcpy(t + 6 * (size_t)i, two, sizeof two);
    }
    source.size = 12 * ((size_t)verts + tris);
    ck_assert_int_eq(nav_mesh_create_in(NULL, v, verts, t, tris, NULL, &made), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_add(&from, made, &m), NAV_OK);
    ck_assert_int_eq(nd_mesh_store_keep_source(&from, m, &source, verts, tris, 0), NAV_OK);
    return m;
}

static nd_mesh *make_mesh(uint32_t side)
{
    return make_mesh_at(side, 0);
}

static void put(nd_mesh *m, nav_status expected)
{
    const int before = put_count;
    ck_assert_int_eq(nd_mesh_share_put(share, "team%2Eone", m), NAV_OK);
    ck_assert_int_eq(nd_mesh_share_state(share, "team%2Eone", m->mesh->hash), ND_SHARE_UNDER_WAY);
    ck_assert_int_eq(nd_mesh_share_put(share, "team%2Eone", m), NAV_OK); // once only
    run_until(&put_count, before + 1);
    ck_assert_int_eq(put_status, expected);
}

static void get(nd_namespace *of, nav_key hash, nav_status expected)
{
    const int before = got_count;
    ck_assert_int_eq(nd_mesh_share_get(share, of, hash), NAV_OK);
    ck_assert_int_eq(nd_mesh_share_get(share, of, hash), NAV_OK); // once only
    run_until(&got_count, before + 1);
    ck_assert_msg(got_status == expected, "%s", nav_status_name(got_status));
}

static void check_through(uint32_t side)
{
    nd_mesh *m = make_mesh(side);
    const nav_key hash = m->mesh->hash;
    get(space, hash, NAV_ERR_NOT_FOUND);
    put(m, NAV_OK);
    ck_assert_int_eq(nd_mesh_share_state(share, "team%2Eone", hash), ND_SHARE_THERE);
    get(space, hash, NAV_OK);
    ck_assert(nav_key_equal(got->mesh->hash, hash));
    ck_assert_uint_eq(got->mesh->tri_count, m->mesh->tri_count);
    ck_assert_ptr_eq(nd_mesh_store_find_in(&to, space, &hash), got);
    // Who only knows the hash gets nothing.
    ck_assert_ptr_null(nd_mesh_store_find_in(&to, other, &hash));
    get(other, hash, NAV_ERR_NOT_FOUND);
    // What is there is not sent again, also when that was forgotten; a small one is sooner sent than asked for.
    const uint64_t sent = nd_mesh_share_stats_of(share).bytes_out;
    nd_mesh_share_forget(share, "team%2Eone", hash);
    ck_assert_int_eq(nd_mesh_share_state(share, "team%2Eone", hash), ND_SHARE_UNKNOWN);
    put(m, NAV_OK);
    if (m->source.size > ND_SHARE_SMALL_BYTES) ck_assert_uint_eq(nd_mesh_share_stats_of(share).bytes_out, sent);
}

START_TEST(many_small_ones_go_together)
{
    enum { MESHES = 300 };
    nd_mesh *m[MESHES];
    const int before = put_count;
    for (uint32_t i = 0; i < MESHES; i++) {
        m[i] = make_mesh_at(2, (float)i);
        ck_assert_int_eq(nd_mesh_share_put(share, "team%2Eone", m[i]), NAV_OK);
    }
    run_until(&put_count, before + MESHES);
    ck_assert_int_eq(put_status, NAV_OK);
    for (uint32_t i = 0; i < MESHES; i++) {
        ck_assert_int_eq(nd_mesh_share_state(share, "team%2Eone", m[i]->mesh->hash), ND_SHARE_THERE);
        get(space, m[i]->mesh->hash, NAV_OK);
    }
}
END_TEST

START_TEST(only_so_many_are_on_their_way_at_once)
{
    nd_mesh *m = make_mesh(2);
    char token[32];
    int count = 0;
    nav_status s = NAV_OK;
    const int before = put_count;
    for (; s == NAV_OK && count < 5000; count++) {
        snprintf(token, sizeof token, "space%d", count);
        s = nd_mesh_share_put(share, token, m);
        ck_assert_int_eq(nd_mesh_share_is_full(share), s == NAV_ERR_LIMIT || count == 1023);
    }
    ck_assert_int_eq(s, NAV_ERR_LIMIT);
    ck_assert_int_eq(count, 1025);
    run_until(&put_count, before + 1);
    ck_assert(!nd_mesh_share_is_full(share));
    run_until(&put_count, before + 1024);
    ck_assert_int_eq(nd_mesh_share_put(share, token, m), NAV_OK);
    run_until(&put_count, before + 1025);
}
END_TEST

START_TEST(what_is_there_is_not_remembered_for_ever)
{
    enum { MESHES = 300 };
    const int before = put_count;
    uint32_t known = 0;
    nd_mesh *m[MESHES];
    for (int i = 0; i < MESHES; i++) {
        m[i] = make_mesh_at(2, (float)i);
        ck_assert_int_eq(nd_mesh_share_put(share, "team%2Eone", m[i]), NAV_OK);
        run_until(&put_count, before + i + 1);
        ck_assert_int_eq(nd_mesh_share_state(share, "team%2Eone", m[i]->mesh->hash), ND_SHARE_THERE);
    }
    for (int i = 0; i < MESHES; i++)
        known += nd_mesh_share_state(share, "team%2Eone", m[i]->mesh->hash) == ND_SHARE_THERE;
    ck_assert_uint_le(known, 100);
    put(m[0], NAV_OK);
}
END_TEST

START_TEST(a_small_mesh_goes_through)
{
    check_through(3);
}
END_TEST

START_TEST(a_large_mesh_goes_through_in_parts)
{
    check_through(200); // 1.4 MiB
    ck_assert_uint_gt(nd_mesh_share_stats_of(share).bytes_out, 2 * ND_SHARE_PART_BYTES);
}
END_TEST

START_TEST(what_has_no_bytes_cannot_be_put)
{
    nd_mesh *m = make_mesh(4);
    nav_buffer_deinit(&m->source);
    put(m, NAV_ERR_NOT_FOUND);
    ck_assert_int_eq(nd_mesh_share_state(share, "team%2Eone", m->mesh->hash), ND_SHARE_UNKNOWN);
}
END_TEST

START_TEST(a_mesh_for_which_there_is_no_room_is_refused)
{
    nd_mesh *m = make_mesh(200);
    put(m, NAV_OK);
    to.max_bytes = 1 << 20;
    get(space, m->mesh->hash, NAV_ERR_LIMIT);
    to.max_bytes = STORE_BYTES;
    get(space, m->mesh->hash, NAV_OK);
}
END_TEST

START_TEST(it_may_close_while_meshes_are_under_way)
{
    nd_mesh *m = make_mesh(200), *n = make_mesh(5);
    put(n, NAV_OK);
    ck_assert_int_eq(nd_mesh_share_put(share, "team%2Eone", m), NAV_OK);
    for (int i = 1; i < 4; i++)
        ck_assert_int_eq(nd_mesh_share_put(share, "team%2Eone", make_mesh_at(2, (float)i)), NAV_OK);
    ck_assert_int_eq(nd_mesh_share_get(share, space, n->mesh->hash), NAV_OK);
    const int before = put_count + got_count;
    tear_down();
    ck_assert_int_eq(put_count + got_count, before);
    set_up();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mesh_share");
    TCase *t = tcase_create("mesh_share");
    if (!nats_server_is_there()) return 0;
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, a_small_mesh_goes_through);
    tcase_add_test(t, many_small_ones_go_together);
    tcase_add_test(t, a_large_mesh_goes_through_in_parts);
    tcase_add_test(t, what_has_no_bytes_cannot_be_put);
    tcase_add_test(t, a_mesh_for_which_there_is_no_room_is_refused);
    tcase_add_test(t, only_so_many_are_on_their_way_at_once);
    tcase_add_test(t, it_may_close_while_meshes_are_under_way);
    suite_add_tcase(s, t);
    t = tcase_create("forgetful");
    tcase_add_checked_fixture(t, set_up_forgetful, tear_down);
    tcase_add_test(t, what_is_there_is_not_remembered_for_ever);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
