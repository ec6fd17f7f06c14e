// The client library against a daemon played by the test: each test says what the other side does. Its tiles are in
// test_client_tiles.c.
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/clients/peer.h"
#include "tests/clients/run.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

static void play_hello_only(peer *p)
{
    peer_hello(p);
    peer_take(p); // until the client goes
}

START_TEST(connecting_greets_and_learns_the_limits)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_hello_only);
    ck_assert_str_eq(navd_server_name(c), "navd 9.9");
    ck_assert_uint_eq(navd_get_limits(c).edit_operations, 100);
    ck_assert_int_ge(navd_fd(c), 0);
    ck_assert(!navd_want_write(c));
    ck_assert_str_eq(navd_error_text(c), "");
    peer_end(&p, c);
}
END_TEST

START_TEST(nobody_at_the_address_is_an_error_that_names_it)
{
    navd_client *c;
    char why[256];
    ck_assert_int_eq(navd_connect("/tmp/no/such.sock", NULL, 60000, &c, why, sizeof why), NAVD_ERR_IO);
    ck_assert_ptr_null(c);
    ck_assert(strstr(why, "/tmp/no/such.sock") != NULL);
    ck_assert_int_eq(navd_connect("localhost:1", NULL, 60000, &c, why, sizeof why), NAVD_ERR_IO);
    ck_assert(strstr(why, "localhost:1") != NULL);
    ck_assert_int_eq(navd_connect("nonsense", NULL, 1000, &c, why, sizeof why), NAVD_ERR_ARGUMENT);
    ck_assert_int_eq(navd_connect("nonsense", NULL, 1000, &c, NULL, 0), NAVD_ERR_ARGUMENT);
}
END_TEST

static void play_garbage(peer *p)
{
    peer_take(p);
    ck_assert_int_gt(send(p->fd, "HTTP/1.1 400 Bad Request\r\n\r\n", 28, MSG_NOSIGNAL), 0);
    peer_take(p);
}

START_TEST(a_peer_that_speaks_something_else_is_refused)
{
    peer p = {0};
    navd_client *c;
    char why[256] = "";
    peer_listen(&p, play_garbage);
    navd_status s = navd_connect(peer_address(), "test", 60000, &c, why, sizeof why);
    ck_assert_msg(s == NAVD_ERR_FORMAT, "%s: %s", navd_status_name(s), why);
    ck_assert_ptr_null(c);
    peer_end(&p, c);
}
END_TEST

static void play_error(peer *p)
{
    nav_buffer b = {0};
    np_error error = {0};
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_WORLD_EDIT);
    np_world_edit_request r;
    nav_status s = np_decode_world_edit_request(&p->request, &r, &error);
    ck_assert_msg(s == NAV_OK, "%s", error.message);
    ck_assert_uint_eq(r.world, 7);
    ck_assert(r.has_base_revision);
    ck_assert_uint_eq(r.base_revision, 3);
    ck_assert_uint_eq(r.op_count, 6);
    ck_assert_int_eq(r.ops[0].kind, NP_OP_PUT_INSTANCE);
    ck_assert_uint_eq(r.ops[0].u.instance.area, 5);
    ck_assert_float_eq(r.ops[0].u.instance.transform[3], 1.5f);
    ck_assert_int_eq(r.ops[1].kind, NP_OP_REMOVE_INSTANCE);
    ck_assert_uint_eq(r.ops[1].id, UINT64_MAX);
    ck_assert_int_eq(r.ops[2].kind, NP_OP_PUT_VOLUME);
    ck_assert_uint_eq(r.ops[2].u.volume.point_count, 3);
    ck_assert_float_eq(r.ops[2].u.volume.points[5], 9);
    ck_assert_uint_eq(r.ops[2].u.volume.include, 1);
    ck_assert_int_eq(r.ops[3].kind, NP_OP_PUT_LINK);
    ck_assert_uint_eq(r.ops[3].u.link.both_ways, 1);
    ck_assert_float_eq(r.ops[3].u.link.end[2], 6);
    ck_assert_int_eq(r.ops[4].kind, NP_OP_DIRTY);
    ck_assert_double_eq(r.ops[4].u.dirty.max[1], 40);
    ck_assert_int_eq(r.ops[5].kind, NP_OP_SET_BUILD);
    ck_assert_int_eq(r.ops[5].u.build.mode, NP_BUILD_WATCHED);
    ck_assert_double_eq(r.ops[5].u.build.margin_m, 12);
    (void)np_error_set(&error, NAV_ERR_NOT_FOUND, "ops[1]: there is no instance %d", 99);
    error.has_op = true;
    error.op = 1;
    peer_send(p, &b, np_error_encode(&b, p->request.id, &error));
    peer_take(p);
}

