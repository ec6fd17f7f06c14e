// Clients that do what no client should: each costs itself, and nobody else.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/bystander.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static daemon_process navd;
static bystander well;

static void start(void)
{
    daemon_launch(&navd, NULL);
    bystander_start(&well, &navd, 4);
}

static void stop(void)
{
    bystander_edits(&well);
    bystander_stop(&well);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

// Until the daemon has as many descriptors open as before, and a new client is served.
static void await_recovery(int descriptors)
{
    double until = clock_ms() + PATIENCE_MS;
    int now;
    while ((now = daemon_descriptors(&navd)) > descriptors && clock_ms() < until) peer_settle(&well.peer);
    ck_assert_int_le(now, descriptors);
    peer late;
    peer_init(&late, "well", well.city.side);
    do ck_assert(peer_connect(&late, navd.socket) && clock_ms() < until);
    while (!peer_greeted(&late)); // closed where there was no place yet
    peer_settle(&late);
    ck_assert_uint_eq(peer_differences(&late, &well.peer), 0);
    peer_deinit(&late);
}

// Opens so many, and closes them. One that the system turns away, as its queue is full, tries again after the daemon
// has had its turn: all of them get to the daemon.
static void open_many(int count)
{
    int descriptors = daemon_descriptors(&navd), *fds = calloc((size_t)count, sizeof *fds);
    ck_assert_ptr_nonnull(fds);
    double until = clock_ms() + PATIENCE_MS;
    for (int i = 0; i < count; i++) {
        while ((fds[i] = daemon_knock(&navd)) < 0) {
            ck_assert_msg(clock_ms() < until, "only %d of %d connections were let in", i, count);
            bystander_edits(&well);
        }
        if (i % 500 == 499) bystander_edits(&well);
    }
    bystander_edits(&well);
    for (int i = 0; i < count; i++) close(fds[i]);
    free(fds);
    await_recovery(descriptors);
}

START_TEST(ten_thousand_connections_leave_the_others_served)
{
    struct rlimit l;
    getrlimit(RLIMIT_NOFILE, &l);
    l.rlim_cur = l.rlim_max;
    setrlimit(RLIMIT_NOFILE, &l);
    int count = l.rlim_max < 10200 ? (int)l.rlim_max - 200 : 10000;
    if (count < 10000) printf("abuse: the system lets a process have %d connections, not 10,000\n", count);
    open_many(count);
    ck_assert_int_lt(daemon_count(&navd, "event=session."), count / 2); // nor does the log drown in them
}
END_TEST

static void few_descriptors(void *user)
{
    const struct rlimit *l = user;
    setrlimit(RLIMIT_NOFILE, l);
}

static uint64_t cpu_ms(void)
{
    char path[64], text[1024];
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)navd.pid);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    ck_assert_int_eq(
        sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel), 2);
    return (user + kernel) * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

// It has nothing to do, and more to accept than it can: once what came before is done, it spends little time on that.
static void await_rest(void)
{
    enum { WATCHED_MS = 400 };
    double until = clock_ms() + PATIENCE_MS, began, took;
    uint64_t before, spent;
    do {
        before = cpu_ms();
        began = clock_ms();
        (void)poll(NULL, 0, WATCHED_MS);
        took = clock_ms() - began;
        spent = cpu_ms() - before;
        ck_assert_msg(clock_ms() < until, "%llu ms of processor time in %.0f ms", (unsigned long long)spent, took);
    } while ((double)spent >= took / 2);
}

START_TEST(a_daemon_without_descriptors_serves_on_and_does_not_spin)
{
    struct rlimit few = {64, 64};
    daemon_launch(&navd, &(daemon_options){.prepare = few_descriptors, .user = &few});
    bystander_start(&well, &navd, 4);
    int descriptors = daemon_descriptors(&navd);
    enum { KNOCKS = 200 };
    int fds[KNOCKS];
    for (int i = 0; i < KNOCKS; i++) fds[i] = daemon_knock(&navd);
    bystander_edits(&well);
    await_rest();
    bystander_edits(&well);
    for (int i = 0; i < KNOCKS; i++)
        if (fds[i] >= 0) close(fds[i]);
    await_recovery(descriptors);
    stop();
}
END_TEST

static nav_status put_mesh(const float *verts, uint32_t vertices, const uint32_t *tris, uint32_t triangles,
                           uint32_t claimed_triangles, nav_key *hash, np_error *err)
{
    uint8_t data[512];
    size_t v = (size_t)vertices * 12, t = (size_t)triangles * 12;
    ck_assert_uint_le(v + t, sizeof data);
    memcpy(data, verts, v);
    memcpy(data + v, tris, t);
    *hash = nav_mesh_hash(verts, vertices, tris, triangles);
    np_mesh_put_request put = {
        .hash = *hash, .vertices = vertices, .triangles = claimed_triangles, .data = {data, (uint32_t)(v + t)}};
    return peer_call(&well.peer, NP_MESH_PUT, &put, NULL, err);
}

