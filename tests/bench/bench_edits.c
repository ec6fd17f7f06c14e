// Latency of edits over a real Unix socket: a world of box instances on flat ground, random moves one after the other,
// each timed from the moment its request is written to the moment the last tile that it changed is unpacked and
// checked. Then each move is undone and timed in the same way.
//
//     bench_edits [--side METRES] [--boxes N] [--moves N] [--threads N] [--reach METRES] [--csv]
//
// reach: how far a box moves; 0: anywhere in the world. The daemon runs in this process, on threads of its own.
#include "core/tile/tile_format.h"
#include "daemon/server.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zstd.h>

enum { GROUND_CELLS = 128, MAX_MOVES = 100000 };

typedef struct options {
    double side_m, reach_m;
    uint32_t boxes, moves, threads;
    bool csv;
} options;

typedef struct service {
    pthread_mutex_t mutex;
    pthread_cond_t ready;
    bool started;
    nd_config config;
    nd_server *server;
} service;

static void die(const char *what)
{
    fprintf(stderr, "bench_edits: %s\n", what);
    exit(1);
}

static void *serve(void *arg)
{
    service *s = arg;
    uv_loop_t loop;
    char why[512];
    uv_loop_init(&loop);
    nd_server *server = NULL;
    if (nd_server_create(&loop, &s->config, why, sizeof why, &server) != NAV_OK) die(why);
    pthread_mutex_lock(&s->mutex);
    s->server = server;
    s->started = true;
    pthread_cond_signal(&s->ready);
    pthread_mutex_unlock(&s->mutex);
    uv_run(&loop, UV_RUN_DEFAULT);
    nd_server_destroy(server);
    uv_loop_close(&loop);
    return NULL;
}

// --- a small blocking client ---

typedef struct client {
    int fd;
    uint32_t next_id;
    np_reader reader;
    nav_buffer out, unpacked;
    np_message message;
    uint64_t tiles;        // received
    uint64_t last_tile_ns; // when the last one was unpacked and checked
    uint64_t made_us;      // of the tiles since it was reset
} client;

static void take_tile(client *c, const np_tile *t)
{
    c->tiles++;
    c->made_us += t->made_us;
    if (t->data.size) {
        nav_tile_view view;
        c->unpacked.size = 0;
        if (nav_buffer_reserve(&c->unpacked, t->size) != NAV_OK) die("no memory");
        size_t n = ZSTD_decompress(c->unpacked.data, t->size, t->data.data, t->data.size);
        if (ZSTD_isError(n) || nav_tile_open(c->unpacked.data, n, &view, NULL, 0) != NAV_OK) die("a tile is broken");
    }
    c->last_tile_ns = nd_now_ns();
}

static void read_message(client *c)
{
    const uint8_t *bytes;
    size_t count;
    np_error err;
    static char chunk[1 << 16];
    np_message_deinit(&c->message);
    while (np_reader_next(&c->reader, &bytes, &count) == NAV_ERR_AGAIN) {
        ssize_t n = recv(c->fd, chunk, sizeof chunk, 0);
        if (n <= 0 || np_reader_feed(&c->reader, chunk, (size_t)n) != NAV_OK) die("the daemon closed the connection");
    }
    if (np_message_read(bytes, count, &c->message, &err) != NAV_OK) die(err.message);
    if (c->message.kind != NP_NOTIFICATION || np_method_of(&c->message) != NP_TILE) return;
    np_tile_note note;
    if (np_decode_tile_note(&c->message, &note, &err) != NAV_OK) die(err.message);
    take_tile(c, &note.tile);
}

static uint32_t send_request(client *c, np_method m, const void *request)
{
    c->out.size = 0;
    if (np_request_encode(&c->out, m, c->next_id, request) != NAV_OK) die("no memory");
    for (size_t at = 0; at < c->out.size;) {
        ssize_t n = send(c->fd, c->out.data + at, c->out.size - at, MSG_NOSIGNAL);
        if (n < 0) die("the daemon closed the connection");
        at += (size_t)n;
    }
    return c->next_id++;
}