START_TEST(an_edit_arrives_as_it_was_given_and_its_refusal_names_the_operation)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_error);
    navd_operation ops[6] = {{.kind = NAVD_PUT_INSTANCE, .id = 1},
                             {.kind = NAVD_REMOVE_INSTANCE, .id = UINT64_MAX},
                             {.kind = NAVD_PUT_VOLUME, .id = 2},
                             {.kind = NAVD_PUT_LINK, .id = 3},
                             {.kind = NAVD_MARK_DIRTY},
                             {.kind = NAVD_SET_BUILD, .u.build = {NAVD_BUILD_WATCHED, 12}}};
    ops[0].u.instance.area = 5;
    ops[0].u.instance.transform[3] = 1.5f;
    ops[2].u.volume.point_count = 3;
    memcpy(ops[2].u.volume.points, (const float[]){0, 0, 8, 0, 0, 9}, 6 * sizeof(float));
    ops[2].u.volume.max_y = 2;
    ops[2].u.volume.include = true;
    ops[3].u.link.radius_m = 0.5f;
    ops[3].u.link.both_ways = true;
    ops[3].u.link.area = 63;
    ops[3].u.link.end[2] = 6;
    ops[4].u.dirty.max[1] = 40;
    uint64_t base = 3;
    navd_edit_result result;
    ck_assert_int_eq(navd_edit(c, 7, &base, ops, 6, &result), NAVD_ERR_NOT_FOUND);
    ck_assert_str_eq(navd_error_text(c), "ops[1]: there is no instance 99");
    ck_assert_int_eq(navd_error_operation(c), 1);
    peer_end(&p, c);
}
END_TEST

static void play_late(peer *p)
{
    nav_buffer b = {0}, d = {0};
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_JOBS_WAIT);
    uint32_t late = p->request.id;
    ck_assert_int_eq(peer_take(p), NP_JOBS_CANCEL); // comes when the client has given the first up
    np_jobs_wait_response waited = {.revision = 5};
    np_jobs_cancel_response cancelled = {.cancelled = 4};
    peer_send(p, &b, np_encode_jobs_wait_response(&b, late, &waited));
    peer_send(p, &d, np_encode_jobs_cancel_response(&d, p->request.id, &cancelled));
    peer_take(p);
}

START_TEST(an_answer_that_comes_too_late_disturbs_nobody)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_late);
    uint64_t now = 0;
    uint32_t cancelled = 0;
    navd_set_timeout(c, 20);
    ck_assert_int_eq(navd_wait(c, 1, NULL, &now), NAVD_ERR_TIMEOUT);
    ck_assert(strstr(navd_error_text(c), "no answer within 20 ms") != NULL);
    navd_set_timeout(c, 60000);
    ck_assert_int_eq(navd_cancel(c, 1, &cancelled), NAVD_OK);
    ck_assert_uint_eq(cancelled, 4);
    ck_assert_uint_eq(now, 0);
    peer_end(&p, c);
}
END_TEST

static void play_leave(peer *p)
{
    peer_hello(p);
    peer_take(p);
}

START_TEST(a_connection_that_ends_is_an_error_from_then_on)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_leave);
    ck_assert_int_eq(navd_world_close(c, 1), NAVD_ERR_CLOSED);
    ck_assert(strstr(navd_error_text(c), "closed the connection") != NULL);
    ck_assert_int_eq(navd_world_close(c, 1), NAVD_ERR_CLOSED);
    ck_assert_int_eq(navd_process(c), NAVD_ERR_CLOSED);
    peer_end(&p, c);
}
END_TEST

