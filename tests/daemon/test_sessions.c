// What a session survives, and what it ends by; limits; several clients at once.
#include "daemon/delivery/subscription.h"
#include "tests/check.h"
#include "tests/daemon/fixture.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static daemon_fixture daemon_;
static client a, b;

static void small_limits(nd_config *c)
{
    c->max_mesh_bytes = 4 << 20;
    c->mesh_store_bytes = 16 << 20;
    c->max_edit_ops = 100;
    c->max_edit_tiles = 2000;
    c->max_tiles = 2000;
    c->max_subscriptions = 3;
    c->max_calls = 3;
    c->max_sessions = 4;
    c->max_worlds = 2;
    c->max_request_tiles = 50;
    c->output_bytes = 16384;
    c->max_output_bytes = 65536;
    c->tile_memory_bytes = 600 << 10;
    strcpy(c->listen, "127.0.0.1:0");
}

static void start(void)
{
    fixture_start(&daemon_, small_limits);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&a, &daemon_);
    client_connect(&b, &daemon_);
}

static void stop(void)
{
    client_close(&a);
    client_close(&b);
    fixture_stop(&daemon_);
}

START_TEST(hello_comes_first_and_wrong_calls_are_answered)
{
    np_none none = {0};
    np_stats_response stats;
    np_hello_request hello = {.version = 99, .client = np_str_of("test")};
    np_hello_response greeting;
    ck_assert_int_eq(client_call(&a, NP_STATS, &none, &stats, NULL), NAV_ERR_STATE);
    ck_assert_int_eq(client_call(&a, NP_HELLO, &hello, &greeting, NULL), NAV_ERR_VERSION);
    client_greet(&a);
    hello = (np_hello_request){.version = NP_PROTOCOL_VERSION, .client = np_str_of("another")};
    ck_assert_int_eq(client_call(&a, NP_HELLO, &hello, &greeting, NULL), NAV_ERR_STATE);
    static const uint8_t unknown[] = "\x94\x00\x05\xa5magic\x80";
    a.next_id = 6;
    client_send_bytes(&a, unknown, sizeof unknown - 1);
    ck_assert_int_eq(client_wait(&a, NP_STATS, 5, &stats, NULL), NAV_ERR_NOT_FOUND);
    static const uint8_t bad_params[] = "\x94\x00\x06\xa5stats\x07";
    client_send_bytes(&a, bad_params, sizeof bad_params - 1);
    ck_assert_int_eq(client_wait(&a, NP_STATS, 6, &stats, NULL), NAV_ERR_ARGUMENT);
    a.next_id = 7;
    ck_assert_int_eq(client_call(&a, NP_STATS, &none, &stats, NULL), NAV_OK);
}
END_TEST

START_TEST(a_malformed_stream_ends_its_session_and_no_other)
{
    static const struct {
        const char *bytes;
        size_t count;
    } streams[] = {
        {"\xc1", 1},                        // no such type
        {"\xdd\xff\xff\xff\xff", 5},        // four billion elements
        {"\xc6\xff\xff\xff\xff", 5},        // four billion bytes
        {"\x07", 1},                        // a number is no message
        {"\x94\x09\x01\xa5stats\x80", 10},  // no such kind of message
        {"\x94\x00\xa1x\xa5stats\x80", 11}, // an id that is a string
        {"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91", 20}, // too deep
        {"GET / HTTP/1.1\r\n\r\n", 18},
    };
    client_open(&b);
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        client c;
        client_connect(&c, &daemon_);
        client_greet(&c);
        client_send_bytes(&c, streams[i].bytes, streams[i].count);
        np_message m = {0};
        ck_assert_msg(client_read(&c, &m), "stream %zu gets no answer", i);
        ck_assert_int_eq(m.kind, NP_RESPONSE);
        ck_assert_ptr_nonnull(m.error);
        np_message_deinit(&m);
        ck_assert_msg(client_is_closed(&c), "stream %zu is not closed", i);
        client_close(&c);
    }
    ck_assert_uint_eq(client_stat(&b, "protocol_errors"), sizeof streams / sizeof *streams);
    nav_key box = client_put_box(&b, 1, 1, 1);
    np_op put = op_put(1, box, 0, 0, 0);
    ck_assert_int_eq(client_edit(&b, &put, 1, NULL, NULL), NAV_OK);
}
END_TEST

