// kill -9 at random moments under edits. What was acknowledged must be there after the restart, and of the edits that
// nobody acknowledged an unbroken row may be; every tile must be the one that a daemon makes that was given the same
// objects and never died.
//
//     editor:  e1 e2 e3 e4 | e5 e6 e7        | acknowledged, sent
//     after the restart the world is that of e4, e5, e6 or e7: whole edits, in order
//
// NAVD_KILLS says how often.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/edits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, WORLDS = 2, IN_FLIGHT = 12 };

typedef struct edited_world {
    char name[16];
    city city;
    peer editor, checker, truth;
    objects acknowledged, sent;
    edit pending[IN_FLIGHT]; // sent, not acknowledged, oldest first
    uint32_t pending_count;
    uint64_t revision; // of the last that was acknowledged
    uint64_t edits, acknowledged_edits;
} edited_world;

static edited_world worlds[WORLDS];
static uint64_t chance;

static void on_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    edited_world *w = p->user;
    if (r->method != NP_WORLD_EDIT && r->method != NP_MESH_PUT) return;
    ck_assert_msg(!error, "%s was refused: %s", np_method_name(r->method), error ? error->message : "");
    if (r->method != NP_WORLD_EDIT) return;
    np_world_edit_response answer;
    np_error err;
    ck_assert_int_eq(np_decode_world_edit_response(m, &answer, &err), NAV_OK);
    ck_assert_uint_gt(answer.revision, w->revision);
    w->revision = answer.revision;
    ck_assert_uint_gt(w->pending_count, 0); // answers come in order
    objects_apply(&w->acknowledged, &w->pending[0]);
    edit_send(&w->truth, &w->pending[0]);
    memmove(w->pending, w->pending + 1, --w->pending_count * sizeof *w->pending);
    w->acknowledged_edits++;
}

static void send_edit(edited_world *w)
{
    edit *e = &w->pending[w->pending_count++];
    *e = edit_draw(&w->city, &w->sent, &chance);
    edit_send(&w->editor, e);
    w->edits++;
}

// Edits in all worlds until `until_ms`, as fast as they are acknowledged, some under way.
static void edit_until(double until_ms)
{
    peer *peers[2 * WORLDS];
    for (int i = 0; i < WORLDS; i++) {
        peers[2 * i] = &worlds[i].editor;
        peers[2 * i + 1] = &worlds[i].truth;
    }
    for (double now; (now = clock_ms()) < until_ms;) {
        for (int i = 0; i < WORLDS; i++)
            while (worlds[i].editor.state == PEER_LIVE && worlds[i].pending_count < IN_FLIGHT) send_edit(&worlds[i]);
        peers_run(peers, 2 * WORLDS, (int)(until_ms - now) + 1);
    }
}

// What had left the daemon before it died.
static void read_to_the_end(edited_world *w)
{
    peer *p = &w->editor;
    while (p->fd >= 0) peers_run(&p, 1, -1);
}

// For whoever looks for the cause: how a few tiles are, and how they should be.
static void describe(const edited_world *w, uint32_t edits, char *out, size_t bytes)
{
    static const char *const states[] = {"ok", "empty", "failed", "removed", "pending"};
    size_t at = 0;
    for (int32_t i = 0; i < SIDE * SIDE && at < bytes; i++) {
        const peer_tile *is = &w->checker.tiles[i], *should = &w->truth.tiles[i];
        if (is->status == should->status && nav_key_equal(is->key, should->key)) continue;
        at += (size_t)snprintf(out + at, bytes - at, "%u edits more: tile %d,%d is %s of revision %llu, should be %s\n",
                               edits, i % SIDE, i / SIDE, states[is->status], (unsigned long long)is->revision,
                               states[should->status]);
    }
}

