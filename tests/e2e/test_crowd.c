// Two hundred clients on one world while it is edited: most watch, some stop reading, some vanish and come back. All
// that live end up with the truth, which is what a daemon of its own makes of the same objects.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/edits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLIENTS = 200,
    STALLED = CLIENTS / 10,
    VANISHING = CLIENTS / 10,
    EDITS_A_SECOND = 50,
    SIDE = 12,
};

typedef struct crowd {
    daemon_process navd;
    city city;
    peer editor, peers[CLIENTS];
    peer *all[CLIENTS + 1];
    uint64_t random;
    // the tiles that an edit is under way for: when it was sent, the revision that it got
    double sent_ms[SIDE * SIDE];
    uint64_t revision[SIDE * SIDE];
    uint32_t turn[SIDE * SIDE];
    double *latency_ms, *answer_ms;
    size_t latencies, answers, edits;
    uint64_t resumed; // returns that went on from a revision
} crowd;

static crowd c; // its size is not for a stack

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(double *v, size_t count, double p)
{
    if (!count) return 0;
    qsort(v, count, sizeof *v, by_size);
    return v[(size_t)((double)(count - 1) * p)];
}

// The editor's own tile has come: the edit is done.
static void on_editor_tile(peer *p, const np_tile *t, const peer_tile *before)
{
    int32_t i = t->z * p->side + t->x;
    (void)before;
    if (c.sent_ms[i] == 0 || !c.revision[i] || t->revision < c.revision[i]) return;
    c.latency_ms[c.latencies++] = clock_ms() - c.sent_ms[i];
    c.sent_ms[i] = 0;
}

static void on_editor_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    if (r->method != NP_WORLD_EDIT) return;
    np_world_edit_response answer;
    np_error err;
    ck_assert_msg(!error, "an edit was refused: %s", error ? error->message : "");
    ck_assert_int_eq(np_decode_world_edit_response(m, &answer, &err), NAV_OK);
    c.answer_ms[c.answers++] = clock_ms() - r->sent_ms;
    c.revision[r->tag] = answer.revision;
    const peer_tile *t = &p->tiles[r->tag];
    if (c.sent_ms[r->tag] > 0 && t->revision >= answer.revision) { // the tile came before the answer
        c.latency_ms[c.latencies++] = clock_ms() - c.sent_ms[r->tag];
        c.sent_ms[r->tag] = 0;
    }
}

static void on_return(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    (void)m;
    (void)error;
    if (r->method == NP_TILES_SUBSCRIBE) c.resumed += p->resumed;
}

static void edit_one(void)
{
    uint32_t i = random_below(&c.random, SIDE * SIDE);
    for (int tries = 0; c.sent_ms[i] > 0 && tries < SIDE * SIDE; tries++) i = (i + 1) % (SIDE * SIDE);
    if (c.sent_ms[i] > 0) return; // every tile has an edit under way
    c.turn[i] += 1 + random_below(&c.random, 97);
    np_op op = city_move(SIDE, (int32_t)i % SIDE, (int32_t)i / SIDE, c.turn[i] % CITY_TURNS);
    c.sent_ms[i] = clock_ms();
    c.revision[i] = 0;
    c.edits++;
    peer_ask(&c.editor, NP_WORLD_EDIT, &(np_world_edit_request){.world = c.editor.world, .op_count = 1, .ops = &op}, i);
}

static void run_until(double until_ms)
{
    peers_run(c.all, CLIENTS + 1, 0); // also where it is late
    for (double now; (now = clock_ms()) < until_ms;) peers_run(c.all, CLIENTS + 1, (int)(until_ms - now) + 1);
}

static bool is_stalled(int i)
{
    return i < STALLED;
}

static bool is_vanishing(int i)
{
    return i >= STALLED && i < STALLED + VANISHING;
}

static void connect_all(int first, int last)
{
    for (int i = first; i < last; i++) {
        peer_init(&c.peers[i], c.city.world, SIDE);
        c.peers[i].by_known = i % 4 == 0;
        ck_assert(peer_connect(&c.peers[i], c.navd.socket));
        c.all[i + 1] = &c.peers[i];
        if (i % 16 == 0) peers_run(c.all, (size_t)i + 2, 0);
    }
}

// What the same objects give in a daemon that has never seen anything else.
static void compare_with_truth(void)
{
    daemon_process fresh;
    peer truth;
    city same;
    // beside the first one: another socket's name
    daemon_launch(&fresh, &(daemon_options){.no_tcp = true, .socket = temp_path("truth.sock")});
    city_build(&same, c.city.world, SIDE, fresh.socket);
    peer_init(&truth, c.city.world, SIDE);
    ck_assert(peer_connect(&truth, fresh.socket));
    peer_settle(&truth);
    np_op ops[SIDE * SIDE];
    for (int32_t i = 0; i < SIDE * SIDE; i++) ops[i] = city_move(SIDE, i % SIDE, i / SIDE, c.turn[i] % CITY_TURNS);
    ck_assert_int_eq(peer_call(&truth, NP_WORLD_EDIT,
                               &(np_world_edit_request){.world = truth.world, .op_count = SIDE * SIDE, .ops = ops},
                               NULL, NULL),
                     NAV_OK);
    peer_settle(&truth);
    for (int i = STALLED; i < CLIENTS; i++)
        ck_assert_msg(peer_differences(&c.peers[i], &truth) == 0, "client %d has %u wrong tiles", i,
                      peer_differences(&c.peers[i], &truth));
    ck_assert_uint_eq(peer_differences(&c.editor, &truth), 0);
    peer_deinit(&truth);
    ck_assert_int_eq(daemon_stop(&fresh), 0);
}