START_TEST(a_client_that_dies_leaves_nothing_behind)
{
    client_open(&b);
    nav_key box = client_put_box(&b, 4, 1, 4);
    client c;
    client_connect(&c, &daemon_);
    client_greet(&c);
    c.world = b.world;
    client_subscribe(&c, NP_ENCODING_NAVD);
    static uint8_t part[1000000];
    np_mesh_put_request put = {.hash = {1, 2}, .vertices = 100000, .triangles = 1, .data = {part, sizeof part}};
    np_mesh_put_response received;
    ck_assert_int_eq(client_call(&c, NP_MESH_PUT, &put, &received, NULL), NAV_OK);
    ck_assert(!received.complete);
    ck_assert_uint_eq(client_stat(&b, "upload_bytes"), sizeof part);
    np_op op = op_put(1, box, 0, 0, 0);
    ck_assert_int_eq(client_edit(&c, &op, 1, NULL, NULL), NAV_OK);
    np_jobs_wait_request wait = {.world = c.world};
    (void)client_send(&c, NP_JOBS_WAIT, &wait);
    np_tiles_build_request build = {.last = {5, 5}, .vertices = {part, 12 * 3}, .indices = {part, 12}};
    nav_settings_default(&build.settings);
    (void)client_send(&c, NP_TILES_BUILD, &build);
    client_close(&c);
    while (client_stat(&b, "sessions") != 2) {
    } // a and b; each look is a turn of the loop
    client_settle(&b);
    ck_assert_uint_eq(client_stat(&b, "upload_bytes"), 0);
    while (client_stat(&b, "jobs_running")) {
    }
}
END_TEST

enum { VERTS = 100000, MESH_BYTES = 12 * (VERTS + 1) };

// A mesh of 1.2 MB and one triangle.
static uint8_t *large_mesh(nav_key *hash)
{
    uint8_t *bytes = malloc(MESH_BYTES);
    float *verts = malloc(VERTS * 12);
    const uint32_t tri[3] = {0, 1, 977};
    ck_assert(bytes && verts);
    for (uint32_t i = 0; i < 3 * VERTS; i++) verts[i] = (float)(i % 977) + (float)(i / 977);
    memcpy(bytes, verts, VERTS * 12);
    memcpy(bytes + VERTS * 12, tri, 12);
    *hash = nav_mesh_hash(verts, VERTS, tri, 1);
    free(verts);
    return bytes;
}

static nav_status put_part(client *c, nav_key hash, const uint8_t *bytes, uint64_t offset, uint32_t size,
                           np_mesh_put_response *r)
{
    np_mesh_put_request put = {hash, VERTS, 1, false, offset, {bytes + offset, size}, 0};
    return client_call(c, NP_MESH_PUT, &put, r, NULL);
}