START_TEST(coming_back_to_a_daemon_that_does_not_answer_ends_in_time)
{
    peer p = {0};
    navd_client *c;
    navd_counter *counters;
    size_t count;
    char why[256];
    navd_options o = {.address = peer_address(), .timeout_ms = 240000, .keep_connected = true};
    peer_listen(&p, play_leave);
    ck_assert_msg(navd_connect_with(&o, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_int_eq(navd_stats(c, &counters, &count), NAVD_ERR_CLOSED); // it left
    navd_set_timeout(c, 1000);
    ck_assert_int_eq(navd_stats(c, &counters, &count), NAVD_ERR_CLOSED); // connects, and is not answered
    ck_assert_msg(strstr(navd_error_text(c), "no answer"), "%s", navd_error_text(c));
    ck_assert(!navd_is_connected(c));
    ck_assert_int_eq(navd_edit_start(c, 1, NULL, NULL, 0, NULL, NULL), NAVD_ERR_CLOSED);
    peer_end(&p, c);
}
END_TEST

enum { MESH_VERTS = 300, MESH_TRIS = 500 };

static void play_mesh(peer *p)
{
    peer_hello(p);
    uint8_t *got = p->user;
    uint64_t total = 12 * (MESH_VERTS + MESH_TRIS), at = 0;
    while (at < total) {
        np_error error;
        np_mesh_put_request r;
        nav_buffer b = {0};
        ck_assert_int_eq(peer_take(p), NP_MESH_PUT);
        ck_assert_int_eq(np_decode_mesh_put_request(&p->request, &r, &error), NAV_OK);
        ck_assert_uint_eq(r.offset, at);
        ck_assert_uint_le(r.data.size, p->part_bytes);
        memcpy(got + at, r.data.data, r.data.size);
        at += r.data.size;
        np_mesh_put_response answer = {
            .received = at, .complete = at == total, .skipped_triangles = at == total ? 6 : 0};
        peer_send(p, &b, np_encode_mesh_put_response(&b, p->request.id, &answer));
    }
    peer_take(p);
}

static void count_progress(void *user, uint64_t sent, uint64_t total)
{
    int *calls = user;
    ck_assert_uint_le(sent, total);
    (*calls)++;
}

START_TEST(a_mesh_goes_out_in_parts_that_make_the_whole)
{
    static float verts[3 * MESH_VERTS];
    static uint32_t tris[3 * MESH_TRIS];
    static uint8_t got[12 * (MESH_VERTS + MESH_TRIS)];
    for (int i = 0; i < 3 * MESH_VERTS; i++) verts[i] = (float)i * 0.5f;
    for (int i = 0; i < 3 * MESH_TRIS; i++) tris[i] = (uint32_t)i % MESH_VERTS;
    peer p = {.user = got, .part_bytes = 1003}; // not a multiple of 4: parts are 1000
    navd_client *c = peer_connect(&p, play_mesh);
    navd_mesh mesh = {verts, MESH_VERTS, tris, MESH_TRIS, NULL, NULL};
    int calls = 0;
    uint32_t skipped = 0;
    ck_assert_msg(navd_mesh_put(c, &mesh, count_progress, &calls, &skipped) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_int_eq(calls, 10);
    ck_assert_uint_eq(skipped, 6);
    for (int i = 0; i < 3 * MESH_VERTS; i++) ck_assert_float_eq(nav_load_f32(got + 4 * i), verts[i]);
    for (int i = 0; i < 3 * MESH_TRIS; i++) ck_assert_uint_eq(nav_load_u32(got + 12 * MESH_VERTS + 4 * i), tris[i]);
    mesh.vertex_count = 1 << 20;
    ck_assert_int_eq(navd_mesh_put(c, &mesh, NULL, NULL, NULL), NAVD_ERR_LIMIT);
    peer_end(&p, c);
}
END_TEST

static void play_missing(peer *p)
{
    nav_buffer b = {0}, d = {0};
    np_error error;
    np_mesh_have_request r;
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_MESH_HAVE);
    ck_assert_int_eq(np_decode_mesh_have_request(&p->request, &r, &error), NAV_OK);
    ck_assert_uint_eq(r.hash_count, 4);
    nav_key missing[2] = {r.hashes[1], r.hashes[3]};
    np_mesh_have_response answer = {.missing_count = 2, .missing = missing};
    peer_send(p, &b, np_encode_mesh_have_response(&b, p->request.id, &answer));
    ck_assert_int_eq(peer_take(p), NP_MESH_HAVE);
    missing[0] = (nav_key){1, 1}; // never asked for
    answer.missing_count = 1;
    peer_send(p, &d, np_encode_mesh_have_response(&d, p->request.id, &answer));
    peer_take(p);
}

START_TEST(missing_meshes_are_marked_and_strangers_refused)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_missing);
    navd_key keys[4] = {{{1}}, {{2}}, {{3}}, {{4}}};
    bool missing[4] = {false};
    ck_assert_int_eq(navd_mesh_missing(c, keys, 4, missing), NAVD_OK);
    ck_assert(!missing[0] && missing[1] && !missing[2] && missing[3]);
    ck_assert_int_eq(navd_mesh_missing(c, keys, 4, missing), NAVD_ERR_FORMAT);
    peer_end(&p, c);
}
END_TEST

