// Opening a large world again: the daemon was restarted, its memory is empty, and the tiles are on the disk (the
// system's page cache is warm). Timed is the way from tiles.subscribe to the last of its tiles, in every encoding: once
// for a client that only takes messages apart, as it shows what the daemon can do, and once through the client library
// with every tile unpacked. Beside it a plain copy of as many bytes over such a socket, between two processes, in reads
// and writes of 64 KiB.
#include "clients/navctl/output/progress.h"
#include "protocol/messages.h"
#include "protocol/tile_note.h"
#include "tests/bench/bench.h"
#include "tests/bench/scenes.h"
#include "tests/bench/service.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COPY_BYTES = 65536, READ_BYTES = 1 << 18, ROUNDS = 5, COPIES = 9 };

// --- a client that takes messages apart ---

typedef struct taker {
    int fd;
    uint32_t next_id;
    np_reader reader;
    nav_buffer out;
    uint64_t tiles, bytes; // notes of tiles since the subscription, and all bytes that came
    bool synced;
} taker;

static bool taker_open(taker *t, const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    *t = (taker){.fd = socket(AF_UNIX, SOCK_STREAM, 0)};
    return t->fd >= 0 && np_reader_init(&t->reader, NULL) == NAV_OK &&
           connect(t->fd, (struct sockaddr *)&a, sizeof a) == 0;
}

static void taker_close(taker *t)
{
    if (t->fd >= 0) close(t->fd);
    np_reader_deinit(&t->reader);
    nav_buffer_deinit(&t->out);
}

static bool send_out(taker *t)
{
    size_t at = 0;
    while (at < t->out.size) {
        ssize_t n = write(t->fd, t->out.data + at, t->out.size - at);
        if (n <= 0) return false;
        at += (size_t)n;
    }
    t->out.size = 0;
    return true;
}

static void take_tile(taker *t, const np_tile_note *note, bool *broken)
{
    if (note->tile.status > NP_TILE_EMPTY) *broken = true;
    t->tiles++;
}

// Takes one message; true where it is the answer to `id`, which is left in m.
static bool take_message(taker *t, const uint8_t *bytes, size_t count, uint32_t id, np_message *m, bool *broken)
{
    np_error err;
    np_tile_note note;
    if (np_tile_note_read(bytes, count, &note)) {
        take_tile(t, &note, broken);
        return false;
    }
    if (np_message_read(bytes, count, m, &err) != NAV_OK) {
        *broken = true;
    } else if (m->kind == NP_RESPONSE) {
        if (m->id == id) return true;
    } else if (np_method_of(m) == NP_SYNCED) {
        t->synced = true;
    }
    np_message_deinit(m);
    return false;
}

// Reads until the answer to `id` is there (id > 0), or everything was sent that there is (id 0).
static bool take_until(taker *t, uint32_t id, np_message *m)
{
    for (bool broken = false; !broken;) {
        const uint8_t *bytes;
        size_t count;
        np_tile_note note;
        if (np_tile_note_next(&t->reader, &note)) {
            take_tile(t, &note, &broken);
            continue;
        }
        nav_status s = np_reader_next(&t->reader, &bytes, &count);
        if (s == NAV_OK) {
            if (take_message(t, bytes, count, id, m, &broken)) return true;
            if (!id && t->synced) return true;
            continue;
        }
        if (s != NAV_ERR_AGAIN) return false;
        uint8_t *room;
        if (np_reader_room(&t->reader, READ_BYTES, &room) != NAV_OK) return false;
        ssize_t n = read(t->fd, room, READ_BYTES);
        if (n <= 0) return false;
        t->bytes += (uint64_t)n;
        np_reader_received(&t->reader, (size_t)n);
    }
    return false;
}

static bool call(taker *t, np_method method, const void *request, void *response)
{
    np_message m;
    np_error err;
    uint32_t id = ++t->next_id;
    if (np_request_encode(&t->out, method, id, request) != NAV_OK || !send_out(t) || !take_until(t, id, &m))
        return false;
    bool ok = np_response_decode(&m, method, response, &err) == NAV_OK;
    if (!ok) fprintf(stderr, "bench: %s: %s\n", np_method_name(method), err.message);
    np_message_deinit(&m);
    return ok;
}