// Finds how many of the unacknowledged edits are there, and takes them over. False: no such number; the nearest.
static bool world_is_whole(edited_world *w, char *nearest, size_t bytes)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t k = 0;; k++) {
        peer_settle(&w->truth);
        uint32_t differ = peer_differences(&w->checker, &w->truth);
        if (differ == 0) {
            w->pending_count = 0;
            w->sent = w->acknowledged;
            return true;
        }
        if (differ < least) describe(w, k, nearest, bytes);
        least = differ < least ? differ : least;
        if (k == w->pending_count) return false;
        const edit *e = &w->pending[k];
        objects_apply(&w->acknowledged, e);
        edit_send(&w->truth, e);
    }
}

static void check_world(edited_world *w, const daemon_process *navd, uint64_t round)
{
    peer *p = &w->checker;
    peer_init(p, w->name, SIDE);
    ck_assert(peer_connect(p, navd->socket));
    peer_settle(p);
    ck_assert_msg(p->opened_revision >= w->revision, "kill %llu: %s is at revision %llu, and %llu was acknowledged",
                  (unsigned long long)round, w->name, (unsigned long long)p->opened_revision,
                  (unsigned long long)w->revision);
    uint32_t pending = w->pending_count;
    char nearest[2000] = "";
    ck_assert_msg(world_is_whole(w, nearest, sizeof nearest),
                  "kill %llu: %s has lost an acknowledged edit, or a tile is wrong: revision %llu, %u edits were under "
                  "way; nearest:\n%s",
                  (unsigned long long)round, w->name, (unsigned long long)p->opened_revision, pending, nearest);
    peer_deinit(p);
}

static void on_truth_answer(peer *p, const peer_request *r, const np_message *m, const np_error *error)
{
    (void)p;
    (void)m;
    ck_assert_msg(!error, "the truth refused %s: %s", np_method_name(r->method), error ? error->message : "");
}

