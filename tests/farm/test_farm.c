// A daemon with workers, as processes: what the farm builds is what a daemon builds alone, whoever is killed meanwhile,
// and an edit never waits for the farm.
//
// NAVD_KILLS says how often somebody is killed, NAVD_SEED in which order.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/edited_world.h"
#include "tests/farm/nats_server.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 16, WORLDS = EDITED_WORLDS, WORKERS = 2 };

static nats_server server;
static daemon_process navd, truth, workers[WORKERS];
static edited_world worlds[WORLDS];
static uint64_t chance;
static char state[PATH_BYTES];

static void launch_worker(daemon_process *w)
{
    const char *const arguments[] = {"--farm", server.url, "--farm-job-s", "1", NULL};
    daemon_launch(w, &(daemon_options){.arguments = arguments, .worker = true});
}

// Every edit of more than one tile is work for the farm.
static void launch_navd(const char *more, const char *value)
{
    const char *const arguments[] = {"--farm",    server.url, "--farm-job-s",        "1", "--farm-tiles", "1",
                                     "--threads", "1",        "--interactive-tiles", "1", more,           value,
                                     NULL};
    daemon_launch(&navd, &(daemon_options){.arguments = arguments, .state = state, .no_tcp = true});
}

static void launch_truth(void)
{
    daemon_launch(&truth, &(daemon_options){.no_tcp = true, .socket = temp_path("truth.sock")});
}

// A radius that nobody had yet: all tiles of the world are to be made again, and no cache has one of them.
static void set_radius(peer *p, uint64_t turn)
{
    np_world_profile_request r = {.world = p->world, .name = np_str_of("walker"), .has_settings = true};
    np_world_profile_response answer;
    np_error err = {0};
    nav_settings_default(&r.settings);
    r.settings.cell_size_m = 0.3f;
    r.settings.tile_cells = 32;
    r.settings.agent_radius_m = 0.3f + 0.0001f * (float)turn;
    nav_status s = peer_call(p, NP_WORLD_PROFILE, &r, &answer, &err);
    ck_assert_msg(s == NAV_OK, "world.profile: %s", err.message);
}

static void renew(edited_world *w, uint64_t turn)
{
    edited_settle(w);
    set_radius(&w->editor, turn);
    set_radius(&w->truth, turn);
}

static void begin_worlds(void)
{
    for (int i = 0; i < WORLDS; i++) {
        edited_begin(&worlds[i], i, SIDE, &navd, &truth);
        ck_assert(peer_connect(&worlds[i].editor, navd.socket));
        ck_assert(peer_greeted(&worlds[i].editor));
    }
}

static void check_worlds(uint64_t round)
{
    for (int i = 0; i < WORLDS; i++) {
        edited_settle(&worlds[i]);
        edited_check(&worlds[i], &navd, round);
    }
}

static void end_all(void)
{
    for (int i = 0; i < WORLDS; i++) edited_end(&worlds[i]);
    for (int i = 0; i < WORKERS; i++) ck_assert_int_eq(daemon_stop(&workers[i]), 0);
    ck_assert_int_eq(daemon_stop(&navd), 0);
    ck_assert_int_eq(daemon_stop(&truth), 0);
    nats_server_kill(&server);
}

static void begin_all(void)
{
    chance = wanted_count("NAVD_SEED", 11);
    static int count;
    char own[32];
    snprintf(own, sizeof own, "state-%d-%d", (int)getpid(), count++); // no other test of the suite has it
    path_into(state, own);
    nats_server_start(&server, "nats", NULL);
    launch_navd(NULL, NULL);
    launch_truth();
    for (int i = 0; i < WORKERS; i++) launch_worker(&workers[i]);
    begin_worlds();
}

START_TEST(a_world_built_by_workers_is_the_one_that_is_built_at_home)
{
    begin_all();
    for (uint64_t turn = 1; turn <= 3; turn++) {
        for (int i = 0; i < WORLDS; i++) renew(&worlds[i], turn);
        check_worlds(turn);
    }
    ck_assert_uint_gt(daemon_stat(&navd, "farm_made"), 0);
    ck_assert_uint_eq(daemon_stat(&navd, "jobs_failed"), 0);
    end_all();
}
END_TEST

typedef enum victim { KILL_WORKER, KILL_OTHER_WORKER, KILL_NAVD, KILL_SERVER, VICTIMS } victim;

static void kill_one(victim v)
{
    switch (v) {
    case KILL_WORKER:
    case KILL_OTHER_WORKER:
        daemon_kill(&workers[v]);
        launch_worker(&workers[v]);
        break;
    case KILL_NAVD:
        daemon_kill(&navd);
        for (int i = 0; i < WORLDS; i++) edited_read_to_the_end(&worlds[i]);
        launch_navd(NULL, NULL);
        for (int i = 0; i < WORLDS; i++) edited_check(&worlds[i], &navd, 0);
        for (int i = 0; i < WORLDS; i++) {
            ck_assert(peer_connect(&worlds[i].editor, navd.socket));
            ck_assert(peer_greeted(&worlds[i].editor));
        }
        break;
    default:
        nats_server_kill(&server);
        edited_run(worlds, clock_ms() + random_below(&chance, 20000) * 0.001, &chance);
        nats_server_restart(&server);
    }
}

START_TEST(whoever_is_killed_nothing_is_lost_and_no_tile_is_wrong)
{
    const uint64_t kills = wanted_count("NAVD_KILLS", FULL_OR_SANITIZED(16, 6));
    uint64_t killed[VICTIMS] = {0}, made = 0, found = 0;
    double slowest_ms = 0;
    begin_all();
    for (uint64_t round = 1; round <= kills; round++) {
        if (round % 2)
            for (int i = 0; i < WORLDS; i++) renew(&worlds[i], round);
        edited_run(worlds, clock_ms() + 1 + random_below(&chance, 60000) * 0.001, &chance);
        const victim v = (victim)random_below(&chance, VICTIMS);
        if (v == KILL_NAVD) {
            made += daemon_stat(&navd, "farm_made");
            found += daemon_stat(&navd, "farm_found");
        }
        killed[v]++;
        kill_one(v);
        const double began = clock_ms();
        check_worlds(round);
        slowest_ms = fmax(slowest_ms, clock_ms() - began);
    }
    made += daemon_stat(&navd, "farm_made");
    found += daemon_stat(&navd, "farm_found");
    uint64_t edits = 0, acknowledged = 0;
    for (int i = 0; i < WORLDS; i++) {
        edits += worlds[i].edits;
        acknowledged += worlds[i].acknowledged_edits;
    }
    printf("farm: %llu kills (workers %llu, daemon %llu, server %llu), %llu edits sent, %llu acknowledged, 0 lost, "
           "%llu tiles built by workers, %llu found, 0 wrong; complete again after %.0f ms at most\n",
           (unsigned long long)kills, (unsigned long long)(killed[KILL_WORKER] + killed[KILL_OTHER_WORKER]),
           (unsigned long long)killed[KILL_NAVD], (unsigned long long)killed[KILL_SERVER], (unsigned long long)edits,
           (unsigned long long)acknowledged, (unsigned long long)made, (unsigned long long)found, slowest_ms);
    ck_assert_uint_gt(made, 0);
    end_all();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("farm");
    TCase *t = tcase_create("farm");
    if (!nats_server_is_there()) return 0;
    tcase_set_timeout(t, 0);
    tcase_add_test(t, a_world_built_by_workers_is_the_one_that_is_built_at_home);
    tcase_add_test(t, whoever_is_killed_nothing_is_lost_and_no_tile_is_wrong);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
