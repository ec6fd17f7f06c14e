#include "tests/e2e/peer.h"
#include "tests/check.h"
#include "tests/e2e/daemon.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void peer_init(peer *p, const char *world_name, int32_t side)
{
    memset(p, 0, sizeof *p);
    p->fd = -1;
    p->next_id = 1;
    p->world_name = world_name;
    p->side = side;
    p->tiles = calloc((size_t)side * (size_t)side + 1, sizeof *p->tiles);
    ck_assert_ptr_nonnull(p->tiles);
    peer_forget(p);
}

void peer_forget(peer *p)
{
    for (int32_t i = 0; i < p->side * p->side; i++) p->tiles[i] = (peer_tile){.status = NP_TILE_PENDING};
    p->synced = 0;
}

void peer_close(peer *p)
{
    if (p->fd >= 0) close(p->fd);
    p->fd = -1;
    p->state = PEER_CLOSED;
    np_reader_deinit(&p->reader);
    p->reader = (np_reader){0};
    p->out.size = p->sent = 0;
    p->open_count = 0;
}

void peer_deinit(peer *p)
{
    peer_close(p);
    nav_buffer_deinit(&p->out);
    free(p->tiles);
    p->tiles = NULL;
}

void peer_ask(peer *p, np_method method, const void *request, uint64_t tag)
{
    if (p->fd < 0) return;
    ck_assert_uint_lt(p->open_count, PEER_REQUESTS);
    uint32_t id = p->next_id++;
    p->open[p->open_count++] = (peer_request){method, id, tag, clock_ms()};
    ck_assert_int_eq(np_request_encode(&p->out, method, id, request), NAV_OK);
}

bool peer_dial(peer *p, const char *socket_path)
{
    peer_close(p);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    ck_assert_uint_lt(strlen(socket_path), sizeof a.sun_path);
    strcpy(a.sun_path, socket_path);
    p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(p->fd, 0);
    if (connect(p->fd, (struct sockaddr *)&a, sizeof a)) { // waits where the queue of the socket is full
        peer_close(p);
        return false;
    }
    ck_assert_int_eq(np_reader_init(&p->reader, NULL), NAV_OK);
    p->state = PEER_LIVE;
    return true;
}

bool peer_connect(peer *p, const char *socket_path)
{
    if (!peer_dial(p, socket_path)) return false;
    p->state = PEER_GREETING;
    peer_ask(p, NP_HELLO,
             &(np_hello_request){.version = NP_PROTOCOL_VERSION, .client = np_str_of(p->who ? p->who : "peer")}, 0);
    peer_ask(p, NP_WORLD_OPEN, &(np_world_open_request){.name = np_str_of(p->world_name)}, 0);
    peer_flush(p);
    return true;
}

static void subscribe(peer *p, np_str profile)
{
    np_tiles_subscribe_request wanted = {.world = p->world, .profile = profile};
    np_known_tile *known = calloc((size_t)p->side * (size_t)p->side + 1, sizeof *known);
    ck_assert_ptr_nonnull(known);
    if (p->by_known) {
        for (int32_t i = 0; i < p->side * p->side; i++)
            if (p->tiles[i].status == NP_TILE_OK || p->tiles[i].status == NP_TILE_EMPTY)
                known[wanted.known_count++] = (np_known_tile){i % p->side, i / p->side, p->tiles[i].key, NAV_SHEET_UP};
        if (wanted.known_count) wanted.known = known;
    } else if (p->synced) {
        wanted.has_since = true;
        wanted.since = p->synced;
    }
    peer_ask(p, NP_TILES_SUBSCRIBE, &wanted, 0);
    free(known);
}