static void play_two_edits(peer *p)
{
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_WORLD_EDIT);
    nav_buffer b = {0};
    np_world_edit_response answer = {.revision = 12, .dirty_tiles = 3};
    peer_send(p, &b, np_encode_world_edit_response(&b, p->request.id, &answer));
    ck_assert_int_eq(peer_take(p), NP_WORLD_EDIT); // and goes, without an answer
}

typedef struct edit_outcome {
    int calls;
    navd_status status;
    navd_edit_result result;
} edit_outcome;

static void edit_done(void *user, navd_status s, const char *text, const navd_edit_result *result)
{
    edit_outcome *o = user;
    o->calls++;
    o->status = s;
    o->result = *result;
    ck_assert_int_eq(text[0] != '\0', s != NAVD_OK);
}

static void run_loop_until(navd_client *c, const int *calls)
{
    while (*calls == 0 && navd_process(c) == NAVD_OK && *calls == 0) {
        struct pollfd f = {.fd = navd_fd(c), .events = (short)(POLLIN | (navd_want_write(c) ? POLLOUT : 0))};
        ck_assert_int_gt(poll(&f, 1, 240000), 0);
    }
}

START_TEST(started_calls_are_told_once_each_even_when_the_daemon_goes)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_two_edits);
    navd_operation op = {.kind = NAVD_REMOVE_INSTANCE, .id = 1};
    edit_outcome first = {0}, second = {0}, third = {0};
    ck_assert_int_eq(navd_edit_start(c, 1, NULL, &op, 1, edit_done, &first), NAVD_OK);
    ck_assert(navd_want_write(c));
    run_loop_until(c, &first.calls);
    ck_assert_int_eq(first.calls, 1);
    ck_assert_int_eq(first.status, NAVD_OK);
    ck_assert_uint_eq(first.result.revision, 12);
    ck_assert_uint_eq(first.result.dirty_tiles, 3);
    ck_assert_int_eq(navd_edit_start(c, 1, NULL, &op, 1, edit_done, &second), NAVD_OK);
    run_loop_until(c, &second.calls);
    ck_assert_int_eq(second.calls, 1);
    ck_assert_int_eq(second.status, NAVD_ERR_CLOSED);
    ck_assert_int_eq(navd_edit_start(c, 1, NULL, &op, 1, edit_done, &third), NAVD_ERR_CLOSED);
    peer_end(&p, c);
    ck_assert_int_eq(first.calls + second.calls + third.calls, 2);
}
END_TEST

static void play_world(peer *p)
{
    nav_buffer b = {0};
    np_error error;
    np_world_open_request r;
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_WORLD_OPEN);
    ck_assert_int_eq(np_decode_world_open_request(&p->request, &r, &error), NAV_OK);
    ck_assert(np_str_equal(r.name, "island") && r.create);
    ck_assert_double_eq(r.origin_m[2], 30);
    np_world_open_response answer = {.world = 8,
                                     .revision = 2,
                                     .created = true,
                                     .origin_m = {10, 20, 30},
                                     .profile_count = r.profile_count,
                                     .profiles = r.profiles};
    peer_send(p, &b, np_encode_world_open_response(&b, p->request.id, &answer));
    peer_take(p);
}

static void play_reach(peer *p)
{
    static const np_seed seeds[2] = {{{1, 2, 3}}, {{4, 5, 6}}};
    static const uint32_t lost[1] = {1};
    static const np_profile_reach profile = {.name = {"human", 5},
                                             .parts = 9,
                                             .unreachable_parts = 4,
                                             .area_m2 = 50,
                                             .unreachable_m2 = 12.5,
                                             .lost_count = 1,
                                             .seeds_without_ground = lost};
    nav_buffer b = {0}, d = {0};
    np_world_edit_request edit;
    np_error err;
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_WORLD_EDIT);
    ck_assert_int_eq(np_decode_world_edit_request(&p->request, &edit, &err), NAV_OK);
    ck_assert_uint_eq(edit.op_count, 1);
    ck_assert_int_eq(edit.ops[0].kind, NP_OP_SET_REACH);
    const np_reach *r = &edit.ops[0].u.reach;
    ck_assert_int_eq(r->unreachable, NAV_UNREACHABLE_FLAG);
    ck_assert_uint_eq(r->seed_count, 2);
    ck_assert_mem_eq(r->seeds, seeds, sizeof seeds);
    ck_assert_double_eq(r->island_min_area_m2, 7);
    np_world_edit_response edited = {.revision = 4};
    peer_send(p, &b, np_encode_world_edit_response(&b, p->request.id, &edited));
    ck_assert_int_eq(peer_take(p), NP_WORLD_REACH);
    np_world_reach_response answer = {
        .reach = {NAV_UNREACHABLE_FLAG, 2, seeds, 7}, .revision = 4, .profile_count = 1, .profiles = &profile};
    peer_send(p, &d, np_encode_world_reach_response(&d, p->request.id, &answer));
    peer_take(p);
}