START_TEST(uploads_are_checked_part_by_part)
{
    client_greet(&a);
    nav_key hash;
    uint8_t *bytes = large_mesh(&hash);
    const uint32_t part = 1 << 20, rest = MESH_BYTES - part;
    np_mesh_put_response r;
    np_mesh_have_request have = {.hash_count = 1, .hashes = &hash};
    np_mesh_have_response missing;
    ck_assert_int_eq(put_part(&a, hash, bytes, 100, part, &r), NAV_ERR_STATE); // nothing has begun
    ck_assert_int_eq(put_part(&a, hash, bytes, 0, part + 1, &r), NAV_ERR_LIMIT);
    ck_assert_int_eq(put_part(&a, hash, bytes, 0, part, &r), NAV_OK);
    ck_assert_uint_eq(r.received, part);
    ck_assert(!r.complete);
    ck_assert_int_eq(put_part(&a, hash, bytes, part + 4, rest - 4, &r), NAV_ERR_ARGUMENT); // a gap
    np_mesh_put_request over = {hash, VERTS, 1, false, part, {bytes, part}, 0};
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &over, &r, NULL), NAV_ERR_ARGUMENT); // behind the end
    ck_assert_int_eq(client_call(&a, NP_MESH_HAVE, &have, &missing, NULL), NAV_OK);
    ck_assert_uint_eq(missing.missing_count, 1);
    ck_assert_int_eq(put_part(&a, hash, bytes, part, rest, &r), NAV_OK); // what went wrong cost nothing
    ck_assert(r.complete);
    ck_assert_int_eq(client_call(&a, NP_MESH_HAVE, &have, &missing, NULL), NAV_OK);
    ck_assert_uint_eq(missing.missing_count, 0);

    nav_key wrong = hash;
    wrong.low++;
    ck_assert_int_eq(put_part(&a, wrong, bytes, 0, part, &r), NAV_OK);
    ck_assert_int_eq(put_part(&a, wrong, bytes, part, rest, &r), NAV_ERR_ARGUMENT); // another hash
    np_mesh_put_request huge = {wrong, UINT32_MAX, UINT32_MAX, false, 0, {bytes, part}, 0};
    ck_assert_int_eq(client_call(&a, NP_MESH_PUT, &huge, &r, NULL), NAV_ERR_LIMIT);
    ck_assert_uint_eq(client_stat(&a, "upload_bytes"), 0);
    free(bytes);
}
END_TEST

START_TEST(an_edit_may_follow_its_large_mesh_without_waiting)
{
    client_open(&a);
    nav_key hash;
    uint8_t *bytes = large_mesh(&hash);
    np_mesh_put_request first = {hash, VERTS, 1, false, 0, {bytes, 1 << 20}, 0};
    np_mesh_put_request second = {hash, VERTS, 1, false, 1 << 20, {bytes + (1 << 20), MESH_BYTES - (1 << 20)}, 0};
    np_op op = op_put(1, hash, 0, 0, 0);
    np_world_edit_request edit = {.world = a.world, .op_count = 1, .ops = &op};
    np_mesh_put_response put;
    np_world_edit_response edited;
    uint32_t ids[3] = {client_send(&a, NP_MESH_PUT, &first), client_send(&a, NP_MESH_PUT, &second),
                       client_send(&a, NP_WORLD_EDIT, &edit)};
    ck_assert_int_eq(client_wait(&a, NP_MESH_PUT, ids[0], &put, NULL), NAV_OK);
    ck_assert_int_eq(client_wait(&a, NP_MESH_PUT, ids[1], &put, NULL), NAV_OK);
    ck_assert(put.complete);
    ck_assert_int_eq(client_wait(&a, NP_WORLD_EDIT, ids[2], &edited, NULL), NAV_OK);
    free(bytes);
}
END_TEST

