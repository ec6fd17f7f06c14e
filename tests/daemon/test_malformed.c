// What a client may send instead of the protocol: every prefix of every example, examples with bytes changed, headers
// that promise the world. The daemon answers or ends that session, serves the others meanwhile, and keeps nothing.
#include "tests/check.h"
#include "tests/daemon/fixture.h"
#include "tests/protocol/examples.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MUTATIONS = 100000, WARM_UP = 20000, LOOK_EVERY = 5000, ROOM = 8192, MAY_GROW_BYTES = 48 << 20 };

// The address sanitizer asks here: freed memory goes back soon, as the test looks at how much the process holds.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64";
}

static daemon_fixture daemon_;
static client witness;
static nav_key floor_mesh;

static void careful(nd_config *c)
{
    c->max_request_tiles = 16;
    c->max_edit_tiles = 400;
    c->max_objects = 100;
    c->max_worlds = 8;
    c->cache_bytes = 1 << 20;
    c->mesh_store_bytes = 1 << 20;
    c->tile_ms = 2000;
}

static void start(void)
{
    fixture_start(&daemon_, careful);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&witness, &daemon_);
    client_open(&witness);
    client_subscribe(&witness, NP_ENCODING_NAVD);
    floor_mesh = client_put_box(&witness, 3, 0.5f, 3);
}

static void stop(void)
{
    client_close(&witness);
    fixture_stop(&daemon_);
}

// The witness edits its world and gets its tiles, whatever the others do.
static void check_service(int turn)
{
    np_op put = op_put(1, floor_mesh, (float)(turn % 2) * 20, 0, 0);
    size_t before = witness.tile_count;
    ck_assert_int_eq(client_edit(&witness, &put, 1, NULL, NULL), NAV_OK);
    client_settle(&witness);
    ck_assert_uint_gt(witness.tile_count, before);
}

static size_t resident_bytes(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%lu %lu", &pages, &resident), 2);
    fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void wait_until_alone(void)
{
    while (client_stat(&witness, "sessions") > 1) {
    }
    while (client_stat(&witness, "jobs_running")) {
    }
    ck_assert_uint_eq(client_stat(&witness, "upload_bytes"), 0);
    ck_assert_uint_eq(client_stat(&witness, "bytes_queued"), 0);
}

START_TEST(every_prefix_of_every_example_leaves_nothing_behind)
{
    int turn = 0;
    for (uint32_t e = 0; e < example_count(); e++) {
        nav_buffer whole = {0};
        ck_assert_int_eq(example_encode(example_at(e), &whole), NAV_OK);
        for (size_t count = 0; count <= whole.size; count += 1 + count / 256) {
            client c;
            client_connect(&c, &daemon_);
            client_greet(&c);
            uint8_t *exact = malloc(count + 1);
            if (count) memcpy(exact, whole.data, count);
            client_send_bytes(&c, exact, count);
            free(exact);
            client_close(&c);
        }
        nav_buffer_deinit(&whole);
        check_service(turn++);
    }
    wait_until_alone();
}
END_TEST

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t below(uint32_t n)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 0x2545f4914f6cdd1du >> 32) * n >> 32);
}

static size_t mutate(uint8_t *bytes, size_t count)
{
    static const uint8_t telling[] = {0x00, 0x7f, 0x80, 0x90, 0x9f, 0xa0, 0xbf,
                                      0xc0, 0xc1, 0xc4, 0xc6, 0xcb, 0xcf, 0xdd};
    for (uint32_t i = 1 + below(4); i > 0; i--) {
        size_t at = below((uint32_t)count);
        if (below(4) == 0)
            bytes[at] = telling[below(sizeof telling)];
        else if (below(3))
            bytes[at] ^= (uint8_t)(1u << below(8));
        else
            bytes[at] = (uint8_t)below(256);
    }
    return below(20) ? count : 1 + below((uint32_t)count);
}