// Milliseconds from the subscription to the last tile, or below 0.
static double take_tiles(const service *s, np_encoding encoding, taker *t)
{
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION, .client = np_str_of("bench")};
    np_hello_response greeted;
    np_world_open_request open = {.name = np_str_of("city")};
    np_world_open_response world;
    np_tiles_subscribe_response subscribed;
    np_message unused;
    if (!taker_open(t, s->socket) || !call(t, NP_HELLO, &hello, &greeted) || !call(t, NP_WORLD_OPEN, &open, &world))
        return -1;
    np_tiles_subscribe_request r = {.world = world.world, .profile = np_str_of("agent"), .encoding = encoding};
    t->bytes = 0;
    double began_s = now_s();
    if (!call(t, NP_TILES_SUBSCRIBE, &r, &subscribed) || !take_until(t, 0, &unused)) return -1;
    return (now_s() - began_s) * 1e3;
}

// --- the client library ---

typedef struct counts {
    uint64_t tiles, unpacked_bytes;
    bool synced;
} counts;

static void count_tile(void *user, const navd_tile *t)
{
    counts *c = user;
    c->tiles++;
    c->unpacked_bytes += t->size;
}

static void wait_done(void *user, navd_status status, const char *text, uint64_t now)
{
    counts *c = user;
    (void)text, (void)now;
    c->synced = status == NAVD_OK;
}

static double library_tiles(const service *s, navd_encoding encoding, counts *c)
{
    navd_client *client;
    navd_world world = {0};
    const navd_subscription_options all = {.profile = "agent", .encoding = encoding};
    double ms = -1;
    if (!service_connect(s, &client)) return -1;
    navd_on_tile(client, count_tile, c);
    if (navd_world_open(client, "city", false, NULL, NULL, 0, &world) != NAVD_OK) goto done;
    double began_s = now_s();
    if (navd_subscribe(client, world.id, &all, NULL) != NAVD_OK ||
        navd_wait_start(client, world.id, NULL, wait_done, c) != NAVD_OK)
        goto done;
    while (!c->synced) {
        struct pollfd p = {.fd = navd_fd(client), .events = (short)(POLLIN | (navd_want_write(client) ? POLLOUT : 0))};
        poll(&p, 1, -1);
        if (navd_process(client) != NAVD_OK) goto done;
    }
    ms = (now_s() - began_s) * 1e3;
done:
    if (ms < 0) fprintf(stderr, "bench: reopen: %s\n", navd_error_text(client));
    navd_world_free(&world);
    navd_close(client);
    return ms;
}

// --- the plain copy ---

static void copy_out(int fd, uint64_t bytes)
{
    static char block[COPY_BYTES];
    char go;
    memset(block, 7, sizeof block);
    if (read(fd, &go, 1) != 1) return;
    while (bytes) {
        size_t n = bytes < sizeof block ? (size_t)bytes : sizeof block;
        ssize_t w = write(fd, block, n);
        if (w <= 0) return;
        bytes -= (uint64_t)w;
    }
}

static double copy_once(uint64_t bytes)
{
    static char block[COPY_BYTES];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        copy_out(pair[1], bytes);
        _exit(0);
    }
    close(pair[1]);
    double began_s = now_s();
    uint64_t got = 0;
    if (pid > 0 && write(pair[0], "g", 1) == 1) {
        for (ssize_t n; got < bytes && (n = read(pair[0], block, sizeof block)) > 0;) got += (uint64_t)n;
    }
    double ms = (now_s() - began_s) * 1e3;
    close(pair[0]);
    if (pid > 0) waitpid(pid, NULL, 0);
    return got == bytes ? ms : -1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, size_t count)
{
    qsort(ms, count, sizeof *ms, compare);
    return ms[count / 2];
}

static double copy_ms(uint64_t bytes)
{
    double ms[COPIES];
    for (int i = 0; i < COPIES; i++) ms[i] = copy_once(bytes);
    return median(ms, COPIES);
}

// --- the world ---

static void ignore_tile(void *user, const navd_tile *t)
{
    (void)user, (void)t;
}

// Makes the world in every encoding, once, and ends the daemon.
static bool fill(service *s, const char *navd, const scene *from)
{
    navd_client *c;
    navd_world world = {0};
    navd_profile profile = {.name = "agent"};
    navd_settings_default(&profile.settings);
    if (!service_start(s, navd, true) || !service_connect(s, &c)) return false;
    navd_set_timeout(c, -1);
    navd_on_tile(c, ignore_tile, NULL);
    navd_status status = navd_world_open(c, "city", true, NULL, &profile, 1, &world);
    for (int e = NAVD_ENCODING_NAVD; e <= NAVD_ENCODING_DETOUR && status == NAVD_OK; e++) {
        const navd_subscription_options all = {.profile = "agent", .encoding = (navd_encoding)e};
        status = navd_subscribe(c, world.id, &all, NULL);
    }
    if (status == NAVD_OK) status = bench_scene_send(from, c, world.id);
    if (status == NAVD_OK) status = navd_wait(c, world.id, NULL, NULL);
    if (status != NAVD_OK) fprintf(stderr, "bench: reopen: %s\n", navd_error_text(c));
    navd_world_free(&world);
    navd_close(c);
    service_stop(s);
    return status == NAVD_OK;
}