static nav_status put_instance(nav_key mesh, np_error *err)
{
    np_op op = city_put_floor(&well.city, 0, 0);
    op.id = 77;
    op.u.instance.mesh = mesh;
    return peer_call(&well.peer, NP_WORLD_EDIT,
                     &(np_world_edit_request){.world = well.peer.world, .op_count = 1, .ops = &op}, NULL, err);
}

START_TEST(a_triangle_of_a_billion_kilometres_is_refused)
{
    const float verts[9] = {-5e11f, 0, -5e11f, 5e11f, 0, -5e11f, 0, 0, 5e11f};
    const uint32_t tris[3] = {0, 2, 1};
    nav_key hash;
    np_error err = {0};
    nav_status s = put_mesh(verts, 3, tris, 1, 1, &hash, &err);
    if (s == NAV_OK) s = put_instance(hash, &err);
    ck_assert_msg(s == NAV_ERR_LIMIT || s == NAV_ERR_ARGUMENT, "%s", nav_status_name(s));
    ck_assert_msg(err.message[0] != 0, "no words");
}
END_TEST

START_TEST(a_triangle_of_numbers_without_end_is_left_out)
{
    const float verts[9] = {0, 0, 0, 3e38f, 0, 3e38f, 0.0f / 1.0f, 3e38f, 3e38f};
    const uint32_t tris[3] = {0, 2, 1};
    nav_key hash;
    np_error err = {0};
    nav_status s = put_mesh(verts, 3, tris, 1, 1, &hash, &err);
    if (s == NAV_OK) s = put_instance(hash, &err);
    ck_assert_msg(s == NAV_ERR_LIMIT || s == NAV_ERR_ARGUMENT, "%s: %s", nav_status_name(s), err.message);
}
END_TEST

START_TEST(a_mesh_that_claims_two_billion_indices_is_refused_by_its_header)
{
    const float verts[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const uint32_t tris[3] = {0, 2, 1};
    const uint32_t claims[] = {(UINT32_C(1) << 31) / 3, UINT32_C(1) << 31, UINT32_MAX};
    uint64_t before = daemon_rss(&navd);
    for (int i = 0; i < 3; i++) {
        nav_key hash;
        np_error err = {0};
        nav_status s = put_mesh(verts, 3, tris, 1, claims[i], &hash, &err);
        ck_assert_msg(s == NAV_ERR_LIMIT, "%u triangles: %s: %s", claims[i], nav_status_name(s), err.message);
        ck_assert_msg(strstr(err.message, "mesh-bytes") || strstr(err.message, "mesh_bytes"), "%s", err.message);
    }
    if (!IS_SANITIZED) ck_assert_uint_lt(daemon_rss(&navd), before + (UINT64_C(16) << 20));
}
END_TEST

START_TEST(a_message_that_claims_more_than_the_limits_ends_its_session_alone)
{
    static const uint8_t claims[][6] = {{0xdd, 0xff, 0xff, 0xff, 0xff}, // an array of 2^32 - 1
                                        {0xdf, 0xff, 0xff, 0xff, 0xff}, // a map
                                        {0xc6, 0xff, 0xff, 0xff, 0xff}, // 4 GB of bytes
                                        {0x91, 0x91, 0x91, 0x91, 0x91, 0xc1}};
    uint64_t before = daemon_rss(&navd);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        int fd = daemon_knock(&navd);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_gt(send(fd, claims[i], sizeof claims[i], MSG_NOSIGNAL), 0);
        char byte;
        ssize_t n;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        do ck_assert_int_eq(poll(&p, 1, PATIENCE_MS), 1); // it may say why first
        while ((n = recv(fd, &byte, 1, 0)) > 0);
        close(fd);
    }
    if (!IS_SANITIZED) ck_assert_uint_lt(daemon_rss(&navd), before + (UINT64_C(16) << 20));
}
END_TEST

// Sends a byte now and then, but never the last one, until the daemon closes.
static void drip(int fd, const uint8_t *bytes, size_t count)
{
    enum { PAUSE_MS = 40 };
    struct pollfd p = {.fd = fd, .events = POLLIN};
    char answer[512];
    double until = clock_ms() + PATIENCE_MS;
    for (size_t i = 0; clock_ms() < until; i++) {
        if (send(fd, &bytes[i % count], i + 1 < count, MSG_NOSIGNAL) < 0) return;
        if (poll(&p, 1, PAUSE_MS) == 0) continue;
        if (recv(fd, answer, sizeof answer, 0) <= 0) return;
    }
    ck_abort_msg("a client that sends a byte at a time is never closed");
}