START_TEST(two_hundred_clients_converge_while_some_stall_and_some_vanish)
{
    uint64_t seconds = wanted_count("NAVD_LOAD_S", FULL_OR_SANITIZED(10, 3));
    size_t wanted = (size_t)seconds * EDITS_A_SECOND;
    c.random = 1;
    c.latency_ms = calloc(wanted + 1, sizeof(double));
    c.answer_ms = calloc(wanted + 1, sizeof(double));
    // A small cache, so that its growth is not taken for the stalled clients' memory.
    const char *const arguments[] = {"--cache-bytes", "1M", NULL};
    daemon_launch(&c.navd, &(daemon_options){.arguments = arguments});
    city_build(&c.city, "crowd", SIDE, c.navd.socket);
    peer_init(&c.editor, "crowd", SIDE);
    ck_assert(peer_connect(&c.editor, c.navd.socket));
    peer_settle(&c.editor);
    c.editor.on_tile = on_editor_tile;
    c.editor.on_answer = on_editor_answer;
    c.all[0] = &c.editor;
    connect_all(0, CLIENTS);
    for (int i = 0; i < SIDE * SIDE; i++) c.turn[i] = (uint32_t)i;
    for (int i = 0; i < CLIENTS; i++) peer_settle(&c.peers[i]);
    for (int i = 0; i < STALLED; i++) c.peers[i].deaf = true;

    double began = clock_ms(), slice_ms = 1000.0 / EDITS_A_SECOND;
    uint64_t rss = daemon_rss(&c.navd), returns = 0;
    for (size_t n = 0; n < wanted; n++) {
        edit_one();
        int one = STALLED + (int)random_below(&c.random, VANISHING);
        if (n % 5 == 0 && c.peers[one].fd >= 0) {
            peer_close(&c.peers[one]);
        } else if (n % 5 == 2) {
            for (int i = STALLED; i < STALLED + VANISHING; i++) {
                if (c.peers[i].fd >= 0) continue;
                c.peers[i].on_answer = on_return;
                ck_assert(peer_connect(&c.peers[i], c.navd.socket));
                returns++;
                break;
            }
        }
        run_until(began + (double)(n + 1) * slice_ms);
    }
    double late_ms = clock_ms() - began - (double)wanted * slice_ms;
    peer_settle(&c.editor); // all edits are in
    for (int i = STALLED; i < CLIENTS; i++) {
        if (c.peers[i].fd < 0) ck_assert(peer_connect(&c.peers[i], c.navd.socket));
        peer_settle(&c.peers[i]);
    }
    uint64_t now = daemon_rss(&c.navd), grown = now > rss ? now - rss : 0;
    for (int i = 0; i < CLIENTS; i++) ck_assert(is_vanishing(i) || is_stalled(i) || c.peers[i].fd >= 0);
    compare_with_truth();
    ck_assert_uint_eq(c.latencies, c.edits);
    ck_assert_uint_gt(c.resumed, 0);
    printf("load: %d clients, %llu s, %zu edits, %llu returns (%llu by revision), behind schedule %.0f ms\n"
           "load: edit to tile p50 %.2f ms, p99 %.2f ms, most %.2f ms; answer p50 %.2f ms, p99 %.2f ms\n"
           "load: memory grew by %.0f KiB, for each of %d stalled clients %.0f KiB\n",
           CLIENTS, (unsigned long long)seconds, c.edits, (unsigned long long)returns, (unsigned long long)c.resumed,
           late_ms, percentile(c.latency_ms, c.latencies, 0.5), percentile(c.latency_ms, c.latencies, 0.99),
           percentile(c.latency_ms, c.latencies, 1), percentile(c.answer_ms, c.answers, 0.5),
           percentile(c.answer_ms, c.answers, 0.99), (double)grown / 1024, STALLED, (double)grown / 1024 / STALLED);
    if (!IS_SANITIZED) ck_assert_uint_lt(grown, (uint64_t)STALLED * 1000000);
    if (wanted_count("NAVD_BARS", 0)) ck_assert_double_le(percentile(c.latency_ms, c.latencies, 0.99), 50);
    for (int i = 0; i < CLIENTS; i++) peer_deinit(&c.peers[i]);
    peer_deinit(&c.editor);
    free(c.latency_ms);
    free(c.answer_ms);
    ck_assert_int_eq(daemon_stop(&c.navd), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("crowd");
    TCase *t = tcase_create("load");
    tcase_set_timeout(t, 0);
    suite_add_tcase(s, t);
    tcase_add_test(t, two_hundred_clients_converge_while_some_stall_and_some_vanish);
    return run_suite_in_folder(s);
}