static void take_answer(peer *p, const np_message *m)
{
    np_error error = {.code = NAV_OK};
    if (m->error) ck_assert_int_ne(np_error_decode(m, &error), NAV_OK);
    uint32_t i = 0;
    while (i < p->open_count && p->open[i].id != m->id) i++;
    ck_assert_msg(i < p->open_count, "an answer to nothing that was asked: %u: %s", m->id, error.message);
    peer_request r = p->open[i];
    p->open[i] = p->open[--p->open_count];
    if (p->state == PEER_GREETING) {
        ck_assert_msg(!m->error, "%s: %s", np_method_name(r.method), error.message);
        if (r.method == NP_WORLD_OPEN) {
            np_world_open_response opened;
            ck_assert_int_eq(np_decode_world_open_response(m, &opened, &error), NAV_OK);
            p->world = opened.world;
            p->opened_revision = opened.revision;
            if (p->no_tiles)
                p->state = PEER_LIVE;
            else
                subscribe(p, opened.profiles[0].name);
        } else if (r.method == NP_TILES_SUBSCRIBE) {
            np_tiles_subscribe_response subscribed;
            ck_assert_int_eq(np_decode_tiles_subscribe_response(m, &subscribed, &error), NAV_OK);
            p->subscription = subscribed.subscription;
            p->resumed = subscribed.resumed;
            ck_assert(!p->resumed || p->synced);
            if (!p->resumed && !p->by_known) peer_forget(p);
            p->state = PEER_LIVE;
        }
    }
    if (p->on_answer) p->on_answer(p, &r, m, m->error ? &error : NULL);
}

static void take_note(peer *p, const np_message *m)
{
    np_error error;
    if (np_method_of(m) == NP_SYNCED) {
        np_synced_note synced;
        ck_assert_msg(np_decode_synced_note(m, &synced, &error) == NAV_OK, "%s", error.message);
        ck_assert_uint_ge(synced.revision, p->synced);
        p->synced = synced.revision;
    }
    if (np_method_of(m) != NP_TILE) return;
    np_tile_note note;
    ck_assert_msg(np_decode_tile_note(m, &note, &error) == NAV_OK, "%s", error.message);
    const np_tile *t = &note.tile;
    p->notes++;
    if (t->x < 0 || t->z < 0 || t->x >= p->side || t->z >= p->side) return;
    peer_tile *at = &p->tiles[t->z * p->side + t->x], before = *at;
    ck_assert_msg(t->revision >= at->revision, "tile %d,%d went back from revision %llu to %llu", t->x, t->z,
                  (unsigned long long)at->revision, (unsigned long long)t->revision);
    *at = (peer_tile){t->revision, t->key, t->status};
    if (p->on_tile) p->on_tile(p, t, &before);
}

static void take_messages(peer *p)
{
    while (p->fd >= 0) {
        const uint8_t *bytes;
        size_t count;
        nav_status s = np_reader_next(&p->reader, &bytes, &count);
        if (s == NAV_ERR_AGAIN) return;
        ck_assert_msg(s == NAV_OK, "not the protocol: %s", p->reader.why);
        np_message m = {0};
        np_error error;
        ck_assert_int_eq(np_message_read(bytes, count, &m, &error), NAV_OK);
        if (m.kind == NP_RESPONSE) take_answer(p, &m);
        if (m.kind == NP_NOTIFICATION) take_note(p, &m);
        np_message_deinit(&m);
    }
}

void peer_flush(peer *p)
{
    while (p->fd >= 0 && p->sent < p->out.size) {
        ssize_t n = send(p->fd, p->out.data + p->sent, p->out.size - p->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0) return; // full, or closed: reading tells
        p->sent += (size_t)n;
    }
    p->out.size = p->sent = 0;
}