START_TEST(limits_are_errors_that_name_them)
{
    np_error err;
    client_open(&a);
    nav_key box = client_put_box(&a, 1, 1, 1);
    np_op many[101];
    for (int i = 0; i < 101; i++) many[i] = op_put((uint64_t)i, box, 0, 0, 0);
    ck_assert_int_eq(client_edit(&a, many, 101, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-edit-ops"));
    many[0].u.instance.transform[0] = 1e6f;
    ck_assert_int_eq(client_edit(&a, many, 1, NULL, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-edit-tiles"));
    for (int i = 0; i < 3; i++) client_subscribe(&a, NP_ENCODING_NAVD);
    np_tiles_subscribe_request sub = {.world = a.world, .profile = np_str_of("walker")};
    np_tiles_subscribe_response subscribed;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &subscribed, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-subscriptions"));
    np_tiles_unsubscribe_request un = {1};
    np_none none;
    ck_assert_int_eq(client_call(&a, NP_TILES_UNSUBSCRIBE, &un, &none, &err), NAV_OK);
    static np_known_tile known[2001];
    for (int i = 0; i < 2001; i++) known[i].x = i;
    sub.known = known;
    sub.known_count = 2001;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &subscribed, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-tiles"));
    sub.known_count = 2000;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &subscribed, &err), NAV_OK);
    static np_tile_xz places[51];
    np_tiles_get_request get = {.world = a.world, .profile = np_str_of("walker"), .tile_count = 51, .tiles = places};
    np_tiles_get_response got;
    ck_assert_int_eq(client_call(&a, NP_TILES_GET, &get, &got, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-request-tiles"));
    np_world_open_request open = {.name = np_str_of("two"), .create = true};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err), NAV_OK);
    open.name = np_str_of("three");
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-worlds"));
    client c[3];
    client_greet(&b); // who has not said hello would give way
    for (int i = 0; i < 3; i++) {
        client_connect(&c[i], &daemon_);
        if (i < 2) client_greet(&c[i]);
    }
    np_message m = {0};
    ck_assert(client_read(&c[2], &m)); // the third is one too many
    ck_assert_int_eq(np_error_decode(&m, &err), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "--max-sessions"));
    np_message_deinit(&m);
    ck_assert(client_is_closed(&c[2]));
    for (int i = 0; i < 3; i++) client_close(&c[i]);
}
END_TEST

START_TEST(names_that_do_not_exist_are_answered)
{
    np_error err;
    np_none none;
    client_open(&a);
    np_world_close_request close = {77};
    ck_assert_int_eq(client_call(&a, NP_WORLD_CLOSE, &close, &none, &err), NAV_ERR_NOT_FOUND);
    close.world = a.world;
    client_subscribe(&a, NP_ENCODING_NAVD);
    ck_assert_int_eq(client_call(&a, NP_WORLD_CLOSE, &close, &none, &err), NAV_OK);
    np_tiles_subscribe_request sub = {.world = a.world, .profile = np_str_of("swimmer")};
    np_tiles_subscribe_response subscribed;
    ck_assert_int_eq(client_call(&a, NP_TILES_SUBSCRIBE, &sub, &subscribed, &err), NAV_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.message, "swimmer"));
    np_world_open_request open = {.name = np_str_of("nowhere")};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_NOT_FOUND);
    open = (np_world_open_request){.name = {"no\0where", 8}, .create = true};
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_ARGUMENT);
    // Where no profile could stand there is no world either.
    open = (np_world_open_request){.name = np_str_of("far"), .create = true, .origin_m = {1e8, 0, 0}};
    ck_assert_int_eq(client_call(&a, NP_WORLD_OPEN, &open, &opened, &err), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(err.message, "1e+08") != NULL, "%s", err.message);
    np_jobs_wait_request wait = {.world = a.world, .has_revision = true, .revision = 9};
    np_jobs_wait_response waited;
    ck_assert_int_eq(client_call(&a, NP_JOBS_WAIT, &wait, &waited, &err), NAV_ERR_ARGUMENT);
}
END_TEST

