#include "tests/daemon/fixture.h"

#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "core/tile/tile_format.h"
#include "protocol/dictionary.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zstd.h>

enum { PATIENCE_MS = 240000 }; // a test that would hang fails instead

// --- the daemon ---

static void on_call(uv_async_t *handle)
{
    daemon_fixture *f = handle->data;
    pthread_mutex_lock(&f->mutex);
    if (f->function) f->function(f->server, f->user);
    f->function = NULL;
    f->called = true;
    pthread_cond_signal(&f->ready);
    pthread_mutex_unlock(&f->mutex);
}

static void *serve(void *arg)
{
    daemon_fixture *f = arg;
    uv_loop_t loop;
    uv_loop_init(&loop);
    if (uv_async_init(&loop, &f->call, on_call)) abort();
    f->call.data = f;
    uv_unref((uv_handle_t *)&f->call); // the loop ends with the daemon
    nd_server *server = NULL;
    nav_status status = nd_server_create(&loop, &f->config, f->why, sizeof f->why, &server);
    pthread_mutex_lock(&f->mutex);
    f->server = server;
    f->status = status;
    f->started = true;
    pthread_cond_signal(&f->ready);
    pthread_mutex_unlock(&f->mutex);
    if (status == NAV_OK) uv_run(&loop, UV_RUN_DEFAULT);
    nd_server_destroy(server);
    uv_close((uv_handle_t *)&f->call, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    int closed = uv_loop_close(&loop);
    if (closed) abort(); // a handle was left open
    return NULL;
}

void fixture_start(daemon_fixture *f, void (*change)(nd_config *c))
{
    memset(f, 0, sizeof *f);
    nd_log_set_level(ND_LOG_ERROR);
    signal(SIGPIPE, SIG_IGN);
    nd_config_default(&f->config);
    strcpy(f->folder, "/tmp/navd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    snprintf(f->config.socket, sizeof f->config.socket, "%s/s", f->folder);
    f->config.threads = 2;
    f->config.state[0] = 0;
    // A test's clients are as slow as the machine is busy, and so are tiles and paths; a test of a limit gives its own.
    f->config.hello_s = f->config.message_s = PATIENCE_MS / 1000;
    f->config.stall_s = 0;
    f->config.tile_ms = f->config.stuck_ms = f->config.max_path_ms = 3600000;
    if (change) change(&f->config);
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->ready, NULL);
    ck_assert_int_eq(pthread_create(&f->thread, NULL, serve, f), 0);
    pthread_mutex_lock(&f->mutex);
    while (!f->started) pthread_cond_wait(&f->ready, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

void fixture_stop(daemon_fixture *f)
{
    if (f->status == NAV_OK) nd_server_stop(f->server);
    pthread_join(f->thread, NULL);
    pthread_mutex_destroy(&f->mutex);
    pthread_cond_destroy(&f->ready);
    ck_assert_int_eq(rmdir(f->folder), 0); // the daemon removed its socket
}

void fixture_call(daemon_fixture *f, void (*function)(nd_server *s, void *user), void *user)
{
    pthread_mutex_lock(&f->mutex);
    f->function = function;
    f->user = user;
    f->called = false;
    uv_async_send(&f->call);
    while (!f->called) pthread_cond_wait(&f->ready, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
}

static void set_steps(nd_server *s, void *user)
{
    nd_server_service(s)->methods->edit_steps = *(const size_t *)user;
}

void fixture_pace(daemon_fixture *f, size_t steps)
{
    fixture_call(f, set_steps, &steps);
}

typedef struct holder {
    nd_task task;
    sem_t *gate;
} holder;

static void wait_at_gate(nd_task *task, nd_worker *worker)
{
    (void)worker;
    while (sem_wait(((holder *)task)->gate)) continue; // a signal came
}

static void free_holder(nd_task *task, bool ran)
{
    (void)ran;
    free(task);
}

void fixture_push_holders(nd_server *s, void *user)
{
    nd_workers *workers = nd_server_service(s)->methods->workers;
    for (int urgent = 0; urgent < 2; urgent++)
        for (unsigned i = nd_workers_count(workers, urgent); i; i--) {
            holder *h = calloc(1, sizeof *h);
            if (!h) abort();
            *h = (holder){.task = {.urgent = urgent, .run = wait_at_gate, .done = free_holder}, .gate = user};
            nd_workers_push(workers, &h->task);
        }
}

void fixture_hold_workers(daemon_fixture *f)
{
    ck_assert_int_eq(sem_init(&f->gate, 0, 0), 0);
    fixture_call(f, fixture_push_holders, &f->gate);
}

// From here: the daemon's thread may be waiting for its workers.
void fixture_release_workers(daemon_fixture *f)
{
    for (uint64_t i = 0; i < 2 * f->config.threads; i++) ck_assert_int_eq(sem_post(&f->gate), 0);
}

// --- the client ---

void client_connect(client *c, const daemon_fixture *f)
{
    memset(c, 0, sizeof *c);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, f->config.socket);
    c->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_ge(c->fd, 0);
    ck_assert_int_eq(connect(c->fd, (struct sockaddr *)&a, sizeof a), 0);
    ck_assert_int_eq(np_reader_init(&c->reader, NULL), NAV_OK);
    c->next_id = 1;
}

void client_close(client *c)
{
    close(c->fd);
    free(c->wire_state);
    np_reader_deinit(&c->reader);
    nav_buffer_deinit(&c->out);
    nav_buffer_deinit(&c->kept);
    np_message_deinit(&c->last);
    free(c->tiles);
}

void client_send_bytes(client *c, const void *bytes, size_t count)
{
    const char *at = bytes;
    if (c->wire) {
        c->wire->send(c->fd, c->wire_state, bytes, count);
        return;
    }
    while (count) {
        ssize_t n = send(c->fd, at, count, MSG_NOSIGNAL);
        if (n < 0) return; // the daemon has closed: the test sees it when it reads
        at += n;
        count -= (size_t)n;
    }
}

uint32_t client_send(client *c, np_method m, const void *request)
{
    uint32_t id = c->next_id++;
    if (!c->gathering) c->out.size = 0;
    ck_assert_int_eq(np_request_encode(&c->out, m, id, request), NAV_OK);
    if (!c->gathering) client_send_bytes(c, c->out.data, c->out.size);
    return id;
}

void client_send_gathered(client *c)
{
    client_send_bytes(c, c->out.data, c->out.size);
    c->out.size = 0;
    c->gathering = false;
}

// A wire waits by itself, as it may hold what has come already.
static bool await_bytes(const client *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    return c->wire || poll(&p, 1, PATIENCE_MS) == 1;
}

static ssize_t receive(const client *c, void *out, size_t room)
{
    return c->wire ? c->wire->receive(c->fd, c->wire_state, out, room) : recv(c->fd, out, room, 0);
}

static bool fill(client *c)
{
    char bytes[65536];
    ck_assert_msg(await_bytes(c), "the daemon sent nothing for %d ms", PATIENCE_MS);
    ssize_t n = receive(c, bytes, sizeof bytes);
    if (n <= 0) return false;
    ck_assert_int_eq(np_reader_feed(&c->reader, bytes, (size_t)n), NAV_OK);
    return true;
}

static bool next_message(client *c, np_message *m)
{
    const uint8_t *bytes;
    size_t count;
    nav_status s;
    while ((s = np_reader_next(&c->reader, &bytes, &count)) == NAV_ERR_AGAIN)
        if (!fill(c)) return false;
    ck_assert_int_eq(s, NAV_OK);
    c->kept.size = 0;
    ck_assert_int_eq(nav_buffer_append(&c->kept, bytes, count), NAV_OK);
    np_error err;
    ck_assert_int_eq(np_message_read(c->kept.data, c->kept.size, m, &err), NAV_OK);
    return true;
}

static bool unpacks(const np_tile *t, seen_tile *out)
{
    if (!t->data.size) return t->status != NP_TILE_OK;
    static const uint8_t zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    ZSTD_DCtx *unpacker = ZSTD_createDCtx();
    uint8_t *bytes = malloc(t->size + 1);
    size_t n = t->data.size;
    out->compressed = n >= sizeof zstd_magic && memcmp(t->data.data, zstd_magic, sizeof zstd_magic) == 0;
    if (out->compressed)
        n = ZSTD_decompress_usingDict(unpacker, bytes, t->size + 1, t->data.data, t->data.size, np_dictionary,
                                      t->encoding == NP_ENCODING_PACKED ? np_dictionary_bytes : 0);
    else if (n <= t->size + 1)
        memcpy(bytes, t->data.data, n);
    else
        n = (size_t)-1; // as zstd's errors
    char why[200];
    bool good = !ZSTD_isError(n);
    if (good && t->encoding == NP_ENCODING_PACKED) {
        nav_buffer tile = {0};
        good = nav_detour_unpack(bytes, n, t->size, &tile) == NAV_OK;
        free(bytes);
        bytes = tile.data;
        n = tile.size;
    }
    good = good && n == t->size;
    if (good && t->encoding == NP_ENCODING_NAVD) {
        nav_tile_view v;
        good = nav_tile_open(bytes, n, &v, why, sizeof why) == NAV_OK && v.tile_x == t->x && v.tile_z == t->z;
        out->cells = good ? v.cell_count : 0;
        for (uint32_t i = 0; i < out->cells; i++) {
            nav_tile_cell cell;
            nav_tile_get_cell(&v, i, &cell);
            out->off_cells += cell.flags & NAV_CELL_UNREACHABLE ? 1 : 0;
        }
    } else if (good) {
        good = nav_detour_check(bytes, n, why, sizeof why) == NAV_OK;
    }
    if (good) out->data_key = nav_key_of(bytes, n);
    free(bytes);
    ZSTD_freeDCtx(unpacker);
    return good;
}

static void file_note(client *c, const np_message *m)
{
    np_tile_note note;
    np_error err;
    if (np_method_of(m) == NP_PROGRESS) {
        ck_assert_int_eq(np_decode_progress_note(m, &c->last_progress, &err), NAV_OK);
        c->progress_notes++;
        return;
    }
    if (np_method_of(m) == NP_SYNCED) {
        ck_assert_int_eq(np_decode_synced_note(m, &c->last_synced, &err), NAV_OK);
        c->synced_notes++;
        return;
    }
    if (np_method_of(m) == NP_SETTINGS) {
        ck_assert_int_eq(np_decode_settings_note(m, &c->last_settings, &err), NAV_OK);
        c->settings_notes++;
        c->settings_at = c->tile_count;
        return;
    }
    if (np_method_of(m) == NP_ENDED || np_method_of(m) == NP_AREAS || np_method_of(m) == NP_PATHS) return; // the test's
    if (np_method_of(m) == NP_BYE) {
        c->bye_notes++;
        return;
    }
    if (np_method_of(m) == NP_ALIVE) return;
    ck_assert_int_eq(np_method_of(m), NP_TILE);
    ck_assert_int_eq(np_decode_tile_note(m, &note, &err), NAV_OK);
    if (c->tile_count == c->tile_capacity) {
        c->tile_capacity = c->tile_capacity ? 2 * c->tile_capacity : 64;
        c->tiles = realloc(c->tiles, c->tile_capacity * sizeof *c->tiles);
        ck_assert_ptr_nonnull(c->tiles);
    }
    const np_tile *t = &note.tile;
    seen_tile *s = &c->tiles[c->tile_count++];
    *s = (seen_tile){.subscription = note.subscription,
                     .revision = t->revision,
                     .size = t->size,
                     .made_us = t->made_us,
                     .x = t->x,
                     .z = t->z,
                     .sheet = t->sheet,
                     .status = t->status,
                     .key = t->key,
                     .data_bytes = t->data.size};
    s->data_good = unpacks(t, s);
    snprintf(s->reason, sizeof s->reason, "%.*s", (int)t->reason.size, t->reason.data);
}

bool client_read(client *c, np_message *m)
{
    if (!next_message(c, m)) return false;
    if (m->kind == NP_NOTIFICATION) file_note(c, m);
    return true;
}

bool client_is_closed(client *c)
{
    char bytes[4096];
    while (await_bytes(c))
        if (receive(c, bytes, sizeof bytes) <= 0) return true;
    return false;
}

nav_status client_wait(client *c, np_method m, uint32_t id, void *response, np_error *err)
{
    np_error ignored;
    for (;;) {
        np_message_deinit(&c->last);
        c->last = (np_message){0};
        if (!client_read(c, &c->last)) return NAV_ERR_CLOSED;
        if (c->last.kind != NP_RESPONSE) continue;
        ck_assert_uint_eq(c->last.id, id);
        return np_response_decode(&c->last, m, response, err ? err : &ignored);
    }
}

nav_status client_call(client *c, np_method m, const void *request, void *response, np_error *err)
{
    return client_wait(c, m, client_send(c, m, request), response, err);
}

void client_greet(client *c)
{
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .client = np_str_of("test")};
    np_hello_response answer;
    ck_assert_int_eq(client_call(c, NP_HELLO, &hello, &answer, NULL), NAV_OK);
}

void client_open(client *c)
{
    client_greet(c);
    np_profile walker = {.name = np_str_of("walker")};
    nav_settings_default(&walker.settings);
    walker.settings.tile_cells = 16;
    np_world_open_request open = {.name = np_str_of("w"), .create = true, .profile_count = 1, .profiles = &walker};
    np_world_open_response opened;
    ck_assert_int_eq(client_call(c, NP_WORLD_OPEN, &open, &opened, NULL), NAV_OK);
    ck_assert_uint_eq(opened.profile_count, 1);
    c->world = opened.world;
}

uint32_t client_send_box(client *c, float x, float y, float z, nav_key *hash)
{
    const float corners[8][3] = {{-x, -y, -z}, {x, -y, -z}, {x, -y, z}, {-x, -y, z},
                                 {-x, y, -z},  {x, y, -z},  {x, y, z},  {-x, y, z}};
    const uint32_t tris[12][3] = {{4, 7, 6}, {4, 6, 5}, {0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1},
                                  {1, 5, 6}, {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};
    uint8_t bytes[sizeof corners + sizeof tris];
    memcpy(bytes, corners, sizeof corners);
    memcpy(bytes + sizeof corners, tris, sizeof tris);
    np_mesh_put_request put = {.hash = nav_mesh_hash(&corners[0][0], 8, &tris[0][0], 12),
                               .vertices = 8,
                               .triangles = 12,
                               .data = {bytes, sizeof bytes}};
    *hash = put.hash;
    return client_send(c, NP_MESH_PUT, &put);
}

nav_key client_put_box(client *c, float x, float y, float z)
{
    nav_key hash;
    np_mesh_put_response r;
    uint32_t id = client_send_box(c, x, y, z, &hash);
    ck_assert_int_eq(client_wait(c, NP_MESH_PUT, id, &r, NULL), NAV_OK);
    ck_assert(r.complete);
    return hash;
}

np_op op_put(uint64_t id, nav_key mesh, float x, float y, float z)
{
    np_op op = op_move(id, x, y, z);
    op.kind = NP_OP_PUT_INSTANCE;
    op.u.instance.mesh = mesh;
    op.u.instance.area = NAV_AREA_DEFAULT;
    return op;
}

np_op op_move(uint64_t id, float x, float y, float z)
{
    np_op op = {.kind = NP_OP_MOVE_INSTANCE, .id = id};
    const float t[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    memcpy(op.u.instance.transform, t, sizeof t);
    return op;
}

np_op op_remove(uint64_t id)
{
    return (np_op){.kind = NP_OP_REMOVE_INSTANCE, .id = id};
}

nav_status client_edit(client *c, const np_op *ops, uint32_t count, np_world_edit_response *r, np_error *err)
{
    np_world_edit_request edit = {.world = c->world, .op_count = count, .ops = ops};
    np_world_edit_response ignored;
    return client_call(c, NP_WORLD_EDIT, &edit, r ? r : &ignored, err);
}

uint64_t client_subscribe(client *c, np_encoding e)
{
    np_tiles_subscribe_request sub = {.world = c->world, .profile = np_str_of("walker"), .encoding = e};
    np_tiles_subscribe_response r;
    ck_assert_int_eq(client_call(c, NP_TILES_SUBSCRIBE, &sub, &r, NULL), NAV_OK);
    return r.subscription;
}

void client_settle(client *c)
{
    np_jobs_wait_request wait = {.world = c->world};
    np_jobs_wait_response r;
    ck_assert_int_eq(client_call(c, NP_JOBS_WAIT, &wait, &r, NULL), NAV_OK);
}

uint64_t client_stat(client *c, const char *name)
{
    np_stats_request ask = {0};
    np_stats_response r;
    ck_assert_int_eq(client_call(c, NP_STATS, &ask, &r, NULL), NAV_OK);
    for (uint32_t i = 0; i < r.counter_count; i++)
        if (np_str_equal(r.counters[i].name, name)) return r.counters[i].value;
    ck_abort_msg("there is no counter %s", name);
    return 0;
}

const seen_tile *client_last_tile(const client *c, int32_t x, int32_t z, size_t from)
{
    for (size_t i = c->tile_count; i-- > from;)
        if (c->tiles[i].x == x && c->tiles[i].z == z) return &c->tiles[i];
    return NULL;
}