static void begin(edited_world *w, int number, const daemon_process *navd, const daemon_process *truth)
{
    snprintf(w->name, sizeof w->name, "kill%d", number);
    city_build(&w->city, w->name, SIDE, navd->socket);
    city_build(&w->city, w->name, SIDE, truth->socket);
    peer_init(&w->truth, w->name, SIDE);
    w->truth.on_answer = on_truth_answer;
    ck_assert(peer_connect(&w->truth, truth->socket));
    peer_settle(&w->truth);
    peer_init(&w->editor, w->name, 0);
    w->editor.no_tiles = true;
    w->editor.on_answer = on_answer;
    w->editor.user = w;
    objects_of_city(&w->acknowledged, &w->city);
    w->sent = w->acknowledged;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *values, uint64_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

START_TEST(what_was_acknowledged_survives_kill_9)
{
    uint64_t kills = wanted_count("NAVD_KILLS", FULL_OR_SANITIZED(60, 8)), early = 0;
    char folder[PATH_BYTES];
    const char *state = path_into(folder, "state");
    const daemon_options durable = {.state = state, .no_tcp = true};
    daemon_process navd, truth;
    double slowest_ms = 0, *took_ms = calloc(kills, sizeof *took_ms);
    ck_assert_ptr_nonnull(took_ms);
    chance = wanted_count("NAVD_SEED", 7);
    daemon_launch(&navd, &durable);
    daemon_launch(&truth, &(daemon_options){.no_tcp = true, .socket = temp_path("truth.sock")});
    for (int i = 0; i < WORLDS; i++) begin(&worlds[i], i, &navd, &truth);
    for (uint64_t round = 1; round <= kills; round++) {
        for (int i = 0; i < WORLDS; i++) ck_assert(peer_connect(&worlds[i].editor, navd.socket));
        edit_until(clock_ms() + 1 + random_below(&chance, 60000) * 0.001);
        daemon_kill(&navd);
        for (int i = 0; i < WORLDS; i++) read_to_the_end(&worlds[i]);
        if (random_below(&chance, 8) == 0) { // and once more before it has come up
            daemon_launch_and_kill(&durable, random_below(&chance, 20000) * 0.001);
            early++;
        }
        double began = clock_ms();
        daemon_launch(&navd, &durable);
        for (int i = 0; i < WORLDS; i++) check_world(&worlds[i], &navd, round);
        took_ms[round - 1] = clock_ms() - began;
        slowest_ms = fmax(slowest_ms, took_ms[round - 1]);
    }
    uint64_t edits = 0, acknowledged = 0;
    for (int i = 0; i < WORLDS; i++) {
        edits += worlds[i].edits;
        acknowledged += worlds[i].acknowledged_edits;
        peer_deinit(&worlds[i].editor);
        peer_deinit(&worlds[i].truth);
    }
    printf("kill: %llu kills (%llu of them while it started), %llu edits sent, %llu acknowledged, 0 lost, 0 wrong "
           "tiles; start and check %.0f ms at the beginning, %.0f ms at the end, at most %.0f ms\n",
           (unsigned long long)(kills + early), (unsigned long long)early, (unsigned long long)edits,
           (unsigned long long)acknowledged, median(took_ms, kills / 10 + 1),
           median(took_ms + kills - kills / 10 - 1, kills / 10 + 1), slowest_ms);
    free(took_ms);
    ck_assert_int_eq(daemon_stop(&navd), 0);
    ck_assert_int_eq(daemon_stop(&truth), 0);
}
END_TEST

typedef struct arrival {
    double first_ms, began_ms;
    uint32_t tiles;
} arrival;

static void note_arrival(peer *p, const np_tile *t, const peer_tile *before)
{
    arrival *a = p->user;
    (void)t;
    if (before->status != NP_TILE_PENDING) return;
    if (!a->tiles++) a->first_ms = clock_ms() - a->began_ms;
}

START_TEST(a_world_of_5000_tiles_is_served_again_at_once)
{
    enum { LARGE = FULL_OR_SANITIZED(71, 12) }; // 5,041 tiles
    char folder[PATH_BYTES];
    const daemon_options durable = {.state = path_into(folder, "large-state"), .no_tcp = true};
    daemon_process navd;
    city c;
    peer before, after;
    daemon_launch(&navd, &durable);
    city_build(&c, "large", LARGE, navd.socket);
    peer_init(&before, "large", LARGE);
    ck_assert(peer_connect(&before, navd.socket));
    peer_settle(&before);
    peer_close(&before);
    ck_assert_int_eq(daemon_stop(&navd), 0); // all is on disk
    double all_ms[5], first_ms[5];
    daemon_launch(&navd, &durable);
    for (int i = 0; i < 5; i++) {
        daemon_kill(&navd);
        arrival a = {.began_ms = clock_ms()};
        daemon_launch(&navd, &durable);
        peer_init(&after, "large", LARGE);
        after.on_tile = note_arrival;
        after.user = &a;
        ck_assert(peer_connect(&after, navd.socket));
        peer *p = &after;
        while (a.tiles < LARGE * LARGE && after.fd >= 0) peers_run(&p, 1, PATIENCE_MS);
        all_ms[i] = clock_ms() - a.began_ms;
        first_ms[i] = a.first_ms;
        ck_assert_uint_eq(a.tiles, LARGE * LARGE);
        peer_settle(&after);
        ck_assert_uint_eq(peer_differences(&before, &after), 0);
        ck_assert_uint_eq(daemon_stat(&navd, "jobs_built"), 0);
        peer_deinit(&after);
    }
    printf("restart: %d tiles, from the start of the process to the first tile %.0f %.0f %.0f %.0f %.0f ms, to the "
           "last %.0f %.0f %.0f %.0f %.0f ms\n",
           LARGE * LARGE, first_ms[0], first_ms[1], first_ms[2], first_ms[3], first_ms[4], all_ms[0], all_ms[1],
           all_ms[2], all_ms[3], all_ms[4]);
    peer_deinit(&before);
    ck_assert_int_eq(daemon_stop(&navd), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("kill");
    TCase *t = tcase_create("kill");
    tcase_set_timeout(t, 0);
    suite_add_tcase(s, t);
    tcase_add_test(t, what_was_acknowledged_survives_kill_9);
    tcase_add_test(t, a_world_of_5000_tiles_is_served_again_at_once);
    return run_suite_in_folder(s);
}