START_TEST(what_shall_be_reached_goes_there_and_back)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_reach);
    const float seeds[2][3] = {{1, 2, 3}, {4, 5, 6}};
    navd_operation op = {.kind = NAVD_SET_REACH};
    op.u.reach = (navd_reach){NAVD_UNREACHABLE_FLAG, seeds, 2, 7};
    navd_edit_result result;
    ck_assert_int_eq(navd_edit(c, 7, NULL, &op, 1, &result), NAVD_OK);
    navd_reach_report *r;
    ck_assert_int_eq(navd_world_reach(c, 7, &r), NAVD_OK);
    ck_assert_int_eq(r->reach.unreachable, NAVD_UNREACHABLE_FLAG);
    ck_assert_uint_eq(r->reach.seed_count, 2);
    ck_assert_mem_eq(r->reach.seeds, seeds, sizeof seeds);
    ck_assert_double_eq(r->reach.island_min_area_m2, 7);
    ck_assert_uint_eq(r->revision, 4);
    ck_assert_uint_eq(r->profile_count, 1);
    ck_assert_str_eq(r->profiles[0].name, "human");
    ck_assert_uint_eq(r->profiles[0].parts, 9);
    ck_assert_uint_eq(r->profiles[0].unreachable_parts, 4);
    ck_assert_double_eq(r->profiles[0].unreachable_m2, 12.5);
    ck_assert_uint_eq(r->profiles[0].lost_count, 1);
    ck_assert_uint_eq(r->profiles[0].seeds_without_ground[0], 1);
    navd_reach_report_free(r);
    peer_end(&p, c);
}
END_TEST

static void play_paths(peer *p)
{
    nav_buffer b = {0};
    np_path_find_request r;
    np_error err;
    static const uint8_t points[24] = {0, 0, 0x80, 0x3f, [14] = 0, [20] = 0, 0, 0, 0x40}; // (1, 0, 0) and (0, 0, 2)
    static const np_path_link links[] = {{0, 42, 7, true}};
    const np_path_result found[] = {{.status = NAV_PATH_FOUND,
                                     .length_m = 2.5,
                                     .surface_m = 3,
                                     .points = {points, sizeof points},
                                     .cost = 5,
                                     .lower_bound = 4,
                                     .limit = NP_PATH_LIMIT_TIME,
                                     .link_count = 1,
                                     .links = links},
                                    {.status = NAV_PATH_NO_GOAL}};
    peer_hello(p);
    ck_assert_int_eq(peer_take(p), NP_PATH_FIND);
    ck_assert_int_eq(np_decode_path_find_request(&p->request, &r, &err), NAV_OK);
    ck_assert_uint_eq(r.query_count, 2);
    ck_assert(r.queries[1].from[0] == 7 && r.queries[1].to[2] == 12 && r.near_m == 0.5);
    ck_assert(r.exclude == 1u << 5 && r.links && r.world_costs && r.has_gap && r.gap == 0.25);
    ck_assert(r.cost_count == 1 && r.costs[0].area == 6 && r.costs[0].cost == 2.5f);
    const np_path_find_response answer = {.revision = 9, .open_tiles = 1, .path_count = 2, .paths = found};
    peer_send(p, &b, np_encode_path_find_response(&b, p->request.id, &answer));
    peer_take(p);
}