// Reads and forgets what has come. False: the daemon ended the session.
static bool drain(const client *c)
{
    char bytes[65536];
    for (;;) {
        ssize_t n = recv(c->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
        if (n <= 0) return false;
    }
}

// False: the session has ended.
static bool send_all(const client *c, const uint8_t *bytes, size_t count)
{
    while (count) {
        ssize_t n = send(c->fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (!drain(c) || (n < 0 && errno != EAGAIN)) return false;
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
        }
    }
    return true;
}

START_TEST(mutated_examples_end_their_session_at_most_and_take_no_memory)
{
    nav_buffer whole[256] = {0};
    uint8_t bytes[ROOM];
    size_t resident = 0, ended = 0;
    client c;
    bool open = false;
    ck_assert_uint_le(example_count(), 256);
    for (uint32_t e = 0; e < example_count(); e++) ck_assert_int_eq(example_encode(example_at(e), &whole[e]), NAV_OK);
    for (int i = 0; i < MUTATIONS; i++) {
        if (!open) {
            client_connect(&c, &daemon_);
            client_greet(&c);
            open = true;
        }
        const nav_buffer *w = &whole[below(example_count())];
        if (w->size > ROOM) continue;
        memcpy(bytes, w->data, w->size);
        size_t count = mutate(bytes, w->size);
        // A message cut short would swallow those behind it: the session ends here.
        open = send_all(&c, bytes, count) && count == w->size && below(50);
        if (!open) {
            client_close(&c);
            ended++;
        }
        if (i % LOOK_EVERY == 0) check_service(i / LOOK_EVERY);
        if (i == WARM_UP) resident = resident_bytes();
    }
    if (open) client_close(&c);
    wait_until_alone();
    size_t now = resident_bytes();
    ck_assert_msg(now < resident + MAY_GROW_BYTES, "memory grew from %zu to %zu bytes", resident, now);
    ck_assert_uint_gt(ended, 100);
    ck_assert_uint_gt(client_stat(&witness, "errors"), 1000); // answered, not only dropped
    ck_assert_uint_gt(client_stat(&witness, "protocol_errors"), 100);
    for (uint32_t e = 0; e < example_count(); e++) nav_buffer_deinit(&whole[e]);
}
END_TEST

START_TEST(headers_that_promise_billions_cost_nothing)
{
#define HEAD(text)                                                                                                     \
    {                                                                                                                  \
        text, sizeof text - 1                                                                                          \
    }
    static const struct {
        const char *bytes;
        size_t count;
    } heads[] = {
        HEAD("\xdd\xff\xff\xff\xff"), // an array
        HEAD("\xdf\xff\xff\xff\xff"), // a map
        HEAD("\xc6\xff\xff\xff\xff"), // bytes
        HEAD("\xdb\xff\xff\xff\xff"), // a string
        HEAD("\x94\x00\x01\xaaworld.edit\x81\xa3ops\xdd\xff\xff\xff\xff"),
        HEAD("\x94\x00\x01\xa9mesh.have\x81\xa6hashes\xdd\x0f\xff\xff\xff"),
        HEAD("\x94\x00\x01\xa8mesh.put\x81\xa4\x64\x61\x74\x61\xc6\x7f\xff\xff\xff"),
    };
#undef HEAD
    size_t before = resident_bytes();
    for (int turn = 0; turn < 200; turn++)
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
            client c;
            client_connect(&c, &daemon_);
            client_greet(&c);
            client_send_bytes(&c, heads[i].bytes, heads[i].count);
            ck_assert(client_is_closed(&c));
            client_close(&c);
        }
    check_service(0);
    wait_until_alone();
    size_t now = resident_bytes();
    ck_assert_msg(now < before + MAY_GROW_BYTES, "memory grew from %zu to %zu bytes", before, now);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("malformed");
    TCase *t = tcase_create("malformed");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    tcase_add_test(t, every_prefix_of_every_example_leaves_nothing_behind);
    tcase_add_test(t, mutated_examples_end_their_session_at_most_and_take_no_memory);
    tcase_add_test(t, headers_that_promise_billions_cost_nothing);
    return run_suite(s);
}