// A carpet of triangles, so many that one tile's do not fit into the memory allowed for it.
static nav_key put_carpet(client *c)
{
    enum { N = 160 };
    static float verts[(N + 1) * (N + 1)][3];
    static uint32_t tris[N * N][2][3];
    for (uint32_t z = 0; z <= N; z++)
        for (uint32_t x = 0; x <= N; x++) {
            float v[3] = {(float)x * 0.02f, (float)((x * 7 + z * 13) % 5) * 0.01f, (float)z * 0.02f};
            memcpy(verts[z * (N + 1) + x], v, sizeof v);
        }
    for (uint32_t z = 0; z < N; z++)
        for (uint32_t x = 0; x < N; x++) {
            uint32_t i = z * (N + 1) + x, t[2][3] = {{i, i + N + 1, i + N + 2}, {i, i + N + 2, i + 1}};
            memcpy(tris[z * N + x], t, sizeof t);
        }
    nav_buffer bytes = {0};
    ck_assert_int_eq(nav_buffer_append(&bytes, verts, sizeof verts), NAV_OK);
    ck_assert_int_eq(nav_buffer_append(&bytes, tris, sizeof tris), NAV_OK);
    np_mesh_put_request put = {.hash = nav_mesh_hash(&verts[0][0], (N + 1) * (N + 1), &tris[0][0][0], 2 * N * N),
                               .vertices = (N + 1) * (N + 1),
                               .triangles = 2 * N * N,
                               .data = {bytes.data, (uint32_t)bytes.size}};
    np_mesh_put_response r;
    ck_assert_int_eq(client_call(c, NP_MESH_PUT, &put, &r, NULL), NAV_OK);
    nav_buffer_deinit(&bytes);
    return put.hash;
}