static void wait_response(client *c, np_method m, uint32_t id, void *response)
{
    np_error err;
    do read_message(c);
    while (c->message.kind != NP_RESPONSE || c->message.id != id);
    if (np_response_decode(&c->message, m, response, &err) != NAV_OK) die(err.message);
}

static void call(client *c, np_method m, const void *request, void *response)
{
    wait_response(c, m, send_request(c, m, request), response);
}

static void open_socket(client *c, const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    c->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&a, sizeof a)) die("cannot connect");
    if (np_reader_init(&c->reader, NULL) != NAV_OK) die("no memory");
    c->next_id = 1;
}

// --- the scene ---

static uint64_t random_state = 88172645463325252u;

static double random_in(double low, double high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (high - low) * ((double)(random_state >> 11) / 9007199254740992.0);
}

static nav_key put_mesh(client *c, const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count)
{
    nav_buffer bytes = {0};
    if (nav_buffer_append(&bytes, verts, 12 * (size_t)vert_count) != NAV_OK) die("no memory");
    if (nav_buffer_append(&bytes, tris, 12 * (size_t)tri_count) != NAV_OK) die("no memory");
    np_mesh_put_request put = {
        .hash = nav_mesh_hash(verts, vert_count, tris, tri_count), .vertices = vert_count, .triangles = tri_count};
    np_mesh_put_response r;
    for (size_t at = 0; at < bytes.size; at += NP_MESH_PART_BYTES) {
        size_t left = bytes.size - at;
        put.offset = at;
        put.data = (np_bin){bytes.data + at, (uint32_t)(left < NP_MESH_PART_BYTES ? left : NP_MESH_PART_BYTES)};
        call(c, NP_MESH_PUT, &put, &r);
    }
    nav_buffer_deinit(&bytes);
    return put.hash;
}

static nav_key put_ground(client *c, double side_m)
{
    enum { N = GROUND_CELLS };
    float *verts = malloc((N + 1) * (N + 1) * 12);
    uint32_t *tris = malloc(N * N * 24), *t = tris;
    if (!verts || !tris) die("no memory");
    for (uint32_t z = 0; z <= N; z++)
        for (uint32_t x = 0; x <= N; x++) {
            float *v = verts + 3 * (z * (N + 1) + x);
            v[0] = (float)(side_m * x / N);
            v[1] = 0;
            v[2] = (float)(side_m * z / N);
        }
    for (uint32_t z = 0; z < N; z++)
        for (uint32_t x = 0; x < N; x++) {
            uint32_t a = z * (N + 1) + x, quad[6] = {a, a + N + 1, a + N + 2, a, a + N + 2, a + 1};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
    nav_key k = put_mesh(c, verts, (N + 1) * (N + 1), tris, 2 * N * N);
    free(verts);
    free(tris);
    return k;
}

static nav_key put_box(client *c)
{
    static const float verts[8][3] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1},
                                      {-1, 2, -1}, {1, 2, -1}, {1, 2, 1}, {-1, 2, 1}};
    static const uint32_t tris[12][3] = {{4, 7, 6}, {4, 6, 5}, {0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1},
                                         {1, 5, 6}, {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};
    return put_mesh(c, &verts[0][0], 8, &tris[0][0], 12);
}

typedef struct box_place {
    float transform[12];
} box_place;

// Half sizes 0.5 to 3 m, heights to 4 m, turned about the vertical.
static box_place random_place(double side_m)
{
    double angle = random_in(0, 6.283185307), sx = random_in(0.5, 3), sy = random_in(0.5, 2), sz = random_in(0.5, 3);
    double cs = cos(angle), sn = sin(angle);
    return (box_place){{(float)(cs * sx), 0, (float)(sn * sz), (float)random_in(0, side_m), 0, (float)sy, 0, 0,
                        (float)(-sn * sx), 0, (float)(cs * sz), (float)random_in(0, side_m)}};
}

static void edit(client *c, uint64_t world, const np_op *ops, uint32_t count)
{
    np_world_edit_request r = {.world = world, .op_count = count, .ops = ops};
    np_world_edit_response out;
    call(c, NP_WORLD_EDIT, &r, &out);
}