START_TEST(a_client_that_sends_a_byte_at_a_time_is_closed)
{
    const char *const arguments[] = {"--hello-s", "4", "--message-s", "4", NULL}; // enough for those who are well
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, 4);
    nav_buffer hello = {0}, edit = {0};
    np_op ops[4];
    for (int i = 0; i < 4; i++) ops[i] = city_move(4, i, 0, 5);
    ck_assert_int_eq(np_encode_hello_request(
                         &hello, 1, &(np_hello_request){.version = 1, .client = np_str_of("one by one, slowly")}),
                     NAV_OK);
    ck_assert_int_eq(np_encode_world_edit_request(
                         &edit, 2, &(np_world_edit_request){.world = well.peer.world, .op_count = 4, .ops = ops}),
                     NAV_OK);
    int fd = daemon_knock(&navd);
    drip(fd, hello.data, hello.size); // never says hello
    close(fd);
    daemon_await(&navd, "event=session.closed", "reason=hello_timeout", NULL);
    fd = daemon_knock(&navd);
    ck_assert_int_eq(send(fd, hello.data, hello.size, MSG_NOSIGNAL), (ssize_t)hello.size);
    drip(fd, edit.data, edit.size); // never ends its message
    close(fd);
    daemon_await(&navd, "event=session.closed", "reason=message_timeout", NULL);
    nav_buffer_deinit(&hello);
    nav_buffer_deinit(&edit);
    stop();
}
END_TEST

START_TEST(a_client_that_takes_nothing_is_closed_and_comes_back)
{
    const char *const arguments[] = {"--stall-s", "4", "--output-bytes", "16K", NULL}; // enough for those who read
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, FULL_OR_SANITIZED(30, 16));
    peer p, *one = &p;
    peer_init(&p, "well", well.city.side);
    ck_assert(peer_connect(&p, navd.socket));
    peer_settle(&p);
    while (!p.synced) peers_run(&one, 1, PATIENCE_MS);
    uint64_t notes = p.notes;
    for (uint32_t turn = 1; turn <= 12; turn++) bystander_moves_all(&well, turn); // more than its socket holds
    daemon_await(&navd, "event=session.closed", "reason=slow_reader", NULL);
    while (p.fd >= 0) peers_run(&one, 1, PATIENCE_MS);
    ck_assert(peer_connect(&p, navd.socket));
    peer_settle(&p);
    ck_assert(p.resumed);
    ck_assert_uint_gt(p.notes, notes);
    ck_assert_uint_eq(peer_differences(&p, &well.peer), 0);
    peer_deinit(&p);
    stop();
}
END_TEST

START_TEST(names_that_look_like_paths_or_hide_bytes_stay_names)
{
    static const struct {
        const char *bytes;
        bool taken;
    } names[] = {{"../../../../tmp/navd-escaped", false},
                 {"/etc/passwd", true},
                 {"a\nb", false},
                 {"\x1b[2J", false},
                 {"\xff\xfe", false},
                 {"\xc0\xae\xc0\xae/", false},
                 {"\xed\xa0\x80", false},
                 {"Dachgescho\xc3\x9f", true}};
    char state[PATH_BYTES];
    daemon_launch(&navd, &(daemon_options){.state = path_into(state, "named")});
    bystander_start(&well, &navd, 4);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        np_profile walker = {.name = np_str_of("walker")};
        nav_settings_default(&walker.settings);
        np_world_open_request open = {
            .name = np_str_of(names[i].bytes), .create = true, .profile_count = 1, .profiles = &walker};
        np_error err = {0};
        nav_status status = peer_call(&well.peer, NP_WORLD_OPEN, &open, NULL, &err);
        if (names[i].taken) {
            ck_assert_msg(status == NAV_OK, "%s: %s", names[i].bytes, err.message);
        } else {
            ck_assert_msg(status == NAV_ERR_ARGUMENT, "name %zu: %s", i, nav_status_name(status));
            ck_assert_msg(strstr(err.message, "name") != NULL, "%s", err.message);
        }
        ck_assert(!daemon_said(&navd, "\x1b"));
    }
    // Only the daemon's own files are there: no name became a path.
    DIR *folder = opendir(state);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *e; (e = readdir(folder));)
        ck_assert_msg(e->d_name[0] == '.' || !strcmp(e->d_name, "worlds") || !strcmp(e->d_name, "cache"), "%s",
                      e->d_name);
    closedir(folder);
    ck_assert(!file_exists("/tmp/navd-escaped"));
    stop();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("abuse");
    TCase *t = tcase_create("with a daemon"), *alone = tcase_create("alone");
    tcase_set_timeout(t, TEST_S);
    tcase_set_timeout(alone, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    suite_add_tcase(s, alone);
    tcase_add_test(t, ten_thousand_connections_leave_the_others_served);
    tcase_add_test(t, a_triangle_of_a_billion_kilometres_is_refused);
    tcase_add_test(t, a_triangle_of_numbers_without_end_is_left_out);
    tcase_add_test(t, a_mesh_that_claims_two_billion_indices_is_refused_by_its_header);
    tcase_add_test(t, a_message_that_claims_more_than_the_limits_ends_its_session_alone);
    tcase_add_test(alone, a_daemon_without_descriptors_serves_on_and_does_not_spin);
    tcase_add_test(alone, a_client_that_sends_a_byte_at_a_time_is_closed);
    tcase_add_test(alone, a_client_that_takes_nothing_is_closed_and_comes_back);
    tcase_add_test(alone, names_that_look_like_paths_or_hide_bytes_stay_names);
    return run_suite_in_folder(s);
}