START_TEST(a_tile_over_its_memory_fails_alone_and_heals_with_its_input)
{
    client_open(&a);
    client_subscribe(&a, NP_ENCODING_NAVD);
    nav_key floor = client_put_box(&a, 7, 0.5f, 7), carpet = put_carpet(&a);
    np_op ground = op_put(1, floor, 2.4f, 0, 2.4f), heavy = op_put(2, carpet, 0.8f, 0.6f, 0.8f), light = op_remove(2);
    ck_assert_int_eq(client_edit(&a, &ground, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    const seen_tile good = *client_last_tile(&a, 0, 0, 0);
    ck_assert_int_eq(good.status, NP_TILE_OK);
    ck_assert_int_eq(client_edit(&a, &heavy, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    const seen_tile *t = client_last_tile(&a, 0, 0, 0);
    ck_assert_int_eq(t->status, NP_TILE_FAILED);
    ck_assert_ptr_nonnull(strstr(t->reason, "--tile-memory-bytes"));
    ck_assert_int_eq(client_last_tile(&a, 1, 1, 0)->status, NP_TILE_OK);
    size_t before = a.tile_count;
    ck_assert_int_eq(client_edit(&a, &light, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    t = client_last_tile(&a, 0, 0, before);
    ck_assert_ptr_nonnull(t);
    ck_assert_int_eq(t->status, NP_TILE_OK);
    ck_assert(nav_key_equal(t->key, good.key));
}
END_TEST

START_TEST(a_slow_reader_holds_up_nobody_and_gets_the_newest_state_later)
{
    enum { EDITS = 400, MOST = 100 * EDITS };
    client_open(&a);
    client_open(&b);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_subscribe(&b, NP_ENCODING_NAVD);
    nav_key floor = client_put_box(&a, 12, 0.5f, 12), box = client_put_box(&a, 0.5f, 1, 0.5f);
    np_op scene[] = {op_put(1, floor, 0, 0, 0), op_put(2, box, 2, 1, 2)};
    ck_assert_int_eq(client_edit(&a, scene, 2, NULL, NULL), NAV_OK);
    // b does not read; what the system's sockets hold goes first. Three times as much as that is made.
    int full = 0;
    for (int i = 0; i < EDITS || (i < MOST && i < 3 * full); i++) {
        np_op move = op_move(2, (float)(i % 20) - 10, 1, (float)(i / 20 % 20) - 10);
        ck_assert_int_eq(client_edit(&a, &move, 1, NULL, NULL), NAV_OK);
        client_settle(&a);
        if (client_stat(&a, "bytes_queued") <= 16384) full = i + 1;
    }
    uint64_t queued = client_stat(&a, "bytes_queued");
    // As much as --output-bytes says, and the packet with which it is more than that.
    ck_assert_msg(queued > 16384 && queued < 3 * 16384, "%llu bytes are queued", (unsigned long long)queued);
    client_settle(&b); // b reads again, until all its tiles are there
    ck_assert_uint_lt(b.tile_count, a.tile_count / 2);
    for (size_t i = 0; i < a.tile_count; i++) {
        const seen_tile *mine = client_last_tile(&a, a.tiles[i].x, a.tiles[i].z, 0);
        const seen_tile *theirs = client_last_tile(&b, a.tiles[i].x, a.tiles[i].z, 0);
        ck_assert_ptr_nonnull(theirs);
        if (!nav_key_equal(mine->key, theirs->key)) ck_abort_msg("tile %d %d differs", mine->x, mine->z);
    }
    ck_assert_uint_eq(client_stat(&a, "bytes_queued"), 0);
}
END_TEST

static void no_cache(nd_config *c)
{
    c->cache_bytes = 1;
}

START_TEST(synced_comes_when_all_is_here_also_where_tiles_must_be_made_again)
{
    stop();
    fixture_start(&daemon_, no_cache);
    client_connect(&a, &daemon_);
    client_connect(&b, &daemon_);
    client_open(&a);
    client_open(&b);
    nav_key floor = client_put_box(&a, 8, 0.5f, 8);
    np_op first = op_put(1, floor, 0, 0, 0), second = op_put(2, floor, 40, 0, 0);
    ck_assert_int_eq(client_edit(&a, &first, 1, NULL, NULL), NAV_OK);
    ck_assert_int_eq(client_edit(&a, &second, 1, NULL, NULL), NAV_OK);
    client_settle(&a);
    client_subscribe(&b, NP_ENCODING_NAVD);
    client_subscribe(&a, NP_ENCODING_NAVD);
    client_settle(&a);
    size_t all = a.tile_count;
    ck_assert_uint_gt(all, 10);
    size_t came = b.tile_count;
    for (np_method method = NP_UNKNOWN; method != NP_SYNCED;) {
        np_message m = {0};
        ck_assert(client_read(&b, &m));
        method = np_method_of(&m);
        came += method == NP_TILE;
        np_message_deinit(&m);
    }
    ck_assert_uint_eq(came, all);
}
END_TEST

START_TEST(a_client_that_asks_and_never_reads_is_not_listened_to)
{
    client_greet(&a);
    client_greet(&b);
    np_none none = {0};
    nav_buffer ask = {0};
    ck_assert_int_eq(np_request_encode(&ask, NP_STATS, 1, &none), NAV_OK);
    struct timeval patience = {.tv_usec = 300000};
    setsockopt(b.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    size_t sent = 0;
    while (sent < 10000 && send(b.fd, ask.data, ask.size, MSG_NOSIGNAL) == (ssize_t)ask.size) sent++;
    ck_assert_uint_lt(sent, 10000); // the daemon stopped reading, the pipe is full
    uint64_t queued = client_stat(&a, "bytes_queued");
    ck_assert_msg(queued < 65536 + 16384, "%llu bytes are queued", (unsigned long long)queued);
    nav_buffer_deinit(&ask);
    np_message m = {0};
    for (size_t i = 0; i < sent; i++) { // and goes on once it reads
        ck_assert(client_read(&b, &m));
        np_message_deinit(&m);
    }
}
END_TEST

START_TEST(tcp_serves_like_the_socket)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)nd_server_port(daemon_.server))};
    close(b.fd);
    b.fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(b.fd, (struct sockaddr *)&address, sizeof address), 0);
    client_open(&b);
    client_subscribe(&b, NP_ENCODING_NAVD);
    nav_key floor = client_put_box(&b, 4, 0.5f, 4);
    np_op put = op_put(1, floor, 0, 0, 0);
    ck_assert_int_eq(client_edit(&b, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&b);
    ck_assert_uint_ge(b.tile_count, 4);
}
END_TEST

START_TEST(a_socket_in_use_is_refused_and_a_stale_one_replaced)
{
    char why[512], path[128];
    nd_config second;
    nd_server *server;
    uv_loop_t loop;
    uv_loop_init(&loop);
    nd_config_default(&second);
    second.threads = 1;
    second.state[0] = 0;
    strcpy(second.socket, daemon_.config.socket);
    ck_assert_int_eq(nd_server_create(&loop, &second, why, sizeof why, &server), NAV_ERR_EXISTS);
    ck_assert_ptr_nonnull(strstr(why, second.socket));
    client_greet(&a); // the first is not disturbed

    // A socket file whose owner died.
    snprintf(path, sizeof path, "%s/t", daemon_.folder);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
    strcpy(second.socket, path);
    ck_assert_int_eq(nd_server_create(&loop, &second, why, sizeof why, &server), NAV_OK);
    struct stat st;
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0077, 0);
    nd_server_stop(server);
    uv_run(&loop, UV_RUN_DEFAULT);
    nd_server_destroy(server);
    ck_assert_int_ne(stat(path, &st), 0); // removed at the end

    // A file that is no socket is not touched.
    FILE *f = fopen(path, "w");
    fclose(f);
    ck_assert_int_eq(nd_server_create(&loop, &second, why, sizeof why, &server), NAV_ERR_IO);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    unlink(path);
}
END_TEST

typedef struct ending {
    bool found, is_hidden, is_kept, takes_nothing, has_left;
} ending;

static void close_subscriber(void *user, nd_node *n)
{
    nd_session *s = ND_HOLDER(n, nd_session, node);
    ending *e = user;
    nd_subscription *sub = s->subscriptions;
    if (!sub) return;
    e->found = true;
    nd_session_close(s, "test");
    size_t bytes = s->output.bytes;
    nd_session_send(s, "x", 1, NULL);
    e->takes_nothing = s->output.bytes == bytes && !nd_session_writable(s);
    e->is_hidden = !nd_sessions_find(s->sessions, s->id);
    e->is_kept = s->subscriptions == sub && sub->world->subscriptions == sub && sub->session == s;
}

static void end_subscriber(nd_server *s, void *user)
{
    nd_table_each(&nd_server_service(s)->methods->sessions->table, close_subscriber, user);
}

static void look_at_world(nd_server *s, void *user)
{
    ((ending *)user)->has_left = !nd_server_service(s)->methods->worlds->list[0]->subscriptions;
}

START_TEST(a_session_that_is_closed_stays_until_the_end_of_the_turn)
{
    ending e = {0};
    client_open(&a);
    (void)client_subscribe(&a, NP_ENCODING_NAVD);
    fixture_call(&daemon_, end_subscriber, &e);
    ck_assert(e.found && e.is_hidden && e.takes_nothing && e.is_kept);
    while (!e.has_left) fixture_call(&daemon_, look_at_world, &e);
    ck_assert(client_is_closed(&a));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("sessions");
    TCase *t = tcase_create("sessions");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, hello_comes_first_and_wrong_calls_are_answered);
    tcase_add_test(t, a_malformed_stream_ends_its_session_and_no_other);
    tcase_add_test(t, a_client_that_dies_leaves_nothing_behind);
    tcase_add_test(t, uploads_are_checked_part_by_part);
    tcase_add_test(t, an_edit_may_follow_its_large_mesh_without_waiting);
    tcase_add_test(t, limits_are_errors_that_name_them);
    tcase_add_test(t, names_that_do_not_exist_are_answered);
    tcase_add_test(t, a_tile_over_its_memory_fails_alone_and_heals_with_its_input);
    tcase_add_test(t, a_slow_reader_holds_up_nobody_and_gets_the_newest_state_later);
    tcase_add_test(t, synced_comes_when_all_is_here_also_where_tiles_must_be_made_again);
    tcase_add_test(t, a_client_that_asks_and_never_reads_is_not_listened_to);
    tcase_add_test(t, tcp_serves_like_the_socket);
    tcase_add_test(t, a_socket_in_use_is_refused_and_a_stale_one_replaced);
    tcase_add_test(t, a_session_that_is_closed_stays_until_the_end_of_the_turn);
    return run_suite(s);
}