static uint64_t make_world(client *c, const options *o, box_place *places)
{
    np_hello_request hello = {NP_PROTOCOL_VERSION, np_str_of("bench")};
    np_hello_response greeting;
    call(c, NP_HELLO, &hello, &greeting);
    np_profile p = {.name = np_str_of("agent")};
    nav_settings_default(&p.settings);
    np_world_open_request open = {.name = np_str_of("bench"), .create = true, .profile_count = 1, .profiles = &p};
    np_world_open_response opened;
    call(c, NP_WORLD_OPEN, &open, &opened);
    uint64_t world = opened.world;
    np_tiles_subscribe_request sub = {.world = world, .profile = np_str_of("agent")};
    np_tiles_subscribe_response subscribed;
    call(c, NP_TILES_SUBSCRIBE, &sub, &subscribed);

    nav_key ground = put_ground(c, o->side_m), box = put_box(c);
    np_op *ops = calloc(4096, sizeof *ops);
    if (!ops) die("no memory");
    uint32_t n = 0;
    ops[n++] = (np_op){.kind = NP_OP_PUT_INSTANCE,
                       .id = UINT32_MAX,
                       .u.instance = {.mesh = ground, .transform = NAV_TRANSFORM_IDENTITY, .area = NAV_AREA_DEFAULT}};
    for (uint32_t i = 0; i < o->boxes; i++) {
        places[i] = random_place(o->side_m);
        ops[n] = (np_op){.kind = NP_OP_PUT_INSTANCE, .id = i, .u.instance = {.mesh = box, .area = NAV_AREA_DEFAULT}};
        memcpy(ops[n++].u.instance.transform, places[i].transform, sizeof places[i].transform);
        if (n == 4096 || i + 1 == o->boxes) {
            edit(c, world, ops, n);
            n = 0;
        }
    }
    free(ops);
    return world;
}

static void settle(client *c, uint64_t world)
{
    np_jobs_wait_request wait = {.world = world};
    np_jobs_wait_response waited;
    call(c, NP_JOBS_WAIT, &wait, &waited);
}

// --- the measurement ---

static double move(client *c, uint64_t world, uint32_t id, const box_place *to)
{
    np_op op = {.kind = NP_OP_MOVE_INSTANCE, .id = id};
    memcpy(op.u.instance.transform, to->transform, sizeof to->transform);
    np_world_edit_request r = {.world = world, .op_count = 1, .ops = &op};
    np_jobs_wait_request wait = {.world = world};
    np_world_edit_response edited;
    np_jobs_wait_response waited;
    uint64_t began = nd_now_ns();
    c->last_tile_ns = 0;
    uint32_t first = send_request(c, NP_WORLD_EDIT, &r), second = send_request(c, NP_JOBS_WAIT, &wait);
    wait_response(c, NP_WORLD_EDIT, first, &edited);
    wait_response(c, NP_JOBS_WAIT, second, &waited);
    return c->last_tile_ns ? (double)(c->last_tile_ns - began) / 1e6 : -1; // -1: no tile changed
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const options *o, const char *what, double *ms, uint32_t n, uint64_t tiles, uint64_t made_us)
{
    if (!n) return;
    qsort(ms, n, sizeof *ms, compare_double);
    double p50 = ms[n / 2], p99 = ms[(n * 99 + 99) / 100 - 1], max = ms[n - 1];
    double per_edit = (double)tiles / n, tile_ms = tiles ? (double)made_us / 1000.0 / (double)tiles : 0;
    if (o->csv)
        printf("%s,%u,%.0f,%u,%.3f,%.3f,%.3f,%.2f,%.3f\n", what, o->boxes, o->side_m, n, p50, p99, max, per_edit,
               tile_ms);
    else
        printf("%-6s %7u boxes %6.0f m: %4u edits  p50 %7.3f ms  p99 %7.3f ms  max %7.3f ms  %5.2f tiles each, %.3f ms "
               "made\n",
               what, o->boxes, o->side_m, n, p50, p99, max, per_edit, tile_ms);
}

