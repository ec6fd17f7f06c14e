// Clients that want the daemon to hold more than it may: it refuses with words, and serves the others.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/bystander.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static daemon_process navd;
static bystander well;

static void stop(void)
{
    bystander_edits(&well);
    bystander_stop(&well);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

START_TEST(a_client_that_never_reads_costs_less_than_a_megabyte)
{
    enum { SIDE = FULL_OR_SANITIZED(40, 10), ROUNDS = 4, STALLED = 20 };
    peer stalled[STALLED];
    daemon_launch(&navd, NULL);
    bystander_start(&well, &navd, SIDE);
    for (uint32_t r = 1; r <= ROUNDS; r++) bystander_moves_all(&well, r); // so that the cache has them all
    uint64_t before = daemon_rss(&navd);
    for (int i = 0; i < STALLED; i++) {
        peer_init(&stalled[i], "well", SIDE);
        ck_assert(peer_connect(&stalled[i], navd.socket));
        peer *p = &stalled[i];
        while (p->state == PEER_GREETING) peers_run(&p, 1, PATIENCE_MS);
    }
    for (uint32_t r = 1; r <= ROUNDS; r++) bystander_moves_all(&well, r);
    uint64_t after = daemon_rss(&navd), each = after > before ? (after - before) / STALLED : 0;
    printf("stalled: each client that does not read costs %llu KiB\n", (unsigned long long)each / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(each, 1000000);
    for (int i = 0; i < STALLED; i++) { // and when they read again, they have the newest, and nothing twice over
        peer_settle(&stalled[i]);
        ck_assert_uint_eq(peer_differences(&stalled[i], &well.peer), 0);
        peer_deinit(&stalled[i]);
    }
    stop();
}
END_TEST

// One that asks and asks.
START_TEST(a_client_that_never_reads_its_answers_costs_a_few_megabytes)
{
    enum { ASKING = 8, REQUESTS = 40000, MOST = 3 << 20 };
    daemon_launch(&navd, NULL);
    bystander_start(&well, &navd, 4);
    nav_buffer out = {0};
    ck_assert_int_eq(np_encode_hello_request(&out, 1, &(np_hello_request){.version = 1}), NAV_OK);
    for (uint32_t i = 0; i < REQUESTS; i++)
        ck_assert_int_eq(np_encode_stats_request(&out, i + 2, &(np_stats_request){0}), NAV_OK);
    uint64_t before = daemon_rss(&navd);
    int fds[ASKING];
    size_t sent[ASKING] = {0};
    for (int i = 0; i < ASKING; i++) fds[i] = daemon_knock(&navd);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < ASKING; i++) {
            ssize_t n = send(fds[i], out.data + sent[i], out.size - sent[i], MSG_NOSIGNAL | MSG_DONTWAIT);
            if (n > 0) sent[i] += (size_t)n;
        }
        bystander_edits(&well);
    }
    uint64_t after = daemon_rss(&navd), each = after > before ? (after - before) / ASKING : 0;
    printf("asking: each client that does not read its answers costs %llu KiB\n", (unsigned long long)each / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(each, MOST);
    for (int i = 0; i < ASKING; i++) {
        ck_assert_uint_lt(sent[i], out.size); // it is not listened to either
        close(fds[i]);
    }
    nav_buffer_deinit(&out);
    stop();
}
END_TEST

START_TEST(giant_tiles_leave_no_memory_behind)
{
    enum { GIANT_CELLS = FULL_OR_SANITIZED(1500, 600), GIANTS = FULL_OR_SANITIZED(6, 2), MOST = 24 << 20 };
    const float verts[9] = {-9000, 0, -9000, 9000, 0, -9000, 0, 0, 9000}; // all of each tile
    const uint32_t tris[3] = {0, 2, 1};
    daemon_launch(&navd, NULL);
    bystander_start(&well, &navd, 4);
    uint64_t before = daemon_own_memory(&navd);
    nav_settings settings;
    nav_settings_default(&settings);
    settings.tile_cells = GIANT_CELLS;
    np_tiles_build_request build = {.settings = settings,
                                    .area = NAV_AREA_DEFAULT,
                                    .vertices = {(const uint8_t *)verts, sizeof verts},
                                    .indices = {(const uint8_t *)tris, sizeof tris}};
    np_error err = {0};
    for (int32_t x = 0; x < GIANTS; x++) {
        build.first[0] = build.last[0] = x;
        ck_assert_msg(peer_call(&well.peer, NP_TILES_BUILD, &build, NULL, &err) == NAV_OK, "%s", err.message);
    }
    uint64_t peak = peer_stat(&well.peer, "arena_peak_bytes");
    ck_assert_uint_gt(peak, MOST); // it took more
    uint64_t after = daemon_own_memory(&navd);
    printf("giants: %llu KiB before, %llu KiB after tiles that took %llu KiB\n", (unsigned long long)before / 1024,
           (unsigned long long)after / 1024, (unsigned long long)peak / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(after, before + MOST);
    stop();
}
END_TEST

// Meshes of a mebibyte until no more are taken.
START_TEST(a_daemon_near_its_memory_limit_refuses_what_adds_and_serves_on)
{
    enum { VERTICES = 60000, MESHES = 400 };
    const char *const arguments[] = {"--max-memory-bytes", "96M", "--threads", "2", NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, 4);
    size_t bytes = (size_t)VERTICES * 12 + (size_t)VERTICES * 4;
    float *verts = calloc(1, bytes);
    ck_assert_ptr_nonnull(verts);
    uint32_t *tris = (uint32_t *)(verts + 3 * (size_t)VERTICES), triangles = VERTICES / 3;
    np_error err = {0};
    nav_status status = NAV_OK;
    int taken = 0;
    for (; taken < MESHES && status == NAV_OK; taken++) {
        for (uint32_t i = 0; i < VERTICES; i++) {
            verts[3 * i] = (float)(i % 300);
            verts[3 * i + 1] = (float)taken;
            verts[3 * i + 2] = (float)(i / 300);
            tris[i] = i;
        }
        np_mesh_put_request put = {.hash = nav_mesh_hash(verts, VERTICES, tris, triangles),
                                   .vertices = VERTICES,
                                   .triangles = triangles,
                                   .data = {(const uint8_t *)verts, (uint32_t)bytes}};
        status = peer_call(&well.peer, NP_MESH_PUT, &put, NULL, &err);
    }
    ck_assert_msg(status == NAV_ERR_LIMIT, "%d meshes: %s", taken, nav_status_name(status));
    ck_assert_msg(strstr(err.message, "--max-memory-bytes") != NULL, "%s", err.message);
    uint64_t held = daemon_own_memory(&navd);
    printf("memory: %d meshes were taken, %llu KiB are held\n", taken - 1, (unsigned long long)held / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(held, UINT64_C(112) << 20);
    free(verts);
    stop(); // who is there already moves things and gets tiles
}
END_TEST

static void greet(peer *p)
{
    np_error err;
    peer_init(p, "well", 4);
    ck_assert(peer_dial(p, navd.socket));
    ck_assert_int_eq(peer_call(p, NP_HELLO, &(np_hello_request){.version = NP_PROTOCOL_VERSION}, NULL, &err), NAV_OK);
}

// Sends the first `count` bytes of a ping that is padded up to `bytes` by a key nobody knows, or as much as is taken.
static void send_ping(peer *p, uint32_t bytes, uint32_t count)
{
    enum { HEAD = 17 };
    static uint8_t part[1 << 16];
    uint32_t padding = bytes - HEAD, left = count;
    uint8_t head[HEAD] = {0x94, 0x00, 0x05, 0xa4, 'p', 'i', 'n', 'g', 0x91, 0x81, 0xa1, 'x', 0xc6};
    for (int i = 0; i < 4; i++) head[HEAD - 4 + i] = (uint8_t)(padding >> 8 * (3 - i));
    struct pollfd writable = {.fd = p->fd, .events = POLLOUT};
    while (left) {
        memset(part, 0, HEAD);
        if (left == count) memcpy(part, head, HEAD);
        ck_assert_int_eq(poll(&writable, 1, PATIENCE_MS), 1);
        ssize_t n = send(p->fd, part, left < sizeof part ? left : sizeof part, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN) return;
        ck_assert(n < 0 || left < count || n >= HEAD);
        if (n > 0) left -= (uint32_t)n;
    }
}

// Large calls of many sessions that idle after the answer: a call that is refused, and one that is not.
START_TEST(who_has_its_answer_holds_no_memory_for_the_call)
{
    enum { SESSIONS = 24, PING_BYTES = 7 << 20, PART_BYTES = 1 << 20, MOST = 16 << 20 };
    daemon_launch(&navd, NULL);
    bystander_start(&well, &navd, 4);
    uint8_t *part = calloc(1, PART_BYTES);
    ck_assert_ptr_nonnull(part);
    const np_mesh_put_request put = {.vertices = 1, .data = {part, PART_BYTES}}; // more than it says
    peer sessions[2 * SESSIONS];
    uint64_t before = daemon_own_memory(&navd);
    for (int i = 0; i < 2 * SESSIONS; i++) {
        greet(&sessions[i]);
        np_error err;
        if (i % 2)
            send_ping(&sessions[i], PING_BYTES, PING_BYTES);
        else
            ck_assert_int_eq(peer_call(&sessions[i], NP_MESH_PUT, &put, NULL, &err), NAV_ERR_ARGUMENT);
    }
    for (int i = 1; i < 2 * SESSIONS; i += 2)
        ck_assert_int_eq(poll(&(struct pollfd){.fd = sessions[i].fd, .events = POLLIN}, 1, PATIENCE_MS), 1);
    uint64_t held = daemon_own_memory(&navd);
    printf("answered: %d sessions hold %llu KiB\n", 2 * SESSIONS, (unsigned long long)(held - before) / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(held, before + MOST);
    for (int i = 0; i < 2 * SESSIONS; i++) peer_deinit(&sessions[i]);
    free(part);
    stop();
}
END_TEST

// Sessions of one peer, each with a message that never ends.
START_TEST(many_half_messages_share_a_bound_and_the_slowest_gives_way)
{
    enum { SENDERS = 40, BYTES = 7 << 20, BOUND = 32 << 20 };
    const char *const arguments[] = {
        "--max-memory-bytes", "256M", "--max-message-bytes", "16M", "--threads", "2", NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, 4);
    peer senders[SENDERS], late;
    uint64_t before = daemon_own_memory(&navd), most = 0;
    for (int i = 0; i < SENDERS; i++) {
        greet(&senders[i]);
        send_ping(&senders[i], BYTES, BYTES - 1);
        uint64_t input = peer_stat(&well.peer, "input_bytes");
        if (input > most) most = input;
    }
    // What was sent is not all read yet; once it is, it holds no more than it may.
    double until = clock_ms() + PATIENCE_MS;
    while (daemon_count(&navd, "reason=memory") < SENDERS - BOUND / BYTES) {
        ck_assert_msg(clock_ms() < until, "%d were ended", daemon_count(&navd, "reason=memory"));
        (void)peer_stat(&well.peer, "input_bytes");
    }
    uint64_t held = daemon_own_memory(&navd);
    printf("half messages of %d sessions: at most %llu KiB counted, %llu KiB are held\n", SENDERS,
           (unsigned long long)most / 1024, (unsigned long long)(held - before) / 1024);
    ck_assert_uint_gt(most, BOUND / 2);
    ck_assert_uint_le(most, BOUND);
    if (!IS_SANITIZED) ck_assert_uint_lt(held, before + BOUND + (16 << 20));
    greet(&late); // one that sends to its end gets its answer
    send_ping(&late, BYTES, BYTES);
    ck_assert_int_eq(poll(&(struct pollfd){.fd = late.fd, .events = POLLIN}, 1, PATIENCE_MS), 1);
    uint8_t answer[2];
    ck_assert_int_eq(recv(late.fd, answer, sizeof answer, 0), sizeof answer);
    ck_assert_int_eq(answer[1], 1); // a response
    peer_deinit(&late);
    for (int i = 0; i < SENDERS; i++) peer_deinit(&senders[i]);
    stop();
}
END_TEST

START_TEST(half_messages_do_not_take_more_memory_than_there_is)
{
    enum { SENDERS = 4 };
    const char *const arguments[] = {"--max-memory-bytes", "96M", "--threads", "2", NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, 4);
    peer senders[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        greet(&senders[i]);
        send_ping(&senders[i], 60 << 20, (60 << 20) - 1);
    }
    daemon_await(&navd, "event=session.closed", "reason=memory", NULL);
    uint64_t held = daemon_own_memory(&navd);
    printf("half messages: %llu KiB are held\n", (unsigned long long)held / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(held, UINT64_C(128) << 20);
    for (int i = 0; i < SENDERS; i++) peer_deinit(&senders[i]);
    stop();
}
END_TEST

// Each asks for as many bytes of tiles as an answer may have, and reads none.
START_TEST(answers_that_nobody_reads_do_not_take_more_memory_than_there_is)
{
    enum { ASKING = 16, TILES = 65536 };
    const char *const arguments[] = {"--max-memory-bytes", "96M", "--threads", "2", NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, 4);
    np_tile_xz *places = calloc(TILES, sizeof *places);
    ck_assert_ptr_nonnull(places);
    const np_tiles_get_request get = {
        .world = well.peer.world, .profile = np_str_of("walker"), .tile_count = TILES, .tiles = places};
    peer asking[ASKING];
    for (int i = 0; i < ASKING; i++) {
        greet(&asking[i]);
        peer_ask(&asking[i], NP_TILES_GET, &get, 0);
        peer_flush(&asking[i]);
    }
    while (!peer_stat(&well.peer, "memory_refusals"))
        for (int i = 0; i < ASKING; i++) peer_flush(&asking[i]);
    uint64_t held = daemon_own_memory(&navd);
    printf("unread answers: %llu KiB are held\n", (unsigned long long)held / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(held, UINT64_C(128) << 20);
    for (int i = 0; i < ASKING; i++) peer_deinit(&asking[i]);
    free(places);
    stop();
}
END_TEST

// A floor of side times side tiles, beside the bystander's own, whose first tile is (x, 100).
static nav_status put_ground(uint64_t id, int32_t x, int32_t side, np_world_edit_response *out, np_error *err)
{
    np_op op = city_put_floor(&well.city, 0, 0);
    float size = (float)side * CITY_TILE_M, *t = op.u.instance.transform;
    op.id = id;
    t[0] = t[10] = (float)side - 0.5f; // not into the tiles around it
    t[3] = (float)x * CITY_TILE_M + size / 2;
    t[11] = 100 * CITY_TILE_M + size / 2;
    return peer_call(&well.peer, NP_WORLD_EDIT,
                     &(np_world_edit_request){.world = well.peer.world, .op_count = 1, .ops = &op}, out, err);
}

START_TEST(edits_are_refused_whose_tiles_would_take_more_memory_than_there_is)
{
    enum { LARGE = 348, SMALL = FULL_OR_SANITIZED(32, 8), LIMIT_MIB = 64, SLACK = 16 << 20 };
    const char *const arguments[] = {"--max-memory-bytes", "64M", "--threads", "2", NULL};
    np_error err = {0};
    np_world_edit_response done;
    nav_status status = NAV_OK;
    uint64_t tiles = 0;
    daemon_launch(&navd, &(daemon_options){.arguments = arguments});
    bystander_start(&well, &navd, 4);
    ck_assert_int_eq(put_ground(500, 0, LARGE, &done, &err), NAV_ERR_LIMIT);
    ck_assert_msg(strstr(err.message, "--max-memory-bytes") != NULL, "%s", err.message);
    printf("tiles: %s\n", err.message);
    // Small ones in a row, before their tiles are made.
    for (int32_t i = 0; status == NAV_OK && i < LARGE; i++) {
        status = put_ground(501 + (uint64_t)i, i * (SMALL + 2), SMALL, &done, &err);
        if (status == NAV_OK) tiles += done.dirty_tiles;
    }
    if (!IS_SANITIZED) ck_assert_int_eq(status, NAV_ERR_LIMIT);
    peer_settle(&well.peer);
    uint64_t held = daemon_own_memory(&navd);
    printf("tiles: %llu were taken, %llu KiB are held\n", (unsigned long long)tiles, (unsigned long long)held / 1024);
    if (!IS_SANITIZED) ck_assert_uint_lt(held, ((uint64_t)LIMIT_MIB << 20) + SLACK);
    if (!IS_SANITIZED) ck_assert_uint_gt(tiles, 10000); // nor is it refused for nothing
    stop();
}
END_TEST

static int refused_edits;

static void note_refusal(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    (void)p;
    (void)r;
    (void)m;
    if (!error) return;
    ck_assert_int_eq(error->code, NAV_ERR_LIMIT);
    ck_assert_msg(strstr(error->message, "wait for the disk"), "%s", error->message);
    refused_edits++;
}

static void write_word(const char *path, const char *word)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(word, f);
    fclose(f);
}

START_TEST(changes_that_wait_for_a_hanging_disk_are_bounded)
{
    enum { SIDE = FULL_OR_SANITIZED(32, 24), EDITS = 200, BOUND = 12 << 20, ONE_EDIT = 4 << 20 };
    char state[PATH_BYTES], hold[PATH_BYTES], gate[PATH_BYTES + 8], variable[PATH_BYTES + 32];
    const char *const arguments[] = {"--max-memory-bytes", IS_SANITIZED ? "4G" : "96M", "--threads", "2", NULL};
    const char *const environment[] = {variable, "LD_PRELOAD=" DISK_SHIM_PATH, "ASAN_OPTIONS=verify_asan_link_order=0",
                                       NULL};
    snprintf(gate, sizeof gate, "%s.gate", path_into(hold, "hold"));
    snprintf(variable, sizeof variable, "NAVD_DISK_SWITCH=%s", hold);
    ck_assert_int_eq(mkfifo(gate, 0600), 0);
    daemon_launch(&navd, &(daemon_options){
                             .state = path_into(state, "held"), .arguments = arguments, .environment = environment});
    bystander_start(&well, &navd, SIDE);
    np_op *ops = calloc(SIDE * SIDE, sizeof *ops);
    ck_assert_ptr_nonnull(ops);

    write_word(hold, "HOLD");
    well.peer.on_answer = note_refusal;
    uint32_t asked = 0;
    while (asked < EDITS && !refused_edits) {
        asked++;
        for (int32_t i = 0; i < SIDE * SIDE; i++) ops[i] = city_move(SIDE, i % SIDE, i / SIDE, asked);
        peer_ask(&well.peer, NP_WORLD_EDIT,
                 &(np_world_edit_request){.world = well.peer.world, .op_count = SIDE * SIDE, .ops = ops}, 0);
        uint64_t waits = peer_stat(&well.peer, "commit_bytes_pending");
        if (!IS_SANITIZED) ck_assert_uint_lt(waits, BOUND + ONE_EDIT);
    }
    printf("hanging disk: %d of %u edits were refused, %llu KiB wait\n", refused_edits, asked,
           (unsigned long long)peer_stat(&well.peer, "commit_bytes_pending") / 1024);
    if (!IS_SANITIZED) ck_assert_int_eq(refused_edits, 1);

    write_word(hold, "");
    int opened = open(gate, O_RDWR | O_NONBLOCK | O_CLOEXEC); // those who wait at it go on
    ck_assert_int_ge(opened, 0);
    peer *one = &well.peer;
    while (well.peer.open_count) peers_run(&one, 1, PATIENCE_MS);
    well.peer.on_answer = NULL;
    ck_assert_uint_eq(peer_stat(&well.peer, "commit_bytes_pending"), 0);
    free(ops);
    stop();
    close(opened);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("memory");
    TCase *t = tcase_create("alone");
    tcase_set_timeout(t, TEST_S);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_client_that_never_reads_costs_less_than_a_megabyte);
    tcase_add_test(t, a_client_that_never_reads_its_answers_costs_a_few_megabytes);
    tcase_add_test(t, giant_tiles_leave_no_memory_behind);
    tcase_add_test(t, a_daemon_near_its_memory_limit_refuses_what_adds_and_serves_on);
    tcase_add_test(t, who_has_its_answer_holds_no_memory_for_the_call);
    tcase_add_test(t, many_half_messages_share_a_bound_and_the_slowest_gives_way);
    tcase_add_test(t, half_messages_do_not_take_more_memory_than_there_is);
    tcase_add_test(t, answers_that_nobody_reads_do_not_take_more_memory_than_there_is);
    tcase_add_test(t, edits_are_refused_whose_tiles_would_take_more_memory_than_there_is);
    tcase_add_test(t, changes_that_wait_for_a_hanging_disk_are_bounded);
    return run_suite_in_folder(s);
}