static void receive(peer *p)
{
    char bytes[1 << 16];
    for (int i = 0; i < 16 && p->fd >= 0; i++) {
        ssize_t n = recv(p->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (n <= 0) {
            take_messages(p);
            peer_close(p);
            return;
        }
        p->bytes += (uint64_t)n;
        ck_assert_int_eq(np_reader_feed(&p->reader, bytes, (size_t)n), NAV_OK);
        if ((size_t)n < sizeof bytes) break;
    }
    take_messages(p);
}

void peers_run(peer *const *peers, size_t count, int timeout_ms)
{
    struct pollfd polled[512];
    ck_assert_uint_le(count, 512);
    for (size_t i = 0; i < count; i++) {
        peer *p = peers[i];
        peer_flush(p);
        short events = (short)((p->deaf ? 0 : POLLIN) | (p->sent < p->out.size ? POLLOUT : 0));
        polled[i] = (struct pollfd){.fd = events ? p->fd : -1, .events = events};
    }
    int ready = poll(polled, count, timeout_ms);
    for (size_t i = 0; i < count && ready > 0; i++) {
        if (!polled[i].revents) continue;
        ready--;
        if (peers[i]->fd < 0) continue; // closed by a hook of another
        peer_flush(peers[i]);
        if (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) receive(peers[i]);
    }
}

typedef struct waited {
    void (*before)(peer *p, const peer_request *r, const np_message *m, const np_error *error);
    void *user;
    uint32_t id;
    np_method method;
    void *response;
    np_error *err;
    const char *counter; // of stats, whose value is wanted
    uint64_t value;
    nav_status status;
    bool done;
} waited;

static void take_waited(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    waited *w = p->user;
    if (r->id != w->id) {
        p->user = w->user;
        if (w->before) w->before(p, r, m, error);
        p->user = w;
        return;
    }
    np_error unused;
    if (error) {
        w->status = error->code;
        if (w->err) *w->err = *error;
    } else if (w->response) {
        w->status = np_response_decode(m, w->method, w->response, w->err ? w->err : &unused);
    }
    if (w->counter && !error) {
        np_stats_response stats;
        ck_assert_int_eq(np_decode_stats_response(m, &stats, &unused), NAV_OK);
        uint32_t i = 0;
        while (i < stats.counter_count && !np_str_equal(stats.counters[i].name, w->counter)) i++;
        ck_assert_msg(i < stats.counter_count, "stats has no %s", w->counter);
        w->value = stats.counters[i].value;
    }
    w->done = true;
}

static void ask_and_wait(peer *p, const void *request, waited *w)
{
    w->before = p->on_answer;
    w->user = p->user;
    w->id = p->next_id;
    peer_ask(p, w->method, request, 0);
    p->on_answer = take_waited;
    p->user = w;
    double until = clock_ms() + PATIENCE_MS;
    while (!w->done && p->fd >= 0 && clock_ms() < until) peers_run(&p, 1, PATIENCE_MS);
    p->on_answer = w->before;
    p->user = w->user;
    ck_assert_msg(w->done, "%s: %s", np_method_name(w->method), p->fd < 0 ? "the daemon closed" : "no answer");
}

nav_status peer_call(peer *p, np_method method, const void *request, void *response, np_error *err)
{
    waited w = {.method = method, .response = response, .err = err};
    ask_and_wait(p, request, &w);
    return w.status;
}

uint64_t peer_stat(peer *p, const char *name)
{
    waited w = {.method = NP_STATS, .counter = name};
    ask_and_wait(p, &(np_stats_request){0}, &w);
    ck_assert_int_eq(w.status, NAV_OK);
    return w.value;
}

bool peer_greeted(peer *p)
{
    double until = clock_ms() + PATIENCE_MS;
    while (p->state == PEER_GREETING && clock_ms() < until) peers_run(&p, 1, PATIENCE_MS);
    ck_assert_msg(p->state != PEER_GREETING, "the daemon does not answer");
    return p->state == PEER_LIVE;
}

void peer_settle(peer *p)
{
    ck_assert_msg(peer_greeted(p), "the daemon closed");
    np_error err = {0};
    nav_status s = peer_call(p, NP_JOBS_WAIT, &(np_jobs_wait_request){.world = p->world}, NULL, &err);
    ck_assert_msg(s == NAV_OK, "jobs.wait: %s", err.message);
}

uint32_t peer_differences(const peer *a, const peer *b)
{
    uint32_t count = 0;
    for (int32_t i = 0; i < a->side * a->side; i++)
        count += a->tiles[i].status != b->tiles[i].status || !nav_key_equal(a->tiles[i].key, b->tiles[i].key);
    return count;
}
