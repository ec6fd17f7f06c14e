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
#include "tests/e2e/edited_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, WORLDS = EDITED_WORLDS };

static edited_world worlds[WORLDS];
static uint64_t chance;

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
    for (int i = 0; i < WORLDS; i++) edited_begin(&worlds[i], i, SIDE, &navd, &truth);
    for (uint64_t round = 1; round <= kills; round++) {
        for (int i = 0; i < WORLDS; i++) ck_assert(peer_connect(&worlds[i].editor, navd.socket));
        edited_run(worlds, clock_ms() + 1 + random_below(&chance, 60000) * 0.001, &chance);
        daemon_kill(&navd);
        for (int i = 0; i < WORLDS; i++) edited_read_to_the_end(&worlds[i]);
        if (random_below(&chance, 8) == 0) { // and once more before it has come up
            daemon_launch_and_kill(&durable, random_below(&chance, 20000) * 0.001);
            early++;
        }
        double began = clock_ms();
        daemon_launch(&navd, &durable);
        for (int i = 0; i < WORLDS; i++) edited_check(&worlds[i], &navd, round);
        took_ms[round - 1] = clock_ms() - began;
        slowest_ms = fmax(slowest_ms, took_ms[round - 1]);
    }
    uint64_t edits = 0, acknowledged = 0;
    for (int i = 0; i < WORLDS; i++) {
        edits += worlds[i].edits;
        acknowledged += worlds[i].acknowledged_edits;
        edited_end(&worlds[i]);
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