START_TEST(paths_are_asked_for_and_come_with_their_points)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_paths);
    const navd_path_query queries[] = {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}};
    navd_paths *paths;
    const navd_area_cost mud = {6, 2.5f};
    const navd_path_options options = {.near_m = 0.5,
                                       .exclude = 1u << 5,
                                       .links = true,
                                       .world_costs = true,
                                       .costs = &mud,
                                       .cost_count = 1,
                                       .gap = 0.25};
    ck_assert_int_eq(navd_find_paths_with(c, 7, "human", &options, queries, 2, &paths), NAVD_OK);
    ck_assert_uint_eq(paths->revision, 9);
    ck_assert_uint_eq(paths->open_tiles, 1);
    ck_assert_uint_eq(paths->count, 2);
    ck_assert_int_eq(paths->paths[0].status, NAVD_PATH_FOUND);
    ck_assert(paths->paths[0].length_m == 2.5 && paths->paths[0].surface_m == 3);
    ck_assert(paths->paths[0].cost == 5 && paths->paths[0].lower_bound == 4 && !paths->paths[0].optimal);
    ck_assert_str_eq(navd_path_limit_name(paths->paths[0].limit), "time");
    ck_assert_uint_eq(paths->paths[0].link_count, 1);
    const navd_path_link *link = paths->paths[0].links;
    ck_assert(link->point == 0 && link->link == 42 && link->area == 7 && link->back);
    ck_assert_uint_eq(paths->paths[0].point_count, 2);
    ck_assert(paths->paths[0].points[0] == 1 && paths->paths[0].points[5] == 2);
    ck_assert_str_eq(navd_path_status_name(paths->paths[1].status), "no_goal");
    ck_assert_uint_eq(paths->paths[1].point_count, 0);
    navd_paths_free(paths);
    peer_end(&p, c);
}
END_TEST

START_TEST(profiles_go_there_and_back_unchanged)
{
    peer p = {0};
    navd_client *c = peer_connect(&p, play_world);
    navd_profile profile = {.name = "giant"};
    navd_world world;
    navd_settings_default(&profile.settings);
    ck_assert_float_eq(profile.settings.cell_size_m, 0.3f);
    profile.settings.cell_size_m = 0.25f;
    profile.settings.agent_height_m = 4.5f;
    profile.settings.walkable_areas = 0x8000000000000006u;
    profile.settings.partition = NAVD_PARTITION_CONVEX;
    profile.settings.triangulation = NAVD_TRIANGULATION_DELAUNAY;
    profile.settings.relaxation_m = 0.5f;
    profile.settings.detail_max_error_voxels = 2;
    profile.settings.generator = NAVD_GENERATOR_SURFACE;
    profile.settings.surface_error_m = 0.1f;
    profile.settings.corners = NAVD_CORNERS_MITRE;
    profile.settings.mitre_limit = 3;
    profile.settings.arc_error_m = 0.01f;
    profile.settings.area_flags[5] = 0x1234;
    const double origin[3] = {10, 20, 30};
    ck_assert_msg(navd_world_open(c, "island", true, origin, &profile, 1, &world) == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_uint_eq(world.id, 8);
    ck_assert(world.created);
    ck_assert_double_eq(world.origin_m[1], 20);
    ck_assert_uint_eq(world.profile_count, 1);
    ck_assert_str_eq(world.profiles[0].name, "giant");
    ck_assert_mem_eq(&world.profiles[0].settings, &profile.settings, sizeof profile.settings);
    navd_world_free(&world);
    peer_end(&p, c);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("client");
    TCase *t = tcase_create("client");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, connecting_greets_and_learns_the_limits);
    tcase_add_test(t, nobody_at_the_address_is_an_error_that_names_it);
    tcase_add_test(t, a_peer_that_speaks_something_else_is_refused);
    tcase_add_test(t, an_edit_arrives_as_it_was_given_and_its_refusal_names_the_operation);
    tcase_add_test(t, an_answer_that_comes_too_late_disturbs_nobody);
    tcase_add_test(t, a_connection_that_ends_is_an_error_from_then_on);
    tcase_add_test(t, coming_back_to_a_daemon_that_does_not_answer_ends_in_time);
    tcase_add_test(t, a_mesh_goes_out_in_parts_that_make_the_whole);
    tcase_add_test(t, missing_meshes_are_marked_and_strangers_refused);
    tcase_add_test(t, started_calls_are_told_once_each_even_when_the_daemon_goes);
    tcase_add_test(t, what_shall_be_reached_goes_there_and_back);
    tcase_add_test(t, paths_are_asked_for_and_come_with_their_points);
    tcase_add_test(t, profiles_go_there_and_back_unchanged);
    return run_suite_in_folder(s);
}