// --- the measurement ---

typedef struct round {
    double taken_ms, library_ms, ready_ms;
    uint64_t tiles, bytes, unpacked_bytes;
} round;

// Twice a daemon with an empty memory: one for each client.
static bool one_round(service *s, const char *navd, np_encoding wire, navd_encoding encoding, round *out)
{
    taker t = {.fd = -1};
    counts c = {0};
    navd_client *waits;
    double began_s = now_s();
    bool ok = service_start(s, navd, true) && service_connect(s, &waits);
    if (!ok) return false;
    navd_close(waits);
    out->ready_ms = (now_s() - began_s) * 1e3;
    out->taken_ms = take_tiles(s, wire, &t);
    out->tiles = t.tiles;
    out->bytes = t.bytes;
    taker_close(&t);
    service_stop(s);
    ok = service_start(s, navd, true);
    if (ok) out->library_ms = library_tiles(s, encoding, &c);
    out->unpacked_bytes = c.unpacked_bytes;
    service_stop(s);
    return ok && out->taken_ms > 0 && out->library_ms > 0 && c.tiles > 0;
}

static bool measure(service *s, const bench_options *o, np_encoding wire, table *t, table *bars)
{
    static const char *const names[] = {"navd", "detour", "packed"};
    navd_encoding encoding = wire == NP_ENCODING_NAVD ? NAVD_ENCODING_NAVD : NAVD_ENCODING_DETOUR;
    double taken[ROUNDS], library[ROUNDS], ready[ROUNDS];
    round r = {0};
    int rounds = o->quick ? 1 : ROUNDS;
    for (int i = 0; i < rounds; i++) {
        if (!one_round(s, o->navd, wire, encoding, &r)) return false;
        taken[i] = r.taken_ms;
        library[i] = r.library_ms;
        ready[i] = r.ready_ms;
    }
    double copied = copy_ms(r.bytes), ms = median(taken, (size_t)rounds), lib = median(library, (size_t)rounds);
    double per_s = (double)r.tiles / ms * 1e3;
    table_add(t, "%s", names[wire]);
    table_add(t, "%llu", (unsigned long long)r.tiles);
    table_add(t, "%.1f", (double)r.bytes / (1 << 20));
    table_add(t, "%.1f", median(ready, (size_t)rounds));
    table_add(t, "%.1f", ms);
    table_add(t, "%.0f", per_s);
    table_add(t, "%.1f", copied);
    table_add(t, "%.2f", copied / ms);
    table_add(t, "%.1f", lib);
    table_add(t, "%.0f", (double)r.tiles / lib * 1e3);
    table_add_bar(bars, "reopened tiles a second", names[wire], per_s, true, 50000);
    table_add_bar(bars, "reopened / a plain copy", names[wire], copied / ms, true, 0.3);
    return true;
}

bool bench_reopen(const bench_options *o, table *bars)
{
    service s = {0};
    scene city = {0};
    table t;
    uint32_t boxes = o->quick ? 1250 : 20000;
    double side_m = o->quick ? 250 : 1000;
    table_init(&t, "reopen", "A world opened again after a restart: from the disk to a client, milliseconds",
               "encoding,tiles,mib,start_ms,all_tiles_ms,tiles_per_s,plain_copy_ms,of_plain_copy,library_ms,"
               "library_tiles_per_s");
    fprintf(stderr, "bench: %u boxes on %g km2, restarted\n", boxes, side_m * side_m * 1e-6);
    bench_scene_city(&city, boxes, side_m);
    bool ok = fill(&s, o->navd, &city);
    ok = ok && measure(&s, o, NP_ENCODING_NAVD, &t, bars) && measure(&s, o, NP_ENCODING_PACKED, &t, bars);
    if (!ok) fprintf(stderr, "bench: reopen: it could not be measured\n");
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    service_stop(&s);
    service_remove(&s);
    scene_deinit(&city);
    return ok;
}