static void measure(client *c, const options *o, uint64_t world, box_place *places)
{
    double *moves = malloc(o->moves * sizeof *moves), *undos = malloc(o->moves * sizeof *undos);
    if (!moves || !undos) die("no memory");
    uint32_t move_count = 0, undo_count = 0;
    uint64_t tiles[2] = {0}, made[2] = {0};
    for (uint32_t i = 0; i < o->moves; i++) {
        uint32_t id = (uint32_t)random_in(0, o->boxes);
        box_place to = places[id];
        double reach = o->reach_m > 0 ? o->reach_m : o->side_m;
        for (int k = 3; k < 12; k += 8) {
            double at = (double)to.transform[k] + random_in(-reach, reach);
            if (o->reach_m <= 0) at = random_in(0, o->side_m);
            to.transform[k] = (float)(at < 0 ? 0 : at > o->side_m ? o->side_m : at);
        }
        const box_place *steps[2] = {&to, &places[id]};
        for (int k = 0; k < 2; k++) {
            uint64_t before = c->tiles;
            c->made_us = 0;
            double ms = move(c, world, id, steps[k]);
            if (ms >= 0) (k ? undos : moves)[k ? undo_count++ : move_count++] = ms;
            tiles[k] += c->tiles - before;
            made[k] += c->made_us;
        }
    }
    if (o->csv) printf("what,boxes,side_m,edits,p50_ms,p99_ms,max_ms,tiles_per_edit,made_ms_per_tile\n");
    report(o, "move", moves, move_count, tiles[0], made[0]);
    report(o, "undo", undos, undo_count, tiles[1], made[1]);
    free(moves);
    free(undos);
}

static options parse(int argc, char **argv)
{
    options o = {.side_m = 1000, .boxes = 20000, .moves = 200, .reach_m = 0};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--csv")) {
            o.csv = true;
            continue;
        }
        if (i + 1 >= argc) die("every option but --csv takes a number: --side --boxes --moves --threads --reach");
        double v = atof(argv[i + 1]);
        if (!strcmp(argv[i], "--side") && v > 0)
            o.side_m = v;
        else if (!strcmp(argv[i], "--boxes") && v >= 1 && v < 1e9)
            o.boxes = (uint32_t)v;
        else if (!strcmp(argv[i], "--moves") && v >= 1 && v <= MAX_MOVES)
            o.moves = (uint32_t)v;
        else if (!strcmp(argv[i], "--threads") && v >= 0 && v <= 1024)
            o.threads = (uint32_t)v;
        else if (!strcmp(argv[i], "--reach") && v >= 0)
            o.reach_m = v;
        else
            die("unknown option or bad value; known: --side --boxes --moves --threads --reach --csv");
        i++;
    }
    return o;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    char folder[] = "/tmp/navd-bench-XXXXXX", lock[64];
    if (!mkdtemp(folder)) die("cannot make a folder in /tmp");
    service s = {.mutex = PTHREAD_MUTEX_INITIALIZER, .ready = PTHREAD_COND_INITIALIZER};
    nd_config_default(&s.config);
    s.config.threads = o.threads;
    s.config.cache_bytes = UINT64_C(2) << 30;
    snprintf(s.config.socket, sizeof s.config.socket, "%s/s", folder);
    nd_log_set_level(ND_LOG_ERROR);
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, &s)) die("no thread");
    pthread_mutex_lock(&s.mutex);
    while (!s.started) pthread_cond_wait(&s.ready, &s.mutex);
    pthread_mutex_unlock(&s.mutex);

    client c = {0};
    open_socket(&c, s.config.socket);
    box_place *places = calloc(o.boxes, sizeof *places);
    if (!places) die("no memory");
    uint64_t began = nd_now_ns();
    uint64_t world = make_world(&c, &o, places);
    settle(&c, world);
    if (!o.csv)
        printf("first build: %llu tiles in %.2f s\n", (unsigned long long)c.tiles, (double)(nd_now_ns() - began) / 1e9);
    measure(&c, &o, world, places);

    free(places);
    close(c.fd);
    np_message_deinit(&c.message);
    np_reader_deinit(&c.reader);
    nav_buffer_deinit(&c.out);
    nav_buffer_deinit(&c.unpacked);
    nd_server_stop(s.server);
    pthread_join(thread, NULL);
    snprintf(lock, sizeof lock, "%s/s.lock", folder);
    unlink(lock);
    rmdir(folder);
    return 0;
}
